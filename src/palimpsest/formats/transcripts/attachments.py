"""What Claude Code shows its model besides prompts and results: the attachments of a session, and whole outputs.

- The program shows an attachment inside a user message, as a reminder. It becomes a message of its own in the same
  marks, so that nothing takes it for the user's words.
- All texts of an attachment are taken, in their order and each once, whatever its kind, because new versions bring new
  kinds. What only the program's log needs (`LOGGED`) is not taken. An attachment that only names something
  (`NAMES`), or that the model does not see (`UNSEEN`), gives no message.
- A tool result that was too large for the session is a preview with the path of a file. The file is looked for by its
  name in the session's own folder of results, and nowhere else.
"""

from __future__ import annotations

from palimpsest.formats import media
from palimpsest.formats.transcripts.reader_base import JsonObject, as_text, decode, is_list, is_object
from palimpsest.lazy_regex import later
from palimpsest.record.message import Part, Text

RESULTS = "tool-results"
UNSEEN = frozenset(
    "command_permissions hook_cancelled hook_error_during_execution hook_non_blocking_error hook_permission_decision "
    "hook_stopped_continuation hook_system_message".split()
)
LOGGED = frozenset(
    "type uuid source_uuid toolUseID parentToolUseID timestamp stdout stderr command commandMode hookEvent "
    "reminderType media_type mimeType cell_id cellType output_type language".split()
)
NAMES = frozenset(
    "filename filePath path displayPath planFilePath outputFilePath skillDir hookName name server uri title ideName "
    "model context status taskId taskType id".split()
)
_INLINE = ("base64", "blob", "image_data", "data")
_MARKS = "<persisted-output>"
_PLACE = later(r"tool-results(?:/|\\)(\w[\w.-]{0,199})")
_PLACES = later(rb"tool-results(?:/|\\\\)(\w[\w.-]{0,199})")


def attachment_parts(attachment: JsonObject) -> list[Part]:
    """Return what the model sees of an attachment: one text, then its media. Nothing for one without content."""
    kind = as_text(attachment.get("type"))
    if kind in UNSEEN:
        return []
    lines: dict[str, bool] = {}
    found: list[Part] = []
    waiting: list[tuple[str, object]] = [("", attachment)]
    while waiting:
        key, value = waiting.pop()
        if isinstance(value, str):
            if value.strip() and key not in LOGGED:
                lines[value] = lines.get(value, False) or key not in NAMES
        elif is_list(value):
            waiting += [(key, one) for one in reversed(value)]
        elif is_object(value):
            inline = next((name for name in _INLINE if _is_inline(value, name)), "")
            if inline:
                found.append(media.inline(_media_type(value), as_text(value[inline])))
            waiting += [(name, inner) for name, inner in reversed(value.items()) if name != inline]
    if not found and not any(lines.values()):
        return []
    words = "\n".join((f"Attachment: {kind}", *lines))
    return [Text(f"<system-reminder>\n{words}\n</system-reminder>"), *found]


def _is_inline(value: JsonObject, name: str) -> bool:
    data = as_text(value.get(name))
    return bool(data) and (name != "data" or value.get("type") == "base64") and media.is_base64(data)


def _media_type(value: JsonObject) -> str:
    named = (as_text(value.get(key)) for key in ("media_type", "mimeType", "type"))
    pdf = as_text(value.get("filePath")).lower().endswith(".pdf")
    return next((one for one in named if "/" in one), media.PDF if pdf else "application/octet-stream")


def output_name(text: str) -> str:
    """Return the name of the file that has the whole of a tool result, "" for a result that is whole."""
    if not text.lstrip().startswith(_MARKS):
        return ""
    place = _PLACE.search(text)
    return place.group(1) if place else ""


def output_names(data: bytes) -> set[str]:
    """Return the names of all such files in a session."""
    if _MARKS.encode() not in data:
        return set()
    return {found.group(1).decode("utf-8", "replace") for found in _PLACES.finditer(data)}


def whole_output(name: str, data: bytes) -> object:
    """Return what such a file holds: text, or the content blocks of a `.json` file."""
    if name.endswith(".json"):
        try:
            blocks = decode(data)
        except ValueError:
            blocks = None
        if is_list(blocks):
            return blocks
    return data.decode("utf-8", "replace")
