"""Whether a reply can be a summary, by its structure, never by its meaning.

A reply is refused if it has one word besides its headings, none of the requested headings, more of its prompt or facts
than text of its own, many repetitions, or a script that nobody in the conversation uses.
"""

from __future__ import annotations

import re
import unicodedata
import zlib
from collections import Counter
from collections.abc import Iterable
from functools import lru_cache

from palimpsest.lazy_regex import later
from palimpsest.summarize.summary_formats import Form
from palimpsest.text.terms import terms

COPIED_SHARE = 0.5
"""A reply is a copy if more than this share of its lines is in its prompt, or in the facts."""
LEAST_COPIED_WORDS = 5
"""Shorter lines are no copies."""
LEAST_PAIRS = 3
"""In scripts without spaces, fewer pairs of neighbouring characters are one word."""
REPEATED_SHARE, LEAST_LINES = 0.5, 8
"""A text repeats itself if more than this share of so many or more lines repeat another."""
LEAST_PACKED_BYTES, MOST_PACKING = 600, 9.0
"""A text of so many bytes that compresses by more than this factor repeats itself. Ordinary text compresses two to four
times, lists of files six times."""
SCRIPT_SHARE, LEAST_LETTERS = 0.2, 20
"""The least share and number of letters of a script to count."""
SAMPLE_CHARS = 200_000
"""Characters of a source that are examined for scripts, from both ends."""

_WORD = later(r"\w+")
_HEADING = later(r"^[ \t]{0,8}#[^\n]*", re.MULTILINE)
_MARKED = later(r"^#{1,4} {0,3}\S", re.MULTILINE)
"""A heading of any words: a reply in another language may have translated those that were asked for."""
_SPACES = later(r"\s+")


def fault_of(text: str, form: Form, prompt: str, facts: str, context: Iterable[str], *, formed: bool) -> str:
    """Why a reply is no summary, "" if it may be one.

    `formed`: headings were requested. `context` is everything that people and tools wrote in the source, and the
    instructions.
    """
    said = _HEADING.sub("", text[:400])
    if len(_WORD.findall(said)) < 2 and len(terms(said)) < LEAST_PAIRS:
        return "one word alone"
    if formed and not any(heading for heading, _ in form.parse(text)) and len(_MARKED.findall(text)) < 2:
        return "it has none of the headings that were asked for"
    if repeats(text):
        return "it says the same over and over"
    if _copied(text, prompt) > COPIED_SHARE:
        return "it repeats its prompt"
    if facts and _copied(text, facts) > COPIED_SHARE:
        return "it repeats the facts that it was given"
    strange = strange_script(text, context)
    return f"it is written in {strange} script, which nobody here uses" if strange else ""


def repeats(text: str) -> bool:
    """Whether a text repeats itself."""
    lines = [flat for line in text.splitlines() if (flat := _flat(line))]
    if len(lines) >= LEAST_LINES and len(lines) - len(set(lines)) > REPEATED_SHARE * len(lines):
        return True
    packed = text.encode("utf-8", "replace")
    return len(packed) >= LEAST_PACKED_BYTES and len(packed) > MOST_PACKING * len(zlib.compress(packed, 6))


def without_copied(text: str, prompt: str) -> tuple[str, tuple[str, ...]]:
    """A text without the lines that are copied from the prompt, and these lines."""
    known = _lines_of(prompt)
    kept: list[str] = []
    gone: list[str] = []
    for line in text.splitlines():
        heading, colon, _ = line.partition(":")
        if not _is_copied(line, known):
            kept.append(line)
            continue
        gone.append(line)
        if colon and line.startswith("#"):
            kept.append(heading)
    return ("\n".join(kept), tuple(gone)) if gone else (text, ())


def _copied(text: str, given: str) -> float:
    """The share of a text's characters that are in copied lines."""
    known = _lines_of(given)
    lines = [line for line in text.splitlines() if line.strip() and not line.lstrip().startswith("#")]
    whole = sum(map(len, lines))
    return sum(len(line) for line in lines if _is_copied(line, known)) / whole if whole else 0.0


def _is_copied(line: str, known: frozenset[str]) -> bool:
    return len(terms(line)) >= LEAST_COPIED_WORDS and _flat(line) in known


@lru_cache(8)
def _lines_of(given: str) -> frozenset[str]:
    """The lines of a text, and their parts after a colon, in the form in which lines are compared."""
    lines = [line for line in given.splitlines() if line.strip()]
    return frozenset(_flat(part) for line in lines for part in (line, line.partition(":")[2]) if part.strip())


def _flat(line: str) -> str:
    return _SPACES.sub(" ", line).strip(" -*#\t").casefold()


def strange_script(text: str, context: Iterable[str]) -> str:
    """A script of a large part of a text that is not in its context; "" for none."""
    own = scripts(text)
    letters = own.total()
    many = [one for one, times in own.items() if times >= max(LEAST_LETTERS, SCRIPT_SHARE * letters)]
    if not many or many == ["LATIN"]:
        return ""
    known = set[str]()
    for one in context:
        known.update(scripts(one))
    return next((one for one in many if one not in known and one != "LATIN"), "")


def scripts(text: str) -> Counter[str]:
    """How many letters of each script a text has, by the first word of their Unicode names."""
    if len(text) > SAMPLE_CHARS:
        text = text[: SAMPLE_CHARS // 2] + text[-SAMPLE_CHARS // 2 :]
    if text.isascii():
        return Counter({"LATIN": sum(map(str.isalpha, text))})
    found: Counter[str] = Counter()
    for sign, times in Counter(text).items():
        if sign.isalpha():
            found[_script(sign)] += times
    return found


@lru_cache(8_192)
def _script(letter: str) -> str:
    name = unicodedata.name(letter, "OTHER").split(" ", 1)[0]
    return "CJK" if name in ("CJK", "KANGXI") else name
