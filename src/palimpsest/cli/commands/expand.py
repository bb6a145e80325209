"""`palimpsest expand`: read back messages and summaries that left the window."""

from __future__ import annotations

from typing import Annotated

from palimpsest.cli.drawing import clean, count, joined, when
from palimpsest.cli.options import Shared, command
from palimpsest.cli.output import fields_of, part_fields, parts_text
from palimpsest.cli.parameters import argument, option
from palimpsest.cli.session import Session, perform
from palimpsest.engine.reports import Entry
from palimpsest.errors import NotFound


@command("expand")
def expand(
    shared: Shared,
    ids: Annotated[
        list[str] | None,
        argument("ID", "Ids such as m12 or s3, as grep and show print them, or a range: m12-m20."),
    ] = None,
    messages: Annotated[bool, option("--messages", "Open summaries all the way down to messages.")] = False,
    no_results: Annotated[bool, option("--no-results", "Leave out tool results.")] = False,
    tokens: Annotated[
        int | None, option("--tokens N", "At most this many tokens; --cursor reads on.")
    ] = None,
    cursor: Annotated[str, option("--cursor TEXT", "Read on where --tokens stopped; needs no ids.")] = "",
) -> int | None:
    """Read messages back in full, summaries as their sources.

    \b
    palimpsest expand m12 m13
    palimpsest expand m12-m20
    palimpsest expand s3 --messages --tokens 4000
    """

    async def body(session: Session) -> int | None:
        found = await session.engine.expand(ids or (), not no_results, messages, tokens, cursor)
        entries, missing, note = list(found), found.missing, found.note
        while tokens is None and found.cursor:
            found = await session.engine.expand(cursor=found.cursor)
            entries.extend(found)
        fields: dict[str, object] = {
            "entries": [_entry_fields(entry) for entry in entries],
            "cursor": found.cursor,
            "missing": list(missing),
        }
        blocks = [entry_text(entry) for entry in entries]
        if found.cursor:
            blocks.append(f"more: palimpsest expand --tokens {tokens} --cursor {found.cursor}")
        session.output.result(fields, *blocks)
        if missing:
            session.output.note(clean(note))
        return NotFound.exit_code if missing else None

    return perform(shared, body)


def _entry_fields(entry: Entry) -> dict[str, object]:
    return {
        **fields_of(entry, "id kind role text"),
        "parts": [part_fields(part) for part in entry.parts],
        **fields_of(entry, "sources conversation time depth tokens before_chars after_chars current"),
    }


def entry_text(entry: Entry) -> str:
    """An entry under a line with its facts, cut only by a token budget."""
    facts = (
        entry.id,
        entry.role if entry.kind == "message" else f"summary of depth {entry.depth}",
        when(entry.time),
        count(entry.tokens, "token"),
        "" if entry.current else "before an edit",
        f"from character {entry.before_chars:,} on" if entry.before_chars else "",
        f"{count(entry.after_chars, 'character')} to come" if entry.after_chars else "",
    )
    text = parts_text(entry.parts) if entry.parts else entry.text
    if entry.left_out_tokens:
        text += f"\n[results left out, about {count(entry.left_out_tokens, 'token')}]"
    return f"{joined(*facts)}\n{clean(text)}\n"
