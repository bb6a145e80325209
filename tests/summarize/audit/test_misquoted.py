"""Plain numbers in the source's words: what it has not is put right, what is counted or reckoned stays."""

from __future__ import annotations

import pytest

from palimpsest.summarize.audit.exact import Exact, exact_text
from palimpsest.summarize.audit.names.identifiers import doubts
from tests.summarize.dialogues import assistant, call, leaf, result, user

LOCK: Exact = exact_text(
    leaf(
        [
            user("Ship the rudder to Kestrel Lane 14. Keep the lock at firmware 1.74, please."),
            assistant("The counter of the lock overflows at 256 boats. The old berth took 18 boats, the new one 13."),
            assistant("", call("a", "read", path="lock.toml")),
            result("a", "max_boats = 50\nwait_s = 12"),
            assistant("一共 27 行没有地区。El muelle tiene cinco grúas y 40 amarres."),
        ]
    )
)  # fmt: skip


@pytest.mark.parametrize(
    "line, wrong, right",
    [
        ("- Ship to Kestrel Lane 41, not by boat", "Lane 41", "Lane 14"),
        ("- The lock stays at firmware 1.75", "firmware 1.75", "firmware 1.74"),
        ("- The counter of the lock overflows at 255 boats", "255 boats", "256 boats"),
        ("- the limit max_boats (now 500) is in lock.toml", "now 500", "now 50"),
        ("- The old berth took 81 boats", "81 boats", "18 boats"),
        ("- 72 行缺少地区", "72 行", "27 行"),
        ("- max_boats was increased to 80", "to 80", ""),
    ],
)
def test_a_number_in_the_sources_words_that_it_has_not_is_put_right(
    line: str, wrong: str, right: str
) -> None:
    assert [(one.text, one.right) for one in doubts(line, LOCK)] == [(wrong, right)]


@pytest.mark.parametrize(
    "line",
    [
        "- The berths differ by 5 boats",
        "- Together the berths took some 30 boats",
        "- The old berth and the new one took 31 boats",
        "- About 250 boats fit",
        "- 3 files were read, 17 are left",
        "- El muelle tiene 5 grúas",
        "- Together 31 boats were taken",
        "- Step 22 of the plan is next",
        "- In 2031 the lock is due",
        "- Kestrel Lane 14, third floor, door 66",
    ],
)
def test_other_numbers_are_left_alone(line: str) -> None:
    assert doubts(line, LOCK) == []


@pytest.mark.parametrize(
    "line, wrong",
    [
        ("- In 2023 the lock had 164 keepers", ["164 keepers"]),
        ("- About 164 keepers", []),
        ("- exit 137 was no failure", []),
    ],
)
def test_a_count_that_nobody_told_is_invented_unless_it_is_called_rough(line: str, wrong: list[str]) -> None:
    held = Exact("How many keepers did the lock have in 2023? The last run ended with exit 137.")
    assert [one.text for one in doubts(line, held)] == wrong
