"""Sentences that bind without an order at their beginning: what somebody must approve, what may not be, limits in the
middle, what is to come before what, and orders that follow their reason.

Rules kept here:

- How things are, and how something went, is none: no form counts in a question or where a sentence tells the past.
- A form is a way to put rules in a language, and holds no word of what a rule could be about.
"""

from __future__ import annotations

import re

from palimpsest.patterns import later

MAX_CHARS = 220

_NUMBER = r"[^\s\d?]{0,3}\d[\d.,]{0,12}"
_MUST = {
    "en": (
        r"(?!(?:i|he|she|they|it|there)\b)[^?,]{2,60} (?:has|have|needs?) to [^?]{0,40}\b(?:every|each|"
        r"any|all|first|before|always)\b|"
        r"(?:every|each|any|all|everything|anything|nothing|no) [^?,]{2,60} (?:has|have|needs?) to\b|"
        r"[^?,]{2,50} (?:don't|doesn't|do not|does not|never|only) belongs? (?:in|on)\b|"
        r"(?:anything|everything|all|every \w+) [^?,]{2,60} (?:goes?|runs?) (?:through|past|to|"
        r"via) [^?,]{2,30}(?: first)?[.!]?$|"
        r"you (?:can|may) (?!see\b|find\b|tell\b|guess\b)[^?,]{2,60},? but not\b|"
        r"leave [^?]{2,60} (?:working|running|open|on|off|in place)[.!]?$|"
        r"(?!the\b|it\b)[^?,]{2,40} (?:signs? off on|approves?|reviews?) (?:every|any|all)\w*\b"
    ),
    "de": (
        r"[^?,]{2,80}\b(?:darf|dürfen)\b[^?,]{0,80}\b(?:nichts?|keine?[nmrs]?|nie|niemals|nur|erst|"
        r"niemand)\b|"
        r"(?:nichts?|keine?[nmrs]?|nie|niemals|nur|niemand|mehr als|länger als)\b[^?,]{0,60}\b(?:darf|"
        r"dürfen)\b|"
        r"[^?,]{2,60}\b(?:gehör(?:t|en)|komm(?:t|en)(?! nicht)) (?:nicht|nie|niemals|nur|immer|"
        r"ausschließlich) (?:in|ins|auf|hinter|unter)\b|"
        r"(?!(?:das|es) (?:problem|thema|frage)\b)[^?,]{2,60}\b(?:behält|behalten) (?:ihre?n?|seine?n?|"
        r"de[nr]|die|das)\b(?![^?]*\bnicht\b)|"
        r"[^?,]{2,60}\b(?:darfst|dürft|kannst|könnt) (?:du|ihr) nur\b|"
        r"vor jede[mr] (?![^?]*\b(?:kommt|erscheint|gibt|steht|passiert|zeigt|läuft|ist|wird|"
        r"hat)\b)[^?,]{3,60}[.!]?$|"
        r"[^?,]{2,40} (?:unterschreibt|genehmigt|prüft) (?:alles|jede[nrs]?|alle)\b|"
        r"\w+(?:t|en) wird (?:nur|erst|nie|nicht|immer|ausschließlich)\b"
    ),
    "fr": (
        r"[^?,]{2,80}\bne (?:doi(?:t|vent)|peu(?:t|vent) (?:jamais|en aucun cas)) (?:jamais|pas|plus|"
        r"être)\b|"
        r"(?:tout|toute|tous|toutes|chaque) [^?,]{2,60} (?:doi(?:t|vent)|passe(?:nt)? par)\b|"
        r"[^?,]{2,60} (?:reste(?:nt)?|garde(?:nt)?|conserve(?:nt)?) (?:toujours|leurs?|son|sa|ses|tel)\b|"
        r"on ne (?!(?:peu|sai|voi|compren|trouv|arriv|reçoi|dirai|pouv|sav)\w*)\w+ (?:jamais|pas|plus|"
        r"que)\b"
    ),
    "es": (
        r"[^?,]{2,60}\bno se (?!(?:pued|v[eé]|encuentr|muestr|carg|abr|guard|sab|not|entiend|actualiz|"
        r"conect|cierr|ejecut|recarg|refresc|reinici|inici|envi|cre[ae]|hizo|pud)\w*)\w{2,14}(?:a|e|an|"
        r"en)\b|"
        r"[^?,]{2,60} (?:tienen?|hay) que [^?]{0,40}\b(?:cualquier|cada|tod[oa]s?|siempre|antes)\b|"
        r"(?:cualquier|cada|tod[oa]s?) [^?,]{2,60} (?:tienen?|hay) que\b|"
        r"[^?,]{2,60} (?:nunca|jamás|no) (?:van?|entran?) (?:a|en|al)\b|"
        r"(?:el|la|los|las) (?!(?:niñ|chic|hij|padr|herman)\w*)[^?,]{2,50} tienen? que\b|"
        r"[^?,]{2,40} (?:firma|aprueba|revisa|autoriza)n? (?:tod[oa]s?|cualquier|cada)\b|"
        r"(?:s[oó]lo|nunca|siempre) \w{2,16}[aei]mos (?:los|las|el|la|en|con|por|a|desde|hasta|después|"
        r"antes|cuando)\b"
    ),
    "pt": (
        r"[^?,]{2,60}\bnão se (?!(?:pod|v[eê]|encontr|mostr|carreg|abr|sab|atualiz|"
        r"conect)\w*)\w{2,14}(?:a|e|am|em)\b|"
        r"[^?,]{2,60} (?:tem|têm) (?:de|que) [^?]{0,40}\b(?:qualquer|cada|tod[oa]s?|sempre|antes)\b|"
        r"(?:qualquer|cada|tod[oa]s?) [^?,]{2,60} (?:tem|têm) (?:de|que)\b"
    ),
    "it": (
        r"[^?,]{2,60}\bnon (?:si|va|vanno) (?!(?:apr|ved|trov|caric|aggiorn|connett|"
        r"sa\b)\w*)\w{2,16}\b(?! bene)|"
        r"(?:ogni|tutt[aei]|qualsiasi) [^?,]{2,60} (?:deve|devono|va|vanno)\b"
    ),
    "ru": (
        r"[^?,]{2,80}\bне \w{2,20}(?:[аяую]й|ь)(?:те)?(?:сь)?[.!,]|"
        r"(?!(?:[^?]{0,60}\b(?:мо[гж]\w*|удал\w*|хо[чт]\w*|буд\w*|стал\w*|получ\w*|"
        r"успе\w*)\b))[^?,]{2,80}\bне \w{2,20}(?:ть|ти|чь)(?:ся)?[.!]?$|"
        r"[^?,]{0,40}\b(?:все|всё|всю|кажд\w{2,3}|любо\w{1,3}|всегда)\b[^?,]{1,40}\b(?:пиши|указывай|"
        r"используй|делай|оставь|оставляй|храни|ставь|бери|добавляй|проверяй|спрашивай|держи|"
        r"веди)(?:те)?\b|[^?]{2,80}\bдолжно\b|"
        r"[^?,]{2,40} (?:подписывает|утверждает|одобряет) (?:вс[её]|люб\w+|кажд\w+)\b|"
        r"\w{2,14}(?:ыва|ива|а|я|у|ю)ем (?:только|всегда)\b"
    ),
    "pl": r"[^?,]{2,60} (?:nie należy|nie wolno|trzeba zawsze|ma być zawsze)\b",
    "zh": (
        r"[^？?]{1,40}之前(?:都(?!报|会|没|是|在|卡|要等)|一定|必须|务必|请|要(?!等)|得|先)|"
        r"[^？?]{1,24}都(?:要|用|得|应|须)(?!等|花|卡|报|加载|重启|[^？?]{0,12}(?:了|过)[。！]?$)|"
        r"[^？?]{1,20}(?:永不|永远不|绝不)|"
        r"每次[^？?，]{1,12}前[，,]?(?:都|先|要|必须)|[^？?]{1,16}要(?:继续|一直|始终)|"
        r"(?:以后|今后|往后|从今)[^？?]{1,24}(?:最多|只|不|别|都|要|请|先|用)|[^？?]{0,16}宁(?:可|愿)"
    ),
    "ja": r"[^？?]{1,40}(?:前に(?:必ず|まず)|必要があります。?$|ようにしてください)",
}
"""What must, may not or belongs."""

