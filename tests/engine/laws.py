"""The laws every conversation keeps, whatever happened to it; written apart from the code that keeps them."""

from __future__ import annotations

import dataclasses
import json
from collections import Counter
from collections.abc import Awaitable, Iterator, Sequence
from functools import cache
from typing import Any, TypeVar, cast

from palimpsest.budget.assemble import Request
from palimpsest.engine.conversation import Conversation, state_of
from palimpsest.engine.reports import WindowView
from palimpsest.errors import DoesNotFit
from palimpsest.formats.rules import anthropic_breaches, bedrock_breaches, gemini_breaches, openai_breaches
from palimpsest.ports import Loaded
from palimpsest.record.message import Message, is_developer
from palimpsest.record.window import Window
from palimpsest.record.window_items import MessageItem, OmittedItem, StubItem, SummaryItem

Result = TypeVar("Result")

BEGINNING_CHARS = 16
"""Of a request, what an outline shows of it in any case."""

_UNCOUNTED = {
    "type",
    "role",
    "id",
    "tool_call_id",
    "tool_use_id",
    "data",
    "file_data",
    "url",
    "signature",
    "media_type",
    "uri",
}


@cache
def _tokenizer() -> Any:
    from rs_bpe.bpe import openai

    return openai.o200k_base()


def exact_tokens(text: str) -> int:
    """Tokens of a text in the o200k vocabulary."""
    return int(_tokenizer().count(text.encode("utf-8", "replace").decode("utf-8")))


def _texts(value: object, key: str = "") -> Iterator[str]:
    if isinstance(value, str):
        if key not in _UNCOUNTED:
            yield value
    elif isinstance(value, dict):
        for inner_key, inner in cast("dict[str, object]", value).items():
            if inner_key == "input" and not isinstance(inner, str):
                yield json.dumps(inner, ensure_ascii=False)
            else:
                yield from _texts(inner, inner_key)
    elif isinstance(value, list):
        for inner in cast("list[object]", value):
            yield from _texts(inner, key)


def exact_request_tokens(body: dict[str, object]) -> int:
    """Tokens of all texts of a rendered request: words, names, arguments; no ids, no media."""
    return sum(exact_tokens(text) for text in _texts(body))


def groups_of(history: Sequence[Message]) -> list[tuple[int, int]]:
    """(first, last) positions, from 1, of every tool group of two messages or more."""
    found: list[tuple[int, int]] = []
    waiting: Counter[str] = Counter()
    first = last = 0
    for position, message in enumerate(history, 1):
        if message.role == "assistant":
            found.append((first, last))
            waiting = Counter(call.id for call in message.calls)
            first = last = position
        for result in message.results:
            if waiting[result.call_id] > 0:
                waiting[result.call_id] -= 1
                last = position
    return [span for span in (*found, (first, last)) if span[1] > span[0]]


def assert_covered(window: Window, size: int) -> None:
    """Every position from 1 to `size` lies under exactly one item, in order."""
    covered = [position for item in window.items for position in range(item.first, item.last + 1)]
    assert covered == list(range(1, size + 1))


def assert_groups_whole(window: Window, history: Sequence[Message], fork_seq: int = 0) -> None:
    """No summary and no dropped range holds part of a tool group that began after the fork."""
    spans = [span for span in groups_of(history) if span[0] > fork_seq]
    ranges = [(item.first, item.last) for item in window.items if isinstance(item, SummaryItem | OmittedItem)]
    split = [
        (span, around)
        for span in spans
        for around in ranges
        if around[0] <= span[1]
        and span[0] <= around[1]
        and not (around[0] <= span[0] and span[1] <= around[1])
    ]
    assert split == []


