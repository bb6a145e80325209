"""Sessions that are JSON documents: Gemini CLI's (or its log), Hermes', and opencode's with the files beside them."""

from __future__ import annotations

import json

import pytest

from palimpsest.errors import FormatError
from palimpsest.formats.transcripts import FORMATS, Reading, Source, detect, read
from palimpsest.record.message import Media, Reasoning, Text, Usage, is_developer
from tests.formats.cuts import cut_breaches, texts
from tests.formats.written import Line, joined

HEAD: Line = {"sessionId": "g1", "projectHash": "f00d", "startTime": "2026-02-03T04:05:06Z", "kind": "main"}


def document(fields: Line, path: str = "session.json") -> Reading:
    return read(Source(path, json.dumps(fields, indent=1).encode()))


def log(*lines: Line) -> Reading:
    return read(Source("session.jsonl", joined([HEAD, *lines])))


def user(own: str, content: object) -> Line:
    return {"id": own, "type": "user", "content": content, "timestamp": "2026-02-03T04:05:06Z"}


def model(own: str, content: str, *calls: Line, **more: object) -> Line:
    return {
        "id": own,
        "type": "gemini",
        "content": content,
        "toolCalls": list(calls),
        "model": "fir-3",
        **more,
    }


def called(own: str, output: str | None = None, status: str = "success") -> Line:
    given: Line = {"id": own, "name": "run", "args": {"command": "ls"}, "status": status}
    if output is not None:
        response = {"functionResponse": {"id": own, "name": "run", "response": {"output": output}}}
        given["result"] = [response]
    return given


def test_a_gemini_document_gives_calls_results_thoughts_and_usage() -> None:
    tokens = {"input": 90, "output": 5, "cached": 40, "thoughts": 2}
    thoughts = [{"subject": "Plan", "description": "Look first."}]
    spoken = model(
        "2", "Looking.", called("c1", "a.py"), called("c2", "no", "error"), tokens=tokens, thoughts=thoughts
    )
    image = {"inlineData": {"mimeType": "image/png", "data": "QUJD"}}
    told = [
        user("1", [{"text": "Look."}, image]),
        spoken,
        {"id": "3", "type": "info", "content": "Cancelled."},
    ]
    (found,) = document({**HEAD, "messages": told}).transcripts
    (path,) = found.paths
    assert texts(path) == ["Look.", "Looking. call:c1 call:c2", "result:c1=a.py", "result:c2=no"]
    assert path[0].parts[1] == Media("image/png", data="QUJD", size_bytes=3)
    assert path[1].parts[0] == Reasoning("Plan\nLook first.")
    assert (path[1].usage, path[1].model) == (Usage(90, 7, 40), "fir-3")
    assert [message.results[0].is_error for message in path[2:]] == [False, True]
    assert [message.provisional for message in path] == [False, True, True, True]
    assert (found.id, found.title, found.bookkeeping) == ("g1", "Look.", 1)


def test_in_a_gemini_log_the_last_writing_of_a_record_counts() -> None:
    found = log(
        user("1", "Look."),
        model("2", "", called("c1", status="executing")),
        model("2", "Looking.", called("c1", "a.py")),
        {"$set": {"lastUpdated": "2026-02-03T04:05:07Z", "summary": "A look around"}},
    )
    assert texts(found.transcripts[0].paths[0]) == ["Look.", "Looking. call:c1", "result:c1=a.py"]
    assert found.transcripts[0].title == "A look around"
    assert found.skipped == ()


def test_a_record_that_others_follow_takes_results_and_nothing_else() -> None:
    found = log(
        user("1", "Look."),
        model("2", "", called("c1", status="executing")),
        user("3", "Hurry."),
        model("2", "", called("c1", "a.py")),
        model("2", "Changed.", called("c1", "a.py")),
        user("3", "Changed."),
    )
    assert texts(found.transcripts[0].paths[0]) == ["Look.", "call:c1", "Hurry.", "result:c1=a.py"]
    assert [one.line for one in found.skipped] == [6, 7]


