"""The prompts for summaries: which one a request uses, and its text, from the package or from the caller."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from string import Template
from typing import Literal, get_args

from palimpsest.record.summary_source import Source, SourceKind, SummaryEntry
from palimpsest.settings import IdentifierPolicy, SummaryForm

Level = Literal["normal", "aggressive"]

LEVELS: tuple[Level, ...] = ("normal", "aggressive")
MAX_DEPTH = 3
"""Deeper summaries have the same prompt."""


def prompt(name: str, own: Mapping[str, str]) -> Template:
    """The prompt with this name; `own` are the caller's prompts."""
    return Template(own[name]) if name in own else _shipped(name)


def prompt_name(kind: SourceKind, level: Level, form: SummaryForm, own: Mapping[str, str]) -> str:
    """The name of the prompt for a summary.

    A rolling summary in sections has an update prompt, unless the caller has only one for prose.
    """
    if kind != "roll" or form == "prose":
        return f"{kind}_{level}"
    is_own = f"roll_{level}" in own and f"update_{level}" not in own
    return f"roll_{level}" if is_own else f"update_{level}"


def depth_prompt(source: Source, own: Mapping[str, str]) -> str:
    """What a summary of summaries keeps at its depth; "" for a summary of messages."""
    if source.kind != "condense":
        return ""
    depths = [entry.summary.depth for entry in source.entries if isinstance(entry, SummaryEntry)]
    return "\n" + _words(f"depth_{min(max(depths, default=0) + 1, MAX_DEPTH)}", own) + "\n"


def identifier_prompt(policy: IdentifierPolicy, instructions: str, own: Mapping[str, str]) -> str:
    """How identifiers are written, by the policy. A custom policy without `instructions` is strict."""
    if policy == "off":
        return ""
    custom = instructions.strip() if policy == "custom" else ""
    return f"\n{custom or _words('identifiers_strict', own)}"


def prompt_names() -> tuple[str, ...]:
    """The names of all prompts: "check", "data", "fork", and each kind of summary at each level."""
    return (
        "check",
        "data",
        "findings",
        "fork",
        "identifiers_strict",
        *(f"form_{form}" for form in get_args(SummaryForm)),
        *(f"depth_{depth}" for depth in range(1, MAX_DEPTH + 1)),
        *(f"{kind}_{level}" for kind in ("leaf", "condense", "roll", "update") for level in LEVELS),
    )


def _words(name: str, own: Mapping[str, str]) -> str:
    return prompt(name, own).safe_substitute().strip()


@lru_cache(maxsize=32)
def _shipped(name: str) -> Template:
    from importlib.resources import files

    return Template(
        files("palimpsest.summarize").joinpath("prompts", f"{name}.txt").read_text(encoding="utf-8")
    )
