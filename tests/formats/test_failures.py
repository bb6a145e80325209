"""Failures told apart: one row for each wording that is known, and what must never be taken for an overflow."""

from __future__ import annotations

import asyncio
import json
import socket
from email.utils import formatdate

import pytest
from hypothesis import given
from hypothesis import strategies as st

from palimpsest.errors import RETRYABLE, FailureReason, ModelError
from palimpsest.formats.failures import classify, redact, tables
from palimpsest.formats.failures.numbers import duration_s

Row = tuple[str, int, str, str, FailureReason]

OVERFLOW: FailureReason = "context_overflow"
SIZES: list[tuple[str, int, str, str, int, int]] = [
    # provider, status, code or type, words, limit, prompt
    ("openai", 400, "context_length_exceeded", "This model's maximum context length is 8192 tokens. However, your messages resulted in 8227 tokens. Please reduce the length of the messages.", 8192, 8227),
    ("openai", 400, "context_length_exceeded", "This model's maximum context length is 4097 tokens. However, you requested 4120 tokens (3120 in the messages, 1000 in the completion). Please reduce the length of the messages or completion.", 4097, 3120),
    ("openai", 400, "invalid_request_error", "This model's maximum context length is 4097 tokens, however you requested 4322 tokens (4066 in your prompt; 256 for the completion). Please reduce your prompt; or completion length.", 4097, 4066),
    ("openai", 400, "context_length_exceeded", "Your input exceeds the context window of this model. Please adjust your input and try again.", 0, 0),
    ("openai", 400, "string_above_max_length", "Invalid 'messages[1].content': string too long. Expected a string with maximum length 10485760, but got a string with length 11534336 instead.", 0, 0),
    ("anthropic", 400, "invalid_request_error", "prompt is too long: 208310 tokens > 200000 maximum", 200000, 208310),
    ("anthropic", 400, "invalid_request_error", "input length and `max_tokens` exceed context limit: 190000 + 20000 > 200000, decrease input length or `max_tokens` and try again", 200000, 190000),
    ("anthropic", 413, "request_too_large", "Request exceeds the maximum size", 0, 0),
    ("gemini", 400, "INVALID_ARGUMENT", "The input token count (1200293) exceeds the maximum number of tokens allowed (1048576).", 1048576, 1200293),
    ("gemini", 400, "INVALID_ARGUMENT", "Request payload size exceeds the limit: 20971520 bytes.", 0, 0),
    ("vllm", 400, "BadRequestError", "This model's maximum context length is 262144 tokens. However, you requested 0 output tokens and your prompt contains at least 262145 input tokens, for a total of at least 262145 tokens. Please reduce the length of the input prompt or the number of requested output tokens.", 262144, 262145),
    ("vllm", 400, "BadRequestError", "'max_tokens' or 'max_completion_tokens' is too large: 4096. This model's maximum context length is 8192 tokens and your request has 5001 input tokens (4096 > 8192 - 5001).", 8192, 5001),
    ("vllm", 400, "BadRequestError", "The prompt (total length 25938) is too long to fit into the model (context length 4096). Make sure that `max_model_len` is no smaller than the number of text tokens plus multimodal tokens.", 4096, 25938),
    ("vllm", 400, "BadRequestError", "The decoder prompt (length 9001) is longer than the maximum model length of 8192.", 8192, 9001),
    ("vllm", 400, "BadRequestError", "You passed 8000 input tokens and requested 500 output tokens. However, the model's context length is only 8192 tokens, resulting in a maximum input length of 7692 tokens.", 8192, 8000),
    ("llamacpp", 400, "exceed_context_size_error", "the request exceeds the available context size, try increasing it", 0, 0),
    ("llamacpp", 400, "exceed_context_size_error", "request (14429 tokens) exceeds the available context size (8192 tokens), try increasing it", 8192, 14429),
    ("llamacpp", 500, "server_error", "Context size has been exceeded.", 0, 0),
    ("llamacpp", 400, "invalid_request_error", "Requested tokens (2285) exceed context window of 2048", 2048, 2285),
    ("ollama", 400, "api_error", "prompt too long; exceeded max context length by 512 tokens", 0, 0),
    ("ollama", 400, "invalid_request_error", "the input length exceeds the context length", 0, 0),
    ("lmstudio", 400, "", "Trying to keep the first 111490 tokens when context the overflows. However, the model is loaded with context length of only 32768 tokens, which is not enough. Try to load the model with a larger context length, or provide a shorter input.", 32768, 111490),
    ("lmstudio", 400, "", "The number of tokens to keep from the initial prompt is greater than the context length.", 0, 0),
    ("openrouter", 400, "", "This endpoint's maximum context length is 1048576 tokens. However, you requested about 1293741 tokens (1227853 of text input, 353 of tool input, 65535 in the output). Please reduce the length of either one.", 1048576, 1227853),
    ("openrouter", 400, "", "Input length 131393 exceeds the maximum allowed input length of 131040 tokens.", 131040, 131393),
    ("openai-compatible", 400, "", "Input length (265330) exceeds model's maximum context length (262144).", 262144, 265330),
    ("openai-compatible", 400, "", "The prompt is too long: 267657, model maximum context length: 262143", 262143, 267657),
    ("openai-compatible", 400, "model_max_prompt_tokens_exceeded", "prompt token count of 88273 exceeds the limit of 64000", 64000, 88273),
    ("openai-compatible", 400, "", "Prompt too long: 5152 tokens exceeds max_seq_len 2048 (leave room for output tokens)", 2048, 5152),
    ("sglang", 400, "", "The input (263000 tokens) is longer than the model's context length (262144 tokens).", 262144, 263000),
    ("sglang", 400, "", "Requested token count exceeds the model's maximum context length of 262144 tokens.", 262144, 0),
    ("tgi", 422, "validation", "Input validation error: `inputs` tokens + `max_new_tokens` must be <= 4096. Given: 5000 `inputs` tokens and 200 `max_new_tokens`", 4096, 5000),
    ("groq", 400, "context_length_exceeded", "Please reduce the length of the messages or completion.", 0, 0),
    ("xai", 400, "", "This model's maximum prompt length is 131072 but the request contains 537812 tokens.", 131072, 537812),
    ("mistral", 400, "invalid_request_error", "Prompt contains 65673 tokens and 0 draft tokens, too large for model with 32768 maximum context length", 32768, 65673),
    ("deepseek", 400, "invalid_request_error", "This model's maximum context length is 131072 tokens. However, you requested 131134 tokens (122942 in the messages, 8192 in the completion). Please reduce the length of the messages or completion.", 131072, 122942),
    ("azure", 400, "context_length_exceeded", "This model's maximum context length is 128000 tokens. However, your messages resulted in 204308 tokens. Please reduce the length of the messages.", 128000, 204308),
    ("bedrock", 400, "ValidationException", "Input is too long for requested model.", 0, 0),
    ("bedrock", 400, "ValidationException", "Too many input tokens. Max input tokens: 128000, request input token count: 160000", 128000, 160000),
    ("bedrock", 400, "validation_error", "prompt tokens (1200008) exceed model maximum (1050000) for a model", 1050000, 1200008),
    ("bedrock", 400, "ValidationException", "Input exceeds the max input token limit", 0, 0),
    ("moonshot", 400, "invalid_request_error", "Invalid request: Your request exceeded model token limit: 262144 (requested: 291351)", 262144, 291351),
    ("minimax", 400, "", "invalid params, context window exceeds limit (2013)", 0, 0),
    ("zhipu", 400, "1261", "Prompt exceeds max length", 0, 0),
    ("dashscope", 400, "InvalidParameter", "<400> InternalError.Algo.InvalidParameter: Range of input length should be [1, 129024]", 129024, 0),
    ("cohere", 400, "", "too many tokens: total number of tokens in the prompt cannot exceed 4081 - received 5000.", 4081, 0),
    ("cerebras", 413, "", "", 0, 0),
]  # fmt: skip
"""Overflows as providers and servers word them, with the sizes they speak of."""

