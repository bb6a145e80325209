"""Numbers in a failure: how large the window is and the prompt was, and how long the provider asks to wait."""

from __future__ import annotations

import re
from collections.abc import Mapping
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime

from palimpsest.formats.failures.error_details import Evidence
from palimpsest.lazy_regex import as_key, later

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


def sizes(evidence: Evidence) -> tuple[int, int]:
    """(window, prompt) in tokens that an overflow speaks of, 0 for what it leaves out."""
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


def retry_after_s(evidence: Evidence, now_s: float | None) -> float | None:
    """How long the provider asks to wait, by its headers, its body, or its words. `now_s` is what a date is compared
    with where the answer itself bears none.
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
    """Seconds from the answer's own date to the date it says to come back."""
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
    """Seconds of "7s", "20ms", "1m30.5s", "9 seconds"; None where it is no duration."""
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
