"""What a conversation's calls cost, compared with what they would have cost if nothing had ever been compacted.

- A call is paid by what its provider reported. Without a report it is paid by estimate, before the next request or when
  the engine is closed, if a reply was stored.
- Several requests may be pending at once. One that a newer request overtook is paid only if its usage is reported,
  because a failed request looks the same.
- Other processes may pay on the same branch: stored sums are added to, never replaced.
- A self-hosted server seldom reports its cache. Then both sums assume the same cache; otherwise compacting would always
  seem to pay, or never.
- Each branch has its own account; a fork starts with an empty one. Accounts are saved with the next write that is made
  anyway, so that no request waits for the disk.
- Policies compare sums in relative units. A model that costs no money is priced at the rates of computing.
"""

from __future__ import annotations

import itertools
from collections.abc import Generator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Literal

from palimpsest.engine.telemetry.reporting import Telemetry
from palimpsest.errors import NotFound
from palimpsest.price.compaction_rules import after
from palimpsest.price.rates import COMPUTE, Price
from palimpsest.price.request import Use, alive, cost, matched_tokens, reported_use
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
"""The expected size of a reply before the first one."""

UNCACHED_CALLS = 3
"""After so many calls in a row that should have read from a cache and did not, nothing is taken to be cached."""

MAX_OVERTAKEN, MAX_OVERTAKEN_S = 16, 900.0
"""How many overtaken requests are remembered, and for how long."""


@dataclass(frozen=True, slots=True)
class PendingRequest:
    """A request that was made and not paid. `never_tokens` is its prompt without compactions and truncated results,
    `shared_tokens` the part of the prompt that the previous request began with.
    """

    request: Request
    window: Window
    time_s: float
    never_tokens: int
    shared_tokens: int
    meter: Meter


