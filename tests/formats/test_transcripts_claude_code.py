"""Claude Code's sessions, rule by rule, on invented lines."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from palimpsest.formats.transcripts import Source, Transcript, read
from palimpsest.record.message import Media, Reasoning, Text, ToolResult, Usage
from tests.formats.cuts import texts
from tests.formats.written import Line, call, joined, mark, reading, result, said, text, user


def only(lines: Sequence[Line | str]) -> Transcript:
    """The one conversation of these lines."""
    found = reading(lines)
    assert len(found.transcripts) == 1
    return found.transcripts[0]


def history(lines: Sequence[Line | str]) -> list[str]:
    """The words of the one history of these lines."""
    (path,) = only(lines).paths
    return texts(path)


def test_the_lines_of_one_message_become_one_message_and_usage_counts_once() -> None:
    first = said("2", "1", "m1", {"type": "thinking", "thinking": "hm", "signature": "c2ln"})
    last = said("3", "2", "m1", text("Looking."), call("c1", path="a.py"))
    for line, output in ((first, 1), (last, 9)):
        body = line["message"]
        assert isinstance(body, dict)
        body["usage"] = {"input_tokens": 5, "cache_read_input_tokens": 90, "output_tokens": output}
    (path,) = only([user("1", None, "Look."), first, last]).paths
    assert path[1].parts[0] == Reasoning("hm", "c2ln")
    assert path[1].calls[0].arguments == '{"path":"a.py"}'
    assert path[1].usage == Usage(95, 9, 90, 0)
    assert (path[1].origin, path[1].model, path[1].wire) == ("2", "maple-1", "anthropic")


def test_results_between_the_lines_of_a_message_do_not_split_it() -> None:
    lines = [
        user("1", None, "Go."),
        said("2", "1", "m1", call("c1")),
        user("3", "2", [result("c1", "one")]),
        said("4", "2", "m1", call("c2")),
        user("5", "4", [result("c2", "two")]),
        said("6", "5", "m2", text("Done.")),
    ]
    assert history(lines) == ["Go.", "call:c1 call:c2", "result:c1=one", "result:c2=two", "Done."]


def test_results_of_parallel_calls_are_no_branches() -> None:
    lines = [
        user("1", None, "Go."),
        said("2", "1", "m1", call("c1")),
        said("3", "2", "m1", call("c2")),
        user("4", "3", [result("c2", "two")]),
        user("5", "2", [result("c1", "one")]),
        said("6", "4", "m2", text("Done.")),
    ]
    assert history(lines) == ["Go.", "call:c1 call:c2", "result:c2=two", "result:c1=one", "Done."]


def test_a_message_that_goes_on_after_a_prompt_is_another_one() -> None:
    lines = [
        user("1", None, "Go."),
        said("2", "1", "m1", text("First I")),
        user("3", "2", "Wait, the other file."),
        said("4", "3", "m1", call("c1")),
        user("5", "4", [result("c1")]),
    ]
    assert history(lines) == ["Go.", "First I", "Wait, the other file.", "call:c1", "result:c1=done"]


def test_a_late_result_stands_at_the_end_of_its_history() -> None:
    lines = [
        user("1", None, "Go."),
        said("2", "1", "m1", call("c1"), call("c2")),
        user("3", "2", [result("c1")]),
        user("4", "3", "Never mind."),
        user("5", "2", [result("c2")]),
        said("6", "5", "m2", text("All right.")),
    ]
    expected = [
        "Go.",
        "call:c1 call:c2",
        "result:c1=done",
        "Never mind.",
        "result:c2=done",
        "All right.",
    ]
    assert history(lines) == expected


@pytest.mark.parametrize("parent", ["2", "1"])
def test_a_second_prompt_or_a_second_answer_after_the_same_line_is_a_branch(parent: str) -> None:
    again = user("4", "2", "Now blue.") if parent == "2" else said("4", "1", "m9", text("Retried."))
    lines = [user("1", None, "Paint."), said("2", "1", "m1", text("How?")), user("3", "2", "Red."), again]
    first, current = only([*lines]).paths
    assert texts(first) == ["Paint.", "How?", "Red."]
    assert texts(current) == (["Paint.", "How?", "Now blue."] if parent == "2" else ["Paint.", "Retried."])


def test_a_prompt_and_an_answer_after_the_same_line_are_one_history() -> None:
    lines = [
        user("1", None, "Go."),
        said("2", "1", "m1", call("c1")),
        user("3", "2", [result("c1")]),
        user("4", "3", "Also the tests."),
        said("5", "3", "m2", text("On it.")),
    ]
    assert history(lines) == ["Go.", "call:c1", "result:c1=done", "Also the tests.", "On it."]


def test_a_prompt_without_a_parent_begins_anew_where_parents_are_named() -> None:
    lines = [user("1", None, "One."), said("2", "1", "m1", text("Yes.")), user("3", None, "Two.")]
    first, second = only([*lines]).paths
    assert (texts(first), texts(second)) == (["One.", "Yes."], ["Two."])


@pytest.mark.parametrize("parent", [None, "nobody"])
def test_without_known_parents_a_line_follows_the_one_before(parent: str | None) -> None:
    lines = [user("1", parent, "One."), said("2", parent, "m1", text("Yes.")), user("3", parent, "Two.")]
    assert history([*lines]) == ["One.", "Yes.", "Two."]


def test_compactions_are_counted_and_the_raw_history_runs_on() -> None:
    lines = [
        user("1", None, "One."),
        said("2", "1", "m1", text("Yes.")),
        mark("system", "3", None, subtype="compact_boundary", logicalParentUuid="2", compactMetadata={}),
        user("4", "3", "The story so far ...", isCompactSummary=True, isVisibleInTranscriptOnly=True),
        user("5", "4", "Two."),
    ]
    found = only([*lines])
    assert found.summaries == 1
    assert [texts(path) for path in found.paths] == [["One.", "Yes.", "Two."]]


def test_copies_of_lines_are_dropped_and_different_ones_reported() -> None:
    lines = [
        user("1", None, "One."),
        said("2", "1", "m1", text("Yes.")),
        user("1", "9", "One."),
        said("2", "1", "m1", text("No.")),
        user("3", "2", "Two."),
    ]
    found = reading([*lines])
    assert texts(found.transcripts[0].paths[0]) == ["One.", "Yes.", "Two."]
    assert [(one.line, "other content" in one.reason) for one in found.skipped] == [(4, True)]


def test_what_the_model_saw_is_a_message_and_what_it_did_not_see_is_none() -> None:
    queued = {"type": "queued_command", "prompt": "And the docs."}
    lines = [
        user("1", None, "Caveat: local commands follow.", isMeta=True),
        mark("progress", "2", "1", data={}),
        user("3", "2", "Go."),
        said("4", "3", "m1", text("API Error: 529"), isApiErrorMessage=True),
        said("5", "4", "m2", call("c1")),
        mark("attachment", "6", "5", attachment={"type": "date_change"}),
        user("7", "6", [result("c1")]),
        mark("attachment", "8", "7", attachment=queued),
        said("9", "8", "m3", text("Docs too.")),
        mark("file-history-snapshot", "", None, snapshot={}),
        {"type": "custom-title", "customTitle": "Painting the fence", "sessionId": "s1"},
        {"type": "summary", "summary": "Something else", "leafUuid": "9"},
    ]
    found = only([*lines])
    expected = [
        "Caveat: local commands follow.",
        "Go.",
        "call:c1",
        "result:c1=done",
        "And the docs.",
        "Docs too.",
    ]
    assert [texts(path) for path in found.paths] == [expected]
    assert (found.title, found.bookkeeping) == ("Painting the fence", 6)


def test_hidden_text_beside_the_results_of_open_calls_stays_with_them() -> None:
    lines = [
        user("1", None, "Go."),
        said("2", "1", "m1", call("c1")),
        user("3", "2", [result("c1")]),
        user("4", "3", "The skill says ...", isMeta=True),
        said("5", "2", "m1", call("c2")),
        user("6", "5", [result("c2"), text("and a picture")]),
        said("7", "6", "m2", text("Done.")),
    ]
    expected = [
        "Go.",
        "call:c1 call:c2",
        "result:c1=done",
        "The skill says ...",
        "result:c2=done",
        "and a picture",
    ]
    assert history([*lines]) == [*expected, "Done."]


def test_sidechains_are_conversations_of_their_own() -> None:
    side = {"isSidechain": True}
    lines = [
        user("1", None, "Go."),
        said("2", "1", "m1", call("c1")),
        user("a1", None, "Search.", **side),
        said("a2", "a1", "n1", text("Found."), **side),
        user("b1", None, "Count.", agentId="bee", **side),
        said("b2", "b1", "n2", text("Three."), agentId="bee", **side),
        user("3", "2", [result("c1")]),
    ]
    main, first, second = reading([*lines]).transcripts
    assert texts(main.paths[0]) == ["Go.", "call:c1", "result:c1=done"]
    assert (first.id, first.parent, texts(first.paths[0])) == ("s1/a1", "s1", ["Search.", "Found."])
    assert (second.id, second.parent, second.title) == ("s1/bee", "s1", "Count.")


def test_an_agents_own_file_is_linked_to_the_session_of_its_folder() -> None:
    lines = [user("1", None, "Search.", isSidechain=True, agentId="bee", sessionId="agent-bee")]
    path = "projects/p/s7/subagents/agent-bee.jsonl"
    related = {"projects/p/s7/subagents/agent-bee.meta.json": b'{"agentType":"scout"}'}
    (found,) = read(Source(path, joined(lines), related)).transcripts
    assert (found.id, found.parent, found.title) == ("s7/bee", "s7", "scout")


def test_calls_and_results_without_ids_find_each_other_in_order() -> None:
    bare = {"type": "tool_use", "name": "run", "input": {}}
    answer = {"type": "tool_result", "content": [text("a"), {"type": "image", "source": {}}]}
    lines = [
        user("1", None, "Go."),
        said("2", "1", "m1", bare, bare),
        user("3", "2", [answer, {"type": "tool_result"}], toolUseResult={"stdout": "kept beside"}),
        user("4", "3", [{"type": "tool_result", "content": "nobody asked"}]),
    ]
    (path,) = only([*lines]).paths
    assert [one.id for one in path[1].calls] == ["2:0", "2:1"]
    assert [one.call_id for one in path[2].results] == ["2:0", "2:1"]
    assert path[2].results[1].content == (Text("kept beside"),)
    assert [one.call_id for one in path[3].results] == ["4:result"]


def test_media_documents_and_server_tools_are_read() -> None:
    image = {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": "QUJD"}}
    paper = {"type": "document", "source": {"type": "text", "data": "words"}}
    server = {"type": "server_tool_use", "id": "w1", "name": "web_search", "input": {"query": "elm"}}
    hits = {"type": "web_search_tool_result", "tool_use_id": "w1", "content": [{"type": "hit", "url": "u"}]}
    lines = [user("1", None, [image, paper]), said("2", "1", "m1", server, hits, text("An elm."))]
    (path,) = only([*lines]).paths
    assert path[0].parts == (Media("image/png", data="QUJD", size_bytes=3), Text("words"))
    assert texts(path[1:]) == ["An elm. call:w1", 'result:w1={"type":"hit","url":"u"}']


def test_lines_that_are_no_messages_are_reported_with_their_numbers() -> None:
    lines = [
        user("1", None, "Go."),
        {"type": "tool_use", "name": "run"},
        {"type": "user", "uuid": "2", "parentUuid": "1", "message": {"role": "user"}},
        '"a string"',
        "{broken",
        said("3", "2", "m1", text("Yes."), {"type": "hologram"}),
        {"nothing": 1},
        '{"type":"user","uuid":"4","message":',
    ]
    found = reading([*lines])
    assert texts(found.transcripts[0].paths[0]) == ["Go.", "Yes."]
    assert [one.line for one in found.skipped] == [3, 4, 5, 6, 8]
    assert found.left_out == found.transcripts[0].left_out == {"tool_use": 1, "no type": 1}
    assert 'unknown content block "hologram"' in [one.reason for one in found.skipped]


@pytest.mark.parametrize(
    "more,provisional",
    [
        ([], [False, True, True]),
        ([user("9", "4", "Next.")], [False] * 4),
        ([said("9", "4", "m2", text("Next."))], [False, False, False, True]),
    ],
)
def test_the_last_assistant_message_is_provisional_until_something_follows(
    more: list[Line], provisional: list[bool]
) -> None:
    lines = [user("1", None, "Go."), said("2", "1", "m1", call("c1")), user("4", "2", [result("c1")]), *more]
    (path,) = only([*lines]).paths
    assert [message.provisional for message in path] == provisional


def test_ids_of_the_wrong_type_count_as_absent() -> None:
    lines = [
        {"type": "user", "uuid": 7, "parentUuid": [], "sessionId": {}, "message": {"content": "One."}},
        {"type": "assistant", "uuid": None, "parentUuid": 7, "message": {"id": 3, "content": [call("c"), 5]}},
        {
            "type": "user",
            "uuid": "x",
            "sessionId": "s",
            "parentUuid": 1.5,
            "message": {"content": [None, result("c")]},
        },
        {
            "type": "user",
            "uuid": "x2",
            "timestamp": {},
            "message": {"content": [{"type": "tool_result", "tool_use_id": 4}]},
        },
    ]
    found = reading([*lines])
    assert texts(found.transcripts[0].paths[0]) == ["One.", "call:c", "result:c=done", "result:x2:result="]
    assert all(isinstance(part, ToolResult) for part in found.transcripts[0].paths[0][-1].parts)


def test_parents_that_form_a_circle_are_read_as_a_line() -> None:
    lines = [
        user("1", "3", "One."),
        said("2", "1", "m1", text("Yes.")),
        user("3", "3", "Two."),
        user("4", "4", "Three."),
    ]
    assert history([*lines]) == ["One.", "Yes.", "Two.", "Three."]


def test_a_session_whose_beginning_is_in_another_file_says_so() -> None:
    found = reading([user("5", "4", "And now?"), said("6", "5", "m1", text("Now this."))])
    assert found.left_out == {"earlier lines/another file": 1}
    assert reading([user("1", None, "Go.")]).left_out == {}


def test_a_summary_that_begins_a_session_is_a_message() -> None:
    lines = [user("1", None, "They painted.", isCompactSummary=True), user("2", "1", "And now?")]
    assert history([*lines]) == ["They painted.", "And now?"]
    assert only([*lines]).summaries == 1


def test_attachments_stand_in_their_place_and_an_edited_prompt_stays_a_branch() -> None:
    def shown(own: str, parent: str, words: str) -> Line:
        return mark("attachment", own, parent, attachment={"type": "new_kind", "words": words})

    lines = [
        user("1", None, "Go."),
        shown("2", "1", "the plan"),
        shown("3", "1", "the rules"),
        said("4", "3", "m1", call("c1")),
        user("5", "4", [result("c1")]),
        shown("6", "5", "the hook"),
        said("7", "6", "m2", text("Done.")),
        user("8", "7", "More."),
        shown("9", "7", "another memory"),
        user("10", "9", "Wait."),
    ]
    first, second = [[one.split("\n")[-2:][0] for one in texts(path)] for path in only([*lines]).paths]
    begun = ["Go.", "the plan", "the rules", "call:c1", "result:c1=done", "the hook", "Done."]
    assert (first, second) == ([*begun, "More."], [*begun, "another memory", "Wait."])
