"""How a program is told to call the proxy: by environment variables and arguments, never by its configuration."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import cast
from urllib.parse import urlsplit

from palimpsest.proxy.addresses import Upstreams

OPENCODE_VARIABLE = "OPENCODE_CONFIG_CONTENT"
"""The variable with which opencode takes settings that are in no file."""

_SUFFIXES = ("/v1", "/v1beta")


@dataclass(frozen=True, slots=True)
class Program:
    """The variables and arguments that name the proxy's address; "{url}" stands for it."""

    variables: Mapping[str, str]
    arguments: tuple[str, ...] = ()


_ANTHROPIC = {"ANTHROPIC_BASE_URL": "{url}"}
_OPENAI = {"OPENAI_BASE_URL": "{url}/v1", "OPENAI_API_BASE": "{url}/v1"}
_GEMINI = {"GOOGLE_GEMINI_BASE_URL": "{url}"}
PROGRAMS: Mapping[str, Program] = {
    "claude": Program(_ANTHROPIC),
    "codex": Program({}, ("-c", 'openai_base_url="{url}/v1"')),
    "gemini": Program(_GEMINI),
    "opencode": Program({}),
}
OTHER = Program({**_ANTHROPIC, **_OPENAI, **_GEMINI})
"""A program that is not known gets the variables that the providers' own libraries read."""

_OPENCODE_PATHS = {"anthropic": "/v1", "openai": "/v1", "google": "/v1beta"}


@dataclass(frozen=True, slots=True)
class Wrapped:
    """What is started: the command, and the whole environment."""

    command: tuple[str, ...]
    environment: Mapping[str, str]


def wrapped(command: Sequence[str], url: str, environment: Mapping[str, str]) -> Wrapped:
    """Return the command and the environment with which a program calls the proxy at `url`."""
    name = program_name(command[0])
    program = PROGRAMS.get(name, OTHER)
    variables = {key: value.format(url=url) for key, value in program.variables.items()}
    if name == "opencode":
        variables[OPENCODE_VARIABLE] = _opencode_settings(environment.get(OPENCODE_VARIABLE, ""), url)
    arguments = tuple(one.format(url=url) for one in program.arguments)
    return Wrapped((command[0], *arguments, *command[1:]), {**environment, **variables})


def program_name(command: str) -> str:
    """Return a program's name without its folder and the ending that Windows gives it."""
    name = os.path.basename(command.replace("\\", "/")).lower()  # noqa: PTH119  (a name of any system)
    return name.removesuffix(".exe").removesuffix(".cmd")


def upstreams_of(environment: Mapping[str, str]) -> Upstreams:
    """Return the providers' addresses that a program's environment names already, such as those of a gateway."""
    usual = Upstreams()
    return Upstreams(
        _root(environment, "ANTHROPIC_BASE_URL") or usual.anthropic,
        _root(environment, "OPENAI_BASE_URL") or _root(environment, "OPENAI_API_BASE") or usual.openai,
        _root(environment, "GOOGLE_GEMINI_BASE_URL") or usual.gemini,
    )


def _root(environment: Mapping[str, str], name: str) -> str:
    """An address without the version, which is part of every path; "" for none, and for one that cannot be used."""
    given = environment.get(name, "").strip().rstrip("/")
    for suffix in _SUFFIXES:
        given = given.removesuffix(suffix)
    try:
        parts = urlsplit(given)
        fits = parts.scheme in ("http", "https") and bool(parts.hostname)
    except ValueError:
        fits = False
    return given if fits else ""


def _opencode_settings(given: str, url: str) -> str:
    """opencode's settings with the proxy as the address of each provider; other settings stay."""
    try:
        found: object = json.loads(given) if given else {}
    except ValueError:
        found = {}
    settings = cast("dict[str, object]", found) if isinstance(found, dict) else {}
    providers = _object(settings, "provider")
    for name, path in _OPENCODE_PATHS.items():
        _object(_object(providers, name), "options")["baseURL"] = url + path
    return json.dumps(settings)


def _object(fields: dict[str, object], key: str) -> dict[str, object]:
    """The object at a key, which is made if it is missing."""
    found = fields.get(key)
    if not isinstance(found, dict):
        found = fields[key] = {}
    return cast("dict[str, object]", found)
