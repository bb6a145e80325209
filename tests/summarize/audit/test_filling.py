"""What was told as left out is there after the repair, and a goal stands once."""

from __future__ import annotations

import pytest

import palimpsest
from palimpsest.complete.scripted import ScriptedModel
from palimpsest.summarize.audit.filling import without_doubles
from palimpsest.summarize.forms import FORMS


async def test_each_section_that_was_told_as_left_out_is_there_and_the_goal_stands_once() -> None:
    model = ScriptedModel(["## Goal\n- Build the berth planner in /srv/quay."])
    async with palimpsest.open(":memory:", preset="openclaw", window_tokens=16_000, complete=model) as engine:
        talk = engine.conversation("quay")
        await talk.append(
            {"role": "user", "content": "Build the berth planner in /srv/quay. Never touch data/ports.csv."},
            {
                "role": "assistant",
                "content": "I decided to use an interval tree instead of a sorted list because overlaps are asked for. "
                "A sorted list was rejected: too slow for 10,000 berths.",
            },
            {"role": "assistant", "content": "The planner reads /srv/quay/src/planner.py first."},
        )
        for step in range(200):
            said = (
                f"Step {step}: I compare berth {step} with the tide table. " + "tide gauge crane pilot " * 12
            )
            await talk.append({"role": "assistant", "content": said})
        report = await talk.compact()
        assert report
        (record,) = await engine.store.compactions("me", "quay")
        told = record.calls[0].refused
        present = {heading for heading, _ in FORMS["sections"].parse(report.summary)}
        missing = [one for one in FORMS["sections"].headings if f'"{one}" is left out' in told]
        assert "Errors and rejected approaches" in missing
        assert set(missing) <= present
        assert report.summary.count("Build the berth planner") == 1


@pytest.mark.parametrize(
    "short, whole",
    [
        ("Build the planner.", "Build the planner in /srv/quay. Never touch data/ports.csv."),
        ("Den Planer bauen", "Bitte den Planer bauen, aber nie data/ports.csv anfassen."),
        ("构建规划器", "请构建规划器，不要修改数据。"),
    ],
)
def test_what_says_no_more_than_the_user_s_own_line_goes(short: str, whole: str) -> None:
    text = f"## Goal\n- {short}\n- {whole}\n## Files\n- {short}"
    assert without_doubles(text, [whole], FORMS["sections"]) == f"## Goal\n- {whole}\n## Files\n- {short}"


@pytest.mark.parametrize(
    "other", ["Translate the manual too.", "Build the planner for trucks.", "Baue auch die Waage."]
)
def test_another_goal_stays(other: str) -> None:
    text = f"## Goal\n- {other}\n- Build the planner in /srv/quay."
    assert without_doubles(text, ["Build the planner in /srv/quay."], FORMS["sections"]) == text


def test_of_two_lines_that_differ_in_a_sign_one_stays() -> None:
    text = "## Goal\n- Build the planner\n- Build the planner."
    assert without_doubles(text, [], FORMS["sections"]) == "## Goal\n- Build the planner"
