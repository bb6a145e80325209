"""Learns the weights of `search/weights.py` and says what they reach on conversations they were not learnt on.

    python bench/train_recall.py DATA... [--steps 120] [--folds 5] [--echo 0 0.02 0.05] [--json]

DATA are LoCoMo files and folders of BFCL's memory data. The loss is that of a softmax over a question's candidates,
averaged over its evidence. No weight may fall below 0 and all are drawn to a prior set by hand: a fit that is free in
both respects does well on its own kind of conversation and collapses on another. "Held out": a fifth of the talks of
each kind in turn is scored by weights learnt on the others; the last line gives the weights learnt on everything, which
are those shipped.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import sys
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

sys.path[:0] = [str(Path(__file__).parent.parent / "src")]

from recall_data import Talk  # noqa: E402
from recall_sources import talks  # noqa: E402

from palimpsest.ports import Counted  # noqa: E402
from palimpsest.search.features import features  # noqa: E402
from palimpsest.search.pool import Pool  # noqa: E402
from palimpsest.search.question import Question, read_question  # noqa: E402
from palimpsest.search.rank import rank  # noqa: E402
from palimpsest.search.weights import FEATURES, WEIGHTS  # noqa: E402
from palimpsest.stores.sqlite import SqliteStore  # noqa: E402

Floats = NDArray[np.floating]

AT = 10
RATE = 0.25
BFCL_SHARE = 0.5
"""What all of BFCL's questions weigh against all of LoCoMo's: there are a tenth as many."""

DRAWN = 3e-3
"""How strongly the weights are drawn to the prior. Without it nothing is left for what LoCoMo's short turns do not need
and long messages do: how often a word occurs, and the length of the text.
"""

PRIOR = {
    "own": 4.0, "before": 1.2, "after": 1.2, "far": 0.4, "answers": 1.2, "covered": 2.0, "covered_near": 1.2,
    "close": 0.4, "session": 0.6, "talk": 0.4, "speaker": 0.4, "speaker_own": 0.8, "length": 0.4, "states": 0.4,
    "dated": 1.2, "timed": 0.4, "timed_own": 0.8, "echo": 0.0,
}  # fmt: skip
"""Set by hand before anything was learnt."""


@dataclass(frozen=True, slots=True)
class Sample:
    """A question with its pool: the features of the candidates that have any, and which of those are evidence."""

    source: str
    talk: str
    question: Question
    pool: Pool
    evidence: frozenset[str]
    rows: Floats
    right: NDArray[np.bool_]


async def collect(given: Sequence[Talk]) -> list[Sample]:
    """Every question with its candidates, from the store as it is used."""
    store = await SqliteStore.open(":memory:")
    samples: list[Sample] = []
    for talk in given:
        name = f"{talk.source} {talk.name}"
        done = await store.append("bench", name, [Counted(one, 1) for one in talk.messages], now_s=0.0)
        ids = [one.id for one in done.stored]
        now_s = max((one.time_s for one in talk.messages if one.time_s is not None), default=None)
        for asked in talk.questions:
            question = read_question(asked.text, now_s)
            pool = await store.recall("bench", name, [one.forms for one in question.concepts])
            evidence = frozenset(ids[place] for place in asked.evidence)
            table = features(question, pool)
            kept = [(row, one.id in evidence) for row, one in zip(table, pool.found, strict=True) if row]
            rows = np.array([row for row, _ in kept], dtype=np.float32).reshape(-1, len(FEATURES))
            right = np.array([one for _, one in kept], dtype=np.bool_)
            samples.append(Sample(talk.source, name, question, pool, evidence, rows, right))
    await store.close()
    return samples


def learn(samples: Sequence[Sample], steps: int) -> Floats:
    """Weights that make the evidence likely, none below 0, drawn to `PRIOR`: by Adam, projected."""
    used = [one for one in samples if one.right.any() and not one.right.all()]
    table = np.concatenate([one.rows for one in used])
    starts = np.cumsum([0, *(len(one.rows) for one in used[:-1])])
    sizes = np.array([len(one.rows) for one in used])
    number = {source: sum(one.source == source for one in used) for source in {one.source for one in used}}
    parts = np.array([(BFCL_SHARE if one.source == "bfcl" else 1.0) / number[one.source] for one in used])
    parts = parts / parts.sum()
    target = np.concatenate(
        [part * one.right / one.right.sum() for part, one in zip(parts, used, strict=True)]
    )
    spread_of = np.repeat(parts, sizes)
    prior = np.array([PRIOR[name] for name in FEATURES])
    weights, mean, spread = prior.copy(), np.zeros_like(prior), np.zeros_like(prior)
    for step in range(1, steps + 1):
        scores = table @ weights.astype(np.float32)
        grown = np.exp(scores - np.repeat(np.maximum.reduceat(scores, starts), sizes))
        likely = spread_of * grown / np.repeat(np.add.reduceat(grown, starts), sizes)
        slope = table.T @ (likely - target).astype(np.float32) + DRAWN * (weights - prior)
        mean = 0.9 * mean + 0.1 * slope
        spread = 0.99 * spread + 0.01 * slope**2
        moved = (mean / (1 - 0.9**step)) / (np.sqrt(spread / (1 - 0.99**step)) + 1e-9)
        weights = np.maximum(0.0, weights - RATE * moved * (1 - step / (steps + 1)))
    return weights


def named(weights: Floats, echo: float) -> dict[str, float]:
    """The weights by name, as shares of their sum, so that scores lie between 0 and about 1."""
    whole = float(weights.sum()) or 1.0
    found = {name: round(float(value) / whole, 3) for name, value in zip(FEATURES, weights, strict=True)}
    return found | {"echo": echo}


def score(samples: Sequence[Sample], weights: dict[str, float]) -> dict[str, list[tuple[float, float]]]:
    """(recall, any) at ten of each question, by source."""
    found: dict[str, list[tuple[float, float]]] = defaultdict(list)
    for one in samples:
        best = {hit.candidate.id for hit in rank(one.question, one.pool, weights)[:AT]}
        held = len(best & one.evidence)
        found[one.source].append((held / len(one.evidence), float(held > 0)))
    return found


def shares(found: dict[str, list[tuple[float, float]]]) -> dict[str, tuple[float, float]]:
    """Means in percent."""
    return {
        source: (
            round(100 * float(np.mean([r for r, _ in values])), 1),
            round(100 * float(np.mean([a for _, a in values])), 1),
        )
        for source, values in found.items()
    }


def main() -> None:
    """Learn, validate, print."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("data", nargs="+", type=Path)
    parser.add_argument("--steps", type=int, default=120)
    parser.add_argument("--folds", type=int, default=5)
    parser.add_argument("--echo", nargs="+", type=float, default=[0.0])
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    samples = asyncio.run(collect(talks(options.data)))
    names = sorted({one.talk for one in samples})
    reached: dict[str, dict[str, tuple[float, float]]] = {"shipped": shares(score(samples, dict(WEIGHTS)))}
    fold_of = {name: number % options.folds for number, name in enumerate(names)}
    folds = range(min(options.folds, len(names)))
    learnt = [learn([one for one in samples if fold_of[one.talk] != fold], options.steps) for fold in folds]
    for echo in options.echo:
        held_out: dict[str, list[tuple[float, float]]] = defaultdict(list)
        for fold in folds:
            values = score([one for one in samples if fold_of[one.talk] == fold], named(learnt[fold], echo))
            for source, one in values.items():
                held_out[source] += one
        reached[f"held out, echo {echo}"] = shares(held_out)
    everything = named(learn(samples, options.steps), options.echo[0])
    reached["learnt on these very questions"] = shares(score(samples, everything))
    if options.json:
        print(json.dumps({"reached": reached, "weights": everything}))
        return
    for name, values in reached.items():
        cells = "  ".join(f"{source} {r:5.1f} / {a:5.1f}" for source, (r, a) in sorted(values.items()))
        print(f"{name:34} {cells}")
    print(json.dumps(everything))


if __name__ == "__main__":
    main()
