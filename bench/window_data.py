"""Conversations and cuts for `bench/window.py`: agents' sessions, service-desk conversations, and long chats."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from survival_data import Session, sessions

from palimpsest.budget.token_counts import count_message
from palimpsest.record.message import Message, Text
from palimpsest.summarize.outline.need_estimator import Texts, texts_of

EVERY_TOKENS = 40_000
LEAST_TOKENS = 3_000
"""A shorter conversation is left out."""
CHATS = ("memorybank-cn", "memorybank-en")
THIRDS = ("tau-bench", *CHATS)
"""Measured at a third of what was said, and cut at half."""


@dataclass(frozen=True, slots=True)
class Turn:
    """A message with its texts and its estimated tokens."""

    message: Message
    texts: Texts
    tokens: int


@dataclass(frozen=True, slots=True)
class Talk:
    """A conversation of one kind of agent; `marks` are its own compactions, as (position, summary)."""

    kind: str
    name: str
    turns: tuple[Turn, ...]
    marks: tuple[tuple[int, str], ...] = ()


def family(kind: str) -> str:
    """The kinds that are left out of training together."""
    return "chat" if kind in CHATS else kind


def talks(paths: Iterable[Path]) -> Iterator[Talk]:
    """Every conversation of some length in the files and folders given, each once."""
    paths = list(paths)
    for session in (*sessions(paths), *_chats(paths)):
        turns = tuple(_turn(message) for message in session.messages)
        if sum(turn.tokens for turn in turns) >= LEAST_TOKENS:
            marks = tuple((mark.position, mark.summary) for mark in session.marks)
            yield Talk(session.kind, session.name, turns, marks)


def _turn(message: Message) -> Turn:
    message = replace(message, usage=None)
    return Turn(message, texts_of(message), count_message(message))


def _chats(paths: Sequence[Path]) -> Iterator[Session]:
    """MemoryBank's chats of one person over many days."""
    for path in paths:
        files = sorted(path.rglob("memory_bank_*.json")) if path.is_dir() else [path]
        for file in files:
            if not file.name.startswith("memory_bank_"):
                continue
            kind = f"memorybank-{file.stem.rpartition('_')[2]}"
            for name, held in json.loads(file.read_text("utf-8")).items():
                messages: list[Message] = []
                for day in held["history"].values():
                    for turn in day:
                        messages.append(Message("user", (Text(turn["query"]),)))
                        messages.append(Message("assistant", (Text(turn["response"]),)))
                yield Session(name, kind, name, tuple(messages))


def cuts(talk: Talk, every_tokens: int = EVERY_TOKENS) -> list[int]:
    """Where a conversation is cut: at its own compactions and every so many tokens; at half where it is shorter."""
    total = sum(turn.tokens for turn in talk.turns)
    if talk.kind in THIRDS or total < 1.5 * every_tokens:
        every_tokens = total // 2 + 1
    found = [position for position, _ in talk.marks]
    size = 0
    for at, turn in enumerate(talk.turns):
        if size >= every_tokens and not turn.texts.results:
            found.append(at)
            size = 0
        size += turn.tokens
    return sorted({at for at in found if 1 < at < len(talk.turns) - 2})


def sizes(talk: Talk, cut: int, given: Sequence[int]) -> list[int]:
    """The sizes of a window that are measured at a cut: those given, where the history is much larger than they are;
    else a third of it.
    """
    total = sum(turn.tokens for turn in talk.turns[:cut])
    if talk.kind in THIRDS or total < 20_000:
        return [min(4_000, total // 3)]
    return [size for size in given if size * 1.5 < total]
