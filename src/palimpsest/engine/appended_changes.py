"""Keep a request's beginning as it was sent, and append what changes.

A model that binds thinking refuses it once anything before it has changed, and a provider's cache ends at the first
change. For such models the system prompt, the memory and the tools of a conversation stay as they were first sent,
until a compaction changes the beginning anyway. What changes meanwhile is stored after the newest message, and stays
there: injections, recalled passages, pins, and changed instructions. Sources: Anthropic's pages "Preserved thinking"
and "Change tools or instructions without failing the prefix check".

`budget.request_start` decides; `append_changes` stores.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from palimpsest.budget.request_start import AskedStart, SentStart, StartPlan, plan_start
from palimpsest.engine.conversation_state import make_prefix
from palimpsest.errors import StaleCommit
from palimpsest.formats.anthropic.model_abilities import binds_thinking
from palimpsest.record.message import Addition
from palimpsest.record.window_items import MessageItem, StubItem, as_stored, shows_request

if TYPE_CHECKING:
    from palimpsest.engine.conversation_state import ConversationState
    from palimpsest.record.log import Branch
    from palimpsest.record.window import Window

MAX_TURN_ITEMS = 2_000
"""Items at the end of a window among which an injection of the present turn is looked for."""


def stays(state: ConversationState) -> bool:
    """Whether what changes is appended and stays, as the setting `injections` says."""
    mode = state.settings.injections
    if mode != "auto":
        return mode == "stay"
    return state.binds_thinking()


def can_defer_tools(state: ConversationState) -> bool:
    """Whether the model is a Claude that takes new tools at the end, and the caller allows this beta."""
    return state.settings.provider_betas == "on" and binds_thinking(state.current_model()) is True


def newest_place(window: Window) -> tuple[int, int]:
    """The place after the last text of a window: its last position, and the number of texts added there."""
    item = window.items[-1] if window.items else None
    added = len(item.stored.message.added) if isinstance(item, MessageItem | StubItem) else 0
    return (window.last, added)


def not_yet_added(window: Window, texts: Sequence[Addition]) -> list[Addition]:
    """The texts that were not added yet since the newest request of the user."""
    if not texts:
        return []
    known: set[Addition] = set()
    for item in reversed(window.items[-MAX_TURN_ITEMS:]):
        if isinstance(item, MessageItem | StubItem):
            known.update(item.stored.message.added)
        if shows_request(item):
            break
    return [one for one in dict.fromkeys(texts) if one not in known]


def not_yet_shown(window: Window, texts: Sequence[Addition]) -> list[Addition]:
    """The texts that were not added to any message of the window yet."""
    if not texts:
        return []
    known = {
        one
        for item in window.items
        if isinstance(item, MessageItem | StubItem)
        for one in item.stored.message.added
    }
    return [one for one in texts if one not in known]


def takes_additions(branch: Branch, window: Window) -> bool:
    """Whether texts can be added to the newest message: it is whole, closed, and the branch's own."""
    item = window.items[-1] if window.items else None
    return item is not None and as_stored(item) and branch.fork_seq < window.last <= branch.closed_seq


async def add_texts(
    state: ConversationState, branch: Branch, window: Window, texts: Sequence[Addition]
) -> tuple[Branch, Window] | None:
    """Store texts after the newest message; None if it cannot take them."""
    item = window.items[-1] if window.items else None
    if not takes_additions(branch, window) or not isinstance(item, MessageItem | StubItem):
        return None
    try:
        return await state.add_to_newest(branch, item.stored.id, texts)
    except StaleCommit:
        state.invalidate()
        return None


async def append_changes(
    state: ConversationState, branch: Branch, window: Window, asked: AskedStart, injections: Sequence[str]
) -> tuple[Branch, Window, tuple[str, ...]]:
    """Store what changed since the last request after the newest message, and plan how the next one begins.

    Returns the window with it, and the injections that could not be stored: they are for one request only.
    """
    mark = state.compacted_mark(window, branch)
    before = state.start_behind_block(window, mark)
    plan = plan_start(before, asked, mark, newest_place(window), can_defer=can_defer_tools(state))
    texts = not_yet_shown(window, state.waiting_texts(window))
    texts += not_yet_added(window, [Addition("injection", text) for text in injections if text])
    left: tuple[str, ...] = ()
    if texts or plan.added:
        done = await add_texts(state, branch, window, (*texts, *plan.added))
        if done is not None:
            branch, window = done
        else:
            left = tuple(one.text for one in texts)
            fresh = SentStart(asked, asked, window=mark, changes_from=newest_place(window))
            plan = StartPlan(fresh if plan.added else plan.start, broke=plan.broke or "not stored")
    if plan.broke:
        state.engine_state.note_break(plan.broke)
    known, state.engine_state.start = state.engine_state.start, plan.start
    if plan.start != known:
        await state.engine_state.save()  # the next process goes on with it
    return branch, window, left


async def start_request(
    state: ConversationState,
    branch: Branch | None,
    window: Window,
    asked: AskedStart,
    injections: tuple[str, ...],
) -> tuple[Branch | None, Window]:
    """Set what the next request begins with and what is injected; return the window, which may have grown."""
    before, state.asked = state.prefix, asked
    state.staying = branch is not None and stays(state)
    begins, tools = asked, asked.tools
    if state.staying and branch is not None:
        branch, window, injections = await append_changes(state, branch, window, asked, injections)
        start = state.engine_state.start
        if start is not None:
            begins, tools = start.begins, start.tools
    elif state.answering is not None:
        _note_breaks(state, asked)
    state.prefix = make_prefix(before, begins.system, begins.memory, tools, injections)
    return branch, window


def _note_breaks(state: ConversationState, asked: AskedStart) -> None:
    """Count why a request does not begin as the last one, for a model whose requests may change."""
    before = state.prefix
    changes = {
        "system": before.system != asked.system,
        "memory": before.memory != asked.memory,
        "tools": before.tools != asked.tools,
        "injection": bool(before.injections),
    }
    for reason, changed in changes.items():
        if changed:
            state.engine_state.note_break(reason)
