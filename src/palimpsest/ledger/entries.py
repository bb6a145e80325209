"""The evidence ledger of a conversation: what was named, used, run and asked for, each thing once, with where and when.

Rules kept here:

- Noting judges little: it counts where, how often and by whom a thing was used. What is worth its tokens is decided
  when the ledger is rendered, because only then the age of everything is known.
- A thing keeps its latest form: a command that ran again takes the new outcome, a task list replaces the one before.
- Ages are in characters since the beginning of the conversation, so that they mean the same in long and short messages.
  Provenance is in message positions, from 1: the first that named a thing and the last three.
- Nothing grows without bound. A table that is full by a quarter more than its size loses the entries that were used
  longest ago; what the user named goes last, the first request never.
- A ledger is a fold state: it is changed in place by `reading`, and two ledgers that read the same messages are equal.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Literal, get_args

from palimpsest.lazy_regex import later
from palimpsest.toolcalls.call_actions import DONE, MAX_TASKS, OPEN
from palimpsest.toolcalls.file_operations import FILE_OPERATIONS, FileOperation, parse_operation

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
"""Entries of each kind that are kept. In all about 300 kB as JSON, whatever the length of the conversation."""
SPARE_SHARE = 0.25
"""A table grows by this share beyond its size before it is cut back, so that cutting is rare."""
MAX_WAITING = 64
"""Calls whose results have not come yet."""
MAX_TEXT_CHARS = 4_000
"""Characters of one entry."""
LATER_SEQS = 3
SPOKEN_WORTH = 1 << 60
"""What the user named is worth more than any place in the text."""
NEVER = -1

_APART = later(r"[\W_]+")


@dataclass(slots=True)
class Entry:
    """One thing. `label` is a file's operation, a command's outcome, a name's group or key.

    `at`, `used` and `planned` are where it stood last: anywhere, in a call's arguments, in a task list or plan (-1 for
    never). `uses`, `spoken` and `results` count the calls, the messages of people and models, and the results that
    name it; `runs` how often a command ran, `failures` how often it failed; `by_user` is the
    position of the last message of the user that names it, 0 for none. `seqs` are positions of messages it comes from:
    the first, and the last three. `folder` is where a command ran last, if that is known, `elsewhere` the outcome
    in each other folder in which its last run failed.
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
        """Note where it stood; whether that is a message that did not name it before."""
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


@dataclass(frozen=True, slots=True)
class Awaited:
    """A call whose result has not come: the key of its command ("" for none), whether only its failure matters, the
    folder in which it runs.
    """

    key: str = ""
    quiet: bool = False
    folder: str = ""


Change = tuple[str, str, str]
"""A path, and what it was marked with before and after a call."""


@dataclass(slots=True)
class Ledger:
    """Everything noted so far. `position` is in characters, `seq` the position of the last message read.

    `tasks` is the newest task list, without what is done; `newest` the position of the user's newest request.
    `waiting` holds what a result is awaited for, by call id; `changing` what each file was marked with before a call
    that changes it, and with it. `keeps_tasks` says that
    a tool keeps the list. `folder` is where the next command runs, as the last result said; "" where none did. `typed`
    is the command that the last message read ends with, in its words: it ran if a shell shows something next.
    """

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
        """The entries of one kind by key; files and names in the order they were first met, others last."""
        return self.tables[kind]


def entries(ledger: Ledger, *kinds: Kind) -> Iterator[Entry]:
    """All entries, or those of the kinds given."""
    for kind in kinds or KINDS:
        yield from ledger.tables[kind].values()


def normal(text: str) -> str:
    """The form under which two lines are the same: case, spaces and punctuation apart."""
    return _APART.sub("", text[:240].lower())


def entry_of(ledger: Ledger, kind: Kind, key: str, text: str) -> Entry:
    """The entry of a key, a new one with `text` where there is none."""
    table = ledger.tables[kind]
    entry = table.get(key)
    if entry is None:
        if len(table) >= MOST[kind] * (1 + SPARE_SHARE):
            table = _cut_back(ledger, kind)
        entry = table[key] = Entry(kind, text)
    return entry


def _cut_back(ledger: Ledger, kind: Kind) -> dict[str, Entry]:
    """The table with as many entries as it may have: those worth most, of equal ones those that were met first."""
    table = ledger.tables[kind]
    behind = ledger.position // 2
    worths = [
        max(entry.used, entry.planned, entry.at - behind) + SPOKEN_WORTH * bool(entry.by_user)
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
    """Note that a file was used in a call, or named in a text."""
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
    """Note what a call does to files. What it changes it may be refused: its result says."""
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
    """Mark the known files below a folder that is gone."""
    for path, entry in ledger.of("file").items():
        if path.startswith(f"{folder}/") and entry.label != "deleted":
            before, entry.label = entry.label, "deleted"
            yield path, before, "deleted"


def settle_changes(ledger: Ledger, call_id: str, *, refused: bool) -> None:
    """Take back what a refused call was to change; of others mark it again, should one beside it have been refused."""
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
    """Note a value with the key it was given under; the key of an argument wins over that of a result."""
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
    """Note a task that was added to the list, and one that was changed: what is done goes."""
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
    """Note the number that a result gives to the task that was added, by which it is changed later."""
    said = _NUMBERED.match(text[:MAX_TEXT_CHARS]) if ledger.tasks else None
    if said:
        bare, numbered = f"{OPEN} {said[2].strip()}", f"{OPEN} #{said[1]} {said[2].strip()}"
        ledger.tasks = tuple(numbered if line == bare else line for line in ledger.tasks)
