"""Models by name: what a string gives, where its key comes from, and what is said when something is missing."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, cast

import pytest

from palimpsest.complete.model_adapter import as_complete
from palimpsest.complete.provider_client import HttpModel
from palimpsest.complete.registry import ALIASES, PROVIDERS, make_model
from palimpsest.complete.scripted import ScriptedModel
from palimpsest.errors import SettingsError
from palimpsest.record.completion import CompletionRequest
from palimpsest.record.message import Message, Text
from tests.wire.server import WireServer

REQUEST = CompletionRequest((Message("user", (Text("Hello?"),)),))


def made(name: str, environment: dict[str, str] | None = None, **options: Any) -> HttpModel:
    """The client that a name gives in an environment."""
    return cast("HttpModel", make_model(name, environment=environment or {}, **options))


def header(model: HttpModel) -> str:
    """The key that a client would send."""
    return next(iter(model.auth(model._key).values()), "")


@pytest.mark.parametrize(
    "name,variable,kind",
    [
        ("openai:gpt-5", "OPENAI_API_KEY", "OpenAIModel"),
        ("openai-responses:gpt-5", "OPENAI_API_KEY", "ResponsesModel"),
        ("anthropic:claude-sonnet-4-5", "ANTHROPIC_API_KEY", "AnthropicModel"),
        ("gemini:gemini-2.5-pro", "GEMINI_API_KEY", "GeminiModel"),
        ("google:gemini-2.5-pro", "GOOGLE_API_KEY", "GeminiModel"),
        ("openrouter:some/model:free", "OPENROUTER_API_KEY", "OpenAIModel"),
        ("groq:llama", "GROQ_API_KEY", "OpenAIModel"),
        ("deepseek:chat", "DEEPSEEK_API_KEY", "OpenAIModel"),
        ("mistral:large", "MISTRAL_API_KEY", "OpenAIModel"),
        ("xai:grok", "XAI_API_KEY", "OpenAIModel"),
    ],
)
def test_a_hosted_model_takes_its_key_from_its_own_variable(name: str, variable: str, kind: str) -> None:
    others = {one: "other" for provider in PROVIDERS.values() for one in provider.keys}
    without = {
        one: key for one, key in others.items() if not (variable == "GOOGLE_API_KEY" and "GEMINI" in one)
    }
    environment = {**without, variable: "right"}
    model = made(name, environment)
    assert type(model).__name__ == kind
    assert model.model == name.partition(":")[2]
    assert header(model).removeprefix("Bearer ") == "right"
    assert model.base_url.startswith("https://")


@pytest.mark.parametrize("name", [name for name, found in PROVIDERS.items() if not found.local])
def test_a_missing_key_is_named_by_its_variable(name: str) -> None:
    with pytest.raises(SettingsError, match=PROVIDERS[name].keys[0]) as caught:
        made(f"{name}:m")
    assert caught.value.exit_code == 4


@pytest.mark.parametrize(
    "name,address",
    [
        ("ollama:qwen3:8b", "http://127.0.0.1:11434/v1"),
        ("vllm:m", "http://127.0.0.1:8000/v1"),
        ("llamacpp:m", "http://127.0.0.1:8080/v1"),
        ("llama.cpp:m", "http://127.0.0.1:8080/v1"),
        ("lmstudio:m", "http://127.0.0.1:1234/v1"),
    ],
)
def test_a_local_server_needs_no_key(name: str, address: str) -> None:
    model = made(name)
    assert (model.base_url, header(model)) == (address, "")


@pytest.mark.parametrize(
    "name,environment,options,address",
    [
        ("openai:m", {"OPENAI_API_KEY": "k", "OPENAI_BASE_URL": "http://gate:9/v1/"}, {}, "http://gate:9/v1"),
        ("openai:m", {"OPENAI_API_KEY": "k", "OPENAI_BASE_URL": "http://gate:9/v1"}, {"base_url": "http://b/v1"}, "http://b/v1"),
        ("openai:m", {}, {"base_url": "http://localhost:9/v1"}, "http://localhost:9/v1"),
        ("openai:m", {}, {"key": "k"}, "https://api.openai.com/v1"),
        ("openai:m", {}, {"headers": {"authorization": "x"}}, "https://api.openai.com/v1"),
        ("ollama:m", {"OLLAMA_HOST": "0.0.0.0"}, {}, "http://127.0.0.1:11434/v1"),
        ("ollama:m", {"OLLAMA_HOST": "https://gpu.example:443"}, {}, "https://gpu.example:443/v1"),
        ("ollama:m", {"OLLAMA_HOST": "gpu", "OLLAMA_BASE_URL": "http://b:1/v1"}, {}, "http://b:1/v1"),
        ("openai-compatible:m", {}, {"base_url": "http://gpu:8000/v1"}, "http://gpu:8000/v1"),
        ("openai-compatible:m", {"OPENAI_COMPATIBLE_BASE_URL": "http://gpu/v1"}, {}, "http://gpu/v1"),
    ],
)  # fmt: skip
def test_an_address_given_goes_before_a_variable_and_that_before_the_usual_one(
    name: str, environment: dict[str, str], options: dict[str, Any], address: str
) -> None:
    assert made(name, environment, **options).base_url == address


def test_a_compatible_server_is_not_sent_openais_key() -> None:
    model = made("openai-compatible:m", {"OPENAI_API_KEY": "secret"}, base_url="http://gpu:8000/v1")
    assert header(model) == ""
    assert (
        header(made("openai-compatible:m", {"OPENAI_COMPATIBLE_API_KEY": "k"}, base_url="http://b/v1"))
        == "Bearer k"
    )


@pytest.mark.parametrize(
    "name,words",
    [
        ("gpt-5", "no known provider"),
        ("nobody:m", "no known provider"),
        ("", "no known provider"),
        ("ollama", "names no model"),
        ("ollama:  ", "names no model"),
        ("openai-compatible:m", "no address"),
    ],
)
def test_a_name_that_cannot_be_used_says_what_to_write(name: str, words: str) -> None:
    with pytest.raises(SettingsError, match=words) as caught:
        made(name)
    assert caught.value.hint


def test_an_address_that_is_none_is_refused() -> None:
    with pytest.raises(SettingsError, match="not an address"):
        made("vllm:m", {"VLLM_BASE_URL": "gpu:8000"})


def test_another_api_of_a_provider_has_its_name_and_takes_both_names_of_a_model() -> None:
    model = made("openai-responses:gpt-5", {"OPENAI_API_KEY": "k", "OPENAI_BASE_URL": "http://gate:9/v1"})
    assert (model.provider, model.base_url) == ("openai", "http://gate:9/v1")
    names = ("", "gpt-5", "openai:gpt-5", "openai-responses:gpt-5")
    assert [model.model_of(replace(REQUEST, model=name)) for name in names] == ["gpt-5"] * 4


def test_aliases_name_providers() -> None:
    assert set(ALIASES.values()) <= set(PROVIDERS)
    assert made("GROK:m", {"XAI_API_KEY": "k"}).provider == "xai"


async def test_a_string_is_a_model_wherever_one_is_asked_for() -> None:
    with WireServer(["through the string"]) as server:
        model = make_model("vllm:m", base_url=server.openai_url)
        assert as_complete(model) is model
        assert (await as_complete(model)(REQUEST)).text == "through the string"
        assert server.asked[0].body["model"] == "m"
        await model.close()
    assert isinstance(as_complete("scripted"), ScriptedModel)
    with pytest.raises(SettingsError, match="no known provider"):
        as_complete("gpt-5")
