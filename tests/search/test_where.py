"""Where a search looks: roles and times, read from what a caller gives."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta, timezone

import pytest
from hypothesis import given
from hypothesis import strategies as st

from palimpsest.errors import UsageError
from palimpsest.search.filters import ANYWHERE, Where, read_where

NOW = datetime(2026, 3, 31, 12, 30, tzinfo=UTC)
NOW_S = NOW.timestamp()


def since(text: str) -> str:
    """The beginning that `since` stands for, in UTC."""
    found = read_where(since=text, now_s=NOW_S).since_s
    return datetime.fromtimestamp(found or 0.0, UTC).strftime("%Y-%m-%d %H:%M:%S")


def last(text: str) -> str:
    """The beginning that `last` stands for, in UTC."""
    found = read_where(last=text, now_s=NOW_S).since_s
    return datetime.fromtimestamp(found or 0.0, UTC).strftime("%Y-%m-%d %H:%M")


@pytest.mark.parametrize(
    "text, begins",
    [
        ("6h", "2026-03-31 06:30"),
        ("7d", "2026-03-24 12:30"),
        ("2w", "2026-03-17 12:30"),
        ("1m", "2026-02-28 12:30"),
        ("13m", "2025-02-28 12:30"),
        (" 1 M ", "2026-02-28 12:30"),
        ("99999m", "0001-01-01 00:00"),
    ],
)
def test_last_counts_back_from_now(text: str, begins: str) -> None:
    assert last(text).zfill(16) == begins


@pytest.mark.parametrize(
    "text, begins",
    [
        ("2026-03-01", "2026-03-01 00:00:00"),
        ("2026-03-01T09:30", "2026-03-01 09:30:00"),
        ("2026-03-01 09:30:05", "2026-03-01 09:30:05"),
        ("2026-03-01T09:30Z", "2026-03-01 09:30:00"),
        ("2026-03-01t09:30z", "2026-03-01 09:30:00"),
        ("2026-03-01T09:30+02:00", "2026-03-01 07:30:00"),
        ("20260301T093000-0500", "2026-03-01 14:30:00"),
        ("2026-02-28T24:00", "2026-03-01 00:00:00"),
        ("20261231T240000+0100", "2026-12-31 23:00:00"),
        ("2026-03-01 09:30 UTC", "2026-03-01 09:30:00"),
        ("2026-W10-1", "2026-03-02 00:00:00"),
        ("2026", "2026-01-01 00:00:00"),
        ("2026-03", "2026-03-01 00:00:00"),
    ],
)
def test_times_are_iso_8601_and_utc_where_they_name_no_zone(text: str, begins: str) -> None:
    assert since(text) == begins


@pytest.mark.parametrize(
    "text, begins",
    [
        ("now", "2026-03-31 12:30:00"),
        (" Today", "2026-03-31 00:00:00"),
        ("yesterday", "2026-03-30 00:00:00"),
        ("6h", "2026-03-31 06:30:00"),
        ("1m", "2026-02-28 12:30:00"),
    ],
)
def test_a_time_may_count_from_now(text: str, begins: str) -> None:
    assert since(text) == begins
    assert read_where(before=text, now_s=NOW_S).before_s == read_where(since=text, now_s=NOW_S).since_s


def test_a_time_of_the_library_is_taken_as_its_text() -> None:
    given = datetime(2026, 3, 1, 9, 30, tzinfo=timezone(timedelta(hours=1)))
    assert read_where(since=given, now_s=NOW_S).since_s == given.timestamp()  # pyright: ignore[reportArgumentType]


def test_of_last_and_since_the_later_counts() -> None:
    assert read_where(last="1d", since="2020-01-01", now_s=NOW_S).since_s == NOW_S - 86_400
    assert read_where(last="9m", since="2026-03-31", now_s=NOW_S).since_s == NOW_S - 12.5 * 3_600


def test_what_is_left_out_or_empty_bounds_nothing() -> None:
    assert read_where(now_s=NOW_S) == read_where("both", "", "", "", "", now_s=NOW_S) == ANYWHERE


def test_a_role_is_asked_of_messages_only() -> None:
    assert read_where("both", "user", now_s=NOW_S) == Where("message", "user")
    with pytest.raises(UsageError, match="no role"):
        read_where("summary", "user", now_s=NOW_S)


@pytest.mark.parametrize(
    "given",
    [
        {"scope": "everywhere"},
        {"role": "robot"},
        {"last": "yesterday"},
        {"last": "6"},
        {"last": "0d"},
        {"last": "-1d"},
        {"last": "9999999h"},
        {"last": "x" * 10_000},
        {"since": "last week"},
        {"since": "0d"},
        {"since": "2026-13"},
        {"since": "2026-02-30"},
        {"before": "2026-13-01"},
        {"before": "x" * 10_000},
        {"since": "2026-03-02", "before": "2026-03-01"},
        {"last": "1d", "before": "2020-01-01"},
    ],
)
def test_what_cannot_be_read_is_refused_with_a_way_out(given: dict[str, str]) -> None:
    with pytest.raises(UsageError) as refused:
        read_where(now_s=NOW_S, **given)
    assert refused.value.hint
    assert len(refused.value.message) < 100


def test_the_beginning_is_inside_and_the_end_is_not() -> None:
    where = Where(since_s=10.0, before_s=20.0)
    assert [where.holds("user", at, at) for at in (9.9, 10.0, 19.9, 20.0)] == [False, True, True, False]
    assert not where.holds("user", None, None)


def test_a_summary_is_inside_where_any_of_it_is() -> None:
    where = Where(since_s=10.0, before_s=20.0)
    spans = [(1.0, 9.0), (1.0, 10.0), (12.0, 13.0), (19.0, 30.0), (20.0, 30.0), (1.0, 90.0)]
    assert [where.holds("", *span) for span in spans] == [False, True, True, True, False, True]


@given(st.text(max_size=20), st.text(max_size=20), st.text("0123456789hdwmHDWM -T:Z+", max_size=25))
def test_any_text_is_a_bound_or_is_refused(role: str, last: str, since: str) -> None:
    try:
        found = read_where("both", role, last, since, now_s=NOW_S)
    except UsageError as refused:
        found = Where(since_s=float(len(refused.hint)))
    assert found.since_s is None or isinstance(found.since_s, float)
