"""The window: coverage, replacement, the fold, and what a fork inherits."""

from __future__ import annotations

import dataclasses
from itertools import pairwise
from typing import Literal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from palimpsest.errors import IntegrityError, StaleCommit
from palimpsest.record.log import Stored
from palimpsest.record.message import Message, Text
from palimpsest.record.summary import Summary
from palimpsest.record.window import Window, check_coverage, extend, fold, inherit, replace, standing
from palimpsest.record.window_items import Item, MessageItem, OmittedItem, StubItem, SummaryItem, kind_of
from tests.record.windows import Log, logs, stored, summary

FIVE = extend(Window(), [stored(seq) for seq in range(1, 6)])


def _covered(window: Window) -> list[int]:
    return [seq for item in window.items for seq in range(item.first, item.last + 1)]


@given(logs())
def test_the_fold_of_a_log_is_its_window_whenever_the_messages_came(log: Log) -> None:
    assert fold(log.messages, log.compactions, log.made) == log.window
    assert fold(log.messages, log.compactions, log.made) == fold(log.messages, log.compactions, log.made)
    early = extend(Window(), log.messages)
    assert fold(log.messages, (), {}) == early
    check_coverage(log.window, len(log.messages))
    assert _covered(log.window) == list(range(1, len(log.messages) + 1))


@given(logs(), st.integers(1, 5))
def test_messages_that_come_between_compactions_change_nothing_of_the_fold(log: Log, more: int) -> None:
    later = [stored(len(log.messages) + number) for number in range(1, more + 1)]
    assert fold([*log.messages, *later], log.compactions, log.made) == extend(log.window, later)


@given(logs())
def test_every_replacement_makes_the_window_strictly_smaller(log: Log) -> None:
    sizes = [
        fold(log.messages, log.compactions[:count], log.made).tokens
        for count in range(len(log.compactions) + 1)
    ]
    assert all(after < before for before, after in pairwise(sizes))
    assert log.window.last == len(log.messages)


@given(
    st.lists(
        st.tuples(st.sampled_from(("user", "tool", "assistant")), st.integers(20, 400)),
        min_size=1,
        max_size=20,
    ),
    st.data(),
)
def test_what_follows_from_the_items_is_the_same_whether_carried_on_or_made_anew(
    said: list[tuple[Literal["user", "tool", "assistant"], int]], data: st.DataObject
) -> None:
    window = extend(
        Window(),
        (
            Stored(f"m{seq}", seq, Message(role, (Text("said"),)), tokens)
            for seq, (role, tokens) in enumerate(said, 1)
        ),
    )
    for number in range(data.draw(st.integers(0, 5))):
        assert window.facts
        start = data.draw(st.integers(0, len(window.items) - 1))
        gone = window.items[start : data.draw(st.integers(start + 1, min(len(window.items), start + 6)))]
        first, last = gone[0].first, gone[-1].last
        asked = [one for one in gone if isinstance(one, MessageItem) and one.stored.message.role == "user"]
        quoted = asked[-1].stored if asked and data.draw(st.booleans()) else None
        items: tuple[Item, ...] = (
            SummaryItem(summary(number, first, last, tokens=1), quoted),
            OmittedItem(f"o{number}", first, last, "left out", 1),
        )
        item = data.draw(st.sampled_from(items))
        if len(gone) == 1 and isinstance(gone[0], MessageItem):
            stub = StubItem(f"x{number}", gone[0].stored, "a line", 1)
            item = data.draw(st.sampled_from((*items, stub)))
        if sum(one.tokens for one in gone) > 1:
            window = replace(window, [one.id for one in gone], item, 1)
        if data.draw(st.booleans()):
            seq = window.last + 1
            window = extend(window, [Stored(f"m{seq}", seq, Message("tool", (Text("found"),)), 200)])
    anew = Window(window.items, window.thinking_from)
    for name in ("tokens", "verbatim_tokens", "changed", "records", "facts"):
        assert getattr(window, name) == getattr(anew, name)


@given(logs())
def test_the_sums_of_a_changed_window_are_those_of_its_items(log: Log) -> None:
    anew = Window(log.window.items, log.window.thinking_from)
    assert (log.window.tokens, log.window.verbatim_tokens) == (anew.tokens, anew.verbatim_tokens)
    assert log.window == anew


