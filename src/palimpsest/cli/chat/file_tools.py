"""Lets the model read, list and search files of the working folder, within limits and nothing outside.

Paths are relative to the folder. Links are followed, and a path that ends outside is refused. Only regular files are
opened: a pipe or a device might block or never end. A link that replaces a file after the check is not followed.
Failures are ValueErrors whose text the model can act on.
"""

from __future__ import annotations

import os
import stat
import time
from collections.abc import Iterator
from dataclasses import dataclass
from fnmatch import fnmatch
from pathlib import Path
from typing import Annotated, BinaryIO

from palimpsest.cli.drawing import count, size
from palimpsest.errors import reason_of

MAX_FILE_BYTES = 10_000_000
MAX_READ_CHARS = 40_000
MAX_READ_LINES = 1_000
MAX_LINE_CHARS = 2_000
MAX_LISTED = 500
MAX_VISITED = 50_000
MAX_HITS = 100
MAX_SEARCHED_BYTES = 200_000_000
SEARCH_S = 20.0
_SAMPLE_BYTES = 8_192
_SHOWN_CHARS = 200
_SKIPPED = frozenset((".git", ".hg", ".svn", ".venv", "node_modules", "__pycache__"))


@dataclass(frozen=True, slots=True)
class Folder:
    """The working folder and its tools. `root` is absolute, without links."""

    root: Path

    def read_file(
        self,
        path: Annotated[str, "The file's path, relative to the working folder."],
        start_line: Annotated[int, "The first line to read, from 1."] = 1,
        lines: Annotated[int, "How many lines, at most 1000."] = MAX_READ_LINES,
    ) -> str:
        """Read a text file in the working folder, or a part of it."""
        if start_line < 1 or lines < 1:
            raise ValueError("start_line and lines begin at 1")
        found: list[str] = []
        chars = number = 0
        more = False
        with self.open_text(path) as file:
            for number, line in enumerate(_lines(file), 1):
                if number < start_line:
                    continue
                more = len(found) >= min(lines, MAX_READ_LINES) or chars + len(line) > MAX_READ_CHARS
                if more:
                    break
                found.append(line)
                chars += len(line) + 1
        if not found:
            return "the file is empty" if not number else f"the file has {count(number, 'line')}"
        last = start_line + len(found) - 1
        note = f"\n[lines {start_line}-{last}; the file goes on: start_line={last + 1}]" if more else ""
        return "\n".join(found) + note

    def list_files(
        self,
        folder: Annotated[str, "The folder's path, relative to the working folder."] = ".",
        pattern: Annotated[str, 'Only files with this name or path, in all folders below: "*.py".'] = "",
    ) -> str:
        """List a folder, or find the files below it whose name matches a pattern."""
        place = self._folder(folder)
        if pattern:
            found = [self._relative(one) for one in self._below(place) if _matches(one, place, pattern)]
        else:
            found = sorted(self._entry(one) for one in _scan(place))
        if not found:
            return "no file matches" if pattern else "the folder is empty"
        rest = len(found) - MAX_LISTED
        return "\n".join([*found[:MAX_LISTED], *([f"[{rest:,} more]"] if rest > 0 else [])])

    def search_files(
        self,
        text: Annotated[str, "The text in the line; lower case matches upper case as well."],
        folder: Annotated[str, "The folder to search, with all folders below it."] = ".",
        pattern: Annotated[str, 'Only files with this name or path: "*.py".'] = "",
    ) -> str:
        """Find the lines of text files that contain a text literally (no regular expression)."""
        if not text.strip():
            raise ValueError("give the text to search for")
        place = self._folder(folder)
        ends_s = time.monotonic() + SEARCH_S
        found: list[str] = []
        searched_bytes = 0
        for one in self._below(place):
            if pattern and not _matches(one, place, pattern):
                continue
            if time.monotonic() > ends_s or searched_bytes > MAX_SEARCHED_BYTES:
                found.append("[the search stopped early: name a folder or a pattern]")
                break
            searched_bytes += one.lstat().st_size if one.exists() else 0
            found.extend(self._hits(one, text, MAX_HITS - len(found)))
            if len(found) >= MAX_HITS:
                found.append(f"[the first {MAX_HITS} lines; there may be more]")
                break
        return "\n".join(found) or "no line contains it"

    def place_of(self, path: str) -> Path:
        """The target of a path, with links followed. Raises ValueError if it is outside the folder."""
        if "\0" in path:
            raise ValueError("a path cannot contain a NUL")
        try:
            place = (self.root / path).resolve()
        except (OSError, RuntimeError) as error:
            raise ValueError(f"{path}: the path cannot be resolved") from error
        if not place.is_relative_to(self.root):
            raise ValueError(f"{path} is outside the working folder; only files inside it can be read")
        return place

    def open_text(self, path: str) -> BinaryIO:
        """A regular text file, open for reading. Raises ValueError for anything else."""
        place = self.place_of(path)
        flags = os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0)
        try:
            descriptor = os.open(place, flags | getattr(os, "O_BINARY", 0))
        except OSError as error:
            raise ValueError(f"{path}: {reason_of(error)}") from error
        try:
            _check_text(descriptor, path)
            return os.fdopen(descriptor, "rb")
        except BaseException:
            os.close(descriptor)
            raise

    def _folder(self, path: str) -> Path:
        place = self.place_of(path)
        if not place.is_dir():
            raise ValueError(f"{path} is not a folder")
        return place

    def _relative(self, place: Path) -> str:
        return place.relative_to(self.root).as_posix()

    def _entry(self, entry: os.DirEntry[str]) -> str:
        """A line of a listing: folders with a slash, files with their size, links as such."""
        name = entry.name.encode("utf-8", "backslashreplace").decode()
        try:
            if entry.is_symlink():
                return f"{name} (link)"
            if entry.is_dir(follow_symlinks=False):
                return f"{name}/"
            return f"{name} ({size(entry.stat(follow_symlinks=False).st_size)})"
        except OSError:
            return name

    def _below(self, place: Path) -> Iterator[Path]:
        """The regular files below a folder, ordered by path; links are not followed."""
        visited = 0
        pending = [place]
        while pending:
            folders: list[Path] = []
            for entry in sorted(_scan(pending.pop()), key=lambda one: one.name):
                visited += 1
                if visited > MAX_VISITED:
                    return
                if entry.is_dir(follow_symlinks=False):
                    folders.extend([Path(entry.path)] if entry.name not in _SKIPPED else [])
                elif entry.is_file(follow_symlinks=False):
                    yield Path(entry.path)
            pending.extend(reversed(folders))

    def _hits(self, place: Path, text: str, most: int) -> list[str]:
        """The lines of a file that contain the text; none if it is not a text file."""
        exact = text != text.lower()
        found: list[str] = []
        try:
            with self.open_text(str(place)) as file:
                for number, line in enumerate(_lines(file), 1):
                    if text in (line if exact else line.lower()):
                        found.append(f"{self._relative(place)}:{number}: {line.strip()[:_SHOWN_CHARS]}")
                        if len(found) >= most:
                            break
        except ValueError:
            return []
        return found


