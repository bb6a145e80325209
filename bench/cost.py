"""What every way to compact costs, replayed call by call: `docs/costs.md` says how, and what the figures mean.

    python bench/cost.py TRANSCRIPT... [--tables anthropic-5m deepseek] [--windows 128000 200000 1000000] [--drawn 8]
                         [--cut 0] [--policies default,economic] [--vary tail_tokens=2000,5000 ...] [--peers]
                         [--no-optimum] [--usage] [--curve] [--json]

TRANSCRIPTs are files or folders. Every figure is relative to never compacting the same session, in a window without end
and with the same cache; 0.48 means 48 % of it. Ways are compared on transcripts, on these without their idle gaps, on
sessions drawn by chance, and with `--cut` on runs of calls that begin and end anywhere in the transcripts. Rows:

- a way's name: the mean over the sessions, every session counting the same; behind it the ratio of the sums;
- no gate: the same way where large tool results enter the window whole;
- optimum: the least that the mechanism of the economic rules can cost on these sessions, known to their end. Charged
  with what it hides and has to fetch again; in brackets: with that for nothing;
- floor: no history at all; nothing reaches it.

`--peers` lets other projects compact the long transcripts themselves, with a scripted model, in an environment that is
made for them once; a session that one of them did not end is left out of its row, and said. `--vary` adds the economic
rules with other settings (`price.compaction_rules.Terms`), one at a time. `--policies` measures only these: presets
with the economic rules, whose models can read back what a large result hides, or ways of the table.

`--usage` prints instead how well the model of prompt caches agrees with the usage that the transcripts report.
`--curve` prints instead what windows of several sizes cost on long sessions, with several floors; see `cost_curve.py`.
"""

from __future__ import annotations

import argparse
import json
import math
import os
import platform
import sys
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, replace
from itertools import compress, product
from pathlib import Path

sys.path[:0] = [str(Path(__file__).parent.parent / "src")]

import cost_curve  # noqa: E402
import cost_data  # noqa: E402
import cost_peers  # noqa: E402
from cost_data import Group  # noqa: E402
from cost_optimum import floor, optimum  # noqa: E402
from cost_replay import FIRST_POLICY, Result, replay  # noqa: E402
from cost_usage import Agreement, agreement  # noqa: E402

from palimpsest.costs.replay import ECONOMIC, POLICIES, Policy  # noqa: E402
from palimpsest.plan.economic import terms_of  # noqa: E402
from palimpsest.price import compaction_rules  # noqa: E402
from palimpsest.price.rates import TABLES  # noqa: E402
from palimpsest.settings import PRESETS  # noqa: E402

MOST_SHARE = 1.05
"""No session may cost more than this share of never compacting, unless its window forced it."""


@dataclass(frozen=True, slots=True)
class Row:
    """One way on one group: shares of never compacting. Counts of compactions, prunings and fetches are per session.

    `worst` and `above` (sessions over 1.05 that no window forced) are of the sessions; `long_above`: of the long ones.
    """

    group: str
    pattern: str
    table: str
    window_tokens: int
    way: str
    sessions: int
    calls: int
    mean: float
    of_sums: float
    worst: float
    above: int
    long_above: int
    compactions: float
    prunings: float
    fetched: float
    asked_share: float
    fee_share: float
    forced: float


@dataclass(frozen=True, slots=True)
class Bound:
    """The bounds of one way's mechanism on one group, as means of shares; `times` is the way over the bound."""

    group: str
    pattern: str
    table: str
    window_tokens: int
    way: str
    sessions: int
    charged: float
    uncharged: float
    floor: float
    times_charged: float
    times_uncharged: float


