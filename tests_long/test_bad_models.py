"""Fifty compactions with a model that lies, drops, refuses, loops or hangs."""

from __future__ import annotations

import pytest

from tests.engine.test_bad_models import MODELS, live_with


@pytest.mark.parametrize("preset", ["default", "hierarchical", "hermes", "picoclaw"])
@pytest.mark.parametrize("behaviour", MODELS)
async def test_fifty_compactions_with_a_bad_model_keep_the_window_whole(preset: str, behaviour: str) -> None:
    await live_with(preset, behaviour, 50)
