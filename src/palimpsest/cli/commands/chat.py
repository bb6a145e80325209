"""`palimpsest chat`: chat with a model in the terminal or through a pipe."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Annotated

from palimpsest.cli.options import OWNER, Shared, command, complete_conversation
from palimpsest.cli.parameters import argument, option
from palimpsest.cli.session import Session, perform
from palimpsest.config.paths import expand_home
from palimpsest.engine.reports import LAST, find_conversation
from palimpsest.errors import NotFound, UsageError

MAX_SYSTEM_BYTES = 1_000_000


@command("chat", window=True, settings=True, json=False)
def chat(
    shared: Shared,
    conversation: Annotated[
        str | None,
        argument(
            "CONV",
            'A conversation to continue: its id, the beginning of its id, or "last"; any other name starts one.',
            complete=complete_conversation,
        ),
    ] = None,
    model: Annotated[str, option("--model NAME", 'Which model answers: "provider:model".')] = "",
    system: Annotated[
        str | None, option("--system TEXT", "The system prompt, or @FILE to read it from a file.")
    ] = None,
    summary_model: Annotated[str, option("--summary-model NAME", "Which model writes the summaries.")] = "",
    preset: Annotated[str, option("--preset NAME", "Such as default, hermes or crabtalk.")] = "",
    workspace: Annotated[
        Path | None,
        option("--workspace FOLDER", "Keep store and session files in FOLDER/sessions, in place of --db."),
    ] = None,
) -> int | None:
    """Chat with a model, in the terminal or through a pipe.

    It can read, list and search files of the working folder, and run commands after asking. Without a model and without
    a key a scripted model answers, so that everything can be tried. /help lists the commands.

    \b
    palimpsest chat
    palimpsest chat last --model anthropic:claude-sonnet-5
    palimpsest chat --model ollama:qwen3:8b --window 32000
    echo "What is in README.md?" | palimpsest chat
    """
    from palimpsest.agent.session_log import SessionLog
    from palimpsest.cli.chat.app import open_and_run
    from palimpsest.cli.chat.model_choice import default_model, full_name
    from palimpsest.cli.chat.state import Choices

    if workspace is not None and shared.db is not None:
        raise UsageError("--workspace and --db name two stores", hint="give one of them")
    options = {"preset": preset, "model": full_name(model), "summary_model": full_name(summary_model)}
    given = [f"{key}={value}" for key, value in options.items() if value]
    db = _store_in(expand_home(workspace)) if workspace is not None else shared.db
    shared = replace(shared, db=db, settings=[*given, *(shared.settings or [])])
    chosen = shared.config.settings
    choices = Choices(
        folder=_working_folder(),
        system=_system_text(system) if system is not None else None,
        summary_model=chosen.summary_model,
        log=SessionLog(expand_home(workspace)) if workspace is not None else None,
        again=_same_store_options(shared, workspace),
    )

    async def body(session: Session) -> int | None:
        name = await _conversation_name(session, conversation)
        await session.engine.resume()
        model_name = chosen.model or default_model()
        failure = await open_and_run(session.engine, choices, name=name, model_name=model_name)
        return failure.exit_code if failure is not None else None

    return perform(shared, body, creates_db=True, embeds=True)


async def _conversation_name(session: Session, conversation: str | None) -> str:
    """The id of an existing conversation, or the name of a new one."""
    from palimpsest.cli.chat.state import new_name

    if conversation is None:
        return new_name()
    try:
        return find_conversation(conversation, await session.engine.conversations()).id
    except NotFound:
        if conversation == LAST:
            raise
        return conversation


def _same_store_options(shared: Shared, workspace: Path | None) -> tuple[str, ...]:
    """The options that name the same store and owner."""
    place: tuple[str, ...] = ()
    if workspace is not None:
        place = ("--workspace", str(expand_home(workspace).absolute()))
    elif shared.db is not None:
        place = ("--db", str(expand_home(shared.db).absolute()))
    return (*place, *(("--owner", shared.owner) if shared.owner != OWNER else ()))


def _store_in(workspace: Path) -> Path:
    from palimpsest.agent.session_file import make_folder
    from palimpsest.agent.session_log import FOLDER, STORE_NAME

    make_folder(workspace / FOLDER)
    return workspace / FOLDER / STORE_NAME


def _working_folder() -> Path:
    try:
        return Path.cwd()
    except OSError as error:
        raise UsageError("the working folder is gone", hint="change to another") from error


def _system_text(given: str) -> str:
    """The system prompt; "@FILE" is the text of a file. Raises UsageError."""
    if not given.startswith("@"):
        return given
    path = expand_home(given[1:])
    try:
        with path.open("rb") as file:
            data = file.read(MAX_SYSTEM_BYTES + 1)
        text = data.decode("utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        raise UsageError(
            f"cannot read {path} as the system prompt: {error}", hint="give a text file"
        ) from error
    if len(data) > MAX_SYSTEM_BYTES:
        raise UsageError(f"{path} is too large for a system prompt", hint="shorten it")
    return text
