"""What stands behind an order and asks for a nod: "don't touch docs ok?", "fass das nicht an ja?", "别动 docs，好吗？".

Rules kept here:

- Such words make no question of what they stand behind, with a comma before them or without.
- Some of them ask as well whether something is so ("the tests never pass, right?"): before these only an order counts
  that names nobody who does it.
"""

from __future__ import annotations

import re

from palimpsest.patterns import later

_AGREED = (
    r"ok(?:ay|ey|é|ej|i)?|k|ок(?:ей)?|al(?:l )?right|please|pls|got (?:it|that)|understood|is that clear|ja|gut|bitte|"
    r"verstanden|klar|einverstanden|d['’]accord|compris|entendu|vale|sí|de acuerdo|entendido|va bene|capito|chiaro|"
    r"intesi|tá bom|tá|combinado|entendeu|beleza|goed|begrepen|akkoord|afgesproken|dobrze|dobra|jasne|zrozumiano|"
    r"хорошо|ладно|понял[аи]?|понятно|договорились|да"
)
_SO = (
    r"right|yes|yeah|yep|ne|nicht wahr|gell|gelle|oder|hein|oui|sim|né|certo|sì|vero|¿?verdad|hè|toch|tak|prawda|"
    r"верно|"
    r"так"
)
_MARK = r" ?[?？]{1,3}$"
NOD = later(
    rf"(?<=\w\w)(?:, ?| )¿?(?:{_AGREED}){_MARK}|[，,、]?(?:好[吗么不]好?|可以吗|行[吗么不]行?|知道[了]?[吗么]|"
    rf"懂了?[吗么]|"
    rf"明白了?[吗么]|听到了?[吗么]|记住了?[吗么])[?？]?$|[，,](?:好吧|ok|OK){_MARK}|"
    rf"(?:(?<=で)|(?<=て)|(?<=[、，]))(?:いい(?:です)?(?:か|ね)?|わかった|分かった|OK|ね|よね)[?？]$|"
    rf",? (?:알았[지죠어]|알겠[지죠어니]|오케이|응|됐[지죠])요?{_MARK}",
    re.IGNORECASE,
)
"""What asks for a nod, and makes no question of what it stands behind."""
_DOUBTFUL = later(rf"(?<=\w\w)(?:, ?| )¿?(?:{_SO}){_MARK}", re.IGNORECASE)
_SOMEBODY = later(
    r"(?:(?:so|and|but|also|und|aber|et|mais|y|pero|e|ma|но|и|а),? )?"
    r"(?:i|you|we|they|he|she|it|there|the|that|this|these|those|my|your|our|all|du|wir|ihr|sie|er|es|ich|man|das|die|"
    r"der|dies\w{0,2}|mein\w{0,2}|je|tu|on|nous|vous|ils?|elles?|ça|c['’]est|le|la|les|el|los|las|yo|tú|lo|il|gli|"
    r"o|os|as|eu|você|eles|ik|je|jij|we|ze|het|de|dat|to|ja|ty|my|я|ты|мы|вы|он|она|оно|они|это)\b",
    re.IGNORECASE,
)
"""How a sentence begins that says who does something, or what is so."""
_ASKING = later(
    r"(?:(?:so|and|but|also|und|aber|et|y|e|и|а),? )?(?:is|are|was|were|does|did|has|had|will|would|should|may|what|"
    r"when|where|who|why|how|which|do (?:you|we|i|they)|have (?:you|we|i|they)|ist|sind|war|waren|hat|haben|kann|wird|"
    r"geht|darf|soll|wann|wo|wer|wie|warum|wieso|est-ce|pourquoi|comment|quand|es|está|por qué|cómo|cuándo|è|perché|"
    r"come|quando|é|está|por que|czy|dlaczego|почему|когда|как|is het|waarom)\b",
    re.IGNORECASE,
)
"""How a question begins."""


def unnodded(text: str) -> str:
    """A sentence without what asks for a nod to it; as it is where that may ask whether something is so."""
    if not text.endswith(("?", "？", "吗", "么")) or _ASKING.match(text):
        return text
    plain = NOD.sub(".", text)
    if plain == text and not _SOMEBODY.match(text):
        plain = _DOUBTFUL.sub(".", text)
    return plain
