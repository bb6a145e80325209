"""`palimpsest doctor`: find damage and repair it."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from palimpsest.cli.commands.verify import health_blocks, health_fields
from palimpsest.cli.drawing import clean, count
from palimpsest.cli.options import Shared, command
from palimpsest.cli.output import Block, make_output
from palimpsest.cli.parameters import option
from palimpsest.cli.session import Session, existing, perform
from palimpsest.config.paths import expand_home
from palimpsest.errors import IntegrityError, StoreError
from palimpsest.record.health_report import Repaired


@command("doctor")
def doctor(
    shared: Shared,
    fix: Annotated[
        bool, option("--fix", "Make a backup, then rebuild what can be rebuilt from intact data.")
    ] = False,
    keep: Annotated[
        Path | None, option("--backup FILE", "The path of that backup; default: next to the database.")
    ] = None,
    salvage: Annotated[
        Path | None, option("--salvage NEW", "Copy everything readable of a broken database into a new one.")
    ] = None,
) -> int | None:
    """Find damage and repair it. Without --fix nothing is changed; messages never are.

    \b
    palimpsest doctor
    palimpsest doctor --fix
    palimpsest doctor --salvage recovered.db
    """
    shared = existing(shared)
    if salvage is not None:
        return _salvage(shared, expand_home(salvage))

    async def body(session: Session) -> int:
        with session.watched() as step:
            if fix:
                done = await session.engine.repair(expand_home(keep) if keep else None, step=step)
            else:
                health = await session.engine.verify(everyone=True, step=step)
                done = Repaired("", (), health, health)
        fields: dict[str, object] = {
            "fixed": fix,
            "backup": done.backup,
            "repaired": list(done.parts),
            "before": health_fields(done.before),
            "after": health_fields(done.after),
        }
        session.output.result(fields, *_blocks(done, fix=fix))
        return 0 if done.after.sound else IntegrityError.exit_code

    try:
        return perform(shared, body)
    except StoreError as error:
        if "`palimpsest doctor`" in error.hint:  # the command that was just run
            command = f"palimpsest doctor --db {clean(str(shared.path))} --salvage NEW"
            error.hint = f"restore a backup, or copy everything readable with `{command}`"
        raise


def _salvage(shared: Shared, target: Path) -> None:
    """Copy the readable rows of a database into a new one."""
    from palimpsest.stores.sqlite.maintenance.salvage import salvage

    output = make_output(shared.command, as_json=shared.as_json)
    found = salvage(shared.path, target)
    fields: dict[str, object] = {"salvaged": dict(found), "path": str(target)}
    path = clean(str(target))
    output.result(
        fields,
        f"{path}: {count(found['message'], 'message')}, {count(found['conversation'], 'conversation')}",
        f"   do: palimpsest doctor --fix --db {path} makes its indexes and reports what is missing",
    )
    output.flush()


def _blocks(done: Repaired, *, fix: bool) -> list[Block]:
    """What was repaired, what is left, and what to do about that."""
    after = done.after
    blocks: list[Block] = []
    if done.backup:
        blocks.append(f"backup: {clean(done.backup)}")
    if done.parts:
        blocks.append(f"rebuilt: {', '.join(done.parts)}")
    blocks += health_blocks(after)[: 1 if after.sound else 2]
    if not after.sound and after.repairable and not fix:
        blocks.append(
            f"   do: palimpsest doctor --fix repairs {count(after.repairable, 'fault')}, after a backup"
        )
    if not after.sound and (after.repairable < after.found or fix):
        blocks.append(
            "   do: restore a backup; or palimpsest export --all FILE writes everything intact, and\n"
            "       palimpsest import FILE --db NEW imports it into a new database"
        )
    return blocks
