"""The summary in a model's reply, without what models put around it.

Rules kept here:

- Thinking goes, and so does a code fence or a tag around the whole, with a line before it that announces it and one
  behind it that closes it.
- An object or a list of sections, as models give that are used to JSON, becomes the same sections as text, and so do
  sections in tags and those under headings in capitals, underlined, or with a colon. Any other JSON is left as it is:
  it may be the call of a tool.
- What stands behind a rule at the end, and is no section and no list, is not the summary's.
- Of a reply that was cut off what was begun last goes: half a sentence says something else.
- What is inside a summary stays, a fenced command too, but for calls of tools in the form in which models write them.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import cast

from palimpsest.patterns import later
from palimpsest.record.completion import Completion, CompletionFailure
from palimpsest.summarize.cut import clean
from palimpsest.summarize.forms import FORMS

JSON_CHARS = 200_000
MAX_ENTRIES = 400
HEADING_CHARS, LEAST_HEADINGS = 60, 2
"""A line up to here may be a heading, and so many of them make sections."""
OPENING_CHARS = 200
"""Of a reply, in which it says that it declines."""

_FENCE = later(
    r"(?:[^\n`]{0,160}[:：]\s{1,4})?```(?:markdown|md|te?xt|plaintext|json|xml|summary)?[ \t]*\n(.*)\n```"
    r"(?:\s{1,4}[^\n`]{0,160})?",
    re.DOTALL | re.IGNORECASE,
)
"""A fence around a summary names no language of code."""
_TAGS = later(r"<summary>(.*)</summary>", re.DOTALL)
_ANNOUNCED = later(r"\A(?![#*\s-])[^\n]{1,160}[:：]\s{0,4}\n\s{0,8}(?=#{1,4} )")
"""A line that announces a summary, before its first heading."""
_CLOSED = later(
    r"\n\s{0,8}(?:(?:i )?hope (?:this|that|it)|let me know|feel free|would you like|please let me|is there anything)"
    r"[^\n]{0,160}$",
    re.IGNORECASE,
)
_CALL = later(
    r"<\|?(?:antml:)?(tool_calls?|function_calls?|tool_use|invoke|function)\b[^<>]{0,200}>.{0,20000}?"
    r"(?:</(?:antml:)?\1>|<\|/?\1\|?>|\Z)|^\[(?:TOOL_CALLS?|CALL)[^\n]{0,2000}$",
    re.DOTALL | re.MULTILINE | re.IGNORECASE,
)
"""A call of a tool in the midst of a summary: nothing calls from there, but who reads it may go on like that."""
_TAG = later(r"<([a-z][a-z_ &]{2,40})>(.{1,20000}?)</\1>\s{0,4}", re.DOTALL | re.IGNORECASE)
_TITLED = later(
    r"<(section|part|block|item|h[1-6])\s+(?:name|title|heading|id|key)=[\"']([^\"'<>\n]{2,60})[\"']\s{0,4}>(.{1,20000}?)</\1>",
    re.DOTALL | re.IGNORECASE,
)
_MARKED = later(r"^\s{0,3}(?:#|\*\*)", re.MULTILINE)
_LABEL = later(
    r"(?:(?:^|(?<=\n))[ \t]{0,8}(?:[-*] )?|(?<=\S)[ \t]{1,4})"
    r"\*\*([^*\n:：]{2,60})(?:[:：]\*\*|\*\*[:：])[ \t]{1,4}(?=\S)"
)
_RULE = later(
    r"\n\s{0,4}\n?[ \t]{0,3}(?:-{3,80}|\*{3,80}|_{3,80})[ \t]*\n(?!.*^\s{0,3}#)", re.DOTALL | re.MULTILINE
)
"""A rule with no heading behind it."""
_UNDERLINE = later(r"\s{0,3}[=-]{3,80}\s*")
_END = later(r"\n|[.!?](?=\s)|[。！？]")
_THOUGHT = later(r"<(think|thinking|reasoning)>.*?(?:</\1>|\Z)", re.DOTALL)
_THOUGHT_BEFORE = later(r"\A.*</(?:think|thinking|reasoning)>", re.DOTALL)


def reply_text(reply: Completion | CompletionFailure) -> str:
    """A reply's summary: without thinking blocks, and without what stands around the whole of it."""
    if isinstance(reply, CompletionFailure):
        return ""
    text = _THOUGHT_BEFORE.sub("", _THOUGHT.sub("", clean(reply.text))).strip()
    if reply.finish_reason == "length":
        text = _finished(text)
    if not _CALL.match(text):
        text = _CALL.sub("", text).strip()
    for wrapper, mark in ((_FENCE, "```"), (_TAGS, "<summary>"), (_FENCE, "```")):
        inner = wrapper.fullmatch(text)
        if inner and mark not in inner[1]:
            text = inner[1].strip()
    if text.startswith(("{", "[")):
        return _sections(text) or text
    if text.startswith("<"):
        text = _tagged(text)
    if "**" in text and "\n#" not in f"\n{text}":
        text = _labelled(text)
    text = text if _MARKED.search(text) else _headed(text)
    return _CLOSED.sub("", _without_tail(_ANNOUNCED.sub("", text, count=1))) if "#" in text else text


