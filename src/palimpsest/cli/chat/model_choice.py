"""Which model answers where nobody said it, and who writes the summaries."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping

from palimpsest.complete.registry import ALIASES, PROVIDERS, make_model
from palimpsest.errors import SettingsError
from palimpsest.ports import Complete, Model

SCRIPTED = "scripted"
USUAL = (
    ("anthropic", "anthropic:claude-sonnet-5"),
    ("openai", "openai:gpt-5"),
    ("gemini", "gemini:gemini-2.5-pro"),
)
"""Asked for where no model is named, the first whose provider has a key here."""

MakeModel = Callable[[str], Model]


def usual_model(variables: Mapping[str, str] | None = None) -> str:
    """The model that answers where none is named: one there is a key for, else the scripted one."""
    known = os.environ if variables is None else variables
    for provider, model in USUAL:
        if any(known.get(name, "").strip() for name in PROVIDERS[provider].keys):
            return model
    return SCRIPTED


def named(given: str) -> str:
    """A model as the rest of the program knows it: a provider alone stands for the model usually asked of it."""
    name = given.strip()
    provider = ALIASES.get(name.lower(), name.lower())
    return dict(USUAL).get(provider, name)


def suggestions() -> list[str]:
    """Beginnings of models' names, for completion."""
    return [SCRIPTED, *(model for _, model in USUAL), *(f"{name}:" for name in PROVIDERS if name != SCRIPTED)]


def is_scripted(name: str) -> bool:
    """Whether a name stands for the model that needs no key."""
    return name.partition(":")[0] == SCRIPTED


def make_summarizer(
    name: str, summary_model: str, model: Model, make: MakeModel = make_model
) -> Complete | None:
    """Who writes the summaries: the model named for it, else the one that answers; None for local summaries.

    A `summary_model` without a provider is another model of the same provider: it is named in each request.
    """
    provider = summary_model.partition(":")[0].lower()
    if ":" in summary_model and ALIASES.get(provider, provider) in PROVIDERS:
        return None if is_scripted(summary_model) else make(summary_model)
    if summary_model and is_scripted(name):
        raise SettingsError(
            f"summary model {summary_model!r} names no provider", hint='write it as "provider:model"'
        )
    return None if is_scripted(name) else model
