"""Importing what `dump` wrote: the whole file is read first, then each conversation is one transaction.

- Ids are kept if none of them is taken; otherwise all are moved by the same distances, in records and in the notes of
  windows. One write transaction decides this and reserves the ids, so others can write meanwhile. While one import is
  under way, another one moves its ids.
- An existing conversation of the same name is left alone, and one that the owner deleted is left out. This is decided
  in the transaction that would store the conversation.
- Hash chains, ends of branches, checksums and indexes are rebuilt, never read from the file.
- A lost message becomes a message that says so, at its position. If anything of a conversation was lost, its windows
  start again with all its messages.
"""

from __future__ import annotations

import hashlib
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal, cast

from palimpsest.errors import FormatError, IntegrityError
from palimpsest.record.chain import Head, advance
from palimpsest.record.message import ROLES, Message, Text
from palimpsest.stores.codec import decode_message, dumps, encode_message, storable
from palimpsest.stores.export_format import (
    HEADER,
    MAX_LINE_BYTES,
    VERSION,
    Line,
    Shift,
    read_lines,
    to_values,
)
from palimpsest.stores.sqlite.deletion.row_deletion import take_back, was_forgotten
from palimpsest.stores.sqlite.fulltext.index import index_message, index_summary, unindex_summary
from palimpsest.stores.sqlite.leases import take_lease
from palimpsest.stores.sqlite.maintenance.check_rows import head_at
from palimpsest.stores.sqlite.message_log import find_conversation, owner_number, tokens_between
from palimpsest.stores.sqlite.statements import Db

LOST = "[A message stood here. It was damaged and is lost.]"
MOST_LOST = 1_000_000
"""The most consecutive messages that a file may declare lost."""

_OF_CONVERSATION = {
    "pin": "restore_pin", "memo": "restore_memo", "spent": "restore_spent", "append_key": "restore_append_key",
    "job": "restore_job", "tombstone": "restore_tombstone",
}  # fmt: skip
_OF_BRANCH = {
    "compaction": "restore_compaction", "item": "restore_item", "ledger": "restore_ledger", "usage": "restore_usage",
    "account": "restore_account", "vector_progress": "restore_vector_progress",
}  # fmt: skip
_TAKEN = {
    "conversation": "has_conversation", "branch": "has_branch", "message": "has_message", "summary": "has_summary",
    "compaction": "has_compaction", "pin": "has_pin",
}  # fmt: skip
_SEQUENCES = {**{kind: kind for kind in _TAKEN}, "item": "item_number"}
"""The table that gives ids of a kind."""

MAX_ID = 10**15
"""The largest id that is taken from a file: later ones must still fit into the database."""

LEASE, LEASE_S = "ids of an import", 600.0
_MOST_LEVELS = 100


Verdict = Literal["new", "there", "differing", "forgotten"]
LEFT: tuple[Verdict, ...] = ("there", "differing", "forgotten")
"""Why a conversation is not imported."""


@dataclass(slots=True)
class Survey:
    """The content of an export. `new` are its conversations to import, by their place in the file: the name and the
    ends of the branches. `ids` are those of the new conversations, and `highest` the highest of each kind.
    """

    path: Path
    again: bool
    messages: int = 0
    new: dict[int, tuple[str, list[str]]] = field(default_factory=dict[int, tuple[str, list[str]]])
    ids: dict[str, list[int]] = field(default_factory=dict[str, list[int]])
    highest: dict[str, int] = field(default_factory=dict[str, int])
    left: dict[Verdict, list[str]] = field(default_factory=dict[Verdict, list[str]])
    shift: Shift = field(default_factory=Shift)

    def leave(self, verdict: Verdict, name: str) -> None:
        """Note a conversation that is not imported."""
        self.left.setdefault(verdict, []).append(name)


