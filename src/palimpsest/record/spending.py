"""What calls cost: rates, what has run up, what was spent, and what a policy may know of it all.

Rules compare sums of one unit with one another, that of an uncached input token; what was spent is in dollars as well.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from typing import Literal

from palimpsest.settings import Summarizer


@dataclass(frozen=True, slots=True)
class Rates:
    """The price of one token: `input` uncached, `cached` read from the cache, `write` written to it, `output`.

    A cached prefix lives `ttl_s` seconds after it was last used. Prompts under `minimum_tokens` are not cached, and a
    match counts in steps of `step_tokens` from there on.
    """

    input: float
    cached: float
    write: float
    output: float
    ttl_s: float
    minimum_tokens: int = 0
    step_tokens: int = 1

    def scaled(self, factor: float) -> Rates:
        """The same rates in another unit."""
        return Rates(
            self.input * factor,
            self.cached * factor,
            self.write * factor,
            self.output * factor,
            self.ttl_s,
            self.minimum_tokens,
            self.step_tokens,
        )

    @property
    def relative(self) -> Rates:
        """The rates with an uncached input token as the unit; unchanged where input costs nothing."""
        return self.scaled(1 / self.input) if self.input > 0 else self


@dataclass(frozen=True, slots=True)
class Meter:
    """What has run up: rent on what a compaction, and a pruning, would remove; the bill, and never compacting's."""

    rent: float = 0.0
    prune_rent: float = 0.0
    bill: float = 0.0
    never_bill: float = 0.0


@dataclass(frozen=True, slots=True)
class Economy:
    """What a policy may know of money before a call. `rates` are relative to an uncached input token.

    `meter` is what has run up, with what this call would cost had nothing ever been compacted; `warm` says that the
    last call's prompt is still cached; `output_tokens` is what the next reply is expected to take. `summarizer` says
    who may write summaries; the model for them has `summary_share` of this model's prices.
    """

    rates: Rates
    meter: Meter = Meter()
    warm: bool = False
    output_tokens: int = 0
    summarizer: Summarizer = "extractive"
    summary_share: float = 1.0


@dataclass(frozen=True, slots=True)
class Account:
    """What has run up on a branch, in relative units, and its last call: for which model, when, its prompt, and what
    that would have been had nothing ever been compacted. `cost` and `never_cost` are the bills in dollars; `unread` how
    many reported calls in a row could have read something from a cache and did not.
    """

    meter: Meter = field(default_factory=Meter)
    model: str = ""
    time_s: float = 0.0
    prompt_tokens: int = 0
    never_tokens: int = 0
    calls: int = 0
    output_tokens: int = 0
    cost: float = 0.0
    never_cost: float = 0.0
    unread: int = 0


@dataclass(frozen=True, slots=True)
class Spent:
    """One call that was paid for: of the agent, or of a compaction's summarizer. `input_tokens` is the whole prompt.

    `cost` and `never_cost` are in dollars, the second for the same call without compactions and gates; `units` in
    uncached input tokens. `reported` says that a provider counted the tokens, `assumed` that nobody lists the model's
    prices.
    """

    kind: Literal["reply", "summary"]
    model: str
    time_s: float
    input_tokens: int
    cached_tokens: int
    written_tokens: int
    output_tokens: int
    cost: float
    never_cost: float
    units: float
    reported: bool = True
    assumed: bool = False


@dataclass(frozen=True, slots=True)
class Payment:
    """Calls that were paid for on a branch, and what has run up there with them. `since` is the account that they were
    added to; where another one is kept by now, what is new is added to that (None: it is replaced).
    """

    branch_id: int
    account: Account
    spent: tuple[Spent, ...] = ()
    since: Account | None = None


@dataclass(frozen=True, slots=True)
class Spending:
    """The sums over some of what was spent, for one model and kind of one conversation."""

    conversation: str
    model: str
    kind: str
    calls: int
    input_tokens: int
    cached_tokens: int
    written_tokens: int
    output_tokens: int
    cost: float
    never_cost: float
    units: float
    unreported: int = 0
    assumed: bool = False


def carried_over(kept: Account | None, since: Account | None, account: Account) -> Account:
    """What has run up where `since` became `account` here and `kept` elsewhere: the sums of both, and the newer of the
    last calls.
    """
    if kept is None or since is None or kept == since:
        return account
    newer = account if account.time_s >= kept.time_s else kept
    meter = replace(
        newer.meter,
        bill=kept.meter.bill + account.meter.bill - since.meter.bill,
        never_bill=kept.meter.never_bill + account.meter.never_bill - since.meter.never_bill,
    )
    return replace(
        newer,
        meter=meter,
        calls=kept.calls + account.calls - since.calls,
        output_tokens=kept.output_tokens + account.output_tokens - since.output_tokens,
        cost=kept.cost + account.cost - since.cost,
        never_cost=kept.never_cost + account.never_cost - since.never_cost,
    )


def totals(conversation: str, calls: Iterable[Spent]) -> list[Spending]:
    """The sums of a conversation's calls for each model and kind, in the order of their names."""
    groups: dict[tuple[str, str], list[Spent]] = {}
    for one in calls:
        groups.setdefault((one.model, one.kind), []).append(one)
    return [
        Spending(
            conversation,
            model,
            kind,
            len(group),
            sum(one.input_tokens for one in group),
            sum(one.cached_tokens for one in group),
            sum(one.written_tokens for one in group),
            sum(one.output_tokens for one in group),
            sum(one.cost for one in group),
            sum(one.never_cost for one in group),
            sum(one.units for one in group),
            sum(not one.reported for one in group),
            any(one.assumed for one in group),
        )
        for (model, kind), group in sorted(groups.items())
    ]


def dollars(amount: float) -> str:
    """An amount of money as people say it: "$0.41", "-$12.30", "$0.0042"; cents of cents only where there is nothing
    more.
    """
    size = abs(amount)
    places = 2 if size >= 0.095 or size < 0.00005 else 4
    text = f"${size:,.{places}f}"
    return f"-{text}" if amount < 0 and float(text[1:].replace(",", "")) else text


def told_net(cost: float | None, units: float | None) -> str:
    """What compacting has cost (more than it saved) or saved until now, "" where nobody knows. In units, of which one
    is an uncached input token's computing, where no money was spent.
    """
    if cost is None:
        return ""
    if not cost and units:
        return f"net {units:+,.0f} units so far"
    return f"net {'+' if cost >= 0.00005 else ''}{dollars(cost)} so far"
