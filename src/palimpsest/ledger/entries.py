"""The evidence ledger of a conversation: what was named, used, run and asked for, with where and when.

- Noting only counts where, how often and by whom a thing was used. What is worth its tokens is decided when the ledger
  is rendered, because only then the age of everything is known.
- Each thing keeps its latest form: a command that ran again has the new outcome, and a task list replaces the previous
  one.
- Ages are in characters since the beginning of the conversation, so that they mean the same for long and short
  messages. Sources are message positions, from 1: the first that named a thing and the last three.
- Tables are bounded. A table that exceeds its size by a quarter loses the entries that were used longest ago; what the
  user named goes last, and the first request never.
- A ledger is changed in place by `reading`. Two ledgers that read the same messages are equal.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Literal, NamedTuple, get_args

from palimpsest.lazy_regex import later
from palimpsest.toolcalls.call_actions import DONE, MAX_TASKS, OPEN
from palimpsest.toolcalls.file_operation_kinds import FILE_OPERATIONS, FileOperation, parse_operation

Kind = Literal["file", "command", "segment", "name", "value", "request"]
Where = Literal["user", "assistant", "argument", "result", "plan"]

KINDS: tuple[Kind, ...] = get_args(Kind)
MOST: Mapping[Kind, int] = MappingProxyType(
    {
        "file": 800,
        "command": 240,
        "segment": 240,
        "name": 2_400,
        "value": 800,
        "request": 60,
    }
)
"""Entries of each kind that are kept: together about 300 kB as JSON, for any length of the conversation."""
SPARE_SHARE = 0.25
"""How far a table grows beyond its size before it is cut back, so that cutting is rare."""
MAX_WAITING = 64
"""The most calls whose results are awaited."""
MAX_TEXT_CHARS = 4_000
"""Characters of one entry."""
LATER_SEQS = 3
SPOKEN_WORTH = 1 << 60
"""What the user named is worth more than any position in the text."""
NEVER = -1

_APART = later(r"[\W_]+")


@dataclass(slots=True)
class Entry:
    """One thing. `label` is a file's operation, a command's outcome, a name's group or key.

    `at`, `used` and `planned` are where it occurred last: anywhere, in a call's arguments, in a task list or plan (-1
    for never). `uses`, `spoken` and `results` count the calls, the messages of people and models, and the results that
    name it. `runs` counts the runs of a command, `failures` the failed ones. `by_user` is the position of the last user
    message that names it, 0 for none. `seqs` are positions of messages with it: the first, and the last three. `folder`
    is where a command ran last, if known; `elsewhere` has the outcome in each other folder where its last run failed.
    """

    kind: Kind
    text: str
    label: str = ""
    at: int = 0
    used: int = NEVER
    planned: int = NEVER
    uses: int = 0
    spoken: int = 0
    results: int = 0
    runs: int = 0
    by_user: int = 0
    failed: bool = False
    error: str = ""
    weight: float = 0.0
    seqs: list[int] = field(default_factory=list[int])
    failures: int = 0
    folder: str = ""
    elsewhere: dict[str, str] = field(default_factory=dict[str, str])

    def met(self, seq: int, at: int) -> bool:
        """Note where it occurred; True for a message that did not name it before."""
        self.at = at
        if self.seqs and self.seqs[-1] == seq:
            return False
        self.seqs.append(seq)
        if len(self.seqs) > LATER_SEQS + 1:
            del self.seqs[1]
        return True


def _tables() -> dict[Kind, dict[str, Entry]]:
    return {kind: {} for kind in KINDS}


_NUMBERED = later(r"Task #(\w{1,20}) created[^:\n]{0,40}: ([^\n]{1,300})")


class Awaited(NamedTuple):
    """A call whose result is awaited: the key of its command ("" for none), whether only a failure matters, its
    folder.
    """

    key: str = ""
    quiet: bool = False
    folder: str = ""


Change = tuple[str, str, str]
"""A path, and its operation before and after a call."""


@dataclass(slots=True)
class Ledger:
    """Everything noted so far. `position` is in characters, `seq` the position of the last message read.

    `tasks` is the newest task list without finished entries, `newest` the position of the user's newest request.
    `waiting` has the awaited results by call id, `changing` the changes of files by calls without a result.
    `keeps_tasks`: a tool keeps the list. `folder` is where the next command runs, as the last result said, "" for
    unknown. `typed` is the command at the end of the last message: it ran if shell output follows."""

    position: int = 0
    seq: int = 0
    newest: int = 0
    tasks: tuple[str, ...] = ()
    tables: dict[Kind, dict[str, Entry]] = field(default_factory=_tables)
    waiting: dict[str, Awaited] = field(default_factory=dict[str, Awaited])
    changing: dict[str, tuple[Change, ...]] = field(default_factory=dict[str, "tuple[Change, ...]"])
    keeps_tasks: bool = False
    folder: str = ""
    typed: str = ""

    def of(self, kind: Kind) -> Mapping[str, Entry]:
        """The entries of one kind by key, in the order in which they were first met; commands by their last run."""
        return self.tables[kind]


def normal(text: str) -> str:
    """The form in which lines are compared, without case, spaces and punctuation."""
    return _APART.sub("", text[:240].lower())


def entry_of(ledger: Ledger, kind: Kind, key: str, text: str) -> Entry:
    """The entry of a key; a new one with `text` if there is none."""
    table = ledger.tables[kind]
    entry = table.get(key)
    if entry is None:
        if len(table) >= MOST[kind] * (1 + SPARE_SHARE):
            table = _cut_back(ledger, kind)
        entry = table[key] = Entry(kind, text)
    return entry


def _cut_back(ledger: Ledger, kind: Kind) -> dict[str, Entry]:
    """The table cut to its size: the entries that are worth most, and of equal ones those that were met first."""
    table = ledger.tables[kind]
    worths = [
        max(entry.used, entry.planned, entry.at - ledger.position // 2) + SPOKEN_WORTH * bool(entry.by_user)
        for entry in table.values()
    ]
    ranks = sorted(worths)
    least = ranks[-MOST[kind]]
    alike = MOST[kind] - len(ranks) + bisect_right(ranks, least)
    kept: dict[str, Entry] = {}
    for (key, entry), worth in zip(table.items(), worths, strict=True):
        if worth == least:
            alike -= 1
        if worth > least or (worth == least and alike >= 0) or (kind == "request" and not kept):
            kept[key] = entry
    ledger.tables[kind] = kept
    return kept


def note_request(ledger: Ledger, text: str) -> None:
    """Note what the user wants to happen now."""
    key = f"{ledger.seq} {normal(text)}"
    entry_of(ledger, "request", key, text[:MAX_TEXT_CHARS]).met(ledger.seq, ledger.position)
    ledger.newest = ledger.seq


def note_file(ledger: Ledger, path: str, operation: FileOperation, where: Where) -> None:
    """Note that a call used a file, or that a text named it."""
    path = path.removeprefix("./").rstrip("/") or path
    entry = entry_of(ledger, "file", path, path)
    _meet(ledger, entry, where)
    if operation == "restored":
        entry.label = "read"
    elif FILE_OPERATIONS.index(operation) > FILE_OPERATIONS.index(operation_of(entry)) or (
        entry.label == "deleted" and operation in ("written", "edited")
    ):
        entry.label = operation


def note_changes(ledger: Ledger, call_id: str, files: Sequence[tuple[str, FileOperation]]) -> None:
    """Note what a call does to files. Its result may say that it was refused."""
    changes: list[Change] = []
    for path, operation in files:
        key = path.removeprefix("./").rstrip("/") or path
        held = ledger.of("file").get(key)
        before = held.label if held else ""
        note_file(ledger, path, operation, "argument")
        after = ledger.of("file")[key].label
        if operation != "read" and after == operation:
            changes.append((key, before, after))
        if operation == "deleted":
            changes.extend(_gone_with(ledger, key))
    if changes:
        ledger.changing[call_id] = tuple(changes)
    if len(ledger.changing) > MAX_WAITING:
        del ledger.changing[next(iter(ledger.changing))]


def _gone_with(ledger: Ledger, folder: str) -> Iterator[Change]:
    """Mark the known files below a deleted folder as deleted."""
    for path, entry in ledger.of("file").items():
        if path.startswith(f"{folder}/") and entry.label != "deleted":
            before, entry.label = entry.label, "deleted"
            yield path, before, "deleted"


def settle_changes(ledger: Ledger, call_id: str, *, refused: bool) -> None:
    """Undo the changes of a refused call; mark those of others again, in case a parallel call was refused."""
    for key, before, after in ledger.changing.pop(call_id, ()):
        entry = ledger.of("file").get(key)
        if entry and refused and entry.label == after:
            entry.label = before
        elif entry and not refused and operation_of(entry) in ("named", "read"):
            entry.label = after


def operation_of(entry: Entry) -> FileOperation:
    """What was done to a file."""
    return parse_operation(entry.label) or "named"


def note_name(ledger: Ledger, group: str, name: str, where: Where) -> None:
    """Note a name; `group` is its kind."""
    entry = entry_of(ledger, "name", name, name)
    entry.label = entry.label or group
    _meet(ledger, entry, where)


def note_value(ledger: Ledger, key: str, value: str, where: Where) -> None:
    """Note a value with its key; the key of an argument wins over that of a result."""
    entry = entry_of(ledger, "value", value, value)
    if not entry.label or (where == "argument" and entry.used == NEVER):
        entry.label = key
    _meet(ledger, entry, where)


def note_values_said(ledger: Ledger, words: AbstractSet[str], where: Where) -> None:
    """Note which of the known values a text repeats."""
    table = ledger.tables["value"]
    for value in table.keys() & words:
        _meet(ledger, table[value], where)


def _meet(ledger: Ledger, entry: Entry, where: Where) -> None:
    fresh = entry.met(ledger.seq, ledger.position)
    match where:
        case "argument":
            entry.used, entry.uses = ledger.position, entry.uses + 1
        case "plan":
            entry.planned = ledger.position
        case "user":
            entry.by_user = ledger.seq
        case "result":
            entry.results += 1
        case _:
            pass
    if fresh and where != "result":
        entry.spoken += 1


def note_task(ledger: Ledger, added: str, changed: tuple[str, str]) -> None:
    """Note a task that was added to the list, and one whose status changed; finished ones are removed."""
    if added:
        ledger.tasks = (*ledger.tasks, f"{OPEN} {added}")[-MAX_TASKS:]
    number, mark = changed
    if number:
        shown = f"#{number} "
        lines = (
            mark + line[len(mark) :] if line.startswith(shown, len(mark) + 1) else line
            for line in ledger.tasks
        )
        ledger.tasks = tuple(line for line in lines if not line.startswith(DONE))


def number_task(ledger: Ledger, text: str) -> None:
    """Note the number that a result gives to an added task, by which later calls change it."""
    said = _NUMBERED.match(text[:MAX_TEXT_CHARS]) if ledger.tasks else None
    if said:
        bare, numbered = f"{OPEN} {said[2].strip()}", f"{OPEN} #{said[1]} {said[2].strip()}"
        ledger.tasks = tuple(numbered if line == bare else line for line in ledger.tasks)
