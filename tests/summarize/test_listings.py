"""Names in a listing are in the folder that was listed, and what only tools name is not kept."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from palimpsest.summarize.ledger.rank import ranked
from palimpsest.summarize.ledger.render import render
from palimpsest.summarize.listings import listed
from tests.summarize.dialogues import assistant, call, result, user
from tests.summarize.ledger.noting import noted


def files_after(command: str, output: str, **more: str) -> set[str]:
    messages = [assistant("", call("1", "Bash", command=command, **more)), result("1", output)]
    return {one.entry.text for one in ranked(noted(messages)) if one.group == "file"}


@pytest.mark.parametrize(
    "command, output, files",
    [
        ("ls /srv/pier", "gate.py\ntide.py", {"/srv/pier/gate.py", "/srv/pier/tide.py"}),
        (
            "cd /srv/pier && ls -la | head -5",
            "-rw-r--r-- 1 a a 12 Jan 1 10:00 setup.cfg",
            {"/srv/pier/setup.cfg"},
        ),
        ("cd /srv && ls pier 2>/dev/null", "gate.py", {"/srv/pier/gate.py"}),
        (
            "ls -R /srv/pier",
            "/srv/pier:\ngate.py\nlog\n\n/srv/pier/log:\ntide.py\n",
            {"/srv/pier/gate.py", "/srv/pier/log/tide.py"},
        ),
        (
            "tree /srv/pier",
            "/srv/pier\n├── gate.py\n└── log\n    ├── day\n    │   └── tide.py\n    └── low.py",
            {"/srv/pier/gate.py", "/srv/pier/log/day/tide.py", "/srv/pier/log/low.py"},
        ),
        ("ls", "gate.py", {"gate.py"}),
        ("ls pier/*.py", "pier/gate.py\npier/tide.py", {"pier/gate.py", "pier/tide.py"}),
    ],
)
def test_what_is_listed_is_in_its_folder(command: str, output: str, files: set[str]) -> None:
    found = files_after(command, output)
    assert files <= found
    assert not {path.rpartition("/")[2] for path in files} & (found - files)


@given(st.text("ls tree-R/|&;'\"$ \n", max_size=30), st.text("ab.py/:\n├└─│ ", max_size=60))
def test_any_output_comes_back_in_parts(command: str, output: str) -> None:
    parts = list(listed(f"ls {command}", output))
    assert parts
    assert all(isinstance(folder, str) for folder, _ in parts)


@pytest.mark.parametrize(
    "path", ["/srv/pier/node_modules/tide/index.js", "/usr/lib/python3.11/asyncio/events.py", ".git/config"]
)
def test_files_of_others_count_only_where_somebody_names_them(path: str) -> None:
    assert path not in files_after("./look.sh", f"at {path}")
    messages = [user(f"Why does {path} say so?")]
    assert path in {one.entry.text for one in ranked(noted(messages))}


def test_a_path_that_was_cut_within_a_name_is_none() -> None:
    found = files_after("./look.sh", "/srv/pier/services/gate.py\n/srv/pier/services\n/srv/pier/serv")
    assert "/srv/pier/services/gate.py" in found
    assert "/srv/pier/serv" not in found


def test_a_path_named_from_the_root_is_not_below_the_folder_in_which_its_call_ran() -> None:
    found = files_after("cat board/tide/low.py", "", workdir="/srv/pier/board/tide")
    assert "/srv/pier/board/tide/low.py" in found


def test_of_names_that_differ_by_a_digit_two_are_said() -> None:
    ledger = noted([assistant(" ".join(f"tide_metric_{at} berth_{at + 10}00" for at in range(9)))])
    text = render(ledger, 1_000)
    assert text.count("tide_metric_") == 2
    assert text.count("berth_") == 9
