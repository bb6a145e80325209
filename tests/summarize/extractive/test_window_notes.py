"""What a reader who must go on from a summary needs of a conversation: what an answer answers, what tools did, and
nothing twice, out of its context or long settled.
"""

from __future__ import annotations

import pytest

from palimpsest.record.message import Message
from palimpsest.summarize.ledger.said import DECISION_WEIGHT
from palimpsest.summarize.sections import parse
from palimpsest.summarize.sentences import sentences
from palimpsest.summarize.spoken.cues import RULE_WEIGHT, decision_weight, rule_weight
from tests.summarize.dialogues import assistant, call, condense, extracted, leaf, quarter, result, user

FIRST = user("Write the letter to the harbour office with me.")
LAST = user("Now print the letter.")


def notes(*messages: Message, target_tokens: int = 1_200) -> list[str]:
    """The notes of a summary between a first and a last request."""
    return parse(extracted(leaf([FIRST, *messages, LAST]), target_tokens=target_tokens).text).get("Notes", [])


def test_a_short_answer_is_told_with_what_it_answers() -> None:
    said = notes(
        assistant('The last line would be: "The quay is open from six."'),
        user("Perfect, keep this word for word."),
    )
    assert said == [
        'assistant: The last line would be: "The quay is open from six."',
        "user: Perfect, keep this word for word.",
    ]


def test_of_a_long_message_the_sentence_is_told_that_an_answer_speaks_of() -> None:
    filling = "The tug came back at noon and was moored behind the crane as always. " * 5
    said = notes(assistant(f"{filling}The fee is 105 crowns a day. {filling}"), user("Check that fee again."))
    assert said[-2:] == ["assistant: The fee is 105 crowns a day.", "user: Check that fee again."]


def test_a_question_of_the_user_is_told_with_its_answer_or_not_at_all() -> None:
    asked = user("What filled the volume of the harbour camera?")
    answered = assistant("It was full of old recordings, because nobody had ever deleted one.")
    assert notes(asked, answered) == [
        "user: What filled the volume of the harbour camera?",
        "assistant: It was full of old recordings, because nobody had ever deleted one.",
    ]
    assert notes(asked) == []


def test_a_question_that_the_user_has_answered_is_not_told() -> None:
    said = notes(
        assistant(
            "I found the mooring permit of the north quay. " * 8 + "Which month should the letter name?"
        ),
        user(
            "It should name the whole summer, from June until the last day of August, with all its weekends."
        ),
    )
    assert not any("Which month" in line for line in said)


def test_of_two_sentences_that_say_nearly_the_same_the_later_one_is_told() -> None:
    said = notes(
        assistant("The harbour office takes 105 crowns a day for a berth at the north quay."),
        assistant("A letter needs two signatures."),
        assistant("The harbour office takes 120 crowns a day for a berth at the north quay."),
    )
    assert said == [
        "assistant: A letter needs two signatures.",
        "assistant: The harbour office takes 120 crowns a day for a berth at the north quay.",
    ]


def test_announcements_stand_in_a_summary_only_where_it_says_nothing_else() -> None:
    look = assistant(
        "Let me look at the letter to the harbour office first.",
        call("1", "Read", file_path="/home/dev/letter.md"),
    )
    assert "Notes" not in parse(extracted(leaf([look, result("1", "Dear office")])).text)
    alone = extracted(leaf([assistant("Let me look at the letter to the harbour office first.")])).text
    assert parse(alone)["Notes"] == ["assistant: Let me look at the letter to the harbour office first."]


def test_what_a_user_pasted_or_typed_into_a_shell_is_no_note() -> None:
    assert (
        notes(
            user("ls"),
            user("$ ls AGENTS.md LICENSE"),
            user('{"type":"message","id":7}'),
            user("~/work (main)"),
        )
        == []
    )


def test_listings_are_no_notes() -> None:
    listed = "total 16\ndrwxr-xr-x 5 ode staff 160 May 3 quay\n/opt/tools/env.sh: line 18: not permitted here today\n"
    messages = [FIRST, assistant("", call("1", "LS", path="/home/dev")), result("1", listed)]
    assert "Notes" not in parse(extracted(leaf(messages)).text)


DESK = [
    user("I'd like to move my berth to July."),
    assistant("", call("1", "get_berth", berth_id="B-14")),
    result("1", '{"berth": "B-14", "month": "June"}'),
    assistant("", call("2", "move_berth", berth_id="B-14", to={"month": "July", "quay": 3})),
    result("2", '{"ok": true}'),
    assistant("", call("3", "notify_owner", phone="+44 7700 900321")),
    result("3", '{"error": "number not verified"}'),
    user("Thanks, what does it cost?"),
]


def test_what_tools_did_is_told_with_its_values_and_its_outcome() -> None:
    found = parse(extracted(leaf(DESK)).text)
    done = [
        "`move_berth(berth_id=B-14, month=July, quay=3)` -> ok",
        "`notify_owner(phone=+44 7700 900321)` -> error: number not verified",
    ]
    assert found["Commands"] == done
    assert "Identifiers" not in found
    assert parse(extracted(condense(extracted(leaf(DESK)).text, "## Goal\n- Sail.")).text)["Commands"] == done


