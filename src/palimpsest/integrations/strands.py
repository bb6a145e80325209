"""Strands Agents: a plugin that shows the model the window of the session.

    kept = PalimpsestPlugin("agent.db", window_tokens=128_000)
    agent = Agent(model, tools=[...], plugins=[kept], session_manager=sessions,
                  conversation_manager=NullConversationManager())
    agent("Which berth is free?", invocation_state={"user_id": "ann"})

The agent's messages are not changed. A conversation manager changes them, so give the one that does nothing.
"""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from itertools import groupby
from typing import Any, cast

from palimpsest.errors import FormatError
from palimpsest.formats.bedrock import parse_message, render_messages
from palimpsest.formats.wire_fields import dumps
from palimpsest.integrations.shared.content import leaves, runs_of, shared_pieces
from palimpsest.integrations.shared.hosting import AnyEngine, Host, require
from palimpsest.integrations.shared.threads import Call, Piece, Thread
from palimpsest.record.message import Message, Text, ToolDef

require("strands-agents", "1.62", "2", extra="strands")

from strands.middleware import InvokeModelContext, InvokeModelStage, ModelStopReason
from strands.plugins import Plugin
from strands.tools import PythonAgentTool
from strands.types.tools import ToolResult, ToolUse

WHERE = 'a session_manager= of the agent, or invocation_state={"thread_id": ...}'
_BROKEN = (FormatError, TypeError, ValueError, RecursionError)
_UNNAMED = ("default", "Strands Agents", None)

Fields = dict[str, Any]


class PalimpsestPlugin(Plugin):
    """Show the model the window of its session, and offer it the tools that read back what left the window.

    `engine` is the path of a database, or an open engine; see `Host` for the other arguments. A conversation is the
    session of the session manager, or the `thread_id` of the `invocation_state`, whose `user_id` is the owner. Take
    both from your login. An agent with an id or a name has a conversation of its own in the session.
    """

    def __init__(
        self, engine: AnyEngine, *, recall: bool = True, owner: str | None = None, thread: str | None = None,
        all_conversations: bool = False, **settings: Any,
    ) -> None:  # fmt: skip
        super().__init__()
        self.host = Host(
            engine,
            StrandsCodec(),
            owner=owner,
            thread=thread,
            all_conversations=all_conversations,
            **settings,
        )
        self._recall = [self._tool(one) for one in self.host.recall_tools] if recall else []

    @property
    def name(self) -> str:
        """The name of the plugin."""
        return "palimpsest"

    def init_agent(self, agent: Any) -> None:
        """Add the tools and the middleware to an agent. One plugin may serve several agents."""
        agent.tool_registry.process_tools(list(self._recall))
        agent.add_middleware(InvokeModelStage, self._invoke)

    async def _invoke(
        self, context: InvokeModelContext, next_fn: Callable[[InvokeModelContext], AsyncIterator[Any]]
    ) -> AsyncIterator[Any]:
        """Call the model with the window; of a request that is too long, again with a smaller one."""
        if context.model.stateful:  # the provider has the history
            async for event in next_fn(context):
                yield event
            return
        thread, run = self._thread(context.agent, context.invocation_state), self.host.run
        config = context.model.get_config()
        model = str(config.get("model_id") or "") if isinstance(config, Mapping) else ""
        thread.codec = StrandsCodec(model)
        history, trailing = _without_trailing(context)
        call = await run(
            thread.start, history, system=_system(context.system_prompt), model=model,
            tools=[_definition(one) for one in context.tool_specs],
        )  # fmt: skip
        done = said = False
        while not done:
            try:
                async for event in next_fn(_changed(context, call, trailing)):
                    said = said or "delta" in event
                    if isinstance(event, ModelStopReason):
                        usage = event.usage if any(event.usage.values()) else None
                        await run(thread.finish, call, [cast("Fields", event.message)], usage)
                    yield event
                done = True
            except Exception as error:
                if said:
                    raise
                call = await run(thread.recover, call, error)

    def _thread(self, agent: Any, state: Fields) -> Thread[Fields]:
        """The thread of a run."""
        sessions = getattr(agent, "_session_manager", None)
        name, user = state.get("thread_id"), state.get("user_id")
        inner = [str(one) for one in (agent.agent_id, agent.name) if one not in _UNNAMED]
        if name is None or name == "":
            name = getattr(sessions, "session_id", None)
        return self.host.thread(name, user, where=WHERE, inner=inner)

    def _tool(self, definition: ToolDef) -> PythonAgentTool:
        async def read(tool_use: ToolUse, **state: Any) -> ToolResult:
            thread = self._thread(state["agent"], state)
            said = await self.host.run(thread.recall, definition.name, tool_use["input"])
            return {"toolUseId": tool_use["toolUseId"], "status": "success", "content": [{"text": said}]}

        schema = {"json": json.loads(definition.schema)}
        spec: Any = {"name": definition.name, "description": definition.description, "inputSchema": schema}
        return PythonAgentTool(definition.name, spec, read)


