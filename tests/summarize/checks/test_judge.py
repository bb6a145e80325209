"""A model that looks a summary over: it reports, and edits only if told to."""

from __future__ import annotations

import json
from string import Template
from typing import Literal

import pytest
from hypothesis import given
from hypothesis import strategies as st

import palimpsest
from palimpsest.budget.token_estimator import count_text
from palimpsest.complete.scripted import ScriptedModel
from palimpsest.record.completion import Completion, CompletionFailure, CompletionRequest
from palimpsest.record.summary import SummaryCall
from palimpsest.summarize.checks.judge import found_in_reply, judging
from tests.engine.drawing import bulk, said
from tests.summarize.dialogues import leaf, user

TEXT = "## Goal\n- Plan the berths.\n- The pier is closed.\n- The tide is read."
NAMED = json.dumps({"unsupported": [{"line": 3, "claim": "closed", "why": "nobody says so"}]})


def judged(reply: Completion | CompletionFailure, *, edits: bool = False) -> tuple[str, SummaryCall]:
    steps = judging(
        TEXT, leaf([user("Plan the berths.")]), Template("Check."), model="small", timeout_s=1.0,
        source_tokens=90, edits=edits, count=count_text,
    )  # fmt: skip
    request = next(steps)
    assert "3: - The pier is closed." in request.messages[0].text
    assert "Plan the berths." in request.messages[0].text
    try:
        steps.send(reply)
    except StopIteration as stop:
        return stop.value
    raise AssertionError("asked twice")


def test_what_is_not_supported_is_noted_and_the_text_stays() -> None:
    text, call = judged(Completion(f"Here it is:\n```json\n{NAMED}\n```"))
    assert text == TEXT
    assert (call.level, call.refused) == ("check", "")
    assert call.repairs == ("not supported (line 3): - The pier is closed. (nobody says so)",)


def test_a_line_that_is_named_goes_where_the_settings_say_so() -> None:
    text, _ = judged(Completion(NAMED), edits=True)
    assert text == "## Goal\n- Plan the berths.\n- The tide is read."


def test_a_heading_stays_and_so_does_a_text_of_which_nothing_would_be_left() -> None:
    all_but_one = json.dumps({"unsupported": [{"line": line} for line in (1, 2, 3)]})
    assert judged(Completion(all_but_one), edits=True)[0] == "## Goal\n- The tide is read."
    every = json.dumps({"unsupported": [{"line": line} for line in (1, 2, 3, 4)]})
    assert judged(Completion(every), edits=True)[0] == TEXT


@pytest.mark.parametrize(
    "reply",
    [
        Completion("All of it is supported."),
        Completion('{"unsupported": "none"}'),
        Completion("[1, 2]"),
        Completion(""),
        CompletionFailure("timed_out", "no reply"),
    ],
)
def test_a_judge_without_an_answer_changes_nothing_and_that_is_on_record(
    reply: Completion | CompletionFailure,
) -> None:
    text, call = judged(reply, edits=True)
    assert text == TEXT
    assert call.refused.startswith("not checked: ")


@given(st.text(max_size=80), st.integers(0, 9))
def test_lines_that_are_named_exist(text: str, lines: int) -> None:
    for reply in (text, json.dumps({"unsupported": [{"line": text}, {"line": 2, "why": 3}, text]})):
        assert all(1 <= line <= lines for line in found_in_reply(reply, lines) or ())


@pytest.mark.parametrize("check, calls", [("off", 0), ("model", 1)])
async def test_the_judge_is_asked_once_for_a_summary_where_the_settings_say_so(
    check: Literal["off", "model"], calls: int
) -> None:
    def reply(request: CompletionRequest) -> str:
        return NAMED if request.purpose == "summary_check" else TEXT

    model = ScriptedModel([reply])
    async with palimpsest.open(
        ":memory:", complete=model, preset="hierarchical", window_tokens=16_000, max_tokens=1_000,
        fresh_tail_count=2, leaf_min_fanout=2, summary_check=check,
    ) as engine:  # fmt: skip
        talk = engine.conversation("a")
        await talk.append(
            said("user", "Plan the berths."), *(said("assistant", bulk(1_000, n)) for n in range(6))
        )
        await talk.compact()
        records = [one for one in await engine.store.compactions(engine.owner, "a") if one.calls]
    assert records
    assert sum(request.purpose == "summary_check" for request in model.requests) == calls * len(records)
    for record in records:
        assert [call.level for call in record.calls] == ["normal", *["check"] * calls]
        notes = [note for call in record.calls for note in call.repairs if "not supported" in note]
        assert notes == ["not supported (line 3): - The pier is closed. (nobody says so)"] * calls
