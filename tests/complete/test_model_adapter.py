"""Any callable as a model: sync or async, the port or a plain callback, well-behaved or not."""

from __future__ import annotations

import asyncio
import functools
import threading

import pytest

from palimpsest.complete.model_adapter import as_complete
from palimpsest.complete.scripted import ScriptedModel
from palimpsest.errors import UsageError
from palimpsest.record.completion import Completion, CompletionRequest
from palimpsest.record.message import Message, Text
from tests.patience import LIMIT_S

REQUEST = CompletionRequest(
    (Message("user", (Text("Summarize."),)),),
    system="Be brief.",
    model="small",
    max_output_tokens=9,
    timeout_s=2.0,
    purpose="summary",
)
SEEN = "Be brief.\n\nSummarize.|small|9|2.0|summary"


def _told(prompt: str, options: dict[str, object]) -> str:
    return "|".join(str(one) for one in (prompt, *options.values()))


async def _told_later(prompt: str, options: dict[str, object]) -> str:
    await asyncio.sleep(0)
    return _told(prompt, options)


def _port(request: CompletionRequest) -> Completion:
    return Completion(request.system, model="m")


async def _port_later(request: CompletionRequest) -> Completion:
    return _port(request)


class _Callable:
    async def __call__(self, request: CompletionRequest) -> Completion:
        return _port(request)


@pytest.mark.parametrize(
    "function",
    [
        _told,
        _told_later,
        lambda *given: _told(*given[:2]),
        lambda prompt, options: _told_later(prompt, options | {}),
        lambda prompt, options, retries=3: _told(prompt, options),
        functools.partial(lambda extra, prompt, options: _told(prompt, options), "extra"),
    ],
)
async def test_a_plain_callback_gets_the_prompt_and_the_options(function: object) -> None:
    assert await as_complete(function)(REQUEST) == Completion(SEEN)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    "function", [_port, _port_later, _Callable(), lambda request: _port(request) or None]
)
async def test_the_port_itself_gets_the_request(function: object) -> None:
    assert await as_complete(function)(REQUEST) == Completion("Be brief.", model="m")  # type: ignore[arg-type]


async def test_the_scripted_model_is_a_port() -> None:
    model = ScriptedModel(
        ["first", Completion("second"), lambda request: request.purpose, ValueError("third")]
    )
    complete = as_complete(model)
    assert [(await complete(REQUEST)).text for _ in range(3)] == ["first", "second", "summary"]
    for _ in range(2):
        with pytest.raises(ValueError, match="third"):
            await complete(REQUEST)
    assert model.requests == [REQUEST] * 5


@pytest.mark.parametrize("reply", [None, 3, b"bytes", ["list"], {"text": "dict"}])
async def test_a_reply_of_another_type_is_refused_by_name(reply: object) -> None:
    with pytest.raises(UsageError, match=f"returned {type(reply).__name__}"):
        await as_complete(lambda prompt, options: reply)(REQUEST)


@pytest.mark.parametrize("text", [3, b"bytes", ["list"]])
async def test_a_completion_of_another_type_than_text_is_refused_by_name(text: object) -> None:
    with pytest.raises(UsageError, match=f"Completion of {type(text).__name__}"):
        await as_complete(lambda request: Completion(text))(REQUEST)  # type: ignore[arg-type]


async def test_a_completion_without_a_text_is_an_empty_reply() -> None:
    given = Completion(None, model="m")  # type: ignore[arg-type]
    assert await as_complete(lambda request: given)(REQUEST) == Completion("", model="m")


def _keyword(request: CompletionRequest, *, temperature: float) -> str:
    return ""


def _three(one: object, two: object, three: object) -> str:
    return ""


@pytest.mark.parametrize("wrong", [3, object(), _keyword, _three, lambda: ""])
def test_what_cannot_be_called_that_way_is_refused_at_once(wrong: object) -> None:
    with pytest.raises(UsageError, match="`complete`"):
        as_complete(wrong)  # type: ignore[arg-type]


@pytest.mark.parametrize("error", [ValueError("no"), KeyboardInterrupt(), StopIteration("odd")])
async def test_what_a_callable_raises_in_its_thread_is_raised_here(error: BaseException) -> None:
    def fails(request: CompletionRequest) -> str:
        raise error

    with pytest.raises((ValueError, KeyboardInterrupt, RuntimeError)):
        await as_complete(fails)(REQUEST)


async def test_a_blocking_callable_does_not_block_the_loop_and_can_be_given_up() -> None:
    release = threading.Event()
    ended: list[str] = []

    def blocks(request: CompletionRequest) -> str:
        release.wait(LIMIT_S)
        ended.append("late")
        return "late"

    with pytest.raises(TimeoutError):
        async with asyncio.timeout(0.05):
            await as_complete(blocks)(REQUEST)
    assert ended == []
    release.set()
    await asyncio.sleep(0.01)


async def test_a_callable_runs_outside_the_loops_thread() -> None:
    names: list[str] = []

    def named(request: CompletionRequest) -> str:
        names.append(threading.current_thread().name)
        return "done"

    assert (await as_complete(named)(REQUEST)).text == "done"
    assert names == ["palimpsest-complete"]
