"""`palimpsest forget`: delete messages or conversations for good, after showing what will be deleted."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated

from palimpsest.cli.drawing import clean, count
from palimpsest.cli.options import Shared, command, complete_conversation
from palimpsest.cli.parameters import argument, option
from palimpsest.cli.session import Session, perform
from palimpsest.errors import UsageError
from palimpsest.record.log import Stored

if TYPE_CHECKING:
    from palimpsest.engine.deletion import Forgotten
    from palimpsest.engine.engine import Engine

_PAGE = 500
_MAX_PAGES = 2_000
SHOWN = 20


@command("forget")
def forget(
    shared: Shared,
    conversation: Annotated[
        str | None, argument("[CONV]", "The conversation.", complete=complete_conversation)
    ] = None,
    ids: Annotated[
        list[str] | None, argument("[ID...]", "Messages, or ranges such as m3-m9; default: all of it.")
    ] = None,
    everything: Annotated[bool, option("--everything", "Everything of this owner.")] = False,
    dry_run: Annotated[bool, option("--dry-run", "Only show what would be deleted.")] = False,
    exports: Annotated[bool, option("--exports", "Also delete the exports that hold it.")] = False,
    finish: Annotated[bool, option("--finish", "Finish an interrupted deletion.")] = False,
    yes: Annotated[bool, option("--yes -y", "Do not ask.")] = False,
) -> None:
    """Delete messages or conversations for good.

    They are removed from the log, the indexes, summaries, pins and the file. A call is deleted with its results.
    Summaries of them are rebuilt without them. Session files are rewritten or
    deleted. Exports and backups that hold them are named; --exports deletes the
    exports.

    \b
    palimpsest forget last m12
    palimpsest forget last m12-m20 --dry-run
    palimpsest forget 7f3a --yes
    palimpsest forget --everything --owner anna
    """
    if sum((conversation is not None, everything, finish)) != 1:
        raise UsageError("say what to forget", hint="a conversation, or --everything, or --finish")

    async def body(session: Session) -> None:
        engine = session.engine
        if finish:
            from palimpsest.engine.deletion import finish_deletions

            with session.output.working("finishing the deletion"):
                left = await finish_deletions(engine.store)
            await _show(session, None, left)
            return
        name = (await session.conversation(conversation)).id if conversation is not None else ""

        async def delete(*, dry: bool) -> Forgotten:
            if everything:
                return await engine.forget_everything(dry_run=dry, exports=exports)
            return await engine.forget(name, *(ids or ()), dry_run=dry, exports=exports)

        with session.output.working("looking what would be deleted"):
            foreseen = await delete(dry=True)
        if dry_run or not (foreseen.messages or foreseen.conversations):
            await _show(session, foreseen, ())
            return
        if not yes:
            _confirm(session, foreseen, whole=not ids)
        typed = await typed_texts(engine, foreseen.conversations, ids)
        with session.output.working("deleting"):
            done = await delete(dry=False)
        await _show(session, done, done.left, typed_lines=await asyncio.to_thread(forget_typed, typed))

    perform(shared, body)


def _confirm(session: Session, foreseen: Forgotten, *, whole: bool) -> None:
    """Ask the user. Without a terminal, only --yes confirms."""
    if session.output.as_json or not sys.stdin.isatty():
        raise UsageError(
            "this deletes for good and was not confirmed",
            hint="add --yes, or --dry-run to see what would be deleted",
        )
    for line in _lines(foreseen):
        session.output.note(line)
    what = (
        count(len(foreseen.conversations), "conversation") if whole else count(foreseen.messages, "message")
    )
    sys.stderr.write(f"Delete {what} for good? [y/N]: ")
    sys.stderr.flush()
    if sys.stdin.readline().strip().lower() not in {"y", "yes"}:
        raise KeyboardInterrupt


async def typed_texts(engine: Engine, names: Sequence[str], ids: Sequence[str] | None) -> set[str]:
    """The user's texts in what will be deleted, which may be in the chat's input history."""
    from palimpsest.engine.deletion import affected_messages

    found: set[str] = set()
    for name in names:
        if ids:
            reach = await affected_messages(engine.store, engine.owner, name, ids)
            read = await engine.store.read(engine.owner, reach)
            found |= {entry.message.text for _, entry in read.values() if isinstance(entry, Stored)}
            continue
        for page in range(_MAX_PAGES):
            stored = await engine.conversation(name).messages(1 + page * _PAGE, _PAGE)
            found |= {one.message.text for one in stored if one.message.role == "user"}
            if len(stored) < _PAGE:
                break
    return found


def forget_typed(texts: set[str]) -> int:
    """Remove texts from the chat's input history; returns how many lines were removed."""
    from palimpsest.cli.chat.history import history_file, remove_entries

    file = history_file()
    return remove_entries(file, texts) if file is not None else 0


