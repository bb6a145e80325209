"""Classifying an error: its type, then the tables."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from http import HTTPStatus

from palimpsest.errors import FailureReason, ModelError
from palimpsest.formats.failures import failure_tables
from palimpsest.formats.failures.error_details import ErrorDetails, read_error, retry_after_s, sizes
from palimpsest.lazy_regex import later
from palimpsest.redaction.error_texts import redact

MAX_MESSAGE_CHARS = 600
MAX_CAUSES = 5

_TAG = later(r"<[^>]{0,200}>")
_PHRASES = {status.value: status.phrase for status in HTTPStatus}
_UNSENT = ("UnsupportedProtocol", "InvalidURL", "LocalProtocolError")
_LOST = (
    "ConnectionError", "APIConnectionError", "ConnectError", "NetworkError", "ReadError", "WriteError", "CloseError",
    "ProtocolError", "ProxyError", "ClientConnectionError", "ClientPayloadError", "ChunkedEncodingError", "gaierror",
    "SSLError", "IncompleteRead", "IncompleteReadError", "EndpointConnectionError", "SSEError",
)  # fmt: skip
_HINTS: dict[FailureReason, str] = {
    "context_overflow": "the prompt does not fit the model's window: compact the conversation",
    "timeout": "try again, or give it more time",
    "rate_limit": "wait, then try again",
    "quota": "check the account's credit and plan",
    "auth": "check the API key and what it may use",
    "not_found": "check the model's name and the address",
    "bad_request": "the request is not valid for this model",
    "refused": "the provider declined to answer this",
    "overloaded": "try again later",
    "server": "try again later",
    "connection": "check the network and the address",
    "unknown": "",
}


def classify(
    error: object,
    provider: str = "",
    *,
    secrets: Sequence[str] = (),
    now_s: float | None = None,
    depth: int = 0,
) -> ModelError:
    """Return any error of a model call as a `ModelError` with its reason and numbers.

    `error` is an exception of any client, an error body, or a text; a `ModelError` is returned as it is. An exception
    without details is classified by its cause (`depth` counts those followed). `provider` names the table to try
    first. `secrets` never appear in the message. A date in Retry-After is compared with `now_s` if the answer has no
    date.
    """
    if isinstance(error, ModelError):
        return error
    evidence = read_error(error)
    reason = _by_type(evidence) or _by_table(evidence, provider)
    if (
        reason == "unknown"
        and isinstance(error, BaseException)
        and error.__cause__ is not None
        and depth < MAX_CAUSES
    ):
        return classify(error.__cause__, provider, secrets=secrets, now_s=now_s, depth=depth + 1)
    limit, prompt = sizes(evidence) if reason == "context_overflow" else (0, 0)
    return ModelError(
        _message(evidence, provider, secrets),
        hint=_HINTS[reason],
        reason=reason,
        status=evidence.status,
        retry_after_s=retry_after_s(evidence, now_s),
        limit_tokens=limit,
        prompt_tokens=prompt,
    )


def _by_type(evidence: ErrorDetails) -> FailureReason | None:
    """Return what the error's type alone tells, without an answer."""
    kinds = evidence.kinds
    if evidence.status:
        return None
    if any("timeout" in kind.lower() for kind in kinds):
        return "timeout"
    if any(kind in _UNSENT for kind in kinds):
        return "bad_request"
    return "connection" if any(kind in _LOST for kind in kinds) else None


@cache
def _rows(provider: str) -> tuple[failure_tables.Row, ...]:
    return failure_tables.rows(provider)


def _by_table(evidence: ErrorDetails, provider: str) -> FailureReason:
    known = provider if provider in failure_tables.TABLES or not provider else "compatible"
    for row in _rows(known):
        if row.matches(evidence.status, evidence.codes, evidence.words):
            return row.reason
    return "unknown"


def _message(evidence: ErrorDetails, provider: str, secrets: Sequence[str]) -> str:
    words = redact(evidence.words.lstrip(), secrets)
    words = _TAG.sub(" ", words) if words.startswith("<") else words.partition("\n")[0]
    said = " ".join(words.split())
    if not said:
        said = _PHRASES.get(evidence.status) or (evidence.kinds[0] if evidence.kinds else "the call failed")
    if len(said) > MAX_MESSAGE_CHARS:
        said = said[: MAX_MESSAGE_CHARS - 1] + "…"
    who = provider or "the model"
    return f"{who} answered {evidence.status}: {said}" if evidence.status else f"{who}: {said}"
