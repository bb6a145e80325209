"""Reading an error of any client: status, codes, message, headers, and numbers.

No client is imported: official SDKs, HTTP clients and cloud libraries use the same few attribute names. Text that
wraps another client's error is searched for its status and codes. An overflow's message gives the window and the
prompt size; headers, body or message the requested wait.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import cast

from palimpsest.lazy_regex import as_key, later

MAX_WORDS_CHARS = 20_000
MAX_CODES = 64
MAX_DEPTH = 6

_CODE_KEYS = ("code", "type", "status", "reason", "error_code", "quotaId", "__type", "Code")
_WORD_KEYS = ("message", "raw", "error", "detail", "Message", "error_description", "description")
_INNER_KEYS = ("error", "Error", "errors", "details", "metadata", "innererror", "violations", "body")
_NUMBER_KEYS = ("n_prompt_tokens", "n_ctx")
_STATUS_IN_TEXT = later(
    r"(?:error code|status(?:[ _]?code)?|http(?:/[\d.]+)?|error)\W{1,3}([45]\d\d)\b", re.IGNORECASE
)
_LEADING_STATUS = later(r"\W{0,3}(?:\w{1,40}(?:Error|Exception): ?)?([45]\d\d)\b(?! ?tokens)", re.IGNORECASE)
"""A status at the beginning of a text; a later one may be quoted, even from a request."""
_CODE_IN_TEXT = later(r"""["'\\](?:code|type|status|reason)["'\\]+\s*:\s*["'\\]+([\w.-]{3,80})""")


@dataclass(frozen=True, slots=True)
class ErrorDetails:
    """`kinds` are the names of the error's types, most specific first; `codes` are lower case; `headers` by
    lower-case name; `numbers` are token counts from fields; `delay` is a wait in words ("7s").
    """

    kinds: tuple[str, ...]
    status: int
    codes: tuple[str, ...]
    words: str
    headers: Mapping[str, str]
    numbers: Mapping[str, int]
    delay: str = ""


def read_error(error: object) -> ErrorDetails:
    """Read an error: an exception, a body, or a text."""
    kinds = tuple(kind.__name__ for kind in type(error).__mro__) if isinstance(error, BaseException) else ()
    bodies = [body for body in _bodies(error) if body is not None]
    found = _Reading()
    for body in bodies:
        found.read(body, 0)
    own = str(error) if isinstance(error, BaseException | str) else ""
    words = "\n".join(dict.fromkeys(text for text in (*found.words, own) if text))[:MAX_WORDS_CHARS]
    status = _status(error) or found.status
    if not status and (told := _LEADING_STATUS.match(words) or _STATUS_IN_TEXT.search(words)):
        status = int(told[1])
    codes = [*_attributes(error, "code", "type", "status", "error_code"), *found.codes]
    codes += _CODE_IN_TEXT.findall(words)
    return ErrorDetails(
        kinds,
        status,
        tuple(dict.fromkeys(code.lower() for code in codes))[:MAX_CODES],
        words,
        _headers(error),
        found.numbers,
        found.delay,
    )


def _bodies(error: object) -> Iterator[object]:
    """Yield everything that may hold the provider's answer."""
    if isinstance(error, Mapping):
        yield cast("object", error)
        return
    for name in ("body", "details", "response_json"):
        body = cast("object", getattr(error, name, None))
        if isinstance(body, Mapping | list | str):
            yield _loaded(cast("object", body))
    response = cast("object", getattr(error, "response", None))
    if isinstance(response, Mapping):
        yield cast("object", response)


def _loaded(body: object) -> object:
    """Return a text body as the JSON in it."""
    if isinstance(body, str):
        try:
            return cast("object", json.loads(body))
        except (ValueError, RecursionError):
            return body
    return body


