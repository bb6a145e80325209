"""Runs a command against the store: with an open engine, or with one read of the database."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar, cast

from palimpsest.cli.drawing import clean
from palimpsest.cli.options import Shared, database_exists
from palimpsest.cli.output import Output, make_output
from palimpsest.engine.reports import find_conversation
from palimpsest.errors import NotFound, StoreError, reason_of

if TYPE_CHECKING:
    from collections.abc import Generator

    from palimpsest.config.precedence import Config
    from palimpsest.engine.conversation import Conversation
    from palimpsest.engine.engine import Engine
    from palimpsest.ports import Observer
    from palimpsest.record.store_values import Progress
    from palimpsest.stores.sqlite.statements import Db

IN_MEMORY = ":memory:"

Found = TypeVar("Found")


@dataclass(frozen=True, slots=True)
class Session:
    """An open engine and the command's output."""

    engine: Engine
    output: Output

    async def conversation(self, given: str) -> Conversation:
        """The conversation that the user means by `given`."""
        return self.engine.conversation(find_conversation(given, await self.engine.conversations()).id)

    @contextmanager
    def watched(self) -> Generator[Progress]:
        """A progress bar for long work, as the callback that the engine takes."""
        with self.output.progress("checking", 1) as ticker:
            yield ticker.at


def perform(
    shared: Shared,
    body: Callable[[Session], Awaitable[int | None]],
    *,
    creates_db: bool = False,
    embeds: bool = False,
    writer: str = "",
    observer: Observer | None = None,
) -> int | None:
    """Run `body` with an open engine; returns its exit code.

    A missing database is only created with `creates_db`; otherwise it counts as empty. Only commands that set `embeds`
    load the embedding model, so that no other command needs its key. `writer` is the "provider:model" that writes
    summaries, "" for none, and `observer` is called with what the engine does.
    """
    import asyncio
    from contextlib import AsyncExitStack

    import palimpsest
    from palimpsest.cli.signals import ending_soon

    output = make_output(shared.command, as_json=shared.as_json)
    path = shared.path
    if creates_db:
        _make_folder_of(path)
    target = path if database_exists(path) or creates_db else IN_MEMORY
    options = cast("dict[str, Any]", shared.config.options())
    if not embeds:
        options.pop("embed_model", None)
    report_ignored(output, shared.config)

    async def run(watch: Callable[[], None]) -> int | None:
        watch()
        async with AsyncExitStack() as closing:
            if writer:
                from palimpsest.complete.registry import make_model

                options["complete"] = model = make_model(writer)
                closing.push_async_callback(model.close)
            opened = palimpsest.open(target, owner=shared.owner, resume=False, observer=observer, **options)
            return await body(Session(await closing.enter_async_context(opened), output))

    with ending_soon(output) as watch:
        code = asyncio.run(run(watch))
    output.flush()
    return code


def answer_from_database(
    shared: Shared, ask: Callable[[Db], Found | None], show: Callable[[Found, Output], None]
) -> bool:
    """Answer with one read of the database, without an engine. False, with no output, if `ask` finds nothing or fails;
    then the command opens an engine, which reports the reason.
    """
    from palimpsest.stores.sqlite.quick_read import quick_read

    output = make_output(shared.command, as_json=shared.as_json)
    found = quick_read(shared.path, ask)
    if not found:
        return False
    report_ignored(output, shared.config)
    show(found, output)
    output.flush()
    return True


def existing(shared: Shared) -> Shared:
    """The same options, if the database exists. Raises NotFound."""
    if not shared.path.exists():
        raise NotFound(f"no database at {shared.path}", hint="name one with --db")
    return shared


def report_ignored(output: Output, config: Config) -> None:
    """Report configuration without effect on standard error, one line for each file and reason."""
    reasons: dict[tuple[str, str], list[str]] = {}
    for name, why in config.ignored:
        file, mark, key = name.rpartition(": ")
        reasons.setdefault((clean(f"{file}{mark}"), why), []).append(clean(key))
    for (where, why), keys in reasons.items():
        output.note(f"ignored {where}{', '.join(keys)}: {why}")


def _make_folder_of(path: Path) -> None:
    try:
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    except OSError as error:
        raise StoreError(
            f"cannot make the folder {path.parent}: {reason_of(error)}", hint="choose another --db"
        ) from error
