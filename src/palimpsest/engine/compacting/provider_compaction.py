"""Let the provider compact: `summarizer = "provider"`.

The provider reads the conversation's own request up to the cut, and returns items that its own wire sends in place of
these messages. The cut is where the policy would have cut, moved to where the provider accepts it: no tool call is
open, and the first message that stays has another role than the last one that goes. So the thinking of what stays
remains valid. Sources: Anthropic's pages "Compaction on demand", "Compaction that keeps recent turns", and
"Compaction and preserved thinking"; OpenAI's page "Compaction".

OpenAI returns all messages of the user role unchanged before its encrypted item. Those that no user said (summaries,
ledger, injections) are left out, because they would stay for ever, and each compaction would add more.

What a provider's summary cannot promise stands next to it: the users' own words, ledger, and pins. The readable text
of the block, or our outline where it has none, is what search, other providers, and reading back get.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Sequence
from contextlib import suppress
from dataclasses import replace
from time import perf_counter
from typing import TYPE_CHECKING, TypeGuard, cast

from palimpsest.budget.assemble import ShownRules, count_summary, item_message, item_messages
from palimpsest.budget.bound_thinking import Chain
from palimpsest.budget.token_counts import MESSAGE_OVERHEAD_TOKENS
from palimpsest.budget.token_estimator import count_text
from palimpsest.engine.limited_calls import limited, time_limit
from palimpsest.errors import FormatError
from palimpsest.formats import openai, wire_fields
from palimpsest.formats.provider_blocks import BLOCK
from palimpsest.plan.blocks import is_record, shown_request, summary_step
from palimpsest.plan.economic import tail_start
from palimpsest.record.completion import CompletionRequest
from palimpsest.record.message import Usage
from palimpsest.record.provider_block import ProviderBlock, ProviderSummary
from palimpsest.record.summary import SummaryCall
from palimpsest.record.window import Window
from palimpsest.record.window_items import NO_BLOCK, BlockItem, Item, MessageItem, StubItem, SummaryItem
from palimpsest.redaction.redactor import redact_error_text

if TYPE_CHECKING:
    from palimpsest.engine.conversation_state import ConversationState
    from palimpsest.ports import Compacts, Complete
    from palimpsest.record.decision import Decision, Step
    from palimpsest.record.log import Stored
    from palimpsest.record.message import Message

PROVIDER = "provider"
SUMMARIZING = ("leaf", "condense", "roll")
"""The kinds of steps that a provider's compaction replaces."""
MAX_REASON_CHARS = 200
TIMEOUT_S = 300.0
"""The limit of one compaction by a provider."""
MAX_MOVED = 200
"""By how many items a cut is moved to where the provider accepts it."""
WORDS_SHARE, MAX_WORDS_TOKENS = 1 / 16, 4_000
"""The most that the users' words next to a block take: this share of the window, and at most so many tokens."""

_WORDS = "What the user said in the compacted part, oldest first, verbatim. Each text begins with its id."


def compacting_client(*clients: Complete | None) -> Compacts | None:
    """The first of these clients whose provider compacts; None if none does."""
    found = next((one for one in clients if callable(getattr(one, "compact", None))), None)
    return cast("Compacts | None", found)


def is_on_wire(window: Window, client: Compacts) -> bool:
    """Whether the conversation's newest reply came on the wire that takes what this client compacts."""
    replies = (
        item.stored.message
        for item in reversed(window.items)
        if isinstance(item, MessageItem | StubItem) and item.stored.message.role == "assistant"
    )
    newest = next(replies, None)
    return newest is not None and newest.wire == client.compacts_wire


