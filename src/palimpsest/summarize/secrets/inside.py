"""Secrets inside JSON text, as tools are given it: what tells a secret may stand behind an escape.

Rules kept here:

- The text is searched as it reads as well, with its escapes undone and without what nobody sees; a place there is a
  place in the text, so that what is put in its stead leaves JSON. What would reach over the end of a string is left.
 Strings of several words are searched by themselves.
- A value with escapes in it is judged by its key, as if it had letters there.
- The words of a list may be a command's: an option names the word behind it.
"""

from __future__ import annotations

import json
from collections.abc import Generator, Iterator
from typing import cast

from palimpsest.patterns import later
from palimpsest.record.jsontext import is_json_text, stored_place, unescaped
from palimpsest.summarize.secrets.behind import without
from palimpsest.summarize.secrets.known import places_of
from palimpsest.summarize.secrets.places import PLACEHOLDER, Span, find_secrets
from palimpsest.summarize.visible import hidden_in

PAGE_CHARS = 8
"""A shorter string holds no name and value."""
MAX_VALUES = 200
"""Values with escapes, and words of lists behind an option, that are looked at in one text."""


_VALUE = later(r'"([^"\\]{1,80})"\s{0,4}:\s{0,4}"((?=[^"\\]{0,400}\\)(?:[^"\\]|\\[^\n]){4,400})"')
"""A key, and its value with an escape."""
_OPTION = later(r'"(--?[A-Za-z][\w-]{0,60})"\s{0,4},\s{0,4}"([^"\\]{4,400})"')
"""An option among the words of a list, and the word behind it."""
_ESCAPED = later(r"\\(?:u[0-9a-fA-F]{4}|.)|[^\w\s]")
_BORDER = later(r'(?<!\\)(?:\\\\){0,40}"')


def find_inside(text: str) -> Generator[None, None, list[Span]]:
    """Where in a JSON text secrets stand that `find_secrets` does not find in it as it is written; nothing in another
    text. Yields None after every piece of bounded size.
    """
    if not is_json_text(text):
        return []
    found: list[Span] = []
    for name, value in _named_values(text):
        key, said = text[slice(*name)], _ESCAPED.sub("x", text[slice(*value)])
        found += [value] * (yield from _is_secret(f'"{key}": "{said}"', said))
    for name, value in _options(text):
        option, said = text[slice(*name)], text[slice(*value)]
        found += [value] * (yield from _is_secret(f"run {option} {said}", said))
    if "\\" in text:
        read = unescaped(text)
        seen = without(read, hidden_in(read))
        for span in (yield from find_secrets(seen.text)):
            start, end = seen.place(*span)
            stored = stored_place(text, start), stored_place(text, end)
            if not _BORDER.search(text, *stored):
                found.append(stored)
    for page in _pages(text):
        for start, end in (yield from find_secrets(page)):
            found.extend(_written(text, page[start:end]))
    return found


def _pages(text: str) -> Iterator[str]:
    """The strings in a JSON text: what a line says may depend on where it begins and ends."""
    try:
        left: list[object] = [json.loads(text, strict=False)]
    except (ValueError, RecursionError):
        return
    for _ in range(MAX_VALUES):
        if not left:
            return
        value = left.pop()
        if isinstance(value, str):
            if len(value) >= PAGE_CHARS:
                yield value
        elif isinstance(value, dict):
            left.extend(cast("dict[str, object]", value).values())
        elif isinstance(value, list):
            left.extend(cast("list[object]", value))


def _written(text: str, secret: str) -> Iterator[Span]:
    """Where a secret stands in a JSON text as it is written there; an escape before it ends no word."""
    for form in {json.dumps(secret)[1:-1], json.dumps(secret, ensure_ascii=False)[1:-1]}:
        yield from places_of(text, form)
        for escape in ("\\n", "\\t", "\\r"):
            yield from ((start + len(escape), end) for start, end in places_of(text, escape + form))


def _named_values(text: str) -> list[tuple[Span, Span]]:
    if "\\" not in text:
        return []
    values = (match for match in _VALUE.finditer(text) if not PLACEHOLDER.search(match[2]))
    return [(match.span(1), match.span(2)) for match in values][:MAX_VALUES]


def _options(text: str) -> list[tuple[Span, Span]]:
    return [(match.span(1), match.span(2)) for match in _OPTION.finditer(text)][:MAX_VALUES]


def _is_secret(line: str, value: str) -> Generator[None, None, bool]:
    """Whether a line's value, at its end, is a secret as a whole."""
    start = line.rindex(value)
    spans = yield from find_secrets(line)
    return any(first <= start and start + len(value) <= end for first, end in spans)
