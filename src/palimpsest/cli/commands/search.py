"""`palimpsest search`: find passages that answer a question."""

from __future__ import annotations

from typing import Annotated

from palimpsest.cli.drawing import clean, count, joined, when, wrap
from palimpsest.cli.options import Before, Last, OnlyConversation, RoleOption, Shared, Since, command
from palimpsest.cli.output import Block, Output, fields_of
from palimpsest.cli.parameters import argument, option
from palimpsest.cli.session import Session, perform
from palimpsest.engine.reports import Passages
from palimpsest.record.store_values import not_searched

_MAX_PASSAGES = 100


@command("search")
def search(
    shared: Shared,
    question: Annotated[str, argument("QUESTION", "A question in plain words.")],
    conversation: OnlyConversation = None,
    role: RoleOption = None,
    last: Last = None,
    since: Since = None,
    before: Before = None,
    limit: Annotated[int, option("--limit N", "The most passages shown.", min=1, max=_MAX_PASSAGES)] = 10,
    budget: Annotated[int, option("--budget TOKENS", "The most tokens of all passages together.")] = 2_000,
) -> None:
    """Find passages that answer a question, best first.

    \b
    palimpsest search "why is the nightly build slow?"
    palimpsest search "what did we decide about retries last week?" last --limit 3
    palimpsest search "which test failed?" --role tool --last 2d
    """

    async def body(session: Session) -> None:
        place = session.engine if conversation is None else await session.conversation(conversation)
        whose = role.value if role else None
        found = await place.search(question, limit, budget, role=whose, last=last, since=since, before=before)
        names = "id kind conversation score text tokens role time current"
        fields: dict[str, object] = {
            "passages": [fields_of(one, names) for one in found.passages],
            "note": found.note,
            "notes": list(not_searched(found.left_out)),
        }
        blocks: list[Block]
        if found.passages:
            blocks = _blocks(found, session.output)
        elif not await session.engine.conversations():
            blocks = [shared.nothing_stored]
        elif any((whose, last, since, before)):
            blocks = ["nothing found: none of the words in this role and time; leave out --role and times"]
        else:
            blocks = ["nothing found: no message or summary has any of the words"]
        if found.note:
            session.output.note(clean(f"searched by words only: {found.note}"))
        session.output.result(fields, *blocks, *not_searched(found.left_out))

    perform(shared, body, embeds=True)


def _blocks(found: Passages, output: Output) -> list[Block]:
    short = output.ids([one.conversation for one in found.passages])
    blocks: list[Block] = []
    for one in found.passages:
        source = (one.role or one.kind) + ("" if one.current else ", before an edit")
        head = joined(
            one.id, source, when(one.time), f"score {one.score:.2f}", clean(short[one.conversation])
        )
        texts = clean(one.text.partition("\n")[2]).splitlines()
        if output.terminal:
            texts = [line for text in texts for line in wrap(text, output.width - 4)]
        blocks.append([head, *(f"    {line}".rstrip() for line in texts)])
    total = f"{count(len(found), 'passage')}, {count(found.tokens, 'token')}"
    return [*blocks, f"\n{total}; read one in full: palimpsest expand {found[0].id}"]
