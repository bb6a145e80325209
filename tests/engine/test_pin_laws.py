"""Pins over random histories and random deeds: word for word in every request that there is, and never too much."""

from __future__ import annotations

import asyncio
from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from palimpsest.engine.conversation import Conversation
from palimpsest.errors import UsageError
from palimpsest.record.message import Message, Text
from tests.effort import examples
from tests.engine.drawing import Deed, beginnings, deeds
from tests.engine.laws import tried
from tests.engine.test_fifty import shown
from tests.engine.test_random_histories import open_small, perform

pytestmark = pytest.mark.filterwarnings("ignore:Generating overly large repr")


async def pin_some(talk: Conversation, words: str, place: float) -> None:
    """Pin a text, and a message of words somewhere in the history; what the limit refuses is left."""
    last = (await talk.window()).window.last
    (found,) = await talk.messages(max(1, int(place * last)), 1)
    for what, text in ((found.id, None), (None, words)):
        with suppress(UsageError):
            await talk.pin(what, text=text)


async def held(talk: Conversation) -> None:
    """Every pin that is of plain words stands in the request, if there is one."""
    request, refusal = await tried(talk.request())
    assert refusal is None or refusal.parts
    if request is None:
        return
    assert request.tokens <= request.budget.capacity_tokens
    text = shown(request)
    stored = {one.id: one for one in await talk.messages(1, 10_000)}
    for pin in await talk.pins():
        for quote in pin.quotes:
            plain = quote.id not in stored or _plain(stored[quote.id].message)
            assert quote.text in text or not plain


def _plain(message: Message) -> bool:
    """Whether a message is nothing but one text, which is sent as it is."""
    return len(message.parts) == 1 and isinstance(message.parts[0], Text) and not message.extra


@given(
    beginnings(4),
    st.lists(deeds(), max_size=5),
    st.sampled_from(("default", "hermes", "crabtalk", "economic", "drop-middle")),
    st.text(st.characters(codec="utf-8"), min_size=1, max_size=60).filter(str.strip),
    st.floats(0, 1),
)
@examples(15)
def test_whatever_happens_pinned_words_stand_in_every_request(
    history: list[Message], drawn: list[Deed], preset: str, words: str, place: float
) -> None:
    async def body() -> None:
        async with open_small(6_000, 800, None, preset=preset) as engine:
            talk = engine.conversation("a")
            said = history or [Message("user", (Text("go"),))]
            await talk.append(*said)
            await pin_some(talk, words, place)
            await held(talk)
            for number, deed in enumerate(drawn):
                said = await perform(engine, talk, said, deed, f"mark {number}")
                await held(talk)
            await engine.idle()

    asyncio.run(body())
