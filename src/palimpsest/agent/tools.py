"""Tools that an agent may call: definitions with handlers, made from functions, and run within a time limit.

Whatever goes wrong in a call is a result that the model can read: an unknown name, arguments that are no JSON object or
lack something, an error of the handler, a time-out. A sync handler runs in a thread of its own and is given up, not
ended, when its time is over.
"""

from __future__ import annotations

import asyncio
import inspect
import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import cast, get_type_hints

from palimpsest.agent.hooks import settled
from palimpsest.complete.adapter import in_thread
from palimpsest.errors import UsageError
from palimpsest.record.message import Media, Text, ToolCall, ToolDef, ToolResult

TOOL_TIMEOUT_S = 120.0
MAX_ERROR_CHARS = 2_000

Handler = Callable[..., object]


@dataclass(frozen=True, slots=True)
class Tool:
    """A definition and the function behind it, which is called with the arguments by name. `timeout_s` 0: the agent's.

    The function returns text, parts (`Text`, `Media`), or anything that JSON can hold.
    """

    definition: ToolDef
    run: Handler
    timeout_s: float = 0.0

    @property
    def name(self) -> str:
        """The name the model calls it by."""
        return self.definition.name


def make_tool(
    function: Handler,
    *,
    name: str = "",
    description: str = "",
    schema: Mapping[str, object] | None = None,
    timeout_s: float = 0.0,
) -> Tool:
    """A tool from a function: its name, the docstring, and a JSON schema of its parameters, unless they are given."""
    called = name or getattr(function, "__name__", "")
    if not called or called == "<lambda>":
        raise UsageError("a tool needs a name", hint="give name=, or a function that has one")
    described = description or inspect.getdoc(function) or ""
    given = schema if schema is not None else parameters_schema(function)
    return Tool(ToolDef(called, described, json.dumps(given, ensure_ascii=False)), function, timeout_s)


def parameters_schema(function: Handler) -> dict[str, object]:
    """The JSON schema of a function's parameters, from its annotations; a parameter without one takes anything.

    Raises UsageError for parameters that have no name in a call.
    """
    import msgspec

    hints = get_type_hints(function)
    properties: dict[str, object] = {}
    required: list[str] = []
    definitions: dict[str, object] = {}
    for parameter in inspect.signature(function).parameters.values():
        if parameter.kind not in {parameter.POSITIONAL_OR_KEYWORD, parameter.KEYWORD_ONLY}:
            raise UsageError(
                f"parameter {parameter.name!r} of a tool cannot be called by name", hint="give a schema"
            )
        kind: object = hints.get(parameter.name, object)
        made, used = msgspec.json.schema_components([kind], ref_template="#/$defs/{name}")
        properties[parameter.name] = {} if kind is object else made[0]
        definitions.update(used)
        if parameter.default is parameter.empty:
            required.append(parameter.name)
    schema: dict[str, object] = {"type": "object", "properties": properties, "additionalProperties": False}
    if required:
        schema["required"] = required
    if definitions:
        schema["$defs"] = definitions
    return schema


async def call_tool(
    tools: Mapping[str, Tool], call: ToolCall, timeout_s: float = TOOL_TIMEOUT_S
) -> ToolResult:
    """The result of a call, an error result where it could not be made; only cancelling raises."""
    tool = tools.get(call.name)
    if tool is None:
        return failed(call, f"there is no tool {call.name!r}; there are: {', '.join(tools) or 'none'}")
    try:
        arguments: object = json.loads(call.arguments or "{}")
    except (ValueError, RecursionError) as error:
        return failed(call, f"the arguments are no JSON: {error}")
    if not isinstance(arguments, dict):
        return failed(call, "the arguments are no JSON object")
    named = cast("dict[str, object]", arguments)
    try:
        inspect.signature(tool.run).bind(**named)
    except (TypeError, ValueError) as error:
        return failed(call, f"the arguments do not fit: {error}; the schema is {tool.definition.schema}")
    limit_s = tool.timeout_s or timeout_s
    try:
        async with asyncio.timeout(limit_s):
            return ToolResult(call.id, as_content(await _run(tool.run, named)))
    except TimeoutError:
        return failed(call, f"no result within {limit_s:g} s")
    except Exception as error:  # noqa: BLE001  (whatever a handler raises is a result that the model can read)
        return failed(call, f"{type(error).__name__}: {error}")


async def _run(handler: Handler, arguments: Mapping[str, object]) -> object:
    call = partial(handler, **arguments)
    if inspect.iscoroutinefunction(handler):
        return await settled(call())
    return await settled(await in_thread(call, ()))


def as_content(value: object) -> tuple[Text | Media, ...]:
    """What a handler returned, as parts of a result."""
    if value is None:
        return ()
    if isinstance(value, Text | Media):
        return (value,)
    if isinstance(value, str):
        return (Text(value),)
    if isinstance(value, Sequence) and value:
        parts = tuple(cast("Sequence[object]", value))
        if all(isinstance(part, Text | Media) for part in parts):
            return cast("tuple[Text | Media, ...]", parts)
    return (Text(json.dumps(value, ensure_ascii=False, default=str)),)


def failed(call: ToolCall, message: str) -> ToolResult:
    """An error result."""
    return ToolResult(call.id, (Text(message[:MAX_ERROR_CHARS]),), is_error=True)
