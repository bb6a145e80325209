"""The evidence ledger: what is noted of a conversation, and that it stays bounded, equal to itself and readable."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from palimpsest.budget.ledger_and_pins import LEDGER_FENCE_TOKENS, render_ledger, tokens_of
from palimpsest.budget.token_estimator import count_text
from palimpsest.ledger.codec import VERSION, from_json, to_json
from palimpsest.ledger.commands import segments
from palimpsest.ledger.entries import KINDS, MAX_WAITING, MOST, Ledger
from palimpsest.ledger.file_merging import merged_files
from palimpsest.ledger.file_tree import parse_files
from palimpsest.ledger.render import render
from palimpsest.ledger.scoring import ranked
from palimpsest.ledger.sections import parse
from palimpsest.ledger.update import reading, update
from palimpsest.record.message import Message, ToolCall
from tests.effort import examples
from tests.ledger.noting import entries, entry_of, noted
from tests.summarize.dialogues import MESSAGES, assistant, call, quarter, result, user

ROOT = "/home/dev/ferry"
CODING = [
    user("The board in src/board/clock.py is an hour off. Never touch data/ports.csv."),
    assistant("I will look.", call("1", "Read", file_path=f"{ROOT}/src/board/clock.py")),
    result("1", "class TideClock:\n    def next_departure(self): ...\n"),
    assistant("", call("2", "Bash", command="pytest -q tests/test_clock.py 2>&1 | tail -3")),
    result("2", "1 failed, 4 passed\nE   AssertionError: 07:10 != 08:10\nexit code 1"),
    assistant(
        "I decided to use zone names instead of offsets.",
        call(
            "3",
            "MultiEdit",
            file_path=f"{ROOT}/src/board/clock.py",
            edits=[{"old_string": "OFFSET_HOURS", "new_string": "zone_of(port)"}],
        ),
    ),
    result("3", "ok"),
    assistant("", call("4", "Bash", command="git checkout -b fix/summer-time && git log --oneline")),
    result("4", "9f2b6c0 Start of the season"),
    assistant("", call("5", "Bash", command="pytest -q tests/test_clock.py 2>&1 | tail -3")),
    result("5", "5 passed"),
    assistant(
        "",
        call("6", "TodoWrite", todos=[{"content": "Rename port_offset everywhere", "status": "pending"}]),
    ),
    result("6", "ok"),
]


def test_a_file_has_its_deed_its_uses_and_the_messages_it_comes_from() -> None:
    clock = entry_of(noted(CODING), f"{ROOT}/src/board/clock.py")
    assert (clock.label, clock.uses, clock.seqs) == ("edited", 2, [2, 6])


def test_a_command_is_kept_letter_by_letter_with_its_latest_outcome() -> None:
    tests = entry_of(noted(CODING), "pytest -q tests/test_clock.py 2>&1 | tail -3")
    assert (tests.label, tests.failed, tests.runs, tests.seqs) == (
        "5 passed",
        False,
        2,
        [4, 5, 10, 11],
    )


@pytest.mark.parametrize(
    "text, kind, label",
    [
        ("9f2b6c0", "name", "hash"),
        ("fix/summer-time", "name", "branch"),
        ("next_departure", "name", "symbol"),
        ("zone_of", "name", "symbol"),
        ("git log --oneline", "segment", ""),
    ],
)
def test_what_the_session_held_is_noted(text: str, kind: str, label: str) -> None:
    entry = entry_of(noted(CODING), text)
    assert (entry.kind, entry.label) == (kind, label)


def test_names_in_a_task_list_are_planned() -> None:
    ledger = noted(CODING)
    assert ledger.tasks == ("[ ] Rename port_offset everywhere",)
    assert entry_of(ledger, "port_offset").planned > 0


def test_a_short_path_is_the_file_it_is_the_end_of() -> None:
    paths = [entry.text for entry in merged_files(noted(CODING))]
    assert f"{ROOT}/src/board/clock.py" in paths
    assert "src/board/clock.py" not in paths


@pytest.mark.parametrize("elsewhere, placed", [(1, True), (8, False)])
def test_a_relative_path_is_in_the_one_project_that_holds_nearly_all_of_its_folder(
    elsewhere: int, *, placed: bool
) -> None:
    pier, quay = "/srv/ferry/pier", "/srv/ferry/quay"
    read = [f"{pier}/board/gate{number}.py" for number in range(10)]
    read += [f"{quay}/board/lock{number}.py" for number in range(elsewhere)]
    messages = [assistant("", *(call(path, "Read", file_path=path) for path in read))]
    messages += [result(path, "import time") for path in read]
    messages.append(user("See board/gate1.py, board/lock0.py and board/tide.py."))
    paths = [entry.text for entry in merged_files(noted(messages))]
    assert {f"{pier}/board/gate1.py", f"{quay}/board/lock0.py"} <= set(paths)
    assert (f"{pier}/board/tide.py" in paths) is placed
    assert ("board/tide.py" in paths) is not placed


def test_merging_leaves_the_ledger_as_it_is() -> None:
    ledger = noted(CODING)
    before = to_json(ledger)
    merged_files(ledger)
    list(ranked(ledger))
    render(ledger, 800)
    assert to_json(ledger) == before


def test_the_rendering_holds_what_is_needed_to_go_on() -> None:
    text = render(noted(CODING), 400)
    assert (f"{ROOT}/src/board/clock.py", "edited") in list(parse_files(parse(text)["Files"]))
    for needed in (
        "pytest -q tests/test_clock.py 2>&1 | tail -3",
        "fix/summer-time",
        "zone_of",
        "port_offset",
    ):
        assert needed in text


def test_what_people_said_is_left_to_the_window() -> None:
    text = render(noted(CODING), 4_000)
    assert parse(text).keys() <= {"Open tasks", "Files", "Commands", "Identifiers"}
    assert "Never touch" not in text


def test_what_a_summary_says_in_the_same_form_is_not_said_again() -> None:
    whole = render(noted(CODING), 400, said="The user went on.")
    names = f"zone_of, and {ROOT}/src/board/clock.py in prose"
    said = f"{names}; `pytest -q tests/test_clock.py 2>&1 | tail -3` passes"
    rest = render(noted(CODING), 400, said=said)
    assert "zone_of" in whole
    assert "zone_of" not in rest
    assert "tail -3" not in rest
    assert f"{ROOT}/src/board/clock.py" in [path for path, _ in parse_files(parse(rest)["Files"])]
    told = render(noted(CODING), 400, said=whole)
    assert f"{ROOT}/src/board/clock.py" not in [path for path, _ in parse_files(parse(told).get("Files", ()))]


def test_a_message_in_the_window_is_judged_by_and_not_said_again() -> None:
    messages = [
        user("Mend the gates."),
        assistant("tide_clock and pier_light stand in the old plan."),
        user("Now the pier."),
        assistant("I look."),
    ]
    ledger = noted(messages)
    assert "tide_clock" in render(ledger, 200)
    assert "tide_clock" not in render(ledger, 200, shown=(2,))
    asked = [one.entry.text for one in ranked(ledger, shown=(3, 4)) if one.group == "symbol"]
    assert asked == ["pier_light", "tide_clock"]
    assert [one.entry.text for one in ranked(noted(messages[:2])) if one.group == "symbol"] != asked


@pytest.mark.parametrize("shown, written", [((1,), True), ((2, 6), False), ((8,), True)])
def test_a_file_is_shown_by_a_message_that_has_its_whole_path(shown: tuple[int, ...], written: bool) -> None:
    tree = parse(render(noted(CODING), 400, shown=shown))["Files"]
    assert (f"{ROOT}/src/board/clock.py" in [path for path, _ in parse_files(tree)]) is written


def test_a_value_of_several_words_that_a_summary_says_is_not_said_again_and_signs_are_no_value() -> None:
    words = {"berth_kind": "deep-water quay", "mast": "tall-ship", "path": "."}
    ledger = noted([user("Book a berth."), assistant("", call("1", "book", **words)), user("And now?")])
    lines = parse(render(ledger, 400, said=""))["Identifiers"]
    assert sorted(lines) == ["berth_kind: deep-water quay;", "mast: tall-ship"]
    assert "quay" not in render(ledger, 400, said="- berth_kind: deep-water quay;")
    assert "quay" in render(ledger, 400, said="- berth_kind: deep-water quays;")
    assert "quay" in render(ledger, 400, said="- berth_kind: kneedeep-water quay;")


def test_a_run_that_failed_is_not_left_out_for_what_it_costs_to_say_so() -> None:
    messages = [user("Mend the docks.")]
    for number in range(40):
        messages.append(assistant("", call("1", "Bash", command=f"pytest -q tests/test_dock_{number}.py")))
        messages.append(result("1", "1 failed, 3 passed in 0.2s" if number % 4 == 0 else "4 passed in 0.2s"))
    lines = parse(render(noted(messages), 400))["Commands"]
    assert 4 < len(lines) < 40
    assert sum("-> 1 failed, 3 passed" in line for line in lines) >= len(lines) // 4


def test_values_of_a_desk_keep_their_keys_and_come_from_results_too() -> None:
    ledger = noted(
        [
            user("I am mia_berg_0417 and want to move my ferry."),
            assistant("", call("1", "get_booking", booking_id="QX81PL")),
            result(
                "1", json.dumps({"passenger": "Mia Berg", "payment": {"card_id": "card_5519"}, "seats": 2})
            ),
        ]
    )
    lines = parse(render(ledger, 120))["Identifiers"]
    assert "booking_id: QX81PL" in lines
    assert "card_id: card_5519" in lines
    assert "passenger: Mia Berg;" in lines


def test_nothing_in_quotes_parts_a_command() -> None:
    assert segments("sed -i 's/a; b/c && d/' x.py && npm run build 2>&1 | mail -s 'built | done' a") == [
        "sed -i 's/a; b/c && d/' x.py",
        "npm run build",
        "mail -s 'built | done' a",
    ]


def test_what_only_picks_from_an_output_is_no_part_of_a_command() -> None:
    assert segments("cat a.txt | sed -n '1,20p' | jq .name && grep -c x a.txt || sed -n 1p b.txt") == [
        "grep -c x a.txt",
        "sed -n 1p b.txt",
    ]


def test_a_comment_is_no_part_of_a_command() -> None:
    assert segments("# Count the berths first\nnpm run count") == ["npm run count"]


@pytest.mark.parametrize(
    "said, branch",
    [
        ("## fix/summer-time\n M src/board/clock.py", "fix/summer-time"),
        ("## harbour...origin/harbour [ahead 1]\n?? notes", "harbour"),
        ("## fix/summer-time\n", "fix/summer-time"),
        ("[fix/summer-time 9f2b6c0] Ask for the zone\n 1 file changed", "fix/summer-time"),
        ("To git.quay.example\n * [new branch]      fix/tides -> fix/tides", "fix/tides"),
    ],
)
def test_a_branch_is_noted_from_what_git_says_of_it(said: str, branch: str) -> None:
    ledger = noted([assistant("", call("1", "Bash", command="quay sync")), result("1", said)])
    assert [one.text for one in ledger.of("name").values() if one.label == "branch"] == [branch]


def test_a_heading_is_no_branch() -> None:
    ledger = noted([user("# Tides\n\n## Overview\n\nHigh and low.\n\n## Follow-up\n- One\n\n## Next\n")])
    assert not ledger.of("name")


@examples(60)
@given(st.lists(MESSAGES, max_size=8), st.lists(MESSAGES, max_size=4))
def test_a_ledger_read_back_goes_on_as_the_one_that_was_written(
    first: list[Message], rest: list[Message]
) -> None:
    ledger = noted(first)
    again = from_json(to_json(ledger))
    assert again == ledger
    assert noted(rest, again) == noted(rest, ledger)


@examples(60)
@given(st.lists(MESSAGES, max_size=8), st.integers(0, 300))
def test_the_text_of_any_ledger_is_within_its_budget(messages: list[Message], budget_tokens: int) -> None:
    text = render(noted(messages), budget_tokens, count=quarter)
    assert quarter(text) <= budget_tokens


@examples(40)
@given(st.lists(MESSAGES, max_size=12), st.integers(60, 600))
def test_the_fence_around_a_ledger_costs_no_more_than_is_reckoned(
    messages: list[Message], budget_tokens: int
) -> None:
    text = render(noted([*CODING, *messages]), budget_tokens)
    assert tokens_of(render_ledger(text)) <= budget_tokens + LEDGER_FENCE_TOKENS


@examples(40)
@given(st.lists(MESSAGES, max_size=8))
def test_every_entry_knows_messages_that_were_read(messages: list[Message]) -> None:
    for entry in entries(noted(messages)):
        assert entry.seqs == sorted(set(entry.seqs))
        assert 1 <= entry.seqs[0] <= entry.seqs[-1] <= len(messages)


@pytest.mark.parametrize("text", ["", "{}", "[1]", '{"version": 1}', "not json", '{"a": "\ud800"}'])
def test_a_text_that_is_no_ledger_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match="ledger"):
        from_json(text)


def test_a_ledger_of_another_version_is_refused() -> None:
    text = to_json(Ledger()).replace(f'"version":{VERSION}', '"version":0')
    with pytest.raises(ValueError, match="version 0"):
        from_json(text)


def flood(at: int) -> list[Message]:
    """Two messages that name a hundred things no other does."""
    names = " ".join(f"thing{at}_{one} src/d{at}/f{one}.py" for one in range(50))
    command = f"run_{at} --long-option-{at} one"
    return [
        user(f"Never do step number {at}. Look at case_{at}."),
        assistant(
            f"I decided against plan {at}.", ToolCall(f"c{at}", "Bash", json.dumps({"command": command}))
        ),
        replace(result(f"r{at}", names)),
    ]


def test_no_conversation_is_long_enough_to_outgrow_the_ledger() -> None:
    ledger = Ledger()
    for at in range(400):
        for message in flood(at):
            update(ledger, message, ledger.seq + 1)
    assert all(len(ledger.of(kind)) <= MOST[kind] * 1.25 + 1 for kind in KINDS)
    assert len(ledger.waiting) <= MAX_WAITING
    assert len(to_json(ledger)) < 1_000_000
    assert next(iter(ledger.of("request").values())).text == "Never do step number 0. Look at case_0."
    assert "case_399" in ledger.of("name")


def test_reading_pauses_after_every_block() -> None:
    pauses = sum(1 for _ in reading(Ledger(), user("word_one and so on.\n" * 2_000), 1))
    assert pauses > 6


def test_the_default_count_is_the_default_token_estimate() -> None:
    ledger = noted(CODING)
    assert render(ledger, 300) == render(ledger, 300, count=count_text)


def test_a_result_that_is_json_text_is_noted_as_it_reads() -> None:
    page = json.dumps({"text": "two\nsrc/quay/dock.py\nnextDeparture\ttideTable", "count": "x" * 90})
    ledger = Ledger()
    for seq, one in enumerate(
        (assistant("", call("1", "Read", file_path="notes.json")), result("1", page)), 1
    ):
        update(ledger, one, seq)
    assert set(ledger.of("file")) == {"notes.json", "src/quay/dock.py"}
    assert set(ledger.of("name")) == {"nextDeparture", "tideTable"}
