"""Windows of equal size for `bench/survival.py --windows`: what the economic policy leaves, and what others do with the
same room.

A session is lived through by an engine with the economic policy and compacted at every cut, after so many tokens each;
the window is taken as it then stands: tail, summaries, ledger and gated results together. At the same cuts the same
history is given to engines with other policies, which compact it step by step; of their windows the one counts whose
size is nearest, or, with `larger`, the smallest that has at least that size. Needed is what stood anywhere before and
is used afterwards: what a window holds verbatim counts for it. No model is asked; summaries are extractive.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from types import MappingProxyType
from typing import Any

from survival_data import Cut, Session, cuts, sessions
from survival_needs import KINDS, needs, shares_kept, text_of

import palimpsest
from palimpsest.engine.conversation import Conversation
from palimpsest.engine.opening import Opening
from palimpsest.errors import DoesNotFit

MODEL = "claude-sonnet-4-5"
WINDOW_TOKENS = 200_000
ROOMS = (2.0, 1.75, 1.5, 1.35, 1.2, 1.1, 1.0)
"""What others compact to, one after the other, as shares of the economic window, until they are at its size."""

ECONOMIC = "economic"
OTHERS: Mapping[str, Mapping[str, Any]] = {
    "75 %: hierarchical": {"preset": "hierarchical"},
    "50 %: head and tail": {"preset": "hermes"},
}
NOTHING_SET: Mapping[str, int] = MappingProxyType({})
NO_CODE = frozenset(("tau-bench",))
"""Records in which other things are needed than the kinds at hand."""


@dataclass(frozen=True, slots=True)
class View:
    """What a policy left of a history: the words of its window, and their tokens."""

    way: str
    text: str
    tokens: int


@dataclass(slots=True)
class _Sums:
    """Of one way: the sizes of its windows, the shares they hold, and over how many windows the first way's shares are
    larger and smaller, by kind.
    """

    tokens: list[int] = field(default_factory=list[int])
    shares: dict[str, list[float]] = field(default_factory=dict[str, list[float]])
    behind: dict[str, int] = field(default_factory=dict[str, int])
    ahead: dict[str, int] = field(default_factory=dict[str, int])


async def window_rows(
    paths: Sequence[Path],
    every_tokens: int,
    settings: Mapping[str, int] = NOTHING_SET,
    *,
    larger: bool = False,
) -> list[dict[str, object]]:
    """A row for each kind of transcript and each way, those over all kinds last. Only cuts at which every way found
    room are counted. `settings` are what the economic policy has otherwise than its preset.
    """
    found: dict[tuple[str, str], _Sums] = {}
    for session in sessions(paths):
        if session.kind in NO_CODE:
            continue
        texts = [text_of(message) for message in session.messages]
        async for cut, views in windows(session, every_tokens, settings, larger=larger):
            needed = needs(cut, texts)
            if not needed or len(views) <= len(OTHERS):
                continue
            shares = [shares_kept(needed, view.text) for view in views]
            for kind in (session.kind, ""):
                for view, its in zip(views, shares, strict=True):
                    _add(found.setdefault((kind, view.way), _Sums()), view, its, shares[0])
    order = sorted(found.items(), key=lambda one: (one[0][0] == "", one[0][0]))
    return [_row(kind, way, sums) for (kind, way), sums in order]


def _add(sums: _Sums, view: View, shares: Mapping[str, float], first: Mapping[str, float]) -> None:
    sums.tokens.append(view.tokens)
    for kind, share in shares.items():
        sums.shares.setdefault(kind, []).append(share)
        sums.behind[kind] = sums.behind.get(kind, 0) + (share < first[kind])
        sums.ahead[kind] = sums.ahead.get(kind, 0) + (share > first[kind])


def _row(kind: str, way: str, sums: _Sums) -> dict[str, object]:
    count = len(sums.tokens)
    shares = {name: round(100 * sum(one) / len(one), 1) for name, one in sums.shares.items()}
    mean = round(sum(shares.values()) / len(shares), 1) if shares else 0.0
    return {
        "of": kind or "all",
        "way": way,
        "windows": count,
        "tokens": sum(sums.tokens) // count,
        "mean": mean,
        "shares": shares,
        "cuts": {name: len(one) for name, one in sums.shares.items()},
        "behind": sums.behind,
        "ahead": sums.ahead,
    }


def show_windows(rows: Sequence[dict[str, Any]]) -> None:
    """Prints a line for each way. Behind a share of the first: over how many windows it is the mean; of another: in how
    many of these it is smaller, and larger, than the first's.
    """
    print(f"{'':36}{'windows':>8}{'tokens':>8}{'mean':>7}" + "".join(f"{kind:>18}" for kind in KINDS))
    for row in rows:
        cells = [_cell(row, kind) for kind in KINDS]
        numbers = f"{row['windows']:>8}{row['tokens']:>8}{row['mean']:>7}"
        print(f"{row['of']:13}{row['way']:23}{numbers}" + "".join(f"{cell:>18}" for cell in cells))


def _cell(row: dict[str, Any], kind: str) -> str:
    if kind not in row["shares"]:
        return "-"
    behind, ahead = row["behind"][kind], row["ahead"][kind]
    weight = row["cuts"][kind] if row["way"] == ECONOMIC else f"-{behind} +{ahead}"
    return f"{row['shares'][kind]:.1f} ({weight})"


async def windows(
    session: Session, every_tokens: int, settings: Mapping[str, int] = NOTHING_SET, *, larger: bool = False
) -> AsyncIterator[tuple[Cut, list[View]]]:
    """Every cut, with the window of each way that found room."""
    made = 0
    async with _opened(preset="economic", **settings) as engine:
        talk = engine.conversation("a")
        for cut in cuts(replace(session, marks=()), every_tokens):
            await talk.append(*(replace(one, usage=None) for one in session.messages[made : cut.end]))
            made = cut.end
            await talk.compact()
            view = await _view(talk, ECONOMIC)
            others = [
                await _others(session, cut, way, its, view.tokens, larger=larger)
                for way, its in OTHERS.items()
            ]
            yield replace(cut, first=0), [view, *(one for one in others if one is not None)]


async def _others(
    session: Session, cut: Cut, way: str, settings: Mapping[str, Any], tokens: int, *, larger: bool
) -> View | None:
    """The window nearest to so many tokens, from above if `larger`; None where the policy makes none."""
    nearest: View | None = None
    async with _opened(**settings) as engine:
        talk = engine.conversation("a")
        await talk.append(*(replace(one, usage=None) for one in session.messages[: cut.end]))
        for room in ROOMS:
            try:
                await talk.compact(until_under_tokens=round(room * tokens))
            except DoesNotFit:
                break
            view = await _view(talk, way)
            nearer = nearest is None or abs(view.tokens - tokens) < abs(nearest.tokens - tokens)
            if nearest is None or (nearer and (view.tokens >= tokens or not larger)):
                nearest = view
            if view.tokens <= tokens:
                break
    return nearest


def _opened(**settings: Any) -> Opening:
    return palimpsest.open(":memory:", window_tokens=WINDOW_TOKENS, model=MODEL, **settings)


async def _view(talk: Conversation, way: str) -> View:
    request = await talk.request(model=MODEL)
    return View(way, "\n".join(text_of(one) for one in request.messages), request.tokens)
