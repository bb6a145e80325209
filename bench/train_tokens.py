"""Trains the tables of the default token estimator and writes them to the package.

    python bench/train_tokens.py DATA... [--unseen FAMILY ...] [--seed N]

DATA are files or folders of transcripts and documents; the last part of each path is its family. Families named with
`--unseen` are never trained on, and of every other family a fifth of the files (of a family with few files, of its
texts) is held out. What was seen is written to `tokens_seen.json`, which `bench/tokens.py` reads. Exact counts come
from `rs-bpe`. What it trains on and the errors it leaves are printed.

The filter is chosen and the letters are fitted crosswise: what remains unknown in one fold of files is judged by a
filter chosen on the others, because in new text more unknown words are whole tokens than in the text it was chosen on.
"""

from __future__ import annotations

import argparse
import json
import random
import sys
import unicodedata
import zlib
from collections import Counter, defaultdict
from collections.abc import Iterable
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

import numpy as np
from rs_bpe.bpe import openai

sys.path[:0] = [str(Path(__file__).parent), str(Path(__file__).parent.parent / "src")]

import tokens_corpora as corpora  # noqa: E402
import tokens_fit as fit  # noqa: E402

from palimpsest.budget import token_estimator as model  # noqa: E402

OUT = Path(__file__).parent.parent / "src/palimpsest/budget/tables/o200k.bin"
FOLDS = 5
KNOWN_PIECES = 14_500
FAMILY_CHARS = 1_200_000
RIDGE = 3e-6
WEIGHTS = {
    corpora.USER: 1.0,
    corpora.PROSE: 1.0,
    corpora.CHAT: 1.2,
    corpora.ARGUMENTS: 1.0,
    corpora.CODE: 1.2,
    corpora.SHELL: 1.0,
    corpora.RECORDS: 1.0,
    corpora.EUROPEAN: 2.5,
    corpora.MINIFIED: 0.4,
    corpora.BASE64: 0.6,
    corpora.JAPANESE: 1.0,
    corpora.KOREAN: 1.0,
    corpora.CHINESE: 1.3,
    corpora.OTHER: 0.4,
}
SYMBOLS = frozenset(
    prefix + chr(code)
    for code in (*range(0x2010, 0x2C00), *range(0x1F000, 0x1FB00))
    for prefix in ("", " ")
    if unicodedata.category(chr(code)) in ("So", "Sm", "Po", "Pd")
)
"""Rare in any text at hand, common in others: each is shown once, so that an unknown one is not taken for a letter."""

SYMBOLS_WEIGHT = 0.005
TRANSCRIPTS = frozenset((".json", ".jsonl", ".traj"))


@dataclass(frozen=True, slots=True)
class Pool:
    """All distinct pieces of the training texts and the vocabulary, with their exact token counts."""

    names: list[str]
    exact: fit.Floats
    folds: list[fit.Floats]
    prior: fit.Floats
    texts: list[tuple[int, fit.Ints, fit.Floats]]


def letter_buckets(piece: str) -> Iterable[int]:
    """One bucket for each character and the two before it."""
    bucket = 0
    for code in map(ord, piece):
        bucket = (bucket * 96 + code) & 16_383
        yield bucket


def neighbour_buckets(piece: str) -> list[int]:
    """One bucket for each pair of neighbours, including the borders of the piece."""
    return [(a * 4_099 + b) % model.NEIGHBOUR_BUCKETS for a, b in pairwise((0, *map(ord, piece), 1))]


def capped(found: list[corpora.Sample], seed: int) -> list[corpora.Sample]:
    """At most `FAMILY_CHARS` characters of each kind in each family, drawn at random."""
    order = list(range(len(found)))
    random.Random(seed).shuffle(order)
    used: Counter[tuple[str, str]] = Counter()
    kept: list[int] = []
    for number in order:
        sample = found[number]
        room = FAMILY_CHARS // 20 if sample.kind == corpora.BASE64 else FAMILY_CHARS
        if used[sample.family, sample.kind] < room:
            used[sample.family, sample.kind] += len(sample.text)
            kept.append(number)
    return [found[number] for number in sorted(kept)]


