"""Text without invisible characters, which can hide instructions from people but not from a model.

- Zero-width characters, direction marks, tag characters, control characters and terminal codes are removed.
- Joiners stay inside an emoji, and between letters of scripts that need them.
- Line ends become "\\n". A text without invisible characters is returned as the same object.
"""

from __future__ import annotations

import re
import unicodedata

from palimpsest.lazy_regex import later
from palimpsest.record.json_text import unescaped

_TERMINAL = later(
    r"\x1b(?:\[[0-9;:?<=>]{0,40}[ -/]{0,4}[@-~]|\][^\x07\x1b\n]{0,400}(?:\x07|\x1b\\)|"
    r"[PX^_][^\x1b\n]{0,400}\x1b\\|[ -/]{0,4}[0-~])"
)
_LINE_END = later("\r\n?|[\u0085\u2028\u2029]")
_HIDDEN = later(
    "[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x84\x86-\x9f\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f"
    "\u200b\u200e\u200f\u202a-\u202e\u2060-\u206f\u3164\ufe00-\ufe0d\ufeff\uffa0\ufff0-\ufffb"
    "\U0001bca0-\U0001bca3\U0001d173-\U0001d17a\U000e0000-\U000e0fff]"
)
_JOINER = later("[\u200c\u200d]")
_PLAIN = later(r"[\t\n -~]*")


def visible(text: str) -> str:
    """`text` without invisible and control characters, and without codes that colour a terminal."""
    if _PLAIN.fullmatch(text):
        return text
    if "\x1b" in text:
        text = _TERMINAL.sub("", text)
    text = _LINE_END.sub("\n", text)
    text = _HIDDEN.sub("", text)
    return _JOINER.sub(_joiner, text) if "\u200c" in text or "\u200d" in text else text


def readable(text: str) -> str:
    """A tool's result as readable text: JSON with its escapes undone, and without what they hid."""
    read = unescaped(text)
    return text if read == text else visible(read)


def _joiner(found: re.Match[str]) -> str:
    start, end = found.span()
    before, after = found.string[max(0, start - 1) : start], found.string[end : end + 1]
    return found[0] if _joins(before) and _joins(after) else ""


def _joins(sign: str) -> bool:
    """Whether joiners have a meaning next to this character: emoji, and letters of scripts that join or stack."""
    if not sign or sign.isascii():
        return False
    if unicodedata.category(sign) in ("So", "Sk", "Mn", "Mc") or sign == "\ufe0f":
        return True
    return "\u0590" <= sign <= "\u109f" or "\u1780" <= sign <= "\u18af" or "\ua800" <= sign <= "\uabff"
