"""Models of embeddings at a server, by name: what they find, and what their failures cost."""

from __future__ import annotations

from collections.abc import Generator
from pathlib import Path

import pytest

import palimpsest
from palimpsest.complete.embedding_models import Prefixes, make_embedding_model, prefixes_of
from palimpsest.errors import ModelError, SettingsError
from palimpsest.formats.transcripts import Source, read
from palimpsest.record.message import Message, Text
from tests.cli.run import claude_lines
from tests.cli.surroundings import variables
from tests.engine.test_embedding import SAID, meaning
from tests.wire.vectors import VectorServer, serving_vectors

NAME = "openai-compatible:themes"


@pytest.fixture
def server() -> Generator[VectorServer]:
    with serving_vectors(meaning) as made, variables(OPENAI_COMPATIBLE_BASE_URL=made.url):
        yield made


async def tell(engine: palimpsest.Engine, *texts: str) -> None:
    await engine.conversation("talk").append(*(Message("user", (Text(text),)) for text in texts))


async def test_a_model_by_name_finds_what_shares_no_word_with_the_question(
    tmp_path: Path, server: VectorServer
) -> None:
    async with palimpsest.open(tmp_path / "a.db", embed=NAME) as engine:
        await tell(engine, *SAID)
        assert await engine.embed() == len(SAID)
        found = await engine.search("was there a gale?", limit=1)
        assert "tempest" in found[0].text
        assert found.note == ""
    assert any(all(map(str.endswith, texts, SAID)) for texts in server.asked if len(texts) == len(SAID))


async def test_a_model_is_asked_as_it_was_taught(tmp_path: Path, server: VectorServer) -> None:
    server.model = "nomic-embed-text:v1.5"
    async with palimpsest.open(tmp_path / "a.db", embed=f"openai-compatible:{server.model}") as engine:
        await tell(engine, *SAID)
        assert await engine.embed() == len(SAID)
        await engine.search("was there a gale?")
    given = [text for texts in server.asked for text in texts]
    assert given[-1] == "search_query: was there a gale?"
    assert len(given) > len(SAID)
    assert all(text.startswith("search_document: ") for text in given[:-1])


@pytest.mark.parametrize(
    "model, question, text",
    [
        ("nomic-embed-text", "search_query: ", "search_document: "),
        ("intfloat/multilingual-e5-large", "query: ", "passage: "),
        ("embeddinggemma:300m", "task: search result | query: ", "title: none | text: "),
        ("snowflake-arctic-embed2", "query: ", ""),
        ("Snowflake/snowflake-arctic-embed-l-v2.0", "query: ", ""),
        ("snowflake-arctic-embed:33m", "Represent this sentence for searching relevant passages: ", ""),
        ("BAAI/bge-small-en-v1.5", "Represent this sentence for searching relevant passages: ", ""),
        ("bge-m3", "", ""),
        ("all-minilm", "", ""),
        ("text-embedding-3-small", "", ""),
        ("multilingual-e5-large-instruct", "", ""),
    ],
)
def test_what_models_were_taught(model: str, question: str, text: str) -> None:
    assert prefixes_of(model) == Prefixes(question, text)


def test_an_instructed_model_is_told_what_the_question_is_for() -> None:
    taught = prefixes_of("qwen3-embedding:0.6b")
    assert taught.question.startswith("Instruct: ")
    assert taught.question.endswith("\nQuery:")
    assert taught.text == ""


async def test_the_setting_names_it_as_well_and_turns_are_embedded_behind_the_back(
    tmp_path: Path, server: VectorServer
) -> None:
    async with palimpsest.open(tmp_path / "a.db", embed_model=NAME) as engine:
        await tell(engine, *SAID)
        await engine.conversation("talk").end_turn()
        await engine.idle()
        assert await engine.embed() == 0


async def test_what_is_imported_is_embedded_behind_the_back(tmp_path: Path, server: VectorServer) -> None:
    log = claude_lines("log", *SAID, "Goodbye.").encode()
    async with palimpsest.open(tmp_path / "a.db", embed_model=NAME) as engine:
        for transcript in read(Source("log.jsonl", log)).transcripts:
            await engine.import_transcript(transcript)
        await engine.idle()
        assert sum(map(len, server.asked)) >= len(SAID)
        assert "tempest" in (await engine.search("was there a gale?", limit=1))[0].text
        assert await engine.embed() == 0


async def test_a_key_goes_to_its_provider(server: VectorServer) -> None:
    model = make_embedding_model("openai:themes", base_url=server.url, environment={"OPENAI_API_KEY": "k-1"})
    assert await model(["The ferry.", "Bread."]) == [meaning("The ferry."), meaning("Bread.")]
    assert server.keys == ["Bearer k-1"]
    assert "k-1" not in repr(model)
    await model.close()


@pytest.mark.parametrize(
    "name", ["anthropic:claude", "scripted", "gemini:x", "nobody:x", "openai:x", "ollama:"]
)
def test_what_names_no_model_of_embeddings_is_refused_when_it_is_given(name: str) -> None:
    with pytest.raises(SettingsError):
        make_embedding_model(name, environment={"ANTHROPIC_API_KEY": "k", "GEMINI_API_KEY": "k"})


async def test_what_passes_is_waited_for_and_no_text_is_passed_over(
    tmp_path: Path, server: VectorServer
) -> None:
    server.fails = [429, 503, 429]
    async with palimpsest.open(tmp_path / "a.db", embed=NAME) as engine:
        await tell(engine, *SAID)
        assert await engine.embed() == len(SAID)


async def test_where_the_server_is_away_the_work_ends_and_is_whole_later(
    tmp_path: Path, server: VectorServer
) -> None:
    async with palimpsest.open(tmp_path / "a.db", embed=NAME) as engine:
        await tell(engine, *SAID)
        server.fails = [401]
        with pytest.raises(ModelError) as raised:
            await engine.embed()
        assert raised.value.reason == "auth"
        assert await engine.embed() == len(SAID)


async def test_a_text_that_the_model_refuses_costs_the_others_nothing(
    tmp_path: Path, server: VectorServer
) -> None:
    server.hates = "loaf"
    async with palimpsest.open(tmp_path / "a.db", embed=NAME) as engine:
        await tell(engine, *SAID)
        await engine.embed()
        assert "tempest" in (await engine.search("was there a gale?", limit=1))[0].text


async def test_a_question_does_not_wait_for_a_slow_server(tmp_path: Path, server: VectorServer) -> None:
    slow = palimpsest.Embedder(make_embedding_model(NAME), NAME, batch=16, question_timeout_s=0.05)
    async with palimpsest.open(tmp_path / "a.db", embed=slow) as engine:
        await tell(engine, *SAID)
        server.delay_s = 0.5
        found = await engine.search("what did the tempest take?", limit=1)
    assert "tempest" in found[0].text
    assert "took more than" in found.note
