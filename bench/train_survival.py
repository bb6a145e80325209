"""Learns what the features of a ledger's entries weigh, and checks it on projects it has not seen.

    python bench/train_survival.py DATA... [--dense 8000] [--every 8000 15000...] [--pull 1] [--write]

Sessions are cut as `bench/survival.py` cuts them, at each of the distances `--every`, and every `--dense` tokens with
everything before the cut replaced; each entry of the ledger at a cut is a row, which holds whether the entry was needed
after it (`survival_needs`). A logistic regression for each kind starts from the weights in `PRIOR`, which were
measured on real compactions of other sessions, and is pulled back to them: the data at hand is small, so what it
cannot show stays as it was. How strongly is `PULLS`, the best of a few on projects held out, times `--pull`; the more
rows of a kind there are, the less. Each cut counts about the same, however much was needed. A weight keeps the sign of
its prior, and to have been used, named or asked for never counts against an entry: the other would be an accident of
few sessions.

Printed are the shares kept by the whole rendering at the sizes of `bench/survival.py`, for each project with weights
learnt on the other projects only (held out), beside the prior weights: at the cuts of `bench/survival.py`, then at
those that replace everything (dense), and for all projects together, each held out from its own weights. Last stands
what was learnt on all. `--write` puts that into `weights.py`.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from copy import deepcopy
from dataclasses import dataclass, replace
from pathlib import Path
from types import MappingProxyType

import numpy as np
from numpy.typing import NDArray

SOURCES = Path(__file__).parent.parent / "src"
sys.path[:0] = [str(SOURCES)]

from survival_data import Cut, Session, cuts, dense_cuts, sessions  # noqa: E402
from survival_needs import KINDS, VALUES, Need, needs, shares_kept, text_of  # noqa: E402

from palimpsest.ledger.entries import Entry, Kind, Ledger  # noqa: E402
from palimpsest.ledger.file_merging import merged_files  # noqa: E402
from palimpsest.ledger.render import render  # noqa: E402
from palimpsest.ledger.scoring import Weights, features, learnt, view_of  # noqa: E402
from palimpsest.ledger.sections import TEXT_GROUPS  # noqa: E402
from palimpsest.ledger.update import update  # noqa: E402

Floats = NDArray[np.float64]
LEARNING: tuple[Kind, ...] = ("file", "name", "value", "command", "segment")
SIZES = (500, 1_000, 1_500)
DISTANCES = (8_000, 15_000, 20_000, 25_000, 30_000, 40_000, 50_000, 60_000, 80_000, 100_000, 150_000)
DESK_SIZES = (200,)
FEW_CUTS = 7
"""Projects with fewer cuts are held out together."""
FREE_PULL = 0.01
PULLS: Mapping[Kind, float] = {"file": 10.0, "name": 20.0, "value": 30.0, "command": 30.0, "segment": 30.0}
GROUP_PULL = 1.0
"""What kind of a name it is: nothing was known of that before."""
USEFUL = frozenset(
    "used uses used_short used_middle used_long met_short met_long "
    "user user_recent user_newest spoken runs again failed".split()
)
"""What never counts against an entry: a ledger that left out what failed would tell of success alone."""
MOST_FITS = 8
STEPS = 40
LEAST_WEIGHT = 0.05
WEIGHTS = SOURCES / "palimpsest" / "summarize" / "ledger" / "weights.json"

PRIOR: Mapping[Kind, Weights] = MappingProxyType(
    {
        "file": {
            "used": 1.0,
            "user_newest": 1.5,
            "user_recent": 0.6,
            "spoken": 0.5,
            "used_long": 0.7,
            "uses": 0.35,
            "met_short": 0.3,
            "planned": 0.8,
            "made": -1.0,
            "known": 1.0,
        },
        "name": {
            "used": 0.9,
            "user_newest": 1.8,
            "spoken": 1.0,
            "met_long": 0.9,
            "used_short": 1.2,
            "used_long": 0.5,
            "results": -0.5,
            "planned": 0.8,
            "asked": 0.8,
            "topic": 0.8,
            "place_used": 0.5,
            "place_asked": 0.8,
            "builtin": -0.5,
            "quantity": -1.7,
        },
        "value": {"used": 1.0, "used_long": 0.5, "spoken": 0.7, "user_newest": 1.0, "met_short": 1.0},
        "command": {
            "used_middle": 0.8,
            "runs": 0.6,
            "reads": -0.5,
            "searches": -3.0,
            "shortened": -3.0,
            "once": -1.5,
            "routine": 1.0,
            "checks": 0.7,
            "chars": -0.6,
            "again": 0.5,
        },
        "segment": {
            "used_middle": 0.8,
            "runs": 0.6,
            "reads": -1.2,
            "searches": -1.2,
            "once": -1.5,
            "routine": 1.0,
            "checks": 0.7,
            "chars": -0.6,
            "again": 0.5,
        },
    }
)
"""Where learning starts."""


@dataclass(frozen=True, slots=True)
class Case:
    """A cut with its ledger and what was needed after it."""

    project: str
    cut: Cut
    ledger: Ledger
    needed: list[Need]
    dense: bool = False


@dataclass(frozen=True, slots=True)
class Table:
    """The rows of one kind: features, whether needed, and the number of the case."""

    names: list[str]
    values: Floats
    needed: Floats
    case: NDArray[np.int64]


def cases(paths: Sequence[Path], dense_tokens: int, every: Sequence[int]) -> list[Case]:
    found: list[Case] = []
    for session in sessions(paths):
        desk = session.kind == "tau-bench"
        texts = [text_of(message) for message in session.messages]
        ledger, read = Ledger(), 0
        for cut, dense in _cuts_of(session, dense_tokens, every):
            for at in range(read, cut.end):
                update(ledger, session.messages[at], at + 1)
            read = max(read, cut.end)
            needed = needs(cut, texts)
            if needed:
                half = f" {len(found) % 2}" if desk else ""
                project = f"{session.kind} {session.project}{half}"
                found.append(Case(project, cut, deepcopy(ledger), needed, dense))
    counts = Counter(case.project for case in found)
    return [
        case if counts[case.project] >= FEW_CUTS else replace(case, project="small projects")
        for case in found
    ]


def _cuts_of(session: Session, dense_tokens: int, every: Sequence[int]) -> list[tuple[Cut, bool]]:
    """The cuts of a session by where they are, each once, and whether it is dense: a service desk has none of these."""
    if session.kind == "tau-bench":
        return [(cut, False) for cut in cuts(session, dense_tokens)]
    apart = {(cut.first, cut.end): cut for tokens in every for cut in cuts(session, tokens)}
    found = [(cut, False) for cut in apart.values()]
    found += [(cut, True) for cut in dense_cuts(session, dense_tokens)]
    return sorted(found, key=lambda pair: pair[0].end)


def labelled(case: Case) -> list[tuple[Entry, bool]]:
    """Every entry of a case's ledger that is learnt from, and whether it was needed."""
    by: dict[str, set[str]] = defaultdict(set)
    for need in case.needed:
        by[need.kind].add(need.text)
    paths = {
        path.removeprefix("./").rstrip("/") for kind in ("path args", "shell paths") for path in by[kind]
    }
    names = by["identifiers"] | by["references"]
    found: list[tuple[Entry, bool]] = []
    files = merged_files(case.ledger)
    meant = {entry.text for entry in files if _ends_as(entry.text, paths)}
    placed = {path.rpartition("/")[2] for path in meant}
    found += [
        (entry, entry.text in meant or (entry.text.rpartition("/")[2] in by["files"] - placed))
        for entry in files
    ]
    found += [(entry, entry.text in names) for entry in case.ledger.of("name").values()]
    found += [(entry, entry.text in by[VALUES]) for entry in case.ledger.of("value").values()]
    found += [(entry, entry.text in by["commands"]) for entry in case.ledger.of("command").values()]
    found += [(entry, entry.text in by["segments"]) for entry in case.ledger.of("segment").values()]
    return found


