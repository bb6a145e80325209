"""Numbers that two things have in one sentence, and a line that gives one the other's."""

from __future__ import annotations

import pytest

from palimpsest.summarize.audit.belonging.exchanged import exchanged

TOLD = """Attempt 0 wrote 22,917 rows and attempt 1 wrote 25,293.
Pia gets 60 euros and Tom 30.
The rent is 1,600 euros, the deposit 4,800.
The train leaves at 8:35 and arrives at 12:10.
The load test is on 14 May, the review on 21 May.
Das Lager kostet 310 Euro und die Garage 95.
连接超时 30 秒，读超时 90 秒。
The API listens on 8080 and the metrics on 9090.
Anna had 130 in Berlin and 250 in Hamburg.
Tom's old budget was 300 and the new one 450.
The user has a gift card with a $62 balance and two certificates with $500 and $250 balances."""


@pytest.mark.parametrize(
    "line",
    [
        "Attempt 0 wrote 25,293 rows and attempt 1 wrote 22,917 rows.",
        "Pia gets 30 and Tom 60 euros.",
        "The deposit is 1,600 euros.",
        "It arrives at 8:35.",
        "The review is on 14 May.",
        "Die Garage kostet 310 Euro.",
        "读超时 30 秒。",
        "Metrics are on 8080.",
        "Tom gets 60 euros.",
        "The new budget is 300.",
    ],
)
def test_who_has_the_others_number_is_found_with_the_sentence_that_has_it_right(line: str) -> None:
    ((said, right),) = exchanged([line], TOLD)
    assert said == line
    assert right.removeprefix("- ") in TOLD


@pytest.mark.parametrize(
    "line",
    [
        "Attempt 1 wrote 25,293 rows and attempt 0 wrote 22,917.",
        "Tom gets 30 euros, Pia 60.",
        "Rent is 1,600 euros; the deposit comes to 4,800.",
        "It leaves at 8:35.",
        "Load test on 14 May, review a week later, 21 May.",
        "The deposit of 4,800 is three rents of 1,600.",
        "连接超时 30 秒",
        "Certificate with $500 balance",
        "The metrics do not listen on 8080.",
        "Tom's budget is 450 now.",
        "Anna had 250.",
    ],
)
def test_what_has_its_own_number_stays(line: str) -> None:
    assert not list(exchanged([line], TOLD))


def test_a_number_that_somebody_gave_it_elsewhere_stays() -> None:
    assert not list(exchanged(["The review is on 14 May."], f"{TOLD}\nThe review is moved to 14 May, too."))


RUN = """{"state": "copying", "tables_done": 41, "tables": 57, "rows": 218403}
{"state": "streaming", "tables_done": 57, "tables": 57, "rows": 322918}"""


def test_the_words_of_one_sentence_are_not_said_of_the_number_of_another() -> None:
    said = "The run copied all 57 tables. Seven rows were converted, and the check passed then."
    assert not list(exchanged([f"- {said}"], RUN))


def test_of_a_line_of_sentences_the_one_goes_that_has_the_other_s_number() -> None:
    found = list(exchanged(["- The quay is wet. The deposit is 1,600 euros."], TOLD))
    assert found == [("The deposit is 1,600 euros.", "- The rent is 1,600 euros, the deposit 4,800.")]


def test_a_record_that_may_be_old_takes_no_sentence_s_place() -> None:
    ((_, right),) = exchanged(["The boats come to 41."], '{"state": "x", "rows": 41, "boats": 57}')
    assert not right


def test_a_command_says_nothing_of_the_numbers_that_it_printed() -> None:
    told = "The batch has 412 GB, last week 405 GB\n412 files OK"
    assert list(exchanged(["- `make dedup && md5sum -c last_week.md5` -> 412 files OK"], told)) == []
