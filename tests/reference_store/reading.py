"""Reading back in the store that ends with the process."""

from __future__ import annotations

from palimpsest.limits import MAX_LEFT_BEHIND
from palimpsest.ports import Beneath
from palimpsest.record.log import Stored
from palimpsest.record.summary import Summary
from tests.reference_store.log import Line, Memory


def history(memory: Memory, owner: str, public_id: str, first: int, last: int) -> list[Stored]:
    """See `Store.history`."""
    line = _line(memory, owner, public_id)
    return [line.shown(one) for one in line.between(max(1, first), last)] if line is not None else []


def left_behind(memory: Memory, owner: str, name: str) -> list[Stored]:
    """See `Store.left_behind`."""
    talk = memory.find(owner, name)
    if talk is None or talk.current is None:
        return []
    present = {one.id for one in talk.current.messages}
    others = {
        one.id: line.shown(one) for line in talk.lines for one in line.messages if one.id not in present
    }
    return list(others.values())[:MAX_LEFT_BEHIND]


def _line(memory: Memory, owner: str, public_id: str) -> Line | None:
    """The branch that an id of this owner stands in; a summary's is any that holds its first and its last message."""
    if public_id in memory.messages:
        talk, line, _ = memory.messages[public_id]
        return line if talk.owner == owner else None
    if public_id not in memory.summaries:
        return None
    talk, summary = memory.summaries[public_id]
    if talk.owner != owner:
        return None
    ends = _messages(memory, summary)
    return memory.messages[ends[-1].id][1] if ends else None


def beneath(memory: Memory, owner: str, summary_id: str) -> Beneath | None:
    """See `Store.beneath`."""
    found = memory.summaries.get(summary_id)
    if found is None or found[0].owner != owner:
        return None
    levels: dict[int, list[int]] = {}
    for one in _summaries(memory, found[1]).values():
        levels.setdefault(one.depth, []).append(one.tokens)
    messages = _messages(memory, found[1])
    return Beneath(
        tuple((depth, len(tokens), sum(tokens)) for depth, tokens in sorted(levels.items())),
        sum(one.tokens for one in messages),
    )


def _summaries(memory: Memory, summary: Summary) -> dict[str, Summary]:
    """A summary and all that lie beneath it, by id."""
    found: dict[str, Summary] = {}
    pending = [summary]
    while pending:
        one = pending.pop()
        found[one.id] = one
        pending.extend(memory.summaries[source][1] for source in one.sources if source in memory.summaries)
    return found


def _messages(memory: Memory, summary: Summary) -> list[Stored]:
    """The messages beneath a summary, in order."""
    sources = {source for one in _summaries(memory, summary).values() for source in one.sources}
    return sorted(
        (memory.messages[one][2] for one in sources if one in memory.messages), key=lambda one: one.seq
    )
