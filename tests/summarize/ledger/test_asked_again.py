"""Who may do something without asking, for a reason; and who wants to be asked again: of both the newest counts."""

from __future__ import annotations

import pytest

from palimpsest.record.message import Message, Text
from tests.summarize.dialogues import held
from tests.summarize.ledger.noting import noted


@pytest.mark.parametrize(
    "old, new",
    [
        (
            "wait. ask me before you run any migration ok",
            "you can run migrations without asking now, its only the local db anyway",
        ),
        (
            "ask me before you push to main",
            "you can push to main without asking now, there's nothing to break",
        ),
        (
            "Mails an Mitglieder nie ohne meine Freigabe rausschicken ja?",
            "Mails an die Mitglieder kannst du ab jetzt ohne Freigabe verschicken, das klappt ja gut",
        ),
        ("Bestellungen nie ohne mein OK auslösen", "Bestellungen darfst du jetzt ohne mein OK auslösen"),
        (
            "frag mich bevor du auf main pushst",
            "auf main darfst du jetzt pushen ohne mich zu fragen, ist ja nur die Test-DB",
        ),
        ("部署之前先问我", "以后部署不用问我了，反正是本地的"),
        ("pregúntame antes de desplegar", "puedes desplegar sin preguntarme ahora, es solo la base local"),
        ("デプロイの前に必ず聞いて", "デプロイはもう聞かなくていいです、ローカルだけだから"),
    ],
)
def test_a_reason_behind_what_is_freed_limits_nothing(old: str, new: str) -> None:
    assert held("Plan the harbour feast.", old, new)[-1:] == [new]
    assert len(held("Plan the harbour feast.", old, new)) == 1


def test_only_where_something_is_so_limits_what_is_freed() -> None:
    old = "ask me before you push to main"
    assert old in held("Plan.", old, "you can push to main without asking now, its only for the tide branch")


@pytest.mark.parametrize(
    "ban, freed, back",
    [
        (
            "dont push anything to main without asking me",
            "ok you can push to main without asking",
            "hm no, go back to asking me before you push to main",
        ),
        ("部署之前先问我", "以后部署不用问我了", "还是改回来，部署之前要先问我"),
        (
            "Bestellungen nie ohne mein OK auslösen",
            "Bestellungen darfst du jetzt ohne mein OK auslösen",
            "nee doch wieder: Bestellungen nicht mehr ohne mein OK auslösen",
        ),
    ],
)
def test_what_is_asked_for_again_is_in_force_alone(ban: str, freed: str, back: str) -> None:
    ledger = noted([Message("user", (Text(one),)) for one in (ban, freed, back)])
    assert [entry.text for entry in ledger.of("rule").values()] == [back]
    assert list(ledger.dropped) == [freed]
