"""Runs what other projects do to a session, call by call, with a scripted model. `cost_peers.py` starts it in an
environment of its own, where these projects are installed; it needs nothing else.

Input, on standard input, and output: one JSON object. A session's pieces become messages of their size, with a mark by which
they are known again; a peer is given the history before every model call, as its own documentation has it, and what it
sends is compared part by part with what it sent before. What it hid and the reply quotes is asked for once more, and
stands in the history from then on.
"""

# pyright: basic, reportMissingImports=false, reportAttributeAccessIssue=false

from __future__ import annotations

import json
import re
import signal
import sys
import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from types import SimpleNamespace
from typing import Any

SUMMARY_TOKENS = 3_000
ASK_TOKENS = 60
SESSION_LIMIT_S = 120
CHARS = 4
"""Characters of a token, to every peer's own estimate as well as to a vocabulary: the filler is words of four."""

_MARK = re.compile(r"\[([pfa]\d+)\]")


@dataclass(frozen=True)
class Said:
    """A message of the session: who, its text, and the ids of the calls it makes or answers."""

    role: str
    text: str
    calls: tuple[str, ...] = ()
    answers: str = ""


def filler(mark: str, tokens: int) -> str:
    """A text of so many tokens that begins with a mark."""
    head = f"[{mark}]"
    return head + " cat" * max(0, tokens - (len(head) + CHARS - 1) // CHARS)


def messages_of(pieces: list[list[Any]]) -> list[Said]:
    """Each piece as a message; a result answers the assistant message right before it, else it is a user's."""
    found: list[Said] = []
    speaker = -1
    for place, (kind, tokens) in enumerate(pieces):
        text = filler(f"p{place}", tokens)
        if kind in {"result", "file"} and speaker >= 0:
            found[speaker] = Said("assistant", found[speaker].text, (*found[speaker].calls, f"c{place}"))
            found.append(Said("tool", text, (), f"c{place}"))
        elif kind == "assistant":
            speaker = place
            found.append(Said("assistant", text))
        else:
            speaker = -1
            found.append(Said("user", text))
    return found


@dataclass
class Peer:
    """A peer with its own history. `fees` are the summarizer's calls since they were last taken: (input, output)."""

    name: str
    send: Callable[[list[Said]], list[str]]
    fees: list[tuple[int, int]] = field(default_factory=list)


def langchain_summarization(window: int, _prefix: int) -> Peer:
    from langchain.agents.middleware import SummarizationMiddleware
    from langchain_core.language_models import BaseChatModel
    from langchain_core.messages import AIMessage
    from langchain_core.outputs import ChatGeneration, ChatResult

    fees: list[tuple[int, int]] = []

    class Scripted(BaseChatModel):
        @property
        def _llm_type(self) -> str:
            return "scripted"

        def _generate(self, messages: Any, stop: Any = None, run_manager: Any = None, **named: Any) -> ChatResult:
            fees.append((sum(len(str(one.content)) for one in messages) // CHARS, SUMMARY_TOKENS))
            text = "[a0]" + " cat" * SUMMARY_TOKENS
            return ChatResult(generations=[ChatGeneration(message=AIMessage(content=text))])

    middleware = SummarizationMiddleware(model=Scripted(), trigger=("tokens", int(0.8 * window)))
    state: list[Any] = []

    def send(new: list[Said]) -> list[str]:
        state.extend(map(_langchain, new))
        update = middleware.before_model({"messages": state}, SimpleNamespace())  # type: ignore[arg-type]
        if update is not None:
            state[:] = update["messages"][1:]
        return [str(one.content) for one in state]

    return Peer("LangChain SummarizationMiddleware, 80 %", send, fees)


def langchain_editing(window: int, _prefix: int) -> Peer:
    from langchain.agents.middleware import ContextEditingMiddleware

    middleware = ContextEditingMiddleware()
    state: list[Any] = []

    def send(new: list[Said]) -> list[str]:
        state.extend(map(_langchain, new))
        sent: list[Any] = []
        request = SimpleNamespace(messages=state, override=lambda messages: SimpleNamespace(messages=messages))
        middleware.wrap_model_call(request, lambda made: sent.extend(made.messages))  # type: ignore[arg-type]
        return [str(one.content) for one in sent]

    return Peer("LangChain ContextEditingMiddleware", send)


def _langchain(said: Said) -> Any:
    from langchain_core.messages import AIMessage, HumanMessage, ToolMessage

    if said.role == "tool":
        return ToolMessage(content=said.text, tool_call_id=said.answers, name="tool")
    if said.role == "assistant":
        calls = [{"name": "tool", "args": {}, "id": one, "type": "tool_call"} for one in said.calls]
        return AIMessage(content=said.text, tool_calls=calls)
    return HumanMessage(content=said.text)


def litellm_trim(window: int, prefix: int) -> Peer:
    from litellm.utils import trim_messages

    state: list[dict[str, Any]] = [{"role": "system", "content": filler("a1", prefix)}]

    def send(new: list[Said]) -> list[str]:
        state.extend(map(_openai, new))
        sent = trim_messages(list(state), max_tokens=int(0.75 * window))
        return [str(one.get("content")) for one in sent if one.get("role") != "system"]

    return Peer("LiteLLM trim_messages, 75 %", send)


def _openai(said: Said) -> dict[str, Any]:
    if said.role == "tool":
        return {"role": "tool", "tool_call_id": said.answers, "content": said.text}
    made: dict[str, Any] = {"role": said.role, "content": said.text}
    if said.calls:
        function = {"name": "tool", "arguments": "{}"}
        made["tool_calls"] = [{"id": one, "type": "function", "function": function} for one in said.calls]
    return made


def pydantic_summarizing(window: int, _prefix: int) -> Peer:
    from pydantic_ai.models.function import FunctionModel
    from pydantic_ai_harness.compaction import SummarizingCompaction

    fees: list[tuple[int, int]] = []

    def summarize(messages: Any, info: Any) -> Any:
        from pydantic_ai.messages import ModelResponse, TextPart

        fees.append((sum(len(text) for text in _pydantic_texts(messages)) // CHARS, SUMMARY_TOKENS))
        return ModelResponse(parts=[TextPart("[a0]" + " cat" * SUMMARY_TOKENS)])

    compaction = SummarizingCompaction(model=FunctionModel(summarize), max_fraction=0.8, context_window=window)
    return Peer("pydantic-ai-harness summarizing, 80 %", _pydantic_send(compaction), fees)


def pydantic_sliding(window: int, _prefix: int) -> Peer:
    from pydantic_ai_harness.compaction import SlidingWindowCompaction

    compaction = SlidingWindowCompaction(max_fraction=0.8, context_window=window)
    return Peer("pydantic-ai-harness sliding window, 80 %", _pydantic_send(compaction))


def _pydantic_send(capability: Any) -> Callable[[list[Said]], list[str]]:
    """Runs an agent for one model call; its history is what the agent says it is afterwards."""
    from pydantic_ai import Agent
    from pydantic_ai.messages import ModelResponse, TextPart
    from pydantic_ai.models.function import FunctionModel

    sent: list[Any] = []
    state: list[Any] = []

    def answer(messages: Any, info: Any) -> Any:
        sent[:] = list(messages)
        return ModelResponse(parts=[TextPart("ok")])

    agent = Agent(FunctionModel(answer), capabilities=[capability])

    def send(new: list[Said]) -> list[str]:
        state.extend(_pydantic(new))
        made = agent.run_sync(message_history=state)
        state[:] = made.all_messages()[:-1]
        return _pydantic_texts(sent)

    return send


def _pydantic(new: list[Said]) -> Iterator[Any]:
    """Messages as this library has them: results stand in one request."""
    from pydantic_ai.messages import (
        ModelRequest,
        ModelResponse,
        TextPart,
        ToolCallPart,
        ToolReturnPart,
        UserPromptPart,
    )

    parts: list[Any] = []
    for said in new:
        if said.role == "assistant":
            if parts:
                yield ModelRequest(parts=parts)
                parts = []
            yield ModelResponse(parts=[TextPart(said.text), *(ToolCallPart("tool", {}, one) for one in said.calls)])
        elif said.role == "tool":
            parts.append(ToolReturnPart("tool", said.text, said.answers))
        else:
            parts.append(UserPromptPart(said.text))
    if parts:
        yield ModelRequest(parts=parts)


def _pydantic_texts(messages: Any) -> list[str]:
    found: list[str] = []
    for message in messages:
        for part in message.parts:
            content = getattr(part, "content", None)
            if content:
                found.append(content if isinstance(content, str) else str(content))
    return found


PEERS = (langchain_summarization, langchain_editing, litellm_trim, pydantic_summarizing, pydantic_sliding)


def play(peer: Peer, session: dict[str, Any]) -> list[list[Any]]:
    """[call, prompt, shared with the one before, asked, summarizer's input, its output] of every model call."""
    said = messages_of(session["pieces"])
    whole = {f"p{place}": one.text for place, one in enumerate(said)}
    records: list[list[Any]] = []
    before: list[str] = []
    start = asked = 0
    for number, (end, quotes) in enumerate(session["calls"]):
        waiting = said[start:end]
        start = end
        for piece in [*_needed_places(quotes), None]:
            sent = peer.send(waiting)
            shown = {mark for text in sent if (mark := _mark(text)) and whole.get(mark) == text}
            needed = piece is not None and not any(_stands(one, shown) for one in piece)
            while piece is not None and not needed:
                break
            fees, peer.fees[:] = list(peer.fees), []
            shared = _shared(before, sent)
            records.append(
                [
                    number,
                    session["prefix"] + sum(map(_tokens, sent)),
                    session["prefix"] + sum(map(_tokens, sent[:shared])),
                    needed,
                    sum(one for one, _ in fees),
                    sum(one for _, one in fees),
                ]
            )
            before = sent
            waiting = []
    return records
