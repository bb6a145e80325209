"""Adds and removes a member in JSON text, leaving everything else byte for byte.

Parsing and rewriting the whole text would change its spaces, escapes and line ends. Here the text is only scanned for
the positions of members, and an added member follows the style of its neighbours. Of a repeated key, the last one
counts, as for JSON parsers.
"""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import cast

_BLANKS = re.compile(r"[ \t\r\n]*")
_DECODER = json.JSONDecoder()
_DEFAULT_INDENT = "  "


@dataclass(frozen=True, slots=True)
class Member:
    """A member of an object, with the positions of its key and value."""

    key: str
    start: int
    value_start: int
    end: int
    value: object


@dataclass(frozen=True, slots=True)
class Spans:
    """An object in a text: the positions of its braces, and its members."""

    open: int
    close: int
    members: tuple[Member, ...]

    def find(self, key: str) -> int | None:
        """The index of a member, None if there is none."""
        return next((at for at in reversed(range(len(self.members))) if self.members[at].key == key), None)


def check(text: str) -> None:
    """Raises ValueError with a readable reason unless the text is a JSON object."""
    try:
        value: object = json.loads(text)
    except RecursionError:
        raise ValueError("it is nested too deeply") from None
    except json.JSONDecodeError as error:
        raise ValueError(f"line {error.lineno}, column {error.colno}: {error.msg}") from None
    if not isinstance(value, dict):
        raise ValueError("it is not an object")  # noqa: TRY004  (an error in the text)


def value_at(text: str, path: Sequence[str]) -> object:
    """The value at a path of keys in checked text, None if there is none."""
    spans = _object_at(text, path[:-1])
    at = spans.find(path[-1]) if spans is not None else None
    return spans.members[at].value if spans is not None and at is not None else None


def insert(text: str, path: Sequence[str], value: object) -> str:
    """The text with a member at a path, whose missing objects are created; an existing member is replaced.

    Raises ValueError if something on the path is not an object.
    """
    for depth in range(len(path)):
        spans = _object_at(text, path[:depth])
        if spans is None:
            raise ValueError(f"{'.'.join(path[:depth])} is not an object")
        at = spans.find(path[depth])
        if at is None:
            for key in reversed(path[depth + 1 :]):
                value = {key: value}
            return _with_member(text, spans, path[depth], value, depth)
    spans = cast("Spans", _object_at(text, path[:-1]))
    member = spans.members[cast("int", spans.find(path[-1]))]
    style = _style(text, spans, len(path) - 1)
    return text[: member.value_start] + _render(value, style) + text[member.end :]


def remove(text: str, path: Sequence[str]) -> str:
    """The text without the member at a path."""
    spans = _object_at(text, path[:-1])
    at = spans.find(path[-1]) if spans is not None else None
    if spans is None or at is None:
        return text
    members = spans.members
    if at > 0:
        start, end = members[at - 1].end, members[at].end
    elif len(members) > 1:
        start, end = members[0].start, members[1].start
    else:
        start, end = spans.open + 1, spans.close
    return text[:start] + text[end:]


def _object_at(text: str, path: Sequence[str]) -> Spans | None:
    """The object at a path, None if there is none."""
    spans = _scan(text, _skip(text, 0))
    for key in path:
        at = spans.find(key)
        if at is None or not isinstance(spans.members[at].value, dict):
            return None
        spans = _scan(text, spans.members[at].value_start)
    return spans


def _scan(text: str, start: int) -> Spans:
    """The members of the object at `start` in checked text."""
    members: list[Member] = []
    at = _skip(text, start + 1)
    while text[at] != "}":
        key_start = at
        key, at = cast("tuple[str, int]", _DECODER.raw_decode(text, at))
        value_start = _skip(text, _skip(text, at) + 1)
        value, end = cast("tuple[object, int]", _DECODER.raw_decode(text, value_start))
        members.append(Member(key, key_start, value_start, end, value))
        at = _skip(text, end)
        if text[at] == ",":
            at = _skip(text, at + 1)
    return Spans(start, at, tuple(members))


def _skip(text: str, at: int) -> int:
    found = _BLANKS.match(text, at)
    return found.end() if found is not None else at


@dataclass(frozen=True, slots=True)
class _Style:
    """How members are written: the text `lead` before each, and one step of indentation, None for a single line."""

    lead: str
    colon: str
    unit: str | None
    newline: str


