"""Agents to test with: a model that judges every request it is given, tools, and what a run and a store hold."""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence
from contextlib import aclosing
from functools import lru_cache

from palimpsest.agent.agent import Agent
from palimpsest.agent.events import AgentEvent
from palimpsest.complete.scripted import Reply, ScriptedModel
from palimpsest.engine.conversation import Conversation
from palimpsest.formats import anthropic, gemini, openai
from palimpsest.formats.rules import anthropic_breaches, gemini_breaches, openai_breaches
from palimpsest.record.completion import Completion, CompletionRequest, Delta, TextDelta
from palimpsest.record.message import Message, Text
from tests.engine.laws import _texts as _strings
from tests.engine.laws import exact_tokens

FORMS = (
    (openai.render_request, openai_breaches),
    (anthropic.render_request, anthropic_breaches),
    (gemini.render_request, gemini_breaches),
)


class JudgingModel(ScriptedModel):
    """A scripted model that notes what is wrong with each request: for a provider, for a room of so many tokens, or
    because the text that the user said last is not in it.
    """

    def __init__(
        self, replies: Sequence[Reply], room_tokens: int = 0, *, pause_s: float = 0.0, newest: str = ""
    ) -> None:
        super().__init__(replies, pause_s=pause_s)
        self.room_tokens = room_tokens
        self.newest = newest
        self.faults: list[str] = []
        self.largest_tokens = 0

    async def __call__(self, request: CompletionRequest, /) -> Completion:
        self.judge(request)
        return await super().__call__(request)

    async def stream(self, request: CompletionRequest, /) -> AsyncIterator[Delta | Completion]:
        self.judge(request)
        async for piece in super().stream(request):
            yield piece

    def judge(self, request: CompletionRequest) -> None:
        """Note the faults of a request in each wire form."""
        number = len(self.requests) + 1
        for render, breaches in FORMS:
            body = render(request.system_texts, request.messages, request.tools)
            self.faults += [f"request {number}: {one}" for one in breaches(body)]
        tokens = prompt_tokens(request)
        self.largest_tokens = max(self.largest_tokens, tokens)
        users = [message for message in request.messages if message.role == "user"]
        if self.newest and not any(self.newest in _texts(message) for message in users):
            self.faults.append(f"request {number}: the newest request is not in it")
        if self.room_tokens and tokens > self.room_tokens:
            self.faults.append(f"request {number}: {tokens} tokens in a room of {self.room_tokens}")


def prompt_tokens(request: CompletionRequest) -> int:
    """Tokens of all texts of a request in OpenAI's form, counted exactly; each text is counted once."""
    body = openai.render_request(request.system_texts, request.messages, request.tools)
    return sum(_exact(text) for text in _strings(body))


_exact = lru_cache(50_000)(exact_tokens)


def _texts(message: Message) -> list[str]:
    return [part.text for part in message.parts if isinstance(part, Text)]


async def told(
    agent: Agent, conversation: str | Conversation, message: object, key: str | None = None
) -> list[AgentEvent]:
    """Everything that one turn tells."""
    async with aclosing(agent.run(conversation, message, key=key)) as events:
        return [event async for event in events]


def kinds(events: Sequence[AgentEvent]) -> list[str]:
    """The names of the events, runs of one name as one."""
    names = [type(event).__name__ for event in events]
    return [name for place, name in enumerate(names) if place == 0 or names[place - 1] != name]


def words(events: Sequence[AgentEvent]) -> str:
    """The text that was streamed."""
    return "".join(event.text for event in events if isinstance(event, TextDelta))


async def history(talk: Conversation) -> list[Message]:
    """Every message that is stored of a conversation's current branch, in order."""
    found: list[Message] = []
    while page := await talk.messages(len(found) + 1):
        found += [stored.message for stored in page]
    return found


def shape(messages: Sequence[Message]) -> list[tuple[str, str]]:
    """(role, what it says) of each message: text, results, or the calls' names."""
    return [
        (
            message.role,
            message.text
            or " ".join(result.text for result in message.results)
            or " ".join(f"{call.name}()" for call in message.calls),
        )
        for message in messages
    ]
