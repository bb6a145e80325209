"""Train the estimate of what a window will be asked for (`summarize/outline/weights.json`).

    python bench/train_need.py DATA... [--leave KIND] [--out FILE] [--features]

Every session in DATA is cut again and again; each word and phrase of what stands before a cut is an example, needed or
not (`window_measure.needed_after`). Two logistic regressions are fitted. `--leave` leaves the sessions of one kind of
agent out. `--features` prints what each feature buys: the loss on each kind of agent, left out of training in turn,
with the feature and without it. Needs numpy.
"""

from __future__ import annotations

import argparse
import json
import math
import random
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

sys.path[:0] = [str(Path(__file__).parent.parent / "src")]

import numpy as np  # noqa: E402
from need_features import phrase_features, word_features, word_lengths  # noqa: E402
from window_data import Talk, family, talks  # noqa: E402
from window_measure import needed_after  # noqa: E402

from palimpsest.summarize.outline.need_estimator import (  # noqa: E402
    COMMON_SHARE,
    MAX_LOGIT,
    MESSAGES,
    PHRASE_FEATURES,
    WORD_FEATURES,
    Reader,
)

EVERY_TOKENS, LEAST_EVERY_TOKENS, CUTS = 8_000, 1_500, 6
"""A session is cut every so many tokens, a shorter one about six times."""
OTHERS_SHARE = {"words": 0.15, "phrases": 0.05}
"""How many of the examples that were not needed are used; they weigh as much more."""
SHORT_TALK_CUTS = 3
PENALTY, ROUNDS = 1.0, 15
Trained = tuple[tuple[float, ...], tuple[float, ...]]


@dataclass(frozen=True, slots=True)
class Examples:
    """The examples of one session: features, whether needed, weight."""

    family: str
    features: np.ndarray
    needed: np.ndarray
    weight: np.ndarray


