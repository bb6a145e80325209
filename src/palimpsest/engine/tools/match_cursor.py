"""Where in a message too large for one answer what was looked for stands, as a cursor that reads on from there.

Without it a model would have to read such a message from its beginning, an answer at a time, to come to what it found.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from palimpsest.engine.reading.cursor import Cursor
from palimpsest.engine.reading.message_pieces import texts_of
from palimpsest.engine.reports import Hit, Passage
from palimpsest.ports import Store
from palimpsest.record.json_text import stored_place, unescaped
from palimpsest.record.log import Stored
from palimpsest.record.message import Reasoning, without_codes
from palimpsest.search.snippet import best_place

LEAD_CHARS = 600
"""So much before the place is read as well."""

MOST_PLACES = 3


async def places(
    store: Store, owner: str, hits: Iterable[Hit | Passage], phrases: Sequence[str], answer_tokens: int
) -> dict[str, str]:
    """For the first of these hits that are larger than an answer, by id, the cursor that begins around the phrases."""
    large = [one.id for one in hits if one.kind == "message" and one.expand_tokens > answer_tokens]
    if not large:
        return {}
    found = await store.read(owner, large[:MOST_PLACES])
    known = ((key, found[key][1]) for key in large if key in found)
    return {key: str(_around(one, phrases)) for key, one in known if isinstance(one, Stored)}


def _around(stored: Stored, phrases: Sequence[str]) -> Cursor:
    """Where reading with a budget begins, a little before the best place of all parts that are shown then."""
    parts = [part for part in stored.message.parts if not isinstance(part, Reasoning)]
    best, char = -1, 0
    for position, text in texts_of(parts):
        for read, place_in in ((unescaped(text), stored_place), (text, _as_it_is)):
            start, held = best_place(without_codes(read, in_place=True), phrases)
            if held > best:
                best, char = held, position + place_in(text, _line_before(read, start))
    return Cursor((stored.id,), include_results=True, to_messages=False, char=char)


def _as_it_is(_: str, place: int) -> int:
    return place


def _line_before(text: str, place: int) -> int:
    """The beginning of the first line of what comes before a place, where it has one."""
    begin = max(0, place - LEAD_CHARS)
    return begin if begin == 0 else text.find("\n", begin, place) + 1 or begin
