"""The outline of a range of a conversation: what a window shows of it without a model's summary.

- User messages are in their place, verbatim if they are short, else as head and tail with their id. They have a share
  of the budget of their own. If it does not suffice, the longest are shortened first, and of these the oldest most.
- The assistant's last reply is shown in full if it fits. Calls that changed something or failed have a share of the
  budget, newest first: whoever continues must know what was done and how it ended.
- The rest of the budget shows the pieces that are most likely to be needed again (`need_estimator`, `selection`).
- Everything is in the order of the conversation, under its message's id and role. The same range gives the same text.
- A line of prose, of arguments or of a result that looks like such a header, or like the line of a call, is escaped:
  what a tool printed can forge neither a user message nor a call."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Generator, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from palimpsest.record.summary_source import Entry
from palimpsest.summarize.outline.need_estimator import Need, Vocabulary
from palimpsest.summarize.outline.pieces import Piece, Row, grain_for, rows_of
from palimpsest.summarize.outline.selection import Shown, choose, priced
from palimpsest.text.cut import Count, fit_prefix, word_start

WHOLE_TOKENS, HEAD_TOKENS, TAIL_TOKENS = 300, 210, 90
"""A longer message is shortened to this much of its head and its tail."""
LEAST_TOKENS = 40
"""A message is not shortened to fewer tokens, but left out."""
MARK_TOKENS, SPARE_TOKENS = 20, 12
MOST_CHARS_A_TOKEN = 8
NEWEST_PART = 3
"""The newest message gets at least one part in so many of the budget for all."""


def shortened(text: str, most_tokens: int, message_id: str, count: Count) -> str:
    """The text, or its head and tail around a mark with the message's id, in at most so many tokens; "" if that is too
    few.
    """
    text = text.strip()
    size = count(text)
    if size <= most_tokens:
        return text
    room = most_tokens - MARK_TOKENS
    if most_tokens < LEAST_TOKENS:
        return ""
    share = HEAD_TOKENS / (HEAD_TOKENS + TAIL_TOKENS)
    head = fit_prefix(text, max(2, int(room * share)) + 1, count)
    tail = _end(text, int(room * (1 - share)), count)
    left = size - count(head) - count(tail)
    return f"{head}\n[{left:,} tokens left out, stored as {message_id}]\n{tail.lstrip()}".rstrip()


def _end(text: str, most_tokens: int, count: Count) -> str:
    """The end of a text in at most so many tokens, beginning with a whole word."""
    low, high = 0, min(len(text) - 1, max(0, most_tokens) * MOST_CHARS_A_TOKEN)
    while low < high:
        chars = (low + high + 1) // 2
        fits = count(text[word_start(text, len(text) - chars) :]) <= most_tokens
        low, high = (chars, high) if fits else (low, chars - 1)
    return text[word_start(text, len(text) - low) :] if low else ""


def allowances(sizes: Sequence[int], budget_tokens: int, header_tokens: int = 0) -> list[int]:
    """The tokens of each of several messages, oldest first, from their sizes and the budget, with a header for each.

    All get what they need up to `WHOLE_TOKENS` if that fits, the newest up to a third of all. Otherwise the longest are
    shortened to one length, the newest of them the least. If even `LEAST_TOKENS` each are too many, the newest get what
    they need, and the oldest nothing.
    """
    most, least = WHOLE_TOKENS + MARK_TOKENS + SPARE_TOKENS + header_tokens, LEAST_TOKENS + header_tokens
    newest = [min(size, budget_tokens, max(most, budget_tokens // NEWEST_PART)) for size in sizes[-1:]]
    newest = [one if one >= min(size, least) else 0 for one, size in zip(newest, sizes[-1:], strict=True)]
    wanted = [min(size, most) for size in sizes[:-1]]
    left = budget_tokens - sum(newest)
    length = _length(wanted, left)
    length = length if length >= least else 0
    left -= sum(min(one, length) for one in wanted)
    given: list[int] = []
    for one in reversed(wanted):
        had = min(one, length)
        allowed = min(one, had + left)
        allowed = allowed if allowed >= min(one, least) else 0
        given.append(allowed)
        left -= allowed - had
    return [*given[::-1], *newest]


def _length(wanted: Sequence[int], budget_tokens: int) -> int:
    """The length to which the longest have to be shortened so that all fit; 0 for none."""
    low, high = 0, max(wanted, default=0)
    while low < high:
        middle = (low + high + 1) // 2
        if sum(min(one, middle) for one in wanted) <= budget_tokens:
            low = middle
        else:
            high = middle - 1
    return low


def user_texts(
    said: Sequence[tuple[int, str, str]], budget_tokens: int, headers: Mapping[int, int], count: Count
) -> Generator[None, None, Mapping[int, str]]:
    """Return what is shown of each (place, id, text) by its place, yielding None between small pieces of work.

    Texts and headers take at most so many tokens; `headers` has the tokens of each header.
    """
    header_tokens = max((headers[place] for place, _, _ in said), default=0)
    sizes: list[int] = []
    for place, _, text in said:
        sizes.append(count(text) + headers[place])
        yield
    given = allowances(sizes, budget_tokens, header_tokens)
    found: dict[int, str] = {}
    for (place, name, text), most in zip(said, given, strict=True):
        if most and (shown := shortened(text, most - headers[place], name, count)):
            found[place] = shown
            yield
    return found


USER_SHARE = 0.6
"""The most of the budget that user messages take ..."""
USER_TOKENS, OTHERS_TOKENS = 5_000, 1_000
"""... or so many tokens, if that leaves so many for everything else."""
USER_KEPT_TOKENS = 20_000
"""The tokens of user messages that are kept for a later outline; more for a large outline."""
REPLY_SHARE = 0.12
"""The share of the budget for the assistant's last reply."""
ACTION_SHARE = 0.06
"""The share of the budget for calls that changed something or failed."""
NO_TEXT = "(no text)"
GAP = "…"
"""The mark for lines of a message that are left out between two that are shown."""
STEP = 50
RESERVE = 2
"""How many times the size of an outline is kept in addition for a later one."""

