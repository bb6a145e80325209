"""The exact strings of a text: links, paths, names and numbers, each with its place.

Rules kept here:

- A string is known by its form alone: a scheme and `://`; slashes, or the ending of a file; a digit, an underscore or
  a capital inside a word; digits. Plain words are none, also with hyphens or slashes between them (`read/write`).
- What stands for several strings, or for a part of one, is left out (`src/*.py`, `<id>/a.py`, `app/(main)/a.py`).
- Every pattern starts where a run of its own characters starts, so time is proportional to the length of the text.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Literal

from palimpsest.lazy_regex import later
from palimpsest.text.identifiers import has_extension

Kind = Literal["link", "path", "name", "number", "begun"]

LETTERS = r"A-Za-z0-9_\u00c0-\u024f\u0370-\u03ff\u0400-\u052f"
"""Letters of alphabets with capitals, digits and the underscore. Other scripts put words right beside a name."""
LEAST_NAME_CHARS = 5
MOST_CHARS = 400
"""A longer run without spaces is encoded data, and no name."""

_LINK = later(
    r"[A-Za-z][A-Za-z0-9+.-]{1,20}://[^\s<>\"'`()\[\]{}|\u3000-\u9fff\uac00-\ud7af\uff00-\uffef]{1,2000}"
)
_GROUPED = later(r"(?<![\w.,])\d{1,3}(?:,\d{3}){1,5}(?:\.\d{1,6})?(?!\w|,\d|\.\d)")
_RUN = later(rf"(?<![{LETTERS}.\-/\\~@])[{LETTERS}.\-/\\:@#~%&?=+*…]{{2,}}")
_BEGUN = later(r"(?<![\w-])(?=[a-fA-F-]{0,40}\d)[0-9a-fA-F]{8}[0-9a-fA-F-]{0,40}(?:…|\.{3})")
"""The beginning of a UUID or of a hash, with dots in place of the rest."""
_PIECE = later(r"(?:(?!->|@v?\d)[^=&?#:])+")
_NUMBER = later(r"[vV]?(\d[\d_]*(?:\.\d+)*)(?:[A-Za-z]{0,4})")
_FIGURES = later(r"\d+(?:\.\d+)*")
_NAMED = later(r"\d|(?<=[^\W_])_(?=[^\W_])|[a-z][A-Z]|[A-Z]{2}[a-z]{2}|@|(?<=[^\W\d_]{2})\.(?=[^\W\d_]{2})")
"""What shows that a word is a name: a digit, an underscore or a capital inside, a dot between words, an at sign."""
_STANDS_FOR_MORE = ("*", "…", "...")
_UNIT = later(r"[ -]?(%|(?:[kKMGB]i?B?|s|min|h|sec|seconds?|minutes?|hours?|thousand|million|billion)\b)")
_ENDING = later(r"[^./\\]\.[A-Za-z][A-Za-z0-9]{0,4}$")


@dataclass(frozen=True, slots=True)
class Found:
    """A string of a text, and where it begins and ends there; `unit` is the word behind a number."""

    kind: Kind
    text: str
    start: int
    end: int
    unit: str = ""


def found_in(text: str, *, parts: bool = False) -> Iterator[Found]:
    """The exact strings of a text: links first, then the others in order; with `parts` also what is behind brackets."""
    rest = text
    for match in _LINK.finditer(text) if "://" in text else ():
        link = match[0].rstrip(".,;:!?*_…")
        if not link.endswith("//"):
            yield Found("link", link, match.start(), match.start() + len(link))
        rest = _blanked(rest, match.start(), match.end())
    for match in _GROUPED.finditer(rest) if "," in rest else ():
        yield Found("number", match[0], match.start(), match.end())
        rest = _blanked(rest, match.start(), match.end())
    for match in _BEGUN.finditer(text) if "…" in text or "..." in text else ():
        yield Found("begun", match[0], match.start(), match.end())
    for run in _RUN.finditer(rest):
        if run.end() - run.start() <= MOST_CHARS and not _is_partial(
            rest, run.start(), run.end(), parts=parts
        ):
            for piece in _PIECE.finditer(run[0]):
                for one in _strings(piece[0], run.start() + piece.start()):
                    unit = _UNIT.match(rest, one.end) if one.kind == "number" else None
                    yield replace(one, unit=unit[1]) if unit else one


def _blanked(text: str, start: int, end: int) -> str:
    return f"{text[:start]}{' ' * (end - start)}{text[end:]}"


def _is_partial(text: str, start: int, end: int, *, parts: bool) -> bool:
    """Whether a run of characters stands for more than itself, or is a part of what does."""
    run, before, after = text[start:end], text[start - 1 : start], text[end : end + 1]
    if before == "$" and not run[0].isdecimal():
        return True
    begins = before in ("}", ">", ")", "]") and not run[0].isalnum()
    ends = after in ("{", "<", "(", "[") and not run[-1].isalnum()
    beside = not parts and (begins or ends or before == "<")
    return beside or any(one in run for one in _STANDS_FOR_MORE)


def _strings(piece: str, at: int) -> Iterator[Found]:
    """The string that a piece of a run is, or those of its parts."""
    own = piece.rstrip(".-+~@%/\\")
    start = len(own) - len(own.lstrip("+%-"))
    own = own[start:]
    if own.startswith("~") and not own.startswith("~/"):
        own, start = own[1:], start + 1
    at += start
    if not own:
        return
    if _NUMBER.fullmatch(own):
        yield Found("number", own, at, at + len(own))
    elif not any(map(str.isalpha, own)):
        yield from (
            Found("number", one[0], at + one.start(), at + one.end()) for one in _FIGURES.finditer(own)
        )
    elif _is_path(own):
        yield Found("path", own, at, at + len(own))
    elif "/" in own or "\\" in own:
        place = 0
        for part in own.replace("\\", "/").split("/"):
            yield from _strings(part, at + place)
            place += len(part) + 1
    elif is_named(own):
        yield Found("name", own, at, at + len(own))


def _is_path(text: str) -> bool:
    """Whether a string is a path or a file's name: by its ending, its beginning, or two slashes."""
    slashes = text.count("/") + text.count("\\")
    if not slashes:
        return has_extension(text)
    return slashes > 1 or text.startswith(("/", "~/", "./", "../", "@")) or _ENDING.search(text) is not None


def is_named(word: str) -> bool:
    """Whether a word is a name by its form."""
    return len(word) >= LEAST_NAME_CHARS and _NAMED.search(word) is not None
