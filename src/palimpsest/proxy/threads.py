"""Which conversation a request belongs to. Clients name a session; its subagents and side requests are told apart here.

- A thread is one growing history. Its last history is remembered as digests, one for each message or item.
- A request continues the thread whose last history it begins with, or that shares most of its messages.
- A request without tools, or with other tools, that begins with a thread's history is a look at it: a title, or a
  compaction by the client. It sees the thread's window, and is not stored. Only if it goes on growing is it a history.
- A client that compacts its own history starts with a summary: a reply that the model gave in the thread, or in a look
  at it. A history that quotes the long lines of that reply continues the thread.
- Any other request is a new thread, once there is a conversation: a single question without tools is none.
"""

from __future__ import annotations

import asyncio
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from hashlib import blake2b
from itertools import takewhile
from typing import TYPE_CHECKING, cast

import msgspec

from palimpsest.proxy.wires import Body, Call

if TYPE_CHECKING:
    from palimpsest.proxy.recalls import Hidden

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
_AGENTS = {
    "claude-cli": "claude_code",
    "codex": "codex",
    "geminicli": "gemini_cli",
    "opencode": "opencode",
    "qwen": "qwen_code",
}
"""Beginnings of a program's `user-agent`, and the format of its transcripts."""

QUOTED_LINE_CHARS = 40
"""Length from which a line of a reply is taken for its own words."""

QUOTED_MESSAGES = 200
"""Messages at the beginning of a history in which a summary is looked for."""

MAX_THREADS = 200
"""Threads remembered of one session, and of requests without a session."""

MAX_NAME_CHARS = 120
_NOT_IN_NAMES = re.compile(r"[^\w.:@+-]")

Digests = tuple[bytes, ...]


@dataclass(slots=True)
class Thread:
    """One conversation.

    `digests` are those of its last history, and `tools` the names of its tools, None if they are unknown. `replies` are
    the texts of the model's last reply in it, and in a look at it. `system` is its first system prompt. `window` is
    what was last sent in place of the first `covers` messages, None if they went as they came; `look` is the history
    of the last look. `serial` counts its requests. `hidden` are the calls that the proxy answered itself.

    After a reply was stored, `reply` is its identity, and `stored` how many messages the conversation has.
    `room_bytes` of text more need no decision. `agent` is the program of a new one, until it is stored.
    """

    id: str
    tools: frozenset[str] | None = None
    digests: Digests = ()
    replies: list[str] = field(default_factory=lambda: ["", ""])
    system: str | None = None
    window: list[object] | None = None
    covers: int = 0
    look: Digests = ()
    serial: int = 0
    reply: bytes = b""
    stored: int = 0
    room_bytes: int = 0
    hidden: list[Hidden] = field(default_factory=list["Hidden"])
    agent: str | None = None


@dataclass(frozen=True, slots=True)
class Place:
    """Where a request belongs: a known thread, None for a new one, and how many of its first messages are the client's
    own summary. `looks` says that it only looks at the thread.
    """

    thread: Thread | None
    summary_messages: int = 0
    looks: bool = False


@dataclass(slots=True)
class Session:
    """The threads of one session, oldest first, and the conversations of an earlier run that may be among them."""

    threads: list[Thread] = field(default_factory=list[Thread])
    stored: list[str] | None = None
    lock: asyncio.Lock = field(default_factory=asyncio.Lock)

    def add(self, thread: Thread) -> Thread:
        """Add a thread; of very many, the oldest is dropped."""
        self.threads.append(thread)
        del self.threads[:-MAX_THREADS]
        return thread


def agent_of(headers: Mapping[str, str]) -> str:
    """Return the program that calls, as its transcripts' format is named; "" for an unknown one."""
    given = headers.get("user-agent", "").lower()
    return next((agent for start, agent in _AGENTS.items() if given.startswith(start)), "")


