"""What of a user's message was typed, and what was pasted into it.

Rules kept here:

- A message of a few lines is typed. In a longer one each paragraph of prose is, where most of the rest is what programs
  print: a request between two logs is nobody else's. Where the rest is prose as well, such as a letter or a page, only
  a short paragraph at its beginning or at its end is, if either speaks of what it stands beside ("this letter",
  "below:") or asks about it, or some paragraph is too long to be typed. Else all of it is a brief of the user's.
- In a message of any size nobody says what a program printed, or what was copied off a screen: frames and spinners,
  lines filled up with blanks, listings. A first line right above it is the user's.
- What somebody else said is known by the words before it that say whose it is ("the pilot wrote:", "from the letter:"):
  what stands in quotation marks behind them, and the paragraph below them where a question at the end asks for nothing.
  Behind any other colon it is the user who speaks.
- A paragraph of several lines, most of which are no words as people write them, was printed by a program, in a message
  of any length: what it forbids or demands is no wish of the user's. Lines of prose at its edges were typed.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import groupby
from operator import itemgetter

from palimpsest.patterns import later
from palimpsest.summarize.spoken.cues import is_code
from palimpsest.summarize.spoken.orders import QUESTIONS
from palimpsest.summarize.spoken.texts import BESIDE, OTHERS, OWN, RULED, SELF

TYPED_CHARS = 2_400
"""A longer message is taken to hold pasted text."""
PARAGRAPH_CHARS, EDGE_CHARS = 800, 400
"""A longer paragraph was pasted: beside what programs print, beside prose."""
PRINTED_SHARE = 0.5
LINES, LINE_CHARS = 12, 200
"""Lines of a paragraph that are looked at, and characters of each."""
SIGNS_SHARE, DIGITS_SHARE, PLAIN_LINES_SHARE = 0.1, 0.4, 0.8
"""A line of prose has fewer signs and digits; and most lines of a paragraph are such."""
MAX_LOOKED_AT = 24
"""Paragraphs that are looked at, from either end."""
FEW_LINES = 4
"""A message of so many lines is said as a whole, whatever it holds: `pending is 282832`."""
PRINTED_LINES, PRINTED_LINES_SHARE, LEAST_PRINTED = 3, 0.5, 2
"""A paragraph of so many lines, of which so many are no prose or have a label, was printed, if at least two are no
prose."""

_BLANK_LINES = r"\n[ \t\r]{0,40}(?:\n[ \t\r]{0,40})+"
_PARAGRAPHS, _GAP = later(_BLANK_LINES), later(f"({_BLANK_LINES})")
_MARKS = later(r"^(?:[-*•]|\d{1,2}[.)]|\[[ x]\])\s+|[`*\"']")
_LABEL = later(r"(?:\w+(?:\[\w+\])?:|[A-Z]{3,}\b|\S{0,80}[\\/=<>{}()\[\]]\S{0,80}[:=]) ?\S")
"""How a line begins that a program gave a label: `warning: unused variable`."""
_MACHINE = later(r"\[?\d{2,4}[-/:]\d\d[-/:T]\d|[+|]\s")
"""How a line begins that no hand began: with a time, as an addition, as a row of a table."""
_FEW_WORDS = later(r"[^\W\d_]{1,30}(?:[ '’-][^\W\d_]{1,30}){0,3}[.,:!?]?")
_SIGN = later(r"""[^\w\s.,;:!?'"’()„“”«»¿¡…、。！？；：，（）「」-]|_""")
_DIGIT = later(r"\d")
_SHOWN = later(
    r"[\u2500-\u259f\u2800-\u28ff]|[ \t]{4}\Z|\A\s{0,8}(?:[✓✔✕✖✗✘×]\s|[bcdlps-](?:[r-][w-][xsStT-]){3})"
)
"""What stands on a screen and nobody types: frames, spinners, filled lines, a program's marks, a listing of files."""
_QUOTES = later(
    r"(?<=[:：])\s?(?:\"[^\"]{20,2000}\"|'(?:[^']|'(?=\w)){20,2000}'(?!\w)|“[^”]{8,2000}”|„[^“”]{20,2000}[“”]|"
    r"«[^»]{20,2000}»|「[^」]{8,2000}」|『[^』]{8,2000}』)"
)
"""A saying, and no mere word, in quotation marks behind a colon."""
_SENTENCE_END = later(r"(?<=[.!?])\s|[\n。！？]")
_WORDS = later(r"\w\S*\s+\S+\s+\S|[^\x00-\x7f]{5}|[\u3040-\ud7ff][^\x00-\x7f]{2}")


def parted(text: str) -> tuple[str, str]:
    """A message as (what was typed, what was pasted): paragraphs in their order, "" for none."""
    if len(text) <= TYPED_CHARS:
        return text, ""
    paragraphs = [one for one in _PARAGRAPHS.split(text) if one.strip()]
    if not paragraphs:
        return "", ""
    looked_at = sorted({*range(len(paragraphs))[:MAX_LOOKED_AT], *range(len(paragraphs))[-MAX_LOOKED_AT:]})
    prose = {place for place in looked_at if is_prose(paragraphs[place])}
    sizes = {place: len(paragraphs[place]) for place in looked_at}
    if sum(sizes[place] for place in looked_at if place not in prose) >= PRINTED_SHARE * sum(sizes.values()):
        typed = {place for place in prose if sizes[place] <= PARAGRAPH_CHARS}
    elif len(prose) == len(paragraphs) and not _is_pasted([paragraphs[place] for place in looked_at]):
        return text, ""
    else:
        typed = {place for place in prose & {0, len(paragraphs) - 1} if sizes[place] <= EDGE_CHARS}
    own = (one for place, one in enumerate(paragraphs) if place in typed)
    rest = (one for place, one in enumerate(paragraphs) if place not in typed)
    return "\n\n".join(own), "\n\n".join(rest)


def _is_pasted(paragraphs: list[str]) -> bool:
    """Whether paragraphs of prose hold more than what their author typed."""
    edges = [paragraphs[0], paragraphs[-1]]
    return any(len(one) > PARAGRAPH_CHARS for one in paragraphs) or any(
        len(edge) <= EDGE_CHARS
        and (BESIDE.search(edge) or edge.rstrip().endswith((":", "：", "?", "？", "؟")))
        for edge in edges
    )


def spoken(typed: str, pasted: str) -> Iterator[tuple[str, bool]]:
    """The paragraphs of what was typed, and whether their author speaks in them: beside something pasted for certain
    only in the first and the last. Those of a kind that follow one another come together.
    """
    if typed.count("\n") < FEW_LINES and not pasted:
        yield typed, True
        return
    first, *rest = _PARAGRAPHS.split(typed.strip("\n"))
    line, _, below = first.partition("\n")
    heads = line.rstrip().endswith((":", "："))
    parts = (
        [first, *rest]
        if is_prose(first) or not below or not _is_said(line) or heads
        else [line, below, *rest]
    )
    speaks = [
        is_prose(part) and not (pasted and 0 < place < len(parts) - 1) for place, part in enumerate(parts)
    ]
    for own, group in groupby(zip(parts, speaks, strict=True), itemgetter(1)):
        yield "\n\n".join(part for part, _ in group), own


def is_prose(paragraph: str) -> bool:
    """Whether most lines of a paragraph are made of words, as people write them."""
    lines = [line for line in paragraph[: LINES * LINE_CHARS * 2].split("\n") if line.strip()][:LINES]
    plain = sum(_is_plain(line.strip()[:LINE_CHARS]) for line in lines if not _SHOWN.search(line))
    return bool(lines) and plain >= PLAIN_LINES_SHARE * len(lines)


def _is_plain(line: str) -> bool:
    return (
        _WORDS.search(line) is not None
        and not is_code(line)
        and len(_SIGN.findall(line)) <= SIGNS_SHARE * len(line)
        and len(_DIGIT.findall(line)) <= DIGITS_SHARE * len(line)
    )


def without_cited(text: str) -> tuple[str, str]:
    """A message without what in it somebody else said, and that."""
    quoted: list[str] = []
    own, start = list[str](), 0
    for match in _QUOTES.finditer(text):
        lead = _SENTENCE_END.split(text[max(0, match.start() - LINE_CHARS) : match.start()])[-1]
        if OTHERS.search(lead) and not (SELF.search(lead) or RULED.search(lead)):
            own.append(text[start : match.start()])
            start = match.end()
            quoted.append(match[0])
    lines = " ".join((*own, text[start:])).rstrip().split("\n")
    lead = next((place for place, line in enumerate(lines) if _leads(line)), len(lines))
    first = next((place for place in range(lead + 1, len(lines)) if lines[place].strip()), len(lines))
    ends = (
        place
        for place in range(first, len(lines))
        if not lines[place].strip() and not _lists_on(lines, place)
    )
    last = next(ends, len(lines) - 1)
    if last > first and len(lines) - lead > 2 and QUESTIONS.match(lines[-1]):
        quoted.extend(lines[first:last])
        del lines[first:last]
    return "\n".join(lines), "\n".join(quoted)


def _lists_on(lines: Sequence[str], place: int) -> bool:
    """Whether a blank line parts items of one list."""
    beside = (*lines[place - 1 : place], *lines[place + 1 : place + 2])
    return all(_MARKS.match(line.strip()) for line in beside)


def _leads(line: str) -> bool:
    """Whether a line says that what stands below it are somebody else's words."""
    lead = line.strip()[-LINE_CHARS:]
    return lead.endswith((":", "：")) and OTHERS.search(lead) is not None and not OWN.search(lead)


def without_printed(text: str) -> tuple[str, str]:
    """A message without the lines in it that a program printed, and these lines."""
    kept: list[str] = []
    printed: list[str] = []
    for place, part in enumerate(_GAP.split(text)):
        typed, rest = _typed_lines(part) if place % 2 == 0 else (part, "")
        kept.append(typed)
        printed.append(rest)
    return "".join(kept), "\n".join(filter(None, printed))


def _typed_lines(paragraph: str) -> tuple[str, str]:
    lines = paragraph.splitlines()
    told = [line for line in lines if line.strip()][: LINES * 2]
    printed = sum(not _is_worded(line) for line in told)
    unsaid = sum(not _is_said(line) for line in told) if printed >= LEAST_PRINTED else 0
    if len(told) < PRINTED_LINES or unsaid < PRINTED_LINES_SHARE * len(told):
        return paragraph, ""
    first, last = 0, len(lines)
    while first < last and _is_said(lines[first]):
        first += 1
    while last > first and _is_said(lines[last - 1]):
        last -= 1
    return "\n".join((*lines[:first], *lines[last:])), "\n".join(lines[first:last])


def _is_worded(line: str) -> bool:
    text = _MARKS.sub("", line.strip()[:LINE_CHARS])
    if _MACHINE.match(line.strip()) or _SHOWN.search(line) or "\t" in line.strip():  # a row of cells
        return False
    return _is_plain(text) or _FEW_WORDS.fullmatch(text) is not None


def _is_said(line: str) -> bool:
    return _is_worded(line) and not _LABEL.match(line.strip()[:LINE_CHARS])
