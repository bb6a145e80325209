"""Random sessions of a client whose every request is checked by Anthropic's strict rules, by value.

A plan is drawn from a `Random`, so that Hypothesis and a seed draw the same way. A session carries it out through the
public API, signs the replies as the provider would, and notes what broke a law.
"""

from __future__ import annotations

import asyncio
import copy
import json
from collections import Counter
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from random import Random
from typing import Any, ClassVar, Self

import palimpsest
from palimpsest.budget.assemble import Request
from palimpsest.engine.conversation import Conversation, state_of
from palimpsest.engine.engine import Engine
from palimpsest.errors import DoesNotFit, ModelError, UsageError
from palimpsest.formats import anthropic
from palimpsest.formats.rules import bedrock_breaches
from palimpsest.ports import Store
from palimpsest.record.completion import Completion, CompletionRequest
from palimpsest.record.message import SEARCHED_ADDITIONS, Addition, Reasoning
from palimpsest.record.provider_block import ProviderSummary
from palimpsest.record.window import Window
from palimpsest.record.window_items import MessageItem, StubItem
from palimpsest.settings import make_settings
from tests.wire.strict.anthropic_rules import check_request
from tests.wire.strict.claude_models import claude_model
from tests.wire.strict.prefix_law import Shape, break_of, shape_of
from tests.wire.strict.refusal import Fields, Refusal, fields, objects
from tests.wire.strict.thinking import (
    THINKING,
    Checked,
    Signatures,
    check_signed,
    flat,
    register_reply,
    register_summary,
)

BINDING, ALSO_BINDING = "claude-opus-5-5", "claude-fable-5-1"
FREE, OLD, GPT = "claude-opus-5", "claude-sonnet-4-5", "gpt-6.2-astra"
MODELS = ("", BINDING, BINDING, BINDING, f"anthropic:{BINDING}", ALSO_BINDING, FREE, OLD, GPT)
WIRES = ("anthropic", "openai", "responses", "gemini", "bedrock")
PRESETS: tuple[Mapping[str, Any], ...] = (
    {}, {"tail_tokens": 50}, {"tail_tokens": 400, "window_target_tokens": 1_200, "compact_not_below_share": 0.0},
    {"preset": "hierarchical", "fresh_tail_count": 3, "leaf_min_fanout": 2, "leaf_chunk_tokens": 500,
     "leaf_target_tokens": 100, "condensed_min_fanout": 2, "condensed_target_tokens": 120},
    {"preset": "seahorse", "fresh_tail_count": 3, "leaf_min_fanout": 2, "leaf_target_tokens": 100},
    {"preset": "picoclaw", "summarize_message_threshold": 8}, {"preset": "crabtalk", "compact_threshold": 1_200},
    {"preset": "hermes", "tail_tokens": 400}, {"preset": "openclaw", "trigger_reserve_tokens": 500, "tail_tokens": 400},
    {"preset": "economic", "tail_tokens": 400}, {"preset": "sliding-window"}, {"preset": "drop-middle"},
)  # fmt: skip
WINDOWS = ((3_000, 300), (3_000, 300), (6_000, 500), (40_000, 2_000))
PROVIDERS = ("none", "signed", "signed", "signed", "failing", "slow", "rubbish", "now and then")
RUBBISH: tuple[Any, ...] = (
    ProviderSummary("anthropic", ()),
    ProviderSummary("anthropic", ("not JSON",), "A summary."),
    ProviderSummary("anthropic", ("[]",), "A summary."),
    ProviderSummary("openai", ('{"type":"compaction"}',), "A summary."),
    None,
    "A summary.",
)
KINDS = {
    "call": 30, "step": 30, "inject": 8, "memory": 6, "system": 3, "tools": 3, "model": 3, "compact": 5,
    "under": 2, "end_turn": 6, "end_step": 4, "idle": 4, "pin": 4, "unpin": 2, "told": 3, "ask": 4, "fail": 3,
    "late": 2, "twice": 2, "sync": 3, "edit": 1, "reopen": 2, "recover": 1, "forget": 1, "long": 5,
}  # fmt: skip
"""What can happen, and how often."""
QUIET = frozenset(
    ("call", "step", "inject", "memory", "system", "end_turn", "end_step", "told", "compact", "pin", "long")
)
"""What a client of a binding model can do without losing its thinking, but for compactions."""
SIZES = (40, 150, 400, 900)


