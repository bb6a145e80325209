"""What Anthropic's Messages API refuses in the shape of a request. Thinking and summaries have rules of their own
(`thinking.py`).

The wording follows the API's. Neighbouring messages of one role are one turn; system messages form a section that
stands behind a user's turn and before an assistant's, or at the end.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from tests.wire.strict.claude_models import ClaudeModel
from tests.wire.strict.refusal import Fields, Refusal, fields, objects, refuse_unknown

COMPACT = "compact-2026-09-04"
BINDING_CONTROLS = "thinking-binding-controls-2026-08-01"
TOOL_CHANGES = ("mid-conversation-tool-changes-2026-07-01", "inline-tools-2026-09-15")
CLEAR_AT = "mid-conversation-system-clear-at-2026-08-21"
OUTPUT_CONFIG = ("mid-conversation-output-config-2026-07-01", "per-turn-control-2026-07-01")
CONTEXT_MANAGEMENT = ("context-management-2025-06-27", "compact-2026-01-12")
MAX_CACHE_MARKS = 4

_OPEN_FIELDS = frozenset(
    "cache_control container diagnostics inference_geo max_tokens messages metadata model output_config service_tier "
    "speed stop_sequences stream system temperature thinking tool_choice tools top_k top_p user_profile_id".split()
)
_BETA_FIELDS: dict[str, tuple[str, ...]] = {
    "compaction": (COMPACT,),
    "context_management": CONTEXT_MANAGEMENT,
    "mcp_servers": ("mcp-client-",),
    "fallbacks": ("server-side-fallback-",),
    "fallback_credit_token": ("fallback-credit-",),
    "thread": ("message-threads-",),
    "billing_policy": ("user-profiles-billing-",),
}
"""Fields of the request, and the beginnings of the beta values of which each needs one."""

_UNCOUNTED = ("max_tokens", "metadata", "stream", "stop_sequences", "service_tier", "container")
_BETA_NAME = re.compile(r"[a-z0-9-]+-20\d\d-?\d\d-?\d\d")
_MARK = {"cache_control"}
BLOCK_FIELDS: dict[str, frozenset[str]] = {
    "text": frozenset({"type", "text", "citations", *_MARK}),
    "thinking": frozenset({"type", "thinking", "signature"}),
    "redacted_thinking": frozenset({"type", "data"}),
    "tool_use": frozenset({"type", "id", "name", "input", "caller", "toolset_name", *_MARK}),
    "tool_result": frozenset({"type", "tool_use_id", "content", "is_error", "toolset_name", *_MARK}),
    "image": frozenset({"type", "source", "transformations", *_MARK}),
    "document": frozenset({"type", "source", "title", "context", "citations", *_MARK}),
    "tool_reference": frozenset({"type", "tool_name", *_MARK}),
    "tool_addition": frozenset({"type", "tool", *_MARK}),
    "tool_removal": frozenset({"type", "tool", *_MARK}),
}
"""Fields of the block types that are checked; other types pass."""

_SYSTEM_BLOCKS = ("text", "tool_addition", "tool_removal")
_TOOL_ID = re.compile(r"[a-zA-Z0-9_-]+")
_TOOL_NAME = re.compile(r"[a-zA-Z0-9_-]{1,128}")
_DIRECTIVE = "the directive-only form (content: [] with output_config) is accepted at any position"
_EFFORTS = ("low", "medium", "high", "xhigh", "max")


@dataclass(frozen=True, slots=True)
class Turn:
    """Neighbouring messages of one role. `blocks` are (path, block)."""

    role: str
    index: int
    blocks: tuple[tuple[str, Fields], ...]


def blocks_of(content: object) -> list[Fields]:
    """A content as a list of blocks."""
    if isinstance(content, str):
        return [{"type": "text", "text": content}] if content else []
    return objects(content)


def turns_of(messages: Sequence[Fields]) -> list[Turn]:
    """The messages with neighbours of one role joined."""
    made: list[Turn] = []
    for index, message in enumerate(messages):
        role = str(message.get("role"))
        blocks = tuple(
            (f"messages.{index}.content.{number}", block)
            for number, block in enumerate(blocks_of(message.get("content")))
        )
        if made and made[-1].role == role:
            made[-1] = Turn(role, made[-1].index, made[-1].blocks + blocks)
        else:
            made.append(Turn(role, index, blocks))
    return made


def check_request(body: Fields, betas: frozenset[str], model: ClaudeModel, *, counting: bool = False) -> None:
    """Raise Refusal for the first rule that a request breaks."""
    for beta in betas:
        if not _BETA_NAME.fullmatch(beta):
            raise Refusal(f"Unexpected value(s) `{beta}` for the `anthropic-beta` header.")
    _check_fields(body, betas, counting=counting)
    _check_sampling(body, betas, model)
    _check_tools(body)
    _check_marks(body)
    messages = objects(body.get("messages"))
    _check_system(body)
    _check_messages(messages, betas, model)
    _check_tool_changes(messages, body)
    turns = turns_of(messages)
    _check_system_positions(messages, model)
    _check_pairs(turns)
    if not counting:
        _check_end(turns, model, compaction="compaction" in body)
        _check_compaction_request(body, turns, model)


def _check_fields(body: Fields, betas: frozenset[str], *, counting: bool) -> None:
    for name in body:
        needed = _BETA_FIELDS.get(name)
        if needed is None:
            if name not in _OPEN_FIELDS or (counting and name in _UNCOUNTED):
                raise Refusal(f"{name}: Extra inputs are not permitted")
        elif not any(beta.startswith(needed) for beta in betas):
            if name == "compaction":
                raise Refusal(f"compaction: this parameter requires anthropic-beta: {COMPACT}")
            raise Refusal(f"{name}: Extra inputs are not permitted")
    for name in ("model", "messages") + (() if counting else ("max_tokens",)):
        if body.get(name) is None:
            raise Refusal(f"{name}: Field required")
    if not counting and not (isinstance(body["max_tokens"], int) and body["max_tokens"] > 0):
        raise Refusal("max_tokens: Input should be greater than or equal to 1")


def _check_sampling(body: Fields, betas: frozenset[str], model: ClaudeModel) -> None:
    thinking = fields(body.get("thinking"))
    kind = thinking.get("type")
    if "block_binding" in thinking:
        if BINDING_CONTROLS not in betas:
            raise Refusal(f"thinking.{kind}.block_binding: Extra inputs are not permitted")
        behaviour = fields(thinking["block_binding"]).get("prefix_mismatch_behavior", "error")
        if behaviour not in ("error", "drop_block", None):
            raise Refusal(
                "thinking.block_binding.prefix_mismatch_behavior: Input should be 'error' or 'drop_block'"
            )
    if kind == "enabled" and model.modern:
        raise Refusal(
            '"thinking.type.enabled" is not supported for this model. Use "thinking.type.adaptive" and '
            '"output_config.effort" to control thinking behavior.'
        )
    for name in ("temperature", "top_p", "top_k"):
        if model.modern and body.get(name) not in (None, 1):
            raise Refusal(f"`{name}` is deprecated for this model.")
    if fields(body.get("tool_choice")).get("type") in ("any", "tool") and not model.takes_forced_tools:
        raise Refusal('tool_choice: type "tool" and "any" are not supported for this model.')


def _check_tools(body: Fields) -> None:
    tools = objects(body.get("tools"))
    names: set[object] = set()
    for index, tool in enumerate(tools):
        name = tool.get("name")
        if not isinstance(name, str) or not _TOOL_NAME.fullmatch(name):
            raise Refusal(
                f"tools.{index}.custom.name: String should match pattern '^[a-zA-Z0-9_-]{{1,128}}$'"
            )
        if name in names:
            raise Refusal("tools: Tool names must be unique.")
        names.add(name)
        if tool.get("type", "custom") == "custom":
            if fields(tool.get("input_schema")).get("type") != "object":
                raise Refusal(f"tools.{index}.custom.input_schema.type: Input should be 'object'")
            known = (
                "allowed_callers cache_control defer_loading description eager_input_streaming input_examples "
                "input_schema name strict type"
            )
            refuse_unknown(tool, frozenset(known.split()), f"tools.{index}.custom")
        if tool.get("defer_loading") and tool.get("cache_control"):
            raise Refusal(f"tools.{index}: a tool with defer_loading cannot have cache_control")
    if tools and all(tool.get("defer_loading") is True for tool in tools):
        raise Refusal("At least one tool must have defer_loading=false. All tools cannot be deferred.")


def _marks(body: Fields) -> Iterator[tuple[str, object]]:
    """Cache marks in the order of the prompt: tools, system, messages."""
    for index, tool in enumerate(objects(body.get("tools"))):
        yield f"tools.{index}", tool.get("cache_control")
    for index, block in enumerate(blocks_of(body.get("system"))):
        yield f"system.{index}", block.get("cache_control")
    for index, message in enumerate(objects(body.get("messages"))):
        for number, block in enumerate(blocks_of(message.get("content"))):
            place = f"messages.{index}.content.{number}"
            if block.get("type") == "tool_result":
                for inner, one in enumerate(blocks_of(block.get("content"))):
                    yield f"{place}.content.{inner}", one.get("cache_control")
            yield place, block.get("cache_control")
    yield "", body.get("cache_control")


def _check_marks(body: Fields) -> None:
    found = [(place, fields(mark)) for place, mark in _marks(body) if mark is not None]
    if len(found) > MAX_CACHE_MARKS:
        raise Refusal(
            f"A maximum of {MAX_CACHE_MARKS} blocks with cache_control may be provided. Found {len(found)}."
        )
    short = False
    for place, mark in found:
        refuse_unknown(mark, frozenset({"type", "ttl", "scope"}), f"{place}.cache_control")
        if mark.get("type") != "ephemeral" or mark.get("ttl", "5m") not in ("5m", "1h"):
            raise Refusal(f"{place}.cache_control: Input should be of type 'ephemeral' with ttl '5m' or '1h'")
        if mark.get("ttl") == "1h" and short:
            raise Refusal(
                f"{place}.cache_control.ttl: a ttl='1h' cache_control block must not come after a ttl='5m' "
                "cache_control block."
            )
        short = short or mark.get("ttl", "5m") == "5m"


def _check_system(body: Fields) -> None:
    for index, block in enumerate(blocks_of(body.get("system"))):
        if block.get("type") != "text":
            raise Refusal(f"system.{index}.type: Input should be 'text'")
        _check_block(block, f"system.{index}", "user")


def _check_messages(messages: list[Fields], betas: frozenset[str], model: ClaudeModel) -> None:
    if not messages:
        raise Refusal("messages: at least one message is required")
    tool_ids: set[object] = set()
    for index, message in enumerate(messages):
        role = message.get("role")
        if role not in ("user", "assistant", "system"):
            raise Refusal(f"messages.{index}.role: Input should be 'user', 'assistant' or 'system'")
        if role == "system":
            _check_system_message(message, index, betas, model)
            continue
        refuse_unknown(message, frozenset({"role", "content"}), f"messages.{index}")
        if not message.get("content"):
            raise Refusal(f"messages.{index}: all messages must have non-empty content")
        for number, block in enumerate(blocks_of(message["content"])):
            _check_block(block, f"messages.{index}.content.{number}", str(role))
            if block.get("type") == "tool_use":
                if block["id"] in tool_ids:
                    raise Refusal("messages: `tool_use` ids must be unique")
                tool_ids.add(block["id"])
    first = messages[0]
    begins_with_summary = [block.get("type") for block in blocks_of(first.get("content"))][:1] == [
        "compaction"
    ]
    if first.get("role") == "assistant" and not begins_with_summary:
        raise Refusal('messages: first message must use the "user" role')


def _check_system_message(message: Fields, index: int, betas: frozenset[str], model: ClaudeModel) -> None:
    if not model.takes_system_messages:
        raise Refusal(f"messages.{index}: role 'system' is not supported on this model")
    place = f"messages.{index}"
    known = {"role", "content"}
    known |= {"clear_at"} if CLEAR_AT in betas else set()
    known |= {"output_config"} if betas.intersection(OUTPUT_CONFIG) else set()
    refuse_unknown(message, frozenset(known), place)
    if fields(message.get("output_config")).get("effort") not in (None, *_EFFORTS):
        raise Refusal(f"{place}.output_config.effort: Input should be one of {', '.join(_EFFORTS)}")
    blocks = blocks_of(message.get("content"))
    if not blocks and not message.get("output_config"):
        raise Refusal(f"{place}: system content must contain at least one block")
    for number, block in enumerate(blocks):
        kind = block.get("type")
        if kind not in _SYSTEM_BLOCKS:
            raise Refusal(
                f"{place}: role 'system' supports text, tool_addition, and tool_removal blocks only"
            )
        if kind != "text" and not betas.intersection(TOOL_CHANGES):
            raise Refusal(
                f"{place}.content.{number}: Input tag '{kind}' found using 'type' does not match any of the "
                "expected tags: 'text'"
            )
        _check_block(block, f"{place}.content.{number}", "system")


def _check_tool_changes(messages: list[Fields], body: Fields) -> None:
    """A tool that comes or goes by name is one of the request's tools."""
    names = {tool.get("name") for tool in objects(body.get("tools"))}
    for index, message in enumerate(messages):
        for number, block in enumerate(blocks_of(message.get("content"))):
            tool = fields(block.get("tool"))
            named = (
                block.get("type") in ("tool_addition", "tool_removal")
                and tool.get("type") == "tool_reference"
            )
            if named and tool.get("name") not in names:
                raise Refusal(
                    f"messages.{index}.content.{number}: the tool `{tool.get('name')}` is not declared"
                )


