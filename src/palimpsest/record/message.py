"""A message and its parts, independent of the provider's form.

- Parts keep their order; text next to tool calls or media is a part like any other.
- A tool call's arguments stay the provider's JSON text, byte for byte.
- A reasoning part keeps the provider's signature byte for byte, because providers refuse a changed one.
- Other fields of a provider's dict are JSON text in `extra`, per part and per message, and go back when the message
  is rendered for its own wire (`wire`). They are not part of the identity.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Literal, cast

from palimpsest.record.json_text import unescaped, written
from palimpsest.record.recall_mark import asks_back, is_recalled

Role = Literal["system", "user", "assistant", "tool"]

ROLES: tuple[Role, ...] = ("system", "user", "assistant", "tool")

FORGOTTEN = "forgotten"
"""The `wire` of a tombstone."""

MAX_RAW_CHARS = 200_000
"""Limit of a message's words at escapes or terminal codes that are indexed in raw form."""

AS_WRITTEN = "\ufdd0"
"""Separates a text from its words in raw form. No text contains this character."""

_TERMINAL_CODE = re.compile(r"\x1b\[[0-9;:?]{0,40}([A-Za-z])")
_UNREAD = frozenset(("id", "type", "status", "encrypted_content", "signature", "fingerprint"))
_BLOB_CHARS = 256
_IN_A_WORD = frozenset("mK")
"""The end of a code for colours, or for erasing behind the cursor: it may be inside a word."""


@dataclass(frozen=True, slots=True)
class Text:
    """Plain text. `extra` is a JSON object of unknown wire fields, or ""."""

    text: str
    extra: str = ""


@dataclass(frozen=True, slots=True)
class Reasoning:
    """A model's thinking. `signature` is opaque; `redacted` means that `text` is an encrypted blob."""

    text: str
    signature: str = ""
    redacted: bool = False
    extra: str = ""


@dataclass(frozen=True, slots=True)
class Media:
    """An image, document, audio or video.

    `uri` is an address or a provider's file id; `data` is base64 content. One of the two is set. `media_type` is a
    MIME type or a coarse kind such as "image". `size_bytes` is the decoded size, 0 if unknown.
    """

    media_type: str
    uri: str = ""
    data: str = ""
    size_bytes: int = 0
    extra: str = ""


@dataclass(frozen=True, slots=True)
class ToolCall:
    """A request to run a tool. `arguments` is the original JSON text (normally an object), byte for byte."""

    id: str
    name: str
    arguments: str = "{}"
    extra: str = ""


@dataclass(frozen=True, slots=True)
class ToolResult:
    """The answer to the call `call_id`. `content` is text and media in order.

    `shown` is the text that the model got in place of the content, where an agent showed it only a preview.
    """

    call_id: str
    content: tuple[Text | Media, ...] = ()
    is_error: bool = False
    extra: str = ""
    shown: str = ""

    @property
    def text(self) -> str:
        """The text content, joined by newlines."""
        return "\n".join(part.text for part in self.content if isinstance(part, Text))


@dataclass(frozen=True, slots=True)
class Opaque:
    """An item of a provider that no other part expresses: work of its own tools, or its compaction.

    `data` is the JSON text of the whole item, `kind` its type. Only its own wire sends it again.
    """

    kind: str
    data: str
    extra: str = ""

    @property
    def text(self) -> str:
        """The words in the item, without ids, encrypted content and other data."""
        return " ".join(_strings(self.data, _UNREAD))


Part = Text | Reasoning | Media | ToolCall | ToolResult | Opaque

AdditionKind = Literal["injection", "recalled", "pins", "ledger", "system", "memory", "tools"]


@dataclass(frozen=True, slots=True)
class Addition:
    """Text that requests show after a message and that stays there, so that later requests only append to it.

    `system`, `memory` and `tools` say what changed in the beginning of the request; `tools` is JSON text.
    """

    kind: AdditionKind
    text: str


SEARCHED_ADDITIONS = ("injection", "system", "memory")
"""The kinds that a search finds. The others repeat what is stored elsewhere."""


@dataclass(frozen=True, slots=True)
class Usage:
    """Token counts a provider reported for one call. `input_tokens` is the whole prompt, cached parts included."""

    input_tokens: int = 0
    output_tokens: int = 0
    cached_tokens: int = 0
    cache_write_tokens: int = 0


@dataclass(frozen=True, slots=True)
class Message:
    """One message of a conversation.

    `time_s` is when the content happened, in seconds since 1970 in UTC, or None if unknown. `wire` names the form of
    `extra` ("openai", "anthropic", ...). `origin` is the source's own id (a transcript's uuid), never part of the
    identity. `provisional` marks a trailing message whose source may still grow: it is replaced on re-import, and
    compacted only once closed.

    `added` is what requests show after the message. `prefix` is the digest of the request that an assistant message
    answered, "" if unknown: its reasoning is valid only after this prefix. Neither is part of the identity.
    """

    role: Role
    parts: tuple[Part, ...] = ()
    name: str = ""
    time_s: float | None = None
    model: str = ""
    usage: Usage | None = None
    wire: str = ""
    extra: str = ""
    origin: str = ""
    provisional: bool = False
    added: tuple[Addition, ...] = ()
    prefix: str = ""

    @property
    def text(self) -> str:
        """The text parts, joined by newlines."""
        return "\n".join(part.text for part in self.parts if isinstance(part, Text))

    @property
    def calls(self) -> tuple[ToolCall, ...]:
        """The tool calls, in order."""
        return tuple(part for part in self.parts if isinstance(part, ToolCall))

    @property
    def results(self) -> tuple[ToolResult, ...]:
        """The tool results, in order."""
        return tuple(part for part in self.parts if isinstance(part, ToolResult))


