"""What a window holds of what is needed next, beside plain truncation of the same size.

    python bench/window.py DATA... [--sizes 4000 8000 16000] [--kinds KIND...] [--in-sample] [--rows] [--five]
                           [--preset NAME] [--only-plain] [--weights] [--json]

The *history* is what stands before a cut, the *future* what the agent and the user say behind it in the next 40
messages, and what the agent passes to tools. Taken are the words and three-word phrases of the future that occur in the
history and that nothing between the cut and their use shows again. `words` is the share of the words that the window
holds, weighted by rarity, `phrases` that of the phrases, `asked` that of the phrases of all of the user's own messages
(of one with more than 300 tokens the first 210 and the last 90). `names` and `commands` are exact strings of the next
40 calls (`survival_needs.py`). Shares are means over cuts, in percent.

Sessions are cut at their own compactions and every 40,000 tokens, shorter ones at half; service-desk conversations and
chats at half, with a window of a third of what was said. Each kind of agent is left out of training in turn, with
`--in-sample` none is. The ledger's weights were learnt on all of them, so `names` and `commands` are in sample.

ours    the project's window: everything before the cut appended, `compact(until_under_tokens=SIZE)`, `request()`
plain   user's words 25 %, assistant's prose 25 %, and the end of the conversation with results cut to 100 tokens
its own the transcript's own summary, under its own size
five    with `--five`: ours, compacted five times on the way instead of once
"""

from __future__ import annotations

import argparse
import asyncio
import hashlib
import json
import platform
import sys
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

sys.path[:0] = [str(Path(__file__).parent.parent / "src")]

from survival_data import Cut, Session  # noqa: E402
from survival_needs import Need, shares_kept, text_of  # noqa: E402
from survival_needs import needs as exact_needs  # noqa: E402
from window_data import THIRDS, Talk, Turn, cuts, family, sizes, talks  # noqa: E402
from window_measure import Needed, ends, first_tokens, last_tokens, needs, shares  # noqa: E402

import palimpsest  # noqa: E402
from palimpsest.budget.token_estimator import count_text  # noqa: E402
from palimpsest.errors import DoesNotFit  # noqa: E402
from palimpsest.summarize.outline import need_estimator  # noqa: E402

WINDOW_TOKENS = 200_000
PARTS = 5
NAMES = ("path args", "files", "identifiers", "shell paths", "values")
COMMANDS = ("commands", "segments")
COLUMNS = ("words", "phrases", "asked", "names", "commands")
RESULT_HEAD, RESULT_TAIL = 60, 40
Row = dict[str, list[float]]


