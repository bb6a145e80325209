"""Pins as people use them: word for word in every window, within a limit, across compactions, forks and reopening."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import palimpsest
from palimpsest import sync
from palimpsest.budget.ledger_and_pins import pins_tokens
from palimpsest.engine.conversation import Conversation
from palimpsest.errors import DoesNotFit, NotFound, UsageError
from palimpsest.record.message import Message
from tests.engine.drawing import bulk, said, tool_group
from tests.engine.laws import assert_lawful
from tests.engine.test_fifty import shown

KEY = "  The key:\tberth-7f3a9c21 </summary></evidence>\n\n  and a tail  "


def texts_of(value: object) -> list[str]:
    """Every text in a body."""
    if isinstance(value, dict):
        return [text for one in value.values() for text in texts_of(one)]
    if isinstance(value, list):
        return [text for one in value for text in texts_of(one)]
    return [value] if isinstance(value, str) else []


def history(turns: int) -> list[Message]:
    """A session in which the first message says the key, and nothing else does."""
    rest = [
        one
        for number in range(turns)
        for one in (
            said("user", f"question {number}"),
            *tool_group([f"n{number}"], [1_200], [0], 1),
            said("assistant", bulk(600, number)),
        )
    ]
    return [said("user", KEY), said("assistant", "noted"), *rest]


async def talk_of(engine: palimpsest.Engine, turns: int = 30) -> Conversation:
    """A conversation of so many turns."""
    talk = engine.conversation("a")
    await talk.append(*history(turns))
    return talk


async def test_a_pinned_message_is_shown_word_for_word_once_it_left_the_window_until_it_is_unpinned() -> None:
    async with palimpsest.open(":memory:", window_tokens=16_000, max_tokens=1_000) as engine:
        talk = await talk_of(engine)
        pin = await talk.pin("m1")
        assert (await talk.window()).budget.regions.pins == 0
        assert await talk.compact() is not None
        request = await talk.request()
        assert KEY not in request.messages[0].text
        assert request.messages[1].text.count(KEY) == 1
        assert not request.injections
        assert pin.tokens < request.regions.pins == pins_tokens([pin])
        assert await talk.pins() == [pin]
        await assert_lawful(talk, history(30))
        await talk.unpin(pin.id)
        assert KEY not in shown(await talk.request())
        assert await talk.pins() == []


async def test_a_pinned_reply_that_a_providers_form_cuts_is_quoted_though_it_stands_in_the_window() -> None:
    async with palimpsest.open(":memory:", window_tokens=16_000, max_tokens=1_000) as engine:
        talk = engine.conversation("a")
        await talk.append(said("user", "Which berth?"), said("assistant", KEY), said("user", "Go on."))
        await talk.pin("m1")
        assert (await talk.request()).regions.pins == 0
        await talk.pin("m2")
        request = await talk.request()
        for body in (request.openai(), request.anthropic()):
            assert any(KEY in text for text in texts_of(body["messages"]))


async def test_a_text_pinned_between_two_compactions_leaves_the_prefix_as_it_is_until_the_next() -> None:
    async with palimpsest.open(":memory:", window_tokens=16_000, max_tokens=1_000) as engine:
        talk = await talk_of(engine)
        await talk.compact()
        before = await talk.request()
        await talk.pin(text=KEY)
        after = await talk.request(inject=["recalled"])
        assert (after.messages, after.mark) == (before.messages, before.mark)
        assert KEY in after.injections[0]
        assert after.injections[1] == "recalled"
        assert after.tokens > before.tokens
        await talk.append(*history(30))
        await talk.compact()
        later = await talk.request()
        assert not later.injections
        assert shown(later).count(KEY) >= 1
        assert "<pinned-p1>" in later.messages[later.records].text


async def test_a_message_pinned_after_it_left_the_window_travels_behind_the_newest_message() -> None:
    async with palimpsest.open(":memory:", window_tokens=16_000, max_tokens=1_000) as engine:
        talk = await talk_of(engine)
        await talk.compact()
        before = await talk.request()
        await talk.pin("m1")
        after = await talk.request()
        assert after.mark == before.mark
        assert KEY in after.injections[0]


async def test_a_range_is_pinned_with_its_calls_and_results_and_only_what_left_is_shown() -> None:
    async with palimpsest.open(":memory:", window_tokens=16_000, max_tokens=1_000) as engine:
        talk = await talk_of(engine)
        stored = await talk.messages(1, 6)
        pin = await talk.pin((stored[0].id, stored[4].id))
        assert [quote.id for quote in pin.quotes] == [one.id for one in stored[:5]]
        assert [quote.role for quote in pin.quotes] == [one.message.role for one in stored[:5]]
        await talk.compact()
        text = shown(await talk.request())
        assert [quote.id for quote in pin.quotes if quote.text not in text] == []
        assert stored[4].message.results[0].text in text


@pytest.mark.parametrize("what", [5, ("m1",), ("m1", 2), ["m1", "m2", "m3"]])
async def test_what_is_no_id_cannot_be_pinned(what: Any) -> None:
    async with palimpsest.open(":memory:") as engine:
        talk = await talk_of(engine, turns=1)
        with pytest.raises(UsageError, match="cannot be pinned"):
            await talk.pin(what)


async def test_an_engine_that_was_not_awaited_says_how_it_is_opened() -> None:
    opening: Any = palimpsest.open(":memory:")
    with pytest.raises(AttributeError, match=r"await palimpsest\.open"):
        opening.conversation("a")


async def test_the_same_is_pinned_once() -> None:
    async with palimpsest.open(":memory:") as engine:
        talk = await talk_of(engine, 2)
        assert await talk.pin("m1") == await talk.pin("m1")
        assert await talk.pin(text="a") == await talk.pin(text="a")
        assert len(await talk.pins()) == 2


async def test_pins_beyond_the_limit_are_refused_with_what_is_taken_and_nothing_is_kept() -> None:
    async with palimpsest.open(":memory:", window_tokens=16_000, max_tokens=1_000) as engine:
        talk = await talk_of(engine, 2)
        first = await talk.pin(text=bulk(3_000))
        with pytest.raises(UsageError, match=f"they may take 1,600.*{first.id} ") as caught:
            await talk.pin(text=bulk(4_500, 1))
        assert "pin_limit_tokens" in caught.value.hint
        assert await talk.pins() == [first]
        await talk.unpin(first.id)
        assert await talk.pin(text=bulk(4_500, 1))


@pytest.mark.parametrize(
    "what, text, error",
    [
        (None, None, UsageError),
        ("m1", "both", UsageError),
        (None, "  \n", UsageError),
        ("m999", None, NotFound),
        ("nonsense", None, NotFound),
        (("m3", "m1"), None, UsageError),
    ],
)
async def test_what_cannot_be_pinned_is_said(
    what: str | tuple[str, str] | None, text: str | None, error: type[Exception]
) -> None:
    async with palimpsest.open(":memory:") as engine:
        talk = await talk_of(engine, 2)
        with pytest.raises(error):
            await talk.pin(what, text=text)
        assert await talk.pins() == []


async def test_another_conversations_message_and_a_summary_cannot_be_pinned() -> None:
    async with palimpsest.open(":memory:", window_tokens=16_000, max_tokens=1_000) as engine:
        talk = await talk_of(engine)
        other = engine.conversation("b")
        (theirs,) = await other.append(said("user", "theirs"))
        with pytest.raises(NotFound):
            await talk.pin(theirs.id)
        report = await talk.compact()
        assert report is not None
        with pytest.raises(UsageError, match="is a summary"):
            await talk.pin(report.summaries[0].id)
        with pytest.raises(NotFound):
            await talk.unpin("p77")


async def test_pins_survive_reopening_and_forks(tmp_path: Path) -> None:
    path = tmp_path / "pins.db"
    async with palimpsest.open(path, window_tokens=16_000, max_tokens=1_000) as engine:
        talk = await talk_of(engine)
        await talk.pin("m1")
        await talk.pin(text="Never on Fridays.")
        await talk.compact()
    async with palimpsest.open(path, window_tokens=16_000, max_tokens=1_000) as engine:
        talk = engine.conversation("a")
        text = shown(await talk.request())
        assert KEY in text
        assert "Never on Fridays." in text
        edited = [said("user", "something else"), *history(30)[1:]]
        assert (await talk.sync(edited)).forked
        await talk.compact()
        text = shown(await talk.request())
        assert KEY in text
        assert "Never on Fridays." in text


async def test_a_window_that_cannot_hold_its_pins_names_them() -> None:
    async with palimpsest.open(
        ":memory:", window_tokens=16_000, max_tokens=1_000, pin_limit_tokens=50_000
    ) as engine:
        talk = await talk_of(engine, 2)
        await talk.pin(text=bulk(70_000))
        with pytest.raises(DoesNotFit) as caught:
            await talk.request()
        assert caught.value.parts[0][0] == "pins"


async def test_pinning_nearly_everything_never_makes_a_request_larger() -> None:
    async with palimpsest.open(
        ":memory:", window_tokens=24_000, max_tokens=1_000, pin_limit_tokens=24_000
    ) as engine:
        talk = await talk_of(engine, 16)
        stored = await talk.messages(1, 500)
        await talk.pin((stored[0].id, stored[39].id))
        before = (await talk.request()).tokens
        await talk.compact()
        after = await talk.request()
        assert after.tokens <= before
        for one in stored[:40]:
            assert one.message.text in shown(after)


async def test_a_program_without_async_pins_as_well(tmp_path: Path) -> None:
    with sync.open(tmp_path / "s.db") as engine:
        talk = engine.conversation("a")
        talk.append({"role": "user", "content": "hello"})
        pin = talk.pin("m1")
        assert [one.text for one in talk.pins()] == ["hello"]
        talk.unpin(pin.id)
        assert talk.pins() == []
