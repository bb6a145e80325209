"""Runs what other projects do to a session, call by call, with a scripted model. `cost_peers.py` starts it in an
environment of its own, where these projects are installed; it needs nothing else.

Input, on standard input, and output: one JSON object. A session's pieces become messages of their size, with a mark by
which they are known again; a peer is given the history before every model call, as its own documentation
has it, and what it sends is compared part by part with what it sent before. What it hid and the reply quotes is asked
for once more, and stands in the history from then on.
"""

# pyright: basic, reportMissingImports=false, reportAttributeAccessIssue=false

from __future__ import annotations

import json
import os
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
SESSION_LIMIT_S = 60
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
    head += " " * (-len(head) % CHARS)
    return head + " cat" * max(0, tokens - len(head) // CHARS)


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

        def _generate(self, messages: Any, *_others: Any, **_named: Any) -> ChatResult:
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
        request = SimpleNamespace(
            messages=state, override=lambda messages: SimpleNamespace(messages=messages)
        )
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
    os.environ["LITELLM_LOCAL_MODEL_COST_MAP"] = "True"
    from litellm import utils

    utils.token_counter = (
        _count  # its tokenizer says the same of this filler, and needs minutes for a session
    )
    state: list[dict[str, Any]] = [{"role": "system", "content": filler("a1", prefix)}]

    def send(new: list[Said]) -> list[str]:
        state.extend(map(_openai, new))
        sent = utils.trim_messages(list(state), max_tokens=int(0.75 * window))
        return [str(one.get("content")) for one in sent if one.get("role") != "system"]

    return Peer("LiteLLM trim_messages, 75 %", send)


def _count(model: str = "", messages: Any = (), **_named: Any) -> int:
    return sum(4 + len(str(one.get("content"))) // CHARS for one in messages)


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

    compaction = SummarizingCompaction(
        model=FunctionModel(summarize), max_fraction=0.8, context_window=window
    )
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
        if not state:
            return []
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
            yield ModelResponse(
                parts=[TextPart(said.text), *(ToolCallPart("tool", {}, one) for one in said.calls)]
            )
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


@dataclass
class Shown:
    """What of the pieces stands whole in a prompt. A piece that was fetched again stands under another mark as well."""

    texts: dict[str, str]
    marks: dict[int, list[str]] = field(default_factory=dict)

    def fetch(self, piece: int) -> list[Said]:
        """The messages that bring a piece back: the call that asks for it, and its text."""
        again = self.marks.setdefault(piece, [])
        mark = f"f{len(self.texts)}"
        again.append(mark)
        self.texts[mark] = filler(mark, len(self.texts[f"p{piece}"]) // CHARS)
        return [
            Said("assistant", filler(f"a{len(self.texts)}", ASK_TOKENS), (mark,)),
            Said("tool", self.texts[mark], (), mark),
        ]

    def missing(self, quotes: list[list[int]], sent: list[str]) -> int | None:
        """The first piece that is quoted and stands nowhere in what was sent, or None."""
        there = {
            found[1] for text in sent if (found := _MARK.match(text)) and self.texts.get(found[1]) == text
        }
        for holders in quotes:
            marks = (mark for piece in holders for mark in (f"p{piece}", *self.marks.get(piece, ())))
            if there.isdisjoint(marks):
                return holders[0]
        return None


def play(peer: Peer, session: dict[str, Any]) -> Iterator[list[Any]]:
    """[call, prompt, shared with the one before, asked, summarizer's input, its output] of every model call."""
    said = messages_of(session["pieces"])
    shown = Shown({f"p{place}": one.text for place, one in enumerate(said)})
    before: list[str] = []
    start = 0
    for number, (end, quotes) in enumerate(session["calls"]):
        waiting, start = said[start:end], end
        fetched: set[int] = set()
        while True:
            sent = peer.send(waiting)
            piece = shown.missing([one for one in quotes if one[0] not in fetched], sent)
            fees, peer.fees[:] = list(peer.fees), []
            shared = next(
                (at for at, (one, other) in enumerate(zip(before, sent, strict=False)) if one != other), None
            )
            shared = min(len(before), len(sent)) if shared is None else shared
            yield [
                number,
                session["prefix"] + sum(len(text) // CHARS for text in sent),
                session["prefix"] + sum(len(text) // CHARS for text in sent[:shared]),
                piece is not None,
                sum(one for one, _ in fees),
                sum(one for _, one in fees),
            ]
            before = sent
            if piece is None:
                break
            fetched.add(piece)
            waiting = shown.fetch(piece)


class OutOfTime(BaseException):
    """A session takes too long. No peer's own handling of errors may catch it."""


def _too_long(number: int, frame: object) -> None:
    raise OutOfTime


def main() -> None:
    """Every peer on every session."""
    warnings.simplefilter("ignore")
    given = json.load(sys.stdin)
    signal.signal(signal.SIGALRM, _too_long)
    found: list[dict[str, Any]] = []
    for make in PEERS:
        for place, session in enumerate(given["sessions"]):
            name, records = make.__name__, None
            signal.alarm(SESSION_LIMIT_S)
            try:
                peer = make(given["window"], session["prefix"])
                name = peer.name
                records = list(play(peer, session))
                why = ""
            except OutOfTime:
                why = f"took more than {SESSION_LIMIT_S} s"
            except Exception as error:  # noqa: BLE001  (whatever a peer fails of is reported as its result)
                why = f"{type(error).__name__}: {error}"[:200]
            finally:
                signal.alarm(0)
            found.append({"peer": name, "session": place, "records": records, "why": why})
            print(f"{name}: session {place + 1} of {len(given['sessions'])} {why}", file=sys.stderr)
    print(json.dumps(found))


if __name__ == "__main__":
    main()
