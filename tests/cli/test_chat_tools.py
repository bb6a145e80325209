"""What the chat's tools may touch: the working folder and nothing else, bounded in size and time; no process stays."""

from __future__ import annotations

import asyncio
import os
import signal
import subprocess
from pathlib import Path

import pytest

from palimpsest.agent.tools import call_tool
from palimpsest.cli.chat import file_tools, shell_tool
from palimpsest.cli.chat.file_tools import Folder
from palimpsest.cli.chat.shell_tool import Output, Shell, environment, run
from palimpsest.cli.chat.state import chat_tools
from palimpsest.record.message import ToolCall

SHORT_S = 2.0
"""Long enough for a shell to say its number first, on a machine that is busy."""


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """A working folder with a secret beside it."""
    (tmp_path / "secret.txt").write_text("the secret of the harbour")
    place = tmp_path / "work"
    (place / "docs").mkdir(parents=True)
    (place / "a.txt").write_text("one\ntwo\nthree\n")
    (place / "docs" / "piers.md").write_text("# Piers\nPier 3 is closed.\n")
    (place / "out.txt").symlink_to(tmp_path / "secret.txt")
    (place / "up").symlink_to(tmp_path)
    (place / "in.txt").symlink_to(place / "a.txt")
    return place


@pytest.mark.parametrize(
    "path",
    [
        "../secret.txt",
        "docs/../../secret.txt",
        "out.txt",
        "up/secret.txt",
        "/etc/hosts",
        "../work2",
        "a\0b",
        "up",
    ],
)
def test_no_path_leads_out_of_the_working_folder(root: Path, path: str) -> None:
    folder = Folder(root)
    for look in (folder.read_file, folder.list_files):
        with pytest.raises(ValueError, match=r"outside|NUL"):
            look(path)
    with pytest.raises(ValueError, match=r"outside|NUL"):
        folder.search_files("secret", path)


def test_files_inside_are_read_by_any_path_that_stays_inside(root: Path) -> None:
    folder = Folder(root)
    whole = "one\ntwo\nthree"
    assert [folder.read_file(path) for path in ("a.txt", "docs/../a.txt", str(root / "a.txt"), "in.txt")] == [
        whole
    ] * 4


def test_a_part_of_a_file_says_where_to_go_on(root: Path) -> None:
    folder = Folder(root)
    assert folder.read_file("a.txt", 2, 1) == "two\n[lines 2-2; the file goes on: start_line=3]"
    assert folder.read_file("a.txt", 3) == "three"
    assert folder.read_file("a.txt", 9) == "the file has 3 lines"
    with pytest.raises(ValueError, match="begin at 1"):
        folder.read_file("a.txt", 0)


def test_long_files_and_long_lines_are_bounded(root: Path) -> None:
    folder = Folder(root)
    (root / "lines.txt").write_text("word " * 10 + "\n", encoding="utf-8")
    (root / "many.txt").write_text(("word " * 10 + "\n") * 50_000)
    (root / "wide.txt").write_text("x" * 5_000_000)
    (root / "empty.txt").write_text("")
    assert len(folder.read_file("many.txt")) < file_tools.MAX_READ_CHARS + 100
    assert folder.read_file("wide.txt").endswith("[4,998,000 more characters]")
    assert folder.read_file("empty.txt") == "the file is empty"


def test_huge_binary_and_special_files_are_refused_at_once(root: Path) -> None:
    folder = Folder(root)
    with (root / "huge.txt").open("wb") as huge:
        huge.truncate(file_tools.MAX_FILE_BYTES + 1)
    (root / "binary").write_bytes(b"MZ\0\0")
    os.mkfifo(root / "pipe")
    for path, reason in (
        ("huge.txt", "too large"), ("binary", "binary"), ("pipe", "not a regular file"), ("docs", "a folder"),
        ("no", "No such"),
    ):  # fmt: skip
        with pytest.raises(ValueError, match=reason):
            folder.read_file(path)
    assert "pipe" not in folder.search_files("o")


def test_a_link_put_in_place_of_a_file_after_the_check_is_not_followed(root: Path, tmp_path: Path) -> None:
    folder = Folder(root)
    place = folder.place_of("a.txt")
    place.unlink()
    place.symlink_to(tmp_path / "secret.txt")
    with pytest.raises(OSError, match="symbolic"):
        os.open(place, os.O_RDONLY | os.O_NOFOLLOW)
    with pytest.raises(ValueError, match="outside"):
        folder.open_text("a.txt")


def test_listing_shows_folders_sizes_and_links_and_finds_by_pattern(root: Path) -> None:
    folder = Folder(root)
    assert folder.list_files().split("\n") == [
        "a.txt (14 B)",
        "docs/",
        "in.txt (link)",
        "out.txt (link)",
        "up (link)",
    ]
    assert folder.list_files(".", "*.md") == "docs/piers.md"
    assert folder.list_files("docs") == "piers.md (26 B)"
    assert folder.list_files(".", "*.rs") == "no file matches"
    with pytest.raises(ValueError, match="not a folder"):
        folder.list_files("a.txt")


def test_a_large_folder_is_listed_in_part(root: Path) -> None:
    for number in range(file_tools.MAX_LISTED + 5):
        (root / "docs" / f"{number:04}").touch()
    assert Folder(root).list_files("docs").endswith("[6 more]")


