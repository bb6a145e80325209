"""Every setting with its default, and the named presets.

- The hierarchical policy has the numbers of the page on PicoClaw's context compression, under its names
  (FreshTailCount is `fresh_tail_count`). The preset "hierarchical" differs from `seahorse` in four points. Leaves
  are made in the background, and the trigger is a share of the capacity, not of the window. Tokens are counted by our
  own estimate, and nothing is truncated while a provider refuses every call.
- The default preset serves quality. It decides like `economic` when a compaction pays, but not below a floor. It
  leaves a longer tail, fills a target with an outline, and shows large results whole to a model that cannot read them
  back.
- `economic` has the lowest bill.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Literal, cast, get_args

from palimpsest.errors import SettingsError, brief

TriggerBase = Literal["capacity", "window"]
CompactWhen = Literal["background", "end_turn", "step", "call"]
Policy = Literal["hierarchical", "rolling", "head_tail", "drop", "economic"]
MessageRule = Literal["gate", "trigger"]
Counting = Literal["estimate", "two_fifths", "quarter"]
WhenRefused = Literal["wait", "truncate"]
CutsAt = Literal["groups", "turns", "everything"]
SummaryPlacement = Literal["user", "system"]
SummaryForm = Literal["sections", "page", "prose"]
SummaryCheck = Literal["off", "model", "model_edit"]
IdentifierPolicy = Literal["strict", "custom", "off"]
Summarizer = Literal["model", "extractive", "fork", "cheapest", "provider"]
Durability = Literal["full", "relaxed"]
Injections = Literal["auto", "stay", "once"]
ProviderBetas = Literal["off", "on"]

CHOICES: Mapping[str, tuple[str, ...]] = {
    name: get_args(kind)
    for name, kind in (
        ("policy", Policy),
        ("trigger_base", TriggerBase),
        ("compact_when", CompactWhen),
        ("message_rule", MessageRule),
        ("counting", Counting),
        ("when_refused", WhenRefused),
        ("cuts_at", CutsAt),
        ("summary_placement", SummaryPlacement),
        ("summary_form", SummaryForm),
        ("identifier_policy", IdentifierPolicy),
        ("summary_check", SummaryCheck),
        ("summarizer", Summarizer),
        ("durability", Durability),
        ("injections", Injections),
        ("provider_betas", ProviderBetas),
    )
}

DEFAULT_MAX_TOKENS = 8_192
"""The default output reserve; the window of an unknown model is four times that."""

MAX_TRIGGER_SHARE_OF_CAPACITY = 0.9
"""No trigger is above this share of the capacity: with a window of 4 x max_tokens, 75 % of it is the whole capacity.
"""


@dataclass(frozen=True, slots=True)
class ModelLimits:
    """A user's limits for one model, before what is known of it; 0 to use that."""

    name: str
    window_tokens: int = 0
    max_tokens: int = 0


