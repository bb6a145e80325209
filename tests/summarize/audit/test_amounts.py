"""Amounts, days, times of day and numbered things: what a source comes to is known, what it has nothing of is not."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from palimpsest.summarize.audit.audit import audit
from palimpsest.summarize.audit.exact import Exact, exact_text
from palimpsest.summarize.audit.names.identifiers import doubts
from palimpsest.summarize.audit.numbers.numerals import figures
from tests.summarize.audit.stories import grounds
from tests.summarize.dialogues import assistant, call, leaf, result, user

DIARY = leaf(
    [
        user(
            "I take 2.5 mg of ramipril since May and 5 mg since July. I weighed 81.4 kg, now it is 79.9 kg. Fever was "
            "101.3 °F at night. The doctor sees me on 3 December at 14:30 in room 118, the blood test is at 8:15."
        ),
        assistant(
            "Noted. Drink 2.5 litres a day and walk 12.4 km a week, that is thirty-five minutes a day."
        ),
        user(
            "The pharmacy took 23.80 EUR and the first time 12.40 EUR. It closes at half past six. Hip is 96 cm."
        ),
    ]
)
TRAVEL = leaf(
    [
        user(
            "Four of us fly LH 1742 on 14 August, room 118 for three nights at $85 each, breakfast until 10:30. "
            "The budget is 1,140 USD. The hike is 12.4 km with 640 m of climbing, from 3 to 9 May we are in Wroclaw."
        ),
        assistant(
            "The second hike is 7.8 km. The visa takes two weeks, so apply by 31 July. We land at 8:35, leave 6:50."
        ),
        user("The rate is 1.08 dollars for a euro. The bag may weigh 23 kg, the tent is 1,800 g."),
    ]
)
HAUS = leaf(
    [
        user(
            "Die Miete war 940 Euro und soll ab 1. April 2026 1.140 Euro betragen. Aktenzeichen 214 C 88/26, Termin am "
            "9. Juni um 15:30 Uhr. Die Wohnung hat 62,5 m² und kostet 11,20 € je m². Fass 17 wiegt zweihundert Kilo."
        ),
        assistant(
            "Der Zähler zeigt 4.512 kWh, im Vorjahr 4.100 kWh. Die Heizung läuft mit 1,5 bar bei 21,5 °C."
        ),
        user("Der Brief kam am 28.02.2026, die Frist ist zwei Wochen. Die Kaution sind drei Monatsmieten."),
    ]
)
SHOP = leaf(
    [
        user("龙井每斤480元，普洱每斤320元。12月13日上午九点盘点，房间118。仓库到店里十二公里。"),
        assistant("好的，一共买了5斤龙井，运费三百二十元，保质期18个月。"),
        user("下周三付2万元定金，茶叶净重250克一包。"),
    ]
)
PRESS = leaf(
    [
        user(
            "Barrels 5 to 10 and barrel 17 leak. The ramp is 0.25 bar per second, the pump draws 16 A at 230 V."
        ),
        assistant("I look.", call("a", "Bash", command="python sim.py --barrel 7 --cost 1250")),
        result(
            "a",
            '{"peak_bar": 3.125, "lag_ms": 412, "at": "2026-12-06T23:40:12Z", "mass": 97.25, "rows": 1248}',
        ),
        assistant(
            "The peak is 3.125 bar, MAX_BAR = 3.75 was too high, and 10.14.3.77:8443 answers for press-03."
        ),
        result("b", "2 failed, 41 passed in 3.2s"),
    ]
)
TRUE = {
    "diary": (
        DIARY,
        """The dose rose from 2.5 mg to 5 mg in July.
The user lost 1.5 kg and weighs 79.9 kg.
Before that the weight was 81.4 kilos.
The dose grew by 2.5 mg.
Fever reached 38.5 °C at night.
The fever was 101.3 °F.
The appointment is on December 3rd at 2:30 pm.
The appointment is on 2026-12-03, the blood test at 8.15.
Both visits are on Dec 3, in room 118.
Together the medicine cost 36.20 EUR.
The second purchase was 11.40 EUR dearer.
On average a purchase was 18.10 EUR.
About 80 kg now, roughly 24 EUR for medicine.
The pharmacy closes at 18:30.
The user walks 12,400 m a week, 35 minutes a day.
That is 1.771 km a day.
Two litres and a half, 2500 ml, a day.
The hip measures 0.96 m.
The user shall walk about 12 km.
Weight is 0.0799 t.""",
    ),
    "travel": (
        TRAVEL,
        """Three nights cost $255 in all, $63.75 for each of the four.
