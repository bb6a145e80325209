"""What holds for every session, however it was cut, forked, repeated or interleaved."""

from __future__ import annotations

import random
from collections import Counter
from itertools import accumulate, chain

import pytest
from hypothesis import given
from hypothesis import strategies as st

from palimpsest.formats.transcripts import FORMATS, Source, read
from palimpsest.record.message import Message, ToolResult
from tests.formats.cuts import cut_breaches
from tests.formats.written import (
    Line,
    answered,
    asked,
    call,
    event,
    item,
    joined,
    mark,
    reading,
    result,
    said,
    text,
    user,
)

steps = st.lists(st.tuples(st.integers(0, 12), st.integers(0, 30)), max_size=25)


def claude_session(plan: list[tuple[int, int]]) -> list[Line]:
    """A session of Claude Code in which everything that may happen happens in any order."""
    lines: list[Line] = [user("u", None, "w-u")]
    calls: list[str] = []
    for number, (kind, back) in enumerate(plan):
        own, near = f"n{number}", str(lines[-1]["uuid"])
        far = str(lines[back % len(lines)]["uuid"])
        match kind:
            case 0 | 1:
                lines.append(user(own, near if kind else far, f"w-{own}"))
            case 2 | 3 | 4:
                calls.append(f"c{number}")
                body = [text(f"w-{own}"), call(calls[-1])]
                lines.append(
                    said(own, near if kind < 4 else far, f"m{back % 4 if kind > 2 else number}", *body)
                )
            case 5 | 6:
                answer = [result(calls[back % len(calls)] if calls else "none", f"w-{own}")]
                lines.append(user(own, near if kind == 5 else far, answer))
            case 7:
                lines.append(user(own, near, f"w-{own}", isMeta=True))
            case 8:
                lines.append(dict(lines[back % len(lines)]))
            case 9:
                lines.append(mark("system", own, None, subtype="compact_boundary", logicalParentUuid=far))
            case 10:
                lines.append(user(own, None if back % 2 else far, f"w-{own}", isSidechain=True))
            case 11:
                found = {"type": "file" if back % 3 else "queued_command", "prompt": f"w-{own}"}
                lines.append(mark("attachment", own, near if back % 4 else far, attachment=found))
            case _:
                lines.append(mark("progress", own, near if back % 2 else None))
    return lines


def codex_session(plan: list[tuple[int, int]]) -> list[Line]:
    """A rollout of Codex in which everything that may happen happens in any order."""
    lines: list[Line] = [{"type": "session_meta", "payload": {"id": "r1"}}]
    calls: list[str] = []
    for number, (kind, back) in enumerate(plan):
        match kind:
            case 0 | 1:
                lines.append(asked(f"w-{number}"))
            case 2 | 3:
                lines.append(answered(f"w-{number}"))
            case 4 | 5:
                calls.append(f"c{number}")
                lines.append(item("function_call", call_id=calls[-1], name="run", arguments=f'"w-{number}"'))
            case 6 | 7:
                found = calls[back % len(calls)] if calls else "none"
                lines.append(item("function_call_output", call_id=found, output=f"w-{number}"))
            case 8:
                lines.append(item("web_search_call", id=f"c{number}", action=f"w-{number}"))
            case 9:
                lines.append(event("thread_rolled_back", num_turns=back % 3))
            case 10:
                lines.append({"type": "turn_context", "payload": {}})
            case 12:
                lines.append(event("agent_message", message=f"w-{number}"))
                lines.append(event("task_complete"))
            case _:
                lines.append({"type": "compacted", "payload": {"message": "m"}})
    return lines


def gemini_log(plan: list[tuple[int, int]]) -> list[Line]:
    """A log of Gemini CLI with records written again and taken back."""
    lines: list[Line] = [{"sessionId": "g1", "startTime": "2026-02-03T04:05:06Z"}]
    for number, (kind, back) in enumerate(plan):
        again = f"n{back % (number + 1)}"
        done = {"id": f"c{again}", "name": "run", "args": {}, "status": "success", "result": f"r-{number}"}
        match kind:
            case 0 | 1 | 2:
                lines.append({"type": "user", "id": f"n{number}", "content": f"w-{number}"})
            case 3 | 4:
                waiting = {"id": f"cn{number}", "name": "run", "args": {}}
                lines.append({"type": "gemini", "id": f"n{number}", "content": "", "toolCalls": [waiting]})
            case 5 | 6:
                lines.append({"type": "gemini", "id": again, "content": "", "toolCalls": [done]})
            case 7 | 8:
                lines.append({"type": "gemini", "id": again, "content": f"w-{number}"})
            case 9:
                lines.append({"$rewindTo": again})
            case 10:
                known = [line for line in lines if line.get("id") in {again, "n0", "n1"}]
                lines.append({"$set": {"messages": known}})
            case _:
                lines.append({"type": "info", "content": "still here"})
    return lines


