"""What lies beneath a summary: its messages where they are few enough to be looked at, else the summaries between, the
files that either name, and what of the messages is results of tools, which reading back leaves out unless asked.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from palimpsest.engine.reading.message_pieces import texts_cost
from palimpsest.ledger.extraction import paths_in
from palimpsest.ports import Store
from palimpsest.record.log import Stored
from palimpsest.record.message import ToolResult
from palimpsest.record.summary import Summary
from palimpsest.text.identifiers import has_extension

MAX_MESSAGES = 500
"""Messages beneath a summary that are looked at."""

MAX_SUMMARIES = 200
MAX_FILES = 50
_FILES_CHARS = 4_000


async def messages_under(store: Store, owner: str, summary: Summary) -> list[Stored]:
    """The messages beneath a summary, in order; none where they are many."""
    if summary.covers > MAX_MESSAGES:
        return []
    return await store.history(owner, summary.id, summary.first, summary.last)


async def summaries_under(store: Store, owner: str, summary: Summary) -> list[str]:
    """The texts of a summary and of those beneath it, the widest first."""
    texts = [summary.text]
    level: Sequence[Summary] = [summary]
    while level and len(texts) < MAX_SUMMARIES:
        wanted = [one for node in level for one in node.sources if one.startswith("s")]
        found = await store.read(owner, wanted[: MAX_SUMMARIES - len(texts)])
        level = [one for _, one in found.values() if isinstance(one, Summary)]
        texts.extend(one.text for one in level)
    return texts


def result_tokens(stored: Stored) -> int:
    """About what the results of tools in a message cost, 0 where it has none."""
    if not stored.message.results:
        return 0
    others = [part for part in stored.message.parts if not isinstance(part, ToolResult)]
    return max(1, stored.tokens - texts_cost(others))


def files_in(texts: Iterable[str]) -> tuple[str, ...]:
    """The files named in texts, at most so many, in order: those in the beginning of each text. What is named in full
    and in short is given in full, in the place of the first.
    """
    found: list[str] = []
    for text in texts:
        for path in filter(has_extension, paths_in(text[:_FILES_CHARS])):
            if any(f"/{one}".endswith(f"/{path}") for one in found):
                continue
            short = next((at for at, one in enumerate(found) if path.endswith(f"/{one}")), None)
            if short is not None:
                found[short] = path
            elif len(found) < MAX_FILES:
                found.append(path)
    return tuple(found)
