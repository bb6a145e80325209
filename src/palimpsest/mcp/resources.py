"""Conversations and summaries as resources, which users can attach to a prompt.

    palimpsest://conversation/ID          its newest messages, as many as fit
    palimpsest://conversation/ID?start=N  its messages from position N on
    palimpsest://summary/s3               a summary with its sources

Ids in a URI are percent-encoded. The text is limited in tokens and names the resource that continues it.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass
from typing import Literal
from urllib.parse import parse_qs, quote, unquote, urlsplit

from palimpsest.budget.token_estimator import count_text
from palimpsest.engine.conversation import Conversation
from palimpsest.engine.engine import Engine
from palimpsest.engine.reports import ConversationInfo, find_conversation
from palimpsest.engine.tools.answers import DATA, spoken
from palimpsest.errors import NotFound
from palimpsest.record.log import Stored
from palimpsest.record.recall_mark import RECALLED
from palimpsest.record.summary import Summary
from palimpsest.record.times import iso_time

SCHEME = "palimpsest"
IDS_HINT = 'status lists the newest, resources list all; "last" is the newest'
RESOURCE_TOKENS = 12_000
MESSAGE_CHARS = 4_000
PAGE = 50
_FETCHED = 100
_SHOWN_SOURCES = 40

Kind = Literal["conversation", "summary"]


@dataclass(frozen=True, slots=True)
class Address:
    """A parsed URI. `start` is the position of the first message, 0 for the newest ones."""

    kind: Kind
    id: str
    start: int = 0


def uri_of(kind: Kind, given: str, start: int = 0) -> str:
    """The URI of a resource."""
    return f"{SCHEME}://{kind}/{quote(given, safe='')}" + (f"?start={start}" if start else "")


def read_uri(uri: str) -> Address:
    """The address in a URI. Raises NotFound for an unknown form."""
    try:
        parts = urlsplit(uri)
    except ValueError:
        raise _unknown(uri) from None
    given = unquote(parts.path.removeprefix("/"))
    if parts.scheme != SCHEME or not given or "/" in parts.path[1:]:
        raise _unknown(uri)
    match parts.netloc:
        case "conversation":
            start = parse_qs(parts.query).get("start", ["0"])[0]
            return Address(
                "conversation",
                given,
                int(start) if start.isascii() and start.isdigit() and len(start) < 10 else 0,
            )
        case "summary":
            return Address("summary", given)
        case _:
            raise _unknown(uri)


def _unknown(uri: str) -> NotFound:
    return NotFound(
        f"no resource {uri[:120]!r}",
        hint=f"resources are {SCHEME}://conversation/ID and {SCHEME}://summary/ID",
    )


def page_of(
    known: Sequence[ConversationInfo], cursor: str | None
) -> tuple[Sequence[ConversationInfo], str | None]:
    """A page of conversations, and the cursor of the next page. A cursor is the last id of the page before. Raises
    NotFound for an unknown one.
    """
    ids = [one.id for one in known]
    if cursor and cursor not in ids:
        raise NotFound("the list has changed", hint="start again without a cursor")
    at = ids.index(cursor) + 1 if cursor else 0
    page = known[at : at + PAGE]
    return page, page[-1].id if at + PAGE < len(known) else None


async def read_text(engine: Engine, address: Address) -> str:
    """The text of a resource, at most about `RESOURCE_TOKENS`. Raises NotFound."""
    if address.kind == "summary":
        return await _summary(engine, address.id)
    info = find_conversation(address.id, await engine.conversations(), IDS_HINT)
    talk = engine.conversation(info.id)
    shown = await _fitting(_messages(talk, info.messages, address.start))
    if not address.start:
        shown.reverse()
    return _conversation_text(info, shown)


async def _messages(talk: Conversation, count: int, start: int) -> AsyncIterator[Stored]:
    """The messages of a conversation from a position on, or for 0 from the newest back, read on demand."""
    if start:
        for first in range(start, count + 1, _FETCHED):
            for one in await talk.messages(first, _FETCHED):
                yield one
        return
    for last in range(count, 0, -_FETCHED):
        first = max(1, last - _FETCHED + 1)
        for one in reversed(await talk.messages(first, last - first + 1)):
            yield one


async def _fitting(stored: AsyncIterator[Stored]) -> list[tuple[Stored, str]]:
    """The first messages that fit, at least one, with their text."""
    found: list[tuple[Stored, str]] = []
    used = 0
    async for one in stored:
        text = _message_text(one)
        used += count_text(text)
        if found and used > RESOURCE_TOKENS:
            break
        found.append((one, text))
    return found


def _conversation_text(info: ConversationInfo, shown: Sequence[tuple[Stored, str]]) -> str:
    title = " ".join(info.title.split())
    head = f"{RECALLED} conversation {info.id}, {DATA}]" + (f"\n{title}" if title else "")
    if not shown:
        return f"{head}\n{info.messages:,} messages, none at this position"
    first, last = shown[0][0].seq, shown[-1][0].seq
    lines = [head, f"messages {first:,} to {last:,} of {info.messages:,}"]
    if first > 1:
        lines.append(f"what came before: {uri_of('conversation', info.id, max(1, first - len(shown)))}")
    if last < info.messages:
        lines.append(f"what follows: {uri_of('conversation', info.id, last + 1)}")
    return "\n".join([*lines, "", *(text for _, text in shown)])


def _message_text(one: Stored) -> str:
    """A message under a line with its facts; a long one is cut, with a note on how to read it in full."""
    message = one.message
    text = spoken(message.parts).strip()
    if len(text) > MESSAGE_CHARS:
        text = f"{text[:MESSAGE_CHARS]}\n[{len(text) - MESSAGE_CHARS:,} more characters: expand {one.id}]"
    facts = (one.id, message.role, iso_time(message.time_s))
    return f"{', '.join(fact for fact in facts if fact)}\n{text}\n"


async def _summary(engine: Engine, given: str) -> str:
    found = (await engine.store.read(engine.owner, [given])).get(given)
    home, summary = found or ("", None)
    if not isinstance(summary, Summary):
        raise NotFound(f"no summary {given[:80]!r}", hint="ids of summaries look like s3")
    times = [one for one in (iso_time(summary.earliest_s), iso_time(summary.latest_s)) if one]
    span = " to ".join(dict.fromkeys(times))
    facts = (f"summary {summary.id}", f"{summary.covers:,} messages", span, f"in {home}")
    sources = " ".join(summary.sources[:_SHOWN_SOURCES])
    rest = len(summary.sources) - _SHOWN_SOURCES
    return "\n".join(
        [
            f"{RECALLED} {', '.join(one for one in facts if one)}, {DATA}]",
            f"conversation: {uri_of('conversation', home, summary.first)}",
            f"made from: {sources}" + (f" and {rest:,} more" if rest > 0 else ""),
            "",
            summary.text,
        ]
    )
