"""pi's session files, and those of agents built on it: entries a line, a tree by `id` and `parentId`.

- Every message is complete on its line, so nothing is provisional. In old files entries have no ids: each continues
  the one before. So does an entry with an unknown parent.
- `compaction` and `branch_summary` entries are the session's own summaries: counted, not messages.
- An extension's `custom_message` and a command the user ran (`bashExecution`) are user messages, as the model saw
  them. A command hidden from the model is not. Leading system messages are the system prompt.
- An empty assistant message, aborted or failed, is not a message.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import cast

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
    as_count,
    as_list,
    as_object,
    as_text,
    clipped,
    is_object,
    json_text,
    kind_of,
    lines,
    made_id,
    time_s,
    title_of,
)
from palimpsest.record.message import Media, Part, Reasoning, Role, Text, ToolCall, ToolResult, Usage

NAME = "pi"

BOOKKEEPING = frozenset(
    {
        "session",
        "model_change",
        "thinking_level_change",
        "custom",
        "label",
        "session_info",
        "active_tools_change",
    }
)
SUMMARIES = frozenset({"compaction", "branch_summary", "compactionSummary", "branchSummary"})


@dataclass(slots=True)
class _Reader:
    tree: Tree = field(default_factory=lambda: Tree(grows=False, strict=True))
    nodes: dict[str, Node] = field(default_factory=dict[str, Node])
    meta: JsonObject = field(default_factory=dict[str, object])
    linked: bool = False
    title: str = ""
    name: str = ""
    system: list[str] = field(default_factory=list[str])
    summaries: int = 0
    bookkeeping: int = 0
    skipped: Skips = field(default_factory=Skips)

    def entry(self, number: int, entry: JsonObject) -> None:
        """Read one entry."""
        kind = as_text(entry.get("type"))
        own = as_text(entry.get("id"))
        if kind == "session" and not self.meta:
            self.meta = entry
            self.bookkeeping += 1
            return
        at = self.position(entry)
        if kind == "message":
            node = self.message(number, at, as_object(entry.get("message")), entry)
        elif kind == "custom_message":
            node = self.prompt(number, at, entry, entry)
        else:
            node = at
            self.note(number, kind, entry)
        if own and own not in self.nodes:
            self.nodes[own] = node

    def position(self, entry: JsonObject) -> Node:
        """Return the node that an entry continues."""
        parent = entry.get("parentId")
        found = self.nodes.get(parent) if isinstance(parent, str) else None
        if found is not None:
            self.linked = True
            return found
        starts = (
            parent is None and self.linked and as_text(entry.get("type")) in {"message", "custom_message"}
        )
        return self.tree.root if starts else self.tree.tip

    def note(self, number: int, kind: str, entry: JsonObject) -> None:
        """Read an entry that is not a message."""
        if kind in SUMMARIES:
            self.summaries += 1
        elif kind in BOOKKEEPING:
            self.bookkeeping += 1
            self.name = title_of(as_text(entry.get("name"))) or self.name
        else:
            name = f'unknown entry type "{clipped(kind, 40)}"' if kind else 'an entry without a "type"'
            self.skipped.append(Skipped(number, name))

    def message(self, number: int, at: Node, body: JsonObject, entry: JsonObject) -> Node:
        """Read a message entry, by its role."""
        match as_text(body.get("role")):
            case "user":
                if not self.title:
                    self.title = title_of(_words(body.get("content")))
                return self.prompt(number, at, body, entry)
            case "assistant":
                return self.assistant(number, at, body, entry)
            case "toolResult":
                return self.result(at, body, entry)
            case "bashExecution" if body.get("excludeFromContext") is not True:
                return self.tree.prompt(at, self.draft("user", [Text(_execution(body))], body, entry))
            case "custom" | "hookMessage":
                return self.prompt(number, at, body, entry)
            case "system" if at is self.tree.root:
                self.system.append(_words(body.get("content")))
            case "system":
                return self.prompt(number, at, body, entry, "system")
            case role if role in SUMMARIES:
                self.summaries += 1
            case "bashExecution":
                self.bookkeeping += 1
            case role:
                self.skipped.append(Skipped(number, f'unknown role "{clipped(role, 40)}"'))
        return at

    def prompt(self, number: int, at: Node, body: JsonObject, entry: JsonObject, role: Role = "user") -> Node:
        """Add a message that the model answers, or one of the system."""
        parts = self.parts(number, body.get("content"), entry)
        if parts is None:
            return at
        return self.tree.prompt(at, self.draft(role, parts, body, entry))

    def assistant(self, number: int, at: Node, body: JsonObject, entry: JsonObject) -> Node:
        """Add an assistant message."""
        parts = self.parts(number, body.get("content"), entry)
        if parts is None:
            return at
        draft = self.draft("assistant", parts, body, entry)
        draft.model = as_text(body.get("model"))
        draft.usage = usage(as_object(body.get("usage")))
        return self.tree.answer(at, draft)

    def result(self, at: Node, body: JsonObject, entry: JsonObject) -> Node:
        """Add the result of a call."""
        own = f"{as_text(entry.get('id'))}:result"
        call_id = as_text(body.get("toolCallId")) or next(at.unanswered(), own)
        content, _ = _content(body.get("content"), call_id)
        said = tuple(part for part in content if isinstance(part, Text | Media))
        result = ToolResult(call_id, said, is_error=body.get("isError") is True)
        return self.tree.result(at, self.draft("tool", [result], body, entry))

    def parts(self, number: int, content: object, entry: JsonObject) -> list[Part] | None:
        """Return a content's parts; None, reported, if there are none."""
        if not isinstance(content, str) and not isinstance(content, list):
            self.skipped.append(Skipped(number, "a message without content"))
            return None
        found, problems = _content(cast("object", content), as_text(entry.get("id")) or f"line {number}")
        self.skipped.extend(Skipped(number, problem) for problem in problems)
        self.bookkeeping += not found and not problems
        return found or None

    def draft(self, role: Role, parts: list[Part], body: JsonObject, entry: JsonObject) -> Draft:
        """Return a draft message of this entry."""
        when = time_s(entry.get("timestamp"))
        anthropic = as_text(body.get("api")).startswith("anthropic")
        return Draft(
            role,
            parts,
            time_s(body.get("timestamp")) if when is None else when,
            as_text(entry.get("id")),
            wire="anthropic" if anthropic else "",
        )


