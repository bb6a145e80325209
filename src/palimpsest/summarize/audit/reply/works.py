"""Whether a text is laid out as a piece of work: a letter, a table, code, or what bears the name of what was asked for.

Rules kept here:

- A letter calls somebody in a line of its own, which no sentence ends, and goes on in the next; or it closes with a
  line or two, of words that nobody said. No word of any language is needed to see either.
- A title made of the newest request's words is that of what was asked for: a summary tells of more than that.
- A table alone tells of nothing, nor do lines of code, nor what ends as a statement does and has no sentence.
- Under a heading of a summary the lines from such a call on are a draft, up to the next mark of a list. So is a fence
  with a name that nobody said and no line that stands in the source.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Sequence
from itertools import pairwise

from palimpsest.patterns import later
from palimpsest.summarize.alike import Known
from palimpsest.summarize.audit.languages import LITTLE
from palimpsest.summarize.audit.reply.addressed import LABELLED
from palimpsest.summarize.audit.told import OF_USER, ORDINARY
from palimpsest.summarize.forms import FORMS, fenced_lines
from palimpsest.summarize.sentences import terms
from palimpsest.summarize.spoken.cues import is_code

CALL_WORDS, CALL_SIGNS = 7, 16
"""A line up to so many words, or signs of a script without spaces, may call somebody or close a letter."""
CALL_LINES = 3
"""Of so many first lines one calls somebody: before it may stand what the letter is about."""
CLOSING_LINES = 2
TITLE_WORDS, TITLE_SHARE = 10, 0.5
"""A title of up to so many words, of which this share is the newest request's."""
LEAST_LINES = 2
LINE_CHARS, LEAST_CHARS = 8, 3
"""A shorter line of code may stand anywhere, and so may a name up to so many letters."""

_MARK = later(r"\s{0,12}(?:[-*•+>]|\d{1,3}[.)]|\[[ x]\])\s|\s{0,3}#|\s{0,8}[|`]")
"""What begins an item of a list, a heading, a table or code."""
_CALLS, _CALLS_BY_COLON = (",", "，", "、", "!", "！"), (":", "：")
_ENDED = later(r"[.!?。！？…][\"'”»」)）]{0,2}$")
_STATED = later(r"\d|[=(){}<>\\/_]|[.;:。；：](?=\s|$)")
"""What no call and no closing has: a figure, code, or an end of a sentence."""
_UNSPACED = later(r"[\u2e80-\u9fff\uac00-\ud7af]")
_LETTERED, _NAME = later(r"[^\W_]"), later(r"[^\W\d_]\w*")
_STATEMENT_ENDS = (";", "}")
_FENCE = ("```", "~~~")
_EMPTY_FENCE = later(r"^[ \t]{0,8}(```|~~~)[^`\n]{0,40}\n(?:[ \t]*\n)*[ \t]{0,8}\1[ \t]*$\n?", re.MULTILINE)


def laid_out(text: str, asked: str, words: Collection[str]) -> bool:
    """Whether a whole reply is a letter, a table, code, or bears the name of what was `asked` for last; `words` are all
    that its source has.
    """
    rows = [line.rstrip() for line in text.splitlines()]
    lines = [line.strip() for line in rows if line.strip()]
    if len(lines) < LEAST_LINES:
        return False
    known = Known(words)
    return (
        all(line.startswith("|") for line in lines)
        or _is_code_below(rows)
        or any(_calls(line, below, rows, known) for line, below in list(pairwise(lines))[:CALL_LINES])
        or _closes(rows, known)
        or _is_named(lines[0], asked)
    )


def _calls(line: str, below: str, rows: Sequence[str], known: Known) -> bool:
    """Whether a line calls somebody, and words stand below: it ends with a comma, or with a colon where the whole also
    closes as a letter.
    """
    if _MARK.match(below) or not line.endswith((*_CALLS, *_CALLS_BY_COLON)) or not _is_short(line[:-1]):
        return False
    return line.endswith(_CALLS) or _closes(rows, known)


def _is_short(line: str) -> bool:
    """Whether a line can be a call or a closing."""
    words = len(_UNSPACED.findall(line)) if _UNSPACED.search(line) else len(line.split())
    most = CALL_SIGNS if _UNSPACED.search(line) else CALL_WORDS
    return 0 < words <= most and not _MARK.match(line) and not _STATED.search(line)


