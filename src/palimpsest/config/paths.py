"""Where a person's files lie: the platform's folders, and paths that begin at home.

A process may have no home: a container run under a number that no account has. Then there are no files of a person;
whoever needs one is told what to set. A `~` that names nobody is an error, and never a folder of that name.
"""

from __future__ import annotations

from pathlib import Path
from typing import Literal

from palimpsest.errors import SettingsError

Kind = Literal["config", "data", "state"]


def at_home(path: str | Path) -> Path:
    """The path, with a home folder in place of a `~` it begins with. Raises SettingsError where there is none."""
    given = Path(path)
    try:
        return given.expanduser()
    except RuntimeError as error:
        hint = "give the whole path"
        raise SettingsError(f"{given.parts[0]} is no home folder of anybody here", hint=hint) from error


def person_folder(kind: Kind) -> Path:
    """The platform's folder for files of this kind, whether it is there or not. Raises SettingsError for nobody's."""
    import platformdirs

    find = {
        "config": platformdirs.user_config_path,
        "data": platformdirs.user_data_path,
        "state": platformdirs.user_state_path,
    }[kind]
    try:
        return find("palimpsest", appauthor=False)
    except RuntimeError as error:
        raise SettingsError(
            "no home folder is known", hint="set HOME; a database is named with --db or PALIMPSEST_DB"
        ) from error


def person_file(kind: Kind, name: str) -> Path | None:
    """A file in that folder, None where nobody has one."""
    try:
        return person_folder(kind) / name
    except SettingsError:
        return None
