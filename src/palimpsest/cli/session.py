"""One run of one command against the store: open the engine, do the work, close it, whatever happens."""

from __future__ import annotations

import stat
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from palimpsest.cli.options import Shared
from palimpsest.cli.output import Output, make_output
from palimpsest.cli.text_drawing import clean, is_short_for
from palimpsest.errors import NotFound, PalimpsestError, StoreError, UsageError, reason_of

if TYPE_CHECKING:
    from palimpsest.config.precedence import Config
    from palimpsest.engine.conversation import Conversation
    from palimpsest.engine.engine import Engine
    from palimpsest.engine.reports import ConversationInfo

LAST = "last"
IN_MEMORY = ":memory:"
_NAMED_CHOICES = 4
_COMPLETION_TIMEOUT_S = 1.0


@dataclass(frozen=True, slots=True)
class Session:
    """An open engine and where to print."""

    engine: Engine
    output: Output

    async def conversation(self, given: str) -> Conversation:
        """The conversation that a person means by `given`."""
        return self.engine.conversation(choose(given, await self.engine.conversations()).id)


def choose(given: str, known: Sequence[ConversationInfo]) -> ConversationInfo:
    """The conversation named by `given`: an id, the only one that begins so, or "last".

    `known` is newest first; "last" passes over conversations that another one spawned. Raises NotFound,
    and UsageError where several begin so.
    """
    if not known:
        raise NotFound(f"no conversation {given!r}: nothing is stored yet", hint="palimpsest import PATH")
    exact = [one for one in known if one.id == given]
    if exact:
        return exact[0]
    if given == LAST:
        return next((one for one in known if not one.parent), known[0])
    begun = [one for one in known if is_short_for(given, one.id)] if given else []
    begun = begun or [one for one in known if given and one.id.startswith(given)]
    if not begun:
        raise NotFound(
            f"no conversation {given!r}", hint='palimpsest list shows their ids; "last" is the newest'
        )
    if len(begun) > 1:
        names = ", ".join(one.id for one in begun[:_NAMED_CHOICES]) + (
            " ..." if len(begun) > _NAMED_CHOICES else ""
        )
        raise UsageError(
            f"{len(begun)} conversations begin with {given!r}: {names}", hint="type more of the id"
        )
    return begun[0]


def perform(
    shared: Shared,
    body: Callable[[Session], Awaitable[None]],
    *,
    makes_db: bool = False,
    embeds: bool = False,
    writer: str = "",
) -> None:
    """Run `body` with an open engine. Without `makes_db` a missing database is not made: it is as an empty one. Only
    one that `embeds` has the model of `embed_model`, so that no other command asks for its key; and only one with a
    `writer`, "provider:model", has a model write its summaries.
    """
    import asyncio
    from contextlib import AsyncExitStack

    import palimpsest
    from palimpsest.cli.signals import ending_soon

    output = make_output(shared.command, as_json=shared.as_json)
    path = _made_folder(shared.path) if makes_db else shared.path
    there = _is_there(path)
    target = path if makes_db or there else IN_MEMORY
    options = cast("dict[str, Any]", shared.config.options())
    if not embeds:
        options.pop("embed_model", None)
    tell_ignored(output, shared.config)

    async def run(watch: Callable[[], None]) -> None:
        watch()
        async with AsyncExitStack() as closing:
            if writer:
                from palimpsest.complete.registry import make_model

                options["complete"] = model = make_model(writer)
                closing.push_async_callback(model.close)
            opened = palimpsest.open(target, owner=shared.owner, resume=False, **options)
            await body(Session(await closing.enter_async_context(opened), output))

    with ending_soon(output) as watch:
        asyncio.run(run(watch))
    output.flush()


def tell_ignored(output: Output, config: Config) -> None:
    """Say what was configured without effect, on standard error: its file once for all keys of one reason."""
    reasons: dict[tuple[str, str], list[str]] = {}
    for told, why in config.ignored:
        file, mark, key = told.rpartition(": ")
        reasons.setdefault((clean(f"{file}{mark}"), why), []).append(clean(key))
    for (where, why), keys in reasons.items():
        output.note(f"ignored {where}{', '.join(keys)}: {why}")


def _is_there(path: Path) -> bool:
    """Whether a database may be there; a folder, or a place where one cannot look, is refused."""
    try:
        kind = path.stat().st_mode
    except (FileNotFoundError, NotADirectoryError):
        return False
    except OSError as error:
        raise StoreError(f"cannot look at {path}: {reason_of(error)}", hint="choose another --db") from error
    if stat.S_ISDIR(kind):
        raise StoreError(f"{path} is a folder", hint="name a file inside it")
    return True


def _made_folder(path: Path) -> Path:
    try:
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    except OSError as error:
        raise StoreError(
            f"cannot make the folder {path.parent}: {reason_of(error)}", hint="choose another --db"
        ) from error
    return path


def known_conversations(path: Path, owner: str) -> list[tuple[str, str]]:
    """(id, title) of the conversations in a database, for shell completion: no error, and nothing made."""
    import asyncio

    import palimpsest

    async def ask() -> list[tuple[str, str]]:
        async with palimpsest.open(
            path, owner=owner, busy_timeout_s=_COMPLETION_TIMEOUT_S, resume=False
        ) as engine:
            return [(info.id, info.title) for info in await engine.conversations()]

    try:
        return asyncio.run(ask()) if _is_there(path) else []
    except PalimpsestError:
        return []
