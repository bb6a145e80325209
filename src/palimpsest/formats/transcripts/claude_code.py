"""Claude Code's session files: one JSON object a line, a tree by `uuid` and `parentUuid`.

- The lines of one assistant message (`message.id`) become one message, also if results of its calls come between
  them, until a prompt or another assistant message follows. Usage is that of the last line.
- Lines that only the model sees are messages: `isMeta` prompts, and prompts queued while the agent worked (an
  `attachment`). Lines that the model never sees are not: API error notices, progress, snapshots, titles, other
  attachments.
- `isCompactSummary` lines and `compact_boundary` marks are the session's own compactions: counted, not messages. A
  boundary continues the message named by its `logicalParentUuid`, so the raw history continues.
- A line with a known uuid is a copy and is dropped; a copy with other content is reported.
- An unknown parent, or "null" in a file that never names a known parent, means the line before.
- `isSidechain` lines are conversations of their own, one for each agent, linked to the session.
- `toolUseResult` repeats a result's content and is used only if that is missing.
- Content blocks have Anthropic's form. An unknown block inside a result is kept as its JSON text; elsewhere it is
  reported, because its author is unknown.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from palimpsest.formats import media
from palimpsest.formats.transcripts.message_tree import Draft, Node, Tree, paths
from palimpsest.formats.transcripts.reader_base import (
    Head,
    JsonObject,
    Reading,
    Skipped,
    Skips,
    Source,
    Transcript,
    arguments_text,
    as_list,
    as_object,
    as_text,
    clipped,
    decode,
    is_list,
    is_object,
    json_text,
    kind_of,
    listed,
    read_lines,
    stem,
    time_s,
    title_of,
)
from palimpsest.formats.usage import find_usage
from palimpsest.record.message import Media, Part, Reasoning, Role, Text, ToolCall, ToolResult, Usage


@dataclass(slots=True)
class Blocks:
    """The content of a message: `said` in order, `results` separately, and a sentence for each unreadable block."""

    said: list[Part] = field(default_factory=list[Part])
    results: list[ToolResult] = field(default_factory=list[ToolResult])
    problems: list[str] = field(default_factory=list[str])


def read_blocks(content: object, fallback_id: str) -> Blocks:
    """Return the parts of a message's content. Calls without an id get one from `fallback_id` and their position."""
    found = Blocks()
    if isinstance(content, str):
        found.said.extend(text_parts(content))
        return found
    for index, item in enumerate(as_list(content)):
        if not is_object(item):
            found.problems.append(f"a content block is {kind_of(item)}")
            continue
        block, kind = item, as_text(item.get("type"))
        if kind.endswith("tool_result"):
            found.results.append(_result(block))
            continue
        part = _part(block, kind, f"{fallback_id}:{index}")
        if part is None and kind not in {"text", "thinking"}:
            found.problems.append(f'unknown content block "{kind}"')
        elif part is not None:
            found.said.append(part)
    return found


def text_parts(text: str) -> list[Part]:
    """Return `text` as parts: none if it is empty."""
    return [Text(text)] if text else []


def source_part(source: JsonObject, kind: str) -> Media | Text | None:
    """Return an image's or document's `source`: inline, by address, or by file id. Text documents become text."""
    match as_text(source.get("type")):
        case "base64":
            data = as_text(source.get("data"))
            return media.inline(as_text(source.get("media_type")) or kind, data) if data else None
        case "url":
            return Media(kind, uri=as_text(source.get("url"))) if source.get("url") else None
        case "file":
            return Media(kind, uri=as_text(source.get("file_id"))) if source.get("file_id") else None
        case "text":
            return Text(as_text(source.get("data")))
        case _:
            return None


def result_content(content: object) -> tuple[Text | Media, ...]:
    """Return a tool result's content: text, or blocks of text and media; another block as its JSON text."""
    if isinstance(content, str):
        return (Text(content),) if content else ()
    return tuple(part for item in listed(content) if (part := _inner(item)) is not None)


def _inner(item: object) -> Text | Media | None:
    block = as_object(item)
    kind = as_text(block.get("type"))
    if kind == "text":
        text = as_text(block.get("text"))
        return Text(text) if text else None
    if kind in {"image", "document"}:
        part = source_part(as_object(block.get("source")), kind)
        if part is not None:
            return part
    return Text(json_text(item)) if item else None


