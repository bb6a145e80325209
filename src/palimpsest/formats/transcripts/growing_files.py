"""Growing files of lines: only what is new is read.

- A file continues only if everything read before is still there, byte for byte. One that was rewritten, truncated,
  rotated or replaced is read whole.
- A last line without a line end is read if it is a complete JSON object; otherwise it waits.
- The result equals that of reading the whole file.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, field, replace

from palimpsest.formats.transcripts.reader_base import LineReader, Reading, Skipped, Source, lines, take_lines

_OTHER_TEXT = (b"\xff\xfe", b"\xfe\xff")
"""Marks of files with two-byte characters: a part of one may end inside a character."""


@dataclass(slots=True)
class Growing:
    """One growing file."""

    reader: LineReader
    read_bytes: int = 0
    lines: int = 0
    digest: bytes = field(default_factory=lambda: _digest(b""))

    def goes_on(self, data: bytes) -> bool:
        """Return whether `data` begins with the file as it was read."""
        if self.reader.ended or len(data) < self.read_bytes or data.startswith(_OTHER_TEXT):
            return False
        if self.read_bytes and data[self.read_bytes - 1 : self.read_bytes] != b"\n":
            line_end = data.find(b"\n", self.read_bytes)
            if data[self.read_bytes : line_end if line_end >= 0 else len(data)].strip():
                return False
        return _digest(memoryview(data)[: self.read_bytes]) == self.digest

    def read(self, source: Source) -> Reading:
        """Return the content of the whole file; only the new part is read."""
        data = source.data
        end = max(self.read_bytes, data.rfind(b"\n") + 1)
        before, self.lines = self.lines, self.lines + data.count(b"\n", self.read_bytes, end)
        last = next((one for _, one in lines(data[end:], before=self.lines)), None)
        torn = (last,) if isinstance(last, Skipped) else ()
        if last is not None and not torn:
            end = len(data)
        take_lines(self.reader, data[self.read_bytes : end], before)
        if end > self.read_bytes:
            self.read_bytes, self.digest = end, _digest(memoryview(data)[:end])
        reading = self.reader.reading(source)
        return replace(reading, skipped=(*reading.skipped, *torn)) if torn else reading


def _digest(data: bytes | memoryview) -> bytes:
    return hashlib.blake2b(data, digest_size=32).digest()
