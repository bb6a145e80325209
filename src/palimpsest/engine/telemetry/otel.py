"""Spans and metrics for OpenTelemetry, named by its conventions for generative AI.

- Only the API package is used: without a provider no span is made, and measurements go nowhere.
- A span is made when its work has ended. Only a compaction's span is open meanwhile, because the calls of its
  summarizer belong beneath it.
- Only what `record.events` holds is exported: no text, no error message, no exception.
"""

from __future__ import annotations

import time
from collections.abc import Generator, Mapping
from contextlib import contextmanager
from dataclasses import fields
from functools import lru_cache

from opentelemetry import metrics, trace
from opentelemetry.metrics import Counter, Histogram, MeterProvider

from palimpsest._version import __version__
from palimpsest.record import events
from palimpsest.record.decision import Decision
from palimpsest.record.log import Number, Numbers

Attributes = Mapping[str, str | bool | int | float | tuple[str, ...]]

CONVERSATION = "gen_ai.conversation.id"
OPERATION = "gen_ai.operation.name"
REQUEST_MODEL = "gen_ai.request.model"
INPUT_TOKENS = "gen_ai.usage.input_tokens"
OUTPUT_TOKENS = "gen_ai.usage.output_tokens"
TOKEN_TYPE = "gen_ai.token.type"  # noqa: S105  (a token of text)
ERROR = "error.type"
CACHE = "palimpsest.cache"
COMMITTED = "palimpsest.compaction.committed"
KIND = "palimpsest.compaction.kind"
METHOD = "palimpsest.summary.method"
POLICY = "palimpsest.policy"
PURPOSE = "palimpsest.purpose"
REASON = "palimpsest.reason"

TOKEN_BOUNDS = tuple(float(4**power) for power in range(14))
DURATION_BOUNDS = tuple(0.01 * 2**power for power in range(14))
"""The bucket bounds that the conventions set."""

_PROVIDERS = {"gemini": "gcp.gemini", "mistral": "mistral_ai", "xai": "x_ai", "azure": "azure.ai.openai"}
"""Providers whose names in the conventions differ from ours."""


_COUNTERS = {
    "messages": ("{message}", "Messages that were stored"),
    "decisions": ("{decision}", "Decisions of policies"),
    "compactions": ("{compaction}", "Compactions that were committed"),
    "freed_tokens": ("{token}", "Tokens by which compactions made windows smaller"),
    "escalations": ("{escalation}", "Summaries that the first level could not make"),
    "cache_tokens": ("{token}", "Prompt tokens read from a cache, written to it, or neither"),
    "cost": ("{USD}", "What calls cost"),
    "failures": ("{failure}", "Errors, by what was being done"),
}
TOKENS, DURATION = "gen_ai.client.token.usage", "gen_ai.client.operation.duration"
PROMPT = "palimpsest.request.tokens"
_HISTOGRAMS = {
    TOKENS: ("{token}", "Tokens of calls to models", TOKEN_BOUNDS),
    DURATION: ("s", "How long calls to models took", DURATION_BOUNDS),
    PROMPT: ("{token}", "Estimated prompts of requests that were made", TOKEN_BOUNDS),
}
_NAMES = {
    "conversation": CONVERSATION, "model": REQUEST_MODEL, "cache": CACHE, "reason": REASON,
    "prompt_tokens": "palimpsest.tokens", "compaction": "palimpsest.compaction.id",
}  # fmt: skip
"""The attributes of event fields that are not named after the field."""


def emit(event: events.Seen) -> None:
    """Make the span and the measurements of an event."""
    match event:
        case events.Taken():
            _count("messages", 0 if event.repeated else event.messages)
            _span("palimpsest.append", event.took_s, _attributes(event))
        case events.Assembled():
            _record(PROMPT, event.prompt_tokens, {REQUEST_MODEL: event.model, CACHE: event.cache})
            _span("palimpsest.request", event.took_s, _attributes(event))
        case events.Decided():
            labels = {POLICY: event.policy, REASON: event.reason}
            _count("decisions", 1, {**labels, "palimpsest.acts": bool(event.steps)})
            where = {CONVERSATION: event.conversation, **labels, "palimpsest.steps": event.steps}
            _event("palimpsest.decision", {**where, **_numbers(event.numbers)})
        case events.Compacted():
            _count("compactions", 1, {KIND: event.kind})
            _count("freed_tokens", max(0, event.before_tokens - event.after_tokens), {KIND: event.kind})
            span = trace.get_current_span()
            span.set_attributes({**_attributes(event, "palimpsest.compaction."), COMMITTED: True})
        case events.Asked():
            _asked(event)
        case events.Escalated():
            _count("escalations", 1, {METHOD: event.method})
            _event("palimpsest.escalation", {METHOD: event.method, "palimpsest.summary.calls": event.calls})
        case events.Paid():
            _paid(event)
        case events.Failed():
            failure = {"palimpsest.doing": event.doing, ERROR: event.reason or event.kind}
            _count("failures", 1, failure)
            _event("palimpsest.failure", {**failure, CONVERSATION: event.conversation})


