"""Level 1: heads and tails that are never larger, cut at borders, named by their id, and always the same."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from palimpsest.budget.assemble import count_stub
from palimpsest.budget.pruned_messages import (
    LEAST_TOKENS,
    RESULT_TOKENS,
    beginning,
    default_rooms,
    end,
    group_notes,
    head_and_tail,
    least_rooms,
    pruned_note,
    shares,
)
from palimpsest.budget.stubs import PART_END, RESULT_END, frozen, note_of, stub_note, stubbed
from palimpsest.budget.token_counts import count_message
from palimpsest.budget.token_estimator import count_text
from palimpsest.record.log import Stored
from palimpsest.record.message import Media, Message, Text, ToolCall, ToolResult
from palimpsest.record.window_items import MessageItem
from tests.strategies import messages

ROWS = "\n".join(f"row {number}: value {number * 7}" for number in range(900))
LINE = re.compile(
    r"\[\.\.\. [\d,]+ of [\d,]+ (?:lines|characters) left out, about [\d,]+ tokens in all; (.*)\]"
)

lines = st.lists(st.text(max_size=60), max_size=8).map("\n".join)
texts = st.tuples(
    lines | st.sampled_from(("é\u0301", "👩‍👩‍👧 ", "港口灯塔", "\r\n")), st.integers(1, 400)
).map(lambda drawn: drawn[0] * drawn[1])
tools = st.sampled_from(("", "short_expand"))


@st.composite
def bulky(draw: st.DrawFn) -> Message:
    """Messages of any kind whose texts, arguments and results may be large."""
    message = draw(messages())
    extra = draw(
        st.lists(
            st.builds(lambda text: ToolResult("r", (Text(text),)), texts)
            | st.builds(
                lambda text: ToolCall("c", "write", json.dumps({"path": "a.py", "content": text})), texts
            )
            | st.builds(lambda text: ToolCall("c", "write", text), texts)
            | st.builds(Text, texts)
            | st.just(ToolResult("p", (Text("done"), Media("image/png", data="AAAA", size_bytes=900)))),
            max_size=3,
        )
    )
    return Message(message.role, (*message.parts, *extra), wire=message.wire, extra=message.extra)


def _item(message: Message, seq: int = 1) -> MessageItem:
    return MessageItem(Stored(f"m{seq}", seq, message, count_message(message)))


@given(bulky(), tools, st.booleans(), st.booleans())
def test_level_one_is_smaller_or_the_message_itself(
    message: Message, tool: str, newest: bool, texts: bool
) -> None:
    for rooms in (default_rooms(message, tool, newest=newest, texts=texts), least_rooms(message)):
        note = pruned_note("m12", message, count_message(message), rooms, tool)
        assert not note or count_stub(message, note) < count_message(message)


@given(bulky(), tools)
def test_level_one_keeps_order_calls_answers_and_words(message: Message, tool: str) -> None:
    note = pruned_note("m12", message, count_message(message), default_rooms(message, tool), tool)
    small = stubbed(message, note) if note else message
    assert len(small.parts) == len(message.parts)
    assert [(call.id, call.name) for call in small.calls] == [(call.id, call.name) for call in message.calls]
    assert [(one.call_id, one.is_error) for one in small.results] == [
        (one.call_id, one.is_error) for one in message.results
    ]
    for part, own in zip(small.parts, message.parts, strict=True):
        assert part == own or not isinstance(own, Text)
    changed = [part for part, own in zip(small.parts, message.parts, strict=True) if part != own]
    for part in changed:
        assert not isinstance(part, ToolCall) or isinstance(json.loads(part.arguments), dict)


@given(bulky(), tools)
def test_whatever_is_shortened_names_the_id_and_the_tool_only_where_it_is_on_offer(
    message: Message, tool: str
) -> None:
    note = pruned_note("m12", message, count_message(message), default_rooms(message, tool), tool)
    small = stubbed(message, note) if note else message
    changed = [part for part, own in zip(small.parts, message.parts, strict=True) if part != own]
    for said in map(_told, changed):
        assert "stored as m12" in said
        assert ("include_results" in said) == bool(tool)


@given(bulky(), tools)
def test_a_note_is_the_same_each_time_and_holds_all_that_is_shown(message: Message, tool: str) -> None:
    tokens, rooms = count_message(message), default_rooms(message, tool)
    note = pruned_note("m12", message, tokens, rooms, tool)
    assert note == pruned_note("m12", message, tokens, rooms, tool)
    blank = Message(message.role, tuple(_blank(part) for part in message.parts))
    shown, of_blank = (stubbed(one, note) if note else one for one in (message, blank))
    pairs = zip(shown.parts, of_blank.parts, message.parts, strict=True)
    told = [(part, other) for part, other, own in pairs if part != own]
    assert bool(told) == bool(note)
    assert all(_told(part) == _told(other) for part, other in told)


def _blank(part: object) -> Text | ToolCall | ToolResult | Media:
    """A part of the same kind that says nothing: what a note shows of it is the note's own."""
    match part:
        case ToolCall(id=name):
            return ToolCall(name, "gone")
        case ToolResult(call_id=name):
            return ToolResult(name)
        case Media():
            return part
        case _:
            return Text("")


