"""Users at once: threads in parallel, of which none reads another owner's, whatever a model asks for."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

from tests.integrations.driver import BaseDriver
from tests.integrations.model import calling, ten_calls
from tests.integrations.suite import Played, needs, playing

THREADS = (("one", "ann"), ("one", "ben"), ("two", "ann"), ("two", "ben"))
SECRET = "quillon7731{owner}"
"""What each owner says, and what occurs in no request of the other. The model asks for the part that they share."""
ATTEMPTS: list[tuple[str, dict[str, Any]]] = [
    ("short_grep", {"pattern": "%quillon7731%", "all_conversations": True}),
    ("short_grep", {"pattern": "%quillon%", "scope": "both", "all_conversations": "yes", "limit": 1_000}),
    ("short_grep", {"pattern": "secret OR berth", "all_conversations": True}),
    ("short_search", {"question": "whose berth is quillon7731", "all_conversations": True}),
    ("short_expand", {"message_ids": ["m1-m40"], "all_conversations": True}),
    ("short_expand", {"message_ids": [f"m{number}" for number in range(1, 30)], "all_conversations": True}),
    ("short_describe", {"id": "m1", "all_conversations": True}),
    ("short_expand", {"message_ids": ["ben/one", "one", "m1"], "all_conversations": True, "owner": "ben"}),
]
ROUNDS, TURNS = 32, 2


async def session(played: Played, thread: str, owner: str | None, first: int) -> None:
    """A session whose user has a secret, and whose model looks for the secrets of all."""
    words = f"My secret is {SECRET.format(owner=owner)}, my berth is beside it."
    for turn in range(TURNS):
        says = ten_calls(first + turn * 10)
        for at, (name, arguments) in enumerate(ATTEMPTS[:5]):
            says.insert(at + 2, calling(name, f"call_try_{turn}_{at}", **arguments))
        answer = await played.turn(thread, owner, says, words, stream=bool(turn % 2))
        assert played.done(thread, owner) in answer


async def test_two_users_at_once_never_see_each_other(kind: type[BaseDriver], tmp_path: Path) -> None:
    needs(kind, "owners")
    async with playing(kind, tmp_path) as played:
        await asyncio.gather(
            *(session(played, *one, first=number * 1_000 + 1) for number, one in enumerate(THREADS))
        )
        assert played.world.model.errors == []
        for thread, owner in THREADS:
            other = SECRET.format(owner="ben" if owner == "ann" else "ann")
            asked = played.world.model.accepted(f"{owner}/{thread}")
            assert len(asked) == TURNS * (len(ten_calls(1)) + 5 + 1)
            assert any(SECRET.format(owner=owner) in one.raw for one in asked)
            assert [one.raw for one in asked if other in one.raw] == []
        tried = found = 0
        leaks: list[str] = []
        for _ in range(ROUNDS):
            for thread, owner in THREADS:
                other = SECRET.format(owner="ben" if owner == "ann" else "ann")
                for name, arguments in ATTEMPTS:
                    answer = await played.driver.recall(thread, owner, name, arguments)
                    tried, found = tried + 1, found + (SECRET.format(owner=owner) in answer)
                    leaks += [answer] if other in answer else []
        assert tried >= 1_000
        assert found > tried / 4
        assert leaks == []


async def test_threads_without_an_owner_never_see_each_other(kind: type[BaseDriver], tmp_path: Path) -> None:
    needs(kind, "no_owner")
    async with playing(kind, tmp_path) as played:
        for thread in ("one", "two"):
            await played.turn(thread, None, ten_calls(1), f"My secret is {SECRET.format(owner=thread)}.")
        answers = [
            (thread, await played.driver.recall(thread, None, name, arguments))
            for thread in ("one", "two")
            for name, arguments in ATTEMPTS
        ]
        assert [one for thread, one in answers if thread == "one" and SECRET.format(owner="two") in one] == []
        assert [one for thread, one in answers if thread == "two" and SECRET.format(owner="one") in one] == []
        assert sum(SECRET.format(owner=thread) in one for thread, one in answers) >= 4
