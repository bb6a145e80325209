"""`palimpsest describe`: what an id contains and what reading it costs."""

from __future__ import annotations

from typing import Annotated

from palimpsest.cli.commands.compact import call_fields, call_lines
from palimpsest.cli.drawing import Listing, clean, count, joined, when
from palimpsest.cli.options import Shared, command
from palimpsest.cli.output import Block, fields_of
from palimpsest.cli.parameters import argument
from palimpsest.cli.session import Session, perform
from palimpsest.engine.reports import Outline
from palimpsest.engine.tools.answers import runs

_SHOWN_CHILDREN = 40


@command("describe")
def describe(
    shared: Shared,
    given: Annotated[str, argument("ID", "An id such as s3 or m12.")],
) -> None:
    """Show what an id contains, and the cost of reading it.

    \b
    palimpsest describe s3
    """

    async def body(session: Session) -> None:
        engine = session.engine
        outline = await engine.describe(given)
        made = await engine.store.compactions(engine.owner, outline.conversation)
        calls = [call for one in made if one.item_id == outline.id for call in one.calls]
        fields = fields_of(
            outline,
            "id kind conversation depth first_time last_time messages tokens_by_level counts_by_level files "
            "all_files result_tokens children",
        )
        blocks = _outline_blocks(outline)
        if calls:
            blocks.append(["", "calls of a summarizer", *call_lines(calls, session.output.width)])
        session.output.result(fields | {"calls": [call_fields(call) for call in calls]}, *blocks)

    perform(shared, body)


def _outline_blocks(outline: Outline) -> list[Block]:
    """Facts, the cost of each level, files, children."""
    what = "message" if outline.kind == "message" else f"summary of depth {outline.depth}"
    span = " to ".join(dict.fromkeys(filter(None, (when(outline.first_time), when(outline.last_time)))))
    rows = [
        (f"{number:,}", _level(level, number), f"{tokens:,}")
        for level, tokens in sorted(outline.tokens_by_level.items(), reverse=True)
        for number in (outline.counts_by_level.get(level, 0),)
    ]
    if outline.result_tokens:
        rows.append(("", "of these results (--no-results)", f"{outline.result_tokens:,}"))
    blocks: list[Block] = [
        [
            joined(outline.id, f"{what}, {count(outline.messages, 'message')}", span),
            f"in conversation {clean(outline.conversation)}",
        ],
        "",
        Listing(("", "to read", "tokens"), tuple(rows), frozenset(("", "tokens"))),
    ]
    if outline.files:
        title = "files" if outline.all_files else "files, among others"
        blocks.append(["", title, *(f"  {clean(path)}" for path in outline.files)])
    if outline.children:
        children = runs(outline.children)
        rest = len(children) - _SHOWN_CHILDREN
        more = f" ... and {rest:,} more" if rest > 0 else ""
        blocks.append(["", f"made from  {' '.join(children[:_SHOWN_CHILDREN])}{more}"])
    return blocks


def _level(level: int, number: int) -> str:
    """The name of a level: "messages", "summary of depth 0"."""
    noun = count(number, "summary" if level else "message").partition(" ")[2]
    return f"{noun} of depth {level - 1}" if level else noun
