"""A long talk about a harbour, and an engine with the page's preset to have it with."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import palimpsest
from palimpsest.complete.scripted import Reply, ScriptedModel
from palimpsest.engine.conversation import Conversation
from palimpsest.engine.opening import Opening

WORDS = "the harbour master keeps the tide tables in var/tides and answers before noon "


def seahorse(replies: Sequence[Reply] | None = None, **settings: Any) -> Opening:
    given: dict[str, Any] = {"window_tokens": 128_000, "max_tokens": 8_000, **settings}
    if replies is not None:
        given["complete"] = ScriptedModel(replies)
    return palimpsest.open(":memory:", preset="seahorse", **given)


def user(text: str) -> dict[str, object]:
    return {"role": "user", "content": text}


def assistant(text: str) -> dict[str, object]:
    return {"role": "assistant", "content": text}


async def turns(talk: Conversation, number: int, words: int = 8) -> None:
    for turn in range(number):
        await talk.append(
            user(f"question {turn} {WORDS * words}"), assistant(f"answer {turn} {WORDS * words}")
        )
