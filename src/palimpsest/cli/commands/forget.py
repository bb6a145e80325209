"""`palimpsest forget` and `retain`: deleting for real, after saying what goes."""

from __future__ import annotations

import asyncio
import re
import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated

import typer

from palimpsest.cli.options import OWNER, Db, Json, Owner, Shared, complete_conversation
from palimpsest.cli.output import Block
from palimpsest.cli.session import Session, perform
from palimpsest.cli.text_drawing import Listing, clean, count, size
from palimpsest.errors import UsageError
from palimpsest.record.log import Stored

if TYPE_CHECKING:
    from palimpsest.engine.deletion import Forgotten, Retained
    from palimpsest.engine.engine import Engine

_PAGE = 500
_MAX_PAGES = 2_000
_SHOWN = 20
_SECONDS = {"h": 3_600, "d": 86_400, "w": 604_800, "y": 31_557_600}
_BYTES = {"": 1, "B": 1, "KB": 10**3, "MB": 10**6, "GB": 10**9, "TB": 10**12}
_AGE = re.compile(r"(\d{1,6})\s{0,2}([hdwy])")
_SIZE = re.compile(r"(\d{1,12}(?:\.\d{1,3})?)\s{0,2}([KMGT]?B?)", re.IGNORECASE)

Yes = Annotated[bool, typer.Option("--yes", "-y", help="Do not ask.")]


