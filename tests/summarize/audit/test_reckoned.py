"""What a summary reckons from its source, says in another form, or denies is no lie; a slip of a unit is."""

from __future__ import annotations

import pytest

from palimpsest.summarize.audit.audit import Findings, audit
from palimpsest.summarize.audit.belonging.bindings import misbound
from tests.summarize.audit.stories import grounds
from tests.summarize.dialogues import assistant, call, leaf, result, user

PUMP = leaf(
    [
        user("Find out why the pump of the lock loses memory. Never offer oil of cloves."),
        assistant("", call("a", "Bash", command="./gradlew test")),
        result(
            "a",
            "lockctl v0.9.4\n212 tests completed, 5 failed\nPeak RSS: 83 MiB (before: 412 MiB)\nread 48210, bad 316",
        ),
        assistant(
            "Peak memory fell from 412 MiB to 83 MiB. The log is kept for 45 days, the oil can holds 125 ml."
        ),
        assistant("The team is called harbour-etl."),
        user("The valve is not negotiable for the keeper, so leave chamber 4.2."),
        assistant("Chamber 4.2 stays."),
    ]
)


def found(line: str) -> Findings:
    known = "- Peak memory of the pump fell from 412 MiB to 83 MiB."
    return audit(f"## Progress\n{known}\n- {line}", grounds(PUMP), whole=False)


@pytest.mark.parametrize(
    "line",
    [
        "Peak memory is 329 MiB less.",
        "About 0.66% of what was read was bad.",
        "The program is lockctl 0.9.4.",
        "4.2 is left alone, since the keeper will not move on the valve.",
        "The log is kept for 45 days.",
        "The team harbour-etl keeps the log.",
    ],
)
def test_what_is_reckoned_or_told_in_another_form_stays(line: str) -> None:
    assert not found(line)


@pytest.mark.parametrize(
    "line, right",
    [
        ("The log is kept for 45 weeks.", "45 days"),
        ("The oil can holds 125 cl.", "125 ml"),
        ("The team is called harbour-elt.", "harbour-etl"),
    ],
)
def test_a_slip_is_given_back_as_the_source_has_it(line: str, right: str) -> None:
    findings = found(line)
    rights = [*(one.right for one in findings.doubts), *(good for _, good in findings.untrue)]
    assert any(right in one for one in rights)


@pytest.mark.parametrize(
    "line", ["Peak memory is 328 MiB less.", "0.77% of what was read was bad.", "208 tests passed."]
)
def test_what_nothing_comes_to_is_doubted(line: str) -> None:
    assert found(line)


def test_what_passed_is_the_rest_of_all_tests() -> None:
    text = "212 tests completed, 5 failed"
    assert not list(misbound(["- 207 passed at first"], text, PUMP))
    assert list(misbound(["- 206 passed at first"], text, PUMP))


def test_what_is_excluded_is_forbidden() -> None:
    text = "## Constraints & preferences\n- Oil of cloves is excluded for the pump"
    assert not audit(text, grounds(PUMP), whole=False).unfounded


ROWS = leaf(
    [
        user("Which ferry service is slow? Compare the berths, and look at the disk of the harbour office."),
        assistant("", call("a", "Bash", command="berths --stats")),
        result("a", "ticket 120ms 940ms 171Mi\nquay 45ms 210ms 96Mi\nmap 12ms 80ms 64Mi\ncalls 9, passed 3"),
        assistant("The root disk has 200 GB, 150 GB are used; the cache takes 30 GB."),
        assistant("Die Ablage hat 64 GB, davon sind 24 GB belegt. 磁盘有 96 GB，已用 35 GB。"),
        user("Thanks."),
        assistant("Ticket is the slow one."),
    ]
)


def doubted(line: str) -> bool:
    return bool(audit(f"## Progress\n- Ticket is the slow ferry service.\n- {line}", grounds(ROWS)).doubts)


@pytest.mark.parametrize(
    "line",
    [
        "The p99 of ticket was 820ms.",
        "The p99 of ticket was 1060ms.",
        "p99 went from 940ms to 630ms.",
        "Ticket got slower, to 820ms.",
        "Latency was 255ms.",
        "map has a p99 of 68ms.",
        "map has a p99 of 92ms.",
        "quay has a p50 of 165ms.",
        "33% of berths failed.",
        "The root disk has 350 GB.",
        "The root disk has 180 GB used.",
        "The cache takes 120 GB.",
        "Die Ablage hat 88 GB.",
        "磁盘有 131 GB",
    ],
)
def test_a_number_that_two_others_come_to_by_chance_is_doubted(line: str) -> None:
    assert doubted(line)


@pytest.mark.parametrize(
    "line",
    [
        "Ticket's worst call takes 820ms more than its usual one.",
        "The disk has 50 GB left.",
        "Together, used space and cache take 180 GB.",
        "The used space exceeds the cache by 120 GB.",
        "33% of calls passed.",
        "Auf der Ablage sind 40 GB frei.",
        "磁盘还剩 61 GB",
    ],
)
def test_a_difference_a_sum_a_rest_or_a_share_that_is_told_as_one_stays(line: str) -> None:
    assert not doubted(line)


@pytest.mark.parametrize(
    "line, is_wrong", [("Row 207 failed", False), ("207 failed", True), ("Tests: 207 failed", True)]
)
def test_the_number_of_a_thing_is_no_count_that_was_exchanged(line: str, *, is_wrong: bool) -> None:
    text = "207 passed, 4 failed in 2.1s\nrow=207 status=bad"
    assert bool(list(misbound([f"- {line}"], text, PUMP))) is is_wrong
