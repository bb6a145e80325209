"""What people said exactly, and which of it stands nowhere in a summary: days, amounts, figures, persons, open deeds.

Rules kept here:

- A user says something exact where a sentence that asks for nothing has a number, a day or a name; an assistant where
  it has a day or an amount of the world outside: figures of its work are many, and most of them are soon others.
- A name is a word that people write with a capital inside of a sentence, and never without; in German, which writes
  every noun so, only where what stands before it stands before names. In scripts without capitals a name has a
  title behind it.
- A number is told where a line has it with a word that it stands beside, a great one wherever it stands; a day in any
  form. A sentence is left out where half of what is exact in it, or more, is told nowhere.
- What a user tells and nothing was done about since is open, and so is what somebody says is left to do, and what the
  newest request points at in a result.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, replace

from palimpsest.patterns import later
from palimpsest.record.message import Message
from palimpsest.summarize.alike import Known
from palimpsest.summarize.audit.deeds.settled import is_asked, is_firm
from palimpsest.summarize.audit.left_out import MAX_MESSAGES, is_for_later
from palimpsest.summarize.audit.numbers.amounts import Held, amounts
from palimpsest.summarize.audit.numbers.dates import Calendar, days_in
from palimpsest.summarize.audit.numbers.numerals import FIGURES, readings, values
from palimpsest.summarize.audit.told import LOOK_CHARS, REMAINS
from palimpsest.summarize.forms import Form
from palimpsest.summarize.injections import REPORTED, without_orders
from palimpsest.summarize.pasted import parted
from palimpsest.summarize.pointed import pointed_at
from palimpsest.summarize.sentences import sentences, terms
from palimpsest.summarize.source import Source
from palimpsest.summarize.spoken.cues import is_code, is_filler, is_trivial
from palimpsest.summarize.spoken.moment import tells_past
from palimpsest.summarize.spoken.remarks import is_remark
from palimpsest.summarize.spoken.wanted import asks_for
from palimpsest.summarize.visible import told

MAX_DETAILS = 60
"""Details of one source that are looked for, the newest."""
SAID_CHARS = 240
LEFT_SHARE = 0.5
"""A sentence is left out where this share of what is exact in it is told nowhere."""
SAME_SHARE = 0.7
"""Of two sentences that share so many words the later one counts."""
FEW_HEADINGS, SOME, MANY, LOST_SHARE = 2, 2, 3, 0.5
"""A reply without so many of its headings is asked again where it leaves out so many details, any other where it leaves
out so many of the user's; and more than this share of them.
"""
GREAT = 100.0
"""A number that is no smaller says what it is of by itself."""
FEW = 10.0
"""A smaller number, of no unit, counts what is at hand."""
NEAR_WORDS = 2
"""Words on each side that a number stands beside."""
ROUGH_SHARE = 0.03
"""A number in a line with a word of its own may be rounded by so much."""
_CODE = later(r"`[^`\n]{1,300}`|https?://[!-~]{1,400}|[\w.~@-]{0,200}(?:[/\\_=<>{}#][\w.~@-]{0,200})+")
_NUMBER = later(rf"(?<![\w.,:/#-])(?P<raw>{FIGURES})(?![A-Za-z0-9_/]|[.:-]\d|-[A-Za-z])")
_WORD = later(r"[^\W_]+")
_CAPITAL = later(r"(?<![^\W_])(?P<name>[^\W\d_]{2,30})(?![\w/(@-]|\.\w)")
_INSIDE = later(r"(?:^|\s)(?P<before>[^\W\d_]{1,30})[,;]?\s$")
_TITLED = later(
    r"(?P<a>[\u3400-\u9fff\u30a0-\u30ff]{1,4})(?:さん|様|氏|先生|部長|店長)|"
    r"(?P<b>[\uac00-\ud7a3]{2,4}) ?(?:씨|님|선생님|부장)|"
    r"(?P<c>[\u3400-\u9fff])(?:老师|先生|女士|小姐|经理|医生|师傅|阿姨|主任|教授)"
)
_BEFORE_NAMES = later(
    r"(?:für|von|mit|bei|an|und|oder|dass|ob|wenn|weil|sich|gegen|herrn?|frau|familie|dr|muss|soll|kann|hat|will|wird|"
    r"fragt|sagt)",
    re.IGNORECASE,
)
"""What stands before a name in German, and seldom before a noun without an article."""
_NOUN_ENDS = ("ung", "heit", "keit", "schaft", "tion", "tät", "nis", "chen")


@dataclass(frozen=True, slots=True)
class Detail:
    """A sentence with something exact: `numbers` with the words beside each, `days` as (month, day), `names`; `open`
    says that it is not done yet.
    """

    speaker: str
    text: str
    numbers: tuple[tuple[float, frozenset[str]], ...] = ()
    days: tuple[tuple[int, int], ...] = ()
    names: tuple[str, ...] = ()
    open: bool = False
    value: str = ""

    @property
    def line(self) -> str:
        """The sentence with who says it."""
        return f"{self.speaker}: {self.text}"


def details_of(source: Source, spoken: Collection[str]) -> tuple[Detail, ...]:
    """What is exact in what people said behind each other, the newest request apart, each once, the oldest first;
    `spoken` are the languages of the source.
    """
    messages = source.messages[-MAX_MESSAGES:]
    newest = max((at for at, one in enumerate(messages) if one.role == "user"), default=-1)
    newest = len(messages) if source.answered else newest
    acted = max((at for at, one in enumerate(messages) if one.calls), default=-1)
    names = frozenset(_names(messages, german="de" in spoken))
    found: list[Detail] = []
    for at, message in enumerate(messages):
        if at == newest or message.role not in ("user", "assistant"):
            continue
        of_user = message.role == "user"
        text = parted(message.text[:LOOK_CHARS])[0] if of_user else message.text[:LOOK_CHARS]
        for said in sentences(text):
            one = _detail(said, message.role, names)
            if one is not None:
                undone = REMAINS.search(said) or is_for_later(said) or (of_user and acted > -1 and at > acted)
                found.append(replace(one, open=bool(undone) and not tells_past(said)))
    kept = [one for at, one in enumerate(found) if not any(_says_again(one, it) for it in found[at + 1 :])]
    return (*kept[-MAX_DETAILS:], *_pointed(messages, newest))


def _detail(said: str, speaker: str, names: Collection[str]) -> Detail | None:
    """What is exact in a sentence, None for nothing, and for what asks, announces, cites or is code."""
    if len(said) > SAID_CHARS or is_code(said) or is_asked(said) or REPORTED.search(said) or is_trivial(said):
        return None
    plain = _CODE.sub(" ", said)
    days = tuple(dict.fromkeys(days_in(plain)))
    if speaker == "user":
        if asks_for(said) and not (REMAINS.search(said) or is_for_later(said)):
            return None
        numbers = tuple(_numbers(plain))
        named = tuple(one for one in dict.fromkeys(_words(plain)) if one in names)
        named += tuple(match[0] for match in _TITLED.finditer(plain))
    else:
        of_world = bool(days) or (is_firm(said) and any(not one.is_single for one in amounts(plain)))
        if not of_world or is_filler(said):
            return None
        numbers, named = tuple(_numbers(plain)), ()
    return Detail(speaker, said, numbers, days, named) if numbers or days or named else None


def _numbers(text: str) -> Iterator[tuple[float, frozenset[str]]]:
    """The numbers of a sentence, each with the words that it stands beside."""
    amounted = {one.raw for one in amounts(text)}
    for match in _NUMBER.finditer(text):
        number = readings(match["raw"])[0]
        if number < FEW and number.is_integer() and match["raw"] not in amounted:
            continue
        before = terms(text[: match.start()])[-NEAR_WORDS:]
        behind = terms(text[match.end() :])[:NEAR_WORDS]
        beside = frozenset(word for word in (*before, *behind) if not word.isdecimal())
        yield number, beside


def _words(text: str) -> list[str]:
    return [match[0] for match in _WORD.finditer(text)]


def _names(messages: Sequence[Message], *, german: bool) -> Iterator[str]:
    """Words that people write with a capital inside of sentences, and never with a small letter."""
    small = set[str]()
    capital: dict[str, None] = {}
    for message in messages:
        if message.role not in ("user", "assistant"):
            continue
        for said in sentences(message.text[:LOOK_CHARS]):
            small.update(word for word in _words(said) if word.islower())
            for match in _CAPITAL.finditer(said):
                before = _INSIDE.search(said[: match.start()])
                name = match["name"]
                if before is None or not (name[0].isupper() and name[1:].islower()):
                    continue
                if not (german and _may_be_noun(before["before"], name)):
                    capital[name] = None
    yield from (name for name in capital if name.lower() not in small)


def _may_be_noun(before: str, name: str) -> bool:
    return not _BEFORE_NAMES.fullmatch(before) or name.endswith(_NOUN_ENDS)


def _says_again(one: Detail, other: Detail) -> bool:
    """Whether another sentence has the same words, but for its numbers."""
    own, its = ({word for word in terms(it.text) if not word.isdecimal()} for it in (one, other))
    return bool(own) and len(own & its) >= SAME_SHARE * max(len(own), len(its))


def _pointed(messages: Sequence[Message], newest: int) -> Iterator[Detail]:
    """What the newest request points at in results."""
    if not 0 <= newest < len(messages):
        return
    lines = (
        line
        for message in messages[:newest]
        for one in message.results
        for line in without_orders(told(one.text[:LOOK_CHARS])).splitlines()
    )
    for part in pointed_at(messages[newest].text, lines):
        figures = [word for word in part.split() if any(map(str.isdigit, word))]
        yield Detail("tool", part, open=True, value=figures[-1])


def unsaid(text: str, details: Sequence[Detail]) -> list[Detail]:
    """The details of which half or more is told nowhere in a text."""
    if not details:
        return []
    lines = [(values(line), Known(set(terms(line)))) for line in text.splitlines() if line.strip()]
    days = Calendar(Held(text)).said
    known = Known({word.lower() for word in _words(text)})
    plain = text.lower()
    return [one for one in details if _is_unsaid(one, lines, days, known, plain)]


def _is_unsaid(
    one: Detail,
    lines: Sequence[tuple[set[float], Known]],
    days: Collection[tuple[int, int]],
    known: Known,
    plain: str,
) -> bool:
    if one.speaker == "tool":
        return one.value.lower() not in plain
    gone = [
        not _has_number(number, beside, lines)
        for number, beside in one.numbers
        if not one.days or number > 31
    ]
    gone += [day not in days for day in one.days]
    gone += [
        not (known.of([name.lower()]) or (not name.isascii() and name.lower() in plain)) for name in one.names
    ]
    return bool(gone) and sum(gone) >= LEFT_SHARE * len(gone)


def _has_number(number: float, beside: Collection[str], lines: Sequence[tuple[set[float], Known]]) -> bool:
    for held, words in lines:
        if number in held and (number >= GREAT or not beside or words.of(beside)):
            return True
        rough = any(abs(one - number) <= ROUGH_SHARE * number for one in held if number >= GREAT)
        if rough and words.of(beside):
            return True
    return False


def lacking(
    text: str, beside: str, details: Sequence[Detail], form: Form, dropped: Collection[str]
) -> list[Detail]:
    """The details for which a text is to be asked again. What stands in `beside` is not left out, nor what a ledger
    notes of a user. Of those left out, all are asked for where several headings are `dropped`; where a text has several
    not, and none under which something open belongs, or leaves out most of some; and where it leaves out most of many
    that the user said.
    """
    if "Progress" not in form.headings:
        return []
    details = [one for one in details if one.speaker != "user" or not is_remark(one.text)]
    lost = unsaid(f"{text}\n{beside}", details)
    filled = form.filled(text)
    gone = {*form.homes.values(), "Progress"} - filled - form.ours
    if len(dropped) >= FEW_HEADINGS:
        return lost
    if len(gone) >= FEW_HEADINGS:
        undone = form.homes["Open tasks"] in gone and "Next steps" not in filled
        if undone and any(one.open for one in lost):
            return lost
        if len(lost) >= SOME and len(lost) > LOST_SHARE * len(details):
            return lost
    said, of_user = ([one for one in some if one.speaker == "user"] for some in (details, lost))
    return lost if len(of_user) >= MANY and len(of_user) > LOST_SHARE * len(said) else []
