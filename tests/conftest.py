"""Shared set-up: how hard hypothesis looks, and where the real transcripts lie.

Three profiles: "ci" (the default) draws the same few examples on every run; "deep", of `make test-long`, draws ten
times as many, others on every run; "long" looks for hours. Choose with the environment variable HYPOTHESIS_PROFILE.

What is collected stays to the end: nothing of it is looked for garbage, which takes a fifth of collecting.
"""

from __future__ import annotations

import gc
import os
from collections.abc import Generator

import pytest
from hypothesis import HealthCheck, settings

pytest.register_assert_rewrite("tests.engine.laws")  # the laws' own asserts explain themselves as a test's do

LENIENT = [HealthCheck.too_slow, HealthCheck.data_too_large]
settings.register_profile(
    "ci",
    derandomize=True,
    max_examples=20,
    deadline=None,
    database=None,
    suppress_health_check=LENIENT,
)
settings.register_profile(
    "deep", max_examples=200, deadline=None, print_blob=True, suppress_health_check=LENIENT
)
settings.register_profile(
    "long", max_examples=5_000, deadline=None, print_blob=True, suppress_health_check=LENIENT
)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "ci"))


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Generator[None, object, object]:
    """Collect without looking for garbage, and leave what was collected out of every later search."""
    gc.disable()
    try:
        return (yield)
    finally:
        gc.freeze()
        gc.enable()
