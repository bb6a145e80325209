"""Hooks of an agent run, sync or async. An error that one raises ends the run.

`on_before_run(conversation, message)` is called once a turn. It returns texts, such as what a memory recalls, that are
injected into the requests of this turn; `Settings.injections` says whether they stay.
`before_compaction(conversation, decision)` and `after_compaction(conversation, report)` are called around every
compaction, in the background too.
"""

from __future__ import annotations

import inspect
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from typing import cast

from palimpsest.engine.conversation import Conversation
from palimpsest.engine.reports import Report
from palimpsest.errors import UsageError
from palimpsest.record.decision import Decision
from palimpsest.record.message import Message

BeforeRun = Callable[[Conversation, Message | None], object]
BeforeCompaction = Callable[[Conversation, Decision], object]
AfterCompaction = Callable[[Conversation, Report], object]


@dataclass(frozen=True, slots=True)
class Hooks:
    """The hooks of an agent; None for those that it does not have."""

    on_before_run: BeforeRun | None = None
    before_compaction: BeforeCompaction | None = None
    after_compaction: AfterCompaction | None = None


async def awaited(value: object) -> object:
    """What a hook or a tool returned, awaited if it is awaitable."""
    return await cast("Awaitable[object]", value) if inspect.isawaitable(value) else value


async def recall(hooks: Hooks, talk: Conversation, message: Message | None) -> tuple[str, ...]:
    """The texts that `on_before_run` wants injected. Raises UsageError if it returns anything else."""
    if hooks.on_before_run is None:
        return ()
    found = await awaited(hooks.on_before_run(talk, message))
    given = (found,) if isinstance(found, str) else () if found is None else found
    if isinstance(given, list | tuple):
        texts = [text for text in cast("Sequence[object]", given) if isinstance(text, str)]
        if len(texts) == len(cast("Sequence[object]", given)):
            return tuple(text for text in texts if text.strip())
    raise UsageError(
        f"on_before_run returned {type(found).__name__}", hint="return a text, a list of texts, or None"
    )
