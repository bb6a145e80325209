"""What the local server can be told to answer: replies and failures, whatever the wire form, and each form's words for
a failure.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from palimpsest.record.completion import Completion, FinishReason
from palimpsest.record.message import Reasoning, ToolCall

Wire = Literal["openai", "responses", "anthropic", "gemini"]
Ending = Literal["", "cut", "stall", "error", "end"]
FailKind = Literal[
    "bad_request", "auth", "quota", "forbidden", "not_found", "too_large", "overflow", "rate_limit", "server",
    "unavailable", "overloaded", "garbage", "html",
]  # fmt: skip


@dataclass(frozen=True, slots=True)
class Say:
    """A reply. `redacted` is an encrypted block of thinking, `blocks` are blocks as they are (both Anthropic's alone).

    The first byte comes after `delay_s`, and each piece of a stream after `piece_s`. A stream that does not end well
    says how after `after` pieces: the connection is cut, it falls silent, it sends an error, or it just ends. A reply
    that is not streamed is cut or stalls in its middle.
    """

    text: str = ""
    calls: tuple[ToolCall, ...] = ()
    thinking: str = ""
    signature: str = ""
    redacted: str = ""
    finish: FinishReason | None = None
    blocks: tuple[dict[str, object], ...] = ()
    delay_s: float = 0.0
    piece_s: float = 0.0
    ending: Ending = ""
    after: int = 3

    @property
    def reason(self) -> FinishReason:
        """Why the reply ends."""
        return self.finish or ("tool_calls" if self.calls else "stop")


@dataclass(frozen=True, slots=True)
class Fail:
    """A failure. `retry_after_s` is said in the way of the wire form."""

    kind: FailKind
    retry_after_s: float | None = None
    delay_s: float = 0.0
    message: str = ""


Reply = Say | Fail | Completion | str


def as_reply(reply: Reply) -> Say | Fail:
    """A text or a completion as what the server says."""
    if isinstance(reply, str):
        return Say(reply)
    if not isinstance(reply, Completion):
        return reply
    reasoning = [part for part in reply.message.parts if isinstance(part, Reasoning)] if reply.message else []
    thought = next((part for part in reasoning if not part.redacted), Reasoning(""))
    hidden = next((part.text for part in reasoning if part.redacted), "")
    finish = None if reply.finish_reason == "stop" else reply.finish_reason
    return Say(reply.text, reply.calls, thought.text, thought.signature, hidden, finish)


@dataclass(frozen=True, slots=True)
class _Words:
    """A failure in the three forms: (type, code) of OpenAI, type of Anthropic, status of Gemini, and the words."""

    status: int
    openai: tuple[str, str | None]
    anthropic: str
    gemini: str
    message: str


WORDS: dict[FailKind, _Words] = {
    "bad_request": _Words(
        400, ("invalid_request_error", None), "invalid_request_error", "INVALID_ARGUMENT",
        "Invalid value for a field of the request.",
    ),
    "auth": _Words(
        401, ("invalid_request_error", "invalid_api_key"), "authentication_error", "UNAUTHENTICATED",
        "The API key provided is not valid.",
    ),
    "quota": _Words(
        402, ("insufficient_quota", "insufficient_quota"), "billing_error", "RESOURCE_EXHAUSTED",
        "Your credit balance is too low to access the API.",
    ),
    "forbidden": _Words(
        403, ("invalid_request_error", "unsupported_country_region_territory"), "permission_error",
        "PERMISSION_DENIED", "The key has no permission for this resource.",
    ),
    "not_found": _Words(
        404, ("invalid_request_error", "model_not_found"), "not_found_error", "NOT_FOUND",
        "The model does not exist.",
    ),
    "too_large": _Words(
        413, ("invalid_request_error", None), "request_too_large", "INVALID_ARGUMENT",
        "Request exceeds the maximum size",
    ),
    "overflow": _Words(
        400, ("invalid_request_error", "context_length_exceeded"), "invalid_request_error", "INVALID_ARGUMENT",
        "",
    ),
    "rate_limit": _Words(
        429, ("requests", "rate_limit_exceeded"), "rate_limit_error", "RESOURCE_EXHAUSTED",
        "Rate limit reached for tokens per minute.",
    ),
    "server": _Words(500, ("server_error", None), "api_error", "INTERNAL", "Internal server error"),
    "unavailable": _Words(
        503, ("server_error", None), "api_error", "UNAVAILABLE", "The service is unavailable for the moment."
    ),
    "overloaded": _Words(529, ("server_error", None), "overloaded_error", "UNAVAILABLE", "Overloaded"),
    "garbage": _Words(200, ("", None), "", "", '{"id": "half a repl'),
    "html": _Words(502, ("", None), "", "", "<html><body><h1>502 Bad Gateway</h1></body></html>"),
}  # fmt: skip

OVERFLOWS: dict[Wire, str] = {
    "openai": (
        "This model's maximum context length is {window} tokens. However, you requested {all} tokens ({prompt} in the "
        "messages, {output} in the completion). Please reduce the length of the messages or completion."
    ),
    "responses": "Your input exceeds the context window of this model. Please adjust your input and try again.",
    "anthropic": (
        "input length and `max_tokens` exceed context limit: {prompt} + {output} > {window}, decrease input length or "
        "`max_tokens` and try again"
    ),
    "gemini": "The input token count ({prompt}) exceeds the maximum number of tokens allowed ({window}).",
}


def failure_body(wire: Wire, kind: FailKind, message: str = "", retry_after_s: float | None = None) -> object:
    """The JSON body of a failure in a wire form."""
    words = WORDS[kind]
    said = message or words.message or "The prompt does not fit the context window."
    if wire in ("openai", "responses"):
        return {"error": {"message": said, "type": words.openai[0], "param": None, "code": words.openai[1]}}
    if wire == "anthropic":
        return {
            "type": "error",
            "error": {"type": words.anthropic, "message": said},
            "request_id": "req_0001",
        }
    error: dict[str, object] = {"code": words.status, "message": said, "status": words.gemini}
    if retry_after_s is not None:
        delay = {"@type": "type.googleapis.com/google.rpc.RetryInfo", "retryDelay": f"{retry_after_s:g}s"}
        error["details"] = [delay]
    return {"error": error}