def ways(varied: Sequence[str] = ()) -> list[Policy]:
    """Every way, the gated ones without their gate, and the economic rules as `varied` says: "name=value,value"."""
    found = [*POLICIES.values(), FIRST_POLICY]
    for way in (FIRST_POLICY, ECONOMIC):
        bare = replace(way.terms, gate_tokens=0, gate_read_tokens=0)
        found.append(replace(way, name=f"{way.name}, no gate", terms=bare))
    for one in varied:
        name, _, values = one.partition("=")
        known = {key: type(value) for key, value in asdict(ECONOMIC.terms).items()}
        if name not in known or not values:
            raise SystemExit(f"--vary {one}: give one of {', '.join(known)}, then = and values")
        for value in values.split(","):
            try:
                terms = replace(ECONOMIC.terms, **{name: known[name](value)})
            except ValueError as error:
                raise SystemExit(f"--vary {one}: {error}") from error
            found.append(replace(ECONOMIC, name=f"{name}={value}", terms=terms))
    return found


def policy(name: str, window: int) -> Policy:
    """A preset with the economic rules in a window of so many tokens, or a way by its name."""
    settings = PRESETS.get(name)
    if settings is None or settings.policy != "economic":
        if name not in POLICIES:
            known = [one for one, its in PRESETS.items() if its.policy == "economic"]
            raise SystemExit(f"--policies {name}: give some of {', '.join({*known, *POLICIES})}")
        return POLICIES[name]
    gate_tokens = settings.gate_tokens or settings.gate_readable_tokens
    terms = terms_of(replace(settings, window_tokens=window, gate_tokens=gate_tokens))
    return Policy(name, terms, compaction_rules.decide)


def row(group: Group, table: str, window: int, way: Policy) -> tuple[Row, list[Result]]:
    """One way on one group."""
    results = [replay(session, way, TABLES[table], window) for session in group.sessions]
    return summed(group, table, window, way.name, results), results


def summed(group: Group, table: str, window: int, way: str, results: Sequence[Result]) -> Row:
    """The results of one way as a row."""
    shares = [one.bill / one.never for one in results]
    over = [
        (one.calls, share)
        for one, share in zip(results, shares, strict=True)
        if share > MOST_SHARE and not one.forced
    ]
    count = len(results)
    return Row(
        group.name,
        group.pattern,
        table,
        window,
        way,
        count,
        sum(one.calls for one in results),
        round(sum(shares) / count, 4),
        round(sum(one.bill for one in results) / sum(one.never for one in results), 4),
        round(max(shares), 4),
        len(over),
        sum(calls >= cost_data.LONG_CALLS for calls, _ in over),
        round(sum(one.compactions for one in results) / count, 2),
        round(sum(one.prunings for one in results) / count, 2),
        round(sum(one.fetched for one in results) / count, 2),
        round(sum(one.asked / one.never for one in results) / count, 4),
        round(sum(one.fees / one.never for one in results) / count, 4),
        round(sum(one.forced for one in results) / count, 2),
    )


def bound(group: Group, table: str, window: int, way: Policy, results: Sequence[Result]) -> Bound | None:
    """What the way's mechanism could have cost at best, on the sessions that it can keep within the window at all."""
    rates = TABLES[table]
    least = [
        optimum(one, way.terms, rates, window) / result.never
        for one, result in zip(group.sessions, results, strict=True)
    ]
    fits = [math.isfinite(one) for one in least]
    pairs = list(compress(zip(group.sessions, results, strict=True), fits))
    best = list(compress(least, fits))
    count = len(best)
    if not count:
        return None
    free = [optimum(one, way.terms, rates, window, charged=False) / result.never for one, result in pairs]
    low = [floor(one, way.terms, rates) / result.never for one, result in pairs]
    mean = sum(result.bill / result.never for _, result in pairs) / count
    return Bound(
        group.name,
        group.pattern,
        table,
        window,
        way.name,
        count,
        round(sum(best) / count, 4),
        round(sum(free) / count, 4),
        round(sum(low) / count, 4),
        round(mean * count / sum(best), 4),
        round(mean * count / sum(free), 4),
    )


