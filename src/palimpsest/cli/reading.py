"""`palimpsest expand` and `describe`: reading back what left the window."""

from __future__ import annotations

from typing import Annotated

import typer

from palimpsest.cli.draw import Listing, clean, count, when
from palimpsest.cli.options import OWNER, Db, Json, Owner, Shared
from palimpsest.cli.output import Block
from palimpsest.cli.session import Session, perform
from palimpsest.cli.transcribe import part_fields, parts_text
from palimpsest.engine.reports import Entry, Outline

_SHOWN_CHILDREN = 40

Ids = Annotated[
    list[str], typer.Argument(metavar="ID", help="Ids such as m12 or s3, as grep and show print them.")
]


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
