"""`palimpsest hooks`: keep a coding agent's session through its own compaction, with hooks that the agent runs."""

from __future__ import annotations

import json
import shlex
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, cast

import typer

from palimpsest.cli.drawing import Listing, clean
from palimpsest.cli.options import OWNER, Shared, command
from palimpsest.cli.output import fields_of, make_output
from palimpsest.cli.parameters import argument
from palimpsest.cli.session import Session, perform
from palimpsest.cli.typer_app import with_typer_parameters
from palimpsest.config import hook_files
from palimpsest.errors import FormatError, PalimpsestError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from palimpsest.config.edited_files import Edit
    from palimpsest.config.hook_files import Status
    from palimpsest.engine.engine import Engine
    from palimpsest.formats.transcripts.reader_base import Transcript

MAX_INPUT_BYTES = 4_000_000
_SAID = {
    "added": "installed in",
    "changed": "updated in",
    "unchanged": "installed already in",
    "restored": "removed; restored byte for byte:",
    "removed": "removed from",
    "absent": "not installed in",
}
AgentName = Annotated[str, argument("AGENT", "claude, codex, gemini or opencode.")]

app = typer.Typer(help="Keep sessions through their agent's own compaction.")


@app.callback(invoke_without_command=True)
def _hooks(context: typer.Context) -> None:
    if context.invoked_subcommand is None:
        typer.echo(context.get_help())


@app.command("install")
@with_typer_parameters
@command("hooks")
def install(shared: Shared, agent: AgentName) -> None:
    """Add the hooks to an agent's own configuration.

    \b
    palimpsest hooks install claude
    """
    found = hook_files.agent_named(agent)
    edit = hook_files.install(found, _own_command(shared, agent))
    _show_edit(shared, agent, edit, found.note if edit.action in ("added", "changed") else "")


@app.command("uninstall")
@with_typer_parameters
@command("hooks")
def uninstall(shared: Shared, agent: AgentName) -> None:
    """Remove them again; the file is as it was.

    \b
    palimpsest hooks uninstall claude
    """
    _show_edit(shared, agent, hook_files.uninstall(hook_files.agent_named(agent)))


@app.command("status")
@with_typer_parameters
@command("hooks")
def status(shared: Shared) -> None:
    """Show which agents have the hooks, and whether what they run is there.

    \b
    palimpsest hooks status
    """
    output = make_output(shared.command, as_json=shared.as_json)
    found = [hook_files.status(agent) for agent in hook_files.AGENTS.values()]
    fields: dict[str, object] = {
        "agents": [fields_of(one, "agent path installed command") | {"state": _state(one)} for one in found]
    }
    rows = tuple((one.agent, _state(one), clean(one.path)) for one in found)
    output.result(fields, Listing(("agent", "hooks", "file"), rows))
    output.flush()


@app.command("run", hidden=True)
@with_typer_parameters
@command("hooks", json=False)
def run(shared: Shared, agent: AgentName) -> None:
    """Do what a hook asks for: an agent calls this with the event on standard input. It never fails the agent."""
    output = make_output(shared.command, as_json=False)
    try:
        given = _given(sys.stdin.buffer.read(MAX_INPUT_BYTES + 1))
        told: list[str] = []

        async def body(session: Session) -> None:
            told.append(await answer(session.engine, agent, given, _looking_up(shared)))

        perform(shared, body, creates_db=True)
    except Exception as error:  # noqa: BLE001  (a hook never fails its agent)
        why = error.message if isinstance(error, PalimpsestError) else type(error).__name__
        output.note(clean(f"palimpsest: {why}"))
        return
    if told and told[0]:
        sys.stdout.write(told[0])


async def answer(engine: Engine, agent: str, given: dict[str, object], look_up: Sequence[str]) -> str:
    """Import the transcript of an event, and return what the agent is told: JSON for most, text for opencode.

    A session that is resumed is told only what its agent compacted away. `look_up` begins a command for the shell.
    """
    from palimpsest.engine.conversation import state_of
    from palimpsest.engine.handover import handover

    event, session_id = str(given.get("hook_event_name") or ""), str(given.get("session_id") or "")
    transcripts = await _import(engine, agent, given)
    source = str(given.get("source") or given.get("trigger") or "")
    main = next((one for one in transcripts if one.id == session_id), transcripts[0] if transcripts else None)
    starts = source == "compact" or (source == "resume" and (main is None or main.summaries > 0))
    if agent != "opencode" and not (event == "SessionStart" and starts):
        return ""
    name = main.id if main is not None else session_id
    if not name:
        return ""
    text = await handover(state_of(engine.conversation(name)), _how_to_search(name, look_up))
    if agent == "opencode" or not text:
        return text
    told = {"hookSpecificOutput": {"hookEventName": "SessionStart", "additionalContext": text}}
    return json.dumps(told)