_FORGED = re.compile(
    r"^(?=[ \t]*(?:\[\S{1,80} (?:user|assistant|system|tool|result|summary)\]|>[ \t].* -> ))", re.MULTILINE
)
"""A line that looks like a header or the line of a call."""

Expecting = Callable[[Collection[int]], Generator[None, None, Need]]
"""Computes what is needed; of phrases only these."""


@dataclass(frozen=True, slots=True)
class Outlined:
    """An outline, and the rows for a later outline of more messages: what it shows, and the next best pieces."""

    text: str
    rows: list[Row]


def outline(
    entries: Sequence[Entry],
    need: Need,
    budget_tokens: int,
    count: Count,
    shown: Iterable[str] = (),
) -> Generator[None, None, str]:
    """Return the outline, of at most `budget_tokens` tokens, yielding None between small pieces of work.

    `shown` are other texts of the window. The outline is "" only if no text is that small.
    """

    def known(_: Collection[int]) -> Generator[None, None, Need]:
        yield
        return need

    rows = yield from rows_of(entries, grain_for(budget_tokens))
    made = yield from outline_of_rows(rows, known, need.vocabulary, budget_tokens, count, shown)
    return made.text


def outline_of_rows(
    rows: Sequence[Row],
    expecting: Expecting,
    vocabulary: Vocabulary,
    budget_tokens: int,
    count: Count,
    shown: Iterable[str] = (),
) -> Generator[None, None, Outlined]:
    """The same for rows; `expecting` computes what is needed, and `vocabulary` numbers the words."""
    seen = Shown()
    for text in shown:
        seen.add(vocabulary.of(text))
        yield
    headers = {row.place: row.header for row in rows}
    said = [(row.place, row.id, row.said) for row in rows if row.said]
    costs: dict[int, int] = {}
    for at, row in enumerate(rows):
        costs[row.place] = count(row.header) + 1
        if at % STEP == 0:
            yield
    texts = yield from user_texts(said, user_tokens(budget_tokens), costs, count)
    for text in texts.values():
        seen.add(vocabulary.of(text))
    yield
    left = budget_tokens - sum(count(text) + costs[place] for place, text in texts.items())
    pieces = [
        piece for row in rows for piece in row.pieces if piece.kind != "prose" or row.place not in texts
    ]
    yield
    first = _always_shown(pieces, {place for place, _, _ in said}, budget_tokens, count, costs)
    for piece in first:
        seen.add(vocabulary.of(piece.text))
    named = {*texts, *(piece.place for piece in first)}
    left -= sum(count(piece.text) + 1 for piece in first) + sum(costs[one] for one in named - texts.keys())
    always = set(map(id, first))
    yield
    costed = yield from priced((piece for piece in pieces if id(piece) not in always), vocabulary, count)
    among: set[int] = set()
    for at, one in enumerate(costed):
        among |= one.phrases
        if at % STEP == 0:
            yield
    need = yield from expecting(among)
    chosen, others = yield from choose(costed, need, seen, left, count, headers, named)
    kept = always | set(map(id, chosen))
    text = yield from _written(headers, texts, pieces, kept)
    while (over := count(text) - budget_tokens) > 0 and chosen:
        while over > 0 and chosen:
            last = chosen.pop()
            kept.discard(id(last))
            over -= count(last.text) + 1
        text = yield from _written(headers, texts, pieces, kept)
    if count(text) > budget_tokens:
        text = fit_prefix(text, budget_tokens + 1, count)
    text = text or fit_prefix(NO_TEXT, budget_tokens + 1, count)
    yield
    sizes = {id(one.piece): one.tokens for one in costed}
    left_rows = yield from _left(rows, kept, others, budget_tokens, costs, sizes, count)
    return Outlined(text, left_rows)


