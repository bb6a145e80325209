"""Parts that are the source's in pairs that are not: speakers, versions, lines, counts, times, decisions, deeds."""

from __future__ import annotations

import pytest

from palimpsest.record.message import Message, Text
from palimpsest.summarize.audit.audit import audit
from tests.summarize.audit.stories import asked, grounds
from tests.summarize.dialogues import assistant, call, leaf, result, user

STAGING = "7d3f1c2e-9a4b-4c8d-8e5f-0a1b2c3d4e5f"
PRODUCTION = "1b9d6bcd-bbfd-4b2d-9b5d-ab8dfbbd4bed"


def named(name: str, text: str) -> Message:
    return Message("user", (Text(text),), name=name)


STORY = leaf(
    [
        named("lena", "Lena here: the export should be CSV. Use exceljs 4.4.0 for reading."),
        named("kim", "Kim here: please keep the nightly job at 03:15. I have not decided about Redis yet."),
        assistant("I start with the export.", call("a", "Read", file_path="src/export/writer.py")),
        result("a", "def write(rows):\n    ...\n" + "x=1\n" * 30),
        assistant("", call("b", "Bash", command="pip list")),
        result("b", "httpx 0.27.2\nhttpcore 1.0.5\npydantic 2.9.1\npydantic_core 2.23.3\nuvicorn 0.30.6"),
        assistant("We decided to use SQLite for the cache."),
        assistant("", call("c", "Edit", file_path="src/export/writer.py", old_string="x", new_string="y")),
        result("c", "ok"),
        assistant("", call("d", "Edit", file_path="src/nightly/job.py", old_string="x", new_string="y")),
        result("d", "ok"),
        assistant(
            "I renamed write() to write_rows() in src/export/writer.py, and raised the timeout in src/nightly/job.py "
            "to 45 s."
        ),
        named("lena", "Actually let's switch from SQLite to Postgres for the cache, SQLite locks too often."),
        assistant(
            "Agreed: Postgres for the cache instead of SQLite.",
            call("e", "Bash", command="pytest tests/export"),
        ),
        result(
            "e",
            "tests/export/test_writer.py:88: AssertionError: expected 12 columns, got 11\n3 failed, 40 passed in 2.10s",
            error=True,
        ),
        assistant(
            "The failure at tests/export/test_writer.py:88 is a missing column in the header. "
            "The cause is not known yet for the other two."
        ),
        assistant("", call("f", "Bash", command="pytest tests/nightly")),
        result("f", "5 passed in 0.80s"),
        assistant(
            f"Build {STAGING} is the staging build, build {PRODUCTION} is the production build. "
            "Docs: https://docs.ferry.example/export/csv and https://docs.ferry.example/jobs"
        ),
        assistant("May I deploy the production build?"),
        named("kim", "Not yet. Do not deploy before the tests pass."),
        assistant("I will not deploy. I will fix the header next."),
        named("lena", "Go on with the header."),
    ]
)
GOOD = f"""## Goal
- CSV export (Lena), nightly job stays at 03:15 (Kim)
## Constraints & preferences
- Lena wants the export as CSV, read with exceljs 4.4.0
- Kim: keep the nightly job at 03:15; do not deploy before the tests pass
## Progress
- Renamed write() to write_rows() in src/export/writer.py
- Timeout in src/nightly/job.py raised to 45 s
- Staging build {STAGING}, production build {PRODUCTION}
## Decisions
- Postgres for the cache instead of SQLite, since SQLite locks too often
- Kim has not decided about Redis
## Files
- edited src/export/writer.py and src/nightly/job.py
## Commands and outcomes
- `pytest tests/export` -> 3 failed, 40 passed
- `pytest tests/nightly` -> 5 passed
- installed: httpx 0.27.2, pydantic 2.9.1
## Errors and rejected approaches
- tests/export/test_writer.py:88: AssertionError: expected 12 columns, got 11 (a column is missing in the header)
## Open tasks
- Fix the header; deploy only after the tests pass
## Pending user request
Go on with the header.
## Next steps
- Fix the header in writer.py
## Critical identifiers
- https://docs.ferry.example/export/csv"""
WRONG = {
    "kim wants csv": ("Lena wants the export as CSV", "Kim wants the export as CSV"),
    "csv (kim)": ("CSV export (Lena)", "CSV export (Kim)"),
    "lena keeps 03:15": ("- Kim: keep the nightly job at 03:15;", "- Lena: keep the nightly job at 03:15;"),
    "deployed": ("## Decisions", "- Deployed the production build\n## Decisions"),
    "old decision": (
        "Postgres for the cache instead of SQLite, since SQLite locks too often",
        "SQLite for the cache",
    ),
    "old decision 2": (
        "Postgres for the cache instead of SQLite, since SQLite locks too often",
        "The cache uses SQLite",
    ),
    "wrong sum": ("## Decisions", "- In all 52 tests passed\n## Decisions"),
    "wrong total": ("3 failed, 40 passed", "3 failed, 42 passed"),
    "line moved": ("test_writer.py:88", "test_writer.py:98"),
    "invented cause": (
        "(a column is missing in the header)",
        "(caused by a race condition in the thread pool)",
    ),
    "invented cause2": (
        "## Open tasks",
        "- The other two failures are caused by a wrong locale\n## Open tasks",
    ),
    "user approved": ("## Files", "- Kim approved the deployment of the production build\n## Files"),
    "user approved2": ("## Files", "- The user approved deploying\n## Files"),
    "user agreed": ("## Files", "- The user agreed to the deployment\n## Files"),
    "dropped not": ("do not deploy before the tests pass", "deploy before the tests pass"),
    "half uuid": (STAGING, STAGING[:18] + PRODUCTION[18:]),
    "half uuid2": (PRODUCTION, PRODUCTION[:23] + STAGING[23:]),
    "same host url": ("https://docs.ferry.example/export/csv", "https://docs.ferry.example/export/json"),
    "host url new": ("https://docs.ferry.example/export/csv", "https://docs.ferry.example/setup"),
    "neighbour version": ("httpx 0.27.2", "httpx 0.30.6"),
    "neighbour version2": ("pydantic 2.9.1", "pydantic 2.23.3"),
    "neighbour version3": ("exceljs 4.4.0", "exceljs 2.9.1"),
    "wrong time": ("03:15; do", "03:45; do"),
    "wrong columns": ("expected 12 columns, got 11", "expected 11 columns, got 12"),
    "wrong seconds": ("45 s", "54 s"),
    "quote in wrong mouth": ("## Files", '- Lena said "Do not deploy before the tests pass"\n## Files'),
    "nightly failed": ("`pytest tests/nightly` -> 5 passed", "`pytest tests/nightly` -> 5 failed"),
    "nightly failed2": ("`pytest tests/nightly` -> 5 passed", "`pytest tests/nightly` -> failed"),
    "pass/fail swapped": ("3 failed, 40 passed", "40 failed, 3 passed"),
    "swapped builds": (
        f"Staging build {STAGING}, production build {PRODUCTION}",
        f"Staging build {PRODUCTION}, production build {STAGING}",
    ),
    "deleted": ("edited src/export/writer.py and", "deleted src/export/writer.py, edited"),
    "new file": ("## Commands", "- created src/export/csv.py\n## Commands"),
    "rename inverted": ("Renamed write() to write_rows()", "Renamed write_rows() to write()"),
    "all tests": ("## Decisions", "- All export tests pass now\n## Decisions"),
    "tests since fixed": ("-> 3 failed, 40 passed", "-> 43 passed"),
    "port invented": ("## Decisions", "- The service listens on port 8443\n## Decisions"),
}
RIGHT = {
    "counts added up": ("## Decisions", "- 45 tests passed in both runs\n## Decisions"),
    "counts added up, told shortly": ("## Decisions", "- 45 passed in both runs\n## Decisions"),
    "another speaker's yes": ("## Decisions", "- Lena agreed to go on with the header\n## Decisions"),
    "a time in another form": ("03:15; do", "3:15 AM; do"),
    "a version with fewer parts": ("httpx 0.27.2", "httpx 0.27"),
    "a move away from": (
        "Postgres for the cache instead of SQLite",
        "Moved the cache from SQLite to Postgres",
    ),
    "both speakers": ("Lena wants the export as CSV", "Lena and Kim work on the export as CSV"),
    "a known cause": ("(a column is missing in the header)", "(caused by a column missing in the header)"),
}
PUT_RIGHT = {
    "kim wants csv": "Lena wants the export as CSV",
    "old decision": "switch from SQLite to Postgres",
    "neighbour version": "httpx 0.27.2",
    "line moved": "test_writer.py:88",
    "wrong columns": "expected 12 columns, got 11",
    "rename inverted": "Renamed write() to write_rows()",
    "nightly failed2": "`pytest tests/nightly` -> 5 passed",
}


