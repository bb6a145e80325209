"""What is known of the models that a conversation is sent to: their windows, and how far estimates are off."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from palimpsest.budget.calibration import (
    MAX_RATIO,
    MIN_RATIO,
    NOTHING,
    Calibration,
    Profile,
    believed_outputs,
    dominant_script,
    expected,
    learn,
    plain,
    profile,
    total,
)
from palimpsest.budget.model_limits import observed_limits, resolve_limits
from palimpsest.budget.stubs import stubbed
from palimpsest.record.message import Message
from palimpsest.record.window_items import Item, MessageItem, OmittedItem, StubItem, SummaryItem

if TYPE_CHECKING:
    from palimpsest.ports import ReportedUsage, Store
    from palimpsest.record.log import Branch
    from palimpsest.record.spending import Payment
    from palimpsest.record.window import Window
    from palimpsest.settings import Settings
if TYPE_CHECKING:
    from palimpsest.ports import ReportedUsage
    from palimpsest.record.window import Window


MAX_MODELS = 100
"""Models whose calibration is at hand; beyond that all are loaded again."""

_MODEL_SEARCH_ITEMS = 64
_SCRIPT_SAMPLE_ITEMS = 8
_SCRIPT_SAMPLE_CHARS = 300


@dataclass(slots=True)
class Gauge:
    """What one conversation knows of its models. `model` is the one that requests name, "" for none; `observed` the
    windows that models were seen to have, where that is less than what is set or known of them.
    """

    store: Store
    owner: str
    conversation: str
    model: str = ""
    observed: dict[str, int] = field(default_factory=dict[str, int])
    _usage: ReportedUsage | None = None
    _usage_branch: int = 0
    _calibrations: dict[str, Calibration] = field(default_factory=dict[str, Calibration])
    _limited: tuple[Settings, str, Settings] | None = None
    _limited_for: tuple[Settings, Window, str] | None = None
    _writer: tuple[Window, str] | None = None

    async def load(self, branch: Branch, model: str, settings: Settings) -> None:
        """Take up what was last reported of a branch, and what was learnt of a model: the one that a request is about
        to name, or else the last.
        """
        if self._usage_branch != branch.id:
            usage = await self.store.last_usage(self.owner, self.conversation, branch.id)
            if self._usage_branch != branch.id:  # nobody has reported meanwhile
                self._usage, self._usage_branch = usage, branch.id
        model = model or self.asked(settings)
        if model not in self._calibrations:
            found = await self.store.calibration(self.owner, model)
            self._learnt(model, found or Calibration())

    def forget_usage(self) -> None:
        """Load the last report again when it is next needed."""
        self._usage_branch = 0

    def asked(self, settings: Settings) -> str:
        """The model that requests name, or else the one that the last report was for."""
        named = self.model or settings.model
        return named or (self._usage.model if self._usage is not None else "")

    def effective(self, settings: Settings, window: Window) -> Settings:
        """The settings with the limits of the model that requests are for: the one last named, the one that is set,
        else that of the newest reply in the window, or of the newest there was.
        """
        asked = self._limited_for
        same = asked is not None and asked[0] is settings and asked[1] is window and asked[2] == self.model
        if same and self._limited is not None:
            return self._limited[2]
        before = self._limited[1] if self._limited is not None else ""
        model = self.model or settings.model or self._wrote(window) or before
        if self._limited is None or self._limited[0] is not settings or before != model:
            limits = observed_limits(settings, model, self.observed.get(model, 0))
            self._limited = (settings, model, limits)
        self._limited_for = (settings, window, self.model)
        return self._limited[2]

    def _wrote(self, window: Window) -> str:
        """The model that wrote the newest reply in the window, "" where none is named."""
        before = self._writer
        if before is None or before[0] is not window:
            since = len(before[0].items) if before is not None and _grew(before[0], window) else 0
            name = _newest_model(window.items[since:]) or (before[1] if before is not None and since else "")
            before = self._writer = (window, name)
        return before[1]

    def known(self, settings: Settings) -> tuple[str, ReportedUsage | None, Calibration | None]:
        """What an estimate goes by: the model that requests are for, the last report, and what was learnt of it."""
        model = self.asked(settings)
        return model, self._usage, self._calibrations.get(model)

    def anchored(
        self, window: Window, besides_tokens: int, mark: str, branch: Branch | None, settings: Settings
    ) -> Anchored:
        """How far the estimate of a request of this window is off, by what was last reported (see `anchor`).
        `besides_tokens` are those of what stands beside the window's items.
        """
        reported, model = self._usage, self.asked(settings)
        if branch is None or (reported is not None and reported.model != model):
            reported = None
        known = self._calibrations.get(model, Calibration())
        return anchor(window, besides_tokens, reported, mark, known)

    def refused(
        self,
        most_tokens: int,
        report: ReportedUsage | None,
        branch: Branch,
        window: Window,
        settings: Settings,
    ) -> None:
        """Take over what a refusal says: how long the prompt was, where it tells, and the largest window that the model
        can have. Remembered until the engine is closed.
        """
        limits = self.effective(settings, window)
        model = self._limited[1] if self._limited is not None else ""
        if report is not None:
            self._usage, self._usage_branch = report, branch.id
        if most_tokens < limits.window_tokens:
            if len(self.observed) >= MAX_MODELS:
                self.observed.clear()
            self.observed[model] = most_tokens
            self._limited = (settings, model, observed_limits(settings, model, most_tokens))

    async def report(
        self,
        reported: ReportedUsage,
        branch_id: int,
        window: Window,
        settings: Settings,
        payment: Payment | None,
    ) -> None:
        """Keep a report, what it teaches about its model, and what the call cost; use the first two for the estimates
        that follow.
        """
        before = self._usage if self._usage_branch == branch_id else None
        known = await self.store.calibration(self.owner, reported.model)
        learnt = teach(known or Calibration(), before, reported, window)
        await self.store.record_usage(
            self.owner, self.conversation, branch_id, reported, learnt, payment=payment
        )
        self._usage, self._usage_branch = reported, branch_id
        self._learnt(reported.model, learnt)
        self._taken(reported.usage.input_tokens, settings)

    def _taken(self, prompt_tokens: int, settings: Settings) -> None:
        """Give up an observed window that a prompt shows to be too small."""
        model = self._limited[1] if self._limited is not None else ""
        if prompt_tokens > self.observed.get(model, prompt_tokens):
            del self.observed[model]
            self._limited = (settings, model, resolve_limits(settings, model))

    def _learnt(self, model: str, calibration: Calibration) -> None:
        if len(self._calibrations) >= MAX_MODELS:
            self._calibrations.clear()
        self._calibrations[model] = calibration


def _grew(before: Window, window: Window) -> bool:
    """Whether a window is an earlier one with items behind it."""
    last = len(before.items) - 1
    return 0 <= last < len(window.items) and window.items[last] is before.items[last]


def _newest_model(items: Sequence[Item]) -> str:
    """The model that wrote the newest reply among items, "" where none is named."""
    for item in reversed(items[-_MODEL_SEARCH_ITEMS:]):
        match item:
            case MessageItem(stored=stored) | StubItem(stored=stored):
                name = stored.message.model
                if name and stored.message.role == "assistant" and not name.startswith("<"):
                    return name
            case SummaryItem() | OmittedItem():
                continue
    return ""


def script_of(items: Sequence[Item]) -> str:
    """The script of the newest text, which the estimate's margin depends on."""
    return dominant_script(
        "\n".join(_sample(item)[:_SCRIPT_SAMPLE_CHARS] for item in items[-_SCRIPT_SAMPLE_ITEMS:])
    )


