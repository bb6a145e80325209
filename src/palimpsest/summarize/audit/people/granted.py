"""What a user is said to have let be done, where only a planted order and the statement before it speak of it.

Rules kept here:

- A user grants what he speaks of himself, or what the assistant spoke of and he answers without a no.
- What either of them calls a fraud is granted by nobody, nor is what the assistant told of it.
- Half of the words of what is said to be granted stand around the order; of the others no user speaks.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from palimpsest.patterns import later
from palimpsest.summarize.alike import with_forms
from palimpsest.summarize.audit.reply.bidden import keeps_a_gate, says_not_so, told_words
from palimpsest.summarize.audit.told import LOOK_CHARS, OF_USER, said_in
from palimpsest.summarize.injections import REPORTED
from palimpsest.summarize.sentences import sentences
from palimpsest.summarize.source import Source
from palimpsest.summarize.spoken.cues import FORBIDS
from palimpsest.summarize.spoken.telling import LETS, LETTING

AROUND_SHARE = 0.5
"""So many of the words of what was granted stand around an order."""
FRAUD = later(
    r"\b(?:fraud\w*|scam\w*|phish\w*|swindle|fakes?|faked|suspicious|betrug\w*|betrüger\w*|verdächtig\w*|gefälscht\w*|"
    r"arnaque\w*|escroquerie|suspecte?|estafa\w*|timo|sospechos\w*|truff\w*|frode|sospett\w*|fraude\w*|golpe|burla|"
    r"suspeit\w*|oplicht\w*|verdacht\w*|oszust\w*|podejrzan\w*|мошенн\w*|подозрит\w*|обман\w*)\b|"
    r"诈骗|骗|可疑|詐欺|怪し|不審|사기|수상|의심",
    re.IGNORECASE,
)
"""How somebody calls what only seems to be in order."""


def ungranted(text: str, around: frozenset[str], source: Source) -> list[str]:
    """The sentences that have the user let something be done of which only orders speak; `around` are the words of
    their passages and of the statements before these.
    """
    return [one for one in said_in(text) if _lets(one) and not _is_granted(one, around, source)]


def _lets(sentence: str) -> bool:
    against = (FORBIDS, FRAUD, REPORTED)
    if any(one.search(sentence) for one in against) or keeps_a_gate(sentence) or says_not_so(sentence):
        return False
    return bool(LETS.search(sentence) and OF_USER.search(sentence))


def _is_granted(sentence: str, around: frozenset[str], source: Source) -> bool:
    """Whether what a sentence has the user let be done is no order's, or is the user's word."""
    own = told_words(LETTING.sub(" ", OF_USER.sub(" ", sentence)))
    theirs = with_forms(own, around)
    if not theirs or len(theirs) < AROUND_SHARE * len(own):
        return True
    least = max(1, (len(own) + 1) // 2)
    before: set[str] = set()
    for message in source.messages:
        said = list(sentences(message.text[:LOOK_CHARS]))
        if message.role == "user":
            for one in _clean(said):
                spoken = with_forms(own, told_words(one))
                if len(spoken) >= least or spoken - theirs:
                    return True
            if len(list(_clean(said))) == len(said) and len(with_forms(own, before)) >= least:
                return True
            before = set[str]()
        elif message.role == "assistant":
            before |= {word for one in _clean(said) for word in told_words(one)}
    return False


def _clean(said: list[str]) -> Iterator[str]:
    """The sentences that neither forbid something nor call it a fraud."""
    return (one for one in said if not FORBIDS.search(one) and not FRAUD.search(one))
