"""OpenAI's Responses API.

Every request is self-contained: nothing is stored at the provider, and reasoning comes encrypted, to be sent again.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar, cast

from palimpsest.complete.http import Fields
from palimpsest.complete.provider_client import HttpModel, encoded
from palimpsest.errors import FormatError
from palimpsest.formats import openai, parse_usage, wire_fields
from palimpsest.formats.openai.responses_reply import COMPLETED, FAILED, INCOMPLETE, StreamParser, parse_reply
from palimpsest.record.completion import CompletionRequest
from palimpsest.record.provider_block import ProviderSummary

PROVIDER = "openai-responses"
MIN_OUTPUT_TOKENS = 16
"""The least output limit that the API accepts."""
_WITHOUT_REASONING = ("gpt-3", "gpt-4", "chatgpt-4", "ft:gpt-3", "ft:gpt-4")
"""Beginnings of the names of models that refuse to be asked for encrypted reasoning."""
_COMPACT_OPTIONS = ("prompt_cache_key", "prompt_cache_options", "prompt_cache_retention", "service_tier")
"""The `extra` fields that a request to compact takes too."""


class ResponsesModel(HttpModel):
    """A model behind Responses. `extra={"reasoning": {"effort": "low", "summary": "auto"}}` sets how it thinks."""

    default_provider = "openai"
    default_url = "https://api.openai.com/v1"
    path = stream_path = "/responses"
    stream_fields: ClassVar[Mapping[str, object]] = {"stream": True}
    whole = ("object", "response")
    parse = staticmethod(parse_reply)
    parser = StreamParser
    compacts_wire = openai.RESPONSES

    def _plain(self, model: str) -> str:
        return super()._plain((model or self.model).removeprefix(f"{PROVIDER}:"))

    def body(self, request: CompletionRequest) -> Fields:
        model = self.model_of(request)
        made: Fields = {"model": model, "store": False}
        if not model.startswith(_WITHOUT_REASONING):
            made["include"] = ["reasoning.encrypted_content"]
        made.update(openai.render_responses(request.system_texts, request.messages, request.tools))
        if limit := self.limit_of(request):
            made["max_output_tokens"] = max(limit, MIN_OUTPUT_TOKENS)
        return made

    def failure_in(self, event: Fields) -> object:
        kind = event.get("type")
        if kind == FAILED:
            return wire_fields.nested(event, "response").get("error") or {"code": "server_error"}
        return event if kind == "error" else None

    def ends(self, event: Fields) -> bool:
        return event.get("type") in (COMPLETED, INCOMPLETE)

    async def compact(self, request: CompletionRequest, /) -> ProviderSummary:
        """Compact on request: the users' messages and one encrypted item for everything else. Source: OpenAI's page
        "Compaction".
        """
        rendered = openai.render_responses(request.system_texts, request.messages)
        options = {key: self._extra[key] for key in _COMPACT_OPTIONS if self._extra.get(key) is not None}
        content = encoded({"model": self.model_of(request), **rendered, **options})
        url = self._url("/responses/compact", request)
        return await self.answer(url, content, self._deadline_s(request), _parse_compaction)


def _parse_compaction(body: Fields) -> ProviderSummary:
    """Read a compacted response. Raises FormatError if it has no compaction item."""
    output = body.get("output")
    items = wire_fields.objects(cast("list[object]", output)) if isinstance(output, list) else []
    if not any(str(item.get("type", "")).startswith("compaction") for item in items):
        raise FormatError("the provider returned no compaction item", hint="try again later")
    usage = parse_usage(body["usage"]) if body.get("usage") else None
    texts = tuple(map(wire_fields.dumps, items))
    return ProviderSummary(openai.RESPONSES, texts, "", str(body.get("model") or ""), usage)
