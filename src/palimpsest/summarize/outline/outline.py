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
from collections.abc import Generator, Iterable, Mapping, Sequence

from palimpsest.summarize.cut import Count, clean, fit_prefix
from palimpsest.summarize.outline.choose import HEADER_TOKENS, Shown, choose
from palimpsest.summarize.outline.need import Need
from palimpsest.summarize.outline.pieces import Piece, grain_for, pieces_of
from palimpsest.summarize.outline.requests import user_texts
from palimpsest.summarize.source import Entry, MessageEntry
from palimpsest.summarize.visible import told

USER_SHARE = 0.6
"""Of the budget, the most that the user's messages take."""
REPLY_SHARE = 0.12
"""Of the budget, for the assistant's last words."""
ACTION_SHARE = 0.06
"""Of the budget, for calls that changed something or failed."""
NO_TEXT = "(no text)"
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
    texts = dict(user_texts(said, int(budget_tokens * USER_SHARE), HEADER_TOKENS, count))
    for text in texts.values():
        seen.add(need.vocabulary.of(text))
        yield
    left = budget_tokens - sum(count(text) + HEADER_TOKENS for text in texts.values())
    pieces: list[Piece] = []
    for at, piece in enumerate(pieces_of(entries, grain_for(budget_tokens))):
        if at % STEP == 0:
            yield
        pieces.append(piece)
    first = _owed(pieces, budget_tokens, count)
    for piece in first:
        seen.add(need.vocabulary.of(piece.text))
    named = {*texts, *(piece.place for piece in first)}
    left -= sum(count(piece.text) + 1 for piece in first) + HEADER_TOKENS * len(named - texts.keys())
    owed = set(map(id, first))
    rest = [piece for piece in pieces if id(piece) not in owed]
    chosen = yield from choose(rest, need, seen, left, count, named)
    kept = owed | set(map(id, chosen))
    order = [piece for piece in pieces if id(piece) in kept]
    text = _written(entries, texts, order)
    yield
    if count(text) > budget_tokens:
        text = fit_prefix(text, budget_tokens + 1, count)
    return text or fit_prefix(NO_TEXT, budget_tokens + 1, count)


def _owed(pieces: Sequence[Piece], budget_tokens: int, count: Count) -> list[Piece]:
    """The pieces that stand whatever is expected of them: the last reply, and the newest calls that did something."""
    found: list[Piece] = []
    room = int(budget_tokens * REPLY_SHARE)
    last = next((piece.place for piece in reversed(pieces) if piece.kind == "prose"), None)
    for piece in pieces:
        if piece.place == last and piece.kind == "prose":
            room -= count(piece.text) + 1
            if room < 0:
                break
            found.append(piece)
    room = int(budget_tokens * ACTION_SHARE)
    said: set[str] = set()
    for piece in reversed(pieces):
        if not piece.acts or piece.text in said:
            continue
        room -= count(piece.text) + 1 + HEADER_TOKENS
        if room < 0:
            break
        said.add(piece.text)
        found.append(piece)
    return found


def _written(entries: Sequence[Entry], texts: Mapping[int, str], pieces: Sequence[Piece]) -> str:
    """The chosen texts under the ids and roles of their messages."""
    by_place: dict[int, list[str]] = {place: [text] for place, text in texts.items()}
    for piece in pieces:
        by_place.setdefault(piece.place, []).append(_marked(piece))
    lines: list[str] = []
    for place in sorted(by_place):
        entry = entries[place]
        if isinstance(entry, MessageEntry):
            role = "result" if entry.message.results else entry.message.role
            lines.append(f"[{entry.id} {role}]")
        else:
            lines.append(f"[{entry.summary.id} summary]")
        lines += by_place[place]
    return "\n".join(lines)


def _marked(piece: Piece) -> str:
    return f"> {piece.text}" if piece.kind == "call" else _FORGED.sub(r"\\", piece.text)
