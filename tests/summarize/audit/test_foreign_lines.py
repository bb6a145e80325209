"""Short lines in another language among those of the conversation go, and what they told comes back by rule."""

from __future__ import annotations

import pytest

from palimpsest.summarize.audit.audit import audit
from palimpsest.summarize.audit.repair import repair
from tests.summarize.audit.stories import grounds
from tests.summarize.dialogues import assistant, call, leaf, quarter, result, user

PUMP = leaf(
    [
        user("The pump in the west runs hot. Find the cause, and change nothing without Runa."),
        assistant("", call("a", "Bash", command="pumpctl west")),
        result("a", "temp 81\nbearing dry\n"),
        assistant(
            "The bearing is dry. A worn seal would leak oil, so I rule the seal out. Runa greases it at noon."
        ),
        user("Good. Watch it until it is cool, and write that down."),
    ]
)
KNOWN = (
    "## Goal\n- The pump in the west runs hot; find the cause and change nothing without Runa.\n"
    "## Progress\n- The bearing is dry, and Runa greases it at noon.\n"
)


@pytest.mark.parametrize(
    "line",
    [
        "Die Pumpe beobachten, bis sie kühl ist.",
        "Das Lager ist trocken, bis Runa schmiert.",
        "Revisar la bomba hasta que quede fría.",
        "Aspettare che la pompa sia fredda.",
        "De pomp bekijken en dan opschrijven.",
        "Die Pumpe am Westtor nur mit Runa ausschalten",
        "Subir el caudal a 40 en el oeste",
        "Il livello va alzato a 40 sul serbatoio",
        "O caudal deve subir para 40 no tanque",
    ],
)
def test_a_line_with_two_little_words_and_no_word_of_the_conversation_is_foreign(line: str) -> None:
    assert f"- {line}" in audit(f"{KNOWN}## Open tasks\n- {line}", grounds(PUMP), whole=False).mixed


@pytest.mark.parametrize(
    "first, line",
    [
        ("Ein verschlissener Dichtring wurde ausgeschlossen.", "Pumpe beobachten und aufschreiben."),
        ("La bomba fue revisada por el turno de noche y está muy caliente.", "Vigilar y anotar temperatura."),
        ("La pompe chauffe trop et le palier est sec.", "Surveiller puis noter les valeurs."),
        ("Ein verschlissener Dichtring wurde ausgeschlossen.", "Auch west-02 umstellen"),
    ],
)
def test_beside_a_line_in_another_language_one_little_word_tells_the_next(first: str, line: str) -> None:
    text = f"{KNOWN}## Decisions\n- {first}\n## Open tasks\n- {line}"
    assert f"- {line}" in audit(text, grounds(PUMP), whole=False).mixed


@pytest.mark.parametrize(
    "line",
    [
        "Watch pump west; log temp.",
        "Route: La Paz, Los Angeles, Den Haag",
        "Ask Runa van der Meer",
        "Pumps stop, valves die, alarms ring",
        "pumpctl west",
    ],
)
def test_a_short_line_of_ours_stays_beside_one_in_another_language(line: str) -> None:
    text = f"{KNOWN}- Ein verschlissener Dichtring wurde ausgeschlossen.\n## Open tasks\n- {line}"
    assert f"- {line}" not in audit(text, grounds(PUMP), whole=False).mixed


def test_what_was_ruled_out_in_another_language_is_told_in_ours() -> None:
    held = grounds(PUMP)
    text = f"{KNOWN}## Errors and rejected approaches\n- Ein verschlissener Dichtring wurde ausgeschlossen."
    left = repair(
        text, audit(text, held, whole=False), held, target_tokens=600, limit_tokens=1_200, count=quarter
    )[0]  # fmt: skip
    assert "Dichtring" not in left
    assert (
        "## Errors and rejected approaches\n- assistant: A worn seal would leak oil, so I rule the seal out."
        in left
    )


COSTS = leaf(
    [
        user("The pump in the west runs hot. Find the cause, and change nothing without Runa."),
        assistant("", call("a", "Bash", command="pumpctl west")),
        result("a", "temp 81\nbearing dry\n"),
        assistant("The bearing is dry. May I order the bronze one?"),
        user(
            "We keep the bronze bearing in the west although it costs 38 crowns more; the tin one ran dry twice."
        ),
        assistant(
            "Ordered. Greasing the bearing in the west without stopping it and the log of May are still open."
        ),
        user("Good. Watch it until it is cool, and write that down."),
    ]
)
OURS = (
    "## Goal\n- The pump in the west runs hot; find the cause and change nothing without Runa.\n"
    "## Progress\n- The bearing in the west is dry; the bronze one costs more.\n"
)


@pytest.mark.parametrize(
    "line, told",
    [
        (
            "## Decisions\n- Das Lager aus Bronze bleibt, obwohl es 38 Kronen mehr kostet.",
            "costs 38 crowns more",
        ),
        (
            "## Decisions\n- Se queda el de bronce aunque cuesta 38 coronas más que el otro.",
            "costs 38 crowns more",
        ),
        (
            "## Open tasks\n- Write the log of May\n- Das Lager im Westen schmieren und nicht anhalten.",
            "without stopping",
        ),
    ],
)
def test_what_a_struck_line_told_comes_back_in_the_source_s_words(line: str, told: str) -> None:
    against = grounds(COSTS)
    text = f"{OURS}{line}"
    found = audit(text, against)
    assert found.mixed or found.foreign
    whole, _ = repair(text, found, against, target_tokens=400, limit_tokens=800, count=quarter)
    assert told in whole