def _changed(context: InvokeModelContext, call: Call[Fields], trailing: list[Fields]) -> InvokeModelContext:
    """The context with the messages of a call, and with its system text if it has one."""
    messages: list[Any] = [*call.messages, *([{"role": "user", "content": trailing}] if trailing else ())]
    changed = context.replace(messages=cast("Any", _joined(messages)))
    if call.system is None:
        return changed
    given = context.system_prompt
    points: list[Any] = [one for one in given if "cachePoint" in one] if isinstance(given, list) else []
    blocks: list[Any] = [{"text": call.system}] if call.system else []
    return changed.replace(system_prompt=[*blocks, *points] or None)


def _without_trailing(context: InvokeModelContext) -> tuple[list[Any], list[Any]]:
    """The messages without the blocks that were added to the last one for this call only, and those blocks."""
    messages: list[Any] = context.messages
    count = context.dynamic_trailing_blocks
    if not count or not messages:
        return messages, []
    content = messages[-1]["content"]
    return [*messages[:-1], {**messages[-1], "content": content[:-count]}], content[-count:]


def _system(given: Any) -> str | None:
    if given is None or isinstance(given, str):
        return given
    return "\n".join(one["text"] for one in given if "text" in one) or None


def _definition(spec: Any) -> ToolDef:
    schema = spec["inputSchema"]
    return ToolDef(spec["name"], spec.get("description") or "", dumps(schema.get("json", schema)))


def _joined(messages: list[Fields]) -> list[Fields]:
    """Messages whose roles alternate: neighbours of one role are one message."""
    found: list[Fields] = []
    for role, run in groupby(messages, lambda one: one["role"]):
        group = list(run)
        content = [block for one in group for block in one["content"]]
        found.append(group[0] if len(group) == 1 else {"role": role, "content": content})
    return found


class StrandsCodec:
    """Strands' messages, which have the form of Bedrock's Converse API. They are copied for each call.

    `model` is the one that answers.
    """

    copies = True

    def __init__(self, model: str = "") -> None:
        self.model = model

    def fields(self, native: Fields) -> tuple[object, ...]:
        return tuple(leaves((native.get("role"), native.get("content"))))

    def read(self, native: Fields) -> Sequence[Piece]:
        try:
            found = parse_message({"role": native.get("role"), "content": native.get("content")})
        except _BROKEN:
            role = "assistant" if native.get("role") == "assistant" else "user"
            found = (Message(role, (Text(str(native.get("content"))),)),)
        return shared_pieces(native, found, self.model)

    def write(self, pieces: Sequence[Piece]) -> list[Fields]:
        written: list[Fields] = []
        for native, messages in runs_of(pieces):
            written.extend([native] if native is not None else map(_made, render_messages(messages)))
        return _joined([one for one in written if one["content"]])


def _made(message: Fields) -> Fields:
    """A message that the engine made, as Strands' models read it: each result has a status."""
    for block in message["content"]:
        if "toolResult" in block:
            block["toolResult"].setdefault("status", "success")
    return message
