"""The command as a process: what each stream gets, a reader that leaves early, completion, the demo."""

from __future__ import annotations

import os
import pty
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Literal

import pytest

from palimpsest import samples
from tests.cli.run import Shell

COMMAND = [sys.executable, "-m", "palimpsest"]
ESCAPE = b"\x1b"


def environment(home: Path, **more: str) -> dict[str, str]:
    """A small environment of its own; nothing of the caller's settings."""
    return {"HOME": str(home), "TERM": "xterm-256color", "COLUMNS": "80", "PYTHONUTF8": "1", **more}


def read_all(descriptor: int) -> bytes:
    """Everything a terminal shows until its last writer has gone."""
    shown = b""
    while True:
        try:
            piece = os.read(descriptor, 65_536)
        except OSError:
            return shown
        if not piece:
            return shown
        shown += piece


def ran(words: list[str], **more: Any) -> subprocess.CompletedProcess[str]:
    """A process that has ended, with what it said on both streams."""
    return subprocess.run(words, capture_output=True, text=True, check=False, timeout=240, **more)


def on_a_terminal(
    stream: Literal["stdout", "stderr"], home: Path, *words: str, **more: str
) -> tuple[int, bytes, bytes]:
    """The exit code of a command one of whose streams is a terminal, what that shows, and what the other one got."""
    keeper, terminal = pty.openpty()
    streams: dict[str, Any] = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, stream: terminal}
    process: Any = subprocess.Popen([*COMMAND, *words], env=environment(home, **more), **streams)
    os.close(terminal)
    shown = read_all(keeper)
    said = process.communicate(timeout=240)
    os.close(keeper)
    return process.returncode, shown, said[stream == "stdout"]


def beginning(folder: Path) -> Path:
    """The first lines of the shipped session."""
    short = folder / "short.jsonl"
    lines = samples.path().read_text(encoding="utf-8").splitlines(keepends=True)
    short.write_text("".join(lines[:90]), encoding="utf-8")
    return short


def test_on_a_terminal_progress_goes_to_standard_error_and_no_colour_to_standard_output(
    tmp_path: Path,
) -> None:
    code, shown, out = on_a_terminal("stderr", tmp_path, "demo", str(beginning(tmp_path)))
    assert code == 0
    assert b"playing" in shown
    assert ESCAPE in shown
    assert ESCAPE not in out
    assert b"The largest took" in out


def test_who_looks_at_a_window_that_has_to_be_compacted_sees_that_it_goes_on(
    sample: Shell, tmp_path: Path
) -> None:
    words = ("window", "last", "--window", "16000", "--db", str(sample.db))
    code, shown, out = on_a_terminal("stderr", tmp_path, *words)
    assert code == 0
    assert b"compacting" in shown
    assert b"16,000" in out


def test_a_terminal_gets_a_table_without_colour_on_standard_output(sample: Shell, tmp_path: Path) -> None:
    _, shown, _ = on_a_terminal("stdout", tmp_path, "list", "--db", str(sample.db))
    assert "────".encode() in shown
    assert ESCAPE not in shown


def test_no_color_is_respected_for_errors_on_a_terminal(tmp_path: Path) -> None:
    code, shown, _ = on_a_terminal("stderr", tmp_path, "show", "nobody", NO_COLOR="1")
    assert code == 3
    assert b"[31m" not in shown
    assert b"[1;31m" not in shown


def test_a_reader_that_leaves_early_is_no_error(sample: Shell, tmp_path: Path) -> None:
    code, told, warned = in_a_shell(f"show last --limit 400 --full --db {sample.db} | head -n 1", tmp_path)
    assert code == 0
    assert told.startswith("m1  user")
    assert warned == ""


def in_a_shell(words: str, home: Path) -> tuple[int, str, str]:
    """The exit code of a line for the shell that begins with `palimpsest`, and what both streams say."""
    done = ran(["/bin/sh", "-c", f"{sys.executable} -m palimpsest {words}"], env=environment(home))
    return done.returncode, done.stdout, done.stderr


