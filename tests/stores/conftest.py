"""What tests of files share."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

NOBODY = 65_534


@pytest.fixture
def ordinary_folder() -> Iterator[Path]:
    """A folder of an ordinary user, who the test then is: nothing is forbidden to the superuser."""
    with tempfile.TemporaryDirectory(prefix="palimpsest-") as name:
        user = os.geteuid() or NOBODY
        try:
            os.chown(name, user, -1)
            before = os.geteuid()
            os.seteuid(user)
        except OSError:
            pytest.skip("this test must be able to become an ordinary user")
        try:
            yield Path(name)
        finally:
            Path(name).chmod(0o700)
            os.seteuid(before)