def _style(text: str, spans: Spans, depth: int) -> _Style:
    """The style of an object's members at this depth: that of the first one, else of the document."""
    newline = "\r\n" if "\r\n" in text else "\n"
    outer = _lead(text, _scan(text, _skip(text, 0)))
    unit = None if outer is not None and "\n" not in outer else _indent(outer or "") or _DEFAULT_INDENT
    lead = _lead(text, spans)
    if lead is None:
        return _Style(
            newline + unit * (depth + 1) if unit is not None else "", ": " if unit else ":", unit, newline
        )
    first = spans.members[0]
    colon = ":" + text[first.start : first.value_start].rpartition(":")[2]
    if "\n" not in lead:
        return _Style(lead, colon, None, newline)
    return _Style(lead, colon, unit or _DEFAULT_INDENT, newline)


def _lead(text: str, spans: Spans) -> str | None:
    """The text before the first member, None if there is none."""
    return text[spans.open + 1 : spans.members[0].start] if spans.members else None


def _indent(lead: str) -> str:
    return lead.rpartition("\n")[2]


def _with_member(text: str, spans: Spans, key: str, value: object, depth: int) -> str:
    style = _style(text, spans, depth)
    member = json.dumps(key, ensure_ascii=False) + style.colon + _render(value, style)
    if spans.members:
        at = spans.members[-1].end
        lead = style.lead if style.unit is not None else _inline_gap(text, spans)
        return f"{text[:at]},{lead}{member}{text[at:]}"
    closing = style.lead.removesuffix(style.unit or "")
    return f"{text[: spans.open + 1]}{style.lead}{member}{closing}{text[spans.close :]}"


def _inline_gap(text: str, spans: Spans) -> str:
    """The text between a comma and the next key in an object on one line."""
    *before, last = spans.members
    if before:
        return text[before[-1].end : last.start].partition(",")[2]
    return " " if text[last.value_start - 1] == " " else ""


def _render(value: object, style: _Style) -> str:
    if style.unit is None:
        separators = (", ", ": ") if style.colon == ": " else (",", ":")
        return json.dumps(value, ensure_ascii=False, separators=separators)
    text = json.dumps(value, ensure_ascii=False, indent=style.unit)
    return text.replace("\n", style.newline + _indent(style.lead))


def append(text: str, path: Sequence[str], value: object) -> str:
    """The text with an element at the end of the list at a path, which is created if it is missing.

    Raises ValueError if something else is there.
    """
    found = value_at(text, path)
    if found is None:
        return insert(text, path, [value])
    if not isinstance(found, list):
        raise ValueError(f"{'.'.join(path)} is not a list")  # noqa: TRY004  (an error in the text)
    spans = cast("Spans", _object_at(text, path[:-1]))
    member = spans.members[cast("int", spans.find(path[-1]))]
    elements = _elements(text, member.value_start)
    if not elements:
        style = _style(text, spans, len(path) - 1)
        return text[: member.value_start] + _render([value], style) + text[member.end :]
    first, end = elements[0][0], elements[-1][1]
    lead = text[member.value_start + 1 : first]
    style = _Style(lead, ": ", _unit(text) if "\n" in lead else None, "\r\n" if "\r\n" in text else "\n")
    gap = lead if style.unit is not None else " " if len(elements) < 2 else _gap(text, elements)
    return f"{text[:end]},{gap}{_render(value, style)}{text[end:]}"


def remove_element(text: str, path: Sequence[str], index: int) -> str:
    """The text without an element of the list at a path."""
    spans = _object_at(text, path[:-1])
    at = spans.find(path[-1]) if spans is not None else None
    if spans is None or at is None or text[spans.members[at].value_start] != "[":
        return text
    member = spans.members[at]
    elements = _elements(text, member.value_start)
    if not 0 <= index < len(elements):
        return text
    if index > 0:
        start, end = elements[index - 1][1], elements[index][1]
    elif len(elements) > 1:
        start, end = elements[0][0], elements[1][0]
    else:
        start, end = member.value_start + 1, member.end - 1
    return text[:start] + text[end:]


def _elements(text: str, start: int) -> list[tuple[int, int]]:
    """The positions of the elements of the list at `start` in checked text."""
    found: list[tuple[int, int]] = []
    at = _skip(text, start + 1)
    while text[at] != "]":
        _, end = cast("tuple[object, int]", _DECODER.raw_decode(text, at))
        found.append((at, end))
        at = _skip(text, end)
        if text[at] == ",":
            at = _skip(text, at + 1)
    return found


def _gap(text: str, elements: Sequence[tuple[int, int]]) -> str:
    return text[elements[0][1] : elements[1][0]].partition(",")[2]


def _unit(text: str) -> str:
    """One step of indentation of the document."""
    return _indent(_lead(text, _scan(text, _skip(text, 0))) or "") or _DEFAULT_INDENT
