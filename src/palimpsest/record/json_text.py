r"""JSON text as it reads: what a tool answers, and what is handed to one, is often an object whose strings are pages.

Rules kept here:

- What begins as an object or a list of strings does is JSON text, also where it was cut off or several follow one
  another, and so is any other JSON. `\n` in it ends a line, so that no word behind it begins with an n; elsewhere it
  may be a folder.
- JSON text in a string of JSON text is read the same way; what lies deeper stays as it is.
- Only escapes are undone, each for one character, so that a place in what is read has a place in what is stored.
- What stands at an escape can be had as it is written as well, because it may be looked for as it is written.
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
"""In a string that is JSON text: its own escapes are escaped once more."""

_BLANKS = r"(?:\s|\\[nrt]){0,64}"
_INNER = later(rf'(?<!\\)"{_BLANKS}(?=[\[{{])(?:\[{_BLANKS}){{0,8}}(?:\{{{_BLANKS})?\\"')
_STRETCH = later(r'[^"\\]*+(?:\\.[^"\\]*+){0,1000}', re.DOTALL)
"""How a string that is JSON text begins, and a stretch of the rest: each repetition of a group takes memory."""
_GLUED = later(r"(?:(?<!\w)\w{1,64})?(?<!\\)\\{1,2}[bfnrtu]\w{1,64}")
_SIGNS = {"": "\\", "b": "\b", "f": "\f", "n": "\n", "r": "\r", "t": "\t"}
_HALVES = range(0xD800, 0xE000)
_NO_CHARACTER = "\ufffd"


def is_json_text(text: str) -> bool:
    """Whether a text begins as an object or a list of strings does, or is JSON of another kind."""
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
    """JSON text with its escapes undone; any other as it is."""
    return _changed(text) if "\\" in text and is_json_text(text) else text


def loosened(text: str) -> str:
    """JSON text in which only quotes and backslashes are still escaped, so that it is JSON for whoever takes control
    characters in strings; any other as it is.
    """
    return _ESCAPE.sub(_loose, text) if "\\" in text and is_json_text(text) else text


def written(text: str) -> list[str]:
    r"""Of JSON text the words that stand at an escape as they are written (`two\nthree`); nothing of any other."""
    return _GLUED.findall(text) if "\\" in text and is_json_text(text) else []


def stored_place(text: str, place: int) -> int:
    """Where in a text stands what stands at this place once it is `unescaped`."""
    return stored_places(text, [place])[0]


def stored_places(text: str, places: Iterable[int]) -> list[int]:
    """As `stored_place`, for places in ascending order: the text is read once for all of them."""
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
    """Where each string in a text that is JSON text itself begins, and where it ends: before its last quote."""
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
    """The one character that an escape stands for; of half a character that no character is there."""
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
