"""Choosing from what was gathered what a summary of a given size says.

Rules kept here:

- Where no ledger stands beside, what the user demanded comes before all else: his rules, and remarks that say no, when
  or how often, as far as the limit goes, which is beyond the size: what the only summary does not say is gone.
- Each section has a share of the size, so that a session full of paths still keeps its decisions. What one section
  leaves unused goes to the others, and the rest to the most central sentences.
- Costs are counted once for each line and added. The finished text is counted as a whole by the caller.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Generator, Mapping, Sequence
from dataclasses import replace

from palimpsest.summarize.cut import Count
from palimpsest.summarize.extractive.calls import Calls, in_short
from palimpsest.summarize.extractive.choice import (
    HEADING_TOKENS,
    LINE_TOKENS,
    STEP,
    Choice,
    Line,
    fit_request,
)
from palimpsest.summarize.extractive.gather import Gathered
from palimpsest.summarize.extractive.notes import choose_notes
from palimpsest.summarize.ledger.entries import Entry, Ledger, deed_of, normal, normal_all
from palimpsest.summarize.ledger.rank import Candidate, command_text, ranked, ranked_lines
from palimpsest.summarize.ledger.score import folders_above
from palimpsest.summarize.ledger.tree import file_entries, split_path
from palimpsest.summarize.ledger.words import remarks_in
from palimpsest.summarize.outcomes import only_looks
from palimpsest.summarize.sections import Section, command_entry, name_entries, parse_command
from palimpsest.summarize.sentences import terms
from palimpsest.summarize.spoken.cues import is_trivial
from palimpsest.summarize.spoken.remarks import LASTING_WEIGHT

SHARES: Mapping[Section, float] = {
    "Goal": 0.08,
    "Last request of this part": 0.10,
    "Constraints": 0.10,
    "Open tasks": 0.06,
    "Decisions": 0.12,
    "Files": 0.16,
    "Commands": 0.09,
    "Errors": 0.05,
    "Identifiers": 0.08,
}
"""Parts of the target, in the order in which they are served. What is left goes to the notes."""
TOLD_SHARE = 0.2
"""Of the target, where no ledger says it as well: for what the user told that demands nothing."""
RULES_SHARE = 0.5
"""Of the target, for the user's rules, where what else he told is not."""
DEMANDS_SHARE = 0.95
"""Of the limit, what a summary may take for the user's demands that are longer than its target."""
CALLS_SHARE = 0.5
"""Of the target, for commands, where tools did what is done twice by who does not know of it."""
OF_USER: tuple[Section, ...] = ("Constraints", "Also said by the user")
SPILL_SHARE = 0.5
"""Of what the sections left unused, this part is offered to those that have more to say, before the notes."""
SMALL_TOKENS = 80
SMALL_PARTS: Mapping[Section, int] = {"Goal": 2, "Last request of this part": 4}
"""Goal and newest request get this much even of a small target, but no more than such a part of it."""

_AMOUNT = re.compile(r"\W{0,3}\d[\d.,:]*\W{0,3}")


