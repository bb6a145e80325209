"""Tools: schemas from functions, arguments of their types, calls side by side, and every failure as a result."""

from __future__ import annotations

import asyncio
import json
import threading
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Annotated, Literal

import pytest

import palimpsest
from palimpsest.agent.agent import make_agent
from palimpsest.agent.events import Done, ToolEnd
from palimpsest.agent.tools import MAX_ERROR_CHARS, Tool, call_tool, make_tool
from palimpsest.complete.scripted import ScriptedModel, call_tools
from palimpsest.errors import SettingsError, UsageError
from palimpsest.record.completion import Completion
from palimpsest.record.message import Media, Message, Text, ToolCall, ToolDef, ToolResult
from tests.agent.kit import JudgingModel, history, told
from tests.engine.drawing import bulk
from tests.patience import LIMIT_S


@dataclass
class Berth:
    """Where a ship lies."""

    pier: int
    letter: str = "A"


def book(
    ferry: Annotated[str, "the ferry's name"],
    berth: Berth,
    seats: int = 1,
    fare: Literal["single", "return"] = "single",
    names: list[str] | None = None,
) -> str:
    """Book seats on a ferry.

    Names are optional.
    """
    return f"{ferry} {type(berth).__name__} {berth.pier}{berth.letter} {seats!r} {fare} {names}"


def anything(value, more=None):
    return [value, more]


async def result_of(function: Callable[..., object], arguments: object, timeout_s: float = 5.0) -> ToolResult:
    """What the model reads of one call; arguments that are no text are sent as JSON."""
    tool = make_tool(function, name="tool")
    sent = arguments if isinstance(arguments, str) else json.dumps(arguments)
    return await call_tool({"tool": tool}, ToolCall("c1", "tool", sent), timeout_s)


def test_a_schema_is_made_from_a_functions_annotations_and_defaults() -> None:
    tool = make_tool(book)
    assert (tool.name, tool.definition.description) == (
        "book",
        "Book seats on a ferry.\n\nNames are optional.",
    )
    assert json.loads(tool.definition.schema) == {
        "type": "object",
        "properties": {
            "ferry": {"type": "string", "description": "the ferry's name"},
            "berth": {"$ref": "#/$defs/Berth"},
            "seats": {"type": "integer", "default": 1},
            "fare": {"enum": ["return", "single"], "default": "single"},
            "names": {"anyOf": [{"type": "array", "items": {"type": "string"}}, {"type": "null"}]},
        },
        "additionalProperties": False,
        "required": ["ferry", "berth"],
        "$defs": {
            "Berth": {
                "title": "Berth",
                "description": "Where a ship lies.",
                "type": "object",
                "properties": {"pier": {"type": "integer"}, "letter": {"type": "string", "default": "A"}},
                "required": ["pier"],
            }
        },
    }


async def test_tools_made_of_functions_are_valid_for_every_provider() -> None:
    model = JudgingModel(["None."])
    async with palimpsest.open(":memory:", window_tokens=8_000) as engine:
        await make_agent(engine, model, tools=[book, make_tool(anything)]).answer("a", "Which tools?")
        assert [tool.name for tool in model.requests[0].tools][:2] == ["book", "anything"]
    assert model.faults == []


async def test_arguments_come_as_the_types_that_the_function_asks_for() -> None:
    done = await result_of(
        book, {"ferry": "Skua", "berth": {"pier": 3}, "seats": "2", "fare": "return", "names": ["Io", "Lo"]}
    )
    assert (done.text, done.is_error) == ("Skua Berth 3A 2 return ['Io', 'Lo']", False)


async def test_parameters_without_annotation_take_anything() -> None:
    assert (await result_of(anything, {"value": {"deep": [1]}})).text == '[{"deep": [1]}, null]'


@pytest.mark.parametrize(
    "arguments, said",
    [
        ("{not json", "the arguments are no JSON: "),
        ("[" * 100_000, "the arguments are no JSON: "),
        ("[1, 2]", "the arguments are no JSON object"),
        ({"ferry": "Skua"}, "missing a required argument: 'berth'"),
        ({"ferry": "Skua", "berth": {"pier": 1}, "deck": 2}, "unexpected keyword argument 'deck'"),
        ({"ferry": "Skua", "berth": {"pier": "x"}}, "berth: Expected `int`, got `str` - at `$.pier`"),
        ({"ferry": "Skua", "berth": {"pier": 1}, "fare": "free"}, "fare: Invalid enum value 'free'"),
        ({"ferry": None, "berth": {"pier": 1}}, "ferry: Expected `str`, got `null`"),
    ],
)
async def test_arguments_that_do_not_fit_are_an_error_that_the_model_reads(
    arguments: object, said: str
) -> None:
    done = await result_of(book, arguments)
    assert done.is_error
    assert said in done.text
    assert len(done.text) <= MAX_ERROR_CHARS


