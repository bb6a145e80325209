"""`palimpsest export`: a conversation as a file that other programs read, or everything; `import` reads both back."""

from __future__ import annotations

import asyncio
from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from palimpsest.cli.commands.verify_backup import export_all
from palimpsest.cli.options import OWNER, Db, Json, Owner, Shared, complete_conversation
from palimpsest.cli.session import Session, perform
from palimpsest.cli.text_drawing import clean, count
from palimpsest.config.paths import at_home
from palimpsest.errors import UsageError
from palimpsest.file_writing import file_behind, would_replace


class Form(StrEnum):
    """What `export` writes."""

    session = "session"


def export(
    conversation: Annotated[
        str | None,
        typer.Argument(
            metavar="[CONV]", help='A conversation: its id, the beginning of its id, or "last". Not with --all.',
            autocompletion=complete_conversation,
        ),
    ] = None,
    path: Annotated[
        Path | None,
        typer.Argument(metavar="PATH", help="The file, or a folder to put it into. Standard output if not given."),
    ] = None,
    everything: Annotated[
        bool,
        typer.Option("--all", help="Everything of this owner, with all branches and records."),
    ] = False,
    form: Annotated[
        Form, typer.Option("--as", help="The form: a session file, one JSON object a line.")
    ] = Form.session,
    force: Annotated[bool, typer.Option("--force", help="Replace a file that is there.")] = False,
    owner: Owner = OWNER,
    db: Db = None,
    as_json: Json = False,
) -> None:  # fmt: skip
    """Write a whole conversation to a file.

    Every message, and a marker for each summary its window began with. Importing the file gives the same
    messages, and a window that begins with the last marker's text.

    \b
    palimpsest export last > session.jsonl
    palimpsest export last backups/ --as session
    palimpsest export --all everything.jsonl
    """
    shared = Shared("export", db, owner, as_json)
    if everything or conversation is None:
        _export_everything(shared, conversation, path, everything=everything, force=force)
        return

    async def body(session: Session) -> None:
        from palimpsest.agent.session_file import SUFFIX, file_name, write_whole
        from palimpsest.agent.session_log import render_session
        from palimpsest.engine.conversation import state_of
        from palimpsest.engine.deletion import register_file

        talk = await session.conversation(conversation)
        target = at_home(path) if path else None
        if target is not None and target.is_dir():
            target /= file_name(talk.id) + SUFFIX
        if target is None and as_json:
            raise UsageError(
                "--json needs a PATH", hint="without one, the session itself goes to standard output"
            )
        if target is not None:
            session.output.check_apart(target)
        if target is not None and would_replace(target) and not force:
            raise UsageError(f"{target} is there already", hint="choose another file, or add --force")
        exported = await render_session(talk)
        if target is None:
            session.output.show(exported.data.decode().rstrip("\n"))
            return
        await asyncio.to_thread(write_whole, target, exported.data)
        if (file := file_behind(target, stream=True)) is not None:
            await register_file(state_of(talk), "export", file)
        fields: dict[str, object] = {
            "conversation": talk.id, "path": str(target), "form": form.value, "messages": exported.messages,
            "markers": exported.markers, "size_bytes": len(exported.data),
        }  # fmt: skip
        words = f"{count(exported.messages, 'message')}, {count(exported.markers, 'marker')}"
        session.output.wrote(target, fields, f"{clean(talk.id)} -> {clean(str(target))}: {words}")

    perform(shared, body)


def _export_everything(
    shared: Shared, target: str | None, more: Path | None, *, everything: bool, force: bool
) -> None:
    """Write everything to the one path that was given. Raises UsageError where that is not what was given."""
    if not everything:
        raise UsageError("which conversation?", hint="palimpsest export last, or --all for everything")
    if more is not None or target is None:
        raise UsageError(
            "--all needs a PATH and no conversation", hint="palimpsest export --all everything.jsonl"
        )
    export_all(shared, at_home(target), force=force)
