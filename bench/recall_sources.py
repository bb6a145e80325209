"""What a path holds for `recall.py`: files and folders in any arrangement, each told by what is in it.

A folder is BFCL's memory data, or MemoryBank, where it has their files; any other is gone through. A `.json` file that
lists dialogues with questions is LoCoMo, the whole of it or any part; a transcript of a coding agent is read as the
package reads it. What is none of these is passed over.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from pathlib import Path

from recall_chats import coding, memorybank
from recall_data import Talk, bfcl, locomo

MAX_BYTES = 200_000_000
TRANSCRIPTS = frozenset((".json", ".jsonl"))


def talks(paths: Iterable[Path]) -> list[Talk]:
    """All that the paths hold and that has questions, each history once."""
    found: list[Talk] = []
    seen: set[int] = set()
    for path in paths:
        for talk in _talks(path):
            key = hash((talk.source, tuple(message.parts for message in talk.messages)))
            if talk.questions and key not in seen:
                seen.add(key)
                found.append(talk)
    return found


def _talks(path: Path) -> Iterator[Talk]:
    if path.is_dir():
        if (path / "memory_prereq_conversation").is_dir() and (path / "questions.json").is_file():
            yield from bfcl(path)
        elif any(path.glob("memory_bank_*.json")):
            yield from memorybank(path)
        else:
            for one in sorted(path.iterdir()):
                yield from _talks(one)
    elif path.suffix in TRANSCRIPTS and path.stat().st_size <= MAX_BYTES:
        yield from locomo(path) if path.suffix == ".json" and _is_locomo(path) else coding(path)


def _is_locomo(path: Path) -> bool:
    """Whether a file lists dialogues with questions."""
    try:
        listed = json.loads(path.read_bytes())
    except ValueError:
        return False
    return bool(
        isinstance(listed, list)
        and listed
        and all(isinstance(one, dict) and {"conversation", "qa"} <= one.keys() for one in listed)
    )