def _part(block: JsonObject, kind: str, fallback_id: str) -> Part | None:
    match kind:
        case "text":
            text = as_text(block.get("text"))
            return Text(text) if text else None
        case "thinking":
            text, signature = as_text(block.get("thinking")), as_text(block.get("signature"))
            return Reasoning(text, signature) if text or signature else None
        case "redacted_thinking":
            return Reasoning(as_text(block.get("data")), redacted=True)
        case "tool_use" | "server_tool_use" | "mcp_tool_use":
            call_id = as_text(block.get("id")) or fallback_id
            return ToolCall(call_id, as_text(block.get("name")), arguments_text(block.get("input")))
        case "image" | "document":
            return source_part(as_object(block.get("source")), kind)
        case _:
            return None


def _result(block: JsonObject) -> ToolResult:
    return ToolResult(
        call_id=as_text(block.get("tool_use_id")),
        content=result_content(block.get("content")),
        is_error=block.get("is_error") is True,
    )


NAME = "claude_code"

BOOKKEEPING = frozenset(
    "agent-name ai-title atis-latch attachment bridge-session custom-title file-history-snapshot frame-link "
    "last-prompt mode permission-mode pr-link progress queue-operation relocated result started summary system tag "
    "task-summary worktree-state".split()
)
"""Known line types that are never messages, except queued prompts among attachments."""


@dataclass(slots=True, eq=False)
class _Chain:
    """One conversation of the file: the session itself, or one agent's sidechain."""

    key: str
    tree: Tree = field(default_factory=lambda: Tree(grows=True, strict=False))
    pieces: dict[str, Node] = field(default_factory=dict[str, Node])
    session: str = ""
    cwd: str = ""
    title: str = ""
    linked: bool = False
    boundaries: int = 0
    summaries: int = 0
    bookkeeping: int = 0


@dataclass(frozen=True, slots=True)
class _Place:
    """The place of a uuid: its chain and node, and its line's content, None for a line that is not a message."""

    chain: _Chain
    node: Node
    said: tuple[Part, ...] | None


