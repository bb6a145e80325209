"""Session files in Crabtalk's form, from Crabtalk or written here (`session_lines` describes the lines).

- Every message is history, those before a marker too. A marker is not a message: its text and position are kept, so
  that the window can begin with the last one's text. A marker before every message is all that is left of what it
  covers, and becomes a user message, as the agent showed it.
- Messages are written whole, so only marked ones are provisional.
- If a line was lost, markers and rewinds find their place by the chain hash they name.
- System and developer messages written by others are the system prompt; `event` lines are bookkeeping.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from palimpsest.errors import FormatError
from palimpsest.formats.transcripts.message_tree import MAX_PATH_ENTRIES
from palimpsest.formats.transcripts.reader_base import (
    Head,
    JsonObject,
    Marker,
    Reading,
    Skipped,
    Skips,
    Source,
    Transcript,
    as_count,
    as_object,
    as_text,
    lines,
    made_id,
    stem,
    time_s,
    title_of,
)
from palimpsest.formats.transcripts.session_lines import (
    COMPACT,
    OWN,
    REWIND,
    Meta,
    decode,
    message_of,
    meta_of,
)
from palimpsest.record.message import Message, Text

NAME = "crabtalk"

Mark = tuple[str, float]
"""A marker's name: the summary's id in the store and the time of its compaction."""


@dataclass(slots=True)
class SessionFile:
    """The content of a session file: the current history with the chain hash each line names ("" for none), and the
    rest.

    `marks` says how far markers written from a store reach, by (summary id, time).
    """

    meta: Meta | None = None
    history: list[Message] = field(default_factory=list[Message])
    chains: list[str] = field(default_factory=list[str])
    markers: list[Marker] = field(default_factory=list[Marker])
    marks: dict[Mark, int] = field(default_factory=dict["Mark", int])
    branches: list[tuple[Message, ...]] = field(default_factory=list[tuple[Message, ...]])
    system: list[str] = field(default_factory=list[str])
    summaries: int = 0
    bookkeeping: int = 0
    skipped: Skips = field(default_factory=Skips)

    def row(self, number: int, row: JsonObject) -> None:
        """Read one line."""
        own = as_object(row.get(OWN))
        meta = meta_of(row)
        if meta is not None:
            self.meta = meta
            self.bookkeeping += 1
        elif "role" in row:
            self.message(number, row, own)
        elif isinstance(row.get(COMPACT), str):
            self.marker(row, own)
        elif REWIND in row:
            self.rewind(number, row, own)
        elif isinstance(row.get("event"), str):
            self.bookkeeping += 1
        else:
            self.skipped.append(Skipped(number, "neither a message nor a compact marker"))

    def message(self, number: int, row: JsonObject, own: JsonObject) -> None:
        """Read a message line; an unreadable one is reported."""
        try:
            message = message_of(row)
        except FormatError as error:
            self.skipped.append(Skipped(number, error.message))
            return
        if message.role == "system" and not own:
            self.system.append(message.text)
            self.bookkeeping += 1
            return
        self.history.append(message)
        self.chains.append(as_text(own.get("chain")))

    def marker(self, row: JsonObject, own: JsonObject) -> None:
        """Read a compact marker: it covers what it names, or everything before it."""
        self.summaries += 1
        text, when = as_text(row.get(COMPACT)), time_s(row.get("archived_at"))
        through = self._place(own, own.get("through"), len(self.history))
        at = own.get("time_s")
        if isinstance(at, int | float):
            when = float(at)
            self.marks[as_text(own.get("id")), when] = through
        quotes, chars = as_count(own.get("quotes")), as_count(own.get("chars"))
        if self.history:
            quoted = chars > 0 and 0 < quotes <= through
            self.markers.append(
                Marker(text[:chars] if quoted else text, through, when, quotes if quoted else 0)
            )
        elif text:
            self.history.append(Message("user", (Text(text),), time_s=when))
            self.chains.append("")

    def rewind(self, number: int, row: JsonObject, own: JsonObject) -> None:
        """Continue the history after an earlier message; what followed that one is a branch."""
        through = self._place(own, row.get(REWIND), -1)
        if through < 0:
            self.skipped.append(Skipped(number, "a rewind to a message that is not there"))
            return
        if through < len(self.history):
            listed = len(self.history) + sum(len(branch) for branch in self.branches)
            if listed > MAX_PATH_ENTRIES:
                self.skipped.append(Skipped(number, "a branch left out: the session is too large"))
            else:
                self.branches.append(tuple(self.history))
        del self.history[through:], self.chains[through:]
        self.markers = [marker for marker in self.markers if marker.through <= through]
        self.marks = {mark: reach for mark, reach in self.marks.items() if reach <= through}

    def _place(self, own: JsonObject, count: object, otherwise: int) -> int:
        """Return the number of messages that a line means: by its chain hash, by its count, or `otherwise`."""
        chain = as_text(own.get("chain"))
        if chain and chain in self.chains:
            return len(self.chains) - self.chains[::-1].index(chain)
        counted = isinstance(count, int) and not isinstance(count, bool) and 0 <= count <= len(self.history)
        return count if counted and isinstance(count, int) else otherwise

    @property
    def paths(self) -> tuple[tuple[Message, ...], ...]:
        """Return every history once, the current one last."""
        current = tuple(self.history)
        older = (branch for branch in dict.fromkeys(self.branches) if branch != current)
        return tuple(path for path in (*older, current) if path)


def read_file(data: bytes) -> SessionFile:
    """Read all lines of a session file."""
    found = SessionFile()
    for number, row in lines(data, decode):
        if isinstance(row, Skipped):
            found.skipped.append(row)
        else:
            found.row(number, row)
    return found


def is_session_of(head: bytes, conversation: str) -> bool:
    """Return whether a file that begins with this line was written from a conversation."""
    meta = read_file(head).meta
    return meta is not None and meta.id == conversation


def context_of(found: SessionFile) -> tuple[Message, ...]:
    """Return what the agent continues with: the last marker's text as a user message, and what it does not cover."""
    if not found.markers:
        return tuple(found.history)
    last = found.markers[-1]
    quoted = found.history[last.quotes - 1].parts if last.quotes else ()
    return (Message("user", (Text(last.text), *quoted), time_s=last.time_s), *found.history[last.through :])


def read(source: Source) -> Reading:
    """Return the session in `source`."""
    found = read_file(source.data)
    meta = found.meta or Meta()
    first = next((message.text for message in found.history if message.role == "user"), "")
    histories = found.paths
    transcript = Transcript(
        id=meta.id or _made_id(source.path, meta, histories),
        format=NAME,
        title=title_of(meta.title) or title_of(first),
        parent=meta.parent,
        paths=histories,
        system=meta.system or "\n\n".join(text for text in found.system if text),
        summaries=found.summaries,
        bookkeeping=found.bookkeeping,
        markers=tuple(found.markers),
    )
    return Reading((transcript,) if histories else (), *found.skipped.told())


def _made_id(path: str, meta: Meta, histories: tuple[tuple[Message, ...], ...]) -> str:
    """Return an id for a session that names none, without the title that its file name gets later."""
    sender = "-".join(re.findall(r"[^\W_]+", meta.created_by.lower()))
    name = stem(path)
    found = re.match(rf"{re.escape(meta.agent)}_{re.escape(sender)}_\d+", name)
    return made_id(f"{found.group() if found else name}.jsonl", histories[-1:])


def detect(head: Head) -> bool:
    """Return whether a file is a session of this form: it begins with its meta line."""
    return bool(head.rows) and "type" not in head.rows[0] and meta_of(head.rows[0]) is not None
