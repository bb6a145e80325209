"""What OpenAI's Responses API refuses: the shape of items, calls and outputs, reasoning, and compaction items.

A reasoning item goes back together with the item that followed it, and with its encrypted content unchanged. An item
that goes back under its own id needs the reasoning item before which it was made. The newest models leave out the
reasoning that follows a change of its prefix, without an error; instructions are no part of that prefix.
"""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass, field

from tests.wire.strict.refusal import Fields, Refusal, digest, fields, objects

MAX_ID_CHARS = 64
BINDING = re.compile(r"gpt-6\.[2-9]")
CODEX_FIELD = "internal_chat_message_metadata_passthrough"
"""A field that Codex adds to its items."""

_REQUEST = frozenset(
    "background context_management conversation include input instructions max_output_tokens max_tool_calls metadata "
    "model parallel_tool_calls previous_response_id prompt client_metadata prompt_cache_key prompt_cache_options "
    "prompt_cache_retention reasoning safety_identifier service_tier store stream stream_options temperature text "
    "tool_choice tools top_logprobs top_p truncation user".split()
)
_COMPACT = frozenset(
    "image input instructions model previous_response_id prompt_cache_key prompt_cache_options "
    "prompt_cache_retention service_tier".split()
)
_ITEM_FIELDS: dict[str, frozenset[str]] = {
    "message": frozenset("type role content id status phase".split()),
    "reasoning": frozenset("type id summary content encrypted_content status".split()),
    "function_call": frozenset("type id call_id name arguments status namespace caller async".split()),
    "function_call_output": frozenset("type id call_id output status name namespace caller".split()),
    "custom_tool_call": frozenset("type id call_id name input status namespace caller".split()),
    "custom_tool_call_output": frozenset("type id call_id output status caller".split()),
    "compaction": frozenset("type id encrypted_content created_by".split()),
    "additional_tools": frozenset("type id role tools".split()),
    "configuration_update": frozenset("type id reasoning text".split()),
}
_PREFIXES = {
    "message": "msg", "reasoning": "rs", "function_call": "fc", "custom_tool_call": "ctc", "compaction": "cmp",
}  # fmt: skip
_ROLES = ("user", "assistant", "system", "developer")
_USER_PARTS = ("input_text", "input_image", "input_file", "input_audio")
_NAME = re.compile(r"[a-zA-Z0-9_-]{1,64}")
_CALLS = ("function_call", "custom_tool_call")
_OUTPUTS = ("function_call_output", "custom_tool_call_output")


@dataclass(frozen=True, slots=True)
class Reasoned:
    """A reasoning item as it was made: its encrypted content, the item that followed, and what it was made behind."""

    encrypted: str
    following: str
    state: str
    tools: str


@dataclass(slots=True)
class Made:
    """Every item that the server made: reasoning by id, the reasoning that an item's id belongs to, and the encrypted
    content of compaction items with the state behind them.
    """

    reasoning: dict[str, Reasoned] = field(default_factory=dict[str, Reasoned])
    owners: dict[str, str] = field(default_factory=dict[str, str])
    compactions: dict[str, str] = field(default_factory=dict[str, str])
    count: int = 0

    def identify(self, prefix: str) -> str:
        """A new id."""
        self.count += 1
        return f"{prefix}_{digest(prefix, self.count)}{self.count:06d}"


@dataclass(frozen=True, slots=True)
class CheckedInput:
    """What checking found: the tools, the state behind the input, and how much reasoning was sent and left out."""

    tools: str
    state: str
    sent: int
    dropped: tuple[str, ...]


def items_of(body: Fields) -> list[Fields]:
    """The input as a list of items."""
    given = body.get("input")
    return [{"role": "user", "content": given}] if isinstance(given, str) else objects(given)


def kind_of(item: Fields) -> str:
    """An item's type; a message may leave it out."""
    return str(item.get("type") or ("message" if "role" in item else ""))


def essence(item: Fields) -> str:
    """What makes two forms of one item the same: a message's words, a call's id."""
    kind = kind_of(item)
    if kind == "message":
        return digest(kind, item.get("role"), words_of(item.get("content")))
    if kind in _CALLS:
        return digest(kind, item.get("call_id"), item.get("name"), item.get("arguments", item.get("input")))
    return digest({name: value for name, value in item.items() if name not in ("id", "status")})


def words_of(content: object) -> str:
    """The texts of a message's content."""
    if isinstance(content, str):
        return content
    return "".join(str(part.get("text") or part.get("refusal") or "") for part in objects(content))


