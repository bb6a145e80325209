"""A summary written by the conversation's own model, from the request that it has just been sent.

What it read for its last reply is still cached, so that reading all of it again costs a tenth or less. The instruction
stands at the end, behind everything that is cached, and is not part of the conversation. It names the part to be
summarized by its beginning and its end, because the model sees more than that.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from string import Template

from palimpsest.record.completion import CompletionRequest
from palimpsest.record.message import Message, Text
from palimpsest.record.summary_source import Entry, MessageEntry, Source
from palimpsest.summarize.source import fenced, render_message
from palimpsest.text.cut import clean, clip

PURPOSE = "fork"
"""Of the call, by which it is told from one to a summarizer."""

SHOWN_CHARS = 300
"""Of the first and of the last entry, by which the part is found."""


@dataclass(frozen=True, slots=True)
class Fork:
    """The conversation's own request, with the estimate of its prompt."""

    request: CompletionRequest
    tokens: int


def forked(
    fork: Fork,
    source: Source,
    prompt: Template,
    rules: str,
    facts: str,
    *,
    output_tokens: int,
    timeout_s: float,
) -> CompletionRequest:
    """The request with the instruction to summarize `source` by these rules at its end."""
    first, last = source.entries[0], source.entries[-1]
    text = prompt.safe_substitute(
        rules=rules.strip(),
        first=fenced("message", clip(_shown(first), SHOWN_CHARS)),
        last=fenced("message", clip(_shown(last), SHOWN_CHARS)),
        facts=facts,
    )
    return replace(
        fork.request,
        messages=(*fork.request.messages, Message("user", (Text(text.strip()),))),
        injected=fork.request.injected + 1,
        max_output_tokens=output_tokens,
        timeout_s=timeout_s,
        purpose=PURPOSE,
    )


def _shown(entry: Entry) -> str:
    if isinstance(entry, MessageEntry):
        return f"{entry.message.role}: {clean(render_message(entry.message, {}))}"
    return f"summary {entry.summary.id}: {clean(entry.summary.text)}"
