"""`palimpsest export`: write a conversation, or everything, to a file. `import` reads both back."""

from __future__ import annotations

import asyncio
from enum import StrEnum
from pathlib import Path
from typing import Annotated

from palimpsest.cli.commands.verify import fault_fields, fault_lines
from palimpsest.cli.drawing import clean, count, size
from palimpsest.cli.options import Shared, command, complete_conversation
from palimpsest.cli.parameters import argument, option
from palimpsest.cli.session import Session, existing, perform
from palimpsest.config.paths import expand_home
from palimpsest.errors import IntegrityError, UsageError
from palimpsest.file_writing import file_behind, would_replace


class Form(StrEnum):
    """The format of an exported conversation."""

    session = "session"


@command("export")
def export(
    shared: Shared,
    conversation: Annotated[
        str | None,
        argument(
            "[CONV]",
            'A conversation: its id, the beginning of its id, or "last". Not with --all.',
            complete=complete_conversation,
        ),
    ] = None,
    path: Annotated[
        Path | None, argument("PATH", "The file, or a folder for it. Default: standard output.")
    ] = None,
    everything: Annotated[
        bool, option("--all", "Everything of this owner, with all branches and records.")
    ] = False,
    form: Annotated[
        Form, option("--as", "The format: a session file, one JSON object a line.")
    ] = Form.session,
    force: Annotated[bool, option("--force", "Replace an existing file.")] = False,
) -> int | None:
    """Write a whole conversation to a file.

    Every message, and a marker for each summary that its window began with. Importing the file gives the same
    messages, and a window that begins with the last marker's text.

    \b
    palimpsest export last > session.jsonl
    palimpsest export last backups/ --as session
    palimpsest export --all everything.jsonl
    """
    if everything:
        if path is not None or conversation is None:
            hint = "palimpsest export --all everything.jsonl"
            raise UsageError("--all needs a PATH and no conversation", hint=hint)
        return _export_all(shared, expand_home(conversation), force=force)
    if conversation is None:
        raise UsageError("which conversation?", hint="palimpsest export last, or --all for everything")

    if path is None and shared.as_json:
        raise UsageError(
            "--json needs a PATH", hint="without one, the session itself goes to standard output"
        )

    async def body(session: Session) -> None:
        await _export_one(session, conversation, path, form, force=force)

    return perform(shared, body)


async def _export_one(
    session: Session, conversation: str, path: Path | None, form: Form, *, force: bool
) -> None:
    """Write one conversation to a file, or to standard output."""
    from palimpsest.agent.session_file import write_whole
    from palimpsest.agent.session_log import render_session
    from palimpsest.engine.conversation import state_of
    from palimpsest.engine.deletion import register_file

    talk = await session.conversation(conversation)
    target = _target(session, expand_home(path), talk.id, force=force) if path else None
    exported = await render_session(talk)
    if target is None:
        session.output.show(exported.data.decode().rstrip("\n"))
        return
    await asyncio.to_thread(write_whole, target, exported.data)
    if (file := file_behind(target, stream=True)) is not None:
        await register_file(state_of(talk), "export", file)
    fields: dict[str, object] = {
        "conversation": talk.id,
        "path": str(target),
        "form": form.value,
        "messages": exported.messages,
        "markers": exported.markers,
        "size_bytes": len(exported.data),
    }
    words = f"{count(exported.messages, 'message')}, {count(exported.markers, 'marker')}"
    session.output.wrote(target, fields, f"{clean(talk.id)} -> {clean(str(target))}: {words}")


def _target(session: Session, path: Path, name: str, *, force: bool) -> Path:
    """The file to write. Raises UsageError if it exists."""
    from palimpsest.agent.session_file import SUFFIX, file_name

    target = path / (file_name(name) + SUFFIX) if path.is_dir() else path
    session.output.check_apart(target)
    if would_replace(target) and not force:
        raise UsageError(f"{target} exists already", hint="choose another file, or add --force")
    return target


def _export_all(shared: Shared, path: Path, *, force: bool) -> int | None:
    """Write everything of the owner to a file. The exit code is 6 if something was left out because it is damaged."""

    async def body(session: Session) -> int:
        session.output.check_apart(path)
        with session.watched() as step:
            done = await session.engine.export_all(path, force=force, step=step)
        fields: dict[str, object] = {
            "form": "all",
            "path": done.path,
            "conversations": done.conversations,
            "messages": done.messages,
            "size_bytes": done.size_bytes,
            "damaged": [fault_fields(one) for one in done.damaged],
        }
        words = f"{count(done.conversations, 'conversation')}, {count(done.messages, 'message')}"
        blocks: list[str | list[str]] = [f"{clean(str(path))}: {words}, {size(done.size_bytes)}"]
        if done.damaged:
            blocks.append(fault_lines(done.damaged, done.damages))
        session.output.wrote(path, fields, *blocks)
        return IntegrityError.exit_code if done.damages else 0

    return perform(existing(shared), body)
