"""OpenAI's chat completions, and compatible servers: vLLM, llama.cpp, Ollama, OpenRouter, ...

OpenAI's own servers take the output limit as `max_completion_tokens`, and messages without other providers' reasoning.
All others take `max_tokens`, and get their reasoning back unchanged.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar, cast
from urllib.parse import urlsplit

from palimpsest.complete.http import Fields
from palimpsest.complete.provider_client import HttpModel
from palimpsest.formats import openai
from palimpsest.formats.openai.parse import REASONING_FIELDS
from palimpsest.formats.openai.reply import StreamParser, parse_reply
from palimpsest.record.completion import CompletionRequest

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
        model = self.model_of(request)
        made: Fields = {"model": model}
        made.update(openai.render_request(request.system_texts, request.messages, request.tools, model=model))
        if self.is_own:
            for message in cast("list[Fields]", made["messages"]):
                for field in _REASONING:
                    message.pop(field, None)
        if limit := self.limit_of(request):
            made["max_completion_tokens" if self.is_own else "max_tokens"] = limit
        return made

    def ends(self, event: Fields) -> bool:
        choices = event.get("choices")
        first = cast("list[Fields]", choices)[0] if isinstance(choices, list) and choices else {}
        return bool(first.get("finish_reason"))
