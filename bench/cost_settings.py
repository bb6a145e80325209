"""How much the settings of the economic rules depend on the sessions that they were chosen on.

    python bench/cost_settings.py TRANSCRIPT... [--window 200000] [--json]

Every combination of a few settings is replayed on the transcripts of 60 or more calls. For each agent the combination
that costs least on the sessions of all others is looked at on its own sessions, beside the one that is best there, and
the settings as they are. Shares of never compacting: means over the sessions of one agent and three price tables.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from itertools import product
from pathlib import Path

sys.path[:0] = [str(Path(__file__).parent.parent / "src")]

from cost_data import LONG_CALLS, read_sessions  # noqa: E402
from cost_replay import replay  # noqa: E402

from palimpsest.costs.replay import ECONOMIC, Policy  # noqa: E402
from palimpsest.costs.session import Session  # noqa: E402
from palimpsest.price.rates import TABLES  # noqa: E402

GRID: Mapping[str, Sequence[float]] = {
    "tail_tokens": (1_500, 2_000, 3_000, 5_000),
    "gate_tokens": (1_000, 1_500, 3_000),
    "gate_read_tokens": (4_000, 8_000, 10**9),
    "compact_least_tokens": (6_000, 10_000, 20_000),
    "cap_share": (1.02, 1.05, 1.08),
}
PRICES = ("anthropic-5m", "openai-5.6", "deepseek")

Settings = tuple[float, ...]
"""A value for each name of the grid."""


@dataclass(frozen=True, slots=True)
class HeldOut:
    """What the settings that were chosen on the other agents cost on one agent's sessions."""

    agent: str
    sessions: int
    chosen: float
    own_best: float
    as_they_are: float
    settings: dict[str, float]


def share(session: Session, way: Policy, window: int) -> float:
    """What a session costs, as a share of never compacting it."""
    results = [replay(session, way, TABLES[table], window) for table in PRICES]
    return sum(one.bill / one.never for one in results) / len(results)


def held_out(
    agents: Sequence[str], shares: Mapping[Settings, Sequence[float]], present: Sequence[float]
) -> list[HeldOut]:
    """One row for each agent. `agents` names the agent of each session, `shares` has what each costs with each choice
    of settings, `present` with those that are set.
    """
    rows: list[HeldOut] = []
    for agent in dict.fromkeys(agents):
        own = [place for place, one in enumerate(agents) if one == agent]
        others = [place for place, one in enumerate(agents) if one != agent]
        if not others:
            continue
        chosen = min(shares, key=lambda one: _mean(shares[one], others))
        rows.append(
            HeldOut(
                agent,
                len(own),
                _mean(shares[chosen], own),
                min(_mean(found, own) for found in shares.values()),
                _mean(present, own),
                dict(zip(GRID, chosen, strict=True)),
            )
        )
    return rows


def _mean(found: Sequence[float], places: Sequence[int]) -> float:
    return sum(found[place] for place in places) / len(places)


def _way(settings: Settings) -> Policy:
    return replace(ECONOMIC, terms=replace(ECONOMIC.terms, **dict(zip(GRID, settings, strict=True))))


def main() -> None:
    """Replay, choose, print."""
    parser = argparse.ArgumentParser(description="what settings cost on sessions they were not chosen on")
    parser.add_argument("paths", nargs="+", type=Path)
    parser.add_argument("--window", type=int, default=200_000)
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    sessions = [one for one in read_sessions(options.paths) if len(one.calls) >= LONG_CALLS]
    if len({one.agent for one in sessions}) < 2:
        raise SystemExit(
            f"sessions of {LONG_CALLS} and more calls of two agents are needed: name more transcripts"
        )
    shares: dict[Settings, list[float]] = {}
    for place, settings in enumerate(choices := list(product(*GRID.values())), 1):
        shares[settings] = [share(one, _way(settings), options.window) for one in sessions]
        print(f"\r{place} of {len(choices)}", end="", file=sys.stderr)
    print(file=sys.stderr)
    present = [share(one, ECONOMIC, options.window) for one in sessions]
    rows = held_out([one.agent for one in sessions], shares, present)
    if options.json:
        print(json.dumps([asdict(one) for one in rows]))
        return
    print(f"{'held out':<14}{'sessions':>9}{'chosen':>9}{'own best':>10}{'as set':>9}")
    for one in rows:
        print(
            f"{one.agent:<14}{one.sessions:>9}{one.chosen:>9.3f}{one.own_best:>10.3f}{one.as_they_are:>9.3f}"
        )
        print(f"  {', '.join(f'{name} {value:g}' for name, value in one.settings.items())}")
    means = [sum(found) / len(found) for found in shares.values()]
    print(
        f"all {len(shares)}: {min(means):.3f} to {max(means):.3f}; as set {sum(present) / len(present):.3f}"
    )


if __name__ == "__main__":
    main()
