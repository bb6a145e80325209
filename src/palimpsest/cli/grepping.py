"""`palimpsest grep`: finding messages and summaries by pattern."""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated

import typer

from palimpsest.cli.draw import clean, clip, count, short_ids, when, wrap
from palimpsest.cli.options import OWNER, Db, Json, Owner, Shared, complete_conversation
from palimpsest.cli.output import Block, Output
from palimpsest.cli.session import Session, perform
from palimpsest.engine.reports import Hit, Hits

_MAX_HITS = 1_000
_SNIPPET_CELLS = 320


class Scope(StrEnum):
    """Where grep looks."""

    both = "both"
    message = "message"
    summary = "summary"


def grep(
    pattern: Annotated[
        str, typer.Argument(metavar="PATTERN", help='Words that must all occur; "in quotes", a phrase.')
    ],
    conversation: Annotated[
        str | None,
        typer.Argument(metavar="CONV", help="Only this conversation.", autocompletion=complete_conversation),
    ] = None,
    scope: Annotated[
        Scope, typer.Option("--scope", help="Look in messages, summaries or both.")
    ] = Scope.both,
    limit: Annotated[
        int, typer.Option("--limit", metavar="N", min=1, max=_MAX_HITS, help="The most hits shown.")
    ] = 20,
    owner: Owner = OWNER,
    db: Db = None,
    as_json: Json = False,
) -> None:
    """Find messages and summaries that hold all of the words.

    \b
    palimpsest grep "timeout retry"
    palimpsest grep '"connection refused"' last --scope message
    """

    async def body(session: Session) -> None:
        if conversation is None:
            found = await session.engine.grep(pattern, scope=scope.value, limit=limit)
        else:
            talk = await session.conversation(conversation)
            found = await talk.grep(pattern, scope=scope.value, limit=limit)
        fields: dict[str, object] = {"total": found.total, "hits": [hit_fields(hit) for hit in found.hits]}
        session.output.result(fields, *_hit_blocks(found, session.output))

    perform(Shared("grep", db, owner, as_json), body)


def hit_fields(hit: Hit) -> dict[str, object]:
    """A hit as settled."""
    return {
        "id": hit.id,
        "kind": hit.kind,
        "conversation": hit.conversation,
        "role": hit.role,
        "time": hit.time,
        "rank": hit.rank,
        "depth": hit.depth,
        "snippet": hit.snippet,
        "tokens": hit.tokens,
    }


def _hit_blocks(found: Hits, output: Output) -> list[Block]:
    if not found.hits:
        return ["no hit: all words must occur in one message or summary"]
    short = short_ids([hit.conversation for hit in found.hits])
    blocks: list[Block] = []
    for hit in found.hits:
        what = (
            hit.role
            if hit.kind == "message"
            else f"summary of depth {hit.depth}, {count(hit.covers, 'message')}"
        )
        place = short[hit.conversation] if output.terminal else hit.conversation
        facts = (hit.id, what, when(hit.time), count(hit.tokens, "token"), clean(place))
        snippet = clip(hit.snippet, _SNIPPET_CELLS)
        said = wrap(snippet, output.width - 4) if output.terminal else [snippet]
        blocks.append(["  ".join(fact for fact in facts if fact), *(f"    {line}" for line in said)])
    rest = found.total - len(found.hits)
    more = f" ({rest:,} more: --limit {min(found.total, _MAX_HITS)})" if rest > 0 else ""
    blocks.append(f"\n{count(found.total, 'hit')}{more}; read one back: palimpsest expand {found.hits[0].id}")
    return blocks
