"""Merges configuration layers, without I/O:

flag > environment > project's file > user's file > preset > default

Within a file the table of the requested agent (`[agents.NAME]`) precedes the top level. The first layer that names a
setting decides it. In the table `models`, each limit of each model is decided separately.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, cast

from palimpsest.errors import SettingsError, brief
from palimpsest.settings import (
    NULLABLE,
    PRESETS,
    SETTING_NAMES,
    ModelLimits,
    Settings,
    check_setting,
    make_settings,
    preset_settings,
    without_effect,
)

Table = Mapping[str, object]
Place = Literal["flag", "environment", "project", "user", "preset", "default"]

PREFIX = "PALIMPSEST_"
OTHER_VARIABLES = frozenset(
    f"{PREFIX}{name}" for name in ("CONFIG", "DATA", "DEBUG", "MCP_TOKEN", "PROXY_TOKEN")
)
"""Variables with this prefix that are not settings."""

KEYS = ("preset", "db", *SETTING_NAMES)
"""The keys of a layer: the settings, their preset, and the database's path."""

_LONGEST_KEY = 60
_SUGGESTIONS = 3
_OFF = frozenset(("off", "false", "none", "null"))


@dataclass(frozen=True, slots=True)
class Value:
    """A setting's value; `source` names its origin: "--window", "PALIMPSEST_DB", or a file's path."""

    value: object
    source: str
    place: Place


Layer = Mapping[str, Value]
"""Values from one place, by key of `KEYS`. A limit of a model has the key "models.NAME.window_tokens" or
".max_tokens".
"""


@dataclass(frozen=True, slots=True)
class Config:
    """The merged configuration with the origin of each value, and (key, reason) of everything without effect."""

    preset: Value
    db: Value | None
    settings: Settings
    values: Mapping[str, Value]
    ignored: tuple[tuple[str, str], ...] = ()
    files: tuple[str, ...] = ()

    def options(self) -> dict[str, object]:
        """The values that differ from the defaults, as keyword arguments of `palimpsest.open`."""
        given = {
            name: getattr(self.settings, name)
            for name, value in self.values.items()
            if name in SETTING_NAMES and value.place not in {"preset", "default"}
        }
        return {"preset": self.preset.value, **given}


def merge(layers: Sequence[Layer]) -> dict[str, Value]:
    """The value of each key in the first layer that has it."""
    merged: dict[str, Value] = {}
    for layer in reversed(layers):
        merged.update(layer)
    return merged


def resolve(layers: Sequence[Layer], *, ignored: Sequence[tuple[str, str]] = ()) -> Config:
    """The configuration of the layers. Raises SettingsError, also if two layers contradict each other."""
    merged = merge(layers)
    preset = merged.pop("preset", Value("default", "default", "default"))
    db = merged.pop("db", None)
    limits = {key: merged.pop(key) for key in sorted(merged) if key.startswith("models.")}
    changes = {name: value.value for name, value in merged.items()}
    try:
        settings = make_settings(str(preset.value), **changes, models=_models(limits))
    except SettingsError as error:
        sources = ", ".join(sorted({value.source for value in (preset, *merged.values())}))
        raise SettingsError(f"{error.message} (from {sources})", hint=error.hint) from error
    values: dict[str, Value] = {}
    for name in SETTING_NAMES:
        made: object = getattr(settings, name)
        if name in merged:
            values[name] = merged[name]
        elif made == getattr(PRESETS["default"], name):
            values[name] = Value(made, "default", "default")
        else:
            values[name] = Value(made, f"preset {preset.value}", "preset")
    if limits:
        sources = ", ".join(dict.fromkeys(value.source for value in limits.values()))
        values["models"] = Value(settings.models, sources, next(iter(limits.values())).place)
    unread = without_effect(settings, [name for name in merged if name in SETTING_NAMES])
    more = ((_named(name, merged[name]), why) for name, why in unread.items())
    return Config(preset, db, settings, values, (*ignored, *more))


def _named(name: str, value: Value) -> str:
    """A setting as it was given."""
    if value.place == "environment":
        return value.source
    return f"{value.source}{' ' if value.place == 'flag' else ': '}{name}"


def _models(limits: Mapping[str, Value]) -> tuple[ModelLimits, ...]:
    """The limits of models, combined from their single values."""
    made: dict[str, ModelLimits] = {}
    for key, value in limits.items():
        name, _, limit = key.removeprefix("models.").rpartition(".")
        before = made.get(name, ModelLimits(name))
        made[name] = dataclasses.replace(before, **{limit: cast("int", value.value)})
    return tuple(made.values())


