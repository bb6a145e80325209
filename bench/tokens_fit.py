"""The arithmetic of training the token estimator: which pieces to remember, and weighted sparse least squares.

A piece is a row, a bucket a column; a column counts as often as its bucket occurs in the piece. Everything is
deterministic.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Bools = NDArray[np.bool_]


@dataclass(frozen=True, slots=True)
class Columns:
    """A sparse matrix of counts: entry i says that column `column[i]` occurs in row `row[i]`."""

    row: Ints
    column: Ints
    rows: int
    width: int

    @staticmethod
    def of(buckets: Iterable[Iterable[int]], width: int) -> Columns:
        """The matrix whose row i holds the i-th buckets."""
        row: list[int] = []
        column: list[int] = []
        rows = 0
        for found in buckets:
            for bucket in found:
                row.append(rows)
                column.append(bucket)
            rows += 1
        return Columns(np.array(row, dtype=np.int64), np.array(column, dtype=np.int64), rows, width)

    def beside(self, other: Columns) -> Columns:
        """This matrix with the columns of `other` after its own."""
        return Columns(
            np.concatenate([self.row, other.row]),
            np.concatenate([self.column, other.column + self.width]),
            self.rows,
            self.width + other.width,
        )

    def folded(self, width: int) -> Columns:
        """The matrix whose columns are these modulo `width`."""
        return Columns(self.row, self.column % width, self.rows, width)

    def only(self, keep: Bools) -> Columns:
        """The matrix of the rows kept, renumbered."""
        number = np.cumsum(keep) - 1
        chosen = keep[self.row]
        return Columns(number[self.row[chosen]], self.column[chosen], int(keep.sum()), self.width)

    def times(self, x: Floats) -> Floats:
        """For each row the sum of its columns' values."""
        return np.bincount(self.row, weights=x[self.column], minlength=self.rows).astype(np.float64)

    def back(self, y: Floats) -> Floats:
        """For each column the sum of its rows' values."""
        return np.bincount(self.column, weights=y[self.row], minlength=self.width).astype(np.float64)


def least_squares(
    matrix: Columns, y: Floats, weight: Floats, ridge: float, start: Floats, rounds: int = 80
) -> Floats:
    """x that minimises sum(weight * (matrix x - y)^2) + ridge * |x|^2, by conjugate gradients from `start`."""
    diagonal = matrix.back(weight) + ridge
    x = start.copy()
    rest = matrix.back(weight * (y - matrix.times(x))) - ridge * x
    scaled = rest / diagonal
    step, power = scaled.copy(), float(rest @ scaled)
    for _ in range(rounds):
        if power < 1e-16:
            break
        image = matrix.back(weight * matrix.times(step)) + ridge * step
        length = power / float(step @ image)
        x += length * step
        rest -= length * image
        scaled = rest / diagonal
        before, power = power, float(rest @ scaled)
        step = scaled + power / before * step
    return x


def softplus(z: Floats) -> Floats:
    """log(1 + e^z): never negative, and z itself where z is large."""
    return np.logaddexp(0.0, z)


def positive_squares(
    matrix: Columns, y: Floats, weight: Floats, ridge: float, start: Floats, rounds: int = 5
) -> Floats:
    """x that minimises sum(weight * (softplus(matrix x) - y)^2) + ridge * |x|^2, by Gauss and Newton from `start`."""
    keep = weight > 0
    matrix, y, weight = matrix.only(keep), y[keep], weight[keep]

    def loss(x: Floats) -> float:
        return float((weight * (softplus(matrix.times(x)) - y) ** 2).sum() + ridge * (x @ x))

    x, lost = start, loss(start)
    for _ in range(rounds):
        z = matrix.times(x)
        slope = np.clip(1.0 / (1.0 + np.exp(-np.clip(z, -30, 30))), 0.05, None)
        aim = z + (y - softplus(z)) / slope
        target = least_squares(matrix, aim, weight * slope**2, ridge, x, rounds=25)
        share = 1.0
        while share > 0.05 and loss(x + share * (target - x)) >= lost:
            share /= 2
        if share <= 0.05:
            break
        x = x + share * (target - x)
        lost = loss(x)
    return x


def best_known(gain: Floats, checks: Ints, count: int, sizes: tuple[int, ...]) -> tuple[list[Bools], Bools]:
    """The `count` pieces of largest gain as bit fields of the given sizes, and which pieces those claim to hold."""
    chosen = np.argsort(-gain, kind="stable")[:count]
    chosen = chosen[gain[chosen] > 0]
    fields = [np.zeros(size, dtype=np.bool_) for size in sizes]
    claimed = np.ones(len(gain), dtype=np.bool_)
    for field, size in zip(fields, sizes, strict=True):
        field[checks[chosen] % size] = True
        claimed &= field[checks % size]
    return fields, claimed
