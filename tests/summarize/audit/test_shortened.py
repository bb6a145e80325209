"""A part of a name, in front, in the midst, at the end or told in words, becomes the whole where exactly one fits."""

from __future__ import annotations

import pytest

from palimpsest.summarize.audit.exact import Exact
from palimpsest.summarize.audit.names.identifiers import doubts

UUID, PARCEL = "4d8e2f61-0b9c-4a37-9e15-c27d40b8a6f3", "40918273645500127736"
SAID = Exact(
    f"delivery {UUID}\ncurl http://localhost:8947/deliveries/{UUID}\nparcel {PARCEL}, voucher 7731904418\n"
    "read /srv/ferry/src/booking/seats.py\nedit src/booking/seats.py and docs/seats.md\nrevisions 5502 to 5521"
)


@pytest.mark.parametrize(
    "part, whole",
    [
        *(
            (one, UUID)
            for one in ("...c27d40b8a6f3", "…c27d40b8a6f3", "..b8a6f3", "…a6f3", "***c27d40b8a6f3")
        ),
        *(
            (one, UUID)
            for one in ("[...]c27d40b8a6f3", "… c27d40b8a6f3", "...9e15-c27d40b8a6f3", "4d8e2f61...a6f3")
        ),
        *(
            (one, PARCEL)
            for one in ("4091...7736", "4091…7736", "40918273...", "40918273…", "...127736", "…7736")
        ),
        *(
            (one, PARCEL)
            for one in ("409182736455", "40918****7736", "ending in 7736", "尾号7736", "endet auf 127736")
        ),
        ("以 40b8a6f3 结尾", UUID),
        ("40b8a6f3で終わる", UUID),
        ("src/.../seats.py", "src/booking/seats.py"),
        (".../booking/seats.py", "src/booking/seats.py"),
    ],
)
def test_a_part_becomes_the_whole(part: str, whole: str) -> None:
    assert [one.right for one in doubts(f"- parcel {part}", SAID)] == [whole]


TWO = Exact(f"parcels {PARCEL} and 40910000000000127736")


@pytest.mark.parametrize("part", ["...7736", "4091...7736", "…127736"])
def test_of_two_names_that_fit_none_is_taken_but_both_are_told(part: str) -> None:
    assert [(one.right, set(one.among)) for one in doubts(f"- parcel {part}", TWO)] == [
        ("", {PARCEL, "40910000000000127736"})
    ]


def test_what_is_said_in_words_of_the_end_of_two_names_stays() -> None:
    assert doubts("- parcels ending in 7736", TWO) == []


@pytest.mark.parametrize(
    "line",
    [
        "parcel numbers ending in 7736 go to the pier",
        "The lease ending in 2031 was read.",
        "The revisions 5502...5521 were listed.",
        "It took a while... and then it worked.",
        f"parcel {PARCEL}",
    ],
)
def test_what_is_no_part_of_a_name_stays(line: str) -> None:
    assert doubts(f"- {line}", SAID) == []


def test_an_end_that_nothing_has_is_invented() -> None:
    assert [(one.text, one.right) for one in doubts("- parcel ending in 9944", SAID)] == [
        ("ending in 9944", "")
    ]


COMMITS = Exact("commit e6a1b94c70d2 and 7c41d09f11ab, 7c41d0a2bb31; colour #e6a1b9")


@pytest.mark.parametrize(
    "line, right",
    [
        ("コミット e6a1b9、検証環境", ["e6a1b94c70d2"]),
        ("committed as e6a1b.", ["e6a1b94c70d2"]),
        ("commit 7c41d0", [""]),
        ("the colour #e6a1b9", []),
        ("commit e6a1b94c70d2", []),
    ],
)
def test_a_few_digits_that_one_hash_begins_with_become_the_whole(line: str, right: list[str]) -> None:
    held = COMMITS if "#" in line else Exact(COMMITS.text.partition(";")[0])
    assert [one.right for one in doubts(f"- {line}", held)] == right


@pytest.mark.parametrize("part", ["...A1F4000000C7", "…000000C7", "***F4000000C7", "[...]4000000C7"])
def test_a_part_in_capitals_becomes_the_whole_as_well(part: str) -> None:
    said = Exact("segment 000000030000A1F4000000C7 was removed")
    found = doubts(f"- The segment {part} was fetched.", said)
    assert [(one.text, one.right) for one in found] == [(part, "000000030000A1F4000000C7")]


@pytest.mark.parametrize("line", ["Wait ...ABBA", "A, B, ...DECADE", "and so on...C4 is the room"])
def test_words_in_capitals_behind_an_ellipsis_stay(line: str) -> None:
    assert not list(doubts(line, Exact("segment 000000030000A1F4000000C7 and room C4")))


ORDERS = Exact(
    f"delivery {UUID} left, held under order 9c5e17d0-f3a6-4b28-91ce-60d84b7fa215; set <branch-id> first"
)


@pytest.mark.parametrize(
    "line, said, right",
    [
        ("- worktop order <order-id>", "<order-id>", "9c5e17d0-f3a6-4b28-91ce-60d84b7fa215"),
        ("- delivery [UUID] left", "[UUID]", UUID),
        ("- delivery: {delivery_id}", "{delivery_id}", UUID),
        ("- the parcel <parcel id> was lost", "<parcel id>", ""),
    ],
)
def test_a_word_for_an_id_becomes_the_one_behind_the_word_before_it_or_goes(
    line: str, said: str, right: str
) -> None:
    assert [(one.text, one.right) for one in doubts(line, ORDERS)] == [(said, right)]


@pytest.mark.parametrize("line", ["- set <branch-id> first", "- List<int> is used", "- see [the reference]"])
def test_what_the_source_has_so_and_other_brackets_stay(line: str) -> None:
    assert doubts(line, ORDERS) == []