def _without_tail(text: str) -> str:
    """A text in sections without what stands behind a rule at its end, where that is no section and no list: a letter,
    or a word to somebody.
    """
    rule = _RULE.search(text)
    tail = text[rule.end() :].splitlines() if rule else []
    listed = any(line.lstrip().startswith(("- ", "* ", "#", "|", "```")) for line in tail)
    return text[: rule.start()].rstrip() if rule and any(tail) and not listed else text


def is_declined(reply: Completion) -> bool:
    """Whether a model said nothing, or was kept from answering."""
    return reply.finish_reason == "refused" or not reply_text(reply)


def _sections(text: str) -> str:
    """The text of an object whose keys are headings of ours, "" for anything else."""
    if len(text) > JSON_CHARS:
        return ""
    try:
        found: object = json.loads(text)
    except (ValueError, RecursionError):
        return ""
    sections = _listed(cast("list[object]", found)) if isinstance(found, list) else {}
    if isinstance(found, dict):
        sections = cast("dict[str, object]", found)
    if len(sections) == 1 and isinstance(inner := next(iter(sections.values())), dict):
        sections = cast("dict[str, object]", inner)
    headings = {key: _heading(key) for key in sections}
    if not any(headings.values()):
        return ""
    blocks: list[str] = []
    for key, value in list(sections.items())[:MAX_ENTRIES]:
        lines = [f"- {line}" for line in _lines(value)]
        blocks.extend([f"## {headings[key] or key.replace('_', ' ')}", *lines] if lines else [])
    return "\n".join(blocks)


def _tagged(text: str) -> str:
    """A text whose sections stand in tags named like headings of ours, with the headings; else as it is."""
    text = _TITLED.sub(
        lambda match: f"<{match[2]}>{match[3]}</{match[2]}>" if _heading(match[2]) else match[0], text
    )
    heading = {match[1]: _heading(match[1]) for match in _TAG.finditer(text)}
    if not any(heading.values()):
        return text
    return _TAG.sub(lambda match: f"## {heading[match[1]] or match[1]}\n{match[2].strip()}\n", text).strip()


def _heading(words: str) -> str:
    """The heading of ours that words are, "" for none."""
    return FORMS["sections"].heading_of(f"## {words.replace('_', ' ')}")


def _listed(items: list[object]) -> dict[str, object]:
    """The sections of a list of objects, each with a heading of ours for one value and what it says for the others."""
    found: dict[str, object] = {}
    for item in items[:MAX_ENTRIES]:
        values = list(cast("dict[str, object]", item).values()) if isinstance(item, dict) else []
        heading = next((one for one in values if isinstance(one, str) and _heading(one)), None)
        if heading is not None:
            found[heading] = [one for one in values if one is not heading]
    return found


def _labelled(text: str) -> str:
    """A text whose headings are labels in bold type before what they are of, with headings; as it is where that are not
    two of ours at least.
    """
    heading = {match[0]: _heading(match[1]) for match in _LABEL.finditer(text)}
    if sum(map(bool, heading.values())) < LEAST_HEADINGS:
        return text
    return _LABEL.sub(
        lambda match: f"\n## {heading[match[0]]}\n- " if heading[match[0]] else match[0], text
    ).strip()


def _headed(text: str) -> str:
    """A text whose headings are told by capitals, a line under them or a colon, with marks before them; as it is where
    that are not two of ours at least.
    """
    lines = text.splitlines()
    below = [*lines[1:], ""][: len(lines)]
    found: dict[int, str] = {}
    for at, (line, under) in enumerate(zip(lines, below, strict=True)):
        words = line.strip().rstrip(":：").rstrip()
        told = line.rstrip().endswith((":", "：")) or line.isupper() or _UNDERLINE.fullmatch(under)
        if told and 0 < len(words) <= HEADING_CHARS and (heading := _heading(words)):
            found[at] = heading
    if len(found) < LEAST_HEADINGS:
        return text
    return "\n".join(
        f"## {found[at]}" if at in found else line
        for at, line in enumerate(lines)
        if not (at - 1 in found and _UNDERLINE.fullmatch(line))
    )


def _lines(value: object) -> Iterator[str]:
    """A value of JSON as lines, without what is empty."""
    if isinstance(value, dict):
        inner = cast("dict[str, object]", value)
        yield from (f"{key}: {'; '.join(_lines(one))}" for key, one in list(inner.items())[:MAX_ENTRIES])
    elif isinstance(value, list):
        every = cast("list[object]", value)
        for one in every[:MAX_ENTRIES]:
            yield from _lines(one) if isinstance(one, str) else ("; ".join(_lines(one)),)
    elif value not in (None, ""):
        yield from (
            " ".join(line.split()).removeprefix("- ") for line in str(value).splitlines() if line.strip()
        )


def _finished(text: str) -> str:
    """A text that was cut off up to its last whole line or sentence; as it is where it has none."""
    ends = [match.end() for match in _END.finditer(text)]
    return text[: ends[-1]].rstrip() if ends else text
