"""Stubs: the line that says what was there, arguments that stay JSON, and a stored message that never changes."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from palimpsest.budget.assemble import ShownRules, count_stub, item_message
from palimpsest.budget.stubs import (
    ARGUMENT_CHARS,
    LONG_TEXT_CHARS,
    MANY,
    RESULT_END,
    calls_of,
    shorten_arguments,
    stub_note,
    stubbed,
)
from palimpsest.budget.token_counts import count_message
from palimpsest.record.message import Media, Message, Text, ToolCall, ToolResult
from palimpsest.record.recall_mark import RECALLED
from palimpsest.record.window_items import StubItem
from tests.plan.states import window_of
from tests.record.windows import stored
from tests.strategies import messages

NOTE = "[left out here; stored as m12]"

json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(max_size=40) | st.integers(500, 1_500).map(lambda size: "päth/" * (size // 5)),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=8), inner, max_size=4),
    max_leaves=12,
)  # fmt: skip


def test_the_line_names_the_tool_what_it_did_how_it_went_its_size_and_the_id_of_the_whole() -> None:
    call = ToolCall("c1", "terminal", json.dumps({"command": "make check"}))
    answer = Message("tool", (ToolResult("c1", (Text("line\n" * 46 + "exit code: 0"),)),))
    window = window_of([Message("assistant", (call,)), answer])
    note = stub_note("m2", answer, 1_300, calls_of(window.items))
    assert note.startswith("[result left out: terminal `make check` -> ")
    assert "47 lines, 242 characters, about 1,300 tokens" in note
    assert note.endswith("; stored as m2]")
    assert "\n" not in note
    offered = stub_note("m2", answer, 1_300, calls_of(window.items), tool="short_expand")
    assert offered.endswith("; stored as m2, read it with short_expand and include_results=true]")


def test_each_of_several_results_has_a_line_that_is_true_of_it_and_a_short_one_stays() -> None:
    path = f"/srv/{'harbour/' * 12}docks/pier.py"
    calls = (
        ToolCall("a", "Read", json.dumps({"file_path": path})),
        ToolCall("b", "Bash", json.dumps({"command": "make check"})),
        ToolCall("c", "Grep", json.dumps({"pattern": "quay"})),
        ToolCall("d", "Bash", json.dumps({"command": "date"})),
    )
    texts = (
        "x = 1\n" * 90,
        "no rule\n" * 60 + "make: *** [check] Error 2",
        "pier.py:4: quay\n" * 70,
        "Monday",
    )
    results = tuple(ToolResult(one.id, (Text(text),)) for one, text in zip(calls, texts, strict=True))
    answer = Message("user", results)
    note = stub_note("m2", answer, 900, calls_of(window_of([Message("assistant", calls), answer]).items))
    read, made, found, dated = (one.text for one in stubbed(answer, note).results)
    assert read.startswith("[result left out: Read `…/")
    assert "/docks/pier.py` -> ok, 91 lines" in read
    assert "Bash `make check` -> error, 61 lines" in made
    assert "Grep `quay` -> ok" in found
    assert dated == "Monday"


def test_the_line_holds_no_secret_of_what_was_called() -> None:
    call = ToolCall("c1", "terminal", json.dumps({"command": "mysql -pvX9kd02Lqz berths && make check"}))
    answer = Message("tool", (ToolResult("c1", (Text("ok\n" * 99),)),))
    note = stub_note("m2", answer, 100, calls_of(window_of([Message("assistant", (call,)), answer]).items))
    assert "vX9kd02Lqz" not in note
    assert "make check" in note


def test_the_line_for_what_was_read_back_sends_nobody_to_read_a_reading() -> None:
    answer = Message("tool", (ToolResult("c1", (Text(f"{RECALLED} 1 read back] " + "line\n" * 90),)),))
    note = stub_note("m9", answer, 400, {})
    assert "m9" not in note
    assert "ask for it again" in note


def test_a_stub_keeps_words_calls_and_the_error_mark() -> None:
    message = Message(
        "tool",
        (ToolResult("a", (Text("x" * 5_000),), is_error=True), Text("beside"), ToolResult("b", (Text("y"),))),
    )
    note = stub_note("m12", message, 1_300, {})
    first, second, _ = note.split(RESULT_END)
    assert first.startswith("[result left out: 1 lines, 5,000 characters, about ")
    assert "stored as m12" in first
    small = stubbed(message, note)
    assert [(one.call_id, one.text, one.is_error) for one in small.results] == [
        ("a", first, True),
        ("b", "y", False),
    ]
    assert second == ""
    assert small.text == "beside"
    assert count_stub(message, note) < 200
    assert item_message(StubItem("x1", stored(3, message=message), note, 90), ShownRules()) == small
    calling = Message("assistant", (ToolCall("a", "run"),))
    assert stubbed(calling, note) == calling


def test_only_a_very_long_text_loses_its_middle() -> None:
    spoken, poured = Text("a" * LONG_TEXT_CHARS), Text("head " + "b" * LONG_TEXT_CHARS + " tail")
    small = stubbed(Message("assistant", (spoken, poured, ToolCall("a", "run"))), "[stored as m3]")
    first, second, _ = small.parts
    assert first == spoken
    assert isinstance(second, Text)
    assert second.text.startswith("head bbb")
    assert second.text.endswith("bbb tail")
    assert "[stored as m3]" in second.text
    assert len(second.text) < 500


def test_an_image_becomes_a_note_that_says_what_it_was() -> None:
    message = Message("user", (Text("see"), Media("image/png", "", "aGk=", 48_000)))
    assert stubbed(message, NOTE).text == f"see\n[image/png, 48,000 bytes] {NOTE}"


@given(st.dictionaries(st.text(max_size=8), json_values, max_size=4))
def test_shortened_arguments_are_json_of_the_same_keys_and_never_longer(value: dict[str, object]) -> None:
    arguments = json.dumps(value)
    shorter = shorten_arguments(arguments, NOTE)
    assert len(shorter) <= len(arguments)
    assert list(json.loads(shorter)) == list(value)
    assert shorten_arguments(shorter, NOTE) == shorter


@given(st.text(max_size=3_000) | st.integers(100, 1_500).map(lambda size: "{" * size))
def test_arguments_that_are_no_json_become_some_or_stay_as_they_are(arguments: str) -> None:
    shorter = shorten_arguments(arguments, NOTE)
    assert shorter == arguments or isinstance(json.loads(shorter), dict)
    assert len(shorter) <= len(arguments)


@pytest.mark.parametrize(
    "many",
    [
        list(range(5_000)),
        [{"line": n, "new": f"x = {n}"} for n in range(2_000)],
        {f"k{n}": n for n in range(3_000)},
    ],
)
def test_of_many_things_in_an_argument_the_first_and_the_last_stay(many: object) -> None:
    arguments = json.dumps({"path": "src/app.py", "many": many})
    short = shorten_arguments(arguments, "[stored as m1]")
    assert len(short) < 700
    value = json.loads(short)
    assert value["path"] == "src/app.py"
    assert type(value["many"]) is type(many)
    kept, whole = list(value["many"]), list(many)  # type: ignore[call-overload]
    assert (kept[:8], kept[-4:]) == (whole[:8], whole[-4:])
    assert "more [stored as m1]" in short
    assert shorten_arguments(short, "[stored as m1]") == short


@given(
    st.dictionaries(
        st.tuples(st.sampled_from(("", "k" * 2_000, "…", "键" * 900)), st.text(max_size=2)).map("".join),
        st.integers() | st.text(max_size=3),
        max_size=MANY,
    )
)
def test_long_keys_lose_their_middle_and_no_field_is_lost(value: dict[str, object]) -> None:
    short = shorten_arguments(json.dumps(value, ensure_ascii=False), NOTE)
    found = json.loads(short)
    assert list(found.values()) == list(value.values())
    assert {key: found[key] for key in value if len(key) <= ARGUMENT_CHARS}.items() <= value.items()
    assert all(len(key) <= ARGUMENT_CHARS for key in found) or len(json.dumps(value)) < 2 * ARGUMENT_CHARS


def test_what_stands_for_the_middle_of_an_object_takes_no_fields_place() -> None:
    own = {"…": "own", **{f"k{n}": n for n in range(3_000)}}
    found = json.loads(shorten_arguments(json.dumps(own), "[m1]"))
    assert found["…"] == "own"
    assert found["……"].endswith("more [m1]")


def test_what_is_long_is_cut_however_deep_it_lies_and_whatever_it_is() -> None:
    deep: object = {"text": "x" * 9_000, "number": int("9" * 3_000)}
    for _ in range(60):
        deep = [{"a": deep}]
    assert len(shorten_arguments(json.dumps({"deep": deep}), NOTE)) < 1_500


def test_a_list_of_few_long_things_and_one_of_many_short_ones_stay() -> None:
    for held in (["x" * 400] * 12, list(range(300))):
        arguments = json.dumps({"at": held}, separators=(",", ":"))
        assert shorten_arguments(arguments, "[m1]") == arguments


@pytest.mark.parametrize(
    "number", ["1e400", "-1E-999", "1.10", "0.12345678901234567890123", "9" * 40, "-0.0"]
)
def test_numbers_beside_a_long_string_stay_as_they_were_written(number: str) -> None:
    arguments = f'{{"at":[{number},{{"n":{number}}}],"text":"{"x" * 900}"}}'
    short = shorten_arguments(arguments, "[m1]")
    assert len(short) < len(arguments)
    assert short.startswith(f'{{"at":[{number},{{"n":{number}}}],"text":"')
    json.loads(short, parse_constant=lambda name: pytest.fail(f"{name} is no JSON"))


def test_the_line_for_a_result_with_a_picture_says_that_it_held_one() -> None:
    shot = ToolResult("a", (Text("done"), Media("image/png", data="AAAA"), Media("image/png", data="BBBB")))
    note = stub_note("m4", Message("tool", (shot,)), 900, {"a": ToolCall("a", "screenshot")})
    assert "4 characters, 2 image/png, about 900 tokens" in note


@pytest.mark.parametrize(
    "long", ["x" * 5_000, "\ud83d" * 5_000, "é" * 5_000, "\\n" * 3_000, '"' * 3_000, "\x00" * 900]
)
def test_long_strings_keep_both_ends_inside_the_json(long: str) -> None:
    arguments = json.dumps({"path": "src/app.py", "content": f"FIRST{long}LAST", "line": 7})
    value = json.loads(shorten_arguments(arguments, NOTE))
    assert (value["path"], value["line"]) == ("src/app.py", 7)
    assert value["content"].startswith("FIRST")
    assert value["content"].endswith("LAST")
    assert NOTE in value["content"]
    assert len(value["content"]) < ARGUMENT_CHARS
    assert json.dumps(value).encode()


@given(messages())
def test_a_stub_has_the_same_calls_and_answers_and_leaves_the_message_alone(message: Message) -> None:
    before = repr(message)
    small = stubbed(message, NOTE)
    assert repr(message) == before
    assert [(call.id, call.name) for call in small.calls] == [(call.id, call.name) for call in message.calls]
    assert [one.call_id for one in small.results] == [one.call_id for one in message.results]
    assert (small.role, small.wire, small.extra) == (message.role, message.wire, message.extra)
    assert count_stub(message, NOTE) == count_message(small)
