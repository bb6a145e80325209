"""Lines under a heading that they do not belong under; sentences that keep their end; rules that are told already."""

from __future__ import annotations

import pytest

from palimpsest.summarize.forms import FORMS
from palimpsest.summarize.source import Source
from tests.summarize.audit.stories import asked, grounds
from tests.summarize.dialogues import assistant, call, leaf, result, user

BERTHS = leaf(
    [
        user("The berth gauge reads too low at ebb, please mend it. No new packages."),
        assistant("I look at src/berth_gauge.py, where the export is made."),
        assistant("", call("a", "Read", file_path="src/berth_gauge.py")),
        result("a", "def read():\n    return 3"),
        user("Never touch the calibration table, and keep the name of read()."),
        assistant(
            "Next comes the sensor driver in drivers/sonar.c.",
            call("b", "Edit", file_path="src/berth_gauge.py", old_string="3", new_string="4"),
        ),
        result("b", "ok"),
        assistant(
            "I mend the berth gauge that reads too low at ebb.", call("c", "Bash", command="make check")
        ),
        result("c", "12 passed"),
        assistant("The offset was 3 instead of 4, so the gauge read low."),
        user("Show me the change."),
    ]
)
WAAGE = leaf(
    [
        user("Die Waage im Hafen zeigt zu wenig an. Bitte ändere nichts an der Datei config/tara.toml."),
        assistant("Ich öffne zuerst das Protokoll der Nachtschicht."),
        assistant("", call("a", "Bash", command="cat nacht.log")),
        result("a", "ok"),
        user("Bitte keine neuen Abhängigkeiten, die Standardbibliothek reicht."),
        assistant("Der Nullpunkt war verstellt."),
        user("Dann stell ihn neu ein."),
    ]
)
GOAL = "- Mend the berth gauge, which reads too low at ebb"
ZIEL = "- Herausfinden, warum die Waage im Hafen zu wenig anzeigt"
DONE = "\n## Progress\n- The offset is 4 now, so the gauge reads right\n- `make check` passes"
GETAN = "\n## Progress\n- Der Nullpunkt der Waage war verstellt"
RULES = [
    (BERTHS, GOAL, DONE, "- No new packages."),
    (BERTHS, GOAL, DONE, "- no new packages"),
    (BERTHS, GOAL, DONE, "- User: No new packages"),
    (BERTHS, GOAL, DONE, "- Never touch the calibration table, and keep the name of read()."),
    (BERTHS, GOAL, DONE, "- Never touch the calibration table; keep the name of read()"),
    (WAAGE, ZIEL, GETAN, "- Nichts an der Datei config/tara.toml ändern"),
    (WAAGE, ZIEL, GETAN, "- Bitte keine neuen Abhängigkeiten, die Standardbibliothek reicht."),
]
NEXT = [
    (BERTHS, GOAL, DONE, "- I look at src/berth_gauge.py, where the export is made."),
    (BERTHS, GOAL, DONE, "- **Next comes the sensor driver in drivers/sonar.c.**"),
    (WAAGE, ZIEL, GETAN, "- Ich öffne zuerst das Protokoll der Nachtschicht."),
]
GOALS = [
    (BERTHS, GOAL, DONE, "- I mend the berth gauge that reads too low at ebb."),
    (BERTHS, GOAL, DONE, "- The user wants to see the change"),
    (BERTHS, GOAL, DONE, "- Mend it without new packages, so that the gauge reads right at ebb"),
    (BERTHS, GOAL, DONE, "- Show the change of the gauge"),
    (WAAGE, ZIEL, GETAN, "- Die Waage soll richtig anzeigen, ohne die Datei config/tara.toml anzufassen"),
    (WAAGE, ZIEL, GETAN, "- Den Nullpunkt der Waage neu einstellen"),
]


def sections(source: Source, text: str) -> dict[str, list[str]]:
    return dict(FORMS["sections"].parse(asked([text, text], grounds(source))[0].text))


@pytest.mark.parametrize("source, goal, done, rule", RULES)
def test_a_rule_of_the_user_s_under_goal_is_a_constraint(
    source: Source, goal: str, done: str, rule: str
) -> None:
    found = sections(source, f"## Goal\n{goal}\n{rule}{done}")
    assert goal in found["Goal"]
    assert rule not in found["Goal"]
    assert rule in found["Constraints & preferences"]


def test_a_goal_that_is_told_like_a_rule_stays_where_it_is_all_of_it() -> None:
    lamp = leaf(
        [
            user("My lamp came broken. I'd like the money for the lamp back, not a replacement."),
            *BERTHS.messages,
        ]
    )
    goal = "- The money back for the lamp, not a replacement"
    assert sections(lamp, f"## Goal\n{goal}{DONE}")["Goal"][0] == goal


def test_a_rule_that_stands_word_for_word_under_decisions_is_a_constraint() -> None:
    found = sections(BERTHS, f"## Goal\n{GOAL}\n## Decisions\n- No new packages.\n- The offset is 4{DONE}")
    assert found["Decisions"] == ["- The offset is 4"]
    assert "- No new packages." in found["Constraints & preferences"]


@pytest.mark.parametrize("source, goal, done, line", NEXT)
def test_what_the_assistant_does_next_is_no_goal(source: Source, goal: str, done: str, line: str) -> None:
    found = sections(source, f"## Goal\n{goal}\n{line}{done}")["Goal"]
    assert goal in found
    assert line not in found


@pytest.mark.parametrize("source, goal, done, line", GOALS)
def test_a_goal_that_speaks_of_a_rule_or_of_a_deed_stays(
    source: Source, goal: str, done: str, line: str
) -> None:
    assert sections(source, f"## Goal\n{goal}\n{line}{done}")["Goal"][:2] == [goal, line]


@pytest.mark.parametrize(
    "source, goal, done, told",
    [
        (WAAGE, ZIEL, GETAN, "- Nichts an der Datei config/tara.toml ändern"),
        (WAAGE, ZIEL, GETAN, "- An der Datei config/tara.toml darf nichts geändert werden"),
        (BERTHS, GOAL, DONE, "- The calibration table is never touched, and keeping the name of read()"),
    ],
)
def test_a_rule_that_is_told_in_other_forms_of_its_words_is_told_once(
    source: Source, goal: str, done: str, told: str
) -> None:
    found = sections(source, f"## Goal\n{goal}\n## Constraints & preferences\n{told}{done}")
    lines = found["Constraints & preferences"]
    assert sum("config/tara.toml" in one or "calibration" in one for one in lines) == 1


@pytest.mark.parametrize("told", ["- The calibration table was read", "- config/tara.toml wurde geändert"])
def test_a_rule_is_not_told_by_what_does_not_forbid(told: str) -> None:
    source, goal = (BERTHS, GOAL) if "table" in told else (WAAGE, ZIEL)
    found = sections(source, f"## Goal\n{goal}\n## Progress\n{told}")
    assert any(
        ("Never touch" in one) or ("nichts an der Datei" in one) for one in found["Constraints & preferences"]
    )


def test_a_sentence_keeps_its_end_where_the_rest_of_it_goes() -> None:
    text = f"## Goal\n{GOAL}{DONE}\n- `make check` gives 12 passed; the report is in out/ebb_report_77.html."
    lines = sections(BERTHS, text)["Progress"]
    assert "- `make check` gives 12 passed." in lines
