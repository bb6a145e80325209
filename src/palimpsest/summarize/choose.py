"""Choosing from the evidence what a summary of a given size says.

Rules kept here:

- Each section has a share of the size, so that a session full of paths still keeps its decisions. What one section
  leaves unused goes to the others, and the rest to the most central sentences.
- Costs are counted once for each line and added. The finished text is counted as a whole by the caller.
"""

from __future__ import annotations

from collections.abc import Generator, Mapping, Sequence
from dataclasses import dataclass, field

from palimpsest.summarize.cues import is_trivial
from palimpsest.summarize.cut import Count, fit_ends
from palimpsest.summarize.evidence import (
    DULL_PRIOR,
    USER_PRIOR,
    CommandUse,
    Evidence,
    FileUse,
    NameUse,
    normal,
)
from palimpsest.summarize.rank import Ranked, rank_commands, rank_files, rank_lines, rank_names
from palimpsest.summarize.sections import (
    Section,
    file_entries,
    name_entries,
    split_path,
)
from palimpsest.summarize.sentences import Sentence, central, sentences

SHARES: Mapping[Section, float] = {
    "Goal": 0.08,
    "Newest request": 0.12,
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
STEP = 16
"""Lines counted between two pauses."""


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
    evidence: Evidence, *, size_tokens: int, focus: frozenset[str], count: Count
) -> Generator[None, None, dict[Section, list[str]]]:
    """The lines of a summary of about `size_tokens` tokens. Yields None between steps."""
    choice = Choice(size_tokens)
    shares: dict[Section, int] = {section: int(share * size_tokens) for section, share in SHARES.items()}
    _requests(evidence, choice, shares, count)
    yield
    ranked: dict[Section, list[Ranked]] = {
        "Constraints": rank_lines(evidence.rules.values(), evidence, focus),
        "Open tasks": [Ranked(task, 1.0, at, task) for at, task in enumerate(evidence.tasks)],
        "Decisions": rank_lines(evidence.decisions.values(), evidence, focus),
    }
    yield
    ranked["Files"] = rank_files(evidence)
    yield
    ranked["Commands"] = rank_commands(evidence)
    ranked["Errors"] = rank_lines(evidence.errors.values(), evidence, focus)
    yield
    ranked["Identifiers"] = rank_names(evidence)
    yield
    taken: dict[Section, list[Ranked]] = {section: [] for section in ranked}
    for section in ranked:
        yield from _serve(section, ranked, taken, shares[section], choice, count)
    spill = int(SPILL_SHARE * max(0, choice.left_tokens - int((1 - sum(SHARES.values())) * size_tokens)))
    for section in ranked:
        yield from _serve(section, ranked, taken, spill // len(ranked), choice, count)
    yield from _notes(evidence, choice, focus, count)
    for section in ranked:
        yield from _serve(section, ranked, taken, choice.left_tokens // len(ranked), choice, count)
    for section, entries in taken.items():
        if entries:
            choice.lines[section] = _written(section, entries)
    return choice.lines


def _requests(evidence: Evidence, choice: Choice, shares: Mapping[Section, int], count: Count) -> None:
    if not evidence.requests:
        return
    least = min(SMALL_TOKENS, choice.left_tokens // 4)
    asked: list[tuple[Section, str]] = [("Goal", evidence.requests[0].text)]
    if len(evidence.requests) > 1:
        asked.append(("Newest request", evidence.requests[-1].text))
    for section, text in asked:
        line = fit_ends(text, max(least, shares[section]) - HEADING_TOKENS, count)
        if line:
            choice.spend(section, line, count(line) + HEADING_TOKENS + LINE_TOKENS)


def _serve(
    section: Section,
    ranked: Mapping[Section, list[Ranked]],
    taken: Mapping[Section, list[Ranked]],
    share_tokens: int,
    choice: Choice,
    count: Count,
) -> Generator[None, None, None]:
    budget = min(share_tokens, choice.left_tokens)
    spent = 0 if taken[section] else HEADING_TOKENS
    folders = {split_path(entry.item.path)[0] for entry in taken[section] if isinstance(entry.item, FileUse)}
    kept: list[Ranked] = []
    misses = 0
    for at, candidate in enumerate(ranked[section]):
        if at % STEP == STEP - 1:
            yield
        if misses >= STEP:
            kept.extend(ranked[section][at:])
            break
        if _known(candidate, choice):
            continue
        cost = count(candidate.text) + LINE_TOKENS
        if (
            isinstance(candidate.item, FileUse)
            and (folder := split_path(candidate.item.path)[0]) not in folders
        ):
            cost += count(folder) // 2 + LINE_TOKENS
        if spent + cost > budget:
            misses += 1
            kept.append(candidate)
            continue
        if isinstance(candidate.item, FileUse):
            folders.add(split_path(candidate.item.path)[0])
        spent += cost
        taken[section].append(candidate)
        choice.said.add(normal(candidate.text))
    ranked[section][:] = kept
    if taken[section]:
        choice.left_tokens -= spent


def _known(candidate: Ranked, choice: Choice) -> bool:
    """Whether a name or an error stands in a line already chosen."""
    if isinstance(candidate.item, (FileUse, CommandUse)):
        return False
    form = normal(candidate.text)
    return bool(form) and (form in choice.said or any(form in said for said in choice.said))


def _written(section: Section, entries: Sequence[Ranked]) -> list[str]:
    if section == "Files":
        uses = [entry.item for entry in entries if isinstance(entry.item, FileUse)]
        return file_entries([(use.path, use.deed) for use in uses])
    if section == "Identifiers":
        groups: dict[str, list[str]] = {}
        for entry in entries:
            if isinstance(entry.item, NameUse):
                groups.setdefault(entry.item.group, []).append(entry.item.name)
        return name_entries(groups)
    return [entry.text for entry in sorted(entries, key=lambda entry: entry.order)]


def _notes(
    evidence: Evidence, choice: Choice, focus: frozenset[str], count: Count
) -> Generator[None, None, None]:
    budget = choice.left_tokens - HEADING_TOKENS
    picked: list[tuple[int, int, str]] = []
    words_budget = int(budget * WORDS_SHARE)
    for request in reversed(evidence.requests[1:-1]):
        if len(request.text) > SHORT_CHARS or is_trivial(request.text) or normal(request.text) in choice.said:
            continue
        line = f"user: {request.text}"
        cost = count(line) + LINE_TOKENS
        if cost > words_budget:
            break
        picked.append((request.position, -1, line))
        choice.said.update(normal(text) for text in (request.text, *sentences(request.text)))
        budget, words_budget = budget - cost, words_budget - cost
        yield
    candidates = yield from _candidates(evidence, choice)
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


def _candidates(evidence: Evidence, choice: Choice) -> Generator[None, None, list[Sentence]]:
    """Sentences not chosen already, each once; dull ones and lines of results only where little else was said."""
    seen = set(choice.said)
    for request in (evidence.requests[0], evidence.requests[-1]) if evidence.requests else ():
        seen.update(normal(text) for text in sentences(request.text[:LOOK_REQUEST_CHARS]))
    kept: list[Sentence] = []
    for at, sentence in enumerate(evidence.said):
        if at % (STEP * 4) == 0:
            yield
        form = normal(sentence.text)
        if form and form not in seen:
            seen.add(form)
            kept.append(sentence)
    plain = [sentence for sentence in kept if sentence.prior > DULL_PRIOR * USER_PRIOR]
    said = [sentence for sentence in plain if sentence.speaker != "tool"]
    return said if len(said) >= MIN_SAID else plain or kept
