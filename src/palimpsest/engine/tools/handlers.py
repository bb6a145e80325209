"""What each tool for models does with its arguments: one call of the engine's own reading, and a text of the answer."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING

from palimpsest.budget.token_estimator import count_text
from palimpsest.engine.reading import expand as reading
from palimpsest.engine.reading.paging import Cursor, texts_of
from palimpsest.engine.reports import Hit, Outline, Passage
from palimpsest.engine.retrieval import grep as grepping
from palimpsest.engine.retrieval import search as question_search
from palimpsest.engine.tools.answers import (
    ENTRIES_NOTE_TOKENS,
    NOTE_TOKENS,
    described,
    entries_text,
    hits_text,
    passages_text,
)
from palimpsest.engine.tools.arguments import Given
from palimpsest.errors import NotFound, UsageError
from palimpsest.lazy_regex import later
from palimpsest.ports import Clock, Store
from palimpsest.record.json_text import stored_place, unescaped
from palimpsest.record.log import Stored
from palimpsest.record.message import Reasoning, without_codes
from palimpsest.search.filters import ANYWHERE, Where, read_where
from palimpsest.search.passages import phrases_of
from palimpsest.search.query_grammar import parse
from palimpsest.search.question import read_question
from palimpsest.search.snippet import best_place
from palimpsest.settings import Settings

if TYPE_CHECKING:
    from palimpsest.engine.retrieval.embeddings import Embedding


ANSWER_TOKENS = 4_000
"""What an answer may take where nothing else is set."""

LEAST_ANSWER_TOKENS = 200
LIMIT, MOST = 10, 100
MAX_DESCRIBED = 10
MAX_READS = 8
NO_MARK = ("", "")
"""A model is shown the words as they are: it would take marks for a part of them."""

_SPAN = later(
    r"\s*(?:the )?(?:last |past )?(?:(\d{1,6}) ?|an? )?"
    r"(h(?:(?:ou)?rs?)?|d(?:ays?)?|w(?:(?:ee)?ks?)?|m(?:o|os|onths?)?|y(?:(?:ea)?rs?)?)(?: ago)?\s*",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Reach:
    """What tools may read: one owner's conversation, or all of the owner's for None, and the tokens of one answer.
    `standing` says which messages the model has before it anyway.
    """

    store: Store
    owner: str
    conversation: str | None
    clock: Clock
    answer_tokens: int = ANSWER_TOKENS
    embedding: Embedding | None = None
    standing: Callable[[], Collection[str]] = frozenset[str]

    def place(self, given: Given) -> str | None:
        """Where to look: beyond the conversation only where the arguments say so."""
        return None if given.flag("all_conversations") else self.conversation


def tokens_of_answer(settings: Settings, given: int | None) -> int:
    """The tokens that one answer may take: what is given or set, and no more than an eighth of the window."""
    wanted = given or settings.recall_tool_tokens or ANSWER_TOKENS
    room = settings.window_tokens // 8 or wanted
    return max(LEAST_ANSWER_TOKENS, wanted if given else min(wanted, room))


async def search(reach: Reach, given: Given) -> str:
    """The answer of `short_search`."""
    place, where = reach.place(given), _said(reach, given)
    found = await question_search.search(
        reach.store,
        reach.owner,
        place,
        given.text("question"),
        limit=given.number("limit", LIMIT, MOST),
        budget_tokens=reach.answer_tokens - NOTE_TOKENS,
        now_s=reach.clock(),
        embedding=reach.embedding,
        behind=reach.standing(),
        where=where,
    )
    phrases = phrases_of(read_question(given.text("question")))
    at = await places(reach.store, reach.owner, found.passages, phrases, reach.answer_tokens)
    return passages_text(
        found, reach.conversation, place, reach.answer_tokens, at, narrowed=where != ANYWHERE
    )


async def grep(reach: Reach, given: Given) -> str:
    """The answer of `short_grep`: where nothing is found, of what the pattern means to other tools."""
    place, where = reach.place(given), _said(reach, given)
    limit = given.number("limit", LIMIT, MOST)
    pattern = given.text("pattern")
    found = await grepping.grep(reach.store, reach.owner, place, pattern, where, limit, mark=NO_MARK)
    read_as = reworded(pattern) if not found.total else pattern
    if read_as != pattern:
        with suppress(UsageError):
            again = await grepping.grep(reach.store, reach.owner, place, read_as, where, limit, mark=NO_MARK)
            found, pattern = (again, read_as) if again.total else (found, pattern)
    told_as = "" if pattern == given.text("pattern") else pattern
    at = await places(reach.store, reach.owner, found.hits, parse(pattern).phrases, reach.answer_tokens)
    return hits_text(found, reach.conversation, place, reach.answer_tokens, told_as, at)


def _said(reach: Reach, given: Given) -> Where:
    """Where to look, by whom and when, as far as the tool has arguments for it."""
    return read_where(
        given.text("scope") or "both",
        given.text("role") or None,
        *(_short_span(given.text(name)) or None for name in ("last", "since", "before")),
        now_s=reach.clock(),
    )


async def expand(reach: Reach, given: Given) -> str:
    """The answer of `short_expand`. What stands around the texts is known only once they are read, so where all of it
    takes more than an answer may, less is read.
    """
    room = max(reading.LEAST_TOKENS, reach.answer_tokens - ENTRIES_NOTE_TOKENS)
    text = await _read_back(reach, given, room)
    for _ in range(MAX_READS):
        tokens = count_text(text)
        if tokens <= reach.answer_tokens or room <= reading.LEAST_TOKENS:
            break
        room = max(reading.LEAST_TOKENS, room * reach.answer_tokens * 15 // (tokens * 16))
        text = await _read_back(reach, given, room)
    return text


async def _read_back(reach: Reach, given: Given, budget_tokens: int) -> str:
    found = await reading.expand(
        reach.store,
        reach.owner,
        reach.place(given),
        given.ids("message_ids"),
        include_results=given.flag("include_results"),
        to_messages=given.flag("to_messages"),
        budget_tokens=budget_tokens,
        cursor=given.text("cursor"),
    )
    return entries_text(found, reach.conversation, reach.answer_tokens)


async def describe(reach: Reach, given: Given) -> str:
    """The answer of `short_describe`."""
    ids = given.ids("id")
    if len(ids) > MAX_DESCRIBED:
        raise UsageError(f"{len(ids)} ids are too many", hint=f"give at most {MAX_DESCRIBED} at a time")
    found: list[Outline] = []
    failed: list[NotFound] = []
    for one in ids:
        try:
            found.append(await reading.describe(reach.store, reach.owner, reach.place(given), one))
        except NotFound as error:
            failed.append(error)
    if not found:
        raise failed[0]
    note = "; ".join(str(error) for error in failed)
    return described(found, reach.conversation, reach.answer_tokens, note)


def _short_span(text: str) -> str:
    """ "2 weeks" and "2 weeks ago" as "2w", "a year" as "12m"."""
    found = _SPAN.fullmatch(text)
    if found is None:
        return text
    number, unit = int(found[1] or 1), found[2][0].lower()
    return f"{12 * number}m" if unit == "y" else f"{number}{unit}"


_HABITS = (
    (later(r"\A\s*/(.+)/[a-z]{0,4}\s*\Z", re.DOTALL), r"\1"),
    (later(r"(?<!\S)(?:and|&+)(?!\S)"), "AND"),
    (later(r"(?<!\S)or(?!\S)"), "OR"),
    (later(r"\(\?:"), "("),
    (later(r"\(\?[a-z]{1,5}\)|\\[bBAZ]|[\^$]|\.[*+]\??|\\[sWnrt][*+]?"), " "),
    (later(r"(?:\\[dw]|\[[^\]]{1,80}\])(?:[*+?]|\{[\d,]{1,9}\})?|\*+"), "%"),
    (later(r"\\(\W)"), r"\1"),
    (later(r"\|+"), " OR "),
    (later(r"(?<!\w)%(?!\w)"), " "),
)
_SHORT = later(r"(?<![^\s(])(?!(?:AND|NOT)\b)\w{3,5}(?![^\s)])")
"""Words that are not looked for inside others, as an expression would find them."""


def reworded(pattern: str) -> str:
    """The pattern with alternatives, wildcards and classes of characters in our grammar; as it is where it has none."""
    text = pattern
    for habit, ours in _HABITS:
        text = habit.sub(ours, text)
    return pattern if text == pattern else " ".join(_SHORT.sub(r"%\g<0>%", text).split())


LEAD_CHARS = 600
"""So much before the place is read as well."""

MOST_PLACES = 3


async def places(
    store: Store, owner: str, hits: Iterable[Hit | Passage], phrases: Sequence[str], answer_tokens: int
) -> dict[str, str]:
    """For the first of these hits that are larger than an answer, by id, the cursor that begins around the phrases."""
    large = [one.id for one in hits if one.kind == "message" and one.expand_tokens > answer_tokens]
    if not large:
        return {}
    found = await store.read(owner, large[:MOST_PLACES])
    known = ((key, found[key][1]) for key in large if key in found)
    return {key: str(_around(one, phrases)) for key, one in known if isinstance(one, Stored)}


def _around(stored: Stored, phrases: Sequence[str]) -> Cursor:
    """Where reading with a budget begins, a little before the best place of all parts that are shown then."""
    parts = [part for part in stored.message.parts if not isinstance(part, Reasoning)]
    best, char = -1, 0
    for position, text in texts_of(parts):
        for read, place_in in ((unescaped(text), stored_place), (text, _as_it_is)):
            start, held = best_place(without_codes(read, in_place=True), phrases)
            if held > best:
                best, char = held, position + place_in(text, _line_before(read, start))
    return Cursor((stored.id,), include_results=True, to_messages=False, char=char)


def _as_it_is(_: str, place: int) -> int:
    return place


def _line_before(text: str, place: int) -> int:
    """The beginning of the first line of what comes before a place, where it has one."""
    begin = max(0, place - LEAD_CHARS)
    return begin if begin == 0 else text.find("\n", begin, place) + 1 or begin
