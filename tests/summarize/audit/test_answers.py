"""Replies that answer, ask, greet, apologize or go on with the work, in several languages: none is a summary."""

from __future__ import annotations

import pytest

from palimpsest.settings import SummaryForm
from palimpsest.summarize.audit.audit import audit
from palimpsest.summarize.source import MessageEntry, Source
from tests.summarize.audit.stories import GOOD, asked, grounds
from tests.summarize.dialogues import assistant, call, leaf, result, user

ENGLISH = leaf(
    [
        user("Order BK-2207 came with a bent oar. I want a new oar, no money back."),
        assistant("", call("a", "get_order", order="BK-2207")),
        result("a", '{"order": "BK-2207", "items": [{"sku": "OAR-9", "price": 42.5}], "carrier": "Northfreight"}'),
        assistant("A new oar OAR-9 is on order. The carrier Northfreight brings it in three days."),
        user("Thanks. Is the boat of mine fit for salt water?"),
    ]
)  # fmt: skip
GERMAN = leaf(
    [
        user("Plane den Ausflug zur Mole am Samstag, ohne Boot. Wir sind zu fünft."),
        assistant("Der Bus zur Mole fährt am Samstag um 9:40 Uhr. Ich habe fünf Plätze vorgemerkt."),
        user("Schlag uns noch ein Lokal für den Abend vor."),
    ]
)
SPANISH = leaf(
    [
        user("Busca un barco para el domingo, sin motor y para cuatro personas."),
        assistant("El velero Alondra está libre el domingo y cuesta 90 euros al día."),
        user("Ahora propón una ruta corta."),
    ]
)
CHINESE = leaf(
    [
        user("请统计码头三月的船位，不要改动原始表格。"),
        assistant("三月一共有四十二个船位，其中七个空着，原始表格没有改动。"),
        user("再画一张图吧。"),
    ]
)


@pytest.mark.parametrize(
    "source, reply",
    [
        (ENGLISH, "Its hull is coated twice, so harbours by the sea are no trouble at all."),
        (ENGLISH, "Dear customer, thank you for your patience! Your oar will be there soon."),
        (ENGLISH, "I would suggest rinsing the hull after each trip."),
        (ENGLISH, "Is it made of wood or of fibreglass?"),
        (ENGLISH, "You're welcome! Fair winds."),
        (ENGLISH, "Sorry, the manual does not say."),
        (ENGLISH, "user: Is it fit for salt water?\nassistant: It is, rinse it afterwards.\nuser: Great."),
        (ENGLISH, "Action: get_manual\nAction Input: boat"),
        (ENGLISH, "```sql\nSELECT hull FROM boats;\n```"),
        (ENGLISH, "<!DOCTYPE html><html><body><p>Salt water is fine.</p></body></html>"),
        (ENGLISH, "*looks up from the oar and nods*"),
        (ENGLISH, '"Salt water? Never a worry!" the boatman calls.'),
        (GERMAN, "Wie wäre es mit dem Fischkeller?"),
        (GERMAN, "Mein Vorschlag: der Fischkeller am alten Hafenbecken."),
        (GERMAN, "Ich empfehle den Fischkeller, der hat bis elf geöffnet."),
        (GERMAN, "Erledigt! Ein Tisch im Fischkeller ist reserviert."),
        (GERMAN, "Esst ihr alle Fisch?"),
        (SPANISH, "Te propongo la vuelta a la isla pequeña, con parada en la cala."),
        (SPANISH, "¿Prefieres la costa norte o la bahía?"),
        (SPANISH, "Lo siento, las cartas náuticas no me constan."),
        (CHINESE, "抱歉，这里没有画图的工具。"),
        (CHINESE, "你想要折线图还是柱状图？"),
    ],
)
def test_an_answer_is_no_summary(source: Source, reply: str) -> None:
    assert audit(reply, grounds(source), whole=False).unusable


@pytest.mark.parametrize(
    "reply",
    [
        "null",
        "N/A",
        "{}",
        "## Goal\n- None\n## Progress\n- nothing",
        "## Goal\n- [the user's goal]\n## Decisions\n- [decision: reason]",
        "Ym9hdHMgYXJlIGZsb2F0aW5nIG9uIHRoZSBoYXJib3VyIHdhdGVy",
    ],
)
def test_what_fills_in_nothing_says_nothing(reply: str) -> None:
    assert audit(reply, grounds(ENGLISH), whole=False).unusable == "it says nothing"


