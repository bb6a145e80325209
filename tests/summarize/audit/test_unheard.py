"""Names, versions and numbers of lines that a summary marks as such: those of the source, and those of nobody."""

from __future__ import annotations

import pytest

from palimpsest.summarize.audit.exact import Exact
from palimpsest.summarize.audit.names.identifiers import doubts

HARBOUR = Exact(
    "On 2025-03-02 (Phase 2.1) the planner moves from MySQL 5.7.44 to PostgreSQL 16.3, Node.js v20.1 stays.\n"
    "182: ERROR PG-2291 timeout, 31 rows at 10.20.30.41\n"
    "def berth_count(pier): raise BerthError in quay.planner.load_state\n"
    "class TidePlanner; branch fix/tide-table; table quay.berths; the pods crash loop back off; today it rains\n"
    "const watermarkOf = 1; the resume state is kept"
)


@pytest.mark.parametrize(
    "line, name",
    [
        ("Call moor_all_boats() in the planner.", "moor_all_boats"),
        ("The function `persistWatermark` was added.", "persistWatermark"),
        ("class MooringManager now holds the tide.", "MooringManager"),
        ("The trace ended in `quay.planner.moor_state`.", "quay.planner.moor_state"),
        ("OOMKilled was seen on the pod.", "OOMKilled"),
        ("It raised MooringError twice.", "MooringError"),
        ("branch feature/mooring", "feature/mooring"),
        ("The table quay.mooring_state is empty.", "quay.mooring_state"),
        ("service quay-mooring-worker", "quay-mooring-worker"),
        ("It went live on 2024-11-03.", "2024-11-03"),
        ("It ran on 2025-03-29.", "2025-03-29"),
    ],
)
def test_a_marked_name_that_the_source_does_not_have_is_invented(line: str, name: str) -> None:
    assert [(doubt.text, doubt.right) for doubt in doubts(f"- {line}", HARBOUR)] == [(name, "")]


@pytest.mark.parametrize(
    "line, right",
    [
        ("It runs on PostgreSQL 15.8 now.", "PostgreSQL 16.3"),
        ("It runs on Node.js 18.2 now.", "Node.js 20.1"),
        ("It stopped at line 128 of the log.", "line 182"),
    ],
)
def test_another_version_or_line_becomes_the_one_that_is_meant(line: str, right: str) -> None:
    assert [doubt.right for doubt in doubts(f"- {line}", HARBOUR)] == [right]


@pytest.mark.parametrize(
    "line",
    [
        "`berth_count()` raises BerthError; berthCount() is the same.",
        "class TidePlanner on branch fix/tide-table reads table quay.berths.",
        "`quay.planner.load_state` and `resumeState` keep the watermark.",
        "CrashLoopBackOff of the pods was seen.",
        "Add moor_all_boats() to the planner.",
        "The plan: a class MooringManager that holds the tide.",
        "Next, write `persistWatermark` and create branch feature/mooring.",
        "It might raise MooringError.",
        "TypeScript, DevOps and GitLab were looked at; a table of contents; the user says so.",
        "PostgreSQL 16.3 and MySQL 5.7, Node.js 20.1, line 182, Redis 7.2",
        "The user double-checked it, the table full-scan and the function well-tested; user read/write",
        "Phase 2.4 is done, Redis 99.5 is nobody's.",
        "lines 100-150 were read, line 31 too.",
        "On 2025-03-02 and 3 March 2025 it rained.",
    ],
)
def test_known_and_planned_names_are_in_no_doubt(line: str) -> None:
    assert doubts(f"- {line}", HARBOUR) == []


def test_code_that_is_quoted_is_not_judged() -> None:
    assert doubts("const planner = makeTidePlanner();\n    this.moorAll();", HARBOUR) == []
