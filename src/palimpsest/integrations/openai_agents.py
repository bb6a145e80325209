"""OpenAI Agents SDK: a session that keeps all items, and the window of it for each model call.

    memory = PalimpsestMemory("agent.db", window_tokens=128_000)
    agent = Agent("keeper", tools=[..., *memory.tools])
    await Runner.run(agent, question, **memory.run("harbour-42", owner="ann"))

`run` gives the run a session, a `call_model_input_filter` and hooks. The session keeps every item; the filter decides
what of it the model sees; the hooks report the usage. The filter also works without this session, beside another one.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from inspect import isawaitable
from typing import Any, cast

from palimpsest.formats import parse_any
from palimpsest.formats.openai import RESPONSES, is_reply_item, parse_items, render_responses, stored_items
from palimpsest.formats.wire_fields import dumps
from palimpsest.integrations.shared.hosting import AnyEngine, Host, require
from palimpsest.integrations.shared.threads import Call, Piece, Thread
from palimpsest.record.message import Message, Opaque, ToolDef

require("openai-agents", "0.20", "1", extra="openai-agents")

from agents import Agent, FunctionTool, Model, ModelResponse, RunConfig, RunContextWrapper, RunHooks
from agents.items import TResponseInputItem
from agents.memory import SessionABC, SessionSettings
from agents.run_config import CallModelData, ModelInputData
from agents.tool_context import ToolContext

WHERE = 'the session id: memory.run("...")'
_LEADS = ("system", "developer")
NO_RUN = "[this run has no stored conversation: start it with PalimpsestMemory.run]"
Items = tuple[TResponseInputItem, ...]
"""Items that are one message: what the model said and called in one reply, or one input or output."""


class Lead(tuple[TResponseInputItem, ...]):
    """An item of the system or developer before all others. It is stored as it is, and every request shows it."""

    __slots__ = ()


class PalimpsestMemory:
    """Conversations for runs of the SDK. `engine` is the path of a database, or an open engine; see `Host`."""

    def __init__(
        self, engine: AnyEngine, *, owner: str | None = None, thread: str | None = None,
        all_conversations: bool = False, **settings: Any,
    ) -> None:  # fmt: skip
        self.host: Host[Items] = Host(
            engine,
            ItemsCodec(),
            owner=owner,
            thread=thread,
            all_conversations=all_conversations,
            **settings,
        )
        self.tools = [_recall_tool(one) for one in self.host.recall_tools]

    def run(
        self, session_id: str | None = None, *, owner: str | None = None, run_config: RunConfig | None = None,
        hooks: RunHooks[Any] | None = None, session: SessionABC | None = None,
    ) -> dict[str, Any]:  # fmt: skip
        """The arguments `session`, `run_config` and `hooks` of one run. Those given here stay in effect.

        An own `session` keeps the items instead of this one, such as one that compacts. Take the id and the owner from
        your login.
        """
        thread = self.host.thread(session_id, owner, where=WHERE)
        run = _Run(self.host, thread, run_config, hooks)
        return {
            "session": session or PalimpsestSession(self.host, thread),
            "run_config": replace(run_config or RunConfig(), call_model_input_filter=run.filter),
            "hooks": run,
        }

    async def recover(
        self, error: Exception, session_id: str | None = None, *, owner: str | None = None
    ) -> None:
        """Make the session's next request smaller after its provider refused one as too long. Then run again.

        The SDK lets no hook repeat a request. Raises `error` itself if it is something else.
        """
        await self.host.run(self.host.thread(session_id, owner, where=WHERE).shrink, error)

    def session(self, session_id: str, *, owner: str | None = None) -> PalimpsestSession:
        """A session alone, for a run whose window something else decides."""
        return PalimpsestSession(self.host, self.host.thread(session_id, owner, where=WHERE))

    def close(self) -> None:
        """Close an engine that was opened here."""
        self.host.close()


class PalimpsestSession(SessionABC):
    """The items of a session, kept as a stored conversation."""

    def __init__(self, host: Host[Items], thread: Thread[Items]) -> None:
        self.session_id = thread.name
        self.session_settings: SessionSettings | None = None
        self._host, self._thread = host, thread
        self._items: list[TResponseInputItem] | None = None

    async def get_items(self, limit: int | None = None) -> list[TResponseInputItem]:
        """All items, or the newest ones, in order."""
        if limit is None and self.session_settings is not None:
            limit = self.session_settings.limit
        stored = stored_items(await self._host.run(self._thread.stored))
        items = self._items = cast("list[TResponseInputItem]", stored)
        return list(items if limit is None else items[max(0, len(items) - limit) :])

    async def add_items(self, items: list[TResponseInputItem]) -> None:
        """Store what is new of the items."""
        known = await self.get_items() if self._items is None else self._items
        self._items = [*known, *items]
        if items:
            await self._host.run(self._thread.store, _grouped(self._items))

    async def pop_item(self) -> TResponseInputItem | None:
        """Take the newest item out of the history. The store keeps it, on a branch of its own."""
        items = await self.get_items()
        if not items:
            return None
        if len(items) == 1:
            await self.clear_session()
        else:
            await self._host.run(self._thread.store, _grouped(items[:-1]), rewind=True)
        self._items = items[:-1]
        return items[-1]

    async def clear_session(self) -> None:
        """Delete the conversation, as the SDK's own sessions do."""
        self._items = []
        await self._host.run(self._thread.forget)


