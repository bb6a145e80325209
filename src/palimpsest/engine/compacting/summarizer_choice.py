"""Who may write the summaries of a conversation, and what that costs relative to the conversation's own model.

- A fork continues the conversation's own request, so it goes to the client that asks the conversation's model:
  `fallback`, or the summarizer's own client if it has the same model. A callable of unknown kind is used only if the
  settings say "fork", because it may not send the request in a way that reads from the cache.
- A model's price is found by its name. Without a name the rules' assumption holds.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from palimpsest.complete.model_adapter import is_model
from palimpsest.engine.conversation_state import ConversationState
from palimpsest.ports import Complete
from palimpsest.price.compaction_rules import CHEAP_SHARE
from palimpsest.price.table import find_price
from palimpsest.record.completion import Completion, CompletionRequest
from palimpsest.record.decision import State
from palimpsest.record.log import Branch
from palimpsest.record.window import Window
from palimpsest.settings import Settings, Summarizer

if TYPE_CHECKING:
    from palimpsest.complete.provider_client import Server
    from palimpsest.summarize.model.escalation import Fork

MAX_SHARE = 100.0
"""A summarizer is taken to cost at most this many times as much as the conversation's model."""


def name_of(client: Complete | None) -> str:
    """The model behind a client as "provider:model", "" if unknown."""
    model: object = getattr(client, "model", "")
    provider: object = getattr(client, "provider", "")
    if not isinstance(model, str) or not model:
        return ""
    return f"{provider}:{model}" if isinstance(provider, str) and provider and ":" not in model else model


async def server_of(client: Complete | None, model: str) -> Server | None:
    """What a self-hosted server says of itself and of a model; None for any other client."""
    from palimpsest.complete.provider_client import HttpModel

    return await client.server(model) if isinstance(client, HttpModel) and client.self_hosted else None


def forker(
    settings: Settings, model: str, complete: Complete | None, fallback: Complete | None
) -> Complete | None:
    """The client that can continue the conversation's own request to `model`; None if there is none."""
    if settings.summarizer == "fork":
        return fallback or complete
    if is_model(fallback):
        return fallback
    same = bool(model) and name_of(complete).partition(":")[2] == model.rpartition(":")[2]
    return complete if is_model(complete) and same else None


def summary_share(settings: Settings, model: str, complete: Complete | None, time_s: float) -> float:
    """The summarizer's price as a share of the conversation's model's."""
    name = settings.summary_model or name_of(complete)
    if not name or not model:
        return CHEAP_SHARE
    own, summarizer = (find_price(one, time_s=time_s).rates.input for one in (model, name))
    return min(MAX_SHARE, summarizer / own) if own > 0 else 1.0


def with_summarizer(
    policy_state: State,
    model: str,
    complete: Complete | None,
    fallback: Complete | None,
    *,
    asks_provider: bool = False,
    is_own: bool = False,
) -> State:
    """The policy's state with who may write summaries of a conversation with `model`, and their price. `is_own`: that
    is the conversation's own model.

    A provider that compacts reads the request from its cache, as a fork does.
    """
    economy, settings = policy_state.economy, policy_state.settings
    if economy is not None and asks_provider:
        return replace(policy_state, economy=replace(economy, summarizer="fork"))
    if economy is None or complete is None or settings.summarizer == "extractive":
        return policy_state
    can_fork = forker(settings, model, complete, fallback) is not None
    summarizer: Summarizer = settings.summarizer if can_fork else "model"
    if summarizer == "provider":
        summarizer = "model"
    own = is_own and not settings.summary_model
    share = 1.0 if own else summary_share(settings, model, complete, policy_state.now_s)
    return replace(policy_state, economy=replace(economy, summarizer=summarizer, summary_share=share))


def fork_of(state: ConversationState, window: Window, branch: Branch) -> Fork:
    """The request of this window as it would be sent now, for the conversation's model to continue."""
    from palimpsest.summarize.model.escalation import Fork

    shown, prefix = state.show(window), state.prefix
    request = CompletionRequest(
        messages=shown.messages,
        system=prefix.system,
        memory="\n\n".join(text for text in (prefix.memory, shown.summaries) if text),
        tools=prefix.tools,
        model=state.current_model(),
        records=shown.records,
    )
    return Fork(request, state.budget(window, branch).used_tokens)


def by_purpose(complete: Complete, own: Complete) -> Complete:
    """The summarizer, but the conversation's `own` model for what continues its request."""
    from palimpsest.summarize.model.escalation import PURPOSE

    async def ask(request: CompletionRequest) -> Completion:
        return await (own if request.purpose == PURPOSE else complete)(request)

    return ask
