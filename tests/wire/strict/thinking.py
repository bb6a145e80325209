"""Anthropic's signed blocks: thinking that is bound to its conversation, and summaries of a compaction on demand.

A *state* is a digest of a prompt up to some block: top-level `system`, `tools` without deferred ones, and every block
with its role. Cache marks and thinking do not change it. A thinking block is bound to the state before it and to the
thinking block before it, so thinking may be left out from the start or the end of a conversation, but not from
its middle.

A summary stands for the messages it replaces: the state behind it is the one behind them, if a binding model wrote it,
`system` and `tools` are the same, and what follows is not merged into the last summarized message. Otherwise a new
state begins with it, and the thinking of kept turns is bound to another conversation.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Literal

from tests.wire.strict.anthropic_rules import BINDING_CONTROLS, COMPACT, blocks_of
from tests.wire.strict.claude_models import ClaudeModel, claude_model
from tests.wire.strict.refusal import Fields, Refusal, digest, fields, objects, refuse_unknown

THINKING = ("thinking", "redacted_thinking")
BILLING = "x-anthropic-billing-header:"
TOOL_CHANGE = ("tool_addition", "tool_removal")
Reason = Literal["model_binding_mismatch", "prefix_binding_mismatch"]

_IGNORED_FIELDS = ("cache_control", "citations")
_ELSEWHERE = (
    "{path}: Invalid `signature` in `{kind}` block. The block is bound to a different conversation. Remove the "
    'block, or set `thinking.block_binding.prefix_mismatch_behavior` to "drop_block".'
)
_NEEDS_HEADER = f" That setting requires the `{BINDING_CONTROLS}` value in the `anthropic-beta` header."


@dataclass(frozen=True, slots=True)
class Head:
    """Digests of what stands before the messages."""

    system: str
    tools: str


@dataclass(frozen=True, slots=True)
class Thought:
    """A thinking block as it was made. `before` are the signatures of the thinking block before it: the one that was
    sent, and the one that the model saw.
    """

    model: str
    kind: str
    text: str
    head: Head
    state: str
    before: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Compacted:
    """A summary as it was made, and where the summarized messages ended."""

    content: str
    tool_changes: tuple[Fields, ...]
    head: Head
    state: str
    last_role: str
    bound: bool


@dataclass(frozen=True, slots=True)
class Dropped:
    """A thinking block that was left out before the model saw it."""

    path: str
    reason: Reason


@dataclass(frozen=True, slots=True)
class Checked:
    """What checking a request found. `state` and `before` are what a block of the reply is bound to."""

    head: Head
    state: str
    before: tuple[str, ...]
    sent: int
    dropped: tuple[Dropped, ...]
    last_role: str
    tool_changes: tuple[Fields, ...]

    @property
    def shown(self) -> int:
        """How many thinking blocks the model sees."""
        return self.sent - len(self.dropped)


@dataclass(slots=True)
class Signatures:
    """Every block that was signed, by its signature."""

    thoughts: dict[str, Thought] = field(default_factory=dict[str, Thought])
    summaries: dict[str, Compacted] = field(default_factory=dict[str, Compacted])

    def sign(self, kind: str) -> str:
        """A new signature."""
        number = len(self.thoughts) + len(self.summaries) + 1
        return "Eu" + digest(kind, number)[:30] + f"{number:06d}=="


def bare(block: Fields) -> Fields:
    """A block as it counts for a prefix: without cache marks, and in one form where there are two."""
    made = {
        name: value
        for name, value in block.items()
        if name not in _IGNORED_FIELDS and value is not None and (name, value) != ("is_error", False)
    }
    if made.get("type") == "tool_result":
        made["content"] = [bare(inner) for inner in blocks_of(made.get("content", ""))]
    return made


def head_of(body: Fields) -> Head:
    """The digests of a request's system prompt, and of its tools that are not deferred. A line for the accounts, which
    Claude Code puts first and changes with every request, is no part of the prompt.
    """
    system = [
        bare(block)
        for block in blocks_of(body.get("system"))
        if not str(block.get("text")).startswith(BILLING)
    ]
    tools = [bare(tool) for tool in objects(body.get("tools")) if tool.get("defer_loading") is not True]
    return Head(digest(system), digest(tools))


def flat(messages: Sequence[Fields]) -> Iterator[tuple[str, str, Fields]]:
    """(path, role, block) of every block."""
    for index, message in enumerate(messages):
        role = str(message.get("role"))
        extra = {name: message[name] for name in ("clear_at", "output_config") if name in message}
        if extra:
            yield f"messages.{index}", role, {"type": "settings", **extra}
        for number, block in enumerate(blocks_of(message.get("content"))):
            yield f"messages.{index}.content.{number}", role, block


def after(state: str, role: str, block: Fields) -> str:
    """The state behind a block."""
    return state if block.get("type") in THINKING else digest(state, role, bare(block))


@dataclass(slots=True)
class _Walk:
    """One pass over the blocks of a request."""

    state: str
    sent: tuple[str, ...] = ()
    shown: tuple[str, ...] = ()
    count: int = 0
    dropped: list[Dropped] = field(default_factory=list[Dropped])
    breaking: bool = False
    tool_changes: list[Fields] = field(default_factory=list[Fields])


def check_signed(body: Fields, betas: frozenset[str], model: ClaudeModel, known: Signatures) -> Checked:
    """Check the signed blocks of a request. Raises Refusal as the API does."""
    messages, head = objects(body.get("messages")), head_of(body)
    binding = fields(fields(body.get("thinking")).get("block_binding"))
    drops = binding.get("prefix_mismatch_behavior") == "drop_block"
    blocks = list(flat(messages))
    _check_summary_places(blocks, messages, betas)
    walk = _Walk(digest(head.system, head.tools))
    for number, (path, role, block) in enumerate(blocks):
        kind = block.get("type")
        if kind == "compaction":
            following = next((other for _, other, _ in blocks[number + 1 :]), "")
            walk.state = _behind_summary(block, path, head, following, known, walk)
        elif kind in THINKING:
            _check_thought(
                block, path, head, model, known, walk, drops=drops, header=BINDING_CONTROLS in betas
            )
        else:
            walk.state = after(walk.state, role, block)
            if kind in TOOL_CHANGE:
                walk.tool_changes.append(bare(block))
    roles = [str(message.get("role")) for message in messages]
    before = tuple(dict.fromkeys((*walk.sent, *walk.shown)))
    return Checked(
        head, walk.state, before, walk.count, tuple(walk.dropped), roles[-1], tuple(walk.tool_changes)
    )


def _check_summary_places(
    blocks: list[tuple[str, str, Fields]], messages: list[Fields], betas: frozenset[str]
) -> None:
    found = [(path, role, block) for path, role, block in blocks if block.get("type") == "compaction"]
    for path, role, block in found:
        if COMPACT not in betas:
            raise Refusal(
                f"{path}: Input tag 'compaction' found using 'type' does not match any of the expected tags"
            )
        if len(found) > 1:
            raise Refusal("messages: more than one `compaction` block", "compaction_block_ambiguous")
        if path != "messages.0.content.0" or role == "system":
            raise Refusal(
                f"{path}: `compaction` block must be sent first, in place of the messages it summarizes; remove "
                "those messages",
                "compaction_block_misplaced",
            )
        names = frozenset({"type", "content", "signature", "tool_changes", "cache_control"})
        refuse_unknown(block, names, f"{path}.compaction")


def _behind_summary(
    block: Fields, path: str, head: Head, following: str, known: Signatures, walk: _Walk
) -> str:
    """The state behind a summary; raises Refusal for one that was changed."""
    signature = str(block.get("signature"))
    made = known.summaries.get(signature)
    if made is None:
        raise Refusal(f"{path}: Invalid `signature` in `compaction` block", "compaction_signature_invalid")
    if block.get("content") != made.content:
        raise Refusal(
            f"{path}: the `content` of the `compaction` block was changed", "compaction_content_mismatch"
        )
    changes = tuple(objects(block.get("tool_changes")))
    if changes != made.tool_changes:
        raise Refusal(
            f"{path}: the `tool_changes` of the `compaction` block were changed",
            "compaction_tool_changes_mismatch",
        )
    walk.tool_changes.extend(changes)
    merged = following in (made.last_role, "system")
    if made.bound and made.head == head and not merged:
        return made.state
    return digest(head.system, head.tools, "summary", signature)


def _check_thought(
    block: Fields, path: str, head: Head, model: ClaudeModel, known: Signatures, walk: _Walk, *, drops: bool,
    header: bool,
) -> None:  # fmt: skip
    kind = str(block["type"])
    signature = str(block.get("signature" if kind == "thinking" else "data"))
    made = known.thoughts.get(signature)
    if made is None or made.kind != kind or (kind == "thinking" and block.get("thinking") != made.text):
        raise Refusal(f"{path}: Invalid `signature` in `{kind}` block")
    walk.count += 1
    before, shown_before = walk.sent, walk.shown
    walk.sent = (signature,)
    writer = claude_model(made.model)
    if not model.reads(writer):
        walk.dropped.append(Dropped(path, "model_binding_mismatch"))
        return
    walk.shown = (signature,)
    if not (model.binds and writer.binds):
        return
    fault = _fault(made, head, walk.state, before, shown_before)
    if not fault and not walk.breaking:
        return
    if not drops:
        message = _ELSEWHERE.format(path=path, kind=kind) + ("" if header else _NEEDS_HEADER)
        raise Refusal(f"{message} {fault}")
    walk.breaking = True
    walk.shown = shown_before
    walk.dropped.append(Dropped(path, "prefix_binding_mismatch"))


def _fault(
    made: Thought, head: Head, state: str, before: tuple[str, ...], shown_before: tuple[str, ...]
) -> str:
    """What differs from the conversation in which a block was made, "" for nothing."""
    if made.head.system != head.system:
        return "The `system` prompt differs from the one this block was created with."
    if made.head.tools != head.tools:
        return "The `tools` list differs from the one this block was created with."
    if made.state != state:
        return "A message before this block differs from when it was created."
    if before and not set(made.before) & {*before, *shown_before}:
        return "The `thinking` block that preceded this one when it was created is missing from this request."
    return ""


def register_reply(
    blocks: Sequence[Fields], model: ClaudeModel, checked: Checked, known: Signatures
) -> list[Fields]:
    """Sign a reply's thinking, bound to the request that was checked, and return the reply's blocks."""
    state, before = checked.state, checked.before
    made: list[Fields] = []
    for block in blocks:
        kind = str(block.get("type"))
        signed = dict(block)
        if kind in THINKING:
            signature = known.sign(kind)
            signed["signature" if kind == "thinking" else "data"] = signature
            known.thoughts[signature] = Thought(
                model.name, kind, str(block.get("thinking", "")), checked.head, state, before
            )
            before = (signature,)
        state = after(state, "assistant", signed)
        made.append(signed)
    return made


def register_summary(content: str, model: ClaudeModel, checked: Checked, known: Signatures) -> Fields:
    """Sign a summary of the request that was checked, and return its block."""
    signature = known.sign("compaction")
    changes = net_changes(checked.tool_changes)
    known.summaries[signature] = Compacted(
        content, changes, checked.head, checked.state, checked.last_role, model.binds
    )
    block: Fields = {"type": "compaction", "content": content, "signature": signature}
    return block | ({"tool_changes": list(changes)} if changes else {})


def net_changes(changes: Sequence[Fields]) -> tuple[Fields, ...]:
    """The last change of each tool."""
    newest = {digest(change.get("tool")): change for change in changes}
    return tuple(newest.values())
