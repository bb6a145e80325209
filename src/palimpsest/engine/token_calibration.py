"""Correct token estimates by what providers report, and learn each model's window.

- While a request has the prefix of the last report, that report is the anchor. Only what was added since is estimated,
  each kind of content at the ratio learnt for the model, and a reply at its reported output tokens if those are
  plausible.
- After a compaction, or for another model, the whole request is estimated at the learnt ratios with the constant that
  the provider adds to each request, and never below the ratio of the conversation's last report. So a tokenizer that
  counts more than ours does not make a request overflow.
- A report teaches if the one before it had the same prefix and model, and only messages were added between them.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from palimpsest.budget.calibration import (
    MAX_CONSTANT_TOKENS,
    MAX_RATIO,
    MIN_RATIO,
    NOTHING,
    Calibration,
    Profile,
    believed_outputs,
    dominant_script,
    expected,
    learn,
    learn_constant,
    plain,
    profile,
    tells_constant,
    total,
)
from palimpsest.budget.model_limits import observed_limits
from palimpsest.budget.stubs import stubbed
from palimpsest.record.message import Message
from palimpsest.record.window_items import Item, MessageItem, OmittedItem, StubItem, SummaryItem

if TYPE_CHECKING:
    from palimpsest.ports import ReportedUsage, Store
    from palimpsest.record.log import Branch
    from palimpsest.record.spending import Payment
    from palimpsest.record.window import Window
    from palimpsest.settings import Settings

MAX_MODELS = 100
"""Models whose calibration is held in memory. Beyond that all are loaded again."""

_MODEL_SEARCH_ITEMS = 64
_SCRIPT_SAMPLE_ITEMS = 8
_SCRIPT_SAMPLE_CHARS = 300


@dataclass(slots=True)
class TokenCalibration:
    """What one conversation knows of its models. `model` is the one that requests name, "" for none; `observed` holds
    the windows that refusals showed to be smaller than what is set or known.
    """

    store: Store
    owner: str
    conversation: str
    settings: Settings
    model: str = ""
    observed: dict[str, int] = field(default_factory=dict[str, int])
    _usage: ReportedUsage | None = None
    _usage_branch: int = 0
    _calibrations: dict[str, Calibration] = field(default_factory=dict[str, Calibration])
    _limits: tuple[str, int, Settings] | None = None

    async def load(self, branch: Branch, model: str) -> None:
        """Load the branch's last report, and the calibration of the given model or of the current one."""
        if self._usage_branch != branch.id:
            usage = await self.store.last_usage(self.owner, self.conversation, branch.id)
            if self._usage_branch != branch.id:  # no report came meanwhile
                self._usage, self._usage_branch = usage, branch.id
        model = model or self.current_model()
        if model not in self._calibrations:
            self._keep(model, await self.store.calibration(self.owner, model) or Calibration())

    def forget_usage(self) -> None:
        """Load the last report again when it is next needed."""
        self._usage_branch = 0

    def current_model(self) -> str:
        """The model that requests name, or else the one that the last report was for."""
        return self.model or self.settings.model or (self._usage.model if self._usage is not None else "")

    def effective_settings(self, window: Window) -> Settings:
        """The settings with the limits of the model that requests name, that is set, or that wrote the newest reply."""
        settings = self.settings
        model = self.model or settings.model or _newest_model(window.items) or self._limited_model
        observed_tokens, limits = self.observed.get(model, 0), self._limits
        if limits is None or limits[:2] != (model, observed_tokens):
            limits = (model, observed_tokens, observed_limits(settings, model, observed_tokens))
            self._limits = limits
        return limits[2]

    @property
    def _limited_model(self) -> str:
        """The model of the last effective settings."""
        return self._limits[0] if self._limits is not None else ""

    def known(self) -> tuple[str, ReportedUsage | None, Calibration | None]:
        """What an estimate depends on: the current model, the last report, and the model's calibration."""
        model = self.current_model()
        return model, self._usage, self._calibrations.get(model)

    def anchor(self, window: Window, other_tokens: int, mark: str, branch: Branch | None) -> Anchored:
        """The correction for a request of this window; `other_tokens` are those of its parts outside the window."""
        reported, model = self._usage, self.current_model()
        if branch is None or (reported is not None and reported.model != model):
            reported = None
        return anchor(window, other_tokens, reported, mark, self._calibrations.get(model, Calibration()))

    def note_refusal(
        self, max_window_tokens: int, report: ReportedUsage | None, branch: Branch, window: Window
    ) -> None:
        """Learn the prompt's real size from a refusal, and the largest possible window, until the engine is closed."""
        limits = self.effective_settings(window)
        if report is not None:
            self._usage, self._usage_branch = report, branch.id
        if max_window_tokens < limits.window_tokens:
            if len(self.observed) >= MAX_MODELS:
                self.observed.clear()
            self.observed[self._limited_model] = max_window_tokens

    async def report(
        self, reported: ReportedUsage, branch_id: int, window: Window, payment: Payment | None
    ) -> None:
        """Store a report with the call's payment, and use what it teaches from now on."""
        before = self._usage if self._usage_branch == branch_id else None
        known = await self.store.calibration(self.owner, reported.model)
        learnt = teach(known or Calibration(), before, reported, window)
        await self.store.record_usage(
            self.owner, self.conversation, branch_id, reported, learnt, payment=payment
        )
        self._usage, self._usage_branch = reported, branch_id
        self._keep(reported.model, learnt)
        prompt_tokens, model = reported.usage.input_tokens, self._limited_model
        if prompt_tokens > self.observed.get(model, prompt_tokens):  # the observed window was too small
            del self.observed[model]

    def _keep(self, model: str, calibration: Calibration) -> None:
        if len(self._calibrations) >= MAX_MODELS:
            self._calibrations.clear()
        self._calibrations[model] = calibration


