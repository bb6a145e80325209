"""`palimpsest chat`: the command with its options."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from palimpsest.cli.options import (
    OWNER,
    ConfigFile,
    Db,
    Owner,
    Set,
    Shared,
    WindowTokens,
    complete_conversation,
    given,
)
from palimpsest.cli.session import LAST, Session, choose, perform
from palimpsest.config.paths import at_home
from palimpsest.errors import NotFound, PalimpsestError, UsageError

if TYPE_CHECKING:
    from palimpsest.cli.chat.chat_state import Chat, Choices

MAX_SYSTEM_BYTES = 1_000_000


def chat(
    conversation: Annotated[
        str | None,
        typer.Argument(
            metavar="CONV",
            help='A conversation to go on with: its id, the beginning of its id, or "last"; any other name begins one.',
            autocompletion=complete_conversation,
        ),
    ] = None,
    model: Annotated[
        str, typer.Option("--model", metavar="NAME", help='Which model answers: "provider:model".')
    ] = "",
    system: Annotated[
        str | None,
        typer.Option("--system", metavar="TEXT", help="The system prompt, or @FILE that holds it."),
    ] = None,
    summary_model: Annotated[
        str, typer.Option("--summary-model", metavar="NAME", help="Which model writes the summaries.")
    ] = "",
    preset: Annotated[
        str, typer.Option("--preset", metavar="NAME", help="Such as default, hermes or crabtalk.")
    ] = "",
    window_tokens: WindowTokens = None,
    workspace: Annotated[
        Path | None,
        typer.Option(
            "--workspace",
            metavar="FOLDER",
            help="Keep store and session files in FOLDER/sessions, in place of --db.",
        ),
    ] = None,
    settings: Set = None,
    config: ConfigFile = None,
    owner: Owner = OWNER,
    db: Db = None,
) -> None:
    """Chat with a model, in the terminal or through a pipe.

    It can read, list and search files of the working folder, and run commands after asking. Without a model and without
    a key a scripted model answers, so that everything can be tried. /help lists the commands.

    \b
    palimpsest chat
    palimpsest chat last --model anthropic:claude-sonnet-5
    palimpsest chat --model ollama:qwen3:8b --window 32000
    echo "What is in README.md?" | palimpsest chat
    """
    from palimpsest.cli.chat.model_choice import named

    if workspace is not None and db is not None:
        raise UsageError("--workspace and --db name two stores", hint="give one of them")
    said = [
        f"{key}={value}"
        for key, value in (
            ("preset", preset),
            ("model", named(model)),
            ("summary_model", named(summary_model)),
        )
        if value
    ]
    if workspace is not None:
        db = _store_in(at_home(workspace))
    shared = Shared(
        "chat", db, owner, as_json=False, given=given(window_tokens, [*said, *(settings or [])], config)
    )
    text = _system_text(system) if system is not None else None
    failure = _chat(shared, conversation, text, workspace)
    if failure is not None:
        raise typer.Exit(failure.exit_code)


def _chat(
    shared: Shared, conversation: str | None, system: str | None, workspace: Path | None
) -> PalimpsestError | None:
    """Run the chat; what its last step failed with, where nobody was there to see it."""
    from palimpsest.agent.session_log import SessionLog
    from palimpsest.cli.chat.app import run_chat
    from palimpsest.cli.chat.chat_state import Choices
    from palimpsest.cli.chat.model_choice import usual_model

    choices = Choices(
        folder=_working_folder(),
        system=system,
        summary_model=shared.config.settings.summary_model,
        log=SessionLog(at_home(workspace)) if workspace is not None else None,
        again=_again(shared, workspace),
    )
    model_name = shared.config.settings.model or usual_model()
    failures: list[PalimpsestError] = []

    async def body(session: Session) -> None:
        chat = await _open(session, choices, conversation, model_name)
        await session.engine.resume()
        await run_chat(chat)
        if chat.failure is not None and not chat.screen.live:
            failures.append(chat.failure)

    perform(shared, body, makes_db=True, embeds=True)
    return failures[0] if failures else None


async def _open(session: Session, choices: Choices, conversation: str | None, model_name: str) -> Chat:
    """The chat with its screen and its reader."""
    import sys

    from palimpsest.cli.chat.app import make_ask, make_reader
    from palimpsest.cli.chat.chat_state import open_chat
    from palimpsest.cli.chat.screen import make_screen

    screen = make_screen(live=sys.stdin is not None and sys.stdin.isatty() and sys.stdout.isatty())
    held: list[Chat] = []
    name = await _name(session, conversation)
    chat = await open_chat(
        session.engine, screen, choices, make_ask(screen, held), name=name, model_name=model_name
    )
    held.append(chat)
    chat.reader = make_reader(chat, live=screen.live)
    return chat


async def _name(session: Session, conversation: str | None) -> str:
    """The conversation to be in: a new one, one that is known, or a new one of that name."""
    from palimpsest.cli.chat.chat_state import new_name

    if conversation is None:
        return new_name()
    try:
        return choose(conversation, await session.engine.conversations()).id
    except NotFound:
        if conversation == LAST:
            raise
        return conversation


def _again(shared: Shared, workspace: Path | None) -> tuple[str, ...]:
    """The options that name the same store and owner again."""
    place = ("--workspace", str(at_home(workspace).absolute())) if workspace is not None else ()
    if workspace is None and shared.db is not None:
        place = ("--db", str(at_home(shared.db).absolute()))
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


def _system_text(given_text: str) -> str:
    """The system prompt; "@FILE" is the text of a file."""
    if not given_text.startswith("@"):
        return given_text
    path = at_home(given_text[1:])
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
