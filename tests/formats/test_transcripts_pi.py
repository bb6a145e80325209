"""pi's sessions, and OpenClaw's, rule by rule, on invented entries."""

from __future__ import annotations

from palimpsest.formats.transcripts import Source, Transcript, detect
from palimpsest.record.message import Media, Reasoning, Text, ToolResult, Usage
from tests.formats.cuts import texts
from tests.formats.written import Line, entry, joined, reading

HEAD: Line = {"type": "session", "version": 3, "id": "p1", "cwd": "/home/ada/kite"}


def called(call_id: str) -> Line:
    return {"type": "toolCall", "id": call_id, "name": "bash", "arguments": {"command": "ls"}}


def words(text: str) -> list[Line]:
    return [{"type": "text", "text": text}]


def only(lines: list[Line]) -> Transcript:
    """The one conversation of these entries."""
    (found,) = reading([HEAD, *lines]).transcripts
    return found


def mark(kind: str, own: str, parent: str | None, **more: object) -> Line:
    return {"type": kind, "id": own, "parentId": parent, **more}


def test_a_session_is_read_with_calls_results_and_usage() -> None:
    usage = {"input": 5, "output": 7, "cacheRead": 90, "cacheWrite": 3}
    thinking = {"type": "thinking", "thinking": "hm", "thinkingSignature": "c2ln"}
    spoken = [thinking, *words("Looking."), called("c1")]
    shown = [*words("a.py"), {"type": "image", "data": "QUJD", "mimeType": "image/png"}]
    lines = [
        entry("1", None, "user", words("Look.")),
        entry("2", "1", "assistant", spoken, usage=usage, model="maple-1", api="anthropic-messages"),
        entry("3", "2", "toolResult", shown, toolCallId="c1", isError=True),
    ]
    found = only(lines)
    (path,) = found.paths
    assert texts(path) == ["Look.", "Looking. call:c1", "result:c1=a.py"]
    assert path[1].parts[0] == Reasoning("hm", "c2ln")
    assert (path[1].usage, path[1].model, path[1].wire) == (Usage(98, 7, 90, 3), "maple-1", "anthropic")
    media = Media("image/png", data="QUJD", size_bytes=3)
    assert path[2].results == (ToolResult("c1", (Text("a.py"), media), is_error=True),)
    assert not any(message.provisional for message in path)
    assert (found.id, found.title, found.cwd) == ("p1", "Look.", "/home/ada/kite")


def test_entries_without_ids_follow_one_another() -> None:
    lines = [
        entry("", None, "user", "One."),
        entry("", None, "assistant", words("Yes.")),
        entry("", None, "user", "Two."),
    ]
    for line in lines:
        del line["id"], line["parentId"]
    assert [texts(path) for path in only(lines).paths] == [["One.", "Yes.", "Two."]]


def test_the_same_parent_twice_is_a_branch_whoever_speaks() -> None:
    lines = [
        entry("1", None, "user", "One."),
        entry("2", "1", "assistant", words("Yes.")),
        mark("label", "3", "2"),
        entry("4", "3", "user", "Two."),
        entry("5", "1", "user", "No, three."),
        entry("6", None, "user", "Four."),
    ]
    paths = [texts(path) for path in only(lines).paths]
    assert paths == [["One.", "Yes.", "Two."], ["One.", "No, three."], ["Four."]]


def test_summaries_are_counted_and_everything_else_runs_on() -> None:
    lines = [
        entry("1", None, "user", "One."),
        mark("compaction", "2", "1", summary="The story.", firstKeptEntryId="1", tokensBefore=9),
        mark("branch_summary", "3", "2", summary="Elsewhere."),
        entry("4", "3", "user", "Two."),
    ]
    found = only(lines)
    assert found.summaries == 2
    assert [texts(path) for path in found.paths] == [["One.", "Two."]]


def test_what_the_model_saw_beside_the_conversation_is_a_message() -> None:
    lines = [
        mark("custom_message", "1", None, customType="notes", content="Remember the kite."),
        entry("2", "1", "bashExecution", None, command="ls", output="a.py\n", exitCode=2),
        entry("3", "2", "bashExecution", None, command="pwd", output="x", excludeFromContext=True),
        entry("4", "3", "bashExecution", None, command="sleep 9", cancelled=True, exitCode=None),
        entry("5", "4", "assistant", [], stopReason="aborted"),
        entry("6", "5", "assistant", words("Seen.")),
    ]
    found = only(lines)
    expected = ["Remember the kite.", "$ ls\na.py\n(exit code 2)", "$ sleep 9\n(cancelled)", "Seen."]
    assert [texts(path) for path in found.paths] == [expected]
    assert found.bookkeeping == 3


def test_a_session_branched_from_another_is_spawned_by_none() -> None:
    head = {**HEAD, "branchedFrom": "/home/ada/.pi/sessions/2026-01-02T03-04-05_p0.jsonl"}
    (found,) = reading([head, entry("1", None, "user", "One.")]).transcripts
    assert found.parent == ""


def test_what_is_unknown_is_reported() -> None:
    lines: list[Line] = [
        entry("1", None, "user", "One."),
        mark("aura", "2", "1"),
        entry("3", "2", "oracle", "Hm."),
        entry("4", "3", "user", None),
        entry("5", "4", "assistant", [*words("Yes."), {"type": "hologram"}, 7]),
    ]
    found = reading([HEAD, *lines])
    assert texts(found.transcripts[0].paths[0]) == ["One.", "Yes."]
    assert [(one.line, one.reason) for one in found.skipped] == [
        (3, 'unknown entry type "aura"'),
        (4, 'unknown role "oracle"'),
        (5, "a message without content"),
        (6, 'unknown content block "hologram"'),
        (6, "a content block is a number"),
    ]


def test_openclaw_is_told_by_its_head_and_never_by_what_was_said() -> None:
    lines = [HEAD, entry("1", None, "user", "Tell me about openclaw.")]
    theirs = [
        HEAD,
        mark("custom", "1", None, customType="openclaw.ui"),
        entry("2", "1", "system", "Be brief."),
    ]
    assert detect(Source("x.jsonl", joined(lines))) == "pi"
    assert detect(Source("/home/ada/.openclaw/sessions/x.jsonl", joined(lines))) == "openclaw"
    assert detect(Source("x.jsonl", joined(theirs))) == "openclaw"


def test_openclaw_results_hang_on_calls_and_leading_system_words_are_the_system_prompt() -> None:
    head = {**HEAD, "id": "openclaw-1"}
    lines = [
        entry("0", None, "system", "Be kind."),
        entry("1", "openclaw-1", "user", words("Go.")),
        entry("2", "1", "assistant", [called("c1")]),
        entry("3", "c1", "toolResult", "ok", toolCallId="c1"),
        entry("4", "3", "system", "Be brief."),
    ]
    (found,) = reading([head, *lines]).transcripts
    assert found.format == "openclaw"
    assert [texts(path) for path in found.paths] == [["Go.", "call:c1", "result:c1=ok", "Be brief."]]
    assert (found.system, found.paths[0][-1].role) == ("Be kind.", "system")
