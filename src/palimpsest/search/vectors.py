"""Stored vectors, and brute-force nearest neighbours. numpy is imported on first use.

A vector is stored as little-endian float32 of length 1, so that the nearest has the largest dot product.
"""

from __future__ import annotations

import heapq
import math
import struct
from collections.abc import Iterable, Iterator, Sequence
from itertools import islice

from palimpsest.errors import UsageError

CONTEXT_CHARS = 300
"""Characters of the previous message's end that are embedded with a message."""

MAX_DIMENSIONS = 16_384
CHUNK = 4_096
"""Vectors that are multiplied at once."""


def in_context(speaker: str, text: str, before: tuple[str, str] | None) -> str:
    """Return the text of a message to embed: its speaker and text, preceded by the end of the previous message as
    (speaker, text). "Yes, in May" alone says neither who nor what. "" for an empty message.
    """
    if not text.strip():
        return ""
    own = f"{speaker}: {text}"
    return (
        f"{before[0]}: {before[1][-CONTEXT_CHARS:]}\n{own}"
        if before is not None and before[1].strip()
        else own
    )


def pack(vector: Sequence[float]) -> bytes:
    """Return a vector as it is stored. Raises UsageError for one that is empty, too long, not finite or zero."""
    values = [float(value) for value in vector]
    if not 0 < len(values) <= MAX_DIMENSIONS:
        raise UsageError(
            f"the embedder gave a vector of {len(values):,} numbers", hint=f"give 1 to {MAX_DIMENSIONS:,}"
        )
    length = (
        math.sqrt(math.fsum(value * value for value in values)) if all(map(math.isfinite, values)) else 0.0
    )
    if not 0 < length < math.inf:
        raise UsageError(
            "the embedder gave a vector without a direction", hint="give finite numbers, not all 0"
        )
    return struct.pack(f"<{len(values)}f", *(value / length for value in values))


def nearest(rows: Iterable[tuple[int, bytes]], asked: bytes, limit: int) -> list[int]:
    """Return the numbers of the rows with the vectors nearest to `asked`, nearest first, the highest number first
    among equals. Vectors of another size are ignored.
    """
    import numpy as np

    wanted = np.frombuffer(asked, dtype="<f4")
    best: list[tuple[float, int]] = []
    for chunk in _chunks((row for row in rows if len(row[1]) == len(asked)), CHUNK):
        table = np.frombuffer(b"".join(body for _, body in chunk), dtype="<f4").reshape(len(chunk), -1)
        near = (table @ wanted).tolist()
        best = heapq.nlargest(limit, [*best, *zip(near, (number for number, _ in chunk), strict=True)])
    return [number for _, number in best]


def _chunks(rows: Iterator[tuple[int, bytes]], size: int) -> Iterator[list[tuple[int, bytes]]]:
    while chunk := list(islice(rows, size)):
        yield chunk
