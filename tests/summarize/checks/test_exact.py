"""A summary's exact strings against its source: what is put right, what is marked, and what stays as it is."""

from __future__ import annotations

from collections.abc import Generator
from typing import TypeVar

import pytest
from hypothesis import given
from hypothesis import strategies as st

from palimpsest.record.summary_source import Source
from palimpsest.settings import IdentifierPolicy
from palimpsest.summarize.checks.exact_strings import Checked, checked, slips_between
from palimpsest.summarize.checks.string_index import MARK, Known, knowing, source_texts
from tests.summarize.pace import largest_step

SOURCE = """
ran `pytest tests/quay/test_berths.py::test_a_full_quay` in /srv/harbour/planner: 3 failed, 41 passed in 12.38s
edited src/planner/berths.py:120 and src/planner/tides.py, then tests/quay/conftest.py
commit 9fceb02d0ae598e95dc970b74767f19372d61af8, ticket 01932f3a-7b1c-7cc0-9d2b-5f0c7c1e9d2b
https://docs.example.com/quay/berths?page=2 says that berthCapacity is 48,213 t; next_departure_of() stays
harbour-planner 3.12.4 on port 5433, 1834 ms, 4096 bytes, see BerthPlan.assign and quay_id
"""
Result = TypeVar("Result")


def result(steps: Generator[None, None, Result]) -> Result:
    while True:
        try:
            next(steps)
        except StopIteration as stop:
            return stop.value


def known(text: str = SOURCE) -> Known:
    return result(knowing([text]))


def check(text: str, source: str = SOURCE, policy: IdentifierPolicy = "strict") -> Checked:
    return result(checked(text, known(source), policy))


@pytest.mark.parametrize(
    "said, right",
    [
        ("src/planer/berths.py", "src/planner/berths.py"),
        ("src/planner/berth.py", "src/planner/berths.py"),
        ("src/planner/tides.js", "src/planner/tides.py"),
        ("tests/conftest.py", "tests/quay/conftest.py"),
        ("tests/pier/test_berths.py", "tests/quay/test_berths.py"),
        ("next_departure_off", "next_departure_of"),
        ("berthCapactiy", "berthCapacity"),
        ("9fceb02d0ae598e95dc970b74767f19372d61ae8", "9fceb02d0ae598e95dc970b74767f19372d61af8"),
        ("01932f3a-7b1c-7cc0-9d2b-5f0c7c1e9d2c", "01932f3a-7b1c-7cc0-9d2b-5f0c7c1e9d2b"),
        ("01932f3a-7b1c…", "01932f3a-7b1c-7cc0-9d2b-5f0c7c1e9d2b"),
        ("https://docs.example.com/quay/berth?page=2", "https://docs.example.com/quay/berths?page=2"),
    ],
)
def test_a_string_with_one_near_form_becomes_that_form(said: str, right: str) -> None:
    done = check(f"- The work stands at `{said}`, which is open.")
    assert done.text == f"- The work stands at `{right}`, which is open."
    assert done.edits == ((said, right),)
    assert done.notes == (f"{said} -> {right}",)


@pytest.mark.parametrize(
    "said",
    ["5434", "48,231", "1843 ms", "3.12.5", "v4.0.1", "12.83", "src/orchid/parcel.py", "quotaRetryLedger"],
)
def test_what_has_no_near_form_is_marked_and_stays(said: str) -> None:
    done = check(f"- It is {said} now.")
    assert MARK in done.text
    assert done.text.replace(MARK, "") == f"- It is {said} now."
    assert done.edits == ()
    assert done.notes == (f"not in the source: {done.marked[0]}",)


@pytest.mark.parametrize(
    "line",
    [
        "- 41 of 44 tests of `test_berths.py` pass (93 %), in about 12 s.",
        "- Line 120 of berths.py, `/srv/harbour/planner/src/planner/berths.py`, was edited.",
        "- Commit 9fceb02d; the ticket 01932f3a is open; port 5433; 48213 t; about 48,200 t.",
        "- `BerthPlan.assign()`, `assign`, `next_departure_of`, quay_ids and harbour-planner 3.12.",
        "- It takes 1.8 s, reads 4 KB, and stays in read/write mode; and/or; 7/8; e.g. this one.",
        "- See https://docs.example.com/quay/berths and src/planner/*.py, src/{planner,quay}/a.py, <id>/x.",
        "- JavaScript and TypeScript are not used. 二〇二六年的潮汐表在src/planner/tides.py里。",
    ],
)
def test_a_true_line_stays_as_it_is(line: str) -> None:
    assert check(line) == Checked(line)


@pytest.mark.parametrize(
    "source, line",
    [
        (
            "cd packages/api && cat src/index.ts; cat packages/web/src/index.ts",
            "- packages/api/src/index.ts is read",
        ),
        ("`ls src/utils` lists helpers.py; cat src/core/helpers.py", "- src/utils/helpers.py is listed"),
        ("paid $2,787 in all", "- He paid $2,787, then left; 2787 is right."),
        ("229.69 kB, 149.6 s, 99.95 %, 0.9234, 120000 ms", "- 230 kB, 150 s, 100 %, 92.34 %, 120 seconds"),
        ("on 2024-05-24 in run_9fceb02d0ae598e9.log", "- 24.05.2024, 9fceb02d0ae598e9, 9FCEB02D"),
        ("read app/(main)/team/[id]/page.tsx", "- `app/(main)/team/[id]/page.tsx` is read"),
        ("src/a.py is read", "- see\n```diff\n--- a/src/b_c.py\n+1234\n```"),
    ],
)
def test_what_is_true_in_another_form_stays_as_it_is(source: str, line: str) -> None:
    assert check(line, source) == Checked(line)