async def _show(session: Session, done: Forgotten | None, left: Sequence[str], typed_lines: int = 0) -> None:
    """Print what was or would be deleted. Session files that contain it are rewritten first."""
    from palimpsest.agent.stale_files import renew
    from palimpsest.engine.deletion import Forgotten

    lines = _lines(done) if done is not None else []
    done = done if done is not None else Forgotten(applied=True)
    written, failed = await renew(session.engine) if done.applied else ((), ())
    fields: dict[str, object] = {
        "applied": done.applied,
        "conversations": list(done.conversations),
        "messages": done.messages,
        "also": done.also,
        "summaries": {"rebuilt": list(done.rebuilt), "emptied": list(done.emptied)},
        "pins": list(done.pins),
        "ledgers": done.ledgers,
        "vectors": done.vectors,
        "typed_lines": typed_lines,
        "files": {
            "deleted": list(done.deleted),
            "changed": list(done.changed),
            "rewritten": list(written),
            "stale": [one.path for one in done.stale if one.path not in written],
            "failed": [{"path": path, "reason": reason} for path, reason in failed],
            "holding": [{"kind": one.kind, "path": one.path} for one in done.holding],
        },
        "left": list(left),
    }
    lines += [f"rewritten: {clean(path)}" for path in written[:SHOWN]]
    lines += [f"not rewritten: {clean(path)}: {clean(reason)}" for path, reason in failed[:SHOWN]]
    if typed_lines:
        lines.append(f"{count(typed_lines, 'line')} removed from the chat's input history")
    session.output.result(fields, [*lines, *left_lines(left)] or ["nothing was left to finish"])


def _lines(done: Forgotten) -> list[str]:
    """A deletion as text."""
    names = done.conversations
    if not names and not done.messages:
        return ["there is nothing to forget"]
    would = "" if done.applied else "would be "
    deleted = f"{would}deleted"
    several = count(len(names), "conversation") if len(names) != 1 else clean(names[0])
    also = f" ({done.also:,} of them with a tool call or as a copy on another branch)" if done.also else ""
    lines = [f"{count(done.messages, 'message')} of {several} {would}forgotten{also}"]
    if len(names) > 1:
        lines += [f"  {clean(name)}" for name in names[:SHOWN]]
        lines += [f"  and {len(names) - SHOWN:,} more"] * (len(names) > SHOWN)
    for what, ids in (("rebuilt", done.rebuilt), ("emptied", done.emptied)):
        if ids:
            lines.append(f"{count(len(ids), 'summary')} {what}: {_some(ids)}")
    if done.pins:
        lines.append(f"{count(len(done.pins), 'pin')} {deleted}: {_some(done.pins)}")
    lines += [f"{deleted}: {clean(path)}" for path in done.deleted[:SHOWN]]
    lines += [f"left alone, its content has changed: {clean(path)}" for path in done.changed[:SHOWN]]
    if not done.applied:
        lines += [f"would be rewritten: {clean(one.path)}" for one in done.stale[:SHOWN]]
    return lines + holding_lines(done)


def holding_lines(done: Forgotten) -> list[str]:
    """Files that still contain what was deleted."""
    return [f"still contains it: {one.kind} {clean(one.path)}" for one in done.holding[:SHOWN]]


def left_lines(left: Sequence[str]) -> list[str]:
    """Steps of a deletion that remain to be done."""
    return [f"left: {one}; then: palimpsest forget --finish" for one in left]


def _some(ids: Sequence[str]) -> str:
    return ", ".join(ids[:SHOWN]) + (" ..." if len(ids) > SHOWN else "")
