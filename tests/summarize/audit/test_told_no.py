"""What the user tells that did not happen is no rule that a goal could turn round; what the user forbids is one."""

from __future__ import annotations

import pytest

from palimpsest.summarize.audit.audit import audit
from tests.summarize.audit.stories import grounds
from tests.summarize.dialogues import assistant, leaf, user


@pytest.mark.parametrize(
    "said, goal",
    [
        (
            "Yes, parcel PX-4420 was never delivered, please see where it is.",
            "Find out where parcel PX-4420 is.",
        ),
        ("The report for pier 7 didn't arrive. Trace it.", "Trace the report for pier 7 that should arrive."),
        (
            "Das Paket PX-4420 wurde nie geliefert, bitte sieh nach.",
            "Das Paket PX-4420 suchen, das geliefert wird.",
        ),
        ("Le colis PX-4420 n'a jamais été livré, cherche-le.", "Chercher le colis PX-4420, livré ou perdu."),
        ("El paquete PX-4420 no llegó, búscalo.", "Buscar el paquete PX-4420 que llegó tarde."),
    ],
)
def test_what_did_not_happen_is_no_rule(said: str, goal: str) -> None:
    talk = leaf([user("Hello, here is the pier office."), assistant("What can I do?"), user(said)])
    assert audit(f"## Goal\n- {goal}", grounds(talk)).unfounded == ()


@pytest.mark.parametrize(
    "said, rule",
    [
        ("Never deliver parcel PX-4420 to the neighbours.", "Deliver parcel PX-4420 to the neighbours."),
        (
            "Parcel PX-4420 must not be delivered to the neighbours.",
            "Deliver parcel PX-4420 to the neighbours.",
        ),
        ("Das Paket PX-4420 nie beim Nachbarn abgeben.", "Das Paket PX-4420 beim Nachbarn abgeben."),
    ],
)
def test_what_is_forbidden_may_not_be_turned_round(said: str, rule: str) -> None:
    talk = leaf([user("Hello, here is the pier office."), assistant("What can I do?"), user(said)])
    line = f"- {rule}"
    assert audit(f"## Constraints & preferences\n{line}", grounds(talk)).unfounded == (line,)