@dataclass(slots=True)
class _Reader:
    path: str
    main: _Chain = field(default_factory=lambda: _Chain(""))
    sides: dict[str, _Chain] = field(default_factory=dict[str, _Chain])
    places: dict[str, _Place] = field(default_factory=dict[str, _Place])
    titles: dict[str, str] = field(default_factory=dict[str, str])
    skipped: Skips = field(default_factory=Skips)
    ended: bool = False

    def line(self, number: int, line: JsonObject) -> None:
        """Read one line."""
        kind = as_text(line.get("type"))
        if kind in {"user", "assistant"}:
            self.message(number, line, "user" if kind == "user" else "assistant")
        elif kind in BOOKKEEPING:
            self.bookkeeping(line, kind)
        else:
            name = f'unknown line type "{clipped(kind, 40)}"' if kind else 'a line without a "type"'
            self.skipped.append(Skipped(number, name))

    def bookkeeping(self, line: JsonObject, kind: str) -> None:
        """Read a line that is not a message: titles are recorded, its uuid continues its parent, queued prompts are
        messages.
        """
        if kind in {"summary", "custom-title", "ai-title"}:
            text = line.get("summary") or line.get("customTitle") or line.get("aiTitle")
            self.titles[kind] = title_of(as_text(text)) or self.titles.get(kind, "")
        boundary = kind == "system" and line.get("subtype") == "compact_boundary"
        chain, at = self.position(line, line.get("logicalParentUuid") if boundary else line.get("parentUuid"))
        chain.boundaries += boundary
        attachment = as_object(line.get("attachment"))
        uuid = as_text(line.get("uuid"))
        if attachment.get("type") == "queued_command" and self.places.get(uuid) is None:
            found = read_blocks(attachment.get("prompt"), uuid)
            if found.said:
                draft = self.draft("user", found.said, line, uuid)
                self.remember(uuid, chain, chain.tree.prompt(at, draft), tuple(found.said))
                return
        chain.bookkeeping += 1
        self.remember(uuid, chain, at, None)

    def message(self, number: int, line: JsonObject, role: Role) -> None:
        """Read a message line."""
        chain, at = self.position(line, line.get("parentUuid", ""))
        body = as_object(line.get("message"))
        uuid = as_text(line.get("uuid"))
        content = body.get("content")
        if not isinstance(content, str) and not is_list(content):
            self.skipped.append(Skipped(number, "a message without content"))
            self.remember(uuid, chain, at, None)
            return
        if line.get("isCompactSummary") is True:
            chain.summaries += 1
            self.remember(uuid, chain, at, None)
            return
        if line.get("isApiErrorMessage") is True or line.get("isVisibleInTranscriptOnly") is True:
            chain.bookkeeping += 1
            self.remember(uuid, chain, at, None)
            return
        found = read_blocks(content, uuid or f"line {number}")
        self.skipped.extend(Skipped(number, problem) for problem in found.problems)
        if role == "user":
            found.results[:] = whole_results(found.results, line, at)
        said = (*found.said, *found.results)
        if not said:
            chain.bookkeeping += not found.problems
            self.remember(uuid, chain, at, None)
            return
        if self.copied(number, uuid, said):
            chain.bookkeeping += 1
            return
        node = (
            self.assistant(chain, at, line, found)
            if role == "assistant"
            else self.user(chain, at, line, found)
        )
        self.remember(uuid, chain, node, said)

    def assistant(self, chain: _Chain, at: Node, line: JsonObject, found: Blocks) -> Node:
        """Read a piece of an assistant message: a continuation if nothing followed it, or a new one."""
        body = as_object(line.get("message"))
        uuid = as_text(line.get("uuid"))
        node = at
        if found.said:
            draft = self.draft("assistant", found.said, line, uuid)
            draft.model = as_text(body.get("model"))
            draft.usage = usage(as_object(body.get("usage")))
            key = as_text(body.get("id"))
            begun = chain.pieces.get(key) if key else None
            if begun is not None and begun.open:
                node = begun
                chain.tree.extend(begun, draft)
            else:
                node = chain.pieces[key] = chain.tree.answer(at, draft)
        for result in found.results:
            node = chain.tree.result(node, self.draft("tool", [result], line, f"{uuid}#{result.call_id}"))
        return node

    def user(self, chain: _Chain, at: Node, line: JsonObject, found: Blocks) -> Node:
        """Read results, a prompt, or both. Hidden text with the results of open calls belongs to them."""
        uuid = as_text(line.get("uuid"))
        node = at
        if found.results:
            node = chain.tree.result(at, self.draft("tool", list(found.results), line, uuid))
        if not found.said:
            return node
        draft = self.draft("user", found.said, line, f"{uuid}#text" if found.results else uuid)
        hidden = line.get("isMeta") is True and at.open and bool(at.calls)
        if found.results or hidden:
            return chain.tree.add(node, draft)
        if not chain.title and line.get("isMeta") is not True:
            chain.title = title_of(next((part.text for part in found.said if isinstance(part, Text)), ""))
        return chain.tree.prompt(node, draft)

    def copied(self, number: int, uuid: str, said: tuple[Part, ...]) -> bool:
        """Return whether this uuid's message is known; one with other content is reported."""
        place = self.places.get(uuid)
        if not uuid or place is None or place.said is None:
            return False
        if place.said != said:
            self.skipped.append(
                Skipped(number, f"uuid {clipped(uuid, 40)} is there already with other content")
            )
        return True

    def position(self, line: JsonObject, parent: object) -> tuple[_Chain, Node]:
        """Return the chain of a line and the node it continues. A message with a null parent starts a new history."""
        place = self.places.get(parent) if isinstance(parent, str) else None
        chain = self.main if line.get("isSidechain") is not True else self.side(line, place)
        chain.session = chain.session or as_text(line.get("sessionId"))
        chain.cwd = chain.cwd or as_text(line.get("cwd"))
        if place is not None and place.chain is chain:
            chain.linked = True
            return chain, place.node
        starts = parent is None and chain.linked and as_text(line.get("type")) in {"user", "assistant"}
        return chain, chain.tree.root if starts else chain.tree.tip

    def side(self, line: JsonObject, place: _Place | None) -> _Chain:
        """Return the sidechain of a line: its agent's, its parent's, or a new one."""
        key = as_text(line.get("agentId"))
        if not key and place is not None and place.chain is not self.main:
            return place.chain
        if not key and place is None and isinstance(line.get("parentUuid"), str) and self.sides:
            return next(reversed(self.sides.values()))
        key = key or _agent_of(self.path) or as_text(line.get("uuid")) or "sidechain"
        return self.sides.setdefault(key, _Chain(key))

    def draft(self, role: Role, parts: list[Part], line: JsonObject, origin: str) -> Draft:
        """Return a draft message of this line."""
        return Draft(role, parts, time_s(line.get("timestamp")), origin, wire="anthropic")

    def reading(self, source: Source) -> Reading:
        """Return the content of the lines so far: the session and its agents' sidechains."""
        session = (
            self.main.session
            or next((chain.session for chain in self.sides.values()), "")
            or stem(source.path)
        )
        found: list[Transcript] = []
        skipped = self.skipped.copy()
        titles = (self.titles.get(kind, "") for kind in ("custom-title", "ai-title", "summary"))
        own_title = next(filter(None, titles), "")
        for chain in (self.main, *self.sides.values()):
            histories, left_out = paths(chain.tree)
            if left_out:
                skipped.append(Skipped(1, f"{left_out} old branches left out: the session is too large"))
            parent = _parent_session(source.path, session) if chain.key else ""
            if not histories:
                continue
            found.append(
                Transcript(
                    id=f"{parent}/{chain.key}" if chain.key else session,
                    format=NAME,
                    title=(_agent_title(source) if chain.key else own_title) or chain.title,
                    parent=parent,
                    paths=histories,
                    summaries=max(chain.summaries, chain.boundaries),
                    bookkeeping=chain.bookkeeping,
                    cwd=chain.cwd,
                )
            )
        return skipped.reading(found)

    def remember(self, uuid: str, chain: _Chain, node: Node, said: tuple[Part, ...] | None) -> None:
        """Record the place of a uuid; a message is never replaced by a line that is not one."""
        if uuid and (said is not None or uuid not in self.places):
            self.places[uuid] = _Place(chain, node, said)


