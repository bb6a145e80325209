"""Sessions and cuts for `bench/survival.py`: from a path to what a compaction would have replaced, and what came next.

Transcripts the package reads are read by it. SWE-agent trajectories, OpenHands histories and logs, and tau-bench
conversations are no agents' transcripts but records of runs; they are turned into messages here.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any

from palimpsest.budget.token_counts import count_message
from palimpsest.errors import FormatError
from palimpsest.formats.openai.parse import parse_message
from palimpsest.formats.transcripts import Source, read
from palimpsest.record.message import Message, Text, ToolCall, ToolResult

CALLS_AHEAD = 40
SHORT_CALLS = 6
"""A session shorter than one cut is cut at half if it holds this many calls."""
SUFFIXES = frozenset((".jsonl", ".json", ".traj"))
_WORKTREE = re.compile(r"/\.(?:worktrees|claude|cursor)/.*$")


@dataclass(frozen=True, slots=True)
class Mark:
    """A compaction of the transcript's own: messages before `first_kept` were replaced by `summary` at `position`."""

    position: int
    first_kept: int
    summary: str


@dataclass(frozen=True, slots=True)
class Session:
    """One history. `project` says what it worked on; sessions of one project are reported together."""

    project: str
    kind: str
    name: str
    messages: tuple[Message, ...]
    marks: tuple[Mark, ...] = ()


@dataclass(frozen=True, slots=True)
class Cut:
    """Messages `first` to `end` (excluded) were replaced; what comes from `resume` on is what the agent did next.

    `real` says that the transcript compacted here, `summary` with which text; `short` that the session was cut at half.
    """

    session: Session
    first: int
    end: int
    resume: int
    real: bool
    summary: str = ""
    short: bool = False


def sessions(paths: Iterable[Path]) -> Iterator[Session]:
    """Every session in the files and folders given, each history once."""
    seen: set[int] = set()
    files = [file for path in paths for file in (sorted(path.rglob("*")) if path.is_dir() else [path])]
    for file in files:
        if file.suffix not in SUFFIXES or not file.is_file():
            continue
        for session in _read(file):
            key = hash(tuple(message.parts for message in session.messages))
            if key not in seen and session.messages:
                seen.add(key)
                yield session


def _read(file: Path) -> list[Session]:
    data = file.read_bytes()
    try:
        reading = read(Source(str(file), data))
    except FormatError:
        return _read_run(file, data)
    found: list[Session] = []
    for transcript in reading.transcripts:
        if not transcript.paths:
            continue
        messages = transcript.paths[-1]
        folder = _WORKTREE.sub("", transcript.cwd).rstrip("/")
        project = "/".join(folder.split("/")[-2:]) if folder else file.parent.name
        marks = tuple(_marks(data, messages)) if transcript.summaries else ()
        found.append(Session(project, transcript.format, file.stem[:40], messages, marks))
    return found


def _marks(data: bytes, messages: tuple[Message, ...]) -> Iterator[Mark]:
    """The compactions noted in a transcript, placed by time."""
    entries = [_object(line) for line in data.decode("utf-8", "replace").splitlines()]
    by_id = {entry.get("id"): entry for entry in entries if isinstance(entry.get("id"), str)}
    for entry in entries:
        at_s = _time(entry)
        if at_s is None:
            continue
        position = sum(message.time_s is not None and message.time_s <= at_s for message in messages)
        first_kept, summary = position, ""
        if entry.get("type") == "compaction":
            summary = str(entry.get("summary", ""))
            index = entry.get("firstKeptEntryIndex")
            kept = entries[index] if isinstance(index, int) and index < len(entries) else None
            kept = kept or by_id.get(entry.get("firstKeptEntryId"))
            kept_s = _time(kept or {})
            if kept_s is not None:
                first_kept = sum(m.time_s is not None and m.time_s < kept_s for m in messages)
        elif entry.get("isCompactSummary"):
            summary = _words((entry.get("message") or {}).get("content"))
        elif entry.get("type") == "compacted":
            summary = str((entry.get("payload") or {}).get("message", ""))
        if summary and 0 < first_kept <= position < len(messages):
            yield Mark(position, first_kept, summary)


def _object(line: str) -> dict[str, Any]:
    try:
        value = json.loads(line)
    except ValueError:
        return {}
    return value if isinstance(value, dict) else {}


def _time(entry: dict[str, Any]) -> float | None:
    try:
        return datetime.fromisoformat(str(entry.get("timestamp", ""))).timestamp()
    except ValueError:
        return None


def _words(content: object) -> str:
    if isinstance(content, str):
        return content
    blocks = content if isinstance(content, list) else []
    return "\n".join(str(block.get("text", "")) for block in blocks if isinstance(block, dict))


def _read_run(file: Path, data: bytes) -> list[Session]:
    text = data.decode("utf-8", "replace")
    try:
        values = [json.loads(text)]
    except ValueError:
        values = [_object(line) for line in text.splitlines()]
    found: list[Session] = []
    for value in values:
        if isinstance(value, list) and value and isinstance(value[0], dict) and "traj" in value[0]:
            found += [
                Session("airline desk", "tau-bench", f"{file.stem}-{at}", _openai(item["traj"]))
                for at, item in enumerate(value)
            ]
        elif isinstance(value, list):
            found.append(Session(file.parent.name, file.parent.name, file.stem[:40], _said(value)))
        elif isinstance(value, dict):
            name = str(value.get("instance_id") or file.stem)[:40]
            if isinstance(value.get("trajectory"), list):
                found.append(Session(name, "swe-agent", name, tuple(_steps(value))))
            elif isinstance(value.get("history"), list):
                found.append(Session(name, "openhands", name, tuple(_events(value["history"]))))
            elif isinstance(value.get("messages"), list):
                found.append(Session("openhands sdk", "openhands", name, _openai(value["messages"])))
    return found


