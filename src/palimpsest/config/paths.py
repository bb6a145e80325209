"""The user's files: the platform's folders, and paths that begin with `~`.

A process may have no home folder, for example a container under a user id without an account. Then the user's files do
not exist, and a `~` is an error instead of a folder of that name.
"""

from __future__ import annotations

from pathlib import Path
from typing import Literal

from palimpsest.errors import SettingsError

Kind = Literal["config", "data", "state"]


def expand_home(path: str | Path) -> Path:
    """The path with a leading `~` replaced by the home folder. Raises SettingsError if there is none."""
    given = Path(path)
    try:
        return given.expanduser()
    except RuntimeError as error:
        raise SettingsError(f"{given.parts[0]} has no home folder", hint="give an absolute path") from error


def user_folder(kind: Kind) -> Path:
    """The platform's folder for files of this kind, whether or not it exists. Raises SettingsError without a home."""
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
            "no home folder is known", hint="set HOME, or name a database with --db or PALIMPSEST_DB"
        ) from error


def user_path(kind: Kind, name: str) -> Path | None:
    """The path of a file in that folder, None without a home."""
    try:
        return user_folder(kind) / name
    except SettingsError:
        return None
