"""Google's Gemini API."""

from __future__ import annotations

from collections.abc import Mapping
from typing import cast

from palimpsest.complete.http import Fields
from palimpsest.complete.provider_client import HttpModel
from palimpsest.formats import gemini, wire_fields
from palimpsest.formats.gemini.reply import StreamParser, parse_reply
from palimpsest.record.completion import CompletionRequest


class GeminiModel(HttpModel):
    """A Gemini model."""

    default_provider = "gemini"
    default_url = "https://generativelanguage.googleapis.com"
    version = "/v1beta"
    path = "/v1beta/models/{model}:generateContent"
    stream_path = "/v1beta/models/{model}:streamGenerateContent?alt=sse"
    parse = staticmethod(parse_reply)
    parser = StreamParser

    def model_of(self, request: CompletionRequest) -> str:
        return super().model_of(request).removeprefix("models/")

    def auth(self, key: str) -> Mapping[str, str]:
        return {"x-goog-api-key": key} if key else {}

    def body(self, request: CompletionRequest) -> Fields:
        made = gemini.render_request(request.system_texts, request.messages, request.tools)
        if limit := self.limit_of(request):
            made["generationConfig"] = {"maxOutputTokens": limit}
        return made

    def ends(self, event: Fields) -> bool:
        candidates = event.get("candidates")
        first = cast("list[Fields]", candidates)[0] if isinstance(candidates, list) and candidates else {}
        return bool(
            first.get("finishReason") or wire_fields.nested(event, "promptFeedback").get("blockReason")
        )