def cuts_for_training(talk: Talk) -> list[int]:
    """Many places to cut a session at, none between a call and its result."""
    total = sum(one.tokens for one in talk.turns)
    every = max(LEAST_EVERY_TOKENS, min(EVERY_TOKENS, total // CUTS))
    size = last = 0
    found: list[int] = []
    for at, one in enumerate(talk.turns[:-2]):
        if size - last >= every and not one.texts.results:
            last = size
            found.append(at)
        size += one.tokens
    return found[:SHORT_TALK_CUTS] if talk.kind == "tau-bench" else found


def examples(every: Sequence[Talk], unit: str, by_word: tuple[float, ...] = ()) -> list[Examples]:
    """The examples of all sessions, of words or of phrases; `by_word` are the weights of words, for phrases."""
    chance = random.Random(7)
    found: list[Examples] = []
    for talk in every:
        reader, at = Reader(), 0
        rows: list[list[float]] = []
        needed: list[bool] = []
        for cut in cuts_for_training(talk):
            for turn in talk.turns[at:cut]:
                reader.read_texts(turn.texts)
            at = cut
            asked = needed_after(talk.turns, cut, reader.vocabulary)
            if unit == "words":
                _add_words(rows, needed, reader, asked.words, chance)
            else:
                _add_phrases(rows, needed, reader, asked.phrases, chance, by_word)
        if rows:
            truth = np.array(needed, float)
            weight = np.where(truth > 0, 1.0, 1 / OTHERS_SHARE[unit])
            weight /= math.sqrt(weight.sum())
            found.append(Examples(family(talk.kind), np.array(rows), truth, weight))
    return found


def _add_words(
    rows: list[list[float]], needed: list[bool], reader: Reader, asked: set[int], chance: random.Random
) -> None:
    for word, number in reader.vocabulary.numbers.items():
        record = reader.words.get(number)
        if record is None or record[MESSAGES] * COMMON_SHARE >= reader.messages:
            continue
        if number in asked or chance.random() < OTHERS_SHARE["words"]:
            rows.append(word_features(reader, word, record))
            needed.append(number in asked)


def _add_phrases(
    rows: list[list[float]],
    needed: list[bool],
    reader: Reader,
    asked: set[int],
    chance: random.Random,
    by_word: tuple[float, ...],
) -> None:
    names = {number: word for word, number in reader.vocabulary.numbers.items()}
    lengths = word_lengths(reader.vocabulary)
    logits: dict[int, float] = {}
    for phrase, record in reader.phrases.items():
        if phrase not in asked and chance.random() >= OTHERS_SHARE["phrases"]:
            continue
        for part in (phrase >> 42, (phrase >> 21) & 0x1FFFFF, phrase & 0x1FFFFF):
            if part not in logits:
                known = word_features(reader, names[part], reader.words[part])
                logit = sum(weight * value for weight, value in zip(by_word, known, strict=True))
                logits[part] = max(-MAX_LOGIT, min(MAX_LOGIT, logit))
        rows.append(phrase_features(reader, phrase, record, logits, lengths))
        needed.append(phrase in asked)


def fitted(found: Sequence[Examples], without: int | None = None) -> np.ndarray:
    """The weights of a logistic regression, by Newton's method; `without` one feature."""
    values = np.concatenate([one.features for one in found])
    truth = np.concatenate([one.needed for one in found])
    weight = np.concatenate([one.weight for one in found])
    weight = weight / weight.sum() * len(weight)
    if without is not None:
        values = values.copy()
        values[:, without] = 0
    size = values.shape[1]
    made = np.zeros(size)
    free = np.arange(size) > 0
    for _ in range(ROUNDS):
        odds = 1 / (1 + np.exp(-values @ made))
        slope = values.T @ (weight * (odds - truth)) + PENALTY * made * free
        bend = (values * (weight * odds * (1 - odds))[:, None]).T @ values + PENALTY * np.eye(size)
        step = np.linalg.solve(bend, slope)
        made -= step
        if abs(step).max() < 1e-4:
            break
    return made


def loss(weights: np.ndarray, found: Sequence[Examples]) -> float:
    """The mean loss of a session, in nats an example."""
    sums: list[float] = []
    for one in found:
        odds = 1 / (1 + np.exp(-one.features @ weights))
        parts = one.needed * np.log(odds + 1e-9) + (1 - one.needed) * np.log(1 - odds + 1e-9)
        sums.append(float(-(one.weight * parts).sum() / one.weight.sum()))
    return sum(sums) / len(sums)


def train(every: Sequence[Talk], leave: str = "") -> Trained:
    """The weights of words and phrases, learnt from all sessions but those of one kind of agent."""
    kept = [talk for talk in every if family(talk.kind) != leave]
    by_word = tuple(float(one) for one in fitted(examples(kept, "words")))
    by_phrase = tuple(float(one) for one in fitted(examples(kept, "phrases", by_word)))
    return by_word, by_phrase


def show_features(every: Sequence[Talk]) -> None:
    """Print the loss on agents left out of training, with all features and without each."""
    found = examples(every, "words")
    by_word = tuple(float(one) for one in fitted(found))
    for unit, names, rows in (
        ("words", WORD_FEATURES, found),
        ("phrases", PHRASE_FEATURES, examples(every, "phrases", by_word)),
    ):
        kinds = sorted({one.family for one in rows})

        def left_out(
            without: int | None, rows: list[Examples] = rows, kinds: list[str] = kinds
        ) -> list[float]:
            return [
                loss(
                    fitted([one for one in rows if one.family != kind], without),
                    [one for one in rows if one.family == kind],
                )
                for kind in kinds
            ]

        base = left_out(None)
        print(f"{unit:18}" + "".join(f"{kind:>14}" for kind in kinds))
        print(f"{'all features':18}" + "".join(f"{one:14.4f}" for one in base))
        for at, name in enumerate(names[1:], 1):
            worse = [one - was for one, was in zip(left_out(at), base, strict=True)]
            print(f"- {name:16}" + "".join(f"{one:+14.4f}" for one in worse))


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("data", nargs="+", type=Path)
    parser.add_argument("--leave", default="", help="leave the sessions of this kind of agent out")
    parser.add_argument("--out", type=Path, help="write the weights to this file")
    parser.add_argument("--features", action="store_true", help="print what each feature buys")
    args = parser.parse_args()
    every = list(talks(args.data))
    if args.features:
        show_features(every)
        return
    by_word, by_phrase = train(every, args.leave)
    held = {
        "words": {name: round(one, 3) for name, one in zip(WORD_FEATURES, by_word, strict=True)},
        "phrases": {name: round(one, 3) for name, one in zip(PHRASE_FEATURES, by_phrase, strict=True)},
    }
    text = json.dumps(held, indent=1) + "\n"
    if args.out:
        args.out.write_text(text, "utf-8")
    else:
        print(text, end="")


if __name__ == "__main__":
    main()
