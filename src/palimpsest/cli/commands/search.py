"""`palimpsest search`: passages that may answer a question."""

from __future__ import annotations

from typing import Annotated

from palimpsest.cli.declarations import argument, option
from palimpsest.cli.options import (
    OWNER,
    Before,
    Db,
    Json,
    Last,
    Owner,
    Shared,
    Since,
    Whose,
    complete_conversation,
)
from palimpsest.cli.output import Block, Output, fields_of
from palimpsest.cli.session import Session, perform
from palimpsest.cli.text_drawing import clean, count, short_ids, when, wrap
from palimpsest.engine.reports import Passage, Passages
from palimpsest.record.store_values import not_searched

_MAX_PASSAGES = 100


def search(
    question: Annotated[str, argument(metavar="QUESTION", help="A question in plain words.")],
    conversation: Annotated[
        str | None,
        argument(metavar="CONV", help="Only this conversation.", autocompletion=complete_conversation),
    ] = None,
    role: Whose = None,
    last: Last = None,
    since: Since = None,
    before: Before = None,
    limit: Annotated[
        int, option("--limit", metavar="N", min=1, max=_MAX_PASSAGES, help="The most passages shown.")
    ] = 10,
    budget: Annotated[
        int, option("--budget", metavar="TOKENS", help="What all passages may cost together.")
    ] = 2_000,
    owner: Owner = OWNER,
    db: Db = None,
    as_json: Json = False,
) -> None:
    """Find what answers a question: passages, best first.

    \b
    palimpsest search "why is the nightly build slow?"
    palimpsest search "what did we decide about retries last week?" last --limit 3
    palimpsest search "which test failed?" --role tool --last 2d
    """

    shared = Shared("search", db, owner, as_json)

    async def body(session: Session) -> None:
        place = session.engine if conversation is None else await session.conversation(conversation)
        whose = role.value if role else None
        found = await place.search(question, limit, budget, role=whose, last=last, since=since, before=before)
        fields: dict[str, object] = {
            "passages": [passage_fields(one) for one in found.passages],
            "note": found.note,
            "notes": list(not_searched(found.left_out)),
        }
        blocks: list[Block]
        if found.passages:
            blocks = _blocks(found, session.output)
        elif not await session.engine.conversations():
            blocks = [shared.nothing_stored]
        elif any((whose, last, since, before)):
            blocks = [
                "nothing found: nobody said any of the words there and then; leave out --role and times"
            ]
        else:
            blocks = ["nothing found: no message or summary holds any of the words"]
        if found.note:
            session.output.note(clean(f"by words alone: {found.note}"))
        session.output.result(fields, *blocks, *not_searched(found.left_out))

    perform(shared, body, embeds=True)


def passage_fields(passage: Passage) -> dict[str, object]:
    """A passage as settled, with who said it and when."""
    return fields_of(passage, "id kind conversation score text tokens role time current")


def _blocks(found: Passages, output: Output) -> list[Block]:
    short = short_ids([one.conversation for one in found.passages])
    blocks: list[Block] = []
    for one in found.passages:
        place = short[one.conversation] if output.terminal else one.conversation
        what = (one.role or one.kind) + ("" if one.current else ", before an edit")
        facts = (one.id, what, when(one.time), f"score {one.score:.2f}", clean(place))
        said = clean(one.text.partition("\n")[2]).splitlines()
        lines = [
            line for text in said for line in (wrap(text, output.width - 4) if output.terminal else [text])
        ]
        blocks.append(
            ["  ".join(fact for fact in facts if fact), *(f"    {line}".rstrip() for line in lines)]
        )
    blocks.append(
        f"\n{count(len(found), 'passage')}, {count(found.tokens, 'token')}; "
        f"read one in full: palimpsest expand {found[0].id}"
    )
    return blocks
