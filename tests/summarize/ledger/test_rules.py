"""The user's rules: of two that contradict each other the newest counts, and no other is lost."""

from __future__ import annotations

import pytest

from palimpsest.summarize.ledger.entries import Ledger
from palimpsest.summarize.ledger.reading import update
from palimpsest.summarize.ledger.rules import takes_back
from palimpsest.summarize.sections import parse
from palimpsest.summarize.spoken.cues import rule_weight
from tests.summarize.audit.stories import asked, grounds
from tests.summarize.dialogues import assistant, condense, extracted, heard, held, holds, leaf, user


def rules_of(*said: str) -> list[str]:
    ledger = heard("Make the ferry board show tides.", *said)
    return [entry.text for entry in ledger.of("rule").values()]


@pytest.mark.parametrize(
    "old, new",
    [
        ("Use tabs for indentation.", "No, use spaces for indentation after all."),
        ("use tabs", "no, use spaces"),
        ("Do not use tabs.", "No, use tabs after all."),
        ("Always deploy from the main branch.", "From now on always deploy from the release branch."),
        ("Never push to the main branch.", "Actually, you must push to the main branch."),
        ("Die Tests müssen vor dem Commit laufen.", "Nein, die Tests müssen erst nach dem Commit laufen."),
        ("必须使用制表符缩进。", "不，必须使用空格缩进。"),
        ("不要删除 data/ports.csv。", "不对，可以删除 data/ports.csv 了。"),
        ("Don't push to main without a review.", "Actually you may push to main without a review."),
        (
            "Name boats in capitals, not italics, in the list.",
            "Actually, name boats in italics in the list after all.",
        ),
        ("Let's not sort the boats.", "I changed my mind: you can sort the boats."),
    ],
)
def test_a_rule_that_is_taken_back_gives_way_to_the_newest(old: str, new: str) -> None:
    assert rules_of("Never edit data/ports.csv.", old, new) == ["Never edit data/ports.csv.", new]


@pytest.mark.parametrize(
    "first, second",
    [
        ("Always run the tests before a commit.", "Also always run the linter before a commit."),
        ("Never edit data/ports.csv.", "No, never guess a departure."),
        ("Use sqlite for the store.", "Use httpx for requests."),
        ("Never edit data/ports.csv.", "Actually, always write dates as ISO."),
        ("Always run the tests for streaming.", "No tests for streaming functions without a limit."),
        (
            "Never import into the harbour of record.",
            "Actually, import into the harbour of tests from now on.",
        ),
        ("Never delete tides in /srv/a.", "Actually, you can delete tides in /srv/b now."),
        ("Never delete tides in /srv/a.", "No, never delete tides in /srv/c."),
        (
            "Never restart the mail server.",
            "Please restart the web server instead, and do not stop the clock.",
        ),
        ("Never edit data/ports.csv.", "No, you must read data/ports.csv first."),
    ],
)
def test_rules_that_do_not_contradict_each_other_stay_in_their_order(first: str, second: str) -> None:
    assert rules_of(first, second) == [first, second]


def test_a_rule_is_taken_back_across_others_where_that_is_said_twice() -> None:
    new = "No, use spaces for indentation after all."
    said = ("Use tabs for indentation.", "Prefer httpx over requests.", new)
    assert rules_of(*said) == ["Prefer httpx over requests.", new]


def test_what_counts_from_now_on_is_a_rule_in_chinese() -> None:
    assert rules_of("另外，以后所有日期都用 ISO 8601 格式。") == ["另外，以后所有日期都用 ISO 8601 格式。"]


def test_what_lifts_a_rule_that_forbids_without_a_no_stands_behind_it() -> None:
    first, second = "Pier 4 is let, so stay away from it.", "Pier 4 is free again, so you can use it now."
    assert sorted(held(first, second)) == sorted([first, second])


def test_a_rule_that_is_said_again_is_one_rule() -> None:
    assert rules_of("Never edit data/ports.csv.", "Just to repeat: Never edit data/ports.csv.") == [
        "Never edit data/ports.csv."
    ]


@pytest.mark.parametrize(
    "said",
    [
        "Please go through list 4711 next and tell me what is odd.",
        "Please walk me through this part.",
        "次は七番の桟橋を見て、様子を教えてください。",
        "Bitte geh jetzt die Liste durch.",
    ],
)
def test_what_is_asked_for_once_is_no_rule_however_politely(said: str) -> None:
    assert rule_weight(said) < 0.5


