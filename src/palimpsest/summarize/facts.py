"""What rules know of a source, for the model to build on and for a summary that left it out.

Rules kept here:

- Files, commands, errors, open tasks, constraints and identifiers are read off the messages and tool calls; the model
  is given them and may not contradict them.
- What of them a summary does not say is put under its heading, behind what the model wrote there, as far as its target
  goes, and always within a share of it: what the user wants and demanded first, then what is open, what was changed and
  decided.
- A rule of the user's is said only where one line of the summary has all of its words, and forbids what it forbids:
  "edit the tests" does not say "never edit the tests". Nor does a rule say that a task is open.
- A command that only looked, and found, is no outcome: what it showed is what counts. Files that were only named are
  the ledger's, where one stands beside the summary.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Generator, Iterator, Mapping, Sequence

from palimpsest.patterns import later
from palimpsest.summarize.alike import with_forms
from palimpsest.summarize.audit.languages import LITTLE
from palimpsest.summarize.cut import Count
from palimpsest.summarize.deeds import CHANGES, Deed, says_changed
from palimpsest.summarize.extractive.choice import Choice
from palimpsest.summarize.extractive.choose import choose
from palimpsest.summarize.extractive.gather import Gathered, gather
from palimpsest.summarize.extractive.notes import choose_notes, spoken_between, together
from palimpsest.summarize.forms import Form, written
from palimpsest.summarize.ledger.entries import Ledger, normal, normal_all
from palimpsest.summarize.ledger.rank import ranked_lines
from palimpsest.summarize.ledger.tree import file_entries, parse_files
from palimpsest.summarize.ledger.words import remarks_in
from palimpsest.summarize.names import file_name
from palimpsest.summarize.outcomes import only_looks
from palimpsest.summarize.sections import Section, name_entries, parse_command, parse_names
from palimpsest.summarize.sentences import terms
from palimpsest.summarize.source import Source
from palimpsest.summarize.spoken.cues import FORBIDS, bare
from palimpsest.summarize.spoken.remarks import LASTING_WEIGHT

FACTS_SHARE = 0.8
"""Of a summary's target, what the facts may take in the request for it."""
RULES_SHARE = 0.6
"""Of a summary's target, what the user's rules may take of the facts."""
DEMANDS_TIMES = 2
"""Of a summary's target, at most, what the user demanded, where no ledger says it."""
ADDED_SHARE = 0.3
"""Of a summary's target, what may be added to a model's text."""
NOTES_SHARE = 0.5
"""Of a summary's target, what the notes may take that a reply is held against."""
SAID_SHARE = 0.6
"""A line of which so many words stand in a text is said there."""
LINE_TOKENS = 2
HEADING_TOKENS = 6
URGENT: tuple[Section, ...] = (
    "Goal",
    "Constraints",
    "Also said by the user",
    "Open tasks",
    "Files",
    "Decisions",
    "Errors",
    "Identifiers",
    "Commands",
)
"""In this order what is missing is added, as long as there is room."""
OF_USER: tuple[Section, ...] = ("Constraints", "Also said by the user")
NO_FACTS: tuple[Section, ...] = ("Goal", "Notes", "Last request of this part")
"""What is no fact: whether a goal still stands no rule can tell."""

PARTED = later(r"[,;，；]\s?|\s(?:and|und|et|y|e|but|aber|mais|pero)\s")
"""What stands between the parts of a rule."""
_PLEASE = later(r"\b(?:please|bitte|por favor)\b", re.IGNORECASE)
_THERE = re.compile(r"cd [^\s;&|]{1,300}\s?(?:&&|;)\s?")
"""Where a command ran."""
Facts = Mapping[Section, Sequence[str]]


def facts_of(
    source: Source, *, target_tokens: int, count: Count, alone: bool = False
) -> Generator[None, None, tuple[Facts, tuple[str, ...], tuple[str, ...]]]:
    """What rules read off a source, by section, in about 80 % of the target; what the user told that says no, when or
    how often; and the notes of what was said. Yields between small pieces of work. `alone` as in `choose`: with what
    else the user told.
    """
    gathered = yield from gather(source)
    size = max(1, int(target_tokens * FACTS_SHARE))
    lines = yield from choose(
        gathered,
        size_tokens=size,
        focus=frozenset(),
        count=count,
        beside=alone,
        limit_tokens=DEMANDS_TIMES * target_tokens if alone else 0,
    )
    lines["Constraints"] = _rules(gathered.ledger, lines, int(target_tokens * RULES_SHARE), count)
    told = tuple(one.text for one in remarks_in(gathered.ledger) if one.weight >= LASTING_WEIGHT)
    facts: Facts = {section: found for section, found in lines.items() if found and section not in NO_FACTS}
    choice = Choice(int(target_tokens * NOTES_SHARE))
    choice.said.update(normal(line) for found in facts.values() for line in found)
    yield from choose_notes(gathered, choice, frozenset(), count, bare=False)
    return facts, told, tuple(_with_newest(choice.lines.get("Notes", ()), gathered))


