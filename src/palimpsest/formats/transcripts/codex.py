"""Codex's rollout files: `{timestamp, type, payload}` a line, in the order of events.

- The items of one response (reasoning, text, calls) become one message, until an output, a prompt, the context, the
  end of a turn, or a compaction follows. The last such message is provisional.
- A call that the provider ran itself (a web search, an image) has no output in the file; it is answered next to the
  message, so that no call stays open.
- `event_msg` lines repeat the items, except two: `token_count` is the usage of its response, and `thread_rolled_back`
  removes the newest prompts, which starts another branch.
- `compacted` marks are the session's own summaries: counted, not messages; the raw messages before them are kept.
- Prompts that the program wrote in the user's name (`<environment_context>`, instructions from files) are messages,
  but never give a title. Base instructions and developer messages before the first message are the system prompt;
  later ones are messages.
- Rollouts of old versions have bare items; they are read in the same way.
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
    as_count,
    as_list,
    as_object,
    as_text,
    clipped,
    is_object,
    json_text,
    listed,
    made_id,
    read_lines,
    time_s,
    title_of,
)
from palimpsest.record.message import (
    DEVELOPER,
    Media,
    Part,
    Reasoning,
    Role,
    Text,
    ToolCall,
    ToolResult,
    Usage,
)


def content_parts(content: object) -> list[Part]:
    """Return text and images of an item's content, which is text or a list."""
    if isinstance(content, str):
        return [Text(content)] if content else []
    parts: list[Part] = []
    for item in listed(content):
        block = as_object(item)
        text, image = as_text(block.get("text")), as_text(block.get("image_url"))
        if text:
            parts.append(Text(text))
        elif image:
            parts.append(media.from_uri(image, "image"))
    return parts


def reasoning_parts(item: JsonObject) -> list[Part]:
    """Return the reasoning summary; the encrypted reasoning is its signature."""
    told = [*as_list(item.get("summary")), *as_list(item.get("content"))]
    words = [as_text(as_object(piece).get("text")) for piece in told]
    text, signature = "\n".join(word for word in words if word), as_text(item.get("encrypted_content"))
    return [Reasoning(text, signature)] if text or signature else []


def call_of(item: JsonObject, kind: str, number: int) -> ToolCall:
    """Return a call of any kind, which name their fields differently."""
    name = as_text(item.get("name")) or as_text(as_object(item.get("function")).get("name"))
    asked = next((item[key] for key in ("arguments", "input", "action") if item.get(key) is not None), None)
    call_id = as_text(item.get("call_id")) or as_text(item.get("id")) or f"line {number}"
    return ToolCall(call_id, name or kind.removesuffix("_call"), arguments_text(asked))


def output_of(item: JsonObject) -> tuple[tuple[Text | Media, ...], bool]:
    """Return a call's output, and whether it failed. Output is text, a list, or an object with one of them."""
    found = next((item[key] for key in ("output", "result", "tools") if item.get(key) is not None), None)
    holder = as_object(found)
    failed = holder.get("success") is False or item.get("status") == "failed"
    inner = holder.get("content", found)
    if not isinstance(inner, str):
        parts = [part for part in content_parts(inner) if isinstance(part, Text | Media)]
        if parts:
            return tuple(parts), failed
    text = json_text(inner) if inner not in (None, "", [], {}) else ""
    return ((Text(text),) if text else ()), failed


def usage(raw: JsonObject) -> Usage | None:
    """Return the token counts of one response; `input_tokens` includes the cached ones."""
    counts = Usage(
        input_tokens=as_count(raw.get("input_tokens")),
        output_tokens=as_count(raw.get("output_tokens")),
        cached_tokens=as_count(raw.get("cached_input_tokens")),
        cache_write_tokens=as_count(raw.get("cache_write_input_tokens")),
    )
    return counts if counts != Usage() else None


NAME = "codex"