def provider_step(
    window: Window, decision: Decision, *, tail_tokens: int, binds_thinking: bool
) -> Step | None:
    """The step in which the provider compacts what a decision summarizes, and all before it; None if it cannot.

    Pruning would cost a model that `binds_thinking` the thinking that a provider's compaction keeps, so everything
    before the tail is compacted in its place.
    """
    summarized = {one for step in decision.steps if step.kind in SUMMARIZING for one in step.item_ids}
    last = max((place for place, item in enumerate(window.items) if item.id in summarized), default=-1)
    if last < 0 and binds_thinking and any(step.kind == "stub" for step in decision.steps):
        last = tail_start(window, tail_tokens) - 1
    end = _accepted_cut(window, last + 1)
    if not end or all(map(is_record, window.items[:end])):
        return None
    items = window.items[:end]
    requests = [stored.seq for item in items if (stored := shown_request(item)) is not None]
    shown_later = any(shown_request(item) is not None for item in window.items[end:])
    quotes = requests[-1] if requests and not shown_later else 0
    target = max((step.target_tokens for step in decision.steps), default=0)
    return summary_step(None, items, target, quotes=quotes, summarizer=PROVIDER)


def _accepted_cut(window: Window, end: int) -> int:
    """The nearest cut at `end` or before it that a provider accepts, 0 for none.

    What waits for a reply stays, so that a message follows the block, and texts can be added to it.
    """
    rules = ShownRules(window.thinking_from)
    for place in range(end, max(0, end - MAX_MOVED), -1):
        if place == len(window.items):
            newest = window.items[-1]
            if _role(newest, rules, newest=True) == "assistant" and not _calls(newest):
                return place
            continue
        before, after = (_role(window.items[at], rules, newest=at < place) for at in (place - 1, place))
        result = (
            isinstance(first := window.items[place], MessageItem | StubItem)
            and first.stored.message.role == "tool"
        )
        before = "user" if before == "system" else before  # it belongs to the user's turn before it
        if after not in (before, "system") and not result and not _calls(window.items[place - 1]):
            return place
    return 0


def _role(item: Item, rules: ShownRules, *, newest: bool) -> str:
    """The role of the last or first message of an item, as a provider merges them."""
    messages = item_messages(item, rules)
    role = messages[-1 if newest else 0].role
    return "user" if role == "tool" else role


def _calls(item: Item) -> bool:
    return isinstance(item, MessageItem | StubItem) and bool(item.stored.message.calls)


async def ask_provider(
    state: ConversationState, client: Compacts, window: Window, items: Sequence[Item], quoted: Stored | None
) -> tuple[ProviderSummary | None, ProviderBlock, tuple[SummaryCall, ...]]:
    """Ask the provider to compact the first items of a window. Without an answer the call says why."""
    chain, request = _request_of(state, window, items)
    started_s = perf_counter()
    try:
        call = limited(client.compact(request), time_limit(request.timeout_s, "no answer within"))
        found = checked_summary(await call, client.compacts_wire)
    except Exception as error:  # noqa: BLE001  (a client may raise anything: the next summarizer is asked)
        told = redact_error_text(f"{type(error).__name__}: {error}")[:MAX_REASON_CHARS]
        took_s = round(perf_counter() - started_s, 1)
        call = SummaryCall(
            "normal", 0, 0, f"the provider did not compact: {told}", request.model, took_s=took_s
        )
        return None, NO_BLOCK, (call,)
    usage = found.usage or Usage()
    call = SummaryCall(
        "normal",
        usage.input_tokens,
        usage.output_tokens,
        model=found.model or request.model,
        cached_tokens=usage.cached_tokens,
        took_s=round(perf_counter() - started_s, 1),
    )
    found = replace(found, items=_of_users(found.items, request.messages, items))
    kept = frozenset(map(_user_text, found.items))
    limit_tokens = int(state.effective_settings().window_tokens * WORDS_SHARE)
    words = (await state.engine_state.redactor()).without(user_words(items, quoted, limit_tokens, kept))
    block = ProviderBlock(found.wire, found.items, call.model, chain.start, chain.digest, words)
    return found, block, (call,)


