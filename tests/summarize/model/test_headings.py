"""Sections in whatever form a model writes them, in whatever language."""

from __future__ import annotations

import json

import pytest

from palimpsest.record.completion import Completion
from palimpsest.settings import SummaryForm
from palimpsest.summarize.model.reply_parsing import MOST_CHARS, reply_text
from palimpsest.summarize.summary_formats import FORMS
from tests.patience import LIMIT_S

GOAL, NEXT = "Count the berths of the north pier", "Count those of the south pier"
WRITTEN = {
    "in capitals": f"GOAL\n- {GOAL}\n\nNEXT STEPS:\n- {NEXT}",
    "with colons": f"Goal:\n- {GOAL}\nNext steps:\n- {NEXT}",
    "underlined": f"Goal\n====\n- {GOAL}\nNext steps\n----------\n- {NEXT}",
    "an object of JSON": json.dumps({"Goal": f"- {GOAL}", "Next steps": f"- {NEXT}"}),
    "labels in bold type": f"**Goal:** {GOAL}\n**Next steps:** {NEXT}",
    "labels in bold type in one line": f"**Goal:** {GOAL} **Next steps:** {NEXT}",
    "bold headings": f"**Goal:**\n- {GOAL}\n**Next steps:**\n- {NEXT}",
}


@pytest.mark.parametrize("reply", WRITTEN.values(), ids=WRITTEN.keys())
def test_sections_are_read_however_they_are_written(reply: str) -> None:
    parsed = FORMS["sections"].parse(reply_text(Completion(reply)))
    held = [(heading, [line for line in lines if line.strip()]) for heading, lines in parsed if heading]
    assert held == [("Goal", [f"- {GOAL}"]), ("Next steps", [f"- {NEXT}"])]


@pytest.mark.parametrize(
    "line, heading",
    [
        ("## Ziel", "Goal"),
        ("## Nächste Schritte", "Next steps"),
        ("### Prochaines étapes :", "Next steps"),
        ("## Decisiones", "Decisions"),
        ("## 文件", "Files"),
        ("## 次のステップ", "Next steps"),
        ("**Key decisions**", "Decisions"),
        ("## Objective", "Goal"),
        ("## Weather", ""),
        ("Goal:", ""),
    ],
)
def test_a_heading_is_known_in_the_words_of_other_languages(line: str, heading: str) -> None:
    assert FORMS["sections"].heading_of(line) == heading
    assert FORMS["page"].heading_of("## Nächste Schritte") == "Next Steps"


def test_a_line_with_a_colon_alone_makes_no_sections() -> None:
    reply = "The berths were counted.\nFiles:\n- berths.csv"
    assert reply_text(Completion(reply)) == reply


ON_ONE_LINE = [
    "## Goal: {}",
    "## **Goal:** {}",
    "### 1. Goal: {}",
    "## 1) **Goal**: {}",
    "**Goal:** {}",
    "**Goal**: {}",
    "1. **Goal:** {}",
    "## Ziel: {}",
    "## 目标：{}",
    "**Objectif :** {}",
    "## Main goal: {}",
]


@pytest.mark.parametrize(
    "line, form",
    [
        *((line, form) for line in ON_ONE_LINE for form in ("sections", "page")),
        *((line, "prose") for line in ON_ONE_LINE[:7]),
    ],
)
def test_what_follows_a_heading_on_its_line_stands_under_it(line: str, form: SummaryForm) -> None:
    told = "Count the berths: those at the pier # and those at the quay"
    parsed = FORMS[form].parse(f"{line.format(told)}\n- Now.")
    assert parsed == [("", []), ("Goal", [told, "- Now."])]


def test_a_label_in_bold_type_under_a_heading_with_marks_is_no_heading() -> None:
    text = "## Progress\n**Files:** pier.py was read\n**Decisions:** none yet"
    assert FORMS["sections"].parse(text) == [("", []), ("Progress", text.splitlines()[1:])]


def test_a_line_that_is_no_heading_of_ours_keeps_its_colon() -> None:
    for line in ("# Use: make test", "**Note:** files", "## Weather: fine", "Goal: count"):
        assert FORMS["sections"].parse(line) == [("", [line])]


def test_json_nested_without_end_is_left_as_it_is() -> None:
    reply = '{"Goal": ' + "[" * 900 + '"x"' + "]" * 900 + "}"
    assert reply_text(Completion(reply)) == reply


@pytest.mark.timeout(LIMIT_S)  # what it would take beyond its length is far more
@pytest.mark.parametrize("call", ["<invoke>", "a <tool_call>b ", "<tool_use>\n</invoke> "])
def test_calls_that_never_end_cost_the_length_of_the_reply(call: str) -> None:
    assert len(reply_text(Completion(call * 50_000))) <= len(call) * 50_000


def test_of_a_reply_longer_than_any_summary_the_beginning_is_read() -> None:
    assert len(reply_text(Completion("word " * 1_000_000))) <= MOST_CHARS
