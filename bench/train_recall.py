"""Learns the weights of `search/weights.py` and says what they reach on conversations they were not learnt on.

    python bench/train_recall.py DATA... [--steps 120] [--folds 5] [--json]

DATA as for `recall.py`; LoCoMo's dialogues are learnt from as told to an assistant, too, and made-up chats always. The
loss is that of a softmax over a question's candidates, averaged over its evidence. No weight may fall below 0 and all
are drawn to a prior set by hand, and no kind of talk counts for more than `SHARES` says: a fit to one kind does well on
that and collapses on another. "Held out": a fifth of the talks of each kind in turn, with what was made over from them,
is scored by weights learnt on the others. "Without its kind": a kind is scored by weights learnt on all others. The
last line gives the weights learnt on everything, which are those shipped.
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
from recall_made import made_talks  # noqa: E402
from recall_made_over import told  # noqa: E402
from recall_sources import talks  # noqa: E402
from recall_ways import AT, DEPTH  # noqa: E402

from palimpsest.ports import Counted  # noqa: E402
from palimpsest.search.features import features  # noqa: E402
from palimpsest.search.question import Question, read_question  # noqa: E402
from palimpsest.search.ranking import rank  # noqa: E402
from palimpsest.search.retrieval_candidates import CandidatePool  # noqa: E402
from palimpsest.search.weights import FEATURES, WEIGHTS  # noqa: E402
from palimpsest.stores.sqlite import SqliteStore  # noqa: E402

Floats = NDArray[np.floating]

RATE = 0.25
STEPS = 120
FOLDS = 5
SHARES = {
    "locomo": 4.0,
    "bfcl": 0.1,
    "memorybank cn": 0.05,
    "memorybank en": 0.05,
    "coding": 0.3,
    "told an assistant": 1.0,
    "made": 0.15,
    "made named": 0.15,
}
"""What all questions of a kind weigh together: the most where questions are people's own and evidence is marked, enough
for the others to stay above plain word search. With less for coding sessions and made-up chats, they fall below it.
"""

OTHER_SHARE = 0.5
DRAWN = 1e-3
"""How strongly the weights are drawn to the prior. Without it nothing is left for what most talks here do not need and
others do: how often a word occurs, and the length of the text.
"""

PRIOR = {
    "own": 4.0, "before": 1.2, "after": 1.2, "far": 0.4, "answers": 1.2, "covered": 2.0, "covered_near": 1.2,
    "covered_wide": 0.4, "rarest": 0.4, "close": 0.4, "session": 0.6, "session_covered": 0.4, "talk": 0.4,
    "meant": 0.4, "meant_about": 0.4, "speaker": 0.4, "speaker_own": 0.8, "personal": 0.4, "number": 0.4, "names": 0.4,
    "reason": 0.4, "length": 0.4, "states": 0.4, "dated": 1.2, "timed": 0.4, "timed_own": 0.8,
}  # fmt: skip
"""Set by hand before anything was learnt."""


@dataclass(frozen=True, slots=True)
class Sample:
    """A question with its pool: the features of the candidates that have any, and which of those are evidence. `places`
    gives the place of each id, `origin` what is held out together: a talk, and those that it was made over into.
    """

    source: str
    talk: str
    origin: str
    question: Question
    pool: CandidatePool
    evidence: frozenset[str]
    places: dict[str, int]
    rows: Floats
    right: NDArray[np.bool_]

    def hits(self, weights: dict[str, float]) -> list[int]:
        """The places of the best candidates by these weights."""
        ranked = rank(self.question, self.pool, weights)[:DEPTH]
        return [self.places[one.candidate.id] for one in ranked]


async def collect(given: Sequence[Talk]) -> list[Sample]:
    """Every question with its candidates, from the store as it is used, in the order of the talks."""
    store = await SqliteStore.open(":memory:")
    samples: list[Sample] = []
    for number, talk in enumerate(given):
        name = f"{number} {talk.source} {talk.name}"
        done = await store.append("bench", name, [Counted(one, 1) for one in talk.messages], now_s=0.0)
        ids = [one.id for one in done.stored]
        places = {one: place for place, one in enumerate(ids)}
        now_s = max((one.time_s for one in talk.messages if one.time_s is not None), default=None)
        for asked in talk.questions:
            question = read_question(asked.text, now_s)
            pool = await store.recall("bench", name, [one.forms for one in question.concepts])
            evidence = frozenset(ids[place] for place in asked.evidence)
            table = features(question, pool)
            kept = [(row, one.id in evidence) for row, one in zip(table, pool.found, strict=True) if row]
            rows = np.array([row for row, _ in kept], dtype=np.float32).reshape(-1, len(FEATURES))
            right = np.array([one for _, one in kept], dtype=np.bool_)
            origin = talk.of or f"{talk.source} {talk.name}"
            samples.append(Sample(talk.source, name, origin, question, pool, evidence, places, rows, right))
    await store.close()
    return samples


def learn(samples: Sequence[Sample], steps: int = STEPS) -> Floats:
    """Weights that make the evidence likely, none below 0, drawn to `PRIOR`: by Adam, projected."""
    prior = np.array([PRIOR[name] for name in FEATURES])
    used = [one for one in samples if one.right.any() and not one.right.all()]
    if not used:
        return prior
    table = np.concatenate([one.rows for one in used])
    starts = np.cumsum([0, *(len(one.rows) for one in used[:-1])])
    sizes = np.array([len(one.rows) for one in used])
    number = {source: sum(one.source == source for one in used) for source in {one.source for one in used}}
    parts = np.array([SHARES.get(one.source, OTHER_SHARE) / number[one.source] for one in used])
    parts = parts / parts.sum()
    target = np.concatenate(
        [part * one.right / one.right.sum() for part, one in zip(parts, used, strict=True)]
    )
    spread_of = np.repeat(parts, sizes)
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


def named(weights: Floats) -> dict[str, float]:
    """The weights by name, as shares of their sum, so that scores lie between 0 and about 1."""
    whole = float(weights.sum()) or 1.0
    return {name: round(float(value) / whole, 3) for name, value in zip(FEATURES, weights, strict=True)}


def folds_of(samples: Sequence[Sample], folds: int) -> dict[str, int]:
    """The fold of each origin: the talks of a kind are dealt out one by one."""
    dealt: dict[str, int] = {}
    number: dict[str, int] = defaultdict(int)
    for one in samples:
        if one.origin not in dealt:
            dealt[one.origin] = number[one.source] % folds
            number[one.source] += 1
    return dealt


def held_out_weights(
    samples: Sequence[Sample], folds: int = FOLDS, steps: int = STEPS
) -> dict[str, dict[str, float]]:
    """For each talk weights that were learnt without it, and without the others of its fold."""
    dealt = folds_of(samples, folds)
    learnt = {
        fold: named(learn([one for one in samples if dealt[one.origin] != fold], steps))
        for fold in set(dealt.values())
    }
    return {one.talk: learnt[dealt[one.origin]] for one in samples}


async def held_out_hits(given: Sequence[Talk]) -> list[list[list[int]]]:
    """The hits of each talk's questions by weights that were learnt on the talks of other folds."""
    samples = await collect(given)
    weights = held_out_weights(samples)
    left = iter(samples)
    return [[one.hits(weights[one.talk]) for one in (next(left) for _ in talk.questions)] for talk in given]


