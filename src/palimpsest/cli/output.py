"""Where output goes and in which dress.

- Results go to standard output, without colour: aligned columns, cut to the width of a terminal, whole on a pipe.
- With `--json` standard output is one object, on every exit; it names its `schema`, `palimpsest.<command>/1`.
- Progress, notes and errors go to standard error; progress and colour only when that is a terminal.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Generator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, TextIO

from palimpsest.cli.text_drawing import Listing, clean, columns
from palimpsest.errors import DoesNotFit, PalimpsestError, UsageError, reason_of

if TYPE_CHECKING:
    from rich.console import Console
    from rich.progress import Progress

SIGPIPE_EXIT = 141
"""The exit code where whoever reads standard output has gone."""

PIPE_CELLS = 80
"""Cells of a line on a pipe."""

Block = str | list[str] | Listing


@dataclass(frozen=True, slots=True)
class Output:
    """The two streams of one run of one command."""

    command: str
    as_json: bool

    @property
    def width(self) -> int:
        """Cells of a line on standard output: the terminal's, or 80 on a pipe."""
        import shutil

        return shutil.get_terminal_size().columns if self.terminal else PIPE_CELLS

    @property
    def terminal(self) -> bool:
        """Whether a person looks at standard output."""
        return is_terminal(sys.stdout)

    def result(self, fields: Mapping[str, object], *blocks: Block) -> None:
        """Print the command's result: `fields` as one JSON object with `--json`, else `blocks` for a person."""
        if self.as_json:
            self.json({"schema": f"palimpsest.{self.command}/1", **fields})
        else:
            for block in blocks:
                self.show(block)

    def json(self, value: object) -> None:
        """One JSON document on standard output."""
        import json

        _write(json.dumps(value, ensure_ascii=False, indent=2))

    def show(self, block: Block) -> None:
        """Text, lines, or a listing on standard output."""
        if isinstance(block, Listing):
            block = columns(block, self.width if self.terminal else 0)
        _write(block if isinstance(block, str) else "\n".join(block))

    def note(self, text: str) -> None:
        """A remark for the person, on standard error."""
        _warn("", "", text)

    def check_apart(self, path: Path) -> None:
        """Raises UsageError where a path that is going to be written to is standard output, which holds JSON."""
        if self.as_json and _is_standard_output(path):
            raise UsageError(
                f"{path} is standard output, where --json writes its result",
                hint="name a file, or leave out --json",
            )

    def wrote(self, path: Path, fields: Mapping[str, object], *blocks: str | list[str]) -> None:
        """Print the result of a command that wrote to a path: on standard error where that was standard output."""
        if not _is_standard_output(path):
            self.result(fields, *blocks)
            return
        for block in blocks:
            self.note(block if isinstance(block, str) else "\n".join(block))

    def flush(self) -> None:
        """Hand everything printed so far to the system."""
        with _told_when_lost():
            sys.stdout.flush()

    @contextmanager
    def progress(self, label: str, total: int) -> Generator[Ticker]:
        """A progress bar on standard error that is gone when done; nothing at all where that is no terminal."""
        if not is_terminal(sys.stderr) or self.as_json:
            yield Ticker()
            return
        from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

        shown = (
            TextColumn("{task.description}"),
            BarColumn(bar_width=24),
            MofNCompleteColumn(),
            TimeRemainingColumn(compact=True),
        )
        with Progress(
            *shown, console=error_console(), transient=True, redirect_stdout=self.terminal
        ) as progress:
            yield Ticker(progress, int(progress.add_task(label, total=total)))

    @contextmanager
    def working(self, label: str) -> Generator[None]:
        """As `progress`, for what ends nobody knows when: that it goes on, and for how long it has."""
        if not is_terminal(sys.stderr) or self.as_json:
            yield
            return
        from rich.progress import Progress, SpinnerColumn, TextColumn, TimeElapsedColumn

        shown = (SpinnerColumn("line"), TextColumn("{task.description}"), TimeElapsedColumn())
        with Progress(*shown, console=error_console(), transient=True) as progress:
            progress.add_task(label, total=None)
            yield