def _ends_as(path: str, paths: set[str]) -> bool:
    return path in paths or any(path.endswith("/" + one) for one in paths)


def tables(given: Sequence[Case]) -> dict[Kind, Table]:
    rows: dict[Kind, list[tuple[Mapping[str, float], bool, int]]] = {kind: [] for kind in LEARNING}
    for number, case in enumerate(given):
        view = view_of(case.ledger)
        for entry, needed in labelled(case):
            rows[entry.kind].append((features(entry, view), needed, number))
    found: dict[Kind, Table] = {}
    for kind, of_kind in rows.items():
        names = sorted({name for values, _, _ in of_kind for name in values} | set(PRIOR[kind]))
        found[kind] = Table(
            names,
            np.array([[values.get(name, 0.0) for name in names] for values, _, _ in of_kind]),
            np.array([float(needed) for _, needed, _ in of_kind]),
            np.array([number for _, _, number in of_kind], dtype=np.int64),
        )
    return found


def fit(table: Table, keep: NDArray[np.bool_], prior: Weights, pull: float) -> dict[str, float]:
    """Weights with the signs they must have: features with another are left out, and the rest is fitted again."""
    out = set[str]()
    learnt: dict[str, float] = {}
    for _ in range(MOST_FITS):
        at = [number for number, name in enumerate(table.names) if name not in out]
        rest = Table([table.names[number] for number in at], table.values[:, at], table.needed, table.case)
        learnt = fit_freely(rest, keep, prior, pull)
        wrong = {
            name
            for name, weight in learnt.items()
            if weight * prior.get(name, float(name in USEFUL)) < 0 and name != "one"
        }
        if not wrong:
            break
        out |= wrong
    return learnt


