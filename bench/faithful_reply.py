"""One reply of a model, taken the way that a compaction takes it: the request, the checks, and what is done to it."""

from __future__ import annotations

from collections.abc import Generator, Sequence
from dataclasses import dataclass
from typing import TypeVar

from palimpsest.budget.token_counts import count_message
from palimpsest.budget.token_estimator import count_text
from palimpsest.record.completion import Completion
from palimpsest.record.message import Message
from palimpsest.record.summary_source import MessageEntry, Source
from palimpsest.settings import SummaryForm
from palimpsest.summarize.checks.string_index import MARK
from palimpsest.summarize.material_and_reply import finished, material_of
from palimpsest.summarize.model.escalation import Ask, summarize

__all__ = ["MARK", "Reply", "replied"]

TARGET_TOKENS = 2_000
Result = TypeVar("Result")


@dataclass(frozen=True, slots=True)
class Reply:
    """What became of a reply: the text, how often the model was called, what was done, and whether it was taken."""

    text: str
    calls: int
    notes: tuple[str, ...]
    taken: bool


def replied(text: str, messages: Sequence[Message], form: SummaryForm) -> Reply:
    """The summary that is made when a model answers every request for one with `text`."""
    entries = [
        MessageEntry(f"m{at}", message, count_message(message)) for at, message in enumerate(messages, 1)
    ]
    tokens = sum(entry.tokens for entry in entries)
    source = Source("roll" if form == "prose" else "leaf", tuple(entries), tokens=tokens)
    target, limit = TARGET_TOKENS, max(tokens, 2 * TARGET_TOKENS)
    material = _result(material_of(source, target_tokens=target, count=count_text))
    steps = summarize(source, Ask(target, limit, count_text, form=form), material)
    request, calls = next(steps), 1
    reply = Completion(text)
    try:
        while request:
            request = steps.send(reply)
            calls += 1
    except StopIteration as stop:
        draft = stop.value
    if draft.method == "truncated":
        return Reply("", calls, tuple(call.refused for call in draft.calls), taken=False)
    done = finished(
        draft,
        material,
        form=form,
        policy="strict",
        target_tokens=target,
        limit_tokens=limit,
        count=count_text,
    )
    text, notes = _result(done)
    return Reply(text, calls, (*draft.repairs, *notes), taken=True)


def _result(steps: Generator[None, None, Result]) -> Result:
    while True:
        try:
            next(steps)
        except StopIteration as stop:
            return stop.value
