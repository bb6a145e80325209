"""The tools that a client sees: those that models are given anyway, under plain names, and `status`.

They look in all conversations of the owner, unless a call names one: its id, the beginning of its id, or "last".
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from typing import cast

from palimpsest.engine.engine import Engine
from palimpsest.engine.tools.answers import refusal
from palimpsest.engine.tools.definitions import ModelTool
from palimpsest.errors import PalimpsestError
from palimpsest.mcp.conversation_ids import choose
from palimpsest.mcp.status import take_status
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
"""What tools of one conversation say of the way to all others, and what is said here."""

_ABOUT_CONVERSATION = {
    "type": "string",
    "description": 'Only this conversation: its id, or the beginning of it, or "last". All are looked in if left out.',
}


@dataclass(frozen=True, slots=True)
class Answer:
    """What a call gives: a text, and fields where a program may want them.

    A client shows its model the fields in place of the text, where there are any. What is read back is text alone
    therefore: words that a model reads are not escaped into JSON.
    """

    text: str
    fields: Mapping[str, object] | None = None


Answering = Callable[[Mapping[str, object]], Awaitable[Answer]]


@dataclass(frozen=True, slots=True)
class Offer:
    """A tool: `parameters` is JSON schema, `answer` takes the arguments as the client sent them."""

    name: str
    title: str
    description: str
    parameters: Mapping[str, object]
    answer: Answering


_TITLES = {
    "search": "Answer a question from earlier conversations",
    "grep": "Find exact words in earlier conversations",
    "describe": "Say what lies under a summary",
    "expand": "Read messages in full",
}
_STATUS = "Says what is stored: counts, the newest conversations with their ids, and what is followed."


def make_offers(engine: Engine, follower: Follower | None) -> tuple[Offer, ...]:
    """The tools over one owner's data."""

    async def status(_: Mapping[str, object]) -> Answer:
        found = await take_status(engine, follower)
        return Answer(found.text(), found.fields())

    nothing: dict[str, object] = {"type": "object", "properties": {}, "additionalProperties": False}
    return (
        *(_offer(engine, tool) for tool in engine.tools()),
        Offer("status", "What is stored", _STATUS, nothing, status),
    )


def plain_name(name: str) -> str:
    """A tool's name here: that of the tool for models without its prefix."""
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
            info = choose(str(named[0]).strip(), await engine.conversations())
        except PalimpsestError as error:
            return Answer(refusal(error))
        return Answer(_narrow(_renamed(await engine.tools(info.id).call(tool.name, rest))))

    name = plain_name(tool.name)
    return Offer(name, _TITLES.get(name, name), tool.description.replace(_PREFIX, ""), parameters, answer)


def _narrow(text: str) -> str:
    """An answer about one conversation, with the way to all others as a client has it here: in all of an answer that
    holds nothing, else in its first line, behind which words of the conversation stand.
    """
    own, end, rest = (text, "", "") if text.startswith(f"{RECALLED} nothing") else text.partition("\n")
    for elsewhere, here in _WIDER:
        own = own.replace(elsewhere, here)
    return f"{own}{end}{rest}"


def _renamed(text: str) -> str:
    """An answer whose last line, which says how to read on, names the tools as they are named here."""
    before, _, last = text.rpartition("\n")
    return f"{before}\n{last.replace(_PREFIX, '')}" if before and last.startswith("[") else text
