"""What people said in a source, as its notes tell it, and of how much of that a reply says nothing.

Rules kept here:

- A reply in other words tells a note where it has some of its words anywhere; of one that has hardly any it says
  nothing. A full summary leaves out a few notes; one that fills few of its form's headings and says nothing of most
  notes has left out what it should tell.
- What the user answered is told with what it answers, as a decision; what is left to do, as that; what an assistant
  told of a failure, or of what is ruled out, as an error; anything else, as progress. It is said who said it.
- Of too many, the newest comes first, then what the user said, then failures, the newest before the others.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Sequence

from palimpsest.patterns import later
from palimpsest.summarize.alike import with_forms
from palimpsest.summarize.audit.languages import LITTLE
from palimpsest.summarize.audit.told import FAILED, NONE_FAILED, REMAINS
from palimpsest.summarize.cut import Count
from palimpsest.summarize.extractive.notes import leans
from palimpsest.summarize.forms import Form
from palimpsest.summarize.sentences import sentences, terms
from palimpsest.summarize.source import Source

TOLD_SHARE = 1 / 3
"""A note of which fewer words stand in a text, in any form, is not told there."""
WHOLE_SHARE = 0.8
"""In a thin text, a note is told where so many of its words are."""
TELLING_TERMS = 3
"""A note of fewer words says nothing by itself."""
MISSED_SHARE, LEAST_MISSED = 0.5, 4
"""A text that tells less than this share of the notes, and misses so many, is thin ..."""
FEW_SHARE = 0.5
"""... where it has fewer than this share of its form's headings."""
LINE_TOKENS, HEADING_TOKENS = 3, 6
SAID_CHARS = 240
"""What the user said in more is told by other rules."""
USER, ASSISTANT = "user: ", "assistant: "
_FIGURE = later(r"(?<![\w./-])\d{1,12}(?:[.,:]\d{1,12}){0,3}(?![\w/-])")
_NAMED = later(
    r"(?<![A-Za-z0-9])(?:[A-Z][A-Za-z0-9]*[A-Z0-9][A-Za-z0-9]*|[A-Za-z]+[-_.]?\d[\w-]*)(?![A-Za-z0-9])"
)
"""A name by its form: in capitals, or with figures."""
_DENIALS = frozenset(("not", "never", "cannot", "can't", "未"))
"""Words that a failure is told with, and much else."""
_ASKS = ("?", "？")
RULES_OUT = later(
    r"\b(?:rul(?:e|ed|ing) (?:\w+ ){0,4}out|reject(?:s|ed)?|discard(?:s|ed)?|decid(?:e|ed) against|gave up|"
    r"schließ\w* [^.;]{0,40}\baus|ausgeschlossen|verworfen|verwerf\w*|écart(?:e|é)\w*|exclu[st]?e?|descart\w+|scart\w+|"
    r"esclu[sd]\w*|исключ\w+|отверг\w+|отклон\w+)\b|排除|放弃|否决|却下|除外|見送|제외|배제|기각",
    re.IGNORECASE,
)
"""How it is told that a way, or a cause, was given up."""


def telling(notes: Sequence[str]) -> tuple[str, ...]:
    """The notes of what people and models said that say something."""
    return tuple(
        one for one in notes if one.startswith((USER, ASSISTANT)) and len(_words(one)) >= TELLING_TERMS
    )


def missed(text: str, notes: Sequence[str], share: float = TOLD_SHARE) -> list[str]:
    """The notes of which a text has fewer words than a share: by itself, it says nothing of them."""
    known = set(terms(text))
    return [one for one in notes if len(with_forms(_words(one), known)) < share * len(_words(one))]


def unsaid_of(source: Source, text: str) -> Iterator[str]:
    """What the user said with a name that a text does not tell, in the order it was said; no request that is open."""
    known = text.lower()
    for said in source.requests if source.answered else source.requests[:-1]:
        lines = " ".join(said.split())
        named = [name for name in _NAMED.findall(lines) if name.lower() not in known]
        if named and len(lines) <= SAID_CHARS and not lines.endswith(_ASKS):
            yield f"{USER}{lines}"


def one_by_one(notes: Sequence[str]) -> tuple[str, ...]:
    """The notes sentence by sentence, each with its speaker."""
    parted = (one.partition(": ")[::2] for one in notes)
    return telling([f"{speaker}: {one}" for speaker, said in parted for one in sentences(said)])


