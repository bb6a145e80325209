"""Codex's rollouts, rule by rule, on invented lines."""

from __future__ import annotations

import pytest

from palimpsest.formats.transcripts import Transcript
from palimpsest.record.message import Media, Reasoning, Text, ToolResult, Usage, is_developer
from tests.formats.cuts import texts
from tests.formats.written import Line, answered, asked, event, item, reading

META: Line = {
    "type": "session_meta",
    "payload": {"id": "r1", "cwd": "/home/ada/kite", "base_instructions": {"text": "You are Codex."}},
}
TURN: Line = {"type": "turn_context", "payload": {"model": "pine-2"}}


def only(lines: list[Line | str]) -> Transcript:
    """The one conversation of these lines."""
    (found,) = reading([META, *lines]).transcripts
    return found


def history(lines: list[Line | str]) -> list[str]:
    """The words of the one history of these lines."""
    (path,) = only(lines).paths
    return texts(path)


def called(call_id: str, name: str = "shell") -> Line:
    return item("function_call", call_id=call_id, name=name, arguments='{"cmd": "ls"}')


def output(call_id: str, found: object = "ok") -> Line:
    return item("function_call_output", call_id=call_id, output=found)


def counted(tokens: int) -> Line:
    usage = {"input_tokens": tokens, "cached_input_tokens": 2, "output_tokens": 3}
    return event("token_count", info={"last_token_usage": usage})


def test_the_items_of_one_response_become_one_message() -> None:
    thought = item(
        "reasoning", summary=[{"type": "summary_text", "text": "Plan"}], encrypted_content="b3BhcXVl"
    )
    lines = [
        TURN,
        asked("List."),
        thought,
        answered("Listing."),
        called("c1"),
        called("c2"),
        output("c2"),
        output("c1"),
    ]
    found = only([*lines, answered("Two files.")])
    (path,) = found.paths
    assert texts(path) == ["List.", "Listing. call:c1 call:c2", "result:c2=ok", "result:c1=ok", "Two files."]
    thinking = path[1].parts[0]
    assert isinstance(thinking, Reasoning)
    assert (thinking.text, thinking.signature) == ("Plan", "b3BhcXVl")
    assert path[1].calls[0].arguments == '{"cmd": "ls"}'
    assert (path[1].model, path[1].wire) == ("pine-2", "responses")
    assert (found.id, found.title, found.cwd, found.system) == (
        "r1",
        "List.",
        "/home/ada/kite",
        "You are Codex.",
    )


def test_events_repeat_what_items_say_and_make_no_messages() -> None:
    lines = [
        event("user_message", message="List."),
        asked("List."),
        event("agent_reasoning", text="Plan"),
        answered("Two."),
        event("agent_message", message="Two."),
    ]
    assert history([*lines]) == ["List.", "Two."]


@pytest.mark.parametrize(
    "lines",
    [
        [TURN, event("agent_reasoning", text="Plan"), counted(40), called("c1"), output("c1")],
        [TURN, called("c1"), counted(40), output("c1")],
        [called("c1"), output("c1"), counted(40)],
    ],
)
def test_usage_stands_with_its_response_whether_it_is_written_before_or_after_it(lines: list[Line]) -> None:
    (path,) = only([asked("Go."), *lines, TURN, counted(50), answered("Done.")]).paths
    assert [message.usage for message in path] == [None, Usage(40, 3, 2), None, Usage(50, 3, 2)]


def test_a_call_the_provider_answered_is_answered_beside_the_response() -> None:
    search = item("web_search_call", id="w1", action={"type": "search", "query": "kites"})
    drawn = item("image_generation_call", id="i1", revised_prompt="a kite", result="QUJD")
    lines = [asked("Go."), called("c1"), search, answered("Found."), drawn, output("c1"), answered("Done.")]
    (path,) = only([*lines]).paths
    expected = ["Go.", "Found. call:c1 call:w1 call:i1", "result:w1=", "result:i1=", "result:c1=ok", "Done."]
    assert texts(path) == expected
    assert path[3].results[0].content == (Media("image/png", data="QUJD", size_bytes=3),)


def test_an_unfinished_response_keeps_its_own_answers_provisional() -> None:
    (path,) = only([asked("Go."), item("web_search_call", id="w1", action={})]).paths
    assert texts(path) == ["Go.", "call:w1", "result:w1="]
    assert [message.provisional for message in path] == [False, True, True]


@pytest.mark.parametrize("follows", [asked("More."), output("c1"), TURN, event("task_complete")])
def test_a_response_is_closed_by_whatever_cannot_belong_to_it(follows: Line) -> None:
    (path,) = only([asked("Go."), called("c1"), follows]).paths
    assert not any(message.provisional for message in path)
    (still_open,) = only([asked("Go."), called("c1"), event("token_count", info=None)]).paths
    assert [message.provisional for message in still_open] == [False, True]


