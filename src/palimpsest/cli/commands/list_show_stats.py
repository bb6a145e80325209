"""`palimpsest list`, `show` and `stats`: what is stored."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated

from palimpsest.cli.declarations import option
from palimpsest.cli.options import OWNER, Conversation, Db, Json, Owner, Shared
from palimpsest.cli.output import Block, Output, fields_of
from palimpsest.cli.quick_answers import answered
from palimpsest.cli.session import Session, choose, perform
from palimpsest.cli.text_drawing import Listing, clean, clip, count, short_ids, shorten_text, size, when
from palimpsest.engine.reports import ConversationInfo, as_listed
from palimpsest.record.times import iso_time
from palimpsest.stores.sqlite.statistics import conversations

if TYPE_CHECKING:
    from palimpsest.engine.reports import Calls, Stats
    from palimpsest.record.log import Stored
    from palimpsest.stores.sqlite.statements import Db as Opened

_TITLE_CELLS = 80
_SHOWN_LINES = 12
_SHOWN_CHARS = 1_200
_MAX_SHOWN = 100_000
_LISTED = "id title messages tokens window_tokens updated_at parent"


def list_(owner: Owner = OWNER, db: Db = None, as_json: Json = False) -> None:
    """List the conversations, newest first.

    \b
    palimpsest list
    palimpsest list --json
    """
    shared = Shared("list", db, owner, as_json)

    def tell(known: list[ConversationInfo], output: Output) -> None:
        fields: dict[str, object] = {"conversations": [fields_of(one, _LISTED) for one in known]}
        output.result(fields, _info_block(known, output) if known else shared.nothing_stored)

    async def body(session: Session) -> None:
        tell(await session.engine.conversations(), session.output)

    if not answered(shared, lambda there: _listed(there, owner), tell):
        perform(shared, body)


def _listed(there: Opened, owner: str) -> list[ConversationInfo]:
    return [as_listed(row) for row in conversations(there, owner)]


def _info_block(known: list[ConversationInfo], output: Output) -> Block:
    ids = [one.id for one in known]
    short = short_ids(ids) if output.terminal else {one: one for one in ids}
    headings = ("conversation", "messages", "tokens", "window", "updated", "title")
    rows = tuple(
        (
            clean(short[one.id]),
            f"{one.messages:,}",
            f"{one.tokens:,}",
            f"{one.window_tokens:,}",
            one.updated_at[:10],
            ("> " if one.parent else "") + clip(one.title, _TITLE_CELLS),
        )
        for one in known
    )
    return Listing(headings, rows, frozenset({"messages", "tokens", "window"}))


def show(
    conversation: Conversation,
    start: Annotated[int, option("--start", metavar="N", min=1, help="Position of the first one shown.")] = 1,
    limit: Annotated[int, option("--limit", metavar="N", min=1, max=_MAX_SHOWN, help="How many.")] = 50,
    full: Annotated[bool, option("--full", help="Show long messages whole.")] = False,
    owner: Owner = OWNER,
    db: Db = None,
    as_json: Json = False,
) -> None:
    """Show the messages of a conversation, word for word.

    \b
    palimpsest show last
    palimpsest show last --start 200 --limit 10 --full
    """

    shared = Shared("show", db, owner, as_json)

    def tell(found: tuple[ConversationInfo, list[Stored]], output: Output) -> None:
        info, stored = found
        following = start + len(stored)
        fields: dict[str, object] = {
            "conversation": info.id,
            "total": info.messages,
            "messages": [_stored_fields(one) for one in stored],
        }
        blocks: list[Block] = [stored_text(one, full=full) + "\n" for one in stored]
        if following <= info.messages:
            more = f"palimpsest show {clean(info.id)} --start {following}"
            blocks.append(f"{count(info.messages - following + 1, 'more message')}: {more}")
        elif not stored:
            blocks.append(f"no message there: the conversation has {count(info.messages, 'message')}")
        output.result(fields, *blocks)

    def ask(there: Opened) -> tuple[ConversationInfo, list[Stored]] | None:
        from palimpsest.stores.sqlite.reading import messages

        known = _listed(there, owner)
        info = choose(conversation, known) if known else None
        return info and (info, messages(there, owner, info.id, start, start + limit - 1))

    async def body(session: Session) -> None:
        info = choose(conversation, await session.engine.conversations())
        tell(
            (info, await session.engine.conversation(info.id).messages(start=start, limit=limit)),
            session.output,
        )

    if not answered(shared, ask, tell):
        perform(shared, body)


def _stored_fields(one: Stored) -> dict[str, object]:
    from palimpsest.cli.message_text import part_fields

    message = one.message
    return {
        "id": one.id,
        "position": one.seq,
        "role": message.role,
        "time": iso_time(message.time_s),
        "model": message.model,
        "tokens": one.tokens,
        "text": message.text,
        "parts": [part_fields(part) for part in message.parts],
    }


def stored_text(one: Stored, *, full: bool) -> str:
    """A stored message under a line that says which it is."""
    from palimpsest.cli.message_text import message_text

    message = one.message
    facts = (
        one.id,
        message.role,
        when(iso_time(message.time_s)),
        f"{one.tokens:,} tokens",
        "still open" * one.open,
    )
    text = message_text(message)
    shown = clean(text) if full else shorten_text(text, _SHOWN_LINES, _SHOWN_CHARS)
    return "  ".join(fact for fact in facts if fact) + "\n" + _indented(shown)


def _indented(text: str) -> str:
    return "\n".join(f"    {line}".rstrip() for line in text.split("\n"))


def stats(owner: Owner = OWNER, db: Db = None, as_json: Json = False) -> None:
    """Count what is stored.

    \b
    palimpsest stats
    """
    shared = Shared("stats", db, owner, as_json)

    def tell(found: Stats, output: Output) -> None:
        there = shared.path.exists()
        fields: dict[str, object] = {
            **fields_of(found, "messages tokens conversations summaries_by_depth compactions"),
            "size_bytes": found.size_bytes if there else 0,
            "summaries_by_method": found.summaries_by_method,
            "replies": asdict(found.replies),
            "summarizing": asdict(found.summarizing),
            "to_index": found.to_index,
        }
        output.result(fields, _stats_lines(found, str(shared.path)) if there else shared.nothing_stored)

    def ask(there: Opened) -> Stats | None:
        from palimpsest.engine.reports import stats_of
        from palimpsest.stores.sqlite.statistics import counts, spending

        found = counts(there, owner)
        return stats_of(found, spending(there, owner), {}) if found.conversations else None

    async def body(session: Session) -> None:
        tell(await session.engine.stats(), session.output)

    if not answered(shared, ask, tell):
        perform(shared, body)


def _stats_lines(found: Stats, path: str) -> list[str]:
    depths = ", ".join(f"{number:,} at depth {depth}" for depth, number in found.summaries_by_depth.items())
    methods = ", ".join(f"{number:,} {method}" for method, number in found.summaries_by_method.items())
    return [
        f"database       {path}",
        f"size           {size(found.size_bytes)}",
        f"conversations  {found.conversations:,}",
        f"messages       {found.messages:,}",
        f"tokens         {found.tokens:,}",
        f"compactions    {found.compactions:,}",
        f"summaries      {depths or 'none'}{f' ({methods})' if methods else ''}",
        f"replies        {_calls_line(found.replies)}",
        f"summarizing    {_calls_line(found.summarizing)}",
        *(
            [f"search index   being made anew: up to {found.to_index:,} texts to go"]
            if found.to_index
            else []
        ),
    ]


def _calls_line(calls: Calls) -> str:
    if not calls.calls:
        return "no call was paid for"
    cached = f" ({calls.cached_tokens / calls.input_tokens:.0%} cached)" if calls.cached_tokens else ""
    return (
        f"{count(calls.calls, 'call')}, {calls.input_tokens:,} tokens in{cached}, {calls.output_tokens:,} out, "
        f"${calls.cost:,.2f}"
    )
