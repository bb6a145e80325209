"""Claude Agent SDK: sessions kept without loss in the database, and what a session needs after its own compaction.

    memory = PalimpsestSessions("agent.db", owner="ann")
    async for message in query(prompt=question, options=memory.options(ClaudeAgentOptions(cwd=folder))): ...

Claude Code decides itself what its model sees, and compacts its context itself. So this adapter

- mirrors every line of a session as it came, so that any machine with the database can resume it (`SessionStore`);
- stores the session's messages as a conversation, so that they can be searched;
- tells the model after a compaction what its summary may have lost, and how to look up the rest (hooks);
- offers the recall tools as an MCP server that runs in the program.
"""

from __future__ import annotations

import asyncio
import base64
import json
import logging
import time
import zlib
from collections.abc import Iterable
from dataclasses import replace
from datetime import datetime
from hashlib import sha256
from pathlib import Path
from typing import Any, cast
from urllib.parse import quote, unquote

from palimpsest.engine.conversation import state_of
from palimpsest.engine.engine import Engine
from palimpsest.engine.handover import handover
from palimpsest.errors import NotFound, PalimpsestError, UsageError
from palimpsest.formats.transcripts import Source, read
from palimpsest.integrations.shared.hosting import AnyEngine, Host, require
from palimpsest.record.message import Message, Opaque, ToolDef

require("claude-agent-sdk", "0.2.180", "0.3", extra="claude-agent-sdk")

from claude_agent_sdk import (
    ClaudeAgentOptions,
    HookMatcher,
    SdkMcpTool,
    SessionKey,
    SessionStore,
    create_sdk_mcp_server,
    fold_session_summary,
)
from claude_agent_sdk.types import SessionStoreEntry, SessionStoreListEntry, SessionSummaryEntry

WHERE = "a session: this one has not begun"
SERVER = "palimpsest"
PREFIX = "claude-sessions/"
KIND = "session_lines"
MAX_LINES = 1_000_000
MAX_MIRRORS = 16
"""Sessions whose lines are held in memory, to be read again when more of them come."""

HOW = (
    "Everything of this session is kept. The tools of the MCP server palimpsest read it: short_search answers a "
    "question, short_grep finds words, and short_expand reads a message by its id."
)
LOGGER = logging.getLogger("palimpsest")


class PalimpsestSessions:
    """Sessions of Claude Code in a database. `engine` is its path, or an open engine; see `Host`."""

    def __init__(
        self, engine: AnyEngine, *, owner: str | None = None, all_conversations: bool = False, **settings: Any
    ) -> None:
        self.host: Host[Any] = Host(
            engine, cast("Any", None), owner=owner, all_conversations=all_conversations, **settings
        )

    def store(self, owner: str | None = None) -> PalimpsestSessionStore:
        """The sessions of an owner, for `ClaudeAgentOptions.session_store`."""
        return PalimpsestSessionStore(self.host, owner)

    def options(
        self, given: ClaudeAgentOptions | None = None, *, owner: str | None = None, recall: bool = True
    ) -> ClaudeAgentOptions:
        """The options of one session or query, with the store, the hooks and the recall tools added.

        Take the owner from your login. Raises UsageError for options with another session store.
        """
        options = given or ClaudeAgentOptions()
        if options.session_store is not None:
            raise UsageError(
                "the options have a session store", hint="leave it out, or use memory.store alone"
            )
        run = _Run(self.host, owner)
        hooks = {**(options.hooks or {})}
        for event in ("PreCompact", "UserPromptSubmit", "PostToolUse"):
            hooks[event] = [*hooks.get(event, ()), HookMatcher(hooks=[run.hook])]
        changes: dict[str, Any] = {"session_store": run.store, "hooks": hooks}
        if recall and isinstance(options.mcp_servers, dict):
            tools = [run.tool(one) for one in self.host.recall_tools]
            changes["mcp_servers"] = {
                **options.mcp_servers,
                SERVER: create_sdk_mcp_server(SERVER, tools=tools),
            }
            names = (f"mcp__{SERVER}__{one.name}" for one in tools)
            changes["allowed_tools"] = [*options.allowed_tools, *names]
        return replace(options, **changes)

    def close(self) -> None:
        """Close an engine that was opened here."""
        self.host.close()