@dataclass(frozen=True, slots=True)
class Ticker:
    """A running progress bar, or none."""

    progress: Progress | None = None
    task: int = 0

    def step(self, label: str = "", by: int = 1) -> None:
        """Move on by `by`, saying what is being done."""
        if self.progress is None:
            return
        self.progress.advance(self.progress.task_ids[self.task], by)
        if label:
            self.progress.update(self.progress.task_ids[self.task], description=label)

    def at(self, label: str, done: int, of: int) -> None:
        """Stand at `done` of so many, saying what is being done."""
        if self.progress is not None:
            task = self.progress.task_ids[self.task]
            self.progress.update(task, description=label, completed=done, total=of)


def fields_of(value: object, names: str) -> dict[str, object]:
    """What a value says under these names, as the fields of a JSON object under the same."""
    return {name: getattr(value, name) for name in names.split()}


def make_output(command: str, *, as_json: bool) -> Output:
    """The output of one run, on the process's own streams. Both write UTF-8, and never fail on a lone surrogate."""
    if sys.stdout is None:  # the caller closed it: `>&-`
        sys.stdout = Path(os.devnull).open("w", encoding="utf-8")  # noqa: SIM115  (open as long as the process runs)
    for stream in (sys.stdout, sys.stderr):
        reconfigure = getattr(stream, "reconfigure", None)
        if reconfigure is not None:
            reconfigure(encoding="utf-8", errors="backslashreplace")
    return Output(command, as_json)


def is_terminal(stream: TextIO | None) -> bool:
    """Whether a person looks at a stream, or `FORCE_COLOR` says to take it so."""
    forced = os.environ.get("FORCE_COLOR")
    if forced is not None:
        return bool(forced)
    try:
        return stream is not None and stream.isatty()
    except ValueError:  # it is closed
        return False


def error_console() -> Console:
    """What draws on standard error. Imported here, because most commands draw nothing."""
    from rich.console import Console

    plain = bool(os.environ.get("NO_COLOR"))
    return Console(stderr=True, no_color=plain, highlight=False, markup=False, emoji=False)


class OutputLost(PalimpsestError):
    """Standard output cannot be written to: a full disk, a stream that is gone."""


def discard_output() -> None:
    """Let what is still unwritten go nowhere: Python would complain about it at its end."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def show_error(output: Output, error: PalimpsestError) -> None:
    """One line that says what went wrong and one that says what to do; with `--json` the error object, except where
    nothing can be written to standard output.
    """
    if output.as_json and not isinstance(error, OutputLost):
        output.result({"error": error_fields(error)})
        return
    lines = [("error:", "bold red", error.message), ("   do:", "bold", error.hint)]
    for label, style, said in lines if error.hint else lines[:1]:
        _warn(label, style, clean(said))


def error_fields(error: PalimpsestError) -> dict[str, object]:
    """The settled error object; an error about size also names the parts that are too large."""
    fields = fields_of(error, "kind message hint retryable")
    if isinstance(error, DoesNotFit):
        fields["parts"] = [{"name": name, "tokens": tokens} for name, tokens in error.parts]
        fields["capacity_tokens"] = error.capacity_tokens
    return fields


def _warn(label: str, style: str, text: str) -> None:
    """One line on standard error, its label in a style where a person looks at it."""
    if is_terminal(sys.stderr):
        from rich.text import Text

        error_console().print(Text.assemble((label, style), " " * bool(label), text), soft_wrap=True)
    elif sys.stderr is not None:
        sys.stderr.write(f"{label} {text}\n" if label else f"{text}\n")


def _is_standard_output(path: Path) -> bool:
    try:
        return os.path.samestat(path.stat(), os.fstat(sys.stdout.fileno()))
    except (OSError, ValueError):
        return False


def _write(text: str) -> None:
    with _told_when_lost():
        sys.stdout.write(text + "\n")


@contextmanager
def _told_when_lost() -> Generator[None]:
    """Turns a failing standard output into an error a person can read; a reader that left stays a BrokenPipeError."""
    try:
        yield
    except BrokenPipeError:
        raise
    except OSError as error:
        discard_output()
        raise OutputLost(
            f"cannot write the output: {reason_of(error)}", hint="make room, or write elsewhere"
        ) from error
