"""Names in texts: paths, links, hosts, hashes, versions, ports, ticket numbers, error codes and names from code; and
quantities.

Rules kept here:

- Every pattern starts only where a run of its own characters starts and is bounded, so that a minified file or a
  base64 text costs time in proportion to its length.
- Paths in prose are ASCII: in Chinese or Japanese no space parts a path from the words around it. Paths in other
  scripts come from decoded arguments, where the whole value is the path.
- A name ends where a script without capitals goes on: such scripts put their words and particles right beside it
  (`ERR-7F3A-2291を`, `512 MiB입니다`). Letters of alphabets with capitals may belong to it: beside them stands no
  name, since it would be a part of a longer one (`größe_wert`).
- What only looks like a name is left out: `and/or`, `application/json`, `/dev/null`, dates, plain words.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from itertools import chain

from palimpsest.patterns import later
from palimpsest.text.name_patterns import (
    BLANK,
    DATE,
    DIGIT,
    ESCAPES,
    HAS_EXTENSION,
    LINK,
    LOGIN,
    MAY_BE_NAME,
    MAY_BE_PATH,
    NAME,
    NOISE,
    OPAQUE,
    PATH,
    PATTERN,
    QUANTITY,
    SHORT,
    UNFIT,
    WILD,
)

PATH_CHARS = 260
NAME_CHARS = 80
WORD_CHARS = 120
MAX_WORDS = 16_384
"""What was found in so many words is remembered: most of a text are words that stood in others before it."""


MIN_DIGITS = 3
"""A word with so many digits is an identifier, and one with a digit and so many parts: `prod-main-7`."""
_SPACED_CODE, _SPACED_PORT = later(r"[ESPRA] \d{3}"), later(r"[pP]orts?[ =:]{1,3}\d")
"""The only names that a space may part hold this."""
_DAYS = frozenset("dd d. d/ d- mm m. m/ yy tt jj aa gg hh".split())
_COMMON = frozenset(
    "GitHub README MacOS macOS OpenAI LocalStorage GraphQL PostgreSQL MySQL YouTube "
    "tool_use tool_result tool_use_error is_error exit_code in_progress subagent_type files_with_matches output_mode "
    "str_replace_editor undo_edit old_str new_str old_string new_string replace_all view_range uploaded_files "
    "environment_context approval_policy sandbox_mode network_access __init__ __main__ __name__ iOS iPhone "
    "JavaScript's ENOUGH EVERY EITHER EMPTY ERROR ERRORS EXISTS EXACTLY ELSEIF EXPORT EXTRA EDITOR".split()
)


def is_path(text: str, *, given: bool = False) -> bool:
    """Whether a text can be the path of one file or folder; `given` says that a path was asked for."""
    return (
        0 < len(text) <= PATH_CHARS
        and BLANK.sub(" ", text).isprintable()
        and "://" not in text
        and not (WILD if given else UNFIT).search(text)
        and not NOISE.match(text)
        and text.strip("./\\~") != ""
    )


def has_extension(path: str) -> bool:
    """Whether a path ends like a file's name."""
    return bool(HAS_EXTENSION.search(path))


def file_name(path: str) -> str:
    """The last part of a path."""
    return re.split(r"[/\\]", path.rstrip("/\\"))[-1] or path


def find_paths(text: str) -> Iterator[str]:
    """Paths in a command or a text, in order, as written, without the dot that ends a sentence."""
    words = (ESCAPES.sub(" ", text) if "\x1b" in text else text).split()
    return chain.from_iterable(map(_paths_of if _are_short(words) else _paths_in, words))


def _are_short(words: Sequence[str]) -> bool:
    """Whether what was found in these words may be remembered. Asked of all at once, because a step of ours for each
    word takes longer than finding it.
    """
    return max(map(len, words), default=0) <= WORD_CHARS


def _paths_in(word: str) -> tuple[str, ...]:
    return _paths_of(word) if len(word) <= WORD_CHARS else _paths(word)


@lru_cache(MAX_WORDS)
def _paths_of(word: str) -> tuple[str, ...]:
    return _paths(word)


def _up_to_wildcard(found: re.Match[str]) -> str:
    """A path, or of one that goes on with a wildcard (`out/day-*.csv`) its folder: no file is named by a beginning."""
    if found.string[found.end() : found.end() + 1] != "*":
        return found[0]
    return found[0][: max(found[0].rfind("/"), found[0].rfind("\\")) + 1]


