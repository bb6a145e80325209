"""What a self-hosted server tells of itself, in the words of several servers, and how it is asked."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Mapping
from typing import Self

import pytest

from palimpsest.complete.openai import OpenAIModel
from palimpsest.complete.provider_client import Server, is_self_hosted, read_server

LLAMA_CPP = {"default_generation_settings": {"n_ctx": 4096, "params": {}}, "total_slots": 2}
OLD_LLAMA_CPP = {"data": [{"id": "/models/a.gguf", "meta": {"n_vocab": 49152, "n_ctx_train": 8192}}]}
VLLM = {"data": [{"id": "qwen", "max_model_len": 32768}, {"id": "other", "max_model_len": 8192}]}
LM_STUDIO = {"data": [{"id": "a", "max_context_length": 131072, "loaded_context_length": 4096}, {"id": "b"}]}
OLLAMA = {"models": [{"name": "gemma:latest", "model": "gemma:latest", "context_length": 2048}]}


@pytest.mark.parametrize(
    "body, model, tells",
    [
        (LLAMA_CPP, "any", Server(4096, 2)),
        (OLD_LLAMA_CPP, "any", Server(8192)),
        (VLLM, "other", Server(8192)),
        (VLLM, "unknown", None),
        (LM_STUDIO, "a", Server(4096)),
        (LM_STUDIO, "b", None),
        (OLLAMA, "gemma", Server(2048)),
        ({"data": [{"id": "gpt-5"}]}, "gpt-5", None),
        ({"data": "no list", "total_slots": "no number", "models": [3]}, "a", None),
    ],
)
def test_each_kind_of_server_tells_its_context_in_its_own_words(
    body: Mapping[str, object], model: str, tells: Server | None
) -> None:
    assert read_server(body, model) == tells


@pytest.mark.parametrize(
    "provider, address, is_own",
    [
        ("openai", "http://127.0.0.1:8080/v1", True),
        ("openai", "http://[::1]:8080/v1", True),
        ("openai", "http://192.168.1.7/v1", True),
        ("openai", "http://100.64.0.9/v1", True),
        ("openai", "http://gpu:8000/v1", True),
        ("openai", "https://gpu.lan/v1", True),
        ("vllm", "https://gpu.example.com/v1", True),
        ("openai", "https://api.openai.com/v1", False),
        ("anthropic", "https://8.8.8.8", False),
    ],
)
def test_a_server_is_self_hosted_by_its_provider_or_by_its_address(
    provider: str, address: str, is_own: bool
) -> None:
    assert is_self_hosted(provider, address) is is_own


class Told:
    """A server on the loopback that answers GET with what it has under a path, else with 404."""

    def __init__(self, places: Mapping[str, object]) -> None:
        self.places = places
        self.asked: list[str] = []

    async def __aenter__(self) -> Self:
        self._server = await asyncio.start_server(self._answer, "127.0.0.1", 0)
        self.url = f"http://127.0.0.1:{self._server.sockets[0].getsockname()[1]}/v1"
        return self

    async def __aexit__(self, *_: object) -> None:
        self._server.close()

    async def _answer(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        path = (await reader.readuntil(b"\r\n\r\n")).split()[1].decode()
        self.asked.append(path)
        found = self.places.get(path)
        body = json.dumps(found if found is not None else {"error": "no such place"}).encode()
        status = b"200 OK" if found is not None else b"404 Not Found"
        head = b"content-type: application/json\r\nconnection: close\r\n"
        writer.write(b"HTTP/1.1 %s\r\n%scontent-length: %d\r\n\r\n%s" % (status, head, len(body), body))
        await writer.drain()
        writer.close()


async def test_a_server_is_asked_place_by_place_until_one_tells_and_then_no_more() -> None:
    async with Told({"/v1/models": VLLM}) as server:
        model = OpenAIModel("qwen", base_url=server.url)
        assert await model.server() == Server(32768)
        assert await model.server() == Server(32768)
        assert server.asked == ["/props", "/v1/models"]
        assert await model.server("openai:other") == Server(8192)
        await model.close()


async def test_a_server_that_tells_nothing_yet_is_asked_again() -> None:
    places: dict[str, object] = {}
    async with Told(places) as server:
        model = OpenAIModel("gemma", base_url=server.url)
        assert await model.server() == Server()
        assert len(server.asked) == 4
        places["/api/ps"] = OLLAMA
        assert await model.server() == Server(2048)
        await model.close()


async def test_a_server_that_is_down_is_no_failure_and_a_hosted_one_is_not_asked() -> None:
    async with Told({"/props": LLAMA_CPP}) as server:
        pass
    assert await OpenAIModel("m", base_url=server.url).server() == Server()
    assert await OpenAIModel("m", key="k").server() == Server()
    assert server.asked == []
