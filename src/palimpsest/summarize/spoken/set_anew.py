"""How people set another figure, or put something into another place, and do not say the old one: "let's make that 50
lines", "doch lieber 40 Gäste pro Schicht", "超时还是改成 5 秒吧".
"""

from __future__ import annotations

import re

from palimpsest.patterns import later

_BEGINNING = {
    "en": r"ok(?:ay)?|no|nah|nope|hm+|wait|sorry|well|yeah",
    "de": r"ok(?:ay)?|nee|nein|ach|gut|hm+|na",
    "fr": r"bon|ok|non|euh|hm+",
    "es": r"no|vale|bueno|ok|hm+",
    "pt": r"não|bom|ok|hm+",
    "it": r"no|ok|va bene|hm+",
    "nl": r"nee|oké|ok|ach|hm+",
    "pl": r"nie|dobra|ok|hm+",
    "ru": r"нет|ок|ладно|хм+|не(?=,)",
}
_RESETS = {
    "en": (
        r"actually|instead|after all|rather|(?:let['’]?s )?(?:make|call) (?:it|that|them)(?! an?\b)|"
        r"let['’]?s (?:make|say|do|go (?:with|for)|use|try|take|put|have)|(?:raise|lower|bump|change|set|increase|"
        r"reduce|cut|switch|extend|relax|loosen|stretch|drop|shrink|widen)(?: (?:it|that|them))?"
        r"(?=[^.;]{0,40}? to [^.;\d]{0,12}\d)|"
        r"on second thoughts?|back to|from now on|then[.!]?$|changed my mind|new (?:limit|max|cap)"
    ),
    "de": (
        r"doch (?:lieber|nur|auf|bitte|höchstens|maximal|mindestens|bis)|"
        r"lieber|sagen wir|mach(?:en wir|t|e)?(?: (?:da|das|es|mal|draus|daraus))*|stattdessen|eher|"
        r"(?:erhöh|änder|setz|senk|stell|verläng|verkürz|heb)\w*(?: wir| mal| das)*"
        r"(?=[^.;]{0,40}? (?:auf|zu) [^.;\d]{0,12}\d)|(?:nehm|nimm)\w*(?: wir| mal| das)*|ab (?:jetzt|sofort)|"
        r"zurück auf|plan(?:e|t)?(?: lieber| doch)?"
    ),
    "fr": (
        r"finalement|plutôt|disons|met(?:s|tez|tons)(?:-le|-la)?|passons|(?:passe|change|monte|baisse|augmente|réduis)"
        r"[zr]?(?:-l[ea])?(?=[^.;]{0,40}? à [^.;\d]{0,12}\d)|en fait|au final|désormais|on (?:dit|va dire)|partons sur"
    ),
    "es": (
        r"mejor|digamos|pon(?:lo|la|gamos|er)?|(?:mejor )?que sean?|al final|"
        r"(?:súb|sub|baj|báj|cambi|cámbi)\w+(?=[^.;]{0,40}? a [^.;\d]{0,12}\d)|"
        r"en realidad|dej[aeé]mos?lo|déjalo|hagamos"
    ),
    "pt": (
        r"melhor|digamos|põe|ponha|coloca\w*|bota|vamos (?:de|com|para)|(?:aument\w+|mud[ae]\w*|baix[ae]\w*|sobe)"
        r"(?=[^.;]{0,40}? (?:para|a) [^.;\d]{0,12}\d)|"
        r"na verdade|afinal|que sejam?|deixa"
    ),
    "it": (
        r"anzi|meglio|diciamo|facciamo|mett(?:i|iamo)\w*|(?:port[ai]|alz[ai]|abbass[ai]|cambi[ao]?)\w*"
        r"(?=[^.;]{0,40}? a [^.;\d]{0,12}\d)|"
        r"alla fine|che siano"
    ),
    "nl": (
        r"toch(?: maar| liever)?|liever|zeg|laten we|doe(?: maar)?|maak (?:er|het|dat)|maken we|"
        r"(?:zet|verhoog|verlaag|verander)"
        r"(?=[^.;]{0,40}? (?:naar|op|tot) [^.;\d]{0,12}\d)|voortaan"
    ),
    "pl": (
        r"jednak|raczej|powiedzmy|niech będzie|zróbmy|"
        r"(?:zmień|ustaw|zwiększ|zmniejsz)\w*(?=[^.;]{0,40}? (?:na|do) [^.;\d]{0,12}\d)|"
        r"lepiej|daj(?:my)?"
    ),
    "ru": (
        r"лучше|вс[её][- ]таки|давай(?:те)?|пусть(?: будет)?|скажем|сделай\w*|поставь\w*|"
        r"(?:поменяй|измени|увелич|уменьш|подними|снизь)\w*(?=[^.;]{0,40}? (?:до|на) [^.;\d]{0,12}\d)|передумал\w?"
    ),
}
_SIGNS = (
    r"还是|改(?:成|为|到|用|回)|放宽(?:到|成|至)?|提[高到]到?|降(?:到|低到?|为)?|调(?:整?[成到为]|高到?|低到?)|"
    r"换[成到]|变成|"
    r"增加到|加到|缩[短小减]?[到为成]|减到|延长到|定[成为]|设[成为]|放[到在]|吧(?=[。！，,]|$)|算了|"
    r"やっぱり|やはり|に変更|に変え|に(?:増|減|上げ|下げ|延|戻)\w{0,3}|に(?:して|しよう|しましょう|します|する)|"
    r"でお願い|"
    r"いや(?=[、，])|今後|これから|그냥|아니(?=[,요 ])|바꿔|바꾸|변경|늘려|늘리|줄여|줄이|올려|내려|(?:으?로|까지) "
    r"?(?:해|하자|합시다|"
    r"할게|하죠)|차라리"
)
BEGINS = later(
    rf"(?:(?:{'|'.join(_BEGINNING.values())})(?:[,.:!]? |[,.:!]))+(?=[^\d]{{0,40}}\d|[^/]{{0,40}}/)",
    re.IGNORECASE,
)
"""Small words that answer, before what is another now."""
RESETS = later(rf"\b(?:{'|'.join(_RESETS.values())})\b|{_SIGNS}", re.IGNORECASE)
"""What says that something is another now, or is to be."""
ANOTHER = later(
    r"\b(?:actually|rather|instead|make (?:it|that|them)|back to|from now on|on second thoughts?|doch|lieber|sagen wir|"
    r"statt\w*|plutôt|finalement|disons|mejor|digamos|melhor|anzi|meglio|diciamo|toch|liever|jednak|лучше|нет)\b|"
    r"还是|改[成为到用回]|放宽|やっぱり|やはり|に変更|に変え|그냥|바꿔|변경",
    re.IGNORECASE,
)
"""What says for certain that something is to be another than it was."""
SOFTENED = later(
    r"(?:吧|呗|啦|哈|哦|嘛|ね|よ|よね|な|[요죠])(?=[。！，,.!]|$)|\b(?:mal|halt|eben|ruhig|einfach|donc|pues|dai|maar|"
    r"więc|please|pls|bitte|then|so|dann|alors|entonces|allora|então|dan|тогда|draus|daraus|da|er|van|naar|auf|to|"
    r"at|in|zu|на|do|na)\b",
    re.IGNORECASE,
)
"""Small words that say nothing of what is set."""
LEAST = later(
    r"\b(?:at least|min(?:imum|\.)?|no (?:less|fewer) than|mindestens|au moins|minimum|al menos|como mínimo|mínimo|"
    r"almeno|minimo|pelo menos|minimaal|minstens|ten minste|co najmniej|не менее|минимум|как минимум)\b|至少|最少|"
    r"不少于|"
    r"最低|少なくとも|以上|최소|이상",
    re.IGNORECASE,
)
"""What sets the least there must be."""
MOST = later(
    r"\b(?:at most|max(?:imum|\.)?|no more than|under|below|up to|höchstens|maximal|bis zu|au plus|maximum|máximo|"
    r"como mucho|massimo|al massimo|no máximo|maximaal|hoogstens|maksymalnie|не более|максимум)\b|最[多大]|至多|"
    r"不超过|不要超过|"
    r"以内|以下|上限|まで|최대|이하|이내",
    re.IGNORECASE,
)
"""What sets the most there may be."""
IDLE_SIGNS = frozenset("的设了到在成为是就要请它把将用下面里边上限以内最多大不至放宽再都吧")
"""Signs of Chinese that say nothing of what a figure is about."""
NO_UNITS = frozenset(
    "for in on at to then max please pls is are was were für bei im am ist sind war pour dans est sont par para en es "
    "son por per nel il lo los las les è sono em é são voor op zijn dla na jest są для "
    "на это было ok okay fine good instead now".split()
)
"""What stands behind a figure, and is no unit either."""
STATES = later(
    r"\b(?:have|has|had|got|there (?:is|are)|took|takes|haben|hat|gibt es|sind da|il y a|hay|ci sono|há|er zijn|"
    r"jest|есть)\b|有|あり|있",
    re.IGNORECASE,
)
"""What says how many there are, unless it sets a limit beside."""
DOES = later(
    r"[等跑看试睡歇做写查读停]\s?\d|[加放换改][到在成]?\s?\d+\s?[^\d\s]{1,4}?(?:的|那|这|后|前|里|之)|"
    r"(?:\b(?:wait|sleep|show me|read|watch|warte|schlaf|zeig\w*|attends|espera|aspetta|"
    r"wacht|"
    r"czekaj|подожди|жди)\b)[^\d]{0,12}\d",
    re.IGNORECASE,
)
"""What is done so long or so often, once."""
PARTS = later(
    r"[;；，、：]|[,:](?!\d)|\s(?=(?:since|because|weil|denn|parce que|porque|perché|omdat|ponieważ|потому)\b)",
    re.IGNORECASE,
)
"""Between the clauses of a sentence."""
POINTS = later(
    r"\b(?:this|these|those|that(?! \d)|for now|today|tonight|dies\w{1,2}|heute|cette|cet|ces|aujourd|est[ae]s?|"
    r"es[ae]s?|"
    r"hoy|quest[aeio]|oggi|ess[ae]s?|hoje|deze|dit|vandaag|ten|tej|dzisiaj|эт\w{1,2}|сегодня)\b|这|那个|今天|今日|"
    r"今回|この|その|"
    r"あの|오늘|이번|(?<!\w)[이그저] ",
    re.IGNORECASE,
)
"""What points to one thing at hand, or one time."""
NUMBERED = later(
    r"\b(?:step|phase|part|chapter|section|task|ticket|issue|version|line|page|row|item|round|no\.|schritt|teil|"
    r"zeile|seite|"
    r"aufgabe|kapitel|étape|partie|paso|parte|passo|stap|krok|шаг|этап)\s?#?$|[#第]\s?$",
    re.IGNORECASE,
)
"""What stands before a number that counts nothing."""
AND = later(r"[,;，；]? ?\b(?:and|und|et|y|e|и|oraz)\b |[;；]", re.IGNORECASE)
"""Between what a rule demands and what it demands beside."""