def pool(train: list[corpora.Sample]) -> Pool:
    """Pieces by weight: kinds as `WEIGHTS` says, within a kind families by the root of their size."""
    encoder = openai.o200k_base()
    number: dict[str, int] = {}
    counted_texts: list[tuple[fit.Ints, fit.Floats]] = []
    sizes: dict[str, Counter[str]] = defaultdict(Counter)
    for sample in train:
        counted = Counter(model.pieces(sample.text))
        ids = [number.setdefault(piece, len(number)) for piece in counted]
        counted_texts.append(
            (np.array(ids, dtype=np.int64), np.array(list(counted.values()), dtype=np.float64))
        )
        sizes[sample.kind][sample.family] += len(sample.text)
    tokens = {token: rank for rank in range(199_998) if (token := encoder.decode([rank])) is not None}
    for token in (*tokens, *SYMBOLS):
        number.setdefault(token, len(number))
    names = list(number)
    folds = [np.zeros(len(names)) for _ in range(FOLDS)]
    texts: list[tuple[int, fit.Ints, fit.Floats]] = []
    for sample, (ids, counts) in zip(train, counted_texts, strict=True):
        families = sizes[sample.kind]
        trust = 3.0 if Path(sample.source).suffix in TRANSCRIPTS else 1.0
        total = sum(chars**0.5 for chars in families.values())
        weight = trust * WEIGHTS[sample.kind] / total / families[sample.family] ** 0.5
        few = len(families) < 4 or trust > 1
        key = sample.source if few else sample.family
        home = zlib.crc32(key.encode()) % FOLDS
        folds[home][ids] += counts * weight
        texts.append((home, ids, counts))
    rank = np.array([tokens.get(name, 10**9) for name in names], dtype=np.float64)
    prior = np.where(rank < 10**9, 1.0 / (rank + 5_000.0), 0.0)
    exact = np.array(
        [encoder.count(name.encode("utf-8", "replace").decode()) for name in names], dtype=np.float64
    )
    return Pool(names, exact, folds, prior / prior.sum(), texts)


def is_word(name: str) -> bool:
    """Whether the piece is judged by shape and letters, not by its characters."""
    return name.isascii() or not (model.CJK.search(name) or model.UNCASED.search(name))