def _sample(item: Item) -> str:
    match item:
        case MessageItem(stored=stored):
            return stored.message.text or next((result.text for result in stored.message.results), "")
        case SummaryItem(summary=summary):
            return summary.text
        case StubItem() | OmittedItem():
            return ""


HIDDEN_TOKENS = 4_000
"""How many tokens a provider may add of its own, such as its instructions on tools, before a report is cut down."""


@dataclass(frozen=True, slots=True)
class Anchored:
    """By how much the estimate of a request is off, how many of its tokens the provider has counted, and the items it
    has not.
    """

    correction_tokens: int
    counted_tokens: int
    uncounted: tuple[Item, ...]


def anchor(
    window: Window, fixed_tokens: int, reported: ReportedUsage | None, mark: str, calibration: Calibration
) -> Anchored:
    """The correction of a request of this window, whose prefix is named `mark`. `reported` is of the same model."""
    if reported is not None and reported.window_mark == mark and _covers(window, reported.last):
        return _added_to(window, reported, calibration)
    estimated = window.tokens + fixed_tokens
    ratio = _ratio_of(window, calibration)
    if reported is None:
        ratio = max(1.0, ratio)
    else:
        known = reported.usage.input_tokens / max(1, reported.estimated_tokens)
        ratio = max(ratio, min(MAX_RATIO, max(MIN_RATIO, known)))
    return Anchored(round(estimated * (ratio - 1)), 0, window.items)


