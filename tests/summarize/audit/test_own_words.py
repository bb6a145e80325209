"""Rules of the user's in a summary's own words stay; the same rules turned round go. In several languages."""

from __future__ import annotations

import pytest

from palimpsest.summarize.audit.audit import audit
from palimpsest.summarize.spoken.cues import rule_weight
from tests.summarize.audit.stories import grounds
from tests.summarize.dialogues import assistant, call, leaf, result, user

KEPT = {
    "Never touch the database schema.": [
        "Leave the database schema untouched",
        "The database schema is off limits",
        "Keep the database schema unchanged",
        "Database schema must stay as it is",
        "Hands off the database schema",
        "Refrain from changing the database schema",
        "The database schema is frozen",
        "Changes to the database schema are forbidden",
        "Database schema: read-only",
    ],
    "Don't push to main without asking me.": [
        "Ask before pushing to main",
        "Pushing to main requires the user's OK",
        "Pushes to main only after asking the user",
    ],
    "Do not use mocks in the tests.": [
        "Tests should be free of mocks",
        "Tests use real objects instead of mocks",
        "Avoid mocks in tests",
        "Mocks in tests are banned",
    ],
    "Always use tabs for indentation.": [
        "Indentation: tabs",
        "Tabs for indentation, not spaces",
        "Indent with tabs",
        "Never indent with spaces; tabs for indentation",
    ],
    "Run the linter before every commit.": [
        "Lint before each commit",
        "No commit without running the linter first",
        "Every commit must be preceded by the linter",
        "The linter runs before every commit; never commit unlinted code",
    ],
    "Keep the public API backwards compatible.": [
        "Do not break the public API",
        "No breaking changes in the public API",
        "The public API must not change incompatibly; keep it backwards compatible",
    ],
    "Only edit files in src/.": [
        "Do not edit files outside src/",
        "Edits limited to src/",
        "Nothing outside of src/ may be edited",
    ],
    "Please answer in German.": [
        "Replies in German",
        "Speak German with the user",
    ],
    "Fass bitte die Datei config/live.yml nicht an.": [
        "config/live.yml bleibt unverändert",
        "Finger weg von config/live.yml",
        "config/live.yml ist tabu",
    ],
    "Die Tests müssen ohne Netz laufen.": [
        "Tests laufen offline",
        "Kein Netzzugriff in den Tests",
        "Die Tests brauchen kein Netz",
    ],
    "N'utilise jamais de tabulations dans le code.": [
        "Espaces au lieu de tabulations dans le code",
        "Tabulations interdites dans le code",
        "Indentation du code avec des espaces",
    ],
    "No borres nunca los datos de producción.": [
        "Los datos de producción son intocables",
        "Prohibido borrar los datos de producción",
        "Conservar siempre los datos de producción",
    ],
    "绝不要修改数据库结构。": [
        "数据库结构保持不变",
        "禁止改动数据库结构",
        "数据库结构只读",
    ],
    "本番のデータベースには触らないでください。": [
        "本番のデータベースは変更禁止",
        "本番データベースには手を加えない",
        "本番のデータベースはそのままにする",
    ],
    "Не трогай схему базы данных.": [
        "Схему базы данных оставить без изменений",
        "Схема базы данных неприкосновенна",
        "Изменять схему базы данных запрещено",
    ],
    "데이터베이스 스키마를 절대 건드리지 마.": [
        "데이터베이스 스키마는 그대로 유지",
        "데이터베이스 스키마 변경 금지",
    ],
    "Non toccare mai lo schema del database.": [
        "Lo schema del database resta invariato",
        "Vietato modificare lo schema del database",
    ],
    "Veritabanı şemasına asla dokunma.": [
        "Veritabanı şeması olduğu gibi kalmalı",
        "Veritabanı şemasını değiştirmek yasak",
    ],
    "Nigdy nie zmieniaj schematu bazy danych.": [
        "Schemat bazy danych pozostaje bez zmian",
        "Zakaz zmiany schematu bazy danych",
    ],
    "Não mexa no esquema do banco de dados.": [
        "O esquema do banco de dados fica intacto",
        "Proibido alterar o esquema do banco de dados",
    ],
}
TURNED = {
    "Never touch the database schema.": [
        "Change the database schema as needed",
        "The user allows touching the database schema",
        "Update the database schema",
    ],
    "Don't push to main without asking me.": [
        "Push to main freely",
        "Push to main at once",
    ],
    "Do not use mocks in the tests.": [
        "Use mocks in the tests",
        "Tests should use mocks",
    ],
    "Always use tabs for indentation.": [
        "Never use tabs for indentation",
        "Avoid tabs for indentation",
    ],
    "Only edit files in src/.": [
        "Never edit files in src/",
    ],
    "Fass bitte die Datei config/live.yml nicht an.": [
        "config/live.yml anpassen",
        "Bitte die Datei config/live.yml ändern",
    ],
    "绝不要修改数据库结构。": [
        "可以修改数据库结构",
        "修改数据库结构",
    ],
    "Не трогай схему базы данных.": [
        "Изменить схему базы данных",
        "Можно трогать схему базы данных",
    ],
    "Não mexa no esquema do banco de dados.": [
        "Alterar o esquema do banco de dados",
    ],
    "Nigdy nie zmieniaj schematu bazy danych.": [
        "Zmień schemat bazy danych",
    ],
    "Veritabanı şemasına asla dokunma.": [
        "Veritabanı şemasını değiştir",
    ],
    "No borres nunca los datos de producción.": [
        "Borrar los datos de producción",
    ],
    "N'utilise jamais de tabulations dans le code.": [
        "Utiliser des tabulations dans le code",
    ],
    "Non toccare mai lo schema del database.": [
        "Modificare lo schema del database",
    ],
}
REPORTS = [
    "No funciona el puerto.",
    "Es geht nicht.",
    "Не работает.",
    "Nie działa.",
    "Non funziona niente da ieri.",
    "Please go ahead with the update.",
    "Let's proceed with this option.",
    "No issues here, looks good.",
    "No changes are needed.",
    "USA prices are higher than in Europe.",
    "Solo travellers pay more.",
    "Things break on every deploy.",
    "A new version came out today with fixes for each platform.",
    "The ticket I found has the wrong name.",
    "Thank you for your time.",
    "Yes, please.",
]


