"""Which exact strings an agent needs after a compaction are still in its window, and which are one search away.

    python bench/survival.py DATA... [--sizes 500 1000 1500 2000] [--every 40000...] [--all-before]
                             [--ways NAME...] [--windows] [--larger] [--set NAME=VALUE...] [--missed TOKENS] [--json]

DATA are transcripts, or folders of them. A session that was compacted is cut there; another one every `--every`
tokens, or once at half where it is shorter (marked "short"), service-desk conversations always at half. The cut
replaces the messages since the one before, with `--all-before` everything before it. What was needed after a cut, and
when a text holds it, is said in `survival_needs.py`. Shares are means over cuts that needed anything of a kind; the
number of these cuts stands in brackets in the row of the ledger. Of several distances (`--every 8000 20000 40000`) all
cuts are counted together, each once: with the few of one distance a single string is up to seven points. "older" counts
strings that stood only in messages replaced by earlier cuts: the ledger is carried on, the other ways are not.

`--ways ledger` measures that way alone, without the search: to try a ranking takes a minute then instead of seven.

Within one search: each needed string is looked up, as a phrase, in a store that holds the replaced messages; it
counts if one of the first twenty messages found holds it.

`--missed` prints instead each string that a ledger of so many tokens misses, and why; see `survival_missed.py`.

`--windows` prints instead what whole windows of equal size hold, those of the economic policy and of others; see
`survival_windows.py`. With `--larger` the others' windows are never smaller than its own. `--set` gives the economic
policy other settings there: `tail_tokens=1000 ledger_tokens=2000`.
"""

from __future__ import annotations

import argparse
import asyncio
import hashlib
import json
import platform
import sys
import time
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

sys.path[:0] = [str(Path(__file__).parent.parent / "src")]

from survival_data import Session, cuts, sessions  # noqa: E402
from survival_missed import missed  # noqa: E402
from survival_needs import AMOUNTS, KINDS, VALUES, Need, holds, needs, shares_kept, text_of  # noqa: E402
from survival_ways import WAYS, Given, texts_of  # noqa: E402
from survival_windows import show_windows, window_rows  # noqa: E402

from palimpsest.errors import UsageError  # noqa: E402
from palimpsest.ledger.entries import Ledger  # noqa: E402
from palimpsest.ledger.update import update  # noqa: E402
from palimpsest.ports import Counted  # noqa: E402
from palimpsest.search.filters import Where  # noqa: E402
from palimpsest.search.query_grammar import parse  # noqa: E402
from palimpsest.stores.sqlite import SqliteStore  # noqa: E402

OLDER = "older"
SEARCH = "within one search"
SEARCH_LIMIT = 20
MESSAGES = Where("message")
SEARCH_CHARS = 400
VALUE_SIZE = 200
ALL = "every project"
MACHINE = {"python": platform.python_version(), "machine": platform.machine()}


@dataclass(slots=True)
class Shares:
    """Shares by project, way, size and kind, one for each cut."""

    found: dict[tuple[str, str, int], dict[str, list[float]]] = field(
        default_factory=lambda: defaultdict(lambda: defaultdict(list))
    )

    def add(self, project: str, way: str, size: int, shares: dict[str, float]) -> None:
        for kind, share in shares.items():
            self.found[project, way, size][kind].append(share)


def measure(
    paths: Sequence[Path],
    sizes: tuple[int, ...],
    every: Sequence[int],
    ways: Sequence[str],
    *,
    all_before: bool,
) -> tuple[Shares, list[float]]:
    """All shares, or those of some `ways`, and the seconds of each update of a ledger. A cut that several of the
    distances make counts once.
    """
    shares, times = Shares(), list[float]()
    for session in sessions(paths):
        made = set[tuple[int, int]]()
        for every_tokens in every:
            for given, needed in _cases(session, every_tokens, times, all_before=all_before):
                place = given.cut.first, given.cut.end
                if place not in made:
                    made.add(place)
                    _measure_cut(shares, given, needed, sizes, ways)
        if made and sys.stderr.isatty():
            print(
                f"\r{session.project[-40:]:40} {session.name[:30]:30} {len(made)} cuts",
                end="",
                file=sys.stderr,
            )
    return shares, times


def _cases(
    session: Session, every_tokens: int, times: list[float], *, all_before: bool
) -> Iterator[tuple[Given, list[Need]]]:
    texts = [text_of(message) for message in session.messages]
    ledger, read = Ledger(), 0
    for cut in cuts(session, every_tokens):
        for at in range(read, cut.end):
            begin = time.perf_counter()
            update(ledger, session.messages[at], at + 1)
            times.append(time.perf_counter() - begin)
        read = max(read, cut.end)
        cut = replace(cut, first=0) if all_before else cut  # noqa: PLW2901
        needed = needs(cut, texts)
        if needed:
            yield Given(cut, texts, ledger), needed


def _measure_cut(
    shares: Shares, given: Given, needed: list[Need], sizes: tuple[int, ...], ways: Sequence[str]
) -> None:
    session = given.cut.session
    desk = session.kind == "tau-bench"
    kind = " (compacted)" if given.cut.real else " (short)" if given.cut.short and not desk else ""
    project = f"{session.kind}: {session.project}{kind}"
    newer, older = [one for one in needed if not one.older], [one for one in needed if one.older]
    for way, size, text in texts_of(given, (VALUE_SIZE,) if desk else sizes, ways or tuple(WAYS)):
        found = shares_kept(newer, text)
        if older:
            found[OLDER] = sum(shares_kept(older, text).values()) / len({one.kind for one in older})
        for name in (project,) if desk else (project, ALL):
            shares.add(name, way, 0 if way == "its own summary" else size, found)
    found = {} if ways else asyncio.run(_searched(given, needed))
    for name in (project,) if desk else (project, ALL):
        shares.add(name, SEARCH, 0, found)


