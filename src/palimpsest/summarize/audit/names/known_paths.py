"""Paths of a summary, held against its source: known in another form, or made from one of its paths.

Rules kept here:

- A path is known with `~` for the home folder, and where a folder of the source and a path in it make it.
- It was made from the only path of the source with the same file's name and a folder of it, or else from the one that
  differs by a letter or two; but only where each line that has it may mean that one (`fitting.py`).
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from palimpsest.patterns import later
from palimpsest.summarize.audit.exact import Exact, stands
from palimpsest.summarize.audit.names.fitting import fits
from palimpsest.summarize.audit.names.misspelt import alike
from palimpsest.summarize.ledger.noise import ROOTS
from palimpsest.summarize.names import has_extension

_HOME = r"(?:/(?:home|Users|usr/home)/[^/\s]{1,64}|/root)(?=/)"
"""Where a user's own files are."""
_SPACED = later(
    r"(?<![\w\\])[A-Za-z]:\\(?=[^\n\\]{0,60}(?:\\[^\n\\]{0,60}){0,8}? [^\n\\]{0,60}\\)"
    r"(?:[^\\/:*?\"<>|\n]{1,60}\\){1,8}[^\\/:*?\"<>|\s,;]{1,60}(?<![.])"
)
"""A path with a drive and a space in one of its folders."""
_SEPARATOR, _ROOT = later(r"[/\\]"), later(r"[/~]|[A-Za-z]:")


def spaced_paths(text: str, exact: Exact) -> Iterator[tuple[str, str]]:
    """(path, the source's or "" for none) of paths with a drive and a space in a folder that the source does not have;
    its only path with the same file's name is meant.
    """
    for match in _SPACED.finditer(text):
        path = match[0]
        if path.lower() not in exact.text.replace("\\\\", "\\").lower():
            base = path.rsplit("\\", 1)[1].lower()
            same = {
                one
                for one in exact.paths
                if _SEPARATOR.split(one.lower())[-1] == base and one.lower() != base
            }
            yield path, same.pop() if len(same) == 1 else ""


def is_known_path(path: str, exact: Exact) -> bool:
    """Whether a path is one of the source's in another form."""
    return _is_at_home(path, exact.text) or _is_joined(path, exact)


def _is_at_home(path: str, text: str) -> bool:
    """Whether a path with a `~` is one of the source's, which names the home folder, or the other way round."""
    if path.startswith("~/"):
        return bool(re.search(rf"{_HOME}{re.escape(path[1:])}(?![\w-])", text))
    home = re.match(_HOME, path)
    return bool(home) and stands(f"~{path[home.end() :]}", text, "path")


def _is_joined(path: str, exact: Exact) -> bool:
    """Whether a path is one of the source's in a folder of the source's: where a command went, another worktree."""
    parts = _SEPARATOR.split(path)
    named = [one.replace("\\", "/").removeprefix("./") for one in exact.paths if one.endswith(parts[-1])]
    for at in range(1, len(parts)) if named else ():
        rest = "/".join(parts[at:])
        folder = path[: len(path) - len(rest) - 1]
        elsewhere = "/" in rest and any(
            one.endswith(f"/{rest}") and not one.startswith("/".join((*parts[:at], ""))) for one in named
        )
        if (
            folder
            and (rest in named or elsewhere)
            and _names_folder(folder, rest, exact, joined=rest in named)
        ):
            return True
    return False


def _names_folder(folder: str, rest: str, exact: Exact, *, joined: bool) -> bool:
    """Whether the source names a folder by itself; a whole one that it knows a path in is enough for a path that has
    folders of its own, and for a file's bare name it takes a call that goes or looks there.
    """
    if folder not in exact.text:
        return False
    name, is_whole = re.escape(folder), bool(_ROOT.match(folder))
    if "/" not in rest:
        return bool(re.search(rf"(?:[\"']|\b(?:cd|ls) ){name}[/\\]?(?=[\"'\s;&|]|$)", exact.text))
    if joined and is_whole and re.search(rf"(?<![\w.-]){name}[/\\]", exact.text):
        return True
    alone = rf"(?<![\w./\\~-]){name}[/\\]?(?![\w/\\-]|\.\w)"
    return (joined or is_whole) and bool(re.search(alone, exact.text))


def is_folder(name: str, exact: Exact) -> bool:
    """Whether a path's parts all stand in the source: a list of files under a folder, written in another way, or words
    between slashes (`reset/compact/switchSession`).
    """
    parts = [part for part in re.split(r"[/\\]", name) if part not in ("", ".", "..", "~")]
    words = name[0] not in "/~." and not has_extension(name) and parts[0] not in ROOTS
    return (
        bool(parts) and (len(parts) == 1 or words) and all(stands(one, exact.text, "path") for one in parts)
    )


def path_like(path: str, exact: Exact) -> str:
    """The one path of the source that this one was made from."""
    parts = path.replace("\\", "/").strip("/").split("/")
    same = [one for one in exact.paths if one.replace("\\", "/").rstrip("/").split("/")[-1] == parts[-1]]
    longer = [one for one in same if "/" in one or "\\" in one] or same
    if len(longer) > 1:
        shared = {one: len(set(one.strip("/").split("/")) & set(parts)) for one in longer}
        best = max(shared.values())
        longer = [one for one in longer if shared[one] == best]
    if len(longer) == 1 and (len(parts) == 1 or not _folders(longer[0]) or _folders(longer[0]) & set(parts)):
        return longer[0]
    if same:
        return ""
    folder = "/".join(parts[:-1])
    near = [one for one in exact.paths if not folder or folder in one]
    return alike(path, near, same_numbers=True)


def _folders(path: str) -> set[str]:
    return set(path.replace("\\", "/").strip("/").split("/")[:-1])


def is_meant(path: str, right: str, text: str, exact: Exact) -> bool:
    """Whether each line that has a path may mean the right one by it."""
    return all(fits(line, path, right, exact) for line in text.splitlines() if path in line)
