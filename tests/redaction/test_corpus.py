"""Invented secrets in the places where machines write them are found, and what looks like them stays."""

from __future__ import annotations

import pytest

from bench.secret_specimens import KNOWN, LOOKALIKES, told
from bench.secret_unseen import UNSEEN, UNSEEN_LOOKALIKES
from palimpsest.redaction.redactor import placeholder, redact

SPECIMENS = {**KNOWN, **UNSEEN}
LEAST_EXACT = 0.98
BESIDE = {"csv of aws"}
"""The id of this key is hidden as well, since its vendor's prefix says what it is."""


def test_no_specimen_is_left() -> None:
    shown = {name: redact(text) for name, (text, _) in ((name, told(one)) for name, one in SPECIMENS.items())}
    assert len(shown) > 190
    assert [name for name, one in SPECIMENS.items() if told(one)[1] in shown[name]] == []


def test_nothing_but_the_secret_is_replaced() -> None:
    def is_exact(name: str) -> bool:
        text, secret = told(SPECIMENS[name])
        return redact(text) == text.replace(secret, placeholder(secret))

    loose = {name for name in SPECIMENS if not is_exact(name)}
    assert loose <= BESIDE
    assert 1 - len(loose) / len(SPECIMENS) >= LEAST_EXACT


@pytest.mark.parametrize("line", [*LOOKALIKES, *UNSEEN_LOOKALIKES])
def test_what_only_looks_like_a_secret_stays(line: str) -> None:
    assert redact(line) == line


@pytest.mark.parametrize(
    "text",
    [
        "the password is Tr0ub4dor&3 and the PIN is 7731",
        "Das Passwort lautet Seestern99",
        "密码是 qX72nfw9",
        "the one-time code is 482913, the card 4111 1111 1111 1111",
    ],
)
def test_what_a_sentence_tells_is_not_searched_for(text: str) -> None:
    assert redact(text) == text
