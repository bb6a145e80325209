"""What was done in a compaction, as its report: the steps that were committed, and what they come to."""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import takewhile
from typing import TYPE_CHECKING

from palimpsest.engine.reports import MadeSummary, Report
from palimpsest.record.summary import SummaryCall
from palimpsest.record.window import Window
from palimpsest.record.window_items import Item, OmittedItem, StubItem, SummaryItem

if TYPE_CHECKING:
    from palimpsest.engine.compacting.statistics import Tally
    from palimpsest.engine.conversation_state import Desk
    from palimpsest.record.decision import Decision


@dataclass(frozen=True, slots=True)
class Done:
    """One committed step and the calls of a model that it took. Of what it replaced, `stood` counts the messages,
    `summarized` those under a summary; what had been dropped before is in neither. `failure` is why the model refuses
    every call.
    """

    item: Item
    first_id: str
    last_id: str
    calls: tuple[SummaryCall, ...] = ()
    stood: int = 0
    summarized: int = 0
    saved_tokens: int = 0
    refused: str = ""
    failure: str = ""

    @property
    def answered(self) -> bool:
        """Whether a reply came to one of its calls."""
        return any(call.output_tokens for call in self.calls)


def joined(first: Report | None, second: Report | None) -> Report | None:
    """Two reports of one compaction as one; summaries that the second replaced are listed all the same. What was
    counted for the second counts for both (`Tally`).
    """
    if first is None or second is None:
        return first or second
    return replace(
        second,
        reason=f"{first.reason}; {second.reason}",
        before_tokens=first.before_tokens,
        summaries=first.summaries + second.summaries,
        stubs=first.stubs + second.stubs,
        omitted=first.omitted + second.omitted,
        omitted_summarized=first.omitted_summarized + second.omitted_summarized,
        calls=first.calls + second.calls,
        asked=first.asked + second.asked,
        failure=first.failure or second.failure,
        refused=first.refused or second.refused,
    )


async def accounted(
    desk: Desk, decision: Decision, done: list[Done], tally: Tally, before_tokens: int, through: int
) -> Report:
    """What was done, with what was counted at the last step, and what has been saved by now."""
    branch, window = await desk.load()
    after_tokens = desk.budget(window, branch).regions.total - _newer_tokens(window, through)
    report = _report(desk, decision, done, before_tokens, after_tokens)
    return replace(
        report,
        evidence_kept=sum(one.kept for one in tally.evidence),
        evidence_left=sum(one.left for one in tally.evidence),
        evidence=tally.evidence,
        replaced_messages=len(tally.messages),
        replaced_summaries=len(tally.summaries),
        net_cost=desk.till.net_cost,
        net_units=desk.till.net_units,
    )


def _report(
    desk: Desk, decision: Decision, done: list[Done], before_tokens: int, after_tokens: int
) -> Report:
    dropped = [one for one in done if isinstance(one.item, OmittedItem)]
    summarized = sum(one.summarized for one in dropped)
    made = tuple(
        MadeSummary(
            id=one.item.id,
            depth=one.item.summary.depth,
            tokens=one.item.tokens,
            method=one.item.summary.method,
            first_id=one.first_id,
            last_id=one.last_id,
            covers=one.item.summary.covers,
            text=one.item.summary.text,
        )
        for one in done
        if isinstance(one.item, SummaryItem)
    )
    return Report(
        conversation=desk.conversation,
        reason=decision.reason,
        before_tokens=before_tokens,
        after_tokens=after_tokens,
        summaries=made,
        stubs=sum(isinstance(one.item, StubItem) for one in done),
        omitted=summarized + sum(one.stood for one in dropped),
        omitted_summarized=summarized,
        calls=sum(len(one.calls) for one in done),
        asked=tuple(call for one in done for call in one.calls),
        refused=next((one.refused for one in reversed(done) if one.refused), ""),
        numbers=decision.numbers,
    )


def _newer_tokens(window: Window, through: int) -> int:
    """Tokens of the messages that came after a position."""
    return sum(item.tokens for item in takewhile(lambda item: item.first > through, reversed(window.items)))