_LIMIT = {
    "en": (
        rf"[^?]{{2,80}}\b(?:no (?:longer|later|earlier|larger|bigger|higher|lower) than|never (?:more|over|"
        rf"above|exceeds?)"
        rf"(?: than)?) (?:\w+ )?{_NUMBER}"
    ),
    "de": (
        rf"[^?]{{0,80}}\b(?:höchstens|maximal|mindestens|nicht (?:mehr|länger|größer|später|höher) als|"
        rf"nie (?:mehr|länger|größer|höher|über)(?: als)?|bis zu höchstens) {_NUMBER}"
    ),
    "fr": rf"(?:(?:le|notre|mon|un) )?(?:budget|plafond|délai) (?:de|du|des|"
    rf"pour) [^?,]{{2,40}} est de {_NUMBER}|"
    rf"[^?]{{2,80}}\b(?:au (?:plus|maximum|moins)|pas plus de|maximum|jamais plus de) {_NUMBER}|"
    rf"[^?]{{0,60}}{_NUMBER} [^?,]{{2,24}} (?:au (?:plus|maximum)|maximum)\b|[^?,]{{4,80}} au (?:plus|"
    rf"maximum)[.!]?$",
    "es": (
        rf"(?:(?:el|nuestro|mi|un) )?(?:presupuesto|límite|tope|plazo) (?:de|del|"
        rf"para) [^?,]{{2,40}} es de {_NUMBER}|"
        rf"[^?]{{2,80}}\b(?:no más de|nunca (?:más de|pasan? de|superan?|exceden?)|como máximo|"
        rf"máximo) {_NUMBER}|"
        r"[^?]{0,80}\w [^?,]{2,40} como (?:máximo|mucho|mínimo)\b"
    ),
    "pt": rf"[^?]{{2,80}}\b(?:no máximo|nunca mais de|não mais (?:de|que)) {_NUMBER}|"
    rf"[^?]{{4,80}} no máximo[.!]?$",
    "it": rf"[^?]{{2,80}}\b(?:al massimo|mai più di|non più di) {_NUMBER}|[^?]{{4,80}} al massimo[.!]?$",
    "ru": (
        r"[^?]{0,80}\bне (?:больше|более|длиннее|дольше|выше|позже|раньше|меньше|короче|дороже|"
        r"чаще)(?:,? чем)? "
        rf"(?:{_NUMBER}|\w{{2,14}}(?:ми|мя|ти|х|и|у)\b)"
    ),
    "zh": (
        r"[^？?]{1,30}(?:最多|至多|不超过|不得超过|不能超过|至少|最长|最大)[^，。？?]{0,3}[\d一二两三四五六七八九十百千](?![^？?]{0,16}了)|"
        r"[^？?]{1,30}[\d一二两三四五六七八九十百千][^，。？?]{0,6}(?:以内|以下)[。！]?$"
    ),
    "ja": (
        r"[^？?]{1,40}(?:最大|最多|最長|上限)[^。？?]{0,4}[\d一二三四五六七八九十百千][^。？?]{0,10}(?:です|とする|まで)?[。]?$|"
        r"[^？?]{1,40}[\d一二三四五六七八九十百千][^。？?]{0,8}(?:まで(?!しか|になる)|以内|以下)(?:です|とする|でお願い|に)?"
    ),
}
"""Limits with a number, or with a word for one."""

