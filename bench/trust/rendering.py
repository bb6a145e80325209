"""Random histories rendered for every wire, each request held against the rules of the providers.

    python -m bench.trust.rendering [--count 1000000] [--seconds S] [--tally FILE] [--json]

A trial is one history (`drawing.history`), or one in four times the dicts of such a history with a few values made
wrong, read again: what is refused with FormatError is left out. For each wire the request must break no rule
(`formats/rules`): OpenAI's chat as OpenAI and as vLLM and Moonshot take it, Responses, Anthropic, Gemini and Bedrock.
One in 16 times it is also made again and compared, and must hold every word that was said.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Sequence
from random import Random
from typing import Any

from bench.trust.drawing import ARGUMENTS, NAMES, WORDS, damage, history, json_copy
from bench.trust.hands import command
from bench.trust.running import Found, options
from palimpsest.errors import FormatError
from palimpsest.formats import anthropic, bedrock, gemini, openai, parse_any
from palimpsest.formats.rules import (
    anthropic_breaches,
    bedrock_breaches,
    chat_template_breaches,
    gemini_breaches,
    openai_breaches,
    responses_breaches,
)
from palimpsest.formats.wire_fields import clean_text, load_object
from palimpsest.record.message import Message, Text, ToolDef, ToolResult

Body = dict[str, Any]
VLLM_MODEL, MOONSHOT_MODEL = "qwen3.5-35b", "kimi-k2.6"


def other_server(model: str) -> Callable[..., Body]:
    """A renderer for a model of another server on OpenAI's wire."""

    def render(system: Sequence[str], messages: Sequence[Message], tools: Sequence[ToolDef] = ()) -> Body:
        return {**openai.render_request(system, messages, tools, model=model), "model": model}

    return render


def template_breaches(body: Body) -> Sequence[str]:
    """What OpenAI and a chat template refuse."""
    return (*openai_breaches(body), *chat_template_breaches(body))


PROVIDERS: tuple[tuple[str, Callable[..., Body], Callable[[Body], Sequence[str]]], ...] = (
    ("openai", openai.render_request, openai_breaches),
    ("vllm", other_server(VLLM_MODEL), template_breaches),
    ("moonshot", other_server(MOONSHOT_MODEL), template_breaches),
    ("responses", openai.render_responses, responses_breaches),
    ("anthropic", anthropic.render_request, anthropic_breaches),
    ("gemini", gemini.render_request, gemini_breaches),
    ("bedrock", bedrock.render_request, bedrock_breaches),
)
SYSTEMS = ((), ("You are a careful engineer.",), ("", "Answer in short.", "\ud800"))
SCHEMAS = ('{"type":"object","properties":{"path":{"type":"string"}}}', "{}", *ARGUMENTS)
MAX_TOOLS = 6
SIZES = (1, 2, 3, 8)
THOROUGH_IN = 16


def render_trial(seed: int) -> Found:
    """One history of a seed."""
    found = Found()
    rendered(Random(seed), found, thorough=seed % THOROUGH_IN == 0)
    return found


def rendered(draw: Random, found: Found, *, thorough: bool) -> None:
    """Draw a history and render it for every wire."""
    given = history(draw, draw.choice(SIZES))
    if draw.random() < 0.25:
        given = reread(draw, given, found)
    system = draw.choice(SYSTEMS)
    names = draw.sample(NAMES, draw.choice((0, 0, 0, 2, MAX_TOOLS)))
    tools = [ToolDef(name, draw.choice(WORDS), draw.choice(SCHEMAS)) for name in names]
    for name, render, breaches in PROVIDERS:
        body = render(system, given, tools)
        wrong = breaches(body)
        if wrong:
            found.faults.append(f"{name}: {'; '.join(wrong)}"[:500])
        if thorough and (lost := lost_words(given, body)):
            found.faults.append(f"{name}: lost {lost[:3]!r}"[:500])
        if thorough and render(system, given, tools) != body:
            found.faults.append(f"{name}: rendering changed the messages")
        found.counts["requests"] += 1
    found.counts["histories"] += 1
    found.counts["messages"] += len(given)


def reread(draw: Random, given: Sequence[Message], found: Found) -> list[Message]:
    """The history as a provider's dicts with a few values made wrong, read again."""
    _, render, _ = draw.choice(PROVIDERS)
    body = render((), given, ())
    again: list[Message] = []
    for raw in body.get("messages") or body.get("contents") or ():
        try:
            again.extend(parse_any(damage(draw, json_copy(raw))))
        except FormatError:
            found.counts["dicts refused"] += 1
    return again


def lost_words(given: Sequence[Message], body: Body) -> list[str]:
    """What was said in the history and stands nowhere in the request. A JSON object may be given as one."""
    text = json.dumps(body, default=repr)
    wanted = {
        json.dumps(words)[1:-1]
        for message in given
        for part in message.parts
        for inner in (part.content if isinstance(part, ToolResult) else (part,))
        if isinstance(inner, Text)
        and "~" not in inner.extra
        and (words := clean_text(inner.text).strip())
        and load_object(words) is None
    }
    return [words for words in wanted if words not in text]


if __name__ == "__main__":
    given = options("histories rendered for every provider", count=1_000_000).parse_args()
    sys.exit(command("rendering", render_trial, given, goal="histories", limit_s=30.0))