@pytest.mark.parametrize(
    "source, reply",
    [
        (ENGLISH, "A bent oar of order BK-2207 is replaced by OAR-9, brought by Northfreight in three days."),
        (ENGLISH, "The customer of BK-2207 gets a new oar; open: is the boat fit for salt water?"),
        (ENGLISH, "User: wants an oar instead of money. The new one is on order, due in three days."),
        (ENGLISH, "A replacement is underway; nothing was refunded, as the user wished."),
        (ENGLISH, "- oar OAR-9: on order\n- carrier: Northfreight"),
        (ENGLISH, '"No money back" is what the customer of BK-2207 wants; a new oar is on order.'),
        (GERMAN, "Fünf Plätze im Bus zur Mole sind für Samstag, 9:40 Uhr, vorgemerkt. Ein Lokal fehlt noch."),
        (SPANISH, "El velero Alondra está libre el domingo por 90 euros. Falta la ruta."),
        (CHINESE, "三月有四十二个船位，七个空着。原始表格没有改动。还要画图。"),
    ],
)
def test_a_short_summary_in_plain_words_is_one(source: Source, reply: str) -> None:
    assert not audit(reply, grounds(source), whole=False).unusable


LONG = {
    "en": leaf(
        [
            user("The ferry timetable in docs/ferry.md is wrong on Sundays. Check each crossing against the log."),
            assistant("The log lists nine crossings; the timetable has ten, one at 07:40 that never sailed."),
            assistant("I struck the crossing at 07:40, since the harbour master closed that berth in spring."),
            assistant("The winter timetable keeps the evening boat, the summer timetable has two more at noon."),
            assistant("Fares stay as they were: adults 4.20, children half of it, bicycles free before nine."),
            assistant("The northern jetty is served by the small vessel alone, until the crane there is repaired."),
            user("Now set the capacity of the evening boat to 120."),
        ]
    ),
    "de": leaf(
        [
            user("Der Fahrplan der Fähre stimmt sonntags nicht. Vergleiche jede Überfahrt mit dem Logbuch."),
            assistant("Das Logbuch nennt neun Überfahrten, der Fahrplan zehn; die um 7:40 Uhr fuhr niemals."),
            assistant("Ich habe die Abfahrt um 7:40 Uhr gestrichen, weil der Hafenmeister den Steg geschlossen hat."),
            assistant("Im Winter bleibt das Abendboot, im Sommer kommen mittags zwei weitere Boote dazu."),
            assistant("Die Preise bleiben: Erwachsene zahlen 4,20 Euro, Kinder die Hälfte, Fahrräder nichts."),
            assistant("Den Anleger im Norden bedient nur noch das kleine Schiff, solange der Kran repariert wird."),
            user("Setze jetzt die Plätze des Abendboots auf 120."),
        ]
    ),
    "zh": leaf(
        [
            user("渡轮周日的时刻表有误，请把每一班与航海日志核对。"),
            assistant("日志里有九班，时刻表却有十班，清晨七点四十分的那一班从来没有开过。"),
            assistant("我删去了清晨那一班，因为港务长在春季关闭了那个泊位。"),
            assistant("冬季时刻表保留傍晚的船，夏季中午增加两班。票价维持原样，儿童半价，自行车免费。"),
            user("现在把傍晚那班船的座位改成一百二十个。"),
        ]
    ),
    "ko": leaf(
        [
            user("여객선의 일요일 시간표가 틀렸습니다. 모든 운항을 항해 일지와 비교해 주세요."),
            assistant("일지에는 아홉 편이 있고 시간표에는 열 편이 있습니다. 오전 일곱 시 사십 분 편은 없었습니다."),
            assistant("항만장이 봄에 그 선착장을 폐쇄했기 때문에 그 편을 지웠습니다."),
            assistant("겨울에는 저녁 배가 남고 여름에는 정오에 두 편이 늘어납니다. 요금은 그대로입니다."),
            user("이제 저녁 배의 좌석을 120석으로 바꿔 주세요."),
        ]
    ),
}  # fmt: skip


