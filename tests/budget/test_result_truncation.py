"""The gate: a large result is shown by its ends and an outline; small ones and what reads the store back stay whole."""

from __future__ import annotations

import json
from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from palimpsest.budget.result_truncation import excerpt, gated, outline, reading_tool
from palimpsest.budget.stubs import RESULT_END, stubbed
from palimpsest.budget.token_estimator import count_text
from palimpsest.record.message import Media, Message, Text, ToolCall, ToolDef, ToolResult
from palimpsest.record.recall_mark import RECALLED
from palimpsest.record.window_items import GATE_ID, StubItem, item_of
from palimpsest.settings import make_settings
from tests.record.windows import stored

GATE = make_settings(gate_tokens=100, gate_read_tokens=1_000, gate_shown_tokens=80)
LONG = "\n".join(f"row {number}: value {number * 7}" for number in range(200))


def _answer(*texts: str, names: Sequence[str] = ()) -> tuple[Message, dict[str, ToolCall]]:
    """A message with these results, and the calls they answer."""
    calls = {f"c{place}": ToolCall(f"c{place}", name, "{}") for place, name in enumerate(names)}
    results = tuple(ToolResult(f"c{place}", (Text(text),)) for place, text in enumerate(texts))
    return Message("tool", results), calls


def test_a_large_result_is_shown_by_its_ends_and_says_how_much_is_missing() -> None:
    message, calls = _answer(LONG, names=["terminal"])
    note = gated(message, calls, GATE)
    assert note.startswith("row 0: value 0\n")
    assert note.endswith(f"row 199: value {199 * 7}{RESULT_END}")
    assert f"of {count_text(LONG):,} tokens are left out here (lines " in note
    assert f"of 200); stored as {GATE_ID}" in note
    assert count_text(note) < 160


def test_the_reading_tool_is_named_only_where_it_is_on_offer_and_else_twice_as_much_is_shown() -> None:
    settings = make_settings(gate_tokens=1_500, gate_shown_tokens=400)
    message, calls = _answer(LONG * 20, names=["terminal"])
    alone = gated(message, calls, settings)
    offered = gated(message, calls, settings, tool="mcp__palimpsest__expand")
    assert f"stored as {GATE_ID}, read it with mcp__palimpsest__expand and include_results=true]" in offered
    assert f"stored as {GATE_ID}]" in alone
    assert "expand" not in alone
    assert count_text(alone) > 1.6 * count_text(offered)


def test_the_tool_that_reads_back_is_found_under_the_name_that_a_server_gives_it() -> None:
    def tool(name: str) -> ToolDef:
        return ToolDef(name, "Does something.", "{}")

    assert reading_tool([tool("terminal"), tool("mcp__palimpsest__expand")]) == "mcp__palimpsest__expand"
    assert reading_tool([tool("short_search"), tool("short_expand")]) == "short_expand"
    assert reading_tool([tool("expander"), tool("read")]) == ""


def test_the_window_names_the_id_that_the_message_was_given() -> None:
    message, calls = _answer(LONG, names=["terminal"])
    gate = gated(message, calls, GATE)
    item = item_of(stored(7, message=message, gate=gate, gate_tokens=90))
    assert isinstance(item, StubItem)
    assert (item.id, item.tokens, item.gated) == ("m7", 90, True)
    assert "stored as m7" in item.note
    assert GATE_ID not in item.note


def test_of_several_results_only_the_large_ones_are_gated() -> None:
    message, calls = _answer("short", LONG, "also short", names=["a", "b", "c"])
    shown = stubbed(message, gated(message, calls, GATE)).results
    assert [result.call_id for result in shown] == ["c0", "c1", "c2"]
    assert (shown[0].text, shown[2].text) == ("short", "also short")
    assert 0 < count_text(shown[1].text) < count_text(LONG)


def test_what_says_that_it_was_read_back_stays_whole_under_any_name() -> None:
    message, calls = _answer(f"{RECALLED} 1 read back]\n{LONG}", names=["ask_memory"])
    assert gated(message, calls, GATE) == ""


@pytest.mark.parametrize(
    "name",
    [
        "short_expand",
        "expand",
        "mcp__palimpsest__expand",
        "palimpsest.search",
        "mcp__palimpsest__grep",
        "short_grep",
    ],
)
def test_what_reads_the_store_back_is_never_gated(name: str) -> None:
    message, calls = _answer(LONG * 20, names=[name])
    assert gated(message, calls, GATE) == ""


