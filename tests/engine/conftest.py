"""The laws' own asserts explain themselves as a test's do."""

import pytest

pytest.register_assert_rewrite("tests.engine.laws")
