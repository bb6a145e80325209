"""The outline of a range of a conversation: what a window shows of it when no model writes a summary.

- What the user said stands in its place, verbatim where it is short (`requests`).
- The assistant's last words of the range stand whole where they fit, and calls that changed something or failed have a
  share of the budget, newest first: who goes on must know what was done and how it ended.
- The rest of the budget shows the pieces most likely to be needed again (`need`, `choose`).
- Everything stands in the order of the conversation, under its message's id and role. The same range gives the same
  text. It never asks what a sentence means.
- A line of prose, of arguments or of a result that looks like such a header, or like the line of a call, is escaped:
  what a tool printed can forge neither a message of the user's nor a call.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Generator, Iterable, Mapping, Sequence

from palimpsest.summarize.outline.choose import Shown, choose
from palimpsest.summarize.outline.need import Need
from palimpsest.summarize.outline.pieces import Piece, grain_for, headers_of, pieces_of
from palimpsest.summarize.outline.requests import user_texts
from palimpsest.summarize.source import Entry, MessageEntry
from palimpsest.text.cut import Count, clean, fit_prefix
from palimpsest.text.visible import told

USER_SHARE = 0.6
"""Of the budget, the most that the user's messages take ..."""
USER_TOKENS, OTHERS_TOKENS = 5_000, 1_000
"""... or so many tokens, where that leaves so many for all else."""
REPLY_SHARE = 0.12
"""Of the budget, for the assistant's last words."""
ACTION_SHARE = 0.06
"""Of the budget, for calls that changed something or failed."""
NO_TEXT = "(no text)"
GAP = "…"
"""Stands where lines of a message are left out between two that are shown."""
STEP = 50

_FORGED = re.compile(
    r"^(?=[ \t]*(?:\[\S{1,80} (?:user|assistant|system|tool|result|summary)\]|>[ \t].* -> ))", re.MULTILINE
)
"""A line that looks like one of those that an outline writes itself."""


def outline(
    entries: Sequence[Entry],
    need: Need,
    budget_tokens: int,
    count: Count,
    shown: Iterable[str] = (),
) -> Generator[None, None, str]:
    """Yield None between small pieces of work and return the outline, of at most `budget_tokens` tokens. `shown` are
    texts that the window shows besides. It is "" only where no text is that small.
    """
    seen = Shown()
    for text in shown:
        seen.add(need.vocabulary.of(text))
        yield
    said = [
        (place, entry.id, clean(told(entry.message.text)))
        for place, entry in enumerate(entries)
        if isinstance(entry, MessageEntry) and entry.message.role == "user" and entry.message.text.strip()
    ]
    yield
    headers = headers_of(entries, grain_for(budget_tokens))
    costs = [count(line) + 1 for line in headers]
    yield
    texts = dict(user_texts(said, user_tokens(budget_tokens), costs, count))
    for text in texts.values():
        seen.add(need.vocabulary.of(text))
        yield
    left = budget_tokens - sum(count(text) + costs[place] for place, text in texts.items())
    pieces: list[Piece] = []
    for at, piece in enumerate(pieces_of(entries, grain_for(budget_tokens))):
        if at % STEP == 0:
            yield
        if piece.kind != "prose" or piece.place not in texts:
            pieces.append(piece)
    first = _owed(pieces, {place for place, _, _ in said}, budget_tokens, count, costs)
    for piece in first:
        seen.add(need.vocabulary.of(piece.text))
    named = {*texts, *(piece.place for piece in first)}
    left -= sum(count(piece.text) + 1 for piece in first) + sum(costs[one] for one in named - texts.keys())
    owed = set(map(id, first))
    rest = [piece for piece in pieces if id(piece) not in owed]
    chosen = yield from choose(rest, need, seen, left, count, dict(enumerate(headers)), named)
    kept = owed | set(map(id, chosen))
    text = _written(headers, texts, pieces, kept)
    while (over := count(text) - budget_tokens) > 0 and chosen:
        while over > 0 and chosen:
            last = chosen.pop()
            kept.discard(id(last))
            over -= count(last.text) + 1
        text = _written(headers, texts, pieces, kept)
        yield
    if count(text) > budget_tokens:
        text = fit_prefix(text, budget_tokens + 1, count)
    return text or fit_prefix(NO_TEXT, budget_tokens + 1, count)


def user_tokens(budget_tokens: int) -> int:
    """The most that the user's messages take of an outline."""
    return max(int(budget_tokens * USER_SHARE), min(USER_TOKENS, budget_tokens - OTHERS_TOKENS))


def _owed(
    pieces: Sequence[Piece], asked: Collection[int], budget_tokens: int, count: Count, costs: Sequence[int]
) -> list[Piece]:
    """The pieces that stand whatever is expected of them: the last reply, and the newest calls that did something.
    `asked` are the places of the user's messages.
    """
    found: list[Piece] = []
    room = int(budget_tokens * REPLY_SHARE)
    prose = [piece for piece in pieces if piece.kind == "prose" and piece.place not in asked]
    for piece in prose:
        if piece.place == prose[-1].place:
            room -= count(piece.text) + 1
            if room < 0:
                break
            found.append(piece)
    room = int(budget_tokens * ACTION_SHARE)
    said: set[str] = set()
    for piece in reversed(pieces):
        if not piece.acts or piece.text in said:
            continue
        room -= count(piece.text) + 1 + costs[piece.place]
        if room < 0:
            break
        said.add(piece.text)
        found.append(piece)
    return found


def _written(
    headers: Sequence[str], texts: Mapping[int, str], pieces: Sequence[Piece], kept: Collection[int]
) -> str:
    """The chosen texts under the headers of their messages, lines of arguments under their call, and a mark between
    lines of one message that are not adjacent. `kept` are the identities of the chosen pieces.
    """
    by_place: dict[int, list[str]] = {place: [text] for place, text in texts.items()}
    called: set[int] = set()
    before: Piece | None = None
    for piece in pieces:
        if id(piece) in kept:
            lines = by_place.setdefault(piece.place, [])
            apart = before is None or before.place != piece.place
            if piece.call is not None and id(piece.call) not in kept and id(piece.call) not in called:
                called.add(id(piece.call))
                lines.append(_call(piece.call))
            elif lines and not apart and id(before) not in kept:
                lines.append(GAP)
            lines.append(_call(piece) if piece.kind == "call" else _FORGED.sub(r"\\", piece.text))
        before = piece
    return "\n".join(line for place in sorted(by_place) for line in (headers[place], *by_place[place]))


def _call(piece: Piece) -> str:
    return f"> {piece.text}"