def session_of(headers: Mapping[str, str], call: Call) -> str:
    """Return the session that a client names, "" for none."""
    named = next((headers[name] for name in SESSION_HEADERS if headers.get(name)), "")
    key = call.get("prompt_cache_key")
    named = named or (key if isinstance(key, str) else "") or _claude_session(call.get("metadata"))
    clean = _NOT_IN_NAMES.sub("_", named)
    if clean == named and len(named) <= MAX_NAME_CHARS:
        return named
    return f"{clean[:40]}-{blake2b(named.encode('utf-8', 'replace'), digest_size=8).hexdigest()}"


def _claude_session(metadata: object) -> str:
    """The session in Claude Code's `metadata.user_id`, which is JSON or ends with "_session_ID"."""
    user = cast("Body", metadata).get("user_id") if isinstance(metadata, dict) else None
    if not isinstance(user, str):
        return ""
    try:
        found: object = msgspec.json.decode(user)
    except ValueError:
        return user.partition("_session_")[2]
    named = cast("Body", found).get("session_id") if isinstance(found, dict) else None
    return named if isinstance(named, str) else ""


def place_of(
    session: Session,
    digests: Digests,
    tools: frozenset[str],
    texts: Callable[[], Sequence[str]],
    *,
    named: bool,
) -> Place:
    """Return where a history belongs. `texts` gives those of its first messages; without a `named` session a changed
    history begins a new thread.
    """
    best, score = None, (-1, False)
    for thread in session.threads:
        shared = len(thread.digests)
        if shared and thread.digests == digests[:shared]:
            found = (shared, same_tools(thread.tools, tools))
            best, score = (thread, found) if found >= score else (best, score)
    if best is not None:
        return Place(best, looks=not score[1] and not _goes_on(best.look, digests))
    similar = [one for one in reversed(session.threads) if same_tools(one.tools, tools)]
    known_texts = texts() if similar else ()
    for thread in similar:
        through = max(quoted_through(reply, known_texts) for reply in thread.replies)
        if through and not _is_answered(thread, digests[: through - 1]):
            return Place(thread, through)
    known = set(digests)
    for thread in similar if named else ():
        shared = sum(one in known for one in thread.digests)
        if shared and 2 * shared >= min(len(thread.digests), len(digests)):
            return Place(thread)
    return Place(None)


def _is_answered(thread: Thread, before: Digests) -> bool:
    """Whether a history up to a reply ends as it did when the model gave that reply: nothing was replaced then."""
    return bool(before) and before[-1:] in (thread.digests[-1:], thread.look[-1:])


def _goes_on(look: Digests, digests: Digests) -> bool:
    """Whether a history is that of an earlier look, with more behind it."""
    return bool(look) and len(digests) > len(look) and digests[: len(look)] == look


def same_tools(known: frozenset[str] | None, given: frozenset[str]) -> bool:
    """Whether tools are those of a thread: the same, or most of them, because clients add some on the way."""
    if known is None or known == given:
        return True
    return bool(known and given) and 2 * len(known & given) >= max(len(known), len(given))


def shared_beginning(first: Sequence[object], second: Sequence[object]) -> int:
    """Return with how many equal values two sequences begin."""
    return sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(first, second, strict=False)))


def quoted_through(reply: str, texts: Sequence[str]) -> int:
    """Return how many of the first messages end with one that quotes most long lines of a reply; 0 for none."""
    lines = [line for line in map(str.strip, reply.splitlines()) if len(line) >= QUOTED_LINE_CHARS]
    for place, text in enumerate(texts, 1):
        if lines and 2 * sum(line in text for line in lines) >= len(lines):
            return place
    return 0


def begins_conversation(history: Sequence[object], tools: frozenset[str]) -> bool:
    """Whether a history is worth a new thread: it has tools, or a reply that something follows."""
    roles = [str(cast("Body", one).get("role")) for one in history if isinstance(one, dict)]
    return bool(tools) or any(one in ("assistant", "model") for one in roles[:-1])
