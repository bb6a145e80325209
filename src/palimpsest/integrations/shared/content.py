"""Content blocks of frameworks as parts of a message, and back.

Frameworks pass on the blocks of many providers in dicts: OpenAI's, Anthropic's, Bedrock's and their own. Tool calls
among them are skipped, because every framework also lists them apart. What no part expresses is opaque.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import groupby
from typing import Any, cast

from palimpsest.errors import FormatError
from palimpsest.formats import media
from palimpsest.formats.wire_fields import dumps
from palimpsest.integrations.shared.threads import Piece
from palimpsest.record.message import Media, Message, Opaque, Part, Reasoning, Role, Text

Block = Mapping[str, object]

_CALLS = frozenset(
    ("tool_use", "tool_call", "tool_call_chunk", "function_call", "toolUse", "server_tool_call")
)
_THINKING = frozenset(("thinking", "redacted_thinking", "reasoning"))
_SIGNATURES = ("signature", "encrypted_content", "data")
_ADDRESSES = ("url", "uri", "file_uri", "image_url", "file_id", "file_data")
_DATA = ("data", "base64", "bytes")


def dumped(value: object) -> str:
    """A value as JSON text; one without such a form as the text of it."""
    try:
        return dumps(value)
    except FormatError:
        return dumps(str(value))


def parts_of(content: object) -> list[Part]:
    """The parts in a framework's content: text, or a list of texts and blocks."""
    if isinstance(content, str):
        return [Text(content)] if content else []
    if not isinstance(content, Iterable) or isinstance(content, Mapping | bytes):
        return [Opaque("content", dumped(cast("object", content)))] if content is not None else []
    blocks = cast("Iterable[object]", content)
    return [part for one in blocks for part in _parts_of_block(one)]


def _parts_of_block(block: object) -> list[Part]:
    if isinstance(block, str):
        return [Text(block)] if block else []
    if not isinstance(block, Mapping):
        return [Opaque(type(block).__name__, dumps(str(block)))]
    fields = cast("Block", block)
    kind = str(fields.get("type") or next(iter(fields), ""))
    if kind in _CALLS:
        return []
    if kind in _THINKING:
        return [_reasoning(kind, fields)]
    text = fields.get("text")
    if isinstance(text, str) and kind in ("text", "input_text", "output_text"):
        return [Text(text)] if text else []
    found = _media(kind, fields)
    return [found or Opaque(kind, dumped(fields))]


def _reasoning(kind: str, fields: Block) -> Reasoning:
    """Thinking with its signature: Anthropic's, OpenAI's with its summary, or a framework's own form of both."""
    inner = {**_mapping(fields.get("extras")), **fields}
    if kind == "redacted_thinking":
        return Reasoning(str(inner.get("data") or ""), redacted=True)
    said = inner.get("thinking") or inner.get("reasoning") or inner.get("text") or ""
    if not isinstance(said, str) or not said:
        said = "\n".join(str(one.get("text") or "") for one in _mappings(inner.get("summary")))
    signature = next((str(inner[name]) for name in _SIGNATURES if inner.get(name)), "")
    return Reasoning(said, signature)


def _media(kind: str, fields: Block) -> Media | None:
    """An image, document, audio or video of any form."""
    coarse = kind.removeprefix("input_").removesuffix("_url")
    inner = dict(fields)
    for name in (kind, coarse, "source", "file"):
        inner = {**_mapping(fields.get(name)), **inner}
    media_type = str(
        next((inner[n] for n in ("mime_type", "media_type", "mimeType") if inner.get(n)), "") or coarse
    )
    data = next((inner[name] for name in _DATA if isinstance(inner.get(name), str) and inner[name]), None)
    if isinstance(data, str) and coarse != "text":
        return media.inline(media_type, data)
    address = next((inner[name] for name in _ADDRESSES if isinstance(inner.get(name), str)), None)
    return media.from_uri(address, media_type) if isinstance(address, str) and address else None


