"""What a note is told with, so that it says what was meant: a list's items with the line that leads them, a question
with its answer, the newest request with where the work stands.
"""

from __future__ import annotations

import pytest

from palimpsest.record.message import Message
from palimpsest.summarize.sections import parse
from palimpsest.summarize.sentences import SENTENCE_CHARS, led
from palimpsest.summarize.source import Source, SummaryEntry
from tests.summarize.dialogues import assistant, call, condense, extracted, leaf, result, summary, user

FIRST = user("Write the letter to the harbour office with me.")
LAST = user("Now print the letter.")
FILLING = (
    "The tug came back at noon and was moored behind the crane as it always is by its crew in a low wind.\n"
)


def notes(*messages: Message, target_tokens: int = 1_200) -> list[str]:
    """The notes of a summary whose first request is another one."""
    return parse(extracted(leaf([FIRST, *messages]), target_tokens=target_tokens).text).get("Notes", [])


@pytest.mark.parametrize(
    "text, found",
    [
        (
            "Still to do:\n\n- print it\n- sign it. Twice.",
            [("Still to do:", "print it"), ("Still to do:", "sign it."), ("Still to do:", "Twice.")],
        ),
        ("### Rejected\n1. a second ferry", [("Rejected:", "a second ferry")]),
        ("**Rejected**\n✅ a second ferry", [("Rejected:", "✅ a second ferry")]),
        ("Who signs?\n- the mate", [("", "the mate")]),
        ("## Who signs?\n- the mate", [("Who signs?", "the mate")]),
        ("Done:\n- letter:\n  - dated\n- stamp", [("letter:", "dated"), ("Done:", "stamp")]),
        ("Done:\nThe letter is dated.\n- stamp", [("", "The letter is dated."), ("", "stamp")]),
        ("要做的：\n- 打印信", [("要做的：", "打印信")]),
        (f"{'Long ago ' * 20}:\n- stamp", [("", "stamp")]),
    ],
)
def test_an_item_is_led_by_the_line_over_its_list(text: str, found: list[tuple[str, str]]) -> None:
    told = [(lead, said) for said, lead in led(text)]
    assert [one for one in found if one not in told] == []


def test_items_are_told_under_the_line_that_leads_them() -> None:
    said = notes(
        assistant(
            "Tried and given up:\n- sending the letter by the night ferry to Skerry\n"
            "- asking the second mate for his own stamp.\n\nStill to be done:\n"
            "- print both copies of the harbour map in colour"
        ),
        LAST,
    )
    given_up = "sending the letter by the night ferry to Skerry; asking the second mate for his own stamp."
    assert said == [
        f"assistant: Tried and given up: {given_up}",
        "assistant: Still to be done: print both copies of the harbour map in colour",
    ]


def test_a_list_that_is_told_in_part_says_so() -> None:
    whole = [f"berth {at} on the north quay costs {at * 7} crowns in the summer" for at in range(2, 40)]
    said = notes(assistant("\n- ".join(["The berths and what they cost:", *whole])), LAST, target_tokens=200)
    assert len(said) == 1
    assert said[0].startswith("assistant: The berths and what they cost: berth ")
    assert said[0].endswith("; …")


def test_a_long_list_is_told_in_lines_that_can_be_read_back() -> None:
    whole = [" ".join(WORDS[at : at + 4]) for at in range(0, len(WORDS), 4)]
    said = notes(assistant("\n- ".join(["What the office weighs and never opens at all:", *whole])), LAST)
    begins = "assistant: What the office weighs and never opens at all: "
    assert len(said) > 1
    assert all(line.startswith(begins) for line in said)
    assert max(map(len, said)) <= SENTENCE_CHARS + len(begins) + len("; …")


WORDS = (
    "timber herring gravel salt wine coal barley wool slate copper hemp tar oats flax resin cork rope sail brick lime "
    "honey butter cheese leather paper glass marble pepper cotton indigo walnut ginger turpentine linseed cinnamon "
    "amber saffron vinegar mustard chalk plaster canvas brass pewter"
).split()


def test_of_a_long_answer_the_beginning_is_told() -> None:
    said = notes(
        user("Is it done?"),
        assistant(f"Not yet. The date is in, the stamp is missing.\n{FILLING * 3}Say when to go on."),
        LAST,
    )
    assert said[:2] == [
        "user: Is it done?",
        "assistant: Not yet. The date is in, the stamp is missing. " + FILLING.strip(),
    ]


