"""`palimpsest config`: which settings count here, and who says so."""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path
from typing import cast

import typer

from palimpsest.budget.model_limits import Limits, find_limits
from palimpsest.cli.options import OWNER, ConfigFile, Db, Json, Owner, Set, Shared, WindowTokens, given
from palimpsest.cli.output import Block, make_output
from palimpsest.cli.session import tell_ignored
from palimpsest.cli.text_drawing import Listing, clean, flow
from palimpsest.cli.typer_app import as_declared
from palimpsest.config.files import CONFIG_VARIABLE, find_project_file, user_file
from palimpsest.config.paths import at_home
from palimpsest.config.precedence import Config, Value
from palimpsest.settings import SETTING_NAMES, ModelLimits

_KEYS_CELLS = 69

app = typer.Typer(help="Show which settings count, and who says so.")


@app.callback(invoke_without_command=True)
def _config(context: typer.Context) -> None:
    if context.invoked_subcommand is None:
        typer.echo(context.get_help())


@app.command("show")
@as_declared
def show(
    window_tokens: WindowTokens = None,
    settings: Set = None,
    config: ConfigFile = None,
    owner: Owner = OWNER,
    db: Db = None,
    as_json: Json = False,
) -> None:
    """Show every setting with its value and where it comes from.

    \b
    palimpsest config show
    palimpsest config show --set model=anthropic:claude-sonnet-5
    palimpsest config show --config ~/.picoclaw/config.json
    """
    shared = Shared("config", db, owner, as_json, given(window_tokens, settings, config))
    output = make_output(shared.command, as_json=as_json)
    found = shared.config
    limits = find_limits(found.settings, found.settings.model)
    values = effective(found, limits)
    keys = key_states()
    tell_ignored(output, found)
    fields: dict[str, object] = {
        "agent": owner,
        "preset": _fields(found.preset),
        "db": _fields(Value(str(shared.path), shared.located.source, shared.located.place)),
        "settings": {name: _fields(value) for name, value in values.items()},
        "longest_reply_tokens": limits.longest_reply_tokens,
        "files": list(found.files),
        "keys": keys,
        "ignored": [{"key": key, "reason": why} for key, why in found.ignored],
    }
    output.result(fields, *_blocks(shared, values, limits, keys))
    output.flush()


@app.command("path")
@as_declared
def path(config: ConfigFile = None, as_json: Json = False) -> None:
    """Print where the files are looked for.

    Those of the project and of the person, and whether they are there.

    \b
    palimpsest config path
    """
    named = config or os.environ.get(CONFIG_VARIABLE) or None
    places = {"project": at_home(named) if named else find_project_file(), "user": user_file()}
    output = make_output("config", as_json=as_json)
    fields: dict[str, object] = {
        name: {"path": str(place), "exists": place.is_file()} if place else None
        for name, place in places.items()
    }
    lines = [f"{name:<8} {_told(name, place)}" for name, place in places.items()]
    output.result(fields, lines)
    output.flush()


def key_states() -> dict[str, str]:
    """Of each provider's variable for its key: whether it is set. Nothing of a key itself is ever shown."""
    from palimpsest.complete.registry import PROVIDERS

    names = sorted({name for provider in PROVIDERS.values() if not provider.local for name in provider.keys})
    return {name: "set" if os.environ.get(name) else "not set" for name in names}


_NONE = {
    "project": "none: no palimpsest.toml, and no [tool.palimpsest] in a pyproject.toml, here or above",
    "user": "none: no home folder is known",
}


def _told(name: str, place: Path | None) -> str:
    if place is None:
        return _NONE[name]
    return clean(str(place)) + ("" if place.is_file() else "  (not there)")


def effective(config: Config, limits: Limits) -> dict[str, Value]:
    """The value of every setting that counts, the limits as they are for the model."""
    values = {name: config.values[name] for name in SETTING_NAMES}
    for name, tokens, source in (
        ("window_tokens", limits.window_tokens, limits.window_source),
        ("max_tokens", limits.max_tokens, limits.max_source),
    ):
        if values[name].value != tokens:
            values[name] = Value(tokens, source, "default")
    return values


def _fields(value: Value) -> dict[str, object]:
    return {"value": _plain(value.value), "source": value.source, "place": value.place}


def _plain(value: object) -> object:
    """A setting's value for JSON."""
    limits = _limits_in(value)
    if limits is None:
        return value
    return {one.name: {"window_tokens": one.window_tokens, "max_tokens": one.max_tokens} for one in limits}


def _limits_in(value: object) -> list[ModelLimits] | None:
    """The limits of models that a setting holds, None for any other setting."""
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
    if limits.longest_reply_tokens:
        yield f"          the model writes at most {limits.longest_reply_tokens:,} tokens in one reply"
    yield ""
    rows = tuple(
        (name, clean(text), clean(value.source))
        for name, value in values.items()
        for text in _shown(value.value)
    )
    yield Listing(("setting", "value", "source"), rows, frozenset())
    yield ""
    yield [f"files     {clean(', '.join(config.files)) or 'none'}"]
    states = flow((f"{name} {state}" for name, state in keys.items()), _KEYS_CELLS)
    yield [f"{'' if place else 'keys':<10}{line}" for place, line in enumerate(states)]


def _shown(value: object) -> list[str]:
    """A setting's value in words, one for each model where it is a table of models."""
    limits = _limits_in(value)
    if limits is not None:
        return [f"{one.name}: {one.window_tokens:,} / {one.max_tokens:,}" for one in limits] or ["none"]
    if value is None:
        return ["off"]
    if isinstance(value, int):
        return [f"{value:,}"]
    return [f"{value:g}" if isinstance(value, float) else str(value) or "none"]
