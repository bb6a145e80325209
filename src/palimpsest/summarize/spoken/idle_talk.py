"""What looks like a remark and is none: a pasted row, a question or an errand without its mark, what came by mistake.

Rules kept here:

- Cells between semicolons, bars or tabs, three and more, are a row of a table, whatever they say.
- A question begins with the word that asks, and the verb stands next to it ("wann kommt ..."); one that goes on behind
  a comma may be a rule ("was du nicht weißt, frag nach"). What says when, how often or what not is left alone.
"""

from __future__ import annotations

import re

from palimpsest.patterns import later

_ROW = later(r"(?:[^;\n]{0,80};(?! )){2}|(?:[^|\n]{0,80}\|){3}|(?:[^\t\n]{0,80}\t){2}")
_ASKS = later(
    r"(?:(?:and|but|so|und|et|y|e|и|hey|also|sag mal),? )?(?:"
    r"(?!what(?:['’]s| is)\b[^?]* (?:is|are) )(?:what|when|where|who|why|how|which)(?:['’]?s| (?:is|are|was|were|"
    r"does|do|did|can|could|should|would|will|has|"
    r"have|about|come))\b|(?:wdyt|any (?:idea|thoughts|news)|thoughts on)\b|(?:is|are|does|did|was|were) (?:the|it|"
    r"this|"
    r"that|there|you|we)\b|"
    r"(?:wann|wo|wer|wie|warum|wieso|weshalb|woher|wohin|was) (?:ist|sind|war|waren|hat|haben|kann|wird|muss|soll|"
    r"[a-zäöü]{2,12}(?:t|st))\b|"
    r"(?:pourquoi|comment|quand|où|qui) (?:est|sont|ça|on|le|la|les)\b|est-ce que\b|"
    r"(?:por qué|cómo|cuándo|dónde|quién) \w+|(?:perché|come mai|quando arriva|dov['’]è) \w+|"
    r"(?:почему|когда|где|зачем|как(?:ой|ая|ие)?) \w+|(?:waarom|wanneer|hoe|wie) (?:is|zijn|komt|werkt)\b|"
    r"(?:dlaczego|kiedy|gdzie|jak) \w+"
    r")(?:[^,.;:]|\.(?=\w)){2,90}[.!]?$",
    re.IGNORECASE,
)
_ASKED_OF = later(
    r"(?:(?:and|und|et|y|e),? )?(?:can|could|would|will) you\b|(?:kannst|könntest|magst|würdest) du\b|"
    r"(?:peux|pourrais)-?\s?tu\b|tu peux (?:me )?\w+er\b|(?:puedes|podrías)\b|(?:puoi|potresti)\b|(?:podes|você "
    r"pode)\b|"
    r"(?:kun|kan|wil) je\b|(?:możesz|mógłbyś)\b|(?:можешь|мог бы ты)\b",
    re.IGNORECASE,
)
_MISTAKEN = later(
    r"(?:(?:oh|ups|oops|uups),? )?(?:sorr?y,? )?(?:wrong (?:window|chat|tab|channel|thread|repo)|falsches fenster|"
    r"mauvais(?:e)? (?:fenêtre|onglet)|ventana equivocada|finestra sbagliata|janela errada|verkeerde venster|"
    r"złe okno|не то окно|не туда|typo\b)|发错|打错|手滑|誤爆|打ち間違|잘못 보냈|오타",
    re.IGNORECASE,
)
_FIND_OUT = later(
    r"[^,]{4,90}, (?:please |pls )?(?:find out|check|look into|see|figure out|schau nach|finde? heraus|regarde|mira|"
    r"guarda|посмотри) (?:why|what|how|whether|where|warum|wieso|was|pourquoi|por qué|perché|почему)[.!]?$",
    re.IGNORECASE,
)


def is_row(text: str) -> bool:
    """Whether a line is one of a table."""
    return _ROW.match(text) is not None


def is_idle(text: str) -> bool:
    """Whether words ask, bid or take back what came by mistake, without a mark that says so."""
    return any(form.match(text) for form in (_ASKS, _ASKED_OF, _MISTAKEN, _FIND_OUT))


def is_asked_of(text: str) -> bool:
    """Whether somebody is asked whether he can do something."""
    return _ASKED_OF.match(text) is not None