def _check_block(block: Fields, place: str, role: str) -> None:
    kind = block.get("type")
    if not isinstance(kind, str):
        raise Refusal(f"{place}.type: Field required")
    if known := BLOCK_FIELDS.get(kind):
        refuse_unknown(block, known, f"{place}.{kind}")
    if kind == "text":
        text = block.get("text")
        if not isinstance(text, str):
            raise Refusal(f"{place}.text.text: Field required")
        if not text:
            raise Refusal("messages: text content blocks must be non-empty")
        if not text.strip():
            raise Refusal("messages: text content blocks must contain non-whitespace text")
    elif kind in ("tool_use", "thinking", "redacted_thinking") and role != "assistant":
        raise Refusal(f"{place}: `{kind}` blocks can only be in `assistant` messages")
    elif kind in ("tool_result", "image", "document") and role != "user":
        raise Refusal(f"{place}: `{kind}` blocks can only be in `user` messages")
    if kind == "tool_use":
        _check_tool_use(block, place)
    elif kind == "tool_result":
        _check_tool_result(block, place)


def _check_tool_use(block: Fields, place: str) -> None:
    call_id = block.get("id")
    if not isinstance(call_id, str) or not _TOOL_ID.fullmatch(call_id):
        raise Refusal(f"{place}.tool_use.id: String should match pattern '^[a-zA-Z0-9_-]+$'")
    name = block.get("name")
    if not isinstance(name, str) or not 0 < len(name) <= 200:
        raise Refusal(f"{place}.tool_use.name: String should have at least 1 character")
    if not isinstance(block.get("input"), dict):
        raise Refusal(f"{place}.tool_use.input: Input should be a valid dictionary")


