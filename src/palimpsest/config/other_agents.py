"""Configuration files of OpenClaw, PicoClaw, Hermes and Crabtalk, translated into settings.

The keys are those of the agents' own documentation. A value of the wrong type is refused under the name of our setting.
Keys that have no effect here are listed, all for the same reason.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import cast

from palimpsest.config.precedence import Table, table_at
from palimpsest.errors import SettingsError, brief
from palimpsest.settings import check_setting

Path = tuple[str, ...]

NO_EFFECT = "no effect here"


@dataclass(slots=True)
class TableReader:
    """Takes values from nested tables by their path. Every other key that has a value is reported by `ignored`."""

    table: Table
    changes: dict[str, object] = field(default_factory=dict[str, object])
    _read: set[Path] = field(default_factory=set[Path])
    _taken: dict[str, Path] = field(default_factory=dict[str, Path])

    def get(self, *path: str) -> object:
        """The value at a path, None if there is none; the key counts as read."""
        self._read.add(path)
        return table_at(self.table, *path[:-1]).get(path[-1])

    def take(self, setting: str, *path: str) -> object:
        """Use the value at a path as a setting. A later path replaces an earlier one, which then has no effect."""
        value = self.get(*path)
        if value is None or value == "":
            return None
        if setting in self._taken and self.changes[setting] != value:
            self._read.discard(self._taken[setting])
        self.changes[setting], self._taken[setting] = value, path
        return value

    def is_off(self, *path: str) -> bool:
        """Whether the value at a path is false. Raises SettingsError unless it is a boolean."""
        value = self.get(*path)
        if value is not None and not isinstance(value, bool):
            raise SettingsError(f"{'.'.join(path)} cannot be {brief(value)}", hint="give true or false")
        return value is False

    def ignored(self) -> tuple[tuple[str, str], ...]:
        """(key, reason) of every key with a value that was not read."""
        return tuple((".".join(path), NO_EFFECT) for path in self._unread(self.table, ()))

    def _unread(self, table: Table, above: Path) -> Iterator[Path]:
        for key, value in table.items():
            path = (*above, key)
            if path in self._read or value in (None, "", [], {}):
                continue
            inner = _keys_of(value)
            if inner and any(read[: len(path)] == path for read in self._read):
                yield from self._unread(inner, path)
            else:
                yield path


def _keys_of(value: object) -> Table:
    """A table, or the keys of all tables in a list."""
    tables = cast("list[object]", value) if isinstance(value, list) else [value]
    found: dict[str, object] = {}
    for table in tables:
        found.update(cast("Table", table) if isinstance(table, Mapping) else {})
    return found


_PICOCLAW_SETTINGS = {
    "context_window": "window_tokens",
    "max_tokens": "max_tokens",
    "summarize_message_threshold": "summarize_message_threshold",
    "summarize_token_percent": "context_threshold_share",
}
PICOCLAW_WORKSPACE = "${PICOCLAW_HOME}/workspace"
PICOCLAW_HOME = "~/.picoclaw"
PICOCLAW_DB = "sessions/seahorse.db"


def is_picoclaw(config: Table) -> bool:
    """Whether a parsed JSON file has the shape of PicoClaw's."""
    return isinstance(table_at(config, "agents").get("defaults"), Mapping)


def read_picoclaw_config(config: Table) -> PeerConfig:
    """The context settings under `agents.defaults` of a parsed PicoClaw config.json, the model's name in `model_list`,
    and the database in the workspace.

    The preset is `seahorse`, or `picoclaw` where `context_manager` is "legacy". The engine's constants (FreshTailCount
    and others) have no effect: PicoClaw does not configure them in this file either. Raises SettingsError for values of
    the wrong type.
    """
    if not is_picoclaw(config):
        return PeerConfig("PicoClaw", {})
    reader = TableReader(config)
    for key, setting in _PICOCLAW_SETTINGS.items():
        value = reader.get("agents", "defaults", key)
        if value is not None:
            percent = key.endswith("percent")
            reader.changes[setting] = _share(value) if percent else check_setting(setting, value)
    workspace = reader.get("agents", "defaults", "workspace")
    if workspace is not None and not isinstance(workspace, str):
        raise SettingsError(f"workspace cannot be {brief(workspace)}", hint="give the path of a folder")
    reader.changes["db"] = f"{workspace or PICOCLAW_WORKSPACE}/{PICOCLAW_DB}"
    _take_picoclaw_model(reader)
    legacy = reader.get("agents", "defaults", "context_manager") == "legacy"
    preset = "picoclaw" if legacy else "seahorse"
    return PeerConfig("PicoClaw", {"preset": preset, **reader.changes}, reader.ignored())


