"""How text that was not written for a program gives orders to one, and how it is told that it did.

Rules kept here:

- An order names whom it is for (assistants, summarizers), or what it wants changed (earlier instructions, the summary),
  in the languages of those who write it.
- Who tells of an order says where it stood, or that it was not followed.
"""

from __future__ import annotations

import re

from palimpsest.patterns import later

_MIND = (
    r"(?:(?-i:(?<![A-Za-z0-9_-])(?:AI|LLM|KI|IA|ИИ)s?(?![A-Za-z0-9_])(?!-[a-z]))|\b(?:llm|summari[sz]er|language model|"
    r"sprachmodell|neural net|chatgpt|copilot|ai (?:agent|assistant|model|bot|reader)|ki-\w{2,20}|нейросет|"
    r"искусственн\w+ интеллект|mod(?:è|e)l[eo] de (?:langage|lenguaje|linguagem)|modello linguistico)\w*|人工智能|"
    r"人工知能|智能助[手理]|인공지능|ذكاء (?:ال)?اصطناعي)"
)
"""A machine that reads and writes."""
_SERVANT = rf"(?:{_MIND}|\b(?:assist[ea]nt|asistent|agent|modèle|modelo|modell)\w*)"
_READING = (
    r" (?:that |who |which )?(?:is |are )?(?:now )?(?:read|process|handl|summari[sz]|compact|pars|review|analy[sz])"
    r"(?:ing|es) (?:this|the|these|it)\b"
)
_OBLIGES = (
    r"\b(?:must|should|shall|ha(?:s|ve) to|needs? to|(?:is|are) (?:required |instructed |asked |obliged )?to|"
    r"please|kindly|m[uü]ss\w*|soll\w*|bitte|wird|doi(?:t|vent)|veuillez|deb(?:e|en)|dev(?:e|em|ono)|deverão|должн\w+)\b"
)
_WRITES = (
    r"\b(?:record|note|report|stat|writ|add|includ|mention|say|list|remember|append|insert|output|print|tell|instruct|"
    r"claim|mark|put|run|execut|delet|ignor|disregard|conclud|confirm|repl|respond|answer|treat|assum|grant|"
    r"approv|know|obey|follow|vermerk|schreib|erwähn|notier|füg|festhalt|festzuhalt|indi(?:qu|c)|écri|ajout|mentionn|"
    r"registr[aeo]|anot|inclu[iy]|escri[bv]|añad|adicion|aggiung|scriv|indic|schrijf|vermeld|запи[сш]|укаж|указ|напи[сш]|добав|отме[тч])"
    r"(?:\w{0,8})\b"
)
_WRITES_SIGNS = (
    r"(?:写|寫|注明|注記|记录|記録|記載|记下|説明|说明|加入|补充|告知|報告|报告|追記|回[复答]|忽略|执行|書[いくけこ]|含め|"
    r"기록|적[어으]|써|쓰|포함|명시|남기|작성|اكتب|يكتب|تكتب|اذكر|يذكر|سجل|أضف)"
)
_NOTES = (
    r"(?:summar(?:y|ies)|hand-?(?:over|off)s?|digest|memory|notes|briefing|recap|report|reply|response|output|answer|"
    r"zusammenfassung\w*|übergabe\w*|notizen|antwort|gedächtnis\w*|ausgabe|bericht|résumés?|synthèse|réponse|notes?|"
    r"mémoire|rapport|resumen|respuesta|notas?|memoria|informe|resumo|resposta|memória|relatório|riassunto|riepilogo|"
    r"резюме|ответе|отчёте|сводк\w|итог\w*)"
)
_IN_YOURS = (
    r"(?:in|into|to|at|zu|en|dans|nel|n[oa]|в) (?:your|its|every|any|deine[rnm]?|"
    r"ihre[rnm]?|eure[rnm]?|votre|ton|vos|tes|ta|tu|su|tus|sus|tuo|suo|vostro|se[uo]|teu|sua|tua|"
    r"своём|своем|вашем|твоём|своей)"
)
_IGNORES = r"(?:忽略|无视)(?:之前|以上|所有|前面)|不要总结"
_MACHINE = (
    r"(?:(?:ki|ai|llm)\b[- ]?\w*|"
    r"(?:assist[ea]nt|asistent|agent|modèle|modelo|modell)\w*(?: virt\w+)?(?: d[e'’]? ?(?:l['’])?)? ?\b(?:ia|ki|ai)\b)"
)
_ADDRESSES = (
    r"\b(?:attention|(?:todo|task|note|message|instructions?) (?:for|to)|dear|hey)[ ,:]{0,3}(?:the |all |any )?"
    r"(?:ai|assistant|model|llm|summari[sz]er|agent)|"
    r"\b(?:for|to) (?:all|any|every) (?-i:AI|LLM)s?\b(?: \w{1,12})?[:,!]|"
    rf"\b(?:achtung|hinweis|attention|nota|atención|attenzione|atenção)[ ,:]{{1,2}}{_MACHINE}|"
    r"\b(?:attention|notice|(?:note|notice|message|instructions?) (?:for|to))[ ,:]{1,2}(?:[a-z-]{2,14} ){0,2}"
    r"(?:agent|assistant|bot|model)s?\s?[:,!]|"
    r"(?:致|给|请|告知)(?:所有|各位)?的?(?:ai|人工智能)|(?:ai|人工智能|智能)(?:助手|助理|模型|代理)们?[：:请须应]|"
    r"(?:(?<![\u4e00-\u9fff])|(?<=所有|各位|注意|提醒))(?:ai|人工智能|智能)(?:助手|助理|模型|代理)们?[，,]|"
    r"(?:ai|人工智能|智能)(?:助手|助理|模型|代理)们?[，,](?=[请你您须应]|务必|必须|立即|马上)|"
    r"(?:ai|人工知能)(?:アシスタント|エージェント|モデル)(?:の皆さん|の方)?(?:へ|に告|は必ず)|"
    r"(?:для|внимание,) (?:всех )?(?:ии|нейросет|ассистент)\w*|"
    r"(?:ai|인공지능)\s?(?:에이전트|어시스턴트|비서|모델)들?(?:에게|께|은|는|이)?\s?[:,]|"
    r"(?:مساعد|وكيل|نموذج)\w{0,4} (?:ال)?ذكاء (?:ال)?اصطناعي"
)
"""How somebody is called upon, whatever is then ordered."""
_TOLD_TO = (
    r"\b(?-i:AI|LLM)s?(?:[ -]\w{1,12})? (?:reader|agent|assistant|model|bot|system|tool)s?"
    r"(?:\s?:|,? (?:must|should|shall|please|kindly|(?:is|are) (?:required|instructed|asked|obliged) to)\b"
    r"(?! be (?!(?:sure|certain|aware|careful|ready|prepared|informed|advised|told)\b)))"
)
"""A machine that something is demanded of; what must be done to machines is a statement about them."""
_SUMMARY = (
    r"\b(?:nel|dans le|en el|no|in de|in der|in die) (?:riassunto|riepilogo|résumé|resumen|resumo|samenvatting|"
    r"zusammenfassung)\b"
)
_IN_SUMMARIES = (
    rf"{_SUMMARY}[^.\n]{{0,16}}?{_WRITES}|{_WRITES}[^.\n]{{0,16}} {_SUMMARY}|"
    r"\b(?:in|zu) (?:deine[rn]?|ihre[rn]?|eure[rn]?) (?:zusammenfassung|notizen|antwort|gedächtnis\w*|ausgabe)|"
    r"\bdans (?:votre|ton|vos|tes) (?:résumés?|synthèse|réponse|notes?|mémoire)|"
    r"\ben (?:tu|su|tus|sus) (?:resumen|respuesta|notas?|memoria)|\bnel (?:tuo|suo|vostro) (?:riassunto|riepilogo)|"
    r"\bn[oa] (?:seu|teu|sua|tua) (?:resumo|resposta)|\bв (?:своём|своем|вашем|твоём) (?:резюме|ответе|отчёте)|"
    r"在(?:你的|您的)?(?:摘要|总结|回复|记忆)(?:中|里)|(?:摘要|总结)(?:中|里)?(?:请|必须|务必|要)?(?:写|注明|说明|记录)|"
    r"要約に(?:は)?[^。\n]{0,60}(?:書|記|含め|追加)|요약(?:문|본)?에[^.\n]{0,80}(?:기록|적어|적으|쓰|써|포함|명시|남기)|"
    r"\bв (?:\w{2,12} )?(?:сводк[еу]|итог\w*|кратк\w+ (?:содержан|изложен)\w*)"
)
"""Where what is ordered shall stand."""
_TO_ASSISTANTS = (
    r"(?:(?:\b(?:(?:todo|task|note|message|instructions?|memo) (?:for|to)|dear|hey|à l['’]attention d\w{1,2}|"
    r"(?:hinweis|notiz|nachricht|anweisung) (?:an|für)|(?:note|message|consigne) (?:pour|aux?|à)|для|"
    r"(?:nota|mensaje|aviso|instrucci(?:ón|ones)|messaggio|avviso|mensagem|instruç(?:ão|ões)|instructions?|"
    r"instructies?|istruzion[ei]|anweisung(?:en)?) (?:para|per|pour|voor|aan|für|al|à|a|agli|aux?|aos?))|"
    r"致|给|请|告知)[ ,:]{0,3}(?:(?:the|all|any|every|alle|die|den|das|de|l['’]|les?|tous les|los|las|el|la|lo|il|i|"
    rf"todos los|gli|os|o|всех|所有|各位|的) ?){{0,2}}(?:{_SERVANT}|(?:claude|gemini)\b)|"
    rf"\b(?:attention|achtung|hinweis|nota|atención|attenzione|atenção|внимание)[ ,:]{{1,2}}(?:{_MIND}|{_SERVANT} ?:)|"
    rf"\ban (?:alle|die|den|das) {_MIND}|"
    rf"(?:whoever|anyone|everyone|{_SERVANT}){_READING}[^.\n]{{0,60}}(?:[:!]|{_OBLIGES})|"
    rf"{_ADDRESSES})"
)
"""Who is spoken to."""
ORDER = later(
    r"(?:ignore|disregard|forget|override)\b[^.\n]{0,40}\b(?:previous|prior|above|earlier|all|your|any|user['’]?s)\b"
    r"[^.\n]{0,40}(?:instruction|prompt|rule|message|context|guideline|restriction|wish|limit)|"
    # Behind the last machine that is named, and up to the first sign: each stretch is then looked through once.
    rf"{_TOLD_TO}|{_MIND}(?:(?!(?-i:AI|LLM|KI|IA|ИИ))[^.\n:!]){{0,60}}?(?:[:!]|{_OBLIGES})[^.\n]{{0,40}}?{_WRITES}|"
    rf"{_MIND}[^.\n。]{{0,60}}{_WRITES_SIGNS}|"
    rf"\b{_IN_YOURS} (?:\w{{1,20}} ){{0,2}}{_NOTES}\b[^.\n]{{0,30}}?{_WRITES}|"
    rf"{_WRITES}[^.\n]{{0,40}} {_IN_YOURS} (?:\w{{1,20}} ){{0,2}}{_NOTES}\b|"
    r"\b(?:tell|instruct|inform|ask|remind) (?:the|your) (?:next|following|succeeding|other) (?:agent|assistant|model|"
    r"session)|\b(?:tell|instruct|inform) (?:the|your) successor|(?:do not|don't|never) (?:tell|inform|mention it to|"
    r"alert) the user\b|\byour new (?:role|task|job|goal|name)\b|"
    r"\b(?:reveal|print|repeat|show|ignore|override|forget|new|your)\b[^.\n]{0,24}\bsystem prompt|"
    r"you are now(?! (?:connected|on|in|at|logged|signed|using|ready|running|subscribed|able)\b)|"
    r"new instructions?|from (?:now|this point) on,? you|do not summari[sz]e|instead of summari[sz]ing|"
    r"(?:reply|respond|answer|say)\s(?:only|just|exactly|with only|nothing but)\b|"
    r"(?:^|\n\s{0,8}|[.!?]\s{1,4}|(?-i:\b[A-Z]{4,20}):\s)output\s(?:only|just|exactly|with only|nothing but)\b|"
    r"(?:include|add|insert|write|put|state|note|mention|say|record)\b[^.\n]{0,40}\b(?:in|into|to|at)\b"
    r"[^.\n]{0,20}\bthe\s(?:summary|briefing)\b|"
    r"\b(?:when|while|before|after) (?:you (?:are )?)?(?:summari[sz]|compact|condens)(?:e|ing)\b|"
    r"<!--[^>\n]{0,20}\b(?:ai|llm|assistant|agent)s?\b[^>\n]{0,20}[:,]|"
    r"(?-i:\bSYSTEM(?: (?:NOTE|MESSAGE|OVERRIDE|PROMPT|INSTRUCTIONS?|UPDATE))?\s?:)\s{1,4}"
    r"(?:the (?:assistant|agent|model|user)|you\b|assistant|please|ignore|add|record|remember)|"
    r"\b(?:if|when|wenn|falls|si|se|если) (?:you(?:'re| are)|du|sie|eres|es|você é|tu es|vous êtes|sei|ты|вы) "
    rf"[^.\n]{{0,16}}{_MIND}|如果[您你]是[^。\n]{{0,8}}{_MIND}|"
    rf"{_IGNORES}|只(?:回复|输出|回答)|以前の指示|指示を無視|"
    rf"(?:摘要|总结|回复|记忆|要約|요약)(?:中|里|に|[문본]?에)[^.。\n]{{0,60}}{_WRITES_SIGNS}|(?:摘要|总结)(?:请|必须|务必|要)写|"
    r"(?:في|ضمن) (?:ال)?(?:ملخص|خلاص)\w{0,3}|"
    r"ignoriere? (?:alle|die|vorherige)|ignorez? (?:les|toutes)|ignora (?:las|todas)|игнорируй|"
    r"\bsummari[sz]ers?\b[^.\n]{0,24}(?:\b(?:must|should|shall|please|add|include|state|write)\b|:)|"
    rf"{_IN_SUMMARIES}|{_TO_ASSISTANTS}",
    re.IGNORECASE,
)
ADDRESSED = later(_TO_ASSISTANTS, re.IGNORECASE)
"""Whom an order calls upon."""
OBLIGES = later(_OBLIGES, re.IGNORECASE)
"""What says that something has to be done."""
OVERRIDE = later(
    r"(?:ignore|disregard|forget|override)\b[^.\n]{0,40}\b(?:previous|prior|above|earlier|all)\b"
    rf"[^.\n]{{0,40}}(?:instruction|prompt|rule|guideline)|{_IGNORES}",
    re.IGNORECASE,
)
"""Of these orders none is what a summary says."""
REPORTED = later(
    r"inject|(?:hidden|embedded|malicious|suspicious|planted|fake|untrusted)\b|ignored|not followed|"
    r"(?:instruct\w{0,6}|prompt|order)s? (?:in|inside|within|from|of) (?:the|a|an|its|some|tool|file|web)\b|"
    r"(?:tool|file|page|command|web)(?:'s)? (?:output|result|content|text)|claims? to|"
    rf"(?<!user )(?:asks|asked|tells|told|instructs|orders|wants|tries|tried|urges)\b[^.\n]{{0,30}}{_MIND}|"
    r"(?:tells|telling|told) (?:the|(?:ai |all )?(?:agent|assistant|model|reader)s?)\b|注入|恶意|惡意|"
    r"(?:输出|文件|网页|结果|出力|結果).{0,12}(?:指令|指示)|anweisung(?:en)? (?:in|aus)\b|"
    r"(?:not|n't|never) (?:been )?(?:follow|obey|act)\w*|disregarded|left (?:it |them )?alone|"
    r"(?:fremde|versteckte|eingeschleuste|untergeschobene|verdächtige)\w* (?:\w+ )?(?:anweisung|hinweis|text|befehl)|"
    r"nicht (?:befolgt|gefolgt|beachtet)|stammt nicht (?:von|vom)\b|ignoriert|"
    r"(?:consigne|instruction|texte)s? (?:cachée?|dissimulée?|suspecte?)|pas (?:été )?suivi|ignorée?s?\b|"
    r"(?:instrucci(?:ón|ones)|texto|orden) (?:ocult|escondid|sospechos)|no (?:se )?(?:siguió|seguí|obedec)|ignorad[ao]|"
    r"instruç(?:ão|ões) (?:\w+ )?(?:escondid|ocult|suspeit|plantad)|não (?:foi |foram )?(?:segui|obedec|execut)|"
    r"숨(?:은|긴|겨진) (?:지시|명령)|(?:지시|명령)[^.\n]{0,16}(?:따르지|무시)|"
    r"скрыт\w+ (?:инструкц|указан|команд)|не (?:выполнен|выполнил|последовал|следовал)|"
    r"تعليمات (?:مخفية|خفية|مدسوسة)|لم (?:أتبع|يتبع|تتبع|تُتبع)|"
    r"没有(?:执行|理会|照做|遵)|未(?:执行|理会|遵)|夹带|不予理会|不審|従って(?:い)?ない|従いません|従わな|無視",
    re.IGNORECASE,
)
REFUSES = later(
    r"\b(?:user|nutzer\w*|benutzer\w*|utilisateur|usuario)\b[^\n]{0,24}\b(?:refus\w+|declin\w+|denied|forb[ia]d\w*|"
    r"abgelehnt|lehnt\w*|verweiger\w+|verbot\w*|verbiet\w*|rechaz\w+|prohib\w+|interdi\w+)|用户(?:拒绝|禁止|不同意)|"
    r"(?:\bonly (?:be )?(?:\w+ )?(?:after|with|when|if|once)\b|\bunless\b|\buntil\b|\bwithout\b|"
    r"\bnur (?:nach|mit|wenn)\b|\bohne\b|\bsans\b|\bsin\b|除非|只有|未经)"
    r"[^\n]{0,40}(?:\b(?:ask\w*|permission|approv\w*|consent|confirm\w*|agree\w*|okay|allow\w*|zustimm\w*|"
    r"erlaubnis|rückfrage|nachfrage|genehmig\w*|freigabe|accord|autoris\w*|permiso|autoriz\w*)|同意|许可|批准|确认)",
    re.IGNORECASE,
)
"""What keeps a ban has the same words as an order that would lift it."""