The room is $85 a night and has number 118.
The budget of $1,140 leaves 885 USD after the room.
They are in Wroclaw from 3 May to 9 May, on 7 May, too.
The hikes are 20.2 km together, the long one 4.6 km longer.
The long hike is 7.7 miles.
The visa takes 14 days; the latest day is 31 July, the flight 14 days later on 14 August.
The visa could be there on 14 August 2026.
The flight takes an hour and 45 minutes, from 6:50 to 8:35.
The bag weighs up to 23 kg, the tent 1.8 kg, together 24.8 kg.
85 USD are about 79 EUR.
The budget is 285 USD for each of the four.
The budget is about 1,100 USD.
Breakfast is over at 10:30 in the morning.
Room 118, three nights.
12 files of photos and 45 pages were looked at.""",
    ),
    "haus": (
        HAUS,
        """Die Miete steigt um 200 Euro auf 1.140 Euro, also um 21,3 Prozent.
Die Miete soll ab April 2026 1140 € betragen.
The rent rises from 940 EUR to 1,140 EUR on 1 April 2026.
Der Termin ist am 09.06.2026 um 15.30 Uhr.
The hearing of case 214 C 88/26 is on June 9 at 3:30 pm.
62,5 m² zu je 11,20 € sind 700 €.
Der Verbrauch stieg um 412 kWh auf 4.512 kWh.
Verbrauch: 4,512 kWh; das sind 4,5 MWh.
Die Frist endet am 14. März 2026, zwei Wochen nach dem 28. Februar.
Fass 17 wiegt 200 kg.
Die Kaution beträgt 3.420 Euro.
Die Heizung läuft mit 1.5 bar und 21.5 °C.
Etwa 21 °C in der Wohnung, rund 4.500 kWh.
Im Jahr sind das 13.680 Euro Miete.
Der Brief kam am 28. Februar.""",
    ),
    "shop": (
        SHOP,
        """龙井480元一斤，普洱320元一斤，相差160元。
5斤龙井共2400元。
2.5 kg of Longjing were bought for ¥2,400.
12月13日9:00盘点，房间118。
The stocktaking is on 13 December in room 118.
The stocktaking is on 2026-12-13.
仓库离店12公里，运费320元。
The warehouse is 12 km away.
定金20000元，下周三付。
The deposit is 20,000 yuan.
保质期一年半（18个月）。
每包0.25公斤。
盘点在十二月十三日。""",
    ),
    "press": (
        PRESS,
        """The host press-03 listens on port 8443.
41 tests passed.
The ramp is 25 kPa a second.
The pump draws 3.68 kW.
MAX_BAR was 3.75, 0.625 bar above the peak.
The run was on 6 December at 23:40.
The run was on 7 December, 00:40 local time.
Peak pressure was 3125 mbar, about 3.1 bar.
The simulation of barrels 5 to 10 ran; barrel 8 is one of them.
Barrel 17 leaks, barrel 18 is next.
It weighs 97.25 kg and costs 1,250 EUR.
3 files were read and 12 lines of code written.
The pump runs on 230 V and 16 A.
Of 43 tests, 41 passed.
All of 2026 is left, 100 % of the budget.""",
    ),
}
FALSE = {
    "diary": (
        DIARY,
        """97.9 kg|0.73 mg|350 ml|14.2 km|42 cm|32.80 EUR|$32.80|€32.80|32.80 €|1,410 USD|45 kWh|3.75 bar|39.5 °C
