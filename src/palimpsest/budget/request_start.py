"""What a request begins with: system prompt, memory and tools, as they were first sent or as they are now."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from palimpsest.budget.assemble import MEMORY_CHANGED, MEMORY_EMPTIED, SYSTEM_CHANGED, SYSTEM_EMPTIED
from palimpsest.formats.anthropic.request import render_tools
from palimpsest.formats.anthropic.tool_changes import changes_text
from palimpsest.record.message import Addition, ToolDef


@dataclass(frozen=True, slots=True)
class AskedStart:
    """The system prompt, the memory and the tools that the caller wants for a request."""

    system: str = ""
    memory: str = ""
    tools: tuple[ToolDef, ...] = ()


@dataclass(frozen=True, slots=True)
class SentStart:
    """What the requests of a window begin with, and what was appended about it since.

    `asked` is the caller's newest wish, as the model knows it from the beginning and the appended changes. `deferred`
    are tools that were added since. `window` identifies the window's compacted part, and changes are shown from
    `changes_from` on: a position, and a place among the texts added there.
    """

    begins: AskedStart
    asked: AskedStart
    deferred: tuple[ToolDef, ...] = ()
    window: str = ""
    changes_from: tuple[int, int] = (0, 0)

    @property
    def tools(self) -> tuple[ToolDef, ...]:
        """All tools that requests declare."""
        return (*self.begins.tools, *self.deferred)


@dataclass(frozen=True, slots=True)
class StartPlan:
    """What a request begins with, what is appended for it, and why its beginning changed ("" if it did not)."""

    start: SentStart
    added: tuple[Addition, ...] = ()
    broke: str = ""


def plan_start(
    before: SentStart | None, asked: AskedStart, window: str, newest: tuple[int, int], *, can_defer: bool
) -> StartPlan:
    """Decide what a request begins with, given what the last ones began with.

    `window` identifies the compacted part of the window, and `newest` is the place after its last text. `can_defer`
    says whether the provider takes new tools without a change of the beginning.
    """
    fresh = SentStart(asked, asked, window=window, changes_from=newest)
    if before is None:
        return StartPlan(fresh)
    if before.window != window:
        return StartPlan(fresh, broke="compaction")
    if asked == before.asked:
        return StartPlan(before)
    start, added = before, list[Addition]()
    if asked.tools != before.asked.tools:
        deferred = _deferred(before, asked.tools) if can_defer else None
        if deferred is None:
            return StartPlan(fresh, broke="tools")
        start = replace(start, deferred=deferred)
        text = changes_text(*_changed_names(before.asked.tools, asked.tools))
        added += [Addition("tools", text)] if text else []
    if asked.system != before.asked.system:
        added.append(Addition("system", _said(SYSTEM_CHANGED, SYSTEM_EMPTIED, asked.system)))
    if asked.memory != before.asked.memory:
        added.append(Addition("memory", _said(MEMORY_CHANGED, MEMORY_EMPTIED, asked.memory)))
    return StartPlan(replace(start, asked=asked), tuple(added))


def _said(changed: str, emptied: str, text: str) -> str:
    return changed.format(text=text) if text.strip() else emptied


def _deferred(before: SentStart, asked: Sequence[ToolDef]) -> tuple[ToolDef, ...] | None:
    """The deferred tools with those that are new.

    None if a known tool has another definition now, if the provider has no form for a new one, or if no tool would be
    left that is not deferred.
    """
    known = {tool.name: tool for tool in before.tools}
    if any(known.get(tool.name, tool) != tool for tool in asked):
        return None
    new = [tool for tool in asked if tool.name not in known]
    if len(render_tools(new)) < len(new) or not render_tools(before.begins.tools):
        return None
    return (*before.deferred, *new)


def _changed_names(before: Sequence[ToolDef], asked: Sequence[ToolDef]) -> tuple[list[str], list[str]]:
    old, new = [tool.name for tool in before], [tool.name for tool in asked]
    return [name for name in new if name not in old], [name for name in old if name not in new]
