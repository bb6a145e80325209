"""`palimpsest stats`: counts of what is stored."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING

from palimpsest.cli.drawing import count, size
from palimpsest.cli.options import Shared, command
from palimpsest.cli.output import Output, fields_of
from palimpsest.cli.session import Session, answer_from_database, perform

if TYPE_CHECKING:
    from palimpsest.engine.reports import Calls, Stats
    from palimpsest.stores.sqlite.statements import Db as Database


@command("stats")
def stats(shared: Shared) -> None:
    """Count what is stored.

    \b
    palimpsest stats
    """

    def show(found: Stats, output: Output) -> None:
        exists = shared.path.exists()
        fields: dict[str, object] = {
            **fields_of(found, "messages tokens conversations summaries_by_depth compactions"),
            "size_bytes": found.size_bytes if exists else 0,
            "summaries_by_method": found.summaries_by_method,
            "replies": asdict(found.replies),
            "summarizing": asdict(found.summarizing),
            "to_index": found.to_index,
        }
        output.result(fields, _lines(found, str(shared.path)) if exists else shared.nothing_stored)

    def ask(database: Database) -> Stats | None:
        from palimpsest.engine.reports import stats_of
        from palimpsest.stores.sqlite.statistics import counts, spending

        found = counts(database, shared.owner)
        return stats_of(found, spending(database, shared.owner), {}) if found.conversations else None

    async def body(session: Session) -> None:
        show(await session.engine.stats(), session.output)

    if not answer_from_database(shared, ask, show):
        perform(shared, body)


def _lines(found: Stats, path: str) -> list[str]:
    depths = ", ".join(f"{number:,} at depth {depth}" for depth, number in found.summaries_by_depth.items())
    methods = ", ".join(f"{number:,} {method}" for method, number in found.summaries_by_method.items())
    lines = [
        f"database       {path}",
        f"size           {size(found.size_bytes)}",
        f"conversations  {found.conversations:,}",
        f"messages       {found.messages:,}",
        f"tokens         {found.tokens:,}",
        f"compactions    {found.compactions:,}",
        f"summaries      {depths or 'none'}{f' ({methods})' if methods else ''}",
        f"replies        {_calls_text(found.replies)}",
        f"summarizing    {_calls_text(found.summarizing)}",
    ]
    if found.to_index:
        lines.append(f"search index   being rebuilt: up to {found.to_index:,} texts to go")
    return lines


def _calls_text(calls: Calls) -> str:
    if not calls.calls:
        return "no call was recorded"
    cached = f" ({calls.cached_tokens / calls.input_tokens:.0%} cached)" if calls.cached_tokens else ""
    tokens = f"{calls.input_tokens:,} tokens in{cached}, {calls.output_tokens:,} out"
    return f"{count(calls.calls, 'call')}, {tokens}, ${calls.cost:,.2f}"
