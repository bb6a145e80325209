"""The ways of keeping evidence that `bench/survival.py` compares, each a text of a given size made at a cut."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass

from survival_data import Cut

from palimpsest.budget.pieces import count_text
from palimpsest.summarize.extract import extract
from palimpsest.summarize.ledger.entries import Entry, Ledger, deed_of
from palimpsest.summarize.ledger.render import render
from palimpsest.summarize.ledger.score import features, merged_files, view_of
from palimpsest.summarize.ledger.tree import file_entries, split_path
from palimpsest.summarize.ledger.weights import PRIOR
from palimpsest.summarize.names import find_names, find_paths
from palimpsest.summarize.sections import command_entry, name_entries
from palimpsest.summarize.sections import render as render_sections
from palimpsest.summarize.source import MessageEntry, Source, render_message

SIMPLE_SHARES: Mapping[str, float] = {"file": 0.27, "command": 0.14, "reference": 0.04}
TAIL_MESSAGES = 400


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


def extractive(given: Given, size_tokens: int) -> str:
    """The summary without a model, with no ledger beside it."""
    messages = given.cut.session.messages[given.cut.first : given.cut.end]
    entries = tuple(MessageEntry(f"m{at}", message, 0) for at, message in enumerate(messages, 1))
    work = extract(
        Source("leaf", entries), target_tokens=size_tokens, limit_tokens=size_tokens + 1, count=count_text
    )
    while True:
        try:
            next(work)
        except StopIteration as end:
            return end.value.text


def ledger_text(given: Given, size_tokens: int) -> str:
    """Ours."""
    return render(given.ledger, size_tokens)


def ledger_names(given: Given, size_tokens: int) -> str:
    """Ours, names only."""
    return render(given.ledger, size_tokens, names_only=True)


def simple_ledger(given: Given, size_tokens: int) -> str:
    """The simple ledger: fixed shares, scores as they were first measured, over the same entries."""
    view = view_of(given.ledger)

    def ranked(entries: list[Entry], kind: str) -> list[Entry]:
        weights = PRIOR[kind]  # pyright: ignore[reportArgumentType]

        def worth(entry: Entry) -> float:
            values = features(entry, view)
            return sum(weights.get(name, 0.0) * value for name, value in values.items()) - math.log(
                count_text(entry.text) + 1
            )

        return sorted(entries, key=worth, reverse=True)

    files = _take(
        ranked(merged_files(given.ledger), "file"), SIMPLE_SHARES["file"] * size_tokens, folders=True
    )
    commands = _take(
        ranked(list(given.ledger.of("command").values()), "command"), SIMPLE_SHARES["command"] * size_tokens
    )
    said = " ".join(entry.text for entry in (*files, *commands))
    known = (*given.ledger.of("name").values(), *given.ledger.of("value").values())
    names = [entry for entry in known if entry.text not in said]
    references = [entry for entry in names if entry.label != "symbol"]
    kept = _take(ranked(references, "name"), SIMPLE_SHARES["reference"] * size_tokens)
    text = _written(files, commands, kept)
    symbols = ranked([entry for entry in names if entry not in kept], "name")
    return _written(files, commands, [*kept, *_take(symbols, size_tokens - count_text(text) - 8)])


def _take(entries: list[Entry], budget_tokens: float, *, folders: bool = False) -> list[Entry]:
    taken: list[Entry] = []
    seen: set[str] = set()
    for entry in entries:
        folder, name = split_path(entry.text)
        cost = count_text(name if folders else entry.text) + 1
        if folders and folder not in seen:
            cost += count_text(folder) // 2 + 2
        if cost <= budget_tokens:
            budget_tokens -= cost
            seen.add(folder)
            taken.append(entry)
    return taken


def _written(files: list[Entry], commands: list[Entry], names: list[Entry]) -> str:
    groups: dict[str, list[str]] = {}
    for entry in names:
        groups.setdefault(entry.label, []).append(entry.text)
    return render_sections(
        {
            "Files": file_entries([(entry.text, deed_of(entry)) for entry in files]),
            "Commands": [command_entry(entry.text, entry.label, 1) for entry in commands],
            "Identifiers": name_entries(groups),
        }
    )


WAYS: Mapping[str, Callable[[Given, int], str]] = {
    "ledger": ledger_text,
    "ledger, names only": ledger_names,
    "simple ledger": simple_ledger,
    "extractive summary": extractive,
    "recency list": recency_list,
    "raw tail": raw_tail,
}


def texts_of(given: Given, sizes: tuple[int, ...]) -> Iterator[tuple[str, int, str]]:
    """(way, size, text); the transcript's own summary under its own size."""
    for way, make in WAYS.items():
        for size in sizes:
            yield way, size, make(given, size)
    if given.cut.summary:
        yield "its own summary", count_text(given.cut.summary), given.cut.summary
