"""Everything that a source says, for what a summary says to be held against: as one text, and its identifiers.

Rules kept here:

- Arguments and results that are JSON are there as they are and as they read; ids and times of messages are there too.
- What a summary may name is found by the same patterns in both.
- A name stands in a text as a whole where nothing of a name goes on beside it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property

from palimpsest.patterns import later
from palimpsest.record.jsontext import unescaped
from palimpsest.record.message import Media, Text, ToolCall, ToolResult
from palimpsest.summarize.audit.numbers.amounts import Held
from palimpsest.summarize.audit.numbers.clocks import Clocks
from palimpsest.summarize.audit.numbers.dates import Calendar
from palimpsest.summarize.audit.numbers.quantities import MAX_QUANTITIES, Quantity, quantities, sizes
from palimpsest.summarize.audit.numbers.totals import totals_in
from palimpsest.summarize.names import find_names, find_opaque, find_paths, is_date
from palimpsest.summarize.source import MessageEntry, Source, render_time

_COMMIT = later(
    r"\b[Cc]ommit(?:ted as)? [`\"']?([a-f]{7,12}|(?=[a-f]{0,5}\d)(?=\d{0,5}[a-f])[0-9a-f]{4,6})(?![A-Za-z0-9_-])"
)
"""A hash without figures, or of few signs, which could be a word elsewhere."""
_RUN = later(r"(?<![\w.,/-])\d{9,40}(?![\w/]|[.,-]\d)")
"""So many figures are a name."""
_GROUPED = later(
    r"(?<![A-Za-z0-9_.,/:+-])\+?(?!\d{4}-\d\d(?!\d))(?=[A-Z0-9 .()/-]{0,40}\d{2})(?:\(?[A-Z]{0,2}\d{1,8}\)?)"
    r"(?:[ .()/-]{1,2}[A-Z0-9]{2,8}){1,9}(?![A-Za-z0-9_-]|[.,:/]\d)"
)
"""What is written in groups of figures: a telephone number, a card, an account."""
GROUPED_FIGURES = 8
"""So many figures a number has that is a name."""
_SAID = later(r"\d[\d,_]*(?:\.\d+)?")


@dataclass(frozen=True)
class Exact:
    """Everything that a source says, as one text, and what stands in it, found when it is first asked for."""

    text: str

    @cached_property
    def paths(self) -> tuple[str, ...]:
        """The source's paths."""
        return tuple(dict.fromkeys(find_paths(self.text)))

    @cached_property
    def names(self) -> tuple[tuple[str, str], ...]:
        """(kind, name) of the source's other identifiers."""
        return tuple(dict.fromkeys(names_in(self.text)))

    @cached_property
    def numbers(self) -> dict[str, str]:
        """The source's numbers, by their digits without separators."""
        return {without_separators(match[0]): match[0].rstrip(",_") for match in _SAID.finditer(self.text)}

    @cached_property
    def runs(self) -> tuple[str, ...]:
        """Its numbers that are so long that they are names: of a parcel, a voucher."""
        return tuple(dict.fromkeys(_RUN.findall(self.text)))

    @cached_property
    def grouped(self) -> tuple[str, ...]:
        """What it writes in groups of figures: telephone numbers, cards, accounts."""
        found = dict.fromkeys(match[0] for match in _GROUPED.finditer(self.text))
        return tuple(one for one in found if sum(map(str.isdecimal, one)) >= GROUPED_FIGURES)

    @cached_property
    def ids(self) -> frozenset[str]:
        """Those of its names and long numbers that say nothing but which one is meant."""
        opaque = (name for kind, name in self.names if kind in ("uuid", "hash", "opaque"))
        return frozenset((*opaque, *self.runs, *self.grouped))

    @cached_property
    def owned(self) -> dict[tuple[object, ...], Mapping[str, frozenset[str]]]:
        """What some of its names have beside them alone, as far as it was asked for (`names/which.py`)."""
        return {}

    @cached_property
    def plain(self) -> dict[str, str]:
        """Its names and long numbers, each with its letters and figures alone."""
        return {name: plainly(name) for name in (*(name for _, name in self.names), *self.runs)}

    @cached_property
    def plain_groups(self) -> dict[str, str]:
        """The same of what it writes in groups of figures."""
        return {one: plainly(one) for one in self.grouped}

    @cached_property
    def apart(self) -> str:
        """What it says beside numbers in groups of figures."""
        return _GROUPED.sub(" ", self.text)

    @cached_property
    def quantities(self) -> tuple[Quantity, ...]:
        """The source's numbers with units, each once."""
        return tuple(dict.fromkeys(quantities(self.text)))[-MAX_QUANTITIES:]

    @cached_property
    def sizes(self) -> frozenset[float]:
        """What the source's numbers come to, whatever their units."""
        return frozenset(sizes(self.text))

    @cached_property
    def totals(self) -> frozenset[float]:
        """What the rows of its lists come to."""
        return totals_in(self.text)

    @cached_property
    def held(self) -> Held:
        """Its amounts."""
        return Held(self.text)

    @cached_property
    def clocks(self) -> Clocks:
        """Its times of day."""
        return Clocks(self.text)

    @cached_property
    def calendar(self) -> Calendar:
        """Its days."""
        return Calendar(self.held)