WRAPPERS = frozenset({"session_meta", "response_item", "event_msg", "turn_context", "compacted"})
BOOKKEEPING = frozenset(
    {"turn_context", "world_state", "inter_agent_communication_metadata", "ghost_snapshot", "state"}
)
CALLS = frozenset(
    {
        "function_call",
        "custom_tool_call",
        "local_shell_call",
        "tool_call",
        "tool_search_call",
        "mcp_tool_call",
    }
)
OWN_CALLS = {"web_search_call": "web_search", "image_generation_call": "image_generation"}
"""Calls that the provider answers itself, by the name they get here."""
INJECTED = ("<", "# AGENTS.md instructions", "# Context from my IDE setup")
REQUEST = "## My request for Codex:"


@dataclass(slots=True)
class _Reader:
    tree: Tree = field(default_factory=lambda: Tree(grows=True, strict=True))
    at: Node = field(init=False)
    response: Node | None = None
    meta: JsonObject = field(default_factory=dict[str, object])
    model: str = ""
    title: str = ""
    system: list[str] = field(default_factory=list[str])
    own: list[Draft] = field(default_factory=list[Draft])
    usage: Usage | None = None
    awaiting: bool = False
    summaries: int = 0
    bookkeeping: int = 0
    skipped: Skips = field(default_factory=Skips)
    ended: bool = False

    def __post_init__(self) -> None:
        self.at = self.tree.root

    def line(self, number: int, line: JsonObject) -> None:
        """Read one line, wrapped or bare."""
        kind = as_text(line.get("type"))
        payload = line.get("payload")
        if is_object(payload):
            self.wrapped(number, kind, payload, line.get("timestamp"))
            return
        when = line.get("timestamp") or line.get("created_at")
        if not kind and "role" in line:
            self.item(number, "message", {"content": line.get("message"), **line}, when)
        elif not kind and "id" in line and ("timestamp" in line or "instructions" in line):
            self.session(line)
        elif not kind and "record_type" in line:
            self.bookkeeping += 1
        else:
            self.item(number, kind, line, when)

    def wrapped(self, number: int, kind: str, payload: JsonObject, when: object) -> None:
        """Read a line of the current format."""
        match kind:
            case "response_item":
                self.item(number, as_text(payload.get("type")), payload, when)
            case "event_msg":
                self.event(payload)
            case "session_meta":
                self.session(payload)
            case "compacted":
                self.close()
                self.summaries += 1
            case "turn_context":
                self.close()
                self.awaiting = True
                self.model = as_text(payload.get("model")) or self.model
                self.bookkeeping += 1
            case _ if kind in BOOKKEEPING:
                self.bookkeeping += 1
            case _:
                self.unknown(number, "line type", kind)

    def session(self, payload: JsonObject) -> None:
        """Read the head of the file; a forked session repeats its parent's head, so the first one counts."""
        self.bookkeeping += 1
        if self.meta:
            return
        self.meta = payload
        base = as_object(payload.get("base_instructions"))
        self.instruct(as_text(base.get("text")) or as_text(payload.get("instructions")))

    def instruct(self, text: str) -> None:
        """Add text to the system prompt; a repetition adds nothing."""
        if text and text not in self.system:
            self.system.append(text)

    def event(self, payload: JsonObject) -> None:
        """Read an event: a repetition of an item, except usage and rolled back prompts."""
        self.bookkeeping += 1
        match payload.get("type"):
            case "token_count":
                self.count(usage(as_object(as_object(payload.get("info")).get("last_token_usage"))))
            case "thread_rolled_back":
                self.roll_back(as_count(payload.get("num_turns")))
            case "agent_reasoning" | "agent_message" if self.response is None:
                self.awaiting = True
            case "task_complete" | "turn_aborted":
                self.close()
            case _:
                pass

    def count(self, counts: Usage | None) -> None:
        """Assign usage to the current response; before its first item to the next one, otherwise to the last."""
        if counts is None:
            return
        if self.response is not None:
            self.response.head.usage = counts
        elif self.awaiting:
            self.usage = counts
        elif self.at.kind == "assistant" and self.at.head.usage is None:
            self.at.head.usage = counts

    def roll_back(self, turns: int) -> None:
        """Remove the newest `turns` prompts: what follows continues the history before them."""
        self.close()
        node = self.at
        while turns > 0 and node.parent is not None:
            turns -= _is_request(node)
            node = node.parent
        self.at = node

    def item(self, number: int, kind: str, item: JsonObject, when: object) -> None:
        """Read an item of the conversation."""
        if kind == "message":
            self.message(number, item, when)
        elif kind == "reasoning":
            self.say(reasoning_parts(item), item, when)
        elif kind in CALLS:
            self.say([call_of(item, kind, number)], item, when)
        elif kind in OWN_CALLS:
            self.own_call(item, kind, number, when)
        elif kind.endswith(("_output", "_result")):
            self.output(item, number, when)
        elif kind == "agent_message":
            self.prompt(content_parts(item.get("content")), item, when)
        elif kind in {"compaction", "compaction_summary", "context_compaction"}:
            self.close()
            self.summaries += 1
        elif kind in BOOKKEEPING:
            self.bookkeeping += 1
        else:
            self.unknown(number, "item type", kind)

    def message(self, number: int, item: JsonObject, when: object) -> None:
        """Read a message item."""
        role, parts = as_text(item.get("role")), content_parts(item.get("content"))
        if not parts:
            self.skipped.append(Skipped(number, "a message without content"))
        elif role == "assistant":
            self.say(parts, item, when)
        elif role in {"developer", "system"}:
            self.close()
            self.told(parts, role, item, when)
        elif role == "user":
            self.prompt(parts, item, when)
        else:
            self.unknown(number, "role", role)

    def told(self, parts: list[Part], role: str, item: JsonObject, when: object) -> None:
        """Read a developer or system message: part of the prompt at the start, otherwise a message in its place."""
        if self.at is self.tree.root:
            self.bookkeeping += 1
            self.instruct("\n".join(part.text for part in parts if isinstance(part, Text)))
            return
        draft = self.draft("system", parts, item, when)
        draft.extra = DEVELOPER if role == "developer" else ""
        self.at = self.tree.prompt(self.at, draft)

    def prompt(self, parts: list[Part], item: JsonObject, when: object) -> None:
        """Add a message that the model answers."""
        self.close()
        if not parts:
            self.bookkeeping += 1
            return
        self.at = self.tree.prompt(self.at, self.draft("user", parts, item, when))
        self.title = self.title or _title(parts)

    def say(self, parts: list[Part], item: JsonObject, when: object) -> None:
        """Add a piece of the current response."""
        if not parts:
            self.bookkeeping += 1
            return
        draft = self.draft("assistant", parts, item, when)
        draft.model = as_text(item.get("model")) or self.model
        if self.response is not None:
            self.tree.extend(self.response, draft)
            return
        draft.usage, self.usage, self.awaiting = self.usage, None, False
        self.response = self.at = self.tree.answer(self.at, draft)

    def own_call(self, item: JsonObject, kind: str, number: int, when: object) -> None:
        """Add a call that the provider answered; its answer waits for the end of the response."""
        call_id = as_text(item.get("call_id")) or as_text(item.get("id")) or f"line {number}"
        asked = item.get("action") or {"prompt": item.get("revised_prompt") or ""}
        self.say([ToolCall(call_id, OWN_CALLS[kind], json_text(asked))], item, when)
        image = as_text(item.get("result"))
        content = (media.inline("image/png", image),) if image else ()
        answer = self.draft("tool", [ToolResult(call_id, content)], {}, when)
        answer.origin = f"{call_id}#result"
        self.own.append(answer)

    def output(self, item: JsonObject, number: int, when: object) -> None:
        """Add the output of a call."""
        self.close()
        call_id = as_text(item.get("call_id")) or next(self.at.unanswered(), f"line {number}")
        content, failed = output_of(item)
        draft = self.draft("tool", [ToolResult(call_id, content, failed)], item, when)
        self.at = self.tree.result(self.at, draft)

    def close(self) -> None:
        """End the current response."""
        if self.response is not None:
            self.response.open = False
            self.settle()
        self.response = None

    def reading(self, source: Source) -> Reading:
        """Return the content of the lines so far. A waiting provider's answer is added now, so no lines can follow."""
        self.ended = bool(self.own)
        self.settle()
        histories, left_out = paths(self.tree)
        skipped = self.skipped.copy()
        if left_out:
            skipped.append(Skipped(1, f"{left_out} old branches left out: the session is too large"))
        found = Transcript(
            id=as_text(self.meta.get("id")) or made_id(source.path, histories),
            format=NAME,
            title=self.title,
            parent=_parent(self.meta),
            paths=histories,
            system="\n\n".join(self.system),
            summaries=self.summaries,
            bookkeeping=self.bookkeeping,
            cwd=as_text(self.meta.get("cwd")),
        )
        return skipped.reading([found] if histories else [])

    def settle(self) -> None:
        """Add the provider's own answers after the response that asked."""
        for draft in self.own:
            self.tree.result(self.at, draft)
        self.own.clear()

    def draft(self, role: Role, parts: list[Part], item: JsonObject, when: object) -> Draft:
        """Return a draft message, or a piece of one."""
        return Draft(role, parts, time_s(when), as_text(item.get("id")), wire="openai")

    def unknown(self, number: int, what: str, kind: str) -> None:
        """Report something unknown to this reader."""
        self.skipped.append(
            Skipped(number, f'unknown {what} "{clipped(kind, 40)}"' if kind else f"no {what}")
        )


