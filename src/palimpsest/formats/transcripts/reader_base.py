"""The result of reading a transcript, and the tools that all readers share.

- Readers are pure: bytes in, values out. A `Source` already holds the other files a format needs (`related`).
- Nothing is fatal and nothing is silent: what cannot be read is a `Skipped` with its line and the reason. A record that
  is whole but gives no message is counted by its kind (`Skips.leave_out`), unless other records repeat its text.
- Wire data is `object` until a narrowing helper has checked it; an id of the wrong type counts as absent.
- msgspec decodes a line. Two things that it refuses are repaired first: a lone surrogate escape becomes U+FFFD, and a
  file in UTF-16 with a byte order mark is decoded.
- A truncated JSON document still gives the fields and messages that are complete; the rest is reported with its byte.
  Nothing is guessed.
"""

from __future__ import annotations

import codecs
import hashlib
import io
import json
import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from typing import Protocol, TypeGuard, cast

import msgspec

from palimpsest.errors import FormatError
from palimpsest.lazy_regex import later
from palimpsest.limits import MAX_SKIPPED
from palimpsest.record.message import Message

MAX_REASON_CHARS = 160
MAX_KIND_CHARS = 40
MAX_KINDS = 200
TITLE_CHARS = 80


@dataclass(frozen=True, slots=True)
class Skipped:
    """Something unreadable. `line` is 1-based: of the file, or of the message in a JSON document."""

    line: int
    reason: str


@dataclass(slots=True)
class Skips:
    """What of one file gave no message: the first unreadable parts with their reasons, how many `more` there were, and
    the whole records that were left out, counted by `kinds`.
    """

    first: list[Skipped] = field(default_factory=list[Skipped])
    more: int = 0
    kinds: dict[str, int] = field(default_factory=dict[str, int])

    def leave_out(self, *names: str) -> None:
        """Count a record of a kind, named from the general to the special: `attachment`, `file`."""
        kind = "/".join(clipped(name, MAX_KIND_CHARS) for name in names if name) or "no type"
        if kind not in self.kinds and len(self.kinds) >= MAX_KINDS:
            kind = "other kinds"
        self.kinds[kind] = self.kinds.get(kind, 0) + 1

    def append(self, one: Skipped) -> None:
        """Add one."""
        if len(self.first) < MAX_SKIPPED:
            self.first.append(one)
        else:
            self.more += 1

    def extend(self, some: Iterable[Skipped]) -> None:
        """Add some."""
        for one in some:
            self.append(one)

    def copy(self) -> Skips:
        """Return a copy."""
        return Skips(list(self.first), self.more, dict(self.kinds))

    def reading(self, transcripts: Iterable[Transcript]) -> Reading:
        """Return the content of the file. What was left out stands with its first transcript as well."""
        found, kinds = list(transcripts), dict(self.kinds)
        if found and kinds:
            found[0] = replace(found[0], left_out=kinds)
        return Reading(tuple(found), tuple(self.first), self.more, kinds)


@dataclass(frozen=True, slots=True)
class Marker:
    """A compaction that a source made itself: `text` replaces the first `through` messages of its current path.

    `quotes` is the position of one of them that is shown verbatim behind the text, 0 for none.
    """

    text: str
    through: int
    time_s: float | None = None
    quotes: int = 0


@dataclass(frozen=True, slots=True)
class Transcript:
    """One conversation of a source.

    `paths` are full histories from root to leaf, the current one last; usually there is exactly one. `parent` is the
    id of the transcript that started this one, or "" (also for a fork). `summaries` counts the transcript's own
    compactions, which are not messages here; `markers` are those with a known place in the current path, in order.
    `bookkeeping` counts known entries without a message. `left_out` counts records that gave no message, by kind.
    `written_s` is when its file was last written, which dates a conversation whose messages have no times.
    """

    id: str
    format: str
    title: str = ""
    parent: str = ""
    paths: tuple[tuple[Message, ...], ...] = ()
    system: str = ""
    summaries: int = 0
    bookkeeping: int = 0
    cwd: str = ""
    markers: tuple[Marker, ...] = ()
    left_out: Mapping[str, int] = field(default_factory=dict[str, int])
    written_s: float | None = None