async def test_an_unknown_tool_is_answered_with_the_names_of_those_there_are() -> None:
    done = await call_tool({"book": make_tool(book)}, ToolCall("c1", "bok", "{}"))
    assert (done.is_error, done.text) == (True, "there is no tool 'bok'; there are: book")
    assert "there are: none" in (await call_tool({}, ToolCall("c1", "bok", "{}"))).text


def raises(error: BaseException) -> Callable[[], str]:
    """A sync handler that raises."""

    def handler() -> str:
        raise error

    return handler


def raises_async(error: BaseException) -> Callable[[], object]:
    """An async handler that raises."""

    async def handler() -> str:
        await asyncio.sleep(0)
        raise error

    return handler


@pytest.mark.parametrize("made", [raises, raises_async])
@pytest.mark.parametrize(
    "error, said",
    [
        (ValueError("no such pier"), "ValueError: no such pier"),
        (TimeoutError("the harbour is slow"), "TimeoutError: the harbour is slow"),
        (SystemExit(2), "SystemExit: 2"),
        (StopIteration("end"), "StopIteration"),
        (asyncio.CancelledError(), "cancelled"),
        (ExceptionGroup("many", [ValueError("one")]), "many"),
    ],
)
async def test_whatever_a_handler_raises_is_a_result(
    made: Callable[[BaseException], Callable[[], object]], error: BaseException, said: str
) -> None:
    done = await result_of(made(error), {})
    assert done.is_error
    assert said in done.text


async def test_a_handler_that_hangs_is_given_up_in_time() -> None:
    async def forever() -> str:
        await asyncio.sleep(3600)
        return "never"

    released = threading.Event()
    ended: list[str] = []

    def blocked() -> str:
        released.wait(LIMIT_S)
        ended.append("late")
        return "late"

    for handler in (forever, blocked):
        done = await result_of(handler, {}, timeout_s=0.05)
        assert (done.is_error, done.text) == (True, "no result within 0.05 s")
        assert ended == []
    released.set()


async def test_a_tool_may_have_a_time_limit_of_its_own() -> None:
    held = asyncio.Event()

    async def slow() -> str:
        await held.wait()
        await asyncio.sleep(0.1)
        return "done"

    quick = make_tool(slow, timeout_s=0.01)
    told = await call_tool({"slow": quick}, ToolCall("c1", "slow"), LIMIT_S)
    assert told.text == "no result within 0.01 s"
    held.set()
    patient = make_tool(slow, timeout_s=LIMIT_S)
    assert (await call_tool({"slow": patient}, ToolCall("c1", "slow"), 0.01)).text == "done"


async def test_the_calls_of_one_reply_are_made_at_the_same_time() -> None:
    meeting = asyncio.Barrier(3)
    threads = threading.Barrier(2)

    async def meet(name: str) -> str:
        await meeting.wait()
        return f"{name} was there"

    def wait() -> str:
        threads.wait(LIMIT_S)
        return "together"

    calls = call_tools(
        *(("meet", {"name": name}) for name in ("Ann", "Bo", "Cy")), ("wait", {}), ("wait", {})
    )
    model = JudgingModel([calls, "All met."])
    async with palimpsest.open(":memory:", window_tokens=8_000) as engine:
        agent = make_agent(engine, model, tools=[meet, wait], tool_timeout_s=LIMIT_S)
        events = await told(agent, "a", "Meet.")
        ends = [one for one in events if isinstance(one, ToolEnd)]
        assert sorted(one.text for one in ends) == [
            "Ann was there", "Bo was there", "Cy was there", "together", "together",
        ]  # fmt: skip
        assert not any(one.is_error for one in ends)
    assert model.faults == []


async def test_a_result_is_stored_as_soon_as_it_is_there() -> None:
    quick_is_stored = asyncio.Event()

    async def quick() -> str:
        return "quick"

    async def slow() -> str:
        await asyncio.wait_for(quick_is_stored.wait(), LIMIT_S)
        return "slow"

    async with palimpsest.open(":memory:", window_tokens=8_000) as engine:
        talk, stored = engine.conversation("a"), list[Message]()
        model = ScriptedModel([call_tools(("slow", {}), ("quick", {})), "Both."])
        async for event in make_agent(engine, model, tools=[quick, slow]).run(talk, "Go."):
            if isinstance(event, ToolEnd) and event.name == "quick":
                stored = await history(talk)
                quick_is_stored.set()
        assert [message.results[0].text for message in stored[2:]] == ["quick"]
        assert [message.results[0].text for message in (await history(talk))[2:4]] == ["quick", "slow"]


