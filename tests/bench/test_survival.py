"""The survival benchmark judges as it says: what is needed, when a text holds it, where it cuts."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from palimpsest import samples
from palimpsest.budget.token_estimator import count_text
from tests.summarize.dialogues import assistant, call, result, user

BENCH = Path(__file__).parents[2] / "bench"
sys.path.insert(0, str(BENCH))

from survival_data import Cut, Session, cuts  # noqa: E402
from survival_missed import why  # noqa: E402
from survival_needs import Need, holds, kept, needs, rebuild, text_of  # noqa: E402
from survival_simple import simple_text  # noqa: E402
from train_survival import Table, fit  # noqa: E402

SESSION = (
    user("Fix tide_table in src/tide.py."),
    assistant("", call("1", "Bash", command="cd app && npm run check 2>&1 | tail -5")),
    result("1", "app/src/old.py uses readTide and commit 9f2b6c0"),
    user("go on, and look at readTide"),
    assistant(
        "", call("2", "Read", file_path="src/tide.py"), call("3", "Grep", pattern="readTide|tide_table")
    ),
    result("2", "def tide_table(): ..."),
    assistant("", call("4", "Bash", command="npm run check && git show 9f2b6c0")),
)


def test_only_what_was_replaced_and_not_said_again_is_needed() -> None:
    session = Session("ferry", "claude_code", "one", SESSION)
    texts = [text_of(message) for message in SESSION]
    found = {(need.kind, need.text) for need in needs(Cut(session, 0, 3, 3, False), texts)}
    assert found == {
        ("path args", "src/tide.py"),
        ("files", "tide.py"),
        ("identifiers", "tide_table"),
        ("segments", "npm run check"),
        ("references", "9f2b6c0"),
    }


def test_a_string_is_held_as_a_whole_token_only() -> None:
    assert holds("call read_tide() now", "read_tide")
    assert not holds("call pre_read_tides() now", "read_tide")


def test_a_path_is_kept_where_folder_lines_give_it_back() -> None:
    text = "## Files\n- /srv/ferry/\n - src: edited tide.py\n - tests: test_tide.py"
    rebuilt = rebuild(text)
    assert kept(Need("path args", "/srv/ferry/src/tide.py"), text, rebuilt)
    assert kept(Need("shell paths", "tests/test_tide.py"), text, rebuilt)
    assert not kept(Need("path args", "/srv/boats/src/tide.py"), text, rebuilt)
    assert not kept(Need("path args", "/srv/ferry/tests/tide.py"), text, rebuilt)


def test_a_cut_never_parts_a_call_from_its_result() -> None:
    session = Session("ferry", "claude_code", "one", SESSION * 3)
    made = cuts(session, 60)
    assert len(made) > 2
    assert [cut for cut in made if SESSION[cut.end % len(SESSION)].results] == []


def test_the_simple_ledger_keeps_to_its_size_and_knows_nothing_of_what_came_later() -> None:
    session = Session("ferry", "claude_code", "one", SESSION)
    text = simple_text(session, 4, 200)
    assert holds(text, "readTide")
    assert holds(text, "cd app && npm run check 2>&1 | tail -5")
    assert "def tide_table" not in text
    assert count_text(text) <= 200
    assert count_text(simple_text(session, 4, 20)) <= 20


@pytest.mark.parametrize(
    "needed, reason",
    [
        ("readTide", "rank 2 of 3, 1 said"),
        ("src/tide.py", "rank 3 of 3, 1 said"),
        ("sed -n 1,9p a", "another form"),
        ("harbour", "never noted"),
    ],
)
def test_what_is_missed_is_said_with_its_reason(needed: str, reason: str) -> None:
    ranks = ["sed -n '1,9p'  a", "readTide", "/srv/ferry/src/tide.py"]
    assert why(needed, ranks, "- sed -n '1,9p'  a", frozenset()) == reason


def test_a_weight_keeps_the_sign_that_it_must_have() -> None:
    needed = np.array([1.0, 0.0] * 40)
    columns = [np.ones(80), 1.0 - needed, 1.0 - needed]
    table = Table(["one", "used", "gone"], np.stack(columns, axis=1), needed, np.zeros(80, dtype=np.int64))
    weights = fit(table, np.ones(80, dtype=np.bool_), {"used": 1.0}, 0.1)
    assert weights.keys() == {"one", "gone"}
    assert weights["gone"] < 0


@pytest.mark.slow
def test_the_ledger_beats_every_other_way_on_the_sample_session() -> None:
    command = [sys.executable, str(BENCH / "survival.py"), str(samples.path()), "--sizes", "1000", "--json"]
    record = json.loads(subprocess.run(command, capture_output=True, check=True, text=True).stdout)
    shares = {row["way"]: row["shares"] for row in record["rows"] if row["project"] == "every project"}
    for way in ("outline", "recency list", "raw tail"):
        assert shares["ledger"]["path args"] >= shares[way]["path args"]
        assert shares["ledger"]["identifiers"] >= shares[way]["identifiers"]
    assert set(shares["within one search"].values()) == {100.0}


@pytest.mark.slow
def test_ways_that_are_chosen_are_measured_alone() -> None:
    command = [
        sys.executable,
        str(BENCH / "survival.py"),
        str(samples.path()),
        "--sizes",
        "500",
        "--ways",
        "ledger",
    ]
    record = json.loads(
        subprocess.run([*command, "--json"], capture_output=True, check=True, text=True).stdout
    )
    assert {row["way"] for row in record["rows"]} - {"its own summary"} == {"ledger"}
    assert record["settings"]["ways"] == ["ledger"]
