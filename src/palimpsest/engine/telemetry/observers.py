"""What the engine does, told as it happens: to the log, to OpenTelemetry where it is in use, and to whoever asked.

- Only `record.seen` values are told: ids, counts and reasons, never what somebody said.
- OpenTelemetry is used where the program has imported it, and never imported for its own sake; without it, a thing told
  costs a look into a dict and one at the log's level.
- An observer that raises is named in the log once and asked no more: watching must not change what is watched.
"""

from __future__ import annotations

import dataclasses
import logging
import sys
import time
from collections import Counter
from collections.abc import Callable, Coroutine, Sequence
from contextlib import AbstractContextManager, nullcontext
from functools import wraps
from typing import TYPE_CHECKING, Any, Concatenate, Literal, ParamSpec, TypeVar

from palimpsest.engine.background_pauses import waited_for
from palimpsest.errors import ModelError, PalimpsestError
from palimpsest.record.events import (
    Asked,
    Assembled,
    CacheState,
    Compacted,
    Decided,
    Escalated,
    Failed,
    Paid,
    Seen,
    Taken,
)

if TYPE_CHECKING:
    from palimpsest.budget.assemble import Request
    from palimpsest.ports import Complete, Observer
    from palimpsest.record.completion import Completion, CompletionRequest
    from palimpsest.record.decision import Decision
    from palimpsest.record.log import Compaction, Stored
    from palimpsest.record.summary import Draft


Given = ParamSpec("Given")
Result = TypeVar("Result")
Call = Callable[Concatenate[Any, Given], Coroutine[Any, Any, Result]]

_API = "opentelemetry.trace"
_REASONS = (
    "raised", "timed out", "refused by the model", "cut off without text", "empty", "not smaller than its source",
    "over the target", "unusable",
)  # fmt: skip
"""How a reason begins for which a reply is refused; any other one names what is wrong in it, in its words."""


class Observing:
    """One engine's observer. `counts` is how often each kind of thing was told since it was made."""

    def __init__(self, observer: Observer | None = None) -> None:
        self.counts: Counter[str] = Counter()
        self._observer = observer

    def tell(self, seen: Seen) -> None:
        """Hand on what happened."""
        self.counts[name_of(seen)] += 1
        log(seen)
        if _API in sys.modules:
            from palimpsest.engine.telemetry import otel

            otel.tell(seen)
        if self._observer is not None:
            try:
                self._observer(seen)
            except Exception as error:  # noqa: BLE001  (whatever it raises is the observer's own)
                self._observer = None
                LOGGER.warning("the observer raised %s and is asked no more", type(error).__name__)

    def taken(self, conversation: str, stored: Sequence[Stored], started_s: float, *, repeated: bool) -> None:
        """Tell of messages that were appended, or had been under the same key."""
        took_s = time.perf_counter() - started_s
        tokens = sum(one.tokens for one in stored)
        self.tell(Taken(conversation, len(stored), took_s, tokens, repeated=repeated))

    def assembled(self, request: Request, cache: CacheState, started_s: float) -> None:
        """Tell of a request that was made."""
        took_s = time.perf_counter() - started_s
        self.tell(
            Assembled(
                request.conversation,
                request.model,
                request.tokens,
                request.budget.capacity_tokens,
                len(request.messages),
                cache,
                took_s,
            )
        )

    def decided(self, conversation: str, policy: str, decision: Decision) -> None:
        """Tell of a decision, also of one to leave everything as it is."""
        kinds = tuple(step.kind for step in decision.steps)
        self.tell(Decided(conversation, policy, kinds, decision.reason, decision.numbers))

    def drafted(self, conversation: str, draft: Draft) -> None:
        """Tell where calls were made and the first level gave no text that could be used."""
        if draft.calls and draft.method != "normal":
            refused = tuple(f"{call.level}: {_why(call.refused)}" for call in draft.calls if call.refused)
            self.tell(Escalated(conversation, draft.method, len(draft.calls), refused, len(draft.repairs)))

    def compacted(self, conversation: str, item_id: str, record: Compaction, started_s: float) -> None:
        """Tell of a compaction that was committed."""
        took_s = time.perf_counter() - started_s
        self.tell(
            Compacted(
                conversation,
                item_id,
                record.item_kind,
                record.reason,
                len(record.replaced),
                record.before_tokens,
                record.after_tokens,
                took_s,
            )
        )

    def asked(
        self, conversation: str, provider: str, model: str, given: Completion | BaseException, started_s: float,
        purpose: Literal["summary", "reply"] = "summary",
    ) -> None:  # fmt: skip
        """Tell of a call of a model, and what it gave or why it gave nothing."""
        done = None if isinstance(given, BaseException) else given
        failure = reason_of(given) if isinstance(given, BaseException) else ""
        usage = done.usage if done is not None else None
        tokens = (usage.input_tokens, usage.output_tokens) if usage is not None else (0, 0)
        name = (done.model if done is not None else "") or model
        self.tell(
            Asked(conversation, provider, name, *tokens, failure, time.perf_counter() - started_s, purpose)
        )

    def compacting(self, conversation: str, decision: Decision) -> AbstractContextManager[object]:
        """While this lasts, one compaction of a decision is being made: calls in it belong to it."""
        if _API not in sys.modules:
            return nullcontext()
        from palimpsest.engine.telemetry import otel

        return otel.compacting(conversation, decision)

    def watch(self, complete: Complete, conversation: str) -> Complete:
        """The same model, telling of each call."""
        return _Watched(self, complete, conversation)


