"""Choosing from what was gathered what a summary of a given size says.

Rules kept here:

- Each section has a share of the size, so that a session full of paths still keeps its decisions. What one section
  leaves unused goes to the others, and the rest to the most central sentences.
- Costs are counted once for each line and added. The finished text is counted as a whole by the caller.
"""

from __future__ import annotations

import re
from collections.abc import Generator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from palimpsest.summarize.cues import is_code, is_trivial
from palimpsest.summarize.cut import Count, fit_ends
from palimpsest.summarize.extractive.gather import Gathered
from palimpsest.summarize.ledger.entries import Entry, Ledger, deed_of, normal, normal_all
from palimpsest.summarize.ledger.rank import Candidate, command_text, ranked, ranked_lines
from palimpsest.summarize.ledger.reading import DULL_PRIOR, USER_PRIOR
from palimpsest.summarize.ledger.score import folders_above
from palimpsest.summarize.ledger.tree import file_entries, split_path
from palimpsest.summarize.sections import Section, name_entries
from palimpsest.summarize.sentences import Sentence, central, sentences, terms

SHARES: Mapping[Section, float] = {
    "Goal": 0.08,
    "Last request of this part": 0.12,
    "Constraints": 0.10,
    "Open tasks": 0.06,
    "Decisions": 0.12,
    "Files": 0.13,
    "Commands": 0.10,
    "Errors": 0.05,
    "Identifiers": 0.08,
}
"""Parts of the target, in the order in which they are served. What is left goes to the notes."""
SPILL_SHARE = 0.5
"""Of what the sections left unused, this part is offered to those that have more to say, before the notes."""
WORDS_SHARE = 0.5
"""Of the notes, this part may go to short messages of the user, kept verbatim."""
SMALL_TOKENS = 40
"""Goal and newest request get this much even of a small target, but no more than a quarter of it."""
HEADING_TOKENS = 4
LINE_TOKENS = 2
MAX_NOTES = 120
SHORT_CHARS = 240
"""A message of the user up to here can be kept verbatim among the notes."""
LOOK_REQUEST_CHARS = 2_000
MIN_SAID = 12
"""Fewer sentences of people and models than this, and lines of results compete with them."""
TELLING_TERMS = 4
"""A line of a result of fewer terms says nothing by itself."""
STEP = 16
"""Lines counted between two pauses."""


_CODED = re.compile(r"[{}\[\]<>=|\\;]|^@|\w\(|,$")


@dataclass(frozen=True, slots=True)
class Line:
    """A candidate: `text` is what is counted, `order` its place among those chosen, `entry` what it is of."""

    text: str
    order: int
    entry: Entry | None = None


@dataclass(slots=True)
class Choice:
    """What was chosen so far. `left_tokens` is what the whole summary may still cost."""

    left_tokens: int
    lines: dict[Section, list[str]] = field(default_factory=dict[Section, list[str]])
    said: set[str] = field(default_factory=set[str])

    def spend(self, section: Section, line: str, tokens: int) -> None:
        """Take a line into a section."""
        self.lines.setdefault(section, []).append(line)
        self.said.add(normal(line))
        self.left_tokens -= tokens


