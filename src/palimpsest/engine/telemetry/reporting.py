"""Report what the engine does as it happens: to the log, to OpenTelemetry if it is in use, and to an observer.

- Only `record.events` values are reported: ids, counts and reasons, never the text of a conversation or of an error.
- The log uses the logger "palimpsest". A record's `palimpsest` attribute holds the event's fields as plain values.
- OpenTelemetry is used if the program has imported it. Without it an event costs two lookups.
- An observer that raises is logged and removed.
"""

from __future__ import annotations

import dataclasses
import logging
import sys
import time
from collections import Counter
from collections.abc import Callable, Coroutine
from contextlib import AbstractContextManager, nullcontext
from functools import wraps
from typing import TYPE_CHECKING, Any, Concatenate, Literal, ParamSpec, TypeVar

from palimpsest.engine.background_pauses import foreground_call
from palimpsest.errors import ModelError, PalimpsestError
from palimpsest.record import events

if TYPE_CHECKING:
    from palimpsest.ports import Complete, Observer
    from palimpsest.record.completion import Completion, CompletionRequest
    from palimpsest.record.decision import Decision
    from palimpsest.record.summary import Draft

Given = ParamSpec("Given")
Result = TypeVar("Result")
Call = Callable[Concatenate[Any, Given], Coroutine[Any, Any, Result]]

LOGGER = logging.getLogger("palimpsest")
LOGGER.addHandler(logging.NullHandler())

_OTEL_API = "opentelemetry.trace"
_REASONS = (
    "raised", "timed out", "refused by the model", "cut off without text", "empty", "not smaller than its source",
    "over the target", "unusable",
)  # fmt: skip
"""The beginnings of reasons for refusing a reply. Any other reason quotes the reply."""


LASTING = frozenset(("auth", "quota"))
"""Failures that last until somebody changes the key or pays."""


class Telemetry:
    """The events of one engine. `counts` is how often each kind of event happened since it was opened."""

    def __init__(self, observer: Observer | None = None) -> None:
        self.counts: Counter[str] = Counter()
        self._observer = observer

    def emit(self, event: events.Seen) -> None:
        """Report an event."""
        self.counts[name_of(event)] += 1
        level = level_of(event)
        if LOGGER.isEnabledFor(level):
            fields = fields_of(event)
            LOGGER.log(level, "%s", sentence(fields), extra={"palimpsest": fields})
        if _OTEL_API in sys.modules:
            from palimpsest.engine.telemetry import otel

            otel.emit(event)
        if self._observer is not None:
            try:
                self._observer(event)
            except Exception as error:  # noqa: BLE001  (an observer may raise anything)
                self._observer = None
                LOGGER.warning("the observer raised %s and is asked no more", type(error).__name__)

    def decided(self, conversation: str, policy: str, decision: Decision) -> None:
        """Report a decision, also one to change nothing."""
        kinds = tuple(step.kind for step in decision.steps)
        self.emit(events.Decided(conversation, policy, kinds, decision.reason, decision.numbers))

    def drafted(self, conversation: str, draft: Draft) -> None:
        """Report a draft whose first level gave no usable text."""
        if draft.calls and draft.method != "normal":
            refused = tuple(
                f"{call.level}: {_short_reason(call.refused)}" for call in draft.calls if call.refused
            )
            self.emit(
                events.Escalated(conversation, draft.method, len(draft.calls), refused, len(draft.repairs))
            )

    def called_model(
        self, conversation: str, provider: str, model: str, reply: Completion | BaseException, started_s: float,
        purpose: Literal["summary", "reply"] = "summary",
    ) -> None:  # fmt: skip
        """Report a call of a model, with its reply or its error."""
        tokens, failure = (0, 0), ""
        if isinstance(reply, BaseException):
            failure = reason_of(reply)
        else:
            model = reply.model or model
            if reply.usage is not None:
                tokens = (reply.usage.input_tokens, reply.usage.output_tokens)
        took_s = time.perf_counter() - started_s
        self.emit(events.Asked(conversation, provider, model, *tokens, failure, took_s, purpose))

    def compacting(self, conversation: str, decision: Decision) -> AbstractContextManager[object]:
        """The context of one compaction: model calls within it belong to it."""
        if _OTEL_API not in sys.modules:
            return nullcontext()
        from palimpsest.engine.telemetry import otel

        return otel.compacting(conversation, decision)

    def watch(self, complete: Complete, conversation: str) -> Complete:
        """The same summarizer, reporting each call."""
        provider = provider_of(complete)

        async def watched(request: CompletionRequest, /) -> Completion:
            started_s = time.perf_counter()
            try:
                reply = await complete(request)
            except BaseException as error:
                self.called_model(conversation, provider, request.model, error, started_s)
                raise
            self.called_model(conversation, provider, request.model, reply, started_s)
            return reply

        return watched


