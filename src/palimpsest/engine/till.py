"""What the calls of a conversation cost: each is paid for at the prices of its model, beside what it would have cost had
nothing ever been compacted.

- A call is settled by what its provider reported; where nobody tells, by estimate, as soon as a reply has been stored.
- What runs up is kept for each branch, so that it survives a restart; a fork starts from nothing.
- Rules compare sums in relative units. A model that costs no money still computes: it is reckoned at rates that stand
  for that.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from palimpsest.budget.assemble import Request
from palimpsest.ports import Store
from palimpsest.price.rates import COMPUTE
from palimpsest.price.request import Use, alive, cost, matched_tokens
from palimpsest.price.table import Price, find_price
from palimpsest.record.log import Branch
from palimpsest.record.message import Usage
from palimpsest.record.money import Account, Economy, Meter, Rates, Spent
from palimpsest.record.summary import SummaryCall
from palimpsest.record.window import MessageItem, Window

EXPECTED_OUTPUT_TOKENS = 500
"""What a reply is expected to take before any was seen."""


@dataclass(frozen=True, slots=True)
class Pending:
    """A request that was made and is not paid for yet. `never_tokens` is its prompt without compactions and gates."""

    request: Request
    time_s: float
    never_tokens: int
    meter: Meter


@dataclass(slots=True)
class Till:
    """The account of one conversation's current branch, in memory."""

    store: Store
    owner: str
    conversation: str
    account: Account = field(default_factory=Account)
    _branch_id: int = 0
    _pending: Pending | None = None
    _meter: Meter | None = None

    async def open(self, branch: Branch) -> None:
        """Take up the account of a branch."""
        if branch.id != self._branch_id:
            found = await self.store.account(self.owner, self.conversation, branch.id)
            self.account, self._branch_id = found or Account(), branch.id
            self._pending = self._meter = None

    def economy(self, model: str, now_s: float) -> Economy:
        """What a policy may know of money before a call of this model."""
        account = self.account
        rates = relative_rates(find_price(model, time_s=now_s), account.prompt_tokens)
        warm = (
            account.calls > 0 and account.model == model and alive(max(0.0, now_s - account.time_s), rates)
        )
        expected = account.output_tokens // account.calls if account.calls else EXPECTED_OUTPUT_TOKENS
        return Economy(
            rates=rates,
            meter=account.meter,
            warm=warm,
            seen=account.last,
            prompt_tokens=account.prompt_tokens,
            never_tokens=account.never_tokens,
            output_tokens=expected,
        )

    def accrued(self, meter: Meter) -> None:
        """Take note of the meter with the rent of the call that is about to be made."""
        self._meter = meter

    async def compacted(self, meter: Meter) -> None:
        """Keep the meter as it is after a compaction."""
        self._meter = meter
        self.account = replace(
            self.account,
            meter=replace(self.account.meter, rent=meter.rent, prune_rent=meter.prune_rent),
        )
        await self.store.save_account(self.owner, self.conversation, self._branch_id, self.account)

    def asked(self, request: Request, branch: Branch, window: Window, now_s: float) -> None:
        """Take note of a request that is about to be sent, in place of one that was never answered."""
        regions = request.regions
        left = request.tokens - regions.summaries - regions.ledger - window.verbatim_tokens
        never = max(request.tokens, left + branch.tokens)
        self._pending = Pending(request, now_s, never, self._meter or self.account.meter)

    async def settle_by_estimate(self, window: Window) -> None:
        """Pay for the last request by what was estimated, where a reply followed it and nobody reported its usage."""
        pending = self._pending
        if pending is None:
            return
        reply = next(
            (
                item.stored
                for item in window.items
                if isinstance(item, MessageItem)
                and item.first > pending.request.last
                and item.stored.message.role == "assistant"
            ),
            None,
        )
        if reply is None:
            return
        model, prompt = pending.request.model, pending.request.tokens
        rates = find_price(model, time_s=pending.time_s).at(prompt)
        account = self.account
        same = account.model == model and alive(max(0.0, pending.time_s - account.time_s), rates)
        cached = min(prompt, matched_tokens(account.prompt_tokens, rates)) if same and account.calls else 0
        await self._settle(pending, Use(cached, prompt - cached, 0, reply.tokens), reported=False)

    async def settle(self, usage: Usage, request: Request) -> None:
        """Pay for a request by what its provider reported."""
        pending = self._pending
        if pending is None or pending.request is not request:
            return
        cached = min(usage.cached_tokens, usage.input_tokens)
        written = min(usage.cache_write_tokens, usage.input_tokens - cached)
        use = Use(cached, written, usage.input_tokens - cached - written, usage.output_tokens)
        await self._settle(pending, use, reported=True)

    async def _settle(self, pending: Pending, use: Use, *, reported: bool) -> None:
        request, account = pending.request, self.account
        price = find_price(request.model, time_s=pending.time_s)
        never_tokens = round(pending.never_tokens * use.prompt / max(1, request.tokens))
        never_tokens = max(use.prompt, never_tokens)
        rates = price.at(never_tokens)
        same = account.model == request.model and account.calls > 0
        warm = same and alive(max(0.0, pending.time_s - account.time_s), rates)
        shared = min(never_tokens, matched_tokens(account.never_tokens, rates)) if warm else 0
        never = Use(shared, never_tokens - shared, 0, use.output)
        spent = _spent("reply", request.model, pending.time_s, use, price, reported=reported, never=never)
        never_units = cost(never, relative_rates(price, never_tokens))
        meter = replace(
            pending.meter,
            bill=pending.meter.bill + spent.units,
            never_bill=pending.meter.never_bill + never_units,
        )
        self.account = Account(
            meter=meter,
            model=request.model,
            time_s=pending.time_s,
            last=request.last,
            prompt_tokens=use.prompt,
            never_tokens=never_tokens,
            calls=account.calls + 1,
            output_tokens=account.output_tokens + use.output,
            cost=account.cost + spent.cost,
            never_cost=account.never_cost + spent.never_cost,
        )
        self._pending = self._meter = None
        await self.store.save_account(
            self.owner, self.conversation, request.branch_id, self.account, (spent,)
        )

    async def pay_summaries(self, calls: Sequence[SummaryCall], now_s: float) -> None:
        """Pay for the calls of a compaction's summarizer."""
        if not calls or not self._branch_id:
            return
        spent = tuple(
            _spent(
                "summary",
                call.model,
                now_s,
                Use(0, 0, call.input_tokens, call.output_tokens),
                find_price(call.model, time_s=now_s),
                reported=True,
            )
            for call in calls
        )
        bill = sum(one.units for one in spent)
        account = self.account
        self.account = replace(
            account,
            meter=replace(account.meter, bill=account.meter.bill + bill),
            cost=account.cost + sum(one.cost for one in spent),
        )
        if self._meter is not None:
            self._meter = replace(self._meter, bill=self._meter.bill + bill)
        await self.store.save_account(self.owner, self.conversation, self._branch_id, self.account, spent)

    @property
    def net_cost(self) -> float | None:
        """By how many dollars the branch cost more (less, below 0) than it would have without compactions; None before
        its first call.
        """
        return self.account.cost - self.account.never_cost if self.account.calls else None


def relative_rates(price: Price, prompt_tokens: int) -> Rates:
    """The rates of a prompt of this length with an uncached input token as the unit; what computing costs where nothing
    is charged.
    """
    rates = price.at(prompt_tokens)
    return rates.relative if rates.input > 0 else COMPUTE


def _spent(
    kind: str, model: str, time_s: float, use: Use, price: Price, *, reported: bool, never: Use | None = None
) -> Spent:
    dollars = cost(use, price.at(use.prompt))
    never_dollars = cost(never, price.at(never.prompt)) if never is not None else 0.0
    return Spent(
        "summary" if kind == "summary" else "reply",
        model,
        time_s,
        use.prompt,
        use.cached,
        use.written,
        use.output,
        dollars,
        never_dollars,
        cost(use, relative_rates(price, use.prompt)),
        reported,
        price.assumed,
    )
