"""Where configuration lies, and reading it. The only part of this room that touches the disk or the environment.

A project's file is the nearest `palimpsest.toml`, or `pyproject.toml` with a table `[tool.palimpsest]`, in the working
folder or one above it. A person's file is `config.toml` in the platform's folder for configuration. A file that is
named (`--config`, PALIMPSEST_CONFIG) takes the place of the project's; it may be TOML, JSON of the same shape, or the
configuration of OpenClaw, PicoClaw, Hermes or Crabtalk, as it is.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any, cast

from palimpsest.config.paths import at_home, person_file
from palimpsest.config.precedence import PREFIX, Config, Layer, from_environment, from_table, resolve
from palimpsest.errors import NotFound, SettingsError, reason_of
from palimpsest.lazy_regex import later

PROJECT_FILE = "palimpsest.toml"
PYPROJECT_FILE = "pyproject.toml"
USER_FILE = "config.toml"
CONFIG_VARIABLE = f"{PREFIX}CONFIG"
PATH_KEYS = ("db", "prompts_folder")
MAX_FOLDERS = 32
MAX_BYTES = 1_000_000

_PLACEHOLDER = later(r"\$\{([A-Za-z_]\w*)\}")

Ignored = list[tuple[str, str]]


def load_config(
    folder: str | Path | None = None,
    *,
    agent: str = "",
    file: str | Path | None = None,
    environment: Mapping[str, str] | None = None,
    user: bool = True,
) -> dict[str, Any]:
    """The configuration of environment and files as keyword arguments: `palimpsest.open(path, **load_config())`.

    `folder` is where the search for a project's file begins (default: the working folder), `file` one to read in its
    place, `agent` whose `[agents.NAME]` tables count. `environment` stands for the process's own, and `user` False
    leaves the person's file out. Raises SettingsError naming file and key, NotFound for a `file` that is not there.
    """
    return read_config(folder, agent=agent, file=file, environment=environment, user=user).options()


def read_config(
    folder: str | Path | None = None,
    *,
    flags: Layer | None = None,
    agent: str = "",
    file: str | Path | None = None,
    environment: Mapping[str, str] | None = None,
    user: bool = True,
) -> Config:
    """The whole configuration with its sources; `flags` come before everything else."""
    variables = os.environ if environment is None else environment
    named = file or variables.get(CONFIG_VARIABLE) or None
    layers: list[Layer] = [flags or {}]
    said, ignored = from_environment(variables)
    layers.append(said)
    project = at_home(named) if named else find_project_file(folder)
    used: list[str] = []
    if project is not None:
        if named and not _is_file(project):
            raise NotFound(
                f"no such file: {project}",
                hint="give a TOML file, or the configuration of an agent that is read",
            )
        found, unused = _read_layers(project, agent, variables, named=bool(named))
        layers.extend(found)
        ignored.extend(unused)
        used.append(str(project))
    personal = user_file()
    if user and personal is not None and _is_file(personal):
        layers.extend(
            from_table(_absolute(read_toml(personal), personal), str(personal), "user", agent=agent)
        )
        used.append(str(personal))
    config = resolve(layers, ignored=ignored)
    return Config(config.preset, config.db, config.settings, config.values, config.ignored, tuple(used))


def user_file() -> Path | None:
    """Where a person's configuration lies, whether it is there or not; None for nobody's."""
    return person_file("config", USER_FILE)


def find_project_file(folder: str | Path | None = None) -> Path | None:
    """The nearest project's file at or above a folder (default: the working folder)."""
    try:
        start = Path(folder or "").absolute()
    except OSError:  # the working folder was removed
        return None
    for place in (start, *start.parents)[:MAX_FOLDERS]:
        if _is_file(place / PROJECT_FILE):
            return place / PROJECT_FILE
        if _is_file(place / PYPROJECT_FILE) and _is_ours(place / PYPROJECT_FILE):
            return place / PYPROJECT_FILE
    return None


def _is_ours(pyproject: Path) -> bool:
    """Whether a pyproject.toml speaks of us; another project's unreadable file is none of our business."""
    try:
        return "tool.palimpsest" in _text(pyproject)
    except SettingsError:
        return False


def _is_file(path: Path) -> bool:
    try:
        return path.is_file()
    except OSError:
        return False


