"""The tools of the server: the engine's tools for models, without their name prefix, and `status`.

They search all conversations of the owner, unless a call names one: its id, the beginning of its id, or "last".
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from typing import cast

from palimpsest.engine.engine import Engine
from palimpsest.engine.reports import find_conversation
from palimpsest.engine.tools.answers import refusal
from palimpsest.engine.tools.definitions import ModelTool
from palimpsest.errors import PalimpsestError
from palimpsest.mcp.resources import IDS_HINT
from palimpsest.mcp.server_status import read_status
from palimpsest.mcp.transcript_follower import Follower
from palimpsest.record.recall_mark import RECALLED

_PREFIX = "short_"
_CONVERSATION = "conversation"
_NAMES = (_CONVERSATION, "conversation_id", "session", "session_id")
_WIDER = (
    ("or all_conversations=true", "or without `conversation`"),
    ("sk for all_conversations", "sk without `conversation`"),
    (", all_conversations?", ", conversation?"),
)
"""How tools of one conversation refer to all others, and the wording here."""

_ABOUT_CONVERSATION = {
    "type": "string",
    "description": 'Only this conversation: its id, or the beginning of it, or "last". Default: all conversations.',
}


@dataclass(frozen=True, slots=True)
class Answer:
    """The result of a call: a text, and optionally fields.

    A client shows its model the fields instead of the text. Therefore messages that are read back are only text, not
    escaped into JSON.
    """

    text: str
    fields: Mapping[str, object] | None = None


Answering = Callable[[Mapping[str, object]], Awaitable[Answer]]


@dataclass(frozen=True, slots=True)
class Offer:
    """A tool. `parameters` is a JSON schema; `answer` takes the client's arguments."""

    name: str
    title: str
    description: str
    parameters: Mapping[str, object]
    answer: Answering


_TITLES = {
    "search": "Answer a question from earlier conversations",
    "grep": "Find exact words in earlier conversations",
    "describe": "Show what a summary contains",
    "expand": "Read messages in full",
}
_STATUS = "Shows what is stored: counts, the newest conversations with their ids, and followed folders."


def make_offers(engine: Engine, follower: Follower | None) -> tuple[Offer, ...]:
    """The tools for one owner's data."""

    async def status(_: Mapping[str, object]) -> Answer:
        found = await read_status(engine, follower)
        return Answer(found.text(), found.fields())

    nothing: dict[str, object] = {"type": "object", "properties": {}, "additionalProperties": False}
    return (
        *(_offer(engine, tool) for tool in engine.tools()),
        Offer("status", "What is stored", _STATUS, nothing, status),
    )


def plain_name(name: str) -> str:
    """A tool's name without the prefix."""
    return name.removeprefix(_PREFIX)


def _offer(engine: Engine, tool: ModelTool) -> Offer:
    properties = cast("Mapping[str, object]", tool.parameters["properties"])
    parameters = {**tool.parameters, "properties": {**properties, _CONVERSATION: _ABOUT_CONVERSATION}}

    async def answer(arguments: Mapping[str, object]) -> Answer:
        rest = dict(arguments)
        named = [given for name in _NAMES if (given := rest.pop(name, None)) is not None]
        if not named or not str(named[0]).strip():
            return Answer(_renamed(await tool.handler(rest)))
        try:
            info = find_conversation(str(named[0]).strip(), await engine.conversations(), IDS_HINT)
        except PalimpsestError as error:
            return Answer(refusal(error))
        return Answer(_narrow(_renamed(await engine.tools(info.id).call(tool.name, rest))))

    name = plain_name(tool.name)
    return Offer(name, _TITLES.get(name, name), tool.description.replace(_PREFIX, ""), parameters, answer)


def _narrow(text: str) -> str:
    """An answer about one conversation, with this server's wording for all others. Only the first line is changed,
    because the rest is text of the conversation, or the whole answer if nothing was found.
    """
    own, end, rest = (text, "", "") if text.startswith(f"{RECALLED} nothing") else text.partition("\n")
    for elsewhere, here in _WIDER:
        own = own.replace(elsewhere, here)
    return f"{own}{end}{rest}"


def _renamed(text: str) -> str:
    """An answer with this server's tool names in its last line, which tells how to read on."""
    before, _, last = text.rpartition("\n")
    return f"{before}\n{last.replace(_PREFIX, '')}" if before and last.startswith("[") else text
