"""How hard hypothesis looks, which the environment variable HYPOTHESIS_PROFILE tells.

Three profiles: "ci" (the default) draws the same few examples on every run; "deep", of `make test-long`, draws ten
times as many, others on every run; "long" looks for hours.
"""

from __future__ import annotations

import os

from hypothesis import HealthCheck, settings

LENIENT = [HealthCheck.too_slow, HealthCheck.data_too_large]


def load() -> None:
    """Make the profile that is named the one of all tests."""
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
