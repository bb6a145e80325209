"""How programs are told to call the proxy."""

from __future__ import annotations

import json

import pytest

from palimpsest.proxy.addresses import Upstreams
from palimpsest.proxy.programs import OPENCODE_VARIABLE, program_name, upstreams_of, wrapped

URL = "http://127.0.0.1:8378"


def test_claude_gets_the_address_and_keeps_its_arguments() -> None:
    found = wrapped(("/usr/bin/claude", "-p", "hello"), URL, {"HOME": "/h"})
    assert found.command == ("/usr/bin/claude", "-p", "hello")
    assert found.environment == {"HOME": "/h", "ANTHROPIC_BASE_URL": URL}


def test_codex_gets_the_address_as_a_setting_of_this_run() -> None:
    found = wrapped(("codex", "exec", "x"), URL, {})
    assert found.command == ("codex", "-c", f'openai_base_url="{URL}/v1"', "exec", "x")
    assert found.environment == {}


def test_opencode_keeps_the_settings_it_was_given() -> None:
    given = {"theme": "dark", "provider": {"anthropic": {"options": {"apiKey": "k"}}}}
    found = wrapped(("opencode",), URL, {OPENCODE_VARIABLE: json.dumps(given)})
    settings = json.loads(found.environment[OPENCODE_VARIABLE])
    assert settings["theme"] == "dark"
    assert settings["provider"]["anthropic"]["options"] == {"apiKey": "k", "baseURL": f"{URL}/v1"}
    assert settings["provider"]["google"]["options"] == {"baseURL": f"{URL}/v1beta"}
    broken = wrapped(("opencode",), URL, {OPENCODE_VARIABLE: "{"})
    assert "baseURL" in broken.environment[OPENCODE_VARIABLE]


def test_another_program_gets_what_the_providers_libraries_read() -> None:
    found = wrapped(("python", "agent.py"), URL, {})
    assert found.command == ("python", "agent.py")
    assert found.environment == {
        "ANTHROPIC_BASE_URL": URL,
        "OPENAI_BASE_URL": f"{URL}/v1",
        "OPENAI_API_BASE": f"{URL}/v1",
        "GOOGLE_GEMINI_BASE_URL": URL,
    }


@pytest.mark.parametrize(
    "given, name",
    [
        ("/opt/bin/claude", "claude"),
        ("C:\\tools\\Codex.cmd", "codex"),
        ("gemini.exe", "gemini"),
        ("my-agent", "my-agent"),
    ],
)
def test_a_program_is_known_by_its_name(given: str, name: str) -> None:
    assert program_name(given) == name


def test_an_address_that_the_environment_names_is_where_calls_go() -> None:
    environment = {
        "ANTHROPIC_BASE_URL": "https://gateway.example.com/",
        "OPENAI_BASE_URL": "http://127.0.0.1:4000/v1",
    }
    assert upstreams_of(environment) == Upstreams("https://gateway.example.com", "http://127.0.0.1:4000")
    assert (
        upstreams_of({"ANTHROPIC_BASE_URL": "not an address", "OPENAI_BASE_URL": "http://["}) == Upstreams()
    )
