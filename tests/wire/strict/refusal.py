"""A refusal: the error with which a provider answers a request that breaks a rule."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import cast

Fields = dict[str, object]


@dataclass(frozen=True, slots=True)
class Refusal(Exception):
    """An error of the client's making. `code` is the provider's own, if it has one for this error."""

    message: str
    code: str = ""
    status: int = 400


def objects(value: object) -> list[Fields]:
    """The objects in a list; anything else counts as an empty one."""
    listed = cast("list[object]", value) if isinstance(value, list) else []
    return [cast("Fields", one) if isinstance(one, dict) else {} for one in listed]


def fields(value: object) -> Fields:
    """A JSON object; anything else counts as an empty one."""
    return cast("Fields", value) if isinstance(value, dict) else {}


def digest(*values: object) -> str:
    """A digest of JSON values."""
    text = json.dumps(values, sort_keys=True, ensure_ascii=False, separators=(",", ":"), default=repr)
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:32]


def refuse_unknown(given: Mapping[str, object], known: frozenset[str], place: str = "") -> None:
    """Refuse a field that is not in the table, as the providers do."""
    for name in given:
        if name not in known:
            raise Refusal(f"{place}{'.' if place else ''}{name}: Extra inputs are not permitted")
