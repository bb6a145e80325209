"""JSON text as it reads: escapes undone at one level and the next, and where everything stands in what is stored."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from palimpsest.record.json_text import (
    is_json_text,
    loosened,
    stored_place,
    stored_places,
    unescaped,
    written,
)

SIGNS = st.text(st.sampled_from('ab\n\t"\\/ü🚢n u{['), max_size=20) | st.text(max_size=20)
STRINGS = SIGNS.map(lambda text: f"x{text}")
"""None of them begins as JSON does."""


@given(STRINGS, st.booleans(), st.sampled_from((None, 2)))
def test_a_string_in_json_text_reads_as_it_was(said: str, ascii_only: bool, indent: int | None) -> None:
    for value in ({"output": said}, [said, 1], [{"a": {"b": said}}], [[1, said]], said):
        assert said in unescaped(json.dumps(value, ensure_ascii=ascii_only, indent=indent))


@given(STRINGS, st.booleans(), st.sampled_from((None, 1)))
def test_so_does_one_in_json_text_in_a_string_of_json_text(
    said: str, ascii_only: bool, indent: int | None
) -> None:
    for value in ({"output": said}, [said], [{"a": {"b": said}}]):
        inner = json.dumps(value, ensure_ascii=ascii_only, indent=indent)
        assert said in unescaped(json.dumps({"text": f"{inner}\n"}, ensure_ascii=ascii_only))
        assert said in unescaped(json.dumps(inner))


@given(st.recursive(STRINGS | st.integers(), lambda one: st.lists(one) | st.dictionaries(STRINGS, one)))
def test_json_text_without_its_harmless_escapes_is_the_same_value(value: object) -> None:
    for text in (
        json.dumps(value),
        json.dumps(value, ensure_ascii=False),
        json.dumps({"a": json.dumps(value)}),
    ):
        assert json.loads(loosened(text), strict=False) == json.loads(text)


@given(STRINGS, STRINGS, st.booleans())
def test_every_place_of_what_is_read_is_known_in_what_is_stored(one: str, two: str, ascii_only: bool) -> None:
    stored = json.dumps([one, json.dumps({"k": two})], ensure_ascii=ascii_only)
    read = unescaped(stored)
    for place, sign in enumerate(read):
        there = stored[stored_place(stored, place) :]
        assert there[0] in (sign, "\\")
        assert there[0] != "\\" or unescaped(f'[" {there}').startswith((f'[" {sign}', '[" \\'))
    assert stored_place(stored, len(read)) == len(stored)
    each = range(len(read) + 1)
    assert stored_places(stored, each) == [stored_place(stored, place) for place in each]


@given(STRINGS, st.integers(0, 40))
def test_json_text_that_was_cut_off_is_read_as_well(said: str, cut: int) -> None:
    text = json.dumps({"output": f"first\nline {said}"})
    assert unescaped(text[: 19 + cut]).startswith('{"output": "first\n'[: 19 + cut])


@given(st.text(max_size=60))
def test_any_other_text_stays_as_it_is(text: str) -> None:
    for other in (f"see {text}", f"- {text}", f"C:\\new\\table {text}"):
        assert not is_json_text(other)
        assert (unescaped(other), loosened(other), written(other)) == (other, other, [])
        assert stored_place(other, len(text)) == len(text)


@pytest.mark.parametrize(
    "text, read",
    [
        ('{"a": "one\\nimport os"}\n{"b": "\\ttwo"}', '{"a": "one\nimport os"}\n{"b": "\ttwo"}'),
        ('{"path": "C:\\\\new\\\\table"}', '{"path": "C:\\new\\table"}'),
        ('{"code": "print(\\"a\\\\n\\")"}', '{"code": "print("a\\n")"}'),
        ('{"a": "\\ud83d\\udea2 \\ud83d x"}', '{"a": "🚢 \ufffd x"}'),
        ("{a: '\\n'}", "{a: '\\n'}"),
        ("[x](\\new)", "[x](\\new)"),
        ('"quoted" and \\n', '"quoted" and \\n'),
    ],
)
def test_what_is_read(text: str, read: str) -> None:
    assert unescaped(text) == read


def test_what_stands_at_an_escape_is_given_as_it_is_written() -> None:
    stored = json.dumps(
        {"output": "one\nimport os\n\nna\u00efve.py\n  far", "more": json.dumps({"a": "x\ty"})}
    )
    assert written(stored) == ["one\\nimport", "n\\nna", "\\u00efve", "x\\\\ty"]
    assert written('{"a": "b c"}') == []


def test_a_string_of_json_text_of_any_length_is_read_to_its_end() -> None:
    inner = json.dumps(["tide\n"] * 3_000)
    assert unescaped(json.dumps({"a": inner})) == unescaped(json.dumps({"a": "@"})).replace(
        "@", unescaped(inner)
    )
