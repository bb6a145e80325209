"""Anthropic's Messages API."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar, Unpack, cast

from palimpsest.complete.http import Fields
from palimpsest.complete.provider_client import HttpModel, Options
from palimpsest.formats import anthropic
from palimpsest.formats.anthropic.breakpoints import Ttl
from palimpsest.formats.anthropic.reply import StreamParser, parse_reply
from palimpsest.record.completion import CompletionRequest
from palimpsest.record.message import Text

API_VERSION = "2023-06-01"
DEFAULT_OUTPUT_TOKENS = 8_192
"""The output limit if neither the request nor the client has one, because the API requires it."""


class AnthropicModel(HttpModel):
    """A Claude model. With `cache`, the prompt gets cache marks with the lifetime `ttl` (see `breakpoints`)."""

    default_provider = "anthropic"
    default_url = "https://api.anthropic.com"
    version = "/v1"
    path = stream_path = "/v1/messages"
    stream_fields: ClassVar[Mapping[str, object]] = {"stream": True}
    whole = ("type", "message")
    parse = staticmethod(parse_reply)
    parser = StreamParser

    def __init__(
        self, model: str, *, cache: bool = True, ttl: Ttl = "5m", **options: Unpack[Options]
    ) -> None:
        super().__init__(model, **options)
        self.cache = cache
        self.ttl: Ttl = ttl

    def auth(self, key: str) -> Mapping[str, str]:
        version = {"anthropic-version": API_VERSION}
        return {"x-api-key": key, **version} if key else version

    def body(self, request: CompletionRequest) -> Fields:
        model = self.model_of(request)
        rendered = anthropic.render_request(
            request.system_texts, request.messages, request.tools, model=model
        )
        if self.cache:
            rendered = anthropic.place_breakpoints(
                rendered,
                injected_blocks=_injected_blocks(request, rendered),
                changing_system=1 if request.memory.strip() else 0,
                record_blocks=_record_blocks(request, model),
                ttl=self.ttl,
            )
        limit = self.limit_of(request) or DEFAULT_OUTPUT_TOKENS
        return {"model": model, "max_tokens": limit, **rendered}

    def ends(self, event: Fields) -> bool:
        return event.get("type") == "message_stop"


def _injected_blocks(request: CompletionRequest, rendered: Fields) -> int:
    """The number of blocks at the end of the messages that belong to this call only, or follow those that do."""
    injected = request.messages[len(request.messages) - request.injected :]
    blocks = sum(
        not isinstance(part, Text) or bool(part.text.strip())
        for message in injected
        for part in message.parts
    )
    last = cast("list[Fields]", rendered["messages"])[-1]
    return blocks + (_blocks_in(last) if blocks and last["role"] == "system" else 0)


def _record_blocks(request: CompletionRequest, model: str) -> int:
    """The number of blocks up to the last record of what left the window, 0 for none."""
    if not request.records:
        return 0
    rendered = anthropic.render_request((), request.messages[: request.records], model=model)
    messages = cast("list[Fields]", rendered["messages"])
    if messages[-1]["role"] == "system":
        messages = messages[:-1]
    return sum(map(_blocks_in, messages))


def _blocks_in(message: Fields) -> int:
    content = message["content"]
    return len(cast("list[object]", content)) if isinstance(content, list) else 1
