"""What a placeholder of a secret leads back to: the message that holds it, in its conversation."""

from __future__ import annotations

import re
from collections.abc import AsyncIterator

import pytest

import palimpsest
from palimpsest import NotFound
from palimpsest.engine.conversation import Conversation
from palimpsest.engine.engine import Engine
from palimpsest.record.message import Message, Text
from palimpsest.record.window_items import SummaryItem
from palimpsest.redaction.detector import PLACEHOLDER

SECRET = "vX9kd02Lqz"


@pytest.fixture
async def engine() -> AsyncIterator[Engine]:
    async with palimpsest.open(":memory:", preset="hermes", window_tokens=16_000) as opened:
        yield opened


async def compacted(engine: Engine, name: str = "a") -> tuple[Conversation, str]:
    """A conversation that says its password bare, below the message that calls it one, and the placeholder of it."""
    talk = engine.conversation(name)
    await talk.append(
        Message("user", (Text(f"Begin. DB_PASSWORD={SECRET}"),)), Message("assistant", (Text("Yes."),))
    )
    for place in range(40):
        text = f"Step {place}: {SECRET} opens the gate of pier {place}. " * 9
        await talk.append(Message("assistant", (Text(text),)), Message("user", (Text(f"go on {place}"),)))
    await talk.compact()
    view = await talk.window()
    shown = "".join(item.summary.text for item in view.window.items if isinstance(item, SummaryItem))
    found = PLACEHOLDER.search(shown)
    assert found is not None
    return talk, found[0]


async def test_a_placeholder_is_read_back_as_the_message_that_holds_its_secret(engine: Engine) -> None:
    talk, placeholder = await compacted(engine)
    (entry,) = await talk.expand([placeholder])
    assert (entry.id, SECRET in entry.text) == ("m1", True)
    assert [one.id for one in await engine.expand(["m2", placeholder[1:-1]])] == ["m2", "m1"]
    for given in ([placeholder], f"m2, {placeholder[1:-1]}"):
        answer = await talk.tools().call("short_expand", {"message_ids": given})
        assert f"DB_PASSWORD={SECRET}" in answer


async def test_a_placeholder_that_no_message_here_has_is_unknown(engine: Engine) -> None:
    _, placeholder = await compacted(engine)
    other = engine.conversation("b")
    await other.append(Message("user", (Text("Begin."),)))
    for place, one in ((other, placeholder), (engine, "[secret:000000]")):
        with pytest.raises(NotFound, match=re.escape(one)):
            await place.expand([one])
