"""Embeddings beside the word index: what they add, when they are made, and that their failure costs nothing else."""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import palimpsest
from palimpsest.engine.retrieval.embeddings import NEIGHBOURS, Embedder, as_embedder
from palimpsest.errors import ModelError, UsageError
from palimpsest.record.message import Message, Text
from palimpsest.search.vectors import CHUNK, CONTEXT_CHARS, nearest, pack

MEANINGS = (("ship", "vessel", "ferry", "boat"), ("storm", "gale", "tempest"), ("bread", "loaf", "bakery"))


def meaning(text: str) -> list[float]:
    """A small embedder: how often a text speaks of each of three things."""
    words = text.lower().split()
    return [0.01 + sum(word.strip(".,?!") in group for word in words) for group in MEANINGS]


SAID = (
    "The vessel comes in at noon.",
    "A loaf costs three coins.",
    "The tempest took the roof.",
    "Nothing of note today.",
)


async def tell(engine: palimpsest.Engine, name: str = "talk") -> None:
    """Put everything into a conversation."""
    await engine.conversation(name).append(*({"role": "user", "content": text} for text in SAID))


async def test_what_shares_no_word_with_the_question_is_found_by_its_vector(tmp_path: Path) -> None:
    async with palimpsest.open(tmp_path / "a.db", embed=meaning) as engine:
        await tell(engine)
        assert "vessel" not in (await engine.search("was there a gale?", limit=1)).text
        assert await engine.embed() == len(SAID)
        assert await engine.embed() == 0
        found = await engine.conversation("talk").search("was there a gale?", limit=1)
        assert "tempest" in found[0].text
        assert found.note == ""
        assert 0 < found[0].score <= 1


class Meaning:
    """The same as an object that is awaited."""

    async def __call__(self, text: str) -> list[float]:
        return meaning(text)


async def test_an_object_that_is_awaited_is_an_embedder_as_well(tmp_path: Path) -> None:
    async with palimpsest.open(tmp_path / "a.db", embed=Embedder(Meaning(), "meaning")) as engine:
        await tell(engine)
        assert await engine.embed() == len(SAID)


async def test_of_what_one_speaker_said_at_some_time_the_nearest_are_found(tmp_path: Path) -> None:
    near = Message("user", (Text("The storm is near."),), time_s=1.0)
    async with palimpsest.open(tmp_path / "a.db", embed=meaning) as engine:
        talk = engine.conversation("talk")
        told = await talk.append(
            Message("assistant", (Text("A tempest, they say."),)), *[near] * NEIGHBOURS * 2
        )
        late = await talk.append(replace(near, time_s=90_000.0))
        await engine.embed()
        for place in (engine, talk):
            found = await place.search("gale?", role="assistant")
            assert [one.id for one in found] == [told[0].id]
            found = await place.search("gale?", role="user", since="1970-01-02")
            assert [one.id for one in found] == [late[0].id]
            assert not await place.search("gale?", role="assistant", before="1970-01-02")


async def test_vectors_are_made_after_a_turn_in_the_background(tmp_path: Path) -> None:
    async with palimpsest.open(tmp_path / "a.db", embed=meaning) as engine:
        await tell(engine)
        await engine.conversation("talk").end_turn()
        await engine.idle()
        assert await engine.embed() == 0
        assert "vessel" in (await engine.search("when does the boat arrive?", limit=1)).text


async def test_an_embedder_takes_batches_and_may_be_async(tmp_path: Path) -> None:
    sizes: list[int] = []

    async def many(texts: Sequence[str]) -> list[list[float]]:
        sizes.append(len(texts))
        return [meaning(text) for text in texts]

    async with palimpsest.open(tmp_path / "a.db", embed=Embedder(many, "small", batch=3)) as engine:
        await tell(engine)
        assert await engine.embed() == len(SAID)
        assert max(sizes) == 3
        assert "tempest" in (await engine.search("a gale?", limit=1)).text


async def test_an_embedder_is_shown_no_secret(tmp_path: Path) -> None:
    shown: list[str] = []

    def noting(text: str) -> list[float]:
        shown.append(text)
        return meaning(text)

    async with palimpsest.open(tmp_path / "a.db", embed=noting) as engine:
        await engine.conversation("talk").append(
            {"role": "user", "content": "the pier's password: Kelp38!Dune"}
        )
        assert await engine.embed() == 1
        await engine.search("does password=Kelp38!Dune open it?")
    assert len(shown) >= 2
    assert "Kelp38" not in " ".join(shown)


async def test_a_failing_embedder_leaves_the_search_by_words_and_says_so(tmp_path: Path) -> None:
    def broken(text: str) -> list[float]:
        raise OSError("no such model")

    async with palimpsest.open(tmp_path / "a.db", embed=broken) as engine:
        await tell(engine)
        found = await engine.search("what did the tempest take?", limit=1)
        assert "tempest" in found[0].text
        assert "no such model" in found.note
        with pytest.raises(ModelError):
            await engine.embed()