def survey(db: Db, owner: str, path: Path, *, again: bool) -> Survey:
    """Read through an export: whether it is complete, and what of it the owner does not have. Deleted conversations
    count only with `again`. Raises FormatError.
    """
    found = Survey(path, again)
    name, number, heads, ids = "", 0, dict[object, str](), dict[str, list[int]]()

    def settle() -> None:
        """Decide about the conversation whose lines have ended."""
        if not number:
            return
        verdict = _verdict(db, owner, name, list(heads.values()), again=again)
        if verdict != "new":
            found.leave(verdict, name)
            return
        found.new[number] = name, list(heads.values())
        for kind, some in ids.items():
            found.ids.setdefault(kind, []).extend(some)

    for place, line in _whole(path):
        kind = str(line["kind"] if line["type"] == "damaged" and "kind" in line else line["type"])
        if place == 1:
            found.highest = _given(line)
        elif kind == "conversation":
            settle()
            name, number, heads, ids = _name(line), number + 1, {}, {}
        elif kind == "message":
            found.messages += line["type"] == kind
            heads[line.get("branch_id")] = str(line.get("chain", ""))
        elif kind == "branch":
            heads.setdefault(line.get("id"), "")
        if kind in _TAKEN and (line["type"] == kind or line.get("id") is not None):
            ids.setdefault(kind, []).append(_id(line.get("id"), kind))
    settle()
    for kind, some in found.ids.items():
        found.highest[kind] = max(found.highest.get(kind, 0), *some)
    return found


def _verdict(db: Db, owner: str, name: str, heads: list[str], *, again: bool) -> Verdict:
    """Return whether to import a conversation whose branches end with these hashes, and if not, why."""
    known = find_conversation(db, owner, name)
    if known is None:
        return "forgotten" if not again and was_forgotten(db, owner, name) else "new"
    there = [bytes(row[0]).hex() for row in db.run("heads_of", known)]
    return "there" if sorted(heads) == there else "differing"


def _name(line: Line) -> str:
    """Return the name under which a conversation is imported."""
    return storable(str(line.get("name") or ("recovered" if line["type"] == "damaged" else "")))


def _id(value: object, kind: str) -> int:
    """Return an id of a file. Raises FormatError for one that cannot be stored."""
    if isinstance(value, int) and 0 < value <= MAX_ID:
        return value
    raise FormatError(f"a {kind} line has no valid 'id'", hint="export again")


def reserve(db: Db, found: Survey, holder: str, now_s: float) -> None:
    """Decide how far the ids are moved, and see that nobody else gets them.

    Ids are given in ascending order, so no writer gets one up to the highest. What another import under way reserved
    is not visible, and its lease says that there is one.
    """
    alone = take_lease(db, LEASE, holder, ttl_s=LEASE_S, now_s=now_s)
    taken = any(db.row(_TAKEN[kind], dumps(sorted(some))) is not None for kind, some in found.ids.items())
    given = {kind: db.number("highest_given", name) for kind, name in _SEQUENCES.items()}
    if taken or not alone:
        found.shift = Shift(**given)
    for kind, highest in found.highest.items():
        db.run("begin_sequence", _SEQUENCES[kind])
        db.run("note_given", _SEQUENCES[kind], highest + getattr(found.shift, kind))


def _whole(path: Path) -> Iterator[tuple[int, Line]]:
    """Yield the lines of a complete export. Raises FormatError at the end of an incomplete one."""
    digest, last, before = hashlib.sha256(), cast("Line", {}), b""
    with path.open("rb") as file:
        for number, line in read_lines(path):
            digest.update(before)
            before = file.readline(MAX_LINE_BYTES + 1)
            last = line
            if number == 1 and (line["type"] != HEADER or line.get("version") != VERSION):
                raise FormatError(
                    f"{path} is not an export of version {VERSION}",
                    hint="export again, or install a newer version",
                )
            yield number, line
    if last.get("type") != "end" or last.get("sha256") != digest.hexdigest():
        raise FormatError(f"{path} was truncated or changed", hint="export again; nothing was imported")


def _given(line: Mapping[str, object]) -> dict[str, int]:
    given = line.get("given")
    kept = cast("dict[str, object]", given) if isinstance(given, dict) else {}
    return {
        kind: value
        for kind, name in _SEQUENCES.items()
        if isinstance(value := kept.get(name), int) and 0 < value <= MAX_ID
    }


def groups(path: Path, wanted: Collection[int]) -> Iterator[tuple[int, Iterator[Line]]]:
    """Yield the number and the lines of each wanted conversation, as an iterator to exhaust; at last (0, the lines
    after all of them).
    """
    lines = (line for _, line in read_lines(path))
    number, pending = 0, next(lines, None)

    def until_next(first: Line) -> Iterator[Line]:
        nonlocal pending
        yield first
        while (pending := next(lines, None)) is not None:
            if _begins(pending) or pending["type"] in {"calibration", "forgotten", "end"}:
                return
            yield pending

    rest: list[Line] = []
    while pending is not None:
        current = pending
        if _begins(current):
            number += 1
            if number in wanted:
                yield number, until_next(current)
            else:
                for _ in until_next(current):
                    pass
        else:
            rest.append(current)
            pending = next(lines, None)
    yield 0, iter(rest)


