"""How text that was not written for a program gives orders to one, and how it is told that it did.

Rules kept here:

- An order names whom it is for (assistants, summarizers), or what it wants changed (earlier instructions, the summary),
  in the languages of those who write it.
- Who tells of an order says where it stood, or that it was not followed.
"""

from __future__ import annotations

import re

from palimpsest.patterns import later

_MACHINE = (
    r"(?:(?:ki|ai|llm)\b[- ]?\w*|sprachmodell\w*|"
    r"(?:assist[ea]nt|asistent|agent|modèle|modelo|modell)\w*(?: virt\w+)?(?: d[e'’]? ?(?:l['’])?)? ?\b(?:ia|ki|ai)\b)"
)
_SERVANT = rf"(?:{_MACHINE}|(?:assist[ea]nt|asistent|agent|modèle|modelo|modell)\w*)"
_TO_ASSISTANTS = (
    rf"\b(?:an (?:alle|die|den|das) {_MACHINE}|à l['’]attention (?:de l['’]|des? |du ){_SERVANT}|"
    rf"(?:hinweis|notiz|nachricht|anweisung) (?:an|für) (?:alle |die |den |das )?{_SERVANT}|"
    rf"(?:note|message|consigne) (?:pour|aux?|à) (?:les |l['’]|tous les )?{_SERVANT}|"
    rf"(?:nota|mensaje|aviso|instrucci(?:ón|ones)|messaggio|avviso|mensagem) (?:para|per|a|agli|aos?) "
    rf"(?:los |las |el |la |todos los |gli |os |o )?{_SERVANT}|"
    rf"(?:achtung|hinweis|attention|nota|atención|attenzione|atenção)[ ,:]{{1,2}}(?:{_MACHINE}|{_SERVANT} ?:))|"
    r"(?-i:\bSYSTEM(?: (?:NOTE|MESSAGE|OVERRIDE|PROMPT|INSTRUCTIONS?|UPDATE))?\s?:)\s{1,4}"
    r"(?:the (?:assistant|agent|model|user)|you\b|assistant|please|ignore|add|record|remember)|"
    r"(?:致|给|请|告知)(?:所有|各位)?(?:的)?(?:ai|人工智能)|(?:ai|人工智能|智能)(?:助手|助理|模型|代理)(?:们)?[：:，,请须]|"
    r"(?:ai|人工知能)(?:アシスタント|エージェント|モデル)(?:の皆さん|の方)?(?:へ|に告|は必ず)|"
    r"(?:для|внимание,) (?:всех )?(?:ии|нейросет|ассистент)\w*|"
    r"(?:ai|인공지능)\s?(?:에이전트|어시스턴트|비서|모델)(?:들)?(?:에게|께|은|는|이)?\s?[:,]|"
    r"(?:مساعد|وكيل|نموذج)\w{0,4} (?:ال)?ذكاء (?:ال)?اصطناعي|"
    r"instruç(?:ão|ões) (?:para|aos?) (?:os |o |todos os )?(?:assistent|agent|model)\w*"
)
"""Who is spoken to."""
_IN_SUMMARIES = (
    r"\b(?:in|zu) (?:deine[rn]?|ihre[rn]?|eure[rn]?) (?:zusammenfassung|notizen|antwort|gedächtnis\w*|ausgabe)|"
    r"\bdans (?:votre|ton|vos|tes) (?:résumés?|synthèse|réponse|notes?|mémoire)|"
    r"\ben (?:tu|su|tus|sus) (?:resumen|respuesta|notas?|memoria)|\bnel (?:tuo|suo|vostro) (?:riassunto|riepilogo)|"
    r"\bn[oa] (?:seu|teu|sua|tua) (?:resumo|resposta)|\bв (?:своём|своем|вашем|твоём) (?:резюме|ответе|отчёте)|"
    r"在(?:你的|您的)?(?:摘要|总结|回复|记忆)(?:中|里)|(?:摘要|总结)(?:中|里)?(?:请|必须|务必|要)?(?:写|注明|说明|记录)|"
    r"要約に(?:は)?[^。\n]{0,60}(?:書|記|含め|追加)|요약(?:문|본)?에[^.\n]{0,80}(?:기록|적어|적으|쓰|써|포함|명시|남기)|"
    r"\bв (?:\w{2,12} )?(?:сводк[еу]|итог\w*|кратк\w+ (?:содержан|изложен)\w*)|"
    r"(?:في|ضمن) (?:ال)?(?:ملخص|خلاص)\w{0,3}"
)
"""Where what is ordered shall stand."""
ORDER = later(
    r"(?:ignore|disregard|forget|override)\b[^.\n]{0,40}\b(?:previous|prior|above|earlier|all|your|any|user['’]?s)\b"
    r"[^.\n]{0,40}(?:instruction|prompt|rule|message|context|guideline|restriction|wish|limit)|"
    r"\b(?-i:AI|LLM)s? (?:reader|agent|assistant|model|bot|system|tool)s?(?:\s?:|,? (?:must|should|shall)\b)|"
    r"\b(?:(?:reveal|print|repeat|show|ignore|override|forget|new|your)\b[^.\n]{0,24}\bsystem prompt|"
    r"you are now(?! (?:connected|on|in|at|logged|signed|using|ready|running|subscribed|able)\b)|"
    r"new instructions?|from now on,? you|do not summari[sz]e|instead of summari[sz]ing|"
    r"(?:reply|respond|answer|say)\s(?:only|just|exactly|with only|nothing but)\b|"
    r"(?:^|\n\s{0,8}|[.!?]\s{1,4}|(?-i:\b[A-Z]{4,20}):\s)output\s(?:only|just|exactly|with only|nothing but)\b|"
    r"(?:include|add|insert|write|put|state|note|mention|say|record)\b[^.\n]{0,40}\b(?:in|into|to|at)\b"
    r"[^.\n]{0,20}\b(?:(?:your|its)\s(?:\w{1,20}\s)?(?:summary|memory|notes|briefing|output|reply|response)|"
    r"the\s(?:summary|briefing)))|"
    r"\bsummari[sz]ers?\b[^.\n]{0,24}(?:\b(?:must|should|shall|please|add|include|state|write)\b|:)|"
    r"\b(?:when|while|before|after) (?:you (?:are )?)?summari[sz](?:e|ing)\b|"
    r"<!--[^>\n]{0,20}\b(?:ai|llm|assistant|agent)s?\b[^>\n]{0,20}[:,]|"
    r"(?:attention|(?:todo|task|note|message|instructions?) (?:for|to)|\bdear|\bhey)[ ,:]{0,3}(?:the |all |any )?"
    r"(?:ai|assistant|model|llm|summari[sz]er|agent)|忽略(?:之前|以上|所有|前面)|无视(?:之前|以上|所有)|不要总结|"
    r"只(?:回复|输出|回答)|以前の指示|指示を無視|ignoriere? (?:alle|die|vorherige)|"
    rf"ignorez? (?:les|toutes)|ignora (?:las|todas)|игнорируй|{_TO_ASSISTANTS}|{_IN_SUMMARIES}",
    re.IGNORECASE,
)
ADDRESSED = later(_TO_ASSISTANTS, re.IGNORECASE)
OVERRIDE = later(
    r"(?:ignore|disregard|forget|override)\b[^.\n]{0,40}\b(?:previous|prior|above|earlier|all)\b"
    r"[^.\n]{0,40}(?:instruction|prompt|rule|guideline)|忽略(?:之前|以上|所有|前面)|无视(?:之前|以上|所有)|不要总结",
    re.IGNORECASE,
)
"""Of these orders none is what a summary says."""
REPORTED = later(
    r"inject|(?:hidden|embedded|malicious|suspicious|planted|fake|untrusted)\b|ignored|not followed|"
    r"(?:instruct\w{0,6}|prompt|order)s? (?:in|inside|within|from|of) (?:the|a|an|its|some|tool|file|web)\b|"
    r"(?:tool|file|page|command|web)(?:'s)? (?:output|result|content|text)|claims? to|"
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
