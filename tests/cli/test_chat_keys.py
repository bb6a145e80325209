"""The prompt at a terminal: several lines, history, completion, Ctrl-C and Ctrl-D, typed into a pipe of keys."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from prompt_toolkit.completion import CompleteEvent
from prompt_toolkit.document import Document
from prompt_toolkit.history import InMemoryHistory
from prompt_toolkit.input import create_pipe_input
from prompt_toolkit.output import DummyOutput

from palimpsest.cli.chat import prompt_editor
from palimpsest.cli.chat.history import HISTORY_FILE
from palimpsest.cli.chat.prompt_editor import KeyReader, Offers, make_reader, open_history
from palimpsest.cli.chat.reader import Fragments, Shown
from palimpsest.config.paths import user_folder
from tests.cli.chatting import chatting

UP, ALT_ENTER, ENTER, CTRL_C, CTRL_D, TAB = "\x1b[A", "\x1b\r", "\r", "\x03", "\x04", "\t"
PASTED = "\x1b[200~{}\x1b[201~"


def status(width: int) -> Fragments:
    """A status line of one word."""
    return [("green", "status")]


SHOWN = Shown(status, lambda: [("pier-7", "Piers")])


@contextmanager
def typing(home: Path, typed: str) -> Iterator[KeyReader]:
    """A prompt into which this has been typed, with its history under `home`."""
    before = os.environ.get("XDG_STATE_HOME")
    os.environ["XDG_STATE_HOME"] = str(home / "state")
    try:
        with create_pipe_input() as pipe:
            pipe.send_text(typed)
            yield make_reader(SHOWN, input=pipe, output=DummyOutput())
    finally:
        os.environ.pop("XDG_STATE_HOME")
        os.environ.update({"XDG_STATE_HOME": before} if before is not None else {})


@pytest.mark.parametrize(
    "typed, read",
    [
        (f"hello{ENTER}", "hello"),
        (f"one{ALT_ENTER}two{ENTER}", "one\ntwo"),
        (f"one\\{ENTER}two{ENTER}", "one\ntwo"),
        (f"{PASTED.format('one' + ENTER + 'two')}{ENTER}", "one\ntwo"),
        (f"{CTRL_D}", None),
        (f"{ENTER}", ""),
    ],
)
async def test_enter_sends_and_lines_are_kept_together(tmp_path: Path, typed: str, read: str | None) -> None:
    with typing(tmp_path, typed) as reader:
        assert await reader.read() == read


async def test_ctrl_c_clears_the_line_by_ending_the_prompt(tmp_path: Path) -> None:
    with typing(tmp_path, f"half a line{CTRL_C}") as reader:
        with pytest.raises(KeyboardInterrupt):
            await reader.read()
        reader.session.app.input.send_text(f"whole{ENTER}")  # type: ignore[attr-defined]
        assert await reader.read() == "whole"


async def test_history_is_kept_between_runs_for_its_owner_only(tmp_path: Path) -> None:
    with typing(tmp_path, f"which pier?{ENTER}") as reader:
        assert await reader.read() == "which pier?"
        path = user_folder("state") / HISTORY_FILE
    with typing(tmp_path, f"{UP}{ENTER}") as reader:
        assert await reader.read() == "which pier?"
    assert path.is_relative_to(tmp_path)
    assert path.stat().st_mode & 0o777 == 0o600
    assert path.parent.stat().st_mode & 0o777 == 0o700


async def test_answers_to_questions_are_not_remembered(tmp_path: Path) -> None:
    with typing(tmp_path, f"yes{ENTER}") as reader:
        assert await reader.ask("run it? ") == "yes"
        assert (user_folder("state") / HISTORY_FILE).read_text() == ""


def test_a_history_that_others_could_read_is_closed_and_one_too_large_is_halved(tmp_path: Path) -> None:
    path = tmp_path / "history"
    path.write_text("".join(f"\n# 2026-02-03\n+entry {number}\n" for number in range(60_000)))
    path.chmod(0o644)
    entries = list(open_history(path).load_history_strings())
    assert path.stat().st_mode & 0o777 == 0o600
    assert path.stat().st_size <= prompt_editor.MAX_HISTORY_BYTES
    assert entries[0] == "entry 59999"
    assert 10_000 < len(entries) < 60_000


def test_where_no_history_can_be_kept_the_prompt_works_without(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    assert isinstance(open_history(tmp_path / "file" / "history"), InMemoryHistory)


def test_a_history_that_is_no_file_is_left_alone(tmp_path: Path) -> None:
    fifo, link = tmp_path / "pipe", tmp_path / "history"
    os.mkfifo(fifo, 0o644)
    fifo.chmod(0o644)
    link.symlink_to(fifo)
    assert isinstance(open_history(link), InMemoryHistory)
    assert (fifo.is_fifo(), fifo.stat().st_mode & 0o777) == (True, 0o644)


async def test_commands_are_offered_while_they_are_typed() -> None:
    offers = Offers(SHOWN)

    def offered(text: str) -> list[str]:
        return [one.text for one in offers.get_completions(Document(text), CompleteEvent())]

    assert offered("/gr") == ["/grep"]
    assert offered("/resume ") == ["pier-7"]
    assert offered("/model openai:g") == ["openai:gpt-5"]
    assert offered("words") == []


async def test_ctrl_c_twice_leaves_and_once_does_not(tmp_path: Path) -> None:
    typed = f"hello{CTRL_C}hello{ENTER}"
    with typing(tmp_path, typed + CTRL_C + CTRL_C) as reader:
        async with chatting(tmp_path, ["Still here."], reader=reader) as talked:
            from palimpsest.cli.chat.app import run_chat

            await run_chat(talked.chat)
            assert talked.out.getvalue() == "Still here.\n"
            assert talked.err.getvalue().count("Ctrl-C again or Ctrl-D leaves") == 2


def test_ctrl_z_stops_the_chat_for_its_shell_and_is_no_sign_of_a_message(tmp_path: Path) -> None:
    with typing(tmp_path, "") as reader:
        assert reader.session.enable_suspend is True
