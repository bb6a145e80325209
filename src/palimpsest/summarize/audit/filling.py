"""What was said and a reply leaves out, put into what is left of it.

Rules kept here:

- A thin reply gets the best of the notes, one without its progress those that belong there, and one of which parts were
  in another language those that tell what these told.
- A reply that left out several sections gets what is exact and stands nowhere, as far as its target goes: what is
  open first, then what the user said, the newest before the others. One with all its sections does not grow.
- A heading that was told as left out is there in the end, though what belongs under it was said elsewhere by now: a
  line that was added under another heading moves, where that one keeps a line; else one line names it.
- What says no more than a line of the user's own words under the same goal goes; so does the second of two lines that
  are the same.
- Nothing that would be wrong in a reply is added.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence

from palimpsest.summarize.alike import with_forms
from palimpsest.summarize.audit.audit import Findings, Grounds, audit
from palimpsest.summarize.audit.details import FEW_HEADINGS, Detail, unsaid
from palimpsest.summarize.audit.left_out import left_out
from palimpsest.summarize.cut import Count
from palimpsest.summarize.forms import Form, written
from palimpsest.summarize.ledger.entries import normal
from palimpsest.summarize.sentences import terms
from palimpsest.summarize.traces import (
    ASSISTANT,
    HEADING_TOKENS,
    LINE_TOKENS,
    TOLD_SHARE,
    USER,
    WHOLE_SHARE,
    missed,
    of_headings,
    one_by_one,
    traced,
    unsaid_of,
    untold_progress,
)

STRUCK_TIMES = 2
"""Of what was struck in another language, so much room is given to what was said of it: who said it is told as well."""
_MARKS = "-*• \t"
MAX_EXACT = 12
"""Sentences with something exact that are added at most."""


def with_notes(
    text: str,
    reply: str,
    left: str,
    findings: Findings,
    grounds: Grounds,
    room_tokens: int,
    count: Count,
) -> tuple[str, list[str]]:
    """The text with the notes that what is left of a reply does not tell: of a thin one, and of the progress of one
    without any, as many as there is room for; where what was in another language was struck, those that share a name
    with it, in about its room, and where that was all of a section, in its place. Nothing that would be wrong in a
    reply is added.
    """
    form = grounds.shape
    spare_tokens = room_tokens
    struck = bool(findings.foreign or findings.mixed)
    silent = "Progress" in findings.dropped and not struck
    half = [one for one in left_out(text, grounds.apart, form) if one[0] == "Progress"]
    apart = [one for one in left_out(text, grounds.apart, form, WHOLE_SHARE) if one[0] in findings.dropped]
    apart.extend(one for one in half if one not in apart)
    if not (findings.untold or struck or silent or apart) or "Progress" not in form.headings:
        return text, []
    notes = grounds.notes if findings.untold else one_by_one(grounds.notes)
    lost = missed(left, notes, WHOLE_SHARE if findings.untold else TOLD_SHARE)
    if silent and not findings.untold:
        lost = untold_progress(left, notes, form)
    elif not findings.untold and not struck:
        lost = []
    elif not findings.untold:
        lost, again = _of_struck(lost, notes, reply, left, findings, grounds)
        apart.extend(one for one in again if one not in apart)
        room_tokens = min(room_tokens, STRUCK_TIMES * (count(reply) - count(left)))
    present = [heading for heading, _ in form.parse(text)]
    told = traced({*lost}, notes, form, present, room_tokens, count)
    gone_headings = [one for one in findings.foreign if one not in present]
    if len(gone_headings) == 1 and not findings.untold:
        told = [(gone_headings[0], line) for _, line in told]
    own = {line: home for home, line in apart}
    told = [(own.get(line, home), line) for home, line in told]
    spare_tokens -= sum(count(line) + LINE_TOKENS for _, line in told)
    for home, line in apart:
        homes = {*present, *(one for one, _ in told)}
        cost = count(line) + LINE_TOKENS + HEADING_TOKENS * (home not in homes)
        if cost <= spare_tokens and line not in {it for _, it in told}:
            spare_tokens -= cost
            told = [*told, (home, line)]
    sound = _sound(text, told, grounds)
    return _noted(text, sound, form) if sound else text, [line for _, line in sound]


def with_details(
    text: str, findings: Findings, grounds: Grounds, room_tokens: int, count: Count
) -> tuple[str, list[str]]:
    """The text with what is exact and stands neither in it nor beside it, where its reply left out several sections."""
    form = grounds.shape
    partly = findings.unsaid or findings.untold or findings.foreign or findings.mixed
    if "Progress" not in form.headings or not (partly or len(findings.dropped) >= FEW_HEADINGS):
        return text, []
    lost = unsaid(f"{text}\n{grounds.beside}", grounds.details)
    order = {one.line: at for at, one in enumerate(lost)}
    lost.sort(key=lambda one: (one.speaker != "tool", not one.open, one.speaker != "user", -order[one.line]))
    homes = {heading for heading, _ in form.parse(text)}
    told: list[tuple[str, str]] = []
    for one in lost[:MAX_EXACT]:
        home = _home(one, form)
        cost = count(one.line) + LINE_TOKENS + HEADING_TOKENS * (home not in homes)
        if cost <= room_tokens:
            room_tokens -= cost
            homes.add(home)
            told.append((home, one.line))
    told.sort(key=lambda one: order[one[1]])
    sound = _sound(text, told, grounds)
    return _noted(text, sound, form) if sound else text, [line for _, line in sound]


def _home(one: Detail, form: Form) -> str:
    """The heading under which a detail belongs."""
    return form.homes["Open tasks"] if one.open and one.speaker != "tool" else "Progress"


def _sound(text: str, told: Sequence[tuple[str, str]], grounds: Grounds) -> list[tuple[str, str]]:
    """Those of (heading, line) that would not be wrong in a reply."""
    sound = _sound_in(_noted(text, told, grounds.shape), [line for _, line in told], grounds) if told else ()
    return [one for one in told if one[1] in sound]


def _sound_in(text: str, lines: Sequence[str], grounds: Grounds) -> list[str]:
    """Those of the lines of a text that would not be found wrong in a reply."""
    found = audit(text, grounds, whole=False)
    bad = (*found.planted, *found.unfounded, *(said for said, _ in found.untrue), *found.mixed)
    return [one for one in lines if not any(it.lstrip(_MARKS) in one or one in it for it in bad)]


def _of_struck(
    lost: Sequence[str], notes: Sequence[str], reply: str, left: str, findings: Findings, grounds: Grounds
) -> tuple[list[str], list[tuple[str, str]]]:
    """Those of the notes that tell what was struck in another language: they share a name or a number with it that is
    told nowhere else; where none does, those that are lost and belong under its headings. And (heading, line) of what
    was told apart that belongs there and is not told whole, and of what the user said with a name that is told nowhere,
    for a line that shares nothing with any note.
    """
    form = grounds.shape
    struck = [
        (heading, line)
        for heading, lines in form.parse(reply)
        for line in lines
        if heading in findings.foreign or line.strip() in findings.mixed
    ]
    told = set(terms(left))
    homes = {heading for heading, _ in struck}
    again = [(form.homes.get(section, ""), line) for section, line in grounds.apart]
    whole = {*missed(left, [line for _, line in again], WHOLE_SHARE)}
    again = [one for one in again if one[0] in homes and one[1] in whole]
    gone = set(terms("\n".join(line for _, line in struck))) - told
    shared = {one: len(gone.intersection(terms(one))) for one in lost}
    near = [one for one in lost if shared[one] and 2 * shared[one] >= max(shared.values())]
    said = list(unsaid_of(grounds.source, left))
    for heading, line in struck:
        own = set(terms(line)) - told
        ours = {one: with_forms(own, set(terms(one)) - told) for one in notes}
        most = max(map(len, ours.values()), default=0)
        if not most and said:
            again.append((heading, said.pop()))
        sure = [one for one, words in ours.items() if len(words) == most and (most > 1 or _has_figure(words))]
        near.extend(one for one in sure[-1:] if one not in near)
    return near or of_headings(lost, notes, form, homes), again


def _has_figure(words: Iterable[str]) -> bool:
    return any(word.isdecimal() for word in words)


def _noted(text: str, told: Sequence[tuple[str, str]], form: Form) -> str:
    parsed = form.parse(text)
    for heading in dict.fromkeys(heading for heading, _ in told):
        form.insert(parsed, heading, [f"- {line}" for home, line in told if home == heading])
    return written(parsed)


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
            if count(more) < limit_tokens and _sound_in(more, [line], grounds):
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


def _bare(line: str) -> str:
    return line.strip().lstrip(_MARKS)


def _indent(line: str) -> int:
    return len(line) - len(line.lstrip())