@dataclass(frozen=True, slots=True)
class Reading:
    """The content of a source: its conversations, the main one first, and what was unreadable and why; of very many,
    the first, and how many `skipped_more` there were. `left_out` counts whole records that gave no message, by kind.
    """

    transcripts: tuple[Transcript, ...] = ()
    skipped: tuple[Skipped, ...] = ()
    skipped_more: int = 0
    left_out: Mapping[str, int] = field(default_factory=dict[str, int])


@dataclass(frozen=True, slots=True)
class Source:
    """A file to read. `path` helps if the content is ambiguous; `related` holds other files by path."""

    path: str
    data: bytes
    related: Mapping[str, bytes] = field(default_factory=dict[str, bytes])


JsonObject = dict[str, object]

_UTF16_MARKS = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)
_SURROGATES = later(
    rb"\\\\|\\u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}|(\\u[dD][89a-fA-F][0-9a-fA-F]{2})"
)


def normalized(data: bytes) -> bytes:
    """Return the text as UTF-8 without a byte order mark; other encodings are returned unchanged."""
    if data.startswith(_UTF16_MARKS):
        return data.decode("utf-16", "replace").encode("utf-8")
    return data.removeprefix(codecs.BOM_UTF8)


def decode(raw: bytes) -> object:
    """Return the JSON value in `raw`; ValueError with a short reason if there is none."""
    try:
        return cast("object", msgspec.json.decode(raw))
    except RecursionError:
        raise ValueError("nested too deeply") from None
    except msgspec.DecodeError as error:
        repaired = _SURROGATES.sub(_whole_escape, raw)
        reason = str(error)
    if repaired == raw:
        raise ValueError(reason)
    try:
        return cast("object", msgspec.json.decode(repaired))
    except RecursionError:
        raise ValueError("nested too deeply") from None
    except msgspec.DecodeError as error:
        raise ValueError(str(error)) from None


def _whole_escape(match: re.Match[bytes]) -> bytes:
    return rb"\ufffd" if match.group(1) else match.group(0)


class LineReader(Protocol):
    """A reader that takes a file line by line, and can return the content of the lines so far at any time. `ended`
    means that doing so made it unable to continue.
    """

    skipped: Skips
    ended: bool

    def line(self, number: int, line: JsonObject) -> None:
        """Read one line."""
        ...

    def reading(self, source: Source) -> Reading:
        """Return the content of the lines so far; only the path and the related files of `source` are used."""
        ...


def take_lines(reader: LineReader, data: bytes, before: int = 0) -> None:
    """Give a reader the lines of a file, or of a part of it that follows `before` lines."""
    for number, line in lines(data, before=before):
        if isinstance(line, Skipped):
            reader.skipped.append(line)
        else:
            reader.line(number, line)


def read_lines(reader: LineReader, source: Source) -> Reading:
    """Return the content of a file of lines."""
    take_lines(reader, source.data)
    return reader.reading(source)


def lines(
    data: bytes, parse: Callable[[bytes], object] = decode, before: int = 0
) -> Iterator[tuple[int, JsonObject | Skipped]]:
    """Yield each non-blank line with its number: the JSON object on it, or why there is none. `before` lines precede
    them.

    `parse` decodes a line, and raises ValueError with a short reason if it holds no JSON.
    """
    for number, part in enumerate(io.BytesIO(normalized(data)), before + 1):
        raw = part.strip()
        if not raw:
            continue
        try:
            value = parse(raw)
        except ValueError as error:
            torn = not part.endswith((b"\n", b"\r"))
            yield number, Skipped(number, broken_line(raw, str(error), torn=torn))
            continue
        if is_object(value):
            yield number, value
        else:
            yield number, Skipped(number, f"not a JSON object but {kind_of(value)}")


