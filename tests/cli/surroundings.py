"""The surroundings of one test: the environment's variables and the working folder, put back afterwards."""

from __future__ import annotations

import os
import pwd
from collections.abc import Iterator
from contextlib import chdir, contextmanager
from pathlib import Path

KEPT = "PALIMPSEST_DATA"
"""Where the tests' own data lie: no setting."""


@contextmanager
def nothing_configured(home: Path) -> Iterator[None]:
    """An empty home, and no variable that says anything of settings."""
    with variables(HOME=str(home), XDG_CONFIG_HOME=str(home / "config")):
        for name in [name for name in os.environ if name.startswith("PALIMPSEST_") and name != KEPT]:
            del os.environ[name]
        yield


@contextmanager
def nobody() -> Iterator[None]:
    """A process that runs under a number which no account has, and without HOME: as containers are run."""
    before, known = dict(os.environ), pwd.getpwuid

    def unknown(number: int) -> pwd.struct_passwd:
        raise KeyError(number)

    for name in [name for name in os.environ if name == "HOME" or name.startswith("XDG_")]:
        del os.environ[name]
    pwd.getpwuid = unknown
    try:
        yield
    finally:
        pwd.getpwuid = known
        os.environ.clear()
        os.environ.update(before)


@contextmanager
def variables(**said: str) -> Iterator[None]:
    """Variables of the environment."""
    before = dict(os.environ)
    os.environ.update(said)
    try:
        yield
    finally:
        os.environ.clear()
        os.environ.update(before)


@contextmanager
def narrow_terminal(columns: int) -> Iterator[None]:
    """Standard output taken for a terminal of so many columns."""
    before = dict(os.environ)
    os.environ.update(FORCE_COLOR="1", COLUMNS=str(columns))
    try:
        yield
    finally:
        os.environ.clear()
        os.environ.update(before)


@contextmanager
def project_in(folder: Path) -> Iterator[Path]:
    """An empty project in a folder of its own, as the working folder."""
    place = folder / "project"
    place.mkdir()
    with chdir(place):
        yield place
