"""What the features of a ledger's entries weigh, by kind, as `bench/train_survival.py` learnt it."""

from __future__ import annotations

import json
import math
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from itertools import islice
from types import MappingProxyType
from typing import Literal

from palimpsest.ledger.commands import how_it_went
from palimpsest.ledger.entries import Entry, Kind, Ledger
from palimpsest.ledger.file_tree import split_path
from palimpsest.ledger.scoring import merged_files, score, view_of
from palimpsest.ledger.sections import command_entry
from palimpsest.text.cut import clip_words
from palimpsest.text.identifiers import find_names

Weights = Mapping[str, float]


@cache
def learnt() -> Mapping[Kind, Weights]:
    """The weights that are used."""
    text = files("palimpsest.ledger").joinpath("weights.json").read_text(encoding="utf-8")
    found: dict[Kind, dict[str, float]] = json.loads(text)
    return found


Group = Literal["file", "command", "segment", "symbol", "reference", "detail", "value"]

IMPORTANCE: Mapping[Group, float] = MappingProxyType(
    {
        "file": 2.4,
        "command": 1.4,
        "segment": 1.8,
        "symbol": 2.6,
        "reference": 0.6,
        "detail": 0.15,
        "value": 1.2,
    }
)
"""How much a whole group counts: set by hand, where cuts at eleven distances together and projects held out agree. A
fifth more or less of any of them changes little (`bench/survival.py`, `bench/train_survival.py`)."""
DETAILS = frozenset(
    ("link", "version", "calendar", "code", "uuid", "email", "port", "host", "address", "quantity")
)
"""Names that tell about a thing rather than call for it: seldom an argument."""
PASSING = frozenset(("link", "version", "calendar", "email", "colour"))
"""Of these, what only results name is left out: pages that tools advertise, what an installation lists."""
STEM_SHARE = 0.25
"""How often a file that is asked for again is asked for by its name without an ending as well, where that is a name
from code: in some agents' sessions once in three, in others' nearly always. More would crowd out plain names."""
EXPECTED_LEAST = 1.0
"""At least so many entries of a group are expected to be needed."""
CANDIDATES, LEAST_TOKENS = 500, 3
"""Of each group, so many of the best are looked at; more where the budget has room for more of so few tokens each."""
ERROR_CHARS = 100


@dataclass(frozen=True, slots=True)
class Candidate:
    """An entry, its group, and what it is worth."""

    entry: Entry
    group: Group
    worth: float


def ranked(
    ledger: Ledger,
    weights: Mapping[Kind, Weights] | None = None,
    *,
    shown: Collection[int] = (),
    budget_tokens: int = 0,
) -> Iterator[Candidate]:
    """Files, commands, parts of commands and names, each group from the likeliest down.

    What a message at one of the positions `shown` names is judged by, and left out. There are as many of a group as
    `budget_tokens` could hold, and not below 500.
    """
    most = max(CANDIDATES, budget_tokens // LEAST_TOKENS)
    view, weights = view_of(ledger), weights or learnt()
    groups: dict[Group, list[tuple[float, Entry]]] = {}
    for entry in (
        *merged_files(ledger),
        *(entry for entry in ledger.of("command").values() if entry.used >= 0),
        *(entry for entry in ledger.of("segment").values() if entry.used >= 0),
        *(entry for entry in ledger.of("name").values() if _is_told(entry, ledger)),
        *ledger.of("value").values(),
    ):
        odds = 1 / (1 + math.exp(-score(entry, view, weights)))
        groups.setdefault(_group(entry), []).append((odds, entry))
    commands = ledger.of("command")
    twice: dict[str, float] = {}
    unit = {
        group: IMPORTANCE[group] / max(EXPECTED_LEAST, sum(odds for odds, _ in found))
        for group, found in groups.items()
    }
    for group in sorted(groups, key=lambda group: group == "command"):
        found = sorted(groups[group], key=lambda pair: -pair[0])
        rest = (pair for pair in found if not is_shown(pair[1], ledger, shown))
        for odds, entry in islice(rest, most):
            worth = unit[group] * odds
            if group == "file" and _is_named(entry.text):
                worth += STEM_SHARE * unit.get("symbol", IMPORTANCE["symbol"]) * odds
            if group == "segment" and entry.text in commands:
                twice[entry.text] = worth
            else:
                yield Candidate(
                    entry, group, worth + (twice.get(entry.text, 0.0) if group == "command" else 0.0)
                )


def is_shown(entry: Entry, ledger: Ledger, shown: Collection[int]) -> bool:
    """Whether a message at one of the positions `shown` names the entry: a file by the path that the entry has."""
    if not shown:
        return False
    own = ledger.of("file").get(entry.text, entry) if entry.kind == "file" else entry
    return any(seq in shown for seq in own.seqs)


def _is_told(name: Entry, ledger: Ledger) -> bool:
    """Whether a name is no value that is told with its key, and not one of many that results name in passing."""
    only_seen = name.used < 0 and not (name.spoken or name.by_user or name.planned >= 0)
    return name.text not in ledger.of("value") and not (only_seen and name.label in PASSING)


def _is_named(path: str) -> bool:
    """Whether a file's name without its ending is a name from code."""
    stem, _, ending = split_path(path)[1].rpartition(".")
    return bool(ending and stem) and ("symbol", stem) in find_names(stem)


def _group(entry: Entry) -> Group:
    match entry.kind:
        case "name":
            if entry.label == "symbol":
                return "symbol"
            return "detail" if entry.label in DETAILS else "reference"
        case "command" | "segment" | "value":
            return entry.kind
        case _:
            return "file"


def command_text(entry: Entry, *, error_chars: int = ERROR_CHARS, runs: int = 1) -> str:
    """A command with its outcome; of what it said, where it failed or said no more than a line, so many characters."""
    told = (entry.failed or entry.label == "ok") and entry.error != entry.label and error_chars
    error = clip_words(entry.error, error_chars) if told else ""
    return command_entry(entry.text, how_it_went(entry, error), runs, entry.failures)