def cuts_of(lines: list[Line], seed: int) -> list[int]:
    """Every end of a line, and some bytes between."""
    ends = list(accumulate(len(joined([line])) for line in lines))
    return [*ends, *random.Random(seed).choices(range(ends[-1]), k=5)]


def words_of(message: Message) -> list[str]:
    """The words by which a test knows what a message said."""
    results = [part.text for part in message.parts if isinstance(part, ToolResult)]
    spoken = [message.text, *results, *(one.arguments for one in message.calls)]
    return [word.strip('"') for word in "\n".join(spoken).splitlines() if word.strip('"').startswith("w-")]


@given(steps, st.integers(0, 99))
def test_a_claude_code_session_cut_anywhere_says_nothing_it_takes_back(
    plan: list[tuple[int, int]], seed: int
) -> None:
    lines = claude_session(plan)
    source = Source("session.jsonl", joined(lines))
    assert cut_breaches(source, "claude_code", cuts_of(lines, seed)) == []


@given(steps, st.integers(0, 99))
def test_a_codex_rollout_cut_anywhere_says_nothing_it_takes_back(
    plan: list[tuple[int, int]], seed: int
) -> None:
    lines = codex_session(plan)
    assert cut_breaches(Source("rollout.jsonl", joined(lines)), "codex", cuts_of(lines, seed)) == []


@given(steps, st.integers(0, 99))
def test_a_gemini_log_cut_anywhere_says_nothing_it_takes_back(plan: list[tuple[int, int]], seed: int) -> None:
    lines = gemini_log(plan)
    assert cut_breaches(Source("session.jsonl", joined(lines)), "gemini_cli", cuts_of(lines, seed)) == []


@given(steps)
def test_everything_said_in_a_claude_code_session_is_in_a_history_and_never_twice(
    plan: list[tuple[int, int]],
) -> None:
    lines = claude_session(plan)
    marks = {str(line["uuid"]) for line in lines if line["type"] in {"system", "progress"}}
    spoken = {f"w-{line['uuid']}" for line in lines if str(line["uuid"]) not in marks}
    histories = [path for one in reading([*lines]).transcripts for path in one.paths]
    found = [Counter(chain.from_iterable(words_of(message) for message in path)) for path in histories]
    assert set().union(*found) == spoken
    assert max(count for words in found for count in words.values()) == 1


@given(steps)
def test_everything_said_in_a_codex_rollout_is_in_a_history_and_never_twice(
    plan: list[tuple[int, int]],
) -> None:
    lines = codex_session(plan)
    silent = {9, 10, 11}
    spoken = {f"w-{number}" for number, (kind, _) in enumerate(plan) if kind not in silent}
    histories = [path for one in reading([*lines]).transcripts for path in one.paths]
    found = [Counter(chain.from_iterable(words_of(message) for message in path)) for path in histories]
    assert set().union(*found) == spoken
    assert all(count == 1 for words in found for count in words.values())


@given(steps)
def test_reading_again_gives_the_same(plan: list[tuple[int, int]]) -> None:
    data = joined(claude_session(plan))
    assert read(Source("a.jsonl", data)) == FORMATS["claude_code"].read(Source("a.jsonl", data))


@pytest.mark.parametrize("shape", ["chain", "star", "one message", "late results"])
def test_a_session_of_many_lines_is_read_without_recursion(shape: str) -> None:
    size = 20_000
    first = user("0", None, "Go.")
    lines: list[Line] = [first]
    match shape:
        case "chain":
            lines += [user(str(number), str(number - 1), "More.") for number in range(1, size)]
        case "star":
            lines += [user(str(number), "0", "Again.") for number in range(1, size)]
        case "one message":
            lines += [
                said(str(number), str(number - 1), "m", {"type": "tool_use"})
                for number in range(1, size // 2)
            ]
            answer = {"type": "tool_result", "content": "ok"}
            lines += [user(f"r{number}", "1", [answer]) for number in range(1, size // 2)]
        case _:
            lines += [
                said(str(number), str(number - 1), f"m{number}", call(f"c{number}"))
                for number in range(1, size // 2)
            ]
            lines += [
                user(f"r{number}", str(number), [result(f"c{number}")]) for number in range(1, size // 2)
            ]
    (found,) = reading([*lines]).transcripts
    lengths = {
        "chain": (1, size),
        "star": (size - 1, 2),
        "one message": (1, size // 2 + 1),
        "late results": (1, size - 1),
    }
    assert (len(found.paths), len(found.paths[-1])) == lengths[shape]
