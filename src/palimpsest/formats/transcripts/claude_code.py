"""Claude Code's session files: one JSON object a line, a tree by `uuid` and `parentUuid`.

- The lines of one assistant message (`message.id`) become one message, also if results of its calls come between
  them, until a prompt or another assistant message follows. Usage is that of the last line.
- Lines that only the model sees are messages: `isMeta` prompts, attachments, prompts queued while the agent worked
  (also an `attachment`), and the output of local commands. Lines that the model never sees are not: API error
  notices, progress, snapshots, titles. They are counted by kind.
- `isCompactSummary` lines and `compact_boundary` marks are the session's own compactions: counted, not messages. A
  boundary continues the message named by its `logicalParentUuid`, so the raw history continues. A summary that begins
  a session is a message, because what it stands for is in no line before it.
- A tool result that is only a preview gets the whole output from its file, if it is there. Its identity remains that of
  the preview, so reading the session again without the file gives the same history.
- A line with a known uuid is a copy and is dropped; a copy with other content is reported.
- An unknown parent, or "null" in a file that never names a known parent, means the line before.
- `isSidechain` lines are conversations of their own, one for each agent, linked to the session.
- `toolUseResult` repeats a result's content and is used only if that is missing.
- Content blocks have Anthropic's form. An unknown block inside a result is kept as its JSON text; elsewhere it is
  reported, because its author is unknown.
"""

from __future__ import annotations

import glob
from dataclasses import dataclass, field, replace

from palimpsest.formats import media
from palimpsest.formats.transcripts.attachments import (
    RESULTS,
    attachment_parts,
    output_name,
    output_names,
    whole_output,
)
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
from palimpsest.lazy_regex import later
from palimpsest.limits import MAX_MESSAGE_CHARS
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
_SESSION = later(rb'"sessionId"\s*:\s*"(\w[\w-]{0,99})"')

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
    begun: bool = False
    beside: tuple[Node, Node] | None = None
    boundaries: int = 0
    summaries: int = 0
    bookkeeping: int = 0


@dataclass(frozen=True, slots=True)
class _Place:
    """The place of a uuid: its chain and node, and its line's content, None for a line that is not a message."""

    chain: _Chain
    node: Node
    said: tuple[Part, ...] | None


@dataclass(frozen=True, slots=True)
class _Preview:
    """A result that is only a preview: its place in a draft of a node, and the name of the file with the whole."""

    node: Node
    draft: Draft
    index: int
    name: str