@dataclass(frozen=True, slots=True)
class ToolDef:
    """A tool offered to the model. `schema` is the JSON schema of its parameters as JSON text; `extra` and `wire` as
    above.
    """

    name: str
    description: str = ""
    schema: str = "{}"
    wire: str = ""
    extra: str = ""


DEVELOPER = '{"~":{"role":"developer"}}'
"""The `extra` of a system message that was sent under the name of the developer."""


def is_developer(message: Message) -> bool:
    """Return whether a system message was sent under the name of the developer. The form of a message ends its `extra`,
    and its role the form.
    """
    return message.role == "system" and message.extra.endswith('"role":"developer"}}')


def readable_text(message: Message) -> str:
    """Return all readable text of a message: text, call names and arguments, results, addresses.

    JSON results and arguments have their escapes resolved, and terminal codes are removed. Left out are reasoning,
    answers of recall tools with their calls (a search would find earlier searches), and tombstones.
    """
    return without_codes("\n".join(_lines(message)))


def searchable_text(message: Message) -> str:
    """Return the text that is indexed: the readable text, followed by words at escapes or terminal codes in raw form.
    `as_shown` removes the latter.
    """
    escaped = [
        one
        for part in message.parts
        if isinstance(part, ToolResult) and not is_recalled(part.text)
        for inner in part.content
        if isinstance(inner, Text)
        for one in written(inner.text)
    ]
    return as_searched("\n".join(_lines(message)), escaped if message.wire != FORGOTTEN else ())


def out_of_search(message: Message) -> bool:
    """Return whether no search finds a message: a tombstone, or only recall calls or answers."""
    looks = (
        (isinstance(part, ToolCall) and asks_back(part.name))
        or (isinstance(part, ToolResult) and is_recalled(part.text))
        for part in message.parts
    )
    return message.wire == FORGOTTEN or (any(looks) and not any(_lines(message)))


def _lines(message: Message) -> Iterator[str]:
    if message.wire == FORGOTTEN:
        return
    for part in message.parts:
        match part:
            case Text():
                line = part.text
            case ToolCall():
                line = "" if asks_back(part.name) else f"{part.name} {arguments_text(part.arguments)}"
            case ToolResult():
                line = "" if is_recalled(part.text) else _result_text(part)
            case Media():
                line = part.uri
            case Opaque():
                line = part.text
            case Reasoning():
                line = ""
        if line:
            yield line
    yield from (one.text for one in message.added if one.kind in SEARCHED_ADDITIONS)


def _result_text(result: ToolResult) -> str:
    texts = (unescaped(one.text) if isinstance(one, Text) else one.uri for one in result.content)
    return "\n".join(text for text in texts if text)


def as_searched(text: str, escaped: Iterable[str] = ()) -> str:
    """Return a text as it is indexed: without terminal codes, followed by what was `escaped` in it and by words at
    codes in raw form. So a name cut out of raw output (`34mapp` of a coloured `app`) is found as well.
    """
    coded = [one for one in text.split() if "\x1b[" in one] if "\x1b[" in text else []
    left = MAX_RAW_CHARS
    raw: list[str] = []
    for word in dict.fromkeys((*escaped, *coded)):
        left -= len(word)
        if left < 0:
            break
        raw.append(word.replace("\x1b[", " ").strip())
    plain = without_codes(text)
    if AS_WRITTEN in plain:
        plain = plain.replace(AS_WRITTEN, " ")
    return "\n".join([plain, AS_WRITTEN, " ".join(raw)]) if raw else plain


def is_searched_otherwise(text: str) -> bool:
    """Return whether `as_searched` changes a text without escapes."""
    return "\x1b[" in text or AS_WRITTEN in text


def as_shown(searched: str) -> str:
    """Return the part of an indexed text that is shown to people and models."""
    return searched.partition(f"\n{AS_WRITTEN}\n")[0]


def without_codes(text: str, *, in_place: bool = False) -> str:
    """Return a text without terminal codes, which are not part of words. `in_place` replaces them with spaces, so
    that positions stay.
    """
    if "\x1b[" not in text:
        return text
    return _TERMINAL_CODE.sub(
        lambda code: " " * len(code[0]) if in_place else "" if code[1] in _IN_A_WORD else " ", text
    )


def arguments_text(arguments: str) -> str:
    """Return the strings, numbers and keys in a call's JSON arguments, unescaped and separated by spaces.

    Other text is returned unchanged, unescaped if it begins like JSON.
    """
    try:
        return " ".join(_values(json.loads(arguments)))
    except (ValueError, RecursionError):
        return unescaped(arguments)


def _strings(data: str, left_out: frozenset[str]) -> Iterator[str]:
    """Return the values in a JSON object, without those under some names and without long data in one piece."""
    try:
        value: object = json.loads(data)
    except (ValueError, RecursionError):
        return iter(())
    words = _values(value, left_out)
    return (one for one in words if len(one) <= _BLOB_CHARS or len(one.split(None, 1)) > 1)


def _values(value: object, left_out: frozenset[str] | None = None) -> Iterator[str]:
    """Yield the scalars in a JSON value as text, unescaped, and its keys unless some of them are left out."""
    pending: list[object] = [value]
    while pending:
        item = pending.pop()
        if isinstance(item, dict):
            for key, inner in reversed(list(cast("dict[str, object]", item).items())):
                if left_out is None:
                    pending.extend((inner, key))
                elif key not in left_out:
                    pending.append(inner)
        elif isinstance(item, list):
            pending.extend(reversed(cast("list[object]", item)))
        elif item is not None:
            yield unescaped(str(item))
