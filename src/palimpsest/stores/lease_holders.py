"""Who holds a lease: a name that tells which process of which machine, so that nobody waits for one that has ended.

A lease expires; that alone must be enough where nothing is known of its holder (another machine, a system without
/proc, a store in memory). On the machine itself, seen since the same start and in the same process namespace, a process
that is gone is known to be gone, and a later one that was given its number is known by when it began.
"""

from __future__ import annotations

import os
import secrets
from pathlib import Path

_PROC = Path("/proc")
_SEPARATOR = " "


def make_holder() -> str:
    """A name for a holder in this process, unlike any other."""
    began = _began(os.getpid())
    token = secrets.token_hex(8)
    machine = _machine()
    return _SEPARATOR.join((token, machine, str(os.getpid()), began)) if machine and began else token


def has_ended(holder: str) -> bool:
    """Whether the process that a name tells of is known to have ended; False for all that is not known."""
    found = holder.split(_SEPARATOR)
    if len(found) != 4 or found[1] != _machine() or not found[2].isascii() or not found[2].isdigit():
        return False
    pid = int(found[2])
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return True
    except (OSError, OverflowError):
        return False
    return _began(pid) not in ("", found[3])


def _machine() -> str:
    """This start of this machine, and the namespace in which it counts processes; "" where that cannot be told."""
    try:
        start = (_PROC / "sys/kernel/random/boot_id").read_text(encoding="ascii").strip()
        return f"{start}/{(_PROC / 'self/ns/pid').readlink()}"
    except (OSError, UnicodeDecodeError):
        return ""


def _began(pid: int) -> str:
    """When a process began, in the system's ticks; "ended" for one that only waits to be noticed, "" for unknown."""
    try:
        said = (_PROC / str(pid) / "stat").read_text(encoding="utf-8", errors="replace")
    except OSError:
        return ""
    state, *fields = said.rpartition(")")[2].split()
    return "ended" if state in "ZX" else fields[18]
