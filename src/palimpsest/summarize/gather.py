"""Reading a source into evidence, a block at a time.

Rules kept here:

- Reading pauses after every block, so that a driver can let others run: the work between two pauses is bounded by
  `BLOCK_CHARS`, whatever the messages hold.
- At most so much of one message is looked at, from both ends; in a source of very many messages less of each.
- Pasted text is not the user speaking: rules are looked for at the beginning and the end of a long message only, and
  not in fenced code.
- A child summary in our own form is read entry by entry; one written by a model, as prose.
"""

from __future__ import annotations

import re
from collections.abc import Generator
from posixpath import normpath

from palimpsest.record.message import Message, Text, ToolCall, ToolResult
from palimpsest.record.summary import Summary
from palimpsest.summarize.cut import clean, clip
from palimpsest.summarize.evidence import (
    NO_RULES,
    PASTED_RULE_WEIGHT,
    RULE_WEIGHT,
    USER_PRIOR,
    CommandUse,
    Evidence,
    note,
    note_command,
    note_file,
    note_name,
    note_names,
    note_outcome,
    note_request,
    note_said,
    template,
)
from palimpsest.summarize.sections import Section, parse, parse_command, parse_files, parse_names
from palimpsest.summarize.sentences import blocks, ends, without_fences, without_scaffold
from palimpsest.summarize.source import Source, SummaryEntry
from palimpsest.summarize.toolcalls import COMMAND_CHARS, Action, decode, outcome, result_ends

LOOK_CHARS = 12_000
"""Characters of one part of a message that are looked at."""
LOOK_ALL_CHARS = 600_000
"""Characters of a source that are looked at."""
LOOK_LEAST_CHARS = 400
SPOKEN_CHARS = 2_400
"""A longer user message is taken to hold pasted text; rules are sought in this much of it, from both ends."""
COMMAND_LINE_CHARS = 200
PASTED_PRIOR = 0.8
RESULT_PRIOR = 0.25

_OPEN_TASK = re.compile(r"^\s{0,12}(?:[-*] )?(?:\[ \] |TODO\b:? ?|FIXME\b:? ?)(.{3,200})$", re.MULTILINE)
_HEREDOC = re.compile(r"<<-?\s{0,2}['\"]?\w{1,40}['\"]?")
_CHANGING_FOLDER = re.compile(r"cd [^\s;&|]{1,200} ?(?:&&|;) ?")


