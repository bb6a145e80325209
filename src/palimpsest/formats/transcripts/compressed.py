"""Files compressed with zstd, which Codex makes of old sessions.

Python reads them from version 3.14 on; before that, the package `zstandard` does. Nothing is decompressed beyond a
limit, however small the file is.
"""

from __future__ import annotations

import importlib
import io
from collections.abc import Sequence
from typing import BinaryIO, Protocol, cast

from palimpsest.errors import FormatError

COMPRESSED = ".jsonl.zst"
_MAGIC = b"\x28\xb5\x2f\xfd"
_PIECE_BYTES = 1 << 20
READERS = ("compression.zstd", "zstandard")
"""The modules that can decompress, in the order in which they are tried."""


class _Open(Protocol):
    def __call__(self, file: io.BytesIO) -> BinaryIO: ...


def is_compressed(data: bytes) -> bool:
    """Return whether this is a zstd frame."""
    return data.startswith(_MAGIC)


def decompressed(data: bytes, limit_bytes: int, readers: Sequence[str] = READERS) -> bytes | None:
    """Return the content, None for more than the limit. Raises FormatError for a broken file, or without a way to read
    it.
    """
    opened = _opener(readers)
    found = bytearray()
    try:
        with opened(io.BytesIO(data)) as file:
            while len(found) <= limit_bytes and (piece := file.read(_PIECE_BYTES)):
                found += piece
    except Exception as error:  # noqa: BLE001  (each library raises its own)
        raise FormatError(f"broken zstd data: {error}", hint="get the whole file, then try again") from None
    return bytes(found) if len(found) <= limit_bytes else None


def _opener(readers: Sequence[str]) -> _Open:
    for name in readers:
        try:
            module = importlib.import_module(name)
        except ImportError:
            continue
        return cast("_Open", getattr(module, "open"))  # noqa: B009  (the module is one of two)
    raise FormatError(
        "compressed with zstd, which this Python cannot read",
        hint="pip install zstandard, or decompress it: zstd -d FILE",
    )
