"""Exporting everything of an owner to a file of lines (`stores.export_format`), within one read transaction.

Damaged records are left out and named; everything else is written.
"""

from __future__ import annotations

import hashlib
import sqlite3
from collections.abc import Iterator, Mapping
from contextlib import suppress
from pathlib import Path

from palimpsest.errors import IntegrityError, StoreError, reason_of
from palimpsest.file_writing import PRIVATE, writing
from palimpsest.record.health_report import Exported
from palimpsest.record.store_values import Progress, unwatched
from palimpsest.stores.checksums import SUMMED, is_intact
from palimpsest.stores.codec import dumps
from palimpsest.stores.export_format import COLUMNS, HEADER, VERSION, Line, to_line
from palimpsest.stores.sqlite.maintenance.check_rows import MESSAGES_PER_STEP, Findings
from palimpsest.stores.sqlite.message_log import message_id, owner_number
from palimpsest.stores.sqlite.statements import Db

_COUNTED = ("message", "summary", "pin", "item_number")
_OF_CONVERSATION = (
    ("summary", "summaries_of"), ("pin", "pins"), ("memo", "memo"), ("spent", "spent_of"),
    ("append_key", "append_keys_of"), ("job", "jobs_of"),
)  # fmt: skip
_OF_BRANCH = (
    ("compaction", "compactions"), ("item", "items_of"), ("ledger", "ledger"), ("usage", "last_usage"),
    ("account", "account"), ("tombstone", "tombstones_of"), ("vector", "conversation_vectors_of"),
    ("vector_progress", "vector_progress_of"),
)  # fmt: skip
_END = 1 << 62


def dump(db: Db, owner: str, target: Path, made_at: str, step: Progress | None = None) -> Exported:
    """Write everything of an owner to `target`: a file, all or nothing, or a stream.

    Raises StoreError if it cannot be written, UsageError if it is not a file.
    """
    writer = _Writer(db, owner, Findings(), step or unwatched)
    digest = hashlib.sha256()
    size = 0
    try:
        with writing(target, mode=PRIVATE, stream=True) as file:
            for line in writer.lines(made_at):
                if line["type"] == "end":
                    line["sha256"] = digest.hexdigest()
                data = (dumps(line) + "\n").encode()
                digest.update(data)
                size += file.write(data)
    except OSError as error:
        raise StoreError(
            f"cannot write {target}: {reason_of(error)}", hint="make room, or choose another place"
        ) from error
    return Exported(
        str(target), writer.conversations, writer.messages, size, tuple(writer.findings.faults), writer.findings.found
    )  # fmt: skip


class _Writer:
    """Everything of an owner as lines."""

    def __init__(self, db: Db, owner: str, findings: Findings, tell: Progress) -> None:
        self.db = db
        self.owner = owner
        self.findings = findings
        self.tell = tell
        self.conversations = self.messages = self.of = 0

    def lines(self, made_at: str) -> Iterator[Line]:
        """Yield the whole file."""
        given = {
            name: next((int(row[0]) for row in self._rows("highest_given", name)), 0) for name in _COUNTED
        }
        yield {"type": HEADER, "version": VERSION, "owner": self.owner, "made_at": made_at, "given": given}
        owner_id = owner_number(self.db, self.owner)
        with suppress(sqlite3.Error):
            self.of = self.db.number("count_owner_messages", owner_id)
        self._told()
        for row in self._rows("owner_conversations", owner_id):
            self.conversations += 1
            self.findings.place(row["name"])
            yield from self._conversation(row)
        self.findings.place("")
        for row in self._rows("calibrations_of", owner_id):
            yield from self._line("calibration", row)
        for row in self._rows("forgotten_names_of", owner_id):
            yield from self._line("forgotten", row)
        yield {"type": "end", "conversations": self.conversations, "messages": self.messages}

    def _conversation(self, row: sqlite3.Row) -> Iterator[Line]:
        yield from self._line("conversation", row)
        number = row["id"]
        branches = list(self._rows("branches_of", number))
        for branch in branches:
            yield from self._line("branch", branch)
            for message in self._rows("messages_between", branch["id"], 0, _END):
                yield from self._line("message", message)
        for kind, statement in _OF_CONVERSATION:
            for one in self._rows(statement, number):
                yield from self._line(kind, one)
        for branch in branches:
            for kind, statement in _OF_BRANCH:
                for one in self._rows(statement, branch["id"]):
                    yield from self._line(kind, one, branch_id=branch["id"])

    def _rows(self, statement: str, *values: object) -> Iterator[sqlite3.Row]:
        """Yield the readable rows of a statement."""
        try:
            yield from self.db.run(statement, *values)
        except sqlite3.Error as error:
            self.findings.add("file", f"a part cannot be read: {error}")

    def _line(self, kind: str, row: sqlite3.Row, branch_id: int = 0) -> Iterator[Line]:
        """Return a row as a line; for a damaged one a line that says so, with what is left of a conversation or
        branch.
        """
        damaged = kind in SUMMED and not is_intact(row, kind)
        columns = {"branch_id": branch_id, **{name: row[name] for name in row.keys()}}  # noqa: SIM118  (a Row)
        if not damaged:
            try:
                line = to_line(kind, columns)
            except IntegrityError:
                damaged = True
            else:
                self.messages += kind == "message"
                if kind == "message" and self.messages % MESSAGES_PER_STEP == 0:
                    self._told()
                yield line | self._sources(kind, row)
        if damaged:
            yield from self._damaged(kind, columns)

    def _told(self) -> None:
        self.tell("messages", self.messages, max(self.messages, self.of))

    def _sources(self, kind: str, row: sqlite3.Row) -> Line:
        if kind != "summary":
            return {}
        return {"sources": [str(one[0]) for one in self._rows("sources", row["id"])]}

    def _damaged(self, kind: str, columns: Mapping[str, object]) -> Iterator[Line]:
        name = message_id(int(str(columns["id"]))) if kind == "message" else ""
        self.findings.add("row", f"a damaged {kind} was left out", name)
        line: Line = {"type": "damaged", "kind": kind}
        line |= {one: columns[one] for one in ("id", "branch_id", "seq", "role") if one in COLUMNS[kind]}
        if kind in {"conversation", "branch"}:
            line |= {"name": columns.get("name", ""), "parent_id": columns.get("parent_id")}
            line |= {"fork_seq": columns.get("fork_seq", 0)}
        yield line