def assert_newest_request_kept(
    window: Window, history: Sequence[Message], fork_seq: int = 0, *, answered_may_go: bool = False
) -> None:
    """The user's newest message stands verbatim or quoted, where it was said after the fork, and so does every other
    that is quoted. In a window of a small size that was asked for, an outline may hold it, with its beginning. Where
    everything is replaced, one that a reply has answered may go.
    """
    newest = max((position for position, one in enumerate(history, 1) if one.role == "user"), default=0)
    quoted = [item for item in window.items if isinstance(item, SummaryItem) and item.summary.quotes]
    verbatim = {item.first for item in window.items if isinstance(item, MessageItem)}
    begun = history[newest - 1].text.strip()[:BEGINNING_CHARS] if newest else ""
    outlined = [
        item
        for item in window.items
        if isinstance(item, SummaryItem) and item.first <= newest <= item.last and begun in item.summary.text
    ]
    answered = any(one.role == "assistant" and not one.calls for one in history[newest:])
    kept = newest in verbatim | {item.summary.quotes for item in quoted} or outlined
    assert newest <= fork_seq or kept or (answered_may_go and answered)
    for item in quoted:
        assert item.quoted is not None
        assert item.first <= item.summary.quotes <= item.last
        assert essence(item.quoted.message) == essence(history[item.summary.quotes - 1])


def assert_newest_told_kept(window: Window, history: Sequence[Message], fork_seq: int = 0) -> None:
    """The newest system message and the newest developer message stand verbatim, where they came after the fork."""
    told = [(position, one) for position, one in enumerate(history, 1) if one.role == "system"]
    newest = {is_developer(one): position for position, one in told}.values()
    verbatim = {item.first for item in window.items if isinstance(item, MessageItem | StubItem)}
    assert {position for position in newest if position > fork_seq} <= verbatim


def assert_request_lawful(request: Request, room_tokens: int) -> None:
    """Every provider would take it, and it is within the room, counted exactly."""
    assert gemini_breaches(request.gemini()) == ()
    assert bedrock_breaches(request.converse()) == ()
    for body, breaches in ((request.openai(), openai_breaches), (request.anthropic(), anthropic_breaches)):
        assert breaches(body) == ()
        assert exact_request_tokens(body) <= room_tokens


def essence(message: Message) -> str:
    """What must come back unchanged, as JSON, in which the halves of a surrogate pair are the whole character."""
    parts = [(type(part).__name__, dataclasses.astuple(part)) for part in message.parts]
    return json.dumps((message.role, message.name, message.wire, message.extra, parts))


async def tried(work: Awaitable[Result]) -> tuple[Result | None, DoesNotFit | None]:
    """What a call gave, or why nothing fits."""
    try:
        return await work, None
    except DoesNotFit as refusal:
        return None, refusal


def outline(holder: WindowView | Loaded) -> list[tuple[str, str, int, int, int]]:
    """A window's items as what and where they are."""
    return [
        (type(item).__name__, item.id, item.first, item.last, item.tokens) for item in holder.window.items
    ]


async def assert_lawful(talk: Conversation, history: Sequence[Message]) -> None:
    """Everything that holds at rest: coverage, whole groups, the newest request, exact expansion, strict progress."""
    loaded = await state_of(talk).store.load_window(state_of(talk).owner, talk.id)
    assert loaded is not None
    window, branch = loaded.window, loaded.branch
    assert branch.head.seq == len(history)
    assert outline(await talk.window()) == outline(loaded)
    assert_covered(window, len(history))
    assert_groups_whole(window, history, branch.fork_seq)
    replaces_all = state_of(talk).settings.cuts_at == "everything"
    assert_newest_request_kept(window, history, branch.fork_seq, answered_may_go=replaces_all)
    assert_newest_told_kept(window, history, branch.fork_seq)
    verbatim = [item for item in window.items if isinstance(item, MessageItem | StubItem)]
    pairs = [(essence(item.stored.message), essence(history[item.first - 1])) for item in verbatim]
    assert [(kept, said) for kept, said in pairs if kept != said] == []
    for item in window.items:
        if isinstance(item, SummaryItem):
            entries = await talk.expand([item.id], to_messages=True)
            sources = history[item.first - 1 : item.last]
            back = [
                essence(dataclasses.replace(source, role=one.role, parts=one.parts))
                for one, source in zip(entries, sources, strict=True)
            ]
            assert back == [essence(source) for source in sources]
    for record in await talk.compactions():
        assert record.after_tokens < record.before_tokens
        assert len(record.calls) <= 2
