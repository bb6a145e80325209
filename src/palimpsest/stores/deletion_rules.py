"""What a short text repeats of others, as pure functions: words and numbers, whatever separators stand in them.

Texts are compared as the indexes have them (`search.fold`): without case, accents and punctuation. `030-1234567` and
`0301234567` are one, and so are `correct horse` and `correcthorse`. What a word means does not matter, nor how common
it is: whether it tells anything is decided by who else says it.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import groupby
from typing import cast

from palimpsest.budget.assemble import count_summary
from palimpsest.plan.turns import units
from palimpsest.record.chain import identity
from palimpsest.record.forgetting import Rewritten, is_blank
from palimpsest.record.log import Stored
from palimpsest.record.message import Message
from palimpsest.record.pin import Pin
from palimpsest.record.summary import Summary, SummaryCall
from palimpsest.record.window_items import Item, MessageItem, OmittedItem, StubItem
from palimpsest.search.word_folding import unspaced
from palimpsest.stores.codec import storable
from palimpsest.stores.indexed_text import indexed

MAX_GROUPS = 12
"""So many groups of digits in a row may be one number: a card, an account, a time."""

MAX_RUN = 5
"""So many characters of a script without spaces in a row are compared as one."""

_LEAST_CHARS = 2


@dataclass(frozen=True, slots=True)
class _Words:
    """A text as the index has it, with a space around each word; and without any."""

    spaced: str
    joined: str

    @classmethod
    def of(cls, text: str) -> _Words:
        words = indexed(text)
        return cls(f" {words} ", words.replace(" ", ""))

    def hold(self, unit: str) -> bool:
        """Whether the text has this word, or words in a row that make it."""
        if unit not in self.joined:
            return False
        if f" {unit} " in self.spaced:
            return True
        return re.search(f" {' ?'.join(map(re.escape, unit))} ", self.spaced) is not None


def shared_units(text: str, others: Iterable[str]) -> set[str]:
    """The words and numbers of a text that stand in any of the others, without what separates their parts. A single
    character is none.
    """
    mine = _Words.of(text)
    units = _units(text, mine.spaced)
    found: set[str] = set()
    for other in others:
        theirs = _Words.of(other)
        found |= {one for one in units - found if theirs.hold(one)}
        words = {one for one in theirs.spaced.split() if len(one) >= _LEAST_CHARS}
        found |= {one for one in words - found if mine.hold(one)}
    return found


def unsaid(units: Iterable[str], texts: Iterable[str]) -> set[str]:
    """Those of these words and numbers that stand in none of the texts."""
    left = set(units)
    for text in texts:
        if not left:
            break
        words = _Words.of(text)
        left = {one for one in left if not words.hold(one)}
    return left


def _units(text: str, words: str) -> set[str]:
    """What a text may repeat: its words, what stands between its blanks (an address, a path), numbers that are written
    in groups, and characters in a row where a script sets no spaces.
    """
    found = set(words.split())
    found.update(indexed(chunk).replace(" ", "") for chunk in text.split())
    for kind, group in groupby(words.split(), _kind):
        run = list(group)
        most = MAX_GROUPS if kind == "digits" else MAX_RUN
        for start in range(len(run) if kind else 0):
            found.update("".join(run[start : start + size]) for size in range(2, most + 1))
    return {one for one in found if len(one) >= _LEAST_CHARS}


def _kind(word: str) -> str:
    if word.isdigit():
        return "digits"
    return "unspaced" if len(word) == 1 and unspaced(word) else ""


MAX_PASSES = 8
"""A copy may stand in a group whose other messages have copies; more often than this it is not looked again."""


def reached(
    histories: Mapping[int, Sequence[Stored]], owners: Mapping[str, int], chosen: Collection[str]
) -> set[str]:
    """The ids of all messages that go where those of `chosen` do.

    `histories` are the whole histories of the branches by number, `owners` the branch that each message was stored on.
    """
    found = set(chosen)
    for _ in range(MAX_PASSES):
        before = len(found)
        for history in histories.values():
            found |= _groups(history, found)
        found |= _copies(histories, owners, found)
        if len(found) == before:
            break
    return found


def in_kept_group(history: Sequence[Message]) -> set[int]:
    """The places (from 0) of messages that stand inside a tool group, between a call and its results."""
    return {
        place for unit in units(history) if not is_blank(history[unit.start])
        for place in range(unit.start + 1, unit.end)
    }  # fmt: skip


def _groups(history: Sequence[Stored], chosen: Collection[str]) -> set[str]:
    """The calls and results of every group that holds a chosen call or result."""
    found: set[str] = set()
    if not any(one.id in chosen for one in history):
        return found
    for unit in units([one.message for one in history]):
        first = history[unit.start]
        members = {first.id, *(one.id for one in history[unit.start : unit.end] if one.message.results)}
        if len(members) > 1 and not members.isdisjoint(chosen):
            found |= members
    return found


def _copies(
    histories: Mapping[int, Sequence[Stored]], owners: Mapping[str, int], chosen: Collection[str]
) -> set[str]:
    """Messages on other branches that say the same as a chosen one."""
    if len(histories) < 2:
        return set()
    said: dict[bytes, set[int]] = {}
    own = {one.id: one for history in histories.values() for one in history}
    for name in chosen:
        if name in own and not is_blank(own[name].message):
            said.setdefault(identity(own[name].message), set()).add(owners[name])
    return {
        one.id for one in own.values()
        if one.id not in chosen and not is_blank(one.message)
        and any(branch != owners[one.id] for branch in said.get(identity(one.message), ()))
    }  # fmt: skip


WIDE_ECHO = 3
"""So many such characters in a row that only a forgotten message has are an echo of it in a summary."""

CUT_ECHO = 12
"""So is so much of a word's beginning or end."""