class _Run(RunHooks[Any]):
    """One run: the window for each of its calls, and what the replies cost."""

    def __init__(
        self, host: Host[Items], thread: Thread[Items], config: RunConfig | None, hooks: RunHooks[Any] | None
    ) -> None:
        self.host, self.thread = host, thread
        self._model = config.model if config is not None else None
        self._filter = config.call_model_input_filter if config is not None else None
        self._hooks = hooks or RunHooks[Any]()
        self._call: Call[Items] | None = None
        self._agents: set[str] = set()
        self._definitions: dict[int, tuple[FunctionTool, ToolDef]] = {}

    async def filter(self, data: CallModelData[Any]) -> ModelInputData:
        """The window in place of the items. An agent that runs as a tool has a conversation of its own."""
        given = data.model_data
        if self._filter is not None:
            found = self._filter(data)
            given = cast("ModelInputData", await found if isawaitable(found) else found)
        own = data.agent.name in self._agents or not self._agents
        thread = self.thread if own else self._inner(data.agent)
        groups = _grouped(given.input)
        call = await self.host.run(
            thread.start,
            groups,
            system=given.instructions,
            tools=[self._definition(one) for one in data.agent.tools if isinstance(one, FunctionTool)],
            model=_model_name(self._model or data.agent.model),
        )
        if own:
            self._call = call
        said = given.instructions if call.system is None else call.system
        lead = [one for one in groups if isinstance(one, Lead) and one not in call.messages]
        return ModelInputData(input=_flat([*lead, *call.messages]), instructions=said)

    def _inner(self, agent: Agent[Any]) -> Thread[Items]:
        return self.host.thread(self.thread.name, self.thread.owner, where=WHERE, inner=[agent.name])

    def _definition(self, tool: FunctionTool) -> ToolDef:
        known = self._definitions.get(id(tool))
        if known is None or known[0] is not tool:
            schema = json.dumps(tool.params_json_schema, ensure_ascii=False)
            known = self._definitions[id(tool)] = (tool, ToolDef(tool.name, tool.description, schema))
        return known[1]

    async def on_llm_end(
        self, context: RunContextWrapper[Any], agent: Agent[Any], response: ModelResponse
    ) -> None:
        """Store the reply with its usage."""
        call, self._call = self._call, None
        if call is not None:
            await self.host.run(self.thread.finish, call, [tuple(response.to_input_items())], response.usage)
        await self._hooks.on_llm_end(context, agent, response)

    async def on_agent_start(self, context: Any, agent: Any) -> None:
        self._agents.add(agent.name)
        await self._hooks.on_agent_start(context, agent)

    async def on_llm_start(self, *args: Any) -> None:
        await self._hooks.on_llm_start(*args)

    async def on_agent_end(self, *args: Any) -> None:
        await self._hooks.on_agent_end(*args)

    async def on_handoff(self, *args: Any, **named: Any) -> None:
        await self._hooks.on_handoff(*args, **named)

    async def on_tool_start(self, *args: Any) -> None:
        await self._hooks.on_tool_start(*args)

    async def on_tool_end(self, *args: Any) -> None:
        await self._hooks.on_tool_end(*args)


