"""What stands beside the items of a window: where the ledger and the pins are shown, and what they cost."""

from __future__ import annotations

import re
from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st

from palimpsest.budget.assemble import PREFACE, READ_PREFACE, render_window, window_messages
from palimpsest.budget.ledger_and_pins import (
    LEAST_OF_SIZE_TOKENS,
    LEDGER_FENCE_TOKENS,
    NOTHING,
    ledger_limit,
    ledger_tokens_of,
    pin_limit,
    pins_tokens,
    render_ledger,
    render_ledger_and_pins,
    render_quote,
    tokens_of,
    words_tokens,
)
from palimpsest.record.log import Stored
from palimpsest.record.message import Message, Text
from palimpsest.record.pin import Pin, Quote, records_mark
from palimpsest.record.summary import TOOLS_SAID, Summary
from palimpsest.record.window import Window
from palimpsest.record.window_items import MessageItem, OmittedItem, SummaryItem
from palimpsest.settings import make_settings


def message(seq: int, text: str = "") -> MessageItem:
    """A message at a position."""
    said = Message("user" if seq % 2 else "assistant", (Text(text or f"words {seq}"),))
    return MessageItem(Stored(f"m{seq}", seq, said, 10))


def summary(first: int, last: int, quoted: Stored | None = None) -> SummaryItem:
    """A summary of messages."""
    made = Summary(
        f"s{first}", 0, "short", 20, first, last, ("m1",), "extractive", quotes=quoted.seq if quoted else 0
    )
    return SummaryItem(made, quoted)


PLAIN = Window((message(1), message(2), message(3)))
COMPACTED = Window((summary(1, 2), message(3), message(4)))


def pinned(*quotes: Quote, records: str = "") -> Pin:
    """A pin of these words."""
    return Pin("p1", quotes, records, words_tokens(quotes))


def test_a_pinned_message_that_stands_verbatim_is_not_shown_twice() -> None:
    pin = pinned(Quote("words 3", "m3", "user"))
    assert render_ledger_and_pins(PLAIN, "", [pin]) == NOTHING
    assert render_ledger_and_pins(COMPACTED, "", [pin]) == NOTHING


def test_pinned_words_that_a_providers_form_cuts_are_shown_beside_their_message() -> None:
    for text, role in ((" \n", "user"), ("", "assistant"), ("words 2\n", "assistant")):
        stands = render_ledger_and_pins(COMPACTED, "", [pinned(Quote(text, "m4", role))])
        assert f"\n{text}\n" in stands.pins, repr(text)
    assert render_ledger_and_pins(COMPACTED, "", [pinned(Quote("words 3\n", "m3", "user"))]) == NOTHING


def test_a_pinned_message_that_left_the_window_stands_behind_the_last_record() -> None:
    stands = render_ledger_and_pins(
        COMPACTED, "", [pinned(Quote("words 1", "m1", "user"), Quote("words 3", "m3", "user"))]
    )
    assert "words 1" in stands.pins
    assert "words 3" not in stands.pins
    assert not stands.waiting
    shown = render_window(COMPACTED, None, "user", stands).messages
    assert len(shown) == 4
    assert shown[0].text.startswith(PREFACE)
    assert shown[1] == Message("user", (Text(stands.pins),))


def test_a_text_waits_behind_the_newest_message_until_the_records_change() -> None:
    pin = pinned(Quote("never"), records=records_mark(COMPACTED))
    assert render_ledger_and_pins(COMPACTED, "", [pin]).waiting
    assert not render_ledger_and_pins(COMPACTED, "", [pin]).prefix
    later = Window((*COMPACTED.items[:1], summary(3, 3), message(4)))
    assert render_ledger_and_pins(later, "", [pin]).pins
    assert not render_ledger_and_pins(later, "", [pin]).waiting
    assert render_ledger_and_pins(PLAIN, "", [pinned(Quote("never"))]).waiting


def test_a_request_that_the_last_summary_quotes_comes_after_the_ledger_and_the_pins() -> None:
    asked = Stored("m2", 2, Message("user", (Text("the request"),)), 10)
    window = Window((summary(1, 2, asked),))
    stands = render_ledger_and_pins(
        window, render_ledger("## Files\n- a.py"), [pinned(Quote("never", "m1", "user"))]
    )
    (shown,) = window_messages(window, stands.prefix)
    text = shown.text
    assert text.index("short") < text.index("a.py") < text.index("never") < text.index("the request")


def test_a_ledger_needs_a_record_of_what_left_the_window() -> None:
    assert render_ledger_and_pins(PLAIN, render_ledger("x"), []) == NOTHING
    assert render_ledger_and_pins(COMPACTED, render_ledger("x"), []).ledger
    dropped = Window((OmittedItem("o1", 1, 2, "gone", 5), message(3)))
    assert render_ledger_and_pins(dropped, render_ledger("x"), []).ledger


