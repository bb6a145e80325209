"""Media between the providers' forms: data URIs on one side, base64 sources on the other.

Media that a provider cannot show becomes one line of text.
"""

from __future__ import annotations

from palimpsest.lazy_regex import later
from palimpsest.record.message import Media

IMAGE_TYPES = frozenset(("image/png", "image/jpeg", "image/gif", "image/webp"))
PDF = "application/pdf"
_SHOWN_URI_CHARS = 300
_ENDS_CHARS = 64
_ADDRESS = later(r"https?://\S+")
_FILE_ID = later(r"[\w.-]+")
_BASE64 = later(r"[A-Za-z0-9+/]+={0,2}")


def data_size_bytes(data: str) -> int:
    """Return the decoded size of base64 text."""
    return max(0, len(data) * 3 // 4 - data[-2:].count("="))


def inline(media_type: str, data: str, extra: str = "") -> Media:
    """Return media whose content is base64 text."""
    return Media(media_type, data=data, size_bytes=data_size_bytes(data), extra=extra)


def from_uri(uri: str, kind: str, extra: str = "") -> Media:
    """Return media from a base64 data URI, or from an address, whose media type is then the coarse `kind`."""
    if uri.startswith("data:"):
        head, found, data = uri.partition(";base64,")
        if found and data and len(head) > len("data:"):
            return inline(head.removeprefix("data:"), data, extra)
    return Media(kind, uri=uri, extra=extra)


def uri_of(media: Media) -> str:
    """Return the media's address, or its content as a data URI."""
    return f"data:{media.media_type};base64,{media.data}" if media.data else media.uri


def is_address(uri: str) -> bool:
    """Return whether a provider can fetch this itself."""
    return _ADDRESS.fullmatch(uri) is not None


def is_file_id(uri: str) -> bool:
    """Return whether this can be the id of a file that the provider stores."""
    return _FILE_ID.fullmatch(uri) is not None


def is_base64(data: str) -> bool:
    """Return whether `data` looks like complete base64 text. Only its ends are read, because it may be many
    megabytes.
    """
    ends = data[:_ENDS_CHARS], data[-_ENDS_CHARS:]
    return (
        len(data) % 4 == 0
        and _BASE64.fullmatch(ends[0]) is not None
        and _BASE64.fullmatch(ends[1]) is not None
    )


def kind_of(media: Media) -> str:
    """Return the coarse kind: "image", "audio", "video", "application", ..."""
    return media.media_type.partition("/")[0]


def media_note(media: Media) -> str:
    """Return one line that replaces media: type, size, and the address if there is one."""
    facts = [media.media_type or "media"]
    if media.size_bytes:
        facts.append(f"{media.size_bytes} bytes")
    if media.uri and not media.uri.startswith("data:"):
        facts.append(media.uri[:_SHOWN_URI_CHARS])
    return f"[{', '.join(facts)}: not shown]"
