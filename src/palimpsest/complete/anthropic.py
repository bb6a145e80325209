"""Anthropic's Messages API."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar, Unpack, cast

from palimpsest.complete.http import Fields
from palimpsest.complete.provider_client import HttpModel, Options, encoded
from palimpsest.errors import FormatError
from palimpsest.formats import anthropic, parse_usage, wire_fields
from palimpsest.formats.anthropic.breakpoints import Ttl
from palimpsest.formats.anthropic.reply import StreamParser, parse_reply
from palimpsest.record.completion import CompletionRequest
from palimpsest.record.message import Text
from palimpsest.record.provider_block import ProviderSummary

API_VERSION = "2023-06-01"
DEFAULT_OUTPUT_TOKENS = 8_192
"""The output limit if neither the request nor the client has one, because the API requires it."""


class AnthropicModel(HttpModel):
    """A Claude model. With `cache`, the prompt gets cache marks with the lifetime `ttl` (see `breakpoints`).

    With `drop_block`, the API leaves out thinking whose prefix has changed, instead of refusing the request. That is a
    beta, for a model that binds its thinking and for histories that something else may have edited.
    """

    default_provider = "anthropic"
    default_url = "https://api.anthropic.com"
    version = "/v1"
    path = stream_path = "/v1/messages"
    stream_fields: ClassVar[Mapping[str, object]] = {"stream": True}
    whole = ("type", "message")
    parse = staticmethod(parse_reply)
    parser = StreamParser

    def __init__(
        self,
        model: str,
        *,
        cache: bool = True,
        ttl: Ttl = "5m",
        drop_block: bool = False,
        **options: Unpack[Options],
    ) -> None:
        super().__init__(model, **options)
        self.cache = cache
        self.drop_block = drop_block
        self.ttl: Ttl = ttl

    def auth(self, key: str) -> Mapping[str, str]:
        version = {"anthropic-version": API_VERSION}
        return {"x-api-key": key, **version} if key else version

    def body(self, request: CompletionRequest) -> Fields:
        model = self.model_of(request)
        rendered = anthropic.render_request(
            request.system_texts, request.messages, request.tools, model=model, deferred=request.deferred
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
        if self.drop_block and anthropic.binds_thinking(model):
            rendered["thinking"] = {
                "type": "adaptive",
                "block_binding": {"prefix_mismatch_behavior": "drop_block"},
            }
        return {"model": model, "max_tokens": limit, **rendered}

    def headers_for(self, body: Fields) -> Mapping[str, str]:
        betas = anthropic.betas_of(body)
        known = {name.lower(): value for name, value in self._headers.items()}.get("anthropic-beta", "")
        return {"anthropic-beta": ",".join(filter(None, (known, *betas)))} if betas else {}

    compacts_wire = "anthropic"

    async def compact(self, request: CompletionRequest, /) -> ProviderSummary:
        """Compact on request: one signed block for all messages. Source: Anthropic's page "Compaction on demand"."""
        body = self._body(request)
        body.pop("context_management", None)
        body["compaction"] = {"type": "summarize"}
        url = self._url(self.path, request)
        return await self.answer(
            url, encoded(body), self._deadline_s(request), _parse_compaction, self.headers_for(body)
        )

    def ends(self, event: Fields) -> bool:
        return event.get("type") == "message_stop"


def _parse_compaction(body: Fields) -> ProviderSummary:
    """Read the reply to a request to compact. Raises FormatError if it has no summary."""
    content = body.get("content")
    blocks = wire_fields.objects(cast("list[object]", content)) if isinstance(content, list) else []
    found = [block for block in blocks if block.get("type") == "compaction"]
    text = str(found[0].get("content") or "") if found else ""
    if not text.strip():
        raise FormatError("the provider returned no summary", hint="try again later")
    used = wire_fields.nested(body, "usage")
    rounds = wire_fields.objects(cast("list[object]", used.get("iterations") or []))
    spent = [one for one in rounds if one.get("type") == "compaction"]
    usage = parse_usage(spent[-1] if spent else used) if used else None
    return ProviderSummary(
        "anthropic", (wire_fields.dumps(found[0]),), text, str(body.get("model") or ""), usage
    )


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
