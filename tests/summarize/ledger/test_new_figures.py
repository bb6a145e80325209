"""Of what the user said twice the newest word counts: another figure, no longer so, a ban that is lifted."""

from __future__ import annotations

import pytest

from palimpsest.summarize.ledger.entries import Ledger
from palimpsest.summarize.ledger.reading import update
from tests.summarize.dialogues import held, user


def dropped(*texts: str) -> list[str]:
    """What of a user's messages is told as taken back."""
    ledger = Ledger()
    for seq, text in enumerate(texts, 1):
        update(ledger, user(text), seq)
    return list(ledger.dropped)


@pytest.mark.parametrize(
    "old, new",
    [
        ("Lines of at most 96 characters.", "Actually, lines can be up to 110 characters, 96 is too tight."),
        ("At most 12 guests per table.", "We can seat 14 guests per table now, 12 was too few."),
        (
            "The budget is 18,000 euros and not a cent more.",
            "The budget went up to 21,500 now instead of 18,000.",
        ),
        ("Retry at most 3 times.", "Retry up to 5 times now, 3 is not enough."),
        ("Nie mehr als 20 Personen pro Boot.", "Pro Boot dürfen jetzt 30 Personen mit, 20 war zu wenig."),
        ("每行最多 80 个字符。", "每行可以到 120 个字符，80 太窄了。"),
        (
            "Kommentare bitte immer auf Deutsch.",
            "Kommentare doch lieber auf Englisch, nicht mehr auf Deutsch.",
        ),
        ("As mensagens sempre em português.", "As mensagens agora em inglês, não mais em português."),
        ("Las facturas siempre en euros.", "Las facturas ahora en dólares, ya no en euros."),
        (
            "コメントは必ず日本語で書いてください。",
            "コメントは今後英語でお願いします、日本語はもう不要です。",
        ),
        ("Höchstens 20 Gäste.", "Es dürfen jetzt 25 Gäste kommen statt 20."),
        ("Use version 18 of the bow.", "Use version 20 of the bow instead of 18."),
        ("Never sail after 16:00.", "You can sail until 17:30 now, 16:00 was too early."),
        ("Use port 7070 for the tide server.", "Use port 7171 for the tide server now, 7070 is taken."),
        ("Los correos, máximo 80 palabras.", "Los correos ahora pueden tener 120 palabras, 80 es muy poco."),
        ("Письма не длиннее 80 слов.", "Теперь письма до 120 слов, 80 мало."),
        ("Please no new masts without asking me first.", "The ban on new masts is lifted, Ada agreed."),
        ("No swearing.", "The ban on swearing is off, it's a comedy."),
        ("Pas d'émojis.", "Les émojis sont de nouveau autorisés."),
        ("Sin emojis.", "Los emojis vuelven a estar permitidos."),
    ],
)
def test_the_newest_word_takes_the_place_of_an_older_one(old: str, new: str) -> None:
    assert held("Plan the season.", old, new)[-1:] == [new]
    assert old not in held("Plan the season.", old, new)


@pytest.mark.parametrize(
    "old, new",
    [
        ("At most 12 guests per table.", "The hall holds 140 guests now instead of 120."),
        ("Responses have to stay under 200 ms.", "The upload may take 300 ms now, 200 was too short."),
        (
            "The budget is 18,000 euros and not a cent more.",
            "The stage costs 2,100 euros now instead of 1,800.",
        ),
        ("Abstracts of at most 150 words.", "The paper has 200 pages, 150 of them are tables."),
        ("We support Python 3.10 and newer, nothing older.", "The ban on new dependencies is lifted."),
        ("Use port 7070 for the tide server.", "The tide server on port 7070 now answers with 502."),
        ("Use port 7070 for the tide server.", "The tide server can answer on port 7171 now, 7070 stays."),
        ("Max 3 retries per tide.", "The tide job now fails after 3 retries instead of 5."),
        ("Budget max 900 euros.", "The crane can be paid with 300 euros now, budget is 900."),
        ("Höchstens 20 Gäste.", "Jetzt sind 20 Gäste da, 5 kommen später."),
        ("Keep replies under 100 words.", "The report can have 400 words now, replies stay under 100."),
        ("Never sail after 16:00.", "The boat that had to sail at 16:00 failed, it's 17:30 now."),
        ("Support Bow 18 and newer.", "Bow 18 now prints 3 warnings."),
        (
            "Budget is at most 4000 euros.",
            "The hall costs 4000 euros now, the budget needs 500 more for lamps.",
        ),
        ("Lines must have at most 96 characters.", "Line 96 now has 4 characters too many."),
        ("At most 96 characters per line.", "At most 110 lines per file now, 96 characters stay."),
        ("At most 96 characters per line.", "At most 110 files per line now, at most 96 before."),
        ("Keep each talk under 25 minutes.", "Talk two went over 25 minutes in the rehearsal, it took 31."),
        ("Keep each talk under 25 minutes.", "Each talk now takes 31 minutes, 25 is the limit."),
        ("Use spaces in Python files.", "In YAML files use tabs instead of spaces."),
        ("Commit messages always in French.", "The menu is no longer in French."),
    ],
)
def test_what_speaks_of_something_else_takes_nothing_back(old: str, new: str) -> None:
    assert old in held("Plan the season.", old, new)


