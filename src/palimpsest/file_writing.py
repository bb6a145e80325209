"""Writing whole files safely.

- A regular or new file is written all or nothing: under a temporary name, synced, and renamed. A symbolic link stays
  one; its target is replaced.
- A replaced file keeps its mode, and its owner and group where the system allows it. A new one gets `mode` minus the
  process's umask.
- A FIFO, a character device such as /dev/null or a terminal, and an open descriptor such as /dev/stdout are written
  through if the caller has a stream for them. Folders, sockets, block devices, and streams for a caller that needs a
  file are refused.
- A temporary file is locked while it is written. One without a lock is left from a process that was killed: it is
  removed when the file is written again, and when something is forgotten (`remove_left`).

The system's errors are raised as OSError; each caller adds what it knows about its file.
"""

from __future__ import annotations

import errno
import hashlib
import os
import re
import secrets
import stat
import time
from collections.abc import Generator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import BinaryIO

from palimpsest.errors import UsageError

PRIVATE = 0o600
"""The mode of a new file that only its owner may read."""

READER_TIMEOUT_S = 60.0
"""How long a FIFO without a reader is waited for."""

STALE_S = 3_600.0
"""Where files cannot be locked, a temporary file that was not written to for this long is left behind."""

_LOCKS = os.name == "posix"
_SHARED = 0o666
_MAX_LINKS = 40
_READER_PAUSE_S = 0.05
_DESCRIPTORS = re.compile(r"/proc/(\d+)/(?:task/\d+/)?fd|/dev/fd")
_BESIDE = ("", "-journal", "-wal", "-shm")
_NO_HARD_LINKS = frozenset((errno.EPERM, errno.ENOTSUP, errno.EOPNOTSUPP, errno.ENOSYS))


def write(
    path: Path, data: bytes, *, mode: int = _SHARED, stream: bool = False, replace: bool = True,
    reader_timeout_s: float = READER_TIMEOUT_S,
) -> None:  # fmt: skip
    """Write these bytes to a path. Arguments and errors as in `writing`."""
    with writing(path, mode=mode, stream=stream, replace=replace, reader_timeout_s=reader_timeout_s) as file:
        file.write(data)


@contextmanager
def writing(
    path: Path, *, mode: int = _SHARED, stream: bool = False, replace: bool = True,
    reader_timeout_s: float = READER_TIMEOUT_S,
) -> Generator[BinaryIO]:  # fmt: skip
    """Yield an open file whose content appears at `path` once the block ends without an error.

    Until then its `name` is a path that others can write to. With `stream` a stream is written through, after waiting
    for a FIFO's reader. Without `replace` an existing file raises FileExistsError. Raises UsageError for anything
    that is not a file, OSError.
    """
    target = file_behind(path, stream=stream)
    if target is None:
        with _opened(path, reader_timeout_s) as file:
            yield file
        return
    remove_left(target)
    part = target.with_name(f"{_prefix(target)}{os.getpid()}.{secrets.token_hex(4)}.part")
    before = target.stat() if target.exists() else None

    def opener(name: str, flags: int) -> int:
        return os.open(name, flags, mode if before is None else PRIVATE)

    try:
        with open(part, "xb", opener=opener) as file:
            _lock(file.fileno())
            yield file
            file.flush()
            if before is not None:
                _take_over(part, before)
            os.fsync(file.fileno())
        _put(part, target, replace=replace)
    finally:
        for end in _BESIDE:
            with suppress(OSError):
                part.with_name(part.name + end).unlink(missing_ok=True)


def file_behind(path: Path, *, stream: bool = False) -> Path | None:
    """Return the file that writing to a path creates or replaces, behind symbolic links; None for a stream.

    Raises UsageError for anything that is neither, OSError.
    """
    target, descriptor = _followed(path)
    if descriptor:
        kind = stat.S_IFIFO
    else:
        try:
            kind = stat.S_IFMT(target.stat().st_mode)
        except FileNotFoundError:
            return target
    if kind == stat.S_IFREG:
        return target
    if kind == stat.S_IFDIR:
        raise UsageError(f"{path} is a folder", hint="name a file inside it")
    flows = kind in {stat.S_IFIFO, stat.S_IFCHR}
    if flows and stream:
        return None
    if flows:
        raise UsageError(f"{path} is a device or a pipe, and a file is needed", hint="name a file")
    raise UsageError(
        f"{path} is neither a file nor a pipe", hint="name a file, a FIFO, or a device such as /dev/stdout"
    )


def would_replace(path: Path) -> bool:
    """Return whether writing to a path would replace a file. Streams and folders do not count."""
    try:
        target = file_behind(path, stream=True)
    except (UsageError, OSError):
        return False
    return target is not None and target.exists()


