"""True lines that read like untrue ones: conversions that are planned, edits, rests and averages, open questions."""

from __future__ import annotations

from dataclasses import fields, replace

import pytest

from palimpsest.summarize.audit.audit import audit
from palimpsest.summarize.audit.names.identifiers import doubts
from palimpsest.summarize.ledger.lines import flat, stands
from palimpsest.summarize.secrets.redact import Redactor, protect
from palimpsest.summarize.source import Source
from tests.summarize.audit.stories import grounds
from tests.summarize.audit.test_misquoted import LOCK
from tests.summarize.dialogues import assistant, call, leaf, result, user

HARBOUR = leaf(
    [
        user(
            "Make the harbour board of src/utils/date.js faster, and drop the debug output of src/report.py."
        ),
        assistant("", call("a", "Read", file_path="src/utils/date.js")),
        result("a", "export const PIERS = 18\nexport function tides() {}"),
        assistant("18 piers call it in 15 files with 120 tests. I take the debug logs out of src/report.py."),
        assistant("", call("b", "Bash", command="npm test")),
        result("b", "40 of 43 passed\n3 failed"),
        user("What is next?"),
    ]
)
HEAD = "## Goal\n- Make the harbour board faster\n## Progress\n"


def untouched(line: str, source: Source = HARBOUR) -> bool:
    found = audit(f"{HEAD}- {line}", grounds(source), whole=False)
    return not any((found.unusable, found.untrue, found.doubts, found.planted, found.unfounded))


@pytest.mark.parametrize(
    "line",
    [
        "src/utils/date.js will be converted to TypeScript",
        "Debug logs were taken out of src/report.py",
        "`npm test` showed 40 of 43 passed",
        "17 piers are left after the first one",
        "8 tests per file on average",
        "A notice is sent to the customers each time a boat is late",
        "Old accounts are deleted by the nightly job",
    ],
)
def test_what_is_told_truly_in_words_of_its_own_stays(line: str) -> None:
    assert untouched(line)


@pytest.mark.parametrize(
    "reply",
    [
        "Made the harbour board faster. Open: is 40 of 43 enough for the pier?",
        "Removed noisy lines; board quicker; three checks red still.",
        "Hi-level goal: a faster harbour board, with src/report.py quiet.",
    ],
)
def test_a_short_summary_is_no_answer_for_how_it_begins_or_ends(reply: str) -> None:
    assert audit(reply, grounds(HARBOUR, form="prose")).unusable == ""


@pytest.mark.parametrize(
    "line",
    [
        "- src/utils/date.js becomes src/utils/date.ts",
        "- no src/utils/date.ts is needed",
        "- Ids beginning with 1024 count",
    ],
)
def test_another_ending_that_is_planned_and_many_ids_are_not_put_right(line: str) -> None:
    assert [one for one in doubts(line, grounds(HARBOUR).exact) if one.right] == []
    assert doubts("- The old berth took 17 boats each", LOCK) == []


def test_no_text_of_a_source_keeps_a_secret_that_another_names() -> None:
    word = "bluefin-Kest99rel"
    texts = {
        one.name: (f"Pass {word} to a run.",)
        if one.type.startswith("tuple[str")
        else f"Pass {word} to a run."
        for one in fields(Source)
        if one.type in ("str", "tuple[str, ...]") and one.name != "kind"
    }
    assert {"rules", "earlier", "goal", "focus", "system"} <= texts.keys()
    work = protect(replace(leaf([user(f"The database password is {word}.")]), **texts), Redactor())
    while True:
        try:
            next(work)
        except StopIteration as end:
            shown = end.value[0]
            break
    assert [name for name in texts if word in str(getattr(shown, name))] == []


def test_a_line_stands_in_no_longer_name_and_between_signs_of_scripts_without_spaces() -> None:
    assert not stands(flat("No eval"), flat("no eval_safe here"))
    assert stands(flat("不要改动数据"), flat("请不要改动数据表"))


def test_a_settled_problem_is_no_payment() -> None:
    source = leaf(
        [
            user("Règle le tableau des quais, il est vide."),
            assistant("Le tableau montre à nouveau les quais."),
        ]
    )
    assert audit("Le tableau des quais est réglé.", grounds(source, form="prose")).untrue == ()
