"""OpenAI's chat completions, and compatible servers: vLLM, llama.cpp, Ollama, OpenRouter, ...

OpenAI's own servers take the output limit as `max_completion_tokens`, and messages without other providers' reasoning.
All others take `max_tokens`, and get their reasoning back unchanged.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar, cast
from urllib.parse import urlsplit

from palimpsest.complete.http import Fields
from palimpsest.complete.provider_client import HttpModel, encoded
from palimpsest.errors import FormatError
from palimpsest.formats import openai, parse_usage, wire_fields
from palimpsest.formats.openai.parse import REASONING_FIELDS
from palimpsest.formats.openai.render import RESPONSES
from palimpsest.formats.openai.reply import StreamParser, parse_reply
from palimpsest.record.completion import CompletionRequest
from palimpsest.record.provider_block import ProviderSummary

_OWN_HOSTS = ("api.openai.com", "openai.azure.com")
_REASONING = (*REASONING_FIELDS, "reasoning_details")


class OpenAIModel(HttpModel):
    """A chat model. `extra={"prompt_cache_key": ...}` keeps a conversation on the server that has its prompt cached."""

    default_provider = "openai"
    default_url = "https://api.openai.com/v1"
    path = stream_path = "/chat/completions"
    stream_fields: ClassVar[Mapping[str, object]] = {
        "stream": True,
        "stream_options": {"include_usage": True},
    }
    whole = ("object", "chat.completion")
    parse = staticmethod(parse_reply)
    parser = StreamParser

    @property
    def is_own(self) -> bool:
        """Whether the server is OpenAI's own, or Azure's."""
        host = urlsplit(self.base_url).hostname or ""
        return any(host == own or host.endswith(f".{own}") for own in _OWN_HOSTS)

    def body(self, request: CompletionRequest) -> Fields:
        made: Fields = {"model": self.model_of(request)}
        made.update(openai.render_request(request.system_texts, request.messages, request.tools))
        if self.is_own:
            for message in cast("list[Fields]", made["messages"]):
                for field in _REASONING:
                    message.pop(field, None)
        if limit := self.limit_of(request):
            made["max_completion_tokens" if self.is_own else "max_tokens"] = limit
        return made

    compacts_wire = RESPONSES

    async def compact(self, request: CompletionRequest, /) -> ProviderSummary:
        """Compact through the Responses API: the users' messages and one encrypted item for everything else."""
        rendered = openai.render_responses(request.system_texts, request.messages, request.tools)
        body: Fields = {"model": self.model_of(request), "input": rendered["input"]}
        if rendered.get("instructions"):
            body["instructions"] = rendered["instructions"]
        url = self._url("/responses/compact", request)
        return await self.answer(url, encoded(body), self._deadline_s(request), _parse_compaction)

    def ends(self, event: Fields) -> bool:
        choices = event.get("choices")
        first = cast("list[Fields]", choices)[0] if isinstance(choices, list) and choices else {}
        return bool(first.get("finish_reason"))


def _parse_compaction(body: Fields) -> ProviderSummary:
    """Read a compacted response. Raises FormatError if it has no compaction item."""
    output = body.get("output")
    items = wire_fields.objects(cast("list[object]", output)) if isinstance(output, list) else []
    if not any(str(item.get("type", "")).startswith("compaction") for item in items):
        raise FormatError("the provider returned no compaction item", hint="try again later")
    usage = parse_usage(body["usage"]) if body.get("usage") else None
    return ProviderSummary(
        RESPONSES, tuple(map(wire_fields.dumps, items)), "", str(body.get("model") or ""), usage
    )