def _begins(line: Mapping[str, object]) -> bool:
    return line["type"] == "conversation" or (
        line["type"] == "damaged" and line.get("kind") == "conversation"
    )


def finish(db: Db, owner: str, lines: Iterator[Line]) -> None:
    """Import what belongs to no conversation."""
    owner_id = owner_number(db, owner)
    for line in lines:
        if line["type"] == "calibration" and owner_id:
            db.run("restore_calibration", owner_id, *to_values("calibration", line, Shift()))
        if line["type"] == "forgotten" and owner_id:
            db.run("add_forgotten_name", owner_id, *to_values("forgotten", line, Shift()))


@dataclass(slots=True)
class _Taking:
    """One conversation being imported."""

    db: Db
    owner_id: int
    shift: Shift
    name: str = ""
    number: int = 0
    branch: int = 0
    last: int = 0
    closed_seq: int | None = None
    head: Head = field(default_factory=Head)
    tokens: int = 0
    messages: int = 0
    lost: int = 0
    harmed: bool = False
    branches: list[int] = field(default_factory=list[int])
    summaries: list[int] = field(default_factory=list[int])


def take_in(
    db: Db, owner: str, lines: Iterator[Line], number: int, found: Survey, holder: str, now_s: float
) -> tuple[int, int] | None:
    """Import one conversation; return how many messages were imported, and how many are lost. One that the owner has
    or deleted since the survey is noted there instead (None).

    Raises FormatError or IntegrityError, with nothing written, for lines that form no conversation.
    """
    name, heads = found.new[number]
    verdict = _verdict(db, owner, name, heads, again=found.again)
    if verdict != "new":
        found.leave(verdict, name)
        for _ in lines:
            pass
        return None
    take_lease(db, LEASE, holder, ttl_s=LEASE_S, now_s=now_s)
    db.run("add_owner", owner)
    taking = _Taking(db, db.number("owner_id", owner), found.shift)
    for line in lines:
        kind = str(line["type"])
        if kind != "message" and not (kind == "damaged" and line.get("kind") == "message"):
            _end_branch(taking)
        _take(taking, kind, line)
    _end_branch(taking)
    for one in taking.summaries:
        db.run("reckon_beneath", one)
    if taking.harmed:
        _begin_anew(taking)
    db.run("set_current_branch", taking.number)
    take_back(db, owner, taking.name)
    return taking.messages, taking.lost


def _take(taking: _Taking, kind: str, line: Line) -> None:
    """Import one line."""
    db, shift = taking.db, taking.shift
    if kind == "damaged":
        _take_damaged(taking, line)
    elif kind == "conversation":
        values = to_values(kind, line, shift)
        taking.number, taking.name = cast("int", values[0]), cast("str", values[1])
        db.run("restore_conversation", taking.owner_id, *values)
    elif kind == "branch":
        _begin_branch(taking, to_values(kind, line, shift))
    elif kind == "message":
        _take_message(taking, to_values(kind, line, shift))
    elif kind == "summary":
        _take_summary(taking, to_values(kind, line, shift), line.get("sources"))
    elif kind == "vector":
        db.run("restore_vector", taking.owner_id, taking.number, *to_values(kind, line, shift))
    elif kind in _OF_CONVERSATION:
        db.run(_OF_CONVERSATION[kind], taking.number, *to_values(kind, line, shift))
    elif kind in _OF_BRANCH:
        db.run(_OF_BRANCH[kind], *to_values(kind, line, shift))
    else:
        raise FormatError(f"a line of unknown type {kind!r}", hint="install a newer version")


def _take_damaged(taking: _Taking, line: Line) -> None:
    """Import what is left of a damaged record."""
    kind, number = line.get("kind"), line.get("id")
    taking.harmed = taking.harmed or kind in {"branch", "message", "summary", "compaction", "item"}
    if kind == "conversation" and isinstance(number, int):
        taking.number = number + taking.shift.conversation
        taking.name = _name(line)
        taking.db.run(
            "restore_conversation", taking.owner_id, taking.number, taking.name, "", "", "", None, 0.0
        )
    elif kind == "branch" and isinstance(number, int):
        values = {
            "parent_id": None,
            "fork_seq": 0,
            **line,
            "forked_after": 0,
            "head_seq": 0,
            "closed_seq": None,
        }
        _begin_branch(
            taking,
            to_values("branch", {**values, "version": 1, "thinking_from": 1, "purged": 0}, taking.shift),
        )
    elif kind == "message":
        role, seq = line.get("role"), line.get("seq")
        if isinstance(number, int) and seq == taking.head.seq + 1:
            said = "assistant" if role == "assistant" else "user"
            _add(taking, number + taking.shift.message, Message(said, (Text(LOST),)), 16, "", 0)
            taking.lost += 1


