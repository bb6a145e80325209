"""What windows of several sizes cost: `bench/cost.py --curve`.

A target is what stands behind the prefix after a compaction: two fifths of it, at most 8,000 tokens, are the tail, the
rest an outline of what left and a ledger. The outline is written anew from the messages at each compaction, free of
charge, and replaces the one before. The rules are the economic ones (`price.compaction_rules`), with a floor below
which nothing is compacted, and a least amount. Shares are of never compacting, as ratios of the sums over the sessions.
What was hidden and is quoted by whole lines later is charged as in every replay.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import product

from cost_data import Group
from cost_replay import replay

from palimpsest.costs.replay import ECONOMIC, Policy
from palimpsest.price import compaction_rules
from palimpsest.price.compaction_rules import Terms
from palimpsest.price.rates import TABLES

TARGETS = (4_000, 8_000, 12_000, 16_000, 20_000, 24_000, 32_000)
FLOORS = (0, 30_000, 50_000, 80_000)
LEAST = (50_000, 20_000)
"""Nothing smaller is compacted: while the cache lives, and once it has expired."""
LEDGER_TOKENS = 1_000
TAIL_TOKENS = 8_000
"""The tail has so many tokens, and at most two fifths of the target."""


@dataclass(frozen=True, slots=True)
class Point:
    """A target and a floor on one group and price table. `of_sums`, `mean` and `worst` are shares of never compacting;
    `above`: sessions over the cap that no window forced; `compactions` and `fetched` are a session's.
    """

    group: str
    table: str
    window_tokens: int
    target_tokens: int
    tail_tokens: int
    outline_tokens: int
    ledger_tokens: int
    floor_tokens: int
    of_sums: float
    mean: float
    worst: float
    above: int
    compactions: float
    fetched: float


def terms_for(
    target_tokens: int, floor_tokens: int, least: tuple[int, int] = LEAST, ledger_tokens: int = LEDGER_TOKENS
) -> Terms:
    """The rules' settings for a target: its tail, ledger and outline."""
    tail = min(TAIL_TOKENS, target_tokens * 2 // 5)
    outline = target_tokens - tail - ledger_tokens
    if outline <= 0:
        raise ValueError(
            f"a target of {target_tokens} has no room for an outline and a ledger of {ledger_tokens}"
        )
    warm, cold = least
    return replace(
        ECONOMIC.terms,
        tail_tokens=tail,
        summary_tokens=outline,
        folded_tokens=outline,
        fold_at_tokens=0,
        ledger_tokens=ledger_tokens,
        compact_least_tokens=warm,
        compact_cold_least_tokens=cold,
        floor_tokens=floor_tokens,
        floor_share=1.0,
        summarizer="extractive",
    )


def point(group: Group, table: str, window: int, target: int, terms: Terms, most_share: float) -> Point:
    """One target and floor on one group."""
    way = Policy("curve", terms, compaction_rules.decide)
    results = [replay(session, way, TABLES[table], window) for session in group.sessions]
    shares = [one.bill / one.never for one in results]
    count = len(results)
    return Point(
        group.name,
        table,
        window,
        target,
        terms.tail_tokens,
        terms.folded_tokens,
        terms.ledger_tokens,
        terms.floor_tokens,
        of_sums=round(sum(one.bill for one in results) / sum(one.never for one in results), 4),
        mean=round(sum(shares) / count, 4),
        worst=round(max(shares), 4),
        above=sum(share > most_share and not one.forced for share, one in zip(shares, results, strict=True)),
        compactions=round(sum(one.compactions for one in results) / count, 2),
        fetched=round(sum(one.fetched for one in results) / count, 2),
    )


def curve(
    groups: Sequence[Group],
    tables: Sequence[str],
    windows: Sequence[int],
    *,
    most_share: float,
    targets: Sequence[int] = TARGETS,
    floors: Sequence[int] = FLOORS,
    least: tuple[int, int] = LEAST,
) -> list[Point]:
    """Every target with every floor."""
    return [
        point(group, table, window, target, terms_for(target, floor, least), most_share)
        for group, window, target, floor, table in product(groups, windows, targets, floors, tables)
    ]


def show_curve(points: Sequence[Point]) -> None:
    """Prints a table for each group and window; a cell is the ratio of the sums, and compactions a session."""
    tables = list(dict.fromkeys(one.table for one in points))
    for group, window in dict.fromkeys((one.group, one.window_tokens) for one in points):
        mine = [one for one in points if (one.group, one.window_tokens) == (group, window)]
        print(f"\n{group}: window {window:,}; of never compacting (compactions a session)")
        print(
            f"{'target':>8}{'tail':>8}{'outline':>9}{'floor':>8}"
            + "".join(f"{table:>16}" for table in tables)
            + f"{'worst':>9}"
        )
        for target, floor in dict.fromkeys((one.target_tokens, one.floor_tokens) for one in mine):
            row = [one for one in mine if (one.target_tokens, one.floor_tokens) == (target, floor)]
            cells = "".join(f"{f'{one.of_sums:.3f} ({one.compactions:.1f})':>16}" for one in row)
            worst = max(one.worst for one in row)
            first = row[0]
            print(
                f"{target:>8,}{first.tail_tokens:>8,}{first.outline_tokens:>9,}{floor or 'none':>8}{cells}{worst:>9.3f}"
            )
