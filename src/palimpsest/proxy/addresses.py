"""The providers' addresses, and which of them a request is for."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

_ANTHROPIC_ENDS = ("/messages", "/count_tokens", "/complete")
_ANTHROPIC_HEADERS = ("anthropic-version", "x-api-key")
_GEMINI_PARTS = ("/v1beta/", "/v1alpha/")
_GEMINI_HEADERS = ("x-goog-api-key", "x-goog-api-client")


@dataclass(frozen=True, slots=True)
class Upstreams:
    """The addresses of the providers."""

    anthropic: str = "https://api.anthropic.com"
    openai: str = "https://api.openai.com"
    gemini: str = "https://generativelanguage.googleapis.com"

    def of(self, path: str, headers: Mapping[str, str]) -> str:
        """Return the provider's address for a request."""
        if any(one in path for one in _GEMINI_PARTS) or any(one in headers for one in _GEMINI_HEADERS):
            return self.gemini
        if path.endswith(_ANTHROPIC_ENDS) or any(one in headers for one in _ANTHROPIC_HEADERS):
            return self.anthropic
        return self.openai

    def url(self, path: str, query: str, headers: Mapping[str, str]) -> str:
        """Return where a request goes. A version that both the address and the path have stands there once."""
        base = self.of(path, headers).rstrip("/")
        first = "/" + path[1:].partition("/")[0]
        if len(first) > 1 and base.endswith(first):
            base = base[: -len(first)]
        return f"{base}{path}?{query}" if query else base + path
