"""File entries of one file under several paths, merged into one."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator, Mapping
from dataclasses import replace

from palimpsest.ledger.entries import LATER_SEQS, Entry, Ledger
from palimpsest.ledger.extraction import HOME
from palimpsest.ledger.file_tree import split_path
from palimpsest.text.identifiers import has_extension
from palimpsest.toolcalls.file_operation_kinds import CHANGES

MAX_FOLDERS = 32
"""Folders above a file that need no mention of their own."""
CLEAR_SHARE = 0.9
"""The share of files in folders of one name that are in one project, if a relative path means that one."""
MAX_SHORT = 32
MAX_LONGER = 8
"""Paths of one file name that are compared with longer ones, and how many longer ones may match."""


def merged_files(ledger: Ledger) -> list[Entry]:
    """File entries, each path that is the end of exactly one longer path merged into it; the ledger is not changed."""
    files = ledger.of("file")
    used = {
        path.split("/", 2)[1] for path, entry in files.items() if entry.used >= 0 and path.startswith("/")
    }
    by_name: dict[str, list[str]] = {}
    for path in files:
        by_name.setdefault(split_path(path)[1], []).append(path)
    found = {path: entry for path, entry in files.items() if not _is_stray(entry, used)}
    roots: dict[str, int] = {}
    for paths in by_name.values():
        for short in sorted(paths, key=len)[:MAX_SHORT]:
            whole = _whole(short, paths)
            if whole and short in found and whole in found:
                found[whole] = _both(found.pop(short), found[whole], whole)
                if short.startswith("~"):
                    continue
                roots[whole.removesuffix(short)] = roots.get(whole.removesuffix(short), 0) + 1
    return _rooted(found, roots)


def _rooted(files: dict[str, Entry], roots: Mapping[str, int]) -> list[Entry]:
    """Relative paths prefixed by the root of a project, if files of the same first folder were seen in only one."""
    homes: dict[str, Counter[str]] = {}
    for root in roots:
        for path in files:
            if path.startswith(root) and root.startswith(("/", "~")):
                first, found, _ = path[len(root) :].partition("/")
                if found:
                    homes.setdefault(first, Counter())[root] += 1
    placed: dict[str, Entry] = {}
    for path, entry in files.items():
        home = homes.get(path.partition("/")[0]) if "/" in path else None
        whole = _clear(home) + path if home else path
        placed[whole] = (
            _both(entry, placed.get(whole, entry), whole) if whole in placed or whole != path else entry
        )
    return list(placed.values())


def _clear(homes: Counter[str]) -> str:
    """The root below which nearly all files of a folder were seen, "" for none."""
    root, files = homes.most_common(1)[0]
    return root if files >= CLEAR_SHARE * sum(homes.values()) else ""


def _is_stray(entry: Entry, used: Collection[str]) -> bool:
    """Whether a path is rather the address of a service: never used, without an extension, below no used root."""
    if entry.used >= 0 or not used or not entry.text.startswith("/") or has_extension(entry.text):
        return False
    return entry.text.split("/", 2)[1] not in used


def _whole(short: str, paths: list[str]) -> str:
    """The only longer path that ends with `short`, "" for none or several."""
    if short.startswith("~/"):
        longer = [
            path for path in paths if path.endswith(short[1:]) and HOME.fullmatch(path[: 1 - len(short)])
        ]
    else:
        longer = [
            path for path in paths if len(path) > len(short) and path.endswith(("/" + short, "\\" + short))
        ]
    if not 0 < len(longer) <= MAX_LONGER:
        return ""
    whole = [
        path for path in longer if not any(path != more and more.endswith("/" + path) for more in longer)
    ]
    return whole[0] if len(whole) == 1 else ""


def folders_above(path: str) -> Iterator[str]:
    """The folders a path leads through, from the nearest up, at most 32."""
    folder, name = split_path(path)
    for _ in range(MAX_FOLDERS):
        if not name or folder in (".", "/"):
            break
        yield folder
        folder, name = split_path(folder)


def _operation_of_both(one: Entry, other: Entry) -> str:
    """What was done to a file of two entries: of a deletion and another change the later."""
    first, last = sorted((one, other), key=lambda entry: entry.used)
    if "deleted" in (first.label, last.label) and {first.label, last.label} <= CHANGES:
        return last.label
    return max(one.label, other.label, key=lambda label: _OPERATION_RANKS[label])


_OPERATION_RANKS = {"named": 0, "": 0, "read": 1, "deleted": 2, "written": 3, "edited": 4}


def _both(short: Entry, whole: Entry, path: str) -> Entry:
    if short is whole:
        return replace(whole, text=path)
    seqs = sorted({*short.seqs, *whole.seqs})
    return Entry(
        "file",
        path,
        _operation_of_both(short, whole),
        at=max(short.at, whole.at),
        used=max(short.used, whole.used),
        planned=max(short.planned, whole.planned),
        uses=short.uses + whole.uses,
        spoken=short.spoken + whole.spoken,
        results=short.results + whole.results,
        by_user=max(short.by_user, whole.by_user),
        seqs=[*seqs[:1], *seqs[1:][-LATER_SEQS:]],
    )
