"""The holder of a lease: a name that identifies a process on a machine, so that nobody waits for one that has ended.

A lease expires, which must be enough where nothing is known about its holder (another machine, a system without
/proc). On the same machine, since the same boot and in the same process namespace, a missing process has ended, and a
reused process number is recognized by its start time.
"""

from __future__ import annotations

import os
import secrets
from pathlib import Path

_PROC = Path("/proc")
_SEPARATOR = " "


def make_holder() -> str:
    """Return a unique holder name for this process."""
    began = _began(os.getpid())
    token = secrets.token_hex(8)
    machine = _machine()
    return _SEPARATOR.join((token, machine, str(os.getpid()), began)) if machine and began else token


def has_ended(holder: str) -> bool:
    """Return whether the process of this holder is known to have ended; False if unknown."""
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
    """Return this boot of this machine and the process namespace; "" if unknown."""
    try:
        start = (_PROC / "sys/kernel/random/boot_id").read_text(encoding="ascii").strip()
        return f"{start}/{(_PROC / 'self/ns/pid').readlink()}"
    except (OSError, UnicodeDecodeError):
        return ""


def _began(pid: int) -> str:
    """Return the start time of a process in ticks; "ended" for a zombie, "" if unknown."""
    try:
        said = (_PROC / str(pid) / "stat").read_text(encoding="utf-8", errors="replace")
    except OSError:
        return ""
    state, *fields = said.rpartition(")")[2].split()
    return "ended" if state in "ZX" else fields[18]
