"""After forgetting: nothing of it in any row or byte, every request is valid, and what is stored proves itself."""

from __future__ import annotations

import json
import random
import sqlite3
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

import palimpsest
from palimpsest.engine.conversation import Conversation
from palimpsest.engine.engine import Engine, Opening
from palimpsest.engine.forgetting import overdue
from palimpsest.errors import NotFound, UsageError
from palimpsest.record.forgetting import FORGOTTEN_TEXT, Weight, is_blank
from palimpsest.record.window import OmittedItem
from tests.engine.laws import assert_covered, assert_request_lawful
from tests.stores.remnants import remnants

SMALL: dict[str, Any] = {
    "window_tokens": 6_000, "max_tokens": 800, "fresh_tail_count": 4, "leaf_min_fanout": 3,
    "leaf_chunk_tokens": 700, "leaf_target_tokens": 160, "condensed_min_fanout": 2, "condensed_target_tokens": 200,
    "summarize_message_threshold": 5,
}  # fmt: skip


def marker(draw: random.Random) -> str:
    """24 characters that stand nowhere else; letters that folding does not change, and no digit that looks secret."""
    return "".join(draw.choice("bcdfghjklmnpqrstvwxz") for _ in range(24))


def open_small(path: Path, **options: Any) -> Opening:
    return palimpsest.open(path, **{**SMALL, **options})


def turn(place: int, marks: Sequence[str]) -> list[dict[str, Any]]:
    """A request, a call, its result and an answer, each with a mark of its own in every part that can hold one."""
    said, called, given_back, answered = marks
    arguments = json.dumps({"path": f"/src/{called}.py", f"key{called}": place})
    return [
        {"role": "user", "name": f"n{said}", "content": f"Request {place}: look after {said} please. " + "more " * 30},
        {
            "role": "assistant", "content": f"Looking at {called}.",
            "tool_calls": [{"id": f"c{called}", "type": "function", "function": {"name": "read", "arguments": arguments}}],
        },
        {"role": "tool", "tool_call_id": f"c{called}", "content": f"line {given_back}\n" + "output here " * 40},
        {"role": "assistant", "content": f"Done with {answered}, wrote /out/{answered}.txt. " + "well " * 30},
    ]  # fmt: skip


async def branches_of(engine: Engine, histories: Sequence[list[dict[str, Any]]]) -> Iterator[Conversation]:
    talk = engine.conversation("talk")
    return iter([talk for _ in histories])


async def assert_sound(engine: Engine, talk: Conversation, size: int) -> None:
    """The window covers the history, a request is lawful, and everything proves itself."""
    view = await talk.window()
    assert_covered(view.window, size)
    request = await talk.request(system="Be brief.")
    assert_request_lawful(request, SMALL["window_tokens"] - SMALL["max_tokens"])
    health = await engine.verify(everyone=True)
    assert health.faults == ()


@settings(max_examples=4, deadline=None, suppress_health_check=list(HealthCheck), phases=[Phase.generate])
@given(
    seed=st.integers(0, 2**32),
    turns=st.integers(2, 7),
    edit=st.integers(0, 6),
    ranges=st.lists(st.tuples(st.floats(0, 1), st.integers(0, 6)), min_size=1, max_size=3),
    goal=st.sampled_from((None, 1_500)),
)
async def test_nothing_of_what_was_forgotten_is_left_and_every_request_is_valid(
    tmp_path_factory: pytest.TempPathFactory,
    seed: int, turns: int, edit: int, ranges: list[tuple[float, int]], goal: int | None,
) -> None:  # fmt: skip
    path = tmp_path_factory.mktemp("forget") / "talks.db"
    draw = random.Random(seed)
    marks = [[marker(draw) for _ in range(4)] for _ in range(turns)]
    history = [message for place in range(turns) for message in turn(place, marks[place])]
    flat = [mark for group in marks for mark in group]
    edited = [*history]
    edited[4 * (edit % turns)] = {"role": "user", "content": "Request, edited. " + "more " * 30}
    async with open_small(path) as engine:
        talk = engine.conversation("talk")
        for place in range(turns):
            await talk.sync(history[: 4 * place + 4])
            await talk.compact(until_under_tokens=goal)
        await talk.pin("m1")
        await talk.pin(text=f"Remember {flat[-1]}.")
        await talk.sync(edited)
        await talk.compact()
        gone: set[int] = set()
        for share, more in ranges:
            first = int(share * (len(history) - 1))
            last = min(first + more, len(history) - 1)
            await engine.forget("talk", f"m{first + 1}-m{last + 1}")
            gone |= set(range(first, last + 1))
        gone |= {place + 1 for place in gone if place % 4 == 1} | {place - 1 for place in gone if place % 4 == 2}
        for whole in (history, edited):
            done = await talk.sync(whole)
            assert done.added == 0
            assert done.messages == len(whole)
            await assert_sound(engine, talk, len(whole))
        assert remnants(path, [flat[place] for place in gone]) == []
        kept = [mark for place, mark in enumerate(flat) if place not in gone]
        assert {mark for mark in kept if not (await talk.grep(mark, limit=1)).total} == set()
    assert remnants(path, [flat[place] for place in gone]) == []
