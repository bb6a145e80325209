"""A check of a summary by a model: which of its statements the source does not support.

It is one call with the lines of the summary numbered, and its reply is one JSON object. The findings are recorded.
Lines are removed only with `summary_check="model_edit"`. A judge that fails, that answers in another form, or that
names every line, changes nothing."""

from __future__ import annotations

import json
from collections.abc import Generator
from string import Template
from typing import cast

from palimpsest.record.completion import Completion, CompletionFailure, CompletionRequest
from palimpsest.record.message import Message, Text
from palimpsest.record.summary import SummaryCall
from palimpsest.record.summary_source import Source
from palimpsest.summarize.model.escalation import OUTPUT_MARGIN, THINKING_TOKENS, reply_chars
from palimpsest.summarize.model.reply_parsing import reply_text
from palimpsest.summarize.source import fenced, render_source
from palimpsest.text.cut import Count, clip

MAX_FOUND = 40
"""Statements of one summary that are noted."""
NOTE_CHARS = 160
LINE_TOKENS = 60
"""What naming one statement takes of the reply, about."""
PURPOSE = "summary_check"


Judging = Generator[CompletionRequest, Completion | CompletionFailure, tuple[str, SummaryCall]]


def judging(
    text: str,
    source: Source,
    prompt: Template,
    *,
    model: str,
    timeout_s: float,
    source_tokens: int,
    edits: bool,
    count: Count,
    window_tokens: int = 0,
) -> Judging:
    """Yield the request for a check of `text`, be sent the reply, and return the text and the record of the call.
    `source` is as the summarizer was shown it; `window_tokens` is the model's own window, 0 for a large one.
    """
    lines = text.splitlines()
    numbered = "\n".join(f"{number}: {line}" for number, line in enumerate(lines, 1))
    body = f"{render_source(source)}\n\n{fenced('findings', numbered, 'The lines of the summary:')}"
    system = prompt.safe_substitute().strip()
    output_tokens = THINKING_TOKENS + LINE_TOKENS * len(lines)
    if window_tokens:
        left = window_tokens - int((count(system) + count(body)) * OUTPUT_MARGIN)
        output_tokens = max(LINE_TOKENS, min(output_tokens, left))
    request = CompletionRequest(
        messages=(Message("user", (Text(body),)),),
        system=system,
        model=model,
        max_output_tokens=output_tokens,
        timeout_s=timeout_s,
        purpose=PURPOSE,
    )
    reply = yield request
    is_long = isinstance(reply, Completion) and len(reply.text) > reply_chars(request)
    found = None if is_long else found_in_reply(reply_text(reply), len(lines))
    refused = ""
    if isinstance(reply, CompletionFailure):
        refused = f"not checked: {reply.kind.replace('_', ' ')}"
    elif found is None:
        refused = "not checked: the reply is no JSON of the form that was asked for"
    notes = tuple(
        clip(f"not supported (line {line}): {lines[line - 1].strip()} ({why})", NOTE_CHARS)
        for line, why in (found or {}).items()
    )
    gone = {line - 1 for line in found or () if edits and not lines[line - 1].startswith("#")}
    kept = [line for at, line in enumerate(lines) if at not in gone]
    says = any(line.strip() and not line.startswith("#") for line in kept)
    usage = None if isinstance(reply, CompletionFailure) else reply.usage
    unpaid = isinstance(reply, CompletionFailure)
    return ("\n".join(kept) if gone and says else text), SummaryCall(
        level="check",
        input_tokens=usage.input_tokens if usage else 0 if unpaid else source_tokens,
        output_tokens=usage.output_tokens if usage else 0 if unpaid else LINE_TOKENS * len(notes),
        refused=refused,
        model=model if isinstance(reply, CompletionFailure) else reply.model or model,
        repairs=notes,
        cached_tokens=usage.cached_tokens if usage else 0,
    )


def found_in_reply(text: str, lines: int) -> dict[int, str] | None:
    """The lines that a judge's reply names, from 1, and why; None if it is not in the form that was asked for."""
    start, end = text.find("{"), text.rfind("}")
    try:
        value: object = json.loads(text[start : end + 1]) if 0 <= start < end else None
    except (ValueError, RecursionError):
        return None
    named = cast("dict[str, object]", value).get("unsupported") if isinstance(value, dict) else None
    if not isinstance(named, list):
        return None
    found: dict[int, str] = {}
    for one in cast("list[object]", named)[:MAX_FOUND]:
        fields = cast("dict[str, object]", one) if isinstance(one, dict) else {}
        line, why = fields.get("line"), fields.get("why")
        if isinstance(line, int) and not isinstance(line, bool) and 0 < line <= lines:
            found.setdefault(line, " ".join(why.split()) if isinstance(why, str) else "")
    return found
