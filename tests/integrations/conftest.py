"""Each test that takes a `kind` runs once for each driver (see `suite.py`)."""

from __future__ import annotations

import pytest

from tests.integrations.driver import BaseDriver
from tests.integrations.suite import driver_class, tested


@pytest.fixture(params=tested())
def kind(request: pytest.FixtureRequest) -> type[BaseDriver]:
    """The class of a driver."""
    return driver_class(request.param)
