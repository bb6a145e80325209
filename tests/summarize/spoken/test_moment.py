"""What only holds at the moment in which it is said, what is asked for once, what a program printed: no conditions."""

from __future__ import annotations

import pytest

from palimpsest.record.message import Message, Text
from palimpsest.summarize.ledger.entries import Ledger
from palimpsest.summarize.ledger.reading import update
from palimpsest.summarize.pasted import without_printed
from palimpsest.summarize.sections import parse
from palimpsest.summarize.spoken.cues import RULE_WEIGHT, rule_weight
from palimpsest.summarize.spoken.errands import asks_once, bids_once, plans
from palimpsest.summarize.spoken.moment import is_of_moment, regrets
from palimpsest.summarize.spoken.remarks import is_remark
from tests.summarize.dialogues import assistant, extracted, lasting, leaf, user

STANDING = [
    "The hives face the south wall.",
    "Queens are marked with a blue dot.",
    "Honey jars carry no plastic lids.",
    "Nobody opens the hives during a storm.",
    "If a hive was moved twice, its lid is red.",
    "Die Bienenstöcke stehen nach Süden.",
    "Honiggläser werden von Hand etikettiert.",
    "Les ruches restent du côté sud.",
    "Personne n'ouvre les ruches pendant l'orage.",
    "Las colmenas miran al sur.",
    "Los tarros se etiquetan a mano.",
    "Ульи стоят у южной стены.",
    "Банки подписываются от руки.",
    "蜂箱都朝南放。",
    "蜂蜜罐由手工贴标签。",
    "巣箱は南向きに置きます。",
    "瓶のラベルは手書きです。",
    "벌통은 남쪽을 봅니다.",
    "병에는 손으로 이름을 씁니다.",
    "الخلايا تواجه الجنوب.",
    "أسماء العسل تكتب بخط اليد.",
]
OF_MOMENT = [
    "The smoker went out in the middle of it.",
    "The scale sent two readings without a date.",
    "Three of the hives are empty since this morning.",
    "I understand the first half.",
    "Perhaps the queen is old.",
    "That lid looks odd.",
    "Der Imker hat die Waage gestern geholt.",
    "Heute sind zwei Stöcke leer.",
    "Ich weiß nicht, woher der Lärm kommt.",
    "Le voisin a appelé deux fois.",
    "C'est joli comme ça.",
    "Ayer llegaron dos cajas.",
    "No sé de dónde viene el ruido.",
    "Вчера приходил сосед.",
    "Наверное, матка старая.",
    "昨天来了两个人。",
    "我不知道声音从哪里来。",
    "昨日は箱が二つ届きました。",
    "たぶん女王が古いのでしょう。",
    "어제 이웃이 왔습니다.",
    "소리가 어디서 나는지 모르겠습니다.",
    "أمس جاء الجار.",
    "ربما الملكة عجوز.",
    "Such a lovely garden!",
    "The lid jams for some reason.",
    "The scale stops three times on its way.",
    "La verdad, el jardín es bonito.",
    "Really, honey is a joy.",
]
ONCE = [
    "Please mend it.",
    "Please count them in the shed.",
    "Next, please weigh jar 4413 and name what is odd.",
    "Als Nächstes bitte Glas 4413 wiegen.",
    "Please write a letter to the neighbour.",
    "Schreib bitte einen Brief an die Nachbarn.",
    "Bitte finde den Fehler.",
    "Répare-la, s'il te plaît.",
    "Arréglalo, por favor.",
    "请把标签印出来。",
    "ラベルを印刷してください。",
    "라벨을 인쇄해 주세요.",
]
LASTING = [
    "Please count the jars before every market.",
    "Please use the metric units.",
    "Please keep the tone plain.",
    "Bitte zähle die Gläser vor jedem Markt.",
    "Bitte nutze die metrischen Einheiten.",
    "ラベルは手書きにしてください。",
    "라벨은 손으로 써 주세요.",
    "所有标签都要手写。",
]


def noted(*texts: str) -> Ledger:
    ledger = Ledger()
    for seq, text in enumerate(texts, 1):
        update(ledger, Message("user", (Text(text),)), seq)
    return ledger


