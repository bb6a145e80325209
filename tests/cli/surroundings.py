"""The surroundings of one test: the environment's variables and the working folder, put back afterwards."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import chdir, contextmanager
from pathlib import Path

import pytest

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
def nobody(patch: pytest.MonkeyPatch) -> Iterator[None]:
    """A process that runs under a number which no account has, and without HOME: as containers are run."""
    pwd = pytest.importorskip("pwd")

    def unknown(number: int) -> object:
        raise KeyError(number)

    with patch.context() as within:
        for name in [name for name in os.environ if name == "HOME" or name.startswith("XDG_")]:
            within.delenv(name)
        within.setattr(pwd, "getpwuid", unknown)
        yield


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
