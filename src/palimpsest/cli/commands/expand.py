"""`palimpsest expand` and `describe`: reading back what left the window."""

from __future__ import annotations

from typing import Annotated

import typer

from palimpsest.cli.compact_report import call_fields, call_lines
from palimpsest.cli.message_text import part_fields, parts_text
from palimpsest.cli.options import OWNER, Db, Json, Owner, Shared
from palimpsest.cli.output import Block, fields_of
from palimpsest.cli.session import Session, perform
from palimpsest.cli.text_drawing import Listing, clean, count, when
from palimpsest.engine.reports import Entry, Outline
from palimpsest.engine.tools.answers import runs
from palimpsest.errors import NotFound

_SHOWN_CHILDREN = 40

_Ids = Annotated[
    list[str] | None,
    typer.Argument(
        metavar="ID", help="Ids such as m12 or s3, as grep and show print them, or a range: m12-m20."
    ),
]


def expand(
    ids: _Ids = None,
    messages: Annotated[
        bool, typer.Option("--messages", help="Open summaries all the way down to messages.")
    ] = False,
    no_results: Annotated[bool, typer.Option("--no-results", help="Leave out what tools returned.")] = False,
    tokens: Annotated[
        int | None,
        typer.Option("--tokens", metavar="N", help="At most so many tokens; the rest by --cursor."),
    ] = None,
    cursor: Annotated[
        str, typer.Option("--cursor", metavar="TEXT", help="Go on where --tokens ended; no ids are needed.")
    ] = "",
    owner: Owner = OWNER,
    db: Db = None,
    as_json: Json = False,
) -> None:
    """Read messages back in full, summaries as their sources.

    \b
    palimpsest expand m12 m13
    palimpsest expand m12-m20
    palimpsest expand s3 --messages --tokens 4000
    """

    async def body(session: Session) -> None:
        found = await session.engine.expand(ids or (), not no_results, messages, tokens, cursor)
        entries, missing, note = list(found), found.missing, found.note
        while tokens is None and found.cursor:
            found = await session.engine.expand(cursor=found.cursor)
            entries.extend(found)
        fields: dict[str, object] = {
            "entries": [entry_fields(entry) for entry in entries],
            "cursor": found.cursor,
            "missing": list(missing),
        }
        blocks = [entry_text(entry) for entry in entries]
        if found.cursor:
            blocks.append(f"more: palimpsest expand --tokens {tokens} --cursor {found.cursor}")
        session.output.result(fields, *blocks)
        if missing:
            session.output.note(clean(note))
            raise typer.Exit(NotFound.exit_code)

    perform(Shared("expand", db, owner, as_json), body)


def entry_fields(entry: Entry) -> dict[str, object]:
    """An entry as settled, with where and when."""
    return {
        **fields_of(entry, "id kind role text"),
        "parts": [part_fields(part) for part in entry.parts],
        **fields_of(entry, "sources conversation time depth tokens before_chars after_chars current"),
    }


def entry_text(entry: Entry) -> str:
    """An entry under a line that says what it is, nothing cut but what a budget left over."""
    what = entry.role if entry.kind == "message" else f"summary of depth {entry.depth}"
    facts = [entry.id, what, when(entry.time), count(entry.tokens, "token")]
    if not entry.current:
        facts.append("before an edit")
    if entry.before_chars:
        facts.append(f"from character {entry.before_chars:,} on")
    if entry.after_chars:
        facts.append(f"{count(entry.after_chars, 'character')} to come")
    text = parts_text(entry.parts) if entry.parts else entry.text
    if entry.left_out_tokens:
        text += f"\n[results left out, about {count(entry.left_out_tokens, 'token')}]"
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
        engine = session.engine
        outline = await engine.describe(given)
        made = await engine.store.compactions(engine.owner, outline.conversation)
        calls = [call for one in made if one.item_id == outline.id for call in one.calls]
        fields = outline_fields(outline) | {"calls": [call_fields(call) for call in calls]}
        asked: list[Block] = [["", "calls of a summarizer", *call_lines(calls, session.output.width)]]
        session.output.result(fields, *outline_blocks(outline), *(asked if calls else []))

    perform(Shared("describe", db, owner, as_json), body)


def outline_fields(outline: Outline) -> dict[str, object]:
    """An outline as settled."""
    return fields_of(
        outline,
        "id kind conversation depth first_time last_time messages tokens_by_level counts_by_level files all_files "
        "result_tokens children",
    )


def outline_blocks(outline: Outline) -> list[Block]:
    """An outline for a person: facts, the cost of each level, files, children."""
    what = "message" if outline.kind == "message" else f"summary of depth {outline.depth}"
    span = " to ".join(dict.fromkeys(filter(None, (when(outline.first_time), when(outline.last_time)))))
    lines = [f"{outline.id}  {what}, {count(outline.messages, 'message')}  {span}".rstrip()]
    lines.append(f"in conversation {clean(outline.conversation)}")
    rows = [
        (f"{number:,}", _level(level, number), f"{tokens:,}")
        for level, tokens in sorted(outline.tokens_by_level.items(), reverse=True)
        for number in (outline.counts_by_level.get(level, 0),)
    ]
    if outline.result_tokens:
        rows.append(("", "of them results (--no-results)", f"{outline.result_tokens:,}"))
    blocks: list[Block] = [
        lines,
        "",
        Listing(("", "to read", "tokens"), tuple(rows), frozenset(("", "tokens"))),
    ]
    if outline.files:
        blocks.append(
            [
                "",
                "files" if outline.all_files else "files, among others",
                *(f"  {clean(path)}" for path in outline.files),
            ]
        )
    if outline.children:
        made_from = runs(outline.children)
        shown = " ".join(made_from[:_SHOWN_CHILDREN])
        rest = len(made_from) - _SHOWN_CHILDREN
        blocks.append(["", f"made from  {shown}" + (f" ... and {rest:,} more" if rest > 0 else "")])
    return blocks


def _level(level: int, number: int) -> str:
    """What stands on a level, as so many of it are called."""
    noun = count(number, "summary" if level else "message").partition(" ")[2]
    return f"{noun} of depth {level - 1}" if level else noun
