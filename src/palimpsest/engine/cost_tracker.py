"""What the calls of a conversation cost: each is paid for at the prices of its model, beside what it would have cost
had nothing ever been compacted.

- A call is settled by what its provider reported; where nobody tells, by estimate, before the next request or when the
  engine is closed, if a reply has been stored.
- A request that another one overtook is paid for as well, if its usage is reported: several may be under way at once.
  It is not estimated, because one that failed looks the same.
- Others may pay on the same branch at the same time: what they kept is added to, never replaced.
- A server of one's own seldom tells what it had cached. Where it does not, its calls are reckoned with the same cache
  as those that were never compacted: one of the two alone would never, or always, pay.
- What runs up is kept for each branch, so that it survives a restart; a fork starts with an empty bill. It is kept with
  the next write that has to be made anyway, so that no request waits for the disk because of it.
- Rules compare sums in relative units. A model that costs no money still computes: it is reckoned at rates that stand
  for that.
"""

from __future__ import annotations

import itertools
from collections.abc import Generator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from palimpsest.engine.pending_requests import Pending, asked_with, still_awaited
from palimpsest.engine.telemetry.observers import Observing
from palimpsest.errors import NotFound
from palimpsest.price.rates import COMPUTE, Price
from palimpsest.price.request import Use, alive, cost, matched_tokens, reported_use
from palimpsest.price.rules import after
from palimpsest.price.table import find_price
from palimpsest.record.events import CacheState, Paid
from palimpsest.record.spending import Account, Economy, Meter, Payment, Rates, Spent, carried_over
from palimpsest.record.window_items import MessageItem

if TYPE_CHECKING:
    from palimpsest.budget.assemble import Request
    from palimpsest.ports import Store
    from palimpsest.record.decision import Budget
    from palimpsest.record.log import Branch
    from palimpsest.record.message import Usage
    from palimpsest.record.summary import SummaryCall
    from palimpsest.record.window import Window

EXPECTED_OUTPUT_TOKENS = 500
"""What a reply is expected to take before any was seen."""


UNREAD_CALLS = 3
"""After so many calls in a row that could have read from a cache and did not, it is taken that nothing is cached."""


