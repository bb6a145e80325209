"""What callers hand in, as values: wire dicts, a client's message objects, messages; system prompts apart; tools."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from palimpsest.budget.assemble import count_stub
from palimpsest.budget.result_truncation import gated, limit_of, reading_tool
from palimpsest.budget.token_counts import count_message
from palimpsest.engine.input_limits import check_parts, check_value
from palimpsest.errors import FormatError, UsageError
from palimpsest.formats import openai, parse_any, parse_tools
from palimpsest.limits import MAX_MESSAGE_CHARS
from palimpsest.ports import Counted
from palimpsest.record.message import Message, ToolCall, ToolDef
from palimpsest.record.window_items import GATE_ID

if TYPE_CHECKING:
    from palimpsest.engine.tools.definitions import ModelTool
    from palimpsest.settings import Settings

_LONG_ID = "m00000000"


@dataclass(frozen=True, slots=True)
class Given:
    """Messages of the history, and the newest system prompt among what was given (None where there was none)."""

    messages: tuple[Message, ...]
    system: str | None


def take_in(given: Iterable[object], now_s: float | None, *, first: int = 0) -> Given:
    """Parse what was given. System messages are not history: together they are the conversation's system prompt from
    now on, in their order, with a blank line between them.

    A message without a time gets `now_s`. Raises FormatError naming the place of what cannot be read; the first is at
    the place `first`.
    """
    _require_list(given)
    messages: list[Message] = []
    system: list[str] = []
    for place, one in enumerate(_in_chat_form(given), first):
        for message in _parse(one, place):
            if message.role == "system":
                system.append(message.text)
            else:
                messages.append(message if message.time_s is not None else replace(message, time_s=now_s))
    return Given(tuple(messages), "\n\n".join(system) if system else None)


def require_text(what: str, value: object, most_chars: int = MAX_MESSAGE_CHARS) -> None:
    """Raise UsageError unless the value is a string of bounded length, or None."""
    if value is None:
        return
    if not isinstance(value, str):
        raise UsageError(f"{what} is a {type(value).__name__}", hint="give the text as a string")
    if len(value) > most_chars:
        raise UsageError(f"{what} has {len(value):,} characters", hint=f"give at most {most_chars:,}")


def _require_list(value: object) -> None:
    if not isinstance(value, list | tuple):
        raise FormatError(f"a history is a {type(value).__name__}", hint="give a list of messages")


def _in_chat_form(given: Iterable[object]) -> list[object]:
    """What was given, the items of OpenAI's Responses as the messages that they say."""
    everything = list(given)
    if not any(map(openai.may_be_item, everything)):
        return everything
    for place, one in enumerate(everything):
        try:
            check_value(one)
        except FormatError as error:
            raise FormatError(f"message {place}: {error.message}", hint=error.hint) from error
    return openai.in_chat_form(everything)


def _parse(one: object, place: int) -> tuple[Message, ...]:
    try:
        check_value(one)
        found = (one,) if isinstance(one, Message) else parse_any(one)
        if not isinstance(one, Message | Mapping):
            check_value(found)
        for message in found:
            check_parts(message)
    except FormatError as error:
        raise FormatError(f"message {place}: {error.message}", hint=error.hint) from error
    return found


def count(
    messages: Iterable[Message],
    settings: Settings,
    *,
    tools: Sequence[ToolDef] | None = None,
    known: int = 0,
    calls: Mapping[str, ToolCall] | None = None,
) -> list[Counted]:
    """Messages with their token estimates, results over the limit for these tools gated (see `gate.limit_of`), none
    where `tools` is None; the first `known` are stored already and are not counted again. `calls` are the tool calls
    before them, by id.
    """
    limit_tokens, tool = (0, "") if tools is None else (limit_of(settings, tools), reading_tool(tools))
    asked = dict(calls or {})
    entries: list[Counted] = []
    for place, message in enumerate(messages):
        asked.update((call.id, call) for call in message.calls)
        entries.append(
            Counted(message, -1)
            if place < known
            else _counted(message, gated(message, asked, settings, limit_tokens, tool))
        )
    return entries


def _counted(message: Message, gate: str) -> Counted:
    tokens = count_message(message)
    shown = count_stub(message, gate.replace(GATE_ID, _LONG_ID)) if gate else tokens
    return Counted(message, tokens, gate, shown) if shown < tokens else Counted(message, tokens)


def may_gate(messages: Iterable[Message], limit_tokens: int) -> bool:
    """Whether a result among these is so large that it may be gated."""
    return bool(limit_tokens) and any(
        len(result.text) > limit_tokens for message in messages for result in message.results
    )


def as_tools(tools: Sequence[Mapping[str, object] | ToolDef | ModelTool]) -> tuple[ToolDef, ...]:
    """Tool definitions, read from a provider's dicts where they are such; one of Gemini's may declare several."""
    from palimpsest.engine.tools.definitions import ModelTool

    found: list[ToolDef] = []
    for tool in tools:
        match tool:
            case ToolDef():
                found.append(tool)
            case ModelTool():
                found.append(tool.definition)
            case _:
                found.extend(parse_tools(tool))
    return tuple(found)