def from_table(table: Mapping[str, object], source: str, place: Place, *, agent: str = "") -> list[Layer]:
    """The layers of one file: the agent's own table first, if there is one, then the top level.

    Raises SettingsError naming the file, the key and the accepted values. Tables of other agents are checked too.
    """
    agents: object = table.get("agents", {})
    if not isinstance(agents, Mapping):
        raise SettingsError(f"{source}: agents cannot be {brief(agents)}", hint="give tables: [agents.NAME]")
    top = {key: value for key, value in table.items() if key != "agents"}
    layers: list[Layer] = [_layer(top, source, place)]
    for name, own in cast("Mapping[str, object]", agents).items():
        where = f"{source} [agents.{name}]"
        if not isinstance(own, Mapping):
            raise SettingsError(f"{where}: cannot be {brief(own)}", hint="give a table of settings")
        layer = _layer(cast("Mapping[str, object]", own), where, place)
        if "db" in layer:
            raise SettingsError(f"{where}: unknown key 'db'", hint="all agents share one database")
        if name == agent:
            layers.insert(0, layer)
    return layers


def _layer(table: Mapping[str, object], source: str, place: Place) -> dict[str, Value]:
    layer: dict[str, Value] = {}
    for key, given in table.items():
        checked = _checked(key, given, source)
        if key == "models":
            tables = cast("Mapping[str, Mapping[str, int]]", given)
            for model in cast("tuple[ModelLimits, ...]", checked):
                for limit, tokens in tables[model.name].items():
                    layer[f"models.{model.name}.{limit}"] = Value(tokens, source, place)
        else:
            layer[key] = Value(checked, source, place)
    return layer


def _checked(key: str, given: object, source: str) -> object:
    """The value of a key in the settings' form. Raises SettingsError naming the source."""
    off = given is False or (isinstance(given, str) and given.lower() in _OFF)
    value = None if key in NULLABLE and off else given
    try:
        if key in SETTING_NAMES:
            return check_setting(key, value)
        if key == "preset":
            preset_settings(value)
    except SettingsError as error:
        raise SettingsError(f"{source}: {error.message}", hint=error.hint) from error
    if key == "db" and (not isinstance(value, str) or not value):
        raise SettingsError(f"{source}: db cannot be {brief(value)}", hint="give the path of a file")
    if key not in KEYS:
        raise SettingsError(f"{source}: unknown key {brief(key)}", hint=_suggestion(key))
    return value


def _suggestion(key: str) -> str:
    """The known keys that are similar to a wrong one, or all known keys."""
    import difflib

    known = (*KEYS, "agents")
    near = difflib.get_close_matches(key[:_LONGEST_KEY].lower(), known, _SUGGESTIONS)
    return f"did you mean {' or '.join(near)}?" if near else f"known keys: {', '.join(known)}"


def from_environment(variables: Mapping[str, str]) -> tuple[Layer, list[tuple[str, str]]]:
    """The settings in variables (PALIMPSEST_<KEY>; empty ones are skipped), and the variables without effect."""
    layer: dict[str, Value] = {}
    ignored: list[tuple[str, str]] = []
    for name, text in sorted(variables.items()):
        key = name.removeprefix(PREFIX).lower()
        if not name.startswith(PREFIX) or name in OTHER_VARIABLES or not text:
            continue
        if key not in KEYS or key == "models":
            ignored.append((name, "there is no such setting" if key != "models" else "it needs a file"))
            continue
        layer[key] = Value(_checked(key, from_text(key, text), name), name, "environment")
    return layer, ignored


def from_flags(given: Sequence[str], **flags: tuple[str, object]) -> Layer:
    """The settings of a command line: `NAME=VALUE` texts of --set, and dedicated options as key=(option, value), with
    None for an option that was not given. The options precede --set.
    """
    layer = {
        key: Value(_checked(key, value, option), option, "flag")
        for key, (option, value) in flags.items()
        if value is not None
    }
    for text in given:
        key, equals, value = text.partition("=")
        if not equals or key == "models":
            raise SettingsError(f"--set {text}: cannot be used", hint="give NAME=VALUE")
        layer.setdefault(key, Value(_checked(key, from_text(key, value), "--set"), "--set", "flag"))
    return layer


def from_text(key: str, text: str) -> object:
    """A text as a number, if the key takes one and the text is one; else the text itself."""
    default: object = getattr(PRESETS["default"], key, "")
    if not isinstance(default, int | float):
        return text
    try:
        return int(text) if isinstance(default, int) else float(text)
    except ValueError:
        return text


def table_at(table: Table, *path: str) -> Table:
    """The table at a path of keys, empty if there is none."""
    for key in path:
        inner = table.get(key)
        table = cast("Table", inner) if isinstance(inner, Mapping) else {}
    return table
