"""Parse what callers pass in: provider dicts, SDK objects and messages, with the system prompt apart; and tools."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, cast

from palimpsest.budget.assemble import count_stub
from palimpsest.budget.result_truncation import gated, limit_of, reading_tool
from palimpsest.budget.token_counts import count_message
from palimpsest.engine.input_limits import check_parts, check_value
from palimpsest.errors import FormatError, UsageError
from palimpsest.formats import openai, parse_any, parse_tools
from palimpsest.formats.wire_fields import fields_of, is_whole_block
from palimpsest.limits import MAX_MESSAGE_CHARS
from palimpsest.ports import Counted
from palimpsest.record.message import Message, Text, ToolCall, ToolDef
from palimpsest.record.window_items import GATE_ID

if TYPE_CHECKING:
    from palimpsest.engine.tools.definitions import ModelTool
    from palimpsest.settings import Settings

_LONG_ID = "m00000000"
_SYSTEM_HINT = (
    'give a text, a list of text blocks ({"type": "text", "text": "..."}, or {"text": "..."} as in Converse), or '
    "Gemini's content with parts"
)


@dataclass(frozen=True, slots=True)
class ParsedMessages:
    """The messages of a history: `leading` are the system messages before all others, which are its prompt."""

    leading: tuple[Message, ...]
    messages: tuple[Message, ...]

    @property
    def system(self) -> str | None:
        """The leading system messages joined with blank lines; None if there are none."""
        return "\n\n".join(message.text for message in self.leading) if self.leading else None


def parse_messages(
    given: Iterable[object], now_s: float | None, *, first: int = 0, begun: bool = False
) -> ParsedMessages:
    """Parse a list of messages. Leading system messages become the conversation's system prompt.

    With `begun`, the history has other messages before these, so none is leading. A message without a time gets
    `now_s`. Raises FormatError that names the place of what cannot be read, counted from `first`.
    """
    if not isinstance(given, list | tuple):
        raise FormatError(f"a history is a {type(given).__name__}", hint="give a list of messages")
    found = [
        message if message.time_s is not None else replace(message, time_s=now_s)
        for place, one in enumerate(_with_items_parsed(given), first)
        for message in _parse(one, place)
    ]
    others = (place for place, message in enumerate(found) if begun or message.role != "system")
    start = next(others, len(found))
    return ParsedMessages(tuple(found[:start]), tuple(found[start:]))


def read_system(given: object) -> tuple[str | None, Message | None]:
    """The text of a system prompt, and its message where it was given as blocks. Raises UsageError."""
    if given is None or isinstance(given, str):
        require_text("system", given)
        return given, None
    try:
        check_value(given)
        (message,) = parse_any({**_system_fields(given), "role": "system"})
    except FormatError as error:
        raise UsageError(f"system cannot be read: {error.message}", hint=_SYSTEM_HINT) from error
    texts = [part.text for part in message.parts if isinstance(part, Text) and not is_whole_block(part)]
    if len(texts) < len(message.parts):
        raise UsageError("system holds more than texts", hint=_SYSTEM_HINT)
    return "\n\n".join(text for text in texts if text.strip()), message


def _system_fields(given: object) -> Mapping[str, object]:
    """The content of a system prompt in the form of a message."""
    if not isinstance(given, list | tuple):
        fields = fields_of(given, "it")
        return fields if "content" in fields or "parts" in fields else {"content": [fields]}
    found = cast("Sequence[object]", given)
    blocks = [one if isinstance(one, str) else fields_of(one, "a block") for one in found]
    kind = {"type": "text"} if any("type" in one for one in blocks if not isinstance(one, str)) else {}
    texts = ({"text": one} if isinstance(one, str) else one for one in blocks)
    return {
        "content": [
            one if one.get("type", "input_text") != "input_text" else {**one, **kind} for one in texts
        ]
    }


def require_text(what: str, value: object, max_chars: int = MAX_MESSAGE_CHARS) -> None:
    """Raise UsageError unless the value is a string of bounded length, or None."""
    if value is None:
        return
    if not isinstance(value, str):
        raise UsageError(f"{what} is a {type(value).__name__}", hint="give the text as a string")
    if len(value) > max_chars:
        raise UsageError(f"{what} has {len(value):,} characters", hint=f"give at most {max_chars:,}")


def _with_items_parsed(given: Iterable[object]) -> list[object]:
    """The given values, with items of OpenAI's Responses as messages."""
    values = list(given)
    if not any(map(openai.may_be_item, values)):
        return values
    for place, one in enumerate(values):
        try:
            check_value(one)
        except FormatError as error:
            raise _at(place, error) from error
    return openai.parse_items(values)


def _parse(one: object, place: int) -> tuple[Message, ...]:
    try:
        check_value(one)
        found = (one,) if isinstance(one, Message) else parse_any(one)
        if not isinstance(one, Message | Mapping):
            check_value(found)
        for message in found:
            check_parts(message)
    except FormatError as error:
        raise _at(place, error) from error
    return found


def _at(place: int, error: FormatError) -> FormatError:
    return FormatError(f"message {place}: {error.message}", hint=error.hint)


def count(
    messages: Iterable[Message],
    settings: Settings,
    *,
    tools: Sequence[ToolDef] | None = None,
    known: int = 0,
    calls: Mapping[str, ToolCall] | None = None,
) -> list[Counted]:
    """Messages with their token counts, and large tool results truncated as the tools allow; none if `tools` is None.

    The first `known` messages are stored already and are not counted. `calls` are the tool calls before them, by id.
    """
    limit_tokens, tool = (0, "") if tools is None else (limit_of(settings, tools), reading_tool(tools))
    all_calls = dict(calls or {})
    entries: list[Counted] = []
    for place, message in enumerate(messages):
        all_calls.update((call.id, call) for call in message.calls)
        if place < known:
            entries.append(Counted(message, -1))
        else:
            entries.append(_counted(message, gated(message, all_calls, settings, limit_tokens, tool)))
    return entries


def _counted(message: Message, truncated: str) -> Counted:
    tokens = count_message(message)
    if truncated:
        shown_tokens = count_stub(message, truncated.replace(GATE_ID, _LONG_ID))
        if shown_tokens < tokens:
            return Counted(message, tokens, truncated, shown_tokens)
    return Counted(message, tokens)


def may_truncate(messages: Iterable[Message], limit_tokens: int) -> bool:
    """Whether a result among these is so large that it may be truncated."""
    return bool(limit_tokens) and any(
        len(result.text) > limit_tokens for message in messages for result in message.results
    )


def as_tools(tools: Sequence[Mapping[str, object] | ToolDef | ModelTool]) -> tuple[ToolDef, ...]:
    """Tool definitions, parsed from a provider's dicts; one dict of Gemini's may declare several."""
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
