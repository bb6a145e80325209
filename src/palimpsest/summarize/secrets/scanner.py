"""What the optional library `betterleaks` finds more (the extra `secrets`): rules of vendors that our table lacks.

It works in this process and without a network. Its generic rules guess, so only what it is sure of counts. Where it is
not installed, or fails, there is one line in the log, and our own table stands alone.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator
from functools import cache
from importlib import import_module
from typing import Any

log = logging.getLogger(__name__)

Scan = Callable[[str], Any]


@cache
def _scan() -> list[Scan]:
    """The library's function, imported once; none where it is not installed or cannot be loaded."""
    try:
        return [import_module("betterleaks").scan_string]
    except ModuleNotFoundError:
        return []
    except Exception as error:  # noqa: BLE001  (a native library fails in ways of its own)
        log.warning(
            "betterleaks cannot be loaded, so only our own patterns find secrets: %s", type(error).__name__
        )
        return []


def scanned(text: str) -> Iterator[str]:
    """The secrets that the library is sure of in a text."""
    scans = _scan()
    if not scans:
        return
    try:
        found = scans[0](text.encode("utf-8", "replace").replace(b"\0", b" ").decode())
        secrets = [
            str(one.secret) for one in found if one.confidence == "high" and "generic" not in one.rule_id
        ]
    except Exception as error:  # noqa: BLE001  (as above)
        scans.clear()
        log.warning("betterleaks failed, so only our own patterns find secrets: %s", type(error).__name__)
        return
    yield from secrets
