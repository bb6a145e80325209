"""What things are called by letters and figures: another one is found, the right one put back."""

from __future__ import annotations

import pytest

from palimpsest.summarize.audit.exact import exact_text
from palimpsest.summarize.audit.names.identifiers import doubts
from tests.summarize.dialogues import assistant, call, leaf, result, user

UUID = "3b9e4c1a-77d2-4f0e-9c55-1e8a2f60d4b7"
SOURCE = exact_text(
    leaf(
        [
            user(
                "The export on host exp-02 fails. The booking is QK7ZPT, the file 12 O 348/23, see BGH VIII ZR 271/17, "
                f"the order 4500-883-21, doi:10.9999/sg.2019.114. "
                f"Build {UUID}, commit 9f3c21ab4d2e8f7706c1b5a9d3e4f5061728394a."
            ),
            assistant("", call("a", "Bash", command="ssh exp-02 uptime")),
            result("a", "load average: 0.51 rows=50000 host=db-north-1"),
            assistant("Boarding is at gate C14. Berths pier-1, pier-2 and pier-5 are free."),
        ]
    )
)


@pytest.mark.parametrize(
    "said, right",
    [
        ("exp-20 fails.", "exp-02"),
        ("The host is exp-2.", "exp-02"),
        ("The booking is QK7ZTP.", "QK7ZPT"),
        ("The booking is QK7ZP.", "QK7ZPT"),
        ("The file is 12 O 384/23.", "O 348/23"),
        ("BGH VIII ZR 217/17 applies.", "ZR 271/17"),
        ("The order is 4500-838-21.", "4500-883-21"),
        ("The build is ...1e8a2f60d4b7.", UUID),
        ("Commit 9f3c did it.", "9f3c21ab4d2e8f7706c1b5a9d3e4f5061728394a"),
        ("Boarding is at gate C41.", "gate C14"),
    ],
)
def test_an_altered_designation_becomes_the_one_that_is_meant(said: str, right: str) -> None:
    assert [doubt.right for doubt in doubts(said, SOURCE)] == [right]


@pytest.mark.parametrize(
    "said",
    [
        "BGH VIII ZR 999/11 applies.",
        "The order is 4612-907-55.",
        "See doi:10.9999/sg.2021.77.",
        "It wrote 5,000 rows.",
        "See pier-41.",
        "exp-03 fails.",
        "It is on db-north-2.",
    ],
)
def test_a_designation_that_is_none_of_the_like_is_invented(said: str) -> None:
    assert [doubt.standing for doubt in doubts(said, SOURCE)] == ["invented"]


@pytest.mark.parametrize(
    "said",
    [
        "exp-02 fails; EXP-02 was restarted.",
        "The booking QK7ZPT and the file 12 O 348/23 are known.",
        "pier-3 is taken, pier-6 comes next.",
        "Use UTF-8 and SHA-256, phase-1 first.",
        "12 of 50 rows, 3/4 of them new.",
    ],
)
def test_what_is_known_counted_or_of_another_kind_stays(said: str) -> None:
    assert not doubts(said, SOURCE)
