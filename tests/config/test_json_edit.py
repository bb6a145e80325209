"""A member is added to JSON text and taken out again, and everything else stays byte for byte."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from palimpsest.config import json_edit

PATH = ("mcpServers", "palimpsest")
ENTRY = {"type": "stdio", "command": "/opt/bin/palimpsest", "args": ["mcp"], "env": {}}

numbers = st.integers() | st.floats(allow_nan=False, allow_infinity=False)
scalars = st.none() | st.booleans() | numbers | st.text(max_size=8)
values = st.recursive(
    scalars,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=6), inner, max_size=3),
    max_leaves=8,
)
keys = st.text(max_size=6) | st.sampled_from(["mcpServers", "palimpsest"])
servers = st.dictionaries(st.text(max_size=6).filter(lambda key: key != "palimpsest"), values, max_size=3)
documents = st.builds(
    lambda rest, own, at: dict([*list(rest.items())[:at], ("mcpServers", own), *list(rest.items())[at:]]),
    st.dictionaries(keys.filter(lambda key: key != "mcpServers"), values, max_size=4),
    servers,
    st.integers(0, 4),
) | st.dictionaries(keys.filter(lambda key: key != "mcpServers"), values, max_size=4)


@st.composite
def texts(draw: st.DrawFn) -> str:
    """A document in one of the styles that people and programs write."""
    indent = draw(st.sampled_from([None, 0, 1, 2, 4, "\t"]))
    separators = draw(st.sampled_from([None, (",", ":"), (", ", ": ")])) if indent is None else None
    text = json.dumps(draw(documents), ensure_ascii=draw(st.booleans()), indent=indent, separators=separators)
    text = text.replace("\n", draw(st.sampled_from(["\n", "\r\n"])))
    return draw(st.sampled_from(["", "\n", "  "])) + text + draw(st.sampled_from(["", "\n", "\r\n"]))


@given(texts())
def test_what_is_added_is_there_and_the_rest_is_as_it_was(text: str) -> None:
    before = json.loads(text)
    after = json.loads(json_edit.insert(text, PATH, ENTRY))
    assert after["mcpServers"].pop("palimpsest") == ENTRY
    assert list(after["mcpServers"].items()) == list(before.get("mcpServers", {}).items())
    assert [key for key in after if key != "mcpServers"] == [key for key in before if key != "mcpServers"]
    assert after | {"mcpServers": None} == before | {"mcpServers": None}


@given(texts())
def test_what_is_added_beside_others_is_taken_out_without_a_trace(text: str) -> None:
    has_others = bool(json.loads(text).get("mcpServers"))
    gone = json_edit.remove(json_edit.insert(text, PATH, ENTRY), PATH)
    assert gone == text if has_others else json.loads(gone)["mcpServers"] == {}


@given(texts())
def test_to_add_is_to_replace_what_is_there(text: str) -> None:
    other = {**ENTRY, "args": ["mcp", "--owner", "李"]}
    twice = json_edit.insert(json_edit.insert(text, PATH, other), PATH, ENTRY)
    assert twice == json_edit.insert(text, PATH, ENTRY)


def test_the_style_of_the_neighbours_is_kept() -> None:
    pretty = ["{", '\t"a": 1,', '\t"mcpServers": {', '\t\t"x": {}', "\t}", "}", ""]
    ours = ['\t\t"x": {},', '\t\t"palimpsest": {', '\t\t\t"command": "c"', "\t\t}"]
    added = json_edit.insert("\r\n".join(pretty), PATH, {"command": "c"})
    assert added == "\r\n".join([*pretty[:3], *ours, *pretty[4:]])
    assert json_edit.insert('{"a":1}', PATH, {"c": 2}) == '{"a":1,"mcpServers":{"palimpsest":{"c":2}}}'
    assert json_edit.insert("{}\n", ("a",), 1) == '{\n  "a": 1\n}\n'


def test_of_a_key_that_stands_twice_the_last_counts() -> None:
    text = '{"mcpServers": {"palimpsest": 1}, "mcpServers": {"b": 2}}'
    assert json_edit.value_at(text, PATH) is None
    assert json_edit.insert(text, PATH, 3) == (
        '{"mcpServers": {"palimpsest": 1}, "mcpServers": {"b": 2, "palimpsest": 3}}'
    )


@pytest.mark.parametrize("text", ["", "[]", "1", "{", '{"a": 1,}', "// x\n{}", '{"a": 1} x', "[" * 100_000])
def test_what_is_no_object_is_refused_with_a_reason(text: str) -> None:
    with pytest.raises(ValueError, match=r"\w"):
        json_edit.check(text)


@pytest.mark.parametrize("held", ["null", "[]", '"text"', "7"])
def test_servers_that_are_no_object_are_refused(held: str) -> None:
    with pytest.raises(ValueError, match="mcpServers is not an object"):
        json_edit.insert(f'{{"mcpServers": {held}}}', PATH, ENTRY)