@dataclass(frozen=True, slots=True)
class Deed:
    """One thing that happens."""

    kind: str
    number: int = 0


@dataclass(frozen=True, slots=True)
class Plan:
    """A session before it is carried out."""

    settings: Mapping[str, Any]
    provider: str
    model: str
    names_model: bool
    deeds: tuple[Deed, ...]


def draw_plan(draw: Random, most: int = 14, kinds: Mapping[str, int] = KINDS, **settings: Any) -> Plan:
    """A plan of up to so many deeds. `settings` are those that are not drawn."""
    window_tokens, max_tokens = draw.choice(WINDOWS)
    provider = draw.choice(PROVIDERS)
    drawn: dict[str, Any] = {
        **draw.choice(PRESETS),
        "window_tokens": window_tokens,
        "max_tokens": max_tokens,
        "injections": draw.choice(("auto", "auto", "stay", "once")),
        "provider_betas": draw.choice(("off", "on")),
        "auto_recall_tokens": draw.choice((0, 0, 300)),
    }
    if provider != "none":
        drawn["summarizer"] = "provider"
    names = [name for name, weight in kinds.items() for _ in range(weight)]
    begun = [Deed("step", draw.randrange(1_000)) for _ in range(draw.choice((0, 0, 3, 6)))]
    deeds = [Deed(draw.choice(names), draw.randrange(1_000)) for _ in range(draw.randrange(2, most + 1))]
    deeds = [*begun, *deeds]
    return Plan({**drawn, **settings}, provider, draw.choice(MODELS), draw.random() < 0.5, tuple(deeds))