103.1 °F|120 km/h|85 dB|97 GBP
480元|13 December|6 June 2026|19:35|room 181|27 years|17 lbs|December 17|2026-11-03|240 kcal""",
    ),
    "travel": (
        TRAVEL,
        """21 August|room 181|14.2 km|1,410 USD|32 kg|8:53|$58|13 June|46 miles|9 Nov|19 kg|19 weeks|470 CHF""",
    ),
    "haus": (
        HAUS,
        """Aktenzeichen 241|4. Juni|1.410 Euro|5.412 kWh|25,1 °C|Fass 71|13:50 Uhr|690 €|2,7 bar|19. August 2026""",
    ),
    "shop": (SHOP, """390元|12月31日|房间181|21公里|86公斤|37个月|¥7,777"""),
    "press": (PRESS, """61 A|320 V|barrel 71|3.15 bar|12 March|450 kWh|47 kPa|66 km"""),
}
LINES = [(name, line) for name, (_, lines) in TRUE.items() for line in lines.splitlines()]
LIES = [
    (name, lie) for name, (_, lies) in FALSE.items() for part in lies.splitlines() for lie in part.split("|")
]


@pytest.mark.parametrize("name, line", LINES)
def test_what_a_source_comes_to_is_no_doubt(name: str, line: str) -> None:
    assert doubts(f"- {line}", exact_text(TRUE[name][0])) == []


@pytest.mark.parametrize("name, line", LINES)
def test_a_true_line_is_left_as_it_is_by_the_whole_audit(name: str, line: str) -> None:
    findings = audit(f"## Progress\n- {line}", grounds(TRUE[name][0]), whole=False)
    assert [one for one in findings.untrue if one[0].endswith(line)] == []


@pytest.mark.parametrize("name, lie", LIES)
def test_what_a_source_holds_nothing_of_is_doubted(name: str, lie: str) -> None:
    assert doubts(f"- It was {lie} in the end.", exact_text(FALSE[name][0]))


@given(st.integers(1_000, 999_999_999), st.sampled_from([",", ".", "'", "\u202f"]))
def test_a_number_is_the_same_however_its_thousands_are_parted(number: int, sign: str) -> None:
    assert number in figures(f"It is {number:,} now.".replace(",", sign))
    assert not doubts(f"It costs {number} €.", Exact(f"It costs {number:,} € now.".replace(",", sign)))


@pytest.mark.parametrize(
    "told, right, wrong",
    [
        ("It closes at half past six.", "18:30", "19:30"),
        ("Be there at quarter to nine.", "8:45", "9:15"),
        ("Um halb sieben schließt sie.", "18:30", "19:30"),
        ("Viertel nach acht ist der Termin.", "8:15", "9:45"),
        ("药店六点半关门。", "18:30", "19:30"),
    ],
)
def test_a_time_of_day_in_words_is_one_in_figures(told: str, right: str, wrong: str) -> None:
    source = Exact(f"{told} The blood test is at 10:20.")
    assert not doubts(f"- It is at {right}.", source)
    assert doubts(f"- It is at {wrong}.", source)


ODD = (
    "12 Auguſt 2026|half paſt six|ſeat 181|SECTİON 181|12 APRİL|Raum 12|1月万万万万万万万万万万万万|٣ May|１２ kg|"
    "12,,3 €|١٢ kg|May 9 九万万万万万万万万 weeks|99999999999999999999 km|€ 1.2.3|0 weeks, 0 kg, 0 %|31.02.2026|25:61|"
    "9999999999999|quarter to 99|1,000,000,000,000,000,000 €|thousand thousand thousand weeks"
).split("|")
PLAIN = "3 May 2026 at 10:20 and 11:47 in room 118, seat 12, section 9, 81.4 kg, $12.50, 9 weeks, 35 minutes"


@pytest.mark.parametrize("odd", ODD)
def test_a_number_in_any_script_size_or_case_ends_no_audit(odd: str) -> None:
    for source, said in ((odd, PLAIN), (PLAIN, odd), (f"{odd} {PLAIN}", f"{odd} 44 kg at 3:33 on 5 May")):
        assert all(one.text in said for one in doubts(f"- {said}", Exact(source)))


@given(
    st.lists(st.sampled_from([*ODD, *PLAIN.split(), "/", "-", "\n", "About"]), max_size=8), st.integers(0, 7)
)
def test_any_mixture_of_numbers_and_units_can_be_audited(pieces: list[str], at: int) -> None:
    assert all(one.text for one in doubts(" ".join(pieces[:at]), Exact(" ".join(pieces[at:]))))
    assert not doubts("- 1.", Exact(" ".join(pieces)))


@pytest.mark.parametrize(
    "line", ["- East 3.4%, south 5.1%", "- 74 % of the slots are taken", "- About 3% came back"]
)
def test_a_part_of_one_and_so_many_of_so_many_are_percents(line: str) -> None:
    source = exact_text(
        leaf([user("East 0.034, south 0.051, north 0.0281"), user("37 of 50 slots are taken")])
    )
    assert doubts(line, source) == []
    assert doubts("- East 3.7%, and 47 % of the slots", source)
