"""Three levels of escalation: a normal prompt, an aggressive one, and truncation, which cannot fail.

- A reply is accepted only if it has text, is strictly below the caller's limit and not far over the target. A model
  that refuses, rambles, times out or raises costs one call, and the next level follows. There are at most two calls.
  One that ignores its time limit is not called again.
- The third level needs no model. The returned text itself is counted, so it is below the limit. It ends with a marker
  that says that something was cut off.
- Every call is recorded with the reason why its reply was not accepted.
- A reply that is no summary of its source is requested once more, with what is wrong with it.
- A provider that refuses every call (no credit, no valid key) is not called a second time.
- This is a generator: it yields a request and is sent the reply, so that an async client, a test script and a
  simulation drive the same code.
- A fork continues the request that the conversation's own model has just been sent. What it has read is still cached,
  so that reading it again costs a tenth or less. The instruction is at the end, and no part of the conversation. It
  names the part to summarize by its beginning and its end, because the model sees more than that.

Behaviour documented on page 000, "Three-level escalation per call".
"""

from __future__ import annotations

from collections.abc import Generator, Mapping
from dataclasses import dataclass, field, replace

from palimpsest.errors import FailureReason
from palimpsest.lazy_regex import later
from palimpsest.record.completion import Completion, CompletionFailure, CompletionRequest
from palimpsest.record.message import Message, Text
from palimpsest.record.summary import Draft, SummaryCall
from palimpsest.record.summary_source import Entry, MessageEntry, Source
from palimpsest.redaction.redactor import redact
from palimpsest.settings import IdentifierPolicy, SummaryForm
from palimpsest.summarize.checks.structure import fault_of, without_copied
from palimpsest.summarize.material_and_reply import Material
from palimpsest.summarize.model.prompts import (
    LEVELS,
    Level,
    depth_prompt,
    identifier_prompt,
    prompt,
    prompt_name,
)
from palimpsest.summarize.model.reply_parsing import reply_text
from palimpsest.summarize.source import (
    fenced,
    plain_source,
    render_earlier,
    render_identity,
    render_message,
    render_source,
)
from palimpsest.summarize.summary_formats import FORMS
from palimpsest.text.cut import (
    MAX_CHARS_PER_TOKEN,
    Count,
    clean,
    clip,
    fit,
    safe_end,
    safe_start,
)
from palimpsest.text.invisible_characters import visible

Steps = Generator[CompletionRequest, Completion | CompletionFailure, Draft]

OVER_TARGET = 1.5
"""A reply of more than this times the target is not accepted."""
AIM_SHARE = 2 / 3
"""The share of the limit that is aimed at, if that is below the target: a summary must save something."""
AGGRESSIVE_SHARE = 1 / 2
"""The aggressive prompt asks for this share of the normal target."""
THINKING_TOKENS = 4_096
"""Room in the output limit for models that think before they write."""
TIMEOUT_S = 60.0
TAIL_SHARE = 1 / 3
"""The share of a truncated text that is from the end of its source, where the present state is."""
MARKER = "[truncated: the messages underneath hold the full text]"
REASON_CHARS = 300
READ_CHARS = 20_000
"""Characters of a failure message that are searched for secrets."""
HOPELESS: frozenset[FailureReason] = frozenset(("auth", "quota"))
"""Failures after which the same provider will refuse the next call as well."""
OVERFLOW: FailureReason = "context_overflow"
"""The source is larger than the summarizer's window, and will be at the next call as well."""
FACTS = "Facts from the calls and their results. Do not contradict them:"
OUTPUT_MARGIN = 1.1
"""A prompt may be longer than its estimate."""

PURPOSE = "fork"
"""The purpose of a request that continues the conversation's own."""
SHOWN_CHARS = 300
"""Characters of the first and of the last entry, by which a fork finds the part to summarize."""

_EMPTY_LINES = later(r"\n{3,}")


@dataclass(frozen=True, slots=True)
class Fork:
    """The conversation's own request, with the estimate of its prompt."""

    request: CompletionRequest
    tokens: int


@dataclass(frozen=True, slots=True)
class Ask:
    """How a summary is requested.

    `prompts` replace the shipped ones of the same names. `instructions` are about identifiers, for a custom policy.
    `window_tokens` is the summarizer's own window if that is known to be small, else 0.
    """

    target_tokens: int
    limit_tokens: int
    count: Count
    model: str = ""
    timeout_s: float = TIMEOUT_S
    prompts: Mapping[str, str] = field(default_factory=dict[str, str])
    form: SummaryForm = "sections"
    policy: IdentifierPolicy = "strict"
    instructions: str = ""
    window_tokens: int = 0

    def is_own(self, source: Source) -> bool:
        """Whether a summary of this kind has a prompt of the caller, which may ask for another form."""
        return any(
            name in self.prompts
            for name in (prompt_name(source.kind, "normal", self.form, self.prompts), f"form_{self.form}")
        )