@dataclass(slots=True)
class CostTracker:
    """The account of one conversation's current branch, in memory. `meter` is the next call's, from its decision."""

    store: Store
    owner: str
    conversation: str
    telemetry: Telemetry = field(default_factory=Telemetry)
    account: Account = field(default_factory=Account)
    _branch_id: int = 0
    _saved: Account = field(default_factory=Account)
    _is_uncertain: bool = False
    _unsaved: tuple[Spent, ...] = ()
    _changed: bool = False
    _pending: PendingRequest | None = None
    _overtaken: tuple[PendingRequest, ...] = ()
    _paid: PendingRequest | None = None
    meter: Meter | None = None

    async def open(self, branch: Branch, *, changed: bool = False) -> None:
        """Load the account of a branch, again if another process `changed` the branch."""
        if branch.id == self._branch_id and not changed and not self._is_uncertain:
            return
        if branch.id != self._branch_id:
            await self.save()
        found = await self.store.account(self.owner, self.conversation, branch.id)
        if found is None and branch.parent is not None:
            parent = await self.store.account(self.owner, self.conversation, branch.parent)
            found = _forked(parent) if parent is not None else None
        found = found or Account()
        if branch.id == self._branch_id:
            self.account = carried_over(found, self._saved, self.account)
        else:
            self.account, self._branch_id = found, branch.id
            self._pending = self._paid = self.meter = None
            self._overtaken = ()
        self._saved, self._is_uncertain = found, False

    @contextmanager
    def paying(self) -> Generator[Payment | None]:
        """The payment to save with a write that follows, None if nothing changed. After a failed write it is saved with
        a later one; after a cancelled one the store is asked what it has.
        """
        saved, spent = self._saved, self._unsaved
        payment = Payment(self._branch_id, self.account, spent, saved) if self._changed else None
        if payment is not None:
            self._unsaved, self._changed, self._saved = (), False, payment.account
        try:
            yield payment
        except Exception:
            if payment is not None and payment.branch_id == self._branch_id:
                self._unsaved, self._changed, self._saved = (*spent, *self._unsaved), True, saved
            raise
        except BaseException:
            self._is_uncertain = self._is_uncertain or payment is not None
            raise

    @property
    def has_unsaved(self) -> bool:
        """Whether anything is not paid, or not saved yet."""
        return self._changed or self._pending is not None

    async def save(self) -> None:
        """Save what was paid since the last write. The account of a conversation that was deleted is dropped."""
        with self.paying() as payment, suppress(NotFound):
            if payment is not None:
                await self.store.save_account(self.owner, self.conversation, payment)

    def _spend(self, account: Account, *spent: Spent) -> None:
        """Change the account by calls that were paid, to be saved with the next write."""
        self.account, self._unsaved, self._changed = account, (*self._unsaved, *spent), True
        for one in spent:
            self.telemetry.emit(Paid(self.conversation, one))

    def economy(self, model: str, never_tokens: int, now_s: float) -> Economy:
        """What a policy may know of costs before a call, whose prompt would have `never_tokens` without compactions."""
        account, price = self.account, self._price(model, now_s)
        output_tokens = account.output_tokens // account.calls if account.calls else EXPECTED_OUTPUT_TOKENS
        never = self._never_compacted(model, never_tokens, output_tokens, price, now_s)
        never_bill = account.meter.never_bill + cost(never, relative_rates(price, never_tokens))
        rates = relative_rates(price, account.prompt_tokens)
        meter = replace(account.meter, never_bill=never_bill)
        return Economy(rates, meter, self._is_warm(model, rates, now_s), output_tokens)

    def _price(self, model: str, now_s: float) -> Price:
        """The model's price, without a discount for cached tokens if nothing seems to be cached."""
        price = find_price(model, time_s=now_s)
        if self.account.model != model or self.account.unread < UNCACHED_CALLS:
            return price
        tiers = tuple((start, _uncached(rates)) for start, rates in price.tiers)
        return replace(price, rates=_uncached(price.rates), tiers=tiers)

    def _is_warm(self, model: str, rates: Rates, now_s: float) -> bool:
        """Whether the last call's prompt is still cached for this model. No name means the configured model."""
        account = self.account
        same = account.calls > 0 and account.model in ("", model)
        return same and alive(max(0.0, now_s - account.time_s), rates)

    def _never_compacted(
        self, model: str, prompt_tokens: int, output_tokens: int, price: Price, now_s: float
    ) -> Use:
        """The use of a call in a conversation that was never compacted."""
        rates = price.at(prompt_tokens)
        if prompt_tokens < rates.minimum_tokens:
            return Use(0, 0, prompt_tokens, output_tokens)
        shared = min(prompt_tokens, self.account.never_tokens) if self._is_warm(model, rates, now_s) else 0
        cached = matched_tokens(shared, rates)
        return Use(cached, prompt_tokens - cached, 0, output_tokens)

    async def compacted(self, *, summarized: bool) -> None:
        """Restart the meters after a compaction, also those of pending calls; pruning restarts only its own."""
        action = "compact" if summarized else "prune"
        before = self.account.meter
        meter = after(before, action)
        self.meter = after(self.meter, action) if self.meter is not None else None
        if self._pending is not None:
            self._pending = replace(self._pending, meter=after(self._pending.meter, action))
        if meter != before:
            self._spend(replace(self.account, meter=meter))
        await self.save()

    def cache_of(self, request: Request, now_s: float) -> CacheState:
        """The expected state of the cache for a request that is about to be sent."""
        rates = find_price(request.model, time_s=now_s).at(request.tokens)
        if not self._is_warm(request.model, rates, now_s):
            return "cold"
        before = self._paid
        return "rewritten" if before is not None and before.request.mark != request.mark else "warm"

    def note_request(self, request: Request, branch: Branch, window: Window, now_s: float) -> None:
        """Remember a request that is about to be sent; an unpaid earlier one was overtaken, or failed."""
        unpaid = (*self._overtaken, *([self._pending] if self._pending is not None else []))
        recent = [one for one in unpaid if now_s - one.time_s < MAX_OVERTAKEN_S]
        self._overtaken = tuple(recent[-MAX_OVERTAKEN:])
        never_tokens = uncompacted_tokens(request.budget, window, branch)
        shared_tokens = self._shared_tokens(request, window)
        meter = self.meter or self.account.meter
        self._pending = PendingRequest(request, window, now_s, never_tokens, shared_tokens, meter)

    def _shared_tokens(self, request: Request, window: Window) -> int:
        """The part of a prompt that the last one began with: all of it, until a compaction changes its beginning."""
        before = self._paid
        if before is None or before.request.mark == request.mark:
            return min(request.tokens, self.account.prompt_tokens)
        tokens = request.regions.fixed - request.regions.injections
        for old, new in zip(before.window.items, window.items, strict=False):
            if (old.id, old.tokens) != (new.id, new.tokens):
                break
            tokens += new.tokens
        return min(request.tokens, tokens)

    def settle_by_estimate(self, window: Window) -> None:
        """Pay the last request by its estimate, if a reply followed it and no usage was reported."""
        pending = self._pending
        if pending is None:
            return
        newer = itertools.takewhile(lambda item: item.first > pending.request.last, reversed(window.items))
        replies = [
            item.stored.tokens
            for item in newer
            if isinstance(item, MessageItem) and item.stored.message.role == "assistant"
        ]
        if replies:
            use = self._assumed_use(pending, pending.request.tokens, pending.shared_tokens, replies[-1])
            self._settle(pending, use, reported=False)

    def settle(self, usage: Usage, request: Request) -> None:
        """Pay a request by what its provider reported."""
        pending = self._pending_of(request)
        if pending is None:
            return
        use = reported_use(usage)
        price = find_price(request.model, time_s=pending.time_s)
        if price.rates.input <= 0 and not use.cached and not use.written:
            scale = use.prompt / max(1, request.tokens)
            use = self._assumed_use(pending, use.prompt, round(pending.shared_tokens * scale), use.output)
        self._settle(pending, use, reported=True)

    def _pending_of(self, request: Request) -> PendingRequest | None:
        """The pending entry of this very request; the newest one for an equal request that none overtook."""
        newest = self._pending
        for one in (*self._overtaken, newest):
            if one is not None and one.request is request:
                return one
        if newest is None or self._overtaken:
            return None
        same = (newest.request.mark, newest.request.last) == (request.mark, request.last)
        return newest if same else None

    def _assumed_use(
        self, pending: PendingRequest, prompt_tokens: int, shared_tokens: int, output_tokens: int
    ) -> Use:
        """The use of a call whose cache reads nobody reported, by the model of the cache."""
        rates = find_price(pending.request.model, time_s=pending.time_s).at(prompt_tokens)
        shared = shared_tokens if self._is_warm(pending.request.model, rates, pending.time_s) else 0
        cached = matched_tokens(min(shared, prompt_tokens), rates)
        return Use(cached, prompt_tokens - cached, 0, output_tokens)

    def _settle(self, pending: PendingRequest, use: Use, *, reported: bool) -> None:
        request, account, now_s = pending.request, self.account, pending.time_s
        price = self._price(request.model, now_s)
        never_tokens = round(pending.never_tokens * use.prompt / max(1, request.tokens))
        never_tokens = max(use.prompt, never_tokens)
        never = self._never_compacted(request.model, never_tokens, use.output, price, now_s)
        spent = _spent("reply", request.model, now_s, use, price, reported=reported, never=never)
        never_units = cost(never, relative_rates(price, never_tokens))
        is_newest = pending is self._pending
        meter = pending.meter if is_newest else account.meter
        paid = replace(
            account,
            meter=replace(
                meter,
                bill=account.meter.bill + spent.units,
                never_bill=account.meter.never_bill + never_units,
            ),
            calls=account.calls + 1,
            output_tokens=account.output_tokens + use.output,
            cost=account.cost + spent.cost,
            never_cost=account.never_cost + spent.never_cost,
        )
        if is_newest:
            paid = replace(
                paid,
                model=request.model,
                time_s=now_s,
                prompt_tokens=use.prompt,
                never_tokens=never_tokens,
                unread=self._unread_calls(request.model, use, price, now_s) if reported else account.unread,
            )
            self._pending, self._paid, self.meter = None, pending, None
        self._overtaken = tuple(one for one in self._overtaken if one is not pending)
        self._spend(paid, spent)

    def _unread_calls(self, model: str, use: Use, price: Price, now_s: float) -> int:
        """How many calls in a row have read nothing from a cache that should have been warm."""
        if use.cached or use.written:
            return 0
        rates, before = price.at(use.prompt), self.account
        shared = matched_tokens(min(before.prompt_tokens, use.prompt), rates)
        missed = before.model == model and shared > 0 and self._is_warm(model, rates, now_s)
        return before.unread + missed

    async def pay_summaries(self, calls: Sequence[SummaryCall], now_s: float) -> None:
        """Pay the calls of a compaction's summarizer."""
        if not calls or not self._branch_id:
            return
        spent: list[Spent] = []
        for call in calls:
            uncached_tokens = max(0, call.input_tokens - call.cached_tokens)
            use = Use(call.cached_tokens, 0, uncached_tokens, call.output_tokens)
            price = find_price(call.model, time_s=now_s)
            spent.append(_spent("summary", call.model, now_s, use, price, reported=True))
        account = self.account
        own_rate = find_price(account.model, time_s=now_s).rates.input
        bill = sum(one.cost / own_rate if own_rate > 0 else one.units for one in spent)
        meter = replace(account.meter, bill=account.meter.bill + bill)
        cost_usd = account.cost + sum(one.cost for one in spent)
        self._spend(replace(account, meter=meter, cost=cost_usd), *spent)
        await self.save()

    @property
    def net_cost(self) -> float | None:
        """How many dollars more (or less) the branch cost than without compactions; None before its first call."""
        return self.account.cost - self.account.never_cost if self.account.calls else None

    @property
    def net_units(self) -> float | None:
        """The same in uncached input tokens, for models that cost no money."""
        meter = self.account.meter
        return meter.bill - meter.never_bill if self.account.calls else None


