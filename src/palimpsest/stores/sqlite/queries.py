"""SQL by name: each statement stands in `sql/*.sql` under a line `-- name: ...`, and is never put together
from pieces.
"""

from __future__ import annotations

import re
from functools import cache
from importlib import resources

_NAME = re.compile(r"^-- name: (\w+)[^\n]*\n", re.MULTILINE)


@cache
def _all() -> dict[str, str]:
    folder = resources.files("palimpsest.stores.sqlite") / "sql"
    found: dict[str, str] = {}
    for entry in folder.iterdir():
        if entry.name.endswith(".sql") and not entry.name[:4].isdigit():
            pieces = _NAME.split(entry.read_text(encoding="utf-8"))
            found.update(zip(pieces[1::2], (text.strip().rstrip(";") for text in pieces[2::2]), strict=True))
    return found


def sql(name: str) -> str:
    """The statement of this name."""
    return _all()[name]