def summarize(source: Source, ask: Ask, material: Material | None = None, fork: Fork | None = None) -> Steps:
    """Yield at most two requests, be sent a reply or a failure for each, and return the summary.

    The text has fewer than `ask.limit_tokens` tokens; it is empty only if not even a character is below the limit. With
    `material`, which then has the source as it is shown, a reply must have the structure of a summary. With `fork`, the
    first request continues the conversation's own."""
    target_tokens, limit_tokens, count, model = ask.target_tokens, ask.limit_tokens, ask.count, ask.model
    shown = material.source if material else source
    aim = aim_tokens(target_tokens, limit_tokens)
    calls: list[SummaryCall] = []
    failure = refused = ""
    for place, level in enumerate(LEVELS):
        asked_tokens = aim if level == "normal" else max(1, int(aim * AGGRESSIVE_SHARE))
        own = fork if place == 0 else None
        last = calls[-1] if calls else None
        findings = last.refused if last and last.output_tokens else ""
        request = _request(shown, level, asked_tokens, ask, material, findings, own)
        reply = yield request
        text, gone, refused = _judged(reply, request, level, asked_tokens, ask, material)
        tokens = _reply_tokens(text, request.max_output_tokens, count)
        call = _record(reply, level, own.tokens if own else shown.tokens, tokens, refused, model)
        calls.append(replace(call, repairs=gone) if not refused else call)
        if not refused:
            return Draft(text, level, call.model, tuple(calls))
        failure = _lasting(reply, own)
        if failure or (isinstance(reply, CompletionFailure) and reply.kind == "left_behind"):
            break
    return Draft(truncate(shown, min(aim + 1, limit_tokens), count), "truncated", "", tuple(calls), failure)


def _judged(
    reply: Completion | CompletionFailure,
    request: CompletionRequest,
    level: Level,
    asked_tokens: int,
    ask: Ask,
    material: Material | None,
) -> tuple[str, tuple[str, ...], str]:
    """The summary in a reply, the lines of its prompt that were removed from it, and why it is refused."""
    hide = material.redactor.redact if material else redact
    if isinstance(reply, CompletionFailure):
        said = clip(hide(reply.message[:READ_CHARS]), REASON_CHARS)
        return "", (), f"{reply.kind.replace('_', ' ')}: {said}".removesuffix(": ")
    if reply.finish_reason == "refused":
        return "", (), "refused by the model"
    if len(reply.text) > reply_chars(request):
        limits = ask.limit_tokens, int(ask.target_tokens * OVER_TARGET)
        small = len(reply.text) <= (limits[0] + THINKING_TOKENS) * MAX_CHARS_PER_TOKEN
        why = "over the target" if small else "not smaller than its source"
        return reply.text, (), f"{why}: {len(reply.text)} characters"
    text = visible(reply_text(reply))
    if not text:
        return "", (), "cut off without text" if reply.finish_reason == "length" else "empty"
    tokens = _reply_tokens(text, ask.limit_tokens, ask.count)
    if tokens >= ask.limit_tokens:
        return text, (), f"not smaller than its source: {tokens} tokens, limit {ask.limit_tokens}"
    if tokens > ask.target_tokens * OVER_TARGET:
        return text, (), f"over the target: {tokens} tokens, target {ask.target_tokens}"
    if reply.finish_reason == "length":
        return text, (), f"cut off after {tokens} tokens"
    if material is None:
        return text, (), ""
    rules = _rules(material.source, level, asked_tokens, ask)
    formed = level == "normal" and ask.form != "prose" and not ask.is_own(material.source)
    context = (material.known.text, rules, material.source.focus)
    fault = fault_of(text, FORMS[ask.form], rules, material.facts, context, formed=formed)
    if fault:
        return text, (), fault
    text, gone = without_copied(text, rules)
    text = material.redactor.redact_reply(text, material.known.text)
    return text.strip(), tuple(clip(f"of its prompt: {line}", REASON_CHARS) for line in gone), ""


def reply_chars(request: CompletionRequest) -> int:
    """The most characters of a reply that are read: a longer one is refused for its length alone."""
    return request.max_output_tokens * MAX_CHARS_PER_TOKEN


def _lasting(reply: Completion | CompletionFailure, own: Fork | None) -> str:
    """Why the next call would fail like this one, "" if it may not."""
    if not isinstance(reply, CompletionFailure):
        return ""
    lasts = reply.reason in HOPELESS or (reply.reason == OVERFLOW and own is None)
    return reply.reason if lasts else ""