REASON = "forgotten at its owner's wish"
"""Why the window changed, in the record of it."""


def forgotten_note(count: int) -> str:
    """The line that stands in a window for messages that were forgotten. It says neither what nor when."""
    return f"[{count:,} message{'s' if count > 1 else ''} forgotten here.]"


def restated(before: Summary, given: Rewritten | None, quoted: Stored | None) -> tuple[Summary, bool]:
    """A summary after something it covers was forgotten, quoting what is left of what it quoted; and whether it has the
    text that was given for it: one that is no longer than the old.
    """
    after = replace(
        before, text=forgotten_note(before.covers), method="extractive", model="", earliest_s=None, latest_s=None,
        quotes=quoted.seq if quoted else 0,
    )  # fmt: skip
    if given is None or not given.text.strip() or given.tokens >= before.tokens:
        return replace(after, tokens=count_summary(after) + (quoted.tokens if quoted else 0)), False
    return replace(
        after, text=storable(given.text), tokens=given.tokens, earliest_s=given.earliest_s, latest_s=given.latest_s
    ), True  # fmt: skip


def says_forgotten(item: Item) -> bool:
    """Whether an item stands for nothing but forgotten messages."""
    if isinstance(item, OmittedItem):
        return item.note == forgotten_note(item.last - item.first + 1)
    return isinstance(item, MessageItem) and is_blank(item.stored.message)


def forgotten_runs(items: Sequence[Item]) -> Iterator[list[Item]]:
    """The runs of a window that stand for nothing but forgotten messages and are not one line yet.

    A message between a call that is kept and its results stays where it is: the group must not be torn apart.
    """
    inside = in_kept_group([one.stored.message for one in items if isinstance(one, MessageItem | StubItem)])
    place = 0
    run: list[Item] = []
    for item in (*items, None):
        grouped = isinstance(item, MessageItem) and place in inside
        place += isinstance(item, MessageItem | StubItem)
        if item is not None and not grouped and says_forgotten(item):
            run.append(item)
            continue
        if run and not (len(run) == 1 and isinstance(run[0], OmittedItem)):
            yield run
        run = []