def test_where_the_work_stands_after_the_newest_request_is_told() -> None:
    said = notes(
        user("Print it and sign it."),
        assistant("I will look for paper now.", call("1", "Bash", command="lpr letter.pdf")),
        result("1", "ok"),
        assistant(f"It is printed; the mate has not signed it so far.\n{FILLING * 4}"),
        assistant("Let me look for the mate:", call("2", "Bash", command="ls quay")),
    )
    assert said == [f"assistant: It is printed; the mate has not signed it so far. {FILLING.strip()}"]


def test_what_was_said_last_is_told_also_where_nobody_asked_for_anything() -> None:
    measured = [assistant(f"Berth {at} is {at * 3} m long and lies behind the crane.") for at in range(20)]
    items = ["the one that sank in the last winter", "the one that nobody finds"]
    text = extracted(
        leaf([*measured, assistant("\n- ".join(["These are left to measure:", *items]))]), target_tokens=200
    ).text
    line = f"assistant: These are left to measure: {'; '.join(items)}"
    assert parse(text)["Notes"][-1] == line


def test_of_summaries_the_last_that_one_of_them_tells_is_where_the_work_stands() -> None:
    told = [f"assistant: Berth {at} is {at * 3} m long and lies behind the crane." for at in range(20)]
    last = "assistant: Berth 12 and the crane are left for tomorrow."
    texts = ["## Notes\n- " + "\n- ".join(part) for part in (told, [*told[:12], last])]
    assert parse(extracted(condense(*texts), target_tokens=200).text)["Notes"] == [told[19], last]


def test_of_an_answer_that_ends_within_a_list_the_end_is_shown() -> None:
    rows = [f"berth {at} on the north quay costs {at * 7} crowns" for at in range(2, 40)]
    (line, *_) = notes(assistant("\n- ".join(["The berths are these:", *rows])), target_tokens=300)
    assert line.startswith(
        "assistant: The berths are these: berth 2 on the north quay costs 14 crowns; berth 3 "
    )
    assert line.endswith(" crowns; …")


def test_what_an_assistant_tells_itself_in_a_call_is_said() -> None:
    thought = "The office is shut on Friday. So the letter has to go by the ferry on Thursday."
    said = notes(assistant("", call("1", "think", thought=thought)), result("1", ""), LAST)
    assert said == [
        "assistant: The office is shut on Friday.",
        "assistant: So the letter has to go by the ferry on Thursday.",
    ]
    written = assistant("", call("1", "Write", file_path="/srv/letter.md", content=thought))
    assert notes(written, result("1", "ok"), LAST) == []


def test_what_a_call_that_failed_prints_is_no_note() -> None:
    printed = "Consider to put a stamp on the letter first.\nThe office takes no letter without one."
    ran = assistant("", call("1", "Bash", command="send letter.pdf"))
    assert len(notes(ran, result("1", printed), LAST)) == 2
    assert notes(ran, result("1", f"{printed}\nexit code 2"), LAST) == []


def test_who_was_asked_in_words_answers_in_words() -> None:
    asked = call("1", "ask_user", question="At which quay shall I moor?", options=["north", "south"])
    report = "The south quay is too shallow for us at low water. The north quay is free until Thursday."
    talk = [assistant(f"Sailing {at} calls at {at * at} piers of island {at + 40}.") for at in range(14)]
    said = notes(assistant("", asked), result("1", report), *talk, LAST)
    assert said[:2] == [
        "ask_user: The south quay is too shallow for us at low water.",
        "ask_user: The north quay is free until Thursday.",
    ]
    looked = assistant("", call("1", "web_search", query="shallow quays"))
    assert not any("quay" in line for line in notes(looked, result("1", report), *talk, LAST))


def commands(*messages: Message, target_tokens: int = 1_200) -> list[str]:
    return parse(extracted(leaf([FIRST, *messages, LAST]), target_tokens=target_tokens).text)["Commands"]


def test_a_call_is_told_with_what_it_is_about() -> None:
    task = call("1", "Task", description="Measure the quay", prompt="Go there.\nMeasure it.", kind="surveyor")
    assert commands(assistant("", task), result("1", "14 m")) == [
        "`Task(Measure the quay, kind=surveyor)` -> ok"
    ]


