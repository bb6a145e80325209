"""Pin messages, ranges of messages, or texts; see `record.pin`."""

from __future__ import annotations

from dataclasses import replace
from typing import cast

from palimpsest.budget.ledger_and_pins import pin_limit, pins_tokens, words_tokens
from palimpsest.engine.conversation_state import ConversationState
from palimpsest.engine.deletion import find_range
from palimpsest.engine.message_input import require_text
from palimpsest.errors import NotFound, UsageError
from palimpsest.record.pin import Pin, Quote, quoted_text, records_mark

MAX_PINNED_MESSAGES = 200
"""Messages of one range."""
_ANY_ID = "p0000"


async def pin(state: ConversationState, what: str | tuple[str, str] | None, text: str | None) -> Pin:
    """Pin a message, a range (both ends included) or a text; what is pinned already is returned as it is.

    Raises UsageError, also if all pins would take more than their limit, and NotFound.
    """
    if (what is None) == (text is None):
        raise UsageError("a pin needs an id, a range of ids, or a text", hint="give exactly one of them")
    if what is not None:
        quotes = await _quotes(state, what)
    else:
        require_text("a pin", text)
        if text is None or not text.strip():
            raise UsageError("an empty text cannot be pinned", hint="give words to keep")
        quotes = (Quote(text),)
    pins = await state.store.pins(state.owner, state.conversation)
    for one in pins:
        if one.quotes == quotes:
            return one
    _, window = await state.load()
    new = Pin("", quotes, records_mark(window), words_tokens(quotes), state.clock())
    tokens, limit = pins_tokens((*pins, replace(new, id=_ANY_ID))), pin_limit(state.effective_settings())
    if tokens > limit:
        listed = ", ".join(f"{one.id} {one.tokens:,}" for one in pins)
        raise UsageError(
            f"with this pin of {new.tokens:,} tokens all pins would take {tokens:,}, and they may take {limit:,}"
            + (f" ({listed} are there already)" if pins else ""),
            hint="pin less, unpin something, or raise pin_limit_tokens",
        )
    stored = await state.store.pin(state.owner, state.conversation, new)
    state.invalidate()
    return replace(stored, quotes=quotes)


async def unpin(state: ConversationState, pin_id: str) -> None:
    """Remove a pin. Raises NotFound for an unknown id."""
    _, window = await state.load()
    shown = state.ledger_and_pins(window).pins
    if not await state.store.unpin(state.owner, state.conversation, pin_id):
        ids = ", ".join(one.id for one in await state.store.pins(state.owner, state.conversation))
        raise NotFound(
            f"conversation {state.conversation!r} has no pin {pin_id!r}",
            hint=f"its pins are {ids}" if ids else "nothing is pinned there",
        )
    if state.staying and f"<pinned-{pin_id}" in shown:
        state.engine_state.note_break("pins")
    state.invalidate()


async def _quotes(state: ConversationState, what: str | tuple[str, str]) -> tuple[Quote, ...]:
    """The messages that an id or a range names, as quotes."""
    from palimpsest.engine.reading.expand import ends_of, normal_id

    given = cast("object", what)  # callers may pass anything
    match given:
        case str():
            ends = ends_of(normal_id(given))
        case (str(first_id), str(last_id)):
            ends = (first_id, last_id)
        case _:
            raise UsageError(
                f"{what!r} cannot be pinned", hint='give an id, as "m12", or two of a range, as "m12-m15"'
            )
    names, hint = (state.store, state.owner, state.conversation), "pin messages, or a text of your own"
    found = await find_range(*names, ends[0], ends[-1], MAX_PINNED_MESSAGES, summary_hint=hint)
    growing = next((one for one in found if one.open), None)
    if growing is not None:
        raise UsageError(f"message {growing.id} may still grow", hint="pin it when it is complete")
    return tuple(Quote(quoted_text(one.message), one.id, one.message.role) for one in found)