def fit_freely(table: Table, keep: NDArray[np.bool_], prior: Weights, pull: float) -> dict[str, float]:
    """Weights by Newton's method; the constant is free, the others are pulled to the prior, or to nothing."""
    values, needed, case = table.values[keep], table.needed[keep], table.case[keep]
    start = np.array([prior.get(name, 0.0) for name in table.names])
    pulls = np.array([GROUP_PULL if name in TEXT_GROUPS else pull for name in table.names])
    constant = table.names.index("one")
    pulls[constant], start[constant] = FREE_PULL, -4.0
    of_case = np.bincount(case, weights=needed)
    weight = 1 / np.sqrt(np.maximum(3.0, of_case[case]))
    beta = start.copy()
    for _ in range(STEPS):
        odds = 1 / (1 + np.exp(-np.clip(values @ beta, -30, 30)))
        curve = weight * odds * (1 - odds) + 1e-9
        hessian = (values * curve[:, None]).T @ values + np.diag(pulls)
        step = np.linalg.solve(hessian, values.T @ (weight * (needed - odds)) - pulls * (beta - start))
        beta += step
        if float(np.abs(step).max()) < 1e-6:
            break
    learnt = {name: round(float(one), 2) for name, one in zip(table.names, beta, strict=True)}
    return {name: one for name, one in learnt.items() if abs(one) >= LEAST_WEIGHT}


def learn(found: Mapping[Kind, Table], keep_cases: set[int], pull: float) -> dict[Kind, Weights]:
    taught: dict[Kind, Weights] = dict(learnt())
    for kind, table in found.items():
        taught[kind] = fit(table, np.isin(table.case, list(keep_cases)), PRIOR[kind], PULLS[kind] * pull)
    return taught


Kept = dict[int, dict[str, list[float]]]
"""Shares by size and kind, one for each cut."""


def shares_of(given: Sequence[Case], weights: Mapping[Kind, Weights]) -> Kept:
    """What the whole rendering keeps; what only older cuts replaced is not counted."""
    desk = given[0].cut.session.kind == "tau-bench"
    kept: Kept = {size: defaultdict(list) for size in (DESK_SIZES if desk else SIZES)}
    for case in given:
        needed = [one for one in case.needed if not one.older]
        for size, shares in kept.items():
            text = render(case.ledger, size, weights=weights)
            for kind, share in shares_kept(needed, text).items():
                shares[kind].append(share)
    return kept


def show(kept: Kept, label: str) -> None:
    """One line for each size: mean shares kept in percent, by kind."""
    for size, shares in kept.items():
        kinds = (VALUES,) if size in DESK_SIZES else KINDS
        cells = [
            f"{100 * sum(shares[kind]) / len(shares[kind]):6.1f}" if shares[kind] else "     -"
            for kind in kinds
        ]
        print(f"{label:50} {size:6} {' '.join(cells)}", flush=True)


def show_held_out(given: Sequence[Case], found: Mapping[Kind, Table], pull: float) -> None:
    """Each project with the weights that the others teach, and all of them together."""
    whole: Kept = {size: defaultdict(list) for size in SIZES}
    for project in sorted({case.project for case in given}):
        others = {number for number, case in enumerate(given) if case.project != project}
        learnt = learn(found, others, pull)
        for dense in (False, True):
            inside = [case for case in given if case.project == project and case.dense == dense]
            if not inside:
                continue
            label = f"{project[-30:]} ({len(inside)}{', dense' * dense})"
            show(shares_of(inside, PRIOR), f"{label}, prior")
            kept = shares_of(inside, learnt)
            show(kept, f"{label}, held out")
            for size, shares in kept.items() if not dense else ():
                for kind, one in shares.items() if size in whole else ():
                    whole[size][kind] += one
    show(whole, "every project, held out")


def write(learnt: Mapping[Kind, Weights]) -> None:
    rows = {kind: dict(sorted(weights.items())) for kind, weights in learnt.items()}
    WEIGHTS.write_text(json.dumps(rows, indent=1) + "\n", encoding="utf-8")


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("paths", nargs="+", type=Path)
    parser.add_argument("--dense", type=int, default=8_000, metavar="TOKENS")
    parser.add_argument("--every", nargs="+", type=int, default=DISTANCES, metavar="TOKENS")
    parser.add_argument("--pull", type=float, default=1.0)
    parser.add_argument("--write", action="store_true")
    options = parser.parse_args()
    given = cases(options.paths, options.dense, options.every)
    found = tables(given)
    print(
        f"{len(given)} cuts; rows: "
        + ", ".join(f"{kind} {len(table.case):,}" for kind, table in found.items())
    )
    print(f"{'':50} {'size':>6} " + " ".join(f"{kind[:6]:>6}" for kind in KINDS))
    show_held_out(given, found, options.pull)
    learnt = learn(found, set(range(len(given))), options.pull)
    for kind in LEARNING:
        print(kind, learnt[kind])
    if options.write:
        write(learnt)


if __name__ == "__main__":
    main()