@contextmanager
def compacting(conversation: str, decision: Decision) -> Generator[None]:
    """The span of one compaction, open while it is made. An error that leaves it is named by its class alone."""
    with _tracer(trace.get_tracer_provider()).start_as_current_span(
        "palimpsest.compact",
        attributes={
            CONVERSATION: conversation,
            COMMITTED: False,
            REASON: decision.reason,
            **_numbers(decision.numbers),
        },
        record_exception=False,
        set_status_on_exception=False,
    ) as span:
        try:
            yield
        except BaseException as error:
            span.set_attribute(ERROR, type(error).__name__)
            raise


@lru_cache(maxsize=2)
def _tracer(provider: trace.TracerProvider) -> trace.Tracer:
    return provider.get_tracer("palimpsest", __version__)


def _span(
    name: str, took_s: float, attributes: Attributes, kind: trace.SpanKind = trace.SpanKind.INTERNAL
) -> None:
    """A span that ends now, if the program has set up anything that takes spans."""
    provider = trace.get_tracer_provider()
    if not isinstance(provider, trace.ProxyTracerProvider):
        end_ns = time.time_ns()
        start_ns = end_ns - round(took_s * 1e9)
        span = _tracer(provider).start_span(
            name, kind=kind, attributes=_known(attributes), start_time=start_ns
        )
        error = attributes.get(ERROR)
        if error:
            span.set_status(trace.StatusCode.ERROR, str(error))
        span.end(end_ns)


def _event(name: str, attributes: Attributes) -> None:
    """Something that took no time, in the open span."""
    span = trace.get_current_span()
    if span.is_recording():
        span.add_event(name, _known(attributes))


def _known(attributes: Attributes) -> Attributes:
    """The attributes without empty ones, which the conventions leave out."""
    return {name: value for name, value in attributes.items() if value != ""}


def _numbers(numbers: Numbers) -> dict[str, Number]:
    """What a decision compared."""
    return {f"palimpsest.decision.{name}": value for name, value in numbers}


def _attributes(event: events.Seen, prefix: str = "palimpsest.") -> Attributes:
    """The fields of an event as attributes of its span, without the duration."""
    names = [one.name for one in fields(event) if one.name != "took_s"]
    return {_NAMES.get(name, f"{prefix}{name}"): getattr(event, name) for name in names}


def _asked(event: events.Asked) -> None:
    labels: dict[str, str] = {
        OPERATION: "chat",
        "gen_ai.provider.name": _PROVIDERS.get(event.provider, event.provider) or "_OTHER",
        REQUEST_MODEL: event.model,
        **({ERROR: event.failure} if event.failure else {}),
    }
    _record(DURATION, event.took_s, labels)
    if not event.failure and event.purpose == "summary":  # a reply's tokens are recorded when it is paid
        _record(TOKENS, event.input_tokens, {**labels, TOKEN_TYPE: "input"})
        _record(TOKENS, event.output_tokens, {**labels, TOKEN_TYPE: "output"})
    attributes: Attributes = {
        **labels,
        CONVERSATION: event.conversation,
        INPUT_TOKENS: event.input_tokens,
        OUTPUT_TOKENS: event.output_tokens,
        PURPOSE: event.purpose,
    }
    _span(f"chat {event.model}".rstrip(), event.took_s, attributes, trace.SpanKind.CLIENT)


def _paid(event: events.Paid) -> None:
    spent = event.spent
    labels = {REQUEST_MODEL: spent.model, PURPOSE: spent.kind}
    _count("cost", spent.cost, labels)
    fresh = max(0, spent.input_tokens - spent.cached_tokens - spent.written_tokens)
    for state, tokens in (("read", spent.cached_tokens), ("write", spent.written_tokens), ("none", fresh)):
        if tokens > 0:
            _count("cache_tokens", tokens, {**labels, CACHE: state})
    if spent.kind == "reply" and spent.reported:
        chat = {OPERATION: "chat", REQUEST_MODEL: spent.model}
        _record(TOKENS, spent.input_tokens, {**chat, TOKEN_TYPE: "input"})
        _record(TOKENS, spent.output_tokens, {**chat, TOKEN_TYPE: "output"})
    attributes: Attributes = {
        CONVERSATION: event.conversation,
        **labels,
        INPUT_TOKENS: spent.input_tokens,
        OUTPUT_TOKENS: spent.output_tokens,
        "gen_ai.usage.cache_read.input_tokens": spent.cached_tokens,
        "gen_ai.usage.cache_creation.input_tokens": spent.written_tokens,
        "palimpsest.cost": spent.cost,
        "palimpsest.reported": spent.reported,
    }
    _event("palimpsest.paid", attributes)


@lru_cache(maxsize=2)
def _instruments(provider: MeterProvider) -> tuple[dict[str, Counter], dict[str, Histogram]]:
    """The instruments of a provider; those made before one is set forward to the first that is."""
    meter = provider.get_meter("palimpsest", __version__)
    counters = {
        name: meter.create_counter(f"palimpsest.{name}", unit, what)
        for name, (unit, what) in _COUNTERS.items()
    }
    histograms = {
        name: meter.create_histogram(name, unit, what, explicit_bucket_boundaries_advisory=bounds)
        for name, (unit, what, bounds) in _HISTOGRAMS.items()
    }
    return counters, histograms


def _count(name: str, amount: float, labels: Attributes | None = None) -> None:
    _instruments(metrics.get_meter_provider())[0][name].add(amount, labels)


def _record(name: str, amount: float, labels: Attributes) -> None:
    _instruments(metrics.get_meter_provider())[1][name].record(amount, labels)
