"""Who wants to be asked first, who frees from that, and who wants it again: the newest word counts."""

from __future__ import annotations

import pytest

from tests.summarize.dialogues import held, user
from tests.summarize.ledger.noting import noted


@pytest.mark.parametrize(
    "old, new",
    [
        (
            "ask me before you push anything.",
            "you can push without asking me now, the pier catches it anyway",
        ),
        ("check with me before merging", "you can merge without checking with me from now on"),
        ("run it by me before you touch the schema", "you can touch the schema without running it by me now"),
        ("Never sail without my ok.", "you can sail without my ok now"),
        ("改表结构之前先问我", "改表结构现在不用先问我了，直接改就行"),
        ("发布前要先给我看", "发布现在不用先给我看了"),
        ("部署之前先通知我", "现在部署不需要先通知我了，你直接部署"),
        ("Frag mich, bevor du Mails verschickst.", "Mails kannst du jetzt ohne Rückfrage verschicken"),
        ("Frag mich immer, bevor du buchst.", "Buchen darfst du ab jetzt ohne mich zu fragen, es reicht"),
        ("Demande-moi avant de pousser quoi que ce soit.", "Tu peux pousser sans me demander maintenant"),
        ("Pregúntame antes de subir nada.", "Ahora puedes subir sin preguntarme, el muelle lo detecta"),
        ("Chiedimi prima di fare push.", "Ora puoi fare push senza chiedermi"),
        ("Me pergunte antes de enviar qualquer coisa.", "Agora você pode enviar sem me perguntar"),
        ("Vraag het me voordat je iets pusht.", "Je mag nu pushen zonder het me te vragen"),
        ("Спрашивай меня перед каждым деплоем.", "Теперь можешь деплоить, не спрашивая меня"),
        ("プッシュする前に必ず私に聞いてください。", "プッシュはもう聞かずにやっていいです"),
        ("푸시하기 전에 항상 저에게 물어보세요.", "이제 푸시는 저에게 묻지 않고 해도 됩니다"),
        ("you can push without asking me now", "ok after the storm: ask me again before you push anything"),
        ("Anzahlungen darfst du zusagen, ohne mich zu fragen", "Frag mich wieder vor jeder Anzahlung"),
        ("改表结构现在不用先问我了", "还是恢复原来的规矩：改表结构之前先问我"),
    ],
)
def test_who_is_asked_no_longer_or_again_takes_back_what_was_said_before(old: str, new: str) -> None:
    assert held("Plan the season.", old, new) == [new]


@pytest.mark.parametrize(
    "old, new",
    [
        ("ask me before you push anything.", "you can commit without asking me now"),
        ("ask me before you push anything.", "can you push without asking me now?"),
        ("ask me before you push anything.", "you can push to the staging branch without asking me now"),
        ("ask me before you push anything.", "you pushed without asking me now, please don't"),
        ("ask me before you push or merge", "you can merge without asking me now"),
        ("改表结构之前先问我", "改日志表结构现在不用先问我了"),
        ("发布前要先给我看", "草稿现在不用先给我看了"),
        ("Frag mich, bevor du etwas buchst.", "Tische bis 50 Euro darfst du buchen, ohne mich zu fragen"),
        ("Pregúntame antes de borrar archivos.", "El script ahora puede borrar archivos sin preguntarme"),
        ("プッシュする前に必ず私に聞いてください。", "テストはもう聞かずに実行していいです"),
        ("you can push without asking me now", "ask me before you push to the quay"),
    ],
)
def test_what_frees_from_something_else_or_less_leaves_the_rule(old: str, new: str) -> None:
    assert old in held("Plan the season.", old, new)


@pytest.mark.parametrize(
    "said",
    [
        ("no lamps pls", "lamps are fine after all", "no lamps again, the harbour complains"),
        ("Never sail to Keel.", "You can sail to Keel now.", "Never sail to Keel again, please."),
        ("No lamps.", "lamps are fine after all", "again: no lamps"),
        ("Pas d'émojis.", "Les émojis sont de nouveau autorisés.", "Finalement, pas d'émojis."),
        ("Sin emojis.", "Los emojis vuelven a estar permitidos.", "Otra vez sin emojis, por favor."),
        ("Keine Emojis.", "Emojis sind jetzt doch erlaubt.", "Doch wieder keine Emojis, es gab Ärger."),
    ],
)
def test_a_ban_that_comes_back_stands_alone(said: tuple[str, ...]) -> None:
    assert held("Plan the season.", *said) == [said[-1]]


@pytest.mark.parametrize(
    "old, new",
    [
        ("You can sail to Keel now.", "Never sail to Hull."),
        ("emojis in commits are ok", "no emojis in mails"),
        ("You can use ropes.", "Never use ropes in the harbour."),
    ],
)
def test_a_ban_of_something_else_or_less_leaves_what_is_allowed(old: str, new: str) -> None:
    assert {*held("Plan the season.", old, new)} == {old, new}


@pytest.mark.parametrize(
    "said",
    [
        (
            "ask me before you push anything",
            "you can push without asking me now",
            "ask me again before you push anything",
        ),
        ("改表结构之前先问我", "改表结构现在不用先问我了", "还是恢复原来的规矩：改表结构之前先问我"),
        ("no lamps pls", "lamps are fine after all", "no lamps again, the harbour complains"),
    ],
)
def test_what_holds_again_is_not_told_as_taken_back(said: tuple[str, ...]) -> None:
    ledger = noted([user(text) for text in ("Plan the season.", *said)])
    assert said[0] not in ledger.dropped
    assert said[1] in ledger.dropped