def test_commands_that_only_looked_are_left_to_a_ledger() -> None:
    messages = [
        FIRST,
        assistant("", call("1", "Bash", command="sed -n '1,80p' src/letter.py")),
        result("1", "def write(): ..."),
        assistant("", call("2", "Bash", command="make letter | tail -3")),
        result("2", "written"),
    ]
    found = parse(extracted(leaf(messages), alone=False).text)
    assert found["Commands"] == ["`make letter | tail -3` -> ok: written"]
    assert found["Files"] == ["src: read letter.py"]
    assert len(parse(extracted(leaf(messages)).text)["Commands"]) == 2


def test_a_request_is_cut_between_its_sentences() -> None:
    middle = "The office is open on Mondays. " * 30
    text = f"Write to the harbour office about the berth. {middle}Do not name the price."
    goal = parse(extracted(leaf([user(text)]), target_tokens=200).text)["Goal"]
    assert goal[0].startswith("Write to the harbour office about the berth. The office is open on Mondays.")
    assert goal[0].endswith("The office is open on Mondays. … Do not name the price.")


def test_what_is_asked_for_once_is_no_rule() -> None:
    assert rule_weight("Please find out why and fix it.") < RULE_WEIGHT
    assert rule_weight("Otherwise we must pay for each of them.") < RULE_WEIGHT
    assert rule_weight("Please run the linter before each commit.") >= RULE_WEIGHT
    assert rule_weight("British spelling please, and no bullet points in the article itself.") >= RULE_WEIGHT


@pytest.mark.parametrize("title", ["Dr.", "Prof.", "Mrs.", "z.B."])
def test_a_sentence_goes_on_after_what_is_shortened(title: str) -> None:
    assert list(sentences(f"I asked {title} Harwood about it. She agreed.")) == [
        f"I asked {title} Harwood about it.",
        "She agreed.",
    ]


def test_a_wish_to_know_or_to_change_something_is_no_rule() -> None:
    assert rule_weight("I want to know whether the new timetable helped.") < RULE_WEIGHT
    assert rule_weight("I need to change my berth.") < RULE_WEIGHT
    assert rule_weight("Never mind.") < RULE_WEIGHT
    assert rule_weight("We need to fix the sources of the tests.") < RULE_WEIGHT
    assert rule_weight("Do we load them once or do we load them on each page?") < RULE_WEIGHT
    assert rule_weight("I want to see all errors logged before each release.") >= RULE_WEIGHT
    assert rule_weight("I want all errors logged.") >= RULE_WEIGHT


def test_figures_that_differ_are_no_decision() -> None:
    assert decision_weight("9 instead of 14 files have no date.") == 0
    assert decision_weight("We take the ferry instead of the tug.") > 0
    for label in ("Decision: ", "Décision : ", "Decisión: ", "Beschluss: ", "Решение: "):
        assert decision_weight(f"{label}the ferry.") >= DECISION_WEIGHT > decision_weight("The ferry.")


@pytest.mark.parametrize(
    "empty, telling",
    [
        (
            "The cause is clear; there is one decision to make.",
            "The cause is clear: the offset is added twice.",
        ),
        ("The fix is in.", "The fix is in the parser."),
        ("The reason was not known.", "The reason was an index that nobody had."),
        ("All 194 sailings are in, nothing rejected.", "We rejected a second ferry, it costs too much."),
        ("Agreed, and the second reason alone would be enough.", "Agreed: one ferry, not two."),
        ("Agreed.", "We agreed on one ferry."),
    ],
)
def test_what_tells_no_decision_is_none(empty: str, telling: str) -> None:
    assert decision_weight(empty) < DECISION_WEIGHT <= decision_weight(telling)


def test_what_a_list_of_tasks_says_is_no_note_and_no_name() -> None:
    todos = [{"content": "Stamp the envelope", "status": "in_progress"}]
    reminder = "Ensure that you go on using the list to track your progress."
    messages = [FIRST, assistant("", call("1", "TodoWrite", todos=todos)), result("1", reminder), LAST]
    found = parse(extracted(leaf(messages)).text)
    assert found["Open tasks"] == ["[>] Stamp the envelope"]
    assert "Notes" not in found
    assert "Identifiers" not in found


def test_a_program_is_no_value_of_a_call() -> None:
    messages = [FIRST, assistant("", call("1", "python", code="print(f(7))")), result("1", "7"), LAST]
    assert set(parse(extracted(leaf(messages)).text)) == {"Goal", "Last request of this part"}


def test_the_whole_stays_within_its_size() -> None:
    talk = [
        message
        for at in range(30)
        for message in (assistant(f"Berth {at} costs {at * 7} crowns."), user("Fine."))
    ]
    assert quarter(extracted(leaf([FIRST, *talk, LAST]), target_tokens=200).text) <= 240
