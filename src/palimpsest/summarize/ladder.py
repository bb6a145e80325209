"""Three levels of escalation: a normal prompt, an aggressive one, and truncation, which cannot fail.

Rules kept here:

- A reply is taken only if it holds text, is strictly below the caller's limit and not far over the target. A model that
  refuses, rambles, times out or raises costs one call; the next level follows. There are at most two calls.
- The third level needs no model. Whatever the counter says, its text is below the limit, because the returned text
  itself was counted; it ends with a marker, so that a reader knows that something was cut off.
- Every call is recorded with the reason why its reply was not taken.
- This is a generator: it yields a request and is sent the reply, so that an async client, a script in a test and a
  simulation drive the same code.

Behaviour documented on page 000, "Three-level escalation per call".
"""

from __future__ import annotations

import re
from collections.abc import Generator, Mapping
from functools import lru_cache
from string import Template
from types import MappingProxyType
from typing import Literal

from palimpsest.record.completion import Completion, CompletionFailure, CompletionRequest
from palimpsest.record.message import Message, Text
from palimpsest.record.summary import Draft, SummaryCall
from palimpsest.summarize.cut import MAX_CHARS_PER_TOKEN, Count, clean, fit, safe_end, safe_start
from palimpsest.summarize.source import Source, plain_source, render_earlier, render_identity, render_source

Level = Literal["normal", "aggressive"]

LEVELS: tuple[Level, ...] = ("normal", "aggressive")
OVER_TARGET = 1.5
"""A reply of more than this times the target is not taken."""
AIM_SHARE = 2 / 3
"""Of a source that is hardly larger than the target, this share is aimed at: a summary must save something."""
AGGRESSIVE_SHARE = 1 / 2
"""The aggressive prompt asks for this share of the normal target."""
THINKING_TOKENS = 4_096
"""Room in the output limit for models that think before they write."""
TIMEOUT_S = 60.0
TAIL_SHARE = 1 / 3
"""Share of a truncated text that comes from the end of its source, where the present state is."""
MARKER = "[truncated: the messages underneath hold the full text]"
MAX_BLOCKS = 32
"""Thinking blocks removed from one reply."""

_THINKING = ("think", "thinking", "reasoning")
_FENCE = re.compile(r"```[\w-]{0,20}\n(.*)\n```", re.DOTALL)
_TAGS = re.compile(r"<summary>(.*)</summary>", re.DOTALL)


def summarize(
    source: Source,
    *,
    target_tokens: int,
    limit_tokens: int,
    count: Count,
    model: str = "",
    timeout_s: float = TIMEOUT_S,
    prompts: Mapping[str, str] = MappingProxyType({}),
) -> Generator[CompletionRequest, Completion | CompletionFailure, Draft]:
    """Yield at most two requests, be sent a reply or a failure for each, and return the summary.

    The text has fewer than `limit_tokens` tokens by `count`, whatever the replies are. It is empty only where not even
    the empty text is below the limit, or nothing but a cut character would be. `prompts` are used in place of the
    shipped ones of the same names.
    """
    aim = aim_tokens(target_tokens, limit_tokens)
    calls: list[SummaryCall] = []
    for level in LEVELS:
        asked_tokens = aim if level == "normal" else max(1, int(aim * AGGRESSIVE_SHARE))
        reply = yield _request(source, level, asked_tokens, model=model, timeout_s=timeout_s, prompts=prompts)
        text = reply_text(reply)
        tokens = _reply_tokens(text, limit_tokens, count)
        refused = _refused(reply, text, tokens, target_tokens=target_tokens, limit_tokens=limit_tokens)
        calls.append(_record(reply, level, source, tokens, refused, model))
        if not refused:
            return Draft(text, level, calls[-1].model, tuple(calls))
    return Draft(truncate(source, min(aim + 1, limit_tokens), count), "truncated", "", tuple(calls))


def aim_tokens(target_tokens: int, limit_tokens: int) -> int:
    """The size to aim at: the target, or two thirds of the limit where that is less; at least 1."""
    return max(1, min(target_tokens, int(limit_tokens * AIM_SHARE)))