def found(rule: str, line: str) -> tuple[str, ...]:
    """What is not asked for of a summary that says a rule in this line."""
    source = leaf(
        [
            user(f"Work on the tide importer in src/tides/feed.py. {rule}"),
            assistant("I read the feed.", call("a", "Read", file_path="src/tides/feed.py")),
            result("a", "def feed(): ...\n" * 5),
            assistant("The feed has one function."),
            user("Go on with it."),
        ]
    )
    text = (
        f"## Goal\n- Work on the tide importer\n## Constraints & preferences\n- {line}\n## Progress\n"
        "- Read src/tides/feed.py; one function\n## Pending user request\nGo on with it."
    )
    return audit(text, grounds(source)).unfounded


@pytest.mark.parametrize("rule, line", [(rule, line) for rule, lines in KEPT.items() for line in lines])
def test_a_rule_in_other_words_is_what_the_user_said(rule: str, line: str) -> None:
    assert found(rule, line) == ()


@pytest.mark.parametrize("rule, line", [(rule, line) for rule, lines in TURNED.items() for line in lines])
def test_a_rule_turned_round_is_not_what_the_user_said(rule: str, line: str) -> None:
    assert found(rule, line) == (f"- {line}",)


@pytest.mark.parametrize("rule", sorted({*KEPT, *TURNED}))
def test_an_order_is_a_rule_in_each_language(rule: str) -> None:
    assert rule_weight(rule) >= 0.5


@pytest.mark.parametrize("said", REPORTS)
def test_a_report_and_a_word_to_go_on_are_no_rules(said: str) -> None:
    assert rule_weight(said) < 0.5
