"""The context settings of a PicoClaw config.json: what it changes here, and what has no effect."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import cast

from palimpsest.config.unread_keys import unknown_key
from palimpsest.errors import SettingsError, brief
from palimpsest.settings import check_setting


@dataclass(frozen=True, slots=True)
class PicoclawConfig:
    """What a PicoClaw config.json says about context: settings it changes, and the keys that have no effect,
    with why.
    """

    changes: Mapping[str, object]
    ignored: tuple[tuple[str, str], ...]


PER_AGENT = "what it says of one agent is not read: give it to that agent's engine"

_HONOURED: Mapping[str, str] = {
    "context_window": "window_tokens",
    "max_tokens": "max_tokens",
    "summarize_message_threshold": "summarize_message_threshold",
    "summarize_token_percent": "context_threshold_share",
}

_CONSTANTS: Mapping[str, str] = {
    "FreshTailCount": "fresh_tail_count",
    "LeafMinFanout": "leaf_min_fanout",
    "LeafChunkTokens": "leaf_chunk_tokens",
    "LeafTargetTokens": "leaf_target_tokens",
    "CondensedMinFanout": "condensed_min_fanout",
    "CondensedTargetTokens": "condensed_target_tokens",
    "ContextThreshold": "context_threshold_share",
}


def is_picoclaw(config: Mapping[str, object]) -> bool:
    """Whether a parsed JSON file is PicoClaw's rather than one of ours."""
    agents = config.get("agents")
    return isinstance(agents, Mapping) and isinstance(
        cast("Mapping[str, object]", agents).get("defaults"), Mapping
    )


def read_picoclaw_config(config: Mapping[str, object]) -> PicoclawConfig:
    """The context settings under `agents.defaults` of a parsed PicoClaw config.json.

    `context_window`, `max_tokens`, `summarize_token_percent` and `summarize_message_threshold` are honoured. The
    engine's constants, under either spelling, have no effect in that file and are reported as ignored, as the page on
    PicoClaw's compression says they are not configured there; so are all other keys that say something, which do
    not concern the context. Raises SettingsError for values of the wrong type.
    """
    if not is_picoclaw(config):
        return PicoclawConfig({}, ())
    table = cast("Mapping[str, Mapping[str, Mapping[str, object]]]", config)["agents"]["defaults"]
    given = {key: value for key, value in table.items() if value is not None}
    changes = {
        setting: _share(given[key])
        if key == "summarize_token_percent"
        else check_setting(setting, given[key])
        for key, setting in _HONOURED.items()
        if key in given
    }
    agents = cast("Mapping[str, object]", config["agents"])
    ignored = (
        *((f"agents.defaults.{key}", _why(key, _HONOURED)) for key in table if key not in _HONOURED),
        *((f"agents.{key}", PER_AGENT) for key, value in agents.items() if key != "defaults" and value),
        *((key, _why(key)) for key, value in config.items() if key != "agents" and value),
    )
    return PicoclawConfig(changes, ignored)


def _share(percent: object) -> float:
    if isinstance(percent, bool) or not isinstance(percent, int | float) or not 0 < percent <= 100:
        raise SettingsError(
            f"summarize_token_percent cannot be {brief(percent)}", hint="give a number from 1 to 100"
        )
    return percent / 100


def _why(key: str, known: Iterable[str] = ()) -> str:
    setting = _CONSTANTS.get(key) or (key if key in _CONSTANTS.values() else "")
    if setting:
        return f"it has no effect in this file; set {setting} when opening the engine"
    return unknown_key(key, known)