@pytest.mark.parametrize("target,kept", [("3", ["One.", "Yes."]), ("1", []), ("unknown", [])])
def test_records_taken_back_begin_a_branch(target: str, kept: list[str]) -> None:
    said = [user("1", "One."), model("2", "Yes."), user("3", "Two."), model("4", "No.")]
    (found,) = log(*said, {"$rewindTo": target}, user("5", "Three.")).transcripts
    assert [texts(path) for path in found.paths] == [["One.", "Yes.", "Two.", "No."], [*kept, "Three."]]


def test_a_history_stated_anew_shares_what_it_can() -> None:
    said = [user("1", "One."), model("2", "Yes."), user("3", "Two.")]
    stated: Line = {"$set": {"messages": [*said[:2], user("4", "Three.")]}}
    (found,) = log(*said, stated, model("5", "Fine.")).transcripts
    assert [texts(path) for path in found.paths] == [
        ["One.", "Yes.", "Two."],
        ["One.", "Yes.", "Three.", "Fine."],
    ]


def test_geminis_own_compaction_is_counted_and_the_raw_history_runs_on() -> None:
    snapshot = user("9", "<state_snapshot>the story</state_snapshot>")
    stated: Line = {"$set": {"messages": [snapshot, model("10", "Got it."), user("3", "Two.")]}}
    (found,) = log(
        user("1", "One."), model("2", "Yes."), user("3", "Two."), stated, model("11", "No.")
    ).transcripts
    assert found.summaries == 1
    assert [texts(path) for path in found.paths] == [["One.", "Yes.", "Two.", "No."]]


def test_a_session_without_a_name_is_named_by_its_file_and_its_beginning() -> None:
    told: list[Line] = [
        {"role": "user", "parts": [{"text": "One."}]},
        {"role": "model", "parts": [{"text": "Yes."}]},
    ]
    grown = [*told, {"role": "user", "parts": [{"text": "Two."}]}]
    other = [{"role": "user", "parts": [{"text": "Else."}]}, *told]
    (found,) = document({"history": told}, "a/kite.json").transcripts
    assert (found.format, texts(found.paths[0])) == ("gemini_cli", ["One.", "Yes."])
    assert found.id.startswith("kite-")
    assert document({"history": grown}, "b/kite.json").transcripts[0].id == found.id
    assert document({"history": other}, "a/kite.json").transcripts[0].id != found.id


HERMES: Line = {
    "session_id": "h1",
    "platform": "cli",
    "message_count": 3,
    "model": "fir-3",
    "system_prompt": "Be brief.",
}


def test_a_hermes_document_is_read_in_openais_form() -> None:
    asked = {"id": "c1", "type": "function", "function": {"name": "run", "arguments": '{"a":  1}'}}
    shown = [
        {"type": "text", "text": "See:"},
        {"type": "image_url", "image_url": {"url": "https://kite.example/a.png"}},
    ]
    messages = [
        {"role": "system", "content": "Use tools."},
        {"role": "user", "content": shown, "timestamp": 1770091506},
        {"role": "assistant", "content": "Looking.", "reasoning_content": "hm", "tool_calls": [asked]},
        {"role": "tool", "tool_call_id": "c1", "content": "a.py", "finish_reason": "error"},
        {"role": "session_meta"},
        {"role": "oracle"},
        {"role": "developer", "content": "No tools."},
    ]
    found = document({**HERMES, "messages": messages})
    (path,) = found.transcripts[0].paths
    assert texts(path) == ["See:", "Looking. call:c1", "result:c1=a.py", "No tools."]
    assert (path[3].role, is_developer(path[3])) == ("system", True)
    assert path[0].parts[1] == Media("image", uri="https://kite.example/a.png")
    assert path[0].time_s == 1770091506
    assert (path[1].parts[0], path[1].calls[0].arguments) == (Reasoning("hm"), '{"a":  1}')
    assert path[2].results[0].is_error
    assert found.transcripts[0].system == "Be brief.\n\nUse tools."
    assert [one.line for one in found.skipped] == [6]


