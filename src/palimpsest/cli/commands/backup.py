"""`palimpsest backup`: copy the database while others use it."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from palimpsest.cli.drawing import clean, size
from palimpsest.cli.options import Shared, command
from palimpsest.cli.parameters import argument, option
from palimpsest.cli.session import Session, existing, perform
from palimpsest.config.paths import expand_home


@command("backup")
def backup(
    shared: Shared,
    path: Annotated[Path, argument("FILE", "The copy's path.")],
    force: Annotated[bool, option("--force", "Replace an existing file.")] = False,
) -> None:
    """Copy the database while others use it. The copy is a complete database, as of one moment.

    \b
    palimpsest backup before-upgrade.db
    """

    async def body(session: Session) -> None:
        with session.watched() as step:
            size_bytes = await session.engine.backup(expand_home(path), force=force, step=step)
        fields: dict[str, object] = {"path": str(path), "size_bytes": size_bytes}
        session.output.result(fields, f"{clean(str(path))}: {size(size_bytes)}")

    perform(existing(shared), body)