def broken_line(raw: bytes, reason: str, *, torn: bool) -> str:
    """Return one sentence on why a line holds no JSON."""
    if raw.strip(b"\0") == b"":
        return "nothing but NUL bytes"
    if torn:
        return "cut off: the last line ends in the middle of a JSON object"
    try:
        raw.decode("utf-8")
    except UnicodeDecodeError as error:
        return f"not UTF-8 at byte {error.start} of the line"
    return f"broken JSON: {clipped(reason, MAX_REASON_CHARS)}"


def kind_of(value: object) -> str:
    """Return a JSON value's kind, for messages to people."""
    match value:
        case None:
            return "null"
        case bool():
            return "a boolean"
        case int() | float():
            return "a number"
        case str():
            return "a string"
        case list():
            return "an array"
        case _:
            return "an object"


def is_object(value: object) -> TypeGuard[JsonObject]:
    """Return whether `value` is a JSON object."""
    return isinstance(value, dict)


def is_list(value: object) -> TypeGuard[list[object]]:
    """Return whether `value` is a JSON array."""
    return isinstance(value, list)


def as_object(value: object) -> JsonObject:
    """Return `value` if it is a JSON object, otherwise an empty one."""
    return value if is_object(value) else {}


def as_list(value: object) -> list[object]:
    """Return `value` if it is a JSON array, otherwise an empty one."""
    return value if is_list(value) else []


def listed(value: object) -> list[object]:
    """Return a JSON array unchanged, any other value as an array of one, null as an empty one."""
    return value if is_list(value) else [] if value is None else [value]


def as_text(value: object) -> str:
    """Return `value` if it is a string, otherwise ""."""
    return value if isinstance(value, str) else ""


def as_count(value: object) -> int:
    """Return `value` if it is a whole number above zero, otherwise 0."""
    return value if isinstance(value, int) and not isinstance(value, bool) and value > 0 else 0


def json_text(value: object) -> str:
    """Return `value` as compact JSON text; strings are returned unchanged."""
    if isinstance(value, str):
        return value
    return msgspec.json.encode(value).decode("utf-8")


def arguments_text(value: object) -> str:
    """Return a tool call's arguments as JSON text: the provider's own text if it was kept, "{}" for none."""
    if value is None or value == "":
        return "{}"
    return json_text(value)


def time_s(value: object) -> float | None:
    """Return seconds since 1970 from ISO 8601 text (UTC without a zone) or a number of seconds or milliseconds."""
    if isinstance(value, str):
        try:
            moment = datetime.fromisoformat(value)
            seconds = (moment if moment.tzinfo else moment.replace(tzinfo=UTC)).timestamp()
        except (ValueError, OverflowError):
            return None
        return seconds if seconds > 0 else None
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    if not 0 < value < 1e15:
        return None
    return value / 1000 if value > 1e11 else float(value)


def clipped(text: str, size_chars: int) -> str:
    """Return the first `size_chars` characters of `text`, with an ellipsis if something was left out."""
    return text if len(text) <= size_chars else text[: size_chars - 1] + "…"


_COMMAND = later(r"/[\w:-]{0,40}")


def title_of(text: str) -> str:
    """Return a title made from a message: its first line with words, clipped, without secrets. Text in angle brackets
    gives none, nor does a client's own command (`/model`).
    """
    from palimpsest.redaction.redactor import redact

    if text.lstrip().startswith("<") or _COMMAND.fullmatch(text.strip()):
        return ""
    lines = (" ".join(line.split()) for line in redact(text[:4000]).splitlines())
    return clipped(next((words for words in lines if words), ""), TITLE_CHARS)


def stem(path: str) -> str:
    """Return a file's name without its folder and its last suffix."""
    name = path.replace("\\", "/").rstrip("/").rsplit("/", 1)[-1]
    return name.rsplit(".", 1)[0] if "." in name[1:] else name