def measure(
    groups: Sequence[Group],
    tables: Sequence[str],
    windows: Sequence[int],
    measured: Callable[[int], Sequence[Policy]],
    *,
    bounds: bool,
) -> tuple[list[Row], list[Bound]]:
    """All rows and bounds; `measured` are the ways in a window."""
    rows: list[Row] = []
    found: list[Bound] = []
    for group in groups:
        for window in windows:
            for table in tables:
                for way in measured(window):
                    one, results = row(group, table, window, way)
                    rows.append(one)
                    if bounds and way.name in {ECONOMIC.name, FIRST_POLICY.name}:
                        low = bound(group, table, window, way, results)
                        found.extend([low] if low is not None else [])
    return rows, found


def peer_rows(groups: Sequence[Group], tables: Sequence[str], windows: Sequence[int]) -> list[Row]:
    """What other projects would have paid on the long transcripts; [] where they cannot be run."""
    long = [one for one in groups if one.name == cost_data.LONG and one.pattern == "own"]
    rows: list[Row] = []
    for group, window in product(long, windows):
        try:
            runs = cost_peers.run(group.sessions, window)
        except cost_peers.Unavailable as error:
            print(f"peers are left out: {error}", file=sys.stderr)
            return rows
        for peer, table in product(dict.fromkeys(one.peer for one in runs), tables):
            ended = [
                (group.sessions[one.session], one.records) for one in runs if one.peer == peer and one.records
            ]
            results = [cost_peers.paid(session, records, TABLES[table]) for session, records in ended]
            name = peer if len(ended) == len(group.sessions) else f"{peer} ({len(ended)} sessions)"
            rows.extend([summed(group, table, window, name, results)] if results else [])
    return rows


def show(rows: Sequence[Row], bounds: Sequence[Bound]) -> None:
    """Prints a table for each group and window."""
    tables = list(dict.fromkeys(one.table for one in rows))
    for name, pattern, window in dict.fromkeys((one.group, one.pattern, one.window_tokens) for one in rows):
        mine = [one for one in rows if (one.group, one.pattern, one.window_tokens) == (name, pattern, window)]
        print(f"\n{name}, {pattern}: {mine[0].sessions} sessions, {mine[0].calls:,} calls, window {window:,}")
        print(f"{'':44}" + "".join(f"{table:>16}" for table in tables))
        for way in dict.fromkeys(one.way for one in mine):
            cells = [f"{one.mean:.3f} ({one.of_sums:.3f})" for one in mine if one.way == way]
            print(f"{way:44}" + "".join(f"{cell:>16}" for cell in cells))
        low = [
            one for one in bounds if (one.group, one.pattern, one.window_tokens) == (name, pattern, window)
        ]
        for way in dict.fromkeys(one.way for one in low):
            best = [one for one in low if one.way == way]
            cells = [_cell(one.charged, one.uncharged) for one in best]
            print(f"{'optimum of ' + way:44}" + "".join(cells))
            cells = [_cell(one.times_charged, one.times_uncharged) for one in best]
            print(f"{'  times the optimum':44}" + "".join(cells))
        cells = [f"{one.floor:>16.3f}" for one in low if one.way == ECONOMIC.name]
        if cells:
            print(f"{'floor':44}" + "".join(cells))
        _show_details([one for one in mine if one.way == ECONOMIC.name])


def _cell(one: float, other: float) -> str:
    return f"{f'{one:.3f} ({other:.3f})':>16}"


def _show_details(mine: Sequence[Row]) -> None:
    for label, cells in (
        ("  worst session", [f"{one.worst:.3f}" for one in mine]),
        (f"  sessions over {MOST_SHARE}", [f"{one.above}" for one in mine]),
        ("  compactions a session", [f"{one.compactions:.1f}" for one in mine]),
        ("  prunings a session", [f"{one.prunings:.1f}" for one in mine]),
        ("  fetched a session", [f"{one.fetched:.1f}" for one in mine]),
        ("  spent on fetching", [f"{one.asked_share:.3f}" for one in mine]),
    ):
        print(f"{label:44}" + "".join(f"{cell:>16}" for cell in cells))


