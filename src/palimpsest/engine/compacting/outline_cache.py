"""The pieces of earlier messages from which the next outline is made, so that no message is read twice."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace

import msgspec

from palimpsest.record.log import Branch
from palimpsest.summarize.outline.pieces import Row

VERSION = 1
"""The version of the stored form. Candidates of another version are made again from the messages."""

MAX_GROWTH = 2
"""Candidates serve an outline of at most this many times the size that they were chosen for."""


@dataclass(frozen=True, slots=True)
class OutlineCandidates:
    """The candidates of one branch: rows by position, and the ranges (first, last, outline tokens) that they are from.

    `starts` holds the characters of the conversation before each row, `chars` those before the message after the newest
    range. `secrets` is how many secrets were known when the rows were made.
    """

    branch_id: int
    purged: int
    secrets: int
    ranges: tuple[tuple[int, int, int], ...] = ()
    rows: dict[int, Row] = field(default_factory=dict[int, Row])
    starts: dict[int, int] = field(default_factory=dict[int, int])
    chars: int = 0
    version: int = VERSION

    @property
    def through(self) -> int:
        """The newest position that was read."""
        return max((last for _, last, _ in self.ranges), default=0)

    def serves(self, branch: Branch, first: int, last: int, budget_tokens: int) -> bool:
        """Whether an outline of these messages can be made of the candidates."""
        if (self.branch_id, self.purged) != (branch.id, branch.purged):
            return False
        within = [tokens for start, end, tokens in self.ranges if start <= last and end >= first]
        return bool(within) and budget_tokens <= MAX_GROWTH * max(within)

    def missing(self, first: int, last: int) -> Iterator[tuple[int, int]]:
        """The parts of a range that were not read yet."""
        for start, end, _ in self.ranges:
            if start > last:
                break
            if end >= first:
                if first < start:
                    yield first, start - 1
                first = end + 1
        if first <= last:
            yield first, last

    def with_range(self, first: int, last: int, budget_tokens: int) -> tuple[tuple[int, int, int], ...]:
        """The ranges with this one among them, in place of those that it overlaps."""
        apart = [one for one in self.ranges if one[1] < first or one[0] > last]
        return tuple(sorted((*apart, (first, last, budget_tokens))))


def candidates_to_json(candidates: OutlineCandidates) -> str:
    """The candidates as one line of JSON, without the number of secrets; "" if they are not valid UTF-8."""
    try:
        return msgspec.json.encode(replace(candidates, secrets=-1)).decode()
    except UnicodeEncodeError:
        return ""


def candidates_from_json(text: str) -> OutlineCandidates | None:
    """The candidates that `candidates_to_json` wrote; None for anything else, and for other versions."""
    try:
        data = text.encode("utf-8", "surrogatepass")
        found = msgspec.json.decode(data, type=OutlineCandidates) if text else None
    except (msgspec.MsgspecError, UnicodeEncodeError):
        return None
    return found if found is not None and found.version == VERSION else None