def test_hermes_own_compaction_is_counted_and_words_behind_it_are_kept() -> None:
    mark = "[CONTEXT COMPACTION - REFERENCE ONLY] The story."
    end = "\n\n--- END OF CONTEXT SUMMARY - answer below ---\n\nFly the kite."
    messages = [{"role": "user", "content": mark}, {"role": "user", "content": mark + end}]
    (found,) = document({**HERMES, "messages": messages}).transcripts
    assert found.summaries == 2
    assert texts(found.paths[0]) == ["Fly the kite."]


@pytest.mark.parametrize(
    "fields",
    [
        {
            **HEAD,
            "messages": [user("1", "One é 🪁"), model("2", "Yes.", called("c1", "ok")), user("3", "Two.")],
        },
        {
            **HERMES,
            "messages": [{"role": "user", "content": "One é 🪁"}, {"role": "assistant", "content": "Yes."}],
        },
    ],
)
def test_a_document_cut_at_any_byte_gives_what_is_complete_in_it(fields: Line) -> None:
    data = json.dumps(fields, ensure_ascii=False).encode()
    source = Source("session.json", data)
    name = detect(source)
    assert name is not None
    assert cut_breaches(source, name, range(len(data))) == []
    reading = FORMATS[name].read(Source("session.json", data[:-4]))
    assert reading.skipped[-1].reason == f"the JSON is cut off at byte {len(data) - 4}"
    assert len(reading.transcripts[0].paths[0]) > 0


def test_a_document_broken_in_the_middle_says_where() -> None:
    data = json.dumps({**HERMES, "messages": [{"role": "user", "content": "One."}]}).encode()
    broken = data.replace(b"]}", b", !oops]}")
    found = read(Source("session.json", broken))
    assert found.skipped[0].reason == f"the JSON is broken at byte {broken.index(b'!')}"
    assert texts(found.transcripts[0].paths[0]) == ["One."]


def test_a_number_too_long_to_be_read_ends_a_document_and_is_no_fault() -> None:
    data = json.dumps({**HERMES, "messages": [{"role": "user", "content": "One."}]}).encode()
    long = data.replace(b"]}", b', {"at": ' + b"9" * 5_000 + b"}]}")
    found = read(Source("session.json", long))
    assert found.skipped[0].reason.startswith("the JSON is broken at byte")
    assert texts(found.transcripts[0].paths[0]) == ["One."]
    lines = joined([{"n": "N"}, HEAD, user("1", "Two.")]).replace(b'"N"', b"9" * 5_000)
    assert [texts(one.paths[0]) for one in read(Source("session.jsonl", lines)).transcripts] == [["Two."]]


SESSION: Line = {
    "id": "o1",
    "projectID": "p",
    "directory": "/kite",
    "title": "Kites",
    "time": {"created": 1770091506000},
}


def storage(messages: list[Line], parts: list[Line]) -> Source:
    """A session of opencode with its files."""
    related = {f"s/message/o1/{one['id']}.json": json.dumps(one).encode() for one in messages}
    related |= {f"s/part/{one['messageID']}/{one['id']}.json": json.dumps(one).encode() for one in parts}
    return Source("s/session/p/o1.json", json.dumps(SESSION).encode(), related)


def message(own: str, role: str, created: int, **more: object) -> Line:
    return {"id": own, "sessionID": "o1", "role": role, "time": {"created": created}, **more}


def part(owner: str, own: str, kind: str, **more: object) -> Line:
    return {"id": own, "messageID": owner, "sessionID": "o1", "type": kind, **more}


def tool(owner: str, own: str, status: str, **state: object) -> Line:
    return part(
        owner, own, "tool", callID=f"c-{own}", tool="bash", state={"status": status, "input": {}, **state}
    )