def _check_text(descriptor: int, path: str) -> None:
    """Raises ValueError unless this is a regular text file of an acceptable size."""
    found = os.fstat(descriptor)
    if stat.S_ISDIR(found.st_mode):
        raise ValueError(f"{path} is a folder; use list_files")
    if not stat.S_ISREG(found.st_mode):
        raise ValueError(f"{path} is not a regular file")
    if found.st_size > MAX_FILE_BYTES:
        raise ValueError(f"{path} is too large: {size(found.st_size)}, at most {size(MAX_FILE_BYTES)}")
    if b"\0" in os.read(descriptor, _SAMPLE_BYTES):
        raise ValueError(f"{path} is a binary file")
    os.lseek(descriptor, 0, os.SEEK_SET)


def _lines(file: BinaryIO) -> Iterator[str]:
    """The lines of a file without their ends, long ones cut."""
    read_bytes = 0
    while read_bytes <= MAX_FILE_BYTES and (raw := file.readline(MAX_FILE_BYTES)):
        read_bytes += len(raw)
        line = raw.decode("utf-8", "replace").rstrip("\r\n")
        over = len(line) - MAX_LINE_CHARS
        yield line if over <= 0 else f"{line[:MAX_LINE_CHARS]} [{over:,} more characters]"


def _scan(place: Path) -> list[os.DirEntry[str]]:
    """The entries of a folder, none if it cannot be read."""
    try:
        with os.scandir(place) as entries:
            return list(entries)
    except OSError:
        return []


def _matches(one: Path, place: Path, pattern: str) -> bool:
    seen = one.relative_to(place).as_posix()
    return fnmatch(one.name, pattern) or fnmatch(seen, pattern) or fnmatch(f"/{seen}", pattern)
