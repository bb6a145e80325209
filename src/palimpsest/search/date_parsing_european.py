"""Dates and times in questions in German, Spanish, French, Italian, Portuguese or Dutch: "letzten Monat", "hace dos
semanas", "en mars", "3 maggio 2026". Times without a year are in the past.

A language is a table of words with their meaning, matched in any case, with or without accents.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import TypeVar

from palimpsest.search.calendar_ranges import Span, ago, begun, day_of, near, span_of, year_and_month

Meaning = TypeVar("Meaning")

_YEAR = r"(?:19|20)\d\d"
_UNITS = ("day", "week", "month", "year")


@dataclass(frozen=True, slots=True)
class _Language:
    """Words of a language. `months`, `weekdays` and `seasons` (spring first) are in order, with alternatives
    separated by a slash; `units` are day, week, month and year; `near` maps words to day offsets; `ago` is what
    precedes and follows a number of units; `numbers` start at one, `some` means three.
    """

    months: str
    weekdays: str
    seasons: str
    units: str
    weekend: str
    near: Mapping[str, int]
    last: str
    this: str
    ago: tuple[str, str]
    numbers: str
    some: str


_LANGUAGES = {
    "de": _Language(
        "januar/jänner februar märz april mai juni juli august september oktober november dezember",
        "montag dienstag mittwoch donnerstag freitag samstag/sonnabend sonntag",
        "frühling/frühjahr sommer herbst winter",
        "tag/tage/tagen woche/wochen monat/monate/monaten jahr/jahre/jahren",
        "wochenende",
        {"vorgestern": -2, "gestern": -1, "heute": 0},
        "letzten/letzte/letzter/letztes/letztem/vorigen/vorige/voriges/vergangenen/vergangene/vergangenes",
        "diesen/diese/dieser/dieses/diesem",
        ("vor ", ""),
        "ein/eine/einen/einem/einer zwei drei vier fünf sechs sieben acht neun zehn elf zwölf",
        "ein paar/einigen",
    ),
    "es": _Language(
        "enero febrero marzo abril mayo junio julio agosto septiembre/setiembre octubre noviembre diciembre",
        "lunes martes miércoles jueves viernes sábado domingo",
        "primavera verano otoño invierno",
        "día/días semana/semanas mes/meses año/años",
        "fin de semana",
        {"anteayer": -2, "ayer": -1, "hoy": 0},
        "pasado/pasada/último/última",
        "este/esta",
        ("hace ", ""),
        "un/una/uno dos tres cuatro cinco seis siete ocho nueve diez once doce",
        "unos/unas/algunos/algunas",
    ),
    "fr": _Language(
        "janvier février mars avril mai juin juillet août septembre octobre novembre décembre",
        "lundi mardi mercredi jeudi vendredi samedi dimanche",
        "printemps été automne hiver",
        "jour/jours semaine/semaines mois an/ans/année/années",
        "week-end/weekend",
        {"avant-hier": -2, "hier": -1, "aujourd'hui": 0, "aujourd’hui": 0},
        "dernier/dernière/passé/passée",
        "ce/cet/cette",
        ("il y a ", ""),
        "un/une deux trois quatre cinq six sept huit neuf dix onze douze",
        "quelques",
    ),
    "it": _Language(
        "gennaio febbraio marzo aprile maggio giugno luglio agosto settembre ottobre novembre dicembre",
        "lunedì martedì mercoledì giovedì venerdì sabato domenica",
        "primavera estate autunno inverno",
        "giorno/giorni settimana/settimane mese/mesi anno/anni",
        "fine settimana/weekend",
        {"l'altro ieri": -2, "ieri": -1, "oggi": 0},
        "scorso/scorsa/passato/passata",
        "questo/questa/quest",
        ("", " fa"),
        "un/una/uno due tre quattro cinque sei sette otto nove dieci undici dodici",
        "qualche/alcuni/alcune",
    ),
    "pt": _Language(
        "janeiro fevereiro março abril maio junho julho agosto setembro outubro novembro dezembro",
        "segunda-feira terça-feira quarta-feira quinta-feira sexta-feira sábado domingo",
        "primavera verão outono inverno",
        "dia/dias semana/semanas mês/meses ano/anos",
        "fim de semana",
        {"anteontem": -2, "ontem": -1, "hoje": 0},
        "passado/passada/último/última",
        "este/esta/neste/nesta",
        ("há ", ""),
        "um/uma dois/duas três quatro cinco seis sete oito nove dez onze doze",
        "alguns/algumas",
    ),
    "nl": _Language(
        "januari februari maart april mei juni juli augustus september oktober november december",
        "maandag dinsdag woensdag donderdag vrijdag zaterdag zondag",
        "lente/voorjaar zomer herfst winter",
        "dag/dagen week/weken maand/maanden jaar/jaren",
        "weekend",
        {"eergisteren": -2, "gisteren": -1, "vandaag": 0},
        "vorige/vorig/afgelopen",
        "deze/dit",
        ("", " geleden"),
        "een/één twee drie vier vijf zes zeven acht negen tien elf twaalf",
        "paar/enkele",
    ),
}
_WEEKDAYS = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")
_SEASONS = ("spring", "summer", "autumn", "winter")


@dataclass(frozen=True, slots=True)
class _Read:
    """A language prepared for matching: its words without accents, with their meaning."""

    pattern: re.Pattern[str]
    months: Mapping[str, int]
    what: Mapping[str, str]
    near: Mapping[str, int]
    last: Collection[str]
    numbers: Mapping[str, int]


def named_in(language: str, text: str, said_s: float) -> Iterator[tuple[Span, int, int]]:
    """Return the days that a question in one of the languages names, with their positions."""
    read = _read(language)
    for match in read.pattern.finditer("".join(map(_bare_char, text))):
        span = _span(match, read, said_s)
        if span is not None:
            yield span, match.start(), match.end()


def _span(match: re.Match[str], read: _Read, said_s: float) -> Span | None:
    today = day_of(said_s)
    if match["month"]:
        month = read.months[match["month"]]
        year, now = year_and_month(said_s)
        return span_of(int(match["year"] or year - (month > now)), month, int(match["day"] or 0))
    if match["near"]:
        shift = read.near[match["near"]]
        return today + shift, today + shift
    if match["count"]:
        count = int(match["count"]) if match["count"].isdecimal() else read.numbers[match["count"]]
        return ago(today, count, read.what[match["unit"]])
    if match["season"]:
        return begun(today, read.what[match["season"]])
    which = (match["which"] or match["which2"]) in read.last
    return near(today, "last" if which else "this", read.what[match["what"] or match["what2"]])


@cache
def _read(language: str) -> _Read:
    words = _LANGUAGES[language]
    months = _meaning(words.months, range(1, 13))
    seasons, units = _meaning(words.seasons, _SEASONS), _meaning(words.units, _UNITS)
    what = seasons | units | _meaning(words.weekdays, _WEEKDAYS)
    what |= dict.fromkeys(_bare(words.weekend).split("/"), "weekend")
    numbers = _meaning(words.numbers, range(1, 13)) | dict.fromkeys(_bare(words.some).split("/"), 3)
    close = {_bare(word): shift for word, shift in words.near.items()}
    last, this = _bare(words.last).split("/"), _bare(words.this).split("/")
    before, after = map(_bare, words.ago)
    pattern = re.compile(
        rf"\b(?:(?:(?P<day>\d{{1,2}})(?:\.|º|er|ª)? (?:de )?)?(?P<month>{_any(months)})\b"
        rf"(?:,? (?:del? )?(?P<year>{_YEAR})\b)?"
        rf"|(?P<near>{_any(close)})\b"
        rf"|{before}(?P<count>\d{{1,3}}|{_any(numbers)})(?: de)? (?P<unit>{_any(units)}){after}\b"
        rf"|(?P<which>{_any((*last, *this))})['’ ](?P<what>{_any(what)})\b"
        rf"|(?P<what2>{_any(what)}) (?P<which2>{_any(last)})\b"
        rf"|(?:im|in|en|no|na|nel|em) (?:l['’])?(?P<season>{_any(seasons)})\b)"
    )
    return _Read(pattern, months, what, close, last, numbers)


def _meaning(words: str, values: Sequence[Meaning]) -> dict[str, Meaning]:
    meant = zip(_bare(words).split(), values, strict=True)
    return {form: value for forms, value in meant for form in forms.split("/")}


def _any(words: Iterable[str]) -> str:
    return "|".join(map(re.escape, sorted(words, key=len, reverse=True)))


def _bare(text: str) -> str:
    return "".join(map(_bare_char, text))


def _bare_char(char: str) -> str:
    """Return a character in lower case without its accent, one for one, so that positions stay."""
    return unicodedata.normalize("NFD", char.lower())[0]
