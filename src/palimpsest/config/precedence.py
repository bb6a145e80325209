"""What each place says, and which of them counts. Pure: the texts and tables come from `files` or from a caller.

flag > environment > project's file > person's file > preset > default

Within a file the table of the agent that is asked for (`[agents.NAME]`) comes before what the file says for all. The
first layer that names a setting decides it; `models` is a table, so each limit of each model is decided for itself.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
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
)

Place = Literal["flag", "environment", "project", "user", "preset", "default"]

PREFIX = "PALIMPSEST_"
OTHER_VARIABLES = frozenset(f"{PREFIX}{name}" for name in ("CONFIG", "DATA", "DEBUG", "MCP_TOKEN"))
"""Variables of this prefix that are no settings."""

KEYS = ("preset", "db", *SETTING_NAMES)
"""What a layer may say: the settings, the preset they start from, and where the database lies."""

_LONGEST_KEY = 60
_NEAR_KEYS = 3
_OFF = frozenset(("off", "false", "none", "null"))


@dataclass(frozen=True, slots=True)
class Value:
    """A setting as one place gives it; `source` names the place: "--window", "PALIMPSEST_DB", a file's path."""

    value: object
    source: str
    place: Place


Layer = Mapping[str, Value]
"""What one place says, by key of `KEYS`; each limit of a model under "models.NAME.window_tokens" or ".max_tokens"."""


@dataclass(frozen=True, slots=True)
class Config:
    """What counts, with where each value came from, and what was said without effect (key, why)."""

    preset: Value
    db: Value | None
    settings: Settings
    values: Mapping[str, Value]
    ignored: tuple[tuple[str, str], ...] = ()
    files: tuple[str, ...] = field(default=())

    def options(self) -> dict[str, object]:
        """What differs from the defaults, as keyword arguments of `palimpsest.open`."""
        said = {
            name: getattr(self.settings, name)
            for name, value in self.values.items()
            if name in SETTING_NAMES and value.place not in {"preset", "default"}
        }
        return {"preset": self.preset.value, **said}


def merge(layers: Sequence[Layer]) -> dict[str, Value]:
    """Each key as the first layer has it."""
    merged: dict[str, Value] = {}
    for layer in layers:
        for key, value in layer.items():
            merged.setdefault(key, value)
    return merged


def resolve(layers: Sequence[Layer], *, ignored: Sequence[tuple[str, str]] = ()) -> Config:
    """The settings that the layers give together. Raises SettingsError, also where two layers contradict each other."""
    merged = merge(layers)
    preset = merged.pop("preset", Value("default", "default", "default"))
    db = merged.pop("db", None)
    limits = {key: merged.pop(key) for key in sorted(merged) if key.startswith("models.")}
    changes = {name: value.value for name, value in merged.items()}
    try:
        settings = make_settings(str(preset.value), **changes, models=_models(limits))
    except SettingsError as error:
        said = ", ".join(sorted({value.source for value in (preset, *merged.values())}))
        raise SettingsError(f"{error.message} (from {said})", hint=error.hint) from error
    values: dict[str, Value] = {}
    for name in SETTING_NAMES:
        made: object = getattr(settings, name)
        fallback = (
            Value(made, "default", "default")
            if made == getattr(PRESETS["default"], name)
            else Value(made, f"preset {preset.value}", "preset")
        )
        values[name] = merged.get(name, fallback)
    if limits:
        sources = ", ".join(dict.fromkeys(value.source for value in limits.values()))
        values["models"] = Value(settings.models, sources, next(iter(limits.values())).place)
    return Config(preset, db, settings, values, tuple(ignored))


def _models(limits: Mapping[str, Value]) -> tuple[ModelLimits, ...]:
    """Limits of models, put together from their single values."""
    made: dict[str, ModelLimits] = {}
    for key, value in limits.items():
        name, _, limit = key.removeprefix("models.").rpartition(".")
        before = made.get(name, ModelLimits(name))
        made[name] = dataclasses.replace(before, **{limit: cast("int", value.value)})
    return tuple(made.values())


def from_table(table: Mapping[str, object], source: str, place: Place, *, agent: str = "") -> list[Layer]:
    """The layers of one file: the agent's own table first, if there is one, then what stands at the top.

    Raises SettingsError naming the file, the key and what is accepted; the tables of other agents are checked too.
    """
    top = {key: value for key, value in table.items() if key != "agents"}
    agents: object = table.get("agents", {})
    if not isinstance(agents, Mapping):
        raise SettingsError(f"{source}: agents cannot be {brief(agents)}", hint="give tables: [agents.NAME]")
    layers: list[Layer] = [_layer(top, source, place)]
    for name, own in cast("Mapping[str, object]", agents).items():
        where = f"{source} [agents.{name}]"
        if not isinstance(own, Mapping):
            raise SettingsError(f"{where}: cannot be {brief(own)}", hint="give a table of settings")
        layer = _layer(cast("Mapping[str, object]", own), where, place)
        if "db" in layer:
            raise SettingsError(f"{where}: unknown key 'db'", hint="one database serves all agents")
        if name == agent:
            layers.insert(0, layer)
    return layers


def _layer(table: Mapping[str, object], source: str, place: Place) -> dict[str, Value]:
    layer: dict[str, Value] = {}
    for key, given in table.items():
        if key == "models":
            layer.update(_limits(given, source, place))
        else:
            layer[key] = Value(_checked(key, given, source), source, place)
    return layer


def _limits(given: object, source: str, place: Place) -> dict[str, Value]:
    models = cast("tuple[ModelLimits, ...]", _checked("models", given, source))
    tables = cast("Mapping[str, Mapping[str, int]]", given)
    return {
        f"models.{model.name}.{limit}": Value(tokens, source, place)
        for model in models
        for limit, tokens in tables[model.name].items()
    }


def _checked(key: str, given: object, source: str) -> object:
    """A key's value as the settings take it. Raises SettingsError naming the source."""
    off = given is False or (isinstance(given, str) and given.lower() in _OFF)
    try:
        return _accepted(key, None if key in NULLABLE and off else given)
    except SettingsError as error:
        raise SettingsError(f"{source}: {error.message}", hint=error.hint) from error


def _accepted(key: str, value: object) -> object:
    if key in SETTING_NAMES:
        return check_setting(key, value)
    if key == "preset":
        preset_settings(value)
    elif key == "db":
        if not isinstance(value, str) or not value:
            raise SettingsError(f"db cannot be {brief(value)}", hint="give the path of a file")
    else:
        raise SettingsError(f"unknown key {brief(key)}", hint=_meant(key))
    return value


def _meant(key: str) -> str:
    """The keys that a wrong one is like, or all there are."""
    import difflib

    known = (*KEYS, "agents")
    near = difflib.get_close_matches(key[:_LONGEST_KEY].lower(), known, _NEAR_KEYS)
    return f"did you mean {' or '.join(near)}?" if near else f"known keys: {', '.join(known)}"


def from_environment(variables: Mapping[str, str]) -> tuple[Layer, list[tuple[str, str]]]:
    """What variables say (PALIMPSEST_<KEY>; an empty one says nothing), and those of the prefix that say nothing."""
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
    """What a command line says: `NAME=VALUE` texts of --set, and options of their own as key=(option, value), None
    where one is not given. The options come before --set.
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
    """A text as the number that the key takes, where it is one; else the text itself."""
    default: object = getattr(PRESETS["default"], key, "")
    if not isinstance(default, int | float):
        return text
    try:
        return int(text) if isinstance(default, int) else float(text)
    except ValueError:
        return text
