"""`palimpsest list`: the stored conversations."""

from __future__ import annotations

from typing import TYPE_CHECKING

from palimpsest.cli.drawing import Listing, clean, clip
from palimpsest.cli.options import Shared, command
from palimpsest.cli.output import Block, Output, fields_of
from palimpsest.cli.session import Session, answer_from_database, perform
from palimpsest.engine.reports import ConversationInfo, as_listed
from palimpsest.stores.sqlite.statistics import conversations

if TYPE_CHECKING:
    from palimpsest.stores.sqlite.statements import Db as Database

_TITLE_CELLS = 80


@command("list")
def list_(shared: Shared) -> None:
    """List the conversations, newest first.

    \b
    palimpsest list
    palimpsest list --json
    """

    def show(known: list[ConversationInfo], output: Output) -> None:
        names = "id title messages tokens window_tokens updated_at parent"
        fields: dict[str, object] = {"conversations": [fields_of(one, names) for one in known]}
        output.result(fields, _listing(known, output) if known else shared.nothing_stored)

    async def body(session: Session) -> None:
        show(await session.engine.conversations(), session.output)

    if not answer_from_database(shared, lambda database: listed(database, shared.owner), show):
        perform(shared, body)


def listed(database: Database, owner: str) -> list[ConversationInfo]:
    """The owner's conversations, newest first, read without an engine."""
    return [as_listed(row) for row in conversations(database, owner)]


def _listing(known: list[ConversationInfo], output: Output) -> Block:
    short = output.ids([one.id for one in known])
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
