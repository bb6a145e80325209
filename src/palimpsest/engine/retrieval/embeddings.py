"""Embeddings beside the word index: any function from text to vector, off unless one is given.

A vector is made of each message that holds text, with who says it and the end of what was said before it, in the
background after a turn, in batches. Questions are found by
words and by vectors, and the ranks added up. An embedder that fails never breaks a search: it is answered by words, and
says so, and no question waits long for one. A text that it fails on alone is passed over; where its server is away or
refuses for a time, the work ends and goes on later, so that nothing is passed over for that. A vector belongs to the
embedder's name and its number of dimensions; under another name, or with another number, all are made anew.
"""

from __future__ import annotations

import asyncio
import inspect
from collections.abc import Awaitable, Callable, Iterable, Sequence
from dataclasses import dataclass
from importlib.util import find_spec
from typing import cast

from palimpsest.complete.model_adapter import in_thread
from palimpsest.errors import ModelError, UsageError
from palimpsest.record.store_values import Progress
from palimpsest.redaction.error_texts import redact
from palimpsest.search.filters import ANYWHERE, Where
from palimpsest.search.vectors import pack
from palimpsest.stores.sqlite.vectors import SqliteVectors, ToEmbed

MAX_TEXT_CHARS = 8_000
"""A longer text is embedded by its beginning."""

MAX_BATCH = 64
MAX_PER_RUN = 5_000
"""So many messages of a conversation are embedded before others get their turn."""

FORM = "in context"
"""How messages are embedded (`search.vectors.in_context`): vectors of another form are not compared, but made anew."""

NEIGHBOURS = 50
CALL_TIMEOUT_S = 60.0
TRIES = 4
FIRST_WAIT_S = 1.0
LONGEST_WAIT_S = 60.0
"""What failed in a way that may pass is tried again after a wait, doubled each time, or as long as was asked for."""

OF_A_TEXT = ("context_overflow", "bad_request", "refused", "server", "unknown")
"""Reasons of a failed call that may lie in one of its texts."""

BATCH_OF_MODEL = 16
CALLS_AT_ONCE = 4
PROBE = "palimpsest"


