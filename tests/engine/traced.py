"""A program that has set up OpenTelemetry and uses an engine: prints, as JSON, the spans and sums that came of it."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator

from opentelemetry import metrics, trace
from opentelemetry.sdk.metrics import MeterProvider
from opentelemetry.sdk.metrics.export import InMemoryMetricReader
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter

import palimpsest
from palimpsest.agent.agent import make_agent
from palimpsest.complete.scripted import ScriptedModel
from palimpsest.errors import ModelError
from palimpsest.record.completion import Completion, CompletionRequest, Delta
from palimpsest.record.message import Usage

SAID = "the heron nests behind pier nine"


class Summarizer:
    """Gives no usable reply to its first call, and raises what holds a secret at its last."""

    provider = "gemini"

    def __init__(self) -> None:
        self.calls = 0

    async def __call__(self, request: CompletionRequest, /) -> Completion:
        self.calls += 1
        if self.calls == 1:
            return Completion("", Usage(90, 0), model="summer-1")
        if self.calls > 2:
            raise ValueError(f"key planted-key-777 refused: {SAID}")
        return Completion("## Goal\nHerons at pier nine.", Usage(100, 10), model="summer-1")

    async def stream(self, request: CompletionRequest, /) -> AsyncIterator[Delta | Completion]:
        """The reply in one piece."""
        yield await self(request)

    async def close(self) -> None:
        """Nothing is held."""


async def talk_and_compact() -> None:
    """Append, ask, compact with and without a reply, and fail."""
    model = Summarizer()
    async with palimpsest.open(
        ":memory:",
        preset="hierarchical",
        window_tokens=4_000,
        max_tokens=500,
        complete=model,
        fresh_tail_count=2,
    ) as engine:
        talk = engine.conversation("herons")
        tracer = trace.get_tracer("program")
        with tracer.start_as_current_span("turn"):
            for part in range(12):
                await talk.append({"role": "user", "content": f"{SAID}, part {part}. " + "word " * 90})
                await talk.append({"role": "assistant", "content": "noted " * 40})
            request = await talk.request(model="openai:gpt-5")
            await talk.record_usage({"prompt_tokens": 1_900, "completion_tokens": 7}, request)
            await talk.compact()
        for part in range(12):
            await talk.append({"role": "user", "content": f"{SAID}, again {part}. " + "word " * 90})
        await talk.compact()
        await talk.request(model="openai:gpt-5")
        try:
            await talk.append({"role": 3, "content": SAID})
        except palimpsest.FormatError:
            return


async def two_turns() -> None:
    """An agent is answered once, and refused once."""
    reply = Completion("By the pier.", Usage(70, 3), model="heron-2")
    model = ScriptedModel([reply, ModelError(f"planted-key-777: {SAID}", reason="server")])
    async with palimpsest.open(
        ":memory:", window_tokens=4_000, max_tokens=500, preset="hierarchical"
    ) as engine:
        agent = make_agent(engine, model)
        with trace.get_tracer("program").start_as_current_span("agent turn"):
            await agent.answer("agent herons", "Where does it nest?")
            try:
                await agent.answer("agent herons", "And now?")
            except ModelError:
                return


def main() -> None:
    """Set up, run, print."""
    exporter, reader = InMemorySpanExporter(), InMemoryMetricReader()
    provider = TracerProvider()
    provider.add_span_processor(SimpleSpanProcessor(exporter))
    trace.set_tracer_provider(provider)
    metrics.set_meter_provider(MeterProvider([reader]))
    asyncio.run(talk_and_compact())
    asyncio.run(two_turns())
    spans = [json.loads(span.to_json()) for span in exporter.get_finished_spans()]
    measured = reader.get_metrics_data()
    found = json.loads(measured.to_json()) if measured is not None else {}
    print(json.dumps({"spans": spans, "metrics": found}))


if __name__ == "__main__":
    main()
