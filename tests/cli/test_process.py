"""The command as a process: what each stream gets, a reader that leaves early, completion, the demo."""

from __future__ import annotations

import os
import pty
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

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


def test_the_demo_tells_the_whole_story_within_eighty_columns(tmp_path: Path) -> None:
    done = subprocess.run(
        [*COMMAND, "demo"], env=environment(tmp_path), capture_output=True, text=True, check=True, timeout=60
    )
    lines = done.stdout.splitlines()
    assert done.stderr == ""
    assert max(map(len, lines)) <= 80
    assert sum("→" in line for line in lines) >= 8
    assert any(fact in done.stdout for fact in samples.FACTS)
    for words in (
        "420 messages",
        "The widest summary",
        "left the window",
        "$ palimpsest expand m",
        "palimpsest import",
    ):
        assert words in done.stdout
    assert list(tmp_path.iterdir()) == []


def test_on_a_terminal_progress_goes_to_standard_error_and_no_colour_to_standard_output(
    tmp_path: Path,
) -> None:
    keeper, terminal = pty.openpty()
    process = subprocess.Popen(
        [*COMMAND, "demo"], env=environment(tmp_path), stdout=subprocess.PIPE, stderr=terminal
    )
    os.close(terminal)
    shown = read_all(keeper)
    out, _ = process.communicate(timeout=60)
    os.close(keeper)
    assert process.returncode == 0
    assert b"playing" in shown
    assert ESCAPE in shown
    assert ESCAPE not in out
    assert b"420 messages" in out


def test_who_looks_at_a_window_that_has_to_be_compacted_sees_that_it_goes_on(
    sample: Shell, tmp_path: Path
) -> None:
    keeper, terminal = pty.openpty()
    process = subprocess.Popen(
        [*COMMAND, "window", "last", "--window", "16000", "--db", str(sample.db)],
        env=environment(tmp_path),
        stdout=subprocess.PIPE,
        stderr=terminal,
    )
    os.close(terminal)
    shown = read_all(keeper)
    out, _ = process.communicate(timeout=60)
    os.close(keeper)
    assert process.returncode == 0
    assert b"compacting" in shown
    assert b"16,000" in out


def test_a_terminal_gets_a_table_without_colour_on_standard_output(sample: Shell, tmp_path: Path) -> None:
    keeper, terminal = pty.openpty()
    process = subprocess.Popen(
        [*COMMAND, "list", "--db", str(sample.db)],
        env=environment(tmp_path),
        stdout=terminal,
        stderr=subprocess.PIPE,
    )
    os.close(terminal)
    shown = read_all(keeper)
    process.communicate(timeout=60)
    os.close(keeper)
    assert "────".encode() in shown
    assert ESCAPE not in shown


def test_no_color_is_respected_for_errors_on_a_terminal(tmp_path: Path) -> None:
    keeper, terminal = pty.openpty()
    process = subprocess.Popen(
        [*COMMAND, "show", "nobody"],
        env=environment(tmp_path, NO_COLOR="1"),
        stdout=subprocess.PIPE,
        stderr=terminal,
    )
    os.close(terminal)
    shown = read_all(keeper)
    process.communicate(timeout=60)
    os.close(keeper)
    assert process.returncode == 3
    assert b"[31m" not in shown
    assert b"[1;31m" not in shown


def test_a_reader_that_leaves_early_is_no_error(sample: Shell, tmp_path: Path) -> None:
    code, told, warned = in_a_shell(f"show last --limit 400 --full --db {sample.db} | head -n 1", tmp_path)
    assert code == 0
    assert told.startswith("m1  user")
    assert warned == ""


def in_a_shell(words: str, home: Path) -> tuple[int, str, str]:
    """The exit code of a line for the shell that begins with `palimpsest`, and what both streams say."""
    done = subprocess.run(
        ["/bin/sh", "-c", f"{sys.executable} -m palimpsest {words}"],
        env=environment(home),
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )
    return done.returncode, done.stdout, done.stderr


