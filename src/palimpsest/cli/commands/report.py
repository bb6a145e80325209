"""`palimpsest report`: what a proxy, a wrapper or hooks did to conversations, what it cost, and what it saved."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from operator import attrgetter
from typing import TYPE_CHECKING

from palimpsest.cli.drawing import Listing, clean, clip, count
from palimpsest.cli.options import OnlyConversation, Shared, command
from palimpsest.cli.output import Block, Output, fields_of
from palimpsest.cli.session import Session, perform
from palimpsest.engine.reports import find_conversation
from palimpsest.record.events import Paid, Taken
from palimpsest.record.spending import dollars
from palimpsest.record.times import iso_time

if TYPE_CHECKING:
    from palimpsest.costs.bill import Bill
    from palimpsest.engine.engine import Engine
    from palimpsest.engine.reports import ConversationInfo
    from palimpsest.proxy.conversations import Counts
    from palimpsest.record.events import Seen
    from palimpsest.record.log import Compaction
    from palimpsest.record.spending import Spent

_REASON_CELLS = 40
_TITLE_CELLS = 48
_SAME_S = 1.0
"""Compactions that follow each other within this time are one rewrite."""


@dataclass(frozen=True, slots=True)
class Rewrite:
    """What was compacted between two calls, and the `calls` up to the next rewrite.

    In dollars: `cost` is how much more the first of these calls cost than without any compaction, with the summarizer's
    calls, and `saved` how much less the others cost.
    """

    compactions: tuple[Compaction, ...]
    calls: int
    cost: float
    saved: float

    @property
    def time_s(self) -> float:
        """When it was done."""
        return self.compactions[-1].time_s

    @property
    def replaced(self) -> int:
        """How many items of the window were replaced."""
        return sum(len(one.replaced) for one in self.compactions)

    @property
    def before_tokens(self) -> int:
        """The size of the replaced items."""
        return sum(one.before_tokens for one in self.compactions)

    @property
    def after_tokens(self) -> int:
        """The size of what replaced them."""
        return sum(one.after_tokens for one in self.compactions)

    @property
    def reason(self) -> str:
        """Why, each reason once."""
        return ", ".join(dict.fromkeys(one.reason for one in self.compactions))


@command("report")
def report(shared: Shared, conversation: OnlyConversation = None) -> None:
    """Show each rewrite of a window, and what it saved.

    \b
    palimpsest report
    palimpsest report last
    """

    async def body(session: Session) -> None:
        engine, known = session.engine, await session.engine.conversations()
        if conversation is not None:
            info = find_conversation(conversation, known)
            await _show_one(engine, info, session.output)
            return
        rows = [(info, await engine.conversation(info.id).compactions()) for info in known]
        fields: dict[str, object] = {
            "conversations": [
                fields_of(info, "id title agent folder messages tokens window_tokens updated_at")
                | {"rewrites": rounds_of(made)}
                for info, made in rows
            ]
        }
        blocks = _overview(rows, session.output) if rows else [shared.nothing_stored]
        session.output.result(fields, *blocks)

    perform(shared, body)


async def _show_one(engine: Engine, info: ConversationInfo, output: Output) -> None:
    from palimpsest.cli.commands.cost import bill_blocks, bill_fields

    bill = await engine.cost(info.id)
    rewrites = rewrites_of(await engine.conversation(info.id).compactions(), bill.calls if bill else ())
    fields = {
        **fields_of(info, "id title agent folder messages tokens window_tokens updated_at"),
        "rewrites": [_rewrite_fields(one) for one in rewrites],
        "bill": bill_fields(bill, calls=False) if bill is not None else None,
    }
    blocks: list[Block] = [_summary_lines(info, rewrites, bill)]
    if rewrites:
        blocks += ["", _rewrite_listing(rewrites)]
    if bill is not None:
        blocks += ["", *bill_blocks(bill, output.width)]
    output.result(fields, *blocks)


def rewrites_of(compactions: Sequence[Compaction], calls: Sequence[Spent]) -> list[Rewrite]:
    """Return the compactions, those between the same two calls as one, with the calls after them."""
    replies = [call for call in calls if call.kind == "reply"]
    groups: dict[int, list[Compaction]] = {}
    for one in compactions:
        groups.setdefault(bisect_left(replies, one.time_s, key=attrgetter("time_s")), []).append(one)
    starts = [*groups, len(replies)]
    found: list[Rewrite] = []
    begun_s = 0.0
    for number, (start, group) in enumerate(groups.items()):
        done_s = group[-1].time_s
        fees = sum(call.cost for call in calls if call.kind == "summary" and begun_s < call.time_s <= done_s)
        after = replies[start : starts[number + 1]]
        extra = [call.cost - call.never_cost for call in after if call.never_cost]
        first = extra[0] if extra else 0.0
        found.append(
            Rewrite(tuple(group), len(after), fees + max(0.0, first), -sum(extra[1:]) - min(0.0, first))
        )
        begun_s = done_s
    return found


def rounds_of(compactions: Sequence[Compaction]) -> int:
    """Return how often a window was compacted; steps that follow each other at once count as one."""
    pauses = sum(later.time_s - one.time_s > _SAME_S for one, later in pairwise(compactions))
    return pauses + bool(compactions)


def _rewrite_fields(one: Rewrite) -> dict[str, object]:
    names = "reason replaced before_tokens after_tokens calls cost saved"
    return {"time": iso_time(one.time_s), **fields_of(one, names)}


def _summary_lines(info: ConversationInfo, rewrites: Sequence[Rewrite], bill: Bill | None) -> list[str]:
    lines = [
        f"conversation  {clean(info.id)}",
        f"kept          {info.messages:,} messages, {info.tokens:,} tokens; the window has {info.window_tokens:,}",
        f"rewrites      {len(rewrites):,}",
    ]
    if bill is not None and rewrites:
        cost, saved = sum(one.cost for one in rewrites), sum(one.saved for one in rewrites)
        lines.append(
            f"money         rewriting cost {dollars(cost)}, and later calls cost {dollars(saved)} less"
        )
    return lines


def _rewrite_listing(rewrites: Sequence[Rewrite]) -> Listing:
    headings = ("time", "before", "after", "calls since", "cost", "saved", "reason")
    rows = tuple(
        (
            iso_time(one.time_s)[:16].replace("T", " "),
            f"{one.before_tokens:,}",
            f"{one.after_tokens:,}",
            f"{one.calls:,}",
            dollars(one.cost),
            dollars(one.saved),
            clip(clean(one.reason), _REASON_CELLS),
        )
        for one in rewrites
    )
    return Listing(headings, rows, frozenset(headings[1:-1]))


def _overview(rows: Sequence[tuple[ConversationInfo, list[Compaction]]], output: Output) -> list[Block]:
    short = output.ids([info.id for info, _ in rows])
    headings = ("conversation", "updated", "messages", "tokens", "window", "rewrites", "title")
    listed = tuple(
        (
            clean(short[info.id]),
            info.updated_at[:16].replace("T", " "),
            f"{info.messages:,}",
            f"{info.tokens:,}",
            f"{info.window_tokens:,}",
            f"{rounds_of(made):,}",
            clip(info.title, _TITLE_CELLS),
        )
        for info, made in rows
    )
    return [Listing(headings, listed, frozenset(headings[2:-1]))]


@dataclass(slots=True)
class Done:
    """What one engine did since a time: another process with the same database does not count."""

    since_s: float
    messages: dict[str, int] = field(default_factory=dict[str, int])
    saved: float = 0.0

    def see(self, event: Seen) -> None:
        """Count an event of the engine."""
        if isinstance(event, Taken) and event.messages:
            self.messages[event.conversation] = self.messages.get(event.conversation, 0) + event.messages
        elif isinstance(event, Paid):
            self.saved += event.spent.never_cost - event.spent.cost

    async def lines(self, engine: Engine, counts: Counts) -> list[str]:
        """Return it in lines, for the end of a wrapped program."""
        if not counts.calls:
            return [
                "no call to a model came through; if it made any, the program's own settings name another address"
            ]
        kept = count(sum(self.messages.values()), "new message")
        where, calls = count(len(self.messages), "conversation"), count(counts.calls, "call")
        lines = [f"kept {kept} in {where}; the program made {calls}"]
        made = [
            one
            for name in self.messages
            for one in await engine.conversation(name).compactions()
            if one.time_s >= self.since_s
        ]
        if made:
            least, most = sum(one.after_tokens for one in made), sum(one.before_tokens for one in made)
            times, windows = count(rounds_of(made), "time"), count(counts.rewritten, "call")
            lines += [
                f"compacted {times}: {most:,} tokens became {least:,}, and {windows} got a window",
                f"that saved {dollars(self.saved)}"
                if self.saved >= 0
                else f"that cost {dollars(-self.saved)} so far",
            ]
        else:
            lines.append("nothing was compacted: every call went on as it came")
        if counts.faults:
            lines.append(f"after a fault {count(counts.faults, 'call')} went on unchanged")
        if self.messages:
            most_used = max(self.messages, key=lambda name: self.messages[name])
            lines.append(f"palimpsest report {most_used} shows more")
        return lines
