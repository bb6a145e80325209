"""Import paths of earlier versions: each loads the module that replaced it, with a DeprecationWarning.

The table holds every path that the documentation showed. `palimpsest` appends the finder to `sys.meta_path`, so it is
asked only for modules that nothing else finds.
"""

from __future__ import annotations

import sys
import warnings
from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence
    from importlib.machinery import ModuleSpec
    from types import ModuleType

MOVED = {
    "palimpsest.agent.copies": "palimpsest.agent.stale_files",
    "palimpsest.budget.windows": "palimpsest.budget.model_limits",
    "palimpsest.config.peers": "palimpsest.config.other_agents",
    "palimpsest.config.picoclaw": "palimpsest.config.other_agents",
    "palimpsest.engine.compacting.drive": "palimpsest.engine.compacting.model_calls",
    "palimpsest.record.seen": "palimpsest.record.events",
    "palimpsest.summarize.checks.exact": "palimpsest.summarize.checks.exact_strings",
    "palimpsest.summarize.checks.known": "palimpsest.summarize.checks.string_index",
    "palimpsest.summarize.ledger.entries": "palimpsest.ledger.entries",
    "palimpsest.summarize.ledger.reading": "palimpsest.ledger.update",
    "palimpsest.summarize.ledger.render": "palimpsest.ledger.render",
    "palimpsest.summarize.redact": "palimpsest.redaction.redactor",
    "palimpsest.summarize.secrets.redact": "palimpsest.redaction.redactor",
}
"""Old module path -> the module that holds its public names now."""

_OLD_PACKAGES = ("palimpsest.summarize.ledger", "palimpsest.summarize.secrets")


class _OldPathLoader:
    """Fills the module of an old path with the names of the new module. An old package stays empty."""

    @staticmethod
    def create_module(spec: ModuleSpec) -> None:
        """Return None: the import system creates an ordinary module."""

    @staticmethod
    def exec_module(module: ModuleType) -> None:
        """Copy the names of the new module and warn the importer."""
        new = MOVED.get(module.__name__)
        if new is None:
            return
        warnings.warn(f"{module.__name__} has moved: import {new}", DeprecationWarning, stacklevel=2)
        names = vars(import_module(new))
        vars(module).update({name: value for name, value in names.items() if not name.startswith("__")})


class OldPathFinder:
    """Finds the modules of `MOVED`. A finder of `sys.meta_path`."""

    @staticmethod
    def find_spec(name: str, _path: Sequence[str] | None = None, _target: object = None) -> ModuleSpec | None:
        """Return the spec of an old path, None for every other name."""
        if name not in MOVED and name not in _OLD_PACKAGES:
            return None
        from importlib.machinery import ModuleSpec

        return ModuleSpec(name, _OldPathLoader, is_package=name in _OLD_PACKAGES)  # pyright: ignore[reportArgumentType]


def install() -> None:
    """Append the finder to `sys.meta_path`, once."""
    if OldPathFinder not in sys.meta_path:
        sys.meta_path.append(OldPathFinder)