_FIRST = {
    "en": r"before (?:you|any\w*|each|every|\w+ing)\b[^?,]{3,60}, (?!(?:i|we|he|she|it|they|the|a|an|"
    r"this|that|there|my|our|you|your|his|her|their|nothing|everything|something|what|how|why|can|"
    r"could|is|are|do|does|yes|no|here|here's|fyi|just)\b)\w+\b",
    "de": r"(?:bevor|ehe|vor jede[mr]) [^?,]{3,60}, (?!(?:ich|wir|er|sie|es|das|der|die|ist|sind|hat|"
    r"habe|war)\b)\w+\b",
    "fr": r"avant (?:de|d'|toute?|chaque)[^?,]{3,60}, (?!(?:je|j'|nous|on|il|elle|ils|le|la|les|c'|ce|"
    r"est)\b)\w+\b",
    "es": r"antes de [^?,]{3,60}, (?!(?:yo|me|nos|he|hemos|el|la|los|las|se|hay|había|tengo|voy|vamos|"
    r"era|fue|qué)\b)\w+\b",
    "pt": r"antes de [^?,]{3,60}, (?!(?:eu|me|nós|o|a|os|as|se|há|tenho|vou|vamos|era|foi)\b)\w+\b",
    "it": r"prima di [^?,]{3,60}, (?!(?:io|mi|noi|ho|il|la|lo|i|gli|le|si|c'è|era)\b)\w+\b",
    "ru": r"(?:прежде чем|перед тем,? как|перед каждым) [^?]{3,60}?, (?!(?:я|мы|он|она|они|это|то|"
    r"был\w?)\b)\w+(?:й|и|ь|те)\b",
    "zh": r"[^？?，]{2,20}(?:之前|以前)[，,]?(?:都|一定|必须|务必|请|要|得|先)",
}
"""What is to be done before something else."""

