"""What a store finds for a question, for `rank` to weigh: texts that may answer, with what stands around them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import msgspec


class Candidate(msgspec.Struct, frozen=True, gc=False):
    """A message or a summary that may answer. `branch` and `seq` are its place; `name` is who said it, where known.

    A question makes hundreds, and of what a collector of garbage does not count it has less to look through.
    """

    id: str
    kind: Literal["message", "summary"]
    conversation: str
    branch: int
    seq: int
    role: str
    name: str
    time_s: float | None
    text: str
    tokens: int
    current: bool = True

    @property
    def says_something(self) -> bool:
        """Whether there are words in it: what was read back, and what asked for it, counts as none."""
        return bool(self.text) and not self.text.isspace()


@dataclass(frozen=True, slots=True)
class Pool:
    """Candidates with their neighbours. `total` texts were searched; `holding` says how many hold each concept;
    `left_out`, at most, were not searched, because they are not in the index yet.
    """

    total: int
    holding: tuple[int, ...]
    found: tuple[Candidate, ...]
    left_out: int = 0