def test_an_opencode_session_is_put_together_from_its_files() -> None:
    tokens = {"input": 5, "output": 2, "reasoning": 1, "cache": {"read": 90, "write": 3}}
    messages = [
        message("m2", "assistant", 2000000000000, modelID="fir-3"),
        message("m1", "user", 1000000000000),
    ]
    parts = [
        part("m1", "a1", "text", text="Look."),
        part("m1", "a2", "file", mime="image/png", url="data:image/png;base64,QUJD"),
        part("m2", "b1", "step-start"),
        part("m2", "b2", "reasoning", text="hm"),
        tool("m2", "b3", "completed", output="a.py"),
        part("m2", "b4", "step-finish", tokens=tokens),
        part("m2", "b5", "step-start"),
        part("m2", "b6", "text", text="One file."),
        tool("m2", "b7", "running"),
        part("m2", "b8", "hologram"),
    ]
    found = read(storage(messages, parts))
    (path,) = found.transcripts[0].paths
    assert texts(path) == ["Look.", "call:c-b3", "result:c-b3=a.py", "One file. call:c-b7"]
    assert path[0].parts[1] == Media("image/png", data="QUJD", size_bytes=3)
    assert (path[1].parts[0], path[1].usage, path[1].model) == (Reasoning("hm"), Usage(98, 3, 90, 3), "fir-3")
    assert [one.provisional for one in path] == [False, False, False, True]
    assert (found.transcripts[0].title, found.transcripts[0].cwd) == ("Kites", "/kite")
    assert [one.reason for one in found.skipped] == ['unknown part type "hologram"']


def test_a_completed_opencode_message_is_closed_and_its_errors_are_results() -> None:
    done = message("m2", "assistant", 2, time={"created": 2, "completed": 3})
    parts = [part("m1", "a1", "text", text="Look."), tool("m2", "b1", "error", error="denied")]
    (path,) = read(storage([message("m1", "user", 1), done], parts)).transcripts[0].paths
    assert not any(one.provisional for one in path)
    assert path[2].results[0].is_error
    assert path[2].results[0].content == (Text("denied"),)


def test_opencodes_own_summaries_are_counted() -> None:
    messages = [
        message("m1", "user", 1),
        message("m2", "user", 2),
        message("m3", "assistant", 3, summary=True),
    ]
    parts = [
        part("m1", "a1", "text", text="Look."),
        part("m2", "b1", "compaction", auto=True),
        part("m3", "c1", "text", text="The story."),
    ]
    (found,) = read(storage(messages, parts)).transcripts
    assert found.summaries == 1
    assert [texts(path) for path in found.paths] == [["Look."]]


def test_an_opencode_session_asks_for_messages_and_then_for_their_parts() -> None:
    asked = FORMATS["opencode"].related
    alone = Source("s/session/p/o1.json", json.dumps(SESSION).encode())
    assert asked(alone) == ("../../message/o1/*.json",)
    with_messages = storage([message("m1", "user", 1)], [])
    assert asked(with_messages)[1:] == ("../../part/m1/*.json", "../../part/*.json")
    named_badly = {**SESSION, "id": "../../etc/*"}
    assert asked(Source("s/session/p/o1.json", json.dumps(named_badly).encode())) == ()


def test_missing_and_broken_files_of_opencode_are_reported() -> None:
    source = storage([message("m1", "user", 1)], [])
    related = {
        **source.related,
        "s/part/m1/b.json": b"{",
        "s/part/m1/c.json": b"{}",
        "s/part/m1/d.json": b'{"x":1}',
    }
    found = read(Source(source.path, source.data, related))
    reasons = [one.reason for one in found.skipped]
    assert reasons[:2] == ["m1/b.json: broken JSON", "m1/c.json: broken JSON"]
    assert reasons[2:] == ["m1/d.json: neither a message nor a part", "message m1 has no parts"]
    assert read(Source(source.path, source.data)).transcripts == ()


@pytest.mark.parametrize("cut", [1, 20, 60])
def test_a_cut_session_file_of_opencode_is_refused(cut: int) -> None:
    data = json.dumps(SESSION).encode()[:cut]
    with pytest.raises(FormatError, match=f"broken at byte {cut}"):
        read(Source("o1.json", data), "opencode")
