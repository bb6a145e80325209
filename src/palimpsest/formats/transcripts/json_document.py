"""Transcripts that are one JSON document: read whole, or as far as a cut one is complete.

A document that ends too soon, or breaks off in the middle, still gives the fields and the messages that stand complete
before the break; what follows is reported with its byte. Nothing is guessed: a value that is not closed is left out.
"""

from __future__ import annotations

import json
from collections.abc import Collection
from dataclasses import dataclass, field
from typing import cast

from palimpsest.errors import FormatError
from palimpsest.formats.transcripts.reader_base import (
    JsonObject,
    as_list,
    decode,
    is_list,
    is_object,
    normalized,
)

_DECODER = json.JSONDecoder()
_SPACE = " \t\r\n"


@dataclass(slots=True)
class Document:
    """A document's top-level `fields` and the `items` of its list of messages. `broken` says where it ends too soon."""

    fields: JsonObject = field(default_factory=dict[str, object])
    items: list[object] = field(default_factory=list[object])
    broken: str = ""


def read_document(data: bytes, lists: Collection[str]) -> Document:
    """The JSON object in `data`; `lists` are the names under which its messages may stand.

    FormatError when it holds no JSON object at all, or nests too deeply to be read.
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
    except ValueError:  # a number of thousands of digits, which Python does not read
        raise _BrokenOff(at) from None
    if end >= len(text) and (value is None or isinstance(value, int | float)):
        raise _BrokenOff(end)
    return value, end


def _ends_too_soon(text: str, error: json.JSONDecodeError) -> bool:
    """Whether more text could have made the value whole, rather than that it is wrong as it stands."""
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
