"""Failures told apart: one row for each wording that is known, and what must never be taken for an overflow."""

from __future__ import annotations

import json
import socket
from email.utils import formatdate
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from palimpsest.errors import RETRYABLE, FailureReason, ModelError
from palimpsest.formats.failures import classify, failure_tables, redact
from palimpsest.formats.failures.error_details import duration_s
from tests.patience import LIMIT_S

OVERFLOW: FailureReason = "context_overflow"
WORDINGS = [
    json.loads(line)
    for line in (Path(__file__).parent / "failure_wordings.jsonl").read_text(encoding="utf-8").splitlines()
]
"""How providers and servers word their failures: a line each, with the sizes that overflows speak of."""
OVERFLOWS = [row for row in WORDINGS if row["reason"] == OVERFLOW]

PICOCLAW = [
    "context_length_exceeded", "the context window is full", "context_window_exceeded",
    "maximum context length is 4096 tokens", "token limit exceeded", "too many tokens in the prompt",
    "max_tokens exceeds the context window", "InvalidParameter: Range of input length should be [1, 30720]",
    "prompt is too long", "request too large",
]  # fmt: skip
NOT_OVERFLOWS: list[tuple[str, FailureReason]] = [
    ("context deadline exceeded", "timeout"),
    ("context deadline exceeded (Client.Timeout exceeded while awaiting headers)", "timeout"),
    ("request timed out after the context window was sent", "timeout"),
    ("max_tokens must be at least 1", "bad_request"),
    ("token limit per minute reached: rate limit", "rate_limit"),
    ("Too many tokens, please wait before trying again.", "rate_limit"),
    ("429 Too Many Requests", "rate_limit"),
    ("connection reset by peer", "connection"),
    ("invalid api key", "auth"),
    ("InvalidParameter: temperature", "unknown"),
    ("something else", "unknown"),
    ("You exceeded your current quota, please check your plan and billing details.", "quota"),
    ("You exceeded your current quota. Please retry in 12s.", "unknown"),
]


class Answered(Exception):
    """An error as HTTP clients raise it: a status, a body and headers."""

    def __init__(self, status: int, body: object, headers: dict[str, str] | None = None) -> None:
        super().__init__(f"HTTP {status}")
        self.status_code = status
        self.body = body
        self.headers = headers or {}


def answered(row: dict[str, Any]) -> Answered:
    """A failure in the form of its provider."""
    status, code, words = row["status"], row["code"], row["words"]
    error: dict[str, object] = {"message": words, "type": code or None}
    match row["provider"]:
        case "gemini":
            error = {"code": status, "message": words, "status": code}
        case "anthropic":
            return Answered(status, {"type": "error", "error": error})
        case "openai" | "azure" | "groq":
            error = {"message": words, "type": "invalid_request_error", "param": None, "code": code}
        case "bedrock":
            return Answered(status, {"__type": code, "message": words})
        case _:
            pass
    return Answered(status, {"error": error})


@pytest.mark.parametrize("row", WORDINGS, ids=lambda row: f"{row['provider']}-{row['words'][:40]}")
def test_each_known_wording_is_told_by_its_provider(row: dict[str, Any]) -> None:
    found = classify(answered(row), row["provider"])
    assert (found.reason, found.status, found.retryable) == (
        row["reason"],
        row["status"],
        row["reason"] in RETRYABLE,
    )
    assert (found.limit_tokens, found.prompt_tokens) == (row.get("limit", 0), row.get("prompt", 0))


@pytest.mark.parametrize("row", OVERFLOWS, ids=lambda row: f"{row['provider']}-{row['words'][:40]}")
def test_an_overflow_is_known_without_the_provider_and_when_it_is_wrapped_in_text(
    row: dict[str, Any],
) -> None:
    body = answered(row).body
    assert classify(Answered(row["status"], body)).reason == OVERFLOW
    assert classify(RuntimeError(f"Error code: {row['status']} - {body}"), "litellm").reason == OVERFLOW
    assert classify(Answered(row["status"], json.dumps(body)), "openrouter").reason == OVERFLOW


@pytest.mark.parametrize("words", PICOCLAW)
def test_the_wordings_that_picoclaw_looks_for_are_overflows(words: str) -> None:
    assert classify(RuntimeError(words)).reason == OVERFLOW
    assert classify(words).reason == OVERFLOW


@pytest.mark.parametrize(
    "words,reason",
    [
        ("authentication_error: no such key", "auth"),
        ("invalid_api_key", "auth"),
        ("FERRY_API_KEY is not set", "auth"),
        ("permission_error: this key may not use the model", "auth"),
        ("403 Forbidden", "auth"),
        ("the daily token quota was reached", "quota"),
        ("402 Payment Required", "quota"),
        ("rate_limit_error: quota exceeded", "rate_limit"),
        ("read 403 lines of the log", "unknown"),
    ],
)
def test_a_refused_key_and_a_quota_are_known_by_their_words(words: str, reason: FailureReason) -> None:
    assert classify(RuntimeError(words)).reason == reason