async def test_a_function_of_many_texts_is_told_how_it_is_given(tmp_path: Path) -> None:
    async with palimpsest.open(
        tmp_path / "a.db", embed=lambda texts: [meaning(one) for one in texts]
    ) as engine:
        await tell(engine)
        with pytest.raises(ModelError, match=r"Embedder\(function, batch=16\)"):
            await engine.embed()


async def test_what_an_embedder_says_of_its_key_is_told_without_it(tmp_path: Path) -> None:
    def refused(text: str) -> list[float]:
        raise OSError("401: Authorization: Bearer sk-live-0123456789abcdef is no key")

    async with palimpsest.open(tmp_path / "a.db", embed=refused) as engine:
        await tell(engine)
        with pytest.raises(ModelError, match="401") as raised:
            await engine.embed()
        assert "sk-live" not in str(raised.value)
        assert "sk-live" not in (await engine.search("what did the tempest take?")).note


async def test_one_text_that_fails_does_not_keep_the_others_from_being_embedded(tmp_path: Path) -> None:
    def picky(texts: Sequence[str]) -> list[list[float]]:
        if any("loaf" in text.rpartition("\n")[2] for text in texts):
            raise ValueError("cannot read this")
        return [meaning(text) for text in texts]

    async with palimpsest.open(tmp_path / "a.db", embed=Embedder(picky, batch=8)) as engine:
        await tell(engine)
        assert await engine.embed() == len(SAID) - 1
        assert await engine.embed() == 0


@pytest.mark.parametrize("other", ["another name", "another size", "another prefix"])
async def test_another_model_or_another_size_makes_all_anew(tmp_path: Path, other: str) -> None:
    async with palimpsest.open(tmp_path / "a.db", embed=Embedder(meaning, "one")) as engine:
        await tell(engine)
        assert await engine.embed() == len(SAID)
    later = {
        "another name": Embedder(meaning, "two"),
        "another size": Embedder(lambda text: [*meaning(text), 0.0], "one"),
        "another prefix": Embedder(meaning, "one", text_prefix="passage: "),
    }[other]
    async with palimpsest.open(tmp_path / "a.db", embed=later) as engine:
        assert "tempest" not in (await engine.search("a gale?", limit=1)).text
        assert await engine.embed() == len(SAID)
        assert "tempest" in (await engine.search("a gale?", limit=1)).text
    with closing(sqlite3.connect(tmp_path / "a.db", isolation_level=None)) as db:
        assert db.execute("SELECT count(*), count(DISTINCT model) FROM vector").fetchone() == (len(SAID), 1)


async def test_vectors_keep_to_their_owner_and_conversation(tmp_path: Path) -> None:
    async with palimpsest.open(tmp_path / "a.db", owner="ann", embed=meaning) as hers:
        await tell(hers)
        await hers.embed()
        await hers.conversation("other").append({"role": "user", "content": "The gale is over."})
        await hers.embed()
        inside = await hers.conversation("other").search("a storm?")
        assert {one.conversation for one in inside.passages} == {"other"}
    async with palimpsest.open(tmp_path / "a.db", owner="bob", embed=meaning) as his:
        assert len(await his.search("a gale?")) == 0
        await his.conversation("talk").append({"role": "user", "content": "My boat."})
        assert await his.embed() == 1
        assert "boat" in (await his.search("a ship?"))[0].text
        assert len(await his.search("a ship?")) == 1


async def test_a_vector_goes_with_its_message(tmp_path: Path) -> None:
    async with palimpsest.open(tmp_path / "a.db", embed=meaning) as engine:
        await tell(engine)
        await engine.embed()
    with closing(sqlite3.connect(tmp_path / "a.db", isolation_level=None)) as db:
        db.execute("PRAGMA foreign_keys = ON")
        db.execute("DELETE FROM message WHERE seq = 4")
        assert db.execute("SELECT count(*) FROM vector").fetchone() == (len(SAID) - 1,)


async def test_without_an_embedder_nothing_can_be_embedded() -> None:
    async with palimpsest.open(":memory:") as engine:
        with pytest.raises(UsageError):
            await engine.embed()


@pytest.mark.parametrize("given", [Embedder(meaning, batch=-1), "text", Embedder(meaning, batch=10_000)])
def test_what_is_no_embedder_is_refused(given: object) -> None:
    with pytest.raises(UsageError):
        as_embedder(given)  # pyright: ignore[reportArgumentType]


@pytest.mark.parametrize("vector", [[], [0.0, 0.0], [float("nan")], [float("inf"), 1.0], [1e308, 1e308]])
def test_a_vector_without_a_direction_is_refused(vector: list[float]) -> None:
    with pytest.raises(UsageError):
        pack(vector)