def test_a_changed_mind_that_demands_what_a_rule_named_for_contrast_takes_it_back() -> None:
    first, other = "Prefer pnpm, not yarn, for the board.", "Never touch dock anna."
    second = "Actually use yarn for the board."
    assert rules_of(first, other, second) == [other, second]


@pytest.mark.parametrize(
    "said",
    [
        "That must have been the cache.",
        "This must be a race between the two feeds.",
        "It should be faster now.",
        "You should see the harbour on the map.",
        "Only the first tide fails.",
        "Stop, wrong pier.",
        "Please fix the board of pier 3, it is empty when a boat is late.",
    ],
)
def test_a_guess_a_report_and_what_is_to_be_mended_are_no_rules(said: str) -> None:
    assert rule_weight(said) < 0.5


@pytest.mark.parametrize(
    "said",
    [
        "Stop using abbreviations for the piers.",
        "Every board should show the next boat.",
    ],
)
def test_what_holds_each_time_is_a_rule_though_it_is_put_alike(said: str) -> None:
    assert holds(said)


def test_rules_stand_in_the_order_in_which_they_were_said() -> None:
    said = [f"Never touch dock {name}." for name in ("anna", "berta", "carla", "dora", "emma")]
    assert rules_of(*said) == said


def test_a_rule_that_is_the_last_request_of_its_part_is_a_rule_in_the_next_summary() -> None:
    told = [
        user("Make the board show tides."),
        assistant("I look at it now."),
        user("Never edit data/ports.csv."),
    ]
    first = extracted(leaf(told)).text
    later = extracted(
        leaf([user("Show colours too."), assistant("I add the colours now."), user("Go on.")])
    ).text
    assert "Never edit data/ports.csv." in parse(extracted(condense(first, later)).text)["Constraints"]
    assert "Never edit data/ports.csv." in grounds(leaf(told)).facts["Constraints"]


def test_a_model_does_not_bring_back_what_the_user_took_back() -> None:
    told = leaf(
        [
            user("Make the board show tides. Use tabs for indentation."),
            assistant("I indent the board with tabs."),
            user("No, use spaces for indentation after all."),
            assistant("I indent the board with spaces."),
            user("Go on with the board."),
        ]
    )
    reply = "## Goal\n- Make the board show tides\n## Constraints & preferences\n- {}\n## Progress\n- board indented"
    old, new = (reply.format(f"Use {what} for indentation") for what in ("tabs", "spaces"))
    assert "tabs" not in asked([old, old], grounds(told))[0].text.partition("## Progress")[0]
    assert asked([new], grounds(told))[0].text.startswith(new.partition("## Progress")[0])


def test_a_request_that_begins_a_conversation_holds_the_rule_behind_it() -> None:
    ledger = heard("Please show the tides on the board. Never edit data/ports.csv.")
    assert [one.text for one in ledger.of("rule").values()] == ["Never edit data/ports.csv."]


def test_what_has_every_word_of_a_rule_is_not_taken_back_by_it() -> None:
    rule = "No, use spaces for indentation after all."
    assert not takes_back(rule, "Use spaces for indentation (changed from tabs).", next_to=True)
    assert takes_back(rule, "Use tabs for indentation.", next_to=True)


