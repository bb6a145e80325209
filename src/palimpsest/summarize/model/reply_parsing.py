"""The summary in a model's reply, without what models and servers add to it.

- Thinking is removed, in the marks of the models that show it. If only its end is marked, everything before is removed.
- Control tokens are removed. A reply ends with its turn.
- A code fence and `<summary>` tags are removed, with the text outside of them.
- A JSON object of sections becomes text with headings. So do labels in bold type, and headings in capitals, underlined,
  or with a colon. Other JSON is not changed: it may be a tool call.
- The unfinished end of a reply that was cut off is removed: half a sentence may say something else.
- The contents of a summary are kept, except tool calls in the form in which models write them.
- No rule depends on the meaning of a sentence. A mark in quotes or backticks is mentioned, and kept.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from contextlib import suppress
from typing import cast

from palimpsest.lazy_regex import later
from palimpsest.record.completion import Completion, CompletionFailure
from palimpsest.summarize.summary_formats import FORMS
from palimpsest.text.cut import clean

MOST_CHARS = 1_000_000
"""The most characters of a reply that are read: a longer one is no summary."""
CALL_CHARS = 20_000
"""The most characters of a tool call."""
JSON_CHARS = 200_000
MAX_ENTRIES = 400
HEADING_CHARS, LEAST_HEADINGS = 60, 2
"""The longest heading, and the least headings that make sections."""

_SPOKEN_OF = r"(?<![`\"'])"
_TAGS = "think|thinking|thoughts?|reasoning|reflection|analysis|scratchpad|seed:think|longcat_think"
_THINKING = later(
    rf"{_SPOKEN_OF}(?:(<(?:{_TAGS})>|\[THINK\]|◁think▷|<\|(?:begin_of_thought|start_thinking|inner_prefix)\|>|"
    r"<\|channel\|>(?:analysis|commentary)|<\|channel>thought)|"
    rf"</(?:{_TAGS})>|\[/THINK\]|◁/think▷|<\|(?:end_of_thought|end_thinking|inner_suffix)\|>|"
    r"<\|channel\|>final[^<\n]{0,80}(?:<\|constrain\|>\w{1,20})?<\|message\|>|<channel\|>)",
    re.IGNORECASE,
)
"""Where thinking begins (the group) and where it ends."""
_TURN = later(
    rf"{_SPOKEN_OF}(?:(?:<\|(?:im_start|start|start_header_id|turn)\|?>|<start_of_turn>)(?:assistant|model|user|system|tool)\b"
    r"(?:<\|end_header_id\|>)?|<\|(?:im_end|end|return|call|eot_id|eom_id|endoftext|end_of_text|end_of_turn)\|>|"
    r"<(?:end_of_turn|turn\||eos|/s)>|\A<(?:bos|s)>|<｜end▁of▁sentence｜>|<｜(?:User|Assistant)｜>)"
)
"""The beginning of a turn, with its role, or its end."""
_CONTROL = later(rf"{_SPOKEN_OF}<(?:\|/?\w{{2,30}}\||｜[^｜<>\n]{{2,40}}｜)>")
_FENCE = later(
    r"^```(?:markdown|md|te?xt|plaintext|json|xml|summary)?[ \t]*\n(.*)\n```[ \t]*$",
    re.DOTALL | re.MULTILINE | re.IGNORECASE,
)
"""A fence around a summary names no programming language."""
_CALLS = "tool_calls?|function_calls?|tool_use|invoke|function"
_CALL = later(
    rf"<\|?(?:antml:)?({_CALLS})\b[^<>]{{0,200}}>|^\[(?:TOOL_CALLS?|CALL)[^\n]{{0,2000}}$",
    re.MULTILINE | re.IGNORECASE,
)
"""The beginning of a tool call, or a line that is one. In a summary it is not executed, but a model that reads it may
imitate it."""
_CALL_END = later(rf"</(?:antml:)?({_CALLS})>|<\|/?({_CALLS})\|?>", re.IGNORECASE)
_LABEL = later(
    r"(?:(?:^|(?<=\n))[ \t]{0,8}(?:[-*] )?|(?<=\S)[ \t]{1,4})"
    r"\*\*([^*\n:：]{2,60})(?:[:：]\*\*|\*\*[:：])[ \t]{1,4}(?=\S)"
)
_UNDERLINE = later(r"\s{0,3}[=-]{3,80}\s*")
_END = later(r"\n|[.!?](?=\s)|[。！？]")


def reply_text(reply: Completion | CompletionFailure) -> str:
    """The summary in a reply, without thinking, control tokens and wrappers."""
    if isinstance(reply, CompletionFailure):
        return ""
    text = _own_turn(_without_thinking(clean(reply.text[:MOST_CHARS])))
    if reply.finish_reason == "length":
        text = _finished(text)
    text = _without_calls(text)
    text = _unfenced(_untagged(_unfenced(text)))
    if text.startswith(("{", "[")):
        with suppress(ValueError, RecursionError):
            text = _sections(text) or text
        return text
    if "**" in text and not _has_marks(text):
        text = _labelled(text)
    return text if _has_marks(text) else _headed(text)


def is_declined(reply: Completion, most_chars: int = MOST_CHARS) -> bool:
    """Whether a reply is empty or refused. One of more than `most_chars` is not read."""
    return reply.finish_reason == "refused" or (len(reply.text) <= most_chars and not reply_text(reply))


def _without_thinking(text: str) -> str:
    kept: list[str] = []
    at, thinks = 0, False
    for mark in _THINKING.finditer(text):
        if mark[1]:
            kept.extend([] if thinks else [text[at : mark.start()]])
            thinks = True
        else:
            if not thinks:
                kept.clear()
            at, thinks = mark.end(), False
    return "".join(kept if thinks else [*kept, text[at:]])


def _own_turn(text: str) -> str:
    """The first turn with text, without control tokens."""
    turns = (_CONTROL.sub("", turn).strip() for turn in _TURN.split(text))
    return next(filter(None, turns), "")


def _without_calls(text: str) -> str:
    """A text without the tool calls in it; unchanged if it begins with one.

    A call ends with its end tag, or with the text. A call that is too long ends the search.
    """
    kept: list[str] = []
    at = 0
    for call in _CALL.finditer(text) if "<" in text or "[" in text else ():
        if call.start() < at:
            continue
        if call.start() == 0:
            return text
        end = call.end()
        if call[1]:
            closings = _CALL_END.finditer(text, end, end + CALL_CHARS)
            name = call[1].lower()
            last = next((one.end() for one in closings if (one[1] or one[2]).lower() == name), len(text))
            if last - end > CALL_CHARS:
                break
            end = last
        kept.append(text[at : call.start()])
        at = end
    return "".join((*kept, text[at:])).strip() if kept else text


def _unfenced(text: str) -> str:
    """The contents of the only fence, if no section is outside of it; else the text."""
    found = _FENCE.search(text) if text.count("```") == 2 else None
    if not found:
        return text
    outside = f"{text[: found.start()]}\n{text[found.end() :]}"
    whole = (
        not outside.strip() or _has_marks(found[1]) or found[1].lstrip().startswith(("{", "[", "<summary>"))
    )
    return found[1].strip() if whole and not _has_marks(outside) else text


def _untagged(text: str) -> str:
    """The text between `<summary>` tags, of which the last may be missing; else the text."""
    _, tag, rest = f"\n{text}".partition("\n<summary>")
    return rest.partition("</summary>")[0].strip() if tag else text


def _has_marks(text: str) -> bool:
    """Whether a text has headings with hashes."""
    return any(line.lstrip().startswith("#") for line in text.splitlines())


def _sections(text: str) -> str:
    """The text of a JSON object whose keys are known headings, "" for any other JSON."""
    found: object = json.loads(text) if len(text) <= JSON_CHARS else None
    sections = cast("dict[str, object]", found) if isinstance(found, dict) else {}
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


def _heading(words: str) -> str:
    """The known heading with these words, "" for none."""
    return FORMS["sections"].heading_of(f"## {words.replace('_', ' ')}")


def _labelled(text: str) -> str:
    """A text with headings in place of bold labels; unchanged unless two of them are known."""
    heading = {match[0]: _heading(match[1]) for match in _LABEL.finditer(text)}
    if sum(map(bool, heading.values())) < LEAST_HEADINGS:
        return text
    return _LABEL.sub(
        lambda match: f"\n## {heading[match[0]]}\n- " if heading[match[0]] else match[0], text
    ).strip()


def _headed(text: str) -> str:
    """A text with hashes before headings in capitals, with a line below or a colon; unchanged unless two are known."""
    lines = text.splitlines()
    below = [*lines[1:], ""][: len(lines)]
    found: dict[int, str] = {}
    for at, (line, under) in enumerate(zip(lines, below, strict=True)):
        words = line.strip().rstrip(":：").rstrip()
        marked = line.rstrip().endswith((":", "：")) or line.isupper() or _UNDERLINE.fullmatch(under)
        if marked and 0 < len(words) <= HEADING_CHARS and (heading := _heading(words)):
            found[at] = heading
    if len(found) < LEAST_HEADINGS:
        return text
    return "\n".join(
        f"## {found[at]}" if at in found else line
        for at, line in enumerate(lines)
        if not (at - 1 in found and _UNDERLINE.fullmatch(line))
    )


def _lines(value: object) -> Iterator[str]:
    """A JSON value as lines, without empty ones."""
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
    """A text that was cut off, up to its last whole line or sentence; unchanged if it has none."""
    ends = [match.end() for match in _END.finditer(text)]
    return text[: ends[-1]].rstrip() if ends else text