@dataclass(frozen=True, slots=True)
class Embedder:
    """A function from a text to its vector, sync or async; with `batch` above 0, from a list of at most so many texts
    to theirs. `name` says which model it is: vectors of another name are not compared. A question that has no vector
    after `question_timeout_s` is answered by words. Many models were taught to see something before a question, and
    something before a text that may answer it ("search_query: ", "search_document: "): `question_prefix`,
    `text_prefix`.
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
    """An embedder, or a plain function as one. Raises UsageError for what is none, and where numpy is missing."""
    made = given if isinstance(given, Embedder) else Embedder(given)
    if not callable(made.function) or not 0 <= made.batch <= MAX_BATCH:
        raise UsageError(
            "`embed` is no embedder", hint=f"give a function, or Embedder with batch <= {MAX_BATCH}"
        )
    if find_spec("numpy") is None:
        raise UsageError("embeddings need numpy", hint="install palimpsest[embeddings]")
    return made


def embedder_of(given: str | Embedder | Callable[..., object] | None, model: str = "") -> Embedder | None:
    """The embedder that is given, or else that of the model that a setting names; None where neither is. Raises
    UsageError, and SettingsError for a string that names no model or one without a key.
    """
    given = given if given is not None else model or None
    if isinstance(given, str):
        from palimpsest.complete.embedding_models import make_embedding_model, prefixes_of

        function = make_embedding_model(given)
        taught = prefixes_of(function.model)
        return as_embedder(
            Embedder(
                function,
                given.strip(),
                BATCH_OF_MODEL,
                question_prefix=taught.question,
                text_prefix=taught.text,
            )
        )
    return as_embedder(given) if given is not None else None


class Embedding:
    """An embedder at work over one store. `failure` says why it last failed, "" where it did not."""

    def __init__(self, vectors: SqliteVectors, embedder: Embedder) -> None:
        self._vectors = vectors
        self._embedder = embedder
        self._model = ""
        self._turns = asyncio.Semaphore(CALLS_AT_ONCE)
        self.failure = ""

    async def close(self) -> None:
        """Release connections, where they are ours."""
        from palimpsest.complete.embedding_models import EmbeddingModel

        if isinstance(self._embedder.function, EmbeddingModel):
            await self._embedder.function.close()

    async def nearest(
        self, owner: str, conversation: str | None, question: str, where: Where = ANYWHERE
    ) -> tuple[str, ...]:
        """Ids of the messages nearest to a question, of those said `where` to look; none where the embedder fails."""
        try:
            async with asyncio.timeout(self._embedder.question_timeout_s):
                asked = (await self._embed([question], self._embedder.question_prefix))[0]
        except ModelError as error:
            self.failure = str(error)
            return ()
        except TimeoutError:
            self.failure = (
                f"the embedder {self._embedder.named} took more than {self._embedder.question_timeout_s:g} s"
            )
            return ()
        if asked is None:
            return ()
        self.failure = ""
        model = self._named(asked)
        return tuple(await self._vectors.nearest(owner, conversation, model, asked, NEIGHBOURS, where))

    async def fill(self, owner: str, conversation: str) -> int:
        """Make the vectors that a conversation lacks, at most MAX_PER_RUN; how many were made. Raises ModelError where
        the embedder fails on every text of a batch; one text that it fails on is passed over.
        """
        if not self._model:
            probe = (await self._patiently([PROBE]))[0]
            if probe is None:
                raise ModelError("the embedder failed on a word")
            self._named(probe)
        made = 0
        while made < MAX_PER_RUN:
            todo = await self._vectors.next(owner, conversation, self._model, MAX_BATCH)
            if todo is None:
                return made
            vectors = await self._vectors_of(todo)
            await self._vectors.save(owner, self._model, todo, vectors)
            made += max(1, len(vectors))
        return made

    async def fill_all(self, owner: str, names: Sequence[str], step: Progress | None = None) -> int:
        """The same for all these conversations, to the end. `step` is told how many messages and conversations."""
        made = 0
        for place, name in enumerate(names):
            while done := await self.fill(owner, name):
                made += done
            if step is not None:
                step(f"{made:,} vectors", place + 1, len(names))
        return made

    def _named(self, vector: bytes) -> str:
        """The name that vectors of this size are kept under."""
        behind = self._embedder.text_prefix.strip()
        self._model = f"{self._embedder.named} {len(vector) // 4} {FORM}{behind and f' behind {behind!r}'}"
        return self._model

    async def _vectors_of(self, todo: ToEmbed) -> list[tuple[str, bytes]]:
        texts = [(one, text) for one, text in todo.texts if text.strip()]
        vectors = await self._patiently([text for _, text in texts])
        return [(one, body) for (one, _), body in zip(texts, vectors, strict=True) if body is not None]

    async def _patiently(self, texts: Sequence[str]) -> list[bytes | None]:
        """The same as `_embed`, behind the back: few at once, and tried again where that can help."""
        wait_s = FIRST_WAIT_S
        for left in reversed(range(TRIES)):
            try:
                async with self._turns:
                    return await self._embed(texts, self._embedder.text_prefix)
            except ModelError as error:
                asked_s = wait_s if error.retry_after_s is None else error.retry_after_s
                if not left or not error.retryable or asked_s > LONGEST_WAIT_S:
                    raise
            await asyncio.sleep(asked_s)
            wait_s *= 2
        raise AssertionError("the last try returns or raises")

    async def _embed(self, said: Sequence[str], prefix: str) -> list[bytes | None]:
        """The vector of each text behind a prefix, None for one that the embedder fails on alone. Raises ModelError
        where it fails on all, or for a reason that lies in no text.
        """
        shown = await asyncio.to_thread(_without_secrets, [text[:MAX_TEXT_CHARS] for text in said])
        texts = [f"{prefix}{text}" for text in shown]
        size = self._embedder.batch or 1
        made: list[bytes | None] = []
        failure: Exception | None = None
        for start in range(0, len(texts), size):
            part = texts[start : start + size]
            try:
                made += await self._call(part)
            except Exception as error:  # noqa: BLE001  (whatever an embedder raises is a failed call)
                _raise_unless_of_a_text(error)
                failure = error
                made += [None] if len(part) == 1 else await self._one_by_one(part)
        if texts and failure is not None and not any(made):
            if isinstance(failure, ModelError):
                raise failure
            told = redact(f"{type(failure).__name__}: {failure}")
            raise ModelError(f"the embedder {self._embedder.named} failed: {told}") from failure
        return made

    async def _one_by_one(self, texts: Sequence[str]) -> list[bytes | None]:
        made: list[bytes | None] = []
        for text in texts:
            try:
                made += await self._call([text])
            except Exception as error:  # noqa: BLE001  (as above; the caller says so where all fail)
                _raise_unless_of_a_text(error)
                made.append(None)
        return made

    async def _call(self, texts: Sequence[str]) -> list[bytes]:
        function, batch = self._embedder.function, self._embedder.batch
        given = list(texts)
        async with asyncio.timeout(CALL_TIMEOUT_S):
            if inspect.iscoroutinefunction(function) or inspect.iscoroutinefunction(type(function).__call__):
                reply = await cast("Awaitable[object]", function(given if batch else given[0]))
            else:
                reply = await in_thread(function, (given if batch else given[0],))
                if inspect.isawaitable(reply):
                    reply = await cast("Awaitable[object]", reply)
        rows = list(cast("Iterable[object]", reply)) if batch else [reply]
        if len(rows) != len(given):
            raise UsageError(f"the embedder gave {len(rows)} vectors for {len(given)} texts")
        try:
            return [pack(cast("Sequence[float]", row)) for row in rows]
        except TypeError as error:
            raise UsageError(
                "what the embedder gives for a text is no row of numbers",
                hint="a function of a list of texts is given as Embedder(function, batch=16)",
            ) from error


def _without_secrets(texts: list[str]) -> list[str]:
    from palimpsest.redaction.redactor import redact as without_secrets

    return [without_secrets(text) for text in texts]


def _raise_unless_of_a_text(error: Exception) -> None:
    """Raise what failed for a reason that lies in no text."""
    if isinstance(error, ModelError) and error.reason not in OF_A_TEXT:
        raise error