def truncate(source: Source, limit_tokens: int, count: Count) -> str:
    """The beginning and the end of the source and the marker, in fewer than `limit_tokens` tokens.

    Without the marker, and in the end empty, where the limit leaves no room.
    """
    text = plain_source(source)

    def marked(size: int) -> str:
        if size >= len(text):
            return f"{text}\n{MARKER}".lstrip()
        tail = int(size * TAIL_SHARE)
        head_text = text[: safe_end(text, size - tail)].rstrip()
        tail_text = text[safe_start(text, len(text) - tail) :].lstrip() if tail else ""
        return "\n".join(
            part for part in (head_text, "[...]" if tail_text else "", tail_text, MARKER) if part
        )

    def bare(size: int) -> str:
        return text[: safe_end(text, size)].strip()

    return fit(marked, len(text), limit_tokens, count) or fit(bare, len(text), limit_tokens, count)


def _request(
    source: Source,
    level: Level,
    asked_tokens: int,
    *,
    model: str,
    timeout_s: float,
    prompts: Mapping[str, str],
) -> CompletionRequest:
    focus = " ".join(clean(source.focus).split())
    system = _prompt(f"{source.kind}_{level}", prompts).safe_substitute(
        target_tokens=asked_tokens,
        target_words=max(1, asked_tokens * 3 // 4),
        focus=f"\nAbove all, keep what concerns this: {focus}\n" if focus else "",
        identity=render_identity(source),
    )
    data = _prompt("data", prompts).safe_substitute(
        earlier=render_earlier(source), source=render_source(source)
    )
    return CompletionRequest(
        messages=(Message(role="user", parts=(Text(data.strip()),)),),
        system=system.strip(),
        model=model,
        max_output_tokens=int(asked_tokens * OVER_TARGET) + THINKING_TOKENS,
        timeout_s=timeout_s,
        purpose="summary",
    )


def _prompt(name: str, own: Mapping[str, str]) -> Template:
    return Template(own[name]) if name in own else _shipped(name)


@lru_cache(maxsize=16)
def _shipped(name: str) -> Template:
    from importlib.resources import files

    return Template(
        files("palimpsest.summarize").joinpath("prompts", f"{name}.txt").read_text(encoding="utf-8")
    )


def prompt_names() -> tuple[str, ...]:
    """The names of the prompts: "data", and each kind of summary at each level."""
    return ("data", *(f"{kind}_{level}" for kind in ("leaf", "condense", "roll") for level in LEVELS))


def reply_text(reply: Completion | CompletionFailure) -> str:
    """A reply's summary: without thinking blocks, and without a code fence or summary tags around the whole of it."""
    if isinstance(reply, CompletionFailure):
        return ""
    text = _without_thinking(clean(reply.text)).strip()
    for wrapper, mark in ((_FENCE, "```"), (_TAGS, "<summary>"), (_FENCE, "```")):
        inner = wrapper.fullmatch(text)
        if inner and mark not in inner[1]:
            text = inner[1].strip()
    return text


def _without_thinking(text: str) -> str:
    for tag in _THINKING:
        opening, closing = f"<{tag}>", f"</{tag}>"
        for _ in range(MAX_BLOCKS):
            start, end = text.find(opening), text.find(closing)
            if start < 0 and end < 0:
                break
            if end < 0:
                text = text[:start]
            elif start < 0 or end < start:
                text = text[end + len(closing) :]
            else:
                text = text[:start] + text[end + len(closing) :]
    return text


def _reply_tokens(text: str, limit_tokens: int, count: Count) -> int:
    bound = max(1, limit_tokens) * MAX_CHARS_PER_TOKEN
    return count(text) if len(text) <= bound else max(limit_tokens, len(text) // MAX_CHARS_PER_TOKEN)


def _refused(
    reply: Completion | CompletionFailure, text: str, tokens: int, *, target_tokens: int, limit_tokens: int
) -> str:
    if isinstance(reply, CompletionFailure):
        return f"{reply.kind.replace('_', ' ')}: {reply.message}".removesuffix(": ")
    if reply.finish_reason == "refused":
        return "refused by the model"
    if not text:
        return "cut off without text" if reply.finish_reason == "length" else "empty"
    if tokens >= limit_tokens:
        return f"not smaller than its source: {tokens} tokens, limit {limit_tokens}"
    if tokens > target_tokens * OVER_TARGET:
        return f"over the target: {tokens} tokens, target {target_tokens}"
    return ""


def _record(
    reply: Completion | CompletionFailure, level: Level, source: Source, tokens: int, refused: str, model: str
) -> SummaryCall:
    usage = None if isinstance(reply, CompletionFailure) else reply.usage
    return SummaryCall(
        level=level,
        input_tokens=usage.input_tokens if usage else source.tokens,
        output_tokens=usage.output_tokens if usage else tokens,
        refused=refused,
        model=model if isinstance(reply, CompletionFailure) else reply.model or model,
    )