def _check_tool_result(block: Fields, place: str) -> None:
    if not isinstance(block.get("tool_use_id"), str):
        raise Refusal(f"{place}.tool_result.tool_use_id: Field required")
    for number, inner in enumerate(blocks_of(block.get("content"))):
        inner_place = f"{place}.tool_result.content.{number}"
        _check_block(inner, inner_place, "user")
        if block.get("is_error") and inner.get("type") != "text":
            raise Refusal(f'{inner_place}: all content must be type "text" if "is_error" is true')


def _check_system_positions(messages: list[Fields], model: ClaudeModel) -> None:
    roles = [message["role"] for message in messages]
    index = 0
    while index < len(messages):
        if roles[index] != "system" or not blocks_of(messages[index].get("content")):
            index += 1
            continue
        start = index
        while index < len(messages) and roles[index] == "system":
            index += 1
        if start == 0:
            raise Refusal(
                "messages.0: use the top-level 'system' parameter for the initial system prompt; "
                + _DIRECTIVE
            )
        if roles[start - 1] != "user" and not _ends_in_server_result(messages[start - 1]):
            raise Refusal(
                f"messages.{start}: role 'system' must follow a 'user' message or an 'assistant' message ending "
                f"in a server tool result; {_DIRECTIVE}"
            )
        if index < len(messages) and roles[index] != "assistant":
            raise Refusal(
                f"messages.{index - 1}: role 'system' must precede an 'assistant' message or end the array; "
                f"{_DIRECTIVE}"
            )