ALLOWED = [
    ("Use tabs for indentation.", "No, use spaces for indentation after all."),
    ("Verwende Tabs zum Einrücken.", "Nein, verwende doch Leerzeichen zum Einrücken."),
    ("Utilise des tabulations pour l'indentation.", "Finalement, utilise des espaces pour l'indentation."),
    ("Ne touche pas au schéma de la base.", "Tu peux maintenant toucher au schéma de la base."),
    ("Usa tabuladores para la indentación.", "Mejor usa espacios para la indentación."),
    ("Use tabs na indentação, por favor.", "Pensando bem, use espaços na indentação."),
    ("Usa le tabulazioni per i rientri.", "Anzi, usa gli spazi per i rientri."),
    ("Non toccare lo schema del database.", "Ora puoi toccare lo schema del database."),
    ("Используй табы для отступов.", "Нет, лучше используй пробелы для отступов."),
    ("Не трогай схему базы.", "Теперь можно трогать схему базы."),
    ("不要修改数据库结构。", "现在可以修改数据库结构了。"),
    ("信里绝不能写价格。", "从现在起信里可以写价格了。"),
    ("インデントにはタブを使ってください。", "やっぱりインデントにはスペースを使ってください。"),
    ("들여쓰기는 탭을 사용해 주세요.", "아니, 들여쓰기는 공백을 사용해 주세요."),
    ("Girinti için sekme kullan lütfen.", "Hayır, girinti için boşluk kullan."),
    ("Do wcięć używaj zawsze tabulatorów.", "Jednak do wcięć używaj spacji."),
    ("استخدم المسافات للإزاحة دائما.", "لا، استخدم علامات الجدولة للإزاحة بدلا من ذلك."),
    ("हमेशा टैब का इस्तेमाल करें।", "नहीं, अब से स्पेस का इस्तेमाल करें।"),
    ("Never push to main.", "You can push to main now."),
    ("Do not use Docker.", "I changed my mind about Docker: you can use it."),
    ("Don't edit the tests.", "Editing the tests is fine now."),
    ("Never deploy on Fridays.", "Forget the rule about Fridays, deploying on Fridays is OK."),
    ("Nie ruszaj bazy danych.", "Teraz możesz już ruszać bazę danych."),
    ("Não mexa no esquema do banco.", "Agora você pode mexer no esquema do banco."),
    ("데이터베이스는 절대 건드리지 마세요.", "이제 데이터베이스를 건드려도 됩니다."),
    ("データベースには触らないでください。", "もうデータベースに触ってもいいです。"),
]
UNCLEAR = [
    ("لا تلمس قاعدة البيانات.", "يمكنك الآن لمس قاعدة البيانات."),
    ("No toques el esquema de la base.", "Ahora sí puedes tocar el esquema de la base."),
    ("Fass die Datenbank nicht an.", "Du darfst die Datenbank jetzt doch anfassen."),
    ("Veritabanına asla dokunma.", "Artık veritabanına dokunabilirsin."),
    ("Answer in English only, always.", "From now on answer in French."),
    ("Use tabs for indentation.", "Use double quotes for strings."),
    ("Verwende Tabs zum Einrücken.", "Verwende auch in den Tests Tabs."),
    ("No toques el esquema de la base.", "No toques tampoco los datos de la base."),
    ("Не трогай схему базы.", "И не трогай миграции базы."),
    ("不要修改数据库结构。", "也不要修改数据库的索引。"),
    ("Never push to main.", "Never push to release either."),
    ("Non toccare lo schema del database.", "Non toccare nemmeno gli indici del database."),
    ("Never edit the tests.", "You can edit the tests in tests/unit now."),
    ("Never push to main.", "You can push to main only on Mondays."),
]


@pytest.mark.parametrize("old, new", ALLOWED)
def test_what_allows_or_replaces_a_rule_takes_its_place_in_each_language(old: str, new: str) -> None:
    assert rules_of(old, new) == [new]


@pytest.mark.parametrize("first, second", UNCLEAR)
def test_what_allows_less_or_something_beside_stands_behind_the_rule(first: str, second: str) -> None:
    assert rules_of(first, second) == [first, second]


@pytest.mark.parametrize(
    "old, new",
    [
        ("所有日志必须用 slog。", "另外，日志改用 zap，不用 slog 了。"),
        ("Max 120 chars per line.", "Forget the 120 chars per line limit."),
        (
            "Don't touch quay/wire, it's frozen until the audit.",
            "Actually you can touch quay/wire now, the audit is done.",
        ),
        ("Never push to main.", "You can push to main now, the others are fine with it."),
    ],
)
def test_what_gives_a_reason_or_names_the_rule_takes_it_back(old: str, new: str) -> None:
    assert rules_of(old, new) == [new]


@pytest.mark.parametrize(
    "old, new",
    [
        ("Never push to main.", "You can push tags now, the main branch stays closed."),
        ("Never deploy on Fridays.", "Forget the deploy, run the tests."),
        ("所有接口必须加鉴权。", "接口文档改用英文。"),
    ],
)
def test_what_is_about_something_else_takes_no_rule_back(old: str, new: str) -> None:
    assert old in rules_of(old, new)


@pytest.mark.parametrize("said", ["You can see the tests on the main page.", "Can you push to main now?"])
def test_what_allows_nothing_that_a_rule_forbids_is_no_rule(said: str) -> None:
    assert rules_of("Never push to main.", said) == ["Never push to main."]