def made_id(path: str, histories: Sequence[Sequence[Message]]) -> str:
    """Return an id for a session that names none: its file's name, and a digest of the beginning of its first
    history.

    A session keeps its id when it grows or moves; another one in a file of the same name gets another id.
    """
    first = next((history[0] for history in histories if history), None)
    words = first.text if first and first.role == "user" else ""
    began = repr((first.role, first.time_s, words)) if first else ""
    digest = hashlib.sha256(began.encode("utf-8", "replace")).hexdigest()
    return f"{stem(path)}-{digest[:8]}"


_DECODER = json.JSONDecoder()
_SPACE = " \t\r\n"


@dataclass(slots=True)
class Document:
    """A document's top-level `fields` and the `items` of its list of messages. `broken` says where it is truncated."""

    fields: JsonObject = field(default_factory=dict[str, object])
    items: list[object] = field(default_factory=list[object])
    broken: str = ""


def read_document(data: bytes, lists: Collection[str]) -> Document:
    """Return the JSON object in `data`; `lists` are the possible names of its messages.

    Raises FormatError if it holds no JSON object, or nests too deeply.
    """
    plain = normalized(data)
    try:
        value = decode(plain)
    except ValueError:
        return _salvaged(plain, lists)
    if not is_object(value):
        raise FormatError(
            "the file is JSON, but not an object", hint="a transcript is a JSON object or JSON lines"
        )
    name = next((name for name in lists if is_list(value.get(name))), "")
    return Document({key: inner for key, inner in value.items() if key != name}, as_list(value.get(name)))


class _BrokenOff(Exception):
    """The text ends or breaks at this character."""

    def __init__(self, at: int) -> None:
        super().__init__(at)
        self.at = at


def _salvaged(data: bytes, lists: Collection[str]) -> Document:
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError as error:
        text = data[: error.start].decode("utf-8")
    found = Document()
    try:
        _members(text, lists, found)
    except _BrokenOff as broken:
        place = len(text[: broken.at].encode("utf-8"))
        if broken.at >= len(text.rstrip()):
            found.broken = f"the JSON is cut off at byte {place}"
        else:
            found.broken = f"the JSON is broken at byte {place}"
    except RecursionError:
        raise FormatError(
            "the JSON nests too deeply to be read", hint="no transcript nests like this"
        ) from None
    if not found.fields and not found.items:
        raise FormatError(
            found.broken or "the file holds no JSON object", hint="get the whole file, then try again"
        )
    return found


def _members(text: str, lists: Collection[str], found: Document) -> None:
    at = _expect(text, _blank(text, 0), "{")
    while (at := _blank(text, at)) < len(text) and text[at] != "}":
        key, at = _value(text, at)
        at = _blank(text, _expect(text, _blank(text, at), ":"))
        if isinstance(key, str) and key in lists and text[at : at + 1] == "[":
            at = _items(text, at + 1, found.items)
        else:
            value, at = _value(text, at)
            found.fields[str(key)] = value
        at = _blank(text, at)
        if text[at : at + 1] != "}":
            at = _expect(text, at, ",")
    _expect(text, at, "}")


def _items(text: str, at: int, items: list[object]) -> int:
    while (at := _blank(text, at)) < len(text) and text[at] != "]":
        value, at = _value(text, at)
        items.append(value)
        at = _blank(text, at)
        if text[at : at + 1] != "]":
            at = _expect(text, at, ",")
    return _expect(text, at, "]")


def _value(text: str, at: int) -> tuple[object, int]:
    try:
        value, end = cast("tuple[object, int]", _DECODER.raw_decode(text, at))
    except json.JSONDecodeError as error:
        raise _BrokenOff(len(text) if _ends_too_soon(text, error) else error.pos) from None
    except ValueError:  # a number of thousands of digits, which Python refuses
        raise _BrokenOff(at) from None
    if end >= len(text) and (value is None or isinstance(value, int | float)):
        raise _BrokenOff(end)
    return value, end


def _ends_too_soon(text: str, error: json.JSONDecodeError) -> bool:
    """Return whether more text could complete the value, rather than that it is invalid."""
    rest = text[error.pos :]
    torn_word = any(word.startswith(rest) for word in ("true", "false", "null", "-"))
    torn_escape = "escape" in error.msg and len(rest) <= len("\\u0000")
    return torn_word or torn_escape or error.msg.startswith("Unterminated string")


