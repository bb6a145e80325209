"""What committing an item entails besides: the ledger that stands behind the records from then on, the pins whose
messages leave the window, and what of the exact strings is still there.

- A compaction makes the request smaller with all of it: what a summary saves pays for pinned words that now have to be
  quoted, and at most half of the rest for a longer ledger. Where it cannot pay for the pins it is not committed.
  The ledger is written with the last step of a decision, and what the steps before it have saved pays for it as well.
- A record says of the exact strings in what it replaced how many its decision leaves in the window: in the item that
  was made of them, in the ledger, or in what no step of the decision takes. What other steps of the same decision make
  is not looked at, so that a long backlog costs its length; the report, once all is done, looks in the whole window.
"""

from __future__ import annotations

from dataclasses import dataclass
from dataclasses import replace as with_changes

from palimpsest.budget.beside import (
    LEDGER_FENCE_TOKENS,
    MIN_LEDGER_TOKENS,
    beside,
    ledger_limit,
    render_ledger,
    tokens_of,
    words_limit,
)
from palimpsest.budget.stubs import stubbed
from palimpsest.engine.compacting.drive import give_way
from palimpsest.engine.desk import Desk
from palimpsest.engine.reports import Report
from palimpsest.errors import StaleCommit
from palimpsest.record.decision import Decision, Step
from palimpsest.record.item import Item, MessageItem, OmittedItem, StubItem, SummaryItem
from palimpsest.record.log import Branch, Compaction
from palimpsest.record.message import readable_text
from palimpsest.record.window import Window, replace
from palimpsest.summarize.source import Source
from palimpsest.summarize.survival import Evidence, Index, Strings, index_of, strings_of, survival

MAX_REPORTED = 50_000
"""Exact strings of one report that are looked for in a window."""


@dataclass(frozen=True, slots=True)
class Entailing:
    """What a step has to know of its decision: what of the window that leaves alone, what the steps before this one
    have saved, whether it is the last, which writes the ledger out anew, and what a request is to use at most.
    """

    untouched: Index
    earned_tokens: int
    last: bool
    goal_tokens: int


@dataclass(frozen=True, slots=True)
class Consequence:
    """What stands in the window from a commit on. `ledger` is its text, made from messages up to `through`;
    `saved_tokens` is what the summary saves, pins paid for.
    """

    ledger: str = ""
    through: int = 0
    saved_tokens: int = 0
    evidence: tuple[Evidence, ...] = ()
    strings: Strings = ()

    def noted(self, record: Compaction) -> Compaction:
        """The record with all this."""
        return with_changes(
            record,
            evidence_kept=sum(one.kept for one in self.evidence),
            evidence_left=sum(one.left for one in self.evidence),
            evidence=tuple((one.kind, one.kept, one.left) for one in self.evidence),
            ledger=self.ledger,
            ledger_through=self.through,
        )


async def consequence(
    desk: Desk,
    branch: Branch,
    step: Step,
    item: Item,
    source: Source,
    preface_tokens: int,
    entailing: Entailing,
) -> Consequence | None:
    """What follows from putting `item` in place of a step's items; None where the request would not be smaller."""
    _, window = await desk.load()
    try:
        after = replace(window, step.item_ids, item, window.thinking_from)
    except StaleCommit:
        return Consequence()
    saved_tokens = window.tokens - after.tokens - preface_tokens + _pins(desk, window) - _pins(desk, after)
    if saved_tokens <= 0:
        return None
    ledger, through = desk.ledger
    if entailing.last and step.kind != "stub":
        earned_tokens = entailing.earned_tokens + saved_tokens
        budget = desk.budget(window, branch)
        least_tokens = budget.used_tokens - saved_tokens - desk.beside(window).ledger_tokens
        free_tokens = entailing.goal_tokens - least_tokens
        ledger, through = await _ledger(desk, branch, window, after, earned_tokens, free_tokens)
    strings = await give_way(strings_of(source))
    made = await give_way(index_of((*_texts(item), ledger)))
    evidence = await give_way(survival(strings, made, entailing.untouched))
    return Consequence(ledger, through, saved_tokens, evidence, strings)


async def untouched(window: Window, decision: Decision) -> Index:
    """What of a window a decision leaves as it is, newest first."""
    taken = {item_id for step in decision.steps for item_id in step.item_ids}
    rest = (item for item in reversed(window.items) if item.id not in taken)
    return await give_way(index_of(text for item in rest for text in _texts(item)))


def reported(report: Report, evidence: tuple[Evidence, ...]) -> Report:
    """The report with what the window still holds of everything that was replaced."""
    kept, left = sum(one.kept for one in evidence), sum(one.left for one in evidence)
    return with_changes(report, evidence_kept=kept, evidence_left=left, evidence=evidence)


async def held(strings: Strings, window: Window, ledger: str) -> tuple[Evidence, ...]:
    """What of these strings a window and its ledger hold, summaries first."""
    newest_first = window.items[::-1]
    summaries_first = sorted(newest_first, key=lambda item: not isinstance(item, SummaryItem))
    texts = (text for item in summaries_first for text in _texts(item))
    index = await give_way(index_of((ledger, *texts)))
    return await give_way(survival(strings[:MAX_REPORTED], index))


def _texts(item: Item) -> tuple[str, ...]:
    """What a model reads of an item."""
    match item:
        case MessageItem(stored=stored):
            return (readable_text(stored.message),)
        case SummaryItem(summary=summary, quoted=quoted):
            return (summary.text, readable_text(quoted.message)) if quoted else (summary.text,)
        case StubItem(stored=stored, note=note):
            return (readable_text(stubbed(stored.message, note)),)
        case OmittedItem(note=note):
            return (note,)


async def _ledger(
    desk: Desk, branch: Branch, window: Window, after: Window, earned_tokens: int, free_tokens: int
) -> tuple[str, int]:
    """The ledger of the window that a commit leaves, of which no more is taken than its decision saves; the user's own
    words have what is free beside it.
    """
    settings = desk.effective()
    affordable_tokens = desk.beside(window).ledger_tokens + earned_tokens // 2
    most = min(ledger_limit(settings), affordable_tokens)
    if most < MIN_LEDGER_TOKENS:
        return "", 0
    words = max(0, min(words_limit(settings), affordable_tokens - most, free_tokens - most))
    text, through = await desk.notes.text(branch, after, most - LEDGER_FENCE_TOKENS, words)
    return (text, through) if tokens_of(render_ledger(text)) <= most + words else ("", 0)


def _pins(desk: Desk, window: Window) -> int:
    return beside(window, "", desk.pins).pins_tokens