async def test_failures_of_tools_are_results_and_the_agent_goes_on() -> None:
    def broken() -> str:
        raise RuntimeError("out of order")

    calls = Completion(
        "",
        finish_reason="tool_calls",
        calls=(
            ToolCall("a", "broken", "{}"),
            ToolCall("b", "unknown", "{}"),
            ToolCall("c", "broken", "{"),
            ToolCall("c", "broken", '{"extra": 1}'),
        ),
    )
    model = JudgingModel([calls, "I see."])
    async with palimpsest.open(":memory:", window_tokens=8_000) as engine:
        events = await told(make_agent(engine, model, tools=[broken]), "a", "Try.")
        assert [one.is_error for one in events if isinstance(one, ToolEnd)] == [True] * 4
        assert events[-1] == Done("I see.", "stop", 2)
    assert model.faults == []


@pytest.mark.parametrize(
    "value, parts",
    [
        (None, ()),
        ("words", (Text("words"),)),
        ({"a": 1}, (Text('{"a": 1}'),)),
        ([], (Text("[]"),)),
        ([Text("see"), Media("image/png", data="aGk=")], (Text("see"), Media("image/png", data="aGk="))),
        (
            Media("image/png", uri="https://example.org/a.png"),
            (Media("image/png", uri="https://example.org/a.png"),),
        ),
        (float("nan"), (Text("NaN"),)),
        ({1, 2}, (Text('"{1, 2}"'),)),
    ],
)
async def test_what_a_tool_returns_becomes_text_and_media(value: object, parts: tuple[object, ...]) -> None:
    assert (await result_of(lambda: value, {})).content == parts


async def test_a_tool_can_be_a_method_a_partial_a_callable_object_or_built_in() -> None:
    class Counter:
        def __call__(self, step: int = 1) -> int:
            return step

        async def twice(self, step: int) -> int:
            return 2 * step

    assert (await result_of(Counter(), {"step": 4})).text == "4"
    assert (await result_of(Counter().twice, {"step": 4})).text == "8"
    assert (await result_of(partial(Counter().twice, step=3), {})).text == "6"
    built_in = Tool(ToolDef("tool", "", '{"type": "object"}'), dict)
    assert (await call_tool({"tool": built_in}, ToolCall("c", "tool", '{"a": 1}'))).text == '{"a": 1}'


async def test_a_result_of_any_size_leaves_a_request_that_fits() -> None:
    model = JudgingModel([call_tools(("read", {})), "Too much."], room_tokens=6_000)
    async with palimpsest.open(":memory:", window_tokens=8_000, max_tokens=2_000) as engine:
        agent = make_agent(engine, model, tools=[make_tool(lambda: bulk(900_000), name="read")])
        assert await agent.answer("a", "Read the log.") == "Too much."
        assert len((await history(engine.conversation("a")))[2].results[0].text) == 900_000
    assert model.faults == []


class Unknown:
    """A type that JSON cannot hold."""


def unknown_type(value: Unknown) -> None: ...


def unknown_name(value: NotThere) -> None: ...  # type: ignore[name-defined]  # noqa: F821


@pytest.mark.parametrize(
    "tools, said",
    [
        ([book, make_tool(anything, name="book")], "two tools are named 'book'"),
        ([lambda: 1], "a tool needs a name"),
        ([make_tool(book, name="harbour.book")], "no tool can be named 'harbour.book'"),
        ([make_tool(book, name="1book")], "no tool can be named"),
        ([make_tool(book, name="b" * 65)], "no tool can be named"),
        ([unknown_type], "parameter 'value' of a tool has a type without a schema"),
        ([unknown_name], "cannot be read: name 'NotThere' is not defined"),
        ([lambda *names: 1], "a tool needs a name"),
        ([print], "'args' of a tool cannot be called by name"),
    ],
)
async def test_tools_that_no_model_could_call_are_refused(tools: list[object], said: str) -> None:
    async with palimpsest.open(":memory:") as engine:
        with pytest.raises(UsageError, match=said) as caught:
            make_agent(engine, ScriptedModel(["x"]), tools=tools)  # type: ignore[arg-type]
        assert caught.value.hint


@pytest.mark.parametrize(
    "options, said",
    [
        ({"max_steps": 0}, "max_steps cannot be 0"),
        ({"call_timeout_s": 0}, "call_timeout_s cannot be 0"),
        ({"tool_timeout_s": -1.0}, "tool_timeout_s cannot be -1.0"),
        ({"system": 7}, "system is a int"),
    ],
)
async def test_limits_that_make_no_sense_are_refused(options: dict[str, object], said: str) -> None:
    async with palimpsest.open(":memory:") as engine:
        with pytest.raises(UsageError, match=said):
            make_agent(engine, ScriptedModel(["x"]), **options)  # type: ignore[arg-type]


async def test_a_model_that_is_not_known_or_no_model_is_refused() -> None:
    async with palimpsest.open(":memory:") as engine:
        with pytest.raises(SettingsError):
            make_agent(engine, "no-such-provider:model")
        with pytest.raises(UsageError):
            make_agent(engine, 7)  # type: ignore[arg-type]
