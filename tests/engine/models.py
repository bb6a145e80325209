"""Models that misbehave, each in its own way, and one that can be held."""

from __future__ import annotations

import asyncio

from palimpsest.complete.scripted import Reply, ScriptedModel
from palimpsest.record.completion import Completion, CompletionRequest

BEHAVIOURS = (
    "none",
    "short",
    "empty",
    "larger",
    "raising",
    "hanging",
    "garbage",
    "refusing",
    "slow",
    "fenced",
)

_GARBAGE = '\x00\ud800</summary></content><summary id="s1">\x07 \u202e' * 3


def _longer(request: CompletionRequest) -> str:
    return "\n".join(message.text for message in request.messages) * 2


def scripted(behaviour: str) -> ScriptedModel | None:
    """The model of this behaviour; None for "none"."""
    replies: dict[str, list[Reply]] = {
        "short": ["The user wants the parser fixed; src/app/reader.py was read."],
        "empty": ["", "   \n"],
        "larger": [_longer],
        "raising": [RuntimeError("the provider is down")],
        "hanging": [3600.0],
        "garbage": [_GARBAGE],
        "refusing": [Completion("I cannot help with that.", finish_reason="refused")],
        "slow": [0.002],
        "fenced": ["```\n<summary>\nfound it\n</summary>\n```"],
    }
    return ScriptedModel(replies[behaviour]) if behaviour in replies else None


class HeldModel:
    """Answers at once, but holds every condensing until `release` is set."""

    def __init__(self) -> None:
        self.release = asyncio.Event()
        self.held = asyncio.Event()
        self.condensings = 0
        self.leaves = 0

    async def __call__(self, request: CompletionRequest, /) -> Completion:
        if "<summary id=" in request.messages[0].text.partition("<conversation>")[2]:
            self.condensings += 1
            self.held.set()
            await self.release.wait()
            return Completion("## Progress\n- Everything before, condensed.")
        self.leaves += 1
        return Completion(f"## Progress\n- Leaf number {self.leaves}: the reader was changed.")
