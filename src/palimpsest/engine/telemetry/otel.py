"""Spans and metrics for OpenTelemetry, named by its conventions for generative AI, where the program has set it up.

- Everything here goes through the API package: without a provider spans are not made, and measurements go nowhere.
- A span covers what has just happened, so it is made when it has ended; only a compaction's is open meanwhile, because
  the calls of its summarizer, and whatever a client traces of them, belong beneath it.
- Nothing but what `record.seen` holds is ever exported: no text, no error's message, no exception.
"""

from __future__ import annotations

import time
from collections.abc import Generator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from functools import lru_cache

from opentelemetry import metrics, trace
from opentelemetry.metrics import Counter, Histogram, MeterProvider

from palimpsest._version import __version__
from palimpsest.record.decision import Decision
from palimpsest.record.events import (
    Asked,
    Assembled,
    Compacted,
    Decided,
    Escalated,
    Failed,
    Paid,
    Seen,
    Taken,
)
from palimpsest.record.log import Number, Numbers

Attributes = Mapping[str, str | bool | int | float | tuple[str, ...]]


@dataclass(frozen=True, slots=True)
class Instruments:
    """What is measured."""

    tokens: Histogram
    duration: Histogram
    prompt: Histogram
    stored: Counter
    decisions: Counter
    compactions: Counter
    freed: Counter
    escalations: Counter
    cache: Counter
    cost: Counter
    failures: Counter


def tell(seen: Seen) -> None:
    """Make the span and the measurements of one thing that was told."""
    made = _instruments(metrics.get_meter_provider())
    match seen:
        case Taken():
            made.stored.add(0 if seen.repeated else seen.messages)
            _span("palimpsest.append", seen.took_s, _taken(seen))
        case Assembled():
            made.prompt.record(
                seen.prompt_tokens,
                {otel.REQUEST_MODEL: seen.model, otel.CACHE: seen.cache},
            )
            _span("palimpsest.request", seen.took_s, _assembled(seen))
        case Decided():
            made.decisions.add(
                1,
                {
                    otel.POLICY: seen.policy,
                    otel.REASON: seen.reason,
                    otel.ACTS: bool(seen.steps),
                },
            )
            _event("palimpsest.decision", _decided(seen))
        case Compacted():
            made.compactions.add(1, {otel.KIND: seen.kind})
            made.freed.add(max(0, seen.before_tokens - seen.after_tokens), {otel.KIND: seen.kind})
            trace.get_current_span().set_attributes(_compacted(seen))
        case Asked():
            _asked(seen, made)
        case Escalated():
            made.escalations.add(1, {otel.METHOD: seen.method})
            _event(
                "palimpsest.escalation",
                {otel.METHOD: seen.method, otel.CALLS: seen.calls},
            )
        case Paid():
            _paid(seen, made)
        case Failed():
            labels = {otel.DOING: seen.doing, otel.ERROR: seen.reason or seen.kind}
            made.failures.add(1, labels)
            _event("palimpsest.failure", {**labels, otel.CONVERSATION: seen.conversation})


@contextmanager
def compacting(conversation: str, decision: Decision) -> Generator[None]:
    """The span of one compaction, open while it is made. An error that leaves it is named by its class alone."""
    with _tracer().start_as_current_span(
        "palimpsest.compact",
        attributes={
            otel.CONVERSATION: conversation,
            otel.COMMITTED: False,
            otel.REASON: decision.reason,
            **_numbers(decision.numbers),
        },
        record_exception=False,
        set_status_on_exception=False,
    ) as span:
        try:
            yield
        except BaseException as error:
            span.set_attribute(otel.ERROR, type(error).__name__)
            raise


def _tracer() -> trace.Tracer:
    return _tracer_of(trace.get_tracer_provider())


@lru_cache(maxsize=2)
def _tracer_of(provider: trace.TracerProvider) -> trace.Tracer:
    return provider.get_tracer("palimpsest", __version__)


def _recording() -> bool:
    """Whether the program has set up anything that takes spans."""
    return not isinstance(trace.get_tracer_provider(), trace.ProxyTracerProvider)


