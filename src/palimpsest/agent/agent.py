"""An agent: an engine, a model, a prompt and tools, and the turns it takes."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Callable, Sequence
from contextlib import aclosing
from dataclasses import dataclass

from palimpsest.agent.events import AgentEvent, Done
from palimpsest.agent.hooks import Hooks
from palimpsest.agent.loop import CALL_TIMEOUT_S, MAX_STEPS, Run, Setup
from palimpsest.agent.tools import TOOL_TIMEOUT_S, Handler, Tool, make_tool
from palimpsest.complete.adapter import as_complete
from palimpsest.engine.conversation import Conversation
from palimpsest.engine.engine import Engine
from palimpsest.engine.reports import Report
from palimpsest.errors import UsageError


@dataclass(frozen=True, slots=True)
class Agent:
    """An agent over an engine: who it is, which model it asks, what it can do. Make it with `make_agent`."""

    engine: Engine
    setup: Setup

    def run(
        self, conversation: str | Conversation, message: object, *, key: str | None = None
    ) -> AsyncGenerator[AgentEvent]:
        """One turn: store the message, and go on until the model answers. Iterate over it; `Done` comes last.

        `message` is text, a provider's dict, a `Message`, or None to take up a turn that was cut short. The same `key`
        again stores nothing and takes up the same turn. Raises ModelError, DoesNotFit, StoreError, and what a hook
        raises; what was stored until then stays.
        """
        return Run(self.setup, self._talk(conversation)).turn(message, key)

    async def answer(
        self, conversation: str | Conversation, message: object, *, key: str | None = None
    ) -> str:
        """The text of the answer of one turn."""
        text = ""
        async with aclosing(Run(self.setup, self._talk(conversation)).turn(message, key)) as events:
            async for event in events:
                if isinstance(event, Done):
                    text = event.text
        return text

    async def compact(self, conversation: str | Conversation, focus: str = "") -> Report | None:
        """Compact now, as the automatic compaction would; the report's `summary` can be handed to another agent."""
        return await self._talk(conversation).compact(focus=focus)

    def _talk(self, conversation: str | Conversation) -> Conversation:
        if isinstance(conversation, Conversation):
            return conversation
        return self.engine.conversation(conversation)


def make_agent(
    engine: Engine,
    model: str | Callable[..., object],
    *,
    system: str | None = None,
    tools: Sequence[Tool | Handler] = (),
    hooks: Hooks | None = None,
    max_steps: int = MAX_STEPS,
    call_timeout_s: float = CALL_TIMEOUT_S,
    tool_timeout_s: float = TOOL_TIMEOUT_S,
) -> Agent:
    """An agent that asks `model` ("provider:model", a client of this package, or a callable) and can call `tools`.

    `system` None leaves the conversation's own. Functions among the tools become tools by their signature. Raises
    SettingsError for a model that is unknown or has no key, UsageError for tools of one name.
    """
    made = [tool if isinstance(tool, Tool) else make_tool(tool) for tool in tools]
    named = {tool.name: tool for tool in made}
    if len(named) < len(made):
        raise UsageError("two tools have the same name", hint="give each a name of its own")
    if max_steps < 1:
        raise UsageError(f"max_steps cannot be {max_steps}", hint="give at least 1")
    setup = Setup(
        complete=as_complete(model),
        model=model if isinstance(model, str) else "",
        system=system,
        tools=named,
        hooks=hooks or Hooks(),
        max_steps=max_steps,
        call_timeout_s=call_timeout_s,
        tool_timeout_s=tool_timeout_s,
    )
    return Agent(engine, setup)