def observed(operation: str, *, quick: bool = True) -> Callable[[Call[Given, Result]], Call[Given, Result]]:
    """For a conversation's methods: report an error that leaves one. Background work pauses during a `quick` one."""

    def decorate(method: Call[Given, Result]) -> Call[Given, Result]:
        @wraps(method)
        async def call(self: Any, /, *given: Given.args, **named: Given.kwargs) -> Result:
            try:
                with foreground_call() if quick else nullcontext():
                    return await method(self, *given, **named)
            except PalimpsestError as error:
                self._runtime.state.telemetry.emit(
                    events.Failed(self.id, operation, error.kind, reason_of(error))
                )
                raise

        return call

    return decorate


def name_of(event: events.Seen) -> str:
    """The stable name of an event, such as "taken" or "decided"; "declined" for a decision to change nothing."""
    if isinstance(event, events.Decided) and not event.steps:
        return "declined"
    return type(event).__name__.lower()


def _short_reason(refused: str) -> str:
    """Why a reply was refused, without quoting it."""
    return next((reason for reason in _REASONS if refused.startswith(reason)), "differs from its source")


def provider_of(complete: object) -> str:
    """The provider of a client of this package, "" for anything else."""
    provider = getattr(complete, "provider", "")
    return provider if isinstance(provider, str) else ""


def reason_of(error: BaseException) -> str:
    """A reason from a fixed list, or the name of a class. The text of an error may quote anything."""
    if isinstance(error, ModelError):
        return error.reason
    return "" if isinstance(error, PalimpsestError) else type(error).__name__


def level_of(event: events.Seen) -> int:
    """ERROR for calls that only a person can make possible again, WARNING for other failures, INFO for changes of a
    window, DEBUG for the rest.
    """
    if isinstance(event, events.Asked) and event.failure in LASTING:
        return logging.ERROR
    if isinstance(event, events.Failed) or (isinstance(event, events.Asked) and event.failure):
        return logging.WARNING
    return logging.INFO if isinstance(event, events.Compacted) else logging.DEBUG


def fields_of(event: events.Seen) -> dict[str, object]:
    """An event as plain values, `event` first."""
    fields: dict[str, Any] = {"event": type(event).__name__.lower(), **dataclasses.asdict(event)}
    match event:
        case events.Paid():
            return {**fields, **fields.pop("spent")}
        case events.Decided():
            return {**fields, "steps": list(event.steps), "numbers": dict(event.numbers)}
        case events.Escalated():
            return {**fields, "refused": list(event.refused)}
        case _:
            return fields


def sentence(fields: dict[str, object]) -> str:
    """The fields on one line. What cannot be printed is escaped, so that no name can break or forge a line."""
    return " ".join(f"{name}={_printable(value)}" for name, value in fields.items() if value not in ("", []))


def _printable(value: object) -> object:
    if isinstance(value, str) and not value.isprintable():
        return repr(value)
    return f"{value:.6g}" if isinstance(value, float) else value
