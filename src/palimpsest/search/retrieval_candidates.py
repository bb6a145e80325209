"""Candidates for a question, as the store returns them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import msgspec


class Candidate(msgspec.Struct, frozen=True, gc=False):
    """A message or a summary that may answer. `branch` and `seq` are its position; `name` is the speaker, if known.

    It has no fields that the garbage collector tracks, because a question makes hundreds.
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
        """Whether it has text: recall calls and answers count as empty."""
        return bool(self.text) and not self.text.isspace()


@dataclass(frozen=True, slots=True)
class CandidatePool:
    """Candidates with their neighbours. `total` texts were searched; `holding` is how many have each concept;
    `left_out`, at most, are not indexed yet.
    """

    total: int
    holding: tuple[int, ...]
    found: tuple[Candidate, ...]
    left_out: int = 0
