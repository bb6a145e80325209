"""Candidates for a question: what holds any of its words, with what stands around it, and nothing of anybody else's."""

from __future__ import annotations

from palimpsest.ports import Store
from palimpsest.record.message import Message, Text, ToolCall, ToolResult
from palimpsest.record.recall_mark import RECALLED
from palimpsest.search.filters import Where
from palimpsest.search.retrieval_candidates import CandidatePool
from tests.contract.kit import ANN, TALK, append, compact, dialogue, numbered, say, sync

WORDS = (("ferry", "boat"), ("pier",))


async def pool(store: Store, *, owner: str = ANN, talk: str | None = TALK, limit: int = 150) -> CandidatePool:
    """The candidates for a boat and a pier."""
    return await store.recall(owner, talk, WORDS, limit=limit)


def ids(found: CandidatePool) -> set[str]:
    """Which they are."""
    return {one.id for one in found.found}


async def test_any_word_in_any_form_is_found_with_two_messages_on_each_side(store: Store) -> None:
    await append(store, dialogue("a", "b", "c", "two boats", "d", "e", "f", "g", "h", "i", "j", "pier three"))
    found = await pool(store)
    assert (found.total, found.holding) == (12, (1, 1))
    assert ids(found) == {"m2", "m3", "m4", "m5", "m6", "m10", "m11", "m12"}


async def test_what_stands_behind_messages_that_say_nothing_is_near(store: Store) -> None:
    looked_up = [
        Message("assistant", (ToolCall("c", "short_search", '{"question": "ferry"}'),)),
        Message("tool", (ToolResult("c", (Text(f"{RECALLED} 1 passage] a ferry"),)),)),
    ]
    await append(store, [say("which pier?"), *looked_up, say("number three", "assistant"), *dialogue(*"abc")])
    assert ids(await pool(store)) == {"m1", "m2", "m3", "m4", "m5"}


async def test_a_candidate_says_where_it_stands_and_who_said_it(store: Store) -> None:
    await append(store, [say("the ferry is late"), say("which pier", "assistant")])
    first, second = (await pool(store)).found
    assert (first.kind, first.conversation, first.seq, first.role, first.text) == (
        "message", TALK, 1, "user", "the ferry is late",
    )  # fmt: skip
    assert (second.seq, second.role, second.branch) == (2, "assistant", first.branch)


async def test_texts_that_hold_more_and_rarer_words_are_preferred(store: Store) -> None:
    filling = [say(f"filling {place}") for place in range(20)]
    await append(store, [say("ferry at the pier"), *filling, say("a ferry"), *filling, say("another ferry")])
    assert ids(await pool(store, limit=1)) == {"m1", "m2", "m3"}


async def test_summaries_are_candidates_without_neighbours(store: Store) -> None:
    await append(store, numbered(1, 6))
    summary = await compact(store, 1, 4, text="about a ferry", tokens=11)
    (found,) = (await pool(store)).found
    assert (found.id, found.kind, found.text) == (summary.id, "summary", "about a ferry")


async def test_neighbours_are_those_of_the_branch(store: Store) -> None:
    history = dialogue("a", "b", "c", "d")
    await sync(store, [*history, say("the pier was said first")])
    await sync(store, [*history, say("then the ferry")])
    found = await pool(store)
    assert ids(found) == {"m3", "m4", "m5", "m6"}
    assert {one.id: one.seq for one in found.found}["m6"] == 5


async def test_a_candidate_says_whether_it_is_part_of_the_present_history(store: Store) -> None:
    await sync(store, dialogue("the ferry", "from the first pier", "a", "b"))
    await compact(store, 2, 3, text="the first pier", tokens=3)
    await sync(store, dialogue("the ferry", "from the second pier"))
    found = {one.id: one.current for one in (await pool(store)).found}
    assert found == {"m1": True, "m2": False, "m3": False, "m4": False, "s1": False, "m5": True}