def rules_of(ledger: Ledger) -> list[str]:
    return [entry.text for entry in ledger.of("rule").values()]


@pytest.mark.parametrize("text", STANDING)
def test_what_can_be_understood_by_itself_at_any_time_may_be_a_standing_condition(text: str) -> None:
    assert not is_of_moment(text)
    assert is_remark(text) or rule_weight(text) >= RULE_WEIGHT


@pytest.mark.parametrize("text", OF_MOMENT)
def test_reports_guesses_feelings_and_what_points_to_a_day_are_none(text: str) -> None:
    assert is_of_moment(text)
    assert rule_weight(text) < RULE_WEIGHT
    assert not is_remark(text)


@pytest.mark.parametrize("text", ONCE)
def test_what_is_to_be_done_to_one_thing_at_hand_is_asked_for_once(text: str) -> None:
    assert asks_once(text)
    assert rule_weight(text) < RULE_WEIGHT
    assert not is_remark(text)


@pytest.mark.parametrize("text", LASTING)
def test_what_is_used_or_kept_or_done_every_time_is_asked_for_to_hold_on(text: str) -> None:
    assert not asks_once(text)
    assert rule_weight(text) >= RULE_WEIGHT


@pytest.mark.parametrize(
    "text",
    [
        "Füge der Liste eine Spalte für Gläser hinzu.",
        "Añade una columna a la lista.",
        "Ajoute une colonne à la liste.",
        "Добавь столбец в таблицу.",
        "在表格里加一列。",
        "أضف عمودا إلى الجدول.",
    ],
)
def test_work_without_a_please_is_no_condition(text: str) -> None:
    assert bids_once(text)
    assert not is_remark(text)


@pytest.mark.parametrize(
    "text, kept",
    [
        ("Let's take a break.", False),
        ("Let's give the jar a new lid.", False),
        ("I'd like to move three hives.", False),
        ("I need some help with the labels.", False),
        ("Let's not use plastic lids.", True),
        ("Let's keep the labels plain.", True),
        ("I want to check the hives before every storm.", True),
    ],
)
def test_proposals_and_intentions_are_rules_where_they_say_how_often_or_what_not(
    text: str, kept: bool
) -> None:
    assert plans(text) is (not kept and "Let's keep" not in text)
    assert (rule_weight(text) >= RULE_WEIGHT) is kept


@pytest.mark.parametrize(
    "text",
    [
        "My brother said we should never have bought that smoker.",
        "That must have been a hard winter.",
        "The baker thinks we never listen.",
        "Unser Nachbar sagt, wir geben immer zu viel aus.",
        "Wir hätten die Stöcke nie umstellen dürfen.",
        "Nunca debimos mover las colmenas.",
        "Не надо было переставлять ульи.",
        "あの箱は買うべきではなかった。",
    ],
)
def test_what_should_have_been_otherwise_is_no_rule(text: str) -> None:
    assert regrets(text)
    assert rule_weight(text) < RULE_WEIGHT


@pytest.mark.parametrize(
    "text", ["Теперь отвечай не больше чем тремя словами.", "Впредь пиши без сокращений."]
)
def test_what_is_to_be_from_now_on_is_a_rule_and_what_is_to_be_done_now_is_none(text: str) -> None:
    assert rule_weight(text) >= RULE_WEIGHT
    assert rule_weight("Теперь посмотри второй улей.") < RULE_WEIGHT


@pytest.mark.parametrize(
    "text", ["Every jar must have a label.", "Tests must have names.", "It must have a default."]
)
def test_what_must_have_something_is_a_rule(text: str) -> None:
    assert not regrets(text)
    assert rule_weight(text) >= RULE_WEIGHT


@pytest.mark.parametrize(
    "text",
    ["I'm always here for you.", "They always come late.", "It's always fun.", "I'll never forget it."],
)
def test_habits_and_feelings_are_no_rules(text: str) -> None:
    assert rule_weight(text) < RULE_WEIGHT


