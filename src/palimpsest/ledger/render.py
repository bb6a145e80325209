"""The ledger as text within a token budget: the entries that are most likely to be needed, for their cost.

- Entries are chosen by their worth per token. A name in a chosen path or command is not repeated, and neither is a part
  of a chosen command, or what the window shows anyway: what its messages name, and what its summaries say in the same
  form.
- The open entries of the agent's task list come first, with a small part of the budget. User messages are shown by the
  window itself.
- Only commands that were run are listed, not those that a page or a plan names.
- A successful command is listed as it was written. A failed one also has its outcome, which does not count when entries
  are chosen.
- The whole text is counted, and entries are chosen again until it is just below the budget.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from palimpsest.budget.token_estimator import count_text
from palimpsest.lazy_regex import later
from palimpsest.ledger.commands import has_failed
from palimpsest.ledger.entries import Entry, Kind, Ledger, operation_of
from palimpsest.ledger.file_tree import file_entries, parse_files, split_path
from palimpsest.ledger.scoring import Candidate, Weights, command_text, ranked
from palimpsest.ledger.sections import TEXT_GROUPS, Section, name_entries, parse
from palimpsest.ledger.sections import render as render_sections
from palimpsest.ledger.selection import LINE_TOKENS, Costed, choose, fitting, ordered, stands
from palimpsest.text.cut import Count

TASKS_SHARE, TASKS_TOKENS = 0.08, 160
"""The share of the budget for the open entries of the agent's task list, and the most tokens."""
ROOMY_TOKENS = 1_400
"""With a smaller budget, errors of commands are left out ..."""
SPARE_ROOM = 0.4
"""... unless this share of it remains."""
ROOMY_FILES = 2
"""The factor of files with a larger budget: there are hundreds of names and dozens are needed, so that in a longer list
the next name is worth less than a path."""
ERROR_CHARS = 48
"""The characters of an error that are shown."""
HEADING_TOKENS = 4
MIN_END_FOLDERS = 2
"""The least folders in the end of a path by which a summary identifies a file."""
MAX_ROUNDS = 9
SPARE_SHARE = 0.006
"""The share of the budget that may be left unused."""

_WORDS = later(r"\w+")


@dataclass(frozen=True, slots=True)
class WindowContents:
    """What a window shows without the ledger: the positions of its verbatim messages, and its summaries, with their
    words and the paths of their file trees."""

    shown: frozenset[int]
    summaries: str
    words: frozenset[str]
    paths: frozenset[str]

    def missing(self, found: Iterable[Candidate]) -> list[Candidate]:
        """The candidates that no summary contains in the same form.

        A summary also contains the only file that ends with one of its paths, which are relative to the working folder.
        """
        left = [one for one in found if not self._says(one.entry)]
        ends: dict[str, list[str]] = {}
        for path in (one.entry.text for one in left if one.entry.kind == "file"):
            parts = path.split("/")
            for end in {"/".join(parts[at:]) for at in range(1, len(parts) - MIN_END_FOLDERS)} & self.paths:
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


def window_contents(said: str | None, shown: Collection[int]) -> WindowContents:
    """What a window with these summaries and verbatim messages shows."""
    text = said or ""
    paths = frozenset(path for path, _ in parse_files(parse(text).get("Files", ())))
    return WindowContents(frozenset(shown), text, frozenset(_WORDS.findall(text)), paths)


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

    With `roomy`, every command has its outcome, also with a small budget. `said` are the texts of the window's
    summaries, None where they are not known. `shown` are the positions of its verbatim messages."""
    contents = window_contents(said, shown)
    found = contents.missing(ranked(ledger, weights, shown=contents.shown, budget_tokens=budget_tokens))
    shape = Shape(budget_tokens, roomy=roomy or budget_tokens >= ROOMY_TOKENS)
    text = _rendered(ledger.tasks, found, shape, count)
    if shape.roomy or budget_tokens - count(text) < SPARE_ROOM * budget_tokens:
        return text
    return _rendered(ledger.tasks, found, replace(shape, roomy=True), count)


def _rendered(open_tasks: Sequence[str], found: Sequence[Candidate], shape: Shape, count: Count) -> str:
    lines: dict[Section, list[str]] = {}
    left = shape.budget_tokens
    room = min(TASKS_TOKENS, int(TASKS_SHARE * shape.budget_tokens))
    if tasks := fitting(open_tasks, room, count):
        lines["Open tasks"] = tasks
        left -= sum(count(line) + LINE_TOKENS for line in tasks) + HEADING_TOKENS
    factor = ROOMY_FILES if shape.roomy else 1
    worths = (one.worth * factor if one.group == "file" else one.worth for one in found)
    candidates = [
        Costed(one.entry, worth, _cost(one, count)) for one, worth in zip(found, worths, strict=True)
    ]
    return _fitted(ordered(candidates), left, lines, shape, count)


@dataclass(frozen=True, slots=True)
class Shape:
    """How much is written, and how; `roomy`: there is room for more than the most needed entries."""

    budget_tokens: int
    roomy: bool


def _command(entry: Entry, shape: Shape) -> str:
    if not has_failed(entry) and (not shape.roomy or entry.label in ("", "ok")):
        return entry.text
    return command_text(entry, error_chars=ERROR_CHARS if shape.roomy else 0)


def _cost(candidate: Candidate, count: Count) -> int:
    entry = candidate.entry
    match candidate.group:
        case "file":
            return count(f" {split_path(entry.text)[1]}")
        case "command" | "segment" | "value":
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
    """The text, after a few rounds that choose more or less by how far the last was from the budget."""
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
    """The label of a name or a value: the key `version` of a value differs from versions that were found in texts."""
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
