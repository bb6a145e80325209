"""The paths of a transcript are stored at the cost of what each adds, whatever the shape of their tree."""

from __future__ import annotations

import sys
from collections import Counter
from types import FrameType

import pytest
from hypothesis import given
from hypothesis import strategies as st

import palimpsest
from palimpsest.formats.transcripts.message_tree import Draft, Tree, paths
from palimpsest.formats.transcripts.reader_base import Transcript
from palimpsest.record.message import Message, Text
from tests.effort import examples


def tree_of(parents: list[int]) -> tuple[tuple[Message, ...], ...]:
    """The histories of a tree: node n follows the node `parents[n]`, or the root for a negative one."""
    tree = Tree(grows=False, strict=True)
    nodes = [tree.prompt(tree.root, Draft("user", [Text("begin")], origin="begin"))]
    for number, parent in enumerate(parents):
        draft = Draft("user", [Text(f"said {number}")], origin=f"o{number}")
        nodes.append(tree.prompt(nodes[parent % len(nodes)], draft))
    return paths(tree)[0]


async def stored(histories: tuple[tuple[Message, ...], ...]) -> list[list[str]]:
    """What the store has of each branch, after two imports of which the second adds nothing."""
    async with palimpsest.open(":memory:") as engine:
        transcript = Transcript("t", "claude_code", paths=histories)
        first = await engine.import_transcript(transcript)
        assert first.added == len({id(one) for history in histories for one in history})
        assert (await engine.import_transcript(transcript)).added == 0
        assert (await engine.verify()).sound
        found: list[list[str]] = []
        for history in histories:
            assert await engine.store.match(engine.owner, "t", history) == len(history)
        current = await engine.conversation("t").messages(1, len(histories[-1]))
        found.append([one.message.text for one in current])
        return found


@examples(15)
@given(st.lists(st.integers(0, 30), max_size=30))
async def test_every_path_of_any_tree_is_stored_whole(parents: list[int]) -> None:
    histories = tree_of(parents)
    assert await stored(histories) == [[one.text for one in histories[-1]]]


def comb(teeth: int) -> list[int]:
    """A chain with a branch at each of its nodes."""
    return [place for number in range(teeth) for place in (2 * number - 1 if number else 0, 2 * number + 1)]


@pytest.mark.parametrize("shape", ["comb", "star"])
async def test_the_calls_grow_with_the_size_of_the_tree(shape: str) -> None:
    async def calls(size: int) -> int:
        histories = tree_of(comb(size) if shape == "comb" else [0] * size)
        made: Counter[str] = Counter()

        def count(frame: FrameType, event: str, _: object) -> None:
            made[event] += frame.f_code.co_name in {"identity", "count_message", "decode_message"}

        before = sys.getprofile()
        sys.setprofile(count)
        try:
            async with palimpsest.open(":memory:") as engine:
                await engine.import_transcript(Transcript("t", "claude_code", paths=histories))
        finally:
            sys.setprofile(before)
        return made["call"]

    small, large = await calls(20), await calls(80)
    assert large <= 5 * small