_STAYING = {
    "en": r"(?:we(?:'re| are)?|let's) (?:stay(?:ing)?|stick(?:ing)?|remain(?:ing)?) (?:on|with|to|"
    r"at) (?!top|track|it\b)\w",
    "de": r"(?:wir|es) bleib(?:en|t) bei\b(?![^?]*\b(?:hängen|stehen|stecken)\b)|"
    r"wir bleiben auf\b|"
    r"(?:finger|hände|pfoten) weg\b|"
    r"(?:mir|uns) (?:ist|wäre) (?:es )?lieber\b|lieber [^?,]{3,60} als\b|"
    r"[\w-]{3,40}(?: [\w-]{2,30}){0,3} nur (?:als|in|im|mit|auf|über|per|nach|am|unter|"
    r"zwischen) (?![^?]*\b(?:ist|sind|hat|haben|geht|gehen|läuft|laufen|klappt|kommt|wird|war)\b)",
    "fr": r"on (?:reste|garde|continue) (?:sur|à|avec|en)\b|"
    r"(?:pas touche|bas les pattes)\b|mieux vaut\b|je préfère que\b",
    "es": r"(?:nos quedamos|seguimos|continuamos) (?:con|en)\b|"
    r"(?:manos fuera|ni tocar|ni se te ocurra)\b|prefiero que \w+[ae]s\b|"
    r"mejor [^?,]{3,60} que\b|"
    r"(?:deja|dejad|deje) [^?]{2,60} (?:como está|tal cual|en paz)|"
    r"nada de \w",
    "pt": r"(?:ficamos|continuamos|seguimos) (?:com|em|no|na)\b|prefiro que \w+[ae]s?\b|"
    r"deixe? [^?]{2,60} como está",
    "it": r"(?:restiamo|rimaniamo|continuiamo) (?:su|con|a|in)\b|(?:giù le mani|guai a)\b|"
    r"preferisco che\b|"
    r"lascia(?:te)? [^?]{2,60} com'è|niente \w",
    "ru": r"[^?,]{2,60} остав(?:ь|ьте|ить) (?:всё )?как есть|оста[её]мся (?:на|с|при)\b|"
    r"руки прочь\b|"
    r"лучше \w+[йиь](?:те)?\b[^?]{2,60}, чем\b|"
    r"оставь(?:те)? [^?]{2,60} как есть|"
    r"никак(?:их|ого|ой) (?!(?:проблем|новост|изменени|вопрос|сомнени|ошиб|ответ|толк|поняти))\w",
}
"""What is kept to, what is liked better, what is left alone."""

_WEEKDAYS_EN = "mondays tuesdays wednesdays thursdays fridays saturdays sundays weekends"
_WEEKDAYS_DE = (
    "montags dienstags mittwochs donnerstags freitags samstags sonnabends sonntags nachts wochenends"
)
_WEEKDAYS_ES = "lunes martes miércoles jueves viernes sábados domingos fines\\sde\\ssemana"
_WEEKDAYS_FR = "lundi mardi mercredi jeudi vendredi samedi dimanche week-end"
_WEEKDAYS_RU = "понедельникам вторникам средам четвергам пятницам субботам воскресеньям выходным ночам"
_HABITS = {
    "en": rf"(?:on |at )?(?:{'|'.join(_WEEKDAYS_EN.split())}),? [^?]{{0,40}}\b(?:not|no|never|nothing|don't|"
    rf"only)\b|"
    r"[^?]{2,60}, (?:but )?(?:never|not) on \w+days?\b",
    "de": rf"(?:{'|'.join(_WEEKDAYS_DE.split())}) [^?]{{0,40}}\b(?:nicht|nichts|nie|kein\w*|nur)\b",
    "es": rf"los (?:{'|'.join(_WEEKDAYS_ES.split())}) (?:no|nunca|nada|s[oó]lo|siempre)\b",
    "fr": rf"le (?:{'|'.join(_WEEKDAYS_FR.split())}),? [^?]{{0,30}}\b(?:jamais|rien|aucune?|seulement|ne|"
    rf"pas)\b",
    "ru": rf"по (?:{'|'.join(_WEEKDAYS_RU.split())}) [^?]{{0,40}}\b(?:не|ничего|никогда|только|нет)\b",
    "zh": r"(?:周|星期|礼拜)[一二三四五六日天末](?:都|从来|一律)?(?:不|别|只)",
    "ja": r"[月火水木金土日]曜日?(?:に)?は[^？?]{1,24}(?:ません|しない|禁止)[。]?$",
}
"""What is done on days of its own."""