class _Reading:
    """The findings in a body, read a few levels deep."""

    def __init__(self) -> None:
        self.status = 0
        self.codes: list[str] = []
        self.words: list[str] = []
        self.numbers: dict[str, int] = {}
        self.delay = ""

    def read(self, value: object, depth: int) -> None:
        """Read one value and its children."""
        if depth > MAX_DEPTH or len(self.codes) > MAX_CODES:
            return
        if isinstance(value, str):
            inner = _loaded(value) if value.lstrip()[:1] in ("{", "[") else value
            if isinstance(inner, str):
                self.words.append(inner)
            else:
                self.read(inner, depth + 1)
        elif isinstance(value, Sequence):
            for inner in cast("Sequence[object]", value)[:MAX_CODES]:
                self.read(inner, depth + 1)
        elif isinstance(value, Mapping):
            self._read_fields(cast("Mapping[str, object]", value), depth)

    def _read_fields(self, fields: Mapping[str, object], depth: int) -> None:
        for key in _CODE_KEYS:
            code = fields.get(key)
            if isinstance(code, str):
                self.codes.append(code)
            if is_status(code) and not self.status:
                self.status = cast("int", code)
        for key in _NUMBER_KEYS:
            number = fields.get(key)
            if isinstance(number, int) and not isinstance(number, bool):
                self.numbers.setdefault(key, number)
        delay = fields.get("retryDelay", fields.get("retry_delay"))
        if isinstance(delay, str):
            self.delay = delay
        for key in _WORD_KEYS:
            if isinstance(fields.get(key), str):
                self.read(fields[key], depth)
        for key in _INNER_KEYS:
            if isinstance(fields.get(key), Mapping | list):
                self.read(fields[key], depth + 1)
        metadata = fields.get("ResponseMetadata")
        if isinstance(metadata, Mapping):
            status = cast("Mapping[str, object]", metadata).get("HTTPStatusCode")
            self.status = cast("int", status) if is_status(status) else self.status


def is_status(value: object) -> bool:
    """Return whether this can be an HTTP status."""
    return isinstance(value, int) and not isinstance(value, bool) and 100 <= value <= 599


def _status(error: object) -> int:
    response = cast("object", getattr(error, "response", None))
    for holder, name in (
        (error, "status_code"),
        (error, "status"),
        (error, "code"),
        (error, "http_status"),
        (response, "status_code"),
        (response, "status"),
    ):
        value = cast("object", getattr(holder, name, None))
        if is_status(value):
            return cast("int", value)
        if isinstance(value, str) and value.isdecimal() and is_status(int(value)):
            return int(value)
    return 0


def _attributes(error: object, *names: str) -> list[str]:
    values = (cast("object", getattr(error, name, None)) for name in names)
    return [value for value in values if isinstance(value, str)]


def _headers(error: object) -> dict[str, str]:
    for holder in (error, cast("object", getattr(error, "response", None))):
        headers = cast("object", getattr(holder, "headers", None))
        if isinstance(headers, Mapping):
            pairs = cast("Mapping[object, object]", headers).items()
            return {str(name).lower(): str(value) for name, value in pairs}
    return {}


MAX_TOKENS = 10**9
MAX_WAIT_S = 10 * 86_400.0