def _left(
    rows: Sequence[Row],
    kept: set[int],
    others: Iterable[Piece],
    budget_tokens: int,
    costs: Mapping[int, int],
    sizes: Mapping[int, int],
    count: Count,
) -> Generator[None, None, list[Row]]:
    """The rows with the pieces that are shown or next best, and as many of the newest user messages as a larger outline
    would contain. `sizes` are the tokens of pieces by their identities.
    """
    kept, room = set(kept), budget_tokens * RESERVE
    for piece in others:
        room -= sizes[id(piece)]
        if room < 0:
            break
        kept.add(id(piece))
    room = int(budget_tokens * ACTION_SHARE) * RESERVE
    acts = (piece for row in reversed(rows) for piece in reversed(row.pieces) if piece.acts)
    for piece in acts:
        room -= count(piece.text) + 1 + costs[piece.place]
        if room < 0:
            break
        kept.add(id(piece))
    room = max(USER_KEPT_TOKENS, user_tokens(budget_tokens) * RESERVE)
    found: list[Row] = []
    for row in reversed(rows):
        pieces = tuple(
            replace(piece, tokens=sizes.get(id(piece), 0)) for piece in row.pieces if id(piece) in kept
        )
        room -= count(row.said) + costs[row.place] if row.said else 0
        said = row.said if room >= 0 else ""
        if said or pieces:
            found.append(replace(row, said=said, pieces=pieces))
        if len(found) % STEP == 0:
            yield
    return found[::-1]


def user_tokens(budget_tokens: int) -> int:
    """The most tokens that user messages take of an outline."""
    return max(int(budget_tokens * USER_SHARE), min(USER_TOKENS, budget_tokens - OTHERS_TOKENS))


def _always_shown(
    pieces: Sequence[Piece],
    asked: Collection[int],
    budget_tokens: int,
    count: Count,
    costs: Mapping[int, int],
) -> list[Piece]:
    """The pieces that are shown in any case: the last reply, and the newest calls that changed something or failed.

    `asked` are the places of user messages.
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
    headers: Mapping[int, str], texts: Mapping[int, str], pieces: Sequence[Piece], kept: Collection[int]
) -> Generator[None, None, str]:
    """The chosen texts under the headers of their messages, arguments under their call, and marks for gaps.

    `kept` are the identities of the chosen pieces.
    """
    by_place: dict[int, list[str]] = {place: [text] for place, text in texts.items()}
    shown = [piece for piece in pieces if id(piece) in kept]
    called = {(piece.place, piece.at) for piece in shown if piece.kind == "call"}
    before: Piece | None = None
    yield
    for piece in shown:
        lines = by_place.setdefault(piece.place, [])
        same = before is not None and before.place == piece.place
        if piece.call is not None and (piece.place, piece.call.at) not in called:
            called.add((piece.place, piece.call.at))
            lines.append(_call(piece.call))
        elif before is not None and same and before.at + 1 != piece.at:
            lines.append(GAP)
        lines.append(_call(piece) if piece.kind == "call" else _FORGED.sub(r"\\", piece.text))
        before = piece
    yield
    return "\n".join(line for place in sorted(by_place) for line in (headers[place], *by_place[place]))


def _call(piece: Piece) -> str:
    return f"> {piece.text}"