@pytest.mark.parametrize("words,reason", NOT_OVERFLOWS)
def test_a_text_alone_is_not_taken_for_an_overflow(words: str, reason: FailureReason) -> None:
    assert classify(RuntimeError(words)).reason == reason


class ReadTimeout(Exception):
    """Named as HTTP clients name theirs."""


class APIConnectionError(Exception):
    """Named as the official clients name theirs."""


class ClientError(Exception):
    """Built as a cloud library builds its own."""

    def __init__(self, code: str, words: str, status: int) -> None:
        super().__init__(f"An error occurred ({code}) when calling the operation: {words}")
        self.response = {
            "Error": {"Code": code, "Message": words},
            "ResponseMetadata": {"HTTPStatusCode": status},
        }


@pytest.mark.parametrize(
    "error,reason",
    [
        (TimeoutError("prompt is too long"), "timeout"),
        (TimeoutError(), "timeout"),
        (ReadTimeout("maximum context length"), "timeout"),
        (ConnectionResetError(104, "reset"), "connection"),
        (socket.gaierror(-2, "Name or service not known"), "connection"),
        (APIConnectionError("Connection error."), "connection"),
        (ClientError("ThrottlingException", "Too many tokens, please wait", 429), "rate_limit"),
        (ClientError("ValidationException", "Input is too long for requested model.", 400), OVERFLOW),
        (ValueError("a mistake of the caller's own"), "unknown"),
        (FileNotFoundError(2, "No such file"), "unknown"),
    ],
)
def test_the_type_of_an_error_counts_before_its_words(error: Exception, reason: FailureReason) -> None:
    assert classify(error).reason == reason


def test_an_error_that_says_nothing_is_judged_by_its_cause() -> None:
    wrapper = RuntimeError("the call failed")
    wrapper.__cause__ = Answered(529, {"error": {"type": "overloaded_error", "message": "Overloaded"}})
    assert (classify(wrapper).reason, classify(wrapper).status) == ("overloaded", 529)


def test_a_model_error_comes_back_as_it_is() -> None:
    error = ModelError("known", reason="quota")
    assert classify(error) is error


def test_a_status_that_a_text_begins_with_counts_before_one_that_it_quotes() -> None:
    said = "400 bad request, body was: <message>HTTP/1.1 401 Unauthorized</message>"
    assert classify(RuntimeError(said)).status == 400
    assert classify(RuntimeError(said)).reason != "auth"


def test_what_a_router_hands_on_is_read() -> None:
    upstream = {"type": "error", "error": {"message": "prompt is too long: 9 tokens > 8 maximum"}}
    body = {
        "error": {
            "message": "Provider returned error",
            "code": 400,
            "metadata": {"raw": json.dumps(upstream)},
        }
    }
    found = classify(Answered(400, body), "openrouter")
    assert (found.reason, found.limit_tokens, found.prompt_tokens) == (OVERFLOW, 8, 9)


def test_sizes_in_fields_of_their_own_are_read() -> None:
    error = {"code": 400, "message": "too large", "type": "exceed_context_size_error"}
    found = classify(Answered(400, {"error": error | {"n_prompt_tokens": 14429, "n_ctx": 8192}}), "llamacpp")
    assert (found.limit_tokens, found.prompt_tokens) == (8192, 14429)


RETRY_INFO = {"@type": "type.googleapis.com/google.rpc.RetryInfo", "retryDelay": "34.5s"}


@pytest.mark.parametrize(
    "headers,body,wait_s",
    [
        ({"Retry-After": "7"}, {}, 7.0),
        ({"retry-after": "0.25"}, {}, 0.25),
        ({"retry-after-ms": "1500", "retry-after": "9"}, {}, 1.5),
        ({"retry-after": formatdate(1_000_030, usegmt=True)}, {}, 30.0),
        ({"retry-after": formatdate(2_000_090, usegmt=True), "date": formatdate(2_000_000, usegmt=True)}, {}, 90.0),
        ({"retry-after": formatdate(1, usegmt=True)}, {}, 0.0),
        ({"retry-after": "soon"}, {}, None),
        ({"retry-after": "-3"}, {}, None),
        ({"retry-after": "nan"}, {}, None),
        ({}, {"error": {"code": 429, "message": "m", "status": "RESOURCE_EXHAUSTED", "details": [RETRY_INFO]}}, 34.5),
        ({}, {"error": {"message": "Please try again in 4.77s. Need more tokens?"}}, 4.77),
        ({}, {"error": {"message": "Please try again in 20ms."}}, 0.02),
        ({}, {"error": {"message": "Please try again in 1m30s."}}, 90.0),
        ({}, {"error": {"message": "Please retry after 9 seconds. Go on."}}, 9.0),
        ({}, {"error": {"message": "Please try again later."}}, None),
    ],
)  # fmt: skip
def test_how_long_to_wait_is_read_from_headers_body_or_words(
    headers: dict[str, str], body: object, wait_s: float | None
) -> None:
    found = classify(Answered(429, body, headers), now_s=1_000_000.0).retry_after_s
    assert found == (wait_s if wait_s is None else pytest.approx(wait_s))


