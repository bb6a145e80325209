"""Codex's rollout files: `{timestamp, type, payload}` a line, in the order of events.

- The items of one response (reasoning, text, calls) become one message, until an output, a prompt, the context, the
  end of a turn, or a compaction follows. The last such message is provisional.
- A call that the provider ran itself (a web search, an image) has no output in the file; it is answered next to the
  message, so that no call stays open.
- `event_msg` lines repeat the items. `token_count` is the usage of its response, and `thread_rolled_back` removes the
  newest prompts, which starts another branch. A text of a user or the model that no item of the session repeats until
  its turn ends becomes a message there.
- `compacted` marks are the session's own summaries: counted, not messages; the raw messages before them are kept. One
  that begins a file is read: its summary, and the history that replaces what the file lacks.
- What agents tell each other, and what was said in a realtime session, are messages.
- An item of a response keeps the shape that the Responses API gave it, as far as the API takes it back.
- Prompts that the program wrote in the user's name (`<environment_context>`, instructions from files) are messages,
  but never give a title. Base instructions and developer messages before the first message are the system prompt;
  later ones are messages.
- Rollouts of old versions have bare items; they are read in the same way.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from palimpsest.errors import FormatError
from palimpsest.formats import media, wire_fields
from palimpsest.formats.openai.items import SUM, checksum, parse_items
from palimpsest.formats.openai.render import RESPONSES
from palimpsest.formats.transcripts import codex_threads
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
    is_list,
    is_object,
    json_text,
    listed,
    made_id,
    read_lines,
    time_s,
    title_of,
)
from palimpsest.record.chain import identity
from palimpsest.record.message import (
    DEVELOPER,
    Media,
    Message,
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
        if isinstance(item, str) and item:
            parts.append(Text(item))
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


_OUTPUTS = ("output", "result", "outputs", "results", "tools", "error")
_ASKED = ("arguments", "input", "action", "operation", "actions", "code", "queries")
_SENT = frozenset(
    "type id role content phase status summary encrypted_content call_id name namespace arguments input action "
    "execution".split()
)
"""The fields of an item that the API takes back."""


def as_sent(parts: list[Part], item: JsonObject) -> list[Part]:
    """Return the parts of an item with the shape it had on the wire, if that says the same; otherwise as they are."""
    try:
        found = parse_items(
            [{key: value for key, value in item.items() if key in _SENT and value is not None}]
        )
    except FormatError:
        return parts
    own, plain = found[0] if len(found) == 1 else None, Message("assistant", tuple(parts))
    if not isinstance(own, Message) or identity(own) != identity(plain):
        return parts
    same_ids = [call.id for call in own.calls] == [call.id for call in plain.calls]
    return list(own.parts) if same_ids else parts


def call_of(item: JsonObject, kind: str, number: int) -> ToolCall:
    """Return a call of any kind, which name their fields differently."""
    name = as_text(item.get("name")) or as_text(as_object(item.get("function")).get("name"))
    asked = next((item[key] for key in _ASKED if item.get(key) is not None), None)
    call_id = as_text(item.get("call_id")) or as_text(item.get("id")) or f"line {number}"
    return ToolCall(call_id, name or kind.removesuffix("_call"), arguments_text(asked))


def output_of(item: JsonObject) -> tuple[tuple[Text | Media, ...], bool]:
    """Return a call's output, and whether it failed. Output is text, a list, or an object with one of them."""
    found = next((item[key] for key in _OUTPUTS if item.get(key) is not None), None)
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
    "function_call custom_tool_call local_shell_call tool_call tool_search_call mcp_tool_call".split()
)
TOLD: dict[str, Role] = {"user_message": "user", "agent_message": "assistant", "task_complete": "assistant"}
COMPLETED: dict[str, Role] = {"UserMessage": "user", "AgentMessage": "assistant", "Plan": "assistant"}
"""Events and completed items with a text of the user or the model."""
MAX_SEARCHED_CHARS = 200_000_000
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
    base: JsonObject = field(default_factory=dict[str, object])
    held: list[tuple[int, JsonObject]] = field(default_factory=list[tuple[int, JsonObject]])
    texts: set[str] = field(default_factory=set[str])
    turn: list[str] = field(default_factory=list[str])
    waiting: dict[str, tuple[str, Role, object]] = field(default_factory=dict[str, tuple[str, Role, object]])
    searched_chars: int = 0

    def __post_init__(self) -> None:
        self.at = self.tree.root

    def line(self, number: int, line: JsonObject) -> None:
        """Read one line, wrapped or bare. The lines of a session that continues another one are held."""
        if self.base:
            self.held.append((number, line))
            return
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
            self.leave_out(as_text(line.get("record_type")))
        else:
            self.item(number, kind, line, when)

    def wrapped(self, number: int, kind: str, payload: JsonObject, when: object) -> None:
        """Read a line of the current format."""
        match kind:
            case "response_item":
                self.item(number, as_text(payload.get("type")), payload, when)
            case "event_msg":
                self.event(payload, when)
            case "session_meta":
                self.session(payload)
            case "compacted":
                self.compacted(number, payload, when)
            case "turn_context":
                self.close()
                self.awaiting = True
                self.model = as_text(payload.get("model")) or self.model
                self.leave_out(kind)
            case "inter_agent_communication" if self.parts(payload.get("content")):
                self.prompt(self.parts(payload.get("content")), payload, when)
            case "realtime_item" if as_text(payload.get("text")):
                self.spoken(as_text(payload.get("text")), payload, when)
            case _:
                self.leave_out(kind, as_text(payload.get("type")))

    def compacted(self, number: int, payload: JsonObject, when: object) -> None:
        """Read a compaction: at the beginning of a file what it stands for, otherwise nothing."""
        self.close()
        self.summaries += 1
        history = as_list(payload.get("replacement_history"))
        text = as_text(payload.get("message"))
        if self.at is not self.tree.root or not (text or history):
            self.skipped.leave_out("compacted")
            return
        for item in history:
            if is_object(item):
                self.item(number, as_text(item.get("type")), item, when)
        if text.strip() and text not in self.texts:
            self.prompt([Text(text)], {}, when)
        self.close()

    def spoken(self, text: str, payload: JsonObject, when: object) -> None:
        """Read what was said in a realtime session, unless an item says it."""
        if text.strip() in self.texts:
            return
        self.close()
        if payload.get("role") == "assistant":
            self.say([Text(text)], payload, when)
            self.close()
        else:
            self.prompt([Text(text)], payload, when)

    def session(self, payload: JsonObject) -> None:
        """Read the head of the file; a forked session repeats its parent's head, so the first one counts."""
        self.bookkeeping += 1
        if self.meta:
            return
        self.meta = payload
        self.base = codex_threads.base_of(payload)
        base = as_object(payload.get("base_instructions"))
        self.instruct(as_text(base.get("text")) or as_text(payload.get("instructions")))

    def instruct(self, text: str) -> None:
        """Add text to the system prompt; a repetition adds nothing."""
        if text and text not in self.system:
            self.system.append(text)

    def event(self, payload: JsonObject, when: object) -> None:
        """Read an event: usage, rolled back prompts, the end of a turn, or a text that an item usually repeats."""
        kind = as_text(payload.get("type"))
        if kind in {"token_count", "thread_rolled_back"}:
            self.bookkeeping += 1
        if kind == "token_count":
            self.count(usage(as_object(as_object(payload.get("info")).get("last_token_usage"))))
        elif kind == "thread_rolled_back":
            self.roll_back(as_count(payload.get("num_turns")))
        elif not self.told(payload, kind, when) and as_text(payload.get("call_id")) not in self.tree.asked:
            self.leave_out("event_msg", kind, as_text(as_object(payload.get("item")).get("type")))
        if kind in {"agent_reasoning", "agent_message"} and self.response is None:
            self.awaiting = True
        elif kind in {"task_complete", "turn_aborted"}:
            self.end_turn()

    def told(self, payload: JsonObject, kind: str, when: object) -> bool:
        """Return whether an event has texts, which wait for the items that repeat them."""
        item = as_object(payload.get("item"))
        role = TOLD.get(kind) or COMPLETED.get(as_text(item.get("type")))
        told = [payload.get(key) for key in ("message", "last_agent_message", "text")]
        told += [item.get(key) for key in ("text", "summary_text", "raw_content")]
        pieces = [piece for value in told for piece in listed(value)] + listed(item.get("content"))
        words = [as_text(piece) or as_text(as_object(piece).get("text")) for piece in pieces]
        words = [word for word in words if word.strip()]
        shown = role is not None or "reasoning" in f"{kind} {item.get('type')}".lower()
        if not words or not shown:
            return as_text(item.get("id")) in self.tree.asked
        for word in words:
            if not self.is_said(word):
                self.waiting.setdefault(word.strip(), (kind, role or "system", when))
        return True

    def is_said(self, text: str) -> bool:
        """Return whether an item has this text, or one of the turn contains it."""
        plain = text.strip()
        if plain in self.texts:
            return True
        self.searched_chars += sum(map(len, self.turn))
        return self.searched_chars < MAX_SEARCHED_CHARS and any(plain in one for one in self.turn)

    def heard(self, parts: list[Part]) -> None:
        """Record what an item says."""
        words = [part.text for part in parts if isinstance(part, Text | Reasoning) and part.text]
        for text in (*words, *(["\n".join(words)] if len(words) > 1 else ())):
            self.texts.add(text.strip())
            self.turn.append(text)
            self.waiting.pop(text.strip(), None)

    def end_turn(self) -> None:
        """End the turn. What only events told of it becomes messages."""
        waiting, self.waiting = self.waiting, {}
        for text, (kind, role, when) in waiting.items():
            if self.is_said(text):
                continue
            if role == "assistant":
                self.say([Text(text)], {}, when)
            elif role == "user":
                self.prompt([Text(text)], {}, when)
            else:
                self.leave_out("event_msg", kind)
        self.turn.clear()
        self.close()

    def leave_out(self, *names: str) -> None:
        """Count a record that gives no message."""
        self.bookkeeping += 1
        self.skipped.leave_out(*names)

    def parts(self, content: object) -> list[Part]:
        """Return the parts of a content; what is neither text nor an image is counted."""
        for block in listed(content):
            known = any(as_object(block).get(key) for key in ("text", "image_url")) or isinstance(block, str)
            filled = [
                key for key, value in as_object(block).items() if value and key not in {"type", "detail"}
            ]
            if not known and filled:
                self.skipped.leave_out("content", as_text(as_object(block).get("type")))
        return content_parts(content)

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
        elif kind in CALLS or (kind.endswith("_call") and item.get("call_id")):
            self.say([call_of(item, kind, number)], item, when)
        elif kind in OWN_CALLS or (kind.endswith("_call") and not item.get("call_id")):
            self.own_call(item, kind, number, when)
        elif kind.endswith(("_output", "_result")):
            self.output(item, number, when)
        elif kind == "agent_message":
            self.prompt(self.parts(item.get("content")), item, when)
        elif kind in {"compaction", "compaction_summary", "context_compaction"}:
            self.close()
            self.summaries += 1
            self.skipped.leave_out(kind)
        else:
            self.leave_out(kind)

    def message(self, number: int, item: JsonObject, when: object) -> None:
        """Read a message item."""
        role, parts = as_text(item.get("role")), self.parts(item.get("content"))
        if not parts:
            self.skipped.append(Skipped(number, "a message without content"))
        elif role == "assistant":
            self.say(parts, item, when)
        elif role in {"developer", "system"}:
            self.close()
            self.instructed(parts, role, item, when)
        elif role == "user":
            self.prompt(parts, item, when)
        else:
            self.unknown(number, "role", role)

    def instructed(self, parts: list[Part], role: str, item: JsonObject, when: object) -> None:
        """Read a developer or system message: part of the prompt at the start, otherwise a message in its place."""
        self.heard(parts)
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
        self.heard(parts)
        self.at = self.tree.prompt(self.at, self.draft("user", parts, item, when))
        self.title = self.title or _title(parts)

    def say(self, parts: list[Part], item: JsonObject, when: object) -> None:
        """Add a piece of the current response."""
        if not parts:
            self.bookkeeping += 1
            return
        self.heard(parts)
        draft = self.draft("assistant", as_sent(parts, item), item, when)
        draft.wire = RESPONSES
        draft.model = as_text(item.get("model")) or self.model
        if self.response is not None:
            self.tree.extend(self.response, draft)
            return
        draft.usage, self.usage, self.awaiting = self.usage, None, False
        self.response = self.at = self.tree.answer(self.at, draft)

    def own_call(self, item: JsonObject, kind: str, number: int, when: object) -> None:
        """Add a call that the provider answered; its answer waits for the end of the response."""
        call_id = as_text(item.get("call_id")) or as_text(item.get("id")) or f"line {number}"
        name = OWN_CALLS.get(kind) or as_text(item.get("name")) or kind.removesuffix("_call")
        asked = next((item[key] for key in _ASKED if item.get(key)), None)
        asked = asked or {"prompt": item.get("revised_prompt") or ""}
        self.say([ToolCall(call_id, name, json_text(asked))], {}, when)
        image = as_text(item.get("result")) if kind == "image_generation_call" else ""
        content, failed = ((media.inline("image/png", image),), False) if image else output_of(item)
        answer = self.draft("tool", [ToolResult(call_id, content, failed)], {}, when)
        answer.origin = f"{call_id}#result"
        self.own.append(answer)

    def output(self, item: JsonObject, number: int, when: object) -> None:
        """Add the output of a call."""
        self.close()
        call_id = as_text(item.get("call_id")) or next(self.at.unanswered(), f"line {number}")
        self.parts(item.get("output") if is_list(item.get("output")) else None)
        content, failed = output_of(item)
        draft = self.draft("tool", [ToolResult(call_id, content, failed)], item, when)
        self.at = self.tree.result(self.at, draft)

    def close(self) -> None:
        """End the current response."""
        if self.response is not None:
            self.seal()
            self.response.open = False
            self.settle()
        self.response = None

    def reading(self, source: Source) -> Reading:
        """Return the content of the lines so far. A waiting provider's answer is added now, so no lines can follow."""
        if self.base:
            return self.continued(source)
        if self.response is not None:
            self.seal()
        self.ended = bool(self.own)
        self.settle()
        histories, left_out = paths(self.tree)
        skipped = self.skipped.copy()
        for text, (kind, _, _) in self.waiting.items():
            if not self.is_said(text):
                skipped.leave_out("event_msg", kind)
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

    def continued(self, source: Source) -> Reading:
        """Return the content of a session that continues others: theirs up to the cuts, then its own."""
        found, missing = codex_threads.segments_of(self.base, source.related)
        whole = _Reader()
        whole.session({key: value for key, value in self.meta.items() if key != "history_base"})
        for segment in found:
            for number, line in segment.before:
                whole.line(number, line)
            whole.end_turn()
            cut = whole.at
            if segment.head.get("id") == self.meta.get("id"):
                for number, line in segment.behind:
                    whole.line(number, line)
                whole.end_turn()
                whole.at = cut
        whole.skipped = self.skipped.copy()
        if missing:
            name = clipped(missing, 60)
            whole.skipped.append(Skipped(1, f"continues the session {name}, whose file is not here"))
        for number, line in self.held:
            whole.line(number, line)
        return whole.reading(source)

    def seal(self) -> None:
        """Note which parts of the response are valid only together."""
        draft = self.response.head if self.response is not None else None
        if draft is not None and any(isinstance(part, Reasoning) for part in draft.parts):
            draft.extra = wire_fields.pack({}, {SUM: checksum(draft.parts)})

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


related = codex_threads.related


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