def show_usage(found: Sequence[Agreement]) -> None:
    """Prints how well what is told agrees with what was reported."""
    print("calls whose cached tokens are told within 2 % of the prompt, and cost told over cost reported")
    print(f"{'':44}{'model':28}{'calls':>6}{'agree':>8}{'cost':>8}{'these':>8}  reasons of the others")
    for one in found:
        why = ", ".join(f"{reason}: {count}" for reason, count in sorted(one.reasons.items()))
        share = one.told_usd / (one.reported_usd or 1)
        plain = one.plain_told_usd / (one.plain_reported_usd or 1)
        agree = 100 * one.agree / one.calls
        print(f"{one.name:44}{one.model:28}{one.calls:6}{agree:7.1f}%{share:8.3f}{plain:8.4f}  {why}")


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("paths", nargs="*", type=Path)
    parser.add_argument("--tables", nargs="+", choices=list(TABLES), default=list(TABLES))
    parser.add_argument("--windows", nargs="+", type=int, default=[200_000])
    parser.add_argument(
        "--drawn", type=int, default=8, help="sessions drawn of each kind and pattern; 0 for none"
    )
    parser.add_argument("--cut", type=int, default=0, help="runs of calls cut out of the transcripts")
    parser.add_argument("--vary", nargs="+", default=[], metavar="NAME=VALUE,...")
    parser.add_argument("--policies", type=lambda names: names.split(","), default=[], metavar="NAME,...")
    parser.add_argument("--curve", action="store_true")
    parser.add_argument(
        "--least", nargs="+", type=int, default=list(cost_curve.LEAST), help="of --curve: warm, and cold"
    )
    parser.add_argument("--no-optimum", action="store_true")
    parser.add_argument("--peers", action="store_true")
    parser.add_argument("--usage", action="store_true")
    parser.add_argument("--json", action="store_true")
    return parser.parse_args()


def main() -> None:
    """Measure and print."""
    options = _options()
    record: dict[str, object] = {
        "schema": "palimpsest.bench.cost/1",
        "data": cost_data.digest(options.paths),
        "settings": {
            "windows": options.windows,
            "drawn": options.drawn,
            "cut": options.cut,
            "terms": asdict(ECONOMIC.terms),
        },
        "tables": {name: asdict(TABLES[name]) for name in options.tables},
        "machine": {
            "python": platform.python_version(),
            "system": platform.platform(),
            "cpus": os.cpu_count(),
        },
    }
    if options.usage:
        found = [
            agreement(history, name, agent) for name, agent, history in cost_data.histories(options.paths)
        ]
        known = [one for one in found if one is not None]
        if options.json:
            print(json.dumps(record | {"usage": [asdict(one) for one in known]}))
        else:
            show_usage(known)
        return
    if options.curve:
        long = cost_data.long_groups(cost_data.read_sessions(options.paths), 5 * options.drawn)
        least = (options.least[0], options.least[-1])
        points = cost_curve.curve(long, options.tables, options.windows, most_share=MOST_SHARE, least=least)
        if options.json:
            print(json.dumps(record | {"least": least, "curve": [asdict(one) for one in points]}))
        else:
            cost_curve.show_curve(points)
        return
    groups = cost_data.groups(cost_data.read_sessions(options.paths), options.drawn, options.cut)
    names, varied = options.policies, ways(options.vary)
    rows, bounds = measure(
        groups,
        options.tables,
        options.windows,
        lambda window: [policy(name, window) for name in names] if names else varied,
        bounds=not options.no_optimum,
    )
    if options.peers:
        rows.extend(peer_rows(groups, options.tables, options.windows))
    if options.json:
        print(
            json.dumps(
                record | {"rows": [asdict(one) for one in rows], "bounds": [asdict(one) for one in bounds]}
            )
        )
        return
    show(rows, bounds)
    print("\n" + "\n".join(f"{key}: {value}" for key, value in record.items()))


if __name__ == "__main__":
    main()