def _with_newest(notes: Sequence[str], gathered: Gathered) -> Iterator[str]:
    """The notes, and whole what was said last before the newest request: where the work stood."""
    requests = list(gathered.ledger.of("request").values())
    newest = requests[-1:] if requests[1:] else ()
    said = [spoken_between(gathered.said, one.text, -1, one.at, answers=False) for one in newest]
    last = [f"{one[0].speaker}: {together(one)}" for one in said if one]
    whole = "".join(normal(one) for one in last)
    yield from (note for note in notes if normal(note.partition(": ")[2]) not in whole)
    yield from last


def of_user(facts: Facts) -> tuple[str, ...]:
    """What the user said that holds on: the rules, then what he only told."""
    return tuple(line for section in OF_USER for line in facts.get(section, ()))


def without_names(facts: Facts, names: Collection[str]) -> Facts:
    """The facts without these paths and names."""
    if not names:
        return facts
    files: list[tuple[str, Deed]] = [
        (path, deed) for path, deed in parse_files(facts.get("Files", ())) if path not in names
    ]
    groups: dict[str, list[str]] = {}
    for group, name in (pair for line in facts.get("Identifiers", ()) for pair in parse_names(line)):
        if name not in names:
            groups.setdefault(group, []).append(name)
    left: dict[Section, Sequence[str]] = {
        **facts,
        "Files": file_entries(files),
        "Identifiers": name_entries(groups),
    }
    return {section: lines for section, lines in left.items() if lines}


def without_named(facts: Facts) -> Facts:
    """The facts without files that nothing was done to."""
    files: list[tuple[str, Deed]] = [
        (path, deed) for path, deed in parse_files(facts.get("Files", ())) if deed != "named"
    ]
    return {**facts, "Files": file_entries(files)}


def _rules(ledger: Ledger, lines: Facts, room_tokens: int, count: Count) -> list[str]:
    """The user's rules: those chosen for a summary, and what else of them there is room for, in the order they were
    said; a request that says one is no fact. One that the goal begins with is left out.
    """
    chosen = lines.get("Constraints", ())
    taken = {normal(rule): rule for rule in chosen}
    goals = [normal(line) for line in lines.get("Goal", ())]
    room_tokens -= sum(count(rule) + LINE_TOKENS for rule in chosen)
    for entry in ranked_lines(ledger, "rule"):
        form = normal(entry.text)
        cost = count(entry.text) + LINE_TOKENS
        said = form in taken or any(goal.startswith(form) for goal in goals)
        if cost <= room_tokens and not said:
            taken[form] = entry.text
            room_tokens -= cost
    order = [normal(entry.text) for entry in ledger.of("rule").values()]
    return [taken[form] for form in dict.fromkeys((*order, *taken)) if form in taken]


def untold(text: str, facts: Facts, form: Form) -> frozenset[str]:
    """The headings of a form under which something belongs, of which a text says nothing anywhere."""
    return frozenset(
        form.homes[section] for section, left, whole in _left(text, facts, form) if left and whole
    )


def headings_of(text: str, facts: Facts, form: Form) -> list[str]:
    """The headings of a form under which a text belongs: it says half of what is known of it, or little else."""
    found: list[str] = []
    for section, left, _ in _left(text, facts, form):
        known = facts.get(section, ())
        if 2 * len(left) <= len(known) or _is_said(text, set(terms(" ".join(known))), ""):
            found.append(form.homes[section])
    return found


