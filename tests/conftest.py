"""Shared set-up: how hard hypothesis looks, and where the real transcripts lie.

Two profiles: "ci" (the default) draws the same examples on every run and stays short; "long" looks for hours.
Choose with the environment variable HYPOTHESIS_PROFILE.
"""

from __future__ import annotations

import os

import pytest
from hypothesis import HealthCheck, settings

pytest.register_assert_rewrite("tests.engine.laws")  # the laws' own asserts explain themselves as a test's do

settings.register_profile(
    "ci",
    derandomize=True,
    max_examples=30,
    deadline=None,
    database=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
)
settings.register_profile("long", max_examples=5_000, deadline=None, print_blob=True)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "ci"))
