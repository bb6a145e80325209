"""Every setting with its default, and the named presets.

The numbers of the hierarchical policy are those of the page on PicoClaw's context compression, under its names
(FreshTailCount is `fresh_tail_count`, and so on). The default preset differs from `seahorse` in two points: leaves are
made in the background, so that no turn waits, and the trigger is a share of the capacity rather than of the window.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal, cast, get_args

from palimpsest.errors import SettingsError

TriggerBase = Literal["capacity", "window"]
CompactWhen = Literal["background", "end_turn", "step"]
Policy = Literal["hierarchical", "rolling"]
MessageRule = Literal["gate", "trigger"]
CutsAt = Literal["groups", "turns", "everything"]
SummaryPlacement = Literal["user", "system"]

CHOICES: Mapping[str, tuple[str, ...]] = {
    name: get_args(kind)
    for name, kind in (
        ("policy", Policy),
        ("trigger_base", TriggerBase),
        ("compact_when", CompactWhen),
        ("message_rule", MessageRule),
        ("cuts_at", CutsAt),
        ("summary_placement", SummaryPlacement),
    )
}

MAX_TRIGGER_SHARE_OF_CAPACITY = 0.9
"""No trigger lies above this share of the capacity: with a window of 4 x max_tokens, 75 % of it is all of
the capacity.
"""


@dataclass(frozen=True, slots=True)
class Settings:
    """All settings of one conversation's context. Units are in the names; a `share` is between 0 and 1.

    window_tokens                the model's context window; 0 means 4 x max_tokens
    max_tokens                   output reserve: the longest reply asked for; 0 means a quarter of the
    window, at most 8,192
    policy                       "hierarchical": leaves, condensed when they are many; "rolling": one summary, updated
    context_threshold_share      compaction starts above this share of the trigger base (summarize_token_percent / 100)
    compact_threshold            an absolute trigger in tokens in place of the share; 0 for none, None to
    compact only where a request would not fit
    summarize_message_threshold  a number of messages, see message_rule
    message_rule                 "gate": fewer messages never start a compaction; "trigger": more of them start one
    trigger_base                 "capacity" (window - max_tokens - margin) or "window"
    compact_when                 "background" after a turn, awaited in "end_turn", or awaited after each "step"
    cuts_at                      a rolling summary ends before a tool group or message ("groups"), before a user
    message ("turns"), or takes all ("everything") and quotes the newest request
    summary_placement            "user": a message among the others; "system": behind the system prompt
    fresh_tail_count             newest window items that ordinary compaction leaves alone
    leaf_min_fanout              messages that suffice for a leaf ...
    leaf_chunk_tokens            ... or tokens that do; also the most one leaf takes
    leaf_target_tokens           size aimed at by a leaf
    condensed_min_fanout         consecutive summaries of one depth that can be condensed
    condensed_target_tokens      size aimed at by a condensed summary
    rolling_target_tokens        size aimed at by a rolling summary
    max_rounds                   bound of one call of compact_until_under
    summary_timeout_s            time one summarizer call may take
    summary_model                model name handed to `complete` for summaries ("" is its default)
    """

    window_tokens: int = 128_000
    max_tokens: int = 8_192
    policy: Policy = "hierarchical"
    context_threshold_share: float = 0.75
    compact_threshold: int | None = 0
    summarize_message_threshold: int = 20
    message_rule: MessageRule = "gate"
    trigger_base: TriggerBase = "capacity"
    compact_when: CompactWhen = "background"
    cuts_at: CutsAt = "groups"
    summary_placement: SummaryPlacement = "user"
    fresh_tail_count: int = 32
    leaf_min_fanout: int = 8
    leaf_chunk_tokens: int = 20_000
    leaf_target_tokens: int = 1_200
    condensed_min_fanout: int = 4
    condensed_target_tokens: int = 2_000
    rolling_target_tokens: int = 4_000
    max_rounds: int = 20
    summary_timeout_s: float = 60.0
    summary_model: str = ""


PRESETS: Mapping[str, Settings] = {
    "default": Settings(),
    "seahorse": Settings(trigger_base="window", compact_when="end_turn"),
    "picoclaw": Settings(
        policy="rolling",
        trigger_base="window",
        message_rule="trigger",
        cuts_at="turns",
        fresh_tail_count=4,
        summary_placement="system",
    ),
    "crabtalk": Settings(
        policy="rolling",
        compact_threshold=100_000,
        summarize_message_threshold=0,
        compact_when="step",
        cuts_at="everything",
        fresh_tail_count=0,
    ),
}

_AT_LEAST: Mapping[str, float] = {
    "window_tokens": 0,
    "max_tokens": 0,
    "compact_threshold": 0,
    "summarize_message_threshold": 0,
    "fresh_tail_count": 0,
    "leaf_min_fanout": 1,
    "leaf_chunk_tokens": 1,
    "leaf_target_tokens": 1,
    "condensed_min_fanout": 2,
    "condensed_target_tokens": 1,
    "rolling_target_tokens": 1,
    "max_rounds": 1,
    "summary_timeout_s": 0.001,
}


_NULLABLE = frozenset(("compact_threshold",))
"""Settings for which None is a value of its own."""


def make_settings(preset: str = "default", **changes: object) -> Settings:
    """The settings of `preset` with `changes`, checked and with the window and the output reserve resolved.

    A change of None means: as the preset has it. Raises SettingsError naming the setting and what it accepts.
    """
    if preset not in PRESETS:
        raise SettingsError(f"unknown preset {preset!r}", hint=f"choose one of {', '.join(PRESETS)}")
    known = {field.name: field for field in dataclasses.fields(Settings)}
    given = {name: value for name, value in changes.items() if value is not None or name in _NULLABLE}
    for name, value in given.items():
        if name not in known:
            raise SettingsError(f"unknown setting {name!r}", hint=f"known settings: {', '.join(known)}")
        _check(name, value)
    base = PRESETS[preset]
    if given.get("window_tokens") and "max_tokens" not in given:
        given["max_tokens"] = 0
    return _resolved(dataclasses.replace(base, **cast("dict[str, int]", given)))


def _check(name: str, value: object) -> None:
    """Type and range of one setting."""
    default: object = getattr(Settings(), name)
    choices = CHOICES.get(name)
    if value is None and name in _NULLABLE:
        return
    if choices is not None:
        if value not in choices:
            raise SettingsError(
                f"setting {name} cannot be {value!r}", hint=f"choose one of {', '.join(choices)}"
            )
        return
    if isinstance(default, str):
        if not isinstance(value, str):
            raise SettingsError(f"setting {name} cannot be {value!r}", hint="give a string")
        return
    whole = isinstance(default, int)
    if isinstance(value, bool) or not isinstance(value, int if whole else int | float):
        raise SettingsError(
            f"setting {name} cannot be {value!r}", hint=f"give a {'whole ' if whole else ''}number"
        )
    if name == "context_threshold_share":
        if not 0 < value <= 1:
            raise SettingsError(
                f"setting {name} cannot be {value!r}", hint="give a share above 0 and at most 1"
            )
    elif not _AT_LEAST[name] <= value < float("inf"):
        raise SettingsError(f"setting {name} cannot be {value!r}", hint=f"give at least {_AT_LEAST[name]:g}")


def _resolved(settings: Settings) -> Settings:
    """Fill in whichever of window and output reserve was left to the other, and refuse a reserve that leaves
    no room.
    """
    window_tokens, max_tokens = settings.window_tokens, settings.max_tokens
    if not window_tokens and not max_tokens:
        raise SettingsError("window_tokens and max_tokens are both 0", hint="give at least one of them")
    if not window_tokens:
        window_tokens = 4 * max_tokens
    if not max_tokens:
        max_tokens = min(8_192, window_tokens // 4)
    if max_tokens >= window_tokens:
        raise SettingsError(
            f"max_tokens {max_tokens:,} leaves no room in a window of {window_tokens:,} tokens",
            hint="lower max_tokens or raise window_tokens",
        )
    return dataclasses.replace(settings, window_tokens=window_tokens, max_tokens=max_tokens)


@dataclass(frozen=True, slots=True)
class PicoclawConfig:
    """What a PicoClaw config.json says about context: settings it changes, and the keys that have no effect,
    with why.
    """

    changes: Mapping[str, object]
    ignored: tuple[tuple[str, str], ...]


_PICOCLAW_CONSTANTS: Mapping[str, str] = {
    "FreshTailCount": "fresh_tail_count",
    "LeafMinFanout": "leaf_min_fanout",
    "LeafChunkTokens": "leaf_chunk_tokens",
    "LeafTargetTokens": "leaf_target_tokens",
    "CondensedMinFanout": "condensed_min_fanout",
    "CondensedTargetTokens": "condensed_target_tokens",
    "ContextThreshold": "context_threshold_share",
}


def read_picoclaw_config(config: Mapping[str, object]) -> PicoclawConfig:
    """The context settings under `agents.defaults` of a parsed PicoClaw config.json.

    `context_window` (4 x max_tokens when only that is set), `max_tokens`, `summarize_token_percent` and
    `summarize_message_threshold` are honoured. The engine's constants, under either spelling, have no effect in
    that file and are reported as ignored, as the page on PicoClaw's compression says they are not configured there.
    Raises SettingsError for values of the wrong type.
    """
    agents = config.get("agents")
    defaults = cast("Mapping[str, object]", agents).get("defaults") if isinstance(agents, Mapping) else None
    if not isinstance(defaults, Mapping):
        return PicoclawConfig({}, ())
    table = cast("Mapping[str, object]", defaults)
    changes: dict[str, object] = {}
    for key, setting in (
        ("context_window", "window_tokens"),
        ("max_tokens", "max_tokens"),
        ("summarize_message_threshold", "summarize_message_threshold"),
    ):
        if table.get(key) is not None:
            _check(setting, table[key])
            changes[setting] = table[key]
    if "max_tokens" in changes and "window_tokens" not in changes:
        changes["window_tokens"] = 0
    percent = table.get("summarize_token_percent")
    if percent is not None:
        if isinstance(percent, bool) or not isinstance(percent, int | float) or not 0 < percent <= 100:
            raise SettingsError(
                f"summarize_token_percent cannot be {percent!r}", hint="give a number from 1 to 100"
            )
        changes["context_threshold_share"] = percent / 100
    ignored = tuple(
        (f"agents.defaults.{key}", f"it has no effect in this file; set {name} when opening the engine")
        for constant, name in _PICOCLAW_CONSTANTS.items()
        for key in (constant, name)
        if key in table
    )
    return PicoclawConfig(changes, ignored)
