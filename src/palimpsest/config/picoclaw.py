"""The context settings of a PicoClaw config.json."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from palimpsest.config.table_reader import TableReader, table_at
from palimpsest.errors import SettingsError, brief
from palimpsest.settings import check_setting

_SETTINGS: Mapping[str, str] = {
    "context_window": "window_tokens",
    "max_tokens": "max_tokens",
    "summarize_message_threshold": "summarize_message_threshold",
    "summarize_token_percent": "context_threshold_share",
}


@dataclass(frozen=True, slots=True)
class PicoclawConfig:
    """The settings that the file changes, and (key, reason) of the keys that have no effect here."""

    changes: Mapping[str, object]
    ignored: tuple[tuple[str, str], ...]


def is_picoclaw(config: Mapping[str, object]) -> bool:
    """Whether a parsed JSON file has the shape of PicoClaw's."""
    return isinstance(table_at(config, "agents").get("defaults"), Mapping)


def read_picoclaw_config(config: Mapping[str, object]) -> PicoclawConfig:
    """The context settings under `agents.defaults` of a parsed PicoClaw config.json.

    `context_window`, `max_tokens`, `summarize_token_percent` and `summarize_message_threshold` have an effect. The
    engine's constants (FreshTailCount and others) have none: PicoClaw does not configure them in this file either.
    Raises SettingsError for values of the wrong type.
    """
    if not is_picoclaw(config):
        return PicoclawConfig({}, ())
    reader = TableReader(config)
    changes: dict[str, object] = {}
    for key, setting in _SETTINGS.items():
        value = reader.get("agents", "defaults", key)
        if value is not None:
            changes[setting] = _share(value) if key.endswith("percent") else check_setting(setting, value)
    return PicoclawConfig(changes, reader.ignored())


def _share(percent: object) -> float:
    if isinstance(percent, bool) or not isinstance(percent, int | float) or not 0 < percent <= 100:
        raise SettingsError(
            f"summarize_token_percent cannot be {brief(percent)}", hint="give a number from 1 to 100"
        )
    return percent / 100
