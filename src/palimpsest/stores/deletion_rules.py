"""What deletion reaches and what replaces deleted content, the same in every store. Pure functions.

- Texts are compared as the indexes fold them: without case, accents and punctuation. `030-1234567` equals
  `0301234567`, and `correct horse` equals `correcthorse`. The meaning or frequency of a word does not matter, only
  who else says it.
- A tool group is deleted whole: a call without its result, or a result without its call, is not a valid request.
- The same message on another branch is deleted too, because an edited history contains what followed the edit twice.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import groupby
from typing import cast

from palimpsest.budget.assemble import count_summary
from palimpsest.budget.token_counts import added_tokens
from palimpsest.plan.turns import units
from palimpsest.record.chain import identity
from palimpsest.record.forgetting import Rewritten, is_blank
from palimpsest.record.log import Stored
from palimpsest.record.message import Addition, Message, searchable_text
from palimpsest.record.pin import Pin, Quote
from palimpsest.record.summary import Summary, SummaryCall
from palimpsest.record.window_items import Item, MessageItem, OmittedItem, StubItem
from palimpsest.search.word_folding import unspaced
from palimpsest.stores.codec import storable
from palimpsest.stores.index_terms import indexed

MAX_GROUPS = 12
"""The most groups of digits that can be one number: a card, an account, a time."""

MAX_RUN = 5
"""The most consecutive characters of a script without spaces that are compared as one."""

_LEAST_CHARS = 2


@dataclass(frozen=True, slots=True)
class _Words:
    """A text as the index folds it, with spaces around each word, and without any."""

    spaced: str
    joined: str

    @classmethod
    def of(cls, text: str) -> _Words:
        words = indexed(text)
        return cls(f" {words} ", words.replace(" ", ""))

    def hold(self, unit: str) -> bool:
        """Return whether the text has this word, or consecutive words that form it."""
        if unit not in self.joined:
            return False
        if f" {unit} " in self.spaced:
            return True
        return re.search(f" {' ?'.join(map(re.escape, unit))} ", self.spaced) is not None


def shared_units(text: str, others: Iterable[str]) -> set[str]:
    """Return the words and numbers of a text that also occur in any of the others, without separators. A single
    character does not count.
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


def said_nowhere(units: Iterable[str], texts: Iterable[str]) -> set[str]:
    """Return those of these words and numbers that none of the texts has."""
    left = set(units)
    for text in texts:
        if not left:
            break
        words = _Words.of(text)
        left = {one for one in left if not words.hold(one)}
    return left


def _units(text: str, words: str) -> set[str]:
    """Return what a text may repeat: its words, its space-separated pieces (an address, a path), grouped numbers, and
    runs of characters in scripts without spaces.
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
"""A copy may be in a group whose other messages have copies; the search is repeated at most this often."""


def deleted_with(
    histories: Mapping[int, Sequence[Stored]], owners: Mapping[str, int], chosen: Collection[str]
) -> set[str]:
    """Return the ids of all messages that are deleted with `chosen`.

    `histories` are the whole histories of the branches by number, `owners` the branch on which each message is
    stored.
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
    """Return the places (from 0) of messages inside a tool group, between a call and its results."""
    return {
        place for unit in units(history) if not is_blank(history[unit.start])
        for place in range(unit.start + 1, unit.end)
    }  # fmt: skip


def _groups(history: Sequence[Stored], chosen: Collection[str]) -> set[str]:
    """Yield the calls and results of every group with a chosen call or result."""
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
    """Return messages on other branches with the same content as a chosen one."""
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
"""A run of this many such characters that only a deleted message has counts as repeated in a summary."""

CUT_ECHO = 12
"""So does this much of a word's beginning or end."""

REASON = "forgotten at its owner's wish"
"""The reason in the record of the changed window."""


def forgotten_note(count: int) -> str:
    """Return the line that replaces deleted messages in a window. It says neither what nor when."""
    return f"[{count:,} message{'s' if count > 1 else ''} forgotten here.]"


