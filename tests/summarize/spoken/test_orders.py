"""What is a rule of the user's, in many languages, and what only reads like one."""

from __future__ import annotations

import pytest

from palimpsest.summarize.ledger.entries import Ledger
from palimpsest.summarize.ledger.reading import update
from tests.summarize.dialogues import user


def rules_in(text: str) -> list[str]:
    ledger = Ledger()
    update(ledger, user(text), 1)
    return [entry.text for entry in ledger.of("rule").values()]


@pytest.mark.parametrize(
    "said",
    [
        "No new dependencies.",
        "No emojis.",
        "Stay away from src/tides.",
        "Leave src/tides alone.",
        "src/tides is off limits.",
        "Hands off the timetable.",
        "Refrain from using any ORM.",
        "Deploy to the east pier only.",
        "Actually, use spaces.",
        "Sorry, use spaces instead.",
        "Hm, rather use spaces.",
        "Actually use port 9090 for the pier.",
        "Correction: deploy to the west pier only.",
        "Du sollst nicht committen.",
        "Es darf nichts gelöscht werden.",
        "Ich will keine Emojis.",
        "Il ne faut pas toucher au schéma.",
        "Je ne veux pas de commentaires.",
        "Surtout pas de push.",
        "No toques la base de datos.",
        "No quiero comentarios en el código.",
        "No cambie el esquema.",
        "Não quero comentários.",
        "Non voglio commenti.",
        "Non modificate i test.",
        "Я не хочу комментариев.",
        "别碰src/tides。",
        "别用any",
        "不准删除文件",
        "只改src目录下的文件",
        "触るな。",
        "डेटाबेस को मत छुओ।",
    ],
)
def test_what_a_user_rules_is_noted_as_it_was_said(said: str) -> None:
    assert rules_in(said) == [said]


@pytest.mark.parametrize(
    "said",
    [
        "The button never works.",
        "I never got an answer.",
        "It always crashes when I press save.",
        "Only two tests fail now.",
        "No tests were found in the folder.",
        "Use case: a captain books a berth.",
        "Keep going",
        "I must admit that it looks good.",
        "No worries.",
        "No errors.",
        "这个方案特别好",
    ],
)
def test_a_report_is_no_rule(said: str) -> None:
    assert rules_in(said) == []


@pytest.mark.parametrize(
    "pasted",
    [
        "> never sail on Friday.",
        "ERROR: you must specify a berth",
        "2031-04-02 07:40:11 WARN you must not moor here",
        "- use the old quay\n+ must use the new quay",
        "| must | use tabs |",
        "~~~\nNever use tabs.\n~~~",
        "Here it is: ```\nnever use tabs\n```",
        "PS C:\\pier> npm test\nYou must install tide first",
        "C:\\pier>npm test\nYou must install tide first",
        "[root@quay ~]# moor\nYou must install tide first",
        "It fails again:\n\nError: each berth must have a ferry in the next\n message. You must add it.",
    ],
)
def test_what_is_quoted_or_pasted_is_no_rule(pasted: str) -> None:
    assert rules_in(f"Look at this.\n\n{pasted}") == []


def test_what_stands_around_what_is_pasted_is_said() -> None:
    said = "Never push.\n> always push\nERROR: berth: you must book\n\nAlways run the tests."
    assert rules_in(said) == ["Never push.", "Always run the tests."]


def test_the_sign_of_a_fence_may_be_spoken_of() -> None:
    assert rules_in("Use ``` as a fence marker. Never delete tides.")[-1] == "Never delete tides."
