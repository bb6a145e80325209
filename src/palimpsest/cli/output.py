"""Where output goes and in which dress.

- Results go to standard output, without colour: aligned columns, cut to the width of a terminal, whole on a pipe.
- With `--json` standard output is one object, on every exit; it names its `schema`, `palimpsest.<command>/1`.
- Progress, notes and errors go to standard error; progress and colour only when that is a terminal.
"""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Generator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from rich.console import Console
from rich.progress import (
    BarColumn,
    MofNCompleteColumn,
    Progress,
    SpinnerColumn,
    TextColumn,
    TimeElapsedColumn,
    TimeRemainingColumn,
)
from rich.text import Text

from palimpsest.cli.draw import Listing, clean, columns
from palimpsest.errors import DoesNotFit, PalimpsestError

Block = str | list[str] | Listing


@dataclass(frozen=True, slots=True)
class Output:
    """The two streams of one run of one command."""

    command: str
    as_json: bool
    out: Console
    err: Console

    @property
    def width(self) -> int:
        """Cells of a line on standard output: the terminal's, or 80 on a pipe."""
        return self.out.width if self.out.is_terminal else 80

    @property
    def terminal(self) -> bool:
        """Whether a person looks at standard output."""
        return self.out.is_terminal

    def result(self, fields: Mapping[str, object], *blocks: Block) -> None:
        """Print the command's result: `fields` as one JSON object with `--json`, else `blocks` for a person."""
        if self.as_json:
            self.json({"schema": f"palimpsest.{self.command}/1", **fields})
        else:
            for block in blocks:
                self.show(block)

    def json(self, value: object) -> None:
        """One JSON document on standard output."""
        _write(json.dumps(value, ensure_ascii=False, indent=2))

    def show(self, block: Block) -> None:
        """Text, lines, or a listing on standard output."""
        if isinstance(block, Listing):
            block = columns(block, self.out.width if self.terminal else 0)
        _write(block if isinstance(block, str) else "\n".join(block))

    def note(self, text: str) -> None:
        """A remark for the person, on standard error."""
        self.err.print(Text(text), soft_wrap=True)

    def flush(self) -> None:
        """Hand everything printed so far to the system."""
        with _told_when_lost():
            sys.stdout.flush()

    @contextmanager
    def progress(self, label: str, total: int) -> Generator[Ticker]:
        """A progress bar on standard error that is gone when done; nothing at all where that is no terminal."""
        if not self.err.is_terminal or self.as_json:
            yield Ticker()
            return
        shown = (
            TextColumn("{task.description}"),
            BarColumn(bar_width=24),
            MofNCompleteColumn(),
            TimeRemainingColumn(compact=True),
        )
        with Progress(
            *shown, console=self.err, transient=True, redirect_stdout=self.out.is_terminal
        ) as progress:
            yield Ticker(progress, int(progress.add_task(label, total=total)))

    @contextmanager
    def working(self, label: str) -> Generator[None]:
        """As `progress`, for what ends nobody knows when: that it goes on, and for how long it has."""
        if not self.err.is_terminal or self.as_json:
            yield
            return
        shown = (SpinnerColumn("line"), TextColumn("{task.description}"), TimeElapsedColumn())
        with Progress(*shown, console=self.err, transient=True) as progress:
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


def make_output(command: str, *, as_json: bool) -> Output:
    """The output of one run, on the process's own streams. Both write UTF-8, and never fail on a lone surrogate."""
    if sys.stdout is None:  # the caller closed it: `>&-`
        sys.stdout = Path(os.devnull).open("w", encoding="utf-8")  # noqa: SIM115  (open as long as the process runs)
    for stream in (sys.stdout, sys.stderr):
        reconfigure = getattr(stream, "reconfigure", None)
        if reconfigure is not None:
            reconfigure(encoding="utf-8", errors="backslashreplace")
    plain = bool(os.environ.get("NO_COLOR"))
    out = Console(color_system=None, highlight=False, markup=False, emoji=False)
    err = Console(stderr=True, no_color=plain, highlight=False, markup=False, emoji=False)
    return Output(command, as_json, out, err)


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
    output.err.print(Text.assemble(("error:", "bold red"), " ", clean(error.message)), soft_wrap=True)
    if error.hint:
        output.err.print(Text.assemble(("   do:", "bold"), " ", clean(error.hint)), soft_wrap=True)


def error_fields(error: PalimpsestError) -> dict[str, object]:
    """The settled error object; an error about size also names the parts that are too large."""
    fields: dict[str, object] = {
        "kind": error.kind,
        "message": error.message,
        "hint": error.hint,
        "retryable": error.retryable,
    }
    if isinstance(error, DoesNotFit):
        fields["parts"] = [{"name": name, "tokens": tokens} for name, tokens in error.parts]
        fields["capacity_tokens"] = error.capacity_tokens
    return fields


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
        reason = error.strerror or type(error).__name__
        raise OutputLost(
            f"cannot write the output: {reason}", hint="make room, or write elsewhere"
        ) from error
