"""Secrets inside JSON text, as tools are given it: what tells a secret may stand behind an escape.

Rules kept here:

- The text is searched as it reads as well, with its escapes undone and without what nobody sees; a place there is a
  place in the text, so that what is put in its stead leaves JSON. What would reach over the end of a string is left.
- A string of PAGE_CHARS characters or more is searched by itself, too: what its lines say may depend on where it
  begins and ends.
- Whatever is found is mapped back to the text in one pass: the text is not searched again for each secret.
- A value with escapes in it is judged by its key, as if it had letters there.
- The words of a list may be a command's: an option names the word behind it.
"""

from __future__ import annotations

import json
import re
from collections.abc import Generator, Iterator
from itertools import islice
from typing import cast

from palimpsest.patterns import later
from palimpsest.record.jsontext import is_json_text, stored_places, unescaped
from palimpsest.summarize.secrets.places import PLACEHOLDER, Span, find_secrets
from palimpsest.summarize.secrets.prefixed import otherwise, rewritten, without
from palimpsest.summarize.visible import hidden_in

PAGE_CHARS = 8
"""A shorter string holds no name and value."""
MAX_PAGES = MAX_VALUES = 200
"""Strings, values with escapes, and words of lists behind an option, that are looked at in one text."""


_VALUE = later(r'"([^"\\]{1,80})"\s{0,4}:\s{0,4}"((?=[^"\\]{0,400}\\)(?:[^"\\]|\\[^\n]){4,400})"')
"""A key, and its value with an escape."""
_HOLDS_MORE = ('{\\"', '[\\"', "[{\\")
"""How JSON in a string begins: its own keys say what is secret in it."""
_OPTION = later(r'"(--?[A-Za-z][\w-]{0,60})"\s{0,4},\s{0,4}"([^"\\]{4,400})"')
"""An option among the words of a list, and the word behind it."""
_ESCAPED = later(r"\\(?:u[0-9a-fA-F]{4}|.)|[^\w\s]")
_UNIT = later(r"\\u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}|\\u[0-9a-fA-F]{4}|\\.")
"""An escape of one character."""
_MARK, _COLON = later(r'\\.|"'), later(r"\s{0,40}:")
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
        spans = [seen.place(*span) for span in (yield from find_read(seen.text))]
        places = stored_places(text, [place for span in spans for place in span])
        stored = zip(places[::2], places[1::2], strict=True)
        found.extend(span for span in stored if not _BORDER.search(text, *span))
    for start, end in islice(_pages(text), MAX_PAGES):
        written = text[start:end]
        page = rewritten(written, _UNIT.finditer(written), _read)
        for span in (yield from find_read(page.text)):
            first, last = page.place(*span)
            found.append((start + first, start + last))
    return found


def find_read(text: str) -> Generator[None, None, list[Span]]:
    """As `find_secrets`, also in what is written otherwise than it reads."""
    found = yield from find_secrets(text)
    for begin, read in otherwise(text):
        spans = [read.place(*span) for span in (yield from find_secrets(read.text))]
        found += [(begin + start, begin + end) for start, end in spans]
    return found


def _pages(text: str) -> Iterator[Span]:
    """Where the strings stand in a JSON text that are no keys and not too short; none where it is cut off."""
    try:
        json.loads(text, strict=False)
    except (ValueError, RecursionError):
        return
    quotes = (match.start() for match in _MARK.finditer(text) if match[0] == '"')
    for begun, end in zip(quotes, quotes, strict=True):
        if end - begun > PAGE_CHARS and not _COLON.match(text, end + 1):
            yield begun + 1, end


def _read(escape: re.Match[str]) -> str:
    """The character that an escape of a string stands for."""
    return cast("str", json.loads(f'"{escape[0]}"'))


def _named_values(text: str) -> list[tuple[Span, Span]]:
    if "\\" not in text:
        return []
    values = (
        match
        for match in _VALUE.finditer(text)
        if not PLACEHOLDER.search(match[2]) and not match[2].startswith(_HOLDS_MORE)
    )
    return [(match.span(1), match.span(2)) for match in values][:MAX_VALUES]


def _options(text: str) -> list[tuple[Span, Span]]:
    return [(match.span(1), match.span(2)) for match in _OPTION.finditer(text)][:MAX_VALUES]


def _is_secret(line: str, value: str) -> Generator[None, None, bool]:
    """Whether a line's value, at its end, is a secret as a whole."""
    start = line.rindex(value)
    spans = yield from find_secrets(line)
    return any(first <= start and start + len(value) <= end for first, end in spans)