def test_what_is_right_is_left_as_it_is() -> None:
    assert not audit(GOOD, grounds(STORY))


@pytest.mark.parametrize("kind", RIGHT)
def test_what_is_right_in_other_words_is_no_finding(kind: str) -> None:
    assert not audit(GOOD.replace(*RIGHT[kind], 1), grounds(STORY))


@pytest.mark.parametrize("kind", WRONG)
def test_what_is_said_of_the_wrong_thing_is_found(kind: str) -> None:
    assert audit(GOOD.replace(*WRONG[kind], 1), grounds(STORY))


@pytest.mark.parametrize("kind", PUT_RIGHT)
def test_the_right_pair_takes_the_place_of_the_wrong_one(kind: str) -> None:
    wrong = GOOD.replace(*WRONG[kind], 1)
    draft, requests = asked([wrong, wrong], grounds(STORY))
    assert "this did not happen" in requests[1]
    assert PUT_RIGHT[kind] in draft.text


def test_a_time_of_day_that_nobody_told_becomes_the_one_that_was_told() -> None:
    wrong = GOOD.replace(*WRONG["wrong time"], 1)
    draft, requests = asked([wrong, wrong], grounds(STORY))
    assert "03:45" in requests[1]
    assert "03:15" in draft.text
    assert "03:45" not in draft.text


