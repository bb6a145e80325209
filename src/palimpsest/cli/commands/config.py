"""`palimpsest config`: the settings of a run and where each comes from."""

from __future__ import annotations

import os
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path
from typing import cast

import typer

from palimpsest.budget.model_limits import Limits, find_limits
from palimpsest.budget.regions import trigger_limits
from palimpsest.cli.drawing import Listing, clean, flow
from palimpsest.cli.options import ConfigFile, Json, Shared, command
from palimpsest.cli.output import Block, fields_of, make_output
from palimpsest.cli.session import report_ignored
from palimpsest.cli.typer_app import with_typer_parameters
from palimpsest.config.files import CONFIG_VARIABLE, find_project_file, user_file
from palimpsest.config.paths import expand_home
from palimpsest.config.precedence import Config, Value
from palimpsest.settings import READ_BY, SETTING_NAMES, ModelLimits, Settings

_KEYS_CELLS = 69
_NO_FILE = {
    "project": "none: no palimpsest.toml, and no [tool.palimpsest] in a pyproject.toml, here or above",
    "user": "none: no home folder is known",
}

app = typer.Typer(help="Show the settings and where each comes from.")


@app.callback(invoke_without_command=True)
def _config(context: typer.Context) -> None:
    if context.invoked_subcommand is None:
        typer.echo(context.get_help())


@app.command("show")
@with_typer_parameters
@command("config", window=True, settings=True)
def show(
    shared: Shared,
) -> None:
    """Show every setting with its value and where it comes from.

    \b
    palimpsest config show
    palimpsest config show --set model=anthropic:claude-sonnet-5
    palimpsest config show --config ~/.picoclaw/config.json
    """
    output = make_output(shared.command, as_json=shared.as_json)
    found = shared.config
    limits = find_limits(found.settings, found.settings.model)
    values = _effective_values(found, limits)
    keys = _key_states()
    report_ignored(output, found)
    fields: dict[str, object] = {
        "agent": shared.owner,
        "preset": _fields(found.preset),
        "db": {"value": str(shared.path), **fields_of(shared.located, "source place")},
        "settings": {name: _fields(value) for name, value in values.items()},
        "longest_reply_tokens": limits.longest_reply_tokens,
        "trigger": _trigger(found.settings, limits),
        "files": list(found.files),
        "keys": keys,
        "ignored": [{"key": key, "reason": why} for key, why in found.ignored],
    }
    output.result(fields, *_blocks(shared, values, limits, keys))
    output.flush()


@app.command("path")
@with_typer_parameters
def path(config: ConfigFile = None, as_json: Json = False) -> None:
    """Print the paths of the configuration files.

    Those of the project and of the user, and whether they exist.

    \b
    palimpsest config path
    """
    named = config or os.environ.get(CONFIG_VARIABLE) or None
    places = {"project": expand_home(named) if named else find_project_file(), "user": user_file()}
    output = make_output("config", as_json=as_json)
    fields: dict[str, object] = {
        name: {"path": str(place), "exists": place.is_file()} if place else None
        for name, place in places.items()
    }
    output.result(fields, [f"{name:<8} {_path_text(name, place)}" for name, place in places.items()])
    output.flush()


def _path_text(name: str, place: Path | None) -> str:
    if place is None:
        return _NO_FILE[name]
    return clean(str(place)) + ("" if place.is_file() else "  (does not exist)")


def _key_states() -> dict[str, str]:
    """Whether each provider's key variable is set. The keys themselves are never shown."""
    from palimpsest.complete.registry import PROVIDERS

    names = sorted({name for provider in PROVIDERS.values() if not provider.local for name in provider.keys})
    return {name: "set" if os.environ.get(name) else "not set" for name in names}


def _effective_values(config: Config, limits: Limits) -> dict[str, Value]:
    """The value of every setting, with the limits of the model in use."""
    values = {name: config.values[name] for name in SETTING_NAMES}
    for name, tokens, source in (
        ("window_tokens", limits.window_tokens, limits.window_source),
        ("max_tokens", limits.max_tokens, limits.max_source),
    ):
        if values[name].value != tokens:
            values[name] = Value(tokens, source, "default")
    return values


def _fields(value: Value) -> dict[str, object]:
    limits = _model_limits(value.value)
    plain = value.value
    if limits is not None:
        plain = {one.name: fields_of(one, "window_tokens max_tokens") for one in limits}
    return {"value": plain, "source": value.source, "place": value.place}


def _model_limits(value: object) -> list[ModelLimits] | None:
    """The setting `models`, None for any other setting."""
    if not isinstance(value, tuple):
        return None
    return [one for one in cast("tuple[object, ...]", value) if isinstance(one, ModelLimits)]


def _blocks(
    shared: Shared, values: dict[str, Value], limits: Limits, keys: dict[str, str]
) -> Iterable[Block]:
    config = shared.config
    model = str(values["model"].value)
    head = [
        ("agent", shared.owner, ""),
        ("preset", str(config.preset.value), config.preset.source),
        ("database", str(shared.path), shared.located.source),
        ("model", model or "none named", values["model"].source if model else ""),
        ("window", f"{limits.window_tokens:,} tokens", values["window_tokens"].source),
        ("reply", f"{limits.max_tokens:,} tokens", values["max_tokens"].source),
    ]
    yield [
        f"{name:<9} {clean(text)}" + (f"  ({clean(source)})" if source else "") for name, text, source in head
    ]
    if trigger := _trigger(config.settings, limits):
        yield [f"trigger   {_trigger_text(trigger)}"]
    if limits.longest_reply_tokens:
        yield f"          the model writes at most {limits.longest_reply_tokens:,} tokens in one reply"
    yield ""
    rows = tuple(
        (name, clean(text), clean(value.source))
        for name, value in values.items()
        for text in _value_texts(value.value)
    )
    yield Listing(("setting", "value", "source"), rows)
    yield ""
    yield [f"files     {clean(', '.join(config.files)) or 'none'}"]
    states = flow((f"{name} {state}" for name, state in keys.items()), _KEYS_CELLS)
    yield [f"{'' if index else 'keys':<10}{line}" for index, line in enumerate(states)]


def _trigger(settings: Settings, limits: Limits) -> dict[str, object]:
    """Where compaction starts; {} where it is off, or where a policy asks what pays."""
    if settings.compact_threshold is None or settings.policy == "economic":
        return {}
    made = replace(settings, window_tokens=limits.window_tokens, max_tokens=limits.max_tokens)
    wanted, most = trigger_limits(made)
    rule = settings.counting if "counting" in READ_BY[settings.policy] else "estimate"
    return {
        "tokens": wanted,
        "counting": rule,
        "most_tokens": most,
        "capped": wanted > most and rule == "estimate",
    }


def _trigger_text(trigger: dict[str, object]) -> str:
    wanted, most = f"{trigger['tokens']:,} tokens", f"{trigger['most_tokens']:,}"
    if trigger["counting"] != "estimate":
        return f"{wanted} by the rule {trigger['counting']}, or {most} as estimated (90 % of the capacity)"
    return f"{most} tokens (90 % of the capacity, and less than {wanted})" if trigger["capped"] else wanted


def _value_texts(value: object) -> list[str]:
    """A setting's value as text; a line for each model in the setting `models`."""
    limits = _model_limits(value)
    if limits is not None:
        return [f"{one.name}: {one.window_tokens:,} / {one.max_tokens:,}" for one in limits] or ["none"]
    if value is None:
        return ["off"]
    if isinstance(value, int):
        return [f"{value:,}"]
    return [f"{value:g}" if isinstance(value, float) else str(value) or "none"]