def _ends_in_server_result(message: Fields) -> bool:
    blocks = blocks_of(message.get("content"))
    return bool(blocks) and str(blocks[-1].get("type")).endswith("_tool_result")


def open_calls(turn: Turn) -> list[str]:
    """Ids of a turn's calls."""
    return [str(block["id"]) for _, block in turn.blocks if block.get("type") == "tool_use"]


def _check_pairs(turns: list[Turn]) -> None:
    spoken = [turn for turn in turns if turn.role != "system"]
    for number, turn in enumerate(spoken):
        before = spoken[number - 1] if number else None
        asked = open_calls(before) if before is not None and before.role == "assistant" else []
        results = [(place, block) for place, block in turn.blocks if block.get("type") == "tool_result"]
        for place, block in results:
            if block["tool_use_id"] not in asked:
                raise Refusal(
                    f"{place}: unexpected `tool_use_id` found in `tool_result` blocks: {block['tool_use_id']}. Each "
                    "`tool_result` block must have a corresponding `tool_use` block in the previous message."
                )
        given = [str(block["tool_use_id"]) for _, block in results]
        if len(given) > len(set(given)):
            raise Refusal(f"messages.{turn.index}: each tool_use must have a single result.")
        missing = [call for call in asked if call not in given]
        leading = [block.get("type") for _, block in turn.blocks[: len(results)]]
        if missing or (asked and leading != ["tool_result"] * len(results)):
            raise Refusal(
                f"messages.{turn.index}: `tool_use` ids were found without `tool_result` blocks immediately after: "
                f"{', '.join(missing or asked)}. Each `tool_use` block must have a corresponding `tool_result` block "
                "in the next message."
            )