def restated(before: Summary, given: Rewritten | None, quoted: Stored | None) -> tuple[Summary, bool]:
    """Return a summary after something it covers was deleted, quoting what is left, and whether it got the given
    text. A text longer than the old one is not used.
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
    """Return whether an item stands only for deleted messages."""
    if isinstance(item, OmittedItem):
        return item.note == forgotten_note(item.last - item.first + 1)
    return isinstance(item, MessageItem) and is_blank(item.stored.message)


def forgotten_runs(items: Sequence[Item]) -> Iterator[list[Item]]:
    """Return the runs of a window that stand only for deleted messages and are not one line yet.

    A message between a kept call and its results stays in place, so that the group is not cut.
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
    """Return summarizer calls without the words that say why a reply was refused or what was corrected."""
    return tuple(replace(call, refused="forgotten" if call.refused else "", repairs=()) for call in calls)


COPIED_ADDITIONS = ("recalled", "pins", "ledger")
"""Texts after messages that copy other messages."""


def added_copies(
    messages: Iterable[Stored], going: Collection[str], said: Sequence[str]
) -> dict[str, tuple[Addition, ...]]:
    """Return what stays after each remaining message from which texts must go, because they copy or quote deleted
    messages; `said` is the text of those.
    """
    kept = [one for one in messages if one.id not in going and not is_blank(one.message)]
    with_texts = [one for one in kept if one.message.added]
    if not with_texts:
        return {}
    others = [searchable_text(replace(one.message, added=())) for one in kept]
    pins = [
        Pin(f"{one.id}/{place}", (Quote(added.text),))
        for one in with_texts
        for place, added in enumerate(one.message.added)
    ]
    quoting = set(pins_quoting(pins, going, said, others))
    found: dict[str, tuple[Addition, ...]] = {}
    for one in with_texts:
        stays = tuple(
            added
            for place, added in enumerate(one.message.added)
            if added.kind not in COPIED_ADDITIONS and f"{one.id}/{place}" not in quoting
        )
        if stays != one.message.added:
            found[one.id] = stays
    return found


def with_other_added(stored: Stored, added: tuple[Addition, ...]) -> Stored:
    """Return the message with other texts after it, and their cost."""
    change = added_tokens(added) - added_tokens(stored.message.added)
    return replace(
        stored,
        message=replace(stored.message, added=added),
        tokens=stored.tokens + change,
        gate_tokens=stored.gate_tokens + change if stored.gate else stored.gate_tokens,
    )


def without_ids(memo: str, going: Collection[str]) -> str:
    """Return a memo that does not name these messages."""
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
    body.pop("start", None)
    return json.dumps(body, sort_keys=True)


def pins_quoting(
    pins: Iterable[Pin], going: Collection[str], said: Sequence[str], stays: Iterable[str]
) -> list[str]:
    """Return the ids of the pins that quote deleted messages: by their ids, by their text, or by a word or number
    that no remaining message of the conversation has.

    `said` is the text of those messages, `stays` that of the others.
    """
    found: dict[str, set[str] | None] = {}
    for pin in pins:
        own = [quote.text.strip() for quote in pin.quotes if not quote.id]
        named = any(quote.id in going for quote in pin.quotes if quote.id)
        copied = any(words and words in text for words in own for text in said)
        found[pin.id] = None if named or copied else shared_units("\n".join(own), said)
    only = said_nowhere({unit for units in found.values() for unit in units or ()}, stays)
    return [name for name, units in found.items() if units is None or units & only]


def summaries_over(
    summaries: Iterable[Summary], going: Collection[str], quoting: Collection[str], said: Sequence[str],
    held: Callable[[str], bool],
) -> list[Summary]:  # fmt: skip
    """Return those of a conversation's summaries, in order of creation, that repeat deleted messages. `said` is the
    text of these.

    A summary covers the messages or quotes them (`quoting`), or has a word of theirs that no remaining message has
    (`held`): a model sees earlier summaries and may repeat them.
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
    """Return whether a word is the beginning or the end of another, as after truncation."""
    return any(one.startswith(word) or one.endswith(word) for one in whole)


def phrases(text: str, wide: int) -> set[str]:
    """Return the words of a text as the index folds them; in scripts without spaces also every run of this many
    characters.
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
    """Return whether a text has a word, or consecutive words, as `phrases` returns them."""
    return f" {phrase} " in f" {indexed(text)} "
