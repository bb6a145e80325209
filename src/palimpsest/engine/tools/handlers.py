"""The handlers of the tools for models: each makes one call of the engine and renders the answer as text."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING

from palimpsest.budget.token_estimator import count_text
from palimpsest.engine.reading import expand as reading
from palimpsest.engine.reading.paging import Cursor, texts_of
from palimpsest.engine.reports import Hit, Hits, Outline, Passage
from palimpsest.engine.retrieval import grep as patterns
from palimpsest.engine.retrieval import search as questions
from palimpsest.engine.tools.answers import (
    ENTRIES_NOTE_TOKENS,
    NOTE_TOKENS,
    described,
    entries_text,
    hits_text,
    passages_text,
)
from palimpsest.engine.tools.arguments import Arguments
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
"""The default size of an answer."""

MIN_ANSWER_TOKENS = 200
LIMIT, MAX_LIMIT = 10, 100
MAX_DESCRIBED = 10
MAX_READS = 8
NO_MARK = ("", "")
"""A model sees the words as they are: it would take marks for a part of them."""

LEAD_CHARS = 600
"""How much before a match a cursor begins."""

MAX_CURSORS = 3

_SPAN = later(
    r"\s*(?:the )?(?:last |past )?(?:(\d{1,6}) ?|an? )?"
    r"(h(?:(?:ou)?rs?)?|d(?:ays?)?|w(?:(?:ee)?ks?)?|m(?:o|os|onths?)?|y(?:(?:ea)?rs?)?)(?: ago)?\s*",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class ToolScope:
    """What tools may read: one owner's conversation, or all of the owner's for None, and the size of an answer.
    `visible_ids` are the messages that the model has in its window. `alone`: no other conversation can be read.
    """

    store: Store
    owner: str
    conversation: str | None
    clock: Clock
    answer_tokens: int = ANSWER_TOKENS
    embedding: Embedding | None = None
    visible_ids: Callable[[], Collection[str]] = frozenset[str]
    alone: bool = False

    def place(self, arguments: Arguments) -> str | None:
        """The conversation to read; None, for all, only if the arguments say so."""
        return None if arguments.flag("all_conversations") and not self.alone else self.conversation


def tokens_of_answer(settings: Settings, given: int | None) -> int:
    """The size of an answer: what is given, or what is set but at most an eighth of the window."""
    wanted = given or settings.recall_tool_tokens or ANSWER_TOKENS
    if not given and settings.window_tokens >= 8:
        wanted = min(wanted, settings.window_tokens // 8)
    return max(MIN_ANSWER_TOKENS, wanted)


async def search(scope: ToolScope, arguments: Arguments) -> str:
    """The answer of `short_search`."""
    place, where, question = scope.place(arguments), _where(scope, arguments), arguments.text("question")
    found = await questions.search(
        scope.store,
        scope.owner,
        place,
        question,
        limit=arguments.number("limit", LIMIT, MAX_LIMIT),
        budget_tokens=scope.answer_tokens - NOTE_TOKENS,
        now_s=scope.clock(),
        embedding=scope.embedding,
        last_ids=scope.visible_ids(),
        where=where,
    )
    cursors = await _cursors(scope, found.passages, phrases_of(read_question(question)))
    return passages_text(
        found, scope.conversation, place, scope.answer_tokens, cursors, narrowed=where != ANYWHERE
    )


async def grep(scope: ToolScope, arguments: Arguments) -> str:
    """The answer of `short_grep`. A pattern that finds nothing is tried again as other tools would read it."""
    place, where, given = scope.place(arguments), _where(scope, arguments), arguments.text("pattern")

    async def find(pattern: str) -> Hits:
        limit = arguments.number("limit", LIMIT, MAX_LIMIT)
        return await patterns.grep(scope.store, scope.owner, place, pattern, where, limit, mark=NO_MARK)

    pattern, found = given, await find(given)
    translated = patterns.translated(given)
    if not found.total and translated != given:
        with suppress(UsageError):
            again = await find(translated)
            found, pattern = (again, translated) if again.total else (found, given)
    read_as = "" if pattern == given else pattern
    cursors = await _cursors(scope, found.hits, parse(pattern).phrases)
    return hits_text(found, scope.conversation, place, scope.answer_tokens, read_as, cursors)


def _where(scope: ToolScope, arguments: Arguments) -> Where:
    """Where to search, by speaker and time, as far as the tool has arguments for it."""
    return read_where(
        arguments.text("scope") or "both",
        arguments.text("role") or None,
        *(_short_span(arguments.text(name)) or None for name in ("last", "since", "before")),
        now_s=scope.clock(),
    )


def _short_span(text: str) -> str:
    """ "2 weeks" and "2 weeks ago" as "2w", "a year" as "12m"."""
    found = _SPAN.fullmatch(text)
    if found is None:
        return text
    number, unit = int(found[1] or 1), found[2][0].lower()
    return f"{12 * number}m" if unit == "y" else f"{number}{unit}"


async def _cursors(scope: ToolScope, hits: Iterable[Hit | Passage], phrases: Sequence[str]) -> dict[str, str]:
    """For the first hits in messages larger than an answer, by id, a cursor that begins around the match."""
    large = [one.id for one in hits if one.kind == "message" and one.expand_tokens > scope.answer_tokens]
    if not large:
        return {}
    found = await scope.store.read(scope.owner, large[:MAX_CURSORS])
    known = ((key, found[key][1]) for key in large if key in found)
    return {key: str(_cursor_at_match(one, phrases)) for key, one in known if isinstance(one, Stored)}


def _cursor_at_match(stored: Stored, phrases: Sequence[str]) -> Cursor:
    """The cursor a little before the best match in the parts that a budgeted reading shows."""
    parts = [part for part in stored.message.parts if not isinstance(part, Reasoning)]
    best, char = -1, 0
    for position, text in texts_of(parts):
        for read, is_unescaped in ((unescaped(text), True), (text, False)):
            start, score = best_place(without_codes(read, in_place=True), phrases)
            if score > best:
                lead = max(0, start - LEAD_CHARS)
                begin = lead and (read.find("\n", lead, start) + 1 or lead)
                best, char = score, position + (stored_place(text, begin) if is_unescaped else begin)
    return Cursor((stored.id,), include_results=True, to_messages=False, char=char)


async def expand(scope: ToolScope, arguments: Arguments) -> str:
    """The answer of `short_expand`; less is read again if headings make the answer too large."""
    room = max(reading.MIN_TOKENS, scope.answer_tokens - ENTRIES_NOTE_TOKENS)
    text = await _read_back(scope, arguments, room)
    for _ in range(MAX_READS):
        tokens = count_text(text)
        if tokens <= scope.answer_tokens or room <= reading.MIN_TOKENS:
            break
        room = max(reading.MIN_TOKENS, room * scope.answer_tokens * 15 // (tokens * 16))
        text = await _read_back(scope, arguments, room)
    return text


async def _read_back(scope: ToolScope, arguments: Arguments, budget_tokens: int) -> str:
    found = await reading.expand(
        scope.store,
        scope.owner,
        scope.place(arguments),
        arguments.ids("message_ids"),
        include_results=arguments.flag("include_results"),
        to_messages=arguments.flag("to_messages"),
        budget_tokens=budget_tokens,
        cursor=arguments.text("cursor"),
    )
    return entries_text(found, scope.conversation, scope.answer_tokens)


async def describe(scope: ToolScope, arguments: Arguments) -> str:
    """The answer of `short_describe`."""
    ids = arguments.ids("id")
    if len(ids) > MAX_DESCRIBED:
        raise UsageError(f"{len(ids)} ids are too many", hint=f"give at most {MAX_DESCRIBED} at a time")
    found: list[Outline] = []
    failed: list[NotFound] = []
    for one in ids:
        try:
            found.append(await reading.describe(scope.store, scope.owner, scope.place(arguments), one))
        except NotFound as error:
            failed.append(error)
    if not found:
        raise failed[0]
    note = "; ".join(str(error) for error in failed)
    return described(found, scope.conversation, scope.answer_tokens, note)