def test_searching_finds_lines_and_never_follows_links(root: Path) -> None:
    folder = Folder(root)
    assert folder.search_files("pier 3") == "docs/piers.md:2: Pier 3 is closed."
    assert folder.search_files("PIER 3") == "no line contains it"
    assert folder.search_files("secret") == "no line contains it"
    assert folder.search_files("o", ".", "*.txt").split("\n") == ["a.txt:1: one", "a.txt:2: two"]
    with pytest.raises(ValueError, match="text to search for"):
        folder.search_files(" ")


def test_a_search_with_many_hits_ends(root: Path) -> None:
    (root / "many.txt").write_text("word\n" * 5_000)
    found = Folder(root).search_files("word").split("\n")
    assert len(found) == file_tools.MAX_HITS + 1
    assert found[-1].startswith("[the first 100 lines")


async def test_a_refused_path_is_a_result_that_the_model_can_read(root: Path) -> None:
    tools = {tool.name: tool for tool in chat_tools(root, never)}
    result = await call_tool(tools, ToolCall("c1", "read_file", '{"path": "../secret.txt"}'))
    assert result.is_error
    assert "outside the working folder" in result.text
    assert sorted(tools) == ["list_files", "read_file", "run_command", "search_files"]


async def never(command: str) -> str:
    return "no"


async def test_a_command_runs_only_after_a_yes_and_always_holds_for_that_command_alone(root: Path) -> None:
    asked: list[str] = []
    answers = iter(["no", "always", "yes"])

    async def ask(command: str) -> str:
        asked.append(command)
        return next(answers)

    one = Shell(root, ask)
    with pytest.raises(PermissionError):
        await one.run_command("touch made")
    assert not (root / "made").exists()
    assert await one.run_command("pwd") == str(root)
    assert await one.run_command("pwd") == str(root)
    assert await one.run_command("pwd ") == str(root)
    assert asked == ["touch made", "pwd", "pwd "]


async def test_two_commands_at_once_are_asked_for_one_after_the_other(root: Path) -> None:
    asking: list[str] = []

    async def ask(command: str) -> str:
        asking.append(command)
        assert len(asking) == 1
        await asyncio.sleep(0.01)
        asking.remove(command)
        return "yes"

    one = Shell(root, ask)
    assert await asyncio.gather(one.run_command("echo 1"), one.run_command("echo 2")) == ["1", "2"]


async def test_output_and_exit_code_come_back_and_there_is_no_input(root: Path) -> None:
    assert await run("echo out; echo err >&2; exit 3", root, 60) == "out\nerr\n[exit code 3]"
    assert await run("cat", root, 60) == "[no output]"


async def test_a_command_that_takes_too_long_is_ended_with_all_it_started(root: Path) -> None:
    told = await run("echo $$; sleep 3600 & sleep 3600", root, SHORT_S)
    assert told.endswith(f"[ended after {SHORT_S:g} s]")
    assert not await group_lives(int(told.split("\n")[0]))


async def test_a_command_that_ignores_the_first_signal_is_killed(root: Path) -> None:
    told = await run("trap '' TERM; echo $$; while :; do sleep 0.1; done", root, SHORT_S)
    assert not await group_lives(int(told.split("\n")[0]))


async def test_what_a_command_left_running_does_not_hold_the_answer_up(root: Path) -> None:
    told = await run("sleep 3600 & echo $$", root, 60)
    assert "ended after" not in told
    assert not await group_lives(int(told))


async def test_cancelling_a_call_ends_its_processes(root: Path) -> None:
    async def ask(command: str) -> str:
        return "yes"

    task = asyncio.create_task(Shell(root, ask).run_command("echo $$ > pid; sleep 60"))
    while not (root / "pid").exists() or not (root / "pid").read_text().strip():  # noqa: ASYNC110
        await asyncio.sleep(0.01)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert not await group_lives(int((root / "pid").read_text()))


async def test_a_flood_of_output_is_cut_in_the_middle_and_ended(root: Path) -> None:
    told = await run("yes | head -c 20000000; echo the end", root, 60)
    assert len(told) < shell_tool.MAX_OUTPUT_BYTES + 100
    assert "bytes left out]" in told
    assert told.endswith("the end")


def test_the_beginning_and_the_end_of_an_output_are_kept_whatever_pieces_it_comes_in() -> None:
    kept = Output()
    for number in range(10_000):
        kept.add(f"{number}\n".encode())
    text = kept.text()
    assert text.startswith("0\n1\n")
    assert text.endswith("9999")
    assert len(text.encode()) <= shell_tool.MAX_OUTPUT_BYTES + 40


def test_no_providers_key_is_in_a_commands_environment() -> None:
    assert environment({"OPENAI_API_KEY": "k", "GOOGLE_API_KEY": "k", "PATH": "/bin"}) == {"PATH": "/bin"}


async def group_lives(pid: int) -> bool:
    """Whether a process of this group still runs a moment later; one that nobody has waited for yet does not."""
    for _ in range(500):
        listed = subprocess.run(["ps", "-eo", "pgid=,stat="], capture_output=True, text=True, check=True)  # noqa: ASYNC221
        if not [
            line for line in listed.stdout.splitlines() if line.split()[0] == str(pid) and "Z" not in line
        ]:
            return False
        await asyncio.sleep(0.02)
    os.killpg(pid, signal.SIGKILL)
    return True
