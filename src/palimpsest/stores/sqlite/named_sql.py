"""SQL by name: each statement stands in `sql/*.sql` under a line `-- name: ...`, and is never put together
from pieces.
"""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from importlib.resources.abc import Traversable

_NAME = re.compile(r"^-- name: (\w+)[^\n]*\n", re.MULTILINE)


def scripts() -> Path | Traversable:
    """The folder of the SQL files. It lies beside this file but in an archive, and only what reads archives takes long
    to import.
    """
    folder = Path(__file__).with_name("sql")
    if folder.is_dir():
        return folder
    from importlib import resources

    return resources.files("palimpsest.stores.sqlite") / "sql"


@cache
def version() -> int:
    """The schema version this program writes: the number of the newest migration."""
    return max(int(entry.name[:4]) for entry in scripts().iterdir() if entry.name[:4].isdigit())


@cache
def _all() -> dict[str, str]:
    found: dict[str, str] = {}
    for entry in scripts().iterdir():
        if entry.name.endswith(".sql") and not entry.name[:4].isdigit():
            pieces = _NAME.split(entry.read_text(encoding="utf-8"))
            found.update(zip(pieces[1::2], (text.strip().rstrip(";") for text in pieces[2::2]), strict=True))
    return found


def sql(name: str) -> str:
    """The statement of this name."""
    return _all()[name]