def choose(
    gathered: Gathered, *, size_tokens: int, focus: frozenset[str], count: Count
) -> Generator[None, None, dict[Section, list[str]]]:
    """The lines of a summary of about `size_tokens` tokens. Yields None between steps."""
    choice = Choice(size_tokens)
    shares: dict[Section, int] = {section: int(share * size_tokens) for section, share in SHARES.items()}
    ledger = gathered.ledger
    _requests(gathered, choice, shares, count)
    yield
    lines: dict[Section, list[Line]] = {
        "Constraints": _lines(ranked_lines(ledger, "rule"), ledger, focus),
        "Open tasks": [Line(task, at) for at, task in enumerate(ledger.tasks)],
        "Decisions": _lines(ranked_lines(ledger, "decision"), ledger, focus),
    }
    yield
    candidates = list(ranked(ledger))
    yield
    lines["Files"] = _files(candidates)
    lines["Commands"] = _commands(candidates, ledger)
    lines["Errors"] = _lines(ranked_lines(ledger, "error"), ledger, focus)
    yield
    lines["Identifiers"] = _names(candidates)
    yield
    taken: dict[Section, list[Line]] = {section: [] for section in lines}
    for section in lines:
        yield from _serve(section, lines, taken, shares[section], choice, count)
    spill = int(SPILL_SHARE * max(0, choice.left_tokens - int((1 - sum(SHARES.values())) * size_tokens)))
    for section in lines:
        yield from _serve(section, lines, taken, spill // len(lines), choice, count)
    yield from _notes(gathered, choice, focus, count)
    for section in lines:
        yield from _serve(section, lines, taken, choice.left_tokens // len(lines), choice, count)
    for section, entries in taken.items():
        if entries:
            choice.lines[section] = _written(section, entries)
    return choice.lines


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


def _commands(candidates: Sequence[Candidate], ledger: Ledger) -> list[Line]:
    order = {id(entry): at for at, entry in enumerate(ledger.of("command").values())}
    return [
        Line(command_text(one.entry, runs=one.entry.runs), order[id(one.entry)], one.entry)
        for one in candidates
        if one.group == "command"
    ]


def _names(candidates: Sequence[Candidate]) -> list[Line]:
    entries = sorted(
        (
            one
            for one in candidates
            if one.entry.kind in ("name", "value") and (one.entry.spoken or one.entry.by_user)
        ),
        key=lambda one: -one.worth,
    )
    return [Line(one.entry.text, at, one.entry) for at, one in enumerate(entries)]


def _requests(gathered: Gathered, choice: Choice, shares: Mapping[Section, int], count: Count) -> None:
    requests = list(gathered.ledger.of("request").values())
    if not requests:
        return
    least = min(SMALL_TOKENS, choice.left_tokens // 4)
    first = (requests[0].text,) if gathered.begins else ()
    asked: list[tuple[Section, str]] = [("Goal", goal) for goal in gathered.goal or first]
    if len(requests) > len(first) and not gathered.quoted:
        asked.append(("Last request of this part", requests[-1].text))
    for section, text in asked:
        line = fit_ends(text, max(least, shares[section]) - HEADING_TOKENS, count)
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
        choice.said.add(normal(candidate.text))
    lines[section][:] = kept
    if taken[section]:
        choice.left_tokens -= spent


def _known(candidate: Line, choice: Choice) -> bool:
    """Whether a name or an error stands in a line already chosen. A rule that stands within a goal, or was the last
    request, is one all the same: the next summary may cut the goal, and has another last request.
    """
    if candidate.entry and candidate.entry.kind in ("file", "command"):
        return False
    form = normal(candidate.text)
    if candidate.entry and candidate.entry.kind == "rule":
        goals = [normal(goal) for goal in choice.lines.get("Goal", ())]
        return any(goal.startswith(form) for goal in goals)
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


def _notes(
    gathered: Gathered, choice: Choice, focus: frozenset[str], count: Count
) -> Generator[None, None, None]:
    budget = choice.left_tokens - HEADING_TOKENS
    picked: list[tuple[int, int, str]] = []
    words_budget = int(budget * WORDS_SHARE)
    requests = list(gathered.ledger.of("request").values())
    for request in reversed(requests[int(gathered.begins) : -1]):
        if len(request.text) > SHORT_CHARS or is_trivial(request.text) or normal(request.text) in choice.said:
            continue
        line = f"user: {request.text}"
        cost = count(line) + LINE_TOKENS
        if cost > words_budget:
            break
        picked.append((request.at, -1, line))
        choice.said.update(normal(text) for text in (request.text, *sentences(request.text)))
        budget, words_budget = budget - cost, words_budget - cost
        yield
    candidates = yield from _candidates(gathered, choice)
    order = {id(sentence): at for at, sentence in enumerate(candidates)}
    best = yield from central(candidates, focus, MAX_NOTES)
    for at, (_, sentence) in enumerate(best):
        if at % STEP == STEP - 1:
            yield
        line = f"{sentence.speaker}: {sentence.text}" if sentence.speaker else sentence.text
        cost = count(line) + LINE_TOKENS
        if cost <= budget:
            picked.append((sentence.position, order[id(sentence)], line))
            budget -= cost
    if picked:
        choice.lines["Notes"] = [line for _, _, line in sorted(picked)]
        choice.left_tokens = budget


def _candidates(gathered: Gathered, choice: Choice) -> Generator[None, None, list[Sentence]]:
    """Sentences not chosen already, each once; dull ones and lines of results only where little else was said."""
    seen = set(choice.said)
    requests = list(gathered.ledger.of("request").values())
    asked = [normal_all(request.text[:LOOK_REQUEST_CHARS]) for request in (*requests[:1], *requests[1:][-1:])]
    kept: list[Sentence] = []
    for at, sentence in enumerate(gathered.said):
        if at % (STEP * 4) == 0:
            yield
        form = normal(sentence.text)
        quoted = sentence.speaker == "user" and any(form in request for request in asked)
        if form and form not in seen and not quoted:
            seen.add(form)
            kept.append(sentence)
    plain = [sentence for sentence in kept if sentence.prior > DULL_PRIOR * USER_PRIOR]
    said = [sentence for sentence in plain if sentence.speaker != "tool"]
    if len(said) >= MIN_SAID:
        return said
    telling = [sentence for sentence in kept if sentence.speaker != "tool" or _is_telling(sentence.text)]
    return (
        [sentence for sentence in telling if sentence.prior > DULL_PRIOR * USER_PRIOR]
        or [sentence for sentence in telling if not is_code(sentence.text)]
        or kept[:MIN_SAID]
    )


def _is_telling(line: str) -> bool:
    """Whether a line of a result says something by itself: words, and none of what code is written with."""
    return len(terms(line)) >= TELLING_TERMS and not is_code(line) and not _CODED.search(line)