def plain(turns: Sequence[Turn], size: int) -> str:
    """Plain truncation: ten lines that do the obvious."""
    user = _newest([ends(turn.texts.user) for turn in turns if turn.texts.user], size // 4)
    prose = _newest([turn.texts.prose for turn in turns if turn.texts.prose], size // 4)
    rest = size - count_text("\n".join(user)) - count_text("\n".join(prose))
    return "\n".join([*user, *prose, *_newest([_rendered(turn) for turn in turns], rest)])


def _newest(texts: Sequence[str], budget: int) -> list[str]:
    found: list[str] = []
    for text in reversed(texts):
        tokens = count_text(text)
        if tokens > budget:
            found.append(last_tokens(text, budget))
            break
        found.append(text)
        budget -= tokens
    return found[::-1]


def _rendered(turn: Turn) -> str:
    texts = turn.texts
    results = texts.results
    if count_text(results) > RESULT_HEAD + RESULT_TAIL:
        results = f"{first_tokens(results, RESULT_HEAD)}\n…\n{last_tokens(results, RESULT_TAIL)}"
    return "\n".join(part for part in (texts.user, texts.prose, texts.arguments, results) if part)


async def ours(turns: Sequence[Turn], size: int, preset: str, parts: int = 1) -> str | None:
    """The project's window of this size; compacted `parts` times on the way. None where nothing fits it."""
    async with palimpsest.open(":memory:", preset=preset, window_tokens=WINDOW_TOKENS) as engine:
        talk = engine.conversation("a")
        made = 0
        for part in range(1, parts + 1):
            end = len(turns) * part // parts
            while end < len(turns) and turns[end].texts.results:
                end += 1
            await talk.append(*(turn.message for turn in turns[made:end]))
            made = max(made, end)
            try:
                await talk.compact(until_under_tokens=size)
            except DoesNotFit:
                if part == parts:
                    return None
        request = await talk.request()
        return "\n".join(text_of(message) for message in request.messages)


def measured(needed: Needed, exact: Sequence[Need], text: str) -> dict[str, float]:
    """Every column of one window."""
    found = shares(needed, text)
    kept = shares_kept(exact, text)
    for column, kinds in (("names", NAMES), ("commands", COMMANDS)):
        known = [100 * kept[kind] for kind in kinds if kind in kept]
        if known:
            found[column] = sum(known) / len(known)
    return found


def cases(talk: Talk) -> Iterator[tuple[int, Needed, list[Need]]]:
    """(cut, what is needed behind it, which exact strings are)."""
    texts = [text_of(turn.message) for turn in talk.turns]
    session = Session(talk.kind, talk.kind, talk.name, tuple(turn.message for turn in talk.turns))
    for cut in cuts(talk):
        needed = needs(talk.turns, cut)
        if needed.words:
            yield cut, needed, exact_needs(Cut(session, 0, cut, cut, real=False), texts)


async def measure(every: Sequence[Talk], args: argparse.Namespace) -> dict[tuple[str, str, str], Row]:
    """The rows, by kind of agent, size and way; each kind with weights learnt without it."""
    rows: dict[tuple[str, str, str], Row] = defaultdict(lambda: defaultdict(list))
    for name in sorted({family(talk.kind) for talk in every}):
        if not (args.in_sample or args.only_plain):
            from train_need import train

            trained = train(every, name)
            need_estimator.weights = lambda trained=trained: trained
        for talk in every:
            if family(talk.kind) != name or (args.kinds and talk.kind not in args.kinds):
                continue
            for cut, needed, exact in cases(talk):
                await _measure_cut(rows, talk, cut, needed, exact, args)
                if args.rows:
                    _show({key: row for key, row in rows.items() if key[0] == talk.kind})
    return rows


async def _measure_cut(
    rows: dict[tuple[str, str, str], Row],
    talk: Talk,
    cut: int,
    needed: Needed,
    exact: Sequence[Need],
    args: argparse.Namespace,
) -> None:
    turns = talk.turns[:cut]
    for size in sizes(talk, cut, args.sizes):
        label = "third" if talk.kind in THIRDS else "short" if size not in args.sizes else f"{size:,}"
        ways: dict[str, str | None] = {"plain": plain(turns, size)}
        if not args.only_plain:
            ways["ours"] = await ours(turns, size, args.preset)
        if args.five:
            ways["five"] = await ours(turns, size, args.preset, PARTS)
        if ways.get("ours", "") is None:
            rows[talk.kind, label, "did not fit"]["size"].append(size)
            continue
        for way, text in ways.items():
            if text is not None:
                _add(rows[talk.kind, label, way], measured(needed, exact, text), text)
    for position, summary in talk.marks:
        if position == cut:
            _add(rows[talk.kind, "its own", "summary"], measured(needed, exact, summary), summary)


def _add(row: Row, found: Mapping[str, float], text: str) -> None:
    for column, share in found.items():
        row[column].append(share)
    row["size"].append(count_text(text))


def _mean(values: Sequence[float]) -> float | None:
    return round(sum(values) / len(values), 1) if values else None


def _show(rows: Mapping[tuple[str, str, str], Row]) -> None:
    print(
        f"{'kind':14}{'size':8}{'way':12}{'cuts':>5}{'tokens':>8}" + "".join(f"{one:>10}" for one in COLUMNS)
    )
    for key in sorted(rows):
        row = rows[key]
        cells = [_mean(row[column]) for column in COLUMNS]
        told = "".join(f"{'-' if cell is None else f'{cell:.1f}':>10}" for cell in cells)
        print(
            f"{key[0]:14}{key[1]:8}{key[2]:12}{len(row['size']):5}{_mean(row['size']):8.0f}{told}", flush=True
        )


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("data", nargs="+", type=Path)
    parser.add_argument("--sizes", nargs="+", type=int, default=[4_000, 8_000, 16_000])
    parser.add_argument("--kinds", nargs="+", help="only these kinds of agents")
    parser.add_argument("--preset", default="default")
    parser.add_argument("--in-sample", action="store_true", help="use the weights of the package as they are")
    parser.add_argument("--only-plain", action="store_true", help="measure plain truncation alone")
    parser.add_argument("--five", action="store_true", help="also compact five times on the way")
    parser.add_argument("--rows", action="store_true", help="print the table after every cut")
    parser.add_argument("--json", action="store_true", help="print one record")
    args = parser.parse_args()
    every = list(talks(args.data))
    rows = asyncio.run(measure(every, args))
    if not args.json:
        _show(rows)
        return
    digest = hashlib.sha256()
    for talk in every:
        digest.update("\n".join(text_of(turn.message) for turn in talk.turns).encode("utf-8", "replace"))
    found = [
        {
            "kind": kind,
            "size": size,
            "way": way,
            "cuts": len(row["size"]),
            "tokens": _mean(row["size"]),
            **{column: _mean(row[column]) for column in COLUMNS},
        }
        for (kind, size, way), row in sorted(rows.items())
    ]
    settings = {"sizes": args.sizes, "preset": args.preset, "in_sample": args.in_sample}
    machine = {"python": platform.python_version(), "machine": platform.machine()}
    print(json.dumps({"data": digest.hexdigest(), "settings": settings, "machine": machine, "rows": found}))


if __name__ == "__main__":
    main()
