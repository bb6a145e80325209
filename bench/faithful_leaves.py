"""The leaves that `bench/faithful` summarizes: stretches of real sessions, read from a folder of data.

Each file in `bench/faithful` is a true summary of one leaf, behind a header of three lines. A session is a path below
the data folder; where a file holds several, `#` and the name of one follow (`name.2` is the second of that name).
Messages count from 0, the last included.

    python bench/faithful_leaves.py DATA                       every session with its size
    python bench/faithful_leaves.py DATA SESSION               its messages, one a line
    python bench/faithful_leaves.py DATA SESSION FIRST LAST    a leaf, much as a summarizer is shown it
    python bench/faithful_leaves.py DATA bench/faithful/01-codex.md    the leaf of a summary, behind the summary
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import cast

from survival_data import sessions
from window_data import talks

from palimpsest.budget.token_counts import count_message
from palimpsest.record.message import Media, Message, Opaque, Part, Reasoning, Text, ToolCall, ToolResult
from palimpsest.settings import SummaryForm
from palimpsest.summarize.source import render_time
from palimpsest.text.cut import clean, shorten
from palimpsest.text.invisible_characters import readable

FOLDER = Path(__file__).parent / "faithful"
MOST_CHARS = 20_000
"""Characters printed of one message."""
_HEADER = re.compile(r"session: (.+)\nmessages: (\d+)-(\d+)\nform: (sections|page|prose)\n\n")


@dataclass(frozen=True, slots=True)
class Faithful:
    """A true summary of the messages `first` to `last` of a session, the last included."""

    name: str
    session: str
    first: int
    last: int
    form: SummaryForm
    text: str


def faithful(folder: Path = FOLDER) -> list[Faithful]:
    """Every summary in the folder, in order."""
    return [read_faithful(file) for file in sorted(folder.glob("*.md"))]


def read_faithful(file: Path) -> Faithful:
    text = file.read_text("utf-8")
    header = _HEADER.match(text)
    if header is None:
        raise ValueError(f"{file}: no header of three lines (session, messages, form) and an empty line")
    session, first, last, form = header.groups()
    return Faithful(
        file.stem, session, int(first), int(last), cast("SummaryForm", form), text[header.end() :]
    )


def session_messages(data_folder: Path, session: str) -> tuple[Message, ...]:
    """The messages of `path`, or of `path#name` where the file holds several sessions."""
    path, _, name = session.partition("#")
    file = data_folder / path
    if not file.is_file():
        raise FileNotFoundError(f"session {session!r}: there is no file {file}")
    found = _held(file)
    if not name and len(found) == 1:
        name = next(iter(found))
    if name not in found:
        raise LookupError(f"session {session!r}: {file} holds {', '.join(found) or 'no session'}")
    return found[name]


def leaf(data_folder: Path, session: str, first: int, last: int) -> tuple[Message, ...]:
    """The messages `first` to `last` of a session, the last included."""
    messages = session_messages(data_folder, session)
    if not 0 <= first <= last < len(messages):
        raise IndexError(f"session {session!r}: no messages {first}-{last} among its {len(messages)}")
    return messages[first : last + 1]


def render_leaf(messages: Iterable[Message], first: int = 0) -> str:
    """A leaf much as `render_source` shows it, with whole arguments and up to 20,000 characters of a message."""
    names: dict[str, str] = {}
    blocks: list[str] = []
    for at, message in enumerate(messages, first):
        names.update((call.id, call.name) for call in message.calls)
        time = render_time(message.time_s)
        body = clean("\n".join(line for part in message.parts if (line := _render_part(part, names))))
        if len(body) > MOST_CHARS:
            body = shorten(body, MOST_CHARS * 3 // 4, MOST_CHARS // 4)
        head = f'<message at="{at}" role="{message.role}"' + (f' time="{time}"' if time else "")
        blocks.append(f"{head}>\n{body}\n</message>")
    return "\n".join(blocks)


def _render_part(part: Part, names: dict[str, str]) -> str:
    match part:
        case Text():
            return part.text
        case ToolCall():
            return f"[call {part.name}] {part.arguments}"
        case ToolResult():
            outcome = "error" if part.is_error else "result"
            body = "\n".join(
                readable(one.text) if isinstance(one, Text) else _render_part(one, names)
                for one in part.content
            )
            return f"[{outcome} of {names.get(part.call_id, part.call_id)}] {body}"
        case Media():
            return f"[{part.media_type}]"
        case Reasoning() | Opaque():
            return ""


def _held(file: Path) -> dict[str, tuple[Message, ...]]:
    """The sessions of a file; the second of one name is called `name.2`."""
    found: dict[str, tuple[Message, ...]] = {}
    held = [(one.name, one.messages) for one in sessions([file])]
    if file.name.startswith("memory_bank_"):
        held = [(one.name.strip(), tuple(turn.message for turn in one.turns)) for one in talks([file])]
    times: dict[str, int] = {}
    for name, messages in held:
        times[name] = times.get(name, 0) + 1
        found[name if times[name] == 1 else f"{name}.{times[name]}"] = messages
    return found


def _print_sessions(data_folder: Path) -> None:
    for file in sorted(data_folder.rglob("*")):
        found = _held(file) if file.is_file() else {}
        for name, messages in found.items():
            shown = f"{file.relative_to(data_folder)}{f'#{name}' if len(found) > 1 else ''}"
            tokens = sum(count_message(message) for message in messages)
            print(f"{shown}\t{len(messages)} messages\t{tokens:,} tokens")


def _print_messages(messages: Iterable[Message]) -> None:
    for at, message in enumerate(messages):
        line = " ".join(render_leaf([message]).split("\n", 1)[1].split())
        print(f"{at}\t{count_message(message)}\t{message.role}\t{line[:100]}")


def main(arguments: list[str]) -> None:
    match arguments:
        case [data]:
            _print_sessions(Path(data))
        case [data, name] if name.endswith(".md"):
            one = read_faithful(Path(name))
            print(render_leaf(leaf(Path(data), one.session, one.first, one.last), one.first))
            print(f"\n=== {one.name} ({one.form})\n{one.text}")
        case [data, session]:
            _print_messages(session_messages(Path(data), session))
        case [data, session, first, last]:
            print(render_leaf(leaf(Path(data), session, int(first), int(last)), int(first)))
        case _:
            sys.exit(__doc__)


if __name__ == "__main__":
    main(sys.argv[1:])
