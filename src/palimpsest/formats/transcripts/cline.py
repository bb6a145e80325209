"""Cline's and Roo Code's tasks: `api_conversation_history.json`, the messages as they are sent, in Anthropic's form.

- The task's id is its folder. What the programs show a person (`ui_messages.json`) is another file and not needed.
- A message that is a summary (`isSummary`) stands for the messages before it that it condensed.
"""

from __future__ import annotations

from palimpsest.formats.transcripts.message_tree import Draft
from palimpsest.formats.transcripts.reader_base import (
    Head,
    JsonObject,
    Reading,
    Skipped,
    Skips,
    Source,
    array_items,
    as_object,
    as_text,
    time_s,
)
from palimpsest.formats.transcripts.talk import Talk, anthropic_block, blocks
from palimpsest.record.message import Part, Reasoning, Text

NAME = "cline"
FILE = "api_conversation_history.json"


def _block(block: JsonObject) -> list[Part]:
    """Return a block; Roo writes reasoning in blocks of its own."""
    if block.get("type") == "reasoning":
        return [Reasoning(as_text(block.get("text")))]
    return anthropic_block({key: value for key, value in block.items() if key != "ts"})


def read(source: Source) -> Reading:
    """Return the task in `source`."""
    talk = Talk(Skips())
    for number, item in array_items(source.data):
        if isinstance(item, Skipped):
            talk.skipped.append(item)
            continue
        raw = as_object(item)
        role = as_text(raw.get("role"))
        parts = blocks(raw.get("content"), talk.skipped, number, _block)
        when = time_s(raw.get("ts"))
        facts = Draft("user", [], when, as_text(raw.get("id")), wire="anthropic")
        if raw.get("isSummary") is True:
            text = "\n".join(part.text for part in parts if isinstance(part, Text))
            talk.compacted(text, talk.length, when)
        else:
            talk.spoken(number, role, parts, facts)
    folders = source.path.replace("\\", "/").split("/")
    own = folders[-2] if len(folders) > 1 and folders[-1] == FILE else ""
    found = talk.transcript(NAME, source.path, own)
    return talk.skipped.reading([found] if found else [])


def detect(head: Head) -> bool:
    """Return whether a file is a task: an array of messages, by its name or by the times of its messages."""
    formed = as_text(head.item.get("role")) in {"user", "assistant"} and isinstance(
        head.item.get("content"), str | list
    )
    named = head.path.replace("\\", "/").rsplit("/", 1)[-1] == FILE
    return formed and (named or isinstance(head.item.get("ts"), int | float))