OTHERS: list[Row] = [
    ("openai", 429, "rate_limit_exceeded", "Request too large for gpt-4o on tokens per min (TPM): Limit 30000, Requested 342389. The input or output tokens must be reduced in order to run successfully.", "rate_limit"),
    ("openai", 429, "insufficient_quota", "You exceeded your current quota, please check your plan and billing details.", "quota"),
    ("openai", 400, "invalid_request_error", "max_tokens is too large: 5000. This model supports at most 4096 completion tokens, whereas you provided 5000.", "bad_request"),
    ("openai", 400, "unsupported_parameter", "Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead.", "bad_request"),
    ("openai", 400, "string_above_max_length", "Invalid 'messages[3].tool_calls[0].id': string too long. Expected a string with maximum length 40, but got a string with length 52 instead.", "bad_request"),
    ("openai", 401, "invalid_api_key", "Incorrect API key provided: sk-abcde***wxyz.", "auth"),
    ("openai", 403, "unsupported_country_region_territory", "Country, region, or territory not supported", "auth"),
    ("openai", 404, "model_not_found", "The model `none` does not exist or you do not have access to it.", "not_found"),
    ("openai", 500, "server_error", "The server had an error while processing your request.", "server"),
    ("openai", 503, "server_error", "The engine is currently overloaded, please try again later", "server"),
    ("openai", 400, "content_policy_violation", "Your request was rejected by the safety system.", "refused"),
    ("openai", 400, "invalid_prompt", "Invalid prompt: your prompt was flagged as potentially violating our usage policy.", "refused"),
    ("anthropic", 429, "rate_limit_error", "This request would exceed your account's rate limit of 80,000 input tokens per minute.", "rate_limit"),
    ("anthropic", 400, "invalid_request_error", "max_tokens: 21333 > 4096, which is the maximum allowed number of output tokens for this model", "bad_request"),
    ("anthropic", 400, "invalid_request_error", "Your credit balance is too low to access the Anthropic API.", "quota"),
    ("anthropic", 400, "invalid_request_error", "You have reached your specified API usage limits. You will regain access on 2026-01-01.", "quota"),
    ("anthropic", 400, "invalid_request_error", "Output blocked by content filtering policy", "refused"),
    ("anthropic", 400, "invalid_request_error", "messages.2: `tool_use` ids were found without `tool_result` blocks immediately after", "bad_request"),
    ("anthropic", 401, "authentication_error", "invalid x-api-key", "auth"),
    ("anthropic", 402, "billing_error", "There is an issue with billing.", "quota"),
    ("anthropic", 403, "permission_error", "Your API key does not have permission to use the specified resource", "auth"),
    ("anthropic", 404, "not_found_error", "model: none", "not_found"),
    ("anthropic", 504, "timeout_error", "The request timed out while processing.", "timeout"),
    ("anthropic", 529, "overloaded_error", "Overloaded", "overloaded"),
    ("anthropic", 200, "overloaded_error", "Overloaded", "overloaded"),
    ("anthropic", 500, "api_error", "Internal server error", "server"),
    ("gemini", 429, "RESOURCE_EXHAUSTED", "Resource has been exhausted (e.g. check quota).", "rate_limit"),
    ("gemini", 429, "RESOURCE_EXHAUSTED", "Quota exceeded for quota metric 'Requests' and limit 'Requests per day per user per tier'.", "quota"),
    ("gemini", 400, "API_KEY_INVALID", "API key not valid. Please pass a valid API key.", "auth"),
    ("gemini", 403, "PERMISSION_DENIED", "The caller does not have permission", "auth"),
    ("gemini", 404, "NOT_FOUND", "models/none is not found for API version v1beta", "not_found"),
    ("gemini", 500, "INTERNAL", "An internal error has occurred.", "server"),
    ("gemini", 503, "UNAVAILABLE", "The model is overloaded. Please try again later.", "overloaded"),
    ("gemini", 504, "DEADLINE_EXCEEDED", "The request timed out: context deadline exceeded", "timeout"),
    ("gemini", 400, "INVALID_ARGUMENT", "Please ensure that function response turn comes immediately after a function call turn.", "bad_request"),
    ("groq", 413, "rate_limit_exceeded", "Request too large for model `small` on tokens per minute (TPM): Limit 6000, Requested 14368, please reduce your message size and try again.", "rate_limit"),
    ("llamacpp", 503, "unavailable_error", "Loading model", "overloaded"),
    ("ollama", 404, "api_error", "model 'none' not found, try pulling it first", "server"),
    ("openrouter", 402, "", "This request requires more credits, or fewer max_tokens. You requested up to 64000 tokens, but can only afford 61586.", "quota"),
    ("openrouter", 402, "", "Insufficient credits.", "quota"),
    ("openrouter", 403, "", "Your input was flagged by moderation.", "refused"),
    ("openrouter", 404, "", "No endpoints found that support tool use.", "not_found"),
    ("openrouter", 502, "", "Provider returned error", "server"),
    ("deepseek", 402, "", "Insufficient Balance", "quota"),
    ("moonshot", 429, "engine_overloaded_error", "The engine is currently overloaded, please try again later", "overloaded"),
    ("moonshot", 429, "exceeded_current_quota_error", "Your account has been suspended.", "quota"),
    ("azure", 429, "429", "Requests have exceeded token rate limit of your current OpenAI S0 pricing tier. Please retry after 9 seconds.", "rate_limit"),
    ("azure", 400, "content_filter", "The response was filtered due to the prompt triggering Azure OpenAI's content management policy.", "refused"),
    ("azure", 404, "DeploymentNotFound", "The API deployment for this resource does not exist.", "not_found"),
    ("bedrock", 429, "ThrottlingException", "Too many tokens, please wait before trying again.", "rate_limit"),
    ("bedrock", 400, "ValidationException", "The maximum tokens you requested exceeds the model limit of 2048.", "bad_request"),
    ("bedrock", 400, "ServiceQuotaExceededException", "Your request exceeds the service quota for your account.", "quota"),
    ("bedrock", 403, "AccessDeniedException", "You don't have access to the model.", "auth"),
    ("bedrock", 408, "ModelTimeoutException", "The request took too long to process.", "timeout"),
    ("bedrock", 429, "ModelNotReadyException", "The model is not ready for inference.", "overloaded"),
    ("mistral", 422, "invalid_request_error", "Extra inputs are not permitted", "bad_request"),
    ("", 429, "", "", "rate_limit"),
    ("", 502, "", "Bad Gateway", "server"),
    ("", 524, "", "", "timeout"),
]  # fmt: skip

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
]


