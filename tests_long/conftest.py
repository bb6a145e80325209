"""Shared set-up: the profile of hypothesis, which tells how much the long tests take, is loaded before any of them."""

from __future__ import annotations

import pytest

from tests import profiles

profiles.load()
pytest.register_assert_rewrite("tests.engine.laws")
