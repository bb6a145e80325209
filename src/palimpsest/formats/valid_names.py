"""Names and ids that a provider accepts, made from ones that it may refuse.

The replacement depends on the name alone, so a tool's definition and its calls change alike, and later requests
change nothing in earlier ones. It ends in a checksum of the original, so that different names stay different.
"""

from __future__ import annotations

import zlib

from palimpsest.lazy_regex import later

MAX_NAME_CHARS = 64
MAX_ID_CHARS = 64
OPENAI_ID_CHARS = 40

_SAFE = later(r"[a-zA-Z0-9_-]{1,64}")
_UNSAFE = later(r"[^a-zA-Z0-9_-]+")
_GEMINI = later(r"[a-zA-Z_][a-zA-Z0-9_.:-]{0,63}")
_SPEAKER = later(r"[^\s<|\\/>]{1,64}")
_UNSAFE_SPEAKER = later(r"[\s<|\\/>]+")
_SUM_CHARS = 9


def _sum(text: str) -> str:
    return f"_{zlib.crc32(text.encode('utf-8', 'surrogatepass')):08x}"


def shorten(text: str, limit_chars: int) -> str:
    """Return `text`, with its end replaced by a checksum if it is longer than `limit_chars`."""
    return text if len(text) <= limit_chars else text[: limit_chars - _SUM_CHARS] + _sum(text)


def safe_name(name: str) -> str:
    """Return a tool name or call id of letters, digits, `_` and `-`, at most 64, which both providers accept."""
    if _SAFE.fullmatch(name):
        return name
    return _UNSAFE.sub("_", name)[: MAX_NAME_CHARS - _SUM_CHARS] + _sum(name)


def gemini_name(name: str) -> str:
    """Return a function name for Gemini: dots and colons are allowed, but it begins with a letter or `_`."""
    if _GEMINI.fullmatch(name):
        return name
    if _GEMINI.match(name):
        return safe_name(name)
    return "_" + _UNSAFE.sub("_", name)[: MAX_NAME_CHARS - _SUM_CHARS - 1] + _sum(name)


def safe_speaker(name: str) -> str:
    """Return a participant's name without characters that OpenAI refuses, at most 64 long; "" if nothing is left."""
    if _SPEAKER.fullmatch(name):
        return name
    return _UNSAFE_SPEAKER.sub("_", name.strip())[:MAX_NAME_CHARS]


def unused(name: str, used: dict[str, int]) -> str:
    """Return `name`, or `name` with the first free number; `used` remembers it. It stays within 64 characters."""
    if name not in used:
        used[name] = 1
        return name
    for number in range(used[name] + 1, used[name] + len(used) + 2):
        ending = f"_{number}"
        found = name[: MAX_ID_CHARS - len(ending)] + ending
        if found not in used:
            used[name] = number
            used[found] = 1
            return found
    raise AssertionError("there are more numbers than names in use")
