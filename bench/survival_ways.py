"""The ways of keeping evidence that `bench/survival.py` compares, each a text of a given size made at a cut."""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeVar

from survival_data import Cut
from survival_simple import simple_text

from palimpsest.budget.token_estimator import count_text
from palimpsest.ledger.entries import Ledger
from palimpsest.ledger.render import render
from palimpsest.record.summary_source import MessageEntry
from palimpsest.summarize.outline.need_estimator import Reader, expected
from palimpsest.summarize.outline.outline import outline
from palimpsest.summarize.source import render_message
from palimpsest.text.identifiers import find_names, find_paths

TAIL_MESSAGES = 400
Made = TypeVar("Made")


@dataclass(frozen=True, slots=True)
class Given:
    """What a way may look at: the cut, what each message says, and the ledger carried up to it."""

    cut: Cut
    texts: list[str]
    ledger: Ledger


def raw_tail(given: Given, size_tokens: int) -> str:
    """The end of what was replaced, as it was written."""
    names: dict[str, str] = {}
    kept: list[str] = []
    left = size_tokens
    messages = given.cut.session.messages[given.cut.first : given.cut.end]
    for message in reversed(messages[-TAIL_MESSAGES:]):
        text = render_message(message, names)
        tokens = count_text(text)
        if tokens > left:
            kept.append(text[-max(0, len(text) * left // max(1, tokens)) :] if left > 0 else "")
            break
        kept.append(text)
        left -= tokens
    return "\n".join(reversed(kept))


def recency_list(given: Given, size_tokens: int) -> str:
    """Every path and name, the newest first, each once."""
    seen: dict[str, None] = {}
    left = size_tokens
    for at in range(given.cut.end - 1, given.cut.first - 1, -1):
        text = given.texts[at][-20_000:]
        for name in reversed([*find_paths(text), *(name for _, name in find_names(text))]):
            if name not in seen:
                cost = count_text(name) + 1
                if cost > left:
                    return "\n".join(seen)
                seen[name] = None
                left -= cost
    return "\n".join(seen)


def outlined(given: Given, size_tokens: int) -> str:
    """The outline of what was replaced, with no ledger beside it."""
    messages = given.cut.session.messages[given.cut.first : given.cut.end]
    reader = Reader()
    for message in messages:
        reader.read(message)
    entries = [MessageEntry(f"m{at}", message, 0) for at, message in enumerate(messages, 1)]
    return _ran(outline(entries, _ran(expected(reader)), size_tokens, count_text))


def _ran(steps: Generator[None, None, Made]) -> Made:
    """What work with pauses returns."""
    while True:
        try:
            next(steps)
        except StopIteration as end:
            return end.value


def ledger_text(given: Given, size_tokens: int) -> str:
    """Ours."""
    return render(given.ledger, size_tokens)


def simple_ledger(given: Given, size_tokens: int) -> str:
    """The simple ledger of everything up to the cut."""
    return simple_text(given.cut.session, given.cut.end, size_tokens)


WAYS: Mapping[str, Callable[[Given, int], str]] = {
    "ledger": ledger_text,
    "simple ledger": simple_ledger,
    "outline": outlined,
    "recency list": recency_list,
    "raw tail": raw_tail,
}


def texts_of(given: Given, sizes: tuple[int, ...], ways: Sequence[str]) -> Iterator[tuple[str, int, str]]:
    """(way, size, text); the transcript's own summary under its own size."""
    for way in ways:
        for size in sizes:
            yield way, size, WAYS[way](given, size)
    if given.cut.summary:
        yield "its own summary", count_text(given.cut.summary), given.cut.summary
