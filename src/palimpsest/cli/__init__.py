"""The command line: `palimpsest`. One file for each group of commands; this one only starts them.

`--version` is answered before anything else is imported, and another edge only by the command that starts it.
"""

from __future__ import annotations

import gc
import sys
from collections.abc import Sequence

INTERRUPTED_EXIT = 130
_COLLECTED_EACH = 100_000
"""After so many new objects Python looks for garbage. Modules are no garbage, and with its 700 that takes a fifth
of a command's start. It does so once more when a process ends, unless all there is was set apart (`freeze`).
"""


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command and return its exit code: 0 ok, 1 internal, 2 usage, 3 not found, 4 configuration, 5 store,
    6 integrity, 7 does not fit, 8 model failed, 130 interrupted. `argv` excludes the program's name; None means the
    process's own.
    """
    arguments = list(sys.argv[1:] if argv is None else argv)
    if arguments == ["--version"]:
        from palimpsest._version import __version__

        sys.stdout.write(f"palimpsest {__version__}\n")
        return 0
    before = gc.get_threshold()
    gc.set_threshold(_COLLECTED_EACH, *before[1:])
    try:
        from palimpsest.cli.app import run

        return run(arguments)
    except KeyboardInterrupt:
        return INTERRUPTED_EXIT
    finally:
        gc.set_threshold(*before)
        if argv is None:
            gc.freeze()
