"""Numbers as words and in other scripts, written in digits: 三行 is 3行, "drei Sätze" is "3 Sätze", 세 줄 is 3 줄.

Rules kept here:

- Words for one are left: they are articles ("eine Zeile", "un groupe").
- Chinese and Japanese numerals count only before what is counted: 一般 and 一度に hold none.
"""

from __future__ import annotations

import re

from palimpsest.patterns import later

_WORDS = {
    "en": "two three four five six seven eight nine ten eleven twelve",
    "de": "zwei drei vier fünf sechs sieben acht neun zehn elf zwölf",
    "fr": "deux trois quatre cinq six sept huit neuf dix onze douze",
    "es": "dos tres cuatro cinco seis siete ocho nueve diez once doce",
    "pt": "dois três quatro cinco seis sete oito nove dez onze doze",
    "it": "due tre quattro cinque sei sette otto nove dieci undici dodici",
    "ru": "два три четыре пять шесть семь восемь девять десять одиннадцать двенадцать",
    "nl": "twee drie vier vijf zes zeven acht negen tien elf twaalf",
    "pl": "dwa trzy cztery pięć sześć siedem osiem dziewięć dziesięć jedenaście dwanaście",
    "sv": "två tre fyra fem sex sju åtta nio tio elva tolv",
    "ko": "두 세 네 다섯 여섯 일곱 여덟 아홉 열 열한 열두",
}
_VERBS = frozenset(("sei", "sex"))
"""Words that are others as well, in languages that are typed as often."""
_FORMS = {
    "dreier": 3, "vier": 4, "due": 2, "duas": 2, "две": 2, "двух": 2, "трёх": 3, "трех": 3, "четырёх": 4, "пяти": 5,
    "шести": 6, "семи": 7, "восьми": 8, "девяти": 9, "десяти": 10, "dwie": 2, "trzech": 3, "pięciu": 5,
    "ten": 10, "twenty": 20, "thirty": 30, "fifty": 50, "hundred": 100, "zwanzig": 20, "dreißig": 30, "fünfzig": 50,
    "hundert": 100, "vingt": 20, "trente": 30, "cinquante": 50, "cent": 100, "veinte": 20, "treinta": 30,
    "cincuenta": 50, "cien": 100, "venti": 20, "trenta": 30, "cinquanta": 50, "cento": 100, "двадцать": 20,
    "тридцать": 30, "пятьдесят": 50, "сто": 100,
}  # fmt: skip
_VALUES: dict[str, int] = {
    word: value
    for words in _WORDS.values()
    for value, word in enumerate(words.split(), start=2)
    if word not in _VERBS
} | _FORMS
_WORD = later(rf"(?<![\w-])(?:{'|'.join(sorted(_VALUES, key=len, reverse=True))})(?![\w-])", re.IGNORECASE)
_SIGNS = {
    "一": 1, "二": 2, "两": 2, "兩": 2, "三": 3, "四": 4, "五": 5, "六": 6, "七": 7, "八": 8, "九": 9,
    "十": 10, "百": 100, "千": 1_000, "万": 10_000,
}  # fmt: skip
_COUNTED = (
    "件行個个人名本枚日週周月年時时点點分秒条條張张頁页份字倍台回次冊册円元块塊号號歳室部段句天小文章ペワ項项种種"
    "度級级層层列桁位組组箱杯通家間间"
)
_NUMERAL = later(rf"(?<![第唯])[{''.join(_SIGNS)}]{{1,7}}(?=[{_COUNTED}])")
_WIDE = {ord("０") + digit: ord("0") + digit for digit in range(10)}
_NAMED = later(r"一(?:度|部|次|番|人|日|点|級|般|本|件|時|时|回|家|個|个|位|种|段|間|间|分|通|組|组|号)")
"""Words that begin with one and count nothing: 一部, 一点."""


def in_digits(text: str) -> str:
    """A text with its numbers in digits."""
    if not text.isascii():
        text = _NUMERAL.sub(_sign, text.translate(_WIDE))
    return _WORD.sub(lambda match: str(_VALUES[match[0].lower()]), text)


def _sign(match: re.Match[str]) -> str:
    if _NAMED.match(match.string, match.start()):
        return match[0]
    total, digit = 0, 0
    for sign in match[0]:
        value = _SIGNS[sign]
        if value < _SIGNS["十"]:
            digit = value
        elif value == _SIGNS["万"]:
            total, digit = ((total + digit) or 1) * value, 0
        else:
            total, digit = total + (digit or 1) * value, 0
    return str(total + digit)
