"""Finds and runs the command of a line, and turns every failure into an exit code and two lines.

A command's module is imported when a line names it; the overview of all commands (`--help`) imports none.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from importlib import import_module
from typing import TYPE_CHECKING, cast

from palimpsest.cli.output import (
    INTERRUPTED_EXIT,
    SIGPIPE_EXIT,
    OutputLost,
    discard_output,
    make_output,
    show_error,
)
from palimpsest.cli.parameters import Command, parse_simple
from palimpsest.errors import DoesNotFit, PalimpsestError
from palimpsest.price.rates import set_user_prices

if TYPE_CHECKING:
    import typer

    from palimpsest.price.rates import Price

DEBUG_VARIABLE = "PALIMPSEST_DEBUG"
COMPLETING_VARIABLE = "_PALIMPSEST_COMPLETE"

COMMANDS = {
    "demo": ("demo.demo", "Watch a long coding session pass through a small window."),
    "chat": ("chat.chat", "Chat with a model, in the terminal or through a pipe."),
    "import": ("import_.import_", "Import transcripts of coding agents, and exports of chats."),
    "export": ("export.export", "Write a whole conversation to a file."),
    "list": ("list_.list_", "List the conversations, newest first."),
    "show": ("show.show", "Show the messages of a conversation, word for word."),
    "window": ("window.window", "Show exactly what the model would see next."),
    "compact": ("compact.compact", "Compact a window, and report the decision and the result."),
    "pin": ("pin.pin", "Keep words in every window."),
    "unpin": ("pin.unpin", "Remove a pin: `palimpsest unpin last p1`."),
    "pins": ("pin.pins", "List the pins: `palimpsest pins last`."),
    "grep": ("grep.grep", "Find words, phrases and parts of words."),
    "search": ("search.search", "Find passages that answer a question, best first."),
    "embed": ("embed.embed", "Make the vectors that messages lack."),
    "expand": ("expand.expand", "Read messages back in full, summaries as their sources."),
    "describe": ("describe.describe", "Show what an id contains, and the cost of reading it."),
    "trace": ("trace.trace", "Show which messages each line of a summary comes from."),
    "cost": ("cost.cost", "Show what sessions cost."),
    "prices": ("prices.prices", "Show what models cost."),
    "stats": ("stats.stats", "Count what is stored."),
    "forget": ("forget.forget", "Delete messages or conversations for good."),
    "retain": ("retain.retain", "Forget old conversations."),
    "verify": ("verify.verify", "Check everything that is stored."),
    "doctor": ("doctor.doctor", "Find damage and repair it."),
    "backup": ("backup.backup", "Copy the database while others use it."),
    "mcp": ("mcp.mcp", "Serve what is stored to a client that speaks MCP."),
    "wrap": ("wrap.wrap", "Run a program behind a proxy, and report at its end."),
    "report": ("report.report", "Show each rewrite of a window, and what it saved."),
    "proxy": (
        "proxy.proxy",
        "Send windows in place of histories that grew too long.",
    ),
}
"""The function of each command in `cli.commands` and the first sentence of its help, in the order of the help text.
The sentences are repeated here so that `--help` does not import the commands; a test compares them.
"""
GROUPS = {
    "hooks": ("hooks.app", "Keep sessions through their agent's own compaction."),
    "config": ("config.app", "Show the settings and where each comes from."),
}
"""The same for groups of commands."""

HELP = (["--help"], ["-h"])
COMMON_OPTIONS = {"--db": 1, "--owner": 1, "--config": 1, "--json": 0}
"""Options that may also precede the command's name, with the number of values each takes."""


