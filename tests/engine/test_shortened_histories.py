"""A client that shortens its own history: the conversation goes on, whole, and nothing is stored twice."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from palimpsest.engine.conversation import Conversation, state_of
from palimpsest.engine.history_overlap import (
    DELETED,
    Overlap,
    ShortenedHistory,
    accepted,
    overlap_at_end,
    overlap_inside,
)
from palimpsest.record.window_items import SummaryItem
from tests.engine.test_history_sync import STORES, asks, engine_over, opened, seen

Said = dict[str, Any]


def hello(place: int) -> list[Said]:
    """A question and its reply, long enough to be told from others."""
    return [
        {"role": "user", "content": f"hello {place}, is the lamp of berth {place} lit this evening?"},
        {"role": "assistant", "content": f"hi {place}, the lamp of berth {place} is lit until six."},
    ]


def turn(place: int, *, acts: bool) -> list[Said]:
    """A question with its reply, with a step in between if it `acts`."""
    question, reply = hello(place)
    return [question, *(asks(place) if acts else []), reply]


def summary_of(place: int) -> Said:
    return {
        "role": "user",
        "content": f"Summary {place}: they said hello many times. " + "More was said. " * 3,
    }


async def texts(talk: Conversation) -> list[str]:
    return [one.message.text for one in await talk.messages(limit=2_000)]


@settings(max_examples=60)
@given(data=st.data(), kind=st.sampled_from(STORES))
async def test_the_newest_messages_continue_the_conversation(data: st.DataObject, kind: str) -> None:
    store = await opened(kind)
    talk = engine_over(store).conversation("c")
    newest = data.draw(st.integers(2, 12), "newest")
    pins_first = data.draw(st.booleans(), "pins the first message") and newest > 6
    sums_up = data.draw(st.booleans(), "gives a summary")
    full: list[Said] = []
    added = 0
    for step in range(data.draw(st.integers(4, 14))):
        new = turn(step, acts=data.draw(st.booleans()))
        size = data.draw(st.integers(1, newest - 1))
        for part in (new[start : start + size] for start in range(0, len(new), size)):
            full += part
            sent = full[-newest:] if len(full) > newest + 2 else list(full)
            if len(full) > newest + 2:
                first = full[:1] if pins_first else []
                sent = [*first, *([summary_of(step)] if sums_up else []), *sent]
            if data.draw(st.booleans()):
                sent = json.loads(json.dumps(sent))
            done = await talk.sync(sent)
            assert not done.forked
            added += done.added
        if data.draw(st.integers(0, 4)) == 0:
            talk = engine_over(store).conversation("c")
    said = engine_over(await opened("memory")).conversation("all")
    await said.sync(full)
    assert added == len(full)
    assert await texts(talk) == await texts(said)


@settings(max_examples=60)
@given(data=st.data(), kind=st.sampled_from(STORES))
async def test_what_is_remembered_of_a_shortened_history_changes_nothing(
    data: st.DataObject, kind: str
) -> None:
    quick, plain = [engine_over(await opened(kind)).conversation("c") for _ in range(2)]
    full: list[Said] = []
    for step in range(data.draw(st.integers(3, 9))):
        full += turn(data.draw(st.integers(0, 2)), acts=data.draw(st.booleans()))
        start = data.draw(st.integers(0, len(full) - 1))
        end = data.draw(st.integers(start + 1, len(full)))
        sent = [*full[: data.draw(st.integers(0, 2))], *full[start:end]]
        if data.draw(st.booleans()):
            sent = [summary_of(step), *sent]
        state_of(plain).shortened = ShortenedHistory()
        assert await quick.sync(sent) == await plain.sync(sent)
        assert await seen(quick) == await seen(plain)


@pytest.mark.parametrize("kind", STORES)
async def test_the_clients_summary_is_adopted_once_as_a_compaction(kind: str) -> None:
    store = await opened(kind)
    talk = engine_over(store).conversation("c")
    full = [one for place in range(30) for one in hello(place)]
    await talk.sync(full)
    sent = [summary_of(1), *full[-6:], *hello(100)]
    done = await talk.sync(sent)
    assert (done.added, done.forked, done.compactions, done.notes) == (2, False, 1, ())
    _, window = await state_of(talk).load()
    first = window.items[0]
    assert isinstance(first, SummaryItem)
    assert (first.last, first.summary.text) == (54, summary_of(1)["content"])
    assert "Summary 1" not in "".join(await texts(talk))
    for again in (talk, engine_over(store).conversation("c")):
        done = await again.sync(sent)
        assert (done.added, done.forked, done.compactions) == (0, False, 0)
    assert len(await talk.messages(limit=1_000)) == 62


async def test_a_summary_that_is_not_smaller_is_reported() -> None:
    talk = engine_over(await opened("memory")).conversation("c")
    full = [one for place in range(6) for one in hello(place)]
    await talk.sync(full)
    done = await talk.sync([{"role": "user", "content": "words " * 500}, *full[-4:], *hello(9)])
    assert (done.added, done.forked, done.compactions) == (2, False, 0)
    assert "not smaller" in done.notes[0]


@pytest.mark.parametrize("kind", STORES)
async def test_a_shortened_history_can_be_rewound(kind: str) -> None:
    talk = engine_over(await opened(kind)).conversation("c")
    full = [one for place in range(20) for one in hello(place)]
    await talk.sync(full)
    done = await talk.sync([*full[20:30], {"role": "user", "content": "another question"}])
    assert (done.added, done.forked, done.messages) == (1, True, 31)
    assert (await texts(talk))[0].startswith("hello 0,")
    again = await talk.sync([*full[24:30], {"role": "user", "content": "another question"}, *hello(77)])
    assert (again.added, again.forked, again.messages) == (2, False, 33)


@pytest.mark.parametrize("kind", STORES)
async def test_what_was_forgotten_does_not_come_back_in_a_shortened_history(kind: str) -> None:
    engine = engine_over(await opened(kind))
    talk = engine.conversation("c")
    full = [one for place in range(20) for one in hello(place)]
    await talk.sync(full)
    await talk.sync([*full[-10:], *hello(50)])
    await engine.forget("c", (await talk.messages(start=37, limit=1))[0].id)
    sent = [*full[-10:], *hello(50), *hello(51)]
    done = await talk.sync(sent)
    assert (done.added, done.forked) == (2, False)
    assert not any(one.startswith("hello 18,") for one in await texts(talk))
    done = await talk.sync([*sent, *hello(52)])
    assert (done.added, done.forked) == (2, False)


async def test_an_edit_is_still_a_branch() -> None:
    talk = engine_over(await opened("memory")).conversation("c")
    full = [one for place in range(8) for one in hello(place)]
    await talk.sync(full)
    edited = [*full[:4], {"role": "user", "content": "edited"}, *full[5:]]
    assert (await talk.sync(edited)).forked
    other = engine_over(await opened("memory")).conversation("c")
    await other.sync(full)
    assert (await other.sync([{"role": "user", "content": "a new chat"}])).forked


async def test_a_system_prompt_before_a_shortened_history_is_the_conversations() -> None:
    talk = engine_over(await opened("memory")).conversation("c")
    full = [one for place in range(20) for one in hello(place)]
    await talk.sync([{"role": "system", "content": "be brief"}, *full])
    for step, prompt in enumerate(("be brief", "be kind", "be kind")):
        full += hello(30 + step)
        done = await talk.sync([{"role": "system", "content": prompt}, *full[-8:]])
        assert (done.added, done.forked, state_of(talk).system) == (2, False, prompt)


identities = st.lists(st.sampled_from([b"a", b"b", b"c", b"d"]), max_size=12)


@given(sent=identities, known=identities, blanks=st.sets(st.integers(0, 11)))
def test_an_overlap_is_what_it_says(sent: list[bytes], known: list[bytes], blanks: set[int]) -> None:
    stored = [DELETED if place in blanks else one for place, one in enumerate(known)]

    def equal(found: Overlap) -> bool:
        run = stored[found.dropped_through : found.through]
        return len(run) == found.end - found.start > 0 and all(
            one in (other, DELETED) for one, other in zip(run, sent[found.start : found.end], strict=True)
        )

    at_end, inside = overlap_at_end(sent, stored, len(stored)), overlap_inside(sent, stored)
    assert at_end is None or (equal(at_end) and at_end.through == len(stored))
    assert inside is None or equal(inside)
    assert at_end is not None or not sent or not stored or stored[-1] not in (*sent, DELETED)


@given(sent=identities, prefix=st.integers(0, 12), at_end=st.booleans(), start=st.integers(0, 5))
def test_a_history_that_leaves_nothing_out_is_not_shortened(
    sent: list[bytes], prefix: int, at_end: bool, start: int
) -> None:
    overlap = Overlap(start, start + len(sent), len(sent) + start)
    assert not accepted(overlap, prefix, 10_000, at_end=at_end)


def test_a_repetitive_history_costs_no_more_than_its_length() -> None:
    many = [b"a"] * 200_000
    assert overlap_at_end([*many, b"b"], [b"b", *many], 200_001) == Overlap(0, 200_000, 200_001)
    assert overlap_inside([b"b", *many[:1_000]], many) is not None


@pytest.mark.parametrize("kind", STORES)
async def test_a_summary_of_everything_is_followed_by_what_is_new(kind: str) -> None:
    store = await opened(kind)
    talk = engine_over(store).conversation("c")
    await talk.sync([one for place in range(30) for one in hello(place)])
    sent = [summary_of(1), *hello(50)[:1]]
    done = await talk.sync(sent, summary_messages=1)
    assert (done.added, done.forked, done.messages, done.compactions) == (1, False, 61, 1)
    sent += [*hello(50)[1:], *hello(51)]
    for again in (talk, engine_over(store).conversation("c")):
        done = await again.sync(sent)
        assert (done.forked, done.messages, done.compactions) == (False, 64, 0)
    assert [one[:7] for one in (await texts(talk))[:2]] == ["hello 0", "hi 0, t"]
    new = engine_over(await opened(kind)).conversation("new")
    assert (await new.sync(sent, summary_messages=1)).added == 5


async def test_an_edit_before_a_short_answer_is_no_summary() -> None:
    talk = engine_over(await opened("memory")).conversation("c")
    await talk.sync([*hello(0), *hello(1), {"role": "user", "content": "yes"}])
    done = await talk.sync(
        [{"role": "user", "content": "something else"}, {"role": "user", "content": "yes"}]
    )
    assert (done.forked, done.messages) == (True, 2)


@pytest.mark.parametrize("kind", STORES)
async def test_a_summary_that_a_later_one_took_in_is_not_adopted_again(kind: str) -> None:
    store = await opened(kind)
    talk = engine_over(store, policy="rolling").conversation("c")
    full = [one for place in range(40) for one in hello(place)]
    await talk.sync(full)
    assert (await talk.sync([summary_of(1), *full[-6:], *hello(90)])).compactions == 1
    full += [*hello(90), *(one for place in range(100, 130) for one in hello(place))]
    await talk.sync([summary_of(1), *full[-66:]])
    assert await talk.compact() is not None
    items = (await state_of(talk).load())[1].items
    assert [one.summary.text for one in items if isinstance(one, SummaryItem)] != [summary_of(1)["content"]]
    before = [item.id for item in items]
    full += [one for place in range(300, 320) for one in hello(place)]
    await talk.sync([summary_of(1), *full[-50:]])
    again = engine_over(store, policy="rolling").conversation("c")
    done = await again.sync([summary_of(1), *full[-20:], *hello(200)])
    assert (done.added, done.forked, done.compactions) == (2, False, 0)
    after = [item.id for item in (await state_of(again).load())[1].items]
    assert after[: len(before)] == before