def is_right(line: str, *messages: Message, heading: str = "Progress") -> bool:
    """Whether a summary with this line says nothing else than these messages."""
    return not audit(f"## {heading}\n- {line}", grounds(leaf(messages)), whole=False)


@pytest.mark.parametrize(
    "line", ["Docker image upgraded to Python 3.12, from 3.11", "The image has Python 3.12 now"]
)
def test_a_version_that_something_was_brought_to_is_not_turned_back(line: str) -> None:
    asks = user("We run Python 3.11 today. Please upgrade the Docker image to 3.12.")
    assert is_right(line, asks, assistant("Done: the image is upgraded to 3.12 and the build works."))


@pytest.mark.parametrize("line", ["5 of 12 tests passed", "5 of the 12 passed", "5/12 tests passed"])
def test_the_sum_behind_a_part_is_no_count_of_what_passed(line: str) -> None:
    run = assistant("", call("a", "Bash", command="pytest -q"))
    assert is_right(line, named("kim", "Test the quay."), run, result("a", "5 passed, 7 failed", error=True))


EXPORT = named("ann", "Should we move the export to Parquet?")
YES = [
    [EXPORT, named("bob", "Yes. And keep the nightly job.")],
    [EXPORT, assistant("It would be smaller."), named("bob", "+1")],
    [
        EXPORT,
        named("bob", "I would like that, says Carl."),
        named("ann", "Then Bob wants the export in Parquet."),
    ],
    [EXPORT, named("bob", "No idea."), assistant("As Bob said to me, the export shall move to Parquet.")],
]


@pytest.mark.parametrize("story", YES)
def test_who_says_yes_to_something_or_is_told_to_want_it_wants_it(story: list[Message]) -> None:
    assert is_right("Bob wants the export moved to Parquet", *story)


@pytest.mark.parametrize(
    "line, right",
    [("Ann wants the nightly job kept", "Bob wants"), ("Bob wants the quay closed", "Ann wants")],
)
def test_what_somebody_said_no_yes_to_is_not_his(line: str, right: str) -> None:
    story = [named("ann", "Close the quay."), assistant("Closed."), EXPORT, *YES[0][1:]]
    found = audit(f"## Progress\n- {line}", grounds(leaf(story)), whole=False)
    assert [to for _, to in found.untrue] == [f"- {line.replace(line[:9], right)}"]


MEETING = user("The call is at 15:30 CET in Berlin. The backup runs at 22:15 UTC.")


@pytest.mark.parametrize(
    "line",
    [
        "The call is at 14:30 UTC",
        "The call is at 9:30 am in New York",
        "Call at 9:30 ET (15:30 in Berlin)",
        "The call is at 14:30 London time",
        "Anruf um 14:30 Uhr Londoner Zeit",
        "会议在伦敦时间 14:30",
        "The backup runs at 23:15 CET",
    ],
)
def test_a_time_of_day_in_another_zone_or_at_another_place_may_be_right(line: str) -> None:
    assert is_right(line, MEETING, assistant("Noted. 会议的时间记下了。"))


def test_a_time_of_day_that_is_reckoned_from_another_may_be_right() -> None:
    asks = user("The call is at 15:30; please move it by half an hour and send the notes an hour before.")
    assert is_right("The call is moved to 16:00, the notes go out at 14:30", asks, assistant("Done."))


