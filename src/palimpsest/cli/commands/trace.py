"""`palimpsest trace`: the messages that each line of a summary comes from."""

from __future__ import annotations

from typing import Annotated

from palimpsest.cli.drawing import clean, wrap
from palimpsest.cli.options import Shared, command
from palimpsest.cli.output import fields_of
from palimpsest.cli.parameters import argument
from palimpsest.cli.session import Session, perform
from palimpsest.engine.reports import Trace


@command("trace")
def trace(
    shared: Shared,
    given: Annotated[str, argument("ID", "A summary's id, such as s3.")],
    text: Annotated[str, argument("[TEXT]", "A statement to trace instead of every line.")] = "",
) -> None:
    """Show which messages each line of a summary comes from.

    \b
    palimpsest trace s3
    palimpsest trace s3 "never edit the schema"
    """

    async def body(session: Session) -> None:
        found = await session.engine.trace(given, text)
        fields = {
            **fields_of(found, "id conversation"),
            "lines": [{"text": one.line, "messages": list(one.messages)} for one in found.lines],
        }
        session.output.result(
            fields, trace_lines(found, session.output.width if session.output.terminal else 0)
        )

    perform(shared, body)


def trace_lines(found: Trace, width: int = 0) -> list[str]:
    """Each line, wrapped to `width` if given, and below it the messages it comes from."""
    lines: list[str] = []
    for one in found.lines:
        lines.extend(wrap(clean(one.line), width) if width else [clean(one.line)])
        lines.append(f"    {' '.join(one.messages) or 'no message says this'}")
    return lines or [f"{found.id} is empty"]
