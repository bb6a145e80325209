"""How an English question asks: what it takes for an answer, who is meant, and which of its words only ask.

Whoever comes back to what was said mostly says so: "In our last chat, can you remind me what ...?" Of that nothing
stands where the answer was given, and its words, which few texts hold, would outweigh those that do.
"""

from __future__ import annotations

import re

from palimpsest.patterns import later

WHEN = later(
    r"\b(?:when|how long|what (?:day|date|month|year|time)|which (?:day|month|year))\b", re.IGNORECASE
)
NUMBER = later(r"\bhow (?:many|much|long|old|often|far|big|tall)\b|多少|几[个次天年岁]", re.IGNORECASE)
NAME = later(
    r"\b(?:who|whom|whose|where|which|(?:is|was|are|were|get|got) (?:called|named)|names? of"
    r"|what(?:['’]s| is| was| are| were)? (?:[\w'’]+ ){0,3}?(?:albums?|artists?|authors?|bands?|books?|brands?|breeds?"
    r"|called|cit(?:y|ies)|clubs?|colleges?|compan(?:y|ies)|countr(?:y|ies)|films?|games?|hotels?|languages?|movies?"
    r"|musicians?|named|names?|nationality|novels?|parks?|podcasts?|restaurants?|schools?|series|shops?|shows?|singers?"
    r"|songs?|states?|stores?|streets?|teams?|titles?|towns?|universit(?:y|ies)))\b",
    re.IGNORECASE,
)
WHY = later(
    r"\b(?:why|how come|what (?:made|makes)|reasons?|motivat\w+|inspir\w+)\b|为什么|為什麼|为何|なぜ|どうして|왜",
    re.IGNORECASE,
)

_EARLIER = r"(?:(?:last|previous|earlier|past|prior|recent|first) )?"
_ENDS = (
    r"(?=\s*(?:[,.:;?!]|$)|\s+(?:about|before|did|earlier|from|how|i|in|last|of|on|regarding|that|this|today|we|what|when"
    r"|where|which|who|yesterday|you)\b)"
)
_TALK = rf"{_EARLIER}(?:chat|conversation|discussion|talk|session|exchange)s?\b{_ENDS}"
"""No "session cookies": what is talked of may be called the same."""

_FRAME = later(
    rf"\b(?:i(?:['’]m| am| was| have been|['’]ve been)? )?(?:going|looking|thinking|checking|coming|referring|look|go) "
    rf"(?:back )?(?:to|at|on|through|over|about)? ?(?:our|my|the) {_TALK}"
    rf"|\b(?:in|from|during|about|on|to|of) (?:one of )?our {_TALK}|\bour {_TALK}"
    r"|\b(?:can|could|would|will) you (?:please )?(?:also )?(?:remind me|tell me|help me (?:remember|recall)|recall"
    r"|remember|confirm|suggest|recommend|advise(?: me)?|give me)\b|\bremind me\b"
    r"|\bi(?:['’]m| am| was) (?:just )?(?:wondering|curious)\b(?: (?:if|about))?"
    r"|\bi(?:['’]m| am| was|['’]d| would)? (?:just )?(?:want(?:ed)?|like|love|hop(?:e|ing)|trying) "
    r"to (?:know|confirm|follow up|ask|check|remember|recall|find out|double-check)\b(?: (?:if|on))?"
    r"|\b(?:when|what|that|which) we (?:\w+ )?(?:talked|discussed|chatted|spoke)\b"
    r"|\b(?:did|have) we (?:\w+ )?(?:talk|talked|discuss|discussed|chat|speak|spoken)\b"
    r"|\b(?:do you|i) (?:still )?(?:remember|recall)\b"
    r"|\b(?:do you have |are there )?any (?:tips|suggestions|recommendations|advice|ideas)\b",
    re.IGNORECASE,
)
_SAID = (
    r"(?:advised|answered|calculated|called|came up with|chose|cited|created|described|drafted|explained|gave|generated"
    r"|helped|listed|made|mentioned|named|outlined|picked|planned|proposed|provided|quoted|recommended|said|shared"
    r"|showed|suggested|taught|told|used|wrote)"
)
_ASKED = later(
    rf"\b(?:(?:did|have|had|were) you|you (?:\w+ )?{_SAID}"
    r"|your (?:\w+ )?(?:answer|advice|explanation|list|recommendations?|reply|response|suggestions?))\b",
    re.IGNORECASE,
)
_ASKER = later(r"\b(?:i|me|my|mine|myself)\b", re.IGNORECASE)
_ADVICE = later(
    r"\b(?:can|could|would) you (?:please )?(?:suggest|recommend|advise)\b"
    r"|\bany (?:tips|suggestions|recommendations|advice|ideas)\b",
    re.IGNORECASE,
)


def content(text: str) -> str:
    """A question without the words that only say that something was talked of; all of it where nothing else is left."""
    left = bare(text)
    return left if any(map(str.isalnum, left)) else text


def bare(text: str) -> str:
    """The same, even where nothing is left."""
    return _FRAME.sub(" ", text)


def speaker(text: str) -> str:
    """The role that a question means by I or you, "" for none. Who asks for advice is answered by what they said of
    themselves.
    """
    left = bare(text)
    if _ASKED.search(left):
        return "assistant"
    return "user" if _ASKER.search(left) or _ADVICE.search(text) else ""