@dataclass(frozen=True, slots=True)
class Settings:
    """All settings of one conversation's context; `docs/settings.md` describes each.

    Units are in the names; a `share` is between 0 and 1. 0 mostly means "none", or "as known of the model".
    """

    window_tokens: int = 0
    max_tokens: int = 0
    model: str = ""
    models: tuple[ModelLimits, ...] = ()
    policy: Policy = "hierarchical"
    context_threshold_share: float = 0.75
    compact_threshold: int | None = 0
    trigger_reserve_tokens: int = 0
    head_turns: int = 1
    tail_tokens: int = 20_000
    failure_cooldown_s: float = 0.0
    when_refused: WhenRefused = "wait"
    summarize_message_threshold: int = 20
    message_rule: MessageRule = "gate"
    trigger_base: TriggerBase = "capacity"
    counting: Counting = "estimate"
    compact_when: CompactWhen = "background"
    cuts_at: CutsAt = "groups"
    summary_placement: SummaryPlacement = "user"
    summary_form: SummaryForm = "sections"
    identifier_policy: IdentifierPolicy = "strict"
    identifier_instructions: str = ""
    summary_check: SummaryCheck = "off"
    fresh_tail_count: int = 32
    leaf_min_fanout: int = 8
    leaf_chunk_tokens: int = 20_000
    leaf_target_tokens: int = 1_200
    condensed_min_fanout: int = 4
    condensed_target_tokens: int = 2_000
    rolling_target_tokens: int = 4_000
    ledger_tokens: int = 1_000
    window_target_tokens: int = 0
    compact_not_below_share: float = 0.0
    fold_at_tokens: int = 3_000
    prune_least_tokens: int = 2_000
    quality_weight: float = 1.0
    cap_share: float = 1.05
    gate_tokens: int = 0
    gate_readable_tokens: int = 0
    gate_read_tokens: int = 8_000
    gate_shown_tokens: int = 400
    recall_tool_tokens: int = 4_000
    auto_recall_tokens: int = 0
    pin_limit_tokens: int = 0
    max_rounds: int = 20
    summary_timeout_s: float = 0.0
    summarizer: Summarizer = "model"
    summary_model: str = ""
    summary_window_tokens: int = 0
    embed_model: str = ""
    prompts_folder: str = ""
    durability: Durability = "full"
    injections: Injections = "auto"
    provider_betas: ProviderBetas = "off"

    @property
    def fills_window(self) -> bool:
        """Whether a compaction fills a target with an outline."""
        return self.policy == "economic" and self.window_target_tokens > 0


_ECONOMIC = Settings(
    policy="economic",
    compact_when="call",
    context_threshold_share=1.0,
    summarize_message_threshold=0,
    fresh_tail_count=0,
    tail_tokens=2_000,
    leaf_target_tokens=400,
    condensed_target_tokens=900,
    ledger_tokens=1_500,
    gate_tokens=1_500,
    summarizer="cheapest",
)

PRESETS: Mapping[str, Settings] = {
    "default": dataclasses.replace(
        _ECONOMIC,
        compact_when="background",
        tail_tokens=8_000,
        ledger_tokens=1_000,
        window_target_tokens=20_000,
        compact_not_below_share=0.25,
        gate_tokens=0,
        gate_readable_tokens=_ECONOMIC.gate_tokens,
    ),
    "hierarchical": Settings(),
    "seahorse": Settings(
        trigger_base="window", counting="two_fifths", compact_when="end_turn", when_refused="truncate"
    ),
    "picoclaw": Settings(
        policy="rolling",
        trigger_base="window",
        counting="two_fifths",
        message_rule="trigger",
        cuts_at="turns",
        summary_form="prose",
        fresh_tail_count=4,
        summary_placement="system",
        ledger_tokens=0,
    ),
    "crabtalk": Settings(
        policy="rolling",
        compact_threshold=100_000,
        summarize_message_threshold=0,
        compact_when="step",
        cuts_at="everything",
        summary_form="prose",
        fresh_tail_count=0,
    ),
    "hermes": Settings(
        policy="head_tail",
        trigger_base="window",
        context_threshold_share=0.5,
        summarize_message_threshold=0,
        compact_when="step",
        failure_cooldown_s=600.0,
        summary_form="page",
        fresh_tail_count=3,
    ),
    "openclaw": Settings(
        policy="head_tail",
        trigger_base="window",
        trigger_reserve_tokens=20_000,
        summarize_message_threshold=0,
        compact_when="step",
        head_turns=0,
        fresh_tail_count=3,
    ),
    "economic": _ECONOMIC,
    "sliding-window": Settings(
        policy="drop",
        summarize_message_threshold=0,
        compact_when="step",
        head_turns=0,
        tail_tokens=0,
        fresh_tail_count=3,
    ),
    "drop-middle": Settings(
        policy="drop",
        summarize_message_threshold=0,
        compact_when="step",
        tail_tokens=0,
        fresh_tail_count=3,
    ),
}