def test_quotes_of_tools_stay_out_of_the_system_text() -> None:
    stands = render_ledger_and_pins(
        COMPACTED, render_ledger("## Files\n- a.py"), [pinned(Quote("never", "m1", "tool"))]
    )
    told = replace(summary(1, 2).summary, text=f"short\n{TOOLS_SAID}\nread")
    shown = render_window(Window((SummaryItem(told), *COMPACTED.items[1:])), None, "system", stands)
    assert "short" in shown.summaries
    assert "read" not in shown.summaries.partition("<summary")[2]
    assert "a.py" not in shown.summaries
    assert "never" not in shown.summaries
    assert shown.messages[0].role == "user"
    assert shown.messages[0].text.startswith(READ_PREFACE)
    assert "<content>\nread\n</content>" in shown.messages[0].text
    assert "never" in shown.messages[0].text
    assert len(shown.messages) == 3


def test_a_summary_that_was_made_for_another_place_is_no_system_text() -> None:
    shown = render_window(COMPACTED, None, "system", NOTHING)
    assert shown.summaries == ""
    assert "short" in shown.messages[0].text


def test_pins_without_any_record_come_first() -> None:
    stands = render_ledger_and_pins(
        PLAIN, "", [pinned(Quote("never", "m99", "user"), records="of another branch")]
    )
    shown = render_window(PLAIN, None, "user", stands).messages
    assert "never" in shown[0].text
    assert len(shown) == 4


def test_what_is_shown_changes_with_what_stands_beside_and_grows_by_appending_else() -> None:
    first = render_window(COMPACTED, None, "user", NOTHING)
    stands = render_ledger_and_pins(COMPACTED, render_ledger("x"), [])
    second = render_window(COMPACTED, first, "user", stands)
    assert second.messages[0] == first.messages[0]
    assert second.messages[1] != first.messages[1]
    longer = Window((*COMPACTED.items, message(5)))
    assert (
        render_window(longer, second, "user", stands).messages
        == render_window(longer, None, "user", stands).messages
    )
    assert render_window(longer, second, "user", stands).messages[:4] == second.messages


@given(
    st.text(max_size=60), st.lists(st.sampled_from(("</pinned-p1", "</pinned-p1-1", ">", "x")), max_size=6)
)
def test_pinned_words_stand_in_their_fence_unchanged_and_cannot_close_it(text: str, parts: list[str]) -> None:
    words = text + "".join(parts)
    drawn = render_quote("p1", Quote(words, "m1", "tool"))
    found = re.match(r"<([\w-]+) message", drawn)
    assert found is not None
    assert drawn == f'<{found[1]} message="m1" role="tool">\n{words}\n</{found[1]}>'
    assert drawn.count(f"</{found[1]}>") == 1


def test_a_ledger_cannot_close_its_fence() -> None:
    assert render_ledger("a </evidence> b").count("</evidence>") == 1
    assert render_ledger("") == ""


def test_the_limits_are_shares_of_the_window() -> None:
    large, small = make_settings(window_tokens=200_000), make_settings(window_tokens=6_000, max_tokens=500)
    tiny, off = (
        make_settings(window_tokens=1_500, max_tokens=500),
        make_settings(window_tokens=8_000, ledger_tokens=0),
    )
    assert 1_000 <= ledger_limit(large) <= 1_000 + LEDGER_FENCE_TOKENS
    assert ledger_limit(small) == 300
    assert ledger_limit(make_settings(window_tokens=8_000)) == 400
    assert ledger_limit(make_settings(window_tokens=16_000)) == 500
    assert ledger_limit(tiny) == ledger_limit(off) == 0
    assert (pin_limit(large), pin_limit(small)) == (20_000, 600)
    assert pin_limit(make_settings(window_tokens=8_000, pin_limit_tokens=50)) == 50


@given(st.integers(0, 300_000), st.sampled_from((1_500, 6_000, 32_000, 200_000)))
def test_a_ledger_takes_a_small_part_of_the_size_a_window_is_filled_to_or_nothing(
    size: int, window: int
) -> None:
    settings = make_settings(window_tokens=window, max_tokens=500)
    tokens = ledger_tokens_of(settings, size)
    assert tokens == 0 or LEAST_OF_SIZE_TOKENS <= tokens <= min(ledger_limit(settings), size / 8)
    assert (tokens > 0) == (min(size // 8, ledger_limit(settings)) >= LEAST_OF_SIZE_TOKENS)


def test_what_stands_beside_is_counted() -> None:
    stands = render_ledger_and_pins(
        COMPACTED,
        render_ledger("x"),
        [pinned(Quote("never", "m1", "user")), pinned(Quote("now"), records=records_mark(COMPACTED))],
    )
    assert stands.ledger_tokens == tokens_of(stands.ledger) > 0
    assert stands.pins_tokens == tokens_of(stands.pins) + tokens_of(stands.waiting)
    assert NOTHING.ledger_tokens == NOTHING.pins_tokens == 0


def test_pins_count_for_their_limit_what_they_take_in_a_window_that_shows_none_of_their_messages() -> None:
    pins = [pinned(Quote("never", "m1", "user")), pinned(Quote("a text"), Quote("another"))]
    assert (
        pins_tokens(pins)
        == render_ledger_and_pins(COMPACTED, "", pins).pins_tokens
        > sum(pin.tokens for pin in pins)
    )
    assert pins_tokens([]) == 0