@pytest.mark.parametrize("words", ["list", "list --json", "show nobody --json"])
def test_a_full_disk_and_a_closed_stream_leave_no_traceback(
    sample: Shell, tmp_path: Path, words: str
) -> None:
    def written(place: str) -> tuple[int, str]:
        code, _, warned = in_a_shell(f"{words} --db {sample.db} {place}", tmp_path)
        return code, warned

    full = written(">/dev/full")
    failing = 3 if "nobody" in words else 0
    assert full[0] == (failing or 1)
    assert full[1].startswith("error: cannot write the output: No space left on device\n")
    assert written(">&-") == (failing, "")
    assert written("| true") == (0, "")


@pytest.fixture
def interrupts() -> Iterator[None]:
    """A shell has what it runs in the background ignore interrupts, which every child inherits."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


@pytest.mark.usefixtures("interrupts")
def test_an_interrupted_command_says_so_in_two_lines(tmp_path: Path) -> None:
    with subprocess.Popen(
        [*COMMAND, "demo"],
        env=environment(tmp_path, PYTHONUNBUFFERED="1"),  # else the first line comes with the last
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as process:
        assert process.stdout is not None
        assert process.stdout.readline().startswith("session")
        process.send_signal(signal.SIGINT)
        _, told = process.communicate(timeout=240)
    lines = ["error: interrupted", "   do: what was stored stays; run it again to go on"]
    assert (process.returncode, told.splitlines()) == (130, lines)


SLOW = """
import os, signal, sys, threading, time
from palimpsest.cli import signals
from palimpsest.cli.app import run
from palimpsest.engine.engine import Engine

async def verify(self, *names, **options):
    threading.Thread(target=lambda: [time.sleep(wait) or os.kill(os.getpid(), signal.SIGINT) for wait in WAITS]).start()
    time.sleep(3_600)

Engine.verify = verify
signals.GRACE_S = GRACE
sys.exit(run(["verify", "--db", "DB"]))
"""


@pytest.mark.usefixtures("interrupts")
@pytest.mark.parametrize("waits, grace_s", [("[0.2]", "0.2"), ("[0.2, 0.4]", "50")])
def test_what_cannot_be_cancelled_ends_after_a_while_or_at_the_second_interrupt(
    sample: Shell, tmp_path: Path, waits: str, grace_s: str
) -> None:
    program = SLOW.replace("WAITS", waits).replace("= GRACE", f"= {grace_s}").replace("DB", str(sample.db))
    done = ran([sys.executable, "-c", program], env=environment(tmp_path))
    lines = ["error: interrupted", "   do: what was stored stays; run it again to go on"]
    assert (done.returncode, done.stderr.splitlines()) == (130, lines)


def test_the_shell_completes_commands_and_conversation_ids(sample: Shell, tmp_path: Path) -> None:
    whole = sample.json("list")["conversations"][0]["id"]

    def completed(words: str) -> str:
        more = {
            "_PALIMPSEST_COMPLETE": "complete_bash",
            "COMP_WORDS": words,
            "COMP_CWORD": str(words.count(" ")),
            "PALIMPSEST_DB": str(sample.db),
        }
        executable = str(Path(sys.executable).parent / "palimpsest")
        return ran(["palimpsest"], executable=executable, env=environment(tmp_path, **more)).stdout

    assert "describe" in completed("palimpsest de")
    assert whole in completed(f"palimpsest show {whole[:4]}")


def test_the_database_is_named_by_the_environment(sample: Shell, tmp_path: Path) -> None:
    done = ran([*COMMAND, "stats"], env=environment(tmp_path, PALIMPSEST_DB=str(sample.db)))
    assert str(sample.db) in done.stdout


def test_a_demo_kept_in_a_database_is_not_played_into_it_twice(shell: Shell, tmp_path: Path) -> None:
    short = beginning(tmp_path)
    played = shell.json("demo", short)
    assert played["tokens"] <= played["capacity_tokens"]
    assert shell.json("stats")["messages"] > 50
    assert shell("demo", short).code == 2


@pytest.mark.parametrize("words", [["config", "show"], ["--help"], ["prices", "gpt-5"], ["list"]])
def test_a_reader_that_has_gone_ends_every_command_the_same_way(words: list[str], tmp_path: Path) -> None:
    reader, writer = os.pipe()
    os.close(reader)
    done = subprocess.run(
        [*COMMAND, *words],
        env=environment(tmp_path),
        stdout=writer,
        stderr=subprocess.PIPE,
        timeout=240,
        check=False,
    )
    os.close(writer)
    assert (done.returncode, done.stderr) == (141, b"")
