"""Chooses the model that answers if none is named, and the model that writes summaries."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping

from palimpsest.complete.registry import ALIASES, PROVIDERS, make_model
from palimpsest.errors import SettingsError
from palimpsest.ports import Complete, Model

SCRIPTED = "scripted"
DEFAULT_MODELS = {
    "anthropic": "anthropic:claude-sonnet-5",
    "openai": "openai:gpt-5",
    "gemini": "gemini:gemini-2.5-pro",
}
"""By provider. Without a named model, the first one whose provider has a key in the environment is used."""

MakeModel = Callable[[str], Model]


def default_model(variables: Mapping[str, str] | None = None) -> str:
    """The model that answers if none is named: one with a key, else the scripted one."""
    known = os.environ if variables is None else variables
    for provider, model in DEFAULT_MODELS.items():
        if any(known.get(name, "").strip() for name in PROVIDERS[provider].keys):
            return model
    return SCRIPTED


def full_name(given: str) -> str:
    """A model's name as "provider:model"; a provider alone means its default model."""
    name = given.strip()
    return DEFAULT_MODELS.get(ALIASES.get(name.lower(), name.lower()), name)


def suggestions() -> list[str]:
    """Beginnings of models' names, for completion."""
    return [SCRIPTED, *DEFAULT_MODELS.values(), *(f"{name}:" for name in PROVIDERS if name != SCRIPTED)]


def is_scripted(name: str) -> bool:
    """Whether a name means the model that needs no key."""
    return name.partition(":")[0] == SCRIPTED


def make_summarizer(
    name: str, summary_model: str, model: Model, make: MakeModel = make_model
) -> Complete | None:
    """The model that writes summaries: the named one, else the one that answers; None for summaries without a model.

    A `summary_model` without a provider is another model of the same provider, named in each request.
    """
    provider = summary_model.partition(":")[0].lower()
    if ":" in summary_model and ALIASES.get(provider, provider) in PROVIDERS:
        return None if is_scripted(summary_model) else make(summary_model)
    if summary_model and is_scripted(name):
        raise SettingsError(
            f"summary model {summary_model!r} names no provider", hint='write it as "provider:model"'
        )
    return None if is_scripted(name) else model
