"""Shared set-up: the profile of hypothesis is loaded before any test is.

What is collected stays to the end: nothing of it is looked for garbage, which takes a fifth of collecting.
"""

from __future__ import annotations

import gc
from collections.abc import Generator

import pytest

from tests import profiles

profiles.load()
pytest.register_assert_rewrite("tests.engine.laws")  # the laws' own asserts explain themselves as a test's do


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Generator[None, object, object]:
    """Collect without looking for garbage, and leave what was collected out of every later search."""
    gc.disable()
    try:
        return (yield)
    finally:
        gc.freeze()
        gc.enable()
