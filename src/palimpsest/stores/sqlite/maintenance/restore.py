"""Importing what `dump` wrote: the whole file is read first, then each conversation is one transaction.

- Ids are kept if none of them is taken; otherwise all are moved by the same distances, in records and in the notes of
  windows.
- An existing conversation of the same name is left alone, and one that the owner deleted is left out.
- Hash chains, ends of branches, checksums and indexes are rebuilt, never read from the file.
- A lost message becomes a message that says so, at its position. If anything of a conversation was lost, its windows
  start again with all its messages.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import cast

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
_GIVEN = {"message": "message", "summary": "summary", "pin": "pin", "item_number": "item"}
_MOST_LEVELS = 100


@dataclass(slots=True)
class Survey:
    """The content of an export, and what of it is new: names of conversations to import, or to leave."""

    path: Path
    messages: int = 0
    given: dict[str, int] = field(default_factory=dict[str, int])
    new: set[int] = field(default_factory=set[int])
    there: list[str] = field(default_factory=list[str])
    differing: list[str] = field(default_factory=list[str])
    forgotten: list[str] = field(default_factory=list[str])
    shift: Shift = field(default_factory=Shift)


def survey(db: Db, owner: str, path: Path, *, again: bool) -> Survey:
    """Read through an export: whether it is complete, and what of it the owner does not have. Deleted conversations
    count only with `again`. Raises FormatError.
    """
    found = Survey(path)
    name, number, heads = "", 0, dict[object, str]()

    def settle() -> None:
        """Decide about the conversation whose lines have ended."""
        if not number:
            return
        known = find_conversation(db, owner, name)
        if known is None and not again and was_forgotten(db, owner, name):
            found.forgotten.append(name)
        elif known is None:
            found.new.add(number)
        elif sorted(heads.values()) == [bytes(row[0]).hex() for row in db.run("heads_of", known)]:
            found.there.append(name)
        else:
            found.differing.append(name)

    collided = set[int]()
    for place, line in _whole(path):
        kind = line["type"]
        if place == 1:
            found.given = _given(line)
        elif kind == "conversation" or (kind == "damaged" and line.get("kind") == "conversation"):
            settle()
            name, number, heads = str(line.get("name", "")), number + 1, {}
        elif kind == "message":
            found.messages += 1
            heads[line.get("branch_id")] = str(line.get("chain", ""))
        elif kind == "branch":
            heads.setdefault(line.get("id"), "")
        taken = _TAKEN.get(str(kind))
        if taken and db.row(taken, line.get("id")) is not None:
            collided.add(number)
    settle()
    if collided & found.new:
        found.shift = _shift(db)
    return found


def _shift(db: Db) -> Shift:
    """Return distances beyond all existing ids."""
    highest = db.row("highest_ids")
    given = {to: db.number("highest_given", name) for name, to in _GIVEN.items()}
    rest = {name: int(highest[name]) for name in ("conversation", "branch", "compaction")} if highest else {}
    return Shift(**given, **rest)


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
    return {name: value for name in _GIVEN if isinstance(value := kept.get(name), int) and value > 0}


def groups(path: Path, wanted: set[int]) -> Iterator[list[Line] | Iterator[Line]]:
    """Yield the lines of each wanted conversation, as an iterator to exhaust; at last the lines after all of them."""
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
                yield until_next(current)
            else:
                for _ in until_next(current):
                    pass
        else:
            rest.append(current)
            pending = next(lines, None)
    yield rest


def _begins(line: Mapping[str, object]) -> bool:
    return line["type"] == "conversation" or (
        line["type"] == "damaged" and line.get("kind") == "conversation"
    )


def finish(db: Db, owner: str, lines: list[Line], found: Survey) -> None:
    """Import what belongs to no conversation, and never reuse an id of the exporting database."""
    owner_id = owner_number(db, owner)
    for line in lines:
        if line["type"] == "calibration" and owner_id:
            db.run("restore_calibration", owner_id, *to_values("calibration", line, found.shift))
        if line["type"] == "forgotten" and owner_id:
            db.run("add_forgotten_name", owner_id, *to_values("forgotten", line, found.shift))
    for name, highest in found.given.items():
        db.run("begin_sequence", name)
        db.run("note_given", name, highest + getattr(found.shift, _GIVEN[name]))


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


def take_in(db: Db, owner: str, lines: Iterator[Line], shift: Shift) -> tuple[int, int]:
    """Import one conversation; return how many messages were imported, and how many are lost.

    Raises FormatError or IntegrityError, with nothing written, for lines that form no conversation.
    """
    db.run("add_owner", owner)
    taking = _Taking(db, db.number("owner_id", owner), shift)
    for line in lines:
        kind = str(line["type"])
        if kind != "message" and not (kind == "damaged" and line.get("kind") == "message"):
            _end_branch(taking)
        _take(taking, kind, line)
    _end_branch(taking)
    for number in taking.summaries:
        db.run("reckon_beneath", number)
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
        taking.name = storable(str(line.get("name") or "recovered"))
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
