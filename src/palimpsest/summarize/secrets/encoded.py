"""Texts in another writing: base64 and hexadecimal digits, which are searched as what they read.

Rules kept here:

- A run is taken for a text only if all it reads is what people write; of any other only the first bytes are read.
- A secret in such a run makes all of it one: whoever has the run has the secret. What it reads is known, too.
- Base64 may be broken into lines, and be written as in addresses.
"""

from __future__ import annotations

from base64 import b64decode
from binascii import Error
from collections.abc import Iterator

from palimpsest.patterns import later

Span = tuple[int, int]

LEAST_CHARS, MOST_CHARS, MAX_LINES = 16, 100_000, 500
FIRST_CHARS = 16
"""What a run must read for the rest of it to be looked at: twelve bytes."""

_RUN = later(r"(?<![A-Za-z0-9+/_%-])[A-Za-z0-9+/_-]{16,100000}+={0,2}(?![A-Za-z0-9+/_=-])")
_LINE = later(r"\r?\n([A-Za-z0-9+/]{2,200}+={0,2})(?![^\s\"'`])")
_HEX = later(r"(?:[0-9a-fA-F]{2})+")
_BREAK = later(r"\s+")
_WRITTEN = bytes([9, 10, 13, *range(32, 127)])
_MAY_BE_WRITTEN = _WRITTEN + bytes(range(128, 256))


def encoded_in(text: str) -> Iterator[tuple[Span, str]]:
    """Where runs stand that read as a text, and what they read."""
    at = joined = 0
    while (found := _RUN.search(text, at)) is not None:
        at = found.end()
        if not _may_read(found[0][:FIRST_CHARS]):
            continue
        run, end = found[0], at
        if at > joined:
            run, end = _with_lines(text, run, at)
            joined = end
        read = _reads(run)
        if not read and end > at:
            read, end = _reads(found[0]), at
        at = end
        if read:
            yield (found.start(), end), read


def _with_lines(text: str, run: str, end: int) -> tuple[str, int]:
    """A run with the lines that it may go on in, and where these end."""
    pieces = [run]
    while len(pieces) < MAX_LINES and not pieces[-1].endswith("=") and (line := _LINE.match(text, end)):
        pieces.append(line[1])
        end = line.end()
    return "".join(pieces), end


def read_as(run: str) -> str:
    """What a run of base64 or hexadecimal digits reads; "" where that is no text."""
    return _reads(_BREAK.sub("", run)) if len(run) <= MOST_CHARS else ""


def _may_read(run: str) -> bool:
    """Whether the beginning of a run may be one of a text."""
    bare = run[: len(run) // 4 * 4].replace("-", "+").replace("_", "/")
    return bool(_HEX.fullmatch(run)) or not b64decode(bare).translate(None, _MAY_BE_WRITTEN)


def _reads(run: str) -> str:
    if len(run) % 2 == 0 and _HEX.fullmatch(run):
        return _as_text(bytes.fromhex(run))
    bare = run.rstrip("=").replace("-", "+").replace("_", "/")
    try:
        return _as_text(b64decode(bare + "=" * (-len(bare) % 4), validate=True))
    except (Error, ValueError):
        return ""


def _as_text(data: bytes) -> str:
    """The text of some bytes; "" where they hold signs that nobody writes."""
    rest = data.translate(None, _WRITTEN)
    if not rest:
        return data.decode("ascii")
    try:
        text = data.decode("utf-8") if min(rest) >= 128 else ""
    except UnicodeDecodeError:
        return ""
    return text if _BREAK.sub("", text).isprintable() else ""