async def test_candidates_keep_to_their_owner_and_conversation(store: Store) -> None:
    await append(store, dialogue("a ferry of hers", "b"))
    await append(store, dialogue("a ferry elsewhere"), talk="other")
    await append(store, dialogue("a ferry of his", "c"), owner="bob")
    assert ids(await pool(store)) == {"m1", "m2"}
    assert ids(await pool(store, talk=None)) == {"m1", "m2", "m3"}
    assert ids(await pool(store, owner="bob", talk=None)) == {"m4", "m5"}
    assert ids(await pool(store, talk="unknown")) == ids(await pool(store, owner="eve", talk=None)) == set()


async def test_messages_that_are_named_are_candidates_with_their_neighbours_too(store: Store) -> None:
    await append(store, dialogue(*"abcdefgh"))
    await append(store, dialogue("elsewhere", "x", "y"), talk="other")
    await append(store, dialogue("a ferry of his"), owner="bob")
    found = await store.recall(ANN, TALK, WORDS, also=("m5", "m9", "m12", "m999", "s1", "nonsense"))
    assert ids(found) == {"m3", "m4", "m5", "m6", "m7"}
    everywhere = await store.recall(ANN, None, WORDS, also=("m9", "m12"))
    assert ids(everywhere) == {"m9", "m10", "m11"}


async def test_what_answers_can_be_narrowed_by_speaker_and_time(store: Store) -> None:
    said = [("user", 1_000.0), ("assistant", 2_000.0), ("user", 9_000_000.0), ("user", None)]
    far = [say(f"filling {place}") for place in range(4)]
    for role, time_s in said:
        await append(store, [*far, Message(role, (Text("the ferry"),), time_s=time_s)])

    async def narrowed(where: Where) -> set[str]:
        found = (await store.recall(ANN, TALK, WORDS, where=where)).found
        return {one.id for one in found if "ferry" in one.text}

    assert await narrowed(Where()) == {"m5", "m10", "m15", "m20"}
    assert await narrowed(Where(role="user")) == {"m5", "m15", "m20"}
    assert await narrowed(Where(since_s=8_000_000.0)) == {"m15"}
    assert await narrowed(Where(role="assistant", before_s=8_000_000.0)) == {"m10"}
    assert await narrowed(Where(role="tool")) == set()
    around = {one.id for one in (await store.recall(ANN, TALK, WORDS, where=Where(role="assistant"))).found}
    assert around == {"m8", "m9", "m10", "m11", "m12"}


async def test_without_words_some_of_all_that_fits_is_found(store: Store) -> None:
    for day in range(40):
        await append(store, [Message("user", (Text(f"filling {day}"),), time_s=day * 86_400.0)])
    there = Where(since_s=10 * 86_400.0, before_s=30 * 86_400.0)
    found = await store.recall(ANN, TALK, (), where=there)
    assert {one.id for one in found.found if there.holds(one.role, one.time_s, one.time_s)} == {
        f"m{number}" for number in range(11, 31)
    }
    few = await store.recall(ANN, TALK, (), where=there, limit=2)
    assert len(few.found) == 10
    assert ids(few) >= {"m30", "m20"}
    assert (await store.recall("bob", TALK, (), where=there)).found == ()


async def test_summaries_answer_by_the_time_of_what_they_cover_and_are_nobodys_words(store: Store) -> None:
    await append(store, numbered(1, 6))
    made = await compact(store, 1, 4, text="about a ferry", tokens=11)
    assert made.earliest_s is not None
    for where, answers in (
        (Where(since_s=made.earliest_s), {made.id}),
        (Where(before_s=made.earliest_s), set[str]()),
        (Where(role="user"), set[str]()),
    ):
        assert ids(await store.recall(ANN, TALK, WORDS, where=where)) == answers


async def test_nothing_in_a_word_is_an_operator(store: Store) -> None:
    await append(store, dialogue('say "x" OR y', "z"))
    found = await store.recall(ANN, TALK, [('"x" OR',), ("*", "NEAR(")], limit=5)
    assert found.holding == (1, 0)