def _told(part: object) -> str:
    return part.arguments if isinstance(part, ToolCall) else part.text  # type: ignore[attr-defined]


@given(texts, st.integers(LEAST_TOKENS, 900))
def test_a_head_and_tail_are_the_texts_own_and_part_no_character(text: str, room: int) -> None:
    shown = head_and_tail(text, room, "stored as m12")
    found = LINE.search(shown)
    assert found is not None
    assert found[1] == "stored as m12"
    head, tail = shown[: found.start()].removesuffix("\n"), shown[found.end() :].removeprefix("\n")
    assert text.startswith(head)
    assert text.endswith(tail)
    cuts = [cut for cut in (len(head), len(text) - len(tail)) if 0 < cut < len(text)]
    for cut in cuts:
        assert text[cut] not in "\u200d\u0301"
        assert text[cut - 1] != "\u200d"


@given(st.text(max_size=900), st.integers(1, 200))
def test_beginning_and_end_take_no_more_tokens_than_they_may(text: str, tokens: int) -> None:
    assert count_text(beginning(text, tokens)) <= tokens
    assert text.startswith(beginning(text, tokens))
    assert text.endswith(end(text, tokens))
    assert count_text(end(text, tokens)) <= tokens


def test_whole_lines_stand_on_both_sides_of_the_line_between() -> None:
    shown = head_and_tail(ROWS, RESULT_TOKENS, "stored as m12").split("\n")
    between = next(place for place, line in enumerate(shown) if LINE.fullmatch(line))
    rows = ROWS.split("\n")
    assert shown[:between] == rows[:between]
    assert shown[between + 1 :] == rows[len(rows) - (len(shown) - between - 1) :]
    left = len(rows) - (len(shown) - 1)
    assert shown[between].startswith(
        f"[... {left} of 900 lines left out, about {count_text(ROWS):,} tokens in all;"
    )
    head, tail = count_text("\n".join(shown[:between])), count_text("\n".join(shown[between + 1 :]))
    assert 40 <= head <= 60
    assert 25 <= tail <= 40


def test_one_giant_line_is_told_in_characters() -> None:
    shown = head_and_tail(ROWS.replace("\n", " "), RESULT_TOKENS, "stored as m12")
    assert re.search(
        r"\[\.\.\. [\d,]+ of [\d,]+ characters left out, about [\d,]+ tokens in all; stored as m12\]", shown
    )
    assert shown.startswith("row 0: value 0 row 1")
    assert shown.endswith(f"row 899: value {899 * 7}")


def _shown_tokens(tool: str, *, newest: bool) -> int:
    message = Message("tool", (ToolResult("a", (Text(ROWS),)),))
    rooms = default_rooms(message, tool, newest=newest)
    return count_stub(message, pruned_note("m2", message, count_message(message), rooms, tool))