_N = r"(?P<{}>\d[\d,_]*)"
_P, _L = _N.format("prompt"), _N.format("limit")
_SIZES = tuple(
    later(pattern, re.IGNORECASE | re.DOTALL)
    for pattern in (
        rf"too long: {_P}(?: tokens)? > {_L}",
        rf"too long: {_P}, model maximum context length: {_L}",
        rf"too long: {_P} tokens exceeds max\w* {_L}",
        rf"exceed context limit: {_P} \+ \d+ > {_L}",
        rf"context length is {_L} tokens.{{0,200}}?\({_P} (?:in the messages|in your prompt|of text input)",
        rf"context length is {_L} tokens.{{0,200}}?(?:prompt contains|request has|passed)(?: at least)? {_P}",
        rf"context length is {_L} tokens.{{0,200}}?(?:resulted in|requested(?: about)?|contains) {_P}",
        rf"passed {_P} input tokens.{{0,200}}?context length is (?:only )?{_L}",
        rf"input token count \(?{_P}\)? exceeds.{{0,80}}?\(?{_L}\)?[\s.]*(?:$|\n|\")",
        rf"prompt length is {_L} but the request contains {_P}",
        rf"prompt contains {_P} tokens.{{0,80}}?model with {_L}",
        rf"keep the first {_P} tokens.{{0,80}}?context length of only {_L}",
        rf"\({_P} tokens\).{{0,80}}?(?:context size|context length|context window) \({_L} tokens\)",
        rf"length:? {_P}\)? (?:is|exceeds).{{0,120}}?(?:context length|model length of|input length of) \(?{_L}",
        rf"length \({_P}\) exceeds.{{0,80}}?length \({_L}\)",
        rf"prompt token count of {_P} exceeds the limit of {_L}",
        rf"tokens \({_P}\) exceeds?.{{0,80}}?(?:maximum \(|window of ){_L}",
        rf"max input tokens: {_L}, request input token count: {_P}",
        rf"token limit: {_L} \(requested: {_P}\)",
        rf"must be <= {_L}\. Given: {_P}",
        rf"(?:context length|prompt length|context window|context size)(?: (?:is|of))?(?: only)? \(?{_L}(?: tokens|\b)",
        rf"input length should be \[\d+, ?{_L}\]",
        rf"prompt cannot exceed {_L}",
    )
)
_WAIT = later(
    r"(?:try again|retry)\w*\s+(?:in|after)\s+(?P<wait>[\d.]+ ?[a-z][\d.a-z ]{0,24})", re.IGNORECASE
)
_PIECE = later(
    r"(?<![\d.])([\d.]{1,40})\s{0,8}(ms|milli\w*|s\b|sec\w*|m\b|min\w*|h\b|hour\w*|s|m|h)", re.IGNORECASE
)
_UNITS_S = {"ms": 0.001, "mi": 60.0, "m": 60.0, "s": 1.0, "se": 1.0, "h": 3600.0, "ho": 3600.0}


def sizes(evidence: ErrorDetails) -> tuple[int, int]:
    """Return (window, prompt) in tokens from an overflow's message, 0 for a missing one."""
    limit, prompt = evidence.numbers.get("n_ctx", 0), evidence.numbers.get("n_prompt_tokens", 0)
    if limit or prompt:
        return _tokens(str(limit)), _tokens(str(prompt))
    for pattern in _SIZES:
        found = pattern.search(evidence.words)
        if found is not None:
            told = found.groupdict()
            return _tokens(told.get("limit") or ""), _tokens(told.get("prompt") or "")
    return 0, 0


def _tokens(digits: str) -> int:
    number = int(digits.replace(",", "").replace("_", "") or "0")
    return number if 0 < number <= MAX_TOKENS else 0


def retry_after_s(evidence: ErrorDetails, now_s: float | None) -> float | None:
    """Return how long the provider asks to wait, from its headers, its body, or its message. A date is compared with
    `now_s` if the answer has none.
    """
    headers = evidence.headers
    found = _number(headers.get("retry-after-ms", ""), 0.001)
    if found is None and "retry-after" in headers:
        found = _number(headers["retry-after"], 1.0)
        if found is None:
            found = _until(headers, now_s)
    if found is None and evidence.delay:
        found = duration_s(evidence.delay)
    if found is None and (told := _WAIT.search(evidence.words)):
        found = duration_s(told["wait"])
    return None if found is None else min(max(found, 0.0), MAX_WAIT_S)


def _number(text: str, unit_s: float) -> float | None:
    try:
        found = float(text)
    except ValueError:
        return None
    return found * unit_s if 0 <= found < float("inf") else None


def _until(headers: Mapping[str, str], now_s: float | None) -> float | None:
    """Return the seconds from the answer's own date to the date for the next try."""
    then = _date(headers["retry-after"])
    own = _date(headers.get("date", ""))
    start = own.timestamp() if own is not None else now_s
    return None if then is None or start is None else then.timestamp() - start


def _date(text: str) -> datetime | None:
    try:
        found = parsedate_to_datetime(text)
    except (ValueError, TypeError, IndexError):
        return None
    return found if found.tzinfo else found.replace(tzinfo=UTC)


def duration_s(text: str) -> float | None:
    """Return the seconds of "7s", "20ms", "1m30.5s", "9 seconds"; None if it is not a duration."""
    total: float | None = None
    for number, unit in _PIECE.findall(text):
        short = as_key(unit)
        if short.startswith("milli"):
            short = "ms"
        factor = _UNITS_S[short if short in _UNITS_S else short[:2]]
        amount = _number(number, factor)
        if amount is not None:
            total = (total or 0.0) + amount
    return total