@dataclass(slots=True)
class _Reader:
    path: str
    main: _Chain = field(default_factory=lambda: _Chain(""))
    sides: dict[str, _Chain] = field(default_factory=dict[str, _Chain])
    places: dict[str, _Place] = field(default_factory=dict[str, _Place])
    titles: dict[str, str] = field(default_factory=dict[str, str])
    previews: list[_Preview] = field(default_factory=list[_Preview])
    skipped: Skips = field(default_factory=Skips)
    ended: bool = False

    def line(self, number: int, line: JsonObject) -> None:
        """Read one line."""
        kind = as_text(line.get("type"))
        if kind in {"user", "assistant"}:
            self.message(number, line, "user" if kind == "user" else "assistant")
        elif kind in BOOKKEEPING:
            self.bookkeeping(number, line, kind)
        else:
            self.skipped.leave_out(kind)

    def bookkeeping(self, number: int, line: JsonObject, kind: str) -> None:
        """Read a line that is no prompt and no answer: titles are recorded, its uuid continues its parent, and what the
        model sees of it is a message.
        """
        if kind in {"summary", "custom-title", "ai-title"}:
            text = line.get("summary") or line.get("customTitle") or line.get("aiTitle")
            self.titles[kind] = title_of(as_text(text)) or self.titles.get(kind, "")
        boundary = kind == "system" and line.get("subtype") == "compact_boundary"
        chain, at = self.position(line, line.get("logicalParentUuid") if boundary else line.get("parentUuid"))
        chain.boundaries += boundary
        attachment = as_object(line.get("attachment"))
        uuid = as_text(line.get("uuid"))
        queued = attachment.get("type") == "queued_command"
        parts = read_blocks(attachment.get("prompt"), uuid).said if queued else []
        parts = parts or (attachment_parts(attachment) if attachment else _command_output(line, kind))
        if parts and not self.copied(number, uuid, tuple(parts)):
            draft = self.draft("user", parts, line, uuid)
            after = chain.beside[1] if chain.beside and chain.beside[0] is at else at
            follows = after.newest is None and not queued
            node = chain.tree.add(after, draft) if follows else chain.tree.prompt(after, draft)
            chain.beside = at, node
            self.remember(uuid, chain, node, tuple(parts))
            return
        chain.bookkeeping += 1
        if not parts:
            self.skipped.leave_out(kind, as_text(attachment.get("type")) or as_text(line.get("subtype")))
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
        summary = line.get("isCompactSummary") is True
        chain.summaries += summary
        marks = ("isCompactSummary", "isApiErrorMessage", "isVisibleInTranscriptOnly")
        hidden = next((mark for mark in marks if line.get(mark) is True), "")
        if hidden and (chain.begun or not summary):
            chain.bookkeeping += not summary
            self.skipped.leave_out(role, hidden)
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
        chain.begun, chain.beside = True, None
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
            node = self.results(chain, node, self.draft("tool", [result], line, f"{uuid}#{result.call_id}"))
        return node

    def results(self, chain: _Chain, at: Node, draft: Draft) -> Node:
        """Add results, and note those that are only previews."""
        node = chain.tree.result(at, draft)
        for index, part in enumerate(draft.parts):
            name = output_name(part.text) if isinstance(part, ToolResult) else ""
            if name:
                self.previews.append(_Preview(node, draft, index, name))
        return node

    def user(self, chain: _Chain, at: Node, line: JsonObject, found: Blocks) -> Node:
        """Read results, a prompt, or both. Hidden text with the results of open calls belongs to them."""
        uuid = as_text(line.get("uuid"))
        node = at
        if found.results:
            node = self.results(chain, at, self.draft("tool", list(found.results), line, uuid))
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
        if isinstance(parent, str) and parent and not self.places and not chain.tree.nodes:
            self.skipped.leave_out("earlier lines", "another file")
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
        self.complete(source, skipped)
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

    def complete(self, source: Source, skipped: Skips) -> None:
        """Put the whole outputs in the place of their previews."""
        files = {
            path.replace("\\", "/").rpartition("/")[2]: data
            for path, data in source.related.items()
            if RESULTS in path.replace("\\", "/").split("/")
        }
        for one in self.previews:
            part = one.draft.parts[one.index]
            if not isinstance(part, ToolResult) or part.shown:
                continue
            data = files.get(one.name)
            if data is None or len(data) > MAX_MESSAGE_CHARS:
                skipped.leave_out("whole output", "missing file" if data is None else "too large")
                continue
            content = result_content(whole_output(one.name, data))
            one.draft.parts[one.index] = replace(part, content=content, shown=part.text)
            one.node.built = None

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


def _command_output(line: JsonObject, kind: str) -> list[Part]:
    """Return what the model sees of a line of the program: the output of a command that the user ran in it."""
    shown = kind == "system" and line.get("subtype") == "local_command"
    return text_parts(as_text(line.get("content"))) if shown else []


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
    """Return the file next to an agent's transcript that describes the agent, and the whole outputs of previews."""
    name = stem(source.path)
    agent = name.startswith("agent-")
    below = source.path.replace("\\", "/").split("/")[-2:-1] == ["subagents"]
    own = _SESSION.search(source.data)
    folders = {".."} if below else {name, *([own.group(1).decode()] if own else [])}
    outputs = sorted(output_names(source.data))
    return (
        *((f"{name}.meta.json",) if agent else ()),
        *(f"{glob.escape(folder)}/{RESULTS}/{output}" for folder in sorted(folders) for output in outputs),
    )