def _begin_branch(taking: _Taking, values: tuple[object, ...]) -> None:
    number, parent, fork_seq, after, last, closed_seq, version, thinking_from, purged = cast(
        "tuple[int, ...]", values
    )
    start = head_at(taking.db, parent, fork_seq) if parent in taking.branches and fork_seq else Head()
    if start is None or (fork_seq and start.seq != fork_seq):
        taking.harmed, parent, fork_seq, start = True, None, 0, Head()
    taking.branch, taking.head, taking.last, taking.closed_seq = number, start, last, closed_seq
    taking.tokens = tokens_between(taking.db, parent, 1, fork_seq)[0] if parent is not None else 0
    taking.branches.append(number)
    taking.db.run(
        "restore_branch", taking.number, number, parent if fork_seq else None, fork_seq, after, last, closed_seq or 0,
        version, thinking_from,
        purged,
    )  # fmt: skip


def _take_message(taking: _Taking, values: tuple[object, ...]) -> None:
    number, branch, seq, role, body, tokens, time_s, _, gate, gate_tokens = values
    if branch != taking.branch or not isinstance(seq, int) or role not in ROLES:
        raise FormatError("a message line that belongs to no branch", hint="export again")
    message = decode_message(str(role), str(body), cast("float | None", time_s))
    _fill(taking, seq - 1)
    if seq != taking.head.seq + 1:
        raise IntegrityError(f"two messages at position {seq} of a branch", hint="export again")
    _add(taking, cast("int", number), message, cast("int", tokens), str(gate), cast("int", gate_tokens))


def _fill(taking: _Taking, through: int) -> None:
    """Add a message that says so at each missing position."""
    if through - taking.head.seq > MOST_LOST:
        raise IntegrityError("too many messages are missing", hint="export again")
    while taking.head.seq < through:
        taking.harmed = True
        taking.lost += 1
        _add(taking, None, Message("user", (Text(LOST),)), 16, "", 0)


def _add(
    taking: _Taking, number: int | None, message: Message, tokens: int, gate: str, gate_tokens: int
) -> None:
    db = taking.db
    taking.head = advance(taking.head, message)
    cursor = db.run(
        "restore_message", taking.owner_id, taking.number, number, taking.branch, taking.head.seq, message.role,
        encode_message(message), tokens, message.time_s, taking.head.chain, gate, gate_tokens,
    )  # fmt: skip
    index_message(db, int(cursor.lastrowid or 0), taking.number, taking.owner_id, message)
    taking.tokens += tokens
    taking.messages += 1


def _end_branch(taking: _Taking) -> None:
    """Store where a branch ends, once all its messages are there."""
    if not taking.branch:
        return
    _fill(taking, taking.last)
    head = taking.head
    closed_seq = head.seq if taking.closed_seq is None else min(taking.closed_seq, head.seq)
    taking.db.closed.discard(taking.number)
    taking.db.run(
        "restore_end", head.seq, head.chain, dumps(head.calls), taking.tokens, closed_seq, taking.branch
    )  # fmt: skip
    taking.branch = 0


def _take_summary(taking: _Taking, values: tuple[object, ...], sources: object) -> None:
    number, body = cast("int", values[0]), cast("str", values[5])
    taking.db.run("restore_summary", taking.number, *values)
    for place, source in enumerate(cast("list[str]", sources) if isinstance(sources, list) else ()):
        taking.db.run("add_source", number, place, taking.shift.public(str(source)))
    index_summary(taking.db, number, taking.number, taking.owner_id, body)
    taking.summaries.append(number)


def _begin_anew(taking: _Taking) -> None:
    """Drop what was derived from lost data, so that the windows of the conversation start again."""
    db = taking.db
    for branch in taking.branches:
        for statement in ("drop_items", "drop_compactions", "drop_ledger", "restart_thinking"):
            db.run(statement, branch)
    for _ in range(_MOST_LEVELS):
        baseless = db.run("baseless_summaries", taking.number).fetchall()
        if not baseless:
            return
        for row in baseless:
            unindex_summary(db, row["id"], taking.number, taking.owner_id, row["body"])
            db.run("drop_sources", row["id"])
            db.run("drop_summary", row["id"])