async def _searched(given: Given, needed: list[Need]) -> dict[str, float]:
    store = await SqliteStore.open(":memory:")
    messages = given.cut.session.messages[: given.cut.end]
    await store.append("bench", "cut", [Counted(message, 1) for message in messages], now_s=0.0)
    found: dict[str, list[bool]] = {}
    for need in needed:
        if need.older:
            continue
        try:
            query = parse('"' + need.text[:SEARCH_CHARS].replace('"', " ") + '"')
        except UsageError:
            continue
        hits = await store.search("bench", "cut", query, where=MESSAGES, limit=SEARCH_LIMIT)
        there = any(holds(given.texts[int(hit.id[1:]) - 1], need.text) for hit in hits.hits)
        found.setdefault(need.kind, []).append(there)
    await store.close()
    return {kind: sum(one) / len(one) for kind, one in found.items()}


def rows_of(shares: Shares) -> list[dict[str, object]]:
    """One row for each project, way and size: the mean shares in percent, and over how many cuts."""
    rows: list[dict[str, object]] = []
    for (project, way, size), kinds in shares.found.items():
        row: dict[str, object] = {"project": project, "way": way, "tokens": size}
        row["shares"] = {kind: round(100 * sum(one) / len(one), 1) for kind, one in kinds.items()}
        row["cuts"] = {kind: len(one) for kind, one in kinds.items()}
        rows.append(row)
    return rows


def show(rows: Sequence[dict[str, object]]) -> None:
    """A table for each project."""
    order = [*WAYS, "its own summary", SEARCH]
    for project in sorted({str(row["project"]) for row in rows}, key=lambda name: (name == ALL, name)):
        of_project = [row for row in rows if row["project"] == project]
        kinds = [
            kind
            for kind in (*KINDS, VALUES, AMOUNTS, OLDER)
            if any(kind in _shares(row, "shares") for row in of_project)
        ]
        print(f"\n{project}")
        print(f"{'':20} {'tokens':>6} " + " ".join(f"{kind:>13}" for kind in kinds))
        for row in sorted(of_project, key=lambda row: (order.index(str(row["way"])), row["tokens"])):
            counted = row["way"] == "ledger"
            cells = [_cell(row, kind, counted=counted) for kind in kinds]
            print(f"{row['way']:20} {row['tokens'] or '':>6} " + " ".join(f"{cell:>13}" for cell in cells))


def _shares(row: dict[str, object], key: str) -> dict[str, float]:
    value = row[key]
    return value if isinstance(value, dict) else {}


def _cell(row: dict[str, object], kind: str, *, counted: bool) -> str:
    share = _shares(row, "shares").get(kind)
    if share is None:
        return "-"
    return f"{share:.1f} ({_shares(row, 'cuts')[kind]})" if counted else f"{share:.1f}"


def _digest(paths: Sequence[Path]) -> str:
    files = [file for path in paths for file in (sorted(path.rglob("*")) if path.is_dir() else [path])]
    return hashlib.sha256(b"".join(file.read_bytes() for file in files if file.is_file())).hexdigest()[:16]


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("paths", nargs="+", type=Path)
    parser.add_argument("--sizes", nargs="+", type=int, default=[500, 1_000, 1_500, 2_000])
    parser.add_argument("--every", nargs="+", type=int, default=[40_000], metavar="TOKENS")
    parser.add_argument("--all-before", action="store_true")
    parser.add_argument("--ways", nargs="+", choices=tuple(WAYS), default=[], metavar="NAME")
    parser.add_argument("--windows", action="store_true")
    parser.add_argument("--larger", action="store_true")
    parser.add_argument("--set", nargs="+", default=[], metavar="NAME=VALUE")
    parser.add_argument("--missed", type=int, default=0, metavar="TOKENS")
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    if options.missed:
        for every in options.every:
            print("\n".join(missed(options.paths, options.missed, every)))
        return
    if options.windows:
        if len(options.every) > 1:
            parser.error("--windows takes one distance: --every 40000")
        settings = {name: int(value) for name, _, value in (one.partition("=") for one in options.set)}
        compared = asyncio.run(window_rows(options.paths, options.every[0], settings, larger=options.larger))
        if options.json:
            data = _digest(options.paths)
            print(json.dumps({"windows": compared, "settings": settings, "data": data, "machine": MACHINE}))
        else:
            show_windows(compared)
        return
    shares, times = measure(
        options.paths, tuple(options.sizes), options.every, options.ways, all_before=options.all_before
    )
    rows = rows_of(shares)
    times.sort()
    update_ms = {
        f"p{share}": round(1_000 * times[len(times) * share // 100], 3) for share in (50, 95, 99) if times
    }
    if options.json:
        record = {
            "rows": rows,
            "update_ms": update_ms,
            "data": _digest(options.paths),
            "settings": {name: getattr(options, name) for name in ("sizes", "every", "ways", "all_before")},
            "machine": MACHINE,
        }
        print(json.dumps(record))
        return
    show(rows)
    print(f"\nupdate of the ledger, ms a message: {update_ms}")


if __name__ == "__main__":
    main()