def _newest_model(items: Sequence[Item]) -> str:
    """The model that wrote the newest reply among the items, "" if none is named."""
    for item in reversed(items[-_MODEL_SEARCH_ITEMS:]):
        if isinstance(item, MessageItem | StubItem):
            message = item.stored.message
            if message.role == "assistant" and message.model and not message.model.startswith("<"):
                return message.model
    return ""


def script_of(items: Sequence[Item]) -> str:
    """The script of the newest text, on which the estimate's margin depends."""
    newest = items[-_SCRIPT_SAMPLE_ITEMS:]
    return dominant_script("\n".join(_sample(item)[:_SCRIPT_SAMPLE_CHARS] for item in newest))


def _sample(item: Item) -> str:
    match item:
        case MessageItem(stored=stored):
            return stored.message.text or next((result.text for result in stored.message.results), "")
        case SummaryItem(summary=summary):
            return summary.text
        case StubItem() | OmittedItem():
            return ""


@dataclass(frozen=True, slots=True)
class Anchored:
    """The correction of an estimate, the tokens that the provider has counted, and the items that it has not."""

    correction_tokens: int
    counted_tokens: int
    uncounted: tuple[Item, ...]


def anchor(
    window: Window, other_tokens: int, reported: ReportedUsage | None, mark: str, calibration: Calibration
) -> Anchored:
    """The correction of a request of this window with the prefix `mark`. `reported` is of the same model."""
    if reported is not None and reported.window_mark == mark and _covers(window, reported.last):
        return _added_to(window, reported, calibration)
    ratio, constant = _expected_ratio(window, calibration), calibration.constant
    if reported is None:
        ratio = max(1.0, ratio)
    else:
        reported_ratio = (reported.usage.input_tokens - constant) / max(1, reported.estimated_tokens)
        ratio = max(ratio, min(MAX_RATIO, max(MIN_RATIO, reported_ratio)))
    return Anchored(round((window.tokens + other_tokens) * (ratio - 1) + constant), 0, window.items)