@given(st.floats(0, 5_000, allow_nan=False))
def test_a_duration_in_seconds_is_read_back(seconds: float) -> None:
    assert duration_s(f"{seconds:.3f}s") == pytest.approx(seconds, abs=1e-3)


SECRETS = [
    "sk-proj-abcDEF123456789_x", "sk-ant-api03-abcdefghijklmnop", "AIzaSyA1234567890abcdefghijklmnopqrs",
    "gsk_abcdefghijklmnopqrst", "xai-abcdefghijklmnop", "hf_abcdefghijklmnop", "AKIAIOSFODNN7EXAMPLE",
    "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.c2lnbmF0dXJl",
]  # fmt: skip


@pytest.mark.parametrize("secret", SECRETS)
@pytest.mark.parametrize(
    "frame", ["key {}", "Incorrect API key provided: {}.", "https://host/v1?key={}&x=1", "'authorization': 'Bearer {}'"]
)  # fmt: skip
def test_a_key_never_reaches_the_errors_text(secret: str, frame: str) -> None:
    found = classify(Answered(401, {"error": {"message": frame.format(secret)}}))
    assert secret not in str(found)
    assert secret[:8] not in str(found)


def test_a_secret_of_any_form_is_hidden_where_it_is_known() -> None:
    found = classify(RuntimeError("cannot use correcthorsebattery here"), secrets=("correcthorsebattery",))
    assert "correcthorse" not in str(found)
    assert redact("http://me:hunter22@host/x") == "http://[hidden]@host/x"
    assert redact("db down: Server=pier;Pwd=Kelp38!Dune9;") == "db down: Server=pier;Pwd=[hidden];"
    assert redact('let password: String = "kElp38Dune"')[-10:] == '"[hidden]"'
    assert redact("password: kelp38dune, bearer kelp38dune") == "password: [hidden], bearer [hidden]"
    assert "MIIEvQ" not in redact("-----BEGIN PRIVATE KEY-----\nMIIEvQIBADANBgkq\n-----END PRIVATE KEY-----")
    assert redact('{"api_key": "0123456789abcdef", "n": 1}') == '{"api_key": "[hidden]", "n": 1}'


@given(
    st.text(max_size=200),
    st.sampled_from(("", "openai", "anthropic", "gemini", "other")),
    st.integers(0, 700),
)
def test_anything_at_all_can_be_classified(text: str, provider: str, status: int) -> None:
    for error in (
        text,
        RuntimeError(text),
        Answered(status, text),
        Answered(status, {"error": text}),
        {"error": [text]},
    ):
        found = classify(error, provider)
        assert found.retryable == (found.reason in RETRYABLE)
        assert len(str(found)) < 1_000


@given(
    st.sampled_from([row["words"] for row in OVERFLOWS]),
    st.sampled_from((401, 402, 403, 404, 408, 429, 503, 504, 529)),
)
def test_a_decisive_status_beats_words_of_an_overflow(words: str, status: int) -> None:
    assert classify(Answered(status, {"error": {"message": words}})).reason != OVERFLOW


def test_rows_with_codes_stand_before_decisive_statuses_and_those_before_words() -> None:
    order = failure_tables.rows("anthropic")
    decisive = order.index(failure_tables.DECISIVE[0])
    guards = order.index(failure_tables.GUARDS[0])
    assert all(row.codes for row in order[:decisive])
    assert decisive < guards
    assert not any(row.codes for row in order[decisive : -len(failure_tables.STATUSES)])


@pytest.mark.timeout(LIMIT_S)  # what it would take beyond its length is far more
def test_an_error_of_one_huge_word_is_read_in_proportion_to_its_length() -> None:
    assert redact("a" * 600_000 + " postgres://kim:s3cret@db") == "a" * 600_000 + " postgres://[hidden]@db"


@pytest.mark.timeout(LIMIT_S)  # what it would take beyond its length is far more
def test_a_delay_of_nothing_but_digits_is_read_in_proportion_to_its_length() -> None:
    assert duration_s("7" * 600_000) is None
    assert duration_s(" " * 600_000 + "7s") == 7