@given(
    st.lists(st.tuples(st.integers(-9, 9), st.integers(-9, 9)), min_size=1, max_size=30), st.integers(1, 9)
)
def test_the_nearest_are_those_of_the_smallest_angle(pairs: list[tuple[int, int]], limit: int) -> None:
    rows = [(number, pack([a + 0.5, b, 1.0])) for number, (a, b) in enumerate(pairs)]
    asked = pack([1.0, 0.2, 0.1])
    angles = {
        number: (a + 0.5 + 0.2 * b + 0.1) / ((a + 0.5) ** 2 + b**2 + 1) ** 0.5
        for number, (a, b) in enumerate(pairs)
    }
    found = nearest([*rows, (99, pack([1.0]))], asked, limit)
    assert len(found) == min(limit, len(rows))
    least = min(angles[number] for number in found)
    assert all(angles[number] <= least + 1e-5 for number in angles if number not in found)


def test_more_vectors_than_one_chunk_are_all_looked_at() -> None:
    rows = [(number, pack([1.0, float(number)])) for number in range(CHUNK + 2)]
    assert nearest(rows, pack([0.0, 1.0]), 1)[0] > CHUNK // 2
    assert nearest(rows, pack([1.0, 0.0]), 1) == [0]


async def test_a_message_is_embedded_with_its_speaker_and_what_was_said_before(tmp_path: Path) -> None:
    given: list[str] = []

    def noted(text: str) -> list[float]:
        given.append(text)
        return meaning(text)

    async with palimpsest.open(tmp_path / "a.db", embed=noted) as engine:
        await engine.conversation("talk").append(
            Message("user", (Text("Where did you hang the lantern?"),), name="Ada"),
            Message("assistant", (Text(f"{'Well. ' * CONTEXT_CHARS}By the door."),)),
            Message("user", (Text("Why there?"),)),
            Message("assistant", (Text(""),)),
            Message("user", (Text("Hello?"),)),
        )
        assert await engine.embed() == 4
        await engine.search("lantern?")
    told = [text for text in given if ": " in text]
    assert [text[:60] for text in told][:1] == ["Ada: Where did you hang the lantern?"]
    assert told[1].startswith("Ada: Where did you hang the lantern?\nassistant: Well. Well.")
    assert told[2].endswith("By the door.\nuser: Why there?")
    assert len(told[2]) == len("assistant: \nuser: Why there?") + CONTEXT_CHARS
    assert told[3] == "user: Hello?"
    assert given[-1] == "lantern?"


async def test_what_a_tool_gave_is_no_context(tmp_path: Path) -> None:
    given: list[str] = []
    results = {"role": "tool", "tool_call_id": "c1", "content": "total 9"}
    asks = {
        "role": "assistant",
        "content": "Let me see.",
        "tool_calls": [{"id": "c1", "type": "function", "function": {"name": "ls", "arguments": "{}"}}],
    }
    async with palimpsest.open(
        tmp_path / "a.db", embed=lambda text: (given.append(text), meaning(text))[1]
    ) as engine:
        await engine.conversation("talk").append(
            {"role": "user", "content": "What is there?"},
            asks,
            results,
            {"role": "assistant", "content": "Nine."},
        )
        await engine.embed()
    assert given[-1] == "assistant: Nine."


async def test_with_a_message_the_vector_of_the_next_is_forgotten_and_made_without_it(tmp_path: Path) -> None:
    given: list[str] = []

    def noted(text: str) -> list[float]:
        given.append(text)
        return meaning(text)

    async with palimpsest.open(tmp_path / "a.db", embed=noted) as engine:
        talk = engine.conversation("talk")
        told = await talk.append(*({"role": "user", "content": text} for text in SAID))
        await engine.embed()
        await engine.forget("talk", told[0].id)
        with closing(sqlite3.connect(tmp_path / "a.db", isolation_level=None)) as db:
            kept = {row[0] for row in db.execute("SELECT message_id FROM vector")}
        assert kept == {int(one.id[1:]) for one in told[2:]}
        given.clear()
        assert await engine.embed() == 1
        assert [text for text in given if ": " in text] == [f"user: {SAID[1]}"]


async def test_nothing_is_kept_of_what_was_forgotten_while_its_vector_was_made(tmp_path: Path) -> None:
    async with palimpsest.open(tmp_path / "a.db") as other:
        told = await other.conversation("talk").append(*({"role": "user", "content": text} for text in SAID))
        going = [told[0].id]

        async def slowly(text: str) -> list[float]:
            if SAID[0] in text and going:
                await other.forget("talk", going.pop())
            return meaning(text)

        async with palimpsest.open(tmp_path / "a.db", embed=slowly) as engine:
            assert await engine.embed() >= len(SAID) - 1
        with closing(sqlite3.connect(tmp_path / "a.db", isolation_level=None)) as db:
            kept = {row[0] for row in db.execute("SELECT message_id FROM vector")}
        assert kept == {int(one.id[1:]) for one in told[1:]}