def _check_end(turns: list[Turn], model: ClaudeModel, *, compaction: bool) -> None:
    spoken = [turn for turn in turns if turn.role != "system"]
    if not spoken or spoken[-1].role != "assistant" or compaction:
        return
    if open_calls(spoken[-1]):
        raise Refusal(
            f"messages.{spoken[-1].index}: `tool_use` ids were found without `tool_result` blocks immediately after: "
            f"{', '.join(open_calls(spoken[-1]))}."
        )
    if model.version >= (4, 6):
        raise Refusal(
            "This model does not support assistant message prefill. The conversation must end with a user message."
        )
    text = spoken[-1].blocks[-1][1].get("text") if spoken[-1].blocks else None
    if isinstance(text, str) and text != text.rstrip():
        raise Refusal("messages: final assistant content cannot end with trailing whitespace")


def _check_compaction_request(body: Fields, turns: list[Turn], model: ClaudeModel) -> None:
    if "compaction" not in body:
        return
    asked = fields(body["compaction"])
    refuse_unknown(asked, frozenset({"type", "instructions"}), "compaction.summarize")
    if asked.get("type") != "summarize":
        raise Refusal("compaction.type: Input should be 'summarize'")
    if not model.compacts:
        raise Refusal("compaction: not supported on this model")
    for name in ("context_management", "stop_sequences"):
        if body.get(name):
            raise Refusal(f"compaction: cannot be combined with `{name}`")
    if fields(body.get("tool_choice")).get("type") in ("any", "tool"):
        raise Refusal("compaction: cannot be combined with a `tool_choice` of type `any` or `tool`")
    if fields(body.get("output_config")).get("format"):
        raise Refusal("compaction: cannot be combined with `output_config.format`")
    spoken = [turn for turn in turns if turn.role != "system"]
    if not spoken or not any(turn.blocks for turn in spoken):
        raise Refusal("compaction: nothing to summarize", "compaction_nothing_to_summarize")
    if spoken[-1].role == "assistant" and open_calls(spoken[-1]):
        raise Refusal(
            "compaction: the last `assistant` turn has a tool call without a result",
            "compaction_incomplete_turn",
        )
