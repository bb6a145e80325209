"""Each test that takes a `kind` runs with the driver of the framework that is tested here (see `suite.py`)."""

from __future__ import annotations

import os

import pytest

from tests.integrations.driver import BaseDriver
from tests.integrations.suite import ONLY, WITHOUT_DRIVER, driver_class


@pytest.fixture(params=[os.environ.get(ONLY, "")], ids=str)
def kind(request: pytest.FixtureRequest) -> type[BaseDriver]:
    """The class of the driver."""
    if not request.param:
        pytest.skip("no framework is named: run `make test-integrations`")
    if request.param in WITHOUT_DRIVER:
        pytest.skip(WITHOUT_DRIVER[request.param])
    return driver_class(request.param)
