"""`palimpsest show`: the messages of a conversation."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

from palimpsest.cli.commands.list_ import listed
from palimpsest.cli.drawing import clean, count, joined, shorten_text, when
from palimpsest.cli.options import Conversation, Shared, command
from palimpsest.cli.output import Block, Output, part_fields, parts_text
from palimpsest.cli.parameters import option
from palimpsest.cli.session import Session, answer_from_database, perform
from palimpsest.engine.reports import ConversationInfo, find_conversation
from palimpsest.record.times import iso_time

if TYPE_CHECKING:
    from palimpsest.record.log import Stored
    from palimpsest.stores.sqlite.statements import Db as Database

_SHOWN_LINES = 12
_SHOWN_CHARS = 1_200
_MAX_SHOWN = 100_000


@command("show")
def show(
    shared: Shared,
    conversation: Conversation,
    start: Annotated[int, option("--start N", "Position of the first message shown.", min=1)] = 1,
    limit: Annotated[int, option("--limit N", "How many.", min=1, max=_MAX_SHOWN)] = 50,
    full: Annotated[bool, option("--full", "Show long messages completely.")] = False,
) -> None:
    """Show the messages of a conversation, word for word.

    \b
    palimpsest show last
    palimpsest show last --start 200 --limit 10 --full
    """

    def print_messages(found: tuple[ConversationInfo, list[Stored]], output: Output) -> None:
        info, stored = found
        following = start + len(stored)
        blocks: list[Block] = [_text(one, full=full) + "\n" for one in stored]
        if following <= info.messages:
            more = f"palimpsest show {clean(info.id)} --start {following}"
            blocks.append(f"{count(info.messages - following + 1, 'more message')}: {more}")
        elif not stored:
            blocks.append(f"no message there: the conversation has {count(info.messages, 'message')}")
        messages = [_fields(one) for one in stored]
        output.result({"conversation": info.id, "total": info.messages, "messages": messages}, *blocks)

    def ask(database: Database) -> tuple[ConversationInfo, list[Stored]] | None:
        from palimpsest.stores.sqlite.reading import messages

        known = listed(database, shared.owner)
        info = find_conversation(conversation, known) if known else None
        return info and (info, messages(database, shared.owner, info.id, start, start + limit - 1))

    async def body(session: Session) -> None:
        info = find_conversation(conversation, await session.engine.conversations())
        stored = await session.engine.conversation(info.id).messages(start=start, limit=limit)
        print_messages((info, stored), session.output)

    if not answer_from_database(shared, ask, print_messages):
        perform(shared, body)


def _fields(one: Stored) -> dict[str, object]:
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


def _text(one: Stored, *, full: bool) -> str:
    """A message under a line with its facts."""
    message = one.message
    still_open = "still open" if one.open else ""
    head = joined(one.id, message.role, when(iso_time(message.time_s)), f"{one.tokens:,} tokens", still_open)
    text = parts_text(message.parts)
    shown = clean(text) if full else shorten_text(text, _SHOWN_LINES, _SHOWN_CHARS)
    return "\n".join([head, *(f"    {line}".rstrip() for line in shown.split("\n"))])
