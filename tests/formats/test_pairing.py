"""Tool groups made whole: where displaced, missing, late, repeated and orphaned results end up."""

from __future__ import annotations

from hypothesis import given

from palimpsest.formats.tool_pairing import MISSING_RESULT, pair_tool_groups
from palimpsest.record.message import Media, Message, Part, Text, ToolCall, ToolResult
from tests.strategies import histories


def calls(*ids: str) -> Message:
    return Message("assistant", tuple(ToolCall(one, "ls") for one in ids))


def result(call_id: str, text: str = "ok") -> Message:
    return Message("tool", (ToolResult(call_id, (Text(text),)),))


def user(text: str) -> Message:
    return Message("user", (Text(text),))


def outline(history: tuple[Message, ...]) -> list[str]:
    """A history as short words, one for every part."""
    names: list[str] = []
    for message in history:
        for part in message.parts:
            match part:
                case ToolCall(id=call_id):
                    names.append(f"call {call_id}")
                case ToolResult(call_id=call_id, is_error=missing):
                    names.append(f"{'missing' if missing else 'result'} {call_id}")
                case Text(text=text):
                    names.append(f"{message.role}: {text}")
                case _:
                    names.append(type(part).__name__)
    return names


def test_a_whole_history_is_passed_on_as_the_same_objects() -> None:
    history = (user("hi"), calls("a", "b"), result("b"), result("a"), user("thanks"))
    assert all(new is old for new, old in zip(pair_tool_groups(history), history, strict=True))


def test_results_behind_a_user_message_move_back_to_their_call() -> None:
    history = (calls("a", "b"), user("wait"), result("a"), user("still?"), result("b"))
    assert outline(pair_tool_groups(history)) == [
        "call a",
        "call b",
        "result a",
        "result b",
        "user: wait",
        "user: still?",
    ]


def test_an_unanswered_call_gets_a_failed_result() -> None:
    history = (calls("a", "b"), result("b"), user("go on"))
    assert outline(pair_tool_groups(history)) == ["call a", "call b", "result b", "missing a", "user: go on"]
    assert pair_tool_groups(history)[2].results[0].text == MISSING_RESULT


def test_a_result_after_the_assistant_spoke_again_is_told_as_late() -> None:
    history = (calls("a"), Message("assistant", (Text("never mind"),)), result("a", "42 files"))
    assert outline(pair_tool_groups(history)) == [
        "call a",
        "missing a",
        "assistant: never mind",
        "user: [result of tool call a, which came after the conversation had moved on]\n42 files",
    ]


def test_a_result_that_comes_once_more_is_told_as_second_in_later_turns_too() -> None:
    history = (calls("a", "b"), result("a"), calls("c"), result("a", "1"), result("b", "2"), result("b", "3"))
    assert outline(pair_tool_groups(history))[5:] == [
        "missing c",
        "user: [second result of tool call a]\n1",
        "user: [result of tool call b, which came after the conversation had moved on]\n2",
        "user: [second result of tool call b]\n3",
    ]


def test_a_second_result_and_one_without_a_call_become_text_and_keep_their_media() -> None:
    image = Media("image/png", data="aGk=")
    orphan = Message("tool", (ToolResult("z", (image, Text("seen"))),))
    history = (calls("a"), result("a"), result("a", "again"), orphan)
    found = pair_tool_groups(history)
    assert outline(found)[2:] == [
        "user: [second result of tool call a]\nagain",
        "user: [tool result without its call, id z]",
        "Media",
        "user: seen",
    ]
    assert found[-1].parts[1] is image


def test_one_id_for_two_calls_of_a_message_is_made_two_and_answered_in_order() -> None:
    history = (calls("a", "a", "a_2"), result("a", "1"), result("a_2", "3"), result("a", "2"))
    found = pair_tool_groups(history)
    assert [call.id for call in found[0].calls] == ["a", "a_3", "a_2"]
    assert [(one.call_id, one.text) for message in found for one in message.results] == [
        ("a", "1"), ("a_2", "3"), ("a_3", "2"),
    ]  # fmt: skip


def test_an_empty_call_id_is_named() -> None:
    history = (calls("", ""), result("", "1"))
    assert outline(pair_tool_groups(history)) == ["call call", "call call_2", "result call", "missing call_2"]
    assert outline(pair_tool_groups(history[:1])) == [
        "call call",
        "call call_2",
        "missing call",
        "missing call_2",
    ]


def test_an_id_used_again_in_a_later_group_is_answered_there() -> None:
    history = (calls("a"), result("a", "1"), calls("a"), result("a", "2"))
    assert all(new is old for new, old in zip(pair_tool_groups(history), history, strict=True))


def test_results_and_calls_in_messages_of_the_wrong_role_are_put_right() -> None:
    answer = ToolResult("a", (Text("ok"),))
    history = (
        calls("a"),
        Message("user", (answer, Text("and now?"), ToolCall("b", "rm", "{}"))),
        Message("assistant", (ToolCall("c", "ls"), ToolResult("c"))),
        Message("tool", (Text("loose"),)),
    )
    assert outline(pair_tool_groups(history)) == [
        "call a", "result a", "user: and now?", "user: [tool call rm {}]", "call c", "result c", "user: loose",
    ]  # fmt: skip


def parts_of(history: tuple[Message, ...] | list[Message]) -> list[Part]:
    return [part for message in history for part in message.parts]


@given(histories())
def test_every_call_is_answered_once_directly_behind_its_message(history: list[Message]) -> None:
    found = pair_tool_groups(history)
    waiting: list[str] = []
    for message in found:
        answers = [one.call_id for one in message.results]
        assert message.role == "tool" or not waiting
        assert set(answers) <= set(waiting)
        assert len(set(answers)) == len(answers)
        waiting = [one for one in waiting if one not in answers] + [call.id for call in message.calls]
        assert not message.calls or message.role == "assistant"
    assert waiting == []


@given(histories())
def test_pairing_a_paired_history_changes_nothing(history: list[Message]) -> None:
    assert pair_tool_groups(pair_tool_groups(history)) == pair_tool_groups(history)


@given(histories())
def test_no_call_and_no_content_of_a_result_is_dropped(history: list[Message]) -> None:
    before, after = parts_of(history), parts_of(list(pair_tool_groups(history)))
    made = sum(
        isinstance(part, ToolCall)
        for message in history
        for part in message.parts
        if message.role == "assistant"
    )
    assert sum(isinstance(part, ToolCall) for part in after) == made
    media = sum(
        isinstance(one, Media)
        for part in before
        for one in (part.content if isinstance(part, ToolResult) else (part,))
    )
    kept = sum(
        isinstance(one, Media)
        for part in after
        for one in (part.content if isinstance(part, ToolResult) else (part,))
    )
    assert kept == media
