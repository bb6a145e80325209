"""What a pin repeats of a message, whatever separates the parts of words and numbers."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from palimpsest.stores.deletion_rules import said_nowhere, shared_units


@pytest.mark.parametrize(
    "pinned, said, unit",
    [
        ("wifi: tuinhekje", "The wifi password is Tuinhekje.", "tuinhekje"),
        ("phone 0301234567", "call me at 030-1234567", "0301234567"),
        ("phone 030 / 12 34 567", "call me at 0301234567 12 times", "0301234567"),
        ("phone 030 12 345 67", "call me at (030) 1234-567", "0301234567"),
        ("BOB@EX.ORG is the address", "mail bob@ex.org", "bobexorg"),
        ("correct horse battery", "it is correcthorsebattery", "correcthorsebattery"),
        ("correcthorsebattery", "it is Correct Horse Battery", "correcthorsebattery"),
        ("born 2001-05-06", "my birthday: 2001/05/06", "20010506"),
        ("Café Müller", "I live above the CAFE MULLER", "muller"),
        ("地址：朝阳区建国路", "我住在朝阳区建国路，请记住", "建国"),
    ],
)
def test_what_is_said_again_in_another_form_is_found(pinned: str, said: str, unit: str) -> None:
    assert unit in shared_units(pinned, [said])


@pytest.mark.parametrize(
    "pinned, said",
    [
        ("use tabs", "the password is tuinhekje"),
        ("cat", "concatenate"),
        ("phone 1234567", "0301234567"),
        ("a 7 b", "a 7 b"),
        ("", "something"),
        ("用中文回答", "我住在朝阳区"),
    ],
)
def test_what_is_something_else_or_a_single_character_is_not(pinned: str, said: str) -> None:
    assert shared_units(pinned, [said]) == set()


def test_what_another_text_says_in_any_form_is_not_only_theirs() -> None:
    units = {"0301234567", "tuinhekje", "bobexorg", "leukaemia"}
    assert said_nowhere(units, ["Dial 030 1234567.", "BOB (at) ex.org, bob@ex.org"]) == {
        "tuinhekje",
        "leukaemia",
    }
    assert said_nowhere(units, []) == units


@given(
    st.lists(st.text("abz019é建 -.@", min_size=1, max_size=30), max_size=6),
    st.text("abz019é建 -.@", max_size=40),
)
def test_what_is_shared_is_unsaid_nowhere_it_was_said(said: list[str], pinned: str) -> None:
    units = shared_units(pinned, said)
    assert said_nowhere(units, said) == set()
    assert said_nowhere(units, [pinned]) == set()
    words = {one for one in pinned.split() if one.isascii() and one.isalnum() and len(one) > 1}
    assert shared_units(pinned, [*said, pinned]) >= words
