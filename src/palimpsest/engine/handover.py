"""What an agent needs after its own compaction: exact names, the user's own words, and how to look up the rest."""

from __future__ import annotations

from typing import TYPE_CHECKING

from palimpsest.budget.token_estimator import count_text
from palimpsest.record.window import Window
from palimpsest.text.blocks import without_wrappers
from palimpsest.text.cut import fit_prefix

if TYPE_CHECKING:
    from palimpsest.engine.conversation_state import ConversationState

HANDOVER_TOKENS = 2_000
_WORDS_SHARE = 0.5
_MESSAGE_TOKENS = 300
_LOOK_CHARS = 8_000
"""Of longer messages only the beginning is read; it is searched for secrets before it is cut."""

_PAGE_MESSAGES = 200
_MAX_PAGES = 20


async def handover(state: ConversationState, how_to_search: str, budget_tokens: int = HANDOVER_TOKENS) -> str:
    """Return the text within a budget, without secrets; "" for a conversation without messages."""
    branch, _ = await state.load()
    if branch is None or not branch.head.seq:
        return ""
    words = await _users_words(state, branch.head.seq, round(budget_tokens * _WORDS_SHARE))
    left = budget_tokens - count_text(words) - count_text(how_to_search)
    ledger, _ = await state.ledger_state.render(branch, Window(), max(0, left))
    parts = [
        "Kept of this session from before its compaction, exact:",
        f"The user's own words, oldest first:\n{words}" if words else "",
        ledger,
        how_to_search,
    ]
    return "\n\n".join(part for part in parts if part)


async def _users_words(state: ConversationState, newest: int, budget_tokens: int) -> str:
    """The newest texts of the user, oldest first; a long one is cut, and what a program added in tags is left out."""
    redactor = await state.engine_state.redactor()
    found: list[str] = []
    left, last = budget_tokens, newest
    for _ in range(_MAX_PAGES):
        if last < 1 or left <= 0:
            break
        first = max(1, last - _PAGE_MESSAGES + 1)
        stored = await state.store.messages(state.owner, state.conversation, first, last)
        for one in reversed(stored):
            text = without_wrappers(one.message.text) if one.message.role == "user" else ""
            if not text:
                continue
            shown = fit_prefix(redactor.without(text[:_LOOK_CHARS]), _MESSAGE_TOKENS, count_text)
            line = f"- [{one.id}] {shown}"
            left -= count_text(line)
            if left < 0:
                break
            found.append(line)
        last = first - 1
    return "\n".join(reversed(found))