@pytest.mark.parametrize(
    "line, right",
    [
        ("The call is at 15:45 CET", "15:30 CET"),
        ("The call is at 16:30 in Berlin", "15:30 in Berlin"),
        ("The call is at 3:45 pm", "3:30 pm"),
        ("The call is at 9:30 am", "15:30"),
        ("The backup runs at 22:45", "22:15"),
    ],
)
def test_another_time_of_day_in_the_same_zone_is_put_right(line: str, right: str) -> None:
    found = audit(f"## Progress\n- {line}", grounds(leaf([MEETING, assistant("Noted.")])), whole=False)
    (doubt,) = found.doubts
    assert line.replace(doubt.text, doubt.right).endswith(right)


QUAY = (
    user("Clean up src/quay.py."),
    assistant("", call("a", "Bash", command="ruff check")),
    result("a", "src/quay.py:88: F401 unused import of tides"),
    assistant("", call("b", "Edit", file_path="src/quay.py", old_string="import tides\n", new_string="")),
    result("b", "ok"),
)


def test_lines_move_where_a_file_was_changed() -> None:
    assert is_right("moor() stands at src/quay.py:71 now", *QUAY)
    assert not is_right("moor() stands at src/quay.py:71", *QUAY[:3])
    assert not is_right("ruff found an unused import at src/quay.py:98", *QUAY)


RENAMED = (
    user("Rename read_tide to tide_at."),
    assistant("I renamed read_tide to tide_at; the old name is an alias."),
)


@pytest.mark.parametrize(
    "line",
    [
        "Renamed read_tide to tide_at; alias tide_at → read_tide",
        "The legacy wrapper maps tide_at to read_tide",
        "tide_at falls back to read_tide",
        "Added tide_at to read_tide",
    ],
)
def test_an_old_name_that_lives_on_is_no_renaming(line: str) -> None:
    assert is_right(line, *RENAMED)


@pytest.mark.parametrize(
    "line",
    ["Renamed tide_at to read_tide", "tide_at -> read_tide", "tide_at (now) moved, tide_at → read_tide"],
)
def test_a_renaming_is_not_told_the_other_way_round(line: str) -> None:
    assert not is_right(line, *RENAMED)


WAITS = (
    user("Wait 5 seconds between retries. The build may take 45 seconds; the job runs with timeout=1800."),
    assistant("45 layers were pulled. There is a 5-hour limit for the job."),
)


@pytest.mark.parametrize(
    "line, right",
    [
        ("Retries wait 5 minutes", "Retries wait 5 seconds"),
        ("The build takes 45 minutes", "The build takes 45 seconds"),
    ],
)
def test_a_unit_that_slipped_is_put_right_where_the_words_are_the_same(line: str, right: str) -> None:
    found = audit(f"## Progress\n- {line}", grounds(leaf(WAITS)), whole=False)
    assert (f"- {line}", f"- {right}") in found.untrue


@pytest.mark.parametrize(
    "line",
    [
        "Retries wait 5 s",
        "The work on the quay took 5 minutes so far",
        "The timeout of the job is 30 minutes",
        "The limit of the job is 5 hours",
    ],
)
def test_a_quantity_that_is_another_one_or_the_same_in_another_unit_stays(line: str) -> None:
    assert is_right(line, *WAITS)


@pytest.mark.parametrize(
    "line",
    [
        "express stays at 4.18.2, vite at 4.5.0",
        "The app went from 2.3.0 to 2.4.0, express from 4.17.0 to 4.18.2",
        "vite bleibt auf 4.5.0",
    ],
)
def test_a_little_word_before_a_version_is_no_package(line: str) -> None:
    listed = "app@2.3.0 express@4.17.0 vite@4.5.0"
    asks = user("Raise express from 4.17.0 and keep it at 4.18.2. Es bleibt auf 4.18.2.")
    shows = (assistant("", call("a", "Bash", command="npm ls")), result("a", listed))
    assert is_right(line, asks, *shows, assistant("App 2.4.0 is ready."))


@pytest.mark.parametrize(
    "said, line",
    [
        (
            "The tolerance is 0.25. The setpoint 3.75 was too high, MAX 3.5.",
            "The setpoint is 3.5 instead of 3.75",
        ),
        ("The dose is 2.5 mg. Before that ASPIRIN 7.5 was taken.", "The earlier dose is 7.5 mg"),
        ("fever 38.5 on Monday; evening reading 39.2 on Tuesday", "On Tuesday the evening fever 39.2 came"),
        (
            "score 0.81 for the small model, accuracy 0.93 for the large",
            "The large model reached a score 0.93",
        ),
        ("I pay 8.90, and Bo 11.20.", "The user pays 11.20 for Bo, who pays 8.90"),
    ],
)
def test_a_number_behind_any_word_is_no_version(said: str, line: str) -> None:
    assert is_right(line, user(said), assistant("Noted."))
