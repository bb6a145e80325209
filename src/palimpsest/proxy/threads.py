"""Which conversation a request belongs to. Clients name a session; its subagents and side requests are told apart here.

- A thread is one growing history. Its last history is remembered as digests, one for each message or item.
- A request continues the thread whose last history it begins with, or that shares most of its messages.
- A client that compacts its own history starts with a summary: the model's last reply of the thread. A history that
  quotes a long line of that reply, and has the same tools, continues the thread.
- Any other request is a new thread: a subagent, or a side request.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from hashlib import blake2b
from itertools import takewhile
from typing import cast

import msgspec

from palimpsest.proxy.wires import Body, Call

SESSION_HEADERS = (
    "x-claude-code-session-id",
    "session_id",
    "session-id",
    "x-session-id",
    "x-session-affinity",
    "x-opencode-session",
    "conversation_id",
    "x-conversation-id",
)
QUOTED_LINE_CHARS = 40
"""Length from which a line of a reply is taken for its own words."""

MAX_THREADS = 200
"""Threads remembered of one session, and of requests without a session."""

_serialize = msgspec.msgpack.Encoder().encode


@dataclass(slots=True)
class Thread:
    """One conversation. `digests` are those of its last history, `tools` a digest of its tools' names, `reply` the text
    of the model's last reply, and `system` its first system prompt.
    """

    id: str
    tools: bytes = b""
    digests: tuple[bytes, ...] = ()
    reply: str = ""
    system: str | None = None


@dataclass(frozen=True, slots=True)
class Place:
    """Where a request belongs: a known thread, None for a new one, and how many of its first messages are the client's
    own summary.
    """

    thread: Thread | None
    summary_messages: int = 0


@dataclass(slots=True)
class Session:
    """The threads of one session, oldest first."""

    threads: list[Thread] = field(default_factory=list[Thread])

    def add(self, thread: Thread) -> Thread:
        """Add a thread; of very many, the oldest is dropped."""
        self.threads.append(thread)
        del self.threads[:-MAX_THREADS]
        return thread


def session_of(headers: Mapping[str, str], call: Call) -> str:
    """Return the session that a client names, "" for none."""
    named = next((headers[name] for name in SESSION_HEADERS if headers.get(name)), "")
    if named:
        return named
    key = call.body.get("prompt_cache_key")
    if isinstance(key, str) and key:
        return key
    return _claude_session(call.body.get("metadata"))


def _claude_session(metadata: object) -> str:
    """The session in Claude Code's `metadata.user_id`, which is JSON or ends with "_session_ID"."""
    user = cast("Body", metadata).get("user_id") if isinstance(metadata, dict) else None
    if not isinstance(user, str):
        return ""
    try:
        found: object = json.loads(user)
    except ValueError:
        return user.partition("_session_")[2]
    named = cast("Body", found).get("session_id") if isinstance(found, dict) else None
    return named if isinstance(named, str) else ""


def digests_of(history: Iterable[object]) -> tuple[bytes, ...]:
    """Return a digest of each message."""
    return tuple(blake2b(_serialize(one), digest_size=12).digest() for one in history)


def tools_digest(call: Call) -> bytes:
    """Return a digest of the tools' names."""
    given = call.body.get("tools")
    tools = cast("list[object]", given) if isinstance(given, list) else []
    fields = [cast("Body", one) for one in tools if isinstance(one, dict)]
    names = sorted(str(one.get("name") or one.get("function") or one) for one in fields)
    return blake2b(_serialize(names), digest_size=12).digest()


def place_of(
    session: Session, digests: Sequence[bytes], tools: bytes, texts: Sequence[str], *, named: bool
) -> Place:
    """Return where a history belongs. `texts` are those of its messages; without a `named` session only a history that
    begins with a thread's last one belongs to it.
    """
    best, score = None, (0, False)
    for thread in session.threads:
        shared = _shared_beginning(thread.digests, digests)
        if shared and shared == len(thread.digests):
            found = (shared, thread.tools == tools)
            best, score = (thread, found) if found >= score else (best, score)
    if best is not None or not named:
        return Place(best)
    same_tools = [thread for thread in session.threads if thread.tools == tools]
    known = set(digests)
    for thread in reversed(same_tools):
        if thread.digests and 2 * sum(one in known for one in thread.digests) >= min(
            len(thread.digests), len(digests)
        ):
            return Place(thread)
    for thread in reversed(same_tools):
        if through := _quoted_through(thread.reply, texts):
            return Place(thread, through)
    return Place(None)


def _shared_beginning(first: Sequence[bytes], second: Sequence[bytes]) -> int:
    return sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(first, second, strict=False)))


def _quoted_through(reply: str, texts: Sequence[str]) -> int:
    """Return how many of the first messages end with one that quotes most long lines of a reply; 0 for none."""
    lines = [line for line in map(str.strip, reply.splitlines()) if len(line) >= QUOTED_LINE_CHARS]
    for place, text in enumerate(texts, 1):
        if lines and 2 * sum(line in text for line in lines) >= len(lines):
            return place
    return 0
