r"""JSON text with its escapes resolved: a tool's answer is often an object whose strings are pages.

- Text that begins as an object or a list of strings is JSON text, also if it was truncated or several follow each
  other, and so is any other JSON. `\n` in it ends a line; elsewhere it may be a folder.
- JSON text in a string of JSON text is resolved too; deeper levels stay.
- Each escape becomes one character, so a position in the result maps to a position in the stored text.
- The raw form of an escape is available too, because it may be searched for.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator

from palimpsest.lazy_regex import later

_OPENING = later(r'\s{0,64}(?=[\[{])(?:\[\s{0,64}){0,8}(?:\{\s{0,64})?"')
_CODE = (
    r"u[dD][89abAB][0-9a-fA-F]{2}\\{1,2}u[dD][c-fC-F][0-9a-fA-F]{2}|"
    r"u[0-9a-fA-F]{4}|[/bfnrt]"
)
_ESCAPE = later(rf'\\(?:{_CODE}|["\\])')
_INNER_ESCAPE = later(rf'\\\\(?:{_CODE}|\\["\\])|{_ESCAPE.pattern}')
"""In a string that is JSON text, escapes are escaped once more."""

_BLANKS = r"(?:\s|\\[nrt]){0,64}"
_INNER = later(rf'(?<!\\)"{_BLANKS}(?=[\[{{])(?:\[{_BLANKS}){{0,8}}(?:\{{{_BLANKS})?\\"')
_STRETCH = later(r'[^"\\]*+(?:\\.[^"\\]*+){0,1000}', re.DOTALL)
"""The beginning of a string that is JSON text, and a bounded piece of the rest, because repeated groups take memory.
"""
_GLUED = later(r"(?:(?<!\w)\w{1,64})?(?<!\\)\\{1,2}[bfnrtu]\w{1,64}")
_SIGNS = {"": "\\", "b": "\b", "f": "\f", "n": "\n", "r": "\r", "t": "\t"}
_HALVES = range(0xD800, 0xE000)
_NO_CHARACTER = "\ufffd"


def is_json_text(text: str) -> bool:
    """Return whether a text begins as an object or a list of strings, or is other JSON."""
    if not text[:65].lstrip().startswith(("[", "{", '"')):
        return False
    if _OPENING.match(text):
        return True
    try:
        json.loads(text)
    except (ValueError, RecursionError):
        return False
    return True


def unescaped(text: str) -> str:
    """Return JSON text with its escapes resolved; other text unchanged."""
    return _changed(text) if "\\" in text and is_json_text(text) else text


def loosened(text: str) -> str:
    """Return JSON text in which only quotes and backslashes are escaped, which is JSON for a lenient parser; other
    text unchanged.
    """
    return _ESCAPE.sub(_loose, text) if "\\" in text and is_json_text(text) else text


def written(text: str) -> list[str]:
    r"""Return the words with an escape in JSON text in their raw form (`two\nthree`); nothing for other text."""
    return _GLUED.findall(text) if "\\" in text and is_json_text(text) else []


def stored_place(text: str, place: int) -> int:
    """Return the stored position of a position in `unescaped` text."""
    return stored_places(text, [place])[0]


def stored_places(text: str, places: Iterable[int]) -> list[int]:
    """Like `stored_place`, for ascending positions in one pass."""
    if "\\" not in text or not is_json_text(text):
        return [*places]
    stored: list[int] = []
    escapes = _escapes(text)
    escape, longer = next(escapes, None), 0
    for place in places:
        while escape is not None and escape.start() < place + longer:
            longer += len(escape[0]) - 1
            escape = next(escapes, None)
        stored.append(place + longer)
    return stored


def _escapes(text: str) -> Iterator[re.Match[str]]:
    at = 0
    for start, end in _inners(text):
        yield from _ESCAPE.finditer(text, at, start)
        yield from _INNER_ESCAPE.finditer(text, start, end)
        at = end
    yield from _ESCAPE.finditer(text, at)


def _inners(text: str) -> Iterator[tuple[int, int]]:
    """Return where each string that is JSON text itself begins and ends."""
    at = 0
    while (begun := _INNER.search(text, at)) is not None:
        at = begun.end()
        while (rest := _STRETCH.match(text, at)) is not None and rest.end() > at:
            at = rest.end()
        yield begun.start(), at


def _changed(text: str) -> str:
    pieces: list[str] = []
    at = 0
    for start, end in _inners(text):
        pieces += (_ESCAPE.sub(_sign, text[at:start]), _INNER_ESCAPE.sub(_sign, text[start:end]))
        at = end
    return "".join((*pieces, _ESCAPE.sub(_sign, text[at:])))


def _sign(escape: re.Match[str]) -> str:
    """Return the one character of an escape; a replacement for a lone surrogate."""
    body = escape[0].lstrip("\\")
    if not body.startswith("u"):
        return _SIGNS.get(body, body)
    high, *low = (int(part, 16) for part in body.replace("\\", "")[1:].split("u"))
    if low:
        return chr(0x10000 + ((high - 0xD800) << 10) + low[0] - 0xDC00)
    return _NO_CHARACTER if high in _HALVES else chr(high)


def _loose(escape: re.Match[str]) -> str:
    sign = _sign(escape)
    return escape[0] if sign in '"\\' else sign
