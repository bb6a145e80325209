"""Reading wire values of unknown types."""

from __future__ import annotations

import binascii
import json
from collections.abc import Callable, Iterator, Mapping
from typing import cast

from palimpsest.lazy_regex import later

Fields = Mapping[str, object]

NAME = later(r"[a-zA-Z0-9_-]{1,64}")
ADDRESS = later(r"https?://\S+")
IMAGE_TYPES = ("image/png", "image/jpeg", "image/gif", "image/webp")


def as_object(value: object) -> Fields | None:
    """Return `value` if it is a JSON object."""
    return cast("Fields", value) if isinstance(value, dict) else None


def as_list(value: object) -> list[object] | None:
    """Return `value` if it is a JSON array."""
    return cast("list[object]", value) if isinstance(value, list) else None


def is_name(value: object) -> bool:
    """Return whether `value` is a tool name that either provider accepts."""
    return isinstance(value, str) and NAME.fullmatch(value) is not None


def is_base64(value: object) -> bool:
    """Return whether `value` is non-empty base64 text."""
    if not isinstance(value, str) or not value:
        return False
    try:
        binascii.a2b_base64(value, strict_mode=True)
    except ValueError:
        return False
    return True


def is_object_text(value: str) -> bool:
    """Return whether a text is a JSON object."""
    try:
        return isinstance(json.loads(value), dict)
    except (ValueError, RecursionError):
        return False


def transport_breaches(request: Fields, default: Callable[[object], str] | None = None) -> Iterator[str]:
    """Return what no request body may contain: values that are not JSON, and strings that are not UTF-8. `default`
    gives the text of a value that a client's library writes as one.
    """
    try:
        json.dumps(request, allow_nan=False, ensure_ascii=False, default=default).encode()
    except (TypeError, ValueError, RecursionError) as error:
        yield f"the request is no JSON in UTF-8: {error}"
