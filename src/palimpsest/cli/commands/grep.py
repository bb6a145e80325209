"""`palimpsest grep`: find messages and summaries by pattern."""

from __future__ import annotations

from enum import StrEnum
from shlex import quote
from typing import Annotated

from palimpsest.cli.drawing import clean, clip, count, joined, when, wrap
from palimpsest.cli.options import Before, Last, OnlyConversation, RoleOption, Shared, Since, command
from palimpsest.cli.output import Block, Output, fields_of
from palimpsest.cli.parameters import argument, option
from palimpsest.cli.session import Session, perform
from palimpsest.engine.reports import Hit, Hits
from palimpsest.engine.retrieval.grep import translated
from palimpsest.record.store_values import not_searched

NO_HIT_EXIT = 1
"""As grep has it."""

_MAX_HITS = 1_000
_SNIPPET_CELLS = 320


class Scope(StrEnum):
    """Where grep searches."""

    both = "both"
    message = "message"
    summary = "summary"


@command("grep")
def grep(
    shared: Shared,
    pattern: Annotated[
        str,
        argument(
            "PATTERN",
            'Words, AND, OR, NOT, ( ), "a phrase", %part% of a word, begin%, %end.',
            show_default=False,
        ),
    ],
    conversation: OnlyConversation = None,
    scope: Annotated[Scope, option("--scope", "Search messages, summaries or both.")] = Scope.both,
    role: RoleOption = None,
    last: Last = None,
    since: Since = None,
    before: Before = None,
    limit: Annotated[int, option("--limit N", "The most hits shown.", min=1, max=_MAX_HITS)] = 20,
) -> int | None:
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

    The exit code is 0 with a hit, and 1 without one.
    """

    async def body(session: Session) -> int:
        whose = role.value if role else None
        if conversation is None:
            found = await session.engine.grep(pattern, scope.value, whose, last, since, before, limit)
        else:
            talk = await session.conversation(conversation)
            found = await talk.grep(pattern, scope.value, whose, last, since, before, limit=limit)
        fields: dict[str, object] = {
            "total": found.total,
            "hits": [_hit_fields(hit) for hit in found.hits],
            "notes": list(found.notes),
        }
        stored = found.total or await session.engine.conversations()
        blocks = _blocks(found, session.output) if stored else [shared.nothing_stored]
        if stored and not found.total and (ours := translated(pattern)) != pattern:
            blocks.append(f"regular expressions are not supported; in this grammar: {clean(quote(ours))}")
        session.output.result(fields, *blocks)
        return 0 if found.total else NO_HIT_EXIT

    return perform(shared, body)


def _hit_fields(hit: Hit) -> dict[str, object]:
    return fields_of(
        hit,
        "id kind conversation role time rank depth snippet tokens expand_tokens covers first_id last_id current",
    )


def no_hit(found: Hits) -> str:
    """The message for a search without hits."""
    if found.left_out:
        return "no hit in what is searched so far"
    if found.unknown:
        verb = "is" if len(found.unknown) == 1 else "are"
        return f"no hit: {', '.join(found.unknown)} {verb} found nowhere here"
    if found.leaves_out:
        return "no hit: the pattern excludes everything"
    return "no hit: each of the words occurs, but not together, or not in this role and time"


def hit_source(hit: Hit) -> str:
    """The role of a message or the range of a summary, and whether it is from an earlier version of the history."""
    what = hit.role
    if hit.kind == "summary":
        what = f"summary of {hit.first_id} to {hit.last_id}, depth {hit.depth}"
    return what if hit.current else f"{what}, before an edit"


def _blocks(found: Hits, output: Output) -> list[Block]:
    if not found.hits:
        return [no_hit(found), *not_searched(found.left_out)]
    short = output.ids([hit.conversation for hit in found.hits])
    blocks: list[Block] = []
    for hit in found.hits:
        tokens, place = count(hit.expand_tokens, "token"), clean(short[hit.conversation])
        head, text = (
            joined(hit.id, hit_source(hit), when(hit.time), tokens, place),
            clip(hit.snippet, _SNIPPET_CELLS),
        )
        heads, texts = (
            (wrap(head, output.width), wrap(text, output.width - 4)) if output.terminal else ([head], [text])
        )
        blocks.append([*heads, *(f"    {line}" for line in texts)])
    rest = found.total - len(found.hits)
    more = f" ({rest:,} more: --limit {min(found.total, _MAX_HITS)})" if rest > 0 else ""
    total = f"{'' if found.complete else 'at least '}{count(found.total, 'hit')}"
    return [*blocks, f"\n{total}{more}; read one back: palimpsest expand {found.hits[0].id}", *found.notes]
