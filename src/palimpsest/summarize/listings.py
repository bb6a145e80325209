"""Which folder the names in a listing are in: of `ls`, `ls -R` and `tree`, as these commands print them."""

from __future__ import annotations

from collections.abc import Iterator
from posixpath import normpath

from palimpsest.patterns import later

MAX_LINES = 2_000
MAX_DEPTH = 32

_OPERAND = (
    r"(?:'([^'\n$*?]{1,300})'|\"([^\"\n$*?]{1,300})\"|([^\s;&|<>'\"$*?`{}()-][^\s;&|<>'\"$*?`{}()]{0,300}))"
)
_LISTING = later(
    rf"(?:cd {_OPERAND}\s{{0,4}}(?:&&|;)\s{{0,4}})?(ls|tree)(?: -\S{{1,40}}(?: \d{{1,4}}(?=\s|$))?){{0,8}}"
    rf"(?: {_OPERAND})?"
    r"(?: -\S{1,40}){0,4}\s{0,4}(?:(?:2>\s?/dev/null|2>&1)\s{0,4})?(?:\|[^|;&\n]{1,200}){0,4}"
)
"""A command that lists one folder, cut to its beginning or end or not."""
_HEADING = later(r"(\S[^\n:]{0,300}):$")
_BRANCH = later(r"((?:│[ \u00a0]{3}|[ \u00a0]{4}){0,32})[├└]── ([^\n]{1,300})$")


def listed(command: str, text: str) -> Iterator[tuple[str, str]]:
    """The parts of an output, each with the folder whose names it lists: "" where it is not known, or none. Names of
    a tree are given with their folders.
    """
    found = _LISTING.fullmatch(command)
    if found is None:
        yield "", text
        return
    gone = found[1] or found[2] or found[3] or ""
    named = found[5] or found[6] or found[7] or ""
    folder = (
        normpath(f"{gone}/{named}") if gone and named and not named.startswith(("/", "~")) else named or gone
    )
    yield from _branches(folder, text) if found[4] == "tree" else _stretches(folder, text)


def _stretches(folder: str, text: str) -> Iterator[tuple[str, str]]:
    """What stands under each heading of `ls -R`, and before the first."""
    lines: list[str] = []
    for line in text.split("\n"):
        if heading := _HEADING.fullmatch(line.rstrip()):
            yield folder, "\n".join(lines)
            folder, lines = heading[1].removeprefix("./") or folder, []
        else:
            lines.append(line)
    yield folder, "\n".join(lines)


def _branches(folder: str, text: str) -> Iterator[tuple[str, str]]:
    """The lines of a tree, each the path of what it names."""
    above: list[str] = []
    paths: list[str] = []
    for line in text.split("\n")[:MAX_LINES]:
        branch = _BRANCH.fullmatch(line.rstrip())
        if branch is None:
            paths.append(line)
            continue
        depth = len(branch[1]) // 4
        above = [*above[:depth], branch[2].split(" ", 1)[0].rstrip("/")]
        paths.append("/".join((folder, *above) if folder not in ("", ".") else above))
    yield "", "\n".join(paths)