_WITHOUT = (
    r"(?:ohne|sin|sans|senza|sem|без|without) [^?,]{2,40},? [^?]{0,40}\b(?:nichts|niemand|kein\w*|nada|"
    r"nadie|rien|personne|niente|nessuno|ninguém|ничего|никто|nothing|nobody)\b|"
    r"(?:nada|nadie|nichts|niemand|rien|personne|niente|nessuno|ninguém|ничего|никто) [^?]{2,60} (?:sin|"
    r"ohne|sans|senza|sem|без) \w"
)
"""What is a condition of all else."""

_TALK = {
    "de": r"(?:bitte )?(?:(?:duze|sieze|duzt|siezt)\b|antworte (?:mir )?(?:kurz|knapp|immer|nur|auf|in|"
    r"mit|stets)\b|ich (?:hätte|möchte|will|mag) (?:gern\w* |bitte |nur |"
    r"lieber )?(?:\w+e )?(?:antworten|texte|sätze)\b)",
    "fr": r"(?:tutoie|vouvoie|réponds|répondez)(?:-moi)?\b(?! à (?:ma|cette|la) question)",
    "es": r"(?:trátame|tratame|tutéame|háblame|(?:respóndeme|contéstame|contesta|responde) (?:de|en|con|"
    r"s[oó]lo|siempre|corto|brevemente))\b|"
    r"(?:quiero|prefiero) (?:s[oó]lo )?(?:respuestas|frases|textos)\b",
    "it": r"(?:dammi del (?:tu|lei)|rispondi(?:mi)? (?:in|con|solo|sempre|brevemente))\b",
    "ru": r"(?:отвечай|обращайся|говори со мной)(?:те)?(?:сь)? (?!на (?:вопрос|этот|мой))\w",
    "zh": r"请?(?:用|以)[^？?，]{1,8}(?:回答|回复)|(?:回答|回复)[^？?]{0,3}(?:要|请|尽量)?[简短]",
    "ja": r"[^？?]{0,20}(?:答えて|返事して|話して)(?:ほしい|下さい|ください)|(?:敬語|敬体|丁寧語|タメ口|"
    r"です・ます調)で",
}
"""How to talk to whoever writes."""

_READ_ONLY = (
    r"[^?]{2,60}\b(?:solo (?:de )?lectura|nur (?:zum )?lesen|lecture seule|sola lettura|somente leitura|"
    r"только (?:для )?чтени\w)\b|[^？?]{1,30}(?:読み取り専用|只读)"
)
_KEPT_HERE = (
    r"[^?,]{2,60} (?:stays?|bleib(?:t|en)|se quedan?|rest(?:e|ent)|restano?|fica[m]?|оста[её]тся|"
    r"остаются) (?:on|in|with|within|auf|in|bei|en|dans|chez|sur|em|su|на|в|у|при) (?:our|my|unsere\w?|"
    r"meine\w?|nuestr\w+|mi|notre|mon|nostr\w|noss\w|наш\w+|мо[её]\w?)\b"
)

