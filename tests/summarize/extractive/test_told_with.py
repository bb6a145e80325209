"""What a note is told with, so that it says what was meant: a list's items with the line that leads them, a question
with its answer, the newest request with where the work stands.
"""

from __future__ import annotations

import pytest

from palimpsest.record.message import Message
from palimpsest.summarize.sections import parse
from palimpsest.summarize.sentences import SENTENCE_CHARS, led
from tests.summarize.dialogues import assistant, call, extracted, leaf, result, user

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