def _is_request(node: Node) -> bool:
    text = node.head.parts[0] if node.head.role == "user" else None
    return isinstance(text, Text) and not text.text.startswith(("<", INJECTED[1]))


def _title(parts: list[Part]) -> str:
    text = next((part.text for part in parts if isinstance(part, Text)), "")
    _, found, request = text.partition(REQUEST)
    if found:
        return title_of(request)
    return "" if text.startswith(INJECTED) else title_of(text)


def _parent(meta: JsonObject) -> str:
    """Return the id of the session that started this one. A forked one (`forked_from_id`) was started by none."""
    spawned = as_object(as_object(as_object(meta.get("source")).get("subagent")).get("thread_spawn"))
    named = (meta.get("parent_thread_id"), spawned.get("parent_thread_id"))
    return next((as_text(name) for name in named if as_text(name)), "")


def begin(path: str) -> _Reader:
    """Return a reader for the lines of a file."""
    return _Reader()


def read(source: Source) -> Reading:
    """Return the session in `source`."""
    return read_lines(begin(source.path), source)


def detect(head: Head) -> bool:
    """Return whether the first lines of a file are Codex's, in the current or an old format."""
    return any(_known(line) for line in head.rows)


def _known(line: JsonObject) -> bool:
    kind = as_text(line.get("type"))
    if is_object(line.get("payload")):
        return kind in WRAPPERS or kind in BOOKKEEPING
    if kind in {"message", "function_call"}:
        return _is_item(line)
    bare = {"id", "timestamp", "instructions"} <= line.keys() and not kind
    return bare or ("created_at" in line and as_text(line.get("role")) in {"user", "assistant"} and not kind)


def _is_item(line: JsonObject) -> bool:
    blocks = (as_text(as_object(block).get("type")) for block in as_list(line.get("content")))
    return (
        any(kind in {"input_text", "output_text"} for kind in blocks)
        or {"call_id", "arguments"} <= line.keys()
    )