class Answered(Exception):
    """An error as HTTP clients raise it: a status, a body and headers."""

    def __init__(self, status: int, body: object, headers: dict[str, str] | None = None) -> None:
        super().__init__(f"HTTP {status}")
        self.status_code = status
        self.body = body
        self.headers = headers or {}


def answered(provider: str, status: int, code: str, words: str) -> Answered:
    """An answer in the provider's own form."""
    error: dict[str, object] = {"message": words, "type": code or None}
    if provider == "gemini":
        error = {"code": status, "message": words, "status": code}
    elif provider == "anthropic":
        return Answered(status, {"type": "error", "error": {"type": code, "message": words}})
    elif provider in ("openai", "azure", "groq"):
        error = {"message": words, "type": "invalid_request_error", "param": None, "code": code}
    elif provider == "bedrock":
        return Answered(status, {"__type": code, "message": words})
    return Answered(status, {"error": error})


@pytest.mark.parametrize("provider,status,code,words,limit,prompt", SIZES)
def test_an_overflow_is_known_by_its_providers_words_and_gives_its_sizes(
    provider: str, status: int, code: str, words: str, limit: int, prompt: int
) -> None:
    found = classify(answered(provider, status, code, words), provider)
    assert (found.reason, found.limit_tokens, found.prompt_tokens) == (OVERFLOW, limit, prompt)
    assert found.status == status
    assert not found.retryable


