"""What a conversation is about at its end, by the parts of its names: `TeamLeadError` is about teams and leads.

Rules kept here:

- A name that was never used is the likelier to be, the more its parts stand in the newest requests and open tasks,
  and in names and files that calls have just used. The same holds for a name that was read in a file of such a name.
- Parts that stand in many names say little in a request.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from functools import lru_cache
from types import MappingProxyType

from palimpsest.patterns import later
from palimpsest.summarize.ledger.entries import Ledger
from palimpsest.summarize.ledger.tree import split_path

USED_CHARS = 40_000
"""The age at which the use of a name counts for a third."""
RECENT_REQUESTS = 3
REQUEST_CHARS = 2_000
OLDER_SHARE = 0.6
"""How much a part counts that only an older request or a task names."""
LEAST_CHARS = 3
RESULTS_BEHIND = 5
"""What a call brought stands within so many messages from it."""

_PART = later(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+")


@dataclass(frozen=True, slots=True)
class Topic:
    """By part, from 0 to 1: how much of its names was just `used`, and how much the user `asked` for it.

    `places` says both, by the position of a message, of the nearest of the files that its calls used.
    """

    used: Mapping[str, float]
    asked: Mapping[str, float]
    places: Mapping[int, tuple[float, float]]

    def nearness(self, text: str) -> tuple[float, float]:
        """The means over the parts of a name: how near it is to what was used, and to what was asked for."""
        found = parts(text)
        number = max(1, len(found))
        return (
            sum(self.used.get(part, 0.0) for part in found) / number,
            sum(self.asked.get(part, 0.0) for part in found) / number,
        )

    def around(self, seqs: Iterable[int]) -> tuple[float, float]:
        """The same of the places where a name stood, the most of each: of the files that the calls before it used."""
        used = asked = 0.0
        for seq in seqs:
            called = next((at for at in range(seq, seq - RESULTS_BEHIND, -1) if at in self.places), None)
            if called is not None:
                place = self.places[called]
                used, asked = max(used, place[0]), max(asked, place[1])
        return used, asked


@lru_cache(maxsize=8_192)
def parts(text: str) -> tuple[str, ...]:
    """The words of three letters or more that a name or a text is made of, in lower case, each once: in an order, since
    what is added up in another comes to another sum, and other names would be nearest in another process.
    """
    return tuple(dict.fromkeys(part.lower() for part in _PART.findall(text) if len(part) >= LEAST_CHARS))


def topic_of(ledger: Ledger) -> Topic:
    """What the end of a conversation is about."""
    named: Counter[str] = Counter()
    used: dict[str, float] = {}
    for entry in (*ledger.of("file").values(), *ledger.of("name").values()):
        found = parts(split_path(entry.text)[1] if entry.kind == "file" else entry.text)
        named.update(found)
        if entry.used >= 0:
            worth = math.exp(-(ledger.position - entry.used) / USED_CHARS)
            for part in found:
                used[part] = used.get(part, 0.0) + worth
    newest, *older = [
        entry.text for entry in reversed([*ledger.of("request").values()][-RECENT_REQUESTS:])
    ] or [""]
    asked = {part: OLDER_SHARE for text in (*older, *ledger.tasks) for part in parts(text[:REQUEST_CHARS])}
    asked |= dict.fromkeys(parts(newest[:REQUEST_CHARS]), 1.0)
    most = math.log(named.total() + 2)
    topic = Topic(
        {part: worth / named[part] for part, worth in used.items()},
        {part: worth * (1 - math.log(max(1, named[part])) / most) for part, worth in asked.items()},
        MappingProxyType({}),
    )
    return replace(topic, places=_places(ledger, topic))


def _places(ledger: Ledger, topic: Topic) -> dict[int, tuple[float, float]]:
    places: dict[int, tuple[float, float]] = {}
    for entry in ledger.of("file").values():
        if entry.used >= 0:
            used, asked = topic.nearness(split_path(entry.text)[1])
            for seq in entry.seqs:
                place = places.get(seq, (0.0, 0.0))
                places[seq] = max(used, place[0]), max(asked, place[1])
    return places