def test_compactions_are_counted_and_the_raw_messages_stay() -> None:
    replaced = [{"type": "message", "role": "user", "content": [{"type": "input_text", "text": "the story"}]}]
    compacted: Line = {
        "type": "compacted",
        "payload": {"message": "the story", "replacement_history": replaced},
    }
    found = only([asked("One."), answered("Yes."), compacted, asked("Two.")])
    assert found.summaries == 1
    assert [texts(path) for path in found.paths] == [["One.", "Yes.", "Two."]]


def test_prompts_taken_back_begin_a_branch() -> None:
    lines = [
        asked("<environment_context>kite</environment_context>"),
        asked("One."),
        answered("Yes."),
        asked("Two."),
        answered("No."),
        event("thread_rolled_back", num_turns=1),
        asked("Three."),
    ]
    first, current = only([*lines]).paths
    assert texts(first)[1:] == ["One.", "Yes.", "Two.", "No."]
    assert texts(current)[1:] == ["One.", "Yes.", "Three."]


def test_injected_prompts_are_messages_but_give_no_title() -> None:
    setup = (
        "# Context from my IDE setup:\n\n## Open tabs:\n- a.py\n\n## My request for Codex:\nFly the kite.\n"
    )
    found = only([asked("<environment_context>x</environment_context>"), asked(setup), answered("Up.")])
    assert len(found.paths[0]) == 3
    assert found.title == "Fly the kite."


def test_developer_messages_are_the_system_prompt_before_the_first_message_and_messages_later() -> None:
    told = item("message", role="developer", content=[{"type": "input_text", "text": "Be brief."}])
    found = only([told, told, asked("Go."), told, answered("Gone.")])
    assert found.system == "You are Codex.\n\nBe brief."
    assert texts(found.paths[0]) == ["Go.", "Be brief.", "Gone."]
    later = found.paths[0][1]
    assert (later.role, is_developer(later)) == ("system", True)


def test_a_later_developer_message_is_no_prompt_that_is_taken_back() -> None:
    told = item("message", role="developer", content=[{"type": "input_text", "text": "Be brief."}])
    lines = [asked("One."), answered("Yes."), asked("Two."), told, event("thread_rolled_back", num_turns=1)]
    found = only([*lines, asked("Three.")])
    assert texts(found.paths[-1]) == ["One.", "Yes.", "Three."]


def test_outputs_of_every_shape_are_read() -> None:
    shapes: list[object] = [
        [
            {"type": "input_text", "text": "a"},
            {"type": "input_image", "image_url": "data:image/png;base64,QUJD"},
        ],
        {"content": "b", "success": False},
        {"stdout": "c"},
        "",
    ]
    lines: list[Line | str] = [asked("Go.")]
    for number, shape in enumerate(shapes):
        lines += [called(f"c{number}"), output(f"c{number}", shape)]
    (path,) = only(lines).paths
    found = [message.results[0] for message in path if message.role == "tool"]
    assert found == [
        ToolResult("c0", (Text("a"), Media("image/png", data="QUJD", size_bytes=3))),
        ToolResult("c1", (Text("b"),), is_error=True),
        ToolResult("c2", (Text('{"stdout":"c"}'),)),
        ToolResult("c3"),
    ]


def test_rollouts_of_old_versions_hold_their_items_bare() -> None:
    lines: list[Line | str] = [
        {"id": "old", "timestamp": "2025-05-06T07:08:09Z", "instructions": "You are Codex."},
        {"type": "message", "role": "user", "content": [{"type": "input_text", "text": "Go."}]},
        {"record_type": "state"},
        {"type": "function_call", "name": "shell", "arguments": {"cmd": "ls"}},
        {"type": "function_call_output", "output": "ok"},
        {"created_at": "2025-05-06T07:08:10Z", "role": "assistant", "content": "Gone."},
    ]
    (found,) = reading(lines).transcripts
    assert (found.id, found.system) == ("old", "You are Codex.")
    assert texts(found.paths[0]) == ["Go.", "call:line 4", "result:line 4=ok", "Gone."]


def test_a_session_that_was_spawned_names_its_parent_and_one_that_was_forked_off_has_none() -> None:
    spawned: Line = {"type": "session_meta", "payload": {"id": "r2", "parent_thread_id": "r1"}}
    forked: Line = {"type": "session_meta", "payload": {"id": "r3", "forked_from_id": "r2"}}
    assert reading([spawned, META, asked("Go.")]).transcripts[0].parent == "r1"
    assert reading([forked, META, asked("Go.")]).transcripts[0].parent == ""


def test_unknown_items_are_reported_with_their_lines() -> None:
    lines: list[Line | str] = [
        META,
        asked("Go."),
        item("hologram"),
        {"type": "aura", "payload": {}},
        item("message", role="oracle", content="Hm."),
        item("message", role="user", content=[]),
        answered("Gone."),
    ]
    found = reading(lines)
    assert texts(found.transcripts[0].paths[0]) == ["Go.", "Gone."]
    assert [(one.line, one.reason) for one in found.skipped] == [
        (5, 'unknown role "oracle"'),
        (6, "a message without content"),
    ]
    assert found.left_out == found.transcripts[0].left_out == {"hologram": 1, "aura": 1}
