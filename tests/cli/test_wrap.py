"""`palimpsest wrap` and `palimpsest report`, with a program that calls a model over HTTP."""

from __future__ import annotations

import logging
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from palimpsest.cli.commands.report import Done, rewrites_of, rounds_of
from palimpsest.cli.commands.wrap import MAX_NOTES, _Notes
from palimpsest.record.events import Failed, Paid, Taken
from palimpsest.record.log import Compaction
from palimpsest.record.spending import Spent
from tests.cli.run import Shell
from tests.wire.strict.scripts import reading
from tests.wire.strict.server import StrictServer

PROGRAM = """
import sys
import anthropic

client = anthropic.Anthropic(api_key="sk-planted-key-4711", max_retries=0)
tool = {"name": "read_part", "description": "Reads.", "input_schema": {"type": "object"}}
history = [{"role": "user", "content": "Read all parts of the harbour log."}]
while True:
    reply = client.messages.create(
        model="claude-opus-5", max_tokens=500, tools=[tool], messages=history, extra_headers={"x-session-id": "pier"}
    )
    history.append({"role": "assistant", "content": [one.model_dump(exclude_none=True) for one in reply.content]})
    calls = [one for one in reply.content if one.type == "tool_use"]
    if not calls:
        break
    results = [
        {"type": "tool_result", "tool_use_id": one.id, "content": f"part {one.input['number']}: " + "all quiet. " * 60}
        for one in calls
    ]
    history.append({"role": "user", "content": results})
print(sys.argv[1:], reply.content[-1].text)
sys.exit(7)
"""


@pytest.mark.slow
def test_a_wrapped_program_is_kept_and_reported(tmp_path: Path, shell: Shell) -> None:
    (tmp_path / "agent.py").write_text(PROGRAM)
    with StrictServer(reading(30), window_tokens=6_000) as upstream:
        done = subprocess.run(
            [sys.executable, "-m", "palimpsest", "wrap", "--db", str(shell.db), "--window", "6000", "--set",
             "max_tokens=500", sys.executable, str(tmp_path / "agent.py"), "-p", "--json"],
            env={**os.environ, "ANTHROPIC_BASE_URL": upstream.anthropic_url, "NO_COLOR": "1"},
            capture_output=True,
            text=True,
            timeout=120,
            check=False,
        )  # fmt: skip
        assert upstream.errors == []
    assert done.returncode == 7, done.stderr
    assert done.stdout.startswith("['-p', '--json']")
    assert "kept 62 new messages in 1 conversation; the program made 31 calls" in done.stderr
    assert "compacted " in done.stderr
    (listed,) = shell.json("report")["conversations"]
    assert (listed["messages"], listed["rewrites"] > 0, listed["folder"]) == (62, True, str(Path.cwd()))
    told = shell.json("report", listed["id"])
    assert sum(one["calls"] for one in told["rewrites"]) > 0
    assert {one["name"] for one in told["bill"]["policies"]} >= {"never compacting", "as it was"}
    assert "sk-planted-key" not in done.stderr
    assert b"sk-planted-key" not in shell.db.read_bytes()


def test_a_program_that_is_not_there_is_named(shell: Shell) -> None:
    ran = shell("wrap", "no-such-program-here")
    assert ran.code == 3
    assert "no program 'no-such-program-here'" in ran.err
    assert shell("wrap").code == 2


def wrapped(db: Path, *words: str) -> subprocess.CompletedProcess[str]:
    """Run a wrapped program that calls no model."""
    command = [sys.executable, "-m", "palimpsest", "wrap", "--db", str(db), *words]
    environment = {**os.environ, "ANTHROPIC_BASE_URL": "http://127.0.0.1:9"}
    return subprocess.run(command, env=environment, capture_output=True, text=True, timeout=60, check=False)


SHOW = "import os, sys; print(os.environ['ANTHROPIC_BASE_URL']); sys.exit(int(sys.argv[1]))"