@pytest.mark.parametrize("name", ["grep", "search", "mcp__docs__search", "describe", "Grep"])
def test_the_tools_of_an_agent_are_gated_though_ours_are_called_alike(name: str) -> None:
    message, calls = _answer(LONG, names=[name])
    assert gated(message, calls, GATE) != ""


def test_a_file_that_was_read_has_a_limit_of_its_own() -> None:
    message, _ = _answer(LONG[:1_500])
    read = {"c0": ToolCall("c0", "Read", json.dumps({"file_path": "/srv/app/rows.txt"}))}
    assert 100 < count_text(LONG[:1_500]) < 1_000 < count_text(LONG)
    assert gated(message, read, GATE) == ""
    assert gated(message, {}, GATE) != ""
    whole, _ = _answer(LONG)
    assert gated(whole, read, GATE) != ""


def test_pictures_and_messages_without_a_large_result_stay_whole() -> None:
    picture = Message("tool", (ToolResult("c0", (Text(LONG), Media("image/png", "file:///a.png"))),))
    assert gated(picture, {}, GATE) == ""
    assert gated(_answer("fine")[0], {}, GATE) == ""
    assert gated(Message("user", (Text(LONG * 9),)), {}, GATE) == ""
    assert gated(_answer(LONG)[0], {}, make_settings()) == ""


def test_the_outline_tells_of_definitions_trouble_files_and_json() -> None:
    code = "import os\n\nclass Clock:\n    def tick(self) -> None:\n        pass\n"
    assert list(outline(code, 1, 9)) == ["  line 3: class Clock:", "  line 4: def tick(self) -> None:"]
    assert list(outline("fine\nERROR: disk full\nfine", 1, 3)) == ["  line 2: ERROR: disk full"]
    assert list(outline("a.py:3: x\na.py:9: y\nb.py:1: z", 1, 3)) == ["  a.py: 2 lines", "  b.py: 1 line"]
    patch = "diff --git a/src/a.py b/src/a.py\n--- a/src/a.py\n+def error():\n*** Update File: b.py\n+x"
    assert list(outline(f"{patch}\ncommit 12ab34cd\nlast", 1, 7)) == [
        "  src/a.py: 3 lines",
        "  b.py: 2 lines",
    ]
    assert list(outline(f"{patch}\nERROR: disk full", 3, 6)) == [
        "  line 6: ERROR: disk full",
        "  src/a.py: 1 line",
        "  b.py: 2 lines",
    ]
    assert list(outline("./src/a.py\nsrc/b/c.py\n12 files", 1, 3)) == ["  ./src/a.py, src/b/c.py"]
    many = "\n".join(f"src/module_{place}/with_a_long_name.py" for place in range(40))
    *_, row = outline(many, 1, 40)
    assert row == "  src/module_4/with_a_long_name.py, src/module_5/with_a_long_name.py, 34 more"
    assert list(outline('[{"id": 1, "state": "ok"}, {}]', 1, 1)) == ["  2 entries of id, state"]
    assert list(outline('{"rows": [], "next": null}', 1, 1)) == ["  keys: rows, next"]


@given(st.text(min_size=1, max_size=3_000), st.integers(1, 40), st.integers(40, 400))
def test_an_excerpt_holds_the_ends_of_its_text_whatever_it_is(
    text: str, times: int, shown_tokens: int
) -> None:
    whole = text * times
    small = excerpt(whole, count_text(whole), shown_tokens)
    before, _, after = small.partition("[about ")
    assert whole.startswith(before[:-1])
    rest = after.rpartition(f"stored as {GATE_ID}]")[2]
    last = rest.rpartition("\n")[2]
    outlined = last.startswith("  ")  # where the end has no room, the outline is last
    assert whole.endswith(last) or outlined or not rest


@given(st.lists(st.text(max_size=2_000), min_size=1, max_size=4), st.integers(1, 60))
def test_a_gated_message_is_smaller_and_keeps_its_calls_in_order(texts: list[str], times: int) -> None:
    message, calls = _answer(*(text * times for text in texts))
    note = gated(message, calls, GATE)
    shown = stubbed(message, note) if note else message
    assert [result.call_id for result in shown.results] == [result.call_id for result in message.results]
    for small, whole in zip(shown.results, message.results, strict=True):
        assert small == whole or count_text(small.text) < count_text(whole.text)
