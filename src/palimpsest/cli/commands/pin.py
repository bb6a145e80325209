"""`palimpsest pin`, `unpin` and `pins`: words that stand in every window until they are unpinned."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated

import typer

from palimpsest.budget.ledger_and_pins import pin_limit, pins_tokens
from palimpsest.cli.options import (
    OWNER,
    ConfigFile,
    Conversation,
    Db,
    Json,
    Owner,
    Set,
    Shared,
    WindowTokens,
    given,
)
from palimpsest.cli.output import Block
from palimpsest.cli.session import Session, perform
from palimpsest.cli.text_drawing import Listing, clip, count
from palimpsest.errors import UsageError
from palimpsest.record.pin import Pin
from palimpsest.record.times import iso_time

_SAID_CELLS = 80


def pin(
    conversation: Conversation,
    ids: Annotated[
        list[str] | None, typer.Argument(metavar="[ID [LAST]]", help="A message, or a range of them.")
    ] = None,
    text: Annotated[
        str | None, typer.Option("--text", metavar="TEXT", help="Pin these words instead of a message.")
    ] = None,
    window_tokens: WindowTokens = None,
    settings: Set = None,
    config: ConfigFile = None,
    owner: Owner = OWNER,
    db: Db = None,
    as_json: Json = False,
) -> None:
    """Keep words in every window.

    A message, a range of them or a text of your own stands there word for word until it is unpinned.

    \b
    palimpsest pin last m12
    palimpsest pin last m12-m15
    palimpsest pin last --text "Never touch the production database."
    """

    async def body(session: Session) -> None:
        talk = await session.conversation(conversation)
        made = await talk.pin(chosen(ids or ()), text=text)
        fields: dict[str, object] = {"conversation": talk.id, "pin": pin_fields(made)}
        session.output.result(fields, f"pinned {made.id}: {named(made)}, {count(made.tokens, 'token')}")

    perform(Shared("pin", db, owner, as_json, given(window_tokens, settings, config)), body)


def unpin(
    conversation: Conversation,
    pin_id: Annotated[str, typer.Argument(metavar="PIN", help="A pin's id, as `pins` prints it.")],
    owner: Owner = OWNER,
    db: Db = None,
    as_json: Json = False,
) -> None:
    """Let pinned words go again: `palimpsest unpin last p1`."""

    async def body(session: Session) -> None:
        talk = await session.conversation(conversation)
        await talk.unpin(pin_id)
        session.output.result({"conversation": talk.id, "unpinned": pin_id}, f"unpinned {pin_id}")

    perform(Shared("unpin", db, owner, as_json), body)


def pins(
    conversation: Conversation,
    window_tokens: WindowTokens = None,
    settings: Set = None,
    config: ConfigFile = None,
    owner: Owner = OWNER,
    db: Db = None,
    as_json: Json = False,
) -> None:
    """List what is pinned: `palimpsest pins last`."""

    async def body(session: Session) -> None:
        from palimpsest.engine.conversation import state_of

        talk = await session.conversation(conversation)
        shown = (await talk.window()).budget.regions.pins
        known, limit = await talk.pins(), pin_limit(state_of(talk).effective_settings())
        fields: dict[str, object] = {
            "conversation": talk.id,
            "pins": [pin_fields(one) for one in known],
            "tokens": pins_tokens(known),
            "shown_tokens": shown,
            "limit_tokens": limit,
        }
        session.output.result(fields, *pin_blocks(known, limit, shown))

    perform(Shared("pins", db, owner, as_json, given(window_tokens, settings, config)), body)


def chosen(ids: Sequence[str]) -> str | tuple[str, str] | None:
    """One id, the two ends of a range, or None. Raises UsageError for more."""
    if len(ids) > 2:
        raise UsageError(f"{len(ids)} ids cannot be one pin", hint="give one id, or the first and the last")
    return None if not ids else ids[0] if len(ids) == 1 else (ids[0], ids[1])


def pin_fields(pin: Pin) -> dict[str, object]:
    """A pin as a JSON object; a text of its own has no message ids."""
    return {
        "id": pin.id,
        "messages": [quote.id for quote in pin.quotes if quote.id],
        "tokens": pin.tokens,
        "time": iso_time(pin.time_s),
        "text": pin.text,
    }


def named(pin: Pin) -> str:
    """What is pinned: a text, a message or a range."""
    ids = [quote.id for quote in pin.quotes if quote.id]
    if not ids:
        return "a text"
    return f"message {ids[0]}" if len(ids) == 1 else f"messages {ids[0]} to {ids[-1]}"


def pin_blocks(known: Sequence[Pin], limit_tokens: int, shown_tokens: int) -> list[Block]:
    """A line for each pin, what they take in all, and what of it they take in the window as it is."""
    if not known:
        return ["nothing is pinned"]
    rows = tuple((one.id, named(one), f"{one.tokens:,}", clip(one.text, _SAID_CELLS)) for one in known)
    return [
        Listing(("id", "what", "tokens", "begins"), rows, frozenset({"tokens"})),
        f"{pins_tokens(known):,} of {limit_tokens:,} tokens that pins may take, fences included",
        f"{shown_tokens:,} in the window now, where what stands anyway is not repeated",
    ]