def teach(
    calibration: Calibration, before: ReportedUsage | None, now: ReportedUsage, window: Window
) -> Calibration:
    """The model's calibration after a report. The window holds the messages of its request."""
    if before is None or (before.model, before.window_mark) != (now.model, now.window_mark):
        return learn_constant(calibration, _request_profile(now, window), now.usage.input_tokens)
    added = [
        (_message(item), item.tokens)
        for item in _items_after(window, before.last)
        if isinstance(item, MessageItem | StubItem) and item.last <= now.last
    ]
    complete = len(added) == now.last - before.last
    estimated = sum(tokens for _, tokens in added)
    if not added or not complete or estimated != now.estimated_tokens - before.estimated_tokens:
        return calibration
    rest: Profile = NOTHING
    grown = now.usage.input_tokens - before.usage.input_tokens
    outputs = believed_outputs(calibration, added, before.usage.output_tokens)
    for (message, tokens), output in zip(added, outputs, strict=True):
        if output is None:
            rest = total((rest, profile(message, tokens)))
        else:
            grown -= output
            calibration = learn(calibration, profile(message, tokens), output)
    learnt = learn(calibration, rest, grown)
    if learnt.requests or not tells_constant(learnt, now.estimated_tokens):
        return learnt
    return learn_constant(learnt, _request_profile(now, window), now.usage.input_tokens)


def _request_profile(reported: ReportedUsage, window: Window) -> Profile:
    """The profile of a whole request; what is outside its window counts as words."""
    items = [item for item in window.items if item.last <= reported.last]
    other_tokens = max(0, reported.estimated_tokens - sum(item.tokens for item in items))
    return total((plain(other_tokens), *map(_item_profile, items)))


def _item_profile(item: Item) -> Profile:
    if isinstance(item, SummaryItem | OmittedItem):
        return plain(item.tokens)
    return profile(_message(item), item.tokens)


def _covers(window: Window, last: int) -> bool:
    """Whether the window holds every position up to `last`, and ends an item there."""
    if window.facts.covered == window.last:
        place = bisect_left(window.items, last, key=lambda item: item.last)
        return place < len(window.items) and window.items[place].last == last
    return sum(item.last - item.first + 1 for item in window.items if item.last <= last) == last


def _items_after(window: Window, last: int) -> tuple[Item, ...]:
    """The items after a position, in order."""
    place = len(window.items)
    while place > 0 and window.items[place - 1].first > last:
        place -= 1
    return window.items[place:]


def _added_to(window: Window, reported: ReportedUsage, calibration: Calibration) -> Anchored:
    counted = _plausible_tokens(reported)
    items = _items_after(window, reported.last)
    added = [(_message(item), item.tokens) for item in items]
    outputs = believed_outputs(calibration, added, reported.usage.output_tokens)
    correction = float(counted - reported.estimated_tokens)
    uncounted: list[Item] = []
    for item, (message, tokens), output in zip(items, added, outputs, strict=True):
        if output is None:
            uncounted.append(item)
            correction += expected(calibration, profile(message, tokens)) - tokens
        else:
            counted += output
            correction += output - tokens
    return Anchored(round(correction), counted, tuple(uncounted))


def _plausible_tokens(reported: ReportedUsage) -> int:
    """The reported prompt, limited to what the estimate allows; beyond that it must count something else."""
    least = int(reported.estimated_tokens * MIN_RATIO)
    most = int(reported.estimated_tokens * MAX_RATIO) + MAX_CONSTANT_TOKENS
    return min(most, max(least, reported.usage.input_tokens))


def _expected_ratio(window: Window, calibration: Calibration) -> float:
    """By what factor the model's provider is expected to count more than the estimate."""
    if not window.tokens or not any(calibration.estimated):
        return 1.0
    profiles = total(map(_item_profile, window.items))
    return expected(calibration, profiles) / window.tokens


def _message(item: Item) -> Message:
    """The message that an item shows; items after a report with the same prefix are messages."""
    match item:
        case MessageItem(stored=stored):
            return stored.message
        case StubItem(stored=stored, note=note):
            return stubbed(stored.message, note)
        case SummaryItem() | OmittedItem():
            return Message("user")
