"""What a conversation is about at its end, by the parts of its names: `TeamLeadError` is about teams and leads.

Rules kept here:

- A name that was never used is the likelier to be, the more its parts stand in the newest requests and open tasks,
  and in names and files that calls have just used. The same holds for a name that was read in a file of such a name.
- Parts that stand in many names say little in a request.
"""

from __future__ import annotations

import math
import re
from bisect import bisect_right
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from types import MappingProxyType

from palimpsest.lazy_regex import later
from palimpsest.ledger.entries import LATER_SEQS, Entry, Kind, Ledger
from palimpsest.ledger.file_tree import split_path
from palimpsest.ledger.noise import (
    BEFORE,
    BUILT_IN,
    CHECKING,
    FOREIGN,
    HOME,
    IDENTIFYING,
    KNOWN,
    LOOKING,
    MADE,
    ONCE,
    READING,
    ROUTINE,
    WORDED,
)
from palimpsest.text.cut import ELLIPSIS
from palimpsest.text.identifiers import has_extension
from palimpsest.toolcalls.file_operations import CHANGES

USED_CHARS = 40_000
"""The age at which the use of a name counts for a third."""
RECENT_REQUESTS = 3
REQUEST_CHARS = 2_000
OLDER_SHARE = 0.6
"""How much a part counts that only an older request or a task names."""
LEAST_CHARS = 3
RESULTS_BEHIND = 5
"""What a call brought stands within so many messages from it."""

