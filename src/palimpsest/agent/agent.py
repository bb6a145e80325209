"""An agent: an engine, a model, a prompt and tools."""

from __future__ import annotations

import re
from collections.abc import AsyncGenerator, Callable, Sequence
from contextlib import aclosing
from dataclasses import dataclass

from palimpsest.agent.events import AgentEvent, Done
from palimpsest.agent.hooks import Hooks
from palimpsest.agent.loop import CALL_TIMEOUT_S, MAX_STEPS, Run, Setup
from palimpsest.agent.tools import TOOL_TIMEOUT_S, Handler, Tool, from_model_tool, make_tool
from palimpsest.budget.model_limits import resolve_limits
from palimpsest.engine.conversation import Conversation, state_of, watching
from palimpsest.engine.engine import Engine, agent_models_of
from palimpsest.engine.message_input import require_text
from palimpsest.engine.reports import Report
from palimpsest.errors import UsageError
from palimpsest.record.recall_mark import FIRST_RECALL_TOOLS, GREP, RECALL_TOOLS

TOOL_NAME = re.compile(r"[a-zA-Z_][a-zA-Z0-9_-]{0,63}")
"""Tool names that every provider accepts unchanged."""

SMALL_WINDOW_TOKENS, SMALLEST_WINDOW_TOKENS = 16_000, 8_000
"""In a smaller window the definitions of all recall tools would take a twentieth, and in the smallest ones short_grep
is left out as well."""


@dataclass(frozen=True, slots=True)
class Agent:
    """An agent over an engine, with its model, prompt and tools. Make it with `make_agent`."""

    engine: Engine
    setup: Setup

    def run(
        self, conversation: str | Conversation, message: object, *, key: str | None = None
    ) -> AsyncGenerator[AgentEvent]:
        """One turn: store the message, and continue until the model answers. Iterate over it; `Done` comes last.

        `message` is text, a provider's dict, a `Message`, or None to continue an interrupted turn. The same `key` again
        stores nothing and continues the same turn. Raises ModelError, DoesNotFit, StoreError, and what a hook raises;
        what was stored before stays.
        """
        return self._run(conversation).turn(message, key)

    async def answer(
        self, conversation: str | Conversation, message: object, *, key: str | None = None
    ) -> str:
        """The text of the answer of one turn."""
        text = ""
        async with aclosing(self._run(conversation).turn(message, key)) as events:
            async for event in events:
                if isinstance(event, Done):
                    text = event.text
        return text

    async def compact(self, conversation: str | Conversation, focus: str = "") -> Report | None:
        """Compact now, as automatic compaction would; the report's `summary` can be handed to another agent."""
        run = self._run(conversation)
        with watching(run.talk, run.watcher):
            return await run.talk.compact(focus=focus)

    def tools_for(self, talk: Conversation) -> dict[str, Tool]:
        """The agent's tools and, unless they are off, the recall tools, by name; a small window gets fewer of them."""
        settings, own = state_of(talk).settings, self.setup.tools
        if not settings.recall_tool_tokens:
            return dict(own)
        window_tokens = resolve_limits(settings, self.setup.model).window_tokens
        names = RECALL_TOOLS if window_tokens >= SMALL_WINDOW_TOKENS else (*FIRST_RECALL_TOOLS, GREP)
        names = names if window_tokens >= SMALLEST_WINDOW_TOKENS else FIRST_RECALL_TOOLS
        given = [from_model_tool(one) for one in talk.tools() if one.name in names and one.name not in own]
        return {**own, **{one.name: one for one in given}}

    def _run(self, conversation: str | Conversation) -> Run:
        if not isinstance(conversation, Conversation):
            conversation = self.engine.conversation(conversation)
        return Run(self.setup, conversation, self.tools_for(conversation))


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

    `system` None leaves the conversation's own. Functions become tools by their signatures. Raises SettingsError for a
    model that is unknown or has no key, UsageError for tools of one name or with a name that not every provider
    accepts.
    """
    require_text("system", system)
    if max_steps < 1:
        raise UsageError(f"max_steps cannot be {max_steps}", hint="give at least 1")
    for what, limit_s in (("call_timeout_s", call_timeout_s), ("tool_timeout_s", tool_timeout_s)):
        if not limit_s > 0:
            raise UsageError(f"{what} cannot be {limit_s}", hint="give seconds above 0")
    setup = Setup(
        complete=engine.model(model),
        model=model if isinstance(model, str) else "",
        system=system,
        tools=_by_name(tools),
        hooks=hooks or Hooks(),
        max_steps=max_steps,
        call_timeout_s=call_timeout_s,
        tool_timeout_s=tool_timeout_s,
    )
    agent_models_of(engine)[:] = [setup.complete]
    return Agent(engine, setup)


def _by_name(tools: Sequence[Tool | Handler]) -> dict[str, Tool]:
    """The tools by name. Raises UsageError for a name that a provider would refuse."""
    found: dict[str, Tool] = {}
    for one in tools:
        tool = one if isinstance(one, Tool) else make_tool(one)
        if tool.name in found:
            raise UsageError(f"two tools are named {tool.name!r}", hint="give each a name of its own")
        if not TOOL_NAME.fullmatch(tool.name):
            raise UsageError(
                f"no tool can be named {tool.name!r}",
                hint="use at most 64 letters, digits, _ and -, a letter or _ first",
            )
        found[tool.name] = tool
    return found
