"""The export format: one JSON object a line, each with its `type`; everything of one owner, and no derived data.

    palimpsest.export   first: `version` of the format, the owner, the time, the highest ids ever given
    conversation        then each conversation, followed by its own lines:
      branch              its branches, a parent before its forks, each followed by its messages
        message
      summary             with the ids of its sources
      compaction          in the order of commits
      item                window items other than messages
      pin, ledger, memo, usage, account, spent, append_key, job, tombstone, vector, vector_progress
      damaged             replaces what could not be read
    calibration         ratios learned from the owner's reports
    forgotten           digests of the names of deleted conversations
    end                 last: counts, and the SHA-256 of every line before it

JSON columns are values, hashes hexadecimal, vectors base64. Everything else is rebuilt: search indexes, checksums,
the end of each branch.
"""

from __future__ import annotations

import base64
import binascii
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import cast

from palimpsest.errors import FormatError, IntegrityError, reason_of
from palimpsest.stores.codec import dumps, loads

HEADER = "palimpsest.export"
VERSION = 1
MAX_LINE_BYTES = 256 * 1024 * 1024

COLUMNS: Mapping[str, tuple[str, ...]] = {
    "conversation": ("id", "name", "title", "parent", "system", "branch_id", "updated_s"),
    "branch": (
        "id", "parent_id", "fork_seq", "forked_after", "head_seq", "closed_seq", "version", "thinking_from", "purged",
    ),
    "message": (
        "id", "branch_id", "seq", "role", "body", "tokens", "time_s", "chain", "gate", "gate_tokens",
    ),
    "summary": (
        "id", "branch_id", "depth", "first_seq", "last_seq", "body", "tokens", "method", "model", "earliest_s",
        "latest_s", "quotes",
    ),
    "compaction": (
        "id", "branch_id", "reason", "numbers", "replaced", "item_id", "item_kind", "note", "before_tokens",
        "after_tokens", "thinking_from", "calls", "evidence_kept", "evidence_left", "time_s", "evidence", "ledger",
        "ledger_through",
    ),
    "item": ("branch_id", "id", "kind", "first_seq", "last_seq", "note", "tokens", "standing"),
    "pin": ("id", "quotes", "records", "tokens", "time_s"),
    "ledger": ("branch_id", "body"),
    "memo": ("body",),
    "usage": (
        "branch_id", "input_tokens", "output_tokens", "cached_tokens", "cache_write_tokens", "estimated_tokens",
        "window_mark", "last_seq", "model",
    ),
    "account": ("branch_id", "body"),
    "spent": (
        "kind", "model", "time_s", "input_tokens", "cached_tokens", "written_tokens", "output_tokens", "cost",
        "never_cost", "units", "reported", "assumed",
    ),
    "append_key": ("key", "message_ids"),
    "job": ("kind", "noted_s"),
    "tombstone": ("message_id", "salt", "mark", "origin_mark"),
    "vector": ("message_id", "model", "body"),
    "vector_progress": ("branch_id", "model", "seq"),
    "calibration": ("model", "kind", "estimated", "reported"),
    "forgotten": ("mark",),
}  # fmt: skip
"""The columns of each type of line, named as in the database."""

_JSON = {
    ("message", "body"), ("compaction", "numbers"), ("compaction", "replaced"), ("compaction", "calls"),
    ("compaction", "evidence"), ("pin", "quotes"), ("append_key", "message_ids"),
}  # fmt: skip
_BLOBS = {
    ("message", "chain"), ("vector", "body"), ("tombstone", "salt"), ("tombstone", "mark"),
    ("tombstone", "origin_mark"), ("forgotten", "mark"),
}  # fmt: skip
_IN_TEXT = re.compile(r"(?<![\w.-])([ms])([1-9]\d{0,17})(?![\w-])")

Line = dict[str, object]


def to_line(kind: str, row: Mapping[str, object]) -> Line:
    """Return a row of the database as a line. Raises IntegrityError for invalid JSON."""
    line: Line = {"type": kind}
    for name in COLUMNS[kind]:
        value = row[name]
        if (kind, name) in _JSON:
            value = loads(cast("str", value))
        elif isinstance(value, bytes):
            value = base64.b64encode(value).decode() if kind == "vector" else value.hex()
        line[name] = value
    return line


