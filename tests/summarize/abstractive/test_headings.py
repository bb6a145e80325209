"""Sections in whatever form a model writes them, in whatever language; what it drops of the newest request."""

from __future__ import annotations

import json

import pytest

from palimpsest.record.completion import Completion
from palimpsest.summarize.abstractive.reply import reply_text
from palimpsest.summarize.forms import FORMS
from tests.summarize.audit.stories import asked, grounds
from tests.summarize.dialogues import assistant, call, leaf, result, user

GOAL, NEXT = "Count the berths of the north pier", "Count those of the south pier"
WRITTEN = {
    "in capitals": f"GOAL\n- {GOAL}\n\nNEXT STEPS:\n- {NEXT}",
    "with colons": f"Goal:\n- {GOAL}\nNext steps:\n- {NEXT}",
    "underlined": f"Goal\n====\n- {GOAL}\nNext steps\n----------\n- {NEXT}",
    "a list of JSON": json.dumps(
        [{"section": "Goal", "content": f"- {GOAL}"}, {"section": "Next steps", "content": [NEXT]}]
    ),
    "an object of JSON": json.dumps({"Goal": f"- {GOAL}", "Next steps": f"- {NEXT}"}),
    "titled tags": f'<section name="Goal">\n- {GOAL}\n</section>\n<section name="Next steps">\n- {NEXT}\n</section>',
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


def test_a_newest_request_that_is_left_out_is_put_there_letter_by_letter() -> None:
    request = "Now count  the south pier,\n  but leave the boats."
    source = leaf(
        [
            user("Count the berths of the north pier."),
            assistant("There are 42 berths at the north pier."),
            user(request),
            assistant("I look.", call("a", "look", at="south pier")),
            result("a", "boats and berths"),
        ]
    )
    told = f"## Goal\n- {GOAL}\n## Progress\n- 42 berths at the north pier\n## Next steps\n- Go on"
    draft, _ = asked([told, told], grounds(source))
    assert f"## Pending user request\n{request}\n" in draft.text
    assert "the newest request, which was left out" in draft.repairs