def check_responses(body: Fields, made: Made, *, compact: bool = False) -> CheckedInput:
    """Raise Refusal for the first rule that a request breaks."""
    for name in body:
        if name not in (_COMPACT if compact else _REQUEST):
            raise Refusal(f"Unknown parameter: '{name}'.", "unknown_parameter")
    if not body.get("model"):
        raise Refusal("Missing required parameter: 'model'.", "missing_required_parameter")
    items = items_of(body)
    if not items:
        raise Refusal("Missing required parameter: 'input'.", "missing_required_parameter")
    for index, item in enumerate(items):
        _check_item(item, f"input[{index}]")
    _check_pairs(items)
    for index, tool in enumerate(objects(body.get("tools"))):
        _check_tool(tool, f"tools[{index}]")
    return _check_made(items, body, made, compact=compact)


def _check_item(item: Fields, place: str) -> None:
    kind = kind_of(item)
    if not kind:
        raise Refusal(f"Missing required parameter: '{place}.type'.", "missing_required_parameter")
    known = _ITEM_FIELDS.get(kind)
    for name in item if known is not None else ():
        if known is not None and name not in known and name != CODEX_FIELD:
            raise Refusal(f"Unknown parameter: '{place}.{name}'.", "unknown_parameter")
    for name in ("id", "call_id"):
        value = item.get(name)
        if value is None and name != "call_id":
            continue
        if value is None and kind not in (*_CALLS, *_OUTPUTS):
            continue
        if not isinstance(value, str) or not value:
            raise Refusal(f"Missing required parameter: '{place}.{name}'.", "missing_required_parameter")
        if len(value) > MAX_ID_CHARS:
            raise Refusal(
                f"Invalid '{place}.{name}': string too long. Expected a string with maximum length "
                f"{MAX_ID_CHARS}, but got a string with length {len(value)} instead.",
                "string_above_max_length",
            )
    prefix = _PREFIXES.get(kind, "")
    if item.get("id") and not str(item["id"]).startswith(prefix):
        raise Refusal(f"Invalid '{place}.id': '{item['id']}'. Expected an ID that begins with '{prefix}'.")
    _CHECKS.get(kind, _check_nothing)(item, place)


def _check_nothing(item: Fields, place: str) -> None:
    """Types without a rule of their own pass."""


def _check_message(item: Fields, place: str) -> None:
    role, content = item.get("role"), item.get("content")
    if role not in _ROLES:
        raise Refusal(f"Invalid value: '{role}'. Supported values are: {', '.join(_ROLES)}.", "invalid_value")
    if isinstance(content, str):
        return
    parts = objects(content)
    if not isinstance(content, list):
        raise Refusal(f"Missing required parameter: '{place}.content'.", "missing_required_parameter")
    allowed = ("output_text", "refusal") if role == "assistant" else _USER_PARTS
    for number, part in enumerate(parts):
        if part.get("type") not in allowed:
            raise Refusal(
                f"Invalid value: '{part.get('type')}'. Supported values are: {', '.join(allowed)}.",
                "invalid_value",
            )
        if part["type"] in ("input_text", "output_text") and not isinstance(part.get("text"), str):
            raise Refusal(f"Missing required parameter: '{place}.content[{number}].text'.")


def _check_call(item: Fields, place: str) -> None:
    name, arguments = item.get("name"), item.get("arguments")
    if not isinstance(name, str) or not _NAME.fullmatch(name):
        raise Refusal(f"Invalid '{place}.name': string does not match pattern '^[a-zA-Z0-9_-]+$'.")
    if not isinstance(arguments, str):
        raise Refusal(f"Invalid type for '{place}.arguments': expected a string.", "invalid_type")
    try:
        json.loads(arguments)
    except ValueError:
        raise Refusal(f"Invalid '{place}.arguments': expected a JSON string.") from None


def _check_output(item: Fields, place: str) -> None:
    output = item.get("output")
    if not isinstance(output, str | list):
        raise Refusal(f"Missing required parameter: '{place}.output'.", "missing_required_parameter")
    for number, part in enumerate(objects(output)):
        if part.get("type") not in _USER_PARTS:
            raise Refusal(
                f"Invalid value: '{part.get('type')}' at '{place}.output[{number}].type'.", "invalid_value"
            )


def _check_reasoning(item: Fields, place: str) -> None:
    for name in ("id", "summary"):
        if item.get(name) is None:
            raise Refusal(f"Missing required parameter: '{place}.{name}'.", "missing_required_parameter")


def _check_compaction(item: Fields, place: str) -> None:
    if not isinstance(item.get("encrypted_content"), str):
        raise Refusal(
            f"Missing required parameter: '{place}.encrypted_content'.", "missing_required_parameter"
        )


