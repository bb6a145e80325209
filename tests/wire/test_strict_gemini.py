"""The strict emulation of Gemini: thought signatures beside the shape that the house's rules check."""

from __future__ import annotations

from typing import Any

import pytest

from tests.wire.strict.gemini_rules import SKIPS, Signed, check_gemini, part_digest, turn_start
from tests.wire.strict.refusal import Fields, Refusal

MODEL, OLD = "gemini-3.8-flash", "gemini-2.5-flash"


def said(text: str) -> Fields:
    """Words of the user's."""
    return {"role": "user", "parts": [{"text": text}]}


def called(*parts: Fields) -> Fields:
    """Calls of the model's."""
    return {"role": "model", "parts": list(parts)}


def call(number: int, signature: str = "") -> Fields:
    """A call, signed or not."""
    part: Fields = {"functionCall": {"name": "read_part", "args": {"number": number}}}
    return part | ({"thoughtSignature": signature} if signature else {})


def answered(*numbers: int) -> Fields:
    """The responses to calls."""
    return {
        "role": "user",
        "parts": [
            {"functionResponse": {"name": "read_part", "response": {"result": f"part {number}"}}}
            for number in numbers
        ],
    }


SIGNED: Signed = {f"c2ln{number}AAA": part_digest(call(number)) for number in range(1, 5)}
ONE, TWO, THREE = "c2ln1AAA", "c2ln2AAA", "c2ln3AAA"
STEPS = [said("Read."), called(call(1, ONE)), answered(1), called(call(2, TWO), call(3)), answered(2, 3)]
DONE = called({"text": "Done."})
CASES: dict[str, tuple[list[Fields], str, str]] = {
    "as they were": (STEPS, MODEL, ""),
    "missing in the first step": ([STEPS[0], called(call(1)), *STEPS[2:]], MODEL, "missing a thought_signature"),
    "missing in the second step": (
        [*STEPS[:3], called(call(2), call(3)), STEPS[4]], MODEL, "missing a thought_signature",
    ),
    "only on the second of two calls": (
        [*STEPS[:3], called(call(2), call(3, THREE)), STEPS[4]], MODEL, "missing a thought_signature",
    ),
    "missing in an earlier turn": (
        [STEPS[0], called(call(1)), answered(1), DONE, said("More."), called(call(2, TWO)), answered(2)],
        MODEL, "",
    ),
    "missing with an older model": ([STEPS[0], called(call(1)), answered(1)], OLD, ""),
    "of another call": ([STEPS[0], called(call(1, TWO)), answered(1)], MODEL, "Corrupted thought signature"),
    "of nobody": ([STEPS[0], called(call(1, "b3RoZXI=")), answered(1)], MODEL, "Corrupted thought signature"),
    "the documented stand-in": ([STEPS[0], called(call(1, SKIPS[0])), answered(1)], MODEL, ""),
    "one response for two calls": ([*STEPS[:4], answered(2)], MODEL, "1 function responses for 2"),
    "responses in another order": (
        [STEPS[0], called(call(1, ONE), {"functionCall": {"name": "other"}}),
         {"role": "user", "parts": [{"functionResponse": {"name": "other", "response": {}}}, *answered(1)["parts"]]}],  # type: ignore[misc]
        MODEL, "answers 'other' where 'read_part' was called",
    ),
    "no alternation": ([said("Read."), said("Now.")], MODEL, "like the one before it"),
}  # fmt: skip


@pytest.mark.parametrize("case", CASES)
def test_signatures_of_the_current_turn_are_demanded_and_all_are_verified(case: str) -> None:
    contents, model, words = CASES[case]
    found = ""
    try:
        check_gemini({"contents": contents}, model, SIGNED)
    except Refusal as refusal:
        found = refusal.message
    assert (words in found) if words else (found == "")


def test_the_current_turn_begins_with_the_users_newest_words() -> None:
    contents: list[Any] = [*STEPS, called({"text": "Done."}), said("And now?"), called(call(4)), answered(4)]
    assert (turn_start(STEPS), turn_start(contents)) == (0, 6)