def _words(content: object) -> str:
    parts, _ = _content(content, "")
    return "\n".join(part.text for part in parts if isinstance(part, Text))


def _content(content: object, fallback_id: str) -> tuple[list[Part], list[str]]:
    """Return a content's parts, and a sentence for each invalid block."""
    if isinstance(content, str):
        return ([Text(content)] if content else []), []
    parts: list[Part] = []
    problems: list[str] = []
    for index, item in enumerate(as_list(content)):
        block = as_object(item)
        match as_text(block.get("type")):
            case "text":
                text = as_text(block.get("text"))
                parts.extend([Text(text)] if text else [])
            case "thinking":
                words, signature = as_text(block.get("thinking")), as_text(block.get("thinkingSignature"))
                redacted = block.get("redacted") is True
                parts.extend([Reasoning(words, signature, redacted)] if words or signature else [])
            case "toolCall":
                call_id = as_text(block.get("id")) or f"{fallback_id}:{index}"
                parts.append(
                    ToolCall(call_id, as_text(block.get("name")), arguments_text(block.get("arguments")))
                )
            case "image":
                data = as_text(block.get("data"))
                parts.extend([media.inline(as_text(block.get("mimeType")) or "image", data)] if data else [])
            case "" if not is_object(item):
                problems.append(f"a content block is {kind_of(item)}")
            case kind:
                problems.append(f'unknown content block "{clipped(kind, 40)}"')
    return parts, problems


def _execution(body: JsonObject) -> str:
    """Return a command that the user ran as text: the command, its output, and its exit code if it failed."""
    code = body.get("exitCode")
    lines_found = [f"$ {as_text(body.get('command'))}", as_text(body.get("output")).rstrip("\n")]
    if body.get("cancelled") is True:
        lines_found.append("(cancelled)")
    elif code not in (None, 0):
        lines_found.append(f"(exit code {json_text(code)})")
    return "\n".join(line for line in lines_found if line)


def usage(raw: JsonObject) -> Usage | None:
    """Return token counts; pi's input excludes cached tokens, ours includes them."""
    cached, written = as_count(raw.get("cacheRead")), as_count(raw.get("cacheWrite"))
    counts = Usage(
        as_count(raw.get("input")) + cached + written, as_count(raw.get("output")), cached, written
    )
    return counts if counts != Usage() else None


def read(source: Source) -> Reading:
    """Return the session in `source`."""
    return read_as(source, NAME)


def read_as(source: Source, name: str) -> Reading:
    """Return the session in `source`, under the name of the agent that wrote it."""
    reader = _Reader()
    for number, entry in lines(source.data):
        if isinstance(entry, Skipped):
            reader.skipped.append(entry)
        else:
            reader.entry(number, entry)
    histories, left_out = paths(reader.tree)
    if left_out:
        reader.skipped.append(Skipped(1, f"{left_out} old branches left out: the session is too large"))
    found = Transcript(
        id=as_text(reader.meta.get("id")) or made_id(source.path, histories),
        format=name,
        title=reader.name or reader.title,
        paths=histories,
        system="\n\n".join(text for text in reader.system if text),
        summaries=reader.summaries,
        bookkeeping=reader.bookkeeping,
        cwd=as_text(reader.meta.get("cwd")),
    )
    return reader.skipped.reading([found] if histories else [])


def detect(head: Head) -> bool:
    """Return whether a file is a session of pi's form."""
    first = head.rows[0] if head.rows else {}
    return first.get("type") == "session" and isinstance(first.get("id"), str)
