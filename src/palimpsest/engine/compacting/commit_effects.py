"""What committing an item entails besides: the ledger that stands behind the records from then on, the pins whose
messages leave the window, and what of the exact strings is still there.

- A compaction makes the request smaller with all of it: what a summary saves pays for pinned words that now have to be
  quoted, and at most half of the rest for a longer ledger. Where it cannot pay for the pins it is not committed.
  The ledger is written with the last step of a decision, and what the steps before it have saved pays for it as well.
- A record says how many of the exact strings in what its compaction has replaced so far the window holds (`tally`);
  no secret is one of them.
"""

from __future__ import annotations

from dataclasses import dataclass
from dataclasses import replace as with_changes

from palimpsest.budget.ledger_and_pins import (
    LEDGER_FENCE_TOKENS,
    MIN_LEDGER_TOKENS,
    beside,
    ledger_limit,
    render_ledger,
    tokens_of,
)
from palimpsest.engine.compacting.model_calls import give_way
from palimpsest.engine.compacting.report import Tally, counting, new_strings
from palimpsest.engine.conversation_state import Desk
from palimpsest.errors import StaleCommit
from palimpsest.plan.levels_of_detail import asked_sizes
from palimpsest.record.decision import Step
from palimpsest.record.log import Branch, Compaction
from palimpsest.record.summary_source import Source
from palimpsest.record.window import Window, replace
from palimpsest.record.window_items import Item
from palimpsest.redaction.redactor import protect
from palimpsest.summarize.retained_strings import Evidence, Strings, strings_of


@dataclass(frozen=True, slots=True)
class Entailing:
    """What a step has to know of its decision: what was replaced before it, what the steps before this one have saved,
    whether it is the last, which writes the ledger out anew, and what a request is to use at most.
    """

    tally: Tally
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
        sized = asked_sizes(desk.effective(), budget, entailing.goal_tokens)
        most_tokens = sized.ledger if desk.settings.window_target_tokens else ledger_limit(desk.effective())
        ledger, through = await _ledger(desk, branch, window, after, earned_tokens, most_tokens)
    shown, _ = await give_way(protect(source, await desk.memo.redactor()))
    strings = new_strings(entailing.tally, await give_way(strings_of(shown)))
    evidence = await give_way(counting(entailing.tally, strings, after, ledger, desk.pins))
    return Consequence(ledger, through, saved_tokens, evidence, strings)


async def _ledger(
    desk: Desk,
    branch: Branch,
    window: Window,
    after: Window,
    earned_tokens: int,
    most_tokens: int,
) -> tuple[str, int]:
    """The ledger of the window that a commit leaves, of at most so many tokens, and no more than its decision saves."""
    affordable_tokens = desk.beside(window).ledger_tokens + earned_tokens // 2
    most = min(most_tokens, affordable_tokens)
    if most < MIN_LEDGER_TOKENS:
        return "", 0
    text, through = await desk.notes.text(branch, after, most - LEDGER_FENCE_TOKENS)
    return (text, through) if tokens_of(render_ledger(text)) <= most else ("", 0)


def _pins(desk: Desk, window: Window) -> int:
    return beside(window, "", desk.pins).pins_tokens
