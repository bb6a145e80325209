"""Recorded conversations, played again: a model that says what was said, and tools that return what was returned."""

from __future__ import annotations

import json
from collections import defaultdict, deque
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

import palimpsest
from palimpsest.agent.agent import Agent, make_agent
from palimpsest.agent.tools import Tool
from palimpsest.complete.scripted import ScriptedModel
from palimpsest.errors import DoesNotFit
from palimpsest.formats import parse_any
from palimpsest.record.completion import Completion, CompletionRequest
from palimpsest.record.message import Media, Message, Text, ToolCall, ToolDef, Usage
from tests.agent.kit import JudgingModel, history, prompt_tokens
from tests.engine.transcripts import DATA

Content = tuple[Text | Media, ...]

NO_RESULT: Content = (Text("no result was recorded"),)


@dataclass(frozen=True, slots=True)
class Turn:
    """A message of the user, and each reply with what its calls returned."""

    asked: Message
    replies: tuple[tuple[Message, tuple[Content, ...]], ...]


@dataclass(frozen=True, slots=True)
class Played:
    """What came of playing a conversation: requests made, turns that no request could hold, faults, and what is stored
    beside what was said.
    """

    requests: int
    refusals: tuple[DoesNotFit, ...]
    faults: tuple[str, ...]
    largest_tokens: int
    compactions: int
    stored: tuple[object, ...]
    expected: tuple[object, ...]


def airline() -> Iterator[tuple[str, list[Message]]]:
    """(system prompt, history) of each conversation of the airline's desk."""
    path = DATA / "tau-bench" / "gpt-4o-airline.json"
    for one in json.loads(path.read_text(encoding="utf-8")):
        messages = [message for given in one["traj"] for message in parse_any(given)]
        yield messages[0].text, messages[1:]


def turns_of(messages: Sequence[Message]) -> list[Turn]:
    """A history as turns. Replies without a call that another reply follows at once are one with it."""
    found: list[Turn] = []
    for message in messages:
        if message.role == "user":
            found.append(Turn(_plain(message), ()))
        elif message.role == "assistant" and found and message.parts:
            turn = found[-1]
            reply = _plain(message)
            before = turn.replies[-1][0] if turn.replies else None
            replies = turn.replies
            if before is not None and not before.calls:
                reply, replies = replace(before, parts=before.parts + reply.parts), turn.replies[:-1]
            found[-1] = replace(turn, replies=(*replies, (reply, (NO_RESULT,) * len(reply.calls))))
        elif message.results and found and found[-1].replies:
            found[-1] = _answered(found[-1], message)
    return found


def _plain(message: Message) -> Message:
    """The message without what its source knows of it."""
    return replace(message, origin="", provisional=False, usage=None, model="", time_s=None)


def _answered(turn: Turn, message: Message) -> Turn:
    """The turn with results put beside the calls of its newest reply."""
    reply, results = turn.replies[-1]
    known = list(results)
    for result in message.results:
        places = [place for place, call in enumerate(reply.calls) if call.id == result.call_id]
        for place in places:
            known[place] = result.content or NO_RESULT
    return replace(turn, replies=(*turn.replies[:-1], (reply, tuple(known))))


class Replaying(JudgingModel):
    """The model of one conversation: `play` gives it the turn whose replies come next."""

    def __init__(self, room_tokens: int, *, reports: bool) -> None:
        super().__init__([self._reply], room_tokens)
        self.reports = reports
        self.left: deque[tuple[Message, tuple[Content, ...]]] = deque()
        self.results: dict[str, deque[Content]] = defaultdict(deque)

    def play(self, turn: Turn) -> None:
        """Say this turn's replies next; its request has to be in every prompt."""
        self.left = deque(turn.replies)
        self.newest = next((part.text for part in turn.asked.parts if isinstance(part, Text)), "")

    def _reply(self, request: CompletionRequest) -> Completion:
        usage = Usage(prompt_tokens(request) + 4 * len(request.messages), 50) if self.reports else None
        if not self.left:
            return Completion("", usage)
        message, results = self.left.popleft()
        self.results.clear()
        for call, content in zip(message.calls, results, strict=True):
            self.results[call.name].append(content)
        finish = "tool_calls" if message.calls else "stop"
        return Completion(message.text, usage, finish, calls=message.calls, message=message)

    def tools(self, turns: Sequence[Turn]) -> list[Tool]:
        """Every tool that is called, returning what was recorded."""
        names = {call.name for turn in turns for message, _ in turn.replies for call in message.calls}
        return [Tool(ToolDef(name, "", '{"type": "object"}'), self._returns(name)) for name in sorted(names)]

    def _returns(self, name: str) -> Any:
        async def handler(**arguments: object) -> object:
            return self.results[name].popleft()

        return handler


async def played(
    system: str,
    messages: Sequence[Message],
    *,
    window_tokens: int,
    preset: str,
    reports: bool = True,
    summarizer: ScriptedModel | None = None,
) -> Played:
    """Play a conversation through the loop in a window of this size."""
    turns = turns_of(messages)
    async with palimpsest.open(
        ":memory:", preset=preset, window_tokens=window_tokens, complete=summarizer
    ) as engine:
        model = Replaying(engine.settings.window_tokens - engine.settings.max_tokens, reports=reports)
        agent = make_agent(engine, model, system=system, tools=model.tools(turns))
        expected: list[object] = []
        refusals: list[DoesNotFit] = []
        for turn in turns:
            left, refusal = await _play(agent, model, turn)
            refusals += [refusal] if refusal is not None else []
            expected.append(_said(turn.asked))
            for message, results in turn.replies[: len(turn.replies) - left]:
                expected.append(_said(message))
                expected += [
                    _returned(call, content) for call, content in zip(message.calls, results, strict=True)
                ]
        talk = engine.conversation("played")
        stored = [
            _returned(ToolCall(one.results[0].call_id, ""), one.results[0].content)
            if one.results
            else _said(one)
            for one in await history(talk)
        ]
        compactions = (await engine.stats()).compactions
    return Played(
        len(model.requests), tuple(refusals), tuple(model.faults), model.largest_tokens, compactions,
        tuple(stored), tuple(expected),
    )  # fmt: skip


async def _play(agent: Agent, model: Replaying, turn: Turn) -> tuple[int, DoesNotFit | None]:
    """Run one turn: how many of its replies were not asked for, and why no request could hold it, where none could."""
    model.play(turn)
    try:
        await agent.answer("played", turn.asked)
    except DoesNotFit as error:
        return len(model.left), error
    return len(model.left), None


def _said(message: Message) -> object:
    return message.role, message.parts


def _returned(call: ToolCall, content: Content) -> object:
    return call.id, content
