"""Tools that an agent may call: definitions with handlers, made from functions, and run within a time limit.

A failed call is a result that the model can read: an unknown name, arguments that are no JSON object or do not fit, an
error of the handler, a timeout. A sync handler runs in a thread of its own, which goes on after a timeout.
"""

from __future__ import annotations

import asyncio
import inspect
import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Annotated, cast, get_args, get_origin

from palimpsest.agent.hooks import awaited
from palimpsest.complete.model_adapter import in_thread
from palimpsest.engine.tools.definitions import ModelTool
from palimpsest.errors import UsageError
from palimpsest.record.message import Media, Text, ToolCall, ToolDef, ToolResult

TOOL_TIMEOUT_S = 120.0
MAX_ERROR_CHARS = 2_000

Handler = Callable[..., object]


@dataclass(frozen=True, slots=True)
class Tool:
    """A definition and its function, which is called with the arguments by name. `timeout_s` 0 means the agent's.

    The function returns text, parts (`Text`, `Media`), or anything that JSON can hold. Arguments named in `types` are
    converted to their types first.
    """

    definition: ToolDef
    run: Handler
    timeout_s: float = 0.0
    types: Mapping[str, object] = field(default_factory=dict[str, object])

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
    """A tool from a function, with its name, its docstring, and a JSON schema of its parameters, unless given.

    Arguments are converted to the parameters' types; with a given schema they are passed as in the JSON. Raises
    UsageError for a function without a name, and for parameters without a schema.
    """
    called = name or getattr(function, "__name__", "")
    if not called or called == "<lambda>":
        raise UsageError("a tool needs a name", hint="give name=, or a function that has one")
    described = description or inspect.getdoc(function) or ""
    types = parameter_types(function) if schema is None else {}
    given = schema if schema is not None else parameters_schema(function)
    return Tool(ToolDef(called, described, json.dumps(given, ensure_ascii=False)), function, timeout_s, types)


def from_model_tool(tool: ModelTool) -> Tool:
    """One of the engine's own tools, which parses its arguments itself."""

    async def run(**arguments: object) -> str:
        return await tool.handler(arguments)

    return Tool(tool.definition, run)


def parameter_types(function: Handler) -> dict[str, object]:
    """The types of a function's parameters by name; `object` for one without annotation. Raises UsageError."""
    try:
        parameters = inspect.signature(function, eval_str=True).parameters.values()
    except Exception as error:
        raise UsageError(f"a tool's parameters cannot be read: {error}", hint="give a schema") from error
    for parameter in parameters:
        if parameter.kind not in {parameter.POSITIONAL_OR_KEYWORD, parameter.KEYWORD_ONLY}:
            raise UsageError(
                f"parameter {parameter.name!r} of a tool cannot be called by name", hint="give a schema"
            )
    return {
        parameter.name: object if parameter.annotation is parameter.empty else parameter.annotation
        for parameter in parameters
    }


def parameters_schema(function: Handler) -> dict[str, object]:
    """The JSON schema of a function's parameters from its annotations; a parameter without one accepts anything.

    `Annotated[str, "what it is"]` describes a parameter. Raises UsageError for types that JSON cannot hold.
    """
    properties: dict[str, object] = {}
    definitions: dict[str, object] = {}
    for name, kind in parameter_types(function).items():
        properties[name], used = _schema_of(name, kind)
        definitions.update(used)
    required: list[str] = []
    for parameter in inspect.signature(function).parameters.values():
        default: object = parameter.default
        if default is parameter.empty:
            required.append(parameter.name)
        elif isinstance(default, str | int | float):
            properties[parameter.name] = {
                **cast("dict[str, object]", properties[parameter.name]),
                "default": default,
            }
    schema: dict[str, object] = {"type": "object", "properties": properties, "additionalProperties": False}
    if required:
        schema["required"] = required
    if definitions:
        schema["$defs"] = definitions
    return schema


def _schema_of(name: str, kind: object) -> tuple[dict[str, object], dict[str, object]]:
    """The schema of one parameter, and the definitions that it refers to."""
    import msgspec

    if kind is object:
        return {}, {}
    try:
        (made,), used = msgspec.json.schema_components([kind], ref_template="#/$defs/{name}")
    except TypeError as error:
        raise UsageError(
            f"parameter {name!r} of a tool has a type without a schema: {error}", hint="give a schema"
        ) from error
    words = (
        [one for one in get_args(kind)[1:] if isinstance(one, str)] if get_origin(kind) is Annotated else []
    )
    return ({**made, "description": " ".join(words)} if words else made), used


async def call_tool(
    tools: Mapping[str, Tool], call: ToolCall, timeout_s: float = TOOL_TIMEOUT_S
) -> ToolResult:
    """The result of a call, or an error result; only cancelling raises."""
    tool = tools.get(call.name)
    if tool is None:
        return failed(call, f"there is no tool {call.name!r}; there are: {', '.join(tools) or 'none'}")
    try:
        arguments = _arguments(tool, call)
    except ValueError as error:
        return failed(call, str(error))
    limit_s = tool.timeout_s or timeout_s
    limit = asyncio.timeout(limit_s)
    try:
        async with limit:
            return ToolResult(call.id, as_content(await _run(tool.run, arguments)))
    except asyncio.CancelledError:
        task = asyncio.current_task()
        if task is None or task.cancelling():
            raise
        return failed(call, "the call was cancelled")
    except (Exception, SystemExit) as error:  # noqa: BLE001  (a handler may raise anything)
        if isinstance(error, TimeoutError) and limit.expired():
            return failed(call, f"no result within {limit_s:g} s")
        return failed(call, f"{type(error).__name__}: {error}")


def _arguments(tool: Tool, call: ToolCall) -> dict[str, object]:
    """The arguments by name, converted to their types. Raises ValueError with a message for the model."""
    import msgspec

    try:
        given: object = json.loads(call.arguments or "{}")
    except (ValueError, RecursionError) as error:
        raise ValueError(f"the arguments are no JSON: {error}") from error
    if not isinstance(given, dict):
        raise ValueError("the arguments are no JSON object")  # noqa: TRY004  (the model's mistake)
    named = cast("dict[str, object]", given)
    name = ""
    try:
        _signature(tool.run).bind(**named)
        for name, kind in tool.types.items():
            if name in named and kind is not object:
                named[name] = msgspec.convert(named[name], type=kind, strict=False)
    except (TypeError, msgspec.ValidationError) as error:
        where = f"{name}: " if name else ""
        raise ValueError(
            f"the arguments do not fit: {where}{error}; the schema is {tool.definition.schema}"
        ) from error
    return named


def _signature(handler: Handler) -> inspect.Signature:
    """The handler's signature; one that accepts anything if it is unknown, as for some built-in functions."""
    try:
        return inspect.signature(handler)
    except ValueError:
        return inspect.Signature([inspect.Parameter("arguments", inspect.Parameter.VAR_KEYWORD)])


async def _run(handler: Handler, arguments: Mapping[str, object]) -> object:
    call = partial(handler, **arguments)
    if inspect.iscoroutinefunction(handler):
        return await awaited(call())
    return await awaited(await in_thread(call, ()))


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
