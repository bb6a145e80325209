"""The gate: what a window shows of a tool result that is too large to be shown in full.

It shows the beginning, the end, an outline of what lies between, and the id under which the whole result can be read
back. This is decided once, when the message is stored, so that it never changes a prefix that a provider has cached.
The result is stored in full.

- There is a limit for results, and a larger one for files that were read: half of the large ones are quoted again.
- With `gate_readable_tokens`, it applies only while the model is offered a tool that reads the result back. The note
  names that tool. Without one, twice as much is shown.
- What reads back or searches this store is never truncated. Otherwise nothing could ever be read in full.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import islice
from typing import cast

from palimpsest.budget.pruned_messages import UNREADABLE_FACTOR
from palimpsest.budget.stubs import PART_END, RESULT_END, stored_as
from palimpsest.budget.token_estimator import count_text
from palimpsest.lazy_regex import later
from palimpsest.record.message import Media, Message, ToolCall, ToolDef, ToolResult
from palimpsest.record.recall_mark import asks_back, is_recalled
from palimpsest.record.window_items import GATE_ID
from palimpsest.settings import Settings
from palimpsest.text.cut import safe_end, safe_start
from palimpsest.toolcalls.call_actions import decode

READING_TOOLS = frozenset(("short_expand", "expand"))
"""Tools that read back a message, by the last part of their names, since servers prefix them. A program may have made
them itself, so that their answers bear no mark. `grep` and `search` are not here: agents have their own."""

HEAD_SHARE, TAIL_SHARE, OUTLINE_SHARE = 0.45, 0.25, 0.2
"""Of the tokens that are shown; the rest is the line that says what is missing."""
MAX_OUTLINE_LINES = 12
MAX_LISTED_ROWS = 3
OUTLINE_LINE_CHARS = 90
SCANNED_CHARS = 200_000
"""Characters of one result that its outline is made from."""
_CHARS_A_TOKEN = 4

_HEADING = later(
    r"^\s{0,8}(?:#{1,4} \S|(?:export |public |private |pub |async |static |abstract |final ){0,4}"
    r"(?:class|def|func|fn|function|interface|struct|enum|impl|trait|module|namespace|type) \w)"
)
_NUMBERED = later(r"^\s{0,8}\d{1,7}(?:\t|→|: ?|\| ?)")
_TROUBLE = later(
    r"\b(?:error|exception|traceback|failed|failure|fatal|panic|denied|warning)\b", re.IGNORECASE
)
_NAMED_LINE = later(r"^([\w./@+-]{1,200}\.\w{1,8})[:(]\d")
_CHANGED_FILE = later(r"^(?:diff --git a/(\S+) b/|\*\*\* (?:Add|Delete|Update) File: (\S+))")
_PATCH_LINE = later(
    r"^(?:[ +@\\-]|$|\*\*\* |(?:index|new|old|deleted|similarity|dissimilarity|rename|copy|Binary|GIT) )"
)
_LISTED_PATH = later(r"^(?:\.{0,2}/)?(?:[\w.@+-]{1,80}/){1,20}[\w.@+-]{1,80}$")
_WORD_BREAKS = later(r"__|[.:/]")


def limit_of(settings: Settings, tools: Iterable[ToolDef]) -> int:
    """The most tokens of a result that are shown in full to a model with these tools, 0 for no limit."""
    if settings.gate_tokens or not settings.gate_readable_tokens:
        return settings.gate_tokens
    return settings.gate_readable_tokens if reading_tool(tools) else 0


def reading_tool(tools: Iterable[ToolDef]) -> str:
    """The name of the tool among these that reads a message back, "" where there is none."""
    return next((tool.name for tool in tools if _reads_back(tool.name)), "")


def _reads_back(name: str) -> bool:
    return _WORD_BREAKS.split(name)[-1] in READING_TOOLS


def gated(
    message: Message,
    calls: Mapping[str, ToolCall],
    settings: Settings,
    limit_tokens: int | None = None,
    tool: str = "",
) -> str:
    """What windows show in place of the message's results, "" where all are shown in full.

    One text for each result, each ended by `RESULT_END`, empty for one that is shown in full. `GATE_ID` stands for the
    message's id. `calls` are the tool calls that the results answer, by id. `limit_tokens` is the answer of `limit_of`,
    by default `gate_tokens`. `tool` is the name of the reading tool on offer, "" for none.
    """
    limit_tokens = settings.gate_tokens if limit_tokens is None else limit_tokens
    if not limit_tokens or not message.results:
        return ""
    texts = [
        _gated(result, calls.get(result.call_id), settings, limit_tokens, tool) for result in message.results
    ]
    return "".join(text + RESULT_END for text in texts) if any(texts) else ""


def _gated(
    result: ToolResult, call: ToolCall | None, settings: Settings, limit_tokens: int, tool: str
) -> str:
    if is_recalled(result.text) or any(isinstance(part, Media) for part in result.content):
        return ""
    if call is not None:
        if asks_back(call.name) or _reads_back(call.name):
            return ""
        action = decode(call)
        if action.files and not action.command and all(operation == "read" for _, operation in action.files):
            limit_tokens = max(limit_tokens, settings.gate_read_tokens)
    tokens = count_text(result.text) if len(result.text) >= limit_tokens else 0
    if tokens <= limit_tokens:
        return ""
    text = result.text.replace(RESULT_END, " ").replace(PART_END, " ").replace(GATE_ID, " ")
    shown_tokens = settings.gate_shown_tokens * (1 if tool else UNREADABLE_FACTOR)
    shown = excerpt(text, tokens, min(shown_tokens, limit_tokens // 2), tool)
    return shown if count_text(shown) < tokens else ""


def excerpt(text: str, tokens: int, shown_tokens: int, tool: str = "") -> str:
    """The beginning and the end of a text of so many tokens, cut at line ends where possible.

    Between them are a line that says what is missing and how to read it with the `tool` on offer, and an outline.
    """
    chars_a_token = len(text) / max(1, tokens)
    head = _beginning(text, int(shown_tokens * HEAD_SHARE * chars_a_token))
    tail = _end(text[len(head) :], int(shown_tokens * TAIL_SHARE * chars_a_token))
    middle = text[len(head) : len(text) - len(tail)]
    left_out = count_text(middle) if len(middle) < SCANNED_CHARS else round(len(middle) / chars_a_token)
    first = head.count("\n") + 1
    last = first + middle.count("\n")
    where = f"lines {first:,} to {last:,} of {text.count(chr(10)) + 1:,}" if last > first else "one long line"
    lines = [
        f"[about {left_out:,} of {tokens:,} tokens are left out here ({where}); {stored_as(GATE_ID, tool)}]"
    ]
    room = int(shown_tokens * OUTLINE_SHARE * _CHARS_A_TOKEN)
    for line in islice(outline(text, first, last), MAX_OUTLINE_LINES):
        room -= len(line) + 1
        if room < 0:
            break
        lines.append(line)
    parts = (head.rstrip("\n"), "\n".join(lines), tail.lstrip("\n"))
    return "\n".join(part for part in parts if part)


def _beginning(text: str, chars: int) -> str:
    """At most so many characters, whole lines where the last line end is near."""
    cut = text[:chars]
    line_end = cut.rfind("\n") + 1
    return cut[:line_end] if line_end > chars // 2 else cut[: safe_end(text, len(cut))]


def _end(text: str, chars: int) -> str:
    cut = text[safe_start(text, max(0, len(text) - chars)) :] if chars else ""
    line_start = cut.find("\n") + 1
    return cut[line_start:] if 0 < line_start < chars // 2 else cut


def outline(text: str, first: int, last: int) -> Iterator[str]:
    """What these lines of a text contain, a line each.

    The keys of a JSON text; else headings and definitions, error lines, and the files that lines name, change or list.
    """
    text = text[:SCANNED_CHARS]
    found = _json_outline(text)
    if found:
        yield found
        return
    files: dict[str, int] = {}
    listed: dict[str, None] = {}
    changed = ""
    for number, line in enumerate(islice(text.split("\n"), last), 1):
        header = _CHANGED_FILE.match(line)
        if header:
            changed = header[1] or header[2]
        elif not _PATCH_LINE.match(line):
            changed = ""
        if number < first:
            continue
        named = _NAMED_LINE.match(line)
        path = changed or (named[1] if named else "")
        if path:
            files[path] = files.get(path, 0) + 1
        elif _LISTED_PATH.match(line):
            listed[line] = None
        elif _HEADING.match(plain := _NUMBERED.sub("", line)) or _TROUBLE.search(line):
            yield f"  line {number:,}: {_short(plain.strip())}"
    for path, count in files.items():
        yield f"  {path}: {count:,} line{'s' if count > 1 else ''}"
    yield from _in_rows(list(listed))


def _in_rows(paths: Sequence[str]) -> Iterator[str]:
    """As many whole paths as fit in a few lines, and how many more there are."""
    rows = [""]
    for place, path in enumerate(paths):
        if rows[-1] and len(rows[-1]) + len(path) > OUTLINE_LINE_CHARS:
            if len(rows) == MAX_LISTED_ROWS:
                rows[-1] += f", {len(paths) - place:,} more"
                break
            rows.append("")
        rows[-1] += f", {path}" if rows[-1] else f"  {path}"
    yield from filter(None, rows)


def _json_outline(text: str) -> str:
    """The top level of a JSON text, "" where it is none."""
    if text.lstrip()[:1] not in ("{", "["):
        return ""
    try:
        value: object = json.loads(text)
    except (ValueError, RecursionError):
        return ""
    if isinstance(value, list):
        entries = cast("list[object]", value)
        keys = cast("dict[str, object]", entries[0]) if entries and isinstance(entries[0], dict) else {}
        return _short(f"  {len(entries):,} entries{' of ' + ', '.join(keys) if keys else ''}")
    return _short(f"  keys: {', '.join(cast('dict[str, object]', value))}")


def _short(text: str) -> str:
    return text if len(text) <= OUTLINE_LINE_CHARS else f"{text[: OUTLINE_LINE_CHARS - 1]}…"