@dataclass(frozen=True, slots=True)
class Shift:
    """How far the ids of an export are moved, so that they differ from existing ones; 0 keeps them."""

    conversation: int = 0
    branch: int = 0
    message: int = 0
    summary: int = 0
    compaction: int = 0
    item: int = 0
    pin: int = 0

    def public(self, public_id: str) -> str:
        """Return a public id, moved."""
        by = {"m": self.message, "s": self.summary, "x": self.item, "o": self.item, "p": self.pin}
        digits = public_id[1:]
        if not by.get(public_id[:1]) or not digits.isascii() or not digits.isdigit():
            return public_id
        return f"{public_id[0]}{int(digits) + by[public_id[0]]}"

    def text(self, text: str) -> str:
        """Return a note with the ids in it moved."""
        return _IN_TEXT.sub(lambda found: self.public(found[0]), text) if self.message else text

    def number(self, kind: str, name: str, value: object) -> object:
        """Return a row number, moved."""
        by = _NUMBERED.get((kind, name)) or _NUMBERED.get(("", name))
        return value + getattr(self, by) if by and isinstance(value, int) else value


_NUMBERED = {
    ("conversation", "id"): "conversation", ("branch", "id"): "branch", ("message", "id"): "message",
    ("summary", "id"): "summary", ("compaction", "id"): "compaction", ("pin", "id"): "pin", ("", "branch_id"): "branch",
    ("branch", "parent_id"): "branch", ("branch", "forked_after"): "compaction", ("vector", "message_id"): "message",
    ("tombstone", "message_id"): "message",
}  # fmt: skip
_NAMED = {("item", "id"), ("compaction", "item_id")}
_NOTED = {("item", "note"), ("compaction", "note")}


def to_values(kind: str, line: Mapping[str, object], shift: Shift) -> tuple[object, ...]:
    """Return the values of a line, in the order of its columns. Raises FormatError."""
    return tuple(_value(kind, name, line, shift) for name in COLUMNS[kind])


def _value(kind: str, name: str, line: Mapping[str, object], shift: Shift) -> object:
    if name not in line:
        raise FormatError(f"a {kind} line has no {name!r}", hint="export again")
    value = line[name]
    try:
        if (kind, name) in _BLOBS:
            text = cast("str", value)
            return base64.b64decode(text, validate=True) if kind == "vector" else bytes.fromhex(text)
        if (kind, name) in {("compaction", "replaced"), ("append_key", "message_ids")}:
            value = [shift.public(one) for one in cast("list[str]", value)]
        elif (kind, name) == ("pin", "quotes"):
            value = [[text, shift.public(one), role] for text, one, role in cast("list[list[str]]", value)]
        elif (kind, name) in _NAMED:
            return shift.public(cast("str", value))
        elif (kind, name) in _NOTED:
            return shift.text(cast("str", value))
    except (TypeError, ValueError, AttributeError, binascii.Error) as error:
        raise FormatError(f"a {kind} line has no valid {name!r}", hint="export again") from error
    if (kind, name) in _JSON:
        return dumps(value)
    if isinstance(value, dict | list):
        raise FormatError(f"a {kind} line has no valid {name!r}", hint="export again")
    return shift.number(kind, name, value)


def is_export(path: Path) -> bool:
    """Return whether a file begins as an export does."""
    try:
        with path.open("rb") as file:
            return begins_so(file.read(256))
    except OSError:
        return False


def begins_so(data: bytes) -> bool:
    """Return whether these bytes begin as an export does."""
    return data.startswith(b'{"type":"' + HEADER.encode() + b'"')


def read_lines(path: Path) -> Iterator[tuple[int, Line]]:
    """Yield the lines of an export with their numbers. Raises FormatError for an unreadable one."""
    try:
        with path.open("rb") as file:
            number = 0
            while data := file.readline(MAX_LINE_BYTES + 1):
                number += 1
                line = _parsed(data)
                if not isinstance(line, dict) or not isinstance(cast("Line", line).get("type"), str):
                    raise FormatError(f"{path} line {number}: not a line of an export", hint="export again")
                yield number, cast("Line", line)
    except OSError as error:
        raise FormatError(f"{path} cannot be read: {reason_of(error)}", hint="choose another file") from error


def _parsed(data: bytes) -> object:
    """Return a line's value, None for one that is too long or not JSON."""
    try:
        return loads(data.decode()) if len(data) <= MAX_LINE_BYTES else None
    except (IntegrityError, UnicodeDecodeError, RecursionError):
        return None
