"""A conversation that is built from what its records say, and the content that several agents write in one form.

- `Talk.say` takes the parts of one record. Results stand where their calls are; what an agent says after results of its
  own record is another message of it. A result that names no known call answers the first call without a result whose
  source gave it no id.
- Content in a provider's form is read block by block by that provider's parser. A block that it refuses is reported,
  and the others stay.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from itertools import groupby
from typing import cast

from palimpsest.errors import FormatError
from palimpsest.formats import media
from palimpsest.formats.anthropic.parse import parse_block
from palimpsest.formats.transcripts.message_tree import Draft, Node, Tree, paths
from palimpsest.formats.transcripts.reader_base import (
    JsonObject,
    Marker,
    Skipped,
    Skips,
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
    listed,
    made_id,
    title_of,
)
from palimpsest.record.message import Media, Part, Reasoning, Role, Text, ToolCall, ToolResult, Usage

ROLES: Mapping[str, Role] = {"user": "user", "assistant": "assistant", "system": "system", "tool": "user"}


@dataclass(slots=True)
class Talk:
    """One conversation of a file. `title` is what its agent calls it, otherwise made from the first prompt."""

    skipped: Skips = field(default_factory=Skips)
    tree: Tree = field(default_factory=lambda: Tree(grows=False, strict=True))
    title: str = ""
    system: list[str] = field(default_factory=list[str])
    markers: list[Marker] = field(default_factory=list[Marker])
    summaries: int = 0
    unnamed: set[str] = field(default_factory=set[str])
    _opening: str = ""
    _said: int = 0

    @property
    def length(self) -> int:
        """The number of messages of the current history, where there is only one."""
        return sum(len(node.drafts) for node in self.tree.nodes)

    def say(self, role: Role, parts: Iterable[Part], facts: Draft, at: Node | None = None) -> Node:
        """Add what a record says, after `at` or at the end. `facts` is its time, origin, model, usage and wire. One
        without an id is known by its number among those that say something.
        """
        said = [part for part in parts if says(part)]
        if not said:
            self.skipped.leave_out(f"{role} message", "empty")
            return at or self.tree.tip
        self._said += 1
        facts.origin = facts.origin or f"message {self._said}"
        if role == "system" and not self.tree.nodes:
            self.system.append("\n".join(part.text for part in said if isinstance(part, Text)))
            return self.tree.tip
        if role == "user" and not self._opening:
            self._opening = title_of(next((part.text for part in said if isinstance(part, Text)), ""))
        node = at or self.tree.tip
        for index, (are_results, run) in enumerate(groupby(said, lambda part: isinstance(part, ToolResult))):
            origin = f"{facts.origin}#{index}" if index else facts.origin
            draft = replace(
                facts, role=role, parts=list(run), origin=origin, usage=None if index else facts.usage
            )
            if are_results:
                draft.role, draft.model, draft.usage = "tool", "", None
                draft.parts = self._paired(cast("list[ToolResult]", draft.parts), node)
                node = self.tree.result(node, draft)
            elif role == "assistant":
                draft.parts = [self._named(part, f"{origin}:{at}") for at, part in enumerate(draft.parts)]
                node = self.tree.answer(node, draft)
            else:
                node = self.tree.prompt(node, draft)
        return node

    def spoken(
        self, number: int, role: str, parts: Iterable[Part], facts: Draft, at: Node | None = None
    ) -> Node:
        """Add what a record of this role says; an unknown role is reported."""
        known = ROLES.get(role)
        if known is None:
            self.skipped.append(Skipped(number, f'unknown role "{clipped(role, 40)}"'))
            return at or self.tree.tip
        return self.say(known, parts, facts, at)

    def go_on(self, node: Node, parts: Iterable[Part], facts: Draft) -> Node:
        """Add a further piece to an assistant message that may still grow; otherwise say it."""
        said = [part for part in parts if says(part)]
        results = [part for part in said if isinstance(part, ToolResult)]
        if (
            results
            or node.kind != "assistant"
            or not node.open
            or node.newest is not None
            or len(node.drafts) > 1
        ):
            return self.say("assistant", said, facts, node)
        before = len(node.head.parts)
        named = [self._named(part, f"{node.head.origin}:{before + at}") for at, part in enumerate(said)]
        self.tree.extend(node, replace(facts, parts=named))
        return node

    def _named(self, part: Part, fallback: str) -> Part:
        """Return a call that has an id, other parts unchanged."""
        if not isinstance(part, ToolCall) or part.id:
            return part
        self.unnamed.add(fallback)
        return replace(part, id=fallback)

    def _paired(self, results: list[ToolResult], node: Node) -> list[Part]:
        """Return results with the ids of their calls."""
        waiting = list(node.unanswered())
        found: list[Part] = []
        for result in results:
            own = result.call_id
            if own not in self.tree.asked:
                own = next((one for one in waiting if not own or one in self.unnamed), own)
            if own in waiting:
                waiting.remove(own)
            found.append(replace(result, call_id=own or f"result {len(self.tree.nodes)}:{len(found)}"))
        return found

    def compacted(self, text: str, through: int, when: float | None = None) -> None:
        """Record a compaction of the agent: its summary stands for the first messages."""
        self.summaries += 1
        if text.strip() and through > 0:
            self.markers.append(Marker(text, through, when))
        elif text.strip():
            self.skipped.leave_out("summary")

    def transcript(
        self, name: str, path: str, own: str = "", parent: str = "", cwd: str = ""
    ) -> Transcript | None:
        """Return the conversation, None without a message."""
        histories, left_out = paths(self.tree)
        if left_out:
            self.skipped.append(Skipped(1, f"{left_out} old branches left out: the session is too large"))
        if not histories:
            return None
        for _ in self.markers if len(histories) > 1 else ():
            self.skipped.leave_out("summary", "of a session with branches")
        return Transcript(
            id=own or made_id(path, histories),
            format=name,
            title=title_of(self.title) or self._opening,
            parent=parent,
            paths=histories,
            system="\n\n".join(text for text in self.system if text),
            summaries=self.summaries,
            cwd=cwd,
            markers=tuple(self.markers) if len(histories) == 1 else (),
        )


def says(part: Part) -> bool:
    """Return whether a part holds anything."""
    match part:
        case Text():
            return bool(part.text)
        case Reasoning():
            return bool(part.text or part.signature)
        case Media():
            return bool(part.uri or part.data)
        case _:
            return True


def blocks(
    content: object, skipped: Skips, number: int, parse: Callable[[JsonObject], list[Part]]
) -> list[Part]:
    """Return the parts of a text or of a list of blocks; a block that cannot be read is reported."""
    found: list[Part] = []
    for item in listed(content):
        if isinstance(item, str):
            found.append(Text(item))
        elif not is_object(item):
            skipped.append(Skipped(number, f"a content block is {kind_of(item)}"))
        else:
            try:
                found += parse(item)
            except FormatError as error:
                skipped.append(Skipped(number, clipped(error.message, 160)))
    return found


def anthropic_block(block: JsonObject) -> list[Part]:
    """Return a block of Anthropic's form. Ids may be missing, and a result's content may be any JSON.

    Raises FormatError.
    """
    block = {key: value for key, value in block.items() if key != "cache_control"}
    match block.get("type"):
        case "tool_use" | "tool_call":
            call_id, name = as_text(block.get("id")), as_text(block.get("name"))
            return [ToolCall(call_id, name, arguments_text(block.get("input")))]
        case "tool_result" | "tool-result":
            inner = Skips()
            content = blocks(block.get("content"), inner, 0, _any_block)
            if inner.first:
                content = [Text(json_text(block.get("content")))]
            said = tuple(part for part in content if isinstance(part, Text | Media) and says(part))
            return [
                ToolResult(as_text(block.get("tool_use_id")), said, is_error=block.get("is_error") is True)
            ]
        case "thinking":
            return [Reasoning(as_text(block.get("thinking")), as_text(block.get("signature")))]
        case _:
            return _any_block(block)


def _any_block(block: JsonObject) -> list[Part]:
    """Return a block by Anthropic's parser; one without a type is kept as its JSON."""
    if not isinstance(block.get("type"), str):
        return [Text(json_text(block))]
    return [parse_block(block, "a content block")]