def teach(
    calibration: Calibration, before: ReportedUsage | None, now: ReportedUsage, window: Window
) -> Calibration:
    """What is known of the model after a report. The window holds the messages of its request."""
    if before is None or (before.model, before.window_mark) != (now.model, now.window_mark):
        return calibration
    added = [
        (_message(item), item.tokens)
        for item in _behind(window, before.last)
        if isinstance(item, MessageItem | StubItem) and item.last <= now.last
    ]
    estimated = sum(tokens for _, tokens in added)
    if (
        len(added) != now.last - before.last
        or estimated != now.estimated_tokens - before.estimated_tokens
        or not added
    ):
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
    return learn(calibration, rest, grown)


def _covers(window: Window, last: int) -> bool:
    """Whether the window holds every position up to `last`; one that a plan has taken items from does not."""
    if window.facts.covered == window.last:
        place = bisect_left(window.items, last, key=lambda item: item.last)
        return place < len(window.items) and window.items[place].last == last
    return sum(item.last - item.first + 1 for item in window.items if item.last <= last) == last


def _behind(window: Window, last: int) -> Iterator[Item]:
    """The items after a position, in order."""
    place = len(window.items)
    while place > 0 and window.items[place - 1].first > last:
        place -= 1
    return iter(window.items[place:])


def _added_to(window: Window, reported: ReportedUsage, calibration: Calibration) -> Anchored:
    known = _credible(reported)
    items = tuple(_behind(window, reported.last))
    added = [(_message(item), item.tokens) for item in items]
    outputs = believed_outputs(calibration, added, reported.usage.output_tokens)
    correction = float(known - reported.estimated_tokens)
    uncounted: list[Item] = []
    for item, (message, tokens), output in zip(items, added, outputs, strict=True):
        if output is None:
            uncounted.append(item)
            correction += expected(calibration, profile(message, tokens)) - tokens
        else:
            known += output
            correction += output - tokens
    return Anchored(round(correction), known, tuple(uncounted))


def _credible(reported: ReportedUsage) -> int:
    """The reported prompt, unless it is so far from the estimate that it must count something else."""
    least = int(reported.estimated_tokens * MIN_RATIO)
    most = int(reported.estimated_tokens * MAX_RATIO) + HIDDEN_TOKENS
    return min(most, max(least, reported.usage.input_tokens))


def _ratio_of(window: Window, calibration: Calibration) -> float:
    """By what factor the model's provider is expected to count more than the estimate."""
    if not window.tokens or not any(calibration.estimated):
        return 1.0
    found = total(
        plain(item.tokens)
        if isinstance(item, SummaryItem | OmittedItem)
        else profile(item.stored.message, item.tokens)
        for item in window.items
    )
    return expected(calibration, found) / window.tokens


def _message(item: Item) -> Message:
    """What is shown, for items that follow a report: while its prefix stands, they are messages."""
    match item:
        case MessageItem(stored=stored):
            return stored.message
        case StubItem(stored=stored, note=note):
            return stubbed(stored.message, note)
        case SummaryItem() | OmittedItem():
            return Message("user")