@pytest.mark.parametrize(
    "ids",
    [
        (),
        ("m9",),
        ("m1", "m3"),
        ("m2", "m1"),
        ("m5", "m6"),
        ("m1", "m1"),
        ("m1", "m2", "m3", "m4", "m5", "m6"),
    ],
    ids=["none", "unknown", "apart", "backwards", "past the end", "twice", "too many"],
)
def test_items_that_do_not_stand_adjacent_and_in_order_are_refused(ids: tuple[str, ...]) -> None:
    with pytest.raises(StaleCommit):
        standing(FIVE, ids)
    with pytest.raises(StaleCommit):
        replace(FIVE, ids, SummaryItem(summary(1, 1, 2)), 1)


@given(logs(), st.data())
def test_whatever_was_replaced_cannot_be_replaced_again(log: Log, data: st.DataObject) -> None:
    assert all(standing(log.window, (item.id,)) for item in log.window.items)
    gone = {one for record in log.compactions for one in record.replaced}
    name = data.draw(st.sampled_from(sorted(gone | {"m0"})))
    with pytest.raises(StaleCommit):
        standing(log.window, (name,))


@pytest.mark.parametrize("first, last", [(1, 2), (2, 4), (3, 3), (1, 5), (2, 2)])
def test_a_replacement_that_covers_another_range_is_refused(first: int, last: int) -> None:
    with pytest.raises(IntegrityError, match="another range"):
        replace(FIVE, ("m2", "m3"), SummaryItem(summary(1, first, last)), 1)


@pytest.mark.parametrize("tokens", [200, 201, 10_000])
def test_a_replacement_that_is_not_smaller_is_refused(tokens: int) -> None:
    with pytest.raises(IntegrityError, match="not smaller"):
        replace(FIVE, ("m2", "m3"), SummaryItem(summary(1, 2, 3, tokens=tokens)), 1)
    assert replace(FIVE, ("m2", "m3"), SummaryItem(summary(1, 2, 3, tokens=199)), 1).tokens == 499


def test_thinking_is_never_sent_again_once_it_was_cut_off() -> None:
    window = replace(FIVE, ("m1",), SummaryItem(summary(1, 1, 1)), 4)
    assert window.thinking_from == 4
    assert replace(window, ("m2",), SummaryItem(summary(2, 2, 2)), 2).thinking_from == 4


@pytest.mark.parametrize(
    "items",
    [
        (MessageItem(stored(2)),),
        (MessageItem(stored(1)), MessageItem(stored(3))),
        (MessageItem(stored(1)), MessageItem(stored(1))),
        (MessageItem(stored(1)), OmittedItem("o1", 2, 1, "", 1)),
        (SummaryItem(summary(1, 1, 3)), MessageItem(stored(3))),
    ],
)
def test_a_gap_an_overlap_and_an_empty_range_are_found(items: tuple[Item, ...]) -> None:
    with pytest.raises(IntegrityError):
        check_coverage(Window(items))
    with pytest.raises(IntegrityError, match="the conversation at 6"):
        check_coverage(FIVE, 6)


def _sources(log: Log):
    originals = {one.id: MessageItem(one) for one in log.messages}

    def sources(one: Summary) -> list[Item]:
        return [log.made.get(name) or originals[name] for name in one.sources]

    return sources


@given(logs(), st.data())
def test_a_fork_inherits_exactly_the_items_up_to_it(log: Log, data: st.DataObject) -> None:
    fork_seq = data.draw(st.integers(0, len(log.messages)))
    window = inherit(log.window, fork_seq, _sources(log))
    assert _covered(window) == list(range(1, fork_seq + 1))
    whole = [item for item in log.window.items if item.last <= fork_seq]
    assert list(window.items[: len(whole)]) == whole
    assert window.thinking_from == min(log.window.thinking_from, fork_seq + 1)


def test_the_kinds_of_items_have_the_names_that_the_log_uses() -> None:
    items = (
        MessageItem(stored(1)),
        StubItem("x1", stored(2), "left out", 5),
        SummaryItem(summary(1, 3, 4)),
        OmittedItem("o1", 5, 9, "left out", 5),
    )
    assert [kind_of(item) for item in items] == ["message", "stub", "summary", "omitted"]
    assert [(item.first, item.last) for item in items] == [(1, 1), (2, 2), (3, 4), (5, 9)]
    with pytest.raises(dataclasses.FrozenInstanceError):
        items[0].stored.tokens = 3  # type: ignore[misc]