def _forked(parent: Account) -> Account:
    """The account of a fork: an empty bill, and what its parent's last call left in the cache."""
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
    """The tokens of a request of this window if nothing had ever been compacted or truncated."""
    regions = budget.regions
    others = budget.used_tokens - regions.summaries - regions.ledger - window.verbatim_tokens
    return max(budget.used_tokens, others + branch.tokens)


def relative_rates(price: Price, prompt_tokens: int) -> Rates:
    """The rates in units of an uncached input token; the rates of computing for a model that costs no money."""
    rates = price.at(prompt_tokens)
    return rates.relative if rates.input > 0 else COMPUTE


def _uncached(rates: Rates) -> Rates:
    return replace(rates, cached=rates.input, write=rates.input)


def _spent(
    kind: Literal["summary", "reply"],
    model: str,
    time_s: float,
    use: Use,
    price: Price,
    *,
    reported: bool,
    never: Use | None = None,
) -> Spent:
    dollars = cost(use, price.at(use.prompt))
    never_dollars = cost(never, price.at(never.prompt)) if never is not None else 0.0
    units = cost(use, relative_rates(price, use.prompt))
    tokens = (use.prompt, use.cached, use.written, use.output)
    return Spent(kind, model, time_s, *tokens, dollars, never_dollars, units, reported, price.assumed)