_PART = later(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+")


@dataclass(frozen=True, slots=True)
class Topic:
    """By part, from 0 to 1: how much of its names was just `used`, and how much the user `asked` for it.

    `places` says both, by the position of a message, of the nearest of the files that its calls used.
    """

    used: Mapping[str, float]
    asked: Mapping[str, float]
    places: Mapping[int, tuple[float, float]]

    def nearness(self, text: str) -> tuple[float, float]:
        """The means over the parts of a name: how near it is to what was used, and to what was asked for."""
        found = parts(text)
        number = max(1, len(found))
        return (
            sum(self.used.get(part, 0.0) for part in found) / number,
            sum(self.asked.get(part, 0.0) for part in found) / number,
        )

    def around(self, seqs: Iterable[int]) -> tuple[float, float]:
        """The same of the places where a name stood, the most of each: of the files that the calls before it used."""
        used = asked = 0.0
        for seq in seqs:
            called = next((at for at in range(seq, seq - RESULTS_BEHIND, -1) if at in self.places), None)
            if called is not None:
                place = self.places[called]
                used, asked = max(used, place[0]), max(asked, place[1])
        return used, asked


@lru_cache(maxsize=8_192)
def parts(text: str) -> tuple[str, ...]:
    """The words of three letters or more that a name or a text is made of, in lower case, each once: in an order, since
    what is added up in another comes to another sum, and other names would be nearest in another process.
    """
    return tuple(dict.fromkeys(part.lower() for part in _PART.findall(text) if len(part) >= LEAST_CHARS))


def topic_of(ledger: Ledger) -> Topic:
    """What the end of a conversation is about."""
    named: Counter[str] = Counter()
    used: dict[str, float] = {}
    for entry in (*ledger.of("file").values(), *ledger.of("name").values()):
        found = parts(split_path(entry.text)[1] if entry.kind == "file" else entry.text)
        named.update(found)
        if entry.used >= 0:
            worth = math.exp(-(ledger.position - entry.used) / USED_CHARS)
            for part in found:
                used[part] = used.get(part, 0.0) + worth
    newest, *older = [
        entry.text for entry in reversed([*ledger.of("request").values()][-RECENT_REQUESTS:])
    ] or [""]
    asked = {part: OLDER_SHARE for text in (*older, *ledger.tasks) for part in parts(text[:REQUEST_CHARS])}
    asked |= dict.fromkeys(parts(newest[:REQUEST_CHARS]), 1.0)
    most = math.log(named.total() + 2)
    topic = Topic(
        {part: worth / named[part] for part, worth in used.items()},
        {part: worth * (1 - math.log(max(1, named[part])) / most) for part, worth in asked.items()},
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


SHORT_CHARS = 8_000
MIDDLE_CHARS = 40_000
LONG_CHARS = 120_000
MAX_FOLDERS = 32
"""Folders above a file that need no mention of their own."""
CLEARLY = 0.9
"""Of the files in folders of one name, so many are in one project where a relative path means that one."""
MAX_SHORT = 32
MAX_LONGER = 8
"""Paths of one file name that are compared with longer ones, and how many longer ones may match."""

"""Where tools put what they make: listed often, asked for rarely."""

Weights = Mapping[str, float]


@dataclass(frozen=True, slots=True)
class View:
    """Where the ledger is looked at from: its end in characters, and the positions of the user's last requests.

    `siblings` says how many values were given under one key, `namesakes` how many files have one name: one of a long
    list is rarely the one that matters.
    """

    position: int
    newest: int
    recent: int
    siblings: Mapping[str, int]
    namesakes: Mapping[str, int]
    topic: Topic


def view_of(ledger: Ledger, topic: Topic | None = None) -> View:
    """The end of what was read, with what it is about, where that is not given."""
    requests = [entry.seqs[-1] for entry in ledger.of("request").values()][-RECENT_REQUESTS:]
    siblings = Counter(entry.label for entry in ledger.of("value").values())
    namesakes = Counter(split_path(path)[1] for path in ledger.of("file"))
    oldest = min(requests, default=0)
    return View(ledger.position, ledger.newest, oldest, siblings, namesakes, topic or topic_of(ledger))


def features(entry: Entry, view: View) -> dict[str, float]:
    """What is known about an entry, by the names under which it is weighted."""
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
    """A file that only results name is the likelier to be asked for the more of them do."""
    return {
        "changed": float(entry.label in ("edited", "written")),
        "gone": float(entry.label == "deleted"),
        "folder": float(not has_extension(entry.text)),
        "absolute": float(entry.text.startswith(("/", "~"))),
        "made": float(bool(MADE.search(entry.text))),
        "reread": math.log(max(1, entry.results)) if entry.used < 0 and not entry.spoken else 0.0,
    }


def _of_name(entry: Entry) -> dict[str, float]:
    """A name from code that was only read is the likelier to be asked for the more often it stood there, and names of
    columns and fields (`berth_count`) seldom are.
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
    text = entry.text
    shape = next((name for name, pattern in _SHAPES.items() if pattern.fullmatch(text)), "words")
    return {shape: 1.0, "identifying": float(bool(IDENTIFYING.search(entry.label)))}


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


_SHAPES = {
    "figure": later(r"[$€£-]?\d{1,6}(?:[.,]\d{1,2})?"),
    "date": later(r"\d{4}-\d\d-\d\d.*|\d{1,2}[/:.]\d\d.*"),
    "code": later(r"(?=.*\d)[\w-]{4,60}"),
    "word": later(r"\S+"),
}
_OF_KIND = {
    "file": _of_file,
    "name": _of_name,
    "value": _of_value,
    "command": _of_command,
    "segment": _of_command,
}


def is_figure(text: str) -> bool:
    """Whether a value is a number, or an amount of money."""
    return _SHAPES["figure"].fullmatch(text) is not None


def score(entry: Entry, view: View, weights: Mapping[Kind, Weights]) -> float:
    """The logarithm of the odds that an entry will be asked for."""
    of_kind = weights[entry.kind]
    return sum(of_kind.get(name, 0.0) * value for name, value in features(entry, view).items())


def merged_files(ledger: Ledger) -> list[Entry]:
    """File entries, a path that is the end of exactly one longer one counted with it; the ledger is left as it is."""
    files = ledger.of("file")
    used = {
        path.split("/", 2)[1] for path, entry in files.items() if entry.used >= 0 and path.startswith("/")
    }
    by_name: dict[str, list[str]] = {}
    for path in files:
        by_name.setdefault(split_path(path)[1], []).append(path)
    paths = sorted(files)
    found = {
        path: entry
        for path, entry in files.items()
        if not (_stray(entry, used) or _is_foreign(entry) or _is_piece(entry, paths))
    }
    roots: dict[str, int] = {}
    for paths in by_name.values():
        for short in sorted(paths, key=len)[:MAX_SHORT]:
            whole = _whole(short, paths)
            if whole and short in found and whole in found:
                found[whole] = _both(found.pop(short), found[whole], whole)
                if short.startswith("~"):
                    continue
                roots[whole.removesuffix(short)] = roots.get(whole.removesuffix(short), 0) + 1
    return _rooted(found, roots)


def _rooted(files: dict[str, Entry], roots: Mapping[str, int]) -> list[Entry]:
    """Relative paths put behind the root of a project, where files of the same first folder were seen in one only."""
    homes: dict[str, Counter[str]] = {}
    for root in roots:
        for path in files:
            if path.startswith(root) and root.startswith(("/", "~")):
                first, found, _ = path[len(root) :].partition("/")
                if found:
                    homes.setdefault(first, Counter())[root] += 1
    placed: dict[str, Entry] = {}
    for path, entry in files.items():
        home = homes.get(path.partition("/")[0]) if "/" in path else None
        whole = _clear(home) + path if home else path
        placed[whole] = (
            _both(entry, placed.get(whole, entry), whole) if whole in placed or whole != path else entry
        )
    return list(placed.values())


def _clear(homes: Counter[str]) -> str:
    """The root below which nearly all files of a folder were seen, "" where there is none."""
    root, files = homes.most_common(1)[0]
    return root if files >= CLEARLY * sum(homes.values()) else ""


def _stray(entry: Entry, used: Collection[str]) -> bool:
    """Whether a path is rather an address of a service: never used, no file's name, below no root that is used."""
    if entry.used >= 0 or not used or not entry.text.startswith("/") or has_extension(entry.text):
        return False
    return entry.text.split("/", 2)[1] not in used


def _is_foreign(entry: Entry) -> bool:
    """Whether only results name a file that belongs to no project."""
    return entry.used < 0 and not entry.spoken and not entry.by_user and bool(FOREIGN.search(entry.text))


def _is_piece(entry: Entry, paths: Sequence[str]) -> bool:
    """Whether only results name a path, and it is one that was cut within a name: `app/serv` beside `app/services`."""
    if entry.used >= 0 or entry.spoken or entry.by_user or "/" not in entry.text or has_extension(entry.text):
        return False
    at = bisect_right(paths, entry.text)
    return paths[at : at + 1] != [] and bool(re.match(re.escape(entry.text) + r"\w", paths[at]))


def _whole(short: str, paths: list[str]) -> str:
    """The one longer path that `short` is the end of, "" where there are none or several."""
    if short.startswith("~/"):
        longer = [
            path for path in paths if path.endswith(short[1:]) and HOME.fullmatch(path[: 1 - len(short)])
        ]
    else:
        longer = [
            path for path in paths if len(path) > len(short) and path.endswith(("/" + short, "\\" + short))
        ]
    if not 0 < len(longer) <= MAX_LONGER:
        return ""
    whole = [
        path for path in longer if not any(path != more and more.endswith("/" + path) for more in longer)
    ]
    return whole[0] if len(whole) == 1 else ""


def folders_above(path: str) -> Iterator[str]:
    """The folders a path leads through, from the nearest up, at most 32."""
    folder, name = split_path(path)
    for _ in range(MAX_FOLDERS):
        if not name or folder in (".", "/"):
            break
        yield folder
        folder, name = split_path(folder)


def _operation_of_both(one: Entry, other: Entry) -> str:
    """What was done to a file that two entries tell of: of a deletion and another change the later."""
    first, last = sorted((one, other), key=lambda entry: entry.used)
    if "deleted" in (first.label, last.label) and {first.label, last.label} <= CHANGES:
        return last.label
    return max(one.label, other.label, key=lambda label: _OPERATION_RANKS[label])


_OPERATION_RANKS = {"named": 0, "": 0, "read": 1, "deleted": 2, "written": 3, "edited": 4}


def _both(short: Entry, whole: Entry, path: str) -> Entry:
    if short is whole:
        return replace(whole, text=path)
    seqs = sorted({*short.seqs, *whole.seqs})
    return Entry(
        "file",
        path,
        _operation_of_both(short, whole),
        at=max(short.at, whole.at),
        used=max(short.used, whole.used),
        planned=max(short.planned, whole.planned),
        uses=short.uses + whole.uses,
        spoken=short.spoken + whole.spoken,
        results=short.results + whole.results,
        by_user=max(short.by_user, whole.by_user),
        seqs=[*seqs[:1], *seqs[1:][-LATER_SEQS:]],
    )