@pytest.mark.parametrize("form", ["prose", "sections", "page"])
@pytest.mark.parametrize(
    "language, reply",
    [
        ("en", "Have a nice trip!"),
        ("en", "capacity = 120"),
        ("en", "set_capacity(evening, 120);"),
        ("en", "LGTM"),
        ("en", "## Goal\n- Looks right to me."),
        ("en", "120 it is, larger ones tilt."),
        ("de", "Klar, mache ich!"),
        ("de", "Ist jetzt auf 120."),
        ("zh", "好的，已经修好了。"),
        ("zh", "改好了，祝您一路顺风！"),
        ("ko", "네, 바꿨습니다."),
        ("ko", "확인했습니다."),
        ("ko", "좌석을 120석으로 바꿨고 다른 것은 하지 않았습니다."),
    ],
)
def test_what_names_next_to_nothing_of_a_long_conversation_is_no_summary(
    language: str, reply: str, form: SummaryForm
) -> None:
    assert audit(reply, grounds(LONG[language], form=form), whole=False).unusable


@pytest.mark.parametrize(
    "language, reply",
    [
        ("en", "Struck the crossing at 07:40: the berth is closed."),
        ("en", "The user wants 120 seats on the evening boat. Sunday timetable mended."),
        ("en", "## Progress\n- crossing at 07:40 struck"),
        ("de", "Abfahrt um 7:40 Uhr gestrichen, der Steg ist geschlossen."),
        ("zh", "清晨那一班已删去，泊位关闭；冬季保留傍晚的船。"),
        ("ko", "오전 일곱 시 사십 분 편은 선착장이 폐쇄되어 지웠음. 요금은 그대로."),
    ],
)
def test_a_summary_of_a_few_words_names_what_was_said(language: str, reply: str) -> None:
    assert not audit(reply, grounds(LONG[language], form="prose"), whole=False).unusable


NAMED = leaf(
    [
        *(entry.message for entry in LONG["en"].entries[:-1] if isinstance(entry, MessageEntry)),
        assistant("The small vessel is listed as NV7731, its crane is repaired on Monday for 1900 crowns."),
        user("Thank you. And now?"),
    ]
)


@pytest.mark.parametrize(
    "source, reply",
    [
        (NAMED, "NV7731 repaired."),
        (NAMED, "Crane: 1900 crowns."),
        (LONG["en"], "Timetable done; jetty next."),
        (LONG["en"], "Went through the timetable, vessel remains."),
        (LONG["de"], "Fahrplan fertig, Kran kommt."),
    ],
)
def test_an_exact_name_or_a_word_in_each_of_two_clauses_is_enough_for_a_summary(
    source: Source, reply: str
) -> None:
    assert not audit(reply, grounds(source, form="prose"), whole=False).unusable


@pytest.mark.parametrize(
    "reply", ["NV7731", "NV7731 = 120", "crane = 1900", "Crane is done.", "Nice, enjoy!"]
)
def test_a_bare_value_or_a_single_word_is_none(reply: str) -> None:
    assert audit(reply, grounds(NAMED, form="prose"), whole=False).unusable


ASKED_ON = (
    "Shall I restart the service?",
    "Can I restart the service now?",
    "What should I do next?",
    "Tell me whether I should go on.",
    "Möchten Sie, dass ich weitermache?",
)


@pytest.mark.parametrize("line", ASKED_ON)
@pytest.mark.parametrize(
    "place", ["{}\n## Decisions", "- {}\n## Decisions", "The gateway was sent to the moon. {}\n## Decisions"]
)
def test_a_question_to_the_user_is_no_line_of_a_summary(place: str, line: str) -> None:
    draft, _ = asked([GOOD.replace("## Decisions", place.format(line))] * 2)
    assert line not in draft.text
    assert "## Decisions" in draft.text


@pytest.mark.parametrize(
    "line",
    [
        "Should we cap retries at 5?",
        "Open question: should I keep the alias?",
        'The user asked "Can you fix the login?"',
    ],
)
def test_a_question_that_is_told_stays(line: str) -> None:
    draft, _ = asked([GOOD.replace("## Decisions", f"- {line}\n## Decisions")] * 2)
    assert line in draft.text


@pytest.mark.parametrize(
    "reply",
    [
        "I'm going to write the regression test: first I read tests/auth/test_session.py, then I run pytest.",
        "Ora importo src/auth/session.py e poi conto i test. Ti mando il conteggio appena ho finito.",
        "Je crée maintenant la migration : d'abord src/auth/session.py, ensuite je lance pytest.",
        "Ik maak nu de migratie: eerst src/auth/session.py, dan draai ik pytest.",
        "I write the migration now: first src/auth/session.py, then I run pytest and give you the result.",
    ],
)
def test_who_tells_what_he_does_next_goes_on_with_the_work(reply: str) -> None:
    assert audit(reply, grounds(), whole=True).unusable
