"""Costs of calls: rates, accounts, payments, and the cost state that a policy sees.

Rules compare sums in units of one uncached input token; payments are also in dollars.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from typing import Literal

from palimpsest.settings import Summarizer


@dataclass(frozen=True, slots=True)
class Rates:
    """The price of one token: `input` uncached, `cached` read from the cache, `write` written to it, `output`.

    A cached prefix lives `ttl_s` seconds after its last use. Prompts under `minimum_tokens` are not cached, and
    longer matches count in steps of `step_tokens`.
    """

    input: float
    cached: float
    write: float
    output: float
    ttl_s: float
    minimum_tokens: int = 0
    step_tokens: int = 1

    def scaled(self, factor: float) -> Rates:
        """Return the same rates in another unit."""
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
        """Return the rates with an uncached input token as the unit; unchanged if input is free."""
        return self.scaled(1 / self.input) if self.input > 0 else self


@dataclass(frozen=True, slots=True)
class Meter:
    """Running sums: rent on what a compaction, and a pruning, would remove; the bill, and that of never compacting."""

    rent: float = 0.0
    prune_rent: float = 0.0
    bill: float = 0.0
    never_bill: float = 0.0


@dataclass(frozen=True, slots=True)
class Economy:
    """The cost state before a call. `rates` are relative to an uncached input token.

    `meter` has the running sums, including what this call would cost without any compaction; `warm` means that the
    last prompt is still cached; `output_tokens` is the expected next reply. `summarizer` says who may write
    summaries; the summarizing model costs `summary_share` of this model's prices. `binds_thinking` means that the model
    reads its thinking only after an unchanged prompt.
    """

    rates: Rates
    meter: Meter = Meter()
    warm: bool = False
    output_tokens: int = 0
    summarizer: Summarizer = "extractive"
    summary_share: float = 1.0
    binds_thinking: bool = False


@dataclass(frozen=True, slots=True)
class Account:
    """The account of a branch, in relative units, and its last call: model, time, prompt, and that prompt without any
    compaction. `cost` and `never_cost` are bills in dollars; `unread` counts consecutive reported calls that could
    have read from a cache and did not.
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
    """One paid call, of the agent or of a summarizer. `input_tokens` is the whole prompt.

    `cost` and `never_cost` are in dollars, the latter for the same call without compactions and gates; `units` in
    uncached input tokens. `reported` means that a provider counted the tokens, `assumed` that the prices are not
    listed.
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
    """Paid calls of a branch with its account. `since` is the account that they were added to; if another one is
    stored by now, only the difference is added (None: it is replaced).
    """

    branch_id: int
    account: Account
    spent: tuple[Spent, ...] = ()
    since: Account | None = None


@dataclass(frozen=True, slots=True)
class Spending:
    """Sums of payments for one model and kind of one conversation."""

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
    """Merge two accounts: `since` became `account` here and `kept` elsewhere. Return the sums, and the newer last
    call.
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
    """Return the sums of a conversation's calls by model and kind, in order of their names."""
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
    """Return an amount of money as text: "$0.41", "-$12.30", "$0.0042"; fractions of cents only for small amounts."""
    size = abs(amount)
    places = 2 if size >= 0.095 or size < 0.00005 else 4
    text = f"${size:,.{places}f}"
    return f"-{text}" if amount < 0 and float(text[1:].replace(",", "")) else text


def told_net(cost: float | None, units: float | None) -> str:
    """Return what compaction has cost or saved so far, "" if unknown. It is in units of one uncached input token if
    no money was spent.
    """
    if cost is None:
        return ""
    if not cost and units:
        return f"net {units:+,.0f} units so far"
    return f"net {'+' if cost >= 0.00005 else ''}{dollars(cost)} so far"
