"""How an English question asks: what counts as an answer, who is meant, and which of its words only ask.

People who return to an earlier topic say so: "In our last chat, can you remind me what ...?" The answer has none of
these words, and as rare words they would outweigh those that it has.
"""

from __future__ import annotations

import re

from palimpsest.lazy_regex import later

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
"""Not "session cookies": the topic may have the same name."""

_BEGINS = r"(?:^|[.!?,;:\n])\s*"
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
    r"|\b(?:do you|i) (?:still )?(?:remember|recall)\b|\bdo you (?:happen to )?know\b"
    r"|(?<!\bdo )(?<!\bdid )\bi (?:just |really |only )?(?:need|have) to (?:know|remember|recall|find out)\b"
    r"|(?<!\bdo )\bi (?:do not|don['’]t|cannot|can['’]t|could not|couldn['’]t|no longer) (?:quite |really |seem to )?"
    r"(?:remember|recall|know)(?: any ?more)?\b|\bi(?:['’]ve| have)? (?:just )?(?:forgot|forgotten)\b(?! to\b)"
    r"|\bmy (?:quick )?question is\b|\blet me know\b|\bhelp me (?:out|remember|recall|find|understand)\b"
    r"|\bi (?:wonder|was asked)\b(?: (?:if|about))?|\bit (?:has )?slipped my mind\b"
    rf"|{_BEGINS}(?:(?:i(?:['’]ve| have)? (?:got )?|there['’]s |here['’]s )?(?:an?|my|one|another) )?(?:quick |short )?"
    r"question(?: (?:from|for) (?:me|you))?\s*[:,]"
    rf"|(?:{_BEGINS}|\b(?:please|just|so|then|hi|hello|hey)\s+)(?:tell|show|give) me\b"
    rf"|{_BEGINS}(?:hi|hello|hey|sorry|excuse me|good (?:morning|evening|afternoon))\b"
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


_ASKS = later(r"\b(?:what|which|who|whom|whose|where|when|why|how)\b", re.IGNORECASE)
_SENTENCES = later(r"(?<=[.!?;:\n？。！；：])\s*")
_OF_ONESELF = later(
    r"\W*(?:(?:is|are|was|were|am|do|did|does|have|has|had|can|could|will|would|should|must) (?:i|we|my|our|mine)\b"
    r"|(?:for|in|on|at|during|after|before|about|of|with|to|from|by) )",
    re.IGNORECASE,
)
"""The beginning of a question that continues: "Did I say where ...?", "For my trip, where ...?"."""


def asking_part(text: str, asks: re.Pattern[str] = _ASKS) -> str:
    """Return the asking part of a text: its sentences with a question mark, else those with a question word found by
    `asks`, from that word on if what precedes it only says who asks, or why. Return everything if nothing asks.
    """
    parts = _SENTENCES.split(text)
    asking = [one for one in parts if one.rstrip().endswith(("?", "？"))]
    asking = asking or [one for one in parts if asks.search(one)]
    parts: list[str] = []
    for one in asking:
        found = asks.search(one)
        parts.append(one[found.start() :] if found and not _OF_ONESELF.match(one) else one)
    return " ".join(parts) or text


def content(text: str) -> str:
    """Return a question without words that only say that something was talked of; everything if nothing is left."""
    left = bare(text)
    return left if any(map(str.isalnum, left)) else text


def bare(text: str) -> str:
    """Return the same, even if nothing is left."""
    return _FRAME.sub(" ", text)


def speaker(text: str) -> str:
    """Return the role that a question means by I or you, "" for none. Advice is answered from what the asker said
    about themselves. "I need it for my report" means nobody.
    """
    if _ASKED.search(bare(text)):
        return "assistant"
    return "user" if _ASKER.search(bare(asking_part(text))) or _ADVICE.search(text) else ""