Shares = dict[str, tuple[float, float]]


def shares(samples: Sequence[Sample], weights: dict[str, dict[str, float]]) -> Shares:
    """(recall, any) at ten by source, in percent; the weights are given by talk."""
    found: dict[str, list[tuple[float, float]]] = defaultdict(list)
    for one in samples:
        hits = set(one.hits(weights[one.talk])[:AT])
        held = sum(one.places[right] in hits for right in one.evidence)
        found[one.source].append((held / len(one.evidence), float(held > 0)))
    return {
        source: (
            round(100 * float(np.mean([recall for recall, _ in values])), 1),
            round(100 * float(np.mean([hit for _, hit in values])), 1),
        )
        for source, values in found.items()
    }


def without_each(samples: Sequence[Sample], steps: int) -> Shares:
    """Each kind by weights that were learnt on all the others: how they carry over to a kind not seen at all. What was
    made over from a kind, or what it was made over from, is left out with it.
    """
    found: Shares = {}
    for source in sorted({one.source for one in samples}):
        these = [one for one in samples if one.source == source]
        kin = {one.origin for one in these}
        others = [one for one in samples if one.source != source and one.origin not in kin]
        weights = named(learn(others, steps))
        found |= shares(these, {one.talk: weights for one in these})
    return found


def main() -> None:
    """Learn, validate, print."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("data", nargs="+", type=Path)
    parser.add_argument("--steps", type=int, default=STEPS)
    parser.add_argument("--folds", type=int, default=FOLDS)
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    given = talks(options.data)
    samples = asyncio.run(collect([*given, *told(given), *made_talks()]))
    every = {one.talk for one in samples}
    reached = {"shipped": shares(samples, {talk: dict(WEIGHTS) for talk in every})}
    reached["held out"] = shares(samples, held_out_weights(samples, options.folds, options.steps))
    reached["without its kind"] = without_each(samples, options.steps)
    everything = named(learn(samples, options.steps))
    reached["learnt on these very questions"] = shares(samples, dict.fromkeys(every, everything))
    if options.json:
        print(json.dumps({"reached": reached, "weights": everything}))
        return
    for name, values in reached.items():
        cells = "  ".join(f"{source} {r:5.1f} / {a:5.1f}" for source, (r, a) in sorted(values.items()))
        print(f"{name:34} {cells}")
    print(json.dumps(everything))


if __name__ == "__main__":
    main()
