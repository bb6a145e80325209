"""Search by vectors, in addition to the word index: any function from a text to its vector, off by default.

- Vectors are made of messages that hold text, with their speaker and the end of what was said before, in batches, in
  the background after a turn. A question is searched by words and by vectors, and the ranks are added.
- A failing embedder never breaks a search: the answer uses words only and says so. A text on which it alone fails is
  skipped. If the server is away or refuses for a time, the work ends and is resumed later.
- Vectors belong to the embedder's name and their number of dimensions; if either changes, all are made again.
"""

from __future__ import annotations

import asyncio
import inspect
from collections.abc import Awaitable, Callable, Iterable, Sequence
from dataclasses import dataclass
from importlib.util import find_spec
from typing import cast

from palimpsest.complete.model_adapter import in_thread
from palimpsest.engine.limited_calls import limited, time_limit
from palimpsest.errors import ModelError, UsageError
from palimpsest.record.store_values import Progress
from palimpsest.redaction.redactor import redact_error_text
from palimpsest.search.filters import ANYWHERE, Where
from palimpsest.search.vectors import pack
from palimpsest.stores.sqlite.vectors import SqliteVectors

MAX_TEXT_CHARS = 8_000
"""Only the beginning of a longer text is embedded."""

MAX_BATCH = 64
MODEL_BATCH = 16
MAX_PER_RUN = 5_000
"""Messages of a conversation that are embedded before others get their turn."""

FORM = "in context"
"""How messages are embedded (`search.vectors.in_context`); vectors of another form are made again."""

NEIGHBOURS = 50
CALL_TIMEOUT_S = 60.0
TRIES = 4
FIRST_WAIT_S = 1.0
MAX_WAIT_S = 60.0
"""A failed call is tried again after a wait that doubles each time, or as long as the server asks for."""

TEXT_REASONS = ("context_overflow", "bad_request", "refused", "server", "unknown")
"""Reasons of a failed call that may lie in one of its texts."""

MAX_CONCURRENT_CALLS = 4
PROBE = "palimpsest"


@dataclass(frozen=True, slots=True)
class Embedder:
    """A function from a text to its vector, sync or async; with a `batch`, from a list of at most so many texts to
    theirs. `name` says which model it is: vectors of other names are not compared. A question without a vector after
    `question_timeout_s` is answered by words. Many models expect a prefix before a question and before a text
    ("search_query: ", "search_document: "): `question_prefix`, `text_prefix`.
    """

    function: Callable[..., object]
    name: str = ""
    batch: int = 0
    question_timeout_s: float = 10.0
    question_prefix: str = ""
    text_prefix: str = ""

    @property
    def named(self) -> str:
        """The name, or else the function's."""
        return self.name or str(getattr(self.function, "__qualname__", type(self.function).__name__))


def as_embedder(given: Embedder | Callable[..., object]) -> Embedder:
    """An embedder, or a plain function as one. Raises UsageError for anything else, and without numpy."""
    embedder = given if isinstance(given, Embedder) else Embedder(given)
    if not callable(embedder.function) or not 0 <= embedder.batch <= MAX_BATCH:
        raise UsageError(
            "`embed` is no embedder", hint=f"give a function, or Embedder with batch <= {MAX_BATCH}"
        )
    if find_spec("numpy") is None:
        raise UsageError("embeddings need numpy", hint="install palimpsest[embeddings]")
    return embedder


def embedder_of(given: str | Embedder | Callable[..., object] | None, model: str = "") -> Embedder | None:
    """The given embedder, or that of a model's name; None for neither. Raises UsageError, SettingsError."""
    given = given if given is not None else model or None
    if isinstance(given, str):
        from palimpsest.complete.embedding_models import make_embedding_model, prefixes_of

        function = make_embedding_model(given)
        prefixes = prefixes_of(function.model)
        given = Embedder(
            function,
            given.strip(),
            MODEL_BATCH,
            question_prefix=prefixes.question,
            text_prefix=prefixes.text,
        )
    return as_embedder(given) if given is not None else None


