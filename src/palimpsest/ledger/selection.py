"""Which entries fit into the budget of a ledger, without those that others already say."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from palimpsest.lazy_regex import later
from palimpsest.ledger.commands import has_failed
from palimpsest.ledger.entries import Entry
from palimpsest.ledger.file_merging import folders_above
from palimpsest.ledger.file_tree import split_path
from palimpsest.ledger.sections import Section
from palimpsest.text.cut import Count


def fitting(texts: Iterable[str], room_tokens: int, count: Count) -> list[str]:
    """The texts that fit as lines into so many tokens, in order of preference."""
    taken: list[str] = []
    for text in texts:
        cost = count(text) + LINE_TOKENS
        if cost <= room_tokens:
            taken.append(text)
            room_tokens -= cost
        if room_tokens <= LINE_TOKENS:
            break
    return taken


def stands(line: str, text: str) -> bool:
    """Whether a text contains a line with its first and last word whole.

    In scripts without spaces every character may begin a word.
    """
    at = text.find(line)
    while at >= 0:
        end = at + len(line)
        if not (_joins(text[max(0, at - 1) : at + 1]) or _joins(text[end - 1 : end + 1])):
            return True
        at = text.find(line, at + 1)
    return False


def _joins(pair: str) -> bool:
    """Whether two neighbouring characters belong to one word."""
    return len(pair) > 1 and pair.isascii() and pair.replace("_", "a").isalnum()


LINE_TOKENS = 2
"""What a line takes in addition to its text."""
MOST_OF_SERIES = 2
"""How many names that differ only by a digit (`metric_1`, `metric_2`) are listed."""

_WORDS = later(r"\w+")
_DIGIT = later(r"(?<!\d)\d(?!\d)")


@dataclass(frozen=True, slots=True)
class Costed:
    """A candidate with its cost in tokens, without its folder."""

    entry: Entry
    worth: float
    cost_tokens: int


@dataclass(slots=True)
class Chosen:
    """The chosen entries in order, and what they say."""

    entries: list[Entry] = field(default_factory=list[Entry])
    spent_tokens: int = 0
    worth: float = 0.0
    folders: set[str] = field(default_factory=set[str])
    names: set[str] = field(default_factory=set[str])
    begun: set[tuple[str, str]] = field(default_factory=set[tuple[str, str]])
    words: set[str] = field(default_factory=set[str])
    series: Counter[str] = field(default_factory=Counter[str])


def ordered(candidates: Sequence[Costed]) -> list[Costed]:
    """The candidates by worth per token, the best first."""
    return sorted(candidates, key=lambda one: -one.worth / one.cost_tokens)


def _line(entry: Entry) -> tuple[str, str] | None:
    """The line that a name or a value belongs to."""
    return (entry.kind, entry.label) if entry.kind in ("name", "value") else None


def choose(
    candidates: Sequence[Costed], left_tokens: int, lines: Mapping[Section, Sequence[str]], count: Count
) -> Chosen:
    """The candidates that fit into `left_tokens` tokens in addition to `lines`, in order of preference."""
    chosen = Chosen()
    for texts in lines.values():
        chosen.words.update(word for text in texts for word in _WORDS.findall(text))
    for candidate in candidates:
        entry, cost = candidate.entry, candidate.cost_tokens
        if left_tokens <= 0:
            break
        if cost > left_tokens or _known(entry, chosen):
            continue
        if entry.kind == "file":
            folder, name = split_path(entry.text)
            if folder not in chosen.folders:
                cost += count(folder) * 2 // 3 + LINE_TOKENS
            if cost > left_tokens:
                continue
            chosen.folders.update((folder, *folders_above(folder)))
            chosen.names.add(name)
        elif (line := _line(entry)) and line not in chosen.begun:
            cost += count(f"{line[1]}:") + LINE_TOKENS
            if cost > left_tokens:
                continue
            chosen.begun.add(line)
        left_tokens -= cost
        chosen.spent_tokens += cost
        chosen.worth += candidate.worth
        chosen.entries.append(entry)
        if entry.kind == "value":
            chosen.words.add(entry.text)
        elif entry.kind == "name":
            chosen.series[_DIGIT.sub("0", entry.text)] += 1
        else:
            chosen.words.update(_WORDS.findall(entry.text))
    chosen.entries = _without_repeated(chosen.entries)
    return chosen


def _without_repeated(entries: Sequence[Entry]) -> list[Entry]:
    """The entries without those that a later one says as well."""
    longer = [entry for entry in entries if entry.kind in ("file", "command", "segment")]
    words = {word for entry in longer for word in _WORDS.findall(entry.text)}
    paths = (split_path(entry.text) for entry in longer if entry.kind == "file")
    placed = {name for folder, name in paths if folder != "."}
    lines = [entry for entry in longer if entry.kind != "file"]

    def repeated(entry: Entry) -> bool:
        match entry.kind:
            case "name":
                return entry.text in words
            case "file":
                return entry.text in placed
            case "command" | "segment":
                return any(other is not entry and _says(other, entry) for other in lines)
            case _:
                return False

    return [entry for entry in entries if not repeated(entry)]


def _says(line: Entry, part: Entry) -> bool:
    """Whether a command contains another as one of its parts, with the same outcome."""
    at = line.text.find(part.text)
    if at < 0 or (has_failed(part) and not line.failed):
        return False
    before, after = line.text[:at].rstrip(), line.text[at + len(part.text) :].lstrip()
    return (not before or before[-1] in "&|;(\n") and (not after or after[0] in "&|;)\n>2")


def _known(entry: Entry, chosen: Chosen) -> bool:
    match entry.kind:
        case "name" | "value":
            numbered = entry.label == "symbol" and _DIGIT.sub("0", entry.text)
            return entry.text in chosen.words or bool(numbered and chosen.series[numbered] >= MOST_OF_SERIES)
        case "file":
            folder, name = split_path(entry.text)
            return entry.text in chosen.folders or (folder == "." and name in chosen.names)
        case "segment" | "command":
            commands = (other for other in chosen.entries if other.kind in ("command", "segment"))
            return any(_says(other, entry) for other in commands)
        case _:
            return False