def _openai(raw: list[dict[str, Any]]) -> tuple[Message, ...]:
    found: list[Message] = []
    for one in raw:
        try:
            found += [message for message in parse_message(one) if message.role != "system"]
        except FormatError:
            continue
    return tuple(found)


def _said(raw: list[Any]) -> tuple[Message, ...]:
    """Messages in which a command stands in a fenced block of the assistant's text."""
    found: list[Message] = []
    for at, one in enumerate(raw):
        if not isinstance(one, dict) or one.get("role") not in ("user", "assistant"):
            continue
        text = _words(one.get("content"))
        command = re.search(r"```(?:bash|sh)\n(.*?)```", text, re.DOTALL)
        if one["role"] == "assistant" and command:
            call = ToolCall(f"c{at}", "bash", json.dumps({"command": command[1].strip()}))
            found.append(Message("assistant", (Text(text[: command.start()]), call)))
        elif found and found[-1].calls:
            found.append(Message("tool", (ToolResult(found[-1].calls[0].id, (Text(text),)),)))
        else:
            found.append(Message(one["role"], (Text(text),)))
    return tuple(found)


def _steps(run: dict[str, Any]) -> Iterator[Message]:
    history = run.get("history") or []
    asked = next((one for one in history if one.get("role") == "user"), None)
    if asked:
        yield Message("user", (Text(_words(asked.get("content"))),))
    for at, step in enumerate(run["trajectory"]):
        command = json.dumps({"command": str(step.get("action", "")).strip()})
        call = ToolCall(f"c{at}", "bash", command)
        yield Message("assistant", (Text(str(step.get("thought", ""))), call))
        yield Message("tool", (ToolResult(call.id, (Text(str(step.get("observation", ""))),)),))


def _events(history: list[Any]) -> Iterator[Message]:
    """Events of an OpenHands run; older ones come as (action, observation) pairs, without `args`."""
    flat = [event for item in history for event in (item if isinstance(item, list) else [item])]
    call = ToolCall("c", "none")
    for at, event in enumerate(flat):
        if not isinstance(event, dict):
            continue
        args: dict[str, Any] = event["args"] if isinstance(event.get("args"), dict) else event
        match event.get("action"):
            case "message" if event.get("source") != "agent":
                yield Message("user", (Text(str(args.get("content", ""))),))
            case "message":
                yield Message("assistant", (Text(str(args.get("content", ""))),))
            case "run" | "read" | "edit" | "write" | "run_ipython" | "browse" | "think" as name:
                kept = {key: args[key] for key in _ARGUMENTS if args.get(key)}
                call = ToolCall(f"c{at}", f"execute_{name}", json.dumps(kept))
                yield Message("assistant", (Text(str(args.get("thought", ""))), call))
            case _ if event.get("observation"):
                yield Message("tool", (ToolResult(call.id, (Text(str(event.get("content", ""))),)),))
            case _:
                pass


_ARGUMENTS = ("command", "path", "code", "content", "old_str", "new_str", "file_text", "insert_line", "url")


def cuts(session: Session, every_tokens: int) -> list[Cut]:
    """Where a session was compacted; else where it would be every so many tokens, or at half where it is short."""
    messages = session.messages
    if session.marks:
        found: list[Cut] = []
        first = 0
        for mark in session.marks:
            if mark.first_kept > first:
                found.append(Cut(session, first, mark.first_kept, mark.position, True, mark.summary))
                first = mark.first_kept
        return found
    sizes = [count_message(message) for message in messages]
    total, calls = sum(sizes), sum(len(message.calls) for message in messages)
    short = total < every_tokens or session.kind == "tau-bench"
    if short:
        if calls < SHORT_CALLS and session.kind != "tau-bench":
            return []
        every_tokens = total // 2 + 1
    ends = list(_ends(messages, sizes, every_tokens))
    firsts = [0, *ends]
    return [Cut(session, firsts[at], end, end, False, short=short) for at, end in enumerate(ends)]


def _ends(messages: tuple[Message, ...], sizes: list[int], every_tokens: int) -> Iterator[int]:
    size = 0
    for at, message in enumerate(messages):
        if size >= every_tokens and not message.results:
            yield at
            size = 0
        size += sizes[at]


def calls_ahead(cut: Cut, most: int = CALLS_AHEAD) -> Iterator[tuple[int, ToolCall]]:
    """(message index, call) of the next calls after a cut."""
    made = 0
    for at in range(cut.resume, len(cut.session.messages)):
        for call in cut.session.messages[at].calls:
            if made == most:
                return
            made += 1
            yield at, call


def dense_cuts(session: Session, every_tokens: int) -> Iterator[Cut]:
    """Many cuts for learning, each replacing everything before it, at least so many tokens apart."""
    size, last = 0, 0
    for at, message in enumerate(session.messages[:-1]):
        if size - last >= every_tokens and not message.results:
            last = size
            yield Cut(session, 0, at, at, False)
        size += count_message(message)
