"""Names and phrases of another language in a line that is not said in it."""

from __future__ import annotations

import pytest

from palimpsest.summarize.audit.audit import audit
from tests.summarize.audit.stories import GOOD, grounds


def is_mixed(line: str) -> bool:
    text = GOOD.replace("## Decisions", f"- {line}\n## Decisions")
    return f"- {line}" in audit(text, grounds(), whole=True).mixed


@pytest.mark.parametrize(
    "line",
    [
        "Contact: Institut für die Geschichte der Seeschifffahrt",
        "Invoice goes to: Gesellschaft für das Studium der Meere",
        "Sender: Ministerio de la Vivienda y Suelo",
        "Note de service (en cours de route): umlauts",
        "The rest is, per the user, comme il faut et sans retard",
    ],
)
def test_a_name_or_a_phrase_makes_no_line_foreign(line: str) -> None:
    assert not is_mixed(line)


@pytest.mark.parametrize(
    "line",
    [
        "Das ganze Hafenbecken ist jetzt neu vermessen; 118 tests",
        "Den rensade tabellen är skriven: 1253431 rows, 48.7 MB",
    ],
)
def test_a_clause_that_is_said_in_another_language_does(line: str) -> None:
    assert is_mixed(line)
