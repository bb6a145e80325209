"""Outlines one after another: each message is read once, and a process without a pool makes a lawful one as well."""

from __future__ import annotations

import re
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from typing import Any, ClassVar

from hypothesis import given
from hypothesis import strategies as st

import palimpsest
from palimpsest.engine.compacting.outline_cache import (
    OutlineCandidates,
    candidates_from_json,
    candidates_to_json,
)
from palimpsest.engine.conversation import Conversation, state_of
from palimpsest.engine.engine import Engine
from palimpsest.engine.reports import WindowView
from palimpsest.record.chain import Head
from palimpsest.record.log import Branch, Stored
from palimpsest.record.window_items import SummaryItem
from palimpsest.settings import make_settings
from palimpsest.stores.sqlite.store import SqliteStore
from tests.engine.observed import said

RANGES = st.lists(st.tuples(st.integers(1, 60), st.integers(0, 20)), max_size=6)
QUIET: dict[str, Any] = {"window_tokens": 1_000_000, "compact_threshold": None}


def pool_of(ranges: list[tuple[int, int]]) -> OutlineCandidates:
    """A pool into which these (first, length) were taken."""
    pool = OutlineCandidates(1, 0, 0)
    for first, length in ranges:
        pool = OutlineCandidates(1, 0, 0, pool.with_range(first, first + length, 100))
    return pool


@given(RANGES, st.integers(1, 60), st.integers(0, 30))
def test_what_is_lacking_and_what_was_taken_in_are_all_of_a_range(
    ranges: list[tuple[int, int]], first: int, length: int
) -> None:
    pool = pool_of(ranges)
    taken = {seq for start, end, _ in pool.ranges for seq in range(start, end + 1)}
    lacking = [seq for start, end in pool.missing(first, first + length) for seq in range(start, end + 1)]
    assert lacking == sorted(set(range(first, first + length + 1)) - taken)
    spans = [(start, end) for start, end, _ in pool.ranges]
    assert all(end < begin for (_, end), (begin, _) in pairwise(spans))


def test_a_pool_serves_its_branch_as_long_as_nothing_of_it_was_forgotten() -> None:
    pool = OutlineCandidates(1, 0, 0, ((1, 40, 500),))
    branch = Branch(1, "a", Head())
    assert pool.serves(branch, 1, 60, 900)
    assert not pool.serves(branch, 1, 60, 1_100)
    assert not pool.serves(branch, 41, 60, 500)
    assert not pool.serves(Branch(2, "a", Head()), 1, 60, 500)
    assert not pool.serves(Branch(1, "a", Head(), purged=3), 1, 60, 500)


async def _grown(talk: Conversation, first: int, count: int) -> None:
    for at in range(first, first + count):
        await talk.append(
            said("user", f"Which berth does ship {at} take at {at % 24} h?"),
            said(
                "assistant",
                f"Ship {at} takes berth {at * 7 % 97} of quay {at % 5}. " + "The tide is high. " * 40,
            ),
        )


def _outline(window: WindowView) -> str:
    return "\n".join(item.summary.text for item in window.window.items if isinstance(item, SummaryItem))


class Noting(SqliteStore):
    """A store that notes which messages are read."""

    asked: ClassVar[list[tuple[int, int]]] = []

    async def messages(self, owner: str, conversation: str, first: int, last: int) -> list[Stored]:
        self.asked.append((first, last))
        return await super().messages(owner, conversation, first, last)


async def test_a_second_outline_reads_only_what_came_since(tmp_path: Path) -> None:
    async with Engine(await Noting.open(tmp_path / "a.db"), settings=make_settings(**QUIET)) as engine:
        talk = engine.conversation("a")
        await _grown(talk, 0, 40)
        await talk.compact(until_under_tokens=6_000)
        await _grown(talk, 40, 40)
        Noting.asked.clear()
        await talk.compact(until_under_tokens=6_000)
        text = _outline(await talk.window())
        assert [first for first, last in Noting.asked if first < last and first <= 60] == []
        assert re.search(r"[Ss]hip [0-9] ", text)
        assert "ship 70 " in text


async def test_a_process_without_a_pool_outlines_the_whole_range_again(tmp_path: Path) -> None:
    for name in ("one", "two"):
        async with palimpsest.open(tmp_path / "a.db", **QUIET) as engine:
            talk = engine.conversation(name)
            await _grown(talk, 0, 40)
            await talk.compact(until_under_tokens=6_000)
            if name == "one":
                await _grown(talk, 40, 40)
                await talk.compact(until_under_tokens=6_000)
                kept = _outline(await talk.window())
    async with palimpsest.open(tmp_path / "a.db", **QUIET) as engine:
        talk = engine.conversation("two")
        await _grown(talk, 40, 40)
        await talk.compact(until_under_tokens=6_000)
        again = _outline(await talk.window())
    of_one, of_two = ({line for line in text.splitlines() if line[:2] != "[m"} for text in (kept, again))
    assert len(of_one & of_two) > 0.7 * len(of_two)


async def test_a_secret_that_becomes_known_later_leaves_the_next_outline(tmp_path: Path) -> None:
    secret = "q8Zr4T6pLw2X"
    async with palimpsest.open(tmp_path / "a.db", **QUIET) as engine:
        talk = engine.conversation("a")
        await talk.append(
            said("user", f"The word for the gate is {secret} today."), said("assistant", "Noted.")
        )
        await _grown(talk, 0, 40)
        await talk.compact(until_under_tokens=6_000)
        assert secret in _outline(await talk.window())
        await talk.append(said("user", f"PASSWORD={secret}"), said("assistant", "It is set."))
        await _grown(talk, 40, 40)
        await talk.compact(until_under_tokens=6_000)
        assert secret not in _outline(await talk.window())


async def test_another_process_goes_on_from_the_pool_that_is_kept(tmp_path: Path) -> None:
    async with palimpsest.open(tmp_path / "a.db", **QUIET) as engine:
        talk = engine.conversation("a")
        await _grown(talk, 0, 40)
        await talk.compact(until_under_tokens=6_000)
        candidates = state_of(talk).ledger_state.candidates
        assert candidates is not None
        assert candidates_from_json(candidates_to_json(candidates)) == replace(candidates, secrets=-1)
    async with Engine(await Noting.open(tmp_path / "a.db"), settings=make_settings(**QUIET)) as engine:
        talk = engine.conversation("a")
        await _grown(talk, 40, 40)
        Noting.asked.clear()
        await talk.compact(until_under_tokens=6_000)
        assert [first for first, last in Noting.asked if first < last and first <= 60] == []
        assert re.search(r"[Ss]hip [0-9] ", _outline(await talk.window()))


async def test_what_is_forgotten_leaves_the_pool(tmp_path: Path) -> None:
    async with palimpsest.open(tmp_path / "a.db", **QUIET) as engine:
        talk = engine.conversation("a")
        (told, _) = await talk.append(
            said("user", "The buoy is called Marguerite."), said("assistant", "Noted.")
        )
        await _grown(talk, 0, 40)
        await talk.compact(until_under_tokens=6_000)
        await engine.forget("a", told.id)
        assert b"Marguerite" not in (tmp_path / "a.db").read_bytes()
        await _grown(talk, 40, 40)
        await talk.compact(until_under_tokens=6_000)
        assert "Marguerite" not in _outline(await talk.window())


def test_what_is_no_pool_is_read_as_none() -> None:
    for text in ("", "{}", "[", '{"branch_id": 1, "purged": 0, "secrets": 0, "version": 99}', "潮"):
        assert candidates_from_json(text) is None
