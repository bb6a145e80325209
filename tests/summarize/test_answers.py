"""Replies that answer, ask, greet, apologize or go on with the work, in several languages: none is a summary."""

from __future__ import annotations

import pytest

from palimpsest.summarize.audit.audit import audit
from palimpsest.summarize.source import Source
from tests.summarize.dialogues import assistant, call, leaf, result, user
from tests.summarize.test_audit import grounds

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
