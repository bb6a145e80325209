"""Choosing pieces by expected need: those that show most of what will be needed, for their tokens.

Greedy: the piece with the largest gain per token is taken next. A word or phrase that is shown already counts for
little, so the choice spreads. Phrases hold more than words do, but can be told less surely; both count.
"""

from __future__ import annotations

import heapq
from collections.abc import Collection, Generator, Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from palimpsest.summarize.outline.need_estimator import Need, Vocabulary, phrases
from palimpsest.summarize.outline.pieces import Piece
from palimpsest.text.cut import Count

PHRASE_SHARE = 0.55
"""The share of phrases in the gain; words have the rest."""
AGAIN_SHARE = 0.1
"""What a word counts that is already shown."""
GAP_TOKENS = 1
"""The cost of a mark between two pieces of one message that are not adjacent."""
LEAST_TOKENS = 6
MAX_PIECES = 60_000
"""The most pieces that are considered, the newest."""
STEP = 100
"""Pieces between two yields."""


@dataclass(slots=True)
class Shown:
    """The words and phrases that a window shows already."""

    words: set[int] = field(default_factory=set[int])
    phrases: set[int] = field(default_factory=set[int])

    def add(self, numbers: Sequence[int]) -> None:
        """Add a text, by the numbers of its words."""
        self.words.update(numbers)
        self.phrases |= phrases(numbers)


@dataclass(frozen=True, slots=True)
class Priced:
    """A piece with the numbers of its words and phrases, and its tokens with a line end."""

    piece: Piece
    words: frozenset[int]
    phrases: frozenset[int]
    tokens: int


def priced(
    pieces: Iterable[Piece], vocabulary: Vocabulary, count: Count
) -> Generator[None, None, list[Priced]]:
    """Return the pieces with words and their tokens, of equal texts the newest, yielding None between steps."""
    newest: dict[str, Piece] = {}
    for at, piece in enumerate(pieces):
        if at % STEP == 0:
            yield
        newest.pop(piece.text, None)
        newest[piece.text] = piece
    found: list[Priced] = []
    for at, piece in enumerate(list(newest.values())[-MAX_PIECES:]):
        if at % STEP == 0:
            yield
        one = price(piece, vocabulary, count)
        if one.words:
            found.append(one)
    return found


def price(piece: Piece, vocabulary: Vocabulary, count: Count) -> Priced:
    """One piece with its numbers and tokens."""
    numbers = vocabulary.of(piece.text)
    tokens = piece.tokens or count(piece.text) + 1
    return Priced(piece, frozenset(numbers), frozenset(phrases(numbers)), tokens)


def choose(
    pieces: Sequence[Priced],
    need: Need,
    shown: Shown,
    budget_tokens: int,
    count: Count,
    headers: Mapping[int, str],
    named: Collection[int] = (),
) -> Generator[None, None, tuple[list[Piece], list[Piece]]]:
    """Return the pieces that fit the budget, and all others, both best first, yielding None between steps.

    `headers` are the headers of the pieces at each place; those at the places `named` are already shown.
    """
    heads: dict[int, Priced] = {}
    headed = set(named)
    by_place: dict[int, list[int]] = {}
    heap: list[tuple[float, int]] = []
    words, whole = _Gains(need.words), _Gains(need.phrases)
    for at, one in enumerate(pieces):
        if at % STEP == 0:
            yield
        by_place.setdefault(one.piece.place, []).append(at)
        heap.append((-_most(one, words, whole), at))
    ranked = sorted(heap)
    heapq.heapify(heap)
    yield
    taken: dict[int, None] = {}
    looked = 0
    while heap and budget_tokens >= LEAST_TOKENS:
        looked += 1
        if looked % STEP == 0:
            yield
        before, at = heapq.heappop(heap)
        one = pieces[at]
        place = one.piece.place
        if place in headed:
            new = (one,)
        else:
            if place not in heads:
                heads[place] = price(Piece(place, "call", headers[place]), need.vocabulary, count)
            new = (heads[place], one)
        tokens = sum(part.tokens for part in new) + (GAP_TOKENS if len(new) == 1 else 0)
        if at in taken or tokens > budget_tokens:
            continue
        gain = _gain(new, need, shown)
        if heap and gain < -heap[0][0] and gain < -before:
            heapq.heappush(heap, (-gain, at))
            continue
        if gain <= 0:
            break
        taken[at] = None
        budget_tokens -= tokens
        for part in new:
            shown.words |= part.words
            shown.phrases |= part.phrases
        if len(new) > 1:
            headed.add(place)
            for other in by_place[place]:
                heapq.heappush(heap, (-_gain((pieces[other],), need, shown), other))
    yield
    return [pieces[at].piece for at in taken], [pieces[at].piece for _, at in ranked if at not in taken]


class _Gains(dict[int, float]):
    """The gain of each word or phrase, 0 for unexpected ones."""

    def __missing__(self, one: int) -> float:
        return 0.0


def _most(one: Priced, words: _Gains, whole: _Gains) -> float:
    """The gain of a piece per token if nothing is shown yet, which is its maximum."""
    by_words, by_phrases = sum(map(words.__getitem__, one.words)), sum(map(whole.__getitem__, one.phrases))
    return ((1 - PHRASE_SHARE) * by_words + PHRASE_SHARE * by_phrases) / one.tokens


def _gain(parts: Sequence[Priced], need: Need, shown: Shown) -> float:
    """The gain of some parts together per token."""
    words, whole, known = need.words, need.phrases, shown.words
    by_words = by_phrases = 0.0
    for one in parts:
        by_words += sum(words.get(word, 0.0) * (AGAIN_SHARE if word in known else 1.0) for word in one.words)
        by_phrases += sum(whole.get(phrase, 0.0) for phrase in one.phrases - shown.phrases)
    tokens = sum(one.tokens for one in parts)
    return ((1 - PHRASE_SHARE) * by_words + PHRASE_SHARE * by_phrases) / tokens