@pytest.mark.parametrize("words", ["list", "list --json", "show nobody --json"])
def test_a_full_disk_and_a_closed_stream_leave_no_traceback(
    sample: Shell, tmp_path: Path, words: str
) -> None:
    def ran(place: str) -> tuple[int, str]:
        code, _, warned = in_a_shell(f"{words} --db {sample.db} {place}", tmp_path)
        return code, warned

    full = ran(">/dev/full")
    failing = 3 if "nobody" in words else 0
    assert full[0] == (failing or 1)
    assert full[1].startswith("error: cannot write the output: No space left on device\n")
    assert ran(">&-") == (failing, "")
    assert ran("| true") == (0, "")


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
        env=environment(tmp_path),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as process:
        assert process.stdout is not None
        assert process.stdout.readline().startswith("session")
        process.send_signal(signal.SIGINT)
        _, told = process.communicate(timeout=60)
    lines = ["error: interrupted", "   do: what was stored stays; run it again to go on"]
    assert (process.returncode, told.splitlines()) == (130, lines)


SLOW = """
import os, signal, sys, threading, time
from palimpsest.cli import ending
from palimpsest.cli.app import run
from palimpsest.engine.engine import Engine

async def verify(self, *names, **options):
    threading.Thread(target=lambda: [time.sleep(wait) or os.kill(os.getpid(), signal.SIGINT) for wait in WAITS]).start()
    time.sleep(60)

Engine.verify = verify
ending.GRACE_S = GRACE
sys.exit(run(["verify", "--db", "DB"]))
"""


@pytest.mark.usefixtures("interrupts")
@pytest.mark.parametrize("waits, grace_s", [("[0.2]", "0.2"), ("[0.2, 0.4]", "50")])
def test_what_cannot_be_cancelled_ends_after_a_while_or_at_the_second_interrupt(
    sample: Shell, tmp_path: Path, waits: str, grace_s: str
) -> None:
    program = SLOW.replace("WAITS", waits).replace("= GRACE", f"= {grace_s}").replace("DB", str(sample.db))
    done = subprocess.run(
        [sys.executable, "-c", program],
        env=environment(tmp_path),
        capture_output=True,
        text=True,
        check=False,
        timeout=40,
    )
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
        return subprocess.run(
            ["palimpsest"],
            executable=str(Path(sys.executable).parent / "palimpsest"),
            env=environment(tmp_path, **more),
            capture_output=True,
            text=True,
            check=False,
            timeout=60,
        ).stdout

    assert "describe" in completed("palimpsest de")
    assert whole in completed(f"palimpsest show {whole[:4]}")


def test_the_database_is_named_by_the_environment(sample: Shell, tmp_path: Path) -> None:
    done = subprocess.run(
        [*COMMAND, "stats"],
        env=environment(tmp_path, PALIMPSEST_DB=str(sample.db)),
        capture_output=True,
        text=True,
        check=True,
        timeout=60,
    )
    assert str(sample.db) in done.stdout


def test_a_demo_kept_in_a_database_can_be_looked_at_and_is_not_played_into_it_twice(shell: Shell) -> None:
    played = shell.json("demo")
    assert played["tokens"] <= played["capacity_tokens"]
    assert played["largest_request_tokens"] <= 32_000
    assert len(played["falls"]) >= 8
    assert shell.json("expand", played["fact"]["id"])["entries"][0]["id"] == played["fact"]["id"]
    assert shell.json("stats")["messages"] == 420
    assert shell("demo").code == 2
    (bill,) = shell.json("cost", "last")["conversations"]
    assert bill["calls"] == played["requests"]
    assert bill["total"] == pytest.approx(shell.json("cost")["total"])
    assert not bill["assumed_models"]


@pytest.mark.parametrize("words", [["config", "show"], ["--help"], ["prices", "gpt-5"], ["list"]])
def test_a_reader_that_has_gone_ends_every_command_the_same_way(words: list[str], tmp_path: Path) -> None:
    reader, writer = os.pipe()
    os.close(reader)
    done = subprocess.run(
        [*COMMAND, *words],
        env=environment(tmp_path),
        stdout=writer,
        stderr=subprocess.PIPE,
        timeout=60,
        check=False,
    )
    os.close(writer)
    assert (done.returncode, done.stderr) == (141, b"")
