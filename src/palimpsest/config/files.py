"""Finds and reads configuration files.

The project's file is the nearest `palimpsest.toml`, or `pyproject.toml` with a table `[tool.palimpsest]`, in the
working folder or one of its parents. The user's file is `config.toml` in the platform's configuration folder. A file
named with `--config` or PALIMPSEST_CONFIG replaces the project's; it may be TOML, JSON of the same shape, or the
configuration of OpenClaw, PicoClaw, Hermes or Crabtalk.
"""

from __future__ import annotations

import os
from collections.abc import Generator, Mapping
from contextlib import closing, contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any, cast

from palimpsest.config.paths import expand_home, user_path
from palimpsest.config.precedence import (
    PREFIX,
    Config,
    Layer,
    Table,
    from_environment,
    from_table,
    resolve,
    table_at,
)
from palimpsest.errors import NotFound, SettingsError, reason_of
from palimpsest.lazy_regex import later

PROJECT_FILE = "palimpsest.toml"
PYPROJECT_FILE = "pyproject.toml"
USER_FILE = "config.toml"
CONFIG_VARIABLE = f"{PREFIX}CONFIG"
PATH_KEYS = ("db", "prompts_folder")
OWN_DB = "palimpsest.db"
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

    The search for a project's file starts in `folder` (default: the working folder); `file` replaces it. The tables
    `[agents.NAME]` apply if NAME is `agent`. `environment` replaces the process's own, and `user=False` skips the
    user's file. Raises SettingsError naming file and key, and NotFound if `file` does not exist.
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
    """The whole configuration with the source of each value; `flags` override everything else."""
    variables = os.environ if environment is None else environment
    named = file or variables.get(CONFIG_VARIABLE) or None
    from_variables, ignored = from_environment(variables)
    layers: list[Layer] = [flags or {}, from_variables]
    used: list[str] = []
    project = expand_home(named) if named else find_project_file(folder)
    if project is not None:
        if named and not _is_file(project):
            raise NotFound(
                f"no such file: {project}", hint="give a TOML file or a supported agent's configuration"
            )
        found, unused = _read_layers(project, agent, variables, named=bool(named))
        layers.extend(found)
        ignored.extend(unused)
        used.append(str(project))
    personal = user_file()
    if user and personal is not None and _is_file(personal):
        table = _resolve_paths(read_toml(personal), personal)
        layers.extend(from_table(table, str(personal), "user", agent=agent))
        used.append(str(personal))
    return replace(resolve(layers, ignored=ignored), files=tuple(used))


def user_file() -> Path | None:
    """The path of the user's configuration file, whether or not it exists; None without a home folder."""
    return user_path("config", USER_FILE)


def find_project_file(folder: str | Path | None = None) -> Path | None:
    """The nearest project file in a folder (default: the working folder) or its parents."""
    try:
        start = Path(folder or "").absolute()
    except OSError:  # the working folder was removed
        return None
    for place in (start, *start.parents)[:MAX_FOLDERS]:
        if _is_file(place / PROJECT_FILE):
            return place / PROJECT_FILE
        if _is_file(place / PYPROJECT_FILE) and _configures_palimpsest(place / PYPROJECT_FILE):
            return place / PYPROJECT_FILE
    return None


def _configures_palimpsest(pyproject: Path) -> bool:
    """Whether a pyproject.toml mentions our table. An unreadable file is left to the project that owns it."""
    try:
        return "tool.palimpsest" in _read_text(pyproject)
    except SettingsError:
        return False


def _is_file(path: Path) -> bool:
    try:
        return path.is_file()
    except OSError:
        return False


def read_toml(path: Path) -> Table:
    """The table in a TOML file; in a pyproject.toml, the table [tool.palimpsest]. Raises SettingsError."""
    import tomllib

    try:
        table: Table = tomllib.loads(_read_text(path))
    except (ValueError, RecursionError) as error:  # also huge numbers and deep nesting
        raise SettingsError(f"{path} is not valid TOML: {error}", hint="correct the file") from error
    return table_at(table, "tool", "palimpsest") if path.name == PYPROJECT_FILE else table


