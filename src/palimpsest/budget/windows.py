"""The limits a conversation's requests keep to: what was set, else what is known of the model, else a rule.

window   set > set for the model > known of the model > 4 x max_tokens
reply    set > set for the model > 8,192, and never more than the model writes or a quarter of the window

A model that takes shorter prompts than its window (272,000 of 400,000) has the window that such a prompt and the reply
make. Source of the last rule of the window: the page on PicoClaw's context.
"""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass

from palimpsest.budget.models import TABLE_SOURCE, Known, canonical, known, longest_reply
from palimpsest.patterns import later
from palimpsest.settings import DEFAULT_MAX_TOKENS, ModelLimits, Settings

SET = "set"
DEFAULT = "default"
FOUR_TIMES = "4 x max_tokens"
QUARTER = "a quarter of the window"

_DATED = later(r"-(?:\d{8}|\d{4}-\d{2}-\d{2})$")


@dataclass(frozen=True, slots=True)
class Limits:
    """The effective limits in tokens, and where each came from: "set", "set for MODEL", "genai-prices VERSION",
    "models table of DATE", "4 x max_tokens", "a quarter of the window" or "default".

    `longest_reply_tokens` is the most the model writes, 0 where it is not known.
    """

    window_tokens: int
    window_source: str
    max_tokens: int
    max_source: str
    longest_reply_tokens: int = 0


def find_limits(settings: Settings, model: str = "") -> Limits:
    """The limits for a model, "" for an unknown one. The reply always leaves room in the window."""
    own = _set_for(settings, model)
    set_here = f"{SET} for {own.name}"
    reply, reply_source = settings.max_tokens, SET
    if not reply:
        reply, reply_source = own.max_tokens, set_here
    window, window_source = settings.window_tokens, SET
    if not window:
        window, window_source = own.window_tokens, set_here
    found = (known(model) if model and not window else None) or Known(max_tokens=longest_reply(model))
    usual = min(DEFAULT_MAX_TOKENS, found.max_tokens or DEFAULT_MAX_TOKENS)
    if not window:
        window, window_source = found.window_tokens, found.source
        if found.input_tokens and found.input_tokens + (reply or usual) < window:
            window, window_source = found.input_tokens + (reply or usual), TABLE_SOURCE
    if not window:
        window, window_source = 4 * (reply or usual), FOUR_TIMES
    if not reply:
        reply, reply_source = usual, TABLE_SOURCE if usual < DEFAULT_MAX_TOKENS else DEFAULT
        if reply > window // 4:
            reply, reply_source = window // 4, QUARTER
    elif reply >= window:
        reply, reply_source = window // 4, QUARTER
    return Limits(window, window_source, reply, reply_source, found.max_tokens)


def resolve_limits(settings: Settings, model: str = "") -> Settings:
    """The settings with both limits filled in."""
    limits = find_limits(settings, model)
    return dataclasses.replace(settings, window_tokens=limits.window_tokens, max_tokens=limits.max_tokens)


def observed_limits(settings: Settings, model: str, observed_tokens: int) -> Settings:
    """The settings with both limits filled in, the window as a refusal told it where that is less; 0 for none."""
    made = resolve_limits(settings, model)
    if not 0 < observed_tokens < made.window_tokens:
        return made
    return resolve_limits(dataclasses.replace(settings, window_tokens=observed_tokens), model)


def _set_for(settings: Settings, model: str) -> ModelLimits:
    """What the settings say of this model: under its full name, else without its provider or its date."""
    set_by_name = {canonical(one.name): one for one in settings.models}
    name = canonical(model)
    short = name.partition(":")[2] or name
    for spelling in (name, short, _DATED.sub("", name), _DATED.sub("", short)):
        if spelling in set_by_name:
            return set_by_name[spelling]
    return ModelLimits(model)
