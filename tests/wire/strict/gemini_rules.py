"""What Gemini refuses besides the house's rules: thought signatures that are missing or changed.

Each step of the current turn begins with a function call, and the first call of a step must carry the signature with
which it was made. The current turn begins with the newest content of the user's that is not only function responses.
A signature that is sent must be one that the server made, for the part that it was made for.
"""

from __future__ import annotations

import re

from palimpsest.formats.rules import gemini_breaches
from tests.wire.strict.refusal import Fields, Refusal, digest, fields, objects

SIGNED_FROM = re.compile(r"gemini-[3-9]")
SKIPS = ("skip_thought_signature_validator", "context_engineering_is_the_way_to_go")
"""Documented stand-ins for the signature of a call that another model made."""
_MISSING = (
    "Function call is missing a thought_signature in functionCall parts. This is required for tools to work "
    "correctly, and missing thought_signature may lead to degraded model performance. Additional data, function call "
    "`default_api:{name}` , position {position}."
)

Signed = dict[str, str]
"""The digest of each signature's part."""


def part_digest(part: Fields) -> str:
    """A digest of the call in a part; words may be joined with others, so their signature has none."""
    call = fields(part.get("functionCall"))
    return digest(call.get("name"), call.get("args") or {}) if call else ""


def turn_start(contents: list[Fields]) -> int:
    """The index of the content with which the current turn begins."""
    for index in range(len(contents) - 1, -1, -1):
        parts = objects(contents[index].get("parts"))
        if contents[index].get("role") == "user" and any("functionResponse" not in part for part in parts):
            return index
    return 0


def check_gemini(body: Fields, model: str, signed: Signed) -> int:
    """Raise Refusal for the first rule that a request breaks; return the number of signatures in it."""
    found = gemini_breaches(body)
    if found:
        raise Refusal(f"Invalid argument: {found[0]}")
    contents = objects(body.get("contents"))
    start, sent = turn_start(contents), 0
    for index, content in enumerate(contents):
        is_first = True
        for number, part in enumerate(objects(content.get("parts"))):
            signature = part.get("thoughtSignature")
            if signature is not None and signature not in SKIPS:
                sent += 1
                if signed.get(str(signature)) != part_digest(part):
                    raise Refusal("Corrupted thought signature.")
            if "functionCall" not in part:
                continue
            if is_first and index > start and signature is None and SIGNED_FROM.match(model):
                name = fields(part["functionCall"]).get("name")
                raise Refusal(_MISSING.format(name=name, position=index + number + 1))
            is_first = False
    return sent
