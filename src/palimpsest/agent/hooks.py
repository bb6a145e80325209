"""Where a program may step into a run. Each hook may be sync or async; what one raises ends the run with that error.

`on_before_run(conversation, message)` is asked once a turn and returns texts that are injected into the requests of
this turn only, and never stored: what a memory recalls. `before_compaction(conversation, decision)` and
`after_compaction(conversation, report)` enclose every compaction of the conversation, in the background too.
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
    """The hooks of an agent; None for those it does not have."""

    on_before_run: BeforeRun | None = None
    before_compaction: BeforeCompaction | None = None
    after_compaction: AfterCompaction | None = None


async def settled(value: object) -> object:
    """What a hook or a tool returned, awaited where it is to be."""
    return await cast("Awaitable[object]", value) if inspect.isawaitable(value) else value


async def recall(hooks: Hooks, talk: Conversation, message: Message | None) -> tuple[str, ...]:
    """The texts that `on_before_run` wants injected. Raises UsageError where it returns anything else."""
    if hooks.on_before_run is None:
        return ()
    found = await settled(hooks.on_before_run(talk, message))
    given = (found,) if isinstance(found, str) else () if found is None else found
    if isinstance(given, list | tuple):
        texts = [text for text in cast("Sequence[object]", given) if isinstance(text, str)]
        if len(texts) == len(cast("Sequence[object]", given)):
            return tuple(text for text in texts if text.strip())
    raise UsageError(
        f"on_before_run returned {type(found).__name__}", hint="return a text, a list of texts, or None"
    )
