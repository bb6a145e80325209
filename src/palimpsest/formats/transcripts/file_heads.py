"""The beginning of a file, decoded once, for the formats to say whether it is theirs."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass, field

from palimpsest.errors import FormatError
from palimpsest.formats.transcripts.json_document import Document, read_document
from palimpsest.formats.transcripts.reader_base import JsonObject, decode, is_object, normalized

MAX_LINES = 60
MAX_BYTES = 4_000_000
LISTS = ("messages", "history")


@dataclass(frozen=True, slots=True)
class Head:
    """`rows` are the JSON objects on the first lines; `document` is the file as one JSON object, if it is one."""

    path: str
    rows: tuple[JsonObject, ...] = ()
    document: Document = field(default_factory=Document)


def head_of(path: str, data: bytes) -> Head:
    """The head of a file. A file of one line is both: a first line, and a document."""
    plain = normalized(data)
    rows: list[JsonObject] = []
    seen, whole, at = 0, False, 0
    while at < min(len(plain), MAX_BYTES) and seen < MAX_LINES:
        end = plain.find(b"\n", at)
        end = len(plain) if end < 0 else end
        raw = plain[at:end].strip()
        at = end + 1
        if not raw:
            continue
        row = _row(raw)
        whole = whole or (seen == 0 and row is not None)
        seen += 1
        if row is not None:
            rows.append(row)
    document = Document()
    if (seen == 1 or not whole) and plain.lstrip().startswith(b"{"):
        with suppress(FormatError):
            document = read_document(plain, LISTS)
    return Head(path, tuple(rows), document)


def _row(raw: bytes) -> JsonObject | None:
    try:
        value = decode(raw)
    except ValueError:
        return None
    return value if is_object(value) else None
