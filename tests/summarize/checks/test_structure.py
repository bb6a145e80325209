"""A reply that can be no summary is told from its structure alone."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from palimpsest.summarize.checks.structure import fault_of, repeats, scripts, strange_script, without_copied
from palimpsest.summarize.summary_formats import FORMS

PROMPT = "## Goal: what the user wants in the end\n- Leave out greetings, thanks and small talk."
FACTS = (
    "## Files\n- src/planner: berths.py tides.py was edited\n## Commands\n- make check in the harbour folder"
)
SOURCE = "Plan the berths of the north pier. 潮汐表在这里。"
GOOD = "## Goal\n- Plan the berths of the north pier.\n## Progress\n- Half of them are planned."


def fault(text: str, *, formed: bool = True, beside: str = SOURCE) -> str:
    return fault_of(text, FORMS["sections"], PROMPT, FACTS, [beside], formed=formed)


def test_a_summary_in_its_form_has_no_fault() -> None:
    assert fault(GOOD) == ""
    assert fault("## Ziel\n- Die Liegeplätze planen.\n## Was noch fehlt\n- Alles andere.") == ""
    assert fault("The berths are planned, and the tides are read.", formed=False) == ""


@pytest.mark.parametrize(
    "text, why",
    [
        ("Done.", "one word alone"),
        ("I cannot help you with that, sorry.", "none of the headings"),
        ("## Goal\n- Leave out greetings, thanks and small talk.", "repeats its prompt"),
        (f"## Goal\n{FACTS}", "repeats the facts"),
        (GOOD + "\n- and so on, and so on" * 40, "the same over and over"),
        ("## Goal\n" + "the berth is planned " * 60, "the same over and over"),
        ("## Goal\n- Спланировать причалы северного пирса", "CYRILLIC"),
    ],
)
def test_what_can_be_no_summary_is_refused(text: str, why: str) -> None:
    assert why in fault(text)


def test_a_script_that_somebody_uses_is_nobodys_fault() -> None:
    chinese = "## Goal\n- 计划北码头的全部泊位并检查潮汐表以及船只的到港时间和离港时间"
    assert fault(chinese) == ""
    assert "CJK" in fault(chinese, beside="Plan the berths.")


def test_lines_of_the_prompt_are_taken_out_and_told() -> None:
    text, gone = without_copied(f"{GOOD}\n- Leave out greetings, thanks and small talk.", PROMPT)
    assert text == GOOD
    assert gone == ("- Leave out greetings, thanks and small talk.",)


@given(
    st.lists(st.text(alphabet="abcdefgh ", min_size=12, max_size=40), unique=True, min_size=1, max_size=40)
)
def test_lines_that_differ_are_no_repetition(lines: list[str]) -> None:
    text = "\n".join(f"{at} {line}" for at, line in enumerate(lines))
    assert not repeats(text) or len(set(" ".join(lines).split())) < len(lines) // 2


@given(st.text(max_size=200))
def test_a_text_uses_no_script_that_it_does_not_use(text: str) -> None:
    assert strange_script(text, [text]) == ""
    assert all(times > 0 for times in scripts(text).values()) or text.isascii()
