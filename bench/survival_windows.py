"""Windows of equal size for `bench/survival.py --windows`: what the economic policy leaves, and what others do with the
same room.

A session is lived through by an engine with the economic policy, at its own times. Wherever that compacts, the window
is taken as it then stands, tail, summaries and ledger together; the same history is given to engines with other
policies, which compact it to the same number of tokens or fewer. Needed is what stood anywhere before and is used
afterwards: what a window holds verbatim counts for it. No model is asked; summaries are extractive.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from survival_data import Cut, Session, sessions
from survival_needs import KINDS, needs, shares_kept, text_of

import palimpsest
from palimpsest.engine.conversation import Conversation
from palimpsest.errors import DoesNotFit
from palimpsest.record.message import Message

MODEL = "claude-sonnet-4-5"
WINDOW_TOKENS = 200_000
MOST_CUTS = 6
"""Of one session; of more compactions, so many spread over all."""
GAP_S = 10.0

ECONOMIC = "economic"
OTHERS: Mapping[str, Mapping[str, Any]] = {
    "75 %: hierarchical": {"preset": "default"},
    "50 %: head and tail": {"preset": "hermes"},
}


@dataclass(frozen=True, slots=True)
class View:
    """What a policy left of a history: the words of its window, and their tokens."""

    way: str
    text: str
    tokens: int


@dataclass(slots=True)
class _Sums:
    tokens: list[int] = field(default_factory=list[int])
    shares: dict[str, list[float]] = field(default_factory=dict[str, list[float]])


async def window_rows(paths: Sequence[Path]) -> list[dict[str, object]]:
    """A row for each way: cuts, the mean tokens of its windows, and the mean shares kept in percent. Only cuts at which
    every way found room are counted.
    """
    found: dict[str, _Sums] = {way: _Sums() for way in (ECONOMIC, *OTHERS)}
    for session in sessions(paths):
        texts = [text_of(message) for message in session.messages]
        async for cut, views in windows(session):
            needed = needs(cut, texts)
            if not needed or len(views) < len(found):
                continue
            for view in views:
                found[view.way].tokens.append(view.tokens)
                for kind, share in shares_kept(needed, view.text).items():
                    found[view.way].shares.setdefault(kind, []).append(share)
    return [_row(way, sums) for way, sums in found.items() if sums.tokens]


def _row(way: str, sums: _Sums) -> dict[str, object]:
    count = len(sums.tokens)
    shares = {kind: round(100 * sum(one) / len(one), 1) for kind, one in sums.shares.items()}
    cuts = {kind: len(one) for kind, one in sums.shares.items()}
    mean = round(sum(shares.values()) / len(shares), 1) if shares else 0.0
    return {
        "way": way, "windows": count, "tokens": sum(sums.tokens) // count, "mean": mean, "shares": shares, "cuts": cuts,
    }  # fmt: skip


def show_windows(rows: Sequence[dict[str, Any]]) -> None:
    """Prints a line for each way; behind a share of the first, over how many windows it is the mean."""
    print(f"{'':24}{'windows':>8}{'tokens':>8}{'mean':>7}" + "".join(f"{kind:>18}" for kind in KINDS))
    for row in rows:
        shares, cuts = row["shares"], row["cuts"]
        cells = [f"{shares[kind]:.1f} ({cuts[kind]})" if kind in shares else "-" for kind in KINDS]
        numbers = f"{row['windows']:>8}{row['tokens']:>8}{row['mean']:>7}"
        print(f"{row['way']:24}{numbers}" + "".join(f"{cell:>18}" for cell in cells))


async def windows(session: Session) -> AsyncIterator[tuple[Cut, list[View]]]:
    """Every cut that is looked at, with the window of each way."""
    found = [one async for one in _economic(session)]
    step = max(1, -(-len(found) // MOST_CUTS))
    for end, view in found[::-1][::step][::-1]:
        cut = Cut(session, 0, end, end, real=False)
        views = [view]
        for way, settings in OTHERS.items():
            other = await _others(session.messages[:end], way, settings, view.tokens)
            views += [other] if other is not None else []
        yield cut, views


async def _economic(session: Session) -> AsyncIterator[tuple[int, View]]:
    """(how many messages there were, the window) behind each compaction."""
    clock = _Clock()
    async with palimpsest.open(
        ":memory:", preset="economic", window_tokens=WINDOW_TOKENS, model=MODEL, clock=clock
    ) as engine:
        talk = engine.conversation("a")
        made = 0
        for at, message in enumerate(session.messages):
            clock.set(message.time_s)
            if message.role == "assistant" and at:
                view = await _view(talk, ECONOMIC)
                records = await engine.store.compactions("me", "a")
                summaries = sum(one.item_kind == "summary" for one in records)
                if summaries > made:
                    made = summaries
                    yield at, view
            await talk.append(replace(message, usage=None))


async def _others(
    history: Sequence[Message], way: str, settings: Mapping[str, Any], tokens: int
) -> View | None:
    """None where the policy cannot make it so small."""
    async with palimpsest.open(":memory:", window_tokens=WINDOW_TOKENS, model=MODEL, **settings) as engine:
        talk = engine.conversation("a")
        await talk.append(*(replace(one, usage=None) for one in history))
        try:
            await talk.compact(until_under_tokens=tokens)
        except DoesNotFit:
            return None
        return await _view(talk, way)


async def _view(talk: Conversation, way: str) -> View:
    request = await talk.request(model=MODEL)
    return View(way, "\n".join(text_of(one) for one in request.messages), request.tokens)


class _Clock:
    """The session's own time, which never goes back."""

    def __init__(self) -> None:
        self.now_s = 1_790_000_000.0

    def __call__(self) -> float:
        return self.now_s

    def set(self, time_s: float | None) -> None:
        self.now_s = self.now_s + GAP_S if time_s is None else max(self.now_s, time_s)