@pytest.mark.parametrize(
    "old, new",
    [
        ("Никаких фонарей.", "Запрет на фонари не снят."),
        ("ランプは使わないでください。", "ランプ禁止を解除しないで。"),
        ("No lamps in anything.", "The rule on lamps is lifted for the upper deck."),
        (
            "Never change files under quay/.",
            "The ban on quay changes is lifted by our script by mistake, put it back.",
        ),
        (
            "Always run the lint before a commit.",
            "The rule about lint is removed from the Makefile, add it back.",
        ),
        (
            "Lines must have a line length of at most 96.",
            "The rule on line length is off by one in ruff.toml.",
        ),
        (
            "No lamps in anything.",
            "The lamps restriction was lifted by the crew without asking us, tell them no!",
        ),
        ("No lamps in anything.", "The ban on lamps is lifted? Put it back."),
        ("Keine Lampen.", "Das Verbot von Lampen ist aufgehoben worden, mach das rückgängig."),
        ("Frag mich immer, bevor du buchst.", "Die Gäste fragen nicht mehr, bevor sie buchen."),
        ("Pregúntame siempre antes de reservar.", "Los invitados ya no preguntan antes de reservar."),
        ("Всегда спрашивай меня перед бронированием.", "Гости больше не спрашивают перед бронированием."),
        ("Always run the lint before a commit.", "The lint is no longer slow before a commit."),
        ("Use metric units.", "Metric units are no longer used by the crew, convert them."),
        (
            "Always ask me before you book anything.",
            "No longer ask me before you book things under 50 euros.",
        ),
    ],
)
def test_a_lift_by_others_in_part_or_denied_is_none(old: str, new: str) -> None:
    assert old in held("Plan the season.", old, new)


@pytest.mark.parametrize(
    "old, new",
    [
        ("No lamps in anything.", "The rule on lamps is lifted."),
        ("No lamps in anything.", "The lamps restriction is lifted, the crew agreed."),
        ("No lamps in anything.", "The ban on lamps is lifted for good."),
        ("No lamps in anything.", "The ban on lamps is off because Ada agreed."),
        ("Pas de lampes.", "L'interdiction des lampes est levée."),
        ("船上不许放灯。", "放灯的禁令已经解除了。"),
        ("Always ask me before you book anything.", "You no longer need to ask me before booking."),
        ("Всегда спрашивай меня перед бронированием.", "Больше не спрашивай перед бронированием."),
        ("Pregúntame siempre antes de reservar.", "Ya no preguntes antes de reservar."),
        ("Mails to the crew in French.", "Mails to the crew are no longer in French."),
        ("Immer auf Französisch einladen.", "Nicht mehr auf Französisch einladen."),
        ("Frag mich immer, bevor du buchst.", "Du musst mich nicht mehr fragen, bevor du buchst."),
    ],
)
def test_what_holds_no_longer_is_let_go_and_told(old: str, new: str) -> None:
    assert held("Plan the season.", old, new) == [new]
    assert dropped("Plan the season.", old, new) == [old]


@pytest.mark.parametrize(
    "old, new",
    [
        ("所有船上都不要放灯。", "不再放灯。"),
        ("Никогда не используй фонари.", "Больше не используй фонари."),
        ("No lamps in the boats.", "No longer any lamps in the boats, please."),
        ("Nunca uses faroles.", "Ya no uses faroles."),
        ("Keine Lampen verwenden.", "Ab jetzt keine Lampen mehr verwenden."),
        ("N'utilise jamais de lampes.", "Désormais n'utilise plus jamais de lampes."),
        ("Use ropes in the harbour.", "Actually, use ropes in the harbour, please."),
    ],
)
def test_what_says_a_rule_again_is_not_told_as_taking_it_back(old: str, new: str) -> None:
    assert held("Plan the season.", old, new)
    assert dropped("Plan the season.", old, new) == []
