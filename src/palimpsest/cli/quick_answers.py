"""Answering a command by one look at the database, without an engine; where that does not do, the command opens one."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, TypeVar

from palimpsest.cli.output import Output, make_output
from palimpsest.cli.session import tell_ignored
from palimpsest.stores.sqlite.quick_read import quick_read

if TYPE_CHECKING:
    from palimpsest.cli.options import Shared
    from palimpsest.stores.sqlite.statements import Db

Found = TypeVar("Found")


def answered(
    shared: Shared, ask: Callable[[Db], Found | None], tell: Callable[[Found, Output], None]
) -> bool:
    """Whether one look answers: `ask` found something, and it was told. Nothing is said where it does not, also where
    it failed: that is said by whoever opens an engine for it.
    """
    output = make_output(shared.command, as_json=shared.as_json)
    found = quick_read(shared.path, ask)
    if not found:
        return False
    tell_ignored(output, shared.config)
    tell(found, output)
    output.flush()
    return True
