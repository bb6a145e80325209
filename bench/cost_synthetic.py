"""Sessions drawn by chance for `bench/cost.py`, where the transcripts at hand are too few.

Sizes, replies, gaps and quotes follow what was counted on the development transcripts of coding agents (1,700 calls):
lognormal sizes by kind, a result for nearly every call, a user's message for one in nine, quotes whose age is such that
half are of the last three calls and one in ten is of more than forty before. Nothing is fitted to one file, and the
draws are the same in every run.

    coding   60 to 500 calls, like the transcripts      chat    200 turns without tools
    light    200 turns, one tool call each              heavy   200 turns, four tool calls each

`AGENT` is apart: sessions whose parameters were chosen so that the economic rules cost on them what they cost on a
hundred long sessions of a coding agent (.51 / .56 / .74 of never compacting at Anthropic, OpenAI and DeepSeek): 60 to
330 calls behind a prefix of 42,000 tokens, with `gaps`.

Patterns: `steady` as drawn; `bursty`: growth comes in runs of ten calls, ten times as large as the calls between them;
`gaps`: one user's message in five comes after ten minutes to ten hours.
"""

from __future__ import annotations

import math
import random
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from palimpsest.costs.session import Call, Holder, Kind, Piece, Session

PATTERNS = ("steady", "bursty", "gaps")
QUOTE_AGE = 1.5
"""Mean of the logarithm of a quote's age in calls, plus one."""
BURST_CALLS = 10


@dataclass(frozen=True, slots=True)
class Draw:
    """A lognormal size in tokens."""

    median: int
    spread: float
    most: int

    def one(self, chance: random.Random) -> int:
        return max(1, min(self.most, round(self.median * math.exp(chance.gauss(0, self.spread)))))


USER = Draw(38, 1.3, 4_000)
REPLY = Draw(163, 0.9, 8_000)
SIZES: dict[Kind, Draw] = {"result": Draw(118, 1.4, 25_000), "file": Draw(665, 1.05, 25_000)}
QUOTED: dict[Kind, float] = {"assistant": 0.6, "file": 0.98, "result": 0.07}
"""Quotes a piece, by its kind."""


@dataclass(frozen=True, slots=True)
class Shape:
    """What a kind of session is like: calls (fewest, most), turns that bring a user's message, calls with a tool.
    `idle_s` is the shortest gap of the pattern that has them; the longest is sixty times that.
    """

    kind: str
    prefix_tokens: int
    calls: tuple[int, int]
    user_share: float
    tool_share: float
    file_share: float = 0.14
    reply: Draw = REPLY
    sizes: Mapping[Kind, Draw] = field(default_factory=lambda: SIZES)
    idle_s: float = 600.0


SHAPES = (
    Shape("coding", 15_000, (60, 500), 0.11, 0.95),
    Shape("chat", 2_000, (200, 200), 1.0, 0.0),
    Shape("light", 8_000, (400, 400), 0.5, 0.5),
    Shape("heavy", 12_000, (1_000, 1_000), 0.2, 0.8),
)

AGENT = Shape(
    "agent",
    42_000,
    (60, 330),
    user_share=0.4,
    tool_share=0.97,
    file_share=0.2,
    reply=Draw(350, 1.0, 8_000),
    sizes={"result": Draw(170, 1.4, 25_000), "file": Draw(800, 1.0, 25_000)},
    idle_s=360.0,
)


def sessions(shape: Shape, pattern: str, count: int) -> Iterator[Session]:
    """So many sessions of a kind and a pattern, always the same ones."""
    for number in range(count):
        chance = random.Random(f"{shape.kind}/{pattern}/{number}")
        yield _session(f"{shape.kind}-{pattern}-{number}", shape, pattern, chance)


def _session(name: str, shape: Shape, pattern: str, chance: random.Random) -> Session:
    low, high = shape.calls
    number = round(low * (high / low) ** (chance.random() ** 2))
    pieces: list[Piece] = [Piece("user", USER.one(chance))]
    born: dict[Kind, list[tuple[int, int]]] = {"assistant": [], "file": [], "result": []}
    calls: list[Call] = []
    reply = 0
    for at in range(number):
        factor = _factor(pattern, at)
        gap_s = chance.lognormvariate(2.4, 1.2)
        if at:
            fresh, asks = _added(shape, reply, factor, chance)
            if asks and pattern == "gaps" and chance.random() < 0.2:
                gap_s = shape.idle_s * 60 ** chance.random()
            for piece in fresh:
                if piece.kind in born:
                    born[piece.kind].append((at, len(pieces)))
                pieces.append(piece)
        reply = max(20, round(shape.reply.one(chance) * factor))
        calls.append(Call(len(pieces), reply, gap_s, tuple(_quotes(born, pieces, at, chance))))
    return Session(name, "synthetic", "", shape.prefix_tokens, tuple(pieces), tuple(calls))


def _factor(pattern: str, at: int) -> float:
    if pattern != "bursty":
        return 1.0
    return 1.8 if (at // BURST_CALLS) % 2 else 0.18


def _added(shape: Shape, reply: int, factor: float, chance: random.Random) -> tuple[list[Piece], bool]:
    """What comes between two calls, and whether the user spoke."""
    found = [Piece("assistant", reply)]
    asks = chance.random() < shape.user_share
    if chance.random() < shape.tool_share:
        kind: Kind = "file" if chance.random() < shape.file_share else "result"
        found.append(Piece(kind, max(1, round(shape.sizes[kind].one(chance) * factor))))
    else:
        asks = True
    if asks:
        found.append(Piece("user", USER.one(chance)))
    return found, asks


def _quotes(
    born: dict[Kind, list[tuple[int, int]]], pieces: list[Piece], at: int, chance: random.Random
) -> Iterator[tuple[Holder, ...]]:
    """What a reply quotes: for each kind at its rate, a piece of a drawn age."""
    for kind, rate in QUOTED.items():
        share = rate * len(born[kind]) / max(1, at)
        if not born[kind] or chance.random() >= share:
            continue
        age = int(math.exp(chance.expovariate(1 / QUOTE_AGE))) - 1
        older = [piece for when, piece in born[kind][-400:] if when <= at - age]
        if older:
            tokens = pieces[older[-1]].tokens
            offset = int(chance.random() * tokens)
            yield (Holder(older[-1], offset, tokens - offset),)