def _recall_tool(definition: ToolDef) -> FunctionTool:
    async def read(context: ToolContext[Any], arguments: str) -> str:
        used = context.run_config.call_model_input_filter if context.run_config is not None else None
        run = getattr(used, "__self__", None)
        if not isinstance(run, _Run):
            return NO_RUN
        return await run.host.run(run.thread.recall, definition.name, arguments)

    return FunctionTool(
        name=definition.name, description=definition.description, params_json_schema=json.loads(definition.schema),
        on_invoke_tool=read, strict_json_schema=False,
    )  # fmt: skip


def _model_name(model: str | Model | None) -> str:
    return model if isinstance(model, str) else str(getattr(model, "model", "") or "")


def _flat(groups: Iterable[Items]) -> list[TResponseInputItem]:
    return [item for group in groups for item in group]


def _grouped(items: Iterable[TResponseInputItem]) -> list[Items]:
    """Items by message: what the model said and called between two prompts belongs together.

    Leading items of the system are marked, because the engine keeps a leading system message as the prompt alone.
    """
    groups: list[Items] = []
    reply: list[TResponseInputItem] = []
    for item in items:
        if is_reply_item(item):
            reply.append(item)
            continue
        if reply:
            groups.append(tuple(reply))
            reply = []
        leads = item.get("role") in _LEADS and all(isinstance(one, Lead) for one in groups)
        groups.append(Lead((item,)) if leads else (item,))
    return [*groups, tuple(reply)] if reply else groups


class ItemsCodec:
    """Items of OpenAI's Responses."""

    def fields(self, native: Items) -> tuple[object, ...]:
        items = cast("Iterable[Mapping[str, object]]", native)
        return tuple(one.get(name) for one in items for name in ("content", "arguments", "output"))

    def read(self, native: Items) -> Sequence[Piece]:
        if isinstance(native, Lead):
            return [Piece(Message("user", (Opaque("message", dumps(native[0])),), wire=RESPONSES), native)]
        messages = [message for one in parse_items(native) for message in _as_messages(one)]
        return [Piece(one, native) for one in messages]

    def write(self, pieces: Sequence[Piece]) -> list[Items]:
        written: list[Items] = []
        start = 0
        for place in range(1, len(pieces) + 1):
            if place < len(pieces) and pieces[place].message.role == "tool":
                continue
            unit = pieces[start:place]
            if all(one.native is not None for one in unit):
                written += [cast("Items", one.native) for one in unit]
            else:
                made = cast(
                    "list[dict[str, Any]]", render_responses((), [one.message for one in unit])["input"]
                )
                written += _grouped(cast("TResponseInputItem", _without_id(one)) for one in made)
            start = place
        return written


def _without_id(item: dict[str, Any]) -> dict[str, Any]:
    """An item as the SDK takes it for every provider: a reply's message without an id has only text."""
    if item.get("role") != "assistant" or "id" in item:
        return item
    content = item["content"]
    if not isinstance(content, str):
        content = "\n\n".join(str(one.get("text") or one.get("refusal") or "") for one in content)
    return {"role": "assistant", "content": content, **({"phase": item["phase"]} if "phase" in item else {})}


def _as_messages(one: object) -> tuple[Message, ...]:
    """An item that is a plain message comes back from `parse_items` as it is."""
    return (one,) if isinstance(one, Message) else parse_any(one)
