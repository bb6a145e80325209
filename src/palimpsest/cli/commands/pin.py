"""`palimpsest pin`, `unpin` and `pins`: text that stays in every window until it is unpinned."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated

from palimpsest.budget.ledger_and_pins import pin_limit, pins_tokens
from palimpsest.cli.drawing import Listing, clip, count
from palimpsest.cli.options import Conversation, Shared, command
from palimpsest.cli.output import Block
from palimpsest.cli.parameters import argument, option
from palimpsest.cli.session import Session, perform
from palimpsest.errors import UsageError
from palimpsest.record.pin import Pin
from palimpsest.record.times import iso_time

_TEXT_CELLS = 80


@command("pin", window=True, settings=True)
def pin(
    shared: Shared,
    conversation: Conversation,
    ids: Annotated[list[str] | None, argument("[ID [LAST]]", "A message, or a range of them.")] = None,
    text: Annotated[str | None, option("--text TEXT", "Pin this text instead of a message.")] = None,
) -> None:
    """Keep words in every window.

    A message, a range of messages or a text of your own stays word for word until it is unpinned.

    \b
    palimpsest pin last m12
    palimpsest pin last m12-m15
    palimpsest pin last --text "Never touch the production database."
    """

    async def body(session: Session) -> None:
        talk = await session.conversation(conversation)
        made = await talk.pin(pinned_ids(ids or ()), text=text)
        session.output.result({"conversation": talk.id, "pin": _fields(made)}, pinned_text(made))

    perform(shared, body)


@command("unpin")
def unpin(
    shared: Shared,
    conversation: Conversation,
    pin_id: Annotated[str, argument("PIN", "A pin's id, as `pins` prints it.")],
) -> None:
    """Remove a pin: `palimpsest unpin last p1`."""

    async def body(session: Session) -> None:
        talk = await session.conversation(conversation)
        await talk.unpin(pin_id)
        session.output.result({"conversation": talk.id, "unpinned": pin_id}, f"unpinned {pin_id}")

    perform(shared, body)


@command("pins", window=True, settings=True)
def pins(
    shared: Shared,
    conversation: Conversation,
) -> None:
    """List the pins: `palimpsest pins last`."""

    async def body(session: Session) -> None:
        from palimpsest.engine.conversation import state_of

        talk = await session.conversation(conversation)
        shown = (await talk.window()).budget.regions.pins
        known, limit = await talk.pins(), pin_limit(state_of(talk).effective_settings())
        fields: dict[str, object] = {
            "conversation": talk.id,
            "pins": [_fields(one) for one in known],
            "tokens": pins_tokens(known),
            "shown_tokens": shown,
            "limit_tokens": limit,
        }
        session.output.result(fields, *pin_blocks(known, limit, shown))

    perform(shared, body)


def pinned_ids(ids: Sequence[str]) -> str | tuple[str, str] | None:
    """One id, both ends of a range, or None. Raises UsageError for more ids."""
    if len(ids) > 2:
        raise UsageError(f"{len(ids)} ids cannot be one pin", hint="give one id, or the first and the last")
    return None if not ids else ids[0] if len(ids) == 1 else (ids[0], ids[1])


def pinned_text(made: Pin) -> str:
    """What was pinned."""
    return f"pinned {made.id}: {_source(made)}, {count(made.tokens, 'token')}"


def _fields(pin: Pin) -> dict[str, object]:
    """A pin as JSON fields; a text of the user's own has no message ids."""
    return {
        "id": pin.id,
        "messages": [quote.id for quote in pin.quotes if quote.id],
        "tokens": pin.tokens,
        "time": iso_time(pin.time_s),
        "text": pin.text,
    }


def _source(pin: Pin) -> str:
    """Whether a text, a message or a range is pinned."""
    ids = [quote.id for quote in pin.quotes if quote.id]
    if not ids:
        return "a text"
    return f"message {ids[0]}" if len(ids) == 1 else f"messages {ids[0]} to {ids[-1]}"


def pin_blocks(known: Sequence[Pin], limit_tokens: int, shown_tokens: int) -> list[Block]:
    """A line for each pin, their total tokens, and their tokens in the current window."""
    if not known:
        return ["nothing is pinned"]
    rows = tuple((one.id, _source(one), f"{one.tokens:,}", clip(one.text, _TEXT_CELLS)) for one in known)
    return [
        Listing(("id", "what", "tokens", "begins"), rows, frozenset({"tokens"})),
        f"{pins_tokens(known):,} of {limit_tokens:,} tokens that pins may take, fences included",
        f"{shown_tokens:,} in the window now, which does not repeat messages that it has anyway",
    ]