def quiet_calls(calls: Iterable[SummaryCall]) -> tuple[SummaryCall, ...]:
    """Summarizer calls without the words that say why a reply was refused or what was put right in it."""
    return tuple(replace(call, refused="forgotten" if call.refused else "", repairs=()) for call in calls)


def without_ids(memo: str, going: Collection[str]) -> str:
    """A memo that does not name these messages."""
    try:
        kept: object = json.loads(memo) if memo else None
    except ValueError:
        return ""
    if not isinstance(kept, dict):
        return memo
    body = cast("dict[str, object]", kept)
    named = body.get("secrets")
    if isinstance(named, list):
        body["secrets"] = [one for one in cast("list[object]", named) if one not in going]
    return json.dumps(body, sort_keys=True)


def pins_quoting(
    pins: Iterable[Pin], going: Collection[str], said: Sequence[str], stays: Iterable[str]
) -> list[str]:
    """The ids of the pins that quote messages which go, in the order of the pins: by their ids, by their words, or by a
    word or number of theirs that no message of the conversation which stays has.

    `said` is what those messages say, `stays` what the others of the conversation do.
    """
    found: dict[str, set[str] | None] = {}
    for pin in pins:
        own = [quote.text.strip() for quote in pin.quotes if not quote.id]
        named = any(quote.id in going for quote in pin.quotes if quote.id)
        copied = any(words and words in text for words in own for text in said)
        found[pin.id] = None if named or copied else shared_units("\n".join(own), said)
    only = unsaid({unit for units in found.values() for unit in units or ()}, stays)
    return [name for name, units in found.items() if units is None or units & only]


def summaries_over(
    summaries: Iterable[Summary], going: Collection[str], quoting: Collection[str], said: Sequence[str],
    held: Callable[[str], bool],
) -> list[Summary]:  # fmt: skip
    """Of a conversation's summaries, given in the order in which they were made, those that say something of messages
    which go. `said` is what these say.

    The messages lie beneath them or are quoted by them (`quoting`); or the summary holds a word of theirs that no
    message of the conversation which stays has (`held`): a model is shown what was summarized before, and may repeat
    it.
    """
    gone = {one for text in said for one in phrases(text, WIDE_ECHO)}
    long = tuple(one for one in gone if len(one) > CUT_ECHO)
    known: dict[str, bool] = {}
    over: dict[str, Summary] = {}
    for summary in summaries:
        if summary.id in quoting or any(one in going or one in over for one in summary.sources):
            over[summary.id] = summary
            continue
        words = phrases(summary.text, WIDE_ECHO)
        cut = {one for one in words if len(one) >= CUT_ECHO and _is_cut(one, long)}
        for word in sorted((gone & words) | cut):
            if word not in known:
                known[word] = held(word)
            if not known[word]:
                over[summary.id] = summary
                break
    return list(over.values())


def _is_cut(word: str, whole: Iterable[str]) -> bool:
    """Whether a word is the beginning or the end of another, as where a text was shortened in the middle of it."""
    return any(one.startswith(word) or one.endswith(word) for one in whole)


def phrases(text: str, wide: int) -> set[str]:
    """The words of a text as an index has them; of a script without spaces, where each character is a word, also every
    run of so many.
    """
    words = indexed(text).split()
    found, run = set(words), list[str]()
    for word in (*words, ""):
        if len(word) == 1 and unspaced(word):
            run.append(word)
            continue
        found.update(" ".join(run[start : start + wide]) for start in range(len(run) - wide + 1))
        run = []
    return found


def holds(text: str, phrase: str) -> bool:
    """Whether a text has a word, or words in a row, as `phrases` gives them."""
    return f" {phrase} " in f" {indexed(text)} "
