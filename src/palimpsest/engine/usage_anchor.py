"""What a provider's last report says about the next request, and what two reports in a row teach.

- While the request's prefix stands, its reported prompt is the anchor: only what was added since is estimated, each
  kind of content at the ratio learnt for the model, a reply at its reported output tokens where they can be believed.
- After a compaction, or for another model, the whole is estimated at the learnt ratios; never at less than the ratio
  that the conversation's last report had to its estimate, and below 1 only where such a report agrees. So a tokenizer
  that counts more than ours does not make a request overflow.
- A report teaches if the one before it was of the same prefix and model, and only messages came between.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from palimpsest.budget.calibration import (
    MAX_RATIO,
    MIN_RATIO,
    NOTHING,
    Calibration,
    Profile,
    believed_outputs,
    expected,
    learn,
    plain,
    profile,
    total,
)
from palimpsest.budget.stubs import stubbed
from palimpsest.record.message import Message
from palimpsest.record.window_items import Item, MessageItem, OmittedItem, StubItem, SummaryItem

if TYPE_CHECKING:
    from palimpsest.ports import ReportedUsage
    from palimpsest.record.window import Window

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
