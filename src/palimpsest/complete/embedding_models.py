"""Embedding models at servers with OpenAI's `/v1/embeddings`.

A call is not retried, because a search does not wait; other callers try again themselves.
"""

from __future__ import annotations

import asyncio
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from operator import itemgetter
from typing import cast

from palimpsest.complete.http import BadReply, Fields, Patience
from palimpsest.complete.provider_client import Caller
from palimpsest.complete.registry import locate
from palimpsest.errors import SettingsError
from palimpsest.formats import wire_fields

ONCE = Patience(total_s=50.0, retries=0)


@dataclass(frozen=True, slots=True)
class Prefixes:
    """The prefixes with which a model was trained, for a question and for a text that may answer one."""

    question: str = ""
    text: str = ""


_SENTENCE = Prefixes("Represent this sentence for searching relevant passages: ")
_BY_NAME: Sequence[tuple[str, Prefixes]] = (
    ("nomic-embed", Prefixes("search_query: ", "search_document: ")),
    ("embeddinggemma", Prefixes("task: search result | query: ", "title: none | text: ")),
    ("(?:multilingual-)?e5-(?:small|base|large)(?!.*instruct)", Prefixes("query: ", "passage: ")),
    (
        "qwen3-embedding",
        Prefixes("Instruct: Given a question, find what was said that answers it\nQuery:"),
    ),
    ("snowflake-arctic-embed(?:2|-[lm]-v2)", Prefixes("query: ")),
    ("snowflake-arctic-embed|mxbai-embed|bge-(?:small|base|large)-en", _SENTENCE),
)
"""From the model cards. Without its prefixes a model finds less, and reports nothing."""


def prefixes_of(model: str) -> Prefixes:
    """The prefixes of a model, whose name may include its maker and tag; empty ones for a model without."""
    own = model.strip().lower().rpartition("/")[2]
    return next((prefixes for name, prefixes in _BY_NAME if re.match(name, own)), Prefixes())


class EmbeddingModel(Caller):
    """Texts to their vectors, in one call: `await model(["tide", "ebb"])`. Raises ModelError."""

    default_provider = "openai"
    default_url = "https://api.openai.com/v1"

    async def __call__(self, texts: Sequence[str]) -> list[list[float]]:
        content = wire_fields.dumps({"model": self.model, "input": list(texts)}).encode("utf-8", "replace")
        deadline_s = asyncio.get_running_loop().time() + ONCE.total_s
        made = await self.answer(f"{self.base_url}/embeddings", content, deadline_s, _vectors)
        if len(made) != len(texts):
            raise self._failure(BadReply(f"{len(made)} vectors for {len(texts)} texts"))
        return made


def make_embedding_model(
    name: str,
    *,
    base_url: str = "",
    key: str = "",
    headers: Mapping[str, str] | None = None,
    environment: Mapping[str, str] | None = None,
) -> EmbeddingModel:
    """The embedding model with this name, such as "ollama:nomic-embed-text".

    Addresses and keys are those of `make_model`. Raises SettingsError, also for a provider with another API.
    """
    found = locate(name, base_url=base_url, key=key, headers=headers, environment=environment)
    if found.form != "openai":
        raise SettingsError(
            f"{found.provider} is no provider of embeddings here",
            hint='name one that speaks OpenAI\'s form, as "ollama:nomic-embed-text", or give a function',
        )
    return EmbeddingModel(
        found.model,
        provider=found.provider,
        base_url=found.url,
        key=found.key,
        headers=headers,
        patience=ONCE,
    )


def _vectors(reply: Fields) -> list[list[float]]:
    """The vectors of a reply, in the order of the texts. Raises BadReply."""
    rows = reply.get("data")
    try:
        ordered = sorted(cast("list[Fields]", rows), key=itemgetter("index"))
        return [
            [float(cast("float", value)) for value in cast("list[object]", row["embedding"])]
            for row in ordered
        ]
    except (TypeError, ValueError, KeyError) as error:
        raise BadReply("the reply holds no vectors") from error
