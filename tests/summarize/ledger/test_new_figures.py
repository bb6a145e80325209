"""Of what the user said twice the newest word counts: another figure, no longer so, a ban that is lifted."""

from __future__ import annotations

import pytest

from tests.summarize.dialogues import held


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