class _Run:
    """One session: which one it is, and whether it was compacted since the model was told what it lost."""

    def __init__(self, host: Host[Any], owner: str | None) -> None:
        self.host, self.owner = host, owner
        self.store = PalimpsestSessionStore(host, owner)
        self.session, self.compacted = "", False

    async def hook(self, given: Any, tool_use_id: str | None, context: Any) -> Any:
        """Keep the session before its compaction, and tell the model afterwards what it may have lost."""
        event, self.session = str(given.get("hook_event_name")), str(given.get("session_id") or self.session)
        try:
            if event == "PreCompact":
                await self.host.run(self._keep, str(given.get("transcript_path") or ""))
                self.compacted = True
            elif self.compacted:
                self.compacted = False
                if text := await self.host.run(self._handover):
                    return {"hookSpecificOutput": {"hookEventName": event, "additionalContext": text}}
        except (PalimpsestError, OSError) as error:
            LOGGER.warning("a session goes on without what was kept of it: %s", error)
        return {}

    async def _keep(self, path: str) -> None:
        """Store the transcript as it is now: its last lines may not have been mirrored yet."""
        if path:
            data = await asyncio.to_thread(Path(path).read_bytes)
            await self.store.read_session(path, data)

    async def _handover(self) -> str:
        return await handover(state_of(self.store.engine().conversation(self.session)), HOW)

    def tool(self, definition: ToolDef) -> SdkMcpTool[Any]:
        """A recall tool of the session that asks."""

        async def answer(arguments: dict[str, Any]) -> dict[str, Any]:
            name = self.session or self.store.newest
            thread = self.host.thread(name, self.owner, where=WHERE)
            text = await self.host.run(thread.recall, definition.name, arguments)
            return {"content": [{"type": "text", "text": text}]}

        schema = json.loads(definition.schema)
        return SdkMcpTool(definition.name, definition.description, schema, answer)


