"""The client of OpenAI's Responses: what it asks for, the failures inside a stream, and the provider's compaction."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import pytest

from palimpsest.complete.http import Patience
from palimpsest.complete.openai import OpenAIModel
from palimpsest.complete.responses import ResponsesModel
from palimpsest.errors import FailureReason, ModelError
from palimpsest.record.completion import Completion, CompletionRequest, Retrying
from palimpsest.record.message import Message, Text, Usage
from tests.wire.forms import sse
from tests.wire.server import Answer, WireServer
from tests.wire.strict.scripts import reading
from tests.wire.strict.server import StrictServer
from tests.wire.vectors import serving_json

QUICK = Patience(total_s=60, connect_s=60, silence_s=60, retries=1, first_wait_s=0.01, longest_wait_s=0.1)
REQUEST = CompletionRequest((Message("user", (Text("Hello?"),)),), system="Be brief.", max_output_tokens=100)
BEGUN = {
    "type": "response.created",
    "response": {"object": "response", "status": "in_progress", "output": []},
}


class Streaming(WireServer):
    """A server whose streams have these events, whatever it is asked."""

    def __init__(self, *events: dict[str, Any]) -> None:
        super().__init__(["never"])
        self.events = events
        self.count = 0

    def answer(self, method: str, path: str, headers: dict[str, str], raw: bytes) -> Answer:
        self.count += 1
        told = [sse(event, str(event["type"])) for event in self.events]
        return Answer(200, "text/event-stream", told, streamed=True)


def failed(**error: Any) -> dict[str, Any]:
    """The event of a failed response."""
    return {"type": "response.failed", "response": {"status": "failed", "error": error or None, "output": []}}


def test_a_request_stores_nothing_and_asks_for_the_reasoning() -> None:
    body = ResponsesModel("gpt-6.2-astra", extra={"reasoning": {"effort": "low"}})._body(REQUEST, stream=True)
    assert body == {
        "model": "gpt-6.2-astra",
        "input": [{"role": "user", "content": "Hello?"}],
        "instructions": "Be brief.",
        "store": False,
        "include": ["reasoning.encrypted_content"],
        "max_output_tokens": 100,
        "reasoning": {"effort": "low"},
        "stream": True,
    }


def test_what_the_api_or_the_model_refuses_is_not_asked_for() -> None:
    assert "include" not in ResponsesModel("gpt-4.1-mini").body(REQUEST)
    assert "max_output_tokens" not in ResponsesModel("m").body(replace(REQUEST, max_output_tokens=0))
    assert ResponsesModel("m").body(replace(REQUEST, max_output_tokens=5))["max_output_tokens"] == 16
    assert "include" not in ResponsesModel("m", extra={"include": None})._body(REQUEST)


@pytest.mark.parametrize(
    "event,reason,tries",
    [
        ({"type": "error", "code": "rate_limit_exceeded", "message": "Slow."}, "rate_limit", 2),
        ({"type": "error", "code": "server_error", "message": "An error occurred."}, "server", 2),
        ({"type": "error", "error": {"code": "server_is_overloaded", "message": "x"}}, "overloaded", 2),
        ({"type": "error", "code": "context_length_exceeded", "message": "x"}, "context_overflow", 1),
        (failed(code="server_error", message="An error occurred."), "server", 2),
        (failed(code="rate_limit_exceeded", message="Slow."), "rate_limit", 2),
        (failed(code="invalid_prompt", message="It violates the policy."), "refused", 1),
        (failed(code="bio_policy", message="It violates the policy."), "refused", 1),
        (failed(code="context_length_exceeded", message="Your input is too long."), "context_overflow", 1),
        (failed(), "server", 2),
    ],
    ids=lambda value: json.dumps(value) if isinstance(value, dict) else None,
)
async def test_a_failure_inside_a_stream_is_told_by_its_code(
    event: dict[str, Any], reason: FailureReason, tries: int
) -> None:
    with Streaming(BEGUN, event) as server:
        model = ResponsesModel("m", base_url=f"{server.url}/v1", patience=QUICK)
        with pytest.raises(ModelError) as caught:
            _ = [piece async for piece in model.stream(REQUEST)]
        await model.close()
        assert (caught.value.reason, server.count) == (reason, tries)


@pytest.mark.parametrize(
    "events",
    [
        [{"type": "response.completed"}],
        [{"type": "response.completed", "response": {"output": [{"type": "message"}]}}],
        [{"type": "response.output_item.done", "item": None}],
        [{"type": "response.output_text.delta", "delta": {}}],
    ],
    ids=str,
)
async def test_a_stream_of_another_shape_is_a_failure_of_the_server(events: list[dict[str, Any]]) -> None:
    with Streaming(BEGUN, *events) as server:
        model = ResponsesModel("m", base_url=f"{server.url}/v1", patience=QUICK)
        with pytest.raises(ModelError) as caught:
            _ = [piece async for piece in model.stream(REQUEST)]
        await model.close()
        assert (caught.value.reason, server.count) == ("server", 2)


async def test_a_response_that_failed_as_a_whole_is_tried_again() -> None:
    replies: list[tuple[int, object]] = [
        (200, failed(code="server_error", message="An error occurred.")["response"]),
        (200, {"object": "response", "status": "cancelled", "output": []}),
    ]

    def answer(body: bytes, key: str) -> tuple[int, object]:
        return replies.pop(0)

    with serving_json("/v1/responses", answer) as url:
        model = ResponsesModel("m", base_url=url, patience=QUICK)
        with pytest.raises(ModelError, match="the response is cancelled") as caught:
            await model(REQUEST)
        await model.close()
        assert (caught.value.reason, replies) == ("server", [])


async def test_a_server_that_does_not_stream_is_understood() -> None:
    part = {"type": "output_text", "text": "at once"}
    said = {"type": "message", "role": "assistant", "content": [part]}
    usage = {"input_tokens": 9, "output_tokens": 2, "input_tokens_details": {"cached_tokens": 4}}
    whole = {"object": "response", "status": "completed", "output": [said], "usage": usage}
    with serving_json("/v1/responses", lambda body, key: (200, whole)) as url:
        model = ResponsesModel("m", base_url=url, patience=QUICK)
        found = [piece async for piece in model.stream(REQUEST) if not isinstance(piece, Retrying)][-1]
        await model.close()
        assert isinstance(found, Completion)
        assert (found.text, found.usage) == ("at once", Usage(9, 2, 4))


async def test_a_compaction_asks_with_what_it_may_and_keeps_the_items_as_they_came() -> None:
    with StrictServer(reading(1)) as server:
        options = {"prompt_cache_key": "pier-7", "reasoning": {"effort": "low"}, "service_tier": None}
        model = ResponsesModel("gpt-6.2-astra", base_url=server.openai_url, extra=options)
        found = await model.compact(replace(REQUEST, model="openai-responses:gpt-6.2-astra"))
        await model.close()
        asked = server.seen[0]
        assert (asked.kind, asked.refusal) == ("compact", None)
        assert asked.body == {
            "model": "gpt-6.2-astra",
            "input": [{"role": "user", "content": "Hello?"}],
            "instructions": "Be brief.",
            "prompt_cache_key": "pier-7",
        }
        assert [json.loads(item)["type"] for item in found.items] == ["message", "compaction"]
        assert (found.wire, found.text) == (model.compacts_wire, "") == ("responses", "")
        assert found.usage == Usage(asked.tokens, 100)


@pytest.mark.parametrize("output", [None, [], [{"type": "message"}], "words"], ids=str)
async def test_a_compaction_without_its_item_is_a_failure(output: object) -> None:
    found = {"object": "response.compaction", "output": output}
    with serving_json("/v1/responses/compact", lambda body, key: (200, found)) as url:
        model = ResponsesModel("m", base_url=url, patience=QUICK)
        with pytest.raises(ModelError, match="no compaction item"):
            await model.compact(REQUEST)
        await model.close()


def test_chat_completions_do_not_compact() -> None:
    assert not hasattr(OpenAIModel("m"), "compact")