def _expect(text: str, at: int, mark: str) -> int:
    if text[at : at + 1] != mark:
        raise _BrokenOff(at)
    return at + 1


def _blank(text: str, at: int) -> int:
    while at < len(text) and text[at] in _SPACE:
        at += 1
    return at


def array_items(data: bytes) -> Iterator[tuple[int, object | Skipped]]:
    """Yield the items of a JSON array with their numbers, decoded one at a time: an export of years of conversations
    takes the memory of the largest one. A truncated array gives the items before the break.
    """
    plain = normalized(data)
    for text in (plain, _SURROGATES.sub(_whole_escape, plain)):
        with suppress(msgspec.DecodeError, RecursionError):
            for number, raw in enumerate(msgspec.json.decode(text, type=list[msgspec.Raw]), 1):
                try:
                    yield number, decode(bytes(raw))
                except ValueError as error:
                    yield number, Skipped(number, broken_line(bytes(raw), str(error), torn=False))
            return
    yield from _salvaged_items(plain.decode("utf-8", "replace"))


def conversations(data: bytes) -> Iterator[tuple[int, JsonObject | Skipped]]:
    """Yield the objects of a JSON array, or the one object that a file is. Raises FormatError for anything else."""
    plain = normalized(data)
    if not plain.lstrip().startswith(b"["):
        document = read_document(plain, ())
        yield 1, document.fields
        if document.broken:
            yield 1, Skipped(1, document.broken)
        return
    for number, item in array_items(plain):
        if isinstance(item, Skipped) or is_object(item):
            yield number, item
        else:
            yield number, Skipped(number, f"not a JSON object but {kind_of(item)}")


def _salvaged_items(text: str) -> Iterator[tuple[int, object | Skipped]]:
    number = 1
    try:
        at = _expect(text, _blank(text, 0), "[")
        while (at := _blank(text, at)) < len(text) and text[at] != "]":
            value, at = _value(text, at)
            yield number, value
            number, at = number + 1, _blank(text, at)
            if text[at : at + 1] != "]":
                at = _expect(text, at, ",")
        _expect(text, at, "]")
    except (_BrokenOff, RecursionError) as broken:
        place = len(text[: broken.at].encode("utf-8")) if isinstance(broken, _BrokenOff) else 0
        yield number, Skipped(number, f"the JSON is cut off or broken at byte {place}")


META = ".meta.json"
"""The end of the name of a file that describes the session in the file of lines beside it."""

MAX_LINES = 60
MAX_BYTES = 4_000_000
LISTS = ("messages", "history")


@dataclass(frozen=True, slots=True)
class Head:
    """`rows` are the JSON objects on the first lines; `document` is the file as one JSON object, if it is one; `item`
    is the first object of a JSON array; `tables` are those of a database, with their columns; `meta` is the object in
    the `.meta.json` beside the file.
    """

    path: str
    rows: tuple[JsonObject, ...] = ()
    document: Document = field(default_factory=Document)
    item: JsonObject = field(default_factory=dict[str, object])
    tables: Mapping[str, frozenset[str]] = field(default_factory=dict[str, frozenset[str]])
    meta: JsonObject = field(default_factory=dict[str, object])


def head_of(path: str, data: bytes) -> Head:
    """Return the head of a file. A file of one line is both: a first line, and a document."""
    plain = normalized(data)
    if plain.lstrip().startswith(b"["):
        return Head(
            path, item=as_object(next((value for _, value in array_items(plain) if is_object(value)), None))
        )
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
    """Return the JSON object on a line; of several on one line the first."""
    try:
        value = decode(raw)
    except ValueError:
        if b'}{"' not in raw:
            return None
        try:
            value, _ = _value(raw.decode("utf-8", "replace"), 0)
        except (_BrokenOff, RecursionError):
            return None
    return value if is_object(value) else None
