"""How likely each entry of a ledger is to be needed again, and what it is worth.

- The features of entries are weighted by kind; `bench/train_survival.py` learnt the weights.
- A name that was never used is more likely to be needed the more its parts occur in the newest requests and open tasks,
  and in names and files that calls have just used: `TeamLeadError` is about teams and leads. The same holds for a name
  that was read in a file with such a name. Parts of many names count little.
- What an entry is worth is its probability, divided by how many entries of its group are expected to be needed, times
  the importance of the group.
"""

from __future__ import annotations

import json
import math
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cache, lru_cache
from importlib.resources import files
from itertools import islice
from types import MappingProxyType
from typing import Literal

from palimpsest.lazy_regex import later
from palimpsest.ledger.commands import how_it_went
from palimpsest.ledger.entries import Entry, Kind, Ledger
from palimpsest.ledger.extraction import (
    BEFORE,
    BUILT_IN,
    CHECKING,
    IDENTIFYING,
    KNOWN,
    LOOKING,
    MADE,
    ONCE,
    READING,
    ROUTINE,
    WORDED,
)
from palimpsest.ledger.file_merging import merged_files
from palimpsest.ledger.file_tree import split_path
from palimpsest.ledger.sections import command_entry
from palimpsest.text.cut import ELLIPSIS, clip_words
from palimpsest.text.identifiers import find_names, has_extension

USED_CHARS = 40_000
"""The age at which the use of a name counts for a third."""
RECENT_REQUESTS = 3
REQUEST_CHARS = 2_000
OLDER_SHARE = 0.6
"""How much a part counts that only an older request or a task contains."""
LEAST_CHARS = 3
RESULTS_AFTER = 5
"""The results of a call are within so many messages after it."""
SHORT_CHARS = 8_000
MIDDLE_CHARS = 40_000
LONG_CHARS = 120_000
"""The ages at which what was met or used counts for a third."""

Weights = Mapping[str, float]
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
"""The importance of a whole group, set by hand where cuts at eleven distances and held-out projects agree. Changing any
of them by a fifth changes little (`bench/survival.py`, `bench/train_survival.py`)."""
DETAILS = frozenset(
    ("link", "version", "calendar", "code", "uuid", "email", "port", "host", "address", "quantity")
)
"""Names that describe a thing: they are seldom an argument. Only older ledgers have "calendar" and "colour"."""
PASSING = frozenset(("link", "version", "calendar", "email", "colour"))
"""Names that are left out if only results contain them: pages that tools advertise, packages of an installation."""
STEM_SHARE = 0.25
"""How often a needed file is also needed by its name without an extension, if that is a name from code: in the sessions
of some agents once in three times, of others nearly always. A larger share would displace plain names."""
EXPECTED_LEAST = 1.0
"""At least so many entries of a group are expected to be needed."""
CANDIDATES, LEAST_TOKENS = 500, 3
"""How many of the best entries of each group are considered; more if the budget has room for more of so few tokens."""
ERROR_CHARS = 100

