"""The numbers of `stats`: what is stored, what was spent, and what this engine did since it was opened."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import fields
from typing import TYPE_CHECKING

from palimpsest.engine.reports import Calls, Stats

if TYPE_CHECKING:
    from palimpsest.ports import StoreStats
    from palimpsest.record.spending import Spending


def stats_of(found: StoreStats, spending: Sequence[Spending], done: Mapping[str, int]) -> Stats:
    """All of them in one value."""
    return Stats(
        messages=found.messages,
        tokens=found.tokens,
        conversations=found.conversations,
        summaries_by_depth=dict(found.summaries_by_depth),
        compactions=found.compactions,
        size_bytes=found.size_bytes,
        summaries_by_method=dict(found.summaries_by_method),
        replies=_calls(one for one in spending if one.kind == "reply"),
        summarizing=_calls(one for one in spending if one.kind == "summary"),
        done=dict(sorted(done.items())),
        to_index=found.to_index,
    )


def _calls(spending: Iterable[Spending]) -> Calls:
    sums = list(spending)
    return Calls(**{one.name: sum(getattr(part, one.name) for part in sums) for one in fields(Calls)})
