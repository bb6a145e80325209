"""Where a command's output goes, and in what form.

- Results go to standard output, uncoloured, as aligned columns: cut to a terminal's width, complete on a pipe.
- With `--json` standard output is always one object, which names its `schema`: `palimpsest.<command>/1`.
- Progress, notes and errors go to standard error; progress and colour only if that is a terminal.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Generator, Iterable, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, TextIO

from palimpsest.cli.drawing import Listing, clean, columns, short_ids, size
from palimpsest.errors import DoesNotFit, PalimpsestError, UsageError, reason_of
from palimpsest.record.message import Media, Opaque, Part, Reasoning, Text, ToolCall, ToolResult

if TYPE_CHECKING:
    from rich.console import Console
    from rich.progress import Progress


INTERRUPTED_EXIT = 130
SIGPIPE_EXIT = 141
"""The exit code if the reader of standard output has gone."""

PIPE_CELLS = 80
"""The width of a line on a pipe."""

Block = str | list[str] | Listing


@dataclass(frozen=True, slots=True)
class Output:
    """The two streams of one run of one command."""

    command: str
    as_json: bool

    @property
    def width(self) -> int:
        """The width of a line on standard output in cells: the terminal's, or 80 on a pipe."""
        import shutil

        return shutil.get_terminal_size().columns if self.terminal else PIPE_CELLS

    @property
    def terminal(self) -> bool:
        """Whether standard output is a terminal."""
        return is_terminal(sys.stdout)

    def ids(self, ids: Sequence[str]) -> dict[str, str]:
        """How ids are shown: short on a terminal, complete on a pipe."""
        return short_ids(ids) if self.terminal else {one: one for one in ids}

    def result(self, fields: Mapping[str, object], *blocks: Block) -> None:
        """Print the command's result: `fields` as one JSON object with `--json`, else `blocks` as text."""
        if self.as_json:
            self.json({"schema": f"palimpsest.{self.command}/1", **fields})
        else:
            for block in blocks:
                self.show(block)

    def json(self, value: object) -> None:
        """Print one JSON document on standard output."""
        import json

        _write(json.dumps(value, ensure_ascii=False, indent=2))

    def show(self, block: Block) -> None:
        """Print text, lines, or a listing on standard output."""
        if isinstance(block, Listing):
            block = columns(block, self.width if self.terminal else 0)
        _write(block if isinstance(block, str) else "\n".join(block))

    def note(self, text: str) -> None:
        """Print a remark on standard error."""
        _write_error("", "", text)

    def check_apart(self, path: Path) -> None:
        """Raises UsageError if a file to be written is standard output while that takes the JSON result."""
        if self.as_json and _is_standard_output(path):
            raise UsageError(
                f"{path} is standard output, where --json writes its result",
                hint="name a file, or leave out --json",
            )

    def wrote(self, path: Path, fields: Mapping[str, object], *blocks: str | list[str]) -> None:
        """Print the result of a command that wrote a file: on standard error if the file is standard output."""
        if not _is_standard_output(path):
            self.result(fields, *blocks)
            return
        for block in blocks:
            self.note(block if isinstance(block, str) else "\n".join(block))

    def flush(self) -> None:
        """Pass everything printed so far to the operating system."""
        with _lost_output_as_error():
            sys.stdout.flush()

    @contextmanager
    def progress(self, label: str, total: int) -> Generator[Ticker]:
        """Show a progress bar on standard error until the block ends; nothing if that is not a terminal."""
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
        """Like `progress`, for work of unknown length: shows that it goes on and the elapsed time."""
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

    def step(self, label: str) -> None:
        """Advance by one, with a description of the current step."""
        if self.progress is not None:
            task = self.progress.task_ids[self.task]
            self.progress.update(task, description=label, advance=1)

    def at(self, label: str, done: int, of: int) -> None:
        """Set the position, with a description of the current step."""
        if self.progress is not None:
            task = self.progress.task_ids[self.task]
            self.progress.update(task, description=label, completed=done, total=of)


def fields_of(value: object, names: str) -> dict[str, object]:
    """The attributes of a value with these names, as fields of a JSON object."""
    return {name: getattr(value, name) for name in names.split()}