def whole_results(results: list[ToolResult], line: JsonObject, at: Node) -> list[ToolResult]:
    """Return the results, completed from the rest of the line: call ids and content that the blocks lack."""
    waiting = at.unanswered()
    named = as_text(line.get("sourceToolUseID"))
    whole: list[ToolResult] = []
    for result in results:
        call_id = result.call_id or next(waiting, "") or named or f"{as_text(line.get('uuid'))}:result"
        content = result.content
        if not content:
            beside = line.get("toolUseResult")
            text = beside if isinstance(beside, str) else as_text(as_object(beside).get("stdout"))
            content = (Text(text),) if text else ()
        whole.append(ToolResult(call_id, content, result.is_error))
    return whole


def _agent_of(path: str) -> str:
    name = stem(path)
    return name.removeprefix("agent-") if name.startswith("agent-") else ""


def usage(raw: JsonObject) -> Usage | None:
    """Return token counts as Anthropic reports them; None if there are none."""
    counts = find_usage(raw)
    return counts if counts != Usage() else None


def _parent_session(path: str, session: str) -> str:
    """Return the session of an agent's own file: the folder above `subagents`, otherwise what its lines say."""
    folders = path.replace("\\", "/").split("/")
    if len(folders) > 2 and folders[-2] == "subagents":
        return folders[-3]
    return session


def _agent_title(source: Source) -> str:
    meta = next((data for path, data in source.related.items() if path.endswith(".meta.json")), b"{}")
    try:
        found = as_object(decode(meta))
    except ValueError:
        return ""
    return title_of(as_text(found.get("description")) or as_text(found.get("agentType")))


def begin(path: str) -> _Reader:
    """Return a reader for the lines of a file at `path`."""
    return _Reader(path)


def read(source: Source) -> Reading:
    """Return the session in `source` and its agents' sidechains, each a transcript."""
    return read_lines(begin(source.path), source)


def detect(head: Head) -> bool:
    """Return whether the first lines of a file are Claude Code's."""
    foreign = any("systemPayload" in line or "parts" in as_object(line.get("message")) for line in head.rows)
    return not foreign and any(_known(line) for line in head.rows)


def _known(line: JsonObject) -> bool:
    kind = as_text(line.get("type"))
    if kind in {"user", "assistant"}:
        linked = "uuid" in line or "sessionId" in line
        return linked and "content" in as_object(line.get("message"))
    if kind == "summary":
        return "leafUuid" in line
    if kind == "file-history-snapshot":
        return "snapshot" in line
    ours = kind in BOOKKEEPING and kind not in {"result", "started", "system", "progress"}
    return kind in BOOKKEEPING and (ours or "parentUuid" in line) and "sessionId" in line


def related(source: Source) -> tuple[str, ...]:
    """Return the file next to an agent's transcript that describes the agent."""
    name = stem(source.path)
    return (f"{name}.meta.json",) if name.startswith("agent-") else ()