_SUMMARIES = frozenset(
    "failure_cooldown_s when_refused summary_form identifier_policy identifier_instructions summary_check "
    "leaf_min_fanout leaf_chunk_tokens leaf_target_tokens condensed_min_fanout condensed_target_tokens "
    "summary_timeout_s summarizer summary_model summary_window_tokens prompts_folder".split()
)
_ECONOMY = (
    "window_target_tokens compact_not_below_share fold_at_tokens prune_least_tokens quality_weight cap_share"
)
READ_BY: Mapping[Policy, frozenset[str]] = {
    "hierarchical": _SUMMARIES | {"summarize_message_threshold", "counting"},
    "rolling": _SUMMARIES
    | {"summarize_message_threshold", "counting", "message_rule", "cuts_at", "rolling_target_tokens"},
    "head_tail": _SUMMARIES | {"summarize_message_threshold", "message_rule", "head_turns", "tail_tokens"},
    "economic": _SUMMARIES | {"tail_tokens", *_ECONOMY.split()},
    "drop": frozenset(("head_turns", "tail_tokens", "summarizer")),
}
"""The settings that each policy reads, besides those that all of them read."""

_OF_POLICIES = frozenset[str]().union(*READ_BY.values())
_OVERRIDES: tuple[tuple[str, Callable[[Settings], bool], str], ...] = (
    (
        "context_threshold_share trigger_base trigger_reserve_tokens",
        lambda made: bool(made.compact_threshold),
        "compact_threshold says when to compact",
    ),
    (
        "context_threshold_share trigger_base",
        lambda made: made.trigger_reserve_tokens > 0,
        "trigger_reserve_tokens says when to compact",
    ),
    (
        "identifier_instructions",
        lambda made: made.identifier_policy != "custom",
        'identifier_policy is not "custom"',
    ),
    (
        "gate_shown_tokens gate_read_tokens",
        lambda made: not (made.gate_tokens or made.gate_readable_tokens),
        "gate_tokens and gate_readable_tokens are 0",
    ),
    ("gate_readable_tokens", lambda made: made.gate_tokens > 0, "gate_tokens is for every result"),
)


def without_effect(settings: Settings, names: Iterable[str]) -> dict[str, str]:
    """The reason for each of these settings that has no effect: the policy does not read it, or another one decides."""
    read = READ_BY[settings.policy] | ({"tail_tokens"} if settings.summarizer == "provider" else set[str]())
    found: dict[str, str] = {}
    for name in names:
        if name in _OF_POLICIES - read:
            found[name] = f'the policy "{settings.policy}" does not read it'
        for overridden, applies, why in _OVERRIDES:
            if name in overridden.split() and applies(settings):
                found.setdefault(name, why)
    return found


_AT_LEAST: Mapping[str, float] = {
    "window_tokens": 0,
    "max_tokens": 0,
    "compact_threshold": 0,
    "trigger_reserve_tokens": 0,
    "head_turns": 0,
    "tail_tokens": 0,
    "failure_cooldown_s": 0,
    "summarize_message_threshold": 0,
    "fresh_tail_count": 0,
    "leaf_min_fanout": 1,
    "leaf_chunk_tokens": 1,
    "leaf_target_tokens": 1,
    "condensed_min_fanout": 2,
    "condensed_target_tokens": 1,
    "rolling_target_tokens": 1,
    "ledger_tokens": 0,
    "window_target_tokens": 0,
    "compact_not_below_share": 0,
    "fold_at_tokens": 1,
    "prune_least_tokens": 0,
    "quality_weight": 0,
    "cap_share": 0,
    "gate_tokens": 0,
    "gate_readable_tokens": 0,
    "gate_read_tokens": 0,
    "gate_shown_tokens": 40,
    "recall_tool_tokens": 0,
    "auto_recall_tokens": 0,
    "pin_limit_tokens": 0,
    "max_rounds": 1,
    "summary_timeout_s": 0,
    "summary_window_tokens": 0,
}

NULLABLE = frozenset(("compact_threshold",))
"""Settings for which None is a value of its own."""

SETTING_NAMES = tuple(field.name for field in dataclasses.fields(Settings))