def gather(source: Source) -> Generator[None, None, Evidence]:
    """Read all entries, oldest first; yields None after every block."""
    evidence = Evidence()
    look = max(LOOK_LEAST_CHARS, min(LOOK_CHARS, LOOK_ALL_CHARS // max(1, len(source.entries))))
    waiting: dict[str, tuple[Action, CommandUse | None]] = {}
    for entry in source.entries:
        evidence.message += 1
        if isinstance(entry, SummaryEntry):
            yield from _read_summary(evidence, entry.summary)
        else:
            yield from _read_message(evidence, entry.message, look, waiting)
    return evidence


def _read_message(
    evidence: Evidence, message: Message, look: int, waiting: dict[str, tuple[Action, CommandUse | None]]
) -> Generator[None, None, None]:
    for part in message.parts:
        match part:
            case Text() if message.role == "user":
                yield from _read_user(evidence, clean(part.text[: look * 8]), look, message.name or "user")
            case Text():
                yield from _read_prose(evidence, clean(ends(part.text, look)), message.name or message.role)
            case ToolCall():
                yield from _read_call(evidence, part, waiting)
            case ToolResult():
                yield from _read_result(evidence, part, waiting)
            case _:
                pass
    yield


def _read_user(evidence: Evidence, text: str, look: int, speaker: str) -> Generator[None, None, None]:
    text = without_scaffold(text)
    note_request(evidence, clip(text, LOOK_CHARS))
    for block in blocks(ends(text, look)):
        note_names(evidence, block, where="user")
        yield
    spoken = without_fences(text)
    if len(spoken) <= SPOKEN_CHARS:
        for block in blocks(spoken):
            note_said(evidence, block, speaker, prior=USER_PRIOR, least_rule=RULE_WEIGHT)
            yield
    else:
        for block in blocks(ends(spoken, SPOKEN_CHARS)):
            note_said(evidence, block, speaker, prior=PASTED_PRIOR, least_rule=PASTED_RULE_WEIGHT)
            yield
    evidence.position += len(text)


def _read_prose(evidence: Evidence, text: str, speaker: str) -> Generator[None, None, None]:
    for block in blocks(text):
        note_names(evidence, block, where="assistant")
        yield
    for block in blocks(without_fences(text)):
        note_said(evidence, block, speaker, prior=1.0, least_rule=NO_RULES)
        evidence.position += len(block)
        yield
    listed = tuple(f"[ ] {' '.join(match[1].split())}" for match in _OPEN_TASK.finditer(text))
    if listed:
        evidence.tasks = listed[:30]


def _read_call(
    evidence: Evidence, call: ToolCall, waiting: dict[str, tuple[Action, CommandUse | None]]
) -> Generator[None, None, None]:
    action = decode(call)
    yield
    for path, deed in action.files:
        note_file(evidence, _joined(action.folder, path), deed, argument=True)
    for key, value in action.values:
        note_name(evidence, key, value, where="argument")
    if action.tasks is not None:
        evidence.tasks = action.tasks
    use = note_command(evidence, command_line(action.command)) if action.command else None
    waiting[call.id] = (action, use)
    if not action.values:
        for block in blocks(action.text[:COMMAND_CHARS] if action.command else action.text):
            note_names(evidence, block, where="argument")
            yield
    evidence.position += min(len(call.arguments), LOOK_CHARS)


def _joined(folder: str, path: str) -> str:
    if not folder.startswith("/") or path.startswith(("/", "~")) or path[1:2] == ":":
        return path
    return normpath(f"{folder}/{path}")


def command_line(command: str) -> str:
    """A command on one line of at most 200 characters: no `cd` in front, no here-document behind."""
    text = _CHANGING_FOLDER.sub("", command[: COMMAND_LINE_CHARS * 8], count=1)
    heredoc = _HEREDOC.search(text)
    if heredoc:
        text = text[: heredoc.end()] + " …"
    return clip(" ".join(text.replace("`", "'").split()), COMMAND_LINE_CHARS)


def _read_result(
    evidence: Evidence, result: ToolResult, waiting: dict[str, tuple[Action, CommandUse | None]]
) -> Generator[None, None, None]:
    action, use = waiting.get(result.call_id, (Action(), None))
    went = outcome(result)
    if use or went.failed or not action.files:
        note_outcome(evidence, use, went)
    yield
    text = result_ends(result)
    for at, block in enumerate(blocks(text)):
        note_names(evidence, block, where="result")
        if at == 0 and not action.files:
            note_said(evidence, block[:600], "tool", prior=RESULT_PRIOR, least_rule=NO_RULES)
        yield
    evidence.position += len(text)


def _read_summary(evidence: Evidence, summary: Summary) -> Generator[None, None, None]:
    text = clean(summary.text[: LOOK_CHARS * 4])
    sections = parse(text)
    if not sections:
        yield from _read_prose(evidence, text, "")
        return
    evidence.position += len(text)
    for section, lines in sections.items():
        for start in range(0, len(lines), 16):
            _read_section(evidence, section, lines[start : start + 16])
            yield
    for path, deed in parse_files(sections.get("Files", ())):
        note_file(evidence, path, deed, argument=True)
    if "Open tasks" in sections:
        evidence.tasks = tuple(sections["Open tasks"])
    yield


def _read_section(evidence: Evidence, section: Section, lines: list[str]) -> None:
    position = evidence.position
    for line in lines:
        match section:
            case "Goal" | "Newest request":
                note_request(evidence, line)
                note_names(evidence, line, where="user")
            case "Constraints":
                note(evidence.rules, line, 1.0, position)
            case "Decisions":
                note(evidence.decisions, line, 1.0, position)
            case "Errors":
                note(evidence.errors, line, 1.0, position, key=template(line))
            case "Commands":
                text, label, failed = parse_command(line)
                use = note_command(evidence, text)
                use.outcome, use.failed = label, failed
            case "Identifiers":
                for group, name in parse_names(line):
                    note_name(evidence, group, name, where="argument")
            case "Notes":
                speaker, _, rest = line.partition(": ")
                known = rest and len(speaker) <= 24 and " " not in speaker
                note_said(
                    evidence,
                    rest if known else line,
                    speaker if known else "",
                    prior=1.0,
                    least_rule=NO_RULES,
                )
            case _:
                pass
