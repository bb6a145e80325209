"""The ledger as text within a token budget: what is most likely to be asked for, at what it costs to say.

Rules kept here:

- Entries are chosen by their worth for a token. A name that stands in a chosen path or command is not said again, nor
  a part of a command that stands in a chosen one, nor what the window shows beside the ledger: what its messages name
  word for word, and what its summaries say in the same form.
- The open entries of the agent's task list come first, with a small part of the budget. What the user said stands in
  the window in the user's own words, and is not repeated here.
- Only commands that ran are commands: one that a page or a plan names is none.
- A command that went well is its line alone, as it was written; of one that failed a short text says only that. It is
  chosen as if it had gone well: what saying so costs must not leave it out.
- The text is counted as a whole, and chosen anew until it is just below its budget.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from palimpsest.budget.token_estimator import count_text
from palimpsest.lazy_regex import later
from palimpsest.ledger.commands import has_failed
from palimpsest.ledger.entries import Entry, Kind, Ledger, operation_of
from palimpsest.ledger.file_tree import file_entries, parse_files, split_path
from palimpsest.ledger.ranking import Candidate, Weights, command_text, learnt, ranked
from palimpsest.ledger.scoring import is_figure
from palimpsest.ledger.sections import TEXT_GROUPS, Section, name_entries, parse
from palimpsest.ledger.sections import render as render_sections
from palimpsest.ledger.selection import LINE_TOKENS, Costed, choose, fitting, ordered, stands
from palimpsest.text.cut import Count

TASKS_SHARE, TASKS_TOKENS = 0.08, 160
"""Of the budget, and at most, for the open entries of the agent's own task list."""
ROOMY_TOKENS = 1_400
"""Below this budget nothing is said of why commands failed ..."""
SPARE_ROOM = 0.4
"""... unless all else leaves this share of it."""
ROOMY_FILES = 2
"""Above it a file counts so much more beside names and commands: names come by the hundred and are asked for by the
dozen, so that in a longer list the next of them is worth less than a path that stands in no other way."""
FIGURES = 2
"""A figure with its key counts so much: it is seldom asked for again, and never guessed."""
ERROR_CHARS = 48
"""So much is said there of why a command failed."""
HEADING_TOKENS = 4
TOLD_FOLDERS = 2
"""Of so many folders is the end of a path by which a summary tells a file."""
MAX_ROUNDS = 9
SPARE_SHARE = 0.006
"""So much of the budget may be left unused."""

_WORDS = later(r"\w+")


@dataclass(frozen=True, slots=True)
class Told:
    """What a window says beside the ledger: the positions of its verbatim messages, and its summaries, with their
    words and the paths of their trees of files.
    """

    shown: frozenset[int]
    summaries: str
    words: frozenset[str]
    paths: frozenset[str]

    def untold(self, found: Iterable[Candidate]) -> list[Candidate]:
        """Those that no summary has in the form in which they would be written here. Of files it has also the only one
        that ends as a path of it does, which stands there as seen from the folder of the work.
        """
        left = [one for one in found if not self._says(one.entry)]
        ends: dict[str, list[str]] = {}
        for path in (one.entry.text for one in left if one.entry.kind == "file"):
            parts = path.split("/")
            for end in {"/".join(parts[at:]) for at in range(1, len(parts) - TOLD_FOLDERS)} & self.paths:
                ends.setdefault(end, []).append(path)
        said = {paths[0] for paths in ends.values() if len(paths) == 1}
        return [one for one in left if one.entry.kind != "file" or one.entry.text not in said]

    def _says(self, entry: Entry) -> bool:
        match entry.kind:
            case "file":
                return entry.text in self.paths
            case "name" | "value":
                word = _WORDS.fullmatch(entry.text)
                return entry.text in self.words if word else stands(entry.text, self.summaries)
            case _:
                return f"`{entry.text}`" in self.summaries


def told_by(said: str | None, shown: Collection[int]) -> Told:
    """What is known of the window around a ledger."""
    text = said or ""
    paths = frozenset(path for path, _ in parse_files(parse(text).get("Files", ())))
    return Told(frozenset(shown), text, frozenset(_WORDS.findall(text)), paths)


