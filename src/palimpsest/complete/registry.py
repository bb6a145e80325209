"""Creates models from "provider:model" names, with addresses and keys from each provider's usual variables.

Every provider P has the variables `P_API_KEY` and `P_BASE_URL`; the table has the exceptions. A provider's key is sent
only to its own address, or to the one given instead. A server on this machine needs no key.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from importlib import import_module
from typing import Literal, cast
from urllib.parse import urlsplit

from palimpsest.complete.http import Patience
from palimpsest.errors import SettingsError
from palimpsest.ports import Model

Form = Literal["openai", "responses", "anthropic", "gemini", "scripted"]


@dataclass(frozen=True, slots=True)
class Provider:
    """A provider's API and address. `keys` are the variables that may have its key, the first one that is set applies;
    a `local` server needs none. `base` is the variable that changes the address. `own` is the provider's own name, if
    this is another one for one of its APIs.
    """

    form: Form
    url: str
    keys: tuple[str, ...] = ()
    base: str = ""
    local: bool = False
    own: str = ""


def _usual(name: str, url: str, form: Form = "openai", *, local: bool = False) -> Provider:
    upper = name.upper().replace("-", "_")
    return Provider(form, url, (f"{upper}_API_KEY",), f"{upper}_BASE_URL", local)


PROVIDERS: dict[str, Provider] = {
    "openai": _usual("openai", "https://api.openai.com/v1"),
    "openai-responses": Provider(
        "responses", "https://api.openai.com/v1", ("OPENAI_API_KEY",), "OPENAI_BASE_URL", own="openai"
    ),
    "anthropic": _usual("anthropic", "https://api.anthropic.com", "anthropic"),
    "gemini": Provider(
        "gemini",
        "https://generativelanguage.googleapis.com",
        ("GEMINI_API_KEY", "GOOGLE_API_KEY"),
        "GEMINI_BASE_URL",
    ),
    "openrouter": _usual("openrouter", "https://openrouter.ai/api/v1"),
    "groq": _usual("groq", "https://api.groq.com/openai/v1"),
    "deepseek": _usual("deepseek", "https://api.deepseek.com/v1"),
    "mistral": _usual("mistral", "https://api.mistral.ai/v1"),
    "xai": _usual("xai", "https://api.x.ai/v1"),
    "together": _usual("together", "https://api.together.xyz/v1"),
    "fireworks": _usual("fireworks", "https://api.fireworks.ai/inference/v1"),
    "cerebras": _usual("cerebras", "https://api.cerebras.ai/v1"),
    "moonshot": _usual("moonshot", "https://api.moonshot.ai/v1"),
    "ollama": _usual("ollama", "http://127.0.0.1:11434/v1", local=True),
    "vllm": _usual("vllm", "http://127.0.0.1:8000/v1", local=True),
    "llamacpp": _usual("llamacpp", "http://127.0.0.1:8080/v1", local=True),
    "lmstudio": _usual("lmstudio", "http://127.0.0.1:1234/v1", local=True),
    "openai-compatible": _usual("openai-compatible", "", local=True),
    "scripted": Provider("scripted", "", local=True),
}
ALIASES = {
    "google": "gemini",
    "claude": "anthropic",
    "llama.cpp": "llamacpp",
    "lm-studio": "lmstudio",
    "grok": "xai",
}
_NO_STREAM_OPTIONS = ("mistral",)
_NAMES = ", ".join(PROVIDERS)


def make_model(
    name: str,
    *,
    base_url: str = "",
    key: str = "",
    headers: Mapping[str, str] | None = None,
    max_output_tokens: int = 0,
    extra: Mapping[str, object] | None = None,
    patience: Patience | None = None,
    environment: Mapping[str, str] | None = None,
) -> Model:
    """The model with this name, such as "anthropic:claude-sonnet-5" or "ollama:qwen3:8b".

    `base_url`, `key` and `headers` override the environment. `extra` are fields of the request's body. Raises
    SettingsError for an unknown provider, a missing model or address, and a missing key, naming the variable to set.
    """
    found = locate(name, base_url=base_url, key=key, headers=headers, environment=environment)
    if found.form == "scripted":
        from palimpsest.complete.scripted import echo_model

        return echo_model(found.model)
    options: dict[str, object] = dict(extra or {})
    if found.provider in _NO_STREAM_OPTIONS:
        options.setdefault("stream_options", None)
    return _client(found.form)(
        found.model,
        provider=PROVIDERS[found.provider].own or found.provider,
        base_url=found.url,
        key=found.key,
        headers=headers,
        max_output_tokens=max_output_tokens,
        extra=options,
        patience=patience,
    )


@dataclass(frozen=True, slots=True)
class Located:
    """The API, address and key ("" for none) of a "provider:model" name."""

    form: Form
    provider: str
    model: str
    url: str = ""
    key: str = field(default="", repr=False)


def locate(
    name: str,
    *,
    base_url: str = "",
    key: str = "",
    headers: Mapping[str, str] | None = None,
    environment: Mapping[str, str] | None = None,
) -> Located:
    """The API, address and key of "provider:model", from the arguments and the environment. Raises SettingsError."""
    variables = os.environ if environment is None else environment
    said, _, model = name.strip().partition(":")
    provider = ALIASES.get(said.lower(), said.lower())
    known = PROVIDERS.get(provider)
    if known is None:
        raise SettingsError(
            f"model {name!r} names no known provider",
            hint=f'write "provider:model"; the providers are {_NAMES}',
        )
    if known.form == "scripted":
        return Located(known.form, provider, model)
    if not model.strip():
        raise SettingsError(
            f"model {name!r} names no model", hint=f'write "{provider}:" and the name of the model'
        )
    address = _address(provider, known, base_url, variables)
    found = key or next((text for one in known.keys if (text := variables.get(one, "").strip())), "")
    if not found and not headers and not known.local and not _is_here(address):
        raise SettingsError(f"no key for {provider}", hint=f"set {' or '.join(known.keys)}")
    return Located(known.form, provider, model.strip(), address, found)


def _address(provider: str, known: Provider, given: str, variables: Mapping[str, str]) -> str:
    address = given or variables.get(known.base, "").strip()
    if not address and provider == "ollama":
        address = _ollama_host(variables.get("OLLAMA_HOST", "").strip())
    address = address or known.url
    if not address:
        raise SettingsError(f"no address for {provider}", hint=f"give base_url, or set {known.base}")
    if urlsplit(address).scheme not in ("http", "https") or not urlsplit(address).hostname:
        raise SettingsError(f"{address!r} is not an address", hint="write it as http://host:port/v1")
    return address


def _ollama_host(host: str) -> str:
    """The address in `OLLAMA_HOST`, which may be a bare host, and 0.0.0.0 for "listen on all addresses"."""
    if not host:
        return ""
    found = urlsplit(host if "://" in host else f"http://{host}")
    name = "127.0.0.1" if found.hostname in (None, "0.0.0.0") else found.hostname  # noqa: S104  (read, not bound)
    return f"{found.scheme}://{name}:{found.port or 11434}/v1"


def _is_here(address: str) -> bool:
    """Whether an address is on this machine."""
    return urlsplit(address).hostname in ("localhost", "127.0.0.1", "::1")


_CLIENTS: dict[str, tuple[str, str]] = {
    "openai": ("palimpsest.complete.openai", "OpenAIModel"),
    "responses": ("palimpsest.complete.responses", "ResponsesModel"),
    "anthropic": ("palimpsest.complete.anthropic", "AnthropicModel"),
    "gemini": ("palimpsest.complete.gemini", "GeminiModel"),
}


def _client(form: Form) -> Callable[..., Model]:
    module, name = _CLIENTS[form]
    return cast("Callable[..., Model]", getattr(import_module(module), name))
