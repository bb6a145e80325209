"""What the agent and the user need after a cut, and how much of it a window holds. `window.py` says more.

Words are runs of Latin letters, digits and underscores, numbers, or single CJK characters, in lower case. The measure
has its own extraction: it shares none with the estimate that is measured, but where `needed_after` labels examples.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import log

from window_data import Turn

from palimpsest.budget.token_estimator import count_text
from palimpsest.summarize.outline.need_estimator import Texts, Vocabulary, phrases

AHEAD = 40
"""So many messages of the agent and the user are looked ahead."""
COMMON_SHARE = 5
WHOLE_TOKENS, HEAD_TOKENS, TAIL_TOKENS = 300, 210, 90

_WORD = re.compile(r"[\u2e80-\u9fff\uac00-\ud7a3\uf900-\ufaff]|[A-Za-z_][A-Za-z0-9_]*|[0-9]+")
Phrase = tuple[str, str, str]


@dataclass(frozen=True, slots=True)
class Needed:
    """What is needed after a cut: words with their weights, phrases, and the phrases of the user's own messages."""

    words: dict[str, float]
    phrases: frozenset[Phrase]
    asked: frozenset[Phrase]


@dataclass(frozen=True, slots=True)
class Asked:
    """The numbers of the words and phrases that are needed, for training."""

    words: set[int]
    phrases: set[int]


def words(text: str) -> list[str]:
    """The words of a text by the measure's own definition."""
    return [word.lower() for word in _WORD.findall(text)]


def phrases_of(found: Sequence[str]) -> set[Phrase]:
    """Three words in a row."""
    return set(zip(found, found[1:], found[2:], strict=False))


def said(texts: Texts) -> str:
    """What the agent or the user says in a message, or passes to a tool."""
    return f"{texts.user}\n{texts.prose}\n{texts.arguments}"


def whole(texts: Texts) -> str:
    """All of a message."""
    return f"{texts.results}\n{texts.user}\n{texts.prose}\n{texts.arguments}"


def ahead(turns: Sequence[Turn], cut: int) -> Iterator[tuple[str, str]]:
    """(what the agent or user says, all of the message) of the messages behind a cut, until `AHEAD` have spoken."""
    left = AHEAD
    for turn in turns[cut:]:
        spoken = said(turn.texts)
        if spoken.strip():
            if not left:
                return
            left -= 1
        yield spoken, whole(turn.texts)


def needs(turns: Sequence[Turn], cut: int) -> Needed:
    """What stands before the cut and is said behind it, where nothing between shows it again."""
    holding: Counter[str] = Counter()
    before: set[Phrase] = set()
    asked: set[Phrase] = set()
    for turn in turns[:cut]:
        found = words(whole(turn.texts))
        holding.update(set(found))
        before |= phrases_of(found)
        if turn.texts.user.strip():
            asked |= phrases_of(words(ends(turn.texts.user)))
    weights = {word: log(cut / n) for word, n in holding.items() if n * COMMON_SHARE < cut}
    needed: dict[str, float] = {}
    needed_phrases: set[Phrase] = set()
    seen: set[str] = set()
    seen_phrases: set[Phrase] = set()
    for spoken, everything in ahead(turns, cut):
        now = words(spoken)
        needed |= {word: weights[word] for word in now if word in weights and word not in seen}
        needed_phrases |= (phrases_of(now) & before) - seen_phrases
        found = words(everything)
        seen.update(found)
        seen_phrases |= phrases_of(found)
    return Needed(needed, frozenset(needed_phrases), frozenset(asked))


def needed_after(turns: Sequence[Turn], cut: int, vocabulary: Vocabulary) -> Asked:
    """The same as numbers of the estimate's words, to label its examples."""
    found, found_phrases = set[int](), set[int]()
    seen, seen_phrases = set[int](), set[int]()
    for spoken, everything in ahead(turns, cut):
        now = vocabulary.of(spoken)
        found |= set(now) - seen
        found_phrases |= phrases(now) - seen_phrases
        all_of = vocabulary.of(everything)
        seen.update(all_of)
        seen_phrases |= phrases(all_of)
    return Asked(found, found_phrases)


def ends(text: str) -> str:
    """A user's message as far as a window has to hold it."""
    if count_text(text) <= WHOLE_TOKENS:
        return text
    return f"{first_tokens(text, HEAD_TOKENS)}\n…\n{last_tokens(text, TAIL_TOKENS)}"


def first_tokens(text: str, tokens: int) -> str:
    """About so many tokens of the beginning of a text, never more."""
    size = min(len(text), max(0, tokens) * 5)
    while size and count_text(text[:size]) > tokens:
        size = int(size * 0.95)
    return text[:size]


def last_tokens(text: str, tokens: int) -> str:
    """About so many tokens of the end of a text, never more."""
    size = min(len(text), max(0, tokens) * 5)
    while size and count_text(text[-size:]) > tokens:
        size = int(size * 0.95)
    return text[-size:] if size else ""


def shares(needed: Needed, text: str) -> dict[str, float]:
    """What shares of what is needed a text holds, in percent, without the kinds of which nothing is needed."""
    found = words(text)
    known, known_phrases = set(found), phrases_of(found)
    made: dict[str, float] = {}
    if total := sum(needed.words.values()):
        made["words"] = 100 * sum(one for word, one in needed.words.items() if word in known) / total
    if needed.phrases:
        made["phrases"] = 100 * len(needed.phrases & known_phrases) / len(needed.phrases)
    if needed.asked:
        made["asked"] = 100 * len(needed.asked & known_phrases) / len(needed.asked)
    return made