def forget(
    conversation: Annotated[
        str | None,
        typer.Argument(metavar="[CONV]", help="The conversation.", autocompletion=complete_conversation),
    ] = None,
    ids: Annotated[
        list[str] | None,
        typer.Argument(metavar="[ID...]", help="Messages, or ranges such as m3-m9; all of it if none is given."),
    ] = None,
    everything: Annotated[bool, typer.Option("--everything", help="All that the owner has.")] = False,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Only say what would go.")] = False,
    finish: Annotated[
        bool, typer.Option("--finish", help="Finish what an interrupted forgetting left undone.")
    ] = False,
    yes: Yes = False,
    owner: Owner = OWNER,
    db: Db = None,
    as_json: Json = False,
) -> None:  # fmt: skip
    """Delete for good, messages or conversations.

    They go from the log, the indexes, summaries, pins and the file. A call goes with its results. Summaries
    over it are made again without it.

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

            with session.output.working("letting go of what was forgotten"):
                left = await finish_deletions(engine.store)
            await _show(session, None, left)
            return
        name = (await session.conversation(conversation)).id if conversation is not None else ""

        async def asked(*, rehearse: bool) -> Forgotten:
            if everything:
                return await engine.forget_everything(dry_run=rehearse)
            return await engine.forget(name, *(ids or ()), dry_run=rehearse)

        with session.output.working("looking what would go"):
            foreseen = await asked(rehearse=True)
        if dry_run or not (foreseen.messages or foreseen.conversations):
            await _show(session, foreseen, ())
            return
        if not yes:
            _confirm(session, foreseen, whole=not ids)
        typed = await _typed(engine, foreseen.conversations, ids)
        with session.output.working("forgetting"):
            done = await asked(rehearse=False)
        await _show(session, done, done.left, unlearnt=await asyncio.to_thread(_unlearn, typed))

    perform(Shared("forget", db, owner, as_json), body)


def retain(
    older_than: Annotated[
        str | None, typer.Option("--older-than", metavar="AGE", help="Such as 36h, 180d, 26w or 2y.")
    ] = None,
    larger_than: Annotated[
        str | None, typer.Option("--larger-than", metavar="SIZE", help="Such as 500MB or 1GB; the oldest go first.")
    ] = None,
    apply: Annotated[bool, typer.Option("--apply", help="Do it; else only what would go is said.")] = False,
    owner: Owner = OWNER,
    db: Db = None,
    as_json: Json = False,
) -> None:  # fmt: skip
    """Forget old conversations.

    Those that are too old, and the oldest where all together take too much. Without --apply a dry run.

    \b
    palimpsest retain --older-than 180d
    palimpsest retain --older-than 2y --larger-than 1GB --apply
    """
    age_s, most_bytes = read_age(older_than), read_size(larger_than)

    async def body(session: Session) -> None:
        with session.output.working("looking what would go"):
            foreseen = await session.engine.retain(age_s, most_bytes)
        if not apply or not foreseen.going:
            session.output.result(_retained_fields(foreseen), *_retained_blocks(foreseen, applied=False))
            return
        typed = await _typed(session.engine, [one.conversation for one in foreseen.going], None)
        with session.output.working("forgetting"):
            done = await session.engine.retain(age_s, most_bytes, apply=True)
        await asyncio.to_thread(_unlearn, typed)
        session.output.result(_retained_fields(done), *_retained_blocks(done, applied=True))

    perform(Shared("retain", db, owner, as_json), body)


def read_age(text: str | None) -> float | None:
    """An age in seconds from "180d"; None for none. Raises UsageError."""
    found = _AGE.fullmatch(text.strip()) if text is not None else None
    if text is not None and found is None:
        raise UsageError(f"no age {text!r}", hint="a number with h, d, w or y: 36h, 180d, 26w, 2y")
    return float(int(found[1]) * _SECONDS[found[2]]) if found is not None else None


def read_size(text: str | None) -> int | None:
    """A size in bytes from "1GB"; None for none. Raises UsageError."""
    found = _SIZE.fullmatch(text.strip()) if text is not None else None
    if text is not None and found is None:
        raise UsageError(f"no size {text!r}", hint="a number with kB, MB, GB or TB: 500MB, 1.5GB")
    if found is None:
        return None
    unit = found[2].upper()
    return int(float(found[1]) * _BYTES[unit if unit.endswith("B") or not unit else unit + "B"])


def _confirm(session: Session, foreseen: Forgotten, *, whole: bool) -> None:
    """Ask a person; nobody else can say yes but by --yes."""
    if session.output.as_json or not sys.stdin.isatty():
        raise UsageError(
            "this deletes for good and was not confirmed", hint="add --yes, or --dry-run to see what goes"
        )
    for line in _lines(foreseen):
        session.output.note(line)
    what = (
        count(len(foreseen.conversations), "conversation") if whole else count(foreseen.messages, "message")
    )
    if not typer.confirm(f"Delete {what} for good?", default=False, err=True):
        raise typer.Abort


async def _typed(engine: Engine, names: Sequence[str], ids: Sequence[str] | None) -> set[str]:
    """What people said in what goes, which the chat may remember as typed."""
    from palimpsest.engine.deletion import affected_messages

    found: set[str] = set()
    for name in names:
        if ids:
            reach = await affected_messages(engine.store, engine.owner, name, ids)
            said = await engine.store.read(engine.owner, reach)
            found |= {entry.message.text for _, entry in said.values() if isinstance(entry, Stored)}
            continue
        for page in range(_MAX_PAGES):
            stored = await engine.conversation(name).messages(1 + page * _PAGE, _PAGE)
            found |= {one.message.text for one in stored if one.message.role == "user"}
            if len(stored) < _PAGE:
                break
    return found


def _unlearn(texts: set[str]) -> int:
    from palimpsest.cli.chat.prompt_editor import history_file
    from palimpsest.cli.chat_history import unlearn

    file = history_file()
    return unlearn(file, texts) if file is not None else 0


async def _show(session: Session, told: Forgotten | None, left: Sequence[str], unlearnt: int = 0) -> None:
    """What was or would be forgotten; files that hold it are written again where it was."""
    from palimpsest.agent.file_rewrite import renew

    written, failed = await renew(session.engine) if told is None or told.applied else ((), ())
    fields: dict[str, object] = {
        "applied": told.applied if told is not None else True,
        "conversations": list(told.conversations) if told is not None else [],
        "messages": told.messages if told is not None else 0,
        "also": told.also if told is not None else 0,
        "summaries": {
            "rebuilt": list(told.rebuilt) if told is not None else [],
            "emptied": list(told.emptied) if told is not None else [],
        },
        "pins": list(told.pins) if told is not None else [],
        "ledgers": told.ledgers if told is not None else 0,
        "vectors": told.vectors if told is not None else 0,
        "typed_lines": unlearnt,
        "files": {
            "deleted": list(told.deleted) if told is not None else [],
            "changed": list(told.changed) if told is not None else [],
            "rewritten": list(written),
            "stale": [one.path for one in told.stale if one.path not in written] if told is not None else [],
            "failed": [{"path": path, "reason": reason} for path, reason in failed],
            "holding": [{"kind": one.kind, "path": one.path} for one in told.holding]
            if told is not None
            else [],
        },
        "left": list(left),
    }
    lines = _lines(told) if told is not None else []
    lines += [f"written again: {clean(path)}" for path in written[:_SHOWN]]
    lines += [f"not written again: {clean(path)}: {clean(reason)}" for path, reason in failed[:_SHOWN]]
    if unlearnt:
        lines.append(f"{count(unlearnt, 'line')} taken out of what the chat remembers as typed")
    lines += [f"left: {one}; then: palimpsest forget --finish" for one in left]
    session.output.result(fields, lines or ["nothing was left undone"])


def _lines(told: Forgotten) -> list[str]:
    """A forgetting for a person."""
    verb = "forgotten" if told.applied else "would be forgotten"
    names = told.conversations
    if not names and not told.messages:
        return ["there is nothing to forget"]
    several = count(len(names), "conversation") if len(names) != 1 else clean(names[0])
    also = f" ({told.also:,} of them with a tool call or as a copy on another branch)" if told.also else ""
    deleted = "deleted" if told.applied else "would be deleted"
    lines = [f"{count(told.messages, 'message')} of {several} {verb}{also}"]
    if len(names) > 1:
        lines += [f"  {clean(name)}" for name in names[:_SHOWN]]
        lines += [f"  and {len(names) - _SHOWN:,} more"] * (len(names) > _SHOWN)
    for what, ids in (("made again", told.rebuilt), ("emptied", told.emptied)):
        if ids:
            lines.append(f"{count(len(ids), 'summary')} {what}: {_some(ids)}")
    if told.pins:
        lines.append(f"{count(len(told.pins), 'pin')} {deleted}: {_some(told.pins)}")
    lines += [f"{deleted}: {clean(path)}" for path in told.deleted[:_SHOWN]]
    lines += [f"left alone, it holds something else by now: {clean(path)}" for path in told.changed[:_SHOWN]]
    if not told.applied:
        lines += [f"would be written again: {clean(one.path)}" for one in told.stale[:_SHOWN]]
    lines += [f"still holds it: {one.kind} {clean(one.path)}" for one in told.holding[:_SHOWN]]
    return lines


def _some(ids: Sequence[str]) -> str:
    return ", ".join(ids[:_SHOWN]) + (" ..." if len(ids) > _SHOWN else "")


def _retained_fields(told: Retained) -> dict[str, object]:
    from palimpsest.record.times import iso_time

    return {
        "applied": told.forgotten.applied,
        "conversations": [
            {"id": one.conversation, "size_bytes": one.size_bytes, "updated_at": iso_time(one.updated_s)}
            for one in told.going
        ],
        "freed_bytes": told.freed_bytes,
        "kept": told.kept,
        "kept_bytes": told.kept_bytes,
        "files": {
            "deleted": list(told.forgotten.deleted),
            "holding": [{"kind": one.kind, "path": one.path} for one in told.forgotten.holding],
        },
        "left": list(told.forgotten.left),
    }


def _retained_blocks(told: Retained, *, applied: bool) -> list[Block]:
    from palimpsest.cli.text_drawing import when
    from palimpsest.record.times import iso_time

    kept = f"{count(told.kept, 'conversation')} of {size(told.kept_bytes)} stay{'s' * (told.kept == 1)}"
    if not told.going:
        return [f"nothing is due; {kept}"]
    rows = tuple(
        (clean(one.conversation), when(iso_time(one.updated_s)), size(one.size_bytes))
        for one in told.going[:_SHOWN]
    )
    blocks: list[Block] = [Listing(("conversation", "last change", "size"), rows, frozenset({"size"}))]
    if len(told.going) > _SHOWN:
        blocks.append(f"and {len(told.going) - _SHOWN:,} more")
    verb = "forgotten" if applied else "would be forgotten"
    tail = "" if applied else "; do it with --apply"
    blocks.append(
        f"{count(len(told.going), 'conversation')} of {size(told.freed_bytes)} {verb}, {kept}{tail}"
    )
    gone = "deleted" if applied else "would be deleted"
    blocks += [f"{gone}: {clean(path)}" for path in told.forgotten.deleted[:_SHOWN]]
    blocks += [f"still holds it: {one.kind} {clean(one.path)}" for one in told.forgotten.holding[:_SHOWN]]
    blocks += [f"left: {one}; then: palimpsest forget --finish" for one in told.forgotten.left]
    return blocks
