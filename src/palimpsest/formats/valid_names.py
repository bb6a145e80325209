"""Names and ids that a provider accepts, made from ones it may not.

The replacement depends on the name alone, so a tool's definition and the calls to it change alike, and a request
rendered later changes nothing in what was rendered before. It ends in a checksum of the original, so that two names
that differ only in refused characters stay two names.
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
    """`text`, its end replaced by a checksum where it is longer than `limit_chars`."""
    return text if len(text) <= limit_chars else text[: limit_chars - _SUM_CHARS] + _sum(text)


def safe_name(name: str) -> str:
    """A tool name or call id of letters, digits, `_` and `-`, at most 64, that both providers accept."""
    if _SAFE.fullmatch(name):
        return name
    return _UNSAFE.sub("_", name)[: MAX_NAME_CHARS - _SUM_CHARS] + _sum(name)


def gemini_name(name: str) -> str:
    """A function's name as Gemini takes it: dots and colons may stand in it, but a letter or `_` comes first."""
    if _GEMINI.fullmatch(name):
        return name
    if _GEMINI.match(name):
        return safe_name(name)
    return "_" + _UNSAFE.sub("_", name)[: MAX_NAME_CHARS - _SUM_CHARS - 1] + _sum(name)


def safe_speaker(name: str) -> str:
    """A participant's name without the characters OpenAI refuses in it, at most 64 long; "" where nothing is left."""
    if _SPEAKER.fullmatch(name):
        return name
    return _UNSAFE_SPEAKER.sub("_", name.strip())[:MAX_NAME_CHARS]


def unused(name: str, used: dict[str, int]) -> str:
    """`name`, or `name` with the first free number behind it; `used` remembers it. Stays within 64 characters."""
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