def is_thin(text: str, notes: Sequence[str], form: Form) -> bool:
    """Whether a text has few of its form's headings and says nothing of most notes."""
    if "Progress" not in form.headings or len(form.filled(text)) >= FEW_SHARE * len(form.headings):
        return False
    lost = len(missed(text, notes))
    return lost >= LEAST_MISSED and lost > MISSED_SHARE * len(notes)


def traced(
    lost: set[str], notes: Sequence[str], form: Form, present: Iterable[str], room_tokens: int, count: Count
) -> list[tuple[str, str]]:
    """(heading, line) of the best of the notes that are lost, in the order they were said, with the headings that they
    need beside those that are present. An answer comes with what it answers.
    """
    found = [(at, *one) for at, one in enumerate(_exchanges(notes, form)) if not lost.isdisjoint(one[1][-1:])]
    newest = found[-1][0] if found else 0
    order = sorted(
        found, key=lambda one: (one[0] != newest, not _is_said(one[2]), one[1] == "Progress", -one[0])
    )
    homes = set(present)
    taken: list[tuple[int, str, list[str]]] = []
    for at, home, lines in order:
        cost = sum(count(line) + LINE_TOKENS for line in lines) + HEADING_TOKENS * (home not in homes)
        if cost <= room_tokens:
            room_tokens -= cost
            homes.add(home)
            taken.append((at, home, lines))
    return [(home, line) for _, home, lines in sorted(taken) for line in lines]


def untold_progress(text: str, notes: Sequence[str], form: Form) -> list[str]:
    """The sentences of notes that belong under progress, and that a text without that heading does not tell; none where
    it says something of all but a few of them elsewhere.
    """
    if "Progress" not in form.headings or "Progress" in {heading for heading, _ in form.parse(text)}:
        return []
    parts = one_by_one(notes)
    every = of_headings(parts, parts, form, ("Progress",))
    half = {*missed(text, every, MISSED_SHARE)}
    figures = {*_FIGURE.findall(text)}
    lost = [one for one in every if one in half or not figures.issuperset(_FIGURE.findall(one))]
    return lost if max(len(missed(text, every)), len(lost) - 1) >= LEAST_MISSED else []


def of_headings(
    lost: Iterable[str], notes: Sequence[str], form: Form, headings: Collection[str]
) -> list[str]:
    """Those of the notes that are lost which belong under one of the headings."""
    homes = {line: home for home, lines in _exchanges(notes, form) for line in lines}
    return [one for one in lost if homes.get(one) in headings]


def _exchanges(notes: Sequence[str], form: Form) -> list[tuple[str, list[str]]]:
    """The notes under their headings, an answer together with what it answers, and a question only with its answer."""
    found: list[tuple[str, list[str]]] = []
    asked = ""
    for line in notes:
        alone = found[-1][1] if found and len(found[-1][1]) == 1 else []
        if line.startswith(USER) and line.endswith(_ASKS):
            asked = line
            continue
        if not asked and REMAINS.search(line.partition(": ")[2]):
            found.append((form.homes["Open tasks"], [line]))
            continue
        if asked and line.startswith(USER):  # it belongs to the question, and answers nothing
            found.append(("Progress", [line]))
            continue
        if asked and line.startswith(ASSISTANT):
            found.append(("Progress", [asked, line]))
        elif line.startswith(USER) and leans(line.removeprefix(USER)) and alone and not _is_said(alone):
            found[-1] = (form.homes["Decisions"], [*alone, line])
        else:
            fails = line.startswith(ASSISTANT) and (tells_failure(line) or bool(RULES_OUT.search(line)))
            found.append((form.homes["Errors"] if fails else "Progress", [line]))
        asked = ""
    return found


def _is_said(lines: Sequence[str]) -> bool:
    """Whether the user speaks in one of the lines."""
    return any(line.startswith(USER) for line in lines)


def tells_failure(line: str) -> bool:
    """Whether a line tells that something failed."""
    told = {match[0].lower() for match in FAILED.finditer(line)} - _DENIALS
    return bool(told) and not NONE_FAILED.search(line)


def _words(note: str) -> frozenset[str]:
    return frozenset(terms(note.partition(": ")[2])) - LITTLE