def chat_parts(raw: JsonObject) -> tuple[list[Part], list[str]]:
    """Return the parts of a message of OpenAI's chat form, and a sentence for each block that is unknown."""
    content, problems = _chat_content(raw.get("content"))
    more, unknown = _chat_content(raw.get("content_parts"))
    content += [part for part in more if part not in content]
    problems += unknown
    if raw.get("role") == "tool":
        failed = raw.get("finish_reason") == "error" or raw.get("is_error") is True
        return [ToolResult(as_text(raw.get("tool_call_id")), tuple(content), failed)], problems
    parts: list[Part] = []
    thought = as_text(raw.get("reasoning_content")) or as_text(raw.get("reasoning"))
    if thought and raw.get("role") == "assistant":
        parts.append(Reasoning(thought))
    parts.extend(content)
    for item in as_list(raw.get("tool_calls")):
        asked = as_object(item)
        function = as_object(asked.get("function")) or asked
        call_id = as_text(asked.get("id")) or as_text(asked.get("call_id"))
        parts.append(
            ToolCall(call_id, as_text(function.get("name")), arguments_text(function.get("arguments")))
        )
    return parts, problems


def _chat_content(content: object) -> tuple[list[Text | Media], list[str]]:
    """Return text and images of a message's content, and a sentence for each other block."""
    if isinstance(content, str):
        return ([Text(content)] if content else []), []
    if is_object(content):
        return [Text(json_text(content))], []
    parts: list[Text | Media] = []
    problems: list[str] = []
    for item in as_list(content):
        block = as_object(item)
        address = as_text(as_object(block.get("image_url")).get("url")) or as_text(block.get("image_url"))
        if isinstance(item, str) and item:
            parts.append(Text(item))
        elif as_text(block.get("text")):
            parts.append(Text(as_text(block.get("text"))))
        elif address:
            parts.append(media.from_uri(address, "image"))
        elif block.get("type") != "text":
            problems.append(f'unknown content block "{clipped(as_text(block.get("type")), 40)}"')
    return parts, problems


def counted(raw: Mapping[str, object], input: str, output: str, read: str, written: str) -> Usage | None:  # noqa: A002
    """Return token counts from fields of these names, whose input excludes cached tokens."""
    cached, fresh = as_count(raw.get(read)), as_count(raw.get(written))
    counts = Usage(as_count(raw.get(input)) + cached + fresh, as_count(raw.get(output)), cached, fresh)
    return counts if counts != Usage() else None