def is_cut(draft: Draft) -> bool:
    """Whether a draft is only the beginning and the end of its source."""
    return draft.method == "truncated" and draft.text.endswith(MARKER)


def aim_tokens(target_tokens: int, limit_tokens: int) -> int:
    """The size to aim at: the target, or two thirds of the limit if that is less; at least 1."""
    return max(1, min(target_tokens, int(limit_tokens * AIM_SHARE)))


def truncate(source: Source, limit_tokens: int, count: Count) -> str:
    """The beginning and the end of the source and the marker, in fewer than `limit_tokens` tokens.

    The marker, and then the text, is left out if the limit leaves no room.
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
    ask: Ask,
    material: Material | None,
    findings: str,
    fork: Fork | None,
) -> CompletionRequest:
    """The request for a summary.

    Only the prompts, the agent's own prompt and the caller's words are in the system role. Everything from a
    conversation is in the user role, fenced."""
    own = ask.prompts
    focus = " ".join(clean(source.focus).split())
    facts = material.facts if material else ""
    facts = fenced("facts", facts, FACTS) if facts else ""
    output_tokens = int(asked_tokens * OVER_TARGET) + THINKING_TOKENS
    source = replace(source, system="") if fork else source
    focus = f"\nAbove all, keep what concerns this: {focus}\nGive it most of the room.\n" if focus else ""
    system = _rules(source, level, asked_tokens, ask, render_identity(source), focus)
    system = _EMPTY_LINES.sub("\n\n", system).strip()
    if fork:
        text = prompt("fork", own).safe_substitute(
            rules=system,
            first=fenced("message", clip(_shown(source.entries[0]), SHOWN_CHARS)),
            last=fenced("message", clip(_shown(source.entries[-1]), SHOWN_CHARS)),
            facts=facts,
        )
        return replace(
            fork.request,
            messages=(*fork.request.messages, Message("user", (Text(text.strip()),))),
            injected=fork.request.injected + 1,
            max_output_tokens=output_tokens,
            timeout_s=ask.timeout_s,
            purpose=PURPOSE,
        )
    data = prompt("data", own).safe_substitute(
        earlier=render_earlier(source),
        source=render_source(source),
        facts=facts,
    )
    fault = prompt("findings", own).safe_substitute(findings=fenced("findings", findings)) if findings else ""
    body = f"{data.strip()}\n\n{fault.strip()}".strip()
    if ask.window_tokens:
        left = ask.window_tokens - int((ask.count(system) + ask.count(body)) * OUTPUT_MARGIN)
        output_tokens = max(asked_tokens, min(output_tokens, left))
    return CompletionRequest(
        messages=(Message(role="user", parts=(Text(body),)),),
        system=system,
        model=ask.model,
        max_output_tokens=output_tokens,
        timeout_s=ask.timeout_s,
        purpose="summary",
    )


def _rules(
    source: Source, level: Level, asked_tokens: int, ask: Ask, identity: str = "", focus: str = ""
) -> str:
    """The instructions for a summary."""
    own = ask.prompts
    return prompt(prompt_name(source.kind, level, ask.form, own), own).safe_substitute(
        target_tokens=asked_tokens,
        target_words=max(1, asked_tokens * 3 // 4),
        focus=focus,
        identity=identity,
        form=prompt(f"form_{ask.form}", own).safe_substitute(),
        identifiers=identifier_prompt(ask.policy, ask.instructions, own),
        depth=depth_prompt(source, own),
    )


def _reply_tokens(text: str, limit_tokens: int, count: Count) -> int:
    bound = max(1, limit_tokens) * MAX_CHARS_PER_TOKEN
    return count(text) if len(text) <= bound else max(limit_tokens, len(text) // MAX_CHARS_PER_TOKEN)


def _record(
    reply: Completion | CompletionFailure, level: Level, prompt: int, tokens: int, refused: str, model: str
) -> SummaryCall:
    """The record of a call. Tokens are estimated if they are not reported; a call that raised has none."""
    usage = None if isinstance(reply, CompletionFailure) else reply.usage
    unpaid = isinstance(reply, CompletionFailure) and reply.kind == "raised"
    return SummaryCall(
        level=level,
        input_tokens=usage.input_tokens if usage else 0 if unpaid else prompt,
        output_tokens=usage.output_tokens if usage else tokens,
        refused=clip(refused, REASON_CHARS * 2),
        model=model if isinstance(reply, CompletionFailure) else reply.model or model,
        cached_tokens=usage.cached_tokens if usage else 0,
    )


def _shown(entry: Entry) -> str:
    if isinstance(entry, MessageEntry):
        return f"{entry.message.role}: {clean(render_message(entry.message, {}))}"
    return f"summary {entry.summary.id}: {clean(entry.summary.text)}"