def read_toml(path: Path) -> Mapping[str, object]:
    """A TOML file's table; of a pyproject.toml the table [tool.palimpsest]. Raises SettingsError."""
    import tomllib

    try:
        table: Mapping[str, object] = tomllib.loads(_text(path))
    except (ValueError, RecursionError) as error:  # also a number or a nesting that Python does not read
        raise SettingsError(f"{path} is no TOML: {error}", hint="correct the file") from error
    return _inner(_inner(table, "tool"), "palimpsest") if path.name == PYPROJECT_FILE else table


def _inner(table: Mapping[str, object], key: str) -> Mapping[str, object]:
    inner = table.get(key)
    return cast("Mapping[str, object]", inner) if isinstance(inner, Mapping) else {}


def _read_layers(
    path: Path, agent: str, variables: Mapping[str, str], *, named: bool
) -> tuple[list[Layer], Ignored]:
    """The layers of a project's file or a named one, and what in it has no effect."""
    from palimpsest.config.peers import read_peer

    table = _read_named(path) if named else read_toml(path)
    try:
        found = read_peer(table) if named else None
    except SettingsError as error:
        raise SettingsError(f"{path}: {error.message}", hint=error.hint) from error
    if found is None:
        return from_table(_absolute(table, path), str(path), "project", agent=agent), []
    unused = [(f"{path}: {key}", why) for key, why in found.ignored]
    table, unset = _filled(found.table, variables)
    unused.extend((f"{path}: {key}", f"{name} is not set in the environment") for key, name in unset)
    return from_table(table, str(path), "project", agent=agent), unused


def _filled(
    table: Mapping[str, object], variables: Mapping[str, str]
) -> tuple[dict[str, object], list[tuple[str, str]]]:
    """The table with `${NAME}` filled in from the environment, and (key, name) of what is left out as it is not set."""
    filled: dict[str, object] = {}
    unset: list[tuple[str, str]] = []
    for key, value in table.items():
        if isinstance(value, Mapping):
            filled[key], inner = _filled(cast("Mapping[str, object]", value), variables)
            unset.extend((f"{key}.{name}", variable) for name, variable in inner)
            continue
        names = _PLACEHOLDER.findall(value) if isinstance(value, str) else []
        if missing := next((name for name in names if name not in variables), ""):
            unset.append((key, missing))
        else:
            filled[key] = (
                _PLACEHOLDER.sub(lambda at: variables[at[1]], value) if isinstance(value, str) else value
            )
    return filled, unset


def _read_named(path: Path) -> Mapping[str, object]:
    """The table of a file that was named, by what its name ends in. Raises SettingsError."""
    from palimpsest.config.json5_yaml import read_loose_json, read_yaml

    suffix = path.suffix.lower()
    if suffix in {".yaml", ".yml"}:
        try:
            return read_yaml(_text(path))
        except SettingsError as error:
            raise SettingsError(f"{path}: {error.message}", hint=error.hint) from error
    if suffix not in {".json", ".json5"}:
        return read_toml(path)
    try:
        parsed = read_loose_json(_text(path))
    except ValueError as error:
        raise SettingsError(f"{path} is no JSON: {error}", hint="correct the file") from error
    if not isinstance(parsed, Mapping):
        raise SettingsError(f"{path} holds no table", hint="give a JSON object")
    return cast("Mapping[str, object]", parsed)


def _absolute(table: Mapping[str, object], path: Path) -> Mapping[str, object]:
    """The table, and those of its agents, with paths seen from the file's folder."""
    folder = path.absolute().parent
    seen: dict[str, object] = {
        key: str(folder / at_home(place))
        for key in PATH_KEYS
        if isinstance(place := table.get(key), str) and place
    }
    agents = {
        name: _absolute(cast("Mapping[str, object]", own), path) if isinstance(own, Mapping) else own
        for name, own in _inner(table, "agents").items()
    }
    return {**table, **seen, **({"agents": agents} if agents else {})}


def _text(path: Path) -> str:
    """A configuration file's text. Raises SettingsError."""
    try:
        with path.open("rb") as file:
            data = file.read(MAX_BYTES + 1)
    except OSError as error:
        raise SettingsError(
            f"cannot read {path}: {reason_of(error)}", hint="check the file's permissions"
        ) from error
    if len(data) > MAX_BYTES:
        raise SettingsError(f"{path} is larger than {MAX_BYTES:,} bytes", hint="it is no configuration")
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise SettingsError(f"{path} is not UTF-8", hint="save it as UTF-8") from error