def words(number: int, size: int) -> str:
    """A text of its own, about so many characters long."""
    line = f"Crane {number} lifted load {number * 7919 % 1000} at pier {number % 13}; "
    return f"note{number}x " + line * max(1, size // len(line))


def tool(number: int) -> Fields:
    """A tool."""
    return {
        "name": f"read_{number}" if number < 3 else "read, part by part",
        "description": f"Read chart {number}.",
        "input_schema": {"type": "object", "properties": {"number": {"type": "integer"}}},
    }


@dataclass(slots=True)
class Provider:
    """A model that writes summaries, and whose provider compacts by the strict rules."""

    behaviour: str
    known: Signatures
    refusals: list[str]
    asked: int = 0
    compacts_wire: ClassVar[str] = "anthropic"

    async def __call__(self, request: CompletionRequest, /) -> Completion:
        """A summary of our own kind."""
        return Completion("The cranes lifted loads at the piers.")

    async def stream(self, request: CompletionRequest, /) -> AsyncIterator[Completion]:
        """The same at once."""
        yield await self(request)

    async def close(self) -> None:
        """Nothing is open."""

    async def compact(self, request: CompletionRequest, /) -> Any:
        """A signed block, or what this provider does instead."""
        self.asked += 1
        if self.behaviour == "slow":
            for _ in range(20):
                await asyncio.sleep(0)
        if self.behaviour == "failing" or (self.behaviour == "now and then" and self.asked % 2):
            raise ModelError("the provider is down", reason="server")
        if self.behaviour == "rubbish":
            return RUBBISH[self.asked % len(RUBBISH)]
        name = plain_name(request.model)
        rendered = anthropic.render_request(
            request.system_texts, request.messages, request.tools, model=name, deferred=request.deferred
        )
        body: Fields = {"model": name, "max_tokens": 100, **rendered, "compaction": {"type": "summarize"}}
        betas = frozenset(anthropic.betas_of(body))
        model = claude_model(name)
        try:
            check_request(body, betas, model)
            checked = check_signed(body, betas, model, self.known)
        except Refusal as refusal:
            if model.compacts:
                self.refusals.append(f"compaction: {refusal.message} {refusal.code}")
            raise ModelError(refusal.message, reason="bad_request") from refusal
        block = register_summary("Cranes lifted loads.", model, checked, self.known)
        return ProviderSummary("anthropic", (json.dumps(block),), "Cranes lifted loads.", name)


def plain_name(model: str) -> str:
    """The name that the provider gets; a request without one goes to the binding model."""
    return model.removeprefix("anthropic:") or BINDING


@dataclass(slots=True)
class Last:
    """The last request for a model. `alone` has texts that could not be stored, and are for that request only."""

    mark: object
    breaks: int
    shapes: dict[str, Shape]
    ends_in_system: bool
    alone: bool
    size: int


@dataclass
class Session:
    """A client with one conversation. `said` is its history as dicts, `faults` what broke a law."""

    plan: Plan
    path: str | Path = ":memory:"
    store: Store | None = None
    engine: Engine = field(init=False)
    talk: Conversation = field(init=False)
    known: Signatures = field(default_factory=Signatures)
    faults: list[str] = field(default_factory=list[str])
    counts: Counter[str] = field(default_factory=Counter[str])
    said: list[Fields] = field(default_factory=list[Fields])
    added: list[Addition] = field(default_factory=list[Addition])
    last: dict[str, Last] = field(default_factory=dict[str, Last])
    valid: dict[str, set[str]] = field(default_factory=dict[str, set[str]])
    seen: tuple[object, ...] = ()
    wishes: dict[str, Any] = field(default_factory=dict[str, Any])
    inject: tuple[str, ...] = ()
    number: int = 0
    refusals: list[str] = field(default_factory=list[str])

    async def __aenter__(self) -> Self:
        self.model = self.plan.model
        self.wishes = {"system": "Log the cranes.", "memory": "", "tools": [tool(0)]}
        self.provider = Provider(self.plan.provider, self.known, self.refusals)
        await self.open()
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.engine.close()

    async def open(self) -> None:
        """Open the file."""
        model = self.provider if self.plan.provider != "none" else None
        self.now_s = 1_700_000_000.0
        options: Any = {"complete": model, "clock": self._clock}
        if self.store is not None:
            self.engine = Engine(self.store, settings=make_settings(**self.plan.settings), **options)
        else:
            self.engine = await palimpsest.open(self.path, **options, **self.plan.settings)
        self.talk = self.engine.conversation("cranes")

    def _clock(self) -> float:
        self.now_s += 1
        return self.now_s

    async def run(self) -> None:
        """Carry the plan out; what does not fit is left."""
        await self._user(0)
        for deed in self.plan.deeds:
            with suppress(DoesNotFit):
                await getattr(self, f"_{deed.kind}")(deed.number)
        await self.engine.idle()
        self.faults += self.refusals
        self.counts["provider asked"] += self.provider.asked
        for one in await self.talk.compactions():
            self.counts[f"made {one.item_kind}"] += 1

    # what a client says

    async def append(self, *messages: Fields) -> None:
        """Append messages."""
        await self.talk.append(*copy.deepcopy(messages))
        self.said += copy.deepcopy(messages)

    async def _user(self, number: int) -> None:
        self.number += 1
        await self.append({"role": "user", "content": words(self.number, SIZES[number % 3])})

    async def _long(self, number: int) -> None:
        self.number += 1
        await self.append({"role": "user", "content": words(self.number, 3_000)})

    async def _told(self, number: int) -> None:
        self.number += 1
        await self.append({"role": "system", "content": words(self.number, 60)})

    async def _inject(self, number: int) -> None:
        self.number += number % 4 > 0
        self.inject = tuple(f"inject{self.number + place}x " for place in range(1 + number % 2))

    async def _memory(self, number: int) -> None:
        self.number += 1
        self.wishes["memory"] = f"memory{self.number}x" if number % 5 else ""

    async def _system(self, number: int) -> None:
        self.number += 1
        self.wishes["system"] = f"system{self.number}x" if number % 5 else ""

    async def _tools(self, number: int) -> None:
        self.wishes["tools"] = [tool(one) for one in range(4) if (number >> one) % 2]

    async def _model(self, number: int) -> None:
        self.model = MODELS[number % len(MODELS)]

    # what it asks for

    async def _call(self, number: int) -> None:
        await self._answered([{"type": "text", "text": f"Noted {number}."}], number)

    async def _step(self, number: int) -> None:
        names = [f"c{self.number}_{place}" for place in range(1 + number % 2)]
        self.number += 1
        calls = [
            {"type": "tool_use", "id": one, "name": "read_0", "input": {"number": number}} for one in names
        ]
        await self._answered(calls, number, names)

    async def _answered(self, blocks: Sequence[Fields], number: int, calls: Sequence[str] = ()) -> None:
        if str(self.said[-1]["role"]) == "assistant":
            await self._user(number)
        asked = await self._request()
        reply = self._reply(asked, blocks, number)
        await self.append(reply)
        if asked[0] is not None and number % 3 == 0:
            await self.talk.record_usage({"input_tokens": asked[1].tokens, "output_tokens": 9}, asked[1])
        if calls:
            await self.append(*self._results(calls, number))

    def _results(self, calls: Sequence[str], number: int) -> list[Fields]:
        text = words(self.number, SIZES[number % 4])
        if self.model == GPT:
            return [{"role": "tool", "tool_call_id": one, "content": text} for one in calls]
        results: list[Fields] = [
            {"type": "tool_result", "tool_use_id": one, "content": text} for one in calls
        ]
        return [{"role": "user", "content": results}]

    def _reply(self, asked: tuple[Checked | None, Request], blocks: Sequence[Fields], number: int) -> Fields:
        """What the model says to a request, signed."""
        if self.model == GPT:
            return _as_openai(blocks)
        checked = asked[0]
        name = plain_name(self.model)
        thoughts: list[Fields] = []
        if checked is not None and number % 5:
            thoughts.append({"type": "thinking", "thinking": f"Thought {number}.", "signature": ""})
            if number % 7 == 0:
                thoughts.append({"type": "redacted_thinking", "data": ""})
        made = list(blocks)
        if checked is not None:
            made = register_reply([*thoughts, *blocks], claude_model(name), checked, self.known)
            kept = () if asked[1].injections else made
            self.valid.setdefault(name, set()).update(_signatures(kept))
        reply: Fields = {"role": "assistant", "content": made}
        if self.plan.names_model:
            reply |= {"type": "message", "model": name, "id": f"msg_{number}", "stop_reason": "end_turn"}
        return reply

    async def _ask(self, number: int) -> None:
        if str(self.said[-1]["role"]) != "assistant":
            await self._request()

    async def _fail(self, number: int) -> None:
        await self._ask(number)
        await self._user(number)

    async def _late(self, number: int) -> None:
        if str(self.said[-1]["role"]) == "assistant":
            await self._user(number)
        reply = self._reply(await self._request(), [{"type": "text", "text": f"Late {number}."}], 1)
        self._lose(reply)
        await self._user(number)
        await self.append(reply)

    async def _twice(self, number: int) -> None:
        await self._call(number)
        await self.append(self.said[-1])

    async def _recover(self, number: int) -> None:
        if str(self.said[-1]["role"]) != "assistant":
            await self._request()
            with suppress(ModelError):
                await self._checked(
                    await self.talk.recover(
                        ModelError(
                            "prompt is too long: 9999 tokens > 3000 maximum", reason="context_overflow"
                        )
                    )
                )

    async def _compact(self, number: int) -> None:
        await self.talk.compact()

    async def _under(self, number: int) -> None:
        await self.talk.compact(until_under_tokens=400 + number)

    async def _end_turn(self, number: int) -> None:
        await self.talk.end_turn()

    async def _end_step(self, number: int) -> None:
        await self.talk.end_step()

    async def _idle(self, number: int) -> None:
        await self.engine.idle()

    async def _pin(self, number: int) -> None:
        found = await self.talk.messages()
        with suppress(UsageError):
            if number % 2:
                await self.talk.pin(found[number % len(found)].id)
            else:
                await self.talk.pin(text=f"pinned{number}x")

    async def _unpin(self, number: int) -> None:
        for one in (await self.talk.pins())[-1:]:
            await self.talk.unpin(one.id)
            self._lose_all()  # it may stand in what requests begin with

    async def _sync(self, number: int) -> None:
        done = await self.talk.sync(copy.deepcopy(self.said))
        if done.forked or done.added:
            self.faults.append(f"a history that is known gave {done}")

    async def _edit(self, number: int) -> None:
        users = [
            at
            for at, one in enumerate(self.said)
            if one["role"] == "user" and isinstance(one["content"], str)
        ]
        at = users[number % len(users)]
        self.number += 1
        kept = self.said[:at]
        self.said = [*kept, {"role": "user", "content": words(self.number, 100)}]
        await self.talk.sync(copy.deepcopy(self.said))
        self._lose_all()

    async def _forget(self, number: int) -> None:
        await self.engine.idle()
        found = await self.talk.messages()
        forgotten = found[number % len(found)]
        await self.forget(forgotten.id)
        if forgotten is found[-1]:  # what is left may end with a reply, to which a model has nothing to say
            await self._user(number)

    async def _reopen(self, number: int) -> None:
        if self.store is not None:
            await self.engine.idle()  # its end is a crash: the store stays open
        elif self.path == ":memory:":
            return
        else:
            await self.engine.close()
        await self.open()

    def _lose(self, reply: Fields) -> None:
        for one in self.valid.values():
            one.difference_update(_signatures(objects(reply["content"])))

    def _lose_all(self) -> None:
        self.valid.clear()
        self.last.clear()

    # what is checked of each request

    async def _request(self) -> tuple[Checked | None, Request]:
        inject, self.inject = self.inject, ()
        request = await self.talk.request(model=self.model, inject=inject, **copy.deepcopy(self.wishes))
        self.model = request.model
        return await self._checked(request), request

    async def _checked(self, request: Request) -> Checked | None:
        self.counts["requests"] += 1
        state = state_of(self.talk)
        if request.tokens > request.budget.capacity_tokens:
            self.faults.append(f"{request.tokens} tokens in {request.budget.capacity_tokens}")
        bodies: dict[str, Fields] = {
            "anthropic": request.anthropic(),
            "openai": request.openai(),
            "responses": request.responses(),
            "gemini": request.gemini(),
            "bedrock": request.converse(),
        }
        self.faults += bedrock_breaches(bodies["bedrock"])
        branch, window = await state.load(self.model)
        if window.tokens != sum(item.tokens for item in window.items):
            self.faults.append("a window's tokens are not the sum of its items'")
        self._check_growth(bodies, (branch.id if branch else 0, window.changed), request)
        if self.model == GPT:
            return None
        name = plain_name(self.model)
        body: Fields = {"model": name, "max_tokens": 100, **bodies["anthropic"]}
        checked = self._check_strictly(body, request, name)
        if checked is not None:
            own = sum(one.item_kind != "block" for one in await self.talk.compactions())
            self._check_thinking(body, checked, window, own)
        return checked

    def _check_strictly(self, body: Fields, request: Request, name: str) -> Checked | None:
        betas, model = frozenset(request.betas), claude_model(name)
        try:
            check_request(body, betas, model)
            checked = check_signed(body, betas, model, self.known)
        except Refusal as refusal:
            self.counts["refused"] += 1
            self.faults.append(f"refused: {refusal.message} {refusal.code} (model {self.model!r})")
            return None
        self.counts["thinking shown"] += checked.shown
        self.counts["thinking dropped by the provider"] += len(checked.dropped)
        return checked

    def _check_growth(self, bodies: Mapping[str, Fields], mark: object, request: Request) -> None:
        """In a conversation whose changes stay, a request is the last one for the same model and more."""
        state = state_of(self.talk)
        breaks = sum(state.engine_state.breaks.values())
        shapes = {wire: shape_of(wire, body) for wire, body in bodies.items()}
        last = self.last.get(self.model)
        messages = objects(bodies["anthropic"]["messages"])
        if not state.staying:
            self.last.pop(self.model, None)
            return
        alone = bool(request.injections) or not request.messages
        ends_in_system = "system" in (messages[-1]["role"], self.said[-1]["role"])
        self.last[self.model] = Last(mark, breaks, shapes, ends_in_system, alone, len(self.said))
        if last is None or (last.mark, last.breaks) != (mark, breaks):
            return
        for wire in ("anthropic",) if request.deferred else WIRES:
            broken = break_of(last.shapes[wire], shapes[wire])
            follows = self.said[last.size]["role"] if last.size < len(self.said) else ""
            moved = last.ends_in_system and follows != "assistant" and wire == "anthropic"
            if broken and not moved and not last.alone:
                self.counts["law breaks"] += 1
                self.faults.append(f"{wire} is not what it was: {broken} (model {self.model!r})")

    def _check_thinking(self, body: Fields, checked: Checked, window: Window, own: int) -> None:
        """All thinking since the last change of the beginning is sent."""
        state, name = state_of(self.talk), plain_name(self.model)
        breaks = tuple(sorted(state.engine_state.breaks.items()))
        seen = (own, breaks, state.staying or self._asked_start(), name)
        if self.seen != seen:
            self.valid.clear()
        self.seen = seen
        sent = _signatures(block for _, _, block in flat(objects(body["messages"])))
        shown = {
            part.signature or part.text
            for item in window.items
            if isinstance(item, MessageItem | StubItem)
            for part in item.stored.message.parts
            if isinstance(part, Reasoning)
        }
        lost = (self.valid.get(name, set()) & shown) - sent
        self.counts["thinking lost"] += len(lost)
        if lost and self.model and claude_model(name).binds and state.staying:
            self.faults.append(f"thinking is lost: {len(lost)} of {len(shown)} (model {self.model!r})")

    def _asked_start(self) -> str:
        return json.dumps(self.wishes, sort_keys=True)

    async def forget(self, message_id: str) -> None:
        """Forget a message; all requests before do not count any more."""
        await self.engine.forget("cranes", message_id)
        self._lose_all()
        self.said_is_known = False

    async def last_request(self) -> int:
        """How many thinking blocks one more request shows."""
        if self.said[-1]["role"] == "assistant":
            await self._user(0)
        checked, _ = await self._request()
        return checked.shown if checked is not None else 0

    # what is checked at the end

    async def check_stored(self) -> None:
        """Nothing is lost, and what was added is found."""
        stored = await self.talk.messages(1, 10_000)
        texts = [one.message.text for one in stored]
        for one in stored:
            for added in one.message.added:
                if added.kind in SEARCHED_ADDITIONS:
                    hits = await self.talk.grep(added.text.split()[-1])
                    if one.id not in [hit.id for hit in hits.hits]:
                        self.faults.append(f"{added} of {one.id} is not found")
                self.counts[f"added {added.kind}"] += 1
        spoken = [one for one in self.said if one["role"] in ("user", "system")]
        missing = [one for one in spoken if isinstance(one["content"], str) and one["content"] not in texts]
        if missing and self.said_is_known:
            self.faults.append(f"lost: {missing[0]}")
        branch, _ = await state_of(self.talk).load()
        if branch is not None and branch.fork_seq <= 0 and branch.tokens != sum(one.tokens for one in stored):
            self.faults.append(
                f"the branch has {branch.tokens} tokens, its messages {sum(o.tokens for o in stored)}"
            )

    said_is_known: bool = True
    model: str = ""
    now_s: float = 0.0
    provider: Any = None


def _signatures(blocks: Any) -> set[str]:
    return {
        str(block.get("signature") or block.get("data"))
        for block in map(fields, blocks)
        if block.get("type") in THINKING
    }


def _as_openai(blocks: Sequence[Fields]) -> Fields:
    text = "".join(str(block["text"]) for block in blocks if block["type"] == "text")
    calls = [
        {
            "id": block["id"],
            "type": "function",
            "function": {"name": block["name"], "arguments": json.dumps(block["input"])},
        }
        for block in blocks
        if block["type"] == "tool_use"
    ]
    return {"role": "assistant", "content": text or None, **({"tool_calls": calls} if calls else {})}


async def session(plan: Plan, path: str | Path = ":memory:", store: Store | None = None) -> Session:
    """A session that was carried out, with what it found: in a file, in memory, or in another store."""
    async with Session(plan, path, store) as made:
        await made.run()
        await made.check_stored()
    return made