async def _import(engine: Engine, agent: str, given: dict[str, object]) -> Sequence[Transcript]:
    """Import the transcript that an event names, and return its conversations, the main one first."""
    from palimpsest.engine.transcript_files import Candidate, SkippedFile, open_transcript

    path = _transcript_of(agent, given)
    if path is None:
        return ()
    opened = open_transcript(Candidate(path, named=True), None)
    if isinstance(opened, SkippedFile):
        raise FormatError(f"{opened.path}: {opened.reason}", hint=opened.hint)
    wanted, transcripts = str(given.get("session_id") or ""), opened.reading.transcripts
    if agent == "opencode":
        transcripts = tuple(one for one in transcripts if one.id.startswith(wanted)) if wanted else ()
    for transcript in transcripts:
        await engine.import_transcript(transcript)
    return transcripts


def _transcript_of(agent: str, given: dict[str, object]) -> Path | None:
    from palimpsest.config.paths import expand_home

    named = given.get("transcript_path")
    if isinstance(named, str) and named:
        return expand_home(named)
    store = expand_home("~/.local/share/opencode/opencode.db")
    return store if agent == "opencode" and store.is_file() else None


def _how_to_search(name: str, look_up: Sequence[str]) -> str:
    program, options = look_up[0], "".join(f" {one}" for one in look_up[1:])
    return (
        "Everything of this session is kept. If the tools of the MCP server palimpsest are there, short_grep finds"
        f" words and short_expand reads a message by its id. Else run: {program} grep 'WORDS' {name}{options}, and"
        f" {program} expand ID{options}."
    )


def _looking_up(shared: Shared) -> list[str]:
    """This program as the shell of an agent finds it, and the options that the hook was given, quoted."""
    import shutil

    program = ["palimpsest"] if shutil.which("palimpsest") else _program()
    return [shlex.join(program), *map(shlex.quote, _options(shared))]


def _given(data: bytes) -> dict[str, object]:
    """The event on standard input. Raises FormatError."""
    try:
        found: object = json.loads(data)
    except (ValueError, RecursionError):
        found = None
    if not isinstance(found, dict):
        raise FormatError(
            "the event is no JSON object", hint="an agent runs this command, with its event as input"
        )
    return cast("dict[str, object]", found)


def _own_command(shared: Shared, agent: str) -> Sequence[str]:
    """The command that a hook runs: this installation, from any folder, with the database and the owner."""
    return [*_program(), "hooks", "run", agent, *_options(shared)]


def _program() -> list[str]:
    script = Path(sys.executable).parent / "palimpsest"
    return [str(script)] if script.is_file() else [sys.executable, "-m", "palimpsest"]


def _options(shared: Shared) -> list[str]:
    """The database that a flag or a variable names, which an agent need not have, and the owner."""
    named = shared.located.place in ("flag", "environment")
    options = ["--db", str(shared.path.absolute())] if named else []
    return options + (["--owner", shared.owner] if shared.owner != OWNER else [])


def _state(one: Status) -> str:
    if one.problem:
        return clean(one.problem)
    if not one.installed:
        return "not installed"
    if one.missing:
        return f"without {', '.join(one.missing)}"
    words = shlex.split(one.command)
    if words and not Path(words[0]).is_file():
        return f"broken: {words[0]} is gone"
    return "installed"


def _show_edit(shared: Shared, agent: str, edit: Edit, note: str = "") -> None:
    output = make_output(shared.command, as_json=shared.as_json)
    lines = [f"{agent}: {_SAID[edit.action]} {clean(edit.path)}"]
    if edit.backup:
        lines.append(f"the original is kept in {clean(edit.backup)}")
    lines += [note] if note else []
    output.result({"agent": agent, **fields_of(edit, "action path backup"), "note": note}, lines)
    output.flush()