def _left(text: str, facts: Facts, form: Form) -> Iterator[tuple[Section, list[str], bool]]:
    """For each section of the facts, what a text does not say of it, and whether that is all of it."""
    words, plain = set(terms(text)), normal_all(text)
    for section in URGENT:
        lines = facts.get(section, ())
        if section not in form.homes or not lines:
            continue
        match section:
            case "Files":
                known = list(parse_files(lines))
                files: list[tuple[str, Deed]] = [one for one in known if not _is_told(*one, text)]
                yield section, file_entries(files), len(files) == len(known)
                continue
            case "Identifiers":
                names = [pair for line in lines for pair in parse_names(line)]
                groups: dict[str, list[str]] = {}
                for group, name in names:
                    if name not in text:
                        groups.setdefault(group, []).append(name)
                telling = [one for one in names if one[0] not in ("symbol", "number", "quantity")]
                whole = bool(telling) and all(name not in text for _, name in telling)
                yield section, name_entries(groups), whole
                continue
            case "Constraints" | "Also said by the user":
                left = [line for line in lines if normal(line) not in plain and not _is_kept(line, text)]
            case "Commands":
                lines = [line for line in lines if not _looked(line)]
                left = [line for line in lines if not _is_run(line, words, plain)]
            case "Open tasks":
                rules = form.homes["Constraints"]
                told = "\n".join("\n".join(its) for home, its in form.parse(text) if home != rules)
                left = [line for line in lines if not _is_said_at_once(line, told)]
            case _:
                left = [line for line in lines if not _is_said(line, words, plain)]
        yield section, left, len(left) == len(lines)


def _is_told(path: str, deed: Deed, text: str) -> bool:
    """Whether a text names a file, and of a changed one says so."""
    name = file_name(path)
    if deed not in CHANGES:
        return name in text
    return any(name in line and says_changed(line) for line in text.splitlines())


def _is_said(line: str, words: set[str], plain: str) -> bool:
    own = set(terms(line))
    return normal(line) in plain or bool(own and len(own & words) >= SAID_SHARE * len(own))


def _is_said_at_once(line: str, text: str) -> bool:
    """Whether one line of a text says it: an open task has words of what was done."""
    return any(
        _is_said(line, with_forms(terms(line), set(terms(one))), normal_all(one)) for one in text.splitlines()
    )


def _looked(line: str) -> bool:
    """Whether a command only showed something, and did so."""
    command, outcome, _ = parse_command(line)
    return outcome == "ok" and only_looks(command)


def _is_run(line: str, words: set[str], plain: str) -> bool:
    """Whether a text tells a command; one that went well by its name alone, wherever it ran."""
    command, outcome, _ = parse_command(line)
    own = normal(_THERE.sub("", command))
    return (outcome.startswith("ok") and bool(own) and own in plain) or _is_said(line, words, plain)


def _is_kept(rule: str, text: str) -> bool:
    """Whether each part of a rule that says no by itself, or all of it, has its words in one line of a text, which says
    no where it does.
    """
    lines = [(set(terms(line)), bool(FORBIDS.search(line))) for line in text.splitlines()]
    parts = [part for part in PARTED.split(_PLEASE.sub(" ", bare(rule))) if set(terms(part))]
    parts = parts if all(map(FORBIDS.search, parts)) else [_PLEASE.sub(" ", bare(rule))]
    return bool(parts) and all(
        any(_has_words(part, own) and no >= bool(FORBIDS.search(part)) for own, no in lines) for part in parts
    )


def _has_words(part: str, own: set[str]) -> bool:
    """Whether all words of a part are among others, its little ones apart, in any form."""
    words = set(terms(part))
    words = words - LITTLE or words
    return len(with_forms(words, own)) == len(words)


def add(
    text: str, facts: Facts, form: Form, *, room_tokens: int, count: Count, owed_tokens: int = 0
) -> tuple[str, tuple[str, ...]]:
    """`text` with what it leaves out of the facts, each under its heading, for at most `room_tokens`, or what the user
    said for `owed_tokens` where that is more; and which lines were added.
    """
    taken: dict[str, list[str]] = {}
    added: list[str] = []
    present = {heading for heading, _ in form.parse(text) if heading}
    missing: list[tuple[Section, str]] = [
        (section, line) for section, left, _ in _left(text, facts, form) for line in left
    ]
    goal = form.homes.get("Goal", "")
    if goal and present and goal not in present and "Goal" not in {section for section, _ in missing}:
        missing = [*(("Goal", line) for line in facts.get("Goal", ())), *missing]
    for section, line in missing:
        home = form.homes[section]
        entry = f"{' ' * (len(line) - len(line.lstrip()))}- {line.lstrip()}"
        cost = (
            count(entry) + LINE_TOKENS + (HEADING_TOKENS if home not in present and home not in taken else 0)
        )
        if cost <= (max(room_tokens, owed_tokens) if section in OF_USER else room_tokens):
            taken.setdefault(home, []).append(entry)
            added.append(line.strip())
            room_tokens -= cost
            owed_tokens -= cost
    if not taken:
        return text, ()
    parsed = form.parse(text)
    if len(parsed) == 1 and text.strip() and "Progress" in form.headings:
        parsed = [("Progress", parsed[0][1])]
    for heading, lines in taken.items():
        form.insert(parsed, heading, lines)
    return written(parsed), tuple(added)
