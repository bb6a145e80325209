"""Classifying an error of a model call: its type first, then one table for each provider.

A row of a table matches by any of its codes (an error's code, type, status word or reason), by its wording, or by both;
and only at its statuses. Rows are tried by strength of evidence, across tables: rows with codes, `DECISIVE` statuses,
wording, and at last `STATUSES`. Among the wording rows `GUARDS` come first: what is never an overflow.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from http import HTTPStatus

from palimpsest.errors import FailureReason, ModelError
from palimpsest.formats.failures.error_details import ErrorDetails, read_error, retry_after_s, sizes
from palimpsest.lazy_regex import later
from palimpsest.redaction.redactor import redact_error_text

NO_STATUS = 0
REFUSING = (NO_STATUS, 200, 400, 413, 422, 500)
"""Statuses at which the wording may mean an overflow: refusals of the request, and errors inside a stream."""


@dataclass(frozen=True, slots=True)
class Row:
    """`codes` are lower case; `words` is searched case-insensitively; no `statuses` means any."""

    reason: FailureReason
    codes: tuple[str, ...] = ()
    words: re.Pattern[str] | None = None
    statuses: tuple[int, ...] = ()

    def matches(self, status: int, codes: Sequence[str], words: str) -> bool:
        """Return whether a failure matches this row."""
        if self.statuses and status not in self.statuses:
            return False
        if self.codes and not any(code in self.codes for code in codes):
            return False
        return self.words is None or self.words.search(words) is not None


def _coded(reason: FailureReason, *codes: str, statuses: tuple[int, ...] = ()) -> Row:
    return Row(reason, codes, None, statuses)


def _says(reason: FailureReason, words: str, *statuses: int) -> Row:
    return Row(reason, (), later(words, re.IGNORECASE), statuses)


def _overflow(words: str) -> Row:
    return _says("context_overflow", words, *REFUSING)


DECISIVE = (
    _says("refused", r"moderation|flagged", 403),
    Row("auth", statuses=(401, 403, 407)),
    Row("quota", statuses=(402,)),
    Row("not_found", statuses=(404, 410)),
    Row("timeout", statuses=(408, 504, 522, 524)),
)

_BOUND_THINKING = later(r"\bbound to a different (?:conversation|organization|account)\b", re.IGNORECASE)
_QUOTA = r"insufficient[ _](?:quota|balance|credits|funds)|credit balance is too low|billing_hard_limit"
GUARDS = (
    _says("quota", _QUOTA),
    _says("quota", r"exceeded your current quota\b(?!.{0,300}\bretry in \d)", NO_STATUS),
    _says("quota", r"per[ _]?day|requires more credits|exceeded your monthly", NO_STATUS, 400, 429),
    _says(
        "rate_limit",
        r"tokens? per (?:min|day|hour)|\bTPM\b|requests per (?:min|day|hour)|throttl|too many requests",
    ),
    _says("rate_limit", r"rate[ _-]?limit|too many tokens, please wait", *REFUSING, 429),
    _says("timeout", r"deadline exceeded|timed?[ -]?out\b", *REFUSING),
)

OPENAI = (
    _coded("context_overflow", "context_length_exceeded"),
    _coded("quota", "insufficient_quota", "billing_hard_limit_reached", "billing_not_active"),
    _coded("quota", "exceeded_current_quota_error"),
    _coded("rate_limit", "rate_limit_exceeded", "requests", "tokens"),
    _coded(
        "auth",
        "invalid_api_key",
        "invalid_organization",
        "account_deactivated",
        "unsupported_country_region_territory",
    ),
    _coded("not_found", "model_not_found"),
    _coded("refused", "content_filter", "content_policy_violation", "invalid_prompt", "bio_policy"),
    _coded("refused", "misalignment_policy_violation", "image_content_policy_violation"),
    _coded("overloaded", "server_is_overloaded", "engine_overloaded", "engine_overloaded_error", "slow_down"),
    _overflow(r"maximum context length"),
    _overflow(r"exceeds the context window"),
    _overflow(r"invalid '(?:messages|input)\W[^']*content[^']*': string too long"),
    _says("overloaded", r"currently overloaded|slow down"),
    _says("auth", r"incorrect api key|api key provided"),
)

ANTHROPIC = (
    _coded("context_overflow", "request_too_large"),
    _coded("overloaded", "overloaded_error"),
    _coded("rate_limit", "rate_limit_error"),
    _coded("auth", "authentication_error", "permission_error"),
    _coded("not_found", "not_found_error"),
    _coded("timeout", "timeout_error"),
    _coded("quota", "billing_error"),
    _says("bad_request", r"maximum allowed number of output tokens", *REFUSING),
    _overflow(r"prompt is too long"),
    _overflow(r"exceed context limit"),
    _says("quota", r"reached your specified api usage limits"),
    _says("refused", r"blocked by content filter"),
    _says("overloaded", r"\boverloaded\b"),
)

GEMINI = (
    Row("quota", ("resource_exhausted",), later(r"per ?day|credits? (?:are|is|balance)", re.IGNORECASE)),
    _coded("auth", "api_key_invalid", "unauthenticated", "permission_denied", "service_disabled"),
    _coded("rate_limit", "resource_exhausted", "ratelimitexceeded", statuses=(NO_STATUS, 200, 429, 503)),
    _coded("timeout", "deadline_exceeded"),
    _coded("overloaded", "unavailable"),
    _coded("not_found", "not_found"),
    _overflow(r"input token count.{0,40}exceeds the maximum number of tokens"),
    _overflow(r"request payload size exceeds the limit"),
    _says("auth", r"api key not valid|api key expired"),
    _says("refused", r"prohibited_content|prompt was blocked"),
)

COMPATIBLE = (
    # llama.cpp
    _coded("context_overflow", "exceed_context_size_error"),
    _overflow(r"exceeds? the available context size|context size (?:has been )?exceeded"),
    _coded("overloaded", "unavailable_error"),
    # vLLM, SGLang, TGI
    _overflow(r"too long to fit into the model|longer than the maximum model length"),
    _overflow(r"longer than the model's context length|model's context length is only"),
    _overflow(r"requested token count exceeds|`inputs` tokens \+ `max_new_tokens`"),
    # Ollama, LM Studio, llama-cpp-python, GPT4All
    _overflow(r"prompt too long; exceeded max|input length exceeds the context length|exceeds max_seq_len"),
    _overflow(r"context the overflows|greater than the context length|reached context length"),
    _overflow(r"tokens \(\d+\) exceed context window|prompt size exceeds the context window"),
    # OpenRouter and its upstream providers
    _overflow(r"maximum allowed input length|prompt token count of \d+ exceeds the limit"),
    _coded("context_overflow", "model_max_prompt_tokens_exceeded"),
    # Groq, xAI, Mistral, Cerebras, DeepSeek
    _overflow(r"reduce the length of the (?:messages|prompt|input)"),
    _overflow(r"maximum prompt length is|request contains \d+ tokens"),
    _overflow(r"too large for model with \d+ maximum context length"),
    _says("not_found", r"model_decommissioned|model_is_deactivated|no endpoints found|try pulling it first"),
    # Bedrock
    _coded("rate_limit", "throttlingexception", "toomanyrequestsexception"),
    _coded("quota", "servicequotaexceededexception"),
    _coded("auth", "accessdeniedexception", "unrecognizedclientexception", "expiredtokenexception"),
    _coded("not_found", "resourcenotfoundexception"),
    _coded("timeout", "modeltimeoutexception"),
    _coded("overloaded", "modelnotreadyexception", "serviceunavailableexception"),
    _coded("server", "modelerrorexception"),
    _overflow(r"input is too long|exceeds the max input token limit|too many input tokens"),
    _overflow(r"exceeds? (?:customer )?model maximum"),
    _says("bad_request", r"maximum tokens you requested exceeds", *REFUSING),
    # Azure
    _coded("refused", "responsibleaipolicyviolation"),
    _coded("not_found", "deploymentnotfound"),
    _says("refused", r"content management policy"),
    # DashScope, Moonshot, MiniMax, Zhipu, Cohere
    _overflow(r"range of input length should be|prompt exceeds max length"),
    _overflow(r"exceeded model token limit|context window exceeds limit"),
    _overflow(r"total number of tokens in the prompt cannot exceed|total tokens exceeds the model's max"),
)

_CONTEXT = r"context[ _-]?(?:window|length|size|limit)"
_OVER = r"(?:exceed\w*|overflow\w*|longer than|larger than|greater than|beyond|too (?:long|large|big|many))"
_LIMIT_OF_OUTPUT = (
    r"max_(?:completion_|output_|new_)?tokens\W.{0,40}(?:too large|must be|should be|at (?:most|least))"
)
_NO_KEY = r"api[_ ]key\b.{0,40}(?:invalid|missing|must be set|(?:is|was) not (?:set|found|given))"
_KEY_REFUSED = (
    r"invalid_api_key|invalid x-api-key|authentication[ _](?:error|failed)|permission_(?:error|denied)\b"
)
_USED_UP = (
    r"\b(?:daily|weekly|monthly|tokens?|usage|account) quota\b.{0,20}(?:reached|exceeded|exhausted|used up)"
)
_LOST = (
    r"connection (?:error|reset|refused|aborted|closed)|server disconnected|network is unreachable|peer closed|"
    r"name or service not known|incomplete chunked read"
)
GENERAL = (
    _overflow(
        rf"{_CONTEXT}[ _-]?(?:is |was |has been )?(?:exceed|overflow|reached|full)|{_OVER}.{{0,80}}{_CONTEXT}"
    ),
    _overflow(r"context[ _-]overflow|too many tokens|prompt (?:is )?too long|\brequest too large\b"),
    _overflow(r"(?:exceed\w*|over|beyond).{0,40}\btoken limit|\btoken limit.{0,20}(?:exceed|reached)"),
    _says("bad_request", _LIMIT_OF_OUTPUT, NO_STATUS, 400, 422),
    _says("auth", rf"invalid (?:api|authentication) key|{_NO_KEY}"),
    _says("auth", r"unauthori[sz]ed", NO_STATUS),
    _says("auth", rf"{_KEY_REFUSED}|\A(?:http )?40[13] [a-z]", NO_STATUS),
    _says("quota", rf"{_USED_UP}|payment required|\A(?:http )?402 [a-z]", NO_STATUS),
    _says("connection", _LOST, NO_STATUS),
    _says(
        "overloaded",
        r"\boverloaded\b|at capacity|temporarily unavailable",
        NO_STATUS,
        200,
        429,
        500,
        502,
        503,
    ),
)

STATUSES = (
    Row("context_overflow", statuses=(413,)),
    Row("rate_limit", statuses=(429,)),
    Row("overloaded", statuses=(503, 529)),
    Row("server", statuses=(*range(500, 503), *range(505, 529), *range(530, 600))),
    Row("bad_request", statuses=tuple(range(400, 500))),
    _coded("server", "server_error", "api_error", "internal", "internalserverexception"),
)

TABLES: dict[str, tuple[Row, ...]] = {
    "openai": OPENAI,
    "anthropic": ANTHROPIC,
    "gemini": GEMINI,
    "compatible": COMPATIBLE,
}
_OWN = {"google": "gemini", "azure": "openai"}


def rows(provider: str) -> tuple[Row, ...]:
    """Return the rows to try, in order, for a provider: its own first, then those of providers behind it."""
    own = TABLES.get(_OWN.get(provider, provider), COMPATIBLE if provider else ())
    others = [table for table in TABLES.values() if table is not own]
    told = [*own, *(row for table in others for row in table)]
    coded = [row for row in told if row.codes]
    worded = [row for row in told if not row.codes]
    return (*coded, *DECISIVE, *GUARDS, *worded, *GENERAL, *STATUSES)


MAX_MESSAGE_CHARS = 600
MAX_CAUSES = 5

_TAG = later(r"<[^>]{0,200}>")
_PHRASES = {status.value: status.phrase for status in HTTPStatus}
_UNSENT = ("UnsupportedProtocol", "InvalidURL", "LocalProtocolError")
_LOST_CONNECTIONS = (
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
    return "connection" if any(kind in _LOST_CONNECTIONS for kind in kinds) else None


@cache
def _rows(provider: str) -> tuple[Row, ...]:
    return rows(provider)


def _by_table(evidence: ErrorDetails, provider: str) -> FailureReason:
    known = provider if provider in TABLES or not provider else "compatible"
    for row in _rows(known):
        if row.matches(evidence.status, evidence.codes, evidence.words):
            return row.reason
    return "unknown"


def _message(evidence: ErrorDetails, provider: str, secrets: Sequence[str]) -> str:
    words = redact_error_text(evidence.words.lstrip(), secrets)
    words = _TAG.sub(" ", words) if words.startswith("<") else words.partition("\n")[0]
    said = " ".join(words.split())
    if not said:
        said = _PHRASES.get(evidence.status) or (evidence.kinds[0] if evidence.kinds else "the call failed")
    if len(said) > MAX_MESSAGE_CHARS:
        said = said[: MAX_MESSAGE_CHARS - 1] + "…"
    who = provider or "the model"
    return f"{who} answered {evidence.status}: {said}" if evidence.status else f"{who}: {said}"


def refuses_thinking(error: object) -> bool:
    """Return whether a provider refused a request because thinking in it was made behind another prefix."""
    return _BOUND_THINKING.search(str(error)) is not None