class Embedding:
    """An embedder at work over one store. `failure` says why it last failed, "" if it did not."""

    def __init__(self, vectors: SqliteVectors, embedder: Embedder) -> None:
        self._vectors = vectors
        self._embedder = embedder
        self._model = ""
        self._limit = asyncio.Semaphore(MAX_CONCURRENT_CALLS)
        self.failure = ""

    async def close(self) -> None:
        """Close the connections of a model that was given by name."""
        from palimpsest.complete.embedding_models import EmbeddingModel

        if isinstance(self._embedder.function, EmbeddingModel):
            await self._embedder.function.close()

    async def nearest(
        self, owner: str, conversation: str | None, question: str, where: Where = ANYWHERE
    ) -> tuple[str, ...]:
        """Ids of the messages nearest to a question, within `where`; none if the embedder fails."""
        embedder, vector = self._embedder, None
        try:
            async with asyncio.timeout(embedder.question_timeout_s):
                vector = (await self._embed([question], embedder.question_prefix))[0]
        except ModelError as error:
            self.failure = str(error)
        except TimeoutError:
            self.failure = f"the embedder {embedder.named} took more than {embedder.question_timeout_s:g} s"
        if vector is None:
            return ()
        self.failure = ""
        model = self._vectors_name(vector)
        return tuple(await self._vectors.nearest(owner, conversation, model, vector, NEIGHBOURS, where))

    async def fill(self, owner: str, conversation: str) -> int:
        """Make a conversation's missing vectors, at most MAX_PER_RUN; returns how many. Raises ModelError."""
        if not self._model:
            probe = (await self._embed_with_retries([PROBE]))[0]
            if probe is None:
                raise ModelError("the embedder failed on a word")
            self._vectors_name(probe)
        made = 0
        while made < MAX_PER_RUN:
            todo = await self._vectors.next(owner, conversation, self._model, MAX_BATCH)
            if todo is None:
                return made
            texts = [(one, text) for one, text in todo.texts if text.strip()]
            bodies = await self._embed_with_retries([text for _, text in texts])
            pairs = zip(texts, bodies, strict=True)
            vectors = [(one, body) for (one, _), body in pairs if body is not None]
            await self._vectors.save(owner, self._model, todo, vectors)
            made += max(1, len(vectors))
        return made

    async def fill_all(self, owner: str, names: Sequence[str], step: Progress | None = None) -> int:
        """Make all missing vectors of these conversations. `step` is called with the progress."""
        made = 0
        for number, name in enumerate(names, 1):
            while done := await self.fill(owner, name):
                made += done
            if step is not None:
                step(f"{made:,} vectors", number, len(names))
        return made

    def _vectors_name(self, vector: bytes) -> str:
        """The name under which vectors of this size are stored."""
        prefix = self._embedder.text_prefix.strip()
        self._model = f"{self._embedder.named} {len(vector) // 4} {FORM}{prefix and f' behind {prefix!r}'}"
        return self._model

    async def _embed_with_retries(self, texts: Sequence[str]) -> list[bytes | None]:
        """See `_embed`, with few calls at once, and further tries if those can help."""
        wait_s = FIRST_WAIT_S
        for left in reversed(range(TRIES)):
            try:
                async with self._limit:
                    return await self._embed(texts, self._embedder.text_prefix)
            except ModelError as error:
                next_wait_s = wait_s if error.retry_after_s is None else error.retry_after_s
                if not left or not error.retryable or next_wait_s > MAX_WAIT_S:
                    raise
            await asyncio.sleep(next_wait_s)
            wait_s *= 2
        raise AssertionError("the last try returns or raises")

    async def _embed(self, texts: Sequence[str], prefix: str) -> list[bytes | None]:
        """The vector of each text with a prefix, None for one on which the embedder fails. Raises ModelError if it
        fails on all, or for a reason that lies in no text.
        """
        from palimpsest.redaction.redactor import redact as without_secrets

        safe = await asyncio.to_thread(lambda: [without_secrets(text[:MAX_TEXT_CHARS]) for text in texts])
        prefixed = [f"{prefix}{text}" for text in safe]
        size = self._embedder.batch or 1
        made: list[bytes | None] = []
        failures: list[Exception] = []
        for start in range(0, len(prefixed), size):
            made += await self._embed_batch(prefixed[start : start + size], failures)
        if texts and failures and not any(made):
            failure = failures[-1]
            if isinstance(failure, ModelError):
                raise failure
            reason = redact_error_text(f"{type(failure).__name__}: {failure}")
            raise ModelError(f"the embedder {self._embedder.named} failed: {reason}") from failure
        return made

    async def _embed_batch(self, texts: Sequence[str], failures: list[Exception]) -> list[bytes | None]:
        """The vectors of a batch, of its single texts if it fails. Adds the failures."""
        try:
            return list(await self._call(texts))
        except Exception as error:
            if isinstance(error, ModelError) and error.reason not in TEXT_REASONS:
                raise
            made: list[bytes | None] = [None]
            if len(texts) > 1:
                made = [one for text in texts for one in await self._embed_batch([text], failures)]
            failures.append(error)
            return made

    async def _call(self, texts: Sequence[str]) -> list[bytes]:
        function, batch = self._embedder.function, self._embedder.batch
        given = list(texts) if batch else texts[0]

        async def call() -> object:
            if inspect.iscoroutinefunction(function) or inspect.iscoroutinefunction(type(function).__call__):
                return await cast("Awaitable[object]", function(given))
            reply = await in_thread(function, (given,))
            return await cast("Awaitable[object]", reply) if inspect.isawaitable(reply) else reply

        reply = await limited(call(), time_limit(CALL_TIMEOUT_S, "no vectors within"))
        rows = list(cast("Iterable[object]", reply)) if batch else [reply]
        if len(rows) != len(texts):
            raise UsageError(f"the embedder gave {len(rows)} vectors for {len(texts)} texts")
        try:
            return [pack(cast("Sequence[float]", row)) for row in rows]
        except TypeError as error:
            raise UsageError(
                "what the embedder gives for a text is no row of numbers",
                hint="a function of a list of texts is given as Embedder(function, batch=16)",
            ) from error