def _take_picoclaw_model(reader: TableReader) -> None:
    """Set the model that `model_name` stands for in the list, "provider/model", else its own name."""
    name = reader.get("agents", "defaults", "model_name") or reader.get("agents", "defaults", "model")
    listed = reader.table.get("model_list")
    for key in ("model_name", "model"):
        reader.get("model_list", key)
    for one in cast("list[object]", listed) if isinstance(listed, list) else ():
        if isinstance(one, Mapping) and cast("Table", one).get("model_name") == name:
            name = cast("Table", one).get("model") or name
            break
    if name:
        reader.changes["model"] = check_setting("model", name)


def _share(percent: object) -> float:
    if isinstance(percent, bool) or not isinstance(percent, int | float) or not 0 < percent <= 100:
        raise SettingsError(
            f"summarize_token_percent cannot be {brief(percent)}", hint="give a number from 1 to 100"
        )
    return percent / 100


HERMES_SHARE = 0.5
OPENCLAW_RESERVE_TOKENS = 16_384
OPENCLAW_FLOOR_TOKENS = 20_000
MAX_KEY_DEPTH = 12

_CAMEL_CASE, _SNAKE_CASE = re.compile(r"[a-z][a-z0-9]*[A-Z]"), re.compile(r"[a-z][a-z0-9]*_")


@dataclass(frozen=True, slots=True)
class PeerConfig:
    """Settings in the shape of our own files, and (key, reason) of the keys that have no effect here."""

    agent: str
    table: Table
    ignored: tuple[tuple[str, str], ...] = ()

    @property
    def changes(self) -> Table:
        """The settings that the file changes in its preset."""
        return {name: value for name, value in self.table.items() if name not in {"preset", "db"}}


def read_peer(table: Table) -> PeerConfig | None:
    """The settings in a parsed file of OpenClaw, PicoClaw, Hermes or Crabtalk, None for any other file.

    Raises SettingsError for values of the wrong type.
    """
    for is_this, read in _READERS:
        if is_this(table):
            return read(table)
    return None


def is_openclaw(table: Table) -> bool:
    """Whether a parsed file is OpenClaw's: it configures the context or model, or most of its keys are camelCase
    (`allowFrom`, while PicoClaw and this package write `allow_from`).
    """
    defaults = table_at(table, *_openclaw_defaults(table))
    if {"compaction", "contextTokens", "contextPruning"} & set(defaults):
        return True
    if "primary" in table_at(defaults, "model"):
        return True
    if not {"agents", "agent", "channels", "gateway"} & set(table):
        return False
    keys = list(_all_keys(table))
    return sum(map(bool, map(_CAMEL_CASE.match, keys))) > sum(map(bool, map(_SNAKE_CASE.match, keys)))


def _all_keys(value: object, depth: int = 0) -> Iterator[str]:
    if isinstance(value, Mapping) and depth < MAX_KEY_DEPTH:
        for key, inner in cast("Table", value).items():
            yield key
            yield from _all_keys(inner, depth + 1)


def _openclaw_defaults(table: Table) -> tuple[str, ...]:
    """Where the settings of all agents are: `agents.defaults`, or `agent` in older files."""
    path = ("agents", "defaults")
    return path if table_at(table, *path) or not table_at(table, "agent") else ("agent",)


def read_openclaw(table: Table) -> PeerConfig:
    """`agents.defaults.compaction`, `contextTokens`, the primary model and `models.providers` of an openclaw.json."""
    reader = TableReader(table)
    defaults = _openclaw_defaults(table)
    compaction = (*defaults, "compaction")
    reader.take("tail_tokens", *compaction, "keepRecentTokens")
    reader.take("summary_timeout_s", *compaction, "timeoutSeconds")
    reader.take("summary_model", *compaction, "model")
    if reader.take("identifier_policy", *compaction, "identifierPolicy") == "custom":
        reader.take("identifier_instructions", *compaction, "identifierInstructions")
    if reader.is_off(*compaction, "enabled"):
        reader.changes["compact_threshold"] = False
    limits = (("reserveTokens", OPENCLAW_RESERVE_TOKENS), ("reserveTokensFloor", OPENCLAW_FLOOR_TOKENS))
    reserves = [
        check_setting("trigger_reserve_tokens", usual if (given := reader.get(*compaction, key)) is None else given)
        for key, usual in limits
    ]  # fmt: skip
    reader.changes["trigger_reserve_tokens"] = max(cast("list[int]", reserves))
    reader.take("window_tokens", *defaults, "contextTokens")
    if isinstance(table_at(table, *defaults).get("model"), Mapping):
        reader.take("model", *defaults, "model", "primary")
    else:
        reader.take("model", *defaults, "model")
    if limits_by_model := _openclaw_limits(reader):
        reader.changes["models"] = limits_by_model
    return PeerConfig("OpenClaw", {"preset": "openclaw", **reader.changes}, reader.ignored())


