"""Waiting for what another task, thread or process does, however slow the machine is just now."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable

LIMIT_S = 60.0
"""How long a test waits at most; reached only where what it waits for never comes."""
_LOOK_S = 0.005


async def until(holds: Callable[[], object]) -> None:
    """Let others work until this holds."""
    async with asyncio.timeout(LIMIT_S):
        while not holds():  # noqa: ASYNC110
            await asyncio.sleep(_LOOK_S)


def wait_until(holds: Callable[[], object]) -> None:
    """Wait in this thread until it holds; raises TimeoutError where it never does."""
    ends_s = time.monotonic() + LIMIT_S
    while not holds():
        if time.monotonic() > ends_s:
            raise TimeoutError
        time.sleep(_LOOK_S)