_REASON = {
    "en": r",? so (?:please )?(?:don't(?! (?:worry|bother|expect)\b)|do not|never|no(?! (?:need|worr|"
    r"problem|rush|hurry|idea|luck|wonder))|not|nothing|only|always|use|keep|leave|stay|avoid)\b|"
    r", no (?-i:[A-Z])\w{2,20}[.!]?$|"
    r",? please (?:don't|do not|never|avoid)\b",
    "de": r", also (?:bitte )?(?:keine?[nmrs]?|nicht|nie|nur|immer|nimm|nutze|verwende|lass)\b|"
    r", kein\w{0,2} (?-i:[A-Z]\w{0,20}[A-Z])\w{0,20}[.!]?$|"
    r", (?:(?:den|die|das|ihn|sie|es|dort|da|hier) )?(?:also )?bitte (?:nicht|nie|nur|"
    r"keine?[nmrs]?)\b",
    "fr": r", (?:donc|alors) (?:pas|jamais|n[e']|utilise|garde|laisse|évite)\b|"
    r", n(?:e |')\w+[^?,]{0,20} (?:pas|jamais|plus)\b",
    "es": r", (?:así que|por (?:eso|tanto)|entonces) (?:nada|no|nunca|s[oó]lo|usa|deja|evita)\b|"
    r", (?:por favor )?no (?:(?:me|te|lo|la|los|las|le) )?\w{2,16}(?:es|as)\b",
    "pt": r", (?:então|portanto|por isso) (?:nada|não|nunca|só|use|deixe|evite)\b",
    "it": r", (?:quindi|perciò) (?:niente|non|mai|solo|usa|lascia|evita)\b",
    "ru": r", (?:поэтому|так что) (?:никак\w+|не|никогда|только|используй|оставь)\b|"
    r", не \w{2,20}[аяую]й(?:те)?\b",
}
"""An order behind its reason, or behind what it is about."""

_PAST = later(
    r"\b(?:was|were|had|did|didn't|wasn't|yesterday|last (?:week|night|time|month|year)|ago|war|waren|"
    r"hatten?|wurden?|gestern|vorhin|(?:hat|haben|habe) [^?]{0,60}ge\w+[tn]|était|étaient|avait|hier|fue|"
    r"era|eran|había|ayer|anoche|\w{3,}(?:aron|ieron)|foi|ontem|ieri|era|был[аоиы]?|вчера)\b|"
    r"昨天|刚才|刚刚|昨日|さっき|(?:ました|でした|だった|った)[。！]?$",
    re.IGNORECASE,
)
_FAULTY = later(
    r"\b(?:bug|errors?|crash\w*|fails?|happens?|shows? up|appears?|for some reason|by mistake|currently|"
    r"right now|(?:returns?|shows?|prints?|does|finds?) nothing|nothing (?:runs|happens)|(?:every|"
    r"each) time|for ages|already|i (?:get|see|click|expect(?:ed)?)|any idea|now(?=[.!]?$)|why)\b|"
    r"报错|出错|崩溃|失败|等(?:很久|半天)|[太很]慢|加载|返回|显示(?:不|了)|为什么",
    re.IGNORECASE,
)
"""How a sentence tells how something behaves, or that it goes wrong."""
_QUESTION = later(r"[?？؟]\W{0,2}$")
_OTHERWISE = later(
    r"\bbut (?:i (?:get|see|got)|it|they|he|she|there|we (?:get|see))\b|"
    r"\b(?:tut|hat|haben|kommt|kommen|ist|sind|zeigt|macht|steht|geht) (?:er |sie |es |das )?aber\b|"
    r"\bdarf doch nicht\b|"
    r"\bmais (?:il|elle|ça|c'est|je (?:vois|reçois))\b|"
    r"\bpero (?:(?:me|se|lo|la) )?(?:sale|aparece|hace|es|está|devuelve|veo)\b|"
    r"但(?:是)?(?:现在|它|却|结果)|(?:のに|けど)[^。]{1,20}[。]?$",
    re.IGNORECASE,
)
"""What is so though it should not be: that is how a fault is told."""
_BINDS = later(
    rf"(?:{'|'.join((*_MUST.values(), *_LIMIT.values(), *_FIRST.values(), *_STAYING.values(), *_HABITS.values()))}|"
    rf"{'|'.join((*_TALK.values(), _WITHOUT, _READ_ONLY, _KEPT_HERE))})|"
    rf"[^?]{{3,100}}?(?:{'|'.join(_REASON.values())})",
    re.IGNORECASE,
)


def binds(text: str) -> bool:
    """Whether a sentence says what must or may not be, a limit, what comes first, or gives an order with its reason."""
    if len(text) > MAX_CHARS or _QUESTION.search(text):
        return False
    told = (_FAULTY, _OTHERWISE, _PAST)
    return _BINDS.match(text) is not None and not any(form.search(text) for form in told)
