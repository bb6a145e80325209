"""Pinning messages, ranges of them, or texts of one's own; see `record.pin` for what a pin is."""

from __future__ import annotations

from dataclasses import replace
from typing import cast

from palimpsest.budget.ledger_and_pins import pin_limit, pins_tokens, words_tokens
from palimpsest.engine.conversation_state import Desk
from palimpsest.engine.message_input import require_text
from palimpsest.errors import NotFound, UsageError
from palimpsest.ports import Clock
from palimpsest.record.log import Stored
from palimpsest.record.pin import Pin, Quote, quoted_text, records_mark

MAX_PINNED_MESSAGES = 200
"""Messages of one range."""
_ANY_ID = "p0000"


async def pin(desk: Desk, what: str | tuple[str, str] | None, text: str | None, clock: Clock) -> Pin:
    """Keep a message, a range (both ends included) or a text; what is pinned already is given back as it is.

    Raises UsageError, also where all pins would take more than their limit, and NotFound.
    """
    if (what is None) == (text is None):
        raise UsageError("a pin needs an id, a range of ids, or a text", hint="give exactly one of them")
    quotes = await _quotes(desk, what) if what is not None else _own(text)
    known = await desk.store.pins(desk.owner, desk.conversation)
    for one in known:
        if one.quotes == quotes:
            return one
    _, window = await desk.load()
    made = Pin("", quotes, records_mark(window), words_tokens(quotes), clock())
    taken, limit = pins_tokens((*known, replace(made, id=_ANY_ID))), pin_limit(desk.effective())
    if taken > limit:
        listed = ", ".join(f"{one.id} {one.tokens:,}" for one in known)
        raise UsageError(
            f"with this pin of {made.tokens:,} tokens all pins would take {taken:,}, and they may take {limit:,}"
            + (f" ({listed} are there already)" if known else ""),
            hint="pin less, unpin something, or raise pin_limit_tokens",
        )
    kept = await desk.store.pin(desk.owner, desk.conversation, made)
    desk.forget()
    return replace(kept, quotes=quotes)


async def unpin(desk: Desk, pin_id: str) -> None:
    """Forget a pin. Raises NotFound where the conversation has none of this id."""
    if not await desk.store.unpin(desk.owner, desk.conversation, pin_id):
        known = ", ".join(one.id for one in await desk.store.pins(desk.owner, desk.conversation))
        raise NotFound(
            f"conversation {desk.conversation!r} has no pin {pin_id!r}",
            hint=f"its pins are {known}" if known else "nothing is pinned there",
        )
    desk.forget()


def _own(text: str | None) -> tuple[Quote, ...]:
    require_text("a pin", text)
    if text is None or not text.strip():
        raise UsageError("an empty text cannot be pinned", hint="give words to keep")
    return (Quote(text),)


async def _quotes(desk: Desk, what: str | tuple[str, str]) -> tuple[Quote, ...]:
    from palimpsest.engine.reading.expand import ends_of, normal_id

    given = cast("object", what)  # nobody has to check what he calls with
    match given:
        case str():
            ends = ends_of(normal_id(given))
        case (str(first_id), str(last_id)):
            ends = (first_id, last_id)
        case _:
            raise UsageError(
                f"{what!r} cannot be pinned", hint='give an id, as "m12", or two of a range, as "m12-m15"'
            )
    found = [await _message(desk, one) for one in dict.fromkeys(ends)]
    first, last = found[0], found[-1]
    if first.seq > last.seq:
        raise UsageError(f"{first.id} comes after {last.id}", hint="give the earlier message first")
    if last.seq - first.seq >= MAX_PINNED_MESSAGES:
        raise UsageError(
            f"a range of {last.seq - first.seq + 1:,} messages cannot be pinned",
            hint=f"pin at most {MAX_PINNED_MESSAGES} at once",
        )
    if len(found) > 1:
        between = await desk.store.messages(desk.owner, desk.conversation, first.seq, last.seq)
        if not between or (between[0].id, between[-1].id) != (first.id, last.id):
            raise UsageError(
                f"{first.id} and {last.id} are not on the present branch", hint="give messages of the window"
            )
        found = between
    growing = next((one for one in found if one.open), None)
    if growing is not None:
        raise UsageError(f"message {growing.id} may still grow", hint="pin it when it is complete")
    return tuple(Quote(quoted_text(one.message), one.id, one.message.role) for one in found)


async def _message(desk: Desk, message_id: str) -> Stored:
    found = await desk.store.read(desk.owner, [message_id])
    conversation, entry = found.get(message_id, ("", None))
    if entry is None or conversation != desk.conversation:
        raise NotFound(
            f"conversation {desk.conversation!r} has no message {message_id!r}",
            hint="`grep` and `window` show the ids of messages",
        )
    if not isinstance(entry, Stored):
        raise UsageError(f"{message_id} is a summary", hint="pin messages, or a text of your own")
    return entry
