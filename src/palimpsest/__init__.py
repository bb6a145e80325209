"""Palimpsest keeps every message, shows the model a window that fits, and finds what left it.

    async with palimpsest.open("agent.db", window_tokens=128_000) as engine:
        talk = engine.conversation("support-42")
        await talk.append({"role": "user", "content": "Hello"})
        request = await talk.request(system="Be brief.")

Importing this package loads only names; each is resolved on first use.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

from palimpsest import moved_modules
from palimpsest._version import __version__

if TYPE_CHECKING:
    from palimpsest import sync as sync
    from palimpsest.agent.agent import Agent, make_agent
    from palimpsest.agent.hooks import Hooks
    from palimpsest.agent.tools import Tool, make_tool
    from palimpsest.budget.assemble import Request
    from palimpsest.config.files import load_config
    from palimpsest.engine.conversation import Conversation
    from palimpsest.engine.engine import Engine
    from palimpsest.engine.opening import open_engine as open  # noqa: A004  (the settled name)
    from palimpsest.engine.retrieval.embeddings import Embedder
    from palimpsest.errors import (
        DoesNotFit,
        FormatError,
        IntegrityError,
        ModelError,
        NotFound,
        PalimpsestError,
        SettingsError,
        StaleCommit,
        StoreError,
        UsageError,
    )
    from palimpsest.record.completion import Completion, CompletionRequest
    from palimpsest.record.message import Media, Message, Opaque, Reasoning, Text, ToolCall, ToolResult
    from palimpsest.settings import PRESETS, Settings

_PLACES = {
    "open": ("palimpsest.engine.opening", "open_engine"),
    "Embedder": ("palimpsest.engine.retrieval.embeddings", "Embedder"),
    "Engine": ("palimpsest.engine.engine", "Engine"),
    "Conversation": ("palimpsest.engine.conversation", "Conversation"),
    "Agent": ("palimpsest.agent.agent", "Agent"),
    "make_agent": ("palimpsest.agent.agent", "make_agent"),
    "Hooks": ("palimpsest.agent.hooks", "Hooks"),
    "Tool": ("palimpsest.agent.tools", "Tool"),
    "make_tool": ("palimpsest.agent.tools", "make_tool"),
    "Request": ("palimpsest.budget.assemble", "Request"),
    "load_config": ("palimpsest.config.files", "load_config"),
    "Settings": ("palimpsest.settings", "Settings"),
    "PRESETS": ("palimpsest.settings", "PRESETS"),
    **{name: ("palimpsest.record.completion", name) for name in ("Completion", "CompletionRequest")},
    **{
        name: ("palimpsest.record.message", name)
        for name in ("Media", "Message", "Opaque", "Reasoning", "Text", "ToolCall", "ToolResult")
    },
    **{
        name: ("palimpsest.errors", name)
        for name in (
            "DoesNotFit", "FormatError", "IntegrityError", "ModelError", "NotFound", "PalimpsestError", "SettingsError",
            "StaleCommit", "StoreError", "UsageError",
        )
    },
}  # fmt: skip

__all__ = [  # noqa: RUF022  (in the order a reader meets them)
    "open", "load_config", "Engine", "Conversation", "Request", "Agent", "make_agent", "Tool", "make_tool", "Hooks",
    "Embedder", "Settings", "PRESETS", "Message", "Text", "Reasoning", "Media", "Opaque", "ToolCall", "ToolResult",
    "Completion", "CompletionRequest", "PalimpsestError", "UsageError", "FormatError", "NotFound", "SettingsError",
    "StoreError", "StaleCommit", "IntegrityError", "DoesNotFit", "ModelError", "__version__",
]  # fmt: skip


moved_modules.install()


def __getattr__(name: str) -> object:
    if name == "sync":
        return import_module("palimpsest.sync")
    if name not in _PLACES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    module, attribute = _PLACES[name]
    value: object = getattr(import_module(module), attribute)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted([*__all__, "sync"])
