"""Making summaries again without what is to be forgotten: from what stays, by rules, without a model."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from palimpsest.budget.assemble import count_summary
from palimpsest.budget.token_estimator import count_text
from palimpsest.engine.compacting.outline_summaries import outline_of
from palimpsest.engine.compacting.summary_drafts import MIN_SUMMARY_TOKENS
from palimpsest.engine.conversation_state import Desk
from palimpsest.record.forgetting import Reach, Rewritten, is_blank
from palimpsest.record.log import Stored
from palimpsest.record.summary import Summary
from palimpsest.record.summary_source import Entry, MessageEntry, Source, SummaryEntry


async def rebuilt(desk: Desk, reach: Reach) -> dict[str, Rewritten]:
    """The summaries over what is to be forgotten, made again by rules from what stays, the leaves first. One that would
    have nothing left to say, or would be no shorter than it was, is not among them.
    """
    going = set(reach.messages)
    over = {one.id for one in reach.summaries}
    made: dict[str, Rewritten] = {}
    for summary in reach.summaries:
        entries, times = await _entries(desk, summary, going, over, made)
        quoted_tokens = await _quoted_tokens(desk, summary, going)
        fence_tokens = count_summary(replace(summary, text=""))
        limit_tokens = summary.tokens - quoted_tokens - fence_tokens
        if not entries or limit_tokens < MIN_SUMMARY_TOKENS:
            continue
        source = Source("condense" if summary.depth else "leaf", tuple(entries))
        text = await outline_of(desk, source, min(limit_tokens - 1, count_text(summary.text)))
        again = replace(
            summary, text=text, model="", method="extractive",
            earliest_s=min(times, default=None), latest_s=max(times, default=None),
        )  # fmt: skip
        tokens = count_summary(again) + quoted_tokens
        if text.strip() and tokens < summary.tokens:
            made[summary.id] = Rewritten(summary.id, text, tokens, again.earliest_s, again.latest_s)
    return made


async def _entries(
    desk: Desk, summary: Summary, going: set[str], over: set[str], made: Mapping[str, Rewritten]
) -> tuple[list[Entry], list[float]]:
    """What stays of a summary's sources, and when it happened."""
    found = await desk.store.read(desk.owner, summary.sources)
    entries: list[Entry] = []
    times: list[float | None] = []
    for name in summary.sources:
        _, one = found.get(name, ("", None))
        if isinstance(one, Stored) and name not in going and not is_blank(one.message):
            entries.append(MessageEntry(name, one.message, one.tokens))
            times.append(one.message.time_s)
        elif isinstance(one, Summary) and name in made:
            again = made[name]
            entries.append(SummaryEntry(replace(one, text=again.text, tokens=again.tokens)))
            times += [again.earliest_s, again.latest_s]
        elif isinstance(one, Summary) and name not in over:
            entries.append(SummaryEntry(one))
            times += [one.earliest_s, one.latest_s]
    return entries, [time_s for time_s in times if time_s is not None]


async def _quoted_tokens(desk: Desk, summary: Summary, going: set[str]) -> int:
    """What the request costs that a summary quotes and goes on quoting."""
    if not summary.quotes:
        return 0
    found = await desk.store.history(desk.owner, summary.id, summary.quotes, summary.quotes)
    return sum(one.tokens for one in found if one.id not in going)