def _closes(rows: Sequence[str], known: Known) -> bool:
    """Whether a text ends with a line or two that stand apart, end no sentence, and begin with words that nobody said,
    behind one that ends with a sentence.
    """
    body = list(rows)
    while body and not body[-1].strip():
        body.pop()
    gap = next((at for at in range(len(body) - 1, 0, -1) if not body[at].strip()), 0)
    closing, before = body[gap + 1 :], [line for line in body[:gap] if line.strip()]
    if not gap or not before or not 0 < len(closing) <= CLOSING_LINES or _MARK.match(before[-1]):
        return False
    short = all(_is_short(line.rstrip(",，!")) and not _ENDED.search(line) for line in closing)
    said = _content(closing[0])
    return short and bool(_ENDED.search(before[-1])) and not known.of(said)


def _is_named(title: str, asked: str) -> bool:
    """Whether a first line is a title made of the newest request's words."""
    if _ENDED.search(title) or LABELLED.match(title) or OF_USER.search(title) or _MARK.match(title):
        return False
    own = {word for word in _content(title) if not word.isdigit()}
    named = Known(set(terms(asked))).of(own)
    return 0 < len(own) <= TITLE_WORDS and len(named) >= TITLE_SHARE * len(own)


def _is_code_below(rows: Sequence[str]) -> bool:
    """Whether a text begins with a line of code, and all others are code or stand indented below one; or it ends as a
    statement does, and none of its lines as a sentence.
    """
    lines = [line for line in rows if line.strip()]
    if lines[-1].endswith(_STATEMENT_ENDS) and not any(
        _ENDED.search(line) or _MARK.match(line) for line in lines
    ):
        return True
    return is_code(lines[0].strip()) and all(line[0].isspace() or is_code(line.strip()) for line in lines)


def drafts(text: str, source: str, known: Known) -> Iterator[str]:
    """The lines under headings of a reply that are a draft, or code of nobody's; `known` are the words of the
    `source`.
    """
    for heading, lines in FORMS["sections"].parse(text):
        if heading:
            fenced = fenced_lines(lines)
            yield from _draft([line for at, line in enumerate(lines) if at not in fenced and line.strip()])
            yield from _code(lines, fenced, source, known)


def _draft(lines: Sequence[str]) -> Iterator[str]:
    """The lines from one on that calls somebody, and the plain one above it that says what the letter is about."""
    begun = False
    for above, line, below in zip(("", *lines), lines, (*lines[1:], "- "), strict=False):
        plain = line.strip()
        if _MARK.match(line):
            begun = False
        elif not begun and plain.endswith((*_CALLS, *_CALLS_BY_COLON)):
            begun = _is_short(plain[:-1]) and not _MARK.match(below)
            if begun and above and not _MARK.match(above):
                yield above.strip()
        if begun:
            yield plain


def _code(lines: Sequence[str], fenced: Collection[int], source: str, known: Known) -> Iterator[str]:
    """The lines of fences with a word that nobody said, of which no longer line stands in the source."""
    block: list[str] = []
    for at in range(len(lines) + 1):
        if at in fenced:
            block.append(lines[at].strip())
            continue
        body = [line for line in block if line and not line.startswith(_FENCE)]
        names = {word for line in body for word in _NAME.findall(line) if len(word) > LEAST_CHARS}
        new = any(name not in source and not (name.isalpha() and known.of([name.lower()])) for name in names)
        if new and not any(line in source for line in body if len(line) >= LINE_CHARS):
            yield from body
        block = []


def without_lines(text: str, gone: Collection[str]) -> str:
    """The text without lines, and without fences that nothing is left in; what is no whole line goes as a sentence of
    one.
    """
    if not gone:
        return text
    whole = {line.strip() for line in text.splitlines()}.intersection(gone)
    lines: list[str] = []
    for line in text.splitlines():
        kept = "" if line.strip() in whole else line
        for one in gone if kept else ():
            kept = kept if one in whole else kept.replace(one, "")
        if kept == line or _LETTERED.search(kept):
            lines.append(kept if kept == line else kept.rstrip())
    return _EMPTY_FENCE.sub("", "\n".join(lines))


def _content(text: str) -> set[str]:
    return set(terms(OF_USER.sub(" ", text))) - LITTLE - ORDINARY