def _mapping(value: object) -> Block:
    return cast("Block", value) if isinstance(value, Mapping) else {}


def _mappings(value: object) -> list[Block]:
    return (
        [_mapping(one) for one in cast("Iterable[object]", value)] if isinstance(value, list | tuple) else []
    )


def chat_content(parts: Sequence[Part]) -> str | list[dict[str, object]]:
    """Texts and media as the content of OpenAI's chat form, which frameworks read: text, or blocks with media."""
    shown = [one for one in parts if isinstance(one, Text | Media)]
    if not any(isinstance(one, Media) for one in shown):
        return "\n".join(one.text for one in shown if isinstance(one, Text))
    return [_chat_block(one) for one in shown]


def _chat_block(part: Text | Media) -> dict[str, object]:
    if isinstance(part, Text):
        return {"type": "text", "text": part.text}
    if media.kind_of(part) != "image":
        return {"type": "text", "text": media.media_note(part)}
    return {"type": "image_url", "image_url": {"url": media.uri_of(part)}}


def result_content(parts: Sequence[Part]) -> tuple[Text | Media, ...]:
    """Parts as the content of a tool's result, which has only texts and media."""
    return tuple(
        one if isinstance(one, Text | Media) else Text(one.data if isinstance(one, Opaque) else str(one))
        for one in parts
    )


def arguments_text(value: object) -> str:
    """The arguments of a call as JSON text, whichever form a framework has them in."""
    return value if isinstance(value, str) else dumped(value if value is not None else {})


def names_of_calls(messages: Iterable[Message]) -> dict[str, str]:
    """The names of the tools that were called, by the ids of the calls."""
    spoken = (message for message in messages if message.role == "assistant")
    return {call.id: call.name for message in spoken for call in message.calls}


def leaves(value: object) -> Iterator[object]:
    """The keys and values in nested dicts and lists."""
    pending = [value]
    while pending:
        one = pending.pop()
        if isinstance(one, Mapping):
            fields = cast("Block", one)
            pending.extend((*fields, *fields.values()))
        elif isinstance(one, list | tuple):
            pending.extend(cast("Sequence[object]", one))
        else:
            yield one


def replied(message: Message, model: str) -> Message:
    """A reply with its model. One with Claude's signed thinking is of Anthropic's wire: the rules for such thinking
    apply, and fields in the form of another wire are left out.
    """
    signed = any(isinstance(one, Reasoning) and (one.signature or one.redacted) for one in message.parts)
    if not signed or "claude" not in model:
        return replace(message, model=model)
    parts = tuple(replace(one, extra="") for one in message.parts)
    return replace(message, model=model, wire="anthropic", extra="", parts=parts)


def shared_pieces(native: object, messages: Sequence[Message], model: str) -> list[Piece]:
    """Pieces for the messages that one object of a framework holds. `runs_of` puts them together again."""
    found = [replied(one, model) if one.role == "assistant" else one for one in messages if one.parts]
    return [Piece(one, (native, len(found))) for one in found]


def runs_of(pieces: Sequence[Piece]) -> Iterator[tuple[Any, list[Message]]]:
    """Each object of the framework of which all messages are shown, and None with messages to write anew.

    What the system says in their place becomes the user's.
    """
    for _, run in groupby(pieces, lambda one: id(_source(one)[0])):
        group = list(run)
        native, count = _source(group[0])
        messages = [one.message for one in group]
        if count == len(group):
            yield native, messages
        else:
            roles: list[Role] = ["user" if one.role == "system" else one.role for one in messages]
            yield (
                None,
                [replace(one, role=role, extra="") for one, role in zip(messages, roles, strict=True)],
            )


def _source(piece: Piece) -> tuple[object, int]:
    """The object that a piece is from, and how many messages it has; 0 for one that the engine made."""
    return cast("tuple[object, int]", piece.native) if piece.native is not None else (None, 0)
