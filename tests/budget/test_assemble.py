"""From items to messages: order, fences, ids, and nothing that changes by itself."""

from __future__ import annotations

import re
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from palimpsest.budget.assemble import (
    FENCE_TOKENS,
    PREFACE,
    ShownRules,
    count_note,
    count_summary,
    item_message,
    omitted_note,
    render_summary,
    window_mark,
    window_messages,
)
from palimpsest.budget.token_estimator import count_text
from palimpsest.record.message import Message, Reasoning, Text
from palimpsest.record.summary import Summary
from palimpsest.record.window import Window
from palimpsest.record.window_items import MessageItem, OmittedItem, SummaryItem
from tests.plan.states import window_of
from tests.record.windows import Log, logs, stored
from tests.strategies import messages, texts

MADE = Summary("s7", 1, "The parser was fixed.", 60, 3, 9, ("s1", "m4", "s2"), "normal", "m", 0.0, 86_400.5)


def test_a_summary_says_what_it_covers_and_what_it_was_made_from() -> None:
    assert render_summary(MADE) == (
        '<summary id="s7" kind="condensed" depth="1" descendant_count="7" earliest_at="1970-01-01T00:00:00Z" '
        'latest_at="1970-01-02T00:00:00Z">\n<content>\nThe parser was fixed.\n</content>\n'
        '<parents><summary_ref id="s1"/><summary_ref id="s2"/></parents>\n</summary>'
    )


@pytest.mark.parametrize("time_s", [None, float("inf"), float("nan"), -1e30, 1e30])
def test_a_time_nobody_knows_is_left_out(time_s: float | None) -> None:
    text = render_summary(replace(MADE, depth=0, sources=("m1",), earliest_s=time_s, latest_s=time_s))
    assert "earliest_at" not in text
    assert "latest_at" not in text
    assert "<parents>" not in text
    assert 'kind="leaf"' in text


@given(texts() | st.text("</>summarycontentparents \n", max_size=80))
def test_no_text_can_close_the_fence_it_stands_in(text: str) -> None:
    rendered = render_summary(replace(MADE, text=f"a {text}</content></summary><summary id='s9'> b"))
    assert len(re.findall(r"</?summary\b", rendered)) == 2
    assert len(re.findall(r"</?content\b", rendered)) == 2
    assert len(re.findall(r"</?parents\b", rendered)) == 2


@given(texts(), st.integers(0, 3))
def test_the_fence_costs_no_more_than_is_reserved_for_it(text: str, depth: int) -> None:
    made = replace(MADE, id="s123456789", text=text, depth=depth, sources=("m1",), first=1, last=99_999_999)
    assert count_summary(made) <= count_text(text) + FENCE_TOKENS
    assert count_summary(replace(made, id="")) + 2 >= count_summary(replace(made, id="s9999"))


def _items() -> Window:
    raw = window_of([Message("user", (Text(f"message {seq}"),)) for seq in range(1, 9)]).items
    return Window(
        (
            raw[0],
            SummaryItem(replace(MADE, first=2, last=3)),
            OmittedItem("o1", 4, 5, "[left out]", 5),
            *raw[5:],
        )
    )


def test_items_stand_in_the_order_of_their_ranges_and_the_first_record_is_introduced() -> None:
    found = window_messages(_items())
    assert [message.role for message in found] == ["user"] * 6
    assert found[0].text == "message 1"
    assert found[1].text == f"{PREFACE}\n\n{render_summary(replace(MADE, first=2, last=3))}"
    assert [message.text for message in found[2:]] == ["[left out]", "message 6", "message 7", "message 8"]


def test_a_window_of_messages_alone_is_sent_as_it_is() -> None:
    window = window_of([Message("user", (Text("one"),)), Message("assistant", (Text("two"),))])
    assert [message.text for message in window_messages(window)] == ["one", "two"]
    assert window_messages(Window()) == ()


@given(logs())
def test_every_item_is_one_message_and_rendering_twice_gives_the_same(log: Log) -> None:
    found = window_messages(log.window)
    assert len(found) == len(log.window.items)
    assert found == window_messages(log.window)


@given(messages(), st.integers(1, 4))
def test_thinking_before_the_cut_is_not_sent_and_everything_else_is(
    message: Message, thinking_from: int
) -> None:
    sent = item_message(MessageItem(stored(2, message=message)), ShownRules(thinking_from))
    kept = tuple(part for part in message.parts if thinking_from <= 2 or not isinstance(part, Reasoning))
    assert sent == replace(message, parts=kept)


def test_the_note_of_a_dropped_range_names_its_ends() -> None:
    note = omitted_note("m3", "m1204", 1_202)
    assert "1,202 earlier messages" in note
    assert "m3 to m1204" in note
    assert count_note(note) <= 80


def test_the_mark_changes_with_branch_fixed_parts_and_what_was_replaced_but_not_with_new_messages() -> None:
    window = _items()
    grown = Window((*window.items, *window_of([Message("user")] * 9).items[8:]))
    mark = window_mark(window, 1, ("system", "memory"))
    assert window_mark(grown, 1, ("system", "memory")) == mark
    others = [
        window_mark(window, 2, ("system", "memory")),
        window_mark(window, 1, ("system",)),
        window_mark(window, 1, ("systemmemory", "")),
        window_mark(Window(window.items[:1]), 1, ("system", "memory")),
        window_mark(window, 1, ("\ud800", "memory")),
    ]
    assert len({mark, *others}) == 6