def choose(
    gathered: Gathered,
    *,
    size_tokens: int,
    focus: frozenset[str],
    count: Count,
    alone: bool = True,
    beside: bool = True,
    limit_tokens: int = 0,
) -> Generator[None, None, dict[Section, list[str]]]:
    """The lines of a summary of about `size_tokens` tokens, `alone` or beside a ledger; `beside` the rules what else
    the user told that holds on. With a limit it may be longer for what the user demanded. Yields None between steps.
    """
    choice = Choice(size_tokens)
    shares: dict[Section, int] = {section: int(share * size_tokens) for section, share in SHARES.items()}
    shares["Also said by the user"] = int(TOLD_SHARE * size_tokens)
    if alone and not beside:
        shares["Constraints"] = int(RULES_SHARE * size_tokens)
    if gathered.calls.done:
        shares["Commands"] = int(CALLS_SHARE * size_tokens)
    ledger = gathered.ledger
    _requests(gathered, choice, shares, count)
    yield
    lines: dict[Section, list[Line]] = {
        "Constraints": _lines(ranked_lines(ledger, "rule"), ledger, focus),
        "Also said by the user": _lines(remarks_in(ledger) if alone and beside else (), ledger, focus),
        "Open tasks": [Line(task, at) for at, task in enumerate(ledger.tasks if alone else ())],
        "Decisions": _lines(ranked_lines(ledger, "decision"), ledger, focus),
    }
    yield
    candidates = list(ranked(ledger))
    yield
    lines["Files"] = _files(candidates)
    lines["Commands"] = [
        *_calls(gathered.calls, shares["Commands"], count),
        *_commands(candidates, ledger, looking=alone),
    ]
    lines["Errors"] = _lines(ranked_lines(ledger, "error"), ledger, focus)
    yield
    lines["Identifiers"] = _names(candidates)
    yield
    taken: dict[Section, list[Line]] = {section: [] for section in lines}
    if alone and beside:
        most_tokens = max(size_tokens, int(DEMANDS_SHARE * limit_tokens))
        yield from _serve_demands(lines, taken, choice, most_tokens - size_tokens, count)
    for section in lines:
        yield from _serve(section, lines, taken, shares[section], choice, count)
    spill = int(SPILL_SHARE * max(0, choice.left_tokens - int((1 - sum(SHARES.values())) * size_tokens)))
    hungry: list[Section] = [section for section in lines if lines[section]]
    for section in hungry:
        yield from _serve(section, lines, taken, spill // len(hungry), choice, count)
    bare = not choice.lines and not any(taken.values())
    yield from choose_notes(gathered, choice, focus, count, bare=bare)
    lines["Files"] = [line for line in lines["Files"] if line.entry and _worked_on(line.entry)]
    for section in lines:
        yield from _serve(section, lines, taken, choice.left_tokens // len(lines), choice, count)
    kept = {line.text for line in taken["Constraints"]}
    taken["Decisions"] = [line for line in taken["Decisions"] if line.text not in kept]
    done = " ".join(line.text for line in taken["Commands"])
    taken["Identifiers"] = [line for line in taken["Identifiers"] if line.text not in done]
    for section, entries in taken.items():
        if entries:
            choice.lines[section] = _written(section, entries)
    return choice.lines


def _serve_demands(
    lines: Mapping[Section, list[Line]],
    taken: Mapping[Section, list[Line]],
    choice: Choice,
    more_tokens: int,
    count: Count,
) -> Generator[None, None, None]:
    """Take the user's rules and lasting remarks, for all that is left, and so many tokens more where they need them."""
    told = lines["Also said by the user"]
    others = [line for line in told if line.entry and line.entry.weight < LASTING_WEIGHT]
    told[:] = [line for line in told if line not in others]
    demands = [*lines["Constraints"], *told]
    need = sum(count(line.text) + LINE_TOKENS for line in demands) + 2 * HEADING_TOKENS
    choice.left_tokens += min(more_tokens, max(0, need - choice.left_tokens))
    for section in OF_USER:
        yield from _serve(section, lines, taken, choice.left_tokens, choice, count)
    told.extend(others)


def _worked_on(entry: Entry) -> bool:
    """Whether something was done to a file, or the user named it."""
    return entry.label != "named" or entry.by_user > 0


def _lines(entries: Sequence[Entry], ledger: Ledger, focus: frozenset[str]) -> list[Line]:
    """Lines from the best down, those that hold a term of the focus before the others; in the order they were said."""
    order = {id(entry): at for table in ledger.tables.values() for at, entry in enumerate(table.values())}
    found = [Line(entry.text, order[id(entry)], entry) for entry in entries]
    return sorted(found, key=lambda line: bool(focus) and focus.isdisjoint(terms(line.text)))


def _files(candidates: Sequence[Candidate]) -> list[Line]:
    """Files, without folders that a file's own path names."""
    entries = [one.entry for one in candidates if one.group == "file"]
    above = {folder for entry in entries for folder in folders_above(entry.text)}
    return [
        Line(f"{split_path(entry.text)[1]} {entry.label}".rstrip(), at, entry)
        for at, entry in enumerate(entries)
        if entry.text not in above or entry.label == "deleted"
    ]


def _calls(calls: Calls, room_tokens: int, count: Count) -> list[Line]:
    """What tools did, the newest first; in the order in which they did it. Where there is no room for all of them as
    they are, without what they have in common, which stands before them with how many there were.
    """
    lines = {command_entry(text, label, 1): at for at, (text, label) in enumerate(calls.done.items())}
    if sum(count(line) + LINE_TOKENS for line in lines) <= room_tokens:
        return [Line(line, at - len(calls.done)) for line, at in reversed(lines.items())]
    short = list(in_short(calls.done))
    told = {command_entry(text, label, runs): at for at, (text, label, runs, _) in enumerate(short)}
    common = {command_entry(text, label, runs) for text, label, runs, all_ in short if all_}
    newest = sorted(told.items(), key=lambda one: (one[0] not in common, -one[1]))
    return [Line(line, at - len(short)) for line, at in newest]


def _commands(candidates: Sequence[Candidate], ledger: Ledger, *, looking: bool) -> list[Line]:
    """Commands, where they are not to be told without those that only looked, and did. What several that went well
    print alike says nothing of any, and neither is told what would read as a failure.
    """
    order = {id(entry): at for at, entry in enumerate(ledger.of("command").values())}
    printed = Counter(entry.error for entry in ledger.of("command").values() if not entry.failed)
    found: list[Line] = []
    for entry in (one.entry for one in candidates if one.group == "command"):
        if not looking and entry.label == "ok" and only_looks(entry.text):
            continue
        text = command_text(entry, runs=entry.runs)
        if not entry.failed and (printed[entry.error] > 1 or parse_command(text)[2]):
            text = command_text(entry, error_chars=0, runs=entry.runs)
        found.append(Line(text, order[id(entry)], entry))
    return found


def _names(candidates: Sequence[Candidate]) -> list[Line]:
    """Names, and values that name something: bare figures and words of arguments say nothing away from their call."""
    entries = sorted(
        (
            one
            for one in candidates
            if one.entry.kind in ("name", "value")
            and (one.entry.spoken or one.entry.by_user)
            and one.entry.label not in ("number", "quantity")
            and (one.entry.kind == "name" or _names_something(one.entry.text))
        ),
        key=lambda one: -one.worth,
    )
    return [Line(one.entry.text, at, one.entry) for at, one in enumerate(entries)]


def _names_something(value: str) -> bool:
    told = any(sign.isdigit() or sign == "@" for sign in value)
    return told and "(" not in value and not _AMOUNT.fullmatch(value)


def _requests(gathered: Gathered, choice: Choice, shares: Mapping[Section, int], count: Count) -> None:
    requests = list(gathered.ledger.of("request").values())
    if not requests:
        return
    least = {section: min(SMALL_TOKENS, choice.left_tokens // most) for section, most in SMALL_PARTS.items()}
    first = (requests[0].text,) if gathered.begins else ()
    asked: list[tuple[Section, str]] = [("Goal", goal) for goal in gathered.goal or first]
    if len(requests) > len(first) and not gathered.quoted and not is_trivial(requests[-1].text):
        asked.append(("Last request of this part", requests[-1].text))
    for section, text in asked:
        line = fit_request(text, max(least[section], shares[section]) - HEADING_TOKENS, count)
        if line:
            choice.spend(section, line, count(line) + HEADING_TOKENS + LINE_TOKENS)


def _serve(
    section: Section,
    lines: Mapping[Section, list[Line]],
    taken: Mapping[Section, list[Line]],
    share_tokens: int,
    choice: Choice,
    count: Count,
) -> Generator[None, None, None]:
    budget = min(share_tokens, choice.left_tokens)
    spent = 0 if taken[section] else HEADING_TOKENS
    folders = {split_path(line.entry.text)[0] for line in taken[section] if line.entry}
    kept: list[Line] = []
    misses = 0
    for at, candidate in enumerate(lines[section]):
        if at % STEP == STEP - 1:
            yield
        if misses >= STEP:
            kept.extend(lines[section][at:])
            break
        if _known(candidate, choice):
            continue
        cost = count(candidate.text) + LINE_TOKENS
        folder = split_path(candidate.entry.text)[0] if section == "Files" and candidate.entry else ""
        if folder and folder not in folders:
            cost += count(folder) // 2 + LINE_TOKENS
        if spent + cost > budget and candidate.entry and candidate.entry.kind == "command":
            short = command_text(candidate.entry, error_chars=0, runs=candidate.entry.runs)
            candidate, cost = replace(candidate, text=short), count(short) + LINE_TOKENS  # noqa: PLW2901
        if spent + cost > budget:
            misses += 1
            kept.append(candidate)
            continue
        folders.add(folder)
        spent += cost
        taken[section].append(candidate)
        choice.said |= {normal(candidate.text), normal_all(candidate.text)}
    lines[section][:] = kept
    if taken[section]:
        choice.left_tokens -= spent


def _known(candidate: Line, choice: Choice) -> bool:
    """Whether a name or an error stands in a line already chosen. What the user wants to hold on and stands
    within a goal, or was the last request, does so all the same: the next summary may cut the goal, and has another
    last request.
    """
    if candidate.entry and candidate.entry.kind in ("file", "command"):
        return False
    form = normal(candidate.text)
    if candidate.entry and candidate.entry.kind in ("rule", "remark"):
        rule = candidate.entry.kind == "rule"
        goals = [normal(goal) for goal in choice.lines.get("Goal", ())]
        return any(goal.startswith(form) if rule else form in goal for goal in goals)
    return bool(form) and (form in choice.said or any(form in said for said in choice.said))


def _written(section: Section, entries: Sequence[Line]) -> list[str]:
    of = [line.entry for line in entries if line.entry]
    if section == "Files":
        return file_entries([(entry.text, deed_of(entry)) for entry in of])
    if section == "Identifiers":
        groups: dict[str, list[str]] = {}
        for entry in of:
            groups.setdefault(entry.label, []).append(entry.text)
        return name_entries(groups)
    return [line.text for line in sorted(entries, key=lambda line: line.order)]
