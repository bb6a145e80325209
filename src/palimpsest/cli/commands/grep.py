"""`palimpsest grep`: finding messages and summaries by pattern."""

from __future__ import annotations

from enum import StrEnum
from shlex import quote
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
from palimpsest.cli.text_drawing import clean, clip, count, short_ids, when, wrap
from palimpsest.engine.reports import Hit, Hits
from palimpsest.engine.retrieval.grep import translated
from palimpsest.record.store_values import not_searched

_MAX_HITS = 1_000
_SNIPPET_CELLS = 320


class Scope(StrEnum):
    """Where grep looks."""

    both = "both"
    message = "message"
    summary = "summary"


def grep(
    pattern: Annotated[
        str,
        argument(
            metavar="PATTERN",
            help='Words, AND, OR, NOT, ( ), "a phrase", %part% of a word, begin%, %end.',
            show_default=False,
        ),
    ],
    conversation: Annotated[
        str | None,
        argument(metavar="CONV", help="Only this conversation.", autocompletion=complete_conversation),
    ] = None,
    scope: Annotated[Scope, option("--scope", help="Look in messages, summaries or both.")] = Scope.both,
    role: Whose = None,
    last: Last = None,
    since: Since = None,
    before: Before = None,
    limit: Annotated[
        int, option("--limit", metavar="N", min=1, max=_MAX_HITS, help="The most hits shown.")
    ] = 20,
    owner: Owner = OWNER,
    db: Db = None,
    as_json: Json = False,
) -> None:
    """Find words, phrases and parts of words.

    All words must occur, each in any form; a word of six characters or more
    is also found inside others, as in identifiers and paths.

    \b
    palimpsest grep "timeout retry"
    palimpsest grep 'timeout AND (retry OR backoff) NOT test'
    palimpsest grep '"connection refused"' last --scope message
    palimpsest grep '%Balance%' --role tool --last 7d
    palimpsest grep src/app/main.py --since 2026-11-01T09:00+01:00
    palimpsest grep -- --force
    """

    shared = Shared("grep", db, owner, as_json)

    async def body(session: Session) -> None:
        whose = role.value if role else None
        if conversation is None:
            found = await session.engine.grep(pattern, scope.value, whose, last, since, before, limit)
        else:
            talk = await session.conversation(conversation)
            found = await talk.grep(pattern, scope.value, whose, last, since, before, limit=limit)
        fields: dict[str, object] = {
            "total": found.total,
            "hits": [hit_fields(hit) for hit in found.hits],
            "notes": list(found.notes),
        }
        stored = found.total or await session.engine.conversations()
        blocks = _hit_blocks(found, session.output) if stored else [shared.nothing_stored]
        if stored and not found.total and (ours := translated(pattern)) != pattern:
            blocks.append(f"expressions are no part of the grammar; in its words: {clean(quote(ours))}")
        session.output.result(fields, *blocks)

    perform(shared, body)


def hit_fields(hit: Hit) -> dict[str, object]:
    """A hit as settled."""
    return fields_of(
        hit,
        "id kind conversation role time rank depth snippet tokens expand_tokens covers first_id last_id current",
    )


def no_hit(found: Hits) -> str:
    """What to say where nothing was found."""
    if found.left_out:
        return "no hit in what is searched so far"
    if found.unknown:
        return f"no hit: {', '.join(found.unknown)} {'is' if len(found.unknown) == 1 else 'are'} found nowhere here"
    if found.leaves_out:
        return "no hit: there is nothing but what the pattern leaves out"
    return "no hit: each of the words occurs, but not together, or not there and then"


def what_it_is(hit: Hit) -> str:
    """Who said it; of a summary what it covers; and whether it is of an earlier version of the history."""
    what = hit.role
    if hit.kind == "summary":
        what = f"summary of {hit.first_id} to {hit.last_id}, depth {hit.depth}"
    return what if hit.current else f"{what}, before an edit"


def _hit_blocks(found: Hits, output: Output) -> list[Block]:
    if not found.hits:
        return [no_hit(found), *not_searched(found.left_out)]
    short = short_ids([hit.conversation for hit in found.hits])
    blocks: list[Block] = []
    for hit in found.hits:
        place = short[hit.conversation] if output.terminal else hit.conversation
        facts = (hit.id, what_it_is(hit), when(hit.time), count(hit.expand_tokens, "token"), clean(place))
        snippet = clip(hit.snippet, _SNIPPET_CELLS)
        head, said = ["  ".join(fact for fact in facts if fact)], [snippet]
        if output.terminal:
            head, said = wrap(head[0], output.width), wrap(snippet, output.width - 4)
        blocks.append([*head, *(f"    {line}" for line in said)])
    rest = found.total - len(found.hits)
    more = f" ({rest:,} more: --limit {min(found.total, _MAX_HITS)})" if rest > 0 else ""
    total = f"{'' if found.complete else 'at least '}{count(found.total, 'hit')}"
    blocks.append(f"\n{total}{more}; read one back: palimpsest expand {found.hits[0].id}")
    blocks.extend(found.notes)
    return blocks
