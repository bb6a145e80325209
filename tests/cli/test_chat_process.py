"""`palimpsest chat` as a process: through a pipe, and at a terminal of its own."""

from __future__ import annotations

import fcntl
import os
import pty
import re
import select
import signal
import struct
import subprocess
import sys
import termios
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.cli.run import Shell
from tests.cli.test_process import COMMAND, environment

CHAT = [*COMMAND, "chat"]
TAKE_TERMINAL = """
import fcntl, os, sys, termios
fcntl.ioctl(0, termios.TIOCSCTTY, 0)
os.execv(sys.argv[1], sys.argv[1:])
"""
OWN_TERMINAL = [sys.executable, "-c", TAKE_TERMINAL]
"""Makes standard input the terminal that sends a process its Ctrl-C."""
WHERE_IS_THE_CURSOR, AT_THE_TOP = b"\x1b[6n", b"\x1b[1;1R"
ESCAPES = re.compile(rb"\x1b\[[0-9;?]*[a-zA-Z]|\x1b[=>]|\r")
WAIT_S = 60.0


def piped(folder: Path, said: str, *words: str, **more: str) -> subprocess.CompletedProcess[str]:
    """A chat with lines on its standard input."""
    return subprocess.run(
        [*CHAT, *words, "--db", str(folder / "p.db")],
        cwd=folder,
        env=environment(folder, **more),
        input=said,
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )


@pytest.mark.slow
def test_a_pipe_gets_the_answers_and_nothing_else(tmp_path: Path) -> None:
    done = piped(tmp_path, "hi\n")
    assert (done.returncode, done.stdout) == (0, "You said: hi\n")
    assert done.stderr.startswith("no key is set, so a scripted model answers")
    name = re.search(r"palimpsest chat (chat-\w+) --db", done.stderr)
    assert name is not None
    again = piped(tmp_path, 'use run_command {"command": "echo $((6 * 7))"}\ny\n/grep hi\n', name[1][:8])
    assert "run_command answered: 42\n" in again.stdout
    assert "m1  user" in again.stdout
    assert "\x1b" not in done.stdout + done.stderr + again.stdout + again.stderr


@pytest.mark.slow
def test_a_missing_key_and_a_last_line_that_failed_have_the_exit_codes_of_every_command(
    tmp_path: Path,
) -> None:
    assert piped(tmp_path, "", "--model", "openai:gpt-5").returncode == 4
    assert piped(tmp_path, "/compcat\n").returncode == 2
    assert piped(tmp_path, "/compcat\nhi\n").returncode == 0


def test_options_that_cannot_be_used_are_refused_before_anything_is_read(
    shell: Shell, tmp_path: Path
) -> None:
    for code, words in (
        (3, ("last",)),
        (2, ("--workspace", tmp_path)),
        (4, ("--preset", "nothing")),
        (4, ("--model", "nobody:x")),
        (2, ("--system", "@missing")),
    ):
        assert shell("chat", *words).code == code


@pytest.mark.slow
def test_a_workspace_holds_store_and_session_file(tmp_path: Path) -> None:
    done = subprocess.run(
        [*CHAT, "pier-7", "--workspace", "harbour", "--system", "Be brief.", "--window", "16000"],
        cwd=tmp_path,
        env=environment(tmp_path),
        input="hi\n",
        capture_output=True,
        text=True,
        check=True,
        timeout=60,
    )
    names = sorted(path.name for path in (tmp_path / "harbour" / "sessions").iterdir())
    assert "pier-7.jsonl" in names
    assert "palimpsest.db" in names
    assert f"palimpsest chat pier-7 --workspace {tmp_path / 'harbour'}" in done.stderr


@dataclass(slots=True)
class Terminal:
    """A process at a terminal of its own, and what that has shown so far."""

    process: subprocess.Popen[bytes]
    keeper: int
    shown: bytes = b""

    def type(self, text: str) -> None:
        """Press these keys."""
        os.write(self.keeper, text.encode())

    def until(self, wanted: str, since: int = 0) -> int:
        """Read until this is shown; how much has been by then."""
        ends_s = time.monotonic() + WAIT_S
        while wanted.encode() not in self.plain()[since:]:
            left_s = ends_s - time.monotonic()
            assert left_s > 0, f"{wanted!r} never came: {self.plain().decode(errors='replace')}"
            if select.select([self.keeper], [], [], min(left_s, 0.1))[0]:
                piece = os.read(self.keeper, 65_536)
                self.shown += piece
                os.write(self.keeper, AT_THE_TOP * piece.count(WHERE_IS_THE_CURSOR))
        return len(self.plain())

    def answered(self, wanted: str, since: int) -> int:
        """Read until this is shown and the prompt is there again."""
        return self.until("▏", self.until(wanted, since))

    def plain(self) -> bytes:
        """What was shown without what only moves the cursor or colours."""
        return ESCAPES.sub(b"", self.shown)


@contextmanager
def at_terminal(folder: Path, *words: str, columns: int = 80, **more: str) -> Iterator[Terminal]:
    """A chat at a terminal of so many columns; it is ended at last."""
    keeper, terminal = pty.openpty()
    fcntl.ioctl(terminal, termios.TIOCSWINSZ, struct.pack("HHHH", 40, columns, 0, 0))
    variables = environment(folder, **more)
    del variables["COLUMNS"]
    process = subprocess.Popen(
        [*OWN_TERMINAL, *CHAT, *words, "--db", str(folder / "p.db")],
        cwd=folder,
        env=variables,
        stdin=terminal,
        stdout=terminal,
        stderr=terminal,
        start_new_session=True,
    )
    os.close(terminal)
    try:
        yield Terminal(process, keeper)
    finally:
        if process.poll() is None:
            os.killpg(process.pid, signal.SIGKILL)
        process.wait(timeout=60)
        os.close(keeper)


@pytest.mark.slow
def test_at_a_terminal_ctrl_c_ends_a_slow_command_and_the_chat_goes_on(tmp_path: Path) -> None:
    with at_terminal(tmp_path) as terminal:
        place = terminal.until("▏")
        terminal.type('use run_command {"command": "sleep 60"}\r')
        place = terminal.until("[a]lways this one:", place)
        terminal.type("y\r")
        place = terminal.until("running; Ctrl-C stops", place)
        terminal.type("\x03")
        place = terminal.answered("stopped; Enter goes on", place)
        terminal.type("\r")
        place = terminal.answered("run_command failed: interrupted", place)
        terminal.type("hello again\r")
        place = terminal.answered("You said: hello again", place)
        terminal.type("\x04")
        terminal.until("go on with it: palimpsest chat chat-", place)
        assert terminal.process.wait(timeout=60) == 0


@pytest.mark.slow
def test_a_narrow_terminal_without_colour_shows_no_colour_and_the_status(tmp_path: Path) -> None:
    with at_terminal(tmp_path, columns=40, NO_COLOR="1") as terminal:
        place = terminal.until("▏")
        terminal.type("count to 30\r")
        place = terminal.answered("27 28 29", place)
        terminal.type("/context\r")
        place = terminal.answered("╲ margin", place)
        terminal.type("\x03")
        place = terminal.answered("Ctrl-C again", place)
        terminal.type("\x03")
        terminal.until("go on with it", place)
        assert terminal.process.wait(timeout=60) == 0
        assert re.search(rb"\x1b\[[0-9;]*3[1-7]m|\x1b\[[0-9;]*9[0-7]m|38;5", terminal.shown) is None
