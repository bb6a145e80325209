"""Standing wishes in a few words: how everything of a kind is written, what needs whose consent, limits, conditions,
what somebody is or cannot have.

Rules kept here:

- Each is a whole sentence. Where its form has no verb ("Comments in English only."), no verb may stand in it: a report
  has one.
- What is asked for once, and what only names something ("Error in line 5."), is none.
"""

from __future__ import annotations

import re

from palimpsest.patterns import later

MAX_CHARS = 140

_VERB = later(
    r"\A(?!(?:every|any|no)thing\b)\w+(?:ed|ing)\b|"
    r"\b(?:is|are|was|were|am|be|been|being|has|have|had|do|does|did|will|would|can|could|should|may|might|must|shall|"
    r"seems?|looks?|works?|worked|fails?|failed|passe[sd]|pass|breaks?|broke|broken|crash(?:es|ed)?|happens?|happened|"
    r"shows?|gets?|got|gives?|gave|says?|said|comes?|came|goes|went|takes?|took|makes?|made|needs?|wants?|thinks?|"
    r"knows?|sees?|saw|found|finds?|returns?|returned|throws?|threw|missing|wrong|changed|added|fixed|updated|created|"
    r"removed|moved|called|used|running|sind|ist|war|waren|hat|haben|wird|werden|geht|gehen|sont|est|ont|était|fait|"
    r"son|están|han|era|fue|sono|è|hanno)\b",
    re.IGNORECASE,
)
_NO_NAME = later(
    r"(?:errors?(?! messages?)|bugs?|issues?|problems?|changes?|questions?|results?|thoughts?|ideas?|thanks|greetings|"
    r"steps?|details?|updates?|warnings?|lines?|more|some|any|news|examples?|options?|differences?|instructions?|"
    r"notes?|feedback|progress|status|yes|no(?! (?:more|less|fewer|later) than)|nope|next|again|another|help|sorry|"
    r"hello|hi|hey|it|this|that|these|those|what|why|how|when|where|who|which|here|there|maybe|perhaps|looking|going|"
    r"based|according|back|still|just|also|as|see|add|fix|run|make|write|check|look|go|show|give|put|let|move|change|"
    r"update|create|remove|delete|try|use|cancel|view|implement|start|stop|continue|summarize|explain|find|read|open|"
    r"close|push|merge|deploy|pack|kudos|cheers|test(?! names| files| data)|search(?! results)|commit(?! messages?)|"
    r"build(?! artifacts)|review(?! comments)|install|refactor|rename|replace|set|get|send|print|list|compare|describe|"
    r"translate|convert|generate|plan|think|tell|ask|answer|reply|please|i|we|you|he|she|they|my|your|our|his|her|"
    r"their|to|from|with|by|at(?! (?:most|least))|if|but|and|or|so|then|in|on|for)\b",
    re.IGNORECASE,
)
"""What a sentence without a verb may not begin with: it asks for something once, or names what there is."""
_DOING = (
    r"(?:stop|tell|ask|show|run|use|write|call|let (?!me know)|make|keep|add|update|commit|check|send|report|wait|do|"
    r"don't|never|always|log|raise|return|skip|ignore|print|put|open|create|restart|retry|notify|leave|treat|pick|"
    r"choose|prefer|start|try|give|say|explain|include|answer|reply|respond|mention|warn|escalate|abort|ping|mark|"
    r"revert)"
)
_CONSENT = (
    r"(?:approval|sign-?off|consent|ok|okay|permission|reviews?|reviewers?|go-ahead|confirmation|blessing|"
    r"freigabe|zustimmung|erlaubnis|rücksprache|genehmigung|einverständnis|absprache|unterschrift|"
    r"accord|autorisation|aval|feu vert|validation|aprobación|permiso|autorización|consentimiento|visto bueno|"
    r"autorizzazione|consenso|approvazione|autorização|aprovação|permissão)"
)
_SOMEBODY = r"(?:i|we|my [\w-]{2,20}(?: \w{2,20})?|our [\w-]{2,20})"
_STATE = (
    r"(?:vegetarian|vegan|pescatarian|allergic|lactose|gluten|coeliac|celiac|diabetic|pregnant|left-handed|"
    r"colou?r-?blind|deaf|muslim|jewish|hindu|kosher|halal|teetotal|disabled|intolerant|afraid of|scared of|"
    r"in a wheelchair)"
)
_WORD = r"[\w./%&'’+-]{1,30}"
_WORDS = rf"(?:{_WORD} ){{0,4}}{_WORD}"
_PLEASE = r"(?:,? (?:please|bitte|s'il te plaît|s'il vous plaît|por favor|per favore))?"
_MANNER = (
    r"(?:sentences?|words|paragraphs?|bullets?|bullet points|lists?|prose|tense|mood|case|tone|style|voice|format|"
    r"terms|markdown|json|tables?|english|detail|brief|short)"
)
_COUNTED = r"(?:\d|(?:two|three|four|five|six|ten|zwei|drei|vier|fünf|zehn|deux|trois|dos|tres|due|tre)\b)"
_BARE = (
    (
        rf"(?:all |every |two |four |\d+ )?(?:{_WORD} ){{0,3}}{_WORD}s "
        rf"(?:in|as|with|under|including|without) {_WORDS}{_PLEASE}"
    ),
    rf"(?:one|two|three|four|\d+) {_WORDS} for {_WORDS}{_PLEASE}",
    rf"(?:{_WORD} ){{0,3}}{_WORD}s for (?:the|all|every|each|every\w+) {_WORDS}{_PLEASE}",
    (
        rf"(?:all|every|each|everything|anything) (?:{_WORD} ){{0,4}}"
        rf"(?:in|as|with|under|on|including|without|through|via) {_WORDS}{_PLEASE}"
    ),
    rf"(?:{_WORD} ){{1,5}}(?:only|everywhere|throughout)",
    rf"(?:{_WORD} ){{0,3}}{_WORD}, please",
    rf"(?:{_WORD} ){{0,3}}{_WORD}, (?:not|never) {_WORDS}",
    rf"(?:{_WORD} ){{1,3}}first,? then (?:the )?(?:{_WORD} ){{0,2}}{_WORD}",
    (
        r"(?:alle|sämtliche|tous les|toutes les|todos los|todas las|tutti i|tutte le|todos os|todas as) "
        rf"[^?,]{{3,30}} (?:in|auf|mit|en|au|avec|con|em|com|a) [^?,]{{2,40}}{_PLEASE}"
    ),
    (
        r"(?:at most|at least|no more than|not more than|no less than|not less than|no fewer than|no later than|"
        r"max(?:imum|\.)?|min(?:imum|\.)?|höchstens|maximal|mindestens|nicht mehr als|nicht länger als|spätestens|"
        rf"au plus|au moins|pas plus de|máximo|mínimo|como máximo|al menos|no más de|massimo|minimo) {_COUNTED}"
        r"[^?]{1,70}"
    ),
)
"""How sentences without a verb say how things are to be."""
_MANNERS = (
    (
        r"(?:please )?(?:answer|reply|respond|write|speak|talk|explain(?: things)?|phrase)(?: to)?(?: me| us| back)?"
        rf"(?: everything| it)? (?:only |always )?(?:in|with|using|as) (?:{_WORD} ){{0,3}}{_MANNER}(?: only)?{_PLEASE}"
    ),
    rf"[^?,]{{3,40}} (?:is|are|happens?|go(?:es)?|works?|runs?) (?:for|on|in|at|via|through|with|by) {_WORDS} only",
    (
        r"(?:one|two|three|a single|\d{1,3}|maximum|ein\w{0,2}|une?|un[ao]?) [\w-]{2,24}(?: [\w-]{2,24})? "
        r"(?:per|at a time|pro|par|por|je)\b[^?,]{0,40}"
    ),
    (
        r"be (?:brief|concise|short|terse|precise|polite|formal|honest|direct|strict|thorough|conservative|"
        rf"consistent|explicit|specific)(?: (?:with|about|in) [^?,]{{2,40}})?{_PLEASE}"
    ),
    r"(?:所有|全部|一切|任何|每个)[^？?，。]{1,16}(?:都用|用|以|按|一律|统一)[^？?，。]{1,20}",
    (
        r"(?:log|print|write|send|store|save|put|route|report) (?:everything|all|every|each|any) ?"
        r"(?:[\w-]{2,20} ){0,3}(?:to|in|into|on|under|via|through)\b[^?]{2,40}"
    ),
    (
        r"(?!it\b|he\b|she\b|this\b|that\b)[\w-]{3,24}(?: [\w-]{2,20})? go(?:es)? "
        r"(?:to|into|in|through|via|on|under|out via) (?!wrong\b|the (?:wrong|next)\b)(?:the |a )?[\w./-]{2,30}"
        r"(?: only)?(?:, (?:not|never) [^?]{2,40})?"
    ),
)
"""How everything of a kind is written, and where it goes."""
_BANS = (
    (
        r"(?:please )?(?:write|add|create|make|install|send|change|touch|modify|edit|delete|remove|commit|push|put|"
        r"leave|use|include|introduce|store|keep|log|call|contact|book|spend|order|buy|share|tell|allow|accept) "
        r"(?:no|nothing|nobody|no one)\b(?! (?:but|more than)\b)[^?]{2,80}"
    ),
    r"nothing (?:[\w'-]{2,20} ){0,5}(?:without|before|until|unless|leaves|outside|beyond|except)\b[^?]{1,60}",
    (
        r"nothing (?!happen|works?|changed|special|new|else|much|yet|wrong|important|really|to|is|was|in|there|here)"
        r"[\w-]{3,20}"
    ),
    (
        r"no [\w-]{2,24}(?: [\w-]{2,24}){0,3} (?:before|after|until|unless|over|under|above|below|outside|beyond|"
        r"longer than|more than|during|later than|earlier than)\b(?! all\b)[^?]{1,50}"
    ),
    r"(?:nobody|no one|no-one) [^?]{0,40}\b(?:may|must|can|is allowed to|gets to|touches|sees)\b[^?]{2,60}",
)
"""What is not done."""
_STAYS = (
    (
        r"[^?,]{3,50} (?:stays?|remains?|bleib(?:t|en)|rest(?:e|ent)|quedan?),? (?:exactly |strictly )?"
        r"(?:as (?:it is|they are|is)|unchanged|untouched|intact|where (?:it is|they are)|"
        r"wie (?:sie sind|er ist|es ist|sie ist)|unverändert|inchangée?s?|tels? quels?|igual(?:es)?|between us|"
        r"private|confidential|secret|read-only|(?:backwards?[- ])?compatible|stable|unter uns)"
    ),
    r"[^，,？?]{1,20}(?:保持不变|维持不变|维持原样|保持原样|原样保留)",
    (
        r"(?!it\b|this\b|that\b|there\b)[^?,]{2,50} (?:is|are) (?:strictly |absolutely )?(?:read-only|protected|"
        r"frozen|immutable|confidential|off[- ]limits|out of scope|mandatory|compulsory|taboo|sacred|non-negotiable)"
        r"(?: for [^?]{2,40})?"
    ),
    r"(?:please )?(?:treat|consider|regard) [^?,]{2,40} as [^?,]{2,40}",
    r"(?:please )?(?:address me as|call me) (?!(?:back|later|crazy|when|if|tomorrow|stupid)\b)[^?,]{2,30}",
    r"(?:read-only|write) access (?:for now|only|until [^?]{2,40})",
)
"""What stays, and what it is."""
_CONSENTS = (
    (
        r"[^?]{3,60} (?:needs?|requires?|brauch(?:t|en)|benötig(?:t|en)) (?:[\w'’]{1,20} ){0,3}"
        rf"{_CONSENT}\b[^?]{{0,40}}"
    ),
    (
        r"(?:without|not without|ohne|nicht ohne|sans|sin|senza|sem) "
        r"(?:(?:my|our|the|a|[\w-]{2,20}'s|meine?|unsere?|vorherige|mon|notre|mi|nuestr[oa]|il mio|a minha) |l'){0,2}"
        rf"{_CONSENT}\b[^?]{{3,80}}"
    ),
    (
        r"(?:please )?(?:always )?(?:ask|check|consult|warn|tell|notify|confirm|wait)(?: (?:with|for))?"
        r"(?: (?:me|us|[\w-]{2,20}))?(?: first| again)? before\b[^?]{3,60}"
    ),
    rf"(?:please )?(?:get|wait for) (?:my|our|[\w-]{{2,20}}'s) (?:explicit |written )?{_CONSENT}\b[^?]{{3,60}}",
    (
        r"(?:demande[rz]?-(?:moi|nous)|pregúnt(?:a|e)(?:me|nos)|chied(?:i|ete)mi|pergunt[ea](?:-me)?|"
        r"frag(?:e|t|en sie)? (?:mich|uns)),? (?:toujours |siempre |sempre |immer )?"
        r"(?:avant|antes|prima|bevor|vorher)\b[^?]{2,60}"
    ),
)
"""What needs whose consent."""
_CONDITIONS = (
    r"(?:if|when) in doubt\b[^?]{2,60}",
    (
        r"(?:if|when|whenever|before|after|once|unless|as soon as|every time|each time) "
        rf"(?!you (?:need|have|want|ever)\b)[^?,]{{3,60}}, (?:then )?(?:please )?{_DOING}\b[^?]{{1,70}}"
    ),
    (
        r"(?:wenn|falls|sobald|bevor|nachdem) [^?,]{3,60}, (?:dann )?(?:bitte )?(?:sag|frag|stopp|brich|ruf|schreib|"
        r"führ|mach|nimm|nutze|verwende|lass|warte|melde|zeig|gib|prüfe|starte)[^?]{2,60}"
    ),
    (
        r"(?:si|quand|avant de|cuando|antes de) [^?,]{3,60}, (?:demande|préviens|arrête|dis|utilise|lance|montre|"
        r"avisa|para|pregunta|usa|ejecuta|muestra|dime)[^?]{2,60}"
    ),
)
_LIMITS = (
    (
        r"(?:每次|每个|一次)[^，。？?]{0,10}(?:最多|至多|不超过|至少)[^，。？?]{1,16}(?<!了)|"
        r"(?:最多|至多|至少|不超过)[^，。？?]{2,16}(?<!了)"
    ),
    (
        r"(?:the |our |my |total |overall )?(?:line length|line width|budget|deadline|time ?zone|locale|currency|"
        r"target audience|indent(?:ation)?|python version|node version|tone|language|region|coverage target|"
        r"base branch|main branch|party size|check-?in|start date|due date|word limit|page limit|limit)"
        r"(?:(?::| =) [^?]{2,60}| (?:is |are )?(?!was\b|were\b)(?=[^?]{0,30}\d)[^?,]{1,40})"
    ),
    (
        r"(?:the|our|my) (?:demo|deadline|meeting|release|launch|call|hearing|appointment|flight|exam|presentation|"
        r"freeze|cutover|wedding|conference|interview|submission) is (?:on|at|by|due|next|tomorrow|scheduled)\b"
        r"[^?]{2,50}"
    ),
    (
        r"we (?:support|target|follow|ship (?:on|to|every)|deploy (?:on|to|with|via|every)|are on|run on) "
        r"(?!(?:to|the same|it|this|that)\b)[^?]{3,60}"
    ),
)
"""Limits and settings."""
_PEOPLE = (
    (
        rf"(?:{_SOMEBODY}|[\w-]{{2,20}})(?:'m| am|'re| are| is|'s) (?:a |an |strictly |severely |highly )?{_STATE}\b"
        r"[^?]{0,60}"
    ),
    (
        rf"{_SOMEBODY} (?:can't|cannot|can not|don't|doesn't) "
        r"(?:walk|climb|drive|swim|fly|eat|drink|stand|lift|hear|travel|work)\b[^?]{0,60}"
    ),
    r"we(?:'re| are) (?:flying|leaving|travell?ing|staying|arriving|coming) (?:from|in|at|on|with|by)\b[^?]{2,50}",
    (
        r"(?:ich bin|wir sind|mein\w? \w{2,20} ist) (?:strenge\w? )?(?:vegetarier|veganer|diabetiker|allergiker|"
        r"allergisch|schwanger|laktoseintolerant|vegan|vegetarisch)\w{0,4}\b[^?]{0,60}"
    ),
    r"je suis (?:végétarien|végan|vegan|diabétique|allergique|enceinte)\w{0,3}\b[^?]{0,60}",
    r"(?:soy|somos) (?:vegetarian|vegan|diabétic|alérgic|celíac|celiac|intolerant)\w{1,3}\b[^?]{0,60}",
    r"我(?:是|们是)?(?:素食|吃素|怀孕|糖尿病)[^？?，]{0,12}|我(?:不能|不)(?:吃|喝)[^？?，了]{1,12}",
)
"""What somebody is or cannot have."""
_WHOLE = (*_MANNERS, *_BANS, *_STAYS, *_CONSENTS, *_CONDITIONS, *_LIMITS, *_PEOPLE)
_END = r"[.!。！ ]{0,2}"
_BARE_RULE = later(rf"(?:{'|'.join(f'(?:{one})' for one in _BARE)}){_END}", re.IGNORECASE)
_WHOLE_RULE = later(rf"(?:{'|'.join(f'(?:{one})' for one in _WHOLE)}){_END}", re.IGNORECASE)


def is_standing(text: str) -> bool:
    """Whether a whole sentence says how things are to be, from then on."""
    if len(text) > MAX_CHARS:
        return False
    if _WHOLE_RULE.fullmatch(text):
        return True
    return not _NO_NAME.match(text) and _BARE_RULE.fullmatch(text) is not None and not _VERB.search(text)