def _paths(word: str) -> tuple[str, ...]:
    """The paths of a text without spaces."""
    if not MAY_BE_PATH.search(word):
        return ()
    found = (_up_to_wildcard(match)[_hyphens(match) :] for match in PATH.finditer(word))
    paths = (_unbracketed(path).rstrip(".").rstrip("/\\") for path in found)
    return tuple(path for path in paths if _is_meant(path))


def _unbracketed(path: str) -> str:
    """A path without the brackets around it: `[src/a.py]`, but `[slug]/page.tsx` is a folder of such a name."""
    return path[1:-1] if path[:1] == "[" and path[-1:] == "]" and path.count("[") == 1 else path


def _hyphens(found: re.Match[str]) -> int:
    """How many hyphens bind a path to the letters before it, as prefixes of Hebrew are bound to names."""
    behind = found.start() and not found.string[found.start() - 1].isascii()
    return len(found[0]) - len(found[0].lstrip("-")) if behind else 0


def _is_meant(path: str) -> bool:
    if ("\\" in path and path[1:2] != ":") or path.count("[") != path.count("]"):
        return False
    if path[:2].lower() in _DAYS and PATTERN.fullmatch(path.lower()):
        return False
    return is_path(path) and (path[0] in "/~." or has_extension(path) or _is_tree(path))


def _is_tree(path: str) -> bool:
    return path.count("/") >= 2 and any(sign.isalpha() for sign in path)


def find_names(text: str) -> Iterator[tuple[str, str]]:
    """(kind, name) of each name in `text`, links first, then in order; the kinds are the groups of the pattern."""
    if _SPACED_CODE.search(text) or (("port" in text or "Port" in text) and _SPACED_PORT.search(text)):
        return _names(text)
    words = text.split()
    return chain.from_iterable(map(_names_of if _are_short(words) else _names_in, words))


def _names_in(word: str) -> Iterable[tuple[str, str]]:
    return _names_of(word) if len(word) <= WORD_CHARS else _names(word)


@lru_cache(MAX_WORDS)
def _names_of(word: str) -> tuple[tuple[str, str], ...]:
    return tuple(_names(word)) if MAY_BE_NAME.search(word) else ()


def _names(text: str) -> Iterator[tuple[str, str]]:
    linked = [*LINK.finditer(text)] if "://" in text or ".git" in text or "10." in text else []
    for match in linked:
        login = LOGIN.match(match[0])
        yield ("host", login[1]) if login else ("link", match[0].rstrip(".,;:!?*_"))
    if linked:
        text = LINK.sub(" ", text)
    for match in NAME.finditer(text):
        kind, name = match.lastgroup, match[0]
        if kind is None:
            continue
        if kind == "email":
            name = name.rstrip(".,;:!?*_")
        if kind == "ticket" or (3 < len(name) <= NAME_CHARS * 2 and name not in _COMMON):
            yield kind, name


def find_opaque(text: str) -> Iterator[tuple[str, str]]:
    """What things are called by whose form no pattern above has: bookings ("short"), and words with figures or of many
    parts ("opaque"): `XK7P2Q`, `subnet-0a1b2c3d4e`, `prod-main-7`.
    """
    words = text.split() if DIGIT.search(text) else []
    return chain.from_iterable(map(_opaque_of if _are_short(words) else _opaque, words))


@lru_cache(MAX_WORDS)
def _opaque_of(word: str) -> tuple[tuple[str, str], ...]:
    return tuple(_opaque(word))


def _opaque(word: str) -> Iterator[tuple[str, str]]:
    if not DIGIT.search(word):
        return
    yield from (("short", match[0]) for match in SHORT.finditer(word))
    for match in OPAQUE.finditer(word):
        digits = sum(sign.isdecimal() for sign in match[0])
        parts = match[0].count("-") + 1 if digits else 0
        if len(match[0]) >= 8 and max(digits, parts) >= MIN_DIGITS and not is_date(match[0]):
            yield "opaque", match[0]


def is_date(text: str) -> bool:
    """Whether a text begins as a date in figures does."""
    return bool(DATE.match(text))


def find_quantities(text: str) -> Iterator[str]:
    """Numbers with their units, in order, as written: "37 seconds", "1.5 GB", "80 %"."""
    for match in QUANTITY.finditer(text):
        yield match[0]
