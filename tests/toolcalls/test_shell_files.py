"""Where the files of a command are: behind `cd` below that folder."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from palimpsest.ledger.scoring import ranked
from palimpsest.toolcalls.shell_commands import shell_files
from tests.ledger.noting import noted
from tests.summarize.dialogues import assistant, call


@pytest.mark.parametrize(
    "command, files",
    [
        ("(cd pier && rm a.py) && cat b.py", {"pier/a.py": "deleted", "b.py": "read"}),
        (
            "cd /w\nrm a.py\n(cd b; rm c.py)\nrm d.py",
            {"/w/a.py": "deleted", "/w/b/c.py": "deleted", "/w/d.py": "deleted"},
        ),
        (
            "cd pier && touch a.py && cd ../quay && touch a.py",
            {"pier/a.py": "written", "quay/a.py": "written"},
        ),
        ("pushd pier; rm a.py; popd; rm b.py", {"pier/a.py": "deleted", "b.py": "deleted"}),
        ("grep -rn 'x; cd pier && ' board/gate.py", {"board/gate.py": "named"}),
        ("cd pier/board && head gate.py /etc/hosts.txt", {"pier/board/gate.py": "read"}),
        ("cd C:\\dev\\app && echo tide > b.txt", {"C:\\dev\\app\\b.txt": "written"}),
        ("cat app/(shop)/pier/page.tsx", {"app/(shop)/pier/page.tsx": "read"}),
        ("cd web && cat app/(shop)/a.tsx", {"web/app/(shop)/a.tsx": "read"}),
    ],
)
def test_a_relative_path_is_below_the_folder_that_the_command_went_to(
    command: str, files: dict[str, str]
) -> None:
    assert files.items() <= dict(shell_files(command)).items()
    assert len(dict(shell_files(command))) <= len(files) + 2


@pytest.mark.parametrize("target", ['"$WHERE"', "-", "", "$(mktemp -d)", "`pwd`"])
def test_in_a_folder_that_is_not_known_a_path_is_as_it_was_written(target: str) -> None:
    assert ("a.py", "deleted") in list(shell_files(f"cd {target} && rm a.py"))


@given(st.text("cd rm.py/()&;\n'\"$-~ab\\", max_size=60))
def test_any_command_can_be_read(command: str) -> None:
    for path, _ in shell_files(command):
        assert path.strip()


@pytest.mark.parametrize("commands, operation", [(("touch", "rm"), "deleted"), (("rm", "touch"), "written")])
def test_of_a_deletion_and_another_change_the_later_counts(commands: tuple[str, str], operation: str) -> None:
    whole, short = "/srv/ferry/pier/gate.py", "pier/gate.py"
    calls = [
        call("1", "Bash", command=f"{commands[0]} {whole}"),
        call("2", "Bash", command=f"{commands[1]} {short}"),
    ]
    ledger = noted([assistant("", one) for one in calls])
    assert [one.entry.label for one in ranked(ledger) if one.entry.text == whole] == [operation]


@pytest.mark.parametrize(
    "command, files",
    [
        ("git checkout -- pier/a.py", {"pier/a.py": "restored"}),
        ("git checkout HEAD~1 -- pier/a.py b.py", {"pier/a.py": "restored", "b.py": "restored"}),
        ("git checkout pier/a.py", {"pier/a.py": "restored"}),
        ("git restore pier/a.py && rm b.py", {"pier/a.py": "restored", "b.py": "deleted"}),
        ("git restore --staged pier/a.py", {"pier/a.py": "named"}),
        ("git restore --staged --worktree pier/a.py", {"pier/a.py": "restored"}),
        ("git checkout main", {}),
        ("git checkout feature/tide-2", {}),
        ("git -C /w/ferry mv pier/a.py b.py", {"/w/ferry/pier/a.py": "deleted", "/w/ferry/b.py": "written"}),
        ("git -C ../quay rm pier/a.py", {"../quay/pier/a.py": "deleted"}),
    ],
)
def test_what_git_does_to_files(command: str, files: dict[str, str]) -> None:
    found = {path: operation for path, operation in shell_files(command) if path.endswith(".py")}
    assert found == files


def test_an_edit_that_was_taken_back_is_none() -> None:
    calls = [
        call("1", "Edit", file_path="/srv/pier/gate.py", old_string="a", new_string="b"),
        call("2", "Bash", command="git checkout -- /srv/pier/gate.py"),
    ]
    ledger = noted([assistant("", one) for one in calls])
    assert ledger.of("file")["/srv/pier/gate.py"].label == "read"
    again = noted([assistant("", one) for one in (*calls, calls[0])])
    assert again.of("file")["/srv/pier/gate.py"].label == "edited"


@pytest.mark.parametrize(
    "whole", ["$(npm root -g)/kit/dist/tide.json", "${WEB}/kit/tide.json", "$(pwd)/tide.json"]
)
def test_what_goes_on_a_folder_that_is_reckoned_is_seen_from_nowhere(whole: str) -> None:
    assert not any("tide.json" in path for path, _ in shell_files(f"cat {whole}"))