def make_output(command: str, *, as_json: bool) -> Output:
    """The output of one run on the process's streams. Both write UTF-8 and accept lone surrogates."""
    if sys.stdout is None:  # the caller closed it: `>&-`
        sys.stdout = Path(os.devnull).open("w", encoding="utf-8")  # noqa: SIM115  (open as long as the process runs)
    for stream in (sys.stdout, sys.stderr):
        reconfigure = getattr(stream, "reconfigure", None)
        if reconfigure is not None:
            reconfigure(encoding="utf-8", errors="backslashreplace")
    return Output(command, as_json)


def is_terminal(stream: TextIO | None) -> bool:
    """Whether a stream is a terminal, or `FORCE_COLOR` says to treat it as one."""
    forced = os.environ.get("FORCE_COLOR")
    if forced is not None:
        return bool(forced)
    try:
        return stream is not None and stream.isatty()
    except ValueError:  # it is closed
        return False


def error_console() -> Console:
    """A console on standard error. Imported here because most commands draw nothing."""
    from rich.console import Console

    plain = bool(os.environ.get("NO_COLOR"))
    return Console(stderr=True, no_color=plain, highlight=False, markup=False, emoji=False)


class OutputLost(PalimpsestError):
    """Standard output cannot be written to, for example because the disk is full."""


def discard_output() -> None:
    """Discard what is still unwritten. Otherwise Python reports an error at exit."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def show_error(output: Output, error: PalimpsestError) -> None:
    """Print one line with the error and one with what to do; with `--json` the error object, unless standard output is
    what failed.
    """
    if output.as_json and not isinstance(error, OutputLost):
        fields = fields_of(error, "kind message hint retryable")
        if isinstance(error, DoesNotFit):
            fields["parts"] = [{"name": name, "tokens": tokens} for name, tokens in error.parts]
            fields["capacity_tokens"] = error.capacity_tokens
        output.result({"error": fields})
        return
    _write_error("error:", "bold red", clean(error.message))
    if error.hint:
        _write_error("   do:", "bold", clean(error.hint))


def _write_error(label: str, style: str, text: str) -> None:
    """Print one line on standard error, with a styled label if that is a terminal."""
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
    with _lost_output_as_error():
        sys.stdout.write(text + "\n")


@contextmanager
def _lost_output_as_error() -> Generator[None]:
    """Turn a failure of standard output into OutputLost. A BrokenPipeError (the reader has gone) stays one."""
    try:
        yield
    except BrokenPipeError:
        raise
    except OSError as error:
        discard_output()
        raise OutputLost(
            f"cannot write the output: {reason_of(error)}", hint="make room, or write elsewhere"
        ) from error


_FIELDS: dict[type[Part], tuple[str, str]] = {
    Text: ("text", "text"),
    Reasoning: ("reasoning", "text signature redacted"),
    ToolCall: ("tool_call", "id name arguments"),
    ToolResult: ("tool_result", "call_id content is_error"),
    Media: ("media", "media_type uri data size_bytes"),
    Opaque: ("opaque", "kind data"),
}


def parts_text(parts: Iterable[Part]) -> str:
    """The parts of a message in order; every part other than text follows a label."""
    return "\n".join(text for part in parts if (text := _part_text(part)))


def _part_text(part: Part) -> str:
    match part:
        case Text(text=text):
            return text
        case Reasoning(text=text, redacted=redacted):
            return f"[reasoning, encrypted: {len(text):,} characters]" if redacted else f"[reasoning] {text}"
        case Opaque():
            return f"[{part.kind}] {part.text}"
        case ToolCall(id=call_id, name=name, arguments=arguments):
            return f"[call {call_id}] {name} {arguments}"
        case ToolResult(call_id=call_id, is_error=is_error):
            label = f"[result of {call_id}{', an error' if is_error else ''}]"
            return "\n".join([label, *(_part_text(inner) for inner in part.content)])
        case Media(media_type=media_type, uri=uri, data=data, size_bytes=size_bytes):
            return f"[{media_type}: {uri or size(size_bytes or len(data) * 3 // 4)}]"


def part_fields(part: Part) -> dict[str, object]:
    """A part as a JSON object; `type` names its kind."""
    kind, names = _FIELDS[type(part)]
    fields = {"type": kind, **fields_of(part, names)}
    if isinstance(part, ToolResult):
        fields["content"] = [part_fields(one) for one in part.content]
    return fields
