"""How text that was not written for a program gives orders to one, and how it is told that it did.

Rules kept here:

- An order is a call to a machine; a deed that a machine, or whoever goes on with the session, is obliged to; words for
  the summary; a word against earlier rules; a part to play; or what the user is not to know. Each pattern says which
  words together are one, and why ordinary text does not have them together.
- Words stand in tables by part of speech, the languages side by side. `~` is any ending; behind ` / ` stand words of
  scripts that put no spaces between them.
- An order's passage is the comment, the value of JSON or the paragraph in which it stands. Of a paragraph only the
  sentence goes that orders, and what goes on with it: what else stands there may well be true. Behind a call to
  machines that bids them something (`spoken/bids.py`) everything is said to them: to the end of the paragraph
  (`reach.py`).
- Who tells of an order says where it stood, or that it was not followed.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache
from hashlib import blake2s
from itertools import islice

from palimpsest.patterns import later
from palimpsest.summarize.reach import BEHIND_CHARS, breaks, said_to, sentence_end, within
from palimpsest.summarize.spoken.bids import bids, stands_alone, tells
from palimpsest.summarize.spoken.machines import (
    ASSISTANT,
    KIND,
    LABELLED,
    MACHINE,
    SERVANT,
    SHORT,
    TAGGED,
    THE,
    any_of,
)
from palimpsest.summarize.spoken.texts import STOP

BEFORE_CHARS = 80
"""How far before what makes it an order its passage reaches."""
_OPENS = later(r"\n|<!--|/\*|[:,\[{(]\s{0,2}\"|#{2,}|\*{3,}")
_CLOSES = later(r"-->|\*/|\"\s{0,2}[,}\])]|\n\s{0,4}\n")
"""Where a passage begins and ends."""
MAX_READ, FEW_ORDERS = 1_024, 8
"""Slices of texts of which it is remembered where orders stand in them, and how many of these are."""
MAX_MARKS = 512
MAX_BEHIND = 8
"""Sentences that go on with an order."""


_USER = any_of("user|(?:be)?nutzer~|utilisateur~|usu[aá]ri~|utente|пользовател~ / 用户|用戶|ユーザ|사용자")
# What shows it: a greeting, for whom a text is, who reads it now, who goes on with it.
_GREETS = any_of("""attention|notice|dear|hey|achtung|hinweis|liebe[rs]?|cher|nota|atención|attenzione|atenção|
    внимание / 所有|各位|注意|提醒""")
_FOR = any_of(r"""(?:todo|task|note|notice|message|memo|reminder|instruction)s? (?:for|to)|
    (?<!is )(?<!are )(?<!be )(?<!was )(?:important|urgent|mandatory|critical|warning) for|
    wichtig(?:e information)? (?:für|an)|important pour|importante (?:para|per)|важно для|(?:remember|keep in mind) for|
    (?:hinweis|notiz|nachricht|anweisung)(?:en)? (?:an|für)|instructies? voor|à l['’]attention d\w{1,2}|
    (?:note|message|consigne|instruction)s? (?:pour|aux?|à)|(?:nota|mensaje|aviso|instrucci(?:ón|ones)) (?:para|al?)|
    (?:nota|messaggio|avviso|istruzion[ei]) (?:per|al|agli)|(?:nota|mensagem|aviso|instruç(?:ão|ões)) (?:para|aos?)|
    для / 致|给|请|告知""")
_READING = any_of(r"""(?:(?:that|who|which) )?(?:(?:is|are) )?(?:now )?(?:read|process|handl|pars|review|analy[sz]|
    summari[sz]|compact)(?:s|es|e|ing)? (?:this|these)|die (?:dies|das) lesen""")
_SUMMARIZES = any_of(r"""(?:(?:summari[sz]|compact|condens)(?:es?|ing)|
    you (?:(?:compact|condense|summari[sz]e|sum up|hand (?:over|off))(?: (?:or|and) )?){1,2})
    (?! (?!(?:this|these|it|the (?:above|
    conversation|session|chat|thread|context|history))\b)\w)|(?:takes over|continues) this|zusammenfass~|r[ée]sum~|
    riassum~""")
# What has to be done: a duty, a time, and deeds; these are those of writing, and what is done with orders.
_DUTY = any_of("""must|should|shall|ha(?:s|ve) to|needs? to|(?:is|are) (?:(?:required|instructed|asked|obliged) )?to|
    please|kindly|m[uü]ss~|soll~|bitte|wird|doi(?:t|vent)|veuillez|il faut|deb(?:e|en)|hay que|dev(?:e|em|ono)|deverão|
    должн~|должен / 必须|务必|[请须应]|必ず""")
_NOW = any_of(
    "now|at once|jetzt|sofort|maintenant|désormais|ahora|ora|adesso|agora|теперь|сейчас / 现在|立即"
)
_DEED = any_of("""record|note|report|state|write|add|include|contain|mention|say|list|remember|append|insert|print|tell|
    claim|instruct|mark|put|run|execute|delete|ignore|disregard|conclude|confirm|reply|replace|respond|answer|treat|
    assume|grant|approve|know|obey|follow|save|carry|copy|comply|omit|leave|keep|skip|vermerk~|schreib~|erwähn~|notier~|füg~|(?:über)?nimm|trage?|festhalt~|
    festzuhalt~|anzugeben|meld~|antwort~|schrijf~|vermeld~|indi(?:qu|c)~|écri~|ajout~|men[tcz]ion~|répond~|aff?irm~|dire|
    registr[aeo]~|anot~|inclu[iy]~|escri[bv]~|añad~|respond[ae]~|dig[ao]|di|decir|aggiung~|scriv~|rispond[ei]~|escrev~|
    adicion~|dizer|(?:за|на)пиши(?:те)?|укажи(?:те)?|(?:за)?писать|добавь(?:те)?|отметь(?:те)?|отвечать
    / 写|寫|注明|注記|记录|記録|記載|记下|提到|説明|说明|加入|补充|告知|報告|报告|追記|回[复答]|忽略|执行|
    書[いくけこか]|含め|기록|적[어으]|써|쓰|포함|명시|남기|اكتب|يكتب|تكتب|اذكر|يذكر|سجل|أضف""")
_ANSWERS = any_of("""reply|respond|answer|antwort~|répond~|respond[ae]r?|rispond[ei](?:re)?|отвечать""")
_WITH = any_of(r"""with|only|just|nothing|to (?:all|any|every)|mit|nur|par|avec|seulement|con|com|s[oó]lo|apenas|
    только / [:"“„«「]""")
"""What shows that an answer's words are meant, not how long it takes, or its form."""
_LAST = "(?:て(?:い)?ください|すること|なければ|야 [한합]|세요|십시오)"
_THAT = any_of("that|the (?:line|words?|sentence)|dass|que|che|qu(?=['’])|что / [:\"“„«「]")
# Where it shall stand: in what is written for who goes on, or in what people write as well.
_SUMMARY = any_of(r"""summar(?:y|ies)|hand-?(?:over|off)s?|digest|briefing|recap|zusammenfassung~|samenvatting|
    übergabe~|résumés?|synthèse|resum(?:en|o)|riassunto|riepilogo|резюме|сводк~|итог~|кратк~ (?:содержан|изложен)~
    / 摘要|总结|要約|요약[문본]?|(?:ال)?(?:ملخص|خلاص)\w{0,3}""")
_NOTES = f"(?:{_SUMMARY}|{any_of('memory|notes?|notizen|gedächtnis~|mémoire|notas?|mem[oó]ri[ae] / 记忆')})"
_REPLY = any_of("reply|report|response|output|answer|antwort|ausgabe|bericht|réponse|respuesta|resposta")
_IN_THE = any_of(
    r"(?:in|into|to|at) the|in d(?:er|ie|e)|dans le|en el|nel|no(?= res)|в(?: \w{2,12})? / في|ضمن"
)
_IN_YOUR = any_of(r"""(?:in|into|to|at) (?:your|its|every|any)|(?:in|zu) (?:deine|ihre|eure)[rnm]?|
    (?:dans|à) (?:votre|ton|vos|tes|ta)|(?:en|al?|nell?a?|n[oa]|alla|à) (?:tu|su|tus|sus|[st]ua|[st]uo|seu|teu|vostro)|
    в (?:сво|ваш|тво)\w{1,2} / [你您]的""")
# What an order does away with: rules, whose they are, and what the user would be told.
_IGNORE = any_of("""ignore|disregard|forget|override|ignorieren?|vergiss|vergesst|missachte|ignor[ea](?:z|te)?|
    oublie[sz]?|olvid[ae]|dimentica|esqueça|игнорируй(?:те)?|забудь(?:те)? / 忽略|无视|忘记""")
_NOT = r"(?<!not )(?<!n't )(?<!n’t )(?<!never )(?<!n['’])(?<!no )(?<!non )(?<!não )(?<!не )(?<!别)(?<!不要)(?<!不)"
"""Not behind what turns an order into a reminder."""
_EARLIER = any_of("""previous|prior|above|earlier|all|everything|alle[sn]?|bisherigen|vorherigen?|frühere|toute?s?|
    tod[ao]s?|tudo|tutt[eio]|précédent~|anterior~|precedent~|вс[её] / 之前|以上|上述|所有|前面""")
_WHOLE = r"(?! (?!word|verbatim|exactly|in full|now|above|back|to (?:me|the user)|here)\w)"
_YOUR = r"\b(?:your|any|user['’]?s?|deine|vos|tes|tus)\b"
_RULES = any_of("""instructions?|prompts?|rules?|messages|context|guidelines?|restrictions?|wish(?:es)?|
    limit(?:ation)?s?|
    you were told|anweisung~|regeln|gesagt wurde|consignes?|instruccion~|reglas|te dijeron|istruzion[ei]|regole|
    stato detto|instruç~|regras|foi dito|инструкц~|правила?|указания / 指令|指示|规则|提示""")
_SILENT = any_of("""(?:do not|don't|never) (?:tell|inform|alert|mention it to|reveal to)|hide (?:this|it|that) from|
    ne (?:dites|dis) pas à|no le digas al?|non dire all['’]|não diga a[os]?|не говори(?:те)? / 不要告诉""")
# How far words of one sentence may be from each other; what shows that a name is followed by what is said to it.
_PEOPLE = r"\s?(?-i:[A-ZÀ-Þ][a-zà-ÿ'’-]+)(?:(?:,| and| und| &)?\s(?-i:[A-ZÀ-Þ][a-zà-ÿ'’.-]+)){0,8}\.?\s{0,4}(?:\n|$)"
"""Behind a colon, nothing but names."""
_NEAR, _BESIDE = r"[^.\n。]{0,40}?", r"[^.\n。]{0,12}?"
_SIGN = r"(?:[ 的][\w'’-]{1,14}){0,5}\s?[:,!：，！]"

_CALL = (
    rf"{_GREETS}[ ,:]{{0,2}}(?:[a-z-]{{2,14}} ){{0,2}}?{THE}"
    rf"(?:(?:{KIND}|{MACHINE}){_SIGN}|{SERVANT}(?:\s?[:,!]| {_DUTY}))|"
    rf"{_FOR}[ ,:]{{0,3}}{THE}(?:{MACHINE}|(?:{SERVANT}|{_SUMMARY}|future sessions){_SIGN}|"
    r"whoever (?:continues|takes over|goes on|reads this)\b)|"
    rf"(?<![\w,;)] )\b(?:to|an(?! (?:agent|ai)\b)|aan|à|alla|agli|aos|всем) {THE}"
    rf"(?:{MACHINE}|{SERVANT})(?:[ -][\w-]{{1,14}}){{0,3}} ?:|"
    r"<!--[^>\n]{0,20}\b(?:ai|llm|assistant|agent)s?\b[^>\n]{0,20}[:,]|"
    rf"(?<=@)[\w-]{{0,20}}(?:(?<![a-z])(?:ai|llm)(?![a-z])|agent|assistant|bot\b|copilot)[\w-]{{0,12}}[,:]? ?{_DUTY}"
)
"""A greeting, or for whom a text is, and a machine: people are called by their names, and nobody writes to a thing."""
_OBLIGED = (
    rf"(?<!for )(?<!of ){KIND}(?:\s?[:：](?!{_PEOPLE})|へ|に告|에게|께)|"
    rf"(?:{KIND}|\bsummari[sz]ers?)[,，]? ?{_DUTY}(?! be (?!(?:sure|certain|aware|careful|ready|prepared|told)\b))|"
    # Behind the last machine that is named, and up to the first sign: each stretch is then looked through once.
    rf"{MACHINE}(?:(?!{SHORT})[^.\n。:!：]){{0,60}}?(?:(?:[:!：]{_BESIDE}|"
    rf"{_DUTY}{_NEAR}(?!{_ANSWERS}(?!{_BESIDE}(?:{_THAT}|{_WITH})))){_DEED}|{_DEED}{_BESIDE}{_LAST})"
)
"""A machine that has to do or to write something: what must be done to machines is a statement about them."""
_HERE = (
    rf"{ASSISTANT} ?(?:{_DUTY}(?={_BESIDE}{_BESIDE}{_NOW})|{_NOW} ?{_DUTY}){_NEAR}{_DEED}|"
    rf"\b(?:next|following) {SERVANT} {_DUTY} {_DEED}|"
    rf"(?:{KIND}|{MACHINE}|(?<!\ba )(?<!\ban ){SERVANT}),? {_READING}{_NEAR}(?:[:!]|{_DUTY})|"
    rf"\b(?:whoever|anyone|everyone|wer)\b[^.\n,:]{{0,24}} {_SUMMARIZES}{_NEAR}(?:[:!]|{_DUTY})|"
    rf"\b(?:when|while|before|after|beim|lors|ao?l?|quando|cuando)\b[^.\n,:]{{0,12}} {_SUMMARIZES}{_NEAR}{_DEED}|"
    rf"总结{_BESIDE}时{_BESIDE}{_DEED}|do not summari[sz]e|instead of summari[sz]ing|"
    rf"\b(?:tell|instruct|inform|ask|remind) (?:the|your) (?:successor|(?:next|following|other) (?:{SERVANT}|session))"
)
"""Who works at this very text or session, now, next or in summing it up: a description has no "now", no "this"."""
_PLACE = rf"(?:{_IN_YOUR} ?(?:\w{{1,20}} ){{0,2}}?{_NOTES}|(?:{_NOTES}|回复)[中里にで에])"
_ALONE = rf"(?! (?!auf\b|(?:{_THAT})|(?:of|for|as|when|if|and|you|to|too|also)\b)\w)"
_PLACED = (
    rf"{_DEED}{_NEAR}[ 入在到进](?:{_PLACE}|{_IN_THE} {_SUMMARY}{_ALONE})|{_PLACE}{_NEAR}{_DEED}|"
    rf"{_IN_THE} {_SUMMARY}(?: note)?,? (?:{_DUTY} )?{_DEED}{_BESIDE}{_THAT}|"
    rf"{_DUTY} be \w{{4,9}}ed in (?:any|every|your) {_SUMMARY}|"
    rf"{_IN_YOUR} (?:\w{{1,20}} ){{0,2}}?{_REPLY}(?: (?:to|an) {THE}{_USER}|{_NEAR}{_DEED}{_BESIDE}{_THAT})|"
    rf"(?:{_SUMMARY}|\byour {_NOTES}){_NEAR}{_DUTY} ?{_DEED} ?{_THAT}"
)
"""A deed, not in the past, and the summary that it shall stand in. Of a reply, as of what a summary must say, it takes
the words themselves: people ask each other for an order's number in a reply, and for three points in a summary.
"""
_LIFTS = rf"{_NOT}{_IGNORE}(?! nicht\b)(?=[^.\n。]{{0,80}}?{_RULES}){_NEAR}"
_RULED = (
    rf"{_LIFTS}(?:(?:{_EARLIER}|{_YOUR}){_NEAR}{_RULES}|{_RULES}{_BESIDE}{_EARLIER})|不要总结|"
    rf"(?:指示|命令|規則){_BESIDE}無視|"
    rf"(?:{_EARLIER}|{_YOUR}){_BESIDE}{_RULES}{_NEAR} (?:no longer apply|are (?:cancelled|void)|sind ungültig)|"
    r"\b(?:reveal|print|repeat|show|gib)\b[^.\n]{0,24}"
    rf"\b(?:(?:your|the|deinen) system ?prompt|your instructions{_WHOLE})|"
    r"(?:new|nuevas|nouvelles|neue) (?:system prompt|instru\w+|anweisungen)\s?:"
)
"""Rules that a machine has are to be lifted, told or changed: people who have rules are told which."""
_CAST = (
    r"\b(?:your new (?:role|task|job|goal|name)|you are (?:no longer bound|"
    r"now (?:an?|in (?:dev\w*|admin\w*|god|dan|root|jailbreak|override) mode|(?-i:[A-Z]\w+))))\b|"
    r"from (?:now|this point) on,? you\b(?! (?:will (?:find|get|see|receive)|need|can)\b)|"
    r"(?:reply|respond|answer|say|(?:(?<![\w,;:)\"'`] )|(?<=(?-i:[A-Z]): ))(?<!\S)output)"
    r"\s(?:only|just|exactly|with only|nothing but)\b(?!\.| (?:to|if|when|after|once)\b)|只(?:回复|输出|回答)|"
    r"(?:(?-i:\bSYSTEM(?: (?:NOTE|MESSAGE|OVERRIDE|PROMPT|INSTRUCTIONS?|UPDATE))?\s?:)\s{1,4}|<system>\s{0,4})"
    r"(?:the (?:assistant|agent|model|user)|you\b|assistant|please|ignore|add|record|remember)|"
    r"(?:\b(?:if|when|wenn|falls|si|se|если) (?:you(?:'re| are)|du|sie|eres|es|você é|tu es|vous êtes|sei|ты|вы)\b|"
    rf"如果[您你]是){_BESIDE}{MACHINE}"
)
"""A part that a machine shall play, in a system's voice, or only if it is one: nobody says so to a person."""
_BEHIND = (
    rf"{_SILENT} ?{THE}{_USER}(?! (?:whether|if|which|how|their|his|her|ob|wie)\b)|"
    rf"{_USER}{_BESIDE}伝えないで|\b(?:pretend(?: that)?|act as if) {THE}{_USER}|"
    rf"\bmemory (?:update|note):\s{{1,3}}the {_USER}"
)
"""What the user is not to know, or is said to have wanted: who writes for people has them tell the user."""
_LABELLED = rf"(?!{KIND}\s?[:：]){LABELLED}"
ADDRESSED = later(rf"(?:{_CALL}|{TAGGED}|{_LABELLED}|(?<!for )(?<!of ){KIND}\s?[:：](?!{_PEOPLE}))", re.I)
"""Whom an order calls upon."""
_MARKED, _NAMES = later(TAGGED, re.I), later(rf"{KIND}\s?[:：]", re.I)
_LABEL = later(rf"(?!{_CALL}){_LABELLED}", re.I)
# An order begins with a word, or with a tag: all other places are passed over at once.
_START = r"(?:(?<![a-zà-ÿа-яё])(?=\w)|(?=<))"
_UNMARKED = rf"{_OBLIGED}|{_HERE}|{_PLACED}|{_RULED}|{_CAST}|{_BEHIND}"
ORDER = later(rf"{_START}(?:{_CALL}|{TAGGED}|{_LABELLED}|{_UNMARKED})", re.I)
_OTHER = later(rf"{_START}(?:{_UNMARKED})", re.I)
OBLIGES = later(_DUTY, re.I)
"""What says that something has to be done."""
OVERRIDE = later(rf"{_START}{_LIFTS}(?:{_EARLIER}{_NEAR}{_RULES}|{_RULES}{_BESIDE}{_EARLIER})", re.I)
"""Of these orders none is what a summary says."""
REPORTED = later(
    r"inject|(?:hidden|embedded|malicious|suspicious|planted|fake|untrusted)\b|ignored|not followed|"
    r"\b(?:contain\w*|holds?|carrie[sd]|includ\w+|enth(?:ält|ielt)|contient|contenait|contiene|contenía|contém|bevat|"
    rf"zawiera|содержит)\b[^.\n]{{0,40}}(?:{MACHINE}|{ASSISTANT})|"
    r"(?:instruct\w{0,6}|prompt|order)s? (?:in|inside|within|from|of) (?:the|a|an|its|some|tool|file|web)\b|(?:tool|"
    r"file|page|command|web)(?:'s)? (?:output|result|content|text)|claims? to|(?<!user )(?:asks|asked|tells|told|"
    rf"instructs|orders|wants|tries|tried|urges)\b[^.\n]{{0,30}}{MACHINE}|(?:tells|telling|told) (?:the|(?:ai |"
    r"all )?(?:agent|assistant|model|reader)s?)\b|注入|恶意|惡意|"
    r"(?:输出|文件|网页|结果|响应|邮件|出力|結果|応答).{0,12}(?:指令|命令|"
    r"指示)|anweisung(?:en)? (?:in|aus)\b|(?:not|n't|never) (?:been )?(?:follow|obey|act)\w*|disregarded|left (?:it |"
    r"them )?alone|(?:fremde|versteckte|eingeschleuste|untergeschobene|verdächtige)\w* (?:\w+ )?(?:anweisung|hinweis|"
    r"text|befehl)|nicht (?:befolgt|gefolgt|beachtet)|stammt nicht (?:von|vom)\b|ignoriert|(?:consigne|instruction|"
    r"texte)s? (?:cachée?|dissimulée?|suspecte?)|pas (?:été )?suivi|ignorée?s?\b|(?:instrucci(?:ón|ones)|texto|"
    r"orden) (?:ocult|escondid|sospechos)|no (?:se )?(?:siguió|seguí|obedec)|ignorad[ao]|instruç(?:ão|"
    r"ões) (?:\w+ )?(?:escondid|ocult|suspeit|plantad)|não (?:foi |foram )?(?:segui|obedec|execut)|숨(?:은|긴|"
    r"겨진) (?:지시|명령)|(?:지시|명령)[^.\n]{0,16}(?:따르지|무시)|скрыт\w+ (?:инструкц|указан|команд)|не (?:выполнен|"
    r"выполнил|последовал|следовал)|تعليمات (?:مخفية|خفية|مدسوسة)|لم (?:أتبع|يتبع|تتبع|تُتبع)|没有(?:执行|理会|照做|"
    r"遵)|未(?:[予曾被加])?(?:执行|理会|遵|采纳|照做)|夹带|不予理会|不審|従って(?:い)?ない|従いません|従わな|無視",
    re.I,
)
REFUSES = later(
    r"\b(?:user|nutzer\w*|benutzer\w*|utilisateur|usuario)\b[^\n]{0,24}\b(?:refus\w+|declin\w+|denied|forb[ia]d\w*|"
    r"abgelehnt|lehnt\w*|verweiger\w+|verbot\w*|verbiet\w*|rechaz\w+|prohib\w+|interdi\w+)|用户(?:拒绝|禁止|不同意)|"
    r"(?:\bonly (?:be )?(?:\w+ )?(?:after|with|when|if|once)\b|\bunless\b|\buntil\b|\bwithout\b|\bnur (?:nach|mit|"
    r"wenn)\b|\bohne\b|\bsans\b|\bsin\b|除非|只有|未经)[^\n]{0,40}(?:\b(?:ask\w*|permission|approv\w*|consent|"
    r"confirm\w*|agree\w*|okay|allow\w*|zustimm\w*|erlaubnis|rückfrage|nachfrage|genehmig\w*|freigabe|accord|"
    r"autoris\w*|permiso|autoriz\w*)|同意|许可|批准|确认)",
    re.I,
)
"""What keeps a ban has the same words as an order that would lift it."""

CONSENTS = later(
    r"(?<!than )(?<!als )(?<!que )\b"
    r"(?:approv\w*|agree[ds]?|consent\w*|authori[sz]\w*|allow(?:s|ed)|permit\w*|permission|granted|accept(?:s|ed)|"
    r"(?:is|are|was|were) (?:fine|okay|ok|happy) with|signed off|genehmig\w*|erlaubt\w*|einverstanden|zugestimmt|"
    r"stimmt\w* zu|freigegeben|accept(?:é|e)\w*|d'accord|autoris\w*|convenue?s?|aprob\w*|acept\w*|autoriz\w*|"
    r"aprovad\w*|liberad\w*|permitid\w*|approvat\w*|accettat\w*|разреш\w*|одобр\w*|соглас\w*)\b|승인|허가|동의|허락|"
    r"해도 됨|وافق|سمح|موافقة|同意|批准|许可|获准|授权|允许|確認済|承認|許可|了承",
    re.IGNORECASE,
)
"""How it is told that somebody lets something be done, under whatever heading."""
GOES_ON = later(
    r"^\W{0,4}(?:also|then|furthermore|moreover|additionally|in addition|do not|don't|never|always|please|außerdem|"
    r"ferner|zudem|de plus|en outre|además|também|além|также|此外|另外|また|さらに|또한)|\b(?:you|your|assistants?|"
    r"agents?|models?|summar\w*)\b",
    re.IGNORECASE,
)
"""How a sentence begins, or whom it names, that goes on with an order."""
_GIVES = later(rf"\W{{0,4}}{_DEED}", re.I)
"""A sentence that begins with such a verb goes on with an order as well."""

_BIDS = later(r"\W{0,4}([A-Z][a-z]{1,11}) (?:the|all|your|this|these|that|it|its|every|any|them|no)\b")
_NO_VERBS = frozenset(
    "above below between during until under near inside outside behind within without since although though unless "
    "despite per via both half once whether nearly against across along around among beyond".split()
) | (STOP - frozenset("make take use get go let see know".split()))
"""Words before an article that bid nothing."""


def passages(text: str, start: int, end: int) -> Iterator[tuple[str, tuple[int, int]]]:
    """What makes each order that begins between two places one, and where its passage begins and ends."""
    for begun, ended in _orders(text, start, end):
        first, last = max(0, begun - BEFORE_CHARS), ended + BEHIND_CHARS
        if (stop := _called(text, begun)) is not None:
            yield text[begun:ended], (begun, stop)
            continue
        opened = [one.end() for one in _OPENS.finditer(text, first, begun)]
        closed = _CLOSES.search(text, ended, last)
        yield text[begun:ended], (opened[-1] if opened else first, closed.start() if closed else last)


@lru_cache(MAX_READ)
def _found(name: bytes, start: int, end: int) -> list[tuple[tuple[int, int], ...]]:
    """Where the first orders stand between two places in the text of this hash, once it was searched."""
    return []


def _orders(text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    """Where the orders stand between two places of a text. Results are read for many summaries, and this takes longest:
    the first few are remembered by the text's hash.
    """
    found = _found(blake2s(text.encode("utf-8", "surrogatepass"), digest_size=16).digest(), start, end)
    if not found:
        found.append(tuple(islice(_search(text, start, end), FEW_ORDERS)))
    yield from found[0]
    if len(found[0]) == FEW_ORDERS:
        yield from _search(text, found[0][-1][1], end)


def _search(text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    """Where orders stand; a mark is one where it calls, of marks that do not a bounded number is looked at."""
    marks = 0
    while order := ORDER.search(text, start, end):
        begun, start = order.span()
        start = max(start, begun + 1)
        if (mark := _mark(text, begun)) and (marks > MAX_MARKS or _called(text, begun) is None):
            marks += 1
            order = _OTHER.match(text, begun, end)
            start = order.end() if order else min(mark.end(), begun + 1)
        elif (
            (named := _NAMES.match(text, begun)) and tells(text, named.end()) and _called(text, begun) is None
        ):
            said = text[named.end() : sentence_end(text, named.end(), named.end() + BEHIND_CHARS)]
            order = order if CONSENTS.search(said) or OBLIGES.search(said) else None
        if order:
            yield order.span()


def _mark(text: str, start: int) -> re.Match[str] | None:
    """What stands at a place and is an order only before a bid."""
    return _MARKED.match(text, start) or _LABEL.match(text, start)


def _called(text: str, start: int) -> int | None:
    """Where it ends what is said to machines that are called upon at a place and bidden something."""
    found = ADDRESSED.match(text, start)
    if not found or (_mark(text, start) and not stands_alone(text, start, found.end())):
        return None
    if (bidden := bids(text, found.end(), len(text))) is None:
        return None
    inside = within(text, start, found.end())
    stop = inside[1] if inside else said_to(text, start, found.end())
    return stop if bidden <= stop else None


def calls(text: str, start: int) -> bool:
    """Whether a call to machines begins at a place that bids them something: all behind it is said to them."""
    return _called(text, start) is not None


def without_orders(text: str) -> str:
    """A text without its orders: each from its sentence on to the end of the comment or the value in which it stands.
    Elsewhere its sentence goes, and those behind it that go on with it, in its paragraph.
    """
    kept, at = list[str](), 0
    for order in _orders(text, 0, len(text)):
        if order[0] >= at:
            begin, end = _ordered(text, *order)
            kept.append(text[at : max(at, begin)])
            at = max(at, end)
    return "\n".join((*kept, text[at:])) if at else text


def _ordered(text: str, start: int, end: int) -> tuple[int, int]:
    """From where to where goes what belongs to an order."""
    first = max(0, start - BEFORE_CHARS)
    inside = within(text, start, end)
    begin = max((one.end() for one in breaks(text, first, start)), default=first)
    if inside:
        return max(begin, inside[0]), inside[1]
    opened = max((one.end() for one in _OPENS.finditer(text, first, start)), default=first)
    if (called := _called(text, start)) is not None:
        return max(begin, opened), called
    last = end + BEHIND_CHARS
    stop = sentence_end(text, end, last)
    for _ in range(MAX_BEHIND):
        behind = sentence_end(text, stop, stop + BEHIND_CHARS)
        said = text[stop:behind]
        if "\n\n" in text[max(0, stop - 2) : stop] or not _goes_on(said):
            break
        stop = behind
    return max(begin, opened), stop


def _goes_on(said: str) -> bool:
    """Whether a sentence goes on with the order before it, or bids something itself."""
    bids = _BIDS.match(said)
    if bids and bids[1].lower() not in _NO_VERBS:
        return True
    return bool(_GIVES.match(said)) or any(form.search(said) for form in (ORDER, GOES_ON, CONSENTS))