def test_a_word_that_begins_and_ends_by_changing_a_rule_may_be_short() -> None:
    allowing = "On second thought, Pillow is fine after all."
    assert rules_of("No Pillow please, I don't want dependencies.", allowing) == [allowing]
    assert rules_of("No Pillow please, I don't want dependencies.", "Pillow is a fine library.") == [
        "No Pillow please, I don't want dependencies."
    ]


def test_a_cue_is_one_in_capitals_and_with_dots_where_its_language_has_none() -> None:
    said = (
        "SAKIN ona dokunma",
        "sakın ona dokunma",
        "sakin ona dokunma",
        "NEVER push to main",
        "Niemals löschen",
    )
    assert all(rule_weight(one) >= 0.5 for one in said)


@pytest.mark.parametrize(
    "old, new",
    [
        ("Use yarn for everything.", "we moved to pnpm last week, so pnpm not yarn"),
        ("Benutze immer yarn.", "Wir nehmen jetzt pnpm statt yarn."),
        ("Always run the tests with tox.", "Skip tox from now on, plain pytest is enough."),
        ("Commit after every step.", "stop committing after every step"),
        ("Always run the tests with `npm test`.", "tests: use `pnpm vitest run` instead of `npm test`"),
        ("Never push to main.", "The push ban is lifted."),
        ("Max 120 chars per line.", "forget the line length rule, the formatter handles it."),
        ("Schreib keine Kommentare.", "Kommentare sind doch okay."),
        ("所有日志必须用 slog。", "日志改用 zap。"),
        ("コミットしないでください。", "もうコミットしていいです。"),
    ],
)
def test_what_is_said_to_be_replaced_or_lifted_by_name_holds_no_longer(old: str, new: str) -> None:
    assert rules_of("Use tabs for indentation.", old, new) == ["Use tabs for indentation.", new]


@pytest.mark.parametrize(
    "old, new",
    [
        ("Comments in German.", "Answer in English, not German."),
        ("Use spaces in Python.", "In Makefiles use tabs instead of spaces."),
        ("Use spaces in Python files.", "In YAML files use tabs instead of spaces."),
        ("Use yarn in packages/web and npm in packages/api.", "Stop using npm in packages/web."),
        ("Run the linter before each commit.", "Stop committing after every step."),
        ("所有日志必须写到 stderr。", "日志改用 zap。"),
        ("Always push before lunch.", "Stop pushing to release after lunch."),
    ],
)
def test_what_is_replaced_elsewhere_stays_where_it_was_asked_for(old: str, new: str) -> None:
    assert sorted(held(old, new)) == sorted([old, new])


def test_where_several_rules_may_be_meant_none_is_lifted() -> None:
    rules = ("Never push to main.", "Never push on Fridays.")
    assert rules_of(*rules, "The push ban is lifted.") == list(rules)


@pytest.mark.parametrize("said", ["Why do we use pnpm instead of yarn?", "It does not."])
def test_a_question_replaces_nothing(said: str) -> None:
    assert rules_of("Use yarn for everything.", said) == ["Use yarn for everything."]


def test_what_is_allowed_in_part_stands_behind_what_forbids_it() -> None:
    said = ("No new dependencies.", "ok you may add httpx as a dependency")
    assert rules_of(*said) == list(said)


@pytest.mark.parametrize(
    "told, later",
    [
        ("Dogs travel free of charge.", "Dogs no longer travel free of charge, they pay half."),
        ("Schick den Lotsen nachts keine Mails.", "Du darfst den Lotsen jetzt doch nachts Mails schicken."),
        ("Ticket numbers are written without dashes.", "Actually, ticket numbers are written with dashes."),
    ],
)
def test_what_was_only_told_is_taken_back_like_a_rule(told: str, later: str) -> None:
    ledger = Ledger()
    for seq, text in enumerate((told, "Keep the maps offline.", later, "Every page needs a title."), 1):
        update(ledger, user(text), seq)
    lines = [entry.text for kind in ("rule", "remark") for entry in ledger.of(kind).values()]
    assert later in lines
    assert told not in lines


def test_news_of_what_a_condition_is_about_stands_behind_it() -> None:
    told, news = "Port 9100 belongs to the tide gauge.", "Port 9100 is free now, the tide gauge moved."
    ledger = Ledger()
    for seq, text in enumerate((told, news, "The harbour looks busy now."), 1):
        update(ledger, user(text), seq)
    assert not ledger.of("remark")
    assert [entry.text for entry in ledger.of("rule").values()] == [told, news]
