"""Which of what is read back an edit or a rewind of the history left behind.

In the place of such a message the present history has another, or none. A summary is left behind where the last message
that it covers is, as for hits.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from palimpsest.ports import Store
from palimpsest.record.log import Stored
from palimpsest.record.summary import Summary

MAX_RUN = 1_000
"""Messages that are compared at a time."""


@dataclass(frozen=True, slots=True, order=True)
class _Place:
    """Where something stands: the position and id of its message, or of the last message that it covers."""

    home: str
    seq: int
    message: str
    id: str


async def left_behind(store: Store, owner: str, shown: Iterable[tuple[str, Stored | Summary]]) -> set[str]:
    """The ids of those that were left behind, of messages and summaries with the conversations that they stand in."""
    places: list[_Place] = []
    for home, one in shown:
        ends = [one] if isinstance(one, Stored) else await store.history(owner, one.id, one.last, one.last)
        places += [_Place(home, end.seq, end.id, one.id) for end in ends]
    found: set[str] = set()
    for run in _runs(sorted(places)):
        present = {one.id for one in await store.messages(owner, run[0].home, run[0].seq, run[-1].seq)}
        found |= {one.id for one in run if one.message not in present}
    return found


def _runs(places: list[_Place]) -> Iterator[list[_Place]]:
    """Places in order, those together that follow one another."""
    run: list[_Place] = []
    for one in places:
        if run and (one.home != run[0].home or one.seq > run[-1].seq + 1 or one.seq - run[0].seq >= MAX_RUN):
            yield run
            run = []
        run.append(one)
    if run:
        yield run