def train_words(data: Pool, ridge: float) -> tuple[list[fit.Bools], dict[str, fit.Floats]]:
    """The filter, both shape tables, the letters and the bend, in tokens."""
    words = np.array([is_word(name) for name in data.names])
    length = np.array([len(name) for name in data.names])
    fair = np.where(words & (length <= 60), 1.0 / np.maximum(1.0, length / 8.0), 0.0)
    folds = [fold * fair for fold in data.folds]
    scale = sum(fold.sum() for fold in folds)
    folds = [fold * 12 / scale for fold in folds]
    total = np.sum(folds, axis=0)
    prior = data.prior * fair * np.array([0.12 if name.isascii() else 0.06 for name in data.names])
    form = fit.Columns.of(([model.shape(name)] for name in data.names), model.SHAPES)
    letters = fit.Columns.of((letter_buckets(name[:60]) for name in data.names), model.LETTER_BUCKETS)
    matrix = form.beside(letters.folded(1_024)).beside(letters)
    checks = np.array([model.checksum(name) for name in data.names], dtype=np.int64)
    symbol = np.array([name in SYMBOLS for name in data.names]) * (SYMBOLS_WEIGHT / len(SYMBOLS))
    excess = data.exact - 1.0
    single = words & (excess == 0)
    x = fit.positive_squares(matrix, excess, total, ridge, np.zeros(matrix.width))
    for _ in range(2):
        guess = fit.softplus(matrix.times(x))
        unknown, known = np.zeros(len(guess)), np.zeros(len(guess))
        outside = np.zeros((FOLDS, len(guess)), dtype=np.bool_)
        for number, fold in enumerate(folds):
            gain = np.where(single, (total - fold + prior) * guess**2, 0.0)
            _, claimed = fit.best_known(gain, checks, KNOWN_PIECES, model.KNOWN_BITS)
            outside[number] = claimed
            unknown += fold * ~claimed
            known += fold * claimed
        x = fit.positive_squares(matrix, excess, unknown + 0.1 * prior + symbol, ridge, x)
    guess = fit.softplus(matrix.times(x))
    gain = np.where(single, (total + prior) * guess**2, 0.0)
    fields, _ = fit.best_known(gain, checks, KNOWN_PIECES, model.KNOWN_BITS)
    usual = float((known * excess).sum() / known.sum())
    shapes = (form.back(known * excess) + 2e-4 * usual) / (form.back(known) + 2e-4)
    by_shape, by_two, by_three = np.split(x, (model.SHAPES, model.SHAPES + 1_024))
    by_three = by_three + np.tile(by_two, model.LETTER_BUCKETS // 1_024)
    trained = {"known_shapes": shapes, "shapes": by_shape, "letters": by_three}
    crossed = np.where(outside, shapes[form.column], guess) * words
    trained["bend"] = _bend(data, crossed, np.where(words, excess, 0.0))
    return fields, trained


def _bend(data: Pool, crossed: fit.Floats, excess: fit.Floats) -> fit.Floats:
    """Factor and half share for which the bent guesses, each from another fold's filter, come nearest per text."""
    rows = [
        (counts @ crossed[home, ids], counts @ excess[ids], counts.sum()) for home, ids, counts in data.texts
    ]
    guesses, truths, sizes = (np.array(column) for column in zip(*rows, strict=True))
    usual = float(guesses.sum() / sizes.sum())
    share = (guesses + 8 * usual) / (sizes + 8)
    best = (np.inf, 1.0, 0.0)
    for factor in np.arange(0.9, 1.4, 0.02):
        for half in np.arange(0.0, 0.1, 0.005):
            lost = float(
                np.mean(np.abs(guesses * factor * share / (share + half) - truths) / (sizes + truths))
            )
            best = min(best, (lost, float(factor), float(half)))
    return np.array([best[1], best[2], usual])


def train_characters(data: Pool, ridge: float) -> dict[str, fit.Floats]:
    """The tables for Han, kana, hangul, and the cost of a character in every block, in tokens."""
    own = [number for number, name in enumerate(data.names) if not is_word(name)]
    cjk = np.array([number for number in own if model.CJK.search(data.names[number])])
    names = [data.names[number] for number in cjk]
    length = np.array([len(name) for name in names])
    weight = np.sum(data.folds, axis=0)[cjk]
    prior = data.prior[cjk]
    weight = (
        (weight / weight.sum() + 0.03 * prior / prior.sum()) / np.maximum(1.0, length / 4.0) * (length < 200)
    )
    one = fit.Columns.of(
        ([ord(c) % model.CHARACTER_BUCKETS for c in name] for name in names), model.CHARACTER_BUCKETS
    )
    two = fit.Columns.of((neighbour_buckets(name) for name in names), model.NEIGHBOUR_BUCKETS)
    matrix = one.beside(two)
    x = fit.least_squares(matrix, data.exact[cjk], weight, ridge / 10, np.zeros(matrix.width))
    step = next(step for name, _, step in model.FIELDS if name == "neighbours") / model.UNIT
    coarse = np.round(x[one.width :] / step) * step
    rest = data.exact[cjk] - two.times(coarse)
    characters = fit.least_squares(one, rest, weight, ridge / 10, x[: one.width])
    others = np.array(sorted(set(own) - set(cjk.tolist())))
    blocks = _blocks(data, others)
    return {"characters": characters, "neighbours": coarse, "blocks": blocks}


def _blocks(data: Pool, rows: fit.Ints) -> fit.Floats:
    """Tokens a character by block of 128: as trained where there is text, else as characters cost alone."""
    encoder = openai.o200k_base()
    alone = np.full(model.BLOCKS, 3.0)
    for block in range(model.BLOCKS - 1):
        chars = [chr(code) for code in range(block * 128, block * 128 + 128) if chr(code).isprintable()]
        if chars:
            alone[block] = sum(map(encoder.count, chars)) / len(chars)
    names = [data.names[number] for number in rows]
    matrix = fit.Columns.of(
        ([min(ord(c) >> 7, model.BLOCKS - 1) for c in name] for name in names), model.BLOCKS
    )
    weight = np.sum(data.folds, axis=0)[rows]
    share = matrix.back(weight) / weight.sum()
    x = fit.least_squares(matrix, data.exact[rows], weight / weight.sum(), 1e-7, alone)
    return np.where(share > 1e-4, x, alone)


def packed(fields: list[fit.Bools], trained: dict[str, fit.Floats]) -> bytes:
    """The file that `palimpsest.budget.token_estimator.parse_tables` reads.

    Each part gets a code of its own; repeats are rare."""
    parts = [np.packbits(field, bitorder="little").tobytes() for field in fields]
    for name, _, step in model.FIELDS:
        steps = np.clip(np.round(trained[name] * model.UNIT / step), -128, 127)
        parts.append(steps.astype(np.int8).tobytes())
    parts.append(b"".join(round(float(value) * 10_000).to_bytes(2, "little") for value in trained["bend"]))
    packer = zlib.compressobj(9, zlib.DEFLATED, 15, 9, zlib.Z_HUFFMAN_ONLY)
    return (
        b"".join(packer.compress(part) + packer.flush(zlib.Z_FULL_FLUSH) for part in parts) + packer.flush()
    )


def report(parts: dict[str, list[corpora.Sample]], names: Iterable[str]) -> None:
    """Prints per kind the mean absolute error of the written tables in percent, and the bias of the sum."""
    encoder = openai.o200k_base()
    for part in names:
        rows: dict[tuple[str, str], list[tuple[int, int]]] = defaultdict(list)
        for sample in parts[part]:
            exact = encoder.count(sample.text.encode("utf-8", "replace").decode())
            if exact >= 16:
                rows[sample.kind, sample.family].append((model.count_text(sample.text), exact))
        for (kind, family), pairs in sorted(rows.items()):
            error = sum(abs(ours - exact) / exact for ours, exact in pairs) / len(pairs)
            bias = sum(ours for ours, _ in pairs) / sum(exact for _, exact in pairs) - 1
            print(f"{part:7} {kind:24} {family:26} {len(pairs):6} {error:7.1%} {bias:+7.1%}")


def main() -> None:
    """Reads, trains, writes, reports."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("data", nargs="+", type=Path)
    parser.add_argument("--unseen", nargs="*", default=[])
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--ridge", type=float, default=RIDGE)
    given = parser.parse_args()
    found = corpora.samples(given.data)
    parts = corpora.split(found, frozenset(given.unseen))
    parts = {part: capped(texts, given.seed) for part, texts in parts.items()}
    sizes: Counter[tuple[str, str]] = Counter()
    for sample in parts["train"]:
        sizes[sample.family, sample.kind] += len(sample.text)
    for (family, kind), chars in sorted(sizes.items()):
        print(f"train   {kind:24} {family:26} {chars:9} characters")
    data = pool(parts["train"])
    fields, trained = train_words(data, given.ridge)
    trained |= train_characters(data, given.ridge)
    written = packed(fields, trained)
    OUT.write_bytes(written)
    record = {"trained": sorted({f for f, _ in sizes}), "unseen": sorted(given.unseen), "seed": given.seed}
    record |= {"data": corpora.data_hash(parts["train"]), "texts": len(parts["train"]), "bytes": len(written)}
    corpora.SEEN.write_text(json.dumps(record, indent=1) + "\n")
    print(f"bend {trained['bend'].round(4)}, filter {[round(float(f.mean()), 3) for f in fields]} full")
    print(f"{OUT.name}: {len(written)} bytes; training data {record['data']}, seed {given.seed}")
    report(parts, ("held", "unseen"))


if __name__ == "__main__":
    main()
