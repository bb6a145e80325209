"""The command line: `palimpsest`."""

from __future__ import annotations

import gc
import sys
from collections.abc import Sequence

_GC_THRESHOLD = 100_000
"""Allocations between garbage collections. Python's default of 700 spends a fifth of the start-up time on collections,
although imported modules are never garbage.
"""


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command and return its exit code: 0 ok, 1 internal, 2 usage, 3 not found, 4 configuration, 5 store,
    6 integrity, 7 does not fit, 8 model failed, 130 interrupted. `argv` excludes the program's name; None means the
    process's own arguments.
    """
    arguments = list(sys.argv[1:] if argv is None else argv)
    if arguments == ["--version"]:  # answered before anything is imported
        from palimpsest._version import __version__

        sys.stdout.write(f"palimpsest {__version__}\n")
        return 0
    before = gc.get_threshold()
    gc.set_threshold(_GC_THRESHOLD, *before[1:])
    try:
        from palimpsest.cli.app import run

        return run(arguments)
    except KeyboardInterrupt:
        return 130
    finally:
        gc.set_threshold(*before)
        if argv is None:
            gc.freeze()  # skips the collection at exit