def run(argv: Sequence[str]) -> int:
    """Run one command line (without the program's name) and return the exit code."""
    arguments = _command_first(argv) or ["--help"]
    set_user_prices(_user_prices)
    try:
        code = _run(arguments)
        make_output("", as_json=False).flush()
    except BrokenPipeError:
        return _reader_gone()
    except SystemExit as ended:
        if isinstance(ended.__context__, BrokenPipeError):  # typer ends the process itself in this case
            return _reader_gone()
        raise
    except DoesNotFit as error:
        error.hint = "give a larger --window (or --until-under), or shorten the parts named"
        return _fail(arguments, error)
    except PalimpsestError as error:
        return _fail(arguments, error)
    except KeyboardInterrupt:
        code = INTERRUPTED_EXIT
    except Exception as error:
        if os.environ.get(DEBUG_VARIABLE):
            raise
        from palimpsest.redaction.redactor import redact_error_text

        message = (
            redact_error_text(f"{type(error).__name__}: {error}") if str(error) else type(error).__name__
        )
        hint = f"this is a fault in palimpsest; set {DEBUG_VARIABLE}=1 to see where it happened"
        return _fail(arguments, PalimpsestError(message, hint=hint))
    if code == INTERRUPTED_EXIT:
        from palimpsest.cli.signals import Interrupted

        return _fail(arguments, Interrupted())
    return code if isinstance(code, int) else 0


def command_names() -> list[str]:
    """The names of all commands, in the order of the help text."""
    inner = [f"{name} {one.name}" for name in GROUPS for one in _group(name).registered_commands]
    return [*COMMANDS, *GROUPS, *inner]


def _imported(place: str) -> object:
    module, _, name = place.rpartition(".")
    return getattr(import_module(f"palimpsest.cli.commands.{module}"), name)


def _command(name: str) -> Command:
    return cast("Command", _imported(COMMANDS[name][0]))


def _group(name: str) -> typer.Typer:
    return cast("typer.Typer", _imported(GROUPS[name][0]))


def _application(names: Iterable[str]) -> typer.Typer:
    """A typer application with these commands and groups."""
    from palimpsest.cli.typer_app import make_app

    commands = {name: _command(name) for name in names if name in COMMANDS}
    return make_app(commands, {name: _group(name) for name in names if name in GROUPS})


def _user_prices() -> Mapping[str, Price]:
    from palimpsest.config.prices import kept_prices

    return kept_prices()


def _run(arguments: Sequence[str]) -> object:
    """Run a line: a simple one directly, every other one through typer."""
    completing = COMPLETING_VARIABLE in os.environ
    if arguments[0] in COMMANDS and not completing:
        command = _command(arguments[0])
        values = parse_simple(command, arguments[1:])
        if values is not None:
            return command(**values)
    from palimpsest.cli.typer_app import make_overview, run_app

    named = _command_in(arguments)
    hint = "palimpsest --help" if named == "error" else f"palimpsest {named} --help"
    if arguments in HELP and not completing:
        commands, groups = (
            {name: summary for name, (_, summary) in kind.items()} for kind in (COMMANDS, GROUPS)
        )
        return run_app(make_overview(commands, groups), arguments, hint)
    known = (*COMMANDS, *GROUPS)
    return run_app(_application(arguments[:1] if arguments[0] in known else known), arguments, hint)


def _command_first(argv: Sequence[str]) -> list[str]:
    """The words of a line with the common options that precede the command's name moved after it."""
    place = 0
    while place < len(argv) and (name := argv[place].partition("=")[0]) in COMMON_OPTIONS:
        place += 1 + (COMMON_OPTIONS[name] if name == argv[place] else 0)
    command = place + 2 if argv[place : place + 1] and argv[place] in GROUPS else place + 1
    return [*argv[place:command], *argv[:place], *argv[command:]]


def _reader_gone() -> int:
    """The exit code after the reader of standard output has gone."""
    discard_output()
    return SIGPIPE_EXIT


def _fail(arguments: Sequence[str], error: PalimpsestError) -> int:
    output = make_output(_command_in(arguments), as_json="--json" in arguments)
    try:
        show_error(output, error)
        output.flush()
    except BrokenPipeError:
        discard_output()
    except OutputLost as lost:
        show_error(output, lost)
    return error.exit_code


def _command_in(arguments: Sequence[str]) -> str:
    """The command that a line names, for the `schema` of its error object."""
    return next((word for word in arguments if word in COMMANDS or word in GROUPS), "error")
