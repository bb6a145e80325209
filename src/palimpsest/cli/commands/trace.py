"""`palimpsest trace`: where what a summary says comes from."""

from __future__ import annotations

from typing import Annotated

import typer

from palimpsest.cli.options import OWNER, Db, Json, Owner, Shared
from palimpsest.cli.output import fields_of
from palimpsest.cli.session import Session, perform
from palimpsest.cli.text_drawing import clean, wrap
from palimpsest.engine.reports import Trace


def trace(
    given: Annotated[str, typer.Argument(metavar="ID", help="A summary's id, such as s3.")],
    text: Annotated[
        str, typer.Argument(metavar="[TEXT]", help="A statement to look for in place of each line.")
    ] = "",
    owner: Owner = OWNER,
    db: Db = None,
    as_json: Json = False,
) -> None:
    """Say which messages each line of a summary comes from.

    \b
    palimpsest trace s3
    palimpsest trace s3 "never edit the schema"
    """

    async def body(session: Session) -> None:
        found = await session.engine.trace(given, text)
        session.output.result(
            trace_fields(found), trace_lines(found, session.output.width if session.output.terminal else 0)
        )

    perform(Shared("trace", db, owner, as_json), body)


def trace_fields(found: Trace) -> dict[str, object]:
    """A trace as settled."""
    return {
        **fields_of(found, "id conversation"),
        "lines": [{"text": one.line, "messages": list(one.messages)} for one in found.lines],
    }


def trace_lines(found: Trace, width: int = 0) -> list[str]:
    """A trace for a person: each line, broken at `width` where it has one, and under it where it comes from."""
    lines: list[str] = []
    for one in found.lines:
        lines.extend(wrap(clean(one.line), width) if width else [clean(one.line)])
        lines.append(f"    {' '.join(one.messages) or 'no message says this'}")
    return lines or [f"{found.id} says nothing"]
