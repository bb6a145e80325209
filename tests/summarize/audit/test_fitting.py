"""An invented path is put right only to a file that the rest of its line fits."""

from __future__ import annotations

import pytest

from palimpsest.summarize.audit.exact import Exact
from palimpsest.summarize.audit.names.fitting import fits
from palimpsest.summarize.audit.names.identifiers import doubts
from palimpsest.summarize.audit.names.known_paths import spaced_paths

SAID = Exact(
    "/srv/tide/jobs/tide_monthly.py\n/srv/tide/jobs/tide_daily.py\n/srv/tide/jobs/fees.py\n"
    "/srv/tide/jobs/tide_monthly.py has a fixed date, so March is left out.\n"
    "fees.py uses the day of today and has no such problem.\ntide_daily.py reads the berths at each start.\n"
    "vouchers.sql 用的是 current_date，没有这个问题。\n"
    "/data/jobs/flights_monthly.sql 里写死了 month < 2025-03-01，所以三月被排除了。"
)
MONTHLY, DAILY = "/srv/tide/jobs/tide_monthly.py", "/srv/tide/jobs/tide_daily.py"


@pytest.mark.parametrize(
    "line, wrong, right, is_fit",
    [
        ("fees_monthly.py uses the day of today", "fees_monthly.py", MONTHLY, False),
        ("fees_monthly.py has no such problem", "fees_monthly.py", MONTHLY, False),
        ("tide_weekly.py has a fixed date", "tide_weekly.py", MONTHLY, True),
        ("tide_weekly.py has a fixed date", "tide_weekly.py", DAILY, False),
        ("tide_dayly.py: edited", "tide_dayly.py", DAILY, True),
        ("fee.py: edited", "fee.py", MONTHLY, False),
        ("old/tide_daily.py has a fixed date", "old/tide_daily.py", DAILY, True),
        (f"{MONTHLY} was edited, then monthly.py", "monthly.py", MONTHLY, False),
        (
            "vouchers_monthly.sql 没有这个问题",
            "vouchers_monthly.sql",
            "/data/jobs/flights_monthly.sql",
            False,
        ),
        ("flights.sql 里写死了日期，三月被排除了", "flights.sql", "/data/jobs/flights_monthly.sql", True),
    ],
)
def test_what_the_line_says_of_it_decides(line: str, wrong: str, right: str, *, is_fit: bool) -> None:
    assert fits(line, wrong, right, SAID) is is_fit


@pytest.mark.parametrize(
    "line, right",
    [
        ("/srv/tide/jobs/tide_monthyl.py has a fixed date", MONTHLY),
        ("/srv/tide/job/tide_monthly.py has a fixed date", MONTHLY),
        ("/srv/tide/jobs/fees_monthly.py uses the day of today", ""),
    ],
)
def test_a_path_becomes_one_that_its_line_may_mean(line: str, right: str) -> None:
    assert [one.right for one in doubts(f"- {line}", SAID)][:1] == [right]


SPACED = Exact(
    "C:\\Berths\\conf\\quay.ini\nC:\\Program Files\\Tide\\tide.ini was read with C:\\Berths\\x.exe"
)


@pytest.mark.parametrize(
    "line, found",
    [
        (
            "C:\\Program Files\\Berths\\quay.ini edited",
            [("C:\\Program Files\\Berths\\quay.ini", "C:\\Berths\\conf\\quay.ini")],
        ),
        ("D:\\My Tools\\crane.ini was read", [("D:\\My Tools\\crane.ini", "")]),
        ("C:\\Program Files\\Tide\\tide.ini was read", []),
        ("c:\\program files\\tide\\tide.ini was read", []),
        ("C:\\Berths\\conf\\quay.ini edited, C:\\Berths\\x.exe ran", []),
    ],
)
def test_a_folder_with_a_space_is_judged_with_its_path(line: str, found: list[tuple[str, str]]) -> None:
    assert list(spaced_paths(f"- {line}", SPACED)) == found