PRINTED = """2031-04-02 11:20:07 INFO hive.scale id=17 grams=4211 took=0.12s
warning: do not use the old probe probe_5; you must replace it
def weigh_4(row, *, must=True):  # always round down
  File "/srv/hive/weigh_4.py", line 41, in weigh_4
9f31c07ab2e4d651  data/jars_3.csv
+    db.execute('insert into jars values (3, 9)')"""


def test_what_a_program_printed_demands_nothing_wherever_it_is_pasted() -> None:
    said = "Never open hive 4."
    for text in (f"{said}\n\n{PRINTED}", f"{said}\n{PRINTED}", f"{PRINTED}\n{said}", f"{PRINTED}\n\n{said}"):
        assert rules_of(noted(text)) == [said]


def test_a_list_of_rules_about_code_was_typed() -> None:
    rules = "My rules:\n- Use `pnpm`, not `npm`.\n- Never touch `hive.yml`.\n- `src/old/` is read-only.\n- Run `make`."
    assert without_printed(rules) == (rules, "")


def test_reports_that_differ_in_their_numbers_are_no_conditions() -> None:
    report = "The list for hive {0} has {1} frames without a label."
    ledger = noted("Jars carry no plastic lids.", *(report.format(one, one + 40) for one in range(30)))
    rules, told = lasting(ledger)
    assert [*rules, *told] == ["Jars carry no plastic lids."]


def test_a_condition_that_is_said_twice_stays_one() -> None:
    ledger = noted("Jar 7 carries no plastic lid.", "jar 7 carries no plastic lid")
    assert [bool(entry.weight) for entry in ledger.of("remark").values()] == [True]


def test_a_summary_without_a_ledger_holds_rules_and_conditions_apart() -> None:
    told, rule = "The hives face the south wall.", "Never open hive 4."
    words = ("Plan the season.", "Yes.", told, "Fine.", rule, "Noted.", "Count them.", "9")
    talk = leaf([(user, assistant)[place % 2](text) for place, text in enumerate(words)])
    found = parse(extracted(talk).text)
    assert (found["Constraints"], found["Also said by the user"]) == ([rule], [told])


@pytest.mark.parametrize(
    "text, kept",
    [
        ("no drones over the hives!", True),
        ("Each queen gets a blue dot!!", True),
        ("what a lovely hive!", False),
        ("It buzzes so well!", False),
        ("The old scale still hangs.", False),
        ("Die Waage geht nicht.", False),
        ("The extractor never hangs over the jars.", True),
    ],
)
def test_a_call_is_a_condition_where_it_says_how_often_or_what_not(text: str, *, kept: bool) -> None:
    assert is_remark(text) is kept


@pytest.mark.parametrize(
    "text",
    [
        "Create the types for a TODO app.",
        "Build the whole list with all buttons working.",
        "Draw the plan in Inkscape.",
        "Measure the berths.",
        "polish a jar of ours",
    ],
)
def test_work_is_none_however_far_it_goes(text: str) -> None:
    assert not is_remark(text)


@pytest.mark.parametrize(
    "text",
    [
        "Please label the jars in capitals.",
        "Please wrap the frames in cloth.",
        "请把标签写成英文。",
        "日付をUTCで記録してください。",
        "라벨을 영어로 써 주세요.",
        "Every jar must have been weighed by two people.",
        "There must be no gaps.",
        "There must be a label on new jars.",
        "You must be careful with the old queen.",
        "I want to approve new hives.",
        "We need to support old scales.",
        "tell me first if you need to move a hive",
    ],
)
def test_what_holds_for_each_of_a_kind_is_a_rule_also_where_it_is_asked_for(text: str) -> None:
    assert rule_weight(text) >= RULE_WEIGHT


@pytest.mark.parametrize(
    "text",
    [
        "we dont heat honey here",
        "all jars go to shelf two",
        "This project counts frames.",
        "raw honey only, no wax",
    ],
)
def test_what_is_typed_in_small_letters_without_a_stop_is_no_heading(text: str) -> None:
    assert is_remark(text)


@pytest.mark.parametrize(
    "text", ["error: must be a string", "npm ERR! You must provide a name", "fatal: must be run in a tree"]
)
def test_a_line_that_a_program_labelled_is_no_rule(text: str) -> None:
    assert rule_weight(text) < RULE_WEIGHT