def exact_text(source: Source, *more: str) -> Exact:
    """What a summary of `source` may draw its identifiers from: the messages whole, ids and times, and `more`."""
    texts = [*more, *source.earlier, source.focus, source.system, source.goal]
    for entry in source.entries:
        if isinstance(entry, MessageEntry):
            message = entry.message
            texts.extend((entry.id, message.name, render_time(message.time_s)))
            for part in message.parts:
                match part:
                    case Text(text):
                        texts.append(text)
                    case ToolCall():
                        texts.extend((part.name, part.arguments, unescaped(part.arguments)))
                    case ToolResult():
                        texts.append(part.text)
                        texts.append(unescaped(part.text))
                        texts.extend(inner.uri for inner in part.content if isinstance(inner, Media))
                    case Media(uri=uri):
                        texts.append(uri)
                    case _:
                        pass
        else:
            made = entry.summary
            texts.extend((made.id, made.text, render_time(made.earliest_s), render_time(made.latest_s)))
    return Exact("\n".join(text for text in texts if text))


def names_in(text: str) -> Iterator[tuple[str, str]]:
    """(kind, name) of the identifiers in a text that are no paths."""
    yield from find_opaque(text)
    yield from (("hash", match[1]) for match in _COMMIT.finditer(text))
    for kind, name in find_names(text):
        if kind != "number" and not is_date(name):
            yield kind, name


def stands(name: str, text: str, kind: str) -> bool:
    """Whether `name` stands in `text` and is no part of something longer there."""
    loose = kind in ("path", "symbol")
    at = text.find(name)
    while at >= 0:
        before, after = text[max(0, at - 2) : at], text[at + len(name) : at + len(name) + 2]
        rest = kind == "link" and after[:1] in tuple("/?#&=%~") and len(after) > 1 and not after[1].isspace()
        if not rest and not _goes_on(before[::-1], loose=loose) and not _goes_on(after, loose=loose):
            return True
        at = text.find(name, at + 1)
    return False


def _goes_on(beside: str, *, loose: bool) -> bool:
    if not beside:
        return False
    if beside[0].isascii() and (beside[0].isalnum() or beside[0] == "_"):
        return True
    return not loose and beside[0] in "-." and beside[1:2].isascii() and beside[1:2].isalnum()


def without_separators(number: str) -> str:
    """The digits of a number: 48213 for 48,213."""
    return number.replace(",", "").replace("_", "").rstrip(".")


def plainly(name: str) -> str:
    """The letters and figures of a name, small: `0376 555 0142` is `03765550142`."""
    return "".join(sign for sign in name if sign.isalnum()).lower()