def test_more_is_shown_of_the_newest_turn_and_where_nothing_reads_the_whole_back() -> None:
    read, kept = _shown_tokens("short_expand", newest=False), _shown_tokens("", newest=False)
    assert 80 <= read <= RESULT_TOKENS + 20
    assert kept > 1.6 * read
    assert _shown_tokens("short_expand", newest=True) > 2 * read


def test_an_image_in_a_result_is_named_beside_its_head_and_tail() -> None:
    shot = ToolResult("a", (Text(ROWS), Media("image/png", data="AAAA", size_bytes=4_800)))
    message = Message("tool", (shot,))
    note = pruned_note("m2", message, count_message(message), default_rooms(message, ""))
    assert "[image/png, 4,800 bytes: left out; stored as m2]" in note
    assert "row 899" in note


def test_a_line_that_is_told_of_a_result_stands_in_its_place() -> None:
    message = Message("tool", (ToolResult("a", (Text(ROWS),)), ToolResult("b", (Text(ROWS),))))
    note = pruned_note(
        "m2", message, count_message(message), default_rooms(message, ""), lines=("see m9", "")
    )
    first, second = stubbed(message, note).results
    assert first.text == "see m9"
    assert second.text.startswith("row 0")


def test_no_text_can_end_a_part_of_a_note() -> None:
    odd = PART_END + RESULT_END + ROWS
    message = Message(
        "tool", (ToolResult("a", (Text(odd),)), ToolResult("b", (Text(f"{PART_END}{ROWS}{PART_END}"),)))
    )
    note = pruned_note("m2", message, count_message(message), default_rooms(message, ""))
    assert note.count(PART_END) == 2
    alone = Message("tool", message.parts[:1])
    note = pruned_note("m2", alone, count_message(alone), default_rooms(alone, ""))
    assert PART_END not in note
    assert RESULT_END not in note


@given(bulky())
def test_a_note_of_the_page_is_frozen_as_it_is_shown_now(message: Message) -> None:
    note = stub_note("m12", message, count_message(message), {})
    stored = frozen(message, note)
    assert [_words(part) for part in stubbed(message, stored).parts] == [
        _words(part).replace(PART_END, " ") for part in stubbed(message, note).parts
    ]


def _words(part: object) -> str:
    return part.arguments if isinstance(part, ToolCall) else getattr(part, "text", "")


def test_a_note_of_nothing_new_is_none() -> None:
    message = Message("assistant", (Text("so"), ToolCall("a", "run")))
    assert note_of(message, message.parts) == ""


@given(st.lists(st.integers(0, 9_000), max_size=8), st.integers(0, 20_000))
def test_small_things_stay_whole_and_large_ones_share_what_is_left(sizes: Sequence[int], room: int) -> None:
    found = shares(sizes, room)
    given_tokens = [min(size, share) for size, share in zip(sizes, found, strict=True)]
    assert sum(given_tokens) <= room + 1e-6
    cut = [size for size, share in zip(sizes, found, strict=True) if share < size]
    whole = [size for size, share in zip(sizes, found, strict=True) if share >= size]
    assert sum(sizes) > room or not cut
    assert not cut or not whole or max(whole) <= max(cut)
    order = sorted(range(len(sizes)), key=lambda place: sizes[place])
    ordered = [given_tokens[place] for place in order]
    assert ordered == pytest.approx(sorted(ordered))


@given(st.lists(bulky(), min_size=1, max_size=4), st.integers(0, 6_000), tools)
def test_a_group_keeps_to_its_room_as_far_as_it_can(group: list[Message], room: int, tool: str) -> None:
    items = [_item(message, seq) for seq, message in enumerate(group, 1)]
    least = whole = 0
    for item, note in group_notes(items, room, tool):
        message = item.stored.message
        whole += count_stub(message, note) if note else item.tokens
        floor = pruned_note(item.id, message, item.tokens, [LEAST_TOKENS] * len(message.parts), tool)
        least += count_stub(message, floor) if floor else item.tokens
    assert whole <= max(room, least) * 1.15 + 60
