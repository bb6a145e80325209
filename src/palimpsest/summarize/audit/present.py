"""What was told as left out is there after the repair, and no goal stands twice.

Rules kept here:

- A heading that was told as left out is there, though what belongs under it was said elsewhere by now: a line that was
  added under another heading moves, where that one keeps a line; else one line names it.
- What says no more than a line of the user's own words under the same goal goes; so does the second of two lines that
  are the same.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence

from palimpsest.summarize.alike import with_forms
from palimpsest.summarize.audit.audit import Grounds, audit
from palimpsest.summarize.cut import Count
from palimpsest.summarize.forms import Form, written
from palimpsest.summarize.ledger.entries import normal
from palimpsest.summarize.sentences import terms
from palimpsest.summarize.traces import ASSISTANT, USER, of_headings, one_by_one

_MARKS = "-*• \t"


def with_sections(
    text: str,
    dropped: Sequence[str],
    added: Collection[str],
    grounds: Grounds,
    limit_tokens: int,
    count: Count,
) -> tuple[str, list[str]]:
    """The text of fewer than `limit_tokens` tokens with each of the headings that were told as left out, as far as
    anything is known that belongs there; and the lines that were put there. `added` are lines that rules have put in.
    """
    told: list[str] = []
    for heading in dropped:
        if heading in {one for one, _ in grounds.shape.parse(text)}:
            continue
        for line in _belonging(heading, grounds):
            more = _with_line(text, heading, line, {normal(one) for one in added}, grounds.shape)
            if count(more) < limit_tokens and _is_sound(line, more, grounds):
                text = more
                told.append(line)
                break
    return text, told


def without_doubles(text: str, added: Collection[str], form: Form) -> str:
    """The text without what stands twice under its goal; `added` as in `with_sections`."""
    goal = form.homes.get("Goal", "")
    parsed = form.parse(text)
    whole = {normal(one): frozenset(terms(one)) for one in added}
    again = False
    for heading, lines in parsed:
        if heading and heading == goal:
            kept = list(_each_once(lines, whole))
            again = again or len(kept) < len(lines)
            lines[:] = kept
    return written(parsed) if again else text


def _each_once(lines: Sequence[str], whole: dict[str, frozenset[str]]) -> Iterator[str]:
    here = {form: words for form, words in whole.items() if form in {normal(_bare(one)) for one in lines}}
    said = set[str]()
    for at, line in enumerate(lines):
        form, own = normal(_bare(line)), set(terms(line))
        leads = at + 1 < len(lines) and _indent(lines[at + 1]) > _indent(line)
        held = any(other != form and len(with_forms(own, words)) == len(own) for other, words in here.items())
        if not form or leads or not (form in said or (own and held)):
            yield line
        said.add(form)


def _belonging(heading: str, grounds: Grounds) -> Iterator[str]:
    """What is known that belongs under a heading, what was told apart first."""
    homes = grounds.shape.homes
    yield from (line for section, line in grounds.apart if homes.get(section) == heading)
    for section, lines in grounds.facts.items():
        if homes.get(section) == heading:
            yield from lines
    notes = one_by_one(grounds.notes)
    yield from reversed(of_headings(notes, notes, grounds.shape, (heading,)))


def _with_line(text: str, heading: str, line: str, added: Collection[str], form: Form) -> str:
    """The text with a line under a heading, moved there where rules have put it under another that has more lines."""
    parsed = form.parse(text)
    own = normal(line.removeprefix(USER).removeprefix(ASSISTANT))
    for _, lines in parsed:
        at = next((at for at, one in enumerate(lines) if normal(_bare(one)) == own), None)
        if at is not None and own in added and sum(map(bool, map(str.strip, lines))) > 1:
            line = _bare(lines.pop(at))
            break
    form.insert(parsed, heading, [f"- {line}"])
    return written(parsed)


def _is_sound(line: str, text: str, grounds: Grounds) -> bool:
    """Whether a line would not be found wrong in a reply."""
    found = audit(text, grounds, whole=False)
    bad = (*found.planted, *found.unfounded, *(said for said, _ in found.untrue), *found.mixed)
    return not any(it.lstrip(_MARKS) in line or line in it for it in bad)


def _bare(line: str) -> str:
    return line.strip().lstrip(_MARKS)


def _indent(line: str) -> int:
    return len(line) - len(line.lstrip())
