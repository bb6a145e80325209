"""Adapts a "provider:model" string, a model, or any callable to the `Complete` port.

Two kinds of callables are accepted, sync or async: `complete(request) -> Completion`, the port itself, and the simple
callback `complete(prompt, options) -> text`. Its `prompt` is the system and user text in one string, and `options` a
dict with `model`, `max_tokens`, `timeout_s` and `purpose`. A sync callable runs in its own daemon thread, so that one
that never returns can be abandoned. A `Completion` whose text is None counts as an empty reply.
"""

from __future__ import annotations

import asyncio
import inspect
import threading
from collections.abc import Awaitable, Callable
from dataclasses import replace
from typing import TypeGuard, cast

from palimpsest.errors import UsageError
from palimpsest.ports import Complete, Model
from palimpsest.record.completion import Completion, CompletionRequest


def as_complete(function: str | Callable[..., object]) -> Complete:
    """The port for a "provider:model" string (see `make_model`), a `Model` (unchanged), or any callable.

    Raises UsageError for a callable that takes neither one nor two positional arguments, and SettingsError for a string
    that names no model or one without a key.
    """
    if isinstance(function, str):
        from palimpsest.complete.registry import make_model

        return make_model(function)
    if is_model(function):
        return function
    wanted = _positional(function)
    is_async = inspect.iscoroutinefunction(function) or inspect.iscoroutinefunction(type(function).__call__)

    async def complete(request: CompletionRequest) -> Completion:
        arguments: tuple[object, ...] = (request,) if wanted == 1 else (_prompt(request), _options(request))
        if is_async:
            reply = await cast("Awaitable[object]", function(*arguments))
        else:
            reply = await in_thread(function, arguments)
            if inspect.isawaitable(reply):
                reply = await cast("Awaitable[object]", reply)
        if isinstance(reply, str):
            return Completion(reply)
        if not isinstance(reply, Completion):
            raise UsageError(
                f"`complete` returned {type(reply).__name__}", hint="return the text, or a Completion"
            )
        text = cast("object", reply.text)
        if text is None:
            return replace(reply, text="")
        if not isinstance(text, str):
            raise UsageError(
                f"`complete` returned a Completion of {type(text).__name__}", hint="give it the text"
            )
        return reply

    if callable(getattr(function, "compact", None)):  # its provider compacts (`ports.Compacts`)
        for name in ("compact", "compacts_wire"):
            setattr(complete, name, getattr(function, name, ""))
    return complete


def is_model(value: object) -> TypeGuard[Model]:
    """Whether this is a `ports.Model`: it can be called, streamed and closed."""
    return callable(value) and all(callable(getattr(value, name, None)) for name in ("stream", "close"))


def _positional(function: Callable[..., object]) -> int:
    """The number of positional arguments to pass: 1 for the port, 2 for a simple callback."""
    if not callable(function):
        raise UsageError(f"`complete` is a {type(function).__name__}", hint="give a function")
    try:
        parameters = inspect.signature(function).parameters.values()
    except (TypeError, ValueError):
        return 2
    kinds = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)
    plain = [one for one in parameters if one.kind in kinds]
    required = [one for one in plain if one.default is inspect.Parameter.empty]
    named = [
        one.name
        for one in parameters
        if one.kind is inspect.Parameter.KEYWORD_ONLY and one.default is inspect.Parameter.empty
    ]
    if not named and any(one.kind is inspect.Parameter.VAR_POSITIONAL for one in parameters):
        return 2
    if named or len(required) > 2 or not plain:
        raise UsageError("`complete` has the wrong arguments", hint="take (request) or (prompt, options)")
    return 1 if len(plain) == 1 else 2


def _prompt(request: CompletionRequest) -> str:
    texts = [*request.system_texts, *(message.text for message in request.messages)]
    return "\n\n".join(text for text in texts if text)


def _options(request: CompletionRequest) -> dict[str, object]:
    return {
        "model": request.model,
        "max_tokens": request.max_output_tokens,
        "timeout_s": request.timeout_s,
        "purpose": request.purpose,
    }


async def in_thread(function: Callable[..., object], arguments: tuple[object, ...]) -> object:
    """Run a blocking callable in a daemon thread. If the wait is cancelled, its result is dropped."""
    loop = asyncio.get_running_loop()
    future: asyncio.Future[object] = loop.create_future()

    def settle(result: object, error: BaseException | None) -> None:
        if future.done():
            return
        if error is not None:
            future.set_exception(error)
        else:
            future.set_result(result)

    def work() -> None:
        result, failure = None, None
        try:
            result = function(*arguments)
        except StopIteration as error:
            failure = RuntimeError(f"the callable raised StopIteration: {error}")
        except BaseException as error:  # noqa: BLE001  (any exception of a model's client is a failed call)
            failure = error
        if not loop.is_closed():
            loop.call_soon_threadsafe(settle, result, failure)

    threading.Thread(target=work, name="palimpsest-complete", daemon=True).start()
    return await future
