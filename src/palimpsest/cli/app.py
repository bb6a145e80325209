"""All commands in one application, and the border where every failure becomes an exit code and two lines.

A command is imported when a line names it, and none of them for the help: who types one waits for no other. What
reads every possible line is imported only for one that is not simple (`plain`).
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from importlib import import_module
from typing import TYPE_CHECKING, cast

from palimpsest.cli import INTERRUPTED_EXIT
from palimpsest.cli.fast_parser import values_of
from palimpsest.cli.help_summaries import SAYS
from palimpsest.cli.output import SIGPIPE_EXIT, OutputLost, discard_output, make_output, show_error
from palimpsest.errors import DoesNotFit, PalimpsestError
from palimpsest.price.user_prices import use_kept

if TYPE_CHECKING:
    import typer

    from palimpsest.price.table import Kept

DEBUG_VARIABLE = "PALIMPSEST_DEBUG"
COMPLETING_VARIABLE = "_PALIMPSEST_COMPLETE"

COMMANDS = {
    "demo": "commands.demo.demo",
    "chat": "chat.command.chat",
    "import": "commands.import_.import_",
    "export": "commands.export.export",
    "list": "commands.list_show_stats.list_",
    "show": "commands.list_show_stats.show",
    "window": "commands.window.window",
    "compact": "commands.compact.compact",
    "pin": "commands.pin.pin",
    "unpin": "commands.pin.unpin",
    "pins": "commands.pin.pins",
    "grep": "commands.grep.grep",
    "search": "commands.search.search",
    "embed": "commands.embed.embed",
    "expand": "commands.expand.expand",
    "describe": "commands.expand.describe",
    "trace": "commands.trace.trace",
    "cost": "commands.cost.cost",
    "prices": "commands.prices.prices",
    "stats": "commands.list_show_stats.stats",
    "forget": "commands.forget.forget",
    "retain": "commands.forget.retain",
    "verify": "commands.verify_backup.verify",
    "doctor": "commands.verify_backup.doctor",
    "backup": "commands.verify_backup.backup",
    "mcp": "commands.mcp.mcp",
}
"""Where in this package the function of each command is, in the order of the help text."""
GROUPS = {"config": "commands.config.app"}
"""Where the application of each group of commands is."""

HELP = (["--help"], ["-h"])
"""Lines that ask what commands there are."""

COMMON_OPTIONS = {"--db": 1, "--owner": 1, "--config": 1, "--json": 0}
"""Options of most commands, with how many values each takes: they may stand before the command's name, too."""


def _found(place: str) -> object:
    module, _, name = place.rpartition(".")
    return getattr(import_module(f"palimpsest.cli.{module}"), name)


def _application(names: Iterable[str]) -> typer.Typer:
    """The library's application with these of the commands and groups."""
    from palimpsest.cli.typer_app import make_app

    commands = {name: _command(name) for name in names if name in COMMANDS}
    return make_app(commands, {name: _group(name) for name in names if name in GROUPS})


def _command(name: str) -> Callable[..., None]:
    return cast("Callable[..., None]", _found(COMMANDS[name]))


def _group(name: str) -> typer.Typer:
    return cast("typer.Typer", _found(GROUPS[name]))


def command_names() -> list[str]:
    """The names of all commands, in the order of the help text."""
    inner = [f"{name} {one.name}" for name in GROUPS for one in _group(name).registered_commands]
    return [*COMMANDS, *GROUPS, *inner]


def _kept_prices() -> Mapping[str, Kept]:
    """The prices that a person keeps count in every command. Their file is read when a price is first asked for."""
    from palimpsest.config.prices import kept_prices

    return kept_prices()


def run(argv: Sequence[str]) -> int:
    """Run one command line (without the program's name) and return the exit code."""
    arguments = _command_first(argv) or ["--help"]
    known = (*COMMANDS, *GROUPS)
    names = arguments[:1] if arguments[0] in known else known
    use_kept(_kept_prices)
    try:
        code = _performed(arguments, names)
        make_output("", as_json=False).flush()
    except BrokenPipeError:
        return _left_alone()
    except SystemExit as ended:
        if isinstance(
            ended.__context__, BrokenPipeError
        ):  # the library below ends the process by itself then
            return _left_alone()
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
        from palimpsest.redaction.error_texts import redact

        message = redact(f"{type(error).__name__}: {error}") if str(error) else type(error).__name__
        hint = f"this is a fault in palimpsest; set {DEBUG_VARIABLE}=1 to see where it happened"
        return _fail(arguments, PalimpsestError(message, hint=hint))
    if code == INTERRUPTED_EXIT:
        from palimpsest.cli.signals import interrupted

        return _fail(arguments, interrupted())
    return code if isinstance(code, int) else 0


def _performed(arguments: Sequence[str], names: Sequence[str]) -> object:
    """Run a line: one that is simple at once, every other by the library."""
    if arguments[0] in COMMANDS and COMPLETING_VARIABLE not in os.environ:
        command = _command(arguments[0])
        values = values_of(command, arguments[1:])
        if values is not None:
            return command(**values)
    from palimpsest.cli.typer_app import make_overview, obey

    named = _command_in(arguments)
    hint = "palimpsest --help" if named == "error" else f"palimpsest {named} --help"
    if arguments in HELP and COMPLETING_VARIABLE not in os.environ:
        says = [{name: SAYS[name] for name in kind} for kind in (COMMANDS, GROUPS)]
        return obey(make_overview(*says), arguments, hint)
    return obey(_application(names), arguments, hint)


def _command_first(argv: Sequence[str]) -> list[str]:
    """The words of a line with the common options that stand before the command's name behind it."""
    place = 0
    while place < len(argv) and (name := argv[place].partition("=")[0]) in COMMON_OPTIONS:
        place += 1 + (COMMON_OPTIONS[name] if name == argv[place] else 0)
    command = place + 2 if argv[place : place + 1] and argv[place] in GROUPS else place + 1
    return [*argv[place:command], *argv[:place], *argv[command:]]


def _left_alone() -> int:
    """The exit code where whoever read standard output has gone."""
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
    """The command a line names, for the `schema` of its error object."""
    return next((word for word in arguments if word in COMMANDS or word in GROUPS), "error")