@pytest.mark.parametrize("provider,status,code,words,reason", OTHERS)
def test_every_other_failure_is_known_too(
    provider: str, status: int, code: str, words: str, reason: FailureReason
) -> None:
    found = classify(answered(provider, status, code, words), provider)
    assert (found.reason, found.retryable) == (reason, reason in RETRYABLE)


@pytest.mark.parametrize("provider,status,code,words,limit,prompt", SIZES)
def test_an_overflow_is_known_without_the_provider_and_when_it_is_wrapped_in_text(
    provider: str, status: int, code: str, words: str, limit: int, prompt: int
) -> None:
    body = answered(provider, status, code, words).body
    assert classify(Answered(status, body)).reason == OVERFLOW
    assert classify(RuntimeError(f"Error code: {status} - {body}"), "litellm").reason == OVERFLOW
    assert classify(Answered(status, json.dumps(body)), "openrouter").reason == OVERFLOW


@pytest.mark.parametrize("words", PICOCLAW)
def test_the_wordings_that_picoclaw_looks_for_are_overflows(words: str) -> None:
    assert classify(RuntimeError(words)).reason == OVERFLOW
    assert classify(words).reason == OVERFLOW


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
        (asyncio.TimeoutError(), "timeout"),
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
    wrapper.__cause__ = answered("anthropic", 529, "overloaded_error", "Overloaded")
    assert (classify(wrapper).reason, classify(wrapper).status) == ("overloaded", 529)


def test_a_model_error_comes_back_as_it_is() -> None:
    error = ModelError("known", reason="quota")
    assert classify(error) is error


def test_what_a_router_hands_on_is_read() -> None:
    upstream = answered("anthropic", 400, "invalid_request_error", "prompt is too long: 9 tokens > 8 maximum")
    body = {
        "error": {
            "message": "Provider returned error",
            "code": 400,
            "metadata": {"raw": json.dumps(upstream.body)},
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
    st.sampled_from([row[3] for row in SIZES]), st.sampled_from((401, 402, 403, 404, 408, 429, 503, 504, 529))
)
def test_a_decisive_status_beats_words_of_an_overflow(words: str, status: int) -> None:
    assert classify(Answered(status, {"error": {"message": words}})).reason != OVERFLOW


def test_rows_with_codes_stand_before_rows_with_words_alone() -> None:
    order = [bool(row.codes) for row in tables.rows("openai")]
    assert order == sorted(order, reverse=True)
    assert order[0]