@dataclass(slots=True)
class Till:
    """The account of one conversation's current branch, in memory."""

    store: Store
    owner: str
    conversation: str
    observing: Observing = field(default_factory=Observing)
    account: Account = field(default_factory=Account)
    _branch_id: int = 0
    _since: Account = field(default_factory=Account)
    _doubtful: bool = False
    _unsaved: tuple[Spent, ...] = ()
    _changed: bool = False
    _pending: Pending | None = None
    _overtaken: tuple[Pending, ...] = ()
    _paid: Pending | None = None
    _meter: Meter | None = None

    async def open(self, branch: Branch, *, changed: bool = False) -> None:
        """Take up the account of a branch; once more where others have `changed` the branch."""
        if branch.id == self._branch_id and not changed and not self._doubtful:
            return
        if branch.id != self._branch_id:
            await self.save()
        found = await self._found(branch)
        if branch.id == self._branch_id:
            self.account = carried_over(found, self._since, self.account)
        else:
            self.account, self._branch_id = found, branch.id
            self._pending = self._paid = self._meter = None
            self._overtaken = ()
        self._since, self._doubtful = found, False

    async def _found(self, branch: Branch) -> Account:
        """What is kept of a branch; of a new one, what it starts with."""
        found = await self.store.account(self.owner, self.conversation, branch.id)
        if found is None and branch.parent is not None:
            parent = await self.store.account(self.owner, self.conversation, branch.parent)
            found = _forked(parent) if parent is not None else None
        return found or Account()

    @contextmanager
    def paying(self) -> Generator[Payment | None]:
        """What has to be kept with a write that is about to be made, None for nothing. Should the write fail, it is
        kept with a later one; should nobody know whether it was made, the store is asked what it has.
        """
        since, spent = self._since, self._unsaved
        payment = Payment(self._branch_id, self.account, spent, since) if self._changed else None
        if payment is not None:
            self._unsaved, self._changed, self._since = (), False, payment.account
        try:
            yield payment
        except Exception:
            if payment is not None and payment.branch_id == self._branch_id:
                self._unsaved, self._changed, self._since = (*spent, *self._unsaved), True, since
            raise
        except BaseException:
            self._doubtful = self._doubtful or payment is not None
            raise

    @property
    def waits(self) -> bool:
        """Whether a request was made that is not paid for."""
        return self._pending is not None

    @property
    def owes(self) -> bool:
        """Whether anything is not paid for, or not kept yet."""
        return self._changed or self._pending is not None

    async def save(self) -> None:
        """Keep what was paid for since the last write. The bill of a conversation that is forgotten meanwhile goes with
        it.
        """
        with self.paying() as payment, suppress(NotFound):
            if payment is not None:
                await self.store.save_account(self.owner, self.conversation, payment)

    def _spend(self, account: Account, *spent: Spent) -> None:
        """Take note of calls that were paid for, to be kept with the next write."""
        self.account, self._unsaved, self._changed = account, (*self._unsaved, *spent), True
        for one in spent:
            self.observing.tell(Paid(self.conversation, one))

    def economy(self, model: str, never_tokens: int, now_s: float) -> Economy:
        """What a policy may know of money before a call of this model. `never_tokens`: what its prompt would have had
        without compactions and gates.
        """
        account = self.account
        price = self._price(model, now_s)
        expected = account.output_tokens // account.calls if account.calls else EXPECTED_OUTPUT_TOKENS
        never = self._never(model, never_tokens, expected, price, now_s)
        never_bill = account.meter.never_bill + cost(never, relative_rates(price, never_tokens))
        rates = relative_rates(price, account.prompt_tokens)
        warm = self._warm(model, rates, now_s)
        return Economy(rates, replace(account.meter, never_bill=never_bill), warm, expected)

    def _price(self, model: str, now_s: float) -> Price:
        """The model's price; without its discount for what is cached where nobody caches."""
        price = find_price(model, time_s=now_s)
        if self.account.model != model or self.account.unread < UNREAD_CALLS:
            return price
        tiers = tuple((start, _uncached(rates)) for start, rates in price.tiers)
        return replace(price, rates=_uncached(price.rates), tiers=tiers)

    def _warm(self, model: str, rates: Rates, now_s: float) -> bool:
        """Whether the last call's prompt is still cached for this model. A request that names no model is for the one
        that the settings name.
        """
        account = self.account
        same = account.calls > 0 and account.model in ("", model)
        return same and alive(max(0.0, now_s - account.time_s), rates)

    def _never(self, model: str, prompt_tokens: int, output_tokens: int, price: Price, now_s: float) -> Use:
        """How a call would be paid for that nothing was ever compacted before."""
        rates = price.at(prompt_tokens)
        warm = self._warm(model, rates, now_s)
        shared = matched_tokens(min(prompt_tokens, self.account.never_tokens), rates) if warm else 0
        rest = prompt_tokens - shared
        if prompt_tokens < rates.minimum_tokens:
            return Use(0, 0, prompt_tokens, output_tokens)
        return Use(shared, rest, 0, output_tokens)

    def accrued(self, meter: Meter) -> None:
        """Take note of the meter with the rent of the call that is about to be made."""
        self._meter = meter

    async def compacted(self, *, summarized: bool) -> None:
        """Let the rent start anew after a compaction; after one that only pruned, that on old results. The same holds
        for the rent that a call under way brings with it, which is paid for later.
        """
        action = "compact" if summarized else "prune"
        before = self.account.meter
        meter = after(before, action)
        self._meter = after(self._meter, action) if self._meter is not None else None
        if self._pending is not None:
            self._pending = replace(self._pending, meter=after(self._pending.meter, action))
        if meter != before:
            self._spend(replace(self.account, meter=meter))
        await self.save()

    def cache_of(self, request: Request, now_s: float) -> CacheState:
        """What a request that is about to be sent finds cached, as far as can be told from here."""
        if not self._warm(request.model, find_price(request.model, time_s=now_s).at(request.tokens), now_s):
            return "cold"
        before = self._paid
        return "rewritten" if before is not None and before.request.mark != request.mark else "warm"

    def asked(self, request: Request, branch: Branch, window: Window, now_s: float) -> None:
        """Take note of a request that is about to be sent; one that is not paid for was overtaken, or failed."""
        self._overtaken = still_awaited((*self._overtaken, self._pending), now_s)
        never_tokens = uncompacted_tokens(request.budget, window, branch)
        meter = self._meter or self.account.meter
        self._pending = Pending(request, window, now_s, never_tokens, self._shared(request, window), meter)

    def _shared(self, request: Request, window: Window) -> int:
        """What of a prompt the last one began with: all of it, until a compaction changes its beginning."""
        before = self._paid
        if before is None or before.request.mark == request.mark:
            return min(request.tokens, self.account.prompt_tokens)
        pairs = zip(before.window.items, window.items, strict=False)
        same = itertools.takewhile(
            lambda pair: (pair[0].id, pair[0].tokens) == (pair[1].id, pair[1].tokens), pairs
        )
        fixed_tokens = request.regions.fixed - request.regions.injections
        return min(request.tokens, fixed_tokens + sum(one.tokens for _, one in same))

    def settle_by_estimate(self, window: Window) -> None:
        """Pay for the last request by what was estimated, where a reply followed it and nobody reported its usage."""
        pending = self._pending
        if pending is None:
            return
        newer = itertools.takewhile(lambda item: item.first > pending.request.last, reversed(window.items))
        replies = [
            item.stored
            for item in newer
            if isinstance(item, MessageItem) and item.stored.message.role == "assistant"
        ]
        if not replies:
            return
        use = self._told(pending, pending.request.tokens, pending.shared_tokens, replies[-1].tokens)
        self._settle(pending, use, reported=False)

    def settle(self, usage: Usage, request: Request) -> None:
        """Pay for a request by what its provider reported."""
        pending = asked_with(request, self._pending, self._overtaken)
        if pending is None:
            return
        use = reported_use(usage)
        price = find_price(request.model, time_s=pending.time_s)
        if price.rates.input <= 0 and not use.cached and not use.written:
            scale = use.prompt / max(1, request.tokens)
            use = self._told(pending, use.prompt, round(pending.shared_tokens * scale), use.output)
        self._settle(pending, use, reported=True)

    def _told(self, pending: Pending, prompt_tokens: int, shared_tokens: int, output_tokens: int) -> Use:
        """A call as the model of the cache tells it, where nobody says what was read from one."""
        rates = find_price(pending.request.model, time_s=pending.time_s).at(prompt_tokens)
        shared = shared_tokens if self._warm(pending.request.model, rates, pending.time_s) else 0
        cached = matched_tokens(min(shared, prompt_tokens), rates)
        return Use(cached, prompt_tokens - cached, 0, output_tokens)

    def _settle(self, pending: Pending, use: Use, *, reported: bool) -> None:
        request, account = pending.request, self.account
        price = self._price(request.model, pending.time_s)
        never_tokens = round(pending.never_tokens * use.prompt / max(1, request.tokens))
        never_tokens = max(use.prompt, never_tokens)
        never = self._never(request.model, never_tokens, use.output, price, pending.time_s)
        spent = _spent("reply", request.model, pending.time_s, use, price, reported=reported, never=never)
        never_units = cost(never, relative_rates(price, never_tokens))
        newest = pending is self._pending
        meter = replace(
            pending.meter if newest else account.meter,
            bill=account.meter.bill + spent.units,
            never_bill=account.meter.never_bill + never_units,
        )
        paid = replace(
            account,
            meter=meter,
            calls=account.calls + 1,
            output_tokens=account.output_tokens + use.output,
            cost=account.cost + spent.cost,
            never_cost=account.never_cost + spent.never_cost,
        )
        if newest:
            paid = replace(
                paid,
                model=request.model,
                time_s=pending.time_s,
                prompt_tokens=use.prompt,
                never_tokens=never_tokens,
                unread=self._unread(request.model, use, price, pending.time_s)
                if reported
                else account.unread,
            )
            self._pending, self._paid, self._meter = None, pending, None
        self._overtaken = tuple(one for one in self._overtaken if one is not pending)
        self._spend(paid, spent)

    def _unread(self, model: str, use: Use, price: Price, now_s: float) -> int:
        """How many calls in a row have read nothing from a cache that should have been warm."""
        rates = price.at(use.prompt)
        before = self.account
        shared = min(before.prompt_tokens, use.prompt)
        missed = self._warm(model, rates, now_s) and matched_tokens(shared, rates) > 0
        if use.cached or use.written:
            return 0
        return before.unread + 1 if missed and before.model == model else before.unread

    async def pay_summaries(self, calls: Sequence[SummaryCall], now_s: float) -> None:
        """Pay for the calls of a compaction's summarizer."""
        if not calls or not self._branch_id:
            return
        spent = tuple(
            _spent(
                "summary",
                call.model,
                now_s,
                Use(
                    call.cached_tokens, 0, max(0, call.input_tokens - call.cached_tokens), call.output_tokens
                ),
                find_price(call.model, time_s=now_s),
                reported=True,
            )
            for call in calls
        )
        account = self.account
        own = find_price(account.model, time_s=now_s).rates.input
        bill = sum(one.cost / own if own > 0 else one.units for one in spent)
        meter = replace(account.meter, bill=account.meter.bill + bill)
        cost_usd = account.cost + sum(one.cost for one in spent)
        self._spend(replace(account, meter=meter, cost=cost_usd), *spent)
        await self.save()

    @property
    def net_cost(self) -> float | None:
        """By how many dollars the branch cost more (less, below 0) than it would have without compactions; None before
        its first call.
        """
        return self.account.cost - self.account.never_cost if self.account.calls else None

    @property
    def net_units(self) -> float | None:
        """The same in uncached input tokens, for models that cost no money."""
        meter = self.account.meter
        return meter.bill - meter.never_bill if self.account.calls else None


def _forked(parent: Account) -> Account:
    """What a fork starts with: an empty bill, and what its parent's last call left in the cache."""
    return Account(
        model=parent.model,
        time_s=parent.time_s,
        prompt_tokens=parent.prompt_tokens,
        never_tokens=parent.never_tokens,
        calls=min(1, parent.calls),
        output_tokens=parent.output_tokens // max(1, parent.calls),
        unread=parent.unread,
    )


def uncompacted_tokens(budget: Budget, window: Window, branch: Branch) -> int:
    """What a request of this window would take if nothing had ever been compacted or gated."""
    regions = budget.regions
    others = budget.used_tokens - regions.summaries - regions.ledger - window.verbatim_tokens
    return max(budget.used_tokens, others + branch.tokens)


def relative_rates(price: Price, prompt_tokens: int) -> Rates:
    """The rates of a prompt of this length with an uncached input token as the unit; what computing costs where nothing
    is charged.
    """
    rates = price.at(prompt_tokens)
    return rates.relative if rates.input > 0 else COMPUTE


def _uncached(rates: Rates) -> Rates:
    return replace(rates, cached=rates.input, write=rates.input)


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
