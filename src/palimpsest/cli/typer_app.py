"""The commands as a typer application, for the help and for lines that `parameters.parse_simple` does not parse."""

from __future__ import annotations

import inspect
from collections.abc import Mapping, Sequence
from functools import wraps
from typing import Annotated, Any

import typer

from palimpsest._version import __version__
from palimpsest.cli.parameters import Command, Declared
from palimpsest.errors import UsageError

PASSING = ("wrap",)
"""Commands that pass on every word from their first argument on, options included."""


def make_app(commands: Mapping[str, Command], groups: Mapping[str, typer.Typer]) -> typer.Typer:
    """The application with these commands and groups."""
    app = typer.Typer(
        name="palimpsest",
        help="Keeps every message of an agent's session, shows the model a window that fits, and finds what left it.",
        epilog='Begin with "palimpsest demo", then "palimpsest import ~/.claude/projects".',
        rich_markup_mode=None,
        context_settings={"help_option_names": ["-h", "--help"]},
        pretty_exceptions_enable=False,
    )
    for name, command in commands.items():
        own = {"allow_interspersed_args": False} if name in PASSING else None
        app.command(name, context_settings=own)(with_typer_parameters(command))
    for name, group in groups.items():
        app.add_typer(group, name=name)
    app.callback()(_root)
    return app


def make_overview(commands: Mapping[str, str], groups: Mapping[str, str]) -> typer.Typer:
    """The application for its own help: the summary of each command and group, without their code."""
    shown = {name: typer.Typer(help=summary) for name, summary in groups.items()}
    for group in shown.values():
        group.callback()(_placeholder(""))
    return make_app({name: _placeholder(summary) for name, summary in commands.items()}, shown)


def _placeholder(summary: str) -> Command:
    def nothing() -> None:
        pass

    nothing.__doc__ = summary or None
    return nothing


def run_app(app: typer.Typer, words: Sequence[str], hint: str) -> object:
    """Run a command line; an integer result is an exit code. Raises UsageError with this hint for a line that cannot be
    parsed, and KeyboardInterrupt if the user answers no.
    """
    try:
        return app(words, prog_name="palimpsest", standalone_mode=False)
    except typer.TyperException as error:
        message = error.format_message().rstrip(".").replace("Value error, ", "")
        raise UsageError(message, hint=hint) from error
    except typer.Abort as error:
        raise KeyboardInterrupt from error


def with_typer_parameters(command: Command) -> Command:
    """The command with its declarations in typer's form."""
    signature = inspect.signature(command, eval_str=True)
    parameters = [
        one.replace(annotation=_translated(one.annotation)) for one in signature.parameters.values()
    ]

    @wraps(command)
    def called(**values: Any) -> int | None:
        return command(**values)

    called.__annotations__ = {one.name: one.annotation for one in parameters}
    called.__signature__ = signature.replace(parameters=parameters)  # pyright: ignore[reportAttributeAccessIssue]
    return called


def _translated(annotation: Any) -> Any:
    one: Declared = annotation.__metadata__[0]
    shared: Any = {"metavar": one.metavar, "help": one.help, "autocompletion": one.complete}
    if one.names:
        made = typer.Option(*one.names, **shared, min=one.least, max=one.most, readable=one.readable)
    else:
        made = typer.Argument(**shared, show_default=one.show_default)
    return Annotated[annotation.__origin__, made]


def _show_version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"palimpsest {__version__}")
        raise typer.Exit


def _root(
    version: Annotated[
        bool, typer.Option("--version", callback=_show_version, is_eager=True, help="Print the version.")
    ] = False,
) -> None:
    pass