def _openclaw_limits(reader: TableReader) -> dict[str, object]:
    """The window and reply limits in `models.providers`, by "provider/id", which is how `model` names them."""
    found: dict[str, object] = {}
    for provider, own in table_at(reader.table, "models", "providers").items():
        path = ("models", "providers", provider, "models")
        for key in ("id", "contextTokens", "contextWindow", "maxTokens"):
            reader.get(*path, key)
        listed = cast("Table", own).get("models") if isinstance(own, Mapping) else None
        for model in cast("list[object]", listed) if isinstance(listed, list) else ():
            if isinstance(model, Mapping):
                declared = cast("Table", model)
                window = declared.get("contextTokens") or declared.get("contextWindow")
                limits = {"window_tokens": window, "max_tokens": declared.get("maxTokens")}
                found[f"{provider}/{declared.get('id')}"] = {key: one for key, one in limits.items() if one}
    return {name: limits for name, limits in found.items() if limits}


def is_hermes(table: Table) -> bool:
    """Whether a parsed file is Hermes's: it configures the context, or a model as Hermes does."""
    if isinstance(table.get("compression"), Mapping) or "engine" in table_at(table, "context"):
        return True
    return not {"provider", "default", "model"}.isdisjoint(table_at(table, "model"))


def read_hermes(table: Table) -> PeerConfig:
    """`compression`, `auxiliary.compression`, `model` and `context` of a Hermes config.yaml, or of the same as JSON."""
    reader = TableReader(table)
    reader.take("context_threshold_share", "compression", "threshold")
    reader.take("fresh_tail_count", "compression", "protect_last_n")
    reader.take("summary_model", "compression", "summary_model")
    reader.take("summary_model", "auxiliary", "compression", "model")
    reader.take("summary_timeout_s", "auxiliary", "compression", "timeout")
    if isinstance(table.get("model"), Mapping):
        reader.take("model", "model", "default")
        reader.take("model", "model", "model")
        reader.take("window_tokens", "model", "context_length")
        reader.take("max_tokens", "model", "max_tokens")
    else:
        reader.take("model", "model")
    if reader.is_off("compression", "enabled"):
        reader.changes["compact_threshold"] = False
    _read_target_ratio(reader)
    if table_at(table, "context").get("engine") == "compressor":  # another engine is a plug-in of Hermes
        reader.get("context", "engine")
    return PeerConfig("Hermes", {"preset": "hermes", **reader.changes}, reader.ignored())


def _read_target_ratio(reader: TableReader) -> None:
    """Set the tail to `target_ratio`, a share of the trigger; without a known window the key has no effect."""
    compression = table_at(reader.table, "compression")
    ratio, window = compression.get("target_ratio"), reader.changes.get("window_tokens")
    if ratio is None:
        return
    if isinstance(ratio, bool) or not isinstance(ratio, int | float) or not 0 < ratio <= 1:
        raise SettingsError(
            f"target_ratio cannot be {brief(ratio)}", hint="give a share above 0 and at most 1"
        )
    if isinstance(window, int) and window:
        reader.get("compression", "target_ratio")
        share = check_setting("context_threshold_share", compression.get("threshold") or HERMES_SHARE)
        reader.changes["tail_tokens"] = int(window * cast("float", share) * ratio)


_CRABTALK_TOP = frozenset(("provider", "mcps", "mcp", "system", "package", "env", "disabled", "tasks"))
_CRABTALK_AGENT = frozenset(
    (
        "description",
        "max_iterations",
        "thinking",
        "members",
        "skills",
        "mcps",
        "compact_tool_max_len",
        "hooks",
    )
)


def is_crabtalk(table: Table) -> bool:
    """Whether a parsed file is Crabtalk's: it has keys that only its files have, at the top or in an agent's table."""
    agents = table_at(table, "agents")
    return bool(_CRABTALK_TOP & set(table)) or any(
        _CRABTALK_AGENT & set(table_at(agents, name)) for name in agents
    )


def read_crabtalk(table: Table) -> PeerConfig:
    """`compact_threshold` and `model` in a Crabtalk TOML file: of each agent, and for all agents."""
    reader = TableReader(table)
    agents: dict[str, object] = {}
    for name in table_at(table, "agents"):
        agents[name] = {
            key: value
            for key in ("compact_threshold", "model")
            if (value := reader.get("agents", name, key)) not in (None, "")
        }
    for key in ("compact_threshold", "model"):
        reader.take(key, "system", "crab", key)
        reader.take(key, key)
    changes = {**reader.changes, **({"agents": agents} if agents else {})}
    return PeerConfig("Crabtalk", {"preset": "crabtalk", **changes}, reader.ignored())


_READERS: tuple[tuple[Callable[[Table], bool], Callable[[Table], PeerConfig]], ...] = (
    (is_openclaw, read_openclaw),
    (is_picoclaw, read_picoclaw_config),
    (is_hermes, read_hermes),
    (is_crabtalk, read_crabtalk),
)
