"""The prompt at a terminal: editing, history, completion, several lines, and the status line below it.

Enter sends; Alt-Enter, and Enter after a backslash, start a new line; pasted text keeps its lines. Ctrl-C raises
KeyboardInterrupt, and Ctrl-D on an empty line ends. The history is in the platform's folder for state, readable only by
its owner; without such a folder there is none.
"""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from prompt_toolkit import PromptSession
from prompt_toolkit.application import get_app
from prompt_toolkit.completion import CompleteEvent, Completer, Completion
from prompt_toolkit.document import Document
from prompt_toolkit.formatted_text import StyleAndTextTuples
from prompt_toolkit.history import FileHistory, History, InMemoryHistory
from prompt_toolkit.input import Input
from prompt_toolkit.input.typeahead import clear_typeahead
from prompt_toolkit.key_binding import KeyBindings, KeyPressEvent
from prompt_toolkit.output import Output
from prompt_toolkit.patch_stdout import patch_stdout
from prompt_toolkit.styles import Style

from palimpsest.cli.chat.commands import completions
from palimpsest.cli.chat.history import history_file
from palimpsest.cli.chat.model_choice import suggestions
from palimpsest.cli.chat.reader import Shown, continues
from palimpsest.file_writing import write

PROMPT = "> "
MAX_HISTORY_BYTES = 1_000_000
_STYLES = {
    "green": "ansigreen",
    "cyan": "ansicyan",
    "yellow": "ansiyellow",
    "red": "ansired",
    "bright_black": "ansibrightblack",
}
_STYLE = Style.from_dict({"bottom-toolbar": "noreverse", "prompt": "bold"})


class KeptHistory(FileHistory):
    """A history in a file. A full disk does not stop the chat."""

    def store_string(self, string: str) -> None:
        with contextlib.suppress(OSError):
            super().store_string(string)


def open_history(path: Path | None) -> History:
    """The history in a file that only its owner can read, created if missing. A file that is too large loses its older
    half; anything that is not a regular file, such as a link to /dev/null, is left alone.
    """
    if path is None or (path.exists() and not path.is_file()):
        return InMemoryHistory()
    try:
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        os.close(os.open(path, os.O_CREAT | os.O_WRONLY, 0o600))
        path.chmod(0o600)
        if path.stat().st_size > MAX_HISTORY_BYTES:
            _halve(path)
    except OSError:
        return InMemoryHistory()
    return KeptHistory(str(path))


def _halve(path: Path) -> None:
    """Keep the newer half of a history, starting at an entry."""
    data = path.read_bytes()[-MAX_HISTORY_BYTES // 2 :]
    write(path, data[max(0, data.find(b"\n# ")) :])


class Offers(Completer):
    """Completes commands and their arguments."""

    def __init__(self, shown: Shown) -> None:
        self._shown = shown

    def get_completions(
        self,
        document: Document,
        complete_event: CompleteEvent,  # noqa: ARG002  (the library's signature)
    ) -> Iterable[Completion]:
        offered = completions(document.text_before_cursor, self._shown.conversations(), suggestions())
        return [Completion(word, -replaced, display_meta=what) for word, what, replaced in offered]


def bindings() -> KeyBindings:
    """The meaning of Enter and Alt-Enter."""
    keys = KeyBindings()

    @keys.add("enter")
    def _(event: KeyPressEvent) -> None:
        buffer = event.current_buffer
        if buffer.complete_state is not None and buffer.complete_state.current_completion is not None:
            buffer.complete_state = None
            return
        line = buffer.document.current_line_before_cursor
        if continues(line) and not buffer.document.current_line_after_cursor:
            buffer.delete_before_cursor()
            buffer.insert_text("\n")
            return
        buffer.validate_and_handle()

    @keys.add("escape", "enter")
    def _(event: KeyPressEvent) -> None:
        event.current_buffer.insert_text("\n")

    return keys


@dataclass(slots=True)
class KeyReader:
    """Reads from a prompt. `input` and `output` default to the terminal."""

    session: PromptSession[str]
    shown: Shown
    input: Input | None = None
    output: Output | None = None

    async def read(self) -> str | None:
        try:
            with patch_stdout(raw=True):
                return await self.session.prompt_async(PROMPT)
        except EOFError:
            return None

    async def ask(self, question: str) -> str:
        asking: PromptSession[str] = PromptSession(
            history=InMemoryHistory(), input=self.input, output=self.output, style=_STYLE
        )
        _drop_typed(asking.app.input)
        try:
            with patch_stdout(raw=True):
                return await asking.prompt_async(question)
        except EOFError:
            return ""

    def changed(self) -> None:
        self.session.app.invalidate()


def _drop_typed(source: Input) -> None:
    """Drop keys that were typed before a question was shown: they were not meant as its answer."""
    clear_typeahead(source)
    with contextlib.suppress(ImportError, OSError, ValueError):
        import termios

        if os.isatty(source.fileno()):
            termios.tcflush(source.fileno(), termios.TCIFLUSH)


def make_reader(shown: Shown, *, input: Input | None = None, output: Output | None = None) -> KeyReader:
    """A prompt with history, completion and status line."""

    def toolbar() -> StyleAndTextTuples:
        width = get_app().output.get_size().columns
        return [(_STYLES.get(style, ""), text) for style, text in shown.status(width)]

    session: PromptSession[str] = PromptSession(
        history=open_history(history_file()),
        completer=Offers(shown),
        complete_while_typing=True,
        key_bindings=bindings(),
        multiline=True,
        prompt_continuation=[("", " " * len(PROMPT))],
        bottom_toolbar=toolbar,
        style=_STYLE,
        input=input,
        output=output,
        reserve_space_for_menu=6,
        enable_suspend=True,
    )
    return KeyReader(session, shown, input, output)
