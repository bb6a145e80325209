"""Who may write the summaries of a conversation, and what asking them costs beside its own model.

- A fork is asked through the client that asks the conversation's model: `fallback`, which is that model, or the
  summarizer's own client where it has the same name. A callable of unknown kind is taken for it only where the settings
  say "fork": it may not send what it is given, and then nothing of it is read from a cache.
- What a model costs is known by its name. Of one without a name the rules' own assumption holds.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from palimpsest.complete.model_adapter import is_model
from palimpsest.engine.conversation_state import Desk
from palimpsest.ports import Complete
from palimpsest.price.rules import CHEAP_SHARE
from palimpsest.price.table import find_price
from palimpsest.record.completion import Completion, CompletionRequest
from palimpsest.record.decision import State
from palimpsest.record.log import Branch
from palimpsest.record.window import Window
from palimpsest.settings import Settings, Summarizer

if TYPE_CHECKING:
    from palimpsest.complete.provider_client import Server
    from palimpsest.summarize.model.continued_request import Fork

MOST_SHARE = 100.0
"""A summarizer is taken for at most so many times as dear as the conversation's model."""


def name_of(client: Complete | None) -> str:
    """The model behind a client as "provider:model", "" where it does not tell."""
    model: object = getattr(client, "model", "")
    provider: object = getattr(client, "provider", "")
    if not isinstance(model, str) or not model:
        return ""
    return f"{provider}:{model}" if isinstance(provider, str) and provider and ":" not in model else model


async def server_of(client: Complete | None, model: str) -> Server | None:
    """What a self-hosted server tells of itself and of a model; None for any other client."""
    from palimpsest.complete.provider_client import HttpModel

    return await client.server(model) if isinstance(client, HttpModel) and client.self_hosted else None


def forker(
    settings: Settings, model: str, complete: Complete | None, fallback: Complete | None
) -> Complete | None:
    """The client that can be asked to go on from the conversation's own request to `model`; None for none."""
    if settings.summarizer == "fork":
        return fallback or complete
    if is_model(fallback):
        return fallback
    known = name_of(complete)
    same = bool(model) and known.partition(":")[2] == model.rpartition(":")[2]
    return complete if is_model(complete) and same else None


def summary_share(settings: Settings, model: str, complete: Complete | None, time_s: float) -> float:
    """What the summarizer's model costs, as a share of what the conversation's does."""
    name = settings.summary_model or name_of(complete)
    if not name or not model:
        return CHEAP_SHARE
    own, its = (find_price(one, time_s=time_s).rates.input for one in (model, name))
    return min(MOST_SHARE, its / own) if own > 0 else 1.0


def with_writers(state: State, model: str, complete: Complete | None, fallback: Complete | None) -> State:
    """The state with who may write a summary of this conversation, which is with `model`."""
    economy, settings = state.economy, state.settings
    if economy is None or complete is None or settings.summarizer == "extractive":
        return state
    who: Summarizer = settings.summarizer
    if forker(settings, model, complete, fallback) is None:
        who = "model"
    share = summary_share(settings, model, complete, state.now_s)
    return replace(state, economy=replace(economy, summarizer=who, summary_share=share))


def fork_of(desk: Desk, window: Window, branch: Branch) -> Fork:
    """The request of this window as it would be sent now, for the conversation's model to go on from."""
    shown, fixed = desk.show(window), desk.fixed
    request = CompletionRequest(
        messages=shown.messages,
        system=fixed.system,
        memory="\n\n".join(text for text in (fixed.memory, shown.summaries) if text),
        tools=fixed.tools,
        model=desk.asked_model(),
        records=shown.records,
    )
    from palimpsest.summarize.model.continued_request import Fork

    return Fork(request, desk.budget(window, branch).used_tokens)


def by_purpose(complete: Complete, own: Complete) -> Complete:
    """The summarizer's model, and for what goes on from the conversation's request that model."""

    from palimpsest.summarize.model.continued_request import PURPOSE

    async def ask(request: CompletionRequest) -> Completion:
        return await (own if request.purpose == PURPOSE else complete)(request)

    return ask