@pytest.mark.parametrize(
    "source, said",
    [
        (
            "packages/agent/src/core/index.ts and packages/agent/src/modes are read",
            "packages/agent/src/modes/index.ts",
        ),
        ("see https://example.com/quay/pull/17", "https://example.com/quay/pull/18"),
        ("git mv src/old/berths.py src/new/", "src/new/berths.py"),
        ("test_berth_12 fails", "test_berth_13"),
    ],
)
def test_what_may_well_be_another_thing_is_not_changed(source: str, said: str) -> None:
    done = check(f"- {said} is next", source)
    assert done.edits == ()
    assert said in done.text


def test_a_string_that_was_marked_before_is_no_surer_in_the_next_summary() -> None:
    earlier = Source(
        "condense", (), earlier=("- The port is 5434 (unverified); src/planner/tides.py is read.",)
    )
    done = result(checked("- 5434; src/planner/tides.py", result(knowing(source_texts(earlier)))))
    assert done.marked == ("5434",)


def test_of_several_near_forms_none_is_taken() -> None:
    source = "read test_pier_1, test_pier_2 and test_pier_3"
    assert check("- test_pier_4 fails", source).marked == ("test_pier_4",)
    assert check("- test_pier_1 fails", source) == Checked("- test_pier_1 fails")


def test_a_short_string_is_marked_and_never_changed() -> None:
    assert check("- quay_ix", "quay_id is read").text == f"- quay_ix{MARK}"


def test_a_mark_stands_behind_the_code_that_a_string_stands_in() -> None:
    assert check("- `orchidParcel()` is new.").text == f"- `orchidParcel()`{MARK} is new."


def test_the_policies_mark_only_or_check_nothing() -> None:
    line = "- src/planer/berths.py on port 5434"
    assert check(line, policy="off") == Checked(line)
    custom = check(line, policy="custom")
    assert custom.edits == ()
    assert custom.marked == ("src/planer/berths.py", "5434")


@given(st.text(max_size=300))
def test_what_the_source_says_itself_is_never_changed(text: str) -> None:
    assert check(text, text) == Checked(text)


@given(st.text(alphabet="ab/._-1:…`(){} <>@#\n潮", max_size=200), st.text(max_size=120))
def test_only_strings_are_changed_and_the_rest_of_a_text_stays(text: str, source: str) -> None:
    done = check(text, source, "custom")
    assert done.text.replace(MARK, "") == text.replace(MARK, "")
    assert len(done.marked) == len(set(done.marked))


@given(st.text(alphabet="abcd", max_size=9), st.text(alphabet="abcd", max_size=9), st.integers(1, 5))
def test_slips_are_counted_up_to_a_limit_the_same_both_ways(one: str, other: str, limit: int) -> None:
    count = slips_between(one, other, limit)
    assert count == slips_between(other, one, limit)
    assert (count == 0) == (one == other)
    assert slips_between(one, one + "x", 9) == 1


def test_a_reply_of_nothing_but_wrong_numbers_takes_little_work() -> None:
    text = "\n".join(f"- value {number} of src/quay/module_{number}.py" for number in range(20_000, 30_000))
    source = "\n".join(f"src/pier/part_{number}.py {number * 3}" for number in range(9_000))
    steps = checked(text, known(source))
    assert sum(1 for _ in steps) < 20_000


@pytest.mark.parametrize(
    "text", ["a/" * 200_000, "a_" * 200_000, "1." * 200_000, "x" * 400_000, "…" * 300_000]
)
def test_texts_made_to_be_slow_are_read_once(text: str) -> None:
    assert check(text, "quay").text.replace(MARK, "") == text


@pytest.mark.parametrize(
    "link, stays", [("quay", True), ("quay/", True), ("quay/berths", True), ("quay/ber", False)]
)
def test_a_link_is_known_as_the_beginning_of_a_longer_one_where_a_part_ends(link: str, stays: bool) -> None:
    said = f"https://docs.example.com/{link}"
    assert bool(check(f"see {said} there").marked) != stays


def test_a_number_too_large_for_a_float_is_marked() -> None:
    assert check("12" + "3" * 310 + " berths").marked == ("12" + "3" * 310,)


BASE = "q" + "abcdefghij" * 38
HOSTILE = {
    "many near names": (
        "\n".join(f"{BASE[:place]}00{BASE[place + 2 :]}" for place in range(100, 300)),
        f"{BASE[:50]}_{BASE[51:]}",
    ),
    "a name inside of words everywhere": ("a1" * 150_000, "a1a1a1a"),
    "versions without an end": ("1.2." * 25_000, "1.2.3"),
    "a path of one letter": ("a/" * 500_000, "/".join("a" * 190) + "/b.py"),
}
STEP_CHARS, STEP_CALLS = 20_000, 60_000
"""What a step reads, and more calls of functions than any makes; without a bound these make many times as many."""


@pytest.mark.parametrize("source, said", HOSTILE.values(), ids=HOSTILE.keys())
def test_no_step_does_much_on_a_source_made_to_be_slow(source: str, said: str) -> None:
    assert sum(1 for _ in knowing([source])) >= len(source) // STEP_CHARS
    assert largest_step(knowing([source])) < STEP_CALLS
    assert largest_step(checked(f"see {said} there", known(source))) < STEP_CALLS