@pytest.mark.slow
def test_a_program_runs_as_it_is_where_nothing_can_be_kept(tmp_path: Path) -> None:
    (tmp_path / "noise.db").write_bytes(b"no database " * 1_000)
    for place in ("noise.db", "noise.db/inside.db"):
        done = wrapped(tmp_path / place, sys.executable, "-c", SHOW, "4")
        assert (done.returncode, done.stdout) == (4, "http://127.0.0.1:9\n"), done.stderr
        assert done.stderr.startswith("nothing is kept, and the program runs as it is: ")


@pytest.mark.slow
@pytest.mark.skipif(os.name == "nt", reason="signals are those of POSIX")
def test_the_programs_end_is_that_of_the_wrapper(shell: Shell) -> None:
    done = wrapped(shell.db, sys.executable, "-c", SHOW, "130")
    assert (done.returncode, done.stdout != "http://127.0.0.1:9\n") == (130, True)
    assert done.stderr.splitlines()[1:] == [
        "no call to a model came through; if it made any, the program's own settings name another address"
    ]
    killed = wrapped(shell.db, sys.executable, "-c", "import os; os.kill(os.getpid(), 9)")
    assert killed.returncode == 137


@pytest.mark.slow
@pytest.mark.skipif(os.name == "nt", reason="signals are those of POSIX")
def test_sigterm_reaches_the_program_and_ctrl_c_does_not_end_the_wrapper(shell: Shell) -> None:
    program = (
        "import signal, sys, time\n"
        "signal.signal(signal.SIGTERM, lambda *_: sys.exit(3))\n"
        "print('ready', flush=True)\n"
        "while True: time.sleep(0.01)"
    )
    command = ["-m", "palimpsest", "wrap", "--db", str(shell.db), sys.executable, "-c", program]
    with subprocess.Popen([sys.executable, *command], stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "ready\n"
        process.send_signal(signal.SIGINT)
        process.terminate()
        assert process.wait(60) == 3


def test_what_another_process_did_is_not_counted() -> None:
    done = Done(0.0)
    for event in (
        Taken("ours", 2, 0.0), Taken("ours", 0, 0.0), Taken("ours", 1, 0.0), Failed("theirs", "x", "y"),
        Paid("ours", spent(1, 0.25, 1.0)), Paid("ours", spent(2, 0.25, 0.0, "summary")),
    ):  # fmt: skip
        done.see(event)
    assert (done.messages, done.saved) == ({"ours": 3}, 0.5)


def test_a_message_of_the_proxy_is_shown_once() -> None:
    notes = _Notes()
    for text in ["the disk is full"] * 3 + [f"fault {number}" for number in range(MAX_NOTES + 1)]:
        notes.emit(logging.LogRecord("palimpsest.proxy", logging.WARNING, "", 0, text, (), None))
    assert notes.lines[:2] == ["the disk is full (3 times)", "fault 0"]
    assert notes.lines[-1] == "and 2 more messages"


def spent(time_s: float, cost: float, never: float, kind: str = "reply") -> Spent:
    return Spent(kind, "m", time_s, 100, 0, 0, 10, cost, never, 1.0)  # type: ignore[arg-type]


def compaction(time_s: float) -> Compaction:
    return Compaction("over the target", (), ("m1",), "s1", "summary", 100, 10, time_s)


def test_a_rewrite_has_the_calls_up_to_the_next_one() -> None:
    calls = [
        spent(1, 1.0, 1.0),
        spent(2, 0.25, 0.0, "summary"),
        spent(3, 3.0, 2.0),
        spent(4, 1.0, 2.5),
        spent(6, 1.0, 1.5),
    ]
    first, second = rewrites_of([compaction(2.1), compaction(2.2), compaction(5)], calls)
    assert (len(first.compactions), first.calls, first.cost, first.saved) == (2, 2, 1.25, 1.5)
    assert (second.calls, second.cost, second.saved) == (1, 0.0, 0.5)
    assert (first.before_tokens, first.after_tokens, first.replaced) == (200, 20, 2)
    assert rewrites_of([], calls) == []
    assert rewrites_of([compaction(9)], ()) != []


def test_steps_that_follow_each_other_at_once_are_one_round() -> None:
    assert rounds_of([]) == 0
    assert rounds_of([compaction(1.0), compaction(1.1), compaction(9.0)]) == 2
