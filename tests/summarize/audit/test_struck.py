"""What was invented is taken out of a list, a clause or a sentence, and nothing that is true with it."""

from __future__ import annotations

import pytest

from palimpsest.record.message import Message
from palimpsest.summarize.audit.audit import Findings, audit
from palimpsest.summarize.audit.names.identifiers import Doubt
from palimpsest.summarize.audit.repair import cleaned, repair
from tests.summarize.audit.stories import grounds
from tests.summarize.dialogues import assistant, call, leaf, quarter, result, user


def wrote(identity: str, path: str) -> list[Message]:
    return [assistant("", call(identity, "Write", file_path=path, content="x")), result(identity, "ok")]


FERRY = leaf(
    [
        user("Make the ferry plan in /srv/ferry faster, and keep the time zone Europe/Oslo."),
        *wrote("a", "/srv/ferry/src/plan/route.py"),
        *wrote("b", "/srv/ferry/src/plan/berth.py"),
        *wrote("c", "/srv/ferry/tests/test_plan.py"),
        assistant("", call("d", "Bash", command="pytest tests/test_plan.py")),
        result("d", "27 passed in 1.2s"),
        assistant("The plan keeps the time zone Europe/Oslo, and all 27 tests pass. The route is found by berth."),
        user("Let lanterns blink amber while boats queue."),
    ]
)  # fmt: skip
KNOWN = "## Goal\n- Make the ferry plan in /srv/ferry faster, and keep the time zone Europe/Oslo.\n"


def left(line: str, heading: str = "Files") -> str:
    held = grounds(FERRY)
    text = f"{KNOWN}## Progress\n- The plan keeps the time zone Europe/Oslo.\n## {heading}\n- {line}"
    return repair(
        text, audit(text, held, whole=False), held, target_tokens=600, limit_tokens=1_200, count=quarter
    )[0]  # fmt: skip


@pytest.mark.parametrize(
    "line, rest",
    [
        ("Created: src/plan/routing/fast.py, src/plan/berth.py", "Created: src/plan/route.py, src/plan/berth.py"),
        ("Created: src/plan/berth.py, src/plan/fastroute.py.", "Created: src/plan/berth.py, src/plan/route.py."),
        ("创建：src/plan/berth.py、src/plan/kuaisu.py", "创建：src/plan/berth.py、src/plan/route.py"),
        ("Neu: `src/plan/berth.py` und `src/plan/schnell.py`", "Neu: `src/plan/berth.py` und `src/plan/route.py`"),
        ("Created: deploy/magic.sh, src/plan/berth.py", "Created: src/plan/berth.py"),
        (
            "Created: src/plan/berth.py, deploy/magic.sh (new), src/plan/route.py",
            "Created: src/plan/berth.py, src/plan/route.py",
        ),
        ("Written src/plan/berth.py and deploy/magic.sh", "Written src/plan/berth.py"),
    ],
)  # fmt: skip
def test_an_item_of_a_list_is_put_right_or_goes(line: str, rest: str) -> None:
    told = left(line)
    assert f"- {rest}\n" in f"{told}\n"
    assert "[removed]" not in told


@pytest.mark.parametrize(
    "line, rest",
    [
        (
            "The plan keeps Europe/Oslo, conf/zones.ini was written, all 27 tests pass.",
            "The plan keeps Europe/Oslo, all 27 tests pass.",
        ),
        ("All 27 tests pass, and conf/zones.ini was written.", "All 27 tests pass."),
        ("conf/zones.ini was written, and all 27 tests pass.", "All 27 tests pass."),
        ("All 27 tests pass; 4,711 of them in the ferry plan.", "All 27 tests pass"),
    ],
)  # fmt: skip
def test_the_clause_goes_and_the_others_stay(line: str, rest: str) -> None:
    told = left(line, "Decisions")
    assert rest in told
    assert "conf/zones.ini" not in told
    assert "4,711" not in told


@pytest.mark.parametrize("line", ["The plan has 4711 berths.", "Every route takes 83 seconds, as measured."])
def test_a_figure_leaves_no_gap(line: str) -> None:
    told = left(line, "Decisions")
    assert "[removed]" not in told
    assert "berths" not in told
    assert "measured" not in told


CHECK = "conf/check.py"


def without_check(line: str) -> str:
    """A line after what nobody has was taken out of it."""
    return cleaned(
        f"{KNOWN}## Decisions\n- {line}", Findings(doubts=(Doubt("invented", CHECK),)), grounds(FERRY)
    )[0]


@pytest.mark.parametrize(
    "line, rest",
    [
        ("Put the check into src/plan/route.py and its test into %s.", "Put the check into src/plan/route.py."),
        ("Put the berth check into src/plan/route.py or take it from %s", "Put the berth check into src/plan/route.py"),
        ("Die Prüfung kommt in src/plan/route.py und ihr Test in %s.", "Die Prüfung kommt in src/plan/route.py."),
        ("Le contrôle va dans src/plan/route.py et son test dans %s.", "Le contrôle va dans src/plan/route.py."),
        ("检查放进 src/plan/route.py，测试放进 %s", "检查放进 src/plan/route.py"),
        ("The check of src/plan/route.py (see %s) is new.", "The check of src/plan/route.py is new."),
    ],
)  # fmt: skip
def test_a_part_goes_with_what_joins_it(line: str, rest: str) -> None:
    assert f"- {rest}\n" in f"{without_check(line.replace('%s', CHECK))}\n"


@pytest.mark.parametrize(
    "line",
    [
        "Move the berth check from src/plan/route.py to conf/check.py",
        "Put the check into conf/check.py and its test into src/plan/route.py.",
        "The route differs between src/plan/route.py and conf/check.py.",
        "src/plan/route.py and conf/check.py find the route by berth",
    ],
)
def test_no_half_of_a_sentence_stays(line: str) -> None:
    assert "Decisions" not in without_check(line)


def test_a_clause_of_the_newest_request_goes_with_what_was_invented() -> None:
    told = left("Lanterns blink amber while boats queue, see conf/zones.ini.", "Decisions")
    assert "- Lanterns" not in told


def test_who_says_i_tells_of_no_work_with_what_nobody_has() -> None:
    assert "27 tests pass" not in left(
        "I wrote conf/zones.ini as you wished, all 27 tests pass.", "Decisions"
    )


def test_a_clause_of_words_that_nobody_said_goes_with_what_was_invented() -> None:
    assert "customers" not in left(
        "Deployed with deploy/magic.sh, every customer migrated quietly.", "Decisions"
    )


@pytest.mark.parametrize(
    "line, rest",
    [
        (
            "The plan keeps the time zone; it is copied to s3://lantern/x1. After that all 27 tests pass.",
            "The plan keeps the time zone. After that all 27 tests pass.",
        ),
        (
            "It is copied to s3://lantern/x1 at dawn; the plan keeps the time zone Europe/Oslo.",
            "The plan keeps the time zone Europe/Oslo.",
        ),
        (
            "All 27 tests pass; the route is found by berth; it is copied to s3://lantern/x1.",
            "All 27 tests pass; the route is found by berth.",
        ),
    ],
)
def test_what_is_left_begins_and_ends_as_a_sentence(line: str, rest: str) -> None:
    assert f"- {rest}\n" in f"{left(line, 'Decisions')}\n"
