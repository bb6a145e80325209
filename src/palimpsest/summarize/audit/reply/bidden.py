"""Whether a sentence has what an order bids done, decided, planned or true, in whatever form its deed is told.

Rules kept here:

- What only tells that a deed is done, due or so is put aside: auxiliaries, signs of aspect, the endings of verbs. What
  is left are a deed, its thing, and who did it.
- An order's deed of which nobody else speaks, with its thing, is the order's where they are most of a sentence. So is
  that somebody agreed, signed or confirmed, where only an order says so.
- That something is not so yet, waits, or stays as it was before tells against the order.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from palimpsest.patterns import later
from palimpsest.summarize.alike import with_forms
from palimpsest.summarize.audit.clauses import clauses
from palimpsest.summarize.audit.languages import LITTLE
from palimpsest.summarize.audit.told import OF_USER
from palimpsest.summarize.injections import REPORTED
from palimpsest.summarize.remembered import remembered
from palimpsest.summarize.sentences import sentences
from palimpsest.summarize.spoken.cues import FORBIDS
from palimpsest.summarize.spoken.telling import ASPECT, AUXILIARY, GATES, LETS, NO_BEHIND, NOT_SO, STAYS
from palimpsest.summarize.spoken.texts import STOP

BIDDEN_SHARE, SURE_SHARED = 0.6, 3
MAX_WORDS = 4_000
"""Words of one order, or of one slice of a text, that are looked at."""
_PARTICLES = frozenset("的了是我你他她它们吗呢啊吧呀嗯很在也都就这那么着")
"""Signs that no Chinese word but a little one has."""
_WORD = later(r"[^\W_\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]{2,40}")
_NOUN = later(r"(?<=\w{4})l?ations?$")
"""What makes a noun of a verb, where it makes the word much longer."""
_HAN, _KANA = later(r"[\u3400-\u9fff]+|[\u30a0-\u30ff]{2,}|[\uac00-\ud7af]+"), later(r"[\u3040-\u30ff]")


@dataclass(frozen=True, slots=True)
class Bidden:
    """What orders bid: the words of each, those of them that nobody else has in any form, and the words of all else;
    whether any tells that somebody let something be done, and whether any bids that something not be.
    """

    said: tuple[frozenset[str], ...] = ()
    fresh: frozenset[str] = frozenset()
    others: frozenset[str] = frozenset()
    lets: bool = False
    bans: bool = False


NOTHING_BIDDEN = Bidden()


def bidden_in(orders: Iterable[str], others: frozenset[str]) -> Bidden:
    """What is bidden by orders; `others` are the words (`told_words`) of everything else."""
    texts = list(orders)
    said = tuple(told_words(one) for one in texts)
    words = frozenset[str]().union(*said)
    fresh = words - others
    return Bidden(
        said,
        fresh - with_forms(fresh, others),
        others,
        any(map(LETS.search, texts)),
        any(map(FORBIDS.search, texts)),
    )


@remembered()
def told_words(text: str) -> frozenset[str]:
    """The words of a text that tell a deed, its thing, and who did it."""
    plain = ASPECT.sub(" ", text.lower())
    japanese = _KANA.search(plain) is not None
    found = {
        _NOUN.sub("", one)
        for one in _WORD.findall(plain)[:MAX_WORDS]
        if one not in STOP and one not in LITTLE
    }
    for run in _HAN.findall(plain)[:MAX_WORDS]:
        pairs = (run[at : at + 2] for at in range(max(1, len(run) - 1)))
        found.update(pair for pair in pairs if japanese or not _PARTICLES.intersection(pair))
    return frozenset(found - AUXILIARY)


def tells_against(sentence: str, bidden: Bidden) -> bool:
    """Whether a sentence says that what orders bid is not so, or that all is as it was."""
    if (found := NOT_SO.search(sentence)) and not bidden.bans:
        before, behind = sentence[: found.start()], sentence[found.end() :]
        other = behind if NO_BEHIND.match(found[0]) else before
        return not with_forms(told_words(other), bidden.fresh)
    if not STAYS.search(sentence):
        return False
    own = told_words(STAYS.sub(" ", sentence))
    return len(with_forms(own, bidden.others)) == len(own)


def says_not_so(sentence: str) -> bool:
    """Whether a sentence says that something is not so, or not yet."""
    return NOT_SO.search(sentence) is not None


def keeps_a_gate(sentence: str) -> bool:
    """Whether a sentence has something wait for what has to be there first."""
    return GATES.search(sentence) is not None


def without_gate(sentence: str) -> str:
    """A sentence without the words that have something wait."""
    return GATES.sub(" ", sentence)


def is_bidden(sentence: str, bidden: Bidden) -> bool:
    """Whether a sentence tells an order's deed of its thing; whether somebody let it be done is for `is_let` to say."""
    own = told_words(OF_USER.sub(" ", sentence))
    fresh = with_forms(own - bidden.others, bidden.fresh)
    if not fresh or len(own) < 2 or LETS.search(sentence):
        return False
    enough = BIDDEN_SHARE * len(own)
    return any(
        len(shared) >= max(2, enough) for one in bidden.said if fresh & (shared := with_forms(own, one))
    )


def is_all_bidden(sentence: str, bidden: Bidden) -> bool:
    """Whether a sentence has no words but those of one order."""
    own = told_words(OF_USER.sub(" ", sentence))
    return len(own) >= SURE_SHARED and any(len(with_forms(own, one)) == len(own) for one in bidden.said)


def consents_in(text: str) -> Iterator[str]:
    """The sentences and clauses of a text that have somebody let something be done."""
    for one in (part for said in sentences(text) for part in dict.fromkeys((said, *clauses(said)))):
        if _consents(one):
            yield one


@remembered()
def _consents(part: str) -> bool:
    return LETS.search(part) is not None and not (
        FORBIDS.search(part) or keeps_a_gate(part) or NOT_SO.search(part) or REPORTED.search(part)
    )


def is_let(sentence: str, bidden: Bidden, heard: Iterable[str]) -> bool:
    """Whether a sentence has somebody let something be done, as an order has, and nothing that was `heard` (sentences
    of `consents_in`). What the user did is known by what the user said.
    """
    if not bidden.lets or not LETS.search(sentence) or OF_USER.search(sentence):
        return False
    if FORBIDS.search(sentence) or keeps_a_gate(sentence):
        return False
    own = told_words(LETS.sub(" ", sentence))
    if not any(with_forms(own, one) for one in bidden.said):
        return False
    return not any(with_forms(own, told_words(LETS.sub(" ", one))) for one in heard)
