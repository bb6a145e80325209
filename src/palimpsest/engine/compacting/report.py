"""The report of one compaction: the steps that were committed, and what they add up to."""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import takewhile
from typing import TYPE_CHECKING

from palimpsest.engine.reports import MadeSummary, Report
from palimpsest.record.summary import SummaryCall
from palimpsest.record.window_items import Item, OmittedItem, StubItem, SummaryItem

if TYPE_CHECKING:
    from palimpsest.engine.compacting.commit_effects import CompactionStatistics
    from palimpsest.engine.conversation_state import ConversationState
    from palimpsest.record.decision import Decision


@dataclass(frozen=True, slots=True)
class CommittedStep:
    """A step that was committed, and its model calls. It replaced `messages` verbatim or pruned messages, and
    `summarized_messages` under a summary. `refused` says why no reply was used, `failure` why the model refuses every
    call.
    """

    item: Item
    first_id: str
    last_id: str
    calls: tuple[SummaryCall, ...] = ()
    messages: int = 0
    summarized_messages: int = 0
    saved_tokens: int = 0
    refused: str = ""
    failure: str = ""

    @property
    def answered(self) -> bool:
        """Whether one of its calls got a reply."""
        return any(call.output_tokens for call in self.calls)


def merge_reports(first: Report | None, second: Report | None) -> Report | None:
    """Two reports of one compaction as one. The second one's statistics cover both."""
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


async def make_report(
    state: ConversationState,
    decision: Decision,
    done: list[CommittedStep],
    statistics: CompactionStatistics,
    before_tokens: int,
    through: int,
) -> Report:
    """The report of a decision's steps. Messages after the position `through` came meanwhile and are not counted."""
    branch, window = await state.load()
    newer = takewhile(lambda item: item.first > through, reversed(window.items))
    dropped = [one for one in done if isinstance(one.item, OmittedItem)]
    dropped_summarized = sum(one.summarized_messages for one in dropped)
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
    calls = tuple(call for one in done for call in one.calls)
    return Report(
        conversation=state.conversation,
        reason=decision.reason,
        before_tokens=before_tokens,
        after_tokens=state.budget(window, branch).regions.total - sum(item.tokens for item in newer),
        summaries=made,
        stubs=sum(isinstance(one.item, StubItem) for one in done),
        omitted=dropped_summarized + sum(one.messages for one in dropped),
        omitted_summarized=dropped_summarized,
        evidence_kept=sum(one.kept for one in statistics.evidence),
        evidence_left=sum(one.left for one in statistics.evidence),
        evidence=statistics.evidence,
        replaced_messages=len(statistics.messages),
        replaced_summaries=len(statistics.summaries),
        calls=len(calls),
        numbers=decision.numbers,
        refused=next((one.refused for one in reversed(done) if one.refused), ""),
        net_cost=state.costs.net_cost,
        net_units=state.costs.net_units,
        asked=calls,
    )
