"""Measures the default token estimator against exact o200k counts.

    python bench/tokens.py DATA... [--json] [--write-margins] [--seed N]

DATA are files or folders of transcripts and documents. Errors are of messages of 16 tokens or more, in percent of the
exact count: mean absolute error a message, and the bias of the sum. Texts of families the shipped tables never saw,
held-out files of families they saw, and texts they were trained on are told apart (`tokens_seen.json`).

Speed is nanoseconds a character, and in parentheses the ratio to an exact count by `rs-bpe` in the same run. "Cold"
starts each kind with an empty cache; "sampled" counts all texts of the kind as one long text, with an empty cache.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import random
import re
import sys
import time
from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

from rs_bpe.bpe import openai

sys.path[:0] = [str(Path(__file__).parent), str(Path(__file__).parent.parent / "src")]

import tokens_corpora as corpora  # noqa: E402

from palimpsest.budget import calibration, token_estimator  # noqa: E402

LEAST_TOKENS = 16
SPEED_CHARS = 300_000
DRAWS = 400
SUM_MESSAGES = 50
PARTS = {
    "unseen": "families never trained on",
    "held": "held-out files of trained families",
    "train": "trained on",
}


@dataclass(frozen=True, slots=True)
class Counted:
    """One text with its exact and its estimated tokens."""

    kind: str
    family: str
    chars: int
    exact: int
    ours: int
    script: str


@dataclass(frozen=True, slots=True)
class Errors:
    """A row: messages, mean absolute errors of three estimates and the bias of ours, as shares."""

    part: str
    kind: str
    n: int
    chars_by_4: float
    chars_by_2_5: float
    ours: float
    bias: float


@dataclass(frozen=True, slots=True)
class Speed:
    """A row: nanoseconds a character."""

    kind: str
    chars: int
    floor: float
    cold: float
    sampled: float


def roots(path: Path, known: Sequence[str]) -> list[Path]:
    """The path itself, or its folders where it is no family and holds nothing else."""
    inner = sorted(path.iterdir()) if path.is_dir() and path.name not in known else []
    return inner if len(inner) > 1 and all(item.is_dir() for item in inner) else [path]


def counted(found: Iterable[corpora.Sample]) -> list[Counted]:
    """Exact and estimated tokens of every text; characters no encoding has count as question marks."""
    exact = openai.o200k_base().count
    rows: list[Counted] = []
    for sample in found:
        text = sample.text.encode("utf-8", "replace").decode()
        script = calibration.dominant_script(text)
        rows.append(
            Counted(
                sample.kind, sample.family, len(text), exact(text), token_estimator.count_text(text), script
            )
        )
    return rows


def errors(part: str, rows: list[Counted]) -> list[Errors]:
    """One row a kind, in the order of the kinds."""
    table: list[Errors] = []
    for kind in corpora.KINDS:
        chosen = [row for row in rows if row.kind == kind and row.exact >= LEAST_TOKENS]
        if not chosen:
            continue

        def mean(estimate: Callable[[Counted], float], chosen: list[Counted] = chosen) -> float:
            return sum(abs(estimate(row) - row.exact) / row.exact for row in chosen) / len(chosen)

        bias = sum(row.ours for row in chosen) / sum(row.exact for row in chosen) - 1
        simple = mean(lambda row: row.chars / 4), mean(lambda row: row.chars * 2 / 5)
        table.append(Errors(part, kind, len(chosen), *simple, mean(lambda row: row.ours), bias))
    return table


def drawn(rows: list[Counted], messages: int, rng: random.Random) -> list[float]:
    """Shares by which the exact sum of `messages` texts drawn from one family lies above the estimate."""
    families: dict[str, list[Counted]] = defaultdict(list)
    for row in rows:
        families[row.family].append(row)
    shares: list[float] = []
    for _, family in sorted(families.items()):
        if len(family) < min(messages, 20):
            continue
        for _ in range(DRAWS):
            chosen = rng.choices(family, k=messages)
            shares.append(sum(row.exact for row in chosen) / max(sum(row.ours for row in chosen), 1) - 1)
    return shares


def percentile(values: list[float], share: float) -> float:
    """The value that `share` of `values` do not exceed."""
    return sorted(values)[min(int(len(values) * share), len(values) - 1)]


def margin_table(rows: list[Counted], seed: int) -> dict[str, tuple[int, ...]]:
    """Per mille by script and number of messages, as it stands for a script with too few texts.

    Each row falls, as more messages are never less certain.
    """
    table: dict[str, tuple[int, ...]] = {}
    for script in ("latin", "cjk", "other"):
        chosen = [row for row in rows if row.script == script and row.exact >= LEAST_TOKENS]
        if len(chosen) < DRAWS:
            table[script] = calibration.PER_MILLE[script]
            continue
        found: list[int] = []
        for messages in calibration.MESSAGES:
            shares = drawn(chosen, messages, random.Random(seed))
            found.append(max(round(1_000 * percentile(shares, 0.99)) if shares else 0, 1))
        table[script] = tuple(max(found[place:]) for place in range(len(found)))
    return table


def speeds(found: list[corpora.Sample], seed: int) -> list[Speed]:
    """One row a kind, over at most `SPEED_CHARS` characters of short texts."""
    exact = openai.o200k_base().count
    token_estimator.count_text("é")
    table: list[Speed] = []
    for kind in corpora.KINDS:
        texts = [s.text.encode("utf-8", "replace").decode() for s in found if s.kind == kind]
        texts = [text for text in texts if len(text) <= token_estimator.LONG_CHARS]
        random.Random(seed).shuffle(texts)
        chars = 0
        chosen: list[str] = []
        for text in texts:
            if chars < SPEED_CHARS:
                chosen.append(text)
                chars += len(text)
        if chars < 10_000:
            continue
        floor, cold = _timed(exact, chosen), _timed(token_estimator.count_text, chosen)
        table.append(Speed(kind, chars, floor, cold, _timed(token_estimator.count_text, ["\n".join(chosen)])))
    return table


def _timed(count: Callable[[str], int], texts: list[str]) -> float:
    best = float("inf")
    for _ in range(3):
        token_estimator.forget()
        start = time.perf_counter()
        for text in texts:
            count(text)
        best = min(best, time.perf_counter() - start)
    return best / sum(map(len, texts)) * 1e9


def write_margins(table: dict[str, tuple[int, ...]]) -> None:
    """Replaces the literal table in `palimpsest/budget/calibration.py`."""
    file = Path(calibration.__file__)
    body = "".join(f'    "{script}": {row},\n' for script, row in table.items())
    text = re.sub(
        r"(?s)(PER_MILLE: [^{]*\{\n).*?\n\}", lambda found: found[1] + body + "}", file.read_text(), count=1
    )
    file.write_text(text)


def show(record: dict[str, object], table: list[Errors], speed: list[Speed]) -> None:
    """Prints the record as tables."""
    head = f"{'':24}{'n':>7}{'chars/4':>9}{'x 2/5':>8}{'ours':>7}{'bias':>7}"
    for part, title in PARTS.items():
        print(f"\n{title}\n{head}")
        for row in table:
            if row.part == part:
                simple = f"{row.chars_by_4:9.1%}{row.chars_by_2_5:8.1%}"
                print(f"{row.kind:24}{row.n:7}{simple}{row.ours:7.1%}{row.bias:+7.1%}")
    print(f"\n{'ns a character':24}{'chars':>9}{'exact':>8}{'cold':>14}{'sampled':>14}")
    for row in speed:
        ratios = (f"{ns:6.0f} ({ns / row.floor:4.1f})" for ns in (row.cold, row.sampled))
        print(f"{row.kind:24}{row.chars:9}{row.floor:8.0f}{''.join(f'{ratio:>14}' for ratio in ratios)}")
    print("\n" + "\n".join(f"{key}: {value}" for key, value in record.items()))


def main() -> None:
    """Reads, counts, prints."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("data", nargs="+", type=Path)
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--write-margins", action="store_true")
    parser.add_argument("--seed", type=int, default=1)
    given = parser.parse_args()
    seen = json.loads(corpora.SEEN.read_text())
    found = corpora.samples(path for given_path in given.data for path in roots(given_path, seen["trained"]))
    unseen = frozenset(sample.family for sample in found) - frozenset(seen["trained"])
    rows = {part: counted(texts) for part, texts in corpora.split(found, unseen).items()}
    fresh = rows["unseen"] + rows["held"]
    table = [row for part in PARTS for row in errors(part, rows[part])]
    sums: dict[str, dict[str, float]] = {}
    for part in PARTS:
        shares = [abs(share) for share in drawn(rows[part], SUM_MESSAGES, random.Random(given.seed))]
        if shares:
            sums[part] = {
                "mean": round(sum(shares) / len(shares), 4),
                "p95": round(percentile(shares, 0.95), 4),
            }
    measured = margin_table(fresh, given.seed)
    if given.write_margins:
        write_margins(measured)
    speed = speeds(found, given.seed)
    record: dict[str, object] = {
        "schema": "palimpsest.bench.tokens/1",
        "data": corpora.data_hash(found),
        "settings": {
            "seed": given.seed,
            "least_tokens": LEAST_TOKENS,
            "draws": DRAWS,
            "tables": seen["data"],
        },
        "machine": {
            "python": platform.python_version(),
            "system": platform.platform(),
            "cpus": os.cpu_count(),
        },
        f"sums_{SUM_MESSAGES}": sums,
        "margins_per_mille": {"messages": calibration.MESSAGES, **measured},
    }
    if given.json:
        rates = [asdict(row) for row in speed]
        print(json.dumps(record | {"errors": [asdict(row) for row in table], "ns_a_character": rates}))
    else:
        show(record, table, speed)


if __name__ == "__main__":
    main()
