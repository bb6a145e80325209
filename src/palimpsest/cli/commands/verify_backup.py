"""`palimpsest verify`, `doctor` and `backup`, and everything of an owner out of the database and in again."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from palimpsest.cli.options import OWNER, Db, Json, Owner, Shared, complete_conversation
from palimpsest.cli.output import Block, fields_of, make_output
from palimpsest.cli.session import Session, perform
from palimpsest.cli.text_drawing import clean, count, size
from palimpsest.config.paths import at_home
from palimpsest.errors import IntegrityError, NotFound, StoreError
from palimpsest.record.health_report import Exported, Fault, Health, Repaired, Restored

if TYPE_CHECKING:
    from collections.abc import Generator

    from palimpsest.record.store_values import Progress


_SHOWN_FAULTS = 40

Quick = Annotated[
    bool, typer.Option("--quick", help="Leave out the search indexes, which take most of the time.")
]


def is_export(path: Path) -> bool:
    """Whether a file is one that `export --all` wrote."""
    from palimpsest.stores.export_format import is_export as begins_so

    return path.is_file() and begins_so(path)


def verify(
    conversation: Annotated[
        str | None,
        typer.Argument(
            metavar="[CONV]", help="One conversation; the whole database if not given.",
            autocompletion=complete_conversation,
        ),
    ] = None,
    quick: Quick = False,
    owner: Owner = OWNER,
    db: Db = None,
    as_json: Json = False,
) -> None:  # fmt: skip
    """Examine all that is stored.

    Pages, hash chains, windows, summaries, search indexes; nothing is changed. Ends with 0 where all is sound, with 6
    where anything is damaged.

    \b
    palimpsest verify
    palimpsest verify last
    """
    found: list[Health] = []

    async def body(session: Session) -> None:
        name = (await session.conversation(conversation)).id if conversation is not None else None
        with _watched(session) as step:
            health = await session.engine.verify(name, everyone=True, indexes=not quick, step=step)
        found.append(health)
        session.output.result(health_fields(health), *_health_blocks(health))

    perform(_there(Shared("verify", db, owner, as_json)), body)
    if not found[0].sound:
        raise typer.Exit(IntegrityError.exit_code)


def doctor(
    fix: Annotated[
        bool, typer.Option("--fix", help="Make again what can be made from what is intact, after a backup.")
    ] = False,
    keep: Annotated[
        Path | None,
        typer.Option("--backup", metavar="FILE", help="Where to keep the database as it was; beside it if not given."),
    ] = None,
    salvage: Annotated[
        Path | None,
        typer.Option(
            "--salvage", metavar="NEW", help="Make a new database from what can still be read of a broken one."
        ),
    ] = None,
    owner: Owner = OWNER,
    db: Db = None,
    as_json: Json = False,
) -> None:  # fmt: skip
    """Say what is damaged and what of it can be repaired. Without --fix nothing is changed; no message ever is.

    \b
    palimpsest doctor
    palimpsest doctor --fix
    palimpsest doctor --salvage recovered.db
    """
    if salvage is not None:
        _salvage(_there(Shared("doctor", db, owner, as_json)), at_home(salvage))
        return
    found: list[Health] = []

    async def body(session: Session) -> None:
        with _watched(session) as step:
            if fix:
                done = await session.engine.repair(at_home(keep) if keep else None, step=step)
            else:
                health = await session.engine.verify(everyone=True, step=step)
                done = Repaired("", (), health, health)
        found.append(done.after)
        session.output.result(_repaired_fields(done, fix), *_repaired_blocks(done, fix=fix))

    shared = _there(Shared("doctor", db, owner, as_json))
    try:
        perform(shared, body)
    except StoreError as error:
        if "`palimpsest doctor`" in error.hint:  # that is what was run
            way_out = f"palimpsest doctor --db {clean(str(shared.path))} --salvage NEW"
            error.hint = f"restore a backup, or `{way_out}` takes out what is whole"
        raise
    if not found[0].sound:
        raise typer.Exit(IntegrityError.exit_code)


def _salvage(shared: Shared, target: Path) -> None:
    """Make a new database from the rows of one that may not be readable any more."""
    from palimpsest.stores.sqlite.maintenance.salvage import salvage

    output = make_output(shared.command, as_json=shared.as_json)
    found = salvage(shared.path, target)
    fields: dict[str, object] = {"salvaged": dict(found), "path": str(target)}
    words = f"{count(found['message'], 'message')}, {count(found['conversation'], 'conversation')}"
    output.result(
        fields,
        f"{clean(str(target))}: {words}",
        f"   do: palimpsest doctor --fix --db {clean(str(target))} makes its indexes and says what is missing",
    )
    output.flush()


def backup(
    path: Annotated[Path, typer.Argument(metavar="FILE", help="The copy's path.")],
    force: Annotated[bool, typer.Option("--force", help="Replace a file that is there.")] = False,
    owner: Owner = OWNER,
    db: Db = None,
    as_json: Json = False,
) -> None:
    """Copy the database, as it is at one moment, while others use it. The copy is a database like any other.

    \b
    palimpsest backup before-upgrade.db
    """

    async def body(session: Session) -> None:
        with _watched(session) as step:
            size_bytes = await session.engine.backup(at_home(path), force=force, step=step)
        fields: dict[str, object] = {"path": str(path), "size_bytes": size_bytes}
        session.output.result(fields, f"{clean(str(path))}: {size(size_bytes)}")

    perform(_there(Shared("backup", db, owner, as_json)), body)


def export_all(shared: Shared, path: Path, *, force: bool) -> None:
    """Write everything of the owner to a file; exit code 6 where something was left out because it is damaged."""
    found: list[Exported] = []

    async def body(session: Session) -> None:
        session.output.check_apart(path)
        with _watched(session) as step:
            done = await session.engine.export_all(path, force=force, step=step)
        found.append(done)
        fields: dict[str, object] = {
            "form": "all", "path": done.path, "conversations": done.conversations, "messages": done.messages,
            "size_bytes": done.size_bytes, "damaged": [_fault_fields(one) for one in done.damaged],
        }  # fmt: skip
        words = f"{count(done.conversations, 'conversation')}, {count(done.messages, 'message')}"
        blocks: list[str | list[str]] = [f"{clean(str(path))}: {words}, {size(done.size_bytes)}"]
        if done.damaged:
            blocks.append(_fault_lines(done.damaged, done.damages))
        session.output.wrote(path, fields, *blocks)

    perform(_there(shared), body)
    if found[0].damages:
        raise typer.Exit(IntegrityError.exit_code)


def import_all(shared: Shared, paths: Sequence[Path], *, again: bool) -> None:
    """Take in what `export_all` wrote; what was forgotten only `again`."""

    async def body(session: Session) -> None:
        with _watched(session) as step:
            done = [(path, await session.engine.import_all(path, again=again, step=step)) for path in paths]
        fields: dict[str, object] = {"exports": [_restored_fields(path, one) for path, one in done]}
        session.output.result(fields, [line for path, one in done for line in _restored_lines(path, one)])

    perform(shared, body, makes_db=True)


def _there(shared: Shared) -> Shared:
    """The same, where there is a database to look at. Raises NotFound."""
    if not shared.path.exists():
        raise NotFound(f"no database at {shared.path}", hint="name one with --db")
    return shared


@contextmanager
def _watched(session: Session) -> Generator[Progress]:
    """Progress of a long piece of work, shown where a person looks."""
    with session.output.progress("looking", 1) as ticker:
        yield ticker.at


def health_fields(health: Health) -> dict[str, object]:
    """What an examination found, as the fields of `verify --json`."""
    return {
        "sound": health.sound,
        "found": health.found + health.elsewhere,
        **fields_of(health, "repairable conversations branches messages summaries compactions"),
        "indexes_examined": health.indexed,
        "to_index": health.to_index,
        "faults": [_fault_fields(fault) for fault in health.faults],
    }


def _fault_fields(fault: Fault) -> dict[str, object]:
    return fields_of(fault, "kind conversation id text repairable")


def _health_blocks(health: Health) -> list[Block]:
    looked = ", ".join(
        count(number, one)
        for number, one in (
            (health.conversations, "conversation"),
            (health.messages, "message"),
            (health.compactions, "compaction"),
        )
    )
    if health.sound:
        to_go = f"; search indexes are being made anew: up to {health.to_index:,} texts to go"
        left = "" if health.indexed else "; search indexes were left out"
        return [f"sound: {looked}{left}{to_go if health.to_index else ''}"]
    return [
        f"{count(health.found, 'fault')} in {looked}",
        _fault_lines(health.faults, health.found),
        "   do: palimpsest doctor says what can be repaired",
    ]


def _fault_lines(faults: Sequence[Fault], found: int) -> list[str]:
    lines = [
        " ".join(part for part in (fault.kind, clean(fault.conversation), fault.id) if part)
        + f": {clean(fault.text)}"
        for fault in faults[:_SHOWN_FAULTS]
    ]
    if found > len(lines):
        lines.append(f"... and {count(found - len(lines), 'more fault')}")
    return lines


def _repaired_fields(done: Repaired, fix: bool) -> dict[str, object]:
    return {
        "fixed": fix,
        "backup": done.backup,
        "repaired": list(done.parts),
        "before": health_fields(done.before),
        "after": health_fields(done.after),
    }


def _repaired_blocks(done: Repaired, *, fix: bool) -> list[Block]:
    """What a person is told: what was put right, what is left, and the way out of that."""
    blocks: list[Block] = []
    if done.backup:
        blocks.append(f"kept as it was: {clean(done.backup)}")
    if done.parts:
        blocks.append(f"made anew: {', '.join(done.parts)}")
    blocks += _health_blocks(done.after)[: 1 if done.after.sound else 2]
    if done.after.sound:
        return blocks
    if done.after.repairable and not fix:
        words = count(done.after.repairable, "fault")
        blocks.append(f"   do: palimpsest doctor --fix repairs {words}, after a backup")
    if done.after.repairable < done.after.found or fix:
        blocks.append(
            "   do: restore a backup; or palimpsest export --all FILE writes all that is intact, and\n"
            "       palimpsest import FILE --db NEW takes it into a new database"
        )
    return blocks


def _restored_fields(path: Path, done: Restored) -> dict[str, object]:
    return {
        "path": str(path),
        **fields_of(done, "conversations messages lost there differing forgotten"),
        "ids_moved": done.moved,
    }


def _restored_lines(path: Path, done: Restored) -> list[str]:
    words = f"{count(done.conversations, 'conversation')}, {count(done.messages, 'message')}"
    lines = [f"{clean(str(path))}: {words}"]
    if done.lost:
        verb = "was damaged and is" if done.lost == 1 else "were damaged and are"
        lines.append(f"{count(done.lost, 'message')} {verb} lost; each place says so")
    if done.moved:
        lines.append("ids were changed, because some were taken")
    if done.there:
        lines.append(f"{count(len(done.there), 'conversation')} there already")
    if done.differing:
        named = ", ".join(clean(one) for one in done.differing[:5])
        lines.append(
            f"{count(len(done.differing), 'conversation')} left out, of a name that is there: {named}"
        )
        lines.append("   do: import it for another --owner, or into another --db")
    if done.forgotten:
        named = ", ".join(clean(one) for one in done.forgotten[:5])
        lines.append(f"{count(len(done.forgotten), 'conversation')} left out, forgotten before: {named}")
        lines.append("   do: palimpsest import --again PATH")
    return lines
