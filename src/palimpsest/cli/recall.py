"""`palimpsest grep`, `expand` and `describe`: finding and reading back what left the window."""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated

import typer

from palimpsest.cli.draw import Listing, clean, clip, count, short_ids, when, wrap
from palimpsest.cli.options import OWNER, Db, Json, Owner, Shared, complete_conversation
from palimpsest.cli.output import Block, Output
from palimpsest.cli.session import Session, perform
from palimpsest.cli.transcribe import part_fields, parts_text
from palimpsest.engine.reports import Entry, Hit, Hits, Outline

_MAX_HITS = 1_000
_SHOWN_CHILDREN = 40
_SNIPPET_CELLS = 320

Ids = Annotated[
    list[str], typer.Argument(metavar="ID", help="Ids such as m12 or s3, as grep and show print them.")
]


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


def expand(
    ids: Ids,
    messages: Annotated[
        bool, typer.Option("--messages", help="Open summaries all the way down to messages.")
    ] = False,
    no_results: Annotated[bool, typer.Option("--no-results", help="Leave out what tools returned.")] = False,
    owner: Owner = OWNER,
    db: Db = None,
    as_json: Json = False,
) -> None:
    """Read messages back in full, summaries as their sources.

    \b
    palimpsest expand m12 m13
    palimpsest expand s3 --messages
    """

    async def body(session: Session) -> None:
        entries = await session.engine.expand(ids, include_results=not no_results, to_messages=messages)
        fields: dict[str, object] = {"entries": [entry_fields(entry) for entry in entries]}
        session.output.result(fields, *(entry_text(entry) for entry in entries))

    perform(Shared("expand", db, owner, as_json), body)


def entry_fields(entry: Entry) -> dict[str, object]:
    """An entry as settled, with where and when."""
    return {
        "id": entry.id,
        "kind": entry.kind,
        "role": entry.role,
        "text": entry.text,
        "parts": [part_fields(part) for part in entry.parts],
        "sources": list(entry.sources),
        "conversation": entry.conversation,
        "time": entry.time,
        "depth": entry.depth,
        "tokens": entry.tokens,
    }


def entry_text(entry: Entry) -> str:
    """An entry under a line that says what it is, nothing cut."""
    what = entry.role if entry.kind == "message" else f"summary of depth {entry.depth}"
    facts = (entry.id, what, when(entry.time), count(entry.tokens, "token"))
    text = parts_text(entry.parts) if entry.parts else entry.text
    return "  ".join(fact for fact in facts if fact) + f"\n{clean(text)}\n"


def describe(
    given: Annotated[str, typer.Argument(metavar="ID", help="An id such as s3 or m12.")],
    owner: Owner = OWNER,
    db: Db = None,
    as_json: Json = False,
) -> None:
    """Say what lies under an id, and what reading it costs.

    \b
    palimpsest describe s3
    """

    async def body(session: Session) -> None:
        outline = await session.engine.describe(given)
        session.output.result(outline_fields(outline), *outline_blocks(outline))

    perform(Shared("describe", db, owner, as_json), body)


def outline_fields(outline: Outline) -> dict[str, object]:
    """An outline as settled."""
    return {
        "id": outline.id,
        "kind": outline.kind,
        "conversation": outline.conversation,
        "depth": outline.depth,
        "first_time": outline.first_time,
        "last_time": outline.last_time,
        "messages": outline.messages,
        "tokens_by_level": {str(level): tokens for level, tokens in outline.tokens_by_level.items()},
        "files": list(outline.files),
        "children": list(outline.children),
    }


def outline_blocks(outline: Outline) -> list[Block]:
    """An outline for a person: facts, the cost of each level, files, children."""
    what = "message" if outline.kind == "message" else f"summary of depth {outline.depth}"
    span = " to ".join(dict.fromkeys(filter(None, (when(outline.first_time), when(outline.last_time)))))
    lines = [f"{outline.id}  {what}, {count(outline.messages, 'message')}  {span}".rstrip()]
    lines.append(f"in conversation {clean(outline.conversation)}")
    rows = tuple(
        ("messages" if level == 0 else f"summaries of depth {level - 1}", f"{tokens:,}")
        for level, tokens in sorted(outline.tokens_by_level.items(), reverse=True)
    )
    blocks: list[Block] = [lines, "", Listing(("to read", "tokens"), rows, frozenset({"tokens"}))]
    if outline.files:
        blocks.append(["", "files", *(f"  {clean(path)}" for path in outline.files)])
    if outline.children:
        shown = " ".join(outline.children[:_SHOWN_CHILDREN])
        rest = len(outline.children) - _SHOWN_CHILDREN
        blocks.append(["", f"made from  {shown}" + (f" ... and {rest:,} more" if rest > 0 else "")])
    return blocks