def _read_layers(
    path: Path, agent: str, variables: Mapping[str, str], *, named: bool
) -> tuple[list[Layer], Ignored]:
    """The layers of the project's file or a named one, and the keys in it that have no effect."""
    if not named:
        return from_table(_resolve_paths(read_toml(path), path), str(path), "project", agent=agent), []
    from palimpsest.config.other_agents import PICOCLAW_HOME, read_peer

    with _naming(path):
        table = _read_named(path)
        found = read_peer(table)
    if found is None:
        return from_table(_resolve_paths(table, path), str(path), "project", agent=agent), []
    home = variables.get("PICOCLAW_HOME") or PICOCLAW_HOME
    table, unset = _fill_placeholders(found.table, {**variables, "PICOCLAW_HOME": home})
    unused = [(f"{path}: {key}", why) for key, why in found.ignored]
    unused.extend((f"{path}: {key}", f"{name} is not set in the environment") for key, name in unset)
    if isinstance(theirs := table.get("db"), str) and _is_of_others(theirs):
        table["db"] = str(Path(theirs).with_name(OWN_DB))
        unused.append(
            (f"{path}: {theirs}", f"it is {found.agent}'s own and can be imported; {OWN_DB} is beside it")
        )
    return from_table(table, str(path), "project", agent=agent), unused


def _is_of_others(place: str) -> bool:
    """Whether a database exists that another program made: it has no mark of ours."""
    import sqlite3

    try:
        path = expand_home(place)
        if not path.stat().st_size:
            return False
        with closing(sqlite3.connect(f"{path.absolute().as_uri()}?mode=ro", uri=True)) as link:
            return link.execute("PRAGMA application_id").fetchone() == (0,)
    except (OSError, sqlite3.Error, SettingsError):
        return False


@contextmanager
def _naming(path: Path) -> Generator[None]:
    """Put the file's path in front of an error's message."""
    try:
        yield
    except SettingsError as error:
        if str(path) in error.message:
            raise
        raise SettingsError(f"{path}: {error.message}", hint=error.hint) from error


def _fill_placeholders(
    table: Table, variables: Mapping[str, str]
) -> tuple[dict[str, object], list[tuple[str, str]]]:
    """The table with each `${NAME}` replaced, and (key, name) of the keys dropped because NAME is not set."""
    filled: dict[str, object] = {}
    unset: list[tuple[str, str]] = []
    for key, value in table.items():
        if isinstance(value, Mapping):
            filled[key], inner = _fill_placeholders(cast("Table", value), variables)
            unset.extend((f"{key}.{name}", variable) for name, variable in inner)
        elif not isinstance(value, str):
            filled[key] = value
        elif missing := next((one for one in _PLACEHOLDER.findall(value) if one not in variables), ""):
            unset.append((key, missing))
        else:
            filled[key] = _PLACEHOLDER.sub(lambda found: variables[found[1]], value)
    return filled, unset


def _read_named(path: Path) -> Table:
    """The table in a named file, parsed by the file's suffix. Raises SettingsError."""
    from palimpsest.config.json5_yaml import read_loose_json, read_yaml

    suffix = path.suffix.lower()
    if suffix in {".yaml", ".yml"}:
        return read_yaml(_read_text(path))
    if suffix not in {".json", ".json5"}:
        return read_toml(path)
    try:
        parsed = read_loose_json(_read_text(path))
    except ValueError as error:
        raise SettingsError(f"{path} is not valid JSON: {error}", hint="correct the file") from error
    if not isinstance(parsed, Mapping):
        raise SettingsError(f"{path} is not a JSON object", hint="give a JSON object")
    return cast("Table", parsed)


def _resolve_paths(table: Table, path: Path) -> Table:
    """The table, and those of its agents, with paths relative to the file's folder."""
    folder = path.absolute().parent
    resolved: dict[str, object] = {
        key: str(folder / expand_home(place))
        for key in PATH_KEYS
        if isinstance(place := table.get(key), str) and place
    }
    agents = {
        name: _resolve_paths(cast("Table", own), path) if isinstance(own, Mapping) else own
        for name, own in table_at(table, "agents").items()
    }
    return {**table, **resolved, **({"agents": agents} if agents else {})}


def _read_text(path: Path) -> str:
    """A configuration file's text. Raises SettingsError."""
    try:
        with path.open("rb") as file:
            data = file.read(MAX_BYTES + 1)
    except OSError as error:
        raise SettingsError(
            f"cannot read {path}: {reason_of(error)}", hint="check the file's permissions"
        ) from error
    if len(data) > MAX_BYTES:
        raise SettingsError(f"{path} is larger than {MAX_BYTES:,} bytes", hint="name a configuration file")
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise SettingsError(f"{path} is not UTF-8", hint="save it as UTF-8") from error
