"""Messages and histories from a seed, as they go wrong in life, made fast: calls in parallel answered in any order,
late, twice or never, results of calls nobody made, ids used again, blank messages, media in odd places, scripts without
spaces, halves of characters, dicts with fields of the wrong kind.

Hypothesis shrinks better and draws a hundred times slower: it is used where a fault has to be understood.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from random import Random
from typing import Any, cast

from palimpsest.record.message import Media, Message, Part, Reasoning, Role, Text, ToolCall, ToolResult

LONG_NUMBER = "9" * 5_000
"""More digits than Python reads."""

WORDS = (
    "", " ", "\n\t", "ends in space \n", "好的，请继续检查日志", "テストを直してください", "파일을 열어 주세요",
    "\ud800", "cut \udc00 here", "\ud83d\ude42", "🙂 done", "\x00\x1f", "[error]", "{}", '{"type":"text"}',
    "run the tests", "in src/app/reader.py line 4711", "</content></summary>", "\u202e\u2066", "a" * 200, "é\u0301",
    "data:image/png;base64,",
)  # fmt: skip
IDS = (
    "call_1",
    "call_2",
    "call_3",
    "call_4",
    "toolu_a",
    "toolu_b",
    "",
    "id with space",
    "x" * 70,
    "調用1",
    "\ud800",
    "\ud801",
)
NAMES = ("read_file", "bash", "search", "mcp.server.tool", "名前", "", "n" * 80, "a b", "read.file")
ARGUMENTS = (
    "", "{}", "[1,2]", "null", '"text"', "not json", '{"a":', '{"a": NaN}', '{"s":"\\ud800"}', '{"a":1,"a":2}',
    '{"a":{"b":[1,{"c":"好"}]}}', '{"path":"a.py"}', '{"n":1e400}', '{"n":' + "9" * 40 + "}", "[" * 30 + "]" * 30,
)  # fmt: skip
PNG = "iVBORw0KGgogaW52ZW50ZWQ="
MEDIA = (
    Media("image/png", data=PNG, size_bytes=17), Media("image", uri="https://example.org/a.png"),
    Media("application/pdf", data=PNG, size_bytes=17), Media("document", uri="https://example.org/a.pdf"),
    Media("audio/wav", data=PNG, size_bytes=17), Media("image/tiff", data=PNG, size_bytes=17),
    Media("image/png", data="cut", size_bytes=2), Media("video/mp4", uri="file-123"), Media("file", uri="file-123"),
    Media("image", uri="data:image/png,abc"), Media(""), Media("\ud800", uri="\x00"),
)  # fmt: skip
WIRES = ("", "openai", "anthropic", "gemini", "bedrock", "common")
EXTRAS = (
    "",
    "",
    "",
    "",
    '{"x":1}',
    '{"~":{"block":true}}',
    '{"cache_control":{"type":"ephemeral"}}',
    '{"x":"\\ud800"}',
)
SIGNATURES = ("", "", "c2lnbmVk", "not base64 \ud800")


def words(draw: Random) -> str:
    """A text: odd, or of one to four odd ones in a row."""
    text = draw.choice(WORDS)
    while draw.random() < 0.25 and len(text) < 2_000:
        text += draw.choice(WORDS)
    return text


def content(draw: Random) -> tuple[Text | Media, ...]:
    """What a result holds."""
    size = draw.choice((0, 1, 1, 1, 2, 3))
    return tuple(
        Text(words(draw), draw.choice(EXTRAS)) if draw.random() < 0.75 else draw.choice(MEDIA)
        for _ in range(size)
    )


def call(draw: Random) -> ToolCall:
    """A call, with an id that others may have too."""
    return ToolCall(draw.choice(IDS), draw.choice(NAMES), draw.choice(ARGUMENTS), draw.choice(EXTRAS))


def result(draw: Random, call_id: str | None = None) -> ToolResult:
    """A result, of this call or of any."""
    named = draw.choice(IDS) if call_id is None else call_id
    return ToolResult(named, content(draw), draw.random() < 0.2, draw.choice(EXTRAS))


def part(draw: Random, kinds: str) -> Part:
    """A part of one of the kinds: t(ext), m(edia), r(easoning), c(all), a(nswer)."""
    match draw.choice(kinds):
        case "t":
            return Text(words(draw), draw.choice(EXTRAS))
        case "m":
            return draw.choice(MEDIA)
        case "r":
            signature = draw.choice(SIGNATURES)
            return Reasoning(words(draw), signature, draw.random() < 0.2, draw.choice(EXTRAS))
        case "c":
            return call(draw)
        case _:
            return result(draw)


USUAL: dict[Role, str] = {"system": "t", "user": "tttm", "assistant": "ttrc", "tool": "a"}


def message(draw: Random, *, roles: tuple[Role, ...] = ("system", "user", "assistant", "tool")) -> Message:
    """Any message a program could build; one in six has parts out of place."""
    role = draw.choice(roles)
    kinds = USUAL[role] if draw.random() < 0.84 else "tmrca"
    parts = tuple(part(draw, kinds) for _ in range(draw.choice((0, 1, 1, 1, 2, 3))))
    name = draw.choice(("", "", "", "ann", "Ann B.", "<x>"))
    return Message(role, parts, name, wire=draw.choice(WIRES), extra=draw.choice(EXTRAS))


def group(draw: Random) -> list[Message]:
    """An assistant message with calls, and results: in any order, some missing, behind other messages or twice."""
    wire = draw.choice(WIRES)
    made = [call(draw) for _ in range(draw.choice((1, 1, 2, 3, 4)))]
    opening = [part(draw, "ttr") for _ in range(draw.choice((0, 0, 1, 2)))]
    found = [Message("assistant", (*opening, *made), wire=wire)]
    answered = draw.sample(made, len(made) if draw.random() < 0.7 else draw.randint(0, len(made)))
    together = draw.random() < 0.2
    results = [result(draw, one.id) for one in answered]
    if together and results:
        return [*found, Message("tool", tuple(results), wire=wire)]
    for one in results:
        if draw.random() < 0.1:
            found.append(Message("user", (Text(words(draw)),), wire=wire))
        found.append(Message("tool", (one,), wire=wire))
        if draw.random() < 0.08:
            found.append(found[-1])
    return found


def history(
    draw: Random, size: int = 8, *, roles: tuple[Role, ...] = ("system", "user", "assistant", "tool")
) -> list[Message]:
    """One to `size` steps: a message, or a tool group."""
    found: list[Message] = []
    for _ in range(draw.randint(1, size)):
        if draw.random() < 0.5:
            found.extend(group(draw))
        else:
            found.append(message(draw, roles=roles))
    return found


ODD_VALUES: tuple[Callable[[Random], object], ...] = (
    lambda _: None,
    lambda _: True,
    lambda draw: draw.choice((0, -1, 2**63, -(2**70), 10**400, 1e308, float("inf"), float("nan"), 0.5)),
    lambda draw: draw.choice(WORDS),
    lambda draw: draw.choice(WORDS) * 50,
    lambda _: [],
    lambda _: {},
    lambda draw: [draw.choice(WORDS), {"type": draw.choice(("text", "tool_use", "image", "x"))}],
    lambda draw: {draw.choice(("type", "text", "id", "~", "parts", "content")): draw.choice(WORDS)},
    lambda draw: nested(draw.choice((5, 5, 70, 1_200))),
    lambda draw: draw.choice(("../../etc/passwd", "/dev/null", "..\\x", "C:\\x", "a/b\x00c", "~root", "file:///etc/passwd")),
    lambda draw: {f"k{number}": number for number in range(draw.choice((20, 20, 20, 1_000)))},
)  # fmt: skip


def nested(depth: int) -> object:
    """Lists and objects in one another."""
    value: object = "deep"
    for level in range(depth):
        value = [value] if level % 2 else {"content": value}
    return value


def places(value: object, limit: int = 150) -> list[tuple[Any, Any]]:
    """(container, key) of the values inside a JSON value, the first `limit` of them."""
    found: list[tuple[Any, Any]] = []
    pending = [value]
    while pending and len(found) < limit:
        holder = pending.pop()
        if isinstance(holder, dict | list):
            keys = (
                list(cast("dict[str, object]", holder))
                if isinstance(holder, dict)
                else range(len(cast("list[object]", holder)))
            )
            for key in keys:
                found.append((holder, key))
                pending.append(cast("Any", holder)[key])
    return found


def damage(draw: Random, value: object) -> object:
    """The JSON value, which is changed, with a few places in it made wrong: replaced, dropped, doubled, renamed."""
    for _ in range(draw.choice((0, 1, 1, 2, 3, 6))):
        found = places(value)
        if not found:
            return draw.choice(ODD_VALUES)(draw)
        holder, key = draw.choice(found)
        kind = draw.random()
        if kind < 0.5:
            holder[key] = draw.choice(ODD_VALUES)(draw)
        elif kind < 0.65:
            del holder[key]
        elif kind < 0.8:
            other, at = draw.choice(found)
            if at in (other if isinstance(other, dict) else range(len(other))):
                holder[key] = json_copy(other[at])
        elif isinstance(holder, dict):
            holder[
                draw.choice(("type", "role", "content", "id", "text", "parts", "\x00", "uuid", "parentUuid"))
            ] = holder[key]
        else:
            holder.insert(key, json_copy(holder[key]))
    return value


def json_copy(value: object, depth: int = 80) -> object:
    """A copy of a JSON value down to a depth, so that no value stands inside itself."""
    if depth == 0:
        return None
    if isinstance(value, dict):
        return {key: json_copy(inner, depth - 1) for key, inner in cast("dict[str, object]", value).items()}
    if isinstance(value, list):
        return [json_copy(inner, depth - 1) for inner in cast("list[object]", value)]
    return value


def mangled(draw: Random, text: str) -> str:
    """A text with bits of it cut, doubled, swapped or strewn with odd characters."""
    for _ in range(draw.choice((1, 1, 2, 4))):
        at, end = sorted((draw.randint(0, len(text)), draw.randint(0, len(text))))
        end = min(end, at + draw.choice((1, 5, 200)))
        match draw.randrange(5):
            case 0:
                text = text[:at] + text[end:]
            case 1:
                text = text[:at] + text[at:end] * 2 + text[end:]
            case 2:
                text = text[:at]
            case 3:
                text = text[:at] + draw.choice((*WORDS, LONG_NUMBER)) + text[end:]
            case _:
                text = text[:at] + draw.choice('{}[]",:\\\x00\n\ud800\u2028🙂0-+eE.tn ') + text[at:]
    return text


def dumps(value: object) -> str:
    """JSON text of any value, "" for one too deep to write."""
    try:
        return json.dumps(value)
    except RecursionError:
        return ""
