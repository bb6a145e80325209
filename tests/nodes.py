"""FIFOs and devices in a test's own folder. A test never writes to the system's own: a fault would replace them."""

from __future__ import annotations

import os
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

NULL = os.makedev(1, 3)


@contextmanager
def read_by_another(fifo: Path) -> Iterator[list[bytes]]:
    """Somebody who reads a FIFO to its end; what was read is there after the block."""
    found: list[bytes] = []
    reader = threading.Thread(target=lambda: found.append(fifo.read_bytes()), daemon=True)
    reader.start()
    yield found
    reader.join(60)


def made_node(path: Path, kind: int, device: int) -> Path:
    """A device in a folder of the test's own. Skips where none may be made."""
    try:
        os.mknod(path, kind | 0o666, device)
    except PermissionError:
        pytest.skip("no device can be made here")
    return path
