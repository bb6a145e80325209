"""Cache marks of a request, placed so that the next request finds what this one wrote.

The provider caches the prompt up to each marked block, at most four of them, and looks back at most twenty blocks
from a mark for cached content. So:

- One mark at the end of what does not change before the messages: the stable system blocks (the tools come before
  them), or the last tool.
- One at the end of the last stable message, before anything injected for this request.
- One behind the summaries: the next compaction adds one to them and changes everything behind.
- The rest before it, at most 15 blocks apart, so that a turn of many calls does not exceed the look-back.
- Existing marks are the caller's. They stay and count; no mark is added next to one.
- Thinking cannot be marked. A mark of an hour must not follow one of five minutes.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Literal, cast

from palimpsest.formats.anthropic.request import MAX_CACHE_MARKS
from palimpsest.formats.wire_fields import CACHE_MARK, Fields

Ttl = Literal["5m", "1h"]
SPACING_BLOCKS = 15
LONG: Ttl = "1h"
_UNMARKABLE = ("thinking", "redacted_thinking")


def place_breakpoints(
    request: Mapping[str, object],
    *,
    injected_blocks: int = 0,
    changing_system: int = 0,
    record_blocks: int = 0,
    ttl: Ttl = "5m",
) -> dict[str, object]:
    """Return the request with cache marks; the given one is not changed.

    The last `injected_blocks` blocks of the messages are for this request alone, and the last `changing_system`
    blocks of the system prompt may change while the messages stay. The first `record_blocks` blocks end with the last
    summary.
    """
    made = _copy(request)
    head, said = _head(made), _said(made)
    marks = [at for at, block in enumerate((*head, *said)) if _is_marked(block)]
    free = MAX_CACHE_MARKS - len(marks) - _inner_marks(said)
    chosen: list[int] = []
    stable = len(said) - injected_blocks
    last = _markable(said, range(stable - 1, -1, -1))
    if last is not None and free > 0 and not _is_marked(said[last]):
        chosen.append(len(head) + last)
    start = _stable_head(made, changing_system)
    if start is not None and free > len(chosen) and not any(at < len(head) for at in marks):
        chosen.append(start)
    blocks = (*head, *said)
    for at in chosen:
        blocks[at][CACHE_MARK] = _mark(blocks, at, ttl)
    if last is not None:
        places = (*_behind_records(said, record_blocks - 1, last), *_between(said, last, record_blocks))
        for at in places[: max(0, free - len(chosen))]:
            said[at][CACHE_MARK] = _mark(blocks, len(head) + at, ttl)
    return made


def _behind_records(said: Sequence[Fields], at: int, last: int) -> Iterator[int]:
    """Return the last block of the summaries, if it can carry a mark and has none."""
    if 0 <= at < last and said[at].get("type") not in _UNMARKABLE and not _is_marked(said[at]):
        yield at


def _copy(request: Mapping[str, object]) -> Fields:
    """Return the request with every markable block as a dict of its own, and texts as blocks."""
    made = dict(request)
    for key in ("tools", "system"):
        blocks = made.get(key)
        if isinstance(blocks, str):
            made[key] = [{"type": "text", "text": blocks}]
        elif isinstance(blocks, list):
            made[key] = [dict(block) for block in cast("list[Fields]", blocks)]
    messages: list[Fields] = []
    for message in cast("Sequence[Fields]", made.get("messages") or ()):
        content = message.get("content")
        blocks = [{"type": "text", "text": content}] if isinstance(content, str) else content
        messages.append({**message, "content": [dict(block) for block in cast("list[Fields]", blocks or [])]})
    made["messages"] = messages
    return made


def _head(request: Fields) -> list[Fields]:
    return [
        *cast("list[Fields]", request.get("tools") or []),
        *cast("list[Fields]", request.get("system") or []),
    ]


def _said(request: Fields) -> list[Fields]:
    messages = cast("list[Fields]", request["messages"])
    return [block for message in messages for block in cast("list[Fields]", message["content"])]


def _stable_head(request: Fields, changing_system: int) -> int | None:
    """Return the position, in tools and system, of the last stable block."""
    tools = len(cast("list[Fields]", request.get("tools") or []))
    system = len(cast("list[Fields]", request.get("system") or []))
    end = tools + max(0, system - changing_system)
    return end - 1 if end else None


def _is_marked(block: Fields) -> bool:
    return bool(block.get(CACHE_MARK))


def _inner(block: Fields) -> Iterator[Fields]:
    """Return the blocks inside a tool result."""
    content = block.get("content")
    if isinstance(content, list):
        yield from (inner for inner in cast("list[object]", content) if isinstance(inner, dict))


def _inner_marks(said: Sequence[Fields]) -> int:
    return sum(_is_marked(inner) for block in said for inner in _inner(block))


def _markable(said: Sequence[Fields], places: range) -> int | None:
    """Return the first of these positions whose block can carry a mark."""
    return next((at for at in places if said[at].get("type") not in _UNMARKABLE), None)


def _between(said: Sequence[Fields], last: int, first: int) -> Iterator[int]:
    """Yield positions for marks before `last` and not before `first`, nearest first, each at most 15 blocks before
    the next mark if possible.
    """
    at = last
    for _ in range(MAX_CACHE_MARKS):
        reach = range(max(first, at - SPACING_BLOCKS), at)
        if at - first <= SPACING_BLOCKS:
            return
        marked = [place for place in reach if _is_marked(said[place])]
        found = marked[0] if marked else _markable(said, reach)
        if found is None:
            found = _markable(said, range(at - SPACING_BLOCKS - 1, first - 1, -1))
        if found is None:
            return
        if not marked:
            yield found
        at = found


def _mark(blocks: Sequence[Fields], at: int, ttl: Ttl) -> Fields:
    """Return a mark for this position, of the requested lifetime if the marks around it allow it."""
    before = [_ttl(block) for block in blocks[:at] if _is_marked(block)]
    behind = [_ttl(block) for block in blocks[at + 1 :] if _is_marked(block)]
    behind += [_ttl(inner) for block in blocks[at:] for inner in _inner(block) if _is_marked(inner)]
    long = LONG in behind or (ttl == LONG and all(one == LONG for one in before))
    return {"type": "ephemeral", "ttl": LONG} if long else {"type": "ephemeral"}


def _ttl(block: Fields) -> object:
    mark = block.get(CACHE_MARK)
    return cast("Fields", mark).get("ttl", "5m") if isinstance(mark, dict) else "5m"