def render(
    ledger: Ledger,
    budget_tokens: int,
    *,
    count: Count = count_text,
    roomy: bool = False,
    said: str | None = None,
    shown: Collection[int] = (),
    weights: Mapping[Kind, Weights] | None = None,
) -> str:
    """What of the ledger fits in `budget_tokens` tokens by `count`, as sections; "" where nothing does.

    `roomy` says of every command how it ended, also where the budget is small. `said` is what the summaries of the
    window say; None where that is not known. `shown` are the positions of the messages that stand in it word for word.
    """
    given = _Given(ledger, weights or learnt(), told_by(said, shown))
    shape = Shape(budget_tokens, roomy=roomy or budget_tokens >= ROOMY_TOKENS)
    text = _rendered(given, shape, count)
    if shape.roomy or budget_tokens - count(text) < SPARE_ROOM * budget_tokens:
        return text
    return _rendered(given, replace(shape, roomy=True), count)


@dataclass(frozen=True, slots=True)
class _Given:
    """What is rendered, and beside what."""

    ledger: Ledger
    weights: Mapping[Kind, Weights]
    told: Told


def _rendered(given: _Given, shape: Shape, count: Count) -> str:
    ledger, told, budget_tokens = given.ledger, given.told, shape.budget_tokens
    lines: dict[Section, list[str]] = {}
    left = budget_tokens
    room = min(TASKS_TOKENS, int(TASKS_SHARE * budget_tokens))
    if tasks := fitting(ledger.tasks, room, count):
        lines["Open tasks"] = tasks
        left -= sum(count(line) + LINE_TOKENS for line in tasks) + HEADING_TOKENS
    found = ranked(ledger, given.weights, shown=told.shown, budget_tokens=budget_tokens)
    candidates = [
        Costed(one.entry, _worth(one, shape), _cost(one, shape, count)) for one in told.untold(found)
    ]
    return _fitted(ordered(candidates, count), left, lines, shape, count)


@dataclass(frozen=True, slots=True)
class Shape:
    """How much is written, and how; `roomy` says that there is room for more than what is most needed."""

    budget_tokens: int
    roomy: bool


def _command(entry: Entry, shape: Shape) -> str:
    if not has_failed(entry) and (not shape.roomy or entry.label in ("", "ok")):
        return entry.text
    return command_text(entry, error_chars=ERROR_CHARS if shape.roomy else 0)


def _worth(candidate: Candidate, shape: Shape) -> float:
    more = candidate.group == "file" and shape.roomy
    figure = candidate.group == "value" and is_figure(candidate.entry.text)
    return candidate.worth * (ROOMY_FILES if more else FIGURES if figure else 1)


def _cost(candidate: Candidate, shape: Shape, count: Count) -> int:
    entry = candidate.entry
    match candidate.group:
        case "file":
            return count(f" {split_path(entry.text)[1]}")
        case "command" | "segment":
            return count(entry.text) + LINE_TOKENS
        case "value":
            return count(entry.text) + LINE_TOKENS
        case _:
            return count(f" {entry.text}")


def _fitted(
    candidates: Sequence[Costed],
    left_tokens: int,
    lines: dict[Section, list[str]],
    shape: Shape,
    count: Count,
) -> str:
    """The text, after a few rounds in which more or less is chosen by how far the last was from the budget."""
    best, worth, more = "", -1.0, 2 / 3
    for _ in range(MAX_ROUNDS):
        chosen = choose(candidates, left_tokens, lines, count)
        text = render_sections(lines | _written(chosen.entries, shape))
        spare = shape.budget_tokens - count(text)
        if spare >= 0 and chosen.worth > worth:
            best, worth = text, chosen.worth
        elif spare >= 0:
            more *= 2
        all_said = spare >= 0 and len(chosen.entries) == len(candidates)
        if all_said or 0 <= spare <= shape.budget_tokens * SPARE_SHARE:
            break
        left_tokens = chosen.spent_tokens + (spare - LINE_TOKENS if spare < 0 else int(spare * more))
    return best


def _label(entry: Entry) -> str:
    """Under what a name or a value stands: `version` as a key is no version that was found in a text."""
    is_key = entry.kind == "value" and entry.label in TEXT_GROUPS
    return entry.label.capitalize() if is_key else entry.label


def _written(entries: Sequence[Entry], shape: Shape) -> dict[Section, list[str]]:
    found: dict[Section, list[str]] = {}
    files = [entry for entry in entries if entry.kind == "file"]
    if files:
        changed = ("edited", "written", "deleted")
        found["Files"] = file_entries(
            [(entry.text, operation_of(entry) if entry.label in changed else "named") for entry in files]
        )
    commands = [entry for entry in entries if entry.kind in ("command", "segment")]
    if commands:
        found["Commands"] = [_command(entry, shape) for entry in commands]
    groups: dict[str, list[str]] = {}
    for entry in entries:
        if entry.kind in ("name", "value"):
            groups.setdefault(_label(entry), []).append(entry.text)
    if groups:
        found["Identifiers"] = name_entries(groups)
    return found
