"""Session files on disk: names, locks, repair of a torn last line, and durable appends.

- A file only grows. Lines are added in one write, and are on the disk when `add` returns.
- A crash during a write leaves a torn last line. The next writer moves it to `<name>.jsonl.torn`. A complete last line
  that lacks only its newline gets it. No complete line is ever removed.
- One writer at a time, in any process: the lock is on the file itself and ends with its holder. On Windows, which has
  no such lock, callers must use one process at a time.
- Files and their folder can be read by their owner only.
"""

from __future__ import annotations

import asyncio
import hashlib
import os
import re
import sys
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import BinaryIO

from palimpsest.errors import NotFound, StoreError, reason_of
from palimpsest.file_writing import PRIVATE, write
from palimpsest.formats.transcripts.reader_base import is_object
from palimpsest.formats.transcripts.session_lines import decode

SUFFIX = ".jsonl"
TORN_SUFFIX = ".torn"
LOCK_TIMEOUT_S = 10.0
MAX_FILE_BYTES = 1_000_000_000
MAX_NAME_CHARS = 80

_LOCK_PAUSE_S = 0.02
_DIGEST_CHARS = 8
_UNSAFE = re.compile(r"[^a-z0-9._-]+")
_DEVICES = re.compile(r"(?:con|prn|aux|nul|com\d|lpt\d)(?:\..*)?")

if sys.platform == "win32":

    def _try_lock(file: BinaryIO) -> bool:
        return True

else:
    import fcntl

    def _try_lock(file: BinaryIO) -> bool:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
        return True


def file_name(conversation: str, attempt: int = 0) -> str:
    """A conversation's file name without suffix: safe on every system, and unique to the conversation.

    An id of lowercase letters, digits, dots and dashes is its own name; any other gets a digest at its end. `attempt`
    counts names that were taken.
    """
    name = _UNSAFE.sub("-", conversation.lower()).strip(".-")[:MAX_NAME_CHARS].rstrip(".-")
    if name != conversation or _DEVICES.fullmatch(name):
        digest = hashlib.sha256(conversation.encode("utf-8", "surrogatepass")).hexdigest()
        name = f"{name or 'session'}-{digest[:_DIGEST_CHARS]}"
    return f"{name}-{attempt + 1}" if attempt else name


def failed(path: Path, error: OSError) -> StoreError:
    """An error of the system as a StoreError."""
    return StoreError(
        f"{path}: {reason_of(error)}", hint="check that the folder exists and may be written to"
    )


def make_folder(path: Path) -> None:
    """Make a folder that only its owner can read; an existing one stays as it is. Raises StoreError."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.mkdir(mode=0o700, exist_ok=True)
    except OSError as error:
        raise failed(path, error) from error


def read_bytes(path: Path) -> bytes:
    """A session file's bytes. Raises NotFound, StoreError."""
    try:
        if path.stat().st_size > MAX_FILE_BYTES:
            raise StoreError(f"{path} is larger than {MAX_FILE_BYTES // 1_000_000:,} MB", hint="split it")
        return path.read_bytes()
    except FileNotFoundError as error:
        raise NotFound(f"no such session file: {path}", hint="check the path") from error
    except OSError as error:
        raise failed(path, error) from error


@asynccontextmanager
async def locked(path: Path, timeout_s: float = LOCK_TIMEOUT_S) -> AsyncGenerator[BinaryIO]:
    """The locked file, opened for reading and appending, and made if it does not exist.

    Raises StoreError, retryable if another process held the lock for longer than `timeout_s`.
    """
    try:
        flags = (
            os.O_RDWR | os.O_CREAT | os.O_APPEND | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_BINARY", 0)
        )
        file = os.fdopen(os.open(path, flags, 0o600), "a+b")
    except OSError as error:
        raise failed(path, error) from error
    with file:
        for _ in range(int(timeout_s / _LOCK_PAUSE_S) + 1):
            if _try_lock(file):
                break
            await asyncio.sleep(_LOCK_PAUSE_S)
        else:
            failure = StoreError(f"{path} is being written by somebody else", hint="try again later")
            failure.retryable = True
            raise failure
        yield file


def mend(file: BinaryIO, path: Path) -> tuple[bytes, int]:
    """The file's complete lines, and the size of a torn last line that was moved away. Needs the lock."""
    try:
        size_bytes = os.fstat(file.fileno()).st_size
        if size_bytes > MAX_FILE_BYTES:
            raise StoreError(f"{path} is larger than {MAX_FILE_BYTES // 1_000_000:,} MB", hint="split it")
        file.seek(0)
        data = file.read()
        end = data.rfind(b"\n") + 1
        tail = data[end:]
        if not tail:
            return data, 0
        if _is_whole(tail):
            add(file, path, b"\n")
            return data + b"\n", 0
        aside = path.with_name(path.name + TORN_SUFFIX)
        with os.fdopen(os.open(aside, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600), "ab") as torn:
            torn.write(tail + b"\n")
            torn.flush()
            os.fsync(torn.fileno())
        file.truncate(end)
        os.fsync(file.fileno())
    except OSError as error:
        raise failed(path, error) from error
    return data[:end], len(tail)


def _is_whole(line: bytes) -> bool:
    try:
        return is_object(decode(line.strip()))
    except ValueError:
        return False


def add(file: BinaryIO, path: Path, data: bytes) -> None:
    """Append complete lines in one write that is on the disk when this returns. Raises StoreError."""
    try:
        file.write(data)
        file.flush()
        os.fsync(file.fileno())
    except OSError as error:
        raise failed(path, error) from error


def refill(file: BinaryIO, path: Path, data: bytes) -> None:
    """Replace all lines in place, and delete torn lines, after a deletion. Needs the lock. Raises StoreError."""
    try:
        file.truncate(0)
        path.with_name(path.name + TORN_SUFFIX).unlink(missing_ok=True)
    except OSError as error:
        raise failed(path, error) from error
    add(file, path, data)


def write_whole(path: Path, data: bytes) -> None:
    """Write a file, all or nothing, replacing an existing one; streams are written through.

    Raises StoreError, UsageError for what cannot be written to as a file.
    """
    try:
        write(path, data, mode=PRIVATE, stream=True)
    except OSError as error:
        raise failed(path, error) from error