_CHECKS = {
    "message": _check_message,
    "function_call": _check_call,
    "function_call_output": _check_output,
    "custom_tool_call_output": _check_output,
    "reasoning": _check_reasoning,
    "compaction": _check_compaction,
}


def _check_pairs(items: Sequence[Fields]) -> None:
    """Every call has one output behind it, and every output a call before it."""
    waiting: dict[object, None] = {}
    known: set[object] = set()
    for item in items:
        call_id = item.get("call_id")
        if kind_of(item) in _CALLS:
            if call_id in known:
                raise Refusal(f"Duplicate call_id {call_id} in the input.")
            known.add(call_id)
            waiting[call_id] = None
        elif kind_of(item) in _OUTPUTS:
            if call_id not in waiting:
                raise Refusal(f"No tool call found for function call output with call_id {call_id}.")
            del waiting[call_id]
    for call_id in waiting:
        raise Refusal(f"No tool output found for function call {call_id}.")


def _check_tool(tool: Fields, place: str) -> None:
    if not isinstance(tool.get("type"), str):
        raise Refusal(f"Missing required parameter: '{place}.type'.", "missing_required_parameter")
    name = tool.get("name")
    if tool["type"] == "function" and (not isinstance(name, str) or not _NAME.fullmatch(name)):
        raise Refusal(f"Missing required parameter: '{place}.name'.", "missing_required_parameter")


def _check_made(items: Sequence[Fields], body: Fields, made: Made, *, compact: bool) -> CheckedInput:
    tools, state, sent, dropped = digest(body.get("tools")), "", 0, list[str]()
    binds = BINDING.match(str(body.get("model"))) is not None
    for index, item in enumerate(items):
        kind, item_id = kind_of(item), str(item.get("id"))
        if kind == "reasoning":
            known = _known_reasoning(item, items[index + 1] if index + 1 < len(items) else {}, made)
            sent += 1
            same_tools = compact or known.tools == tools
            if binds and not (known.state == state and same_tools):
                dropped.append(item_id)
            continue
        owner = made.owners.get(item_id)
        before = items[index - 1] if index else {}
        if owner is not None and before.get("id") != owner:
            raise Refusal(
                f"Item '{item_id}' of type '{kind}' was provided without its required 'reasoning' item: '{owner}'."
            )
        if kind == "compaction":
            behind = made.compactions.get(str(item["encrypted_content"]))
            if behind is None:
                raise _unverified(item_id)
            state = behind
        else:
            state = digest(state, essence(item))
    return CheckedInput(tools, state, sent, tuple(dropped))


def _unverified(item_id: str) -> Refusal:
    return Refusal(
        f"The encrypted content for item {item_id} could not be verified. Reason: Encrypted content could not be "
        "decrypted or parsed.",
        "invalid_encrypted_content",
    )


def _known_reasoning(item: Fields, following: Fields, made: Made) -> Reasoned:
    item_id = str(item["id"])
    known = made.reasoning.get(item_id)
    if known is None or item.get("encrypted_content") not in (known.encrypted, None):
        raise _unverified(item_id)
    if item.get("encrypted_content") is None:
        raise Refusal(
            f"Item with id '{item_id}' not found. Items are not persisted when `store` is set to false."
        )
    if essence(following) != known.following:
        raise Refusal(
            f"Item '{item_id}' of type 'reasoning' was provided without its required following item."
        )
    return known


def register_output(output: Sequence[Fields], checked: CheckedInput, made: Made) -> None:
    """Remember the items of a reply."""
    state = checked.state
    for index, item in enumerate(output):
        if kind_of(item) != "reasoning":
            state = digest(state, essence(item))
            continue
        following = output[index + 1]
        item_id = str(item["id"])
        made.reasoning[item_id] = Reasoned(
            str(item["encrypted_content"]), essence(following), state, checked.tools
        )
        made.owners[str(following["id"])] = item_id


def compacted_output(body: Fields, checked: CheckedInput, made: Made) -> list[Fields]:
    """What a compaction returns: the user's messages, and one compaction item."""
    users = [
        {
            "type": "message",
            "id": made.identify("msg"),
            "status": "completed",
            "role": "user",
            "content": [{"type": "input_text", "text": words_of(item.get("content"))}],
        }
        for item in items_of(body)
        if kind_of(item) == "message" and item.get("role") == "user"
    ]
    encrypted = "gAAAA" + digest("compaction", made.count, checked.state)
    made.compactions[encrypted] = checked.state
    return [*users, {"type": "compaction", "id": made.identify("cmp"), "encrypted_content": encrypted}]


def instructions_of(body: Fields) -> str:
    """The instructions of a request."""
    return str(fields(body).get("instructions") or "")