def checked_summary(found: object, wire: str) -> ProviderSummary:
    """The provider's answer, if requests on its wire can send it. Raises FormatError."""
    if isinstance(found, ProviderSummary) and found.wire == wire and found.items:
        with suppress(ValueError, RecursionError):
            if all(isinstance(json.loads(item), dict) for item in found.items):
                return found
    raise FormatError("the provider's compaction cannot be read", hint="try again later")


def _request_of(
    state: ConversationState, window: Window, items: Sequence[Item]
) -> tuple[Chain, CompletionRequest]:
    """The conversation's own request up to the last of these items, byte for byte as it was sent."""
    prefix = state.prefix
    shown = state.render_first(window, len(items))
    chain = state.chain_of(window, shown, None)
    request = CompletionRequest(
        messages=chain.sent,
        system=prefix.system,
        memory="\n\n".join(text for text in (prefix.memory, shown.summaries) if text),
        tools=prefix.tools,
        model=state.current_model(),
        purpose="compaction",
        deferred=state.deferred_tools(),
        timeout_s=state.settings.summary_timeout_s or TIMEOUT_S,
    )
    return chain, request


def _of_users(returned: tuple[str, ...], sent: Sequence[Message], items: Sequence[Item]) -> tuple[str, ...]:
    """A provider's items without the messages that are texts of our own in the request."""
    own = {message.text for message in sent if message.role == "user" and message.wire != BLOCK}
    own -= {item_message(item, ShownRules()).text for item in items if _is_said(item)}
    return tuple(one for one in returned if _user_text(one) not in own)


def _user_text(item: str) -> str:
    return openai.user_text(wire_fields.load_object(item) or {})


def _is_said(item: Item) -> TypeGuard[MessageItem | StubItem]:
    return isinstance(item, MessageItem | StubItem) and item.stored.message.role == "user"


def user_words(
    items: Sequence[Item],
    quoted: Stored | None,
    limit_tokens: int,
    shown: Collection[str] = (),
) -> str:
    """The users' messages of a range, the newest ones as far as they fit; the `quoted` one is always whole, and the
    others only if they are not `shown`.
    """
    room = min(limit_tokens, MAX_WORDS_TOKENS)
    found: list[str] = []
    for item in reversed(items):
        text, kept = "", False
        if _is_said(item):
            said, kept = item.stored.message.text, item.stored == quoted
            is_new = bool(said.strip()) and (kept or said not in shown)
            text = f"[{item.stored.id}] {said.strip()}" if is_new else ""
        elif isinstance(item, BlockItem):
            text, kept = item.block.words.removeprefix(_WORDS).strip(), item.quoted is not None
        elif isinstance(item, SummaryItem) and item.quoted is not None:
            text, kept = f"[{item.quoted.id}] {item.quoted.message.text.strip()}", item.quoted == quoted
        tokens = count_text(text)
        if text and (tokens <= room or kept):
            found.append(text)
            room -= tokens
    return "\n\n".join((_WORDS, *reversed(found))) if found else ""


def items_tokens(found: ProviderSummary) -> int:
    """Tokens of a provider's items in a request: the last one as reported, and the messages before it as they are."""
    *messages, last = found.items
    written = found.usage.output_tokens if found.usage else count_text(last) // 2
    said = sum(MESSAGE_OVERHEAD_TOKENS + count_text(_user_text(one) or one) for one in messages)
    return written + MESSAGE_OVERHEAD_TOKENS + said


def block_item(made: SummaryItem, block: ProviderBlock, found: ProviderSummary) -> BlockItem:
    """The item with its tokens: the larger of the provider's items and the text that others get, and the words."""
    words = MESSAGE_OVERHEAD_TOKENS + count_text(block.words) if block.words else 0
    summary = replace(made.summary, tokens=0)
    tokens = max(count_summary(summary), items_tokens(found)) + words
    return BlockItem(replace(summary, tokens=tokens), made.quoted, block)