def _span(
    name: str, took_s: float, attributes: Attributes, kind: trace.SpanKind = trace.SpanKind.INTERNAL
) -> None:
    """A span that ends now."""
    if _recording():
        end_ns = time.time_ns()
        span = _tracer().start_span(
            name, kind=kind, attributes=_told(attributes), start_time=end_ns - round(took_s * 1e9)
        )
        error = attributes.get(otel.ERROR)
        if error:
            span.set_status(trace.StatusCode.ERROR, str(error))
        span.end(end_ns)


def _event(name: str, attributes: Attributes) -> None:
    """Something that took no time, in the span that is open."""
    span = trace.get_current_span()
    if span.is_recording():
        span.add_event(name, _told(attributes))


def _told(attributes: Attributes) -> Attributes:
    """Without what is not known: the conventions leave it out."""
    return {name: value for name, value in attributes.items() if value != ""}


def _taken(seen: Taken) -> Attributes:
    return {
        otel.CONVERSATION: seen.conversation,
        otel.MESSAGES: seen.messages,
        otel.TOKENS: seen.tokens,
        otel.FORKED: seen.forked,
        otel.REPEATED: seen.repeated,
    }


def _assembled(seen: Assembled) -> Attributes:
    return {
        otel.CONVERSATION: seen.conversation,
        otel.REQUEST_MODEL: seen.model,
        otel.TOKENS: seen.prompt_tokens,
        otel.CAPACITY: seen.capacity_tokens,
        otel.MESSAGES: seen.messages,
        otel.CACHE: seen.cache,
    }


def _decided(seen: Decided) -> Attributes:
    return {
        otel.CONVERSATION: seen.conversation,
        otel.POLICY: seen.policy,
        otel.REASON: seen.reason,
        otel.STEPS: seen.steps,
        **_numbers(seen.numbers),
    }


def _numbers(numbers: Numbers) -> dict[str, Number]:
    """What a decision compared."""
    return {f"palimpsest.decision.{name}": value for name, value in numbers}


def _compacted(seen: Compacted) -> Attributes:
    return {
        otel.COMMITTED: True,
        otel.COMPACTION: seen.compaction,
        otel.KIND: seen.kind,
        otel.REPLACED: seen.replaced,
        otel.BEFORE: seen.before_tokens,
        otel.AFTER: seen.after_tokens,
    }


def _asked(seen: Asked, made: Instruments) -> None:
    labels: dict[str, str] = {
        otel.OPERATION: "chat",
        otel.PROVIDER: otel.provider(seen.provider),
        otel.REQUEST_MODEL: seen.model,
        **({otel.ERROR: seen.failure} if seen.failure else {}),
    }
    made.duration.record(seen.took_s, labels)
    if not seen.failure and seen.purpose == "summary":  # of a reply its payment tells
        made.tokens.record(seen.input_tokens, {**labels, otel.TOKEN_TYPE: "input"})
        made.tokens.record(seen.output_tokens, {**labels, otel.TOKEN_TYPE: "output"})
    attributes: Attributes = {
        **labels,
        otel.CONVERSATION: seen.conversation,
        otel.INPUT_TOKENS: seen.input_tokens,
        otel.OUTPUT_TOKENS: seen.output_tokens,
        otel.PURPOSE: seen.purpose,
    }
    _span(f"chat {seen.model}".rstrip(), seen.took_s, attributes, trace.SpanKind.CLIENT)


def _paid(seen: Paid, made: Instruments) -> None:
    spent = seen.spent
    labels = {otel.REQUEST_MODEL: spent.model, otel.PURPOSE: spent.kind}
    made.cost.add(spent.cost, labels)
    fresh = max(0, spent.input_tokens - spent.cached_tokens - spent.written_tokens)
    for state, tokens in (("read", spent.cached_tokens), ("write", spent.written_tokens), ("none", fresh)):
        if tokens > 0:
            made.cache.add(tokens, {**labels, otel.CACHE: state})
    if spent.kind == "reply" and spent.reported:
        chat = {otel.OPERATION: "chat", otel.REQUEST_MODEL: spent.model}
        made.tokens.record(spent.input_tokens, {**chat, otel.TOKEN_TYPE: "input"})
        made.tokens.record(spent.output_tokens, {**chat, otel.TOKEN_TYPE: "output"})
    attributes: Attributes = {
        otel.CONVERSATION: seen.conversation,
        **labels,
        otel.INPUT_TOKENS: spent.input_tokens,
        otel.OUTPUT_TOKENS: spent.output_tokens,
        otel.CACHE_READ: spent.cached_tokens,
        otel.CACHE_WRITE: spent.written_tokens,
        otel.COST: spent.cost,
        otel.REPORTED: spent.reported,
    }
    _event("palimpsest.paid", attributes)


