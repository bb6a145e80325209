"""The virtual work tree of the sample session: files that change as they are edited, and their commits.

Every read, search, diff and test run in the session is computed from this state, so that what the transcript
shows late agrees with what it changed early. Nothing here touches the disk, the clock or a random generator:
`Dice` draws from a hash of its seed and a counter, which is the same on every Python version.
"""

from __future__ import annotations

import fnmatch
import hashlib
import re
from collections.abc import Mapping
from dataclasses import dataclass, field

ROOT = "/home/dev/skerryline"
BASE58 = "123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz"
CONTEXT_LINES = 3


class Dice:
    """Draws that look random and never change."""

    def __init__(self, seed: str) -> None:
        self._seed = seed
        self._drawn = 0

    def hex(self, length: int) -> str:
        """Lower case hexadecimal digits."""
        self._drawn += 1
        return hashlib.sha512(f"{self._seed}/{self._drawn}".encode()).hexdigest()[:length]

    def below(self, bound: int) -> int:
        """An integer from 0 to bound - 1."""
        return int(self.hex(15), 16) % bound

    def between(self, low: int, high: int) -> int:
        """An integer from low to high, both included."""
        return low + self.below(high - low + 1)

    def uuid(self) -> str:
        """A random UUID in its usual form (version 4)."""
        digits = self.hex(32)
        return f"{digits[:8]}-{digits[8:12]}-4{digits[13:16]}-a{digits[17:20]}-{digits[20:32]}"

    def word(self, length: int) -> str:
        """Letters and digits as in an API's object ids."""
        return "".join(BASE58[self.below(58)] for _ in range(length))


@dataclass(frozen=True)
class Commit:
    """A commit as `git log --oneline` shows it."""

    hash: str
    subject: str


@dataclass
class World:
    """Files by path relative to ROOT, their state at the last commit and at the start, commits oldest first."""

    files: dict[str, str]
    dice: Dice
    branch: str = "main"
    committed: dict[str, str] = field(default_factory=dict[str, str])
    origin: dict[str, str] = field(default_factory=dict[str, str])
    commits: list[Commit] = field(default_factory=list[Commit])
    failed_tests: list[str] = field(default_factory=list[str])


def absolute(path: str) -> str:
    """The path as tools name it."""
    return path if path.startswith("/") else f"{ROOT}/{path}"


def numbered(text: str, first: int, last: int) -> str:
    """Lines first..last (from 1, both included) with their numbers, as the Read tool shows them."""
    lines = text.splitlines()[first - 1 : last]
    return "\n".join(f"{number:6d}→{line}" for number, line in enumerate(lines, first))


def line_of(files: Mapping[str, str], path: str, needle: str) -> int:
    """The number of the first line of a file that contains `needle`."""
    for number, line in enumerate(files[path].splitlines(), 1):
        if needle in line:
            return number
    raise LookupError(f"{path} has no line with {needle!r}")


def edit(world: World, path: str, old: str, new: str) -> str:
    """Replace the one occurrence of `old` and return the snippet the Edit tool shows."""
    text = world.files[path]
    if text.count(old) != 1:
        raise LookupError(f"{path}: {text.count(old)} occurrences of\n{old}")
    at = text.index(old)
    world.files[path] = text[:at] + new + text[at + len(old) :]
    first = max(1, text.count("\n", 0, at) + 1 - CONTEXT_LINES)
    last = text.count("\n", 0, at) + 1 + new.count("\n") + CONTEXT_LINES
    snippet = numbered(world.files[path], first, last)
    return f"The file {absolute(path)} has been updated. The edited part now reads:\n{snippet}"


def grep(world: World, pattern: str, under: str, name_glob: str) -> str:
    """Matching lines as `path:number:line`, in path order."""
    found: list[str] = []
    wanted = re.compile(pattern)
    for path in sorted(world.files):
        if not path.startswith(under) or not fnmatch.fnmatch(path, name_glob):
            continue
        for number, line in enumerate(world.files[path].splitlines(), 1):
            if wanted.search(line):
                found.append(f"{path}:{number}:{line}")
    return "\n".join(found) if found else "No matches found"


def glob(world: World, pattern: str) -> str:
    """Paths that match, one a line."""
    found = [absolute(path) for path in sorted(world.files) if fnmatch.fnmatch(path, pattern)]
    return "\n".join(found) if found else "No files found"


def differing(before: Mapping[str, str], after: Mapping[str, str]) -> list[str]:
    """Paths whose text differs, in order."""
    return [path for path in sorted({*before, *after}) if before.get(path) != after.get(path)]


def changed(world: World) -> list[str]:
    """Paths that differ from the last commit."""
    return differing(world.committed, world.files)


def commit(world: World, digest: str, subject: str) -> None:
    """Record the present state."""
    world.committed = dict(world.files)
    world.commits.append(Commit(digest, subject))
