"""Files as a tree: a folder with its files on one line, and what is below it indented.

- Forty paths cost a quarter of the tokens, and every path can still be restored exactly.
- A folder that contains only one folder is written together with it. A folder that contains only folders has a line of
  its own if that is shorter than repeating it. A folder with a single file has none: it is written before the file's
  name in the line above.
- Absolute paths keep their roots: a wrong root is worse than a long path. Relative paths stay relative, and files
  without a folder are listed under `./`.
- What was done to files is a word before their names: `src: a.py b.py; edited c.py d.py`. Spaces separate names, since
  they cost no token; a name with a space is quoted.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from palimpsest.lazy_regex import later
from palimpsest.toolcalls.file_operation_kinds import FILE_OPERATIONS, FileOperation, parse_operation

LINE_CHARS = 8
"""What a line of its own costs a folder, in characters."""
SEPARATOR = "; "
HERE = "./"
"""The folder of files without one."""

_ITEM = later(r'"(?:[^"\\]|\\.){0,1000}"|;|[^\s;]+')
_PLAIN = later(r'[^\s;"]+')


@dataclass(slots=True)
class Folder:
    """A folder of the tree: file names by what was done to them, and folders by name."""

    files: dict[FileOperation, list[str]] = field(default_factory=dict[FileOperation, list[str]])
    folders: dict[str, Folder] = field(default_factory=dict)


def split_path(path: str) -> tuple[str, str]:
    """(folder, name): ("/" , "x") for `/x`, (".", "x") for a bare name."""
    cut = max(path.rfind("/"), path.rfind("\\"))
    if cut < 0:
        return ".", path
    return path[:cut] or "/", path[cut + 1 :]


def _mark(folder: str) -> str:
    return "\\" if "\\" in folder and "/" not in folder else "/"


def file_entries(files: Sequence[tuple[str, FileOperation]]) -> list[str]:
    """The lines of a tree of these files, indented by one space for each level."""
    trees: dict[str, Folder] = {"/": Folder(), "\\": Folder()}
    for path, operation in files:
        folder, name = split_path(path)
        mark = _mark(path)
        at = trees[mark]
        for step in _steps(folder, mark):
            at = at.folders.setdefault(step, Folder())
        at.files.setdefault(operation, []).append(name)
    return [line for mark, tree in trees.items() for line in _lines(tree, (), mark, 0)]


def _steps(folder: str, mark: str) -> list[str]:
    return [] if folder == "." else [""] if folder == "/" else folder.split(mark)


def _lines(folder: Folder, steps: tuple[str, ...], mark: str, depth: int) -> Iterator[str]:
    """The lines of a folder; `steps` lead to it from the line above."""
    while not folder.files and len(folder.folders) == 1:
        name, folder = next(iter(folder.folders.items()))
        steps = (*steps, name)
    label = mark.join(steps) if steps != ("",) else "/"
    files, folders = _gathered(folder, mark)
    if steps == ("",) or (not steps and not folder.files and len(folder.folders) - len(folders) == 1):
        files, folders = folder.files, folder.folders
    names = _listed(files)
    shorter = bool(steps) and (len(folders) - 1) * len(label) > LINE_CHARS
    if not steps and names:
        yield f"{HERE}: {names}"
    elif names:
        ending = mark if mark == "\\" and mark not in label else ""
        yield f"{' ' * depth}{label}{ending}: {names}"
    elif shorter:
        yield f"{' ' * depth}{label}{mark}"
    if steps and (names or shorter):
        steps, depth = (), depth + 1
    for name, inner in folders.items():
        yield from _lines(inner, (*steps, name), mark, depth)


def _gathered(folder: Folder, mark: str) -> tuple[dict[FileOperation, list[str]], dict[str, Folder]]:
    """The files of a folder with those that are alone in a folder below it, and the other folders below it.

    The root of absolute paths ("") is not below the folder of relative ones.
    """
    files: dict[FileOperation, list[str]] = {
        operation: list(names) for operation, names in folder.files.items()
    }
    folders: dict[str, Folder] = {}
    for name, inner in folder.folders.items():
        steps, at = [name], inner
        while not at.files and len(at.folders) == 1:
            step, at = next(iter(at.folders.items()))
            steps.append(step)
        found: list[tuple[FileOperation, str]] = [
            (operation, file) for operation, names in at.files.items() for file in names
        ]
        if name and len(found) == 1 and not at.folders:
            operation, file = found[0]
            files.setdefault(operation, []).append(mark.join((*steps, file)))
        else:
            folders[name] = inner
    return files, folders


def parse_files(entries: Sequence[str]) -> Iterator[tuple[str, FileOperation]]:
    """(path, operation) of each file in the indented lines of a tree."""
    above: list[tuple[int, str, str]] = []
    for entry in entries:
        depth = len(entry) - len(entry.lstrip(" "))
        label, found, names = entry.strip().partition(": ")
        if not found and not label.endswith(("/", "\\")):
            continue
        while above and above[-1][0] >= depth:
            above.pop()
        _, base, mark = above[-1] if above else (0, ".", "/")
        mark = "\\" if "\\" in label and "/" not in label else mark
        folder = _joined(base, mark, label.removesuffix(mark) or mark)
        above.append((depth, folder, mark))
        for name, operation in _named(names):
            yield _joined(folder, mark, name), operation


def _joined(folder: str, mark: str, name: str) -> str:
    if folder in (".", "/"):
        return name if folder == "." else f"/{name}"
    return f"{folder}{mark}{name}"


def _listed(files: Mapping[FileOperation, Sequence[str]]) -> str:
    groups = [
        " ".join(
            [*([operation] if operation != "named" else []), *(_quoted(name) for name in files[operation])]
        )
        for operation in FILE_OPERATIONS
        if operation in files
    ]
    return SEPARATOR.join(groups)


def _quoted(name: str) -> str:
    return (
        name
        if _PLAIN.fullmatch(name) and name not in FILE_OPERATIONS
        else json.dumps(name, ensure_ascii=False)
    )


def _named(text: str) -> Iterator[tuple[str, FileOperation]]:
    operation: FileOperation = "named"
    fresh = True
    for match in _ITEM.finditer(text):
        word = match[0]
        if word == ";":
            operation, fresh = "named", True
            continue
        marked = parse_operation(word) if fresh and word != "named" else None
        fresh = False
        if marked:
            operation = marked
        elif name := _unquoted(word):
            yield name, operation


def _unquoted(word: str) -> str:
    if not word.startswith('"'):
        return word
    try:
        return str(json.loads(word))
    except ValueError:
        return word.strip('"')
