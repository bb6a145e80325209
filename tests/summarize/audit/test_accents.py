"""A line of a few words in another language goes by its letters, where words of it alone would not tell."""

from __future__ import annotations

import pytest

from palimpsest.summarize.audit.audit import audit
from tests.summarize.audit.stories import grounds
from tests.summarize.dialogues import assistant, leaf, user

GAUGE = leaf(
    [
        user("Please make the gauge parser in crates/gauge faster and keep the frame order."),
        assistant("The frame buffer is copied twice in gauge_read. May I change the parser?"),
        user("Good. Bump gauge to 0.9.2 when the tests pass, and write the changelog."),
        assistant("The tests pass now. The bump of gauge to 0.9.2 is still open, and so is the changelog."),
        user("Fine, then wait for Søren Kjær."),
    ]
)
KNOWN = (
    "## Goal\n- Make the gauge parser faster and keep the frame order.\n## Progress\n- The tests pass.\n"
    "## Open tasks\n- Write the changelog\n- "
)


@pytest.mark.parametrize(
    "line",
    [
        "Subir gauge a la versión 0.9.2, todavía pendiente",
        "Falta la revisión de Søren",
        "Changelog à écrire, reporté à demain",
        "Tests grün, Veröffentlichung später",
        "Scrivere il changelog, più tardi",
        "Escrever o changelog, ainda não concluído",
        "gauge naar versie 0.9.2 brengen, nog open",
        "Testy przeszły, wydanie później",
        "Höja gauge till 0.9.2, ännu inte gjort",
        "gauge sürümünü 0.9.2 yapmak, henüz açık",
        "Testit läpi, julkaisu myöhemmin",
    ],
)
def test_a_line_is_foreign_by_its_letters(line: str) -> None:
    assert f"- {line}" in audit(f"{KNOWN}{line}", grounds(GAUGE), whole=False).mixed


@pytest.mark.parametrize(
    "line",
    [
        "Ask Zoë Brûlé, José Muñoz",
        "naïve copy removed, façade kept",
        "São Paulo, Malmö, Łódź mirrors",
        "résumé parsing: skip",
        "El Niño dataset pending",
        "restart as root, no rollback",
        "per diem report, ad hoc checks",
        "Invoice goes to: Gesellschaft für das Studium der Meere",
        "Contact: Institut für die Geschichte der Werften",
        "jalapeño and crème brûlée fixtures",
    ],
)
def test_names_and_words_that_english_has_stay(line: str) -> None:
    assert f"- {line}" not in audit(f"{KNOWN}{line}", grounds(GAUGE), whole=False).mixed
