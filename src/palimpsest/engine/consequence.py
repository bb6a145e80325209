"""What committing an item entails besides: the ledger that stands behind the records from then on, the pins whose
messages leave the window, and what of the exact strings is still there.

A compaction makes the request smaller with all of it: what a summary saves pays for pinned words that now have to be
quoted, and at most half of the rest for a longer ledger. Where it cannot pay for the pins it is not committed.
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
)
from palimpsest.engine.desk import Desk
from palimpsest.engine.drive import give_way
from palimpsest.engine.reports import Report
from palimpsest.errors import StaleCommit
from palimpsest.record.decision import Step
from palimpsest.record.log import Branch, Compaction
from palimpsest.record.window import Item, MessageItem, SummaryItem, Window, replace
from palimpsest.summarize.source import Source
from palimpsest.summarize.survival import Evidence, Strings, strings_of, survival

MAX_REPORTED = 20_000
"""Exact strings that are looked for in a window."""


@dataclass(frozen=True, slots=True)
class Consequence:
    """What stands in the window from a commit on. `ledger` is its text, made from messages up to `through`."""

    ledger: str = ""
    through: int = 0
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
    desk: Desk, branch: Branch, step: Step, item: Item, source: Source, preface_tokens: int, *, last: bool
) -> Consequence | None:
    """What follows from putting `item` in place of a step's items; None where the request would not be smaller.

    Only the `last` step of a decision writes the ledger out anew.
    """
    _, window = await desk.load()
    try:
        after = replace(window, step.item_ids, item, window.thinking_from)
    except StaleCommit:
        return Consequence()
    saved_tokens = window.tokens - after.tokens - preface_tokens + _pins(desk, window) - _pins(desk, after)
    if saved_tokens <= 0:
        return None
    ledger, through = desk.ledger
    if step.kind == "stub":
        return Consequence(ledger, through)
    if last:
        ledger, through = await _ledger(desk, branch, window, after, saved_tokens)
    strings = await give_way(strings_of(source))
    return Consequence(ledger, through, await held(strings, after, ledger), strings)


def reported(report: Report, evidence: tuple[Evidence, ...]) -> Report:
    """The report with what the window still holds of everything that was replaced."""
    kept, left = sum(one.kept for one in evidence), sum(one.left for one in evidence)
    return with_changes(report, evidence_kept=kept, evidence_left=left, evidence=evidence)


async def held(strings: Strings, window: Window, ledger: str) -> tuple[Evidence, ...]:
    """What of these strings a window and its ledger still hold."""
    summaries = [item.summary.text for item in reversed(window.items) if isinstance(item, SummaryItem)]
    shown = [item.stored.message for item in window.items if isinstance(item, MessageItem)]
    quoted = [item.quoted.message for item in window.items if isinstance(item, SummaryItem) and item.quoted]
    return await give_way(survival(strings[:MAX_REPORTED], (ledger, *summaries), (*quoted, *shown)))


async def _ledger(
    desk: Desk, branch: Branch, window: Window, after: Window, saved_tokens: int
) -> tuple[str, int]:
    """The ledger of the window that a commit leaves, of which no more is taken than it saves."""
    most = min(ledger_limit(desk.effective()), desk.beside(window).ledger_tokens + saved_tokens // 2)
    if most < MIN_LEDGER_TOKENS:
        return "", 0
    text, through = await desk.notes.text(branch, after, most - LEDGER_FENCE_TOKENS)
    return (text, through) if tokens_of(render_ledger(text)) <= most else ("", 0)


def _pins(desk: Desk, window: Window) -> int:
    return beside(window, "", desk.pins).pins_tokens
