"""What a provider's compaction returns: of the messages in the user role only those that users wrote stay."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

import pytest

import palimpsest
from palimpsest.agent.agent import make_agent
from palimpsest.complete.registry import make_model
from palimpsest.engine.compacting.provider_compaction import items_tokens, user_words
from palimpsest.formats import openai
from palimpsest.record.log import Stored
from palimpsest.record.message import Message, Text, Usage
from palimpsest.record.provider_block import ProviderSummary
from palimpsest.record.window_items import MessageItem
from tests.wire.strict.scripts import in_turns
from tests.wire.strict.server import StrictServer
from tests.wire.strict.sessions import SYSTEM, read_part

TURNS, CALLS, WINDOW_TOKENS = 10, 10, 8_000


def stored(seq: int, role: Any, text: str) -> Stored:
    """A stored message."""
    return Stored(f"m{seq}", seq, Message(role, (Text(text),)), 10)


def compacted(request: Any) -> tuple[list[str], list[str]]:
    """The users' texts before the newest compaction item of a request, and after it."""
    items: Sequence[Any] = request.body["input"]
    ends = [place for place, item in enumerate(items) if item.get("type") == "compaction"]
    place = ends[-1] if ends else 0
    return list(filter(None, map(openai.user_text, items[:place]))), list(
        filter(None, map(openai.user_text, items[place:]))
    )


@pytest.mark.slow
@pytest.mark.parametrize("injections", ["auto", "stay"])
async def test_what_users_said_stays_before_the_item_each_once_and_nothing_else(injections: Any) -> None:
    asked = [f"Turn {turn}: read the next parts." for turn in range(1, TURNS + 1)]
    with StrictServer(in_turns(CALLS, TURNS), window_tokens=WINDOW_TOKENS) as server:
        model = make_model("openai-responses:gpt-6.2-astra", base_url=server.openai_url, key="any")
        settings: Any = {"summarizer": "provider", "injections": injections, "ledger_tokens": 500}
        async with palimpsest.open(
            ":memory:", window_tokens=WINDOW_TOKENS, max_tokens=500, **settings
        ) as engine:
            agent = make_agent(engine, model, system=SYSTEM, tools=[read_part])
            for text in asked:
                await agent.answer(engine.conversation("harbour"), text)
        await model.close()
        assert server.errors == []
        assert server.kinds["compact"] > 2
        for request in server.main():
            before, behind = compacted(request)
            assert before == asked[: len(before)]
            told = [*before, *(text for text in behind if text in asked)]
            assert told == asked[: len(told)]
        assert len(compacted(server.main()[-1])[0]) > TURNS // 2


def test_words_next_to_a_block_leave_out_what_its_items_show_except_the_quoted_request() -> None:
    first, second = stored(1, "user", "Which pier?"), stored(2, "user", "And the tide?")
    items = [MessageItem(first), MessageItem(stored(3, "assistant", "Pier 3.")), MessageItem(second)]
    assert "[m1] Which pier?\n\n[m2] And the tide?" in user_words(items, None, 1_000)
    assert "m1" not in user_words(items, None, 1_000, ("Which pier?",))
    assert user_words(items, None, 1_000, ("Which pier?", "And the tide?")) == ""
    assert "[m2] And the tide?" in user_words(items, second, 1_000, ("Which pier?", "And the tide?"))


def test_a_blocks_size_is_what_was_written_and_the_messages_before_it() -> None:
    said = json.dumps({"type": "message", "role": "user", "content": "word " * 50})
    sealed = json.dumps({"type": "compaction", "encrypted_content": "x" * 8_000})
    alone = items_tokens(ProviderSummary("responses", (sealed,), usage=Usage(9_000, 300)))
    both = items_tokens(ProviderSummary("responses", (said, sealed), usage=Usage(9_000, 300)))
    assert 300 <= alone < 320
    assert 50 <= both - alone < 80
    assert items_tokens(ProviderSummary("responses", (sealed,))) > 400