def _followed(path: Path) -> tuple[Path, bool]:
    """Return the path behind symbolic links, and whether it is an open descriptor of a process."""
    for _ in range(_MAX_LINKS):
        if _DESCRIPTORS.fullmatch(os.path.realpath(path.parent)):
            return path, True
        if not path.is_symlink():
            return path, False
        path = path.parent / path.readlink()
    raise OSError(errno.ELOOP, os.strerror(errno.ELOOP), str(path))


@contextmanager
def _opened(path: Path, reader_timeout_s: float) -> Generator[BinaryIO]:
    """Return a stream, open for writing. A descriptor of this process is used directly: a file behind it is appended
    to.
    """
    target, descriptor = _followed(path)
    owner = _DESCRIPTORS.fullmatch(os.path.realpath(target.parent)) if descriptor else None
    if owner and owner[1] in {None, str(os.getpid())} and target.name.isdecimal():
        opened = os.dup(int(target.name))
    elif stat.S_ISFIFO(target.stat().st_mode):
        opened = _open_fifo(target, reader_timeout_s)
    else:
        opened = os.open(target, os.O_WRONLY | os.O_APPEND | getattr(os, "O_NOCTTY", 0))
    with os.fdopen(opened, "wb") as file:
        yield file


def _open_fifo(path: Path, timeout_s: float) -> int:
    """Open a FIFO once somebody reads from it. Raises OSError."""
    for _ in range(int(timeout_s / _READER_PAUSE_S) + 1):
        try:
            opened = os.open(path, os.O_WRONLY | os.O_NONBLOCK)
        except OSError as error:
            if error.errno != errno.ENXIO:
                raise
        else:
            os.set_blocking(opened, True)
            return opened
        time.sleep(_READER_PAUSE_S)
    raise OSError(errno.ENXIO, "nobody reads from it", str(path))


def _take_over(part: Path, before: os.stat_result) -> None:
    """Copy owner, group and mode of the replaced file. If the group cannot be set, no group gets the old one's
    rights.
    """
    mode = stat.S_IMODE(before.st_mode) & 0o777
    made = part.stat()
    if (made.st_uid, made.st_gid) != (before.st_uid, before.st_gid):
        try:
            os.chown(part, before.st_uid, before.st_gid)
        except OSError:
            try:
                os.chown(part, -1, before.st_gid)
            except OSError:
                mode &= ~0o070
    part.chmod(mode)


def _put(part: Path, target: Path, *, replace: bool) -> None:
    """Rename a finished file, and sync the folder."""
    if replace:
        part.replace(target)
    else:
        _put_new(part, target)
    if os.name == "posix":
        with suppress(OSError):
            folder = os.open(target.parent, os.O_RDONLY)
            try:
                os.fsync(folder)
            finally:
                os.close(folder)


def _put_new(part: Path, target: Path) -> None:
    try:
        os.link(part, target)
    except OSError as error:
        if error.errno not in _NO_HARD_LINKS:
            raise
        if target.exists():
            raise FileExistsError(errno.EEXIST, os.strerror(errno.EEXIST), str(target)) from error
        part.replace(target)


def _prefix(target: Path) -> str:
    """Return the prefix of a file's temporary names. It is a digest, because a name may have the maximum length."""
    return f".palimpsest-{hashlib.sha256(os.fsencode(target.name)).hexdigest()[:16]}."


def remove_left(target: Path) -> tuple[str, ...]:
    """Remove the temporary files that killed processes left of a file, and return their paths."""
    pattern = re.compile(rf"({re.escape(_prefix(target))}\d+\.[0-9a-f]{{8}}\.part)(?:-journal|-wal|-shm)?")
    removed: list[str] = []
    with suppress(OSError), os.scandir(target.parent) as entries:
        names = {entry.name: found[1] for entry in entries if (found := pattern.fullmatch(entry.name))}
        gone = {part: _is_left(target.with_name(part)) for part in set(names.values())}
        for name, part in names.items():
            if gone[part]:
                with suppress(OSError):
                    target.with_name(name).unlink()
                    removed.append(str(target.with_name(name)))
    return tuple(sorted(removed))


def _is_left(part: Path) -> bool:
    """Return whether nobody writes to a temporary file. What belongs to one that is gone is left too."""
    try:
        opened = os.open(part, os.O_RDWR | getattr(os, "O_NOFOLLOW", 0))
    except FileNotFoundError:
        return True
    except OSError:
        return False
    try:
        if not _lock(opened):
            return False
        return _LOCKS or os.fstat(opened).st_mtime < time.time() - STALE_S
    finally:
        os.close(opened)


def _lock(opened: int) -> bool:
    """Lock an open file until it is closed; False if another process has locked it."""
    if _LOCKS:
        import fcntl

        try:
            fcntl.flock(opened, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            return False
    return True