@lru_cache(maxsize=2)
def _instruments(provider: MeterProvider) -> Instruments:
    """The instruments, once for each provider; those of none hand on to the first that is set."""
    meter = provider.get_meter("palimpsest", __version__)

    def counter(name: str, unit: str, what: str) -> Counter:
        return meter.create_counter(f"palimpsest.{name}", unit, what)

    return Instruments(
        tokens=meter.create_histogram(
            otel.TOKEN_USAGE, "{token}", "Tokens of calls to models",
            explicit_bucket_boundaries_advisory=otel.TOKEN_BOUNDS,
        ),
        duration=meter.create_histogram(
            otel.DURATION, "s", "How long calls to models took",
            explicit_bucket_boundaries_advisory=otel.DURATION_BOUNDS,
        ),
        prompt=meter.create_histogram(
            "palimpsest.request.tokens", "{token}", "Estimated prompts of requests that were made",
            explicit_bucket_boundaries_advisory=otel.TOKEN_BOUNDS,
        ),
        stored=counter("messages", "{message}", "Messages that were stored"),
        decisions=counter("decisions", "{decision}", "Decisions of policies"),
        compactions=counter("compactions", "{compaction}", "Compactions that were committed"),
        freed=counter("freed_tokens", "{token}", "Tokens by which compactions made windows smaller"),
        escalations=counter("escalations", "{escalation}", "Summaries that the first level could not make"),
        cache=counter("cache_tokens", "{token}", "Prompt tokens read from a cache, written to it, or neither"),
        cost=counter("cost", "{USD}", "What calls cost"),
        failures=counter("failures", "{failure}", "Errors, by what was being done"),
    )  # fmt: skip


CONVERSATION = "gen_ai.conversation.id"
OPERATION = "gen_ai.operation.name"
PROVIDER = "gen_ai.provider.name"
REQUEST_MODEL = "gen_ai.request.model"
INPUT_TOKENS = "gen_ai.usage.input_tokens"
OUTPUT_TOKENS = "gen_ai.usage.output_tokens"
CACHE_READ = "gen_ai.usage.cache_read.input_tokens"
CACHE_WRITE = "gen_ai.usage.cache_creation.input_tokens"
TOKEN_TYPE = "gen_ai.token.type"  # noqa: S105  (a token of text)
TOKEN_USAGE = "gen_ai.client.token.usage"  # noqa: S105
DURATION = "gen_ai.client.operation.duration"
ERROR = "error.type"

TOKEN_BOUNDS = tuple(float(4**power) for power in range(14))
DURATION_BOUNDS = tuple(0.01 * 2**power for power in range(14))
"""Where the conventions put the bounds of the two histograms."""

MESSAGES = "palimpsest.messages"
TOKENS = "palimpsest.tokens"
FORKED = "palimpsest.forked"
REPEATED = "palimpsest.repeated"
CAPACITY = "palimpsest.capacity_tokens"
CACHE = "palimpsest.cache"
POLICY = "palimpsest.policy"
REASON = "palimpsest.reason"
STEPS = "palimpsest.steps"
ACTS = "palimpsest.acts"
COMMITTED = "palimpsest.compaction.committed"
COMPACTION = "palimpsest.compaction.id"
KIND = "palimpsest.compaction.kind"
REPLACED = "palimpsest.compaction.replaced"
BEFORE = "palimpsest.compaction.before_tokens"
AFTER = "palimpsest.compaction.after_tokens"
METHOD = "palimpsest.summary.method"
CALLS = "palimpsest.summary.calls"
PURPOSE = "palimpsest.purpose"
COST = "palimpsest.cost"
REPORTED = "palimpsest.reported"
DOING = "palimpsest.doing"

_PROVIDERS = {"gemini": "gcp.gemini", "mistral": "mistral_ai", "xai": "x_ai", "azure": "azure.ai.openai"}


def provider(name: str) -> str:
    """A provider's name as the conventions have it; "_OTHER" for a callable that names none."""
    return _PROVIDERS.get(name, name) or "_OTHER"
