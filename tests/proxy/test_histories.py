"""Reading a history that grows costs what is new in it, and gives what reading all of it gives."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from palimpsest.proxy.histories import Histories, plain_history, without_marks

BLOCKS = st.dictionaries(
    st.sampled_from(["text", "cache_control", "type"]), st.text(max_size=4) | st.integers(), max_size=3
)
MESSAGES = st.lists(
    st.fixed_dictionaries({"role": st.sampled_from("ua"), "content": st.lists(BLOCKS, max_size=2)}),
    max_size=6,
)
SEPARATORS = st.sampled_from([(",", ":"), (", ", ": "), (" ,\n", " :\t")])


@given(st.lists(st.tuples(st.integers(0, 6), MESSAGES, SEPARATORS), max_size=6), st.integers(0, 300))
def test_any_series_of_histories_is_read_like_each_alone(steps: list[Any], max_bytes: int) -> None:
    known = Histories(max_bytes)
    history: list[Any] = []
    for kept, more, separators in steps:
        history = history[:kept] + more
        read = known.read("one", json.dumps(history, separators=separators).encode())
        plain = plain_history([without_marks(one) for one in history])
        assert (read.messages, read.digests) == (plain.messages, plain.digests)
        assert known.size <= max_bytes


def test_only_what_is_new_is_parsed_and_marks_change_nothing() -> None:
    known = Histories()
    history: list[Any] = [{"role": "user", "content": [{"type": "text", "text": "a"}]}] * 50
    marked = [*history, {"role": "user", "content": [{"type": "text", "text": "b", "cache_control": {}}]}]
    first = known.read("one", json.dumps(marked).encode())
    unmarked = [
        *history,
        {"role": "user", "content": [{"type": "text", "text": "b"}]},
        {"role": "user", "content": []},
    ]
    second = known.read("one", json.dumps(unmarked).encode())
    assert second.digests[:51] == first.digests
    assert all(one is other for one, other in zip(second.messages[:50], first.messages[:50], strict=True))


@pytest.mark.parametrize("raw", [b"{}", b"[", b"[1,]", b"", b"[1] 2"])
def test_what_is_no_list_is_refused(raw: bytes) -> None:
    known = Histories()
    known.read("one", b"[1, 2]")
    with pytest.raises(ValueError, match=r"."):
        known.read("one", raw)