def make_settings(preset: str = "default", **changes: object) -> Settings:
    """Return the settings of `preset` with `changes`, checked. Open limits stay 0: `budget.model_limits` fills them
    in for a model.

    A change of None keeps the preset's value. `models` maps names to `{"window_tokens": N, "max_tokens": N}`.
    Raises SettingsError, which names the setting and what it accepts.
    """
    base = preset_settings(preset)
    given = {name: value for name, value in changes.items() if value is not None or name in NULLABLE}
    checked = {name: check_setting(name, value) for name, value in given.items()}
    made = dataclasses.replace(base, **cast("dict[str, int]", checked))
    if 0 < made.window_tokens <= made.max_tokens:
        raise SettingsError(
            f"max_tokens {made.max_tokens:,} leaves no room in a window of {made.window_tokens:,} tokens",
            hint="lower max_tokens or raise window_tokens",
        )
    return made


def preset_settings(preset: object) -> Settings:
    """Return the settings of a named preset. Raises SettingsError, which lists the presets."""
    if not isinstance(preset, str) or preset not in PRESETS:
        raise SettingsError(f"unknown preset {preset!r}", hint=f"choose one of {', '.join(PRESETS)}")
    return PRESETS[preset]


def check_setting(name: str, value: object) -> object:
    """Return the value if the setting accepts it. Raises SettingsError, which names the setting and what it accepts."""
    if name not in SETTING_NAMES:
        raise SettingsError(
            f"unknown setting {brief(name)}", hint=f"known settings: {', '.join(SETTING_NAMES)}"
        )
    if value is None and name in NULLABLE:
        return value
    if callable(value):
        raise _refused(
            name,
            value,
            "a setting cannot be a function: pass a model as complete=, one of embeddings as embed=",
        )
    default: object = getattr(PRESETS["default"], name)
    choices = CHOICES.get(name)
    if name == "models":
        return _checked_models(value)
    if choices is not None:
        if value not in choices:
            raise _refused(name, value, f"choose one of {', '.join(choices)}")
    elif isinstance(default, str):
        if not isinstance(value, str):
            raise _refused(name, value, "give a string")
    else:
        _check_number(name, value, whole=isinstance(default, int))
    return value


def _check_number(name: str, value: object, *, whole: bool) -> None:
    if isinstance(value, bool) or not isinstance(value, int if whole else int | float):
        raise _refused(name, value, f"give a {'whole ' if whole else ''}number")
    if name == "context_threshold_share":
        if not 0 < value <= 1:
            raise _refused(name, value, "give a share above 0 and at most 1")
    elif name == "compact_not_below_share":
        if not 0 <= value <= 1:
            raise _refused(name, value, "give a share from 0 to 1")
    elif not _AT_LEAST[name] <= value < float("inf"):
        raise _refused(name, value, f"give at least {_AT_LEAST[name]:g}")


def _checked_models(value: object) -> tuple[ModelLimits, ...]:
    """Return limits of single models from a table of tables; existing values are kept."""
    given: object = value
    if isinstance(value, tuple):
        listed = cast("tuple[object, ...]", value)
        made = tuple(one for one in listed if isinstance(one, ModelLimits))
        if len(made) == len(listed):
            return made
    if not isinstance(value, Mapping):
        raise _refused("models", given, 'give a table: {"openai:gpt-5": {"window_tokens": 272000}}')
    tables = cast("Mapping[object, object]", value)
    return tuple(_model_limits(name, table) for name, table in tables.items())


def _model_limits(name: object, table: object) -> ModelLimits:
    if not isinstance(name, str) or not isinstance(table, Mapping):
        hint = "give a table with window_tokens, max_tokens, or both"
        raise _refused(f"models.{str(name)[:80]}", table, hint)
    limits = cast("Mapping[str, object]", table)
    for key, tokens in limits.items():
        if key not in {"window_tokens", "max_tokens"}:
            raise SettingsError(
                f"unknown setting models.{name[:80]}.{str(key)[:80]}", hint="known: window_tokens, max_tokens"
            )
        _check_number(key, tokens, whole=True)
    return ModelLimits(name, **cast("dict[str, int]", limits))


def _refused(name: str, value: object, hint: str) -> SettingsError:
    return SettingsError(f"setting {name} cannot be {brief(value)}", hint=hint)