class _Watched:
    """A summarizer whose calls are told."""

    def __init__(self, observing: Observing, complete: Complete, conversation: str) -> None:
        self._observing = observing
        self._complete = complete
        self._conversation = conversation
        self._provider = provider_of(complete)

    async def __call__(self, request: CompletionRequest, /) -> Completion:
        started_s = time.perf_counter()
        try:
            done = await self._complete(request)
        except BaseException as error:
            self._observing.asked(self._conversation, self._provider, request.model, error, started_s)
            raise
        self._observing.asked(self._conversation, self._provider, request.model, done, started_s)
        return done


def told(doing: str, *, quick: bool = True) -> Callable[[Call[Given, Result]], Call[Given, Result]]:
    """For the calls of a conversation: an error that leaves one is told, under the name of what was being done. While a
    `quick` one is under way, background work pauses.
    """

    def decorate(method: Call[Given, Result]) -> Call[Given, Result]:
        @wraps(method)
        async def call(self: Any, /, *given: Given.args, **named: Given.kwargs) -> Result:
            try:
                with waited_for() if quick else nullcontext():
                    return await method(self, *given, **named)
            except PalimpsestError as error:
                self.desk.observing.tell(Failed(self.id, doing, error.kind, reason_of(error)))
                raise

        return call

    return decorate


def name_of(seen: Seen) -> str:
    """The stable name of what was told: "taken", "assembled", "decided" and so on; "declined" for a decision to leave
    everything as it is.
    """
    if isinstance(seen, Decided) and not seen.steps:
        return "declined"
    return type(seen).__name__.lower()


def _why(refused: str) -> str:
    """Why a reply was refused, without a word of it."""
    return next((reason for reason in _REASONS if refused.startswith(reason)), "differs from its source")


def provider_of(complete: object) -> str:
    """The provider that a client of this package is for, "" for anything else."""
    provider = getattr(complete, "provider", "")
    return provider if isinstance(provider, str) else ""


def reason_of(error: BaseException) -> str:
    """Why, in a word from a fixed list or the name of a class; the words of an error may quote anything."""
    if isinstance(error, ModelError):
        return error.reason
    return "" if isinstance(error, PalimpsestError) else type(error).__name__


LOGGER = logging.getLogger("palimpsest")
LOGGER.addHandler(logging.NullHandler())


def log(seen: Seen) -> None:
    """Write one thing that was told, at the level it is worth."""
    level = level_of(seen)
    if LOGGER.isEnabledFor(level):
        fields = fields_of(seen)
        LOGGER.log(level, "%s", sentence(fields), extra={"palimpsest": fields})


def level_of(seen: Seen) -> int:
    """Warnings for what failed, information for what changed a window, the rest for whoever debugs."""
    match seen:
        case Failed():
            return logging.WARNING
        case Asked(failure=failure) if failure:
            return logging.WARNING
        case Compacted():
            return logging.INFO
        case _:
            return logging.DEBUG


def fields_of(seen: Seen) -> dict[str, object]:
    """What was told as plain values, `event` first."""
    fields: dict[str, object] = {"event": type(seen).__name__.lower()}
    match seen:
        case Paid(conversation=conversation, spent=spent):
            return {**fields, "conversation": conversation, **dataclasses.asdict(spent)}
        case Decided(numbers=numbers):
            shown = dataclasses.asdict(seen)
            return {**fields, **shown, "steps": list(seen.steps), "numbers": dict(numbers)}
        case Escalated(refused=refused):
            return {**fields, **dataclasses.asdict(seen), "refused": list(refused)}
        case _:
            return {**fields, **dataclasses.asdict(seen)}


def sentence(fields: dict[str, object]) -> str:
    """The fields on one line, which no name can break or forge: what cannot be printed is escaped."""
    return " ".join(f"{name}={_shown(value)}" for name, value in fields.items() if value not in ("", []))


def _shown(value: object) -> object:
    if isinstance(value, str) and not value.isprintable():
        return repr(value)
    return f"{value:.6g}" if isinstance(value, float) else value
