"""The parts of a request that no compaction changes: system prompt, memory, tools, and what is injected once."""

from __future__ import annotations

from dataclasses import dataclass

from palimpsest.budget.token_counts import MESSAGE_OVERHEAD_TOKENS, REQUEST_OVERHEAD_TOKENS, count_tools
from palimpsest.budget.token_estimator import count_text
from palimpsest.record.message import ToolDef


@dataclass(frozen=True, slots=True)
class Fixed:
    """The parts of a request that no compaction changes, with their token counts; `texts` is what of them stands in a
    request's prefix.
    """

    system: str = ""
    memory: str = ""
    tools: tuple[ToolDef, ...] = ()
    injections: tuple[str, ...] = ()
    system_tokens: int = REQUEST_OVERHEAD_TOKENS
    memory_tokens: int = 0
    tools_tokens: int = 0
    injections_tokens: int = 0
    texts: tuple[str, ...] = ("", "")

    @property
    def tokens(self) -> int:
        """All of them together."""
        return self.system_tokens + self.memory_tokens + self.tools_tokens + self.injections_tokens


def make_fixed(
    previous: Fixed, system: str, memory: str, tools: tuple[ToolDef, ...], injections: tuple[str, ...] = ()
) -> Fixed:
    """The fixed parts, counted; what has not changed since the previous request is not counted again."""
    if (system, memory, tools, injections) == (
        previous.system, previous.memory, previous.tools, previous.injections
    ):  # fmt: skip
        return previous
    system_tokens = REQUEST_OVERHEAD_TOKENS + (count_text(system) + MESSAGE_OVERHEAD_TOKENS if system else 0)
    memory_tokens = count_text(memory) + MESSAGE_OVERHEAD_TOKENS if memory else 0
    tools_tokens = previous.tools_tokens if tools == previous.tools else count_tools(tools)
    injections_tokens = sum(count_text(text) + MESSAGE_OVERHEAD_TOKENS for text in injections)
    texts = (system, memory, *(f"{tool.name}\n{tool.description}\n{tool.schema}" for tool in tools))
    return Fixed(
        system,
        memory,
        tools,
        injections,
        system_tokens,
        memory_tokens,
        tools_tokens,
        injections_tokens,
        texts,
    )
