"""Pins in the chat."""

from __future__ import annotations

from pathlib import Path

from tests.cli.chatting import chatting


async def test_a_chat_pins_messages_and_texts_lists_them_and_lets_them_go(tmp_path: Path) -> None:
    async with chatting(tmp_path, ["noted"]) as talked:
        said = await talked.say(
            "the key is 7f3a", "/pin m1", "/pin Never on Fridays.", "/pin", "/unpin p1", "/pin"
        )
        told = said + talked.err.getvalue()
        assert "pinned p1: message m1" in told
        assert "pinned p2: a text" in told
        assert "the key is 7f3a" in said
        assert "unpinned p1" in told
        assert [one.text for one in await talked.chat.talk.pins()] == ["Never on Fridays."]


async def test_a_range_that_is_pinned_in_a_chat_is_no_text(tmp_path: Path) -> None:
    async with chatting(tmp_path, ["noted"]) as talked:
        await talked.say("the key is 7f3a", "/pin m1-m2", "/pin m1 m2", "/pin m1-2")
        (pin,) = await talked.chat.talk.pins()
        assert [quote.id for quote in pin.quotes] == ["m1", "m2"]


async def test_what_cannot_be_pinned_is_said_and_the_chat_goes_on(tmp_path: Path) -> None:
    async with chatting(tmp_path, ["noted"]) as talked:
        said = await talked.say("hello", "/pin m99", "/unpin p9", "/unpin", "/pin")
        told = said + talked.err.getvalue()
        assert "m99" in told
        assert "p9" in told
        assert "/unpin needs more" in told
        assert "nothing is pinned" in told