def test_all_that_tools_did_is_told_where_its_details_have_no_room() -> None:
    done = [
        message
        for at in range(5)
        for message in (
            assistant(
                "", call(str(at), "move", berth=f"B-{at}", to="July", crane="left", boat="Skerry", by="tug")
            ),
            result(str(at), '{"ok": true}'),
        )
    ]
    assert commands(*done)[0] == "`move(berth=B-0, to=July, crane=left, boat=Skerry, by=tug)` -> ok"
    assert commands(*done, target_tokens=160) == [
        f"`move(berth=B-{at}, to=July, …)` -> ok" for at in range(5)
    ]


def booked(number: int, **more: str) -> list[Message]:
    return [
        message
        for at in range(number)
        for message in (
            assistant(
                "",
                call(
                    str(at),
                    "book",
                    place="quay",
                    guests=4,
                    day=f"2031-04-{at + 1:02}",
                    words="boating",
                    **more,
                ),
            ),
            result(str(at), "booked" if at else '{"error": "no berth"}'),
        )
    ]


def test_calls_that_begin_alike_are_told_apart_and_counted() -> None:
    told = commands(*booked(20), target_tokens=220)
    assert told[0] == "`book(place=quay, guests=4, …)` -> ok (x19)"
    days = [line.partition("day=")[2][:10] for line in told[1:]]
    assert len(days) > 4
    assert days == [f"2031-04-{at + 1:02}" for at in range(20)][-len(days) :]
    assert told[-1] == "`book(day=2031-04-20, …)` -> ok"


def test_one_of_them_that_failed_is_not_counted_with_the_others() -> None:
    told = commands(*booked(4, crane="left", tug="Skerry"), target_tokens=170)
    assert told == [
        "`book(place=quay, guests=4, …)` -> ok (x3)",
        "`book(day=2031-04-01, …)` -> error: no berth",
        *(f"`book(day=2031-04-0{at}, …)` -> ok" for at in (2, 3, 4)),
    ]


def test_how_many_calls_there_were_stays_where_summaries_are_condensed() -> None:
    common = "`book(place=quay, guests=4, …)` -> ok"
    last = "`book(day=2031-04-20, …)` -> ok"
    text = extracted(leaf([FIRST, *booked(20), LAST]), target_tokens=220).text
    other = text.replace("2031", "2032")
    told = parse(extracted(condense(text, other)).text)["Commands"]
    assert told[-1] == last.replace("2031", "2032")
    assert [line for line in told if "guests" in line] == [f"{common} (x38)"]
    entries = (SummaryEntry(summary("s1", text)), *leaf(booked(20)).entries)
    told = parse(extracted(Source("roll", entries), target_tokens=220).text)["Commands"]
    assert (told[0], told[-1]) == (f"{common} (x38)", last)


def test_why_a_call_was_refused_is_told_once_and_in_whole_words() -> None:
    reason = "the berth is taken by a barge that nobody has been able to move from there since the end of last winter"
    refused = assistant(
        "",
        call(
            "1",
            "move_berth",
            berth="B-14",
            note="x" * 78,
            quay=3,
            month="July",
            crane="left",
            boat="Skerry of Holm",
        ),
    )
    text = extracted(leaf([FIRST, refused, result("1", f"Error: {reason}", error=True), LAST])).text
    (line,) = parse(text)["Commands"]
    assert line.endswith("…")
    assert f"{reason} ".startswith(line.partition("error: ")[2].removesuffix("…").rstrip() + " ")
    short = result("1", f"Error: {reason[:72]}", error=True)
    assert "Errors" not in parse(extracted(leaf([FIRST, refused, short, LAST])).text)


def test_an_answer_that_two_messages_are_told_with_is_told_once() -> None:
    answer = (
        "No, it is faster: printing takes 486 µs. I tried a second drum as well, but it would smear the seal."
    )
    said = notes(
        user("Is the press slower now with the drum?"),
        assistant(answer),
        user("That is fine, leave it."),
        assistant("I leave it."),
        LAST,
    )
    assert len([one for one in said if "486 µs" in one]) == 1
    assert len(said) == len(set(said))
