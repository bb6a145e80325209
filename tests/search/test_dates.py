"""Times that texts and questions name."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from palimpsest.search.calendar_ranges import day_of, overlaps
from palimpsest.search.date_parsing import names_time, spans
from palimpsest.search.question import read_question

SAID_S = datetime(2026, 5, 13, 12, tzinfo=UTC).timestamp()  # a Wednesday


def day(text: str) -> int:
    """The number of a day."""
    return day_of(datetime.fromisoformat(text).replace(tzinfo=UTC).timestamp())


@pytest.mark.parametrize(
    "text, first, last",
    [
        ("on 7 May 2026", "2026-05-07", "2026-05-07"),
        ("May 7th, 2026", "2026-05-07", "2026-05-07"),
        ("2026-05-07", "2026-05-07", "2026-05-07"),
        ("in February 2024", "2024-02-01", "2024-02-29"),
        ("back in 2019", "2019-01-01", "2019-12-31"),
        ("on 3 March", "2026-03-03", "2026-03-03"),
        ("yesterday", "2026-05-12", "2026-05-12"),
        ("last Friday", "2026-05-08", "2026-05-08"),
        ("on Wednesday", "2026-05-06", "2026-05-06"),
        ("next Monday", "2026-05-18", "2026-05-18"),
        ("last week", "2026-05-04", "2026-05-10"),
        ("three days ago", "2026-05-10", "2026-05-10"),
        ("10 days ago", "2026-05-02", "2026-05-04"),
        ("ten days ago", "2026-05-02", "2026-05-04"),
        ("half a year ago", "2025-09-28", "2025-12-27"),
        ("this month", "2026-05-01", "2026-05-31"),
        ("last month", "2026-04-01", "2026-04-30"),
        ("the past month", "2026-04-13", "2026-05-13"),
        ("this year", "2026-01-01", "2026-12-31"),
        ("last year", "2025-01-01", "2025-12-31"),
        ("last March", "2026-03-01", "2026-03-31"),
        ("last May", "2025-05-01", "2025-05-31"),
        ("next May", "2027-05-01", "2027-05-31"),
        ("this morning", "2026-05-13", "2026-05-13"),
        ("last summer", "2025-06-01", "2025-08-31"),
        ("this summer", "2026-06-01", "2026-08-31"),
        ("winter 2025", "2024-12-01", "2025-02-28"),
        ("Q1 2026", "2026-01-01", "2026-03-31"),
        ("2026-03", "2026-03-01", "2026-03-31"),
        ("2026/03/05", "2026-03-05", "2026-03-05"),
        ("2026-03-05T12:30:00Z", "2026-03-05", "2026-03-05"),
        ("05.03.2026", "2026-03-05", "2026-03-05"),
        ("25/3/2026", "2026-03-25", "2026-03-25"),
        ("the day before yesterday", "2026-05-11", "2026-05-11"),
        ("5月7号我在哪里？", "2026-05-07", "2026-05-07"),
        ("2024年2月", "2024-02-01", "2024-02-29"),
        ("昨天的会议", "2026-05-12", "2026-05-12"),
        ("三天前", "2026-05-10", "2026-05-10"),
        ("上周末", "2026-05-08", "2026-05-10"),
        ("去年", "2025-01-01", "2025-12-31"),
        ("三月", "2026-03-01", "2026-03-31"),
        ("三月份", "2026-03-01", "2026-03-31"),
        ("三月五日", "2026-03-05", "2026-03-05"),
        ("去年十二月", "2025-12-01", "2025-12-31"),
        ("今年三月二十一号", "2026-03-21", "2026-03-21"),
        ("上个月", "2026-04-01", "2026-04-30"),
        ("半年前", "2025-09-28", "2025-12-27"),
        ("十二天前", "2026-04-30", "2026-05-02"),
        ("先週", "2026-05-04", "2026-05-10"),
        ("어제", "2026-05-12", "2026-05-12"),
    ],
)
def test_times_are_read_against_the_time_they_were_said(text: str, first: str, last: str) -> None:
    assert spans(text, SAID_S) == ((day(first), day(last)),)


def test_what_names_no_time_gives_none() -> None:
    assert spans("you may go, 31 February 2026, last year's", None) == ()
    assert not names_time("nothing of that kind", set())
    assert not names_time("at last, for 20 seconds or 1 900", {"last"})
    assert names_time("we met last tuesday", {"last", "tuesday"})
    assert names_time("we met next spring", {"next"})
    assert names_time("in 1999", set())


@pytest.mark.parametrize(
    "text, only_time",
    [
        ("What did I say last March?", True),
        ("what did we talk about yesterday?", True),
        ("What happened on 2026-02-10?", True),
        ("Can you remind me what we discussed last week?", True),
        ("我三月份说了什么？", True),
        ("Was haben wir letzten Monat besprochen?", True),
        ("¿De qué hablamos ayer?", True),
        ("What did I say about the boat last March?", False),
        ("What did I say?", False),
        ("我三月份的航班是什么？", False),
    ],
)
def test_a_question_may_ask_for_nothing_but_a_time(text: str, only_time: bool) -> None:
    assert read_question(text, now_s=SAID_S).only_time is only_time


@pytest.mark.parametrize(
    "text, first, last",
    [
        ("Was habe ich letzten Monat gesagt?", "2026-04-01", "2026-04-30"),
        ("Was haben wir im März über das Boot gesagt?", "2026-03-01", "2026-03-31"),
        ("Was habe ich am 5. Maerz oder am 5. März 2025 gegessen?", "2025-03-05", "2025-03-05"),
        ("Wo war ich vor zwei Wochen?", "2026-04-28", "2026-04-30"),
        ("Wo war ich vorgestern?", "2026-05-11", "2026-05-11"),
        ("Wer ist am letzten Freitag da gewesen?", "2026-05-08", "2026-05-08"),
        ("Was haben wir im Sommer gemacht?", "2025-06-01", "2025-08-31"),
        ("¿Qué dije el mes pasado?", "2026-04-01", "2026-04-30"),
        ("¿Dónde estaba hace tres días?", "2026-05-10", "2026-05-10"),
        ("¿Qué me dijo el 3 de enero de 2026?", "2026-01-03", "2026-01-03"),
        ("Qu'est-ce que j'ai dit la semaine dernière ?", "2026-05-04", "2026-05-10"),
        ("Où étais-je il y a deux mois et qui était là ?", "2026-03-07", "2026-03-21"),
        ("Che cosa ho detto la settimana scorsa?", "2026-05-04", "2026-05-10"),
        ("Dove ero tre giorni fa?", "2026-05-10", "2026-05-10"),
        ("O que eu disse ontem?", "2026-05-12", "2026-05-12"),
        ("Wat heb ik vorige maand gezegd?", "2026-04-01", "2026-04-30"),
        ("Waar was ik twee weken geleden?", "2026-04-28", "2026-04-30"),
    ],
)
def test_a_question_names_times_in_its_language(text: str, first: str, last: str) -> None:
    assert read_question(text, now_s=SAID_S).asked == ((day(first), day(last)),)


def test_of_two_times_of_which_one_holds_the_other_the_narrower_is_asked_for() -> None:
    asked = read_question("Where did I sail this year, in January?", now_s=SAID_S).asked
    assert asked == ((day("2026-01-01"), day("2026-01-31")),)


def test_a_question_for_the_last_so_many_days_names_them() -> None:
    asked = read_question("Which boats did I see in the past two weeks?", now_s=SAID_S).asked
    assert asked == ((day("2026-04-29"), day("2026-05-13")),)
    assert spans("I saw none in the past two weeks", SAID_S) == ()


def test_spans_meet_when_no_more_than_the_slack_lies_between() -> None:
    assert overlaps(((1, 2),), ((2, 5),))
    assert not overlaps(((1, 2),), ((4, 5),))
    assert overlaps(((1, 2),), ((4, 5),), slack_days=2)


@given(st.text(max_size=200), st.none() | st.floats(allow_nan=False, allow_infinity=False))
def test_any_text_has_days_or_none(text: str, said_s: float | None) -> None:
    assert all(first <= last for first, last in spans(text, said_s))


@pytest.mark.parametrize("text", ["When was the boat painted in June?", "船是6月什么时候刷的？"])
def test_a_month_that_is_asked_for_is_the_last_one_of_its_name(text: str) -> None:
    asked = read_question(text, now_s=SAID_S).asked
    assert asked == ((day("2025-06-01"), day("2025-06-30")),)
    assert spans(text, SAID_S) == ((day("2026-06-01"), day("2026-06-30")),)
    assert read_question(text.replace("June", "May").replace("6", "5"), now_s=SAID_S).asked == (
        (day("2026-05-01"), day("2026-05-31")),
    )


TIMES = (
    "12 Auguſt 2026|laſt week|3. APRİL|ſummer 2025|1 aprıl|yeſterday|two hourſ ago|3 mınutes ago|ſeptember 3"
)


@pytest.mark.parametrize("text", TIMES.split("|"))
def test_letters_that_count_as_others_tell_the_same_time(text: str) -> None:
    plain = text.replace("ſ", "s").replace("İ", "I").replace("ı", "i")
    assert spans(text, SAID_S, past=True) == spans(plain, SAID_S, past=True)
    read_question(f"What was said {text}?", SAID_S)


@given(st.text("aAsSſiIİıjJuUlLgGtTmMbBpPrRnNeEyYoOdDkKwW0123456789 .,/-", max_size=30))
def test_whatever_stands_for_a_time_no_reading_of_it_fails(text: str) -> None:
    assert all(first <= last for first, last in spans(f"on {text}", SAID_S))
