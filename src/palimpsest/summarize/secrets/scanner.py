"""What the optional library `betterleaks` (the extra `secrets`) finds more: rules of vendors that our table lacks.

It works in this process, without a network. Its generic rules guess, so only what it is sure of counts. Where it cannot
be loaded, or fails, there is one line in the log, and our own table stands alone.
"""

from __future__ import annotations

import logging
import re
from collections.abc import Callable
from functools import cache
from importlib import import_module
from importlib.util import find_spec
from typing import Any

log = logging.getLogger(__name__)

LIBRARY = "betterleaks"


@cache
def _scanners(library: str) -> list[Callable[[str], Any]]:
    """The library's function, imported once; none where it is not installed or cannot be loaded."""
    try:
        return [import_module(library).scan_string] if find_spec(library) else []
    except Exception as error:  # noqa: BLE001  (a native library fails in ways of its own)
        log.warning(
            "%s cannot be loaded; only built-in patterns find secrets: %s", library, type(error).__name__
        )
        return []


def scanned(text: str, library: str = LIBRARY) -> list[tuple[int, int]]:
    """Where in a text stand secrets that the library is sure of. Once it failed, it is not asked again."""
    scanners = _scanners(library)
    try:
        found = scanners[0](text.encode("utf-8", "replace").replace(b"\0", b" ").decode()) if scanners else ()
        secrets = {str(one.secret) for one in found if one.confidence == "high" and one.secret}
    except Exception as error:  # noqa: BLE001  (as above)
        scanners.clear()
        log.warning("%s failed; only built-in patterns find secrets: %s", library, type(error).__name__)
        return []
    return [match.span() for secret in secrets for match in re.finditer(re.escape(secret), text)]