class PalimpsestSessionStore(SessionStore):
    """Sessions line by line, as Claude Code wrote them, and their messages as conversations that can be searched.

    The lines of a session are a conversation of their own, which no search finds. It is deleted with the session's.
    """

    def __init__(self, host: Host[Any], owner: str | None = None) -> None:
        self.host, self.owner, self.newest = host, owner, ""
        self._mirrors: dict[str, list[SessionStoreEntry]] = {}
        self._reading: dict[str, asyncio.Task[None]] = {}
        self._again: set[str] = set()

    def engine(self) -> Engine:
        """The owner's engine, in its own loop."""
        return self.host.engine_for(self.owner)

    async def append(self, key: SessionKey, entries: list[SessionStoreEntry]) -> None:
        """Store lines at the end of a session, or of a subagent's. A batch that is sent again is stored once."""
        self.newest = key["session_id"]
        if entries:
            await self.host.run(self._append, key, entries)

    async def _append(self, key: SessionKey, entries: list[SessionStoreEntry]) -> None:
        name, engine = _name_of(key), self.engine()
        known = await self._lines(name)
        text = json.dumps(entries)
        packed = base64.b64encode(zlib.compress(text.encode())).decode()
        message = Message("user", (Opaque(KIND, json.dumps({"encrypted_content": packed})),))
        named = all("uuid" in one for one in entries)
        digest = sha256(text.encode()).hexdigest() if named else None
        await engine.conversation(name).append(message, key=digest)
        if not known:
            parent = key["session_id"]
            await engine.store.describe_conversation(engine.owner, name, parent=parent, now_s=time.time())
        known += entries
        self._read_soon(key)

    async def load(self, key: SessionKey) -> list[SessionStoreEntry] | None:
        """All lines of a session, or of a subagent's; None for an unknown one."""
        return await self.host.run(self._load, _name_of(key)) or None

    async def _load(self, name: str) -> list[SessionStoreEntry]:
        stored = await self.engine().conversation(name).messages(1, MAX_LINES)
        lines = [one for row in stored for part in row.message.parts for one in _unpacked(part)]
        first = {one["uuid"]: place for place, one in reversed([*enumerate(lines)]) if "uuid" in one}
        return [one for place, one in enumerate(lines) if first.get(one.get("uuid", ""), place) == place]

    async def list_sessions(self, project_key: str) -> list[SessionStoreListEntry]:
        """The sessions of a project, without those of subagents."""
        start = _name_of({"project_key": project_key, "session_id": ""})
        rows = await self.host.run(self._conversations)
        found = [(one.id.removeprefix(start), one.updated_at) for one in rows if one.id.startswith(start)]
        return [
            {"session_id": unquote(name), "mtime": round(datetime.fromisoformat(when).timestamp() * 1000)}
            for name, when in found
            if "/" not in name
        ]

    async def list_session_summaries(self, project_key: str) -> list[SessionSummaryEntry]:
        """The SDK's own summary of each session of a project, made from its lines."""
        found: list[SessionSummaryEntry] = []
        for one in await self.list_sessions(project_key):
            key: SessionKey = {"project_key": project_key, "session_id": one["session_id"]}
            summary = fold_session_summary(None, key, await self.load(key) or [])
            found.append({**summary, "mtime": one["mtime"]})
        return found

    async def list_subkeys(self, key: Any) -> list[str]:
        """The subagents' transcripts of a session."""
        start = _name_of({"project_key": key["project_key"], "session_id": key["session_id"]}) + "/"
        rows = await self.host.run(self._conversations)
        return [unquote(one.id.removeprefix(start)) for one in rows if one.id.startswith(start)]

    async def delete(self, key: SessionKey) -> None:
        """Delete a session with its subagents' transcripts and its conversation, or one transcript alone."""
        await self.host.run(self._delete, _name_of(key), "" if key.get("subpath") else key["session_id"])

    async def _delete(self, name: str, session: str) -> None:
        rows = await self._conversations()
        names = [one.id for one in rows if one.id == name or (session and one.id.startswith(f"{name}/"))]
        for one in (*names, *((session,) if session else ())):
            self._mirrors.pop(one, None)
            try:
                await self.engine().forget(one)
            except NotFound:
                continue

    async def _conversations(self) -> Any:
        return await self.engine().conversations()

    async def _lines(self, name: str) -> list[SessionStoreEntry]:
        """The lines of a session so far, held in memory while it goes on."""
        lines = self._mirrors.pop(name, None)
        if lines is None:
            lines = await self._load(name)
        self._mirrors[name] = lines
        while len(self._mirrors) > MAX_MIRRORS:
            del self._mirrors[next(iter(self._mirrors))]
        return lines

    def _read_soon(self, key: SessionKey) -> None:
        """Read the messages of a session in the background; of what comes meanwhile, once more."""
        name = _name_of(key)
        if name in self._reading:
            self._again.add(name)
            return
        task = self._reading[name] = asyncio.get_running_loop().create_task(self._read(key))

        def ended(_: object) -> None:
            del self._reading[name]
            if name in self._again:
                self._again.discard(name)
                self._read_soon(key)

        task.add_done_callback(ended)

    async def _read(self, key: SessionKey) -> None:
        lines = await self._lines(_name_of(key))
        below = f"/{subpath}" if (subpath := key.get("subpath")) else ""
        data = b"\n".join(json.dumps(one).encode() for one in tuple(lines))
        try:
            await self.read_session(f"{key['session_id']}{below}.jsonl", data)
        except PalimpsestError as error:
            LOGGER.warning("a mirrored session cannot be searched: %s", error)

    async def read_session(self, path: str, data: bytes) -> None:
        """Store the messages of a transcript as conversations. Raises what reading and importing raise."""
        reading = await asyncio.to_thread(read, Source(path, data), "claude_code")
        for transcript in reading.transcripts:
            await self.engine().import_transcript(transcript)

    async def idle(self) -> None:
        """Wait until all mirrored messages can be searched."""
        await self.host.run(self._idle)

    async def _idle(self) -> None:
        while self._reading:
            await asyncio.wait(list(self._reading.values()))
            await asyncio.sleep(0)


def _name_of(key: Any) -> str:
    """The name of the conversation that holds the lines."""
    parts = [key["project_key"], key["session_id"], *([key["subpath"]] if key.get("subpath") else [])]
    return PREFIX + "/".join(quote(one, safe="") for one in parts)


def _unpacked(part: object) -> Iterable[SessionStoreEntry]:
    if not isinstance(part, Opaque) or part.kind != KIND:
        return ()
    packed = json.loads(part.data)["encrypted_content"]
    return json.loads(zlib.decompress(base64.b64decode(packed)))
