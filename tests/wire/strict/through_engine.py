"""A minimal proxy between a client that keeps its own history and a strict server: each request goes through an engine.

Only `messages` and the beta header change. The client's cache marks are replaced by one on the newest block.
"""

from __future__ import annotations

import asyncio
import json
import threading
from collections.abc import Sequence
from types import TracebackType
from typing import Any, Self, cast

import palimpsest
from palimpsest.formats import anthropic
from palimpsest.record.completion import Completion, CompletionRequest
from palimpsest.record.provider_block import ProviderSummary
from tests.wire.replies import Say
from tests.wire.server import Answer, WireServer
from tests.wire.strict.refusal import Fields, fields, objects
from tests.wire.strict.server import StrictServer

SESSION = "x-claude-code-session-id"


def without_marks(value: object) -> Any:
    """A value without cache marks, at any depth."""
    if isinstance(value, list):
        return [without_marks(one) for one in cast("list[object]", value)]
    if isinstance(value, dict):
        known = cast("dict[str, object]", value)
        return {key: without_marks(one) for key, one in known.items() if key != "cache_control"}
    return value


class ClientsOwnRequest:
    """Compacts with the newest request of the client, whose system prompt and tools the provider has seen."""

    compacts_wire = "anthropic"

    def __init__(self, server: StrictServer) -> None:
        self.server = server
        self.body: Fields = {}
        self.headers: dict[str, str] = {}

    async def __call__(self, request: CompletionRequest, /) -> Completion:
        raise ConnectionError("only compaction is offered here")

    async def compact(self, request: CompletionRequest, /) -> ProviderSummary:
        """Ask the server in the process."""
        rendered = anthropic.render_request((), request.messages, model=request.model)["messages"]
        left = ("stream", "context_management", "messages")
        body: Fields = {key: value for key, value in self.body.items() if key not in left}
        body |= {"messages": rendered, "compaction": {"type": "summarize"}}
        betas = ",".join((self.headers.get("anthropic-beta", ""), *anthropic.betas_of(body)))
        sent = {**self.headers, "anthropic-beta": betas}
        answer = self.server.answer("POST", "/v1/messages", sent, json.dumps(body).encode())
        reply = fields(json.loads("".join(answer.pieces)))
        block = objects(reply["content"])[0]
        return ProviderSummary("anthropic", (json.dumps(block),), str(block["content"]), str(body["model"]))


class EngineProxy(WireServer):
    """The proxy; a context manager. `settings` are those of its engine."""

    def __init__(self, server: StrictServer, **settings: Any) -> None:
        super().__init__([Say("unused")], strict=False)
        self.server = server
        self.client = ClientsOwnRequest(server)
        self.settings = {"max_tokens": 2_000, **settings}
        self.loop = asyncio.new_event_loop()
        self.thread = threading.Thread(target=self.loop.run_forever, daemon=True)
        self.engine: Any = None
        self.synced: list[Any] = []

    def __enter__(self) -> Self:
        self.thread.start()
        asks = self.settings.get("summarizer") == "provider"

        async def open_engine() -> Any:
            return await palimpsest.open(":memory:", complete=self.client if asks else None, **self.settings)

        self.engine = self.run(open_engine())
        super().__enter__()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        super().__exit__(kind, error, trace)
        self.run(self.engine.close())
        self.loop.call_soon_threadsafe(self.loop.stop)
        self.thread.join()
        self.loop.close()

    def run(self, work: Any) -> Any:
        """The result of a coroutine on the engine's loop."""
        return asyncio.run_coroutine_threadsafe(work, self.loop).result()

    def compactions(self) -> list[Any]:
        """All compactions of all conversations."""

        async def gather() -> list[Any]:
            found: list[Any] = []
            for one in await self.engine.conversations():
                found += await self.engine.conversation(one.id).compactions()
            return found

        return self.run(gather())

    def answer(self, method: str, path: str, headers: dict[str, str], raw: bytes) -> Answer:
        body = fields(json.loads(raw)) if raw else {}
        main = method == "POST" and path.partition("?")[0] == "/v1/messages" and bool(body.get("tools"))
        if main:
            self.client.body, self.client.headers = without_marks(body), headers
            rewritten = self.run(self._rewritten(headers.get(SESSION, "one"), body))
            betas = anthropic.betas_of(rewritten)
            headers = {**headers, "anthropic-beta": ",".join((headers.get("anthropic-beta", ""), *betas))}
            raw = json.dumps(rewritten).encode()
        return self.server.answer(method, path, headers, raw)

    async def _rewritten(self, session: str, body: Fields) -> Fields:
        talk = self.engine.conversation(session)
        history = cast("list[object]", without_marks(body["messages"]))
        self.synced.append(await talk.sync(history))
        system: object = body.get("system")
        blocks = objects(system) if isinstance(system, list) else []
        text = system if isinstance(system, str) else "\n\n".join(str(one.get("text", "")) for one in blocks)
        request = await talk.request(
            system=text, tools=without_marks(body["tools"]), model=f"anthropic:{body['model']}"
        )
        messages = cast("list[Fields]", request.anthropic()["messages"])
        _mark(messages)
        return {**body, "messages": messages}


def _mark(messages: Sequence[Fields]) -> None:
    newest = messages[-1]
    if isinstance(newest["content"], str):
        newest["content"] = [{"type": "text", "text": newest["content"]}]
    objects(newest["content"])[-1]["cache_control"] = {"type": "ephemeral"}