_PART = later(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+")


@dataclass(frozen=True, slots=True)
class Topic:
    """What the end of a conversation is about. For each part of names, from 0 to 1: how much it was just `used`, and
    how much the user `asked` for it. `places` has both for the nearest of the files that a message used, by its
    position."""

    used: Mapping[str, float]
    asked: Mapping[str, float]
    places: Mapping[int, tuple[float, float]]

    def nearness(self, text: str) -> tuple[float, float]:
        """How near a name is to what was used, and to what was asked for: the means over its parts."""
        found = parts(text)
        number = max(1, len(found))
        return (
            sum(self.used.get(part, 0.0) for part in found) / number,
            sum(self.asked.get(part, 0.0) for part in found) / number,
        )

    def around(self, seqs: Iterable[int]) -> tuple[float, float]:
        """The same for the messages that contain a name, by the files that the calls before them used; the maximum."""
        used = asked = 0.0
        for seq in seqs:
            called = next((at for at in range(seq, seq - RESULTS_AFTER, -1) if at in self.places), None)
            if called is not None:
                place = self.places[called]
                used, asked = max(used, place[0]), max(asked, place[1])
        return used, asked


@lru_cache(maxsize=8_192)
def parts(text: str) -> tuple[str, ...]:
    """The words of three letters or more in a name or a text, in lower case, each once.

    The order is fixed, because floating-point sums depend on it, and so would the ranking.
    """
    return tuple(dict.fromkeys(part.lower() for part in _PART.findall(text) if len(part) >= LEAST_CHARS))


def topic_of(ledger: Ledger) -> Topic:
    """The topic of the end of a conversation."""
    named: Counter[str] = Counter()
    used: dict[str, float] = {}
    for entry in (*ledger.of("file").values(), *ledger.of("name").values()):
        found = parts(split_path(entry.text)[1] if entry.kind == "file" else entry.text)
        named.update(found)
        if entry.used >= 0:
            weight = math.exp(-(ledger.position - entry.used) / USED_CHARS)
            for part in found:
                used[part] = used.get(part, 0.0) + weight
    newest, *older = [
        entry.text for entry in reversed([*ledger.of("request").values()][-RECENT_REQUESTS:])
    ] or [""]
    asked = {part: OLDER_SHARE for text in (*older, *ledger.tasks) for part in parts(text[:REQUEST_CHARS])}
    asked |= dict.fromkeys(parts(newest[:REQUEST_CHARS]), 1.0)
    most = math.log(named.total() + 2)
    topic = Topic(
        {part: weight / named[part] for part, weight in used.items()},
        {part: weight * (1 - math.log(max(1, named[part])) / most) for part, weight in asked.items()},
        MappingProxyType({}),
    )
    return replace(topic, places=_places(ledger, topic))


def _places(ledger: Ledger, topic: Topic) -> dict[int, tuple[float, float]]:
    places: dict[int, tuple[float, float]] = {}
    for entry in ledger.of("file").values():
        if entry.used >= 0:
            used, asked = topic.nearness(split_path(entry.text)[1])
            for seq in entry.seqs:
                place = places.get(seq, (0.0, 0.0))
                places[seq] = max(used, place[0]), max(asked, place[1])
    return places


@dataclass(frozen=True, slots=True)
class View:
    """The end of a ledger, from which its entries are scored: in characters, and by the last user requests.

    `siblings` counts the values of each key, `namesakes` the files of each name: one of many is rarely needed.
    """

    position: int
    newest: int
    recent: int
    siblings: Mapping[str, int]
    namesakes: Mapping[str, int]
    topic: Topic


def view_of(ledger: Ledger, topic: Topic | None = None) -> View:
    """The view from the end of a ledger; its topic is computed if it is not given."""
    requests = [entry.seqs[-1] for entry in ledger.of("request").values()][-RECENT_REQUESTS:]
    siblings = Counter(entry.label for entry in ledger.of("value").values())
    namesakes = Counter(split_path(path)[1] for path in ledger.of("file"))
    oldest = min(requests, default=0)
    return View(ledger.position, ledger.newest, oldest, siblings, namesakes, topic or topic_of(ledger))


def features(entry: Entry, view: View) -> dict[str, float]:
    """The features of an entry, by the names of their weights."""
    age = view.position - entry.at
    found = {
        "one": 1.0,
        "spoken": math.log1p(entry.spoken),
        "results": math.log1p(entry.results),
        "met_short": math.exp(-age / SHORT_CHARS),
        "met_long": math.exp(-age / LONG_CHARS),
        "user": float(entry.by_user > 0),
        "user_recent": float(entry.by_user >= view.recent > 0),
        "user_newest": float(entry.by_user == view.newest > 0),
    }
    if entry.used >= 0:
        age = view.position - entry.used
        found |= {
            "used": 1.0,
            "uses": math.log1p(entry.uses),
            "used_short": math.exp(-age / SHORT_CHARS),
            "used_middle": math.exp(-age / MIDDLE_CHARS),
            "used_long": math.exp(-age / LONG_CHARS),
        }
    if entry.planned >= 0:
        found["planned"] = math.exp(-(view.position - entry.planned) / LONG_CHARS)
    match entry.kind:
        case "value":
            found["siblings"] = math.log(max(1, view.siblings.get(entry.label, 1)))
        case "file" if KNOWN.search(entry.text):
            found["known"] = 1 / max(1, view.namesakes.get(split_path(entry.text)[1], 1))
        case "name":
            found["topic"], found["asked"] = view.topic.nearness(entry.text)
            found["place_used"], found["place_asked"] = view.topic.around(entry.seqs)
        case _:
            pass
    return found | (_OF_KIND[entry.kind](entry) if entry.kind in _OF_KIND else {})


def _of_file(entry: Entry) -> dict[str, float]:
    """A file that only results name is more likely to be needed the more results name it."""
    return {
        "changed": float(entry.label in ("edited", "written")),
        "gone": float(entry.label == "deleted"),
        "folder": float(not has_extension(entry.text)),
        "absolute": float(entry.text.startswith(("/", "~"))),
        "made": float(bool(MADE.search(entry.text))),
        "reread": math.log(max(1, entry.results)) if entry.used < 0 and not entry.spoken else 0.0,
    }


def _of_name(entry: Entry) -> dict[str, float]:
    """A symbol that was only read is more likely to be needed the more often it occurred; names of columns and fields
    (`berth_count`) seldom are.
    """
    if entry.label != "symbol":
        return {entry.label: 1.0}
    if entry.text in BUILT_IN:
        return {"builtin": 1.0}
    upper, only_read = entry.text.isupper(), entry.used < 0 and not entry.spoken
    return {
        "upper": float(upper),
        "snake": float("_" in entry.text and not upper),
        "reread": math.log(max(1, entry.results)) if only_read else 0.0,
    }


def _of_value(entry: Entry) -> dict[str, float]:
    return {"words": 1.0, "identifying": float(bool(IDENTIFYING.search(entry.label)))}


def _of_command(entry: Entry) -> dict[str, float]:
    before = BEFORE.match(entry.text)
    doing = entry.text[before.end() :] if before else entry.text
    looks, reads = bool(LOOKING.match(doing)), bool(READING.match(doing))
    worded = bool(WORDED.search(doing))
    return {
        "runs": math.log(max(1, entry.runs)),
        "again": float(entry.runs > 1),
        "failed": float(entry.failed),
        "reads": float(reads),
        "searches": float(looks and not reads),
        "once": float(worded or bool(ONCE.match(doing))),
        "routine": float(not worded and bool(ROUTINE.match(doing))),
        "checks": float(not looks and not worded and bool(CHECKING.search(doing))),
        "chars": len(entry.text) / 100,
        "shortened": float(entry.text.endswith(ELLIPSIS)),
    }


_OF_KIND = {
    "file": _of_file,
    "name": _of_name,
    "value": _of_value,
    "command": _of_command,
    "segment": _of_command,
}


def score(entry: Entry, view: View, weights: Mapping[Kind, Weights]) -> float:
    """The logarithm of the odds that an entry will be needed."""
    of_kind = weights[entry.kind]
    return sum(of_kind.get(name, 0.0) * value for name, value in features(entry, view).items())


@cache
def learnt() -> Mapping[Kind, Weights]:
    """The learnt weights."""
    text = files("palimpsest.ledger").joinpath("weights.json").read_text(encoding="utf-8")
    found: dict[Kind, dict[str, float]] = json.loads(text)
    return found


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
    """Files, commands, parts of commands and names, each group from the most likely down.

    Entries that a message at one of the positions `shown` names count for the scores, but are left out. Each group has
    as many as `budget_tokens` can hold, and at least 500."""
    most = max(CANDIDATES, budget_tokens // LEAST_TOKENS)
    view, weights = view_of(ledger), weights or learnt()
    groups: dict[Group, list[tuple[float, Entry]]] = {}
    for entry in (
        *merged_files(ledger),
        *(entry for entry in ledger.of("command").values() if entry.used >= 0),
        *(entry for entry in ledger.of("segment").values() if entry.used >= 0),
        *(entry for entry in ledger.of("name").values() if _is_candidate(entry, ledger)),
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
    """Whether a message at one of the positions `shown` names the entry; a file by the very path of the entry."""
    if not shown:
        return False
    own = ledger.of("file").get(entry.text, entry) if entry.kind == "file" else entry
    return any(seq in shown for seq in own.seqs)


def _is_candidate(name: Entry, ledger: Ledger) -> bool:
    """Whether a name is not listed as a value, and not a detail that only results contain."""
    only_seen = name.used < 0 and not (name.spoken or name.by_user or name.planned >= 0)
    return name.text not in ledger.of("value") and not (only_seen and name.label in PASSING)


def _is_named(path: str) -> bool:
    """Whether a file's name without its extension is a name from code."""
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
    """A command with its outcome, and so many characters of its error or of its one line of output."""
    has_text = (entry.failed or entry.label == "ok") and entry.error != entry.label and error_chars
    error = clip_words(entry.error, error_chars) if has_text else ""
    return command_entry(entry.text, how_it_went(entry, error), runs, entry.failures)
