"""Every real transcript at hand is read, with the counts it had when it was first looked through by hand."""

from __future__ import annotations

import random
from collections import Counter

import pytest

from palimpsest.errors import FormatError
from palimpsest.formats.transcripts import Reading, detect, read
from palimpsest.record.message import Message
from tests.formats.cuts import cut_breaches
from tests.formats.data import data_dir, data_path, needs_data, source_at

# The format; then how many transcripts, histories, messages of the current histories, calls, results, summaries; then
# the lines that were skipped; then the file.
TABLE = """
claude_code   1   1  21  12  12   0  -                    claude-code/1af7fc5e-8455-4414-9ccd-011d40f70b2a.jsonl
claude_code   3   3  45  21  21   0  -                    claude-code/5c0375b4-57a5-4f26-b12d-d022ee4e51b7.jsonl
claude_code   1   1   2   0   0   0  -                    claude-code/agent-test-hash-123.jsonl
claude_code   1   1   2   0   0   0  -                    claude-code/agent-test-hash-456.jsonl
claude_code   1 1   9   3   2   0  -                    claude-code/agentcmd/06381696-0074-49f8-863e-6ad4fac507f9.jsonl
claude_code   1   1   9   3   2   0  -                    claude-code/agentcmd/full-session-askuserquestion.jsonl
claude_code   1   1   9   5   5   0  -                    claude-code/agentcmd/full-session-five.jsonl
claude_code   1   1  63  27  27   0  -                    claude-code/agentcmd/full-session-four.jsonl
claude_code   1   1  32  23  20   0  -                    claude-code/agentcmd/full-session-three.jsonl
claude_code   1   1  30  10  10   0  -                    claude-code/agentcmd/full-session-two.jsonl
claude_code   1   1  32  23  20   0  -                    claude-code/agentcmd/full-session.jsonl
claude_code   1   1  11   3   1   0  10,11,13,15,16,18    claude-code/edge_cases.jsonl
claude_code   6   6 345 167 167   0  -                    claude-code/fe5e1c67-53e7-4862-81ae-d0e013e3270b.jsonl
claude_code   1   1 352 152 152   0  -                    claude-code/large-conversation.jsonl
claude_code   1   1 185  98  98   0  -                    claude-code/long-conversation.jsonl
claude_code   0   0   0   0   0   0  -                    claude-code/medium-conversation.jsonl
claude_code   1   1  11   2   2   0  -                    claude-code/representative_messages.jsonl
claude_code   1   1   3   0   0   0  -                    claude-code/session_b.jsonl
claude_code   1   1   2   0   0   0  -                    claude-code/short-conversation.jsonl
claude_code   1   1   6   1   1   0  -                    claude-code/tiny-conversation.jsonl
claude_code   1   1  11   3   3   0  -                    claude-code/todowrite_examples.jsonl
codex         1   1 270 123 123   0  -                    codex/rollout-2025-09-24T19-22*
codex         1   1  37  16  16   0  -                    codex/rollout-2025-09-24T20-12*
codex         1   1 119  57  57   0  -                    codex/rollout-2025-09-25T08-02*
codex         1   1 171  84  84   0  -                    codex/rollout-2025-09-25T09-49*
codex         1   1  71  34  34   0  -                    codex/rollout-2025-09-25T15-12*
gemini_cli    1   1  31  13  13   0  -                    gemini-cli/session-2025-10-27T19-55-981c87cb.json
gemini_cli    1   1   8   3   3   0  -                    gemini-cli/session-2025-10-29T10-36-453aa339.json
gemini_cli    1   1   4   1   1   0  -                    gemini-cli/session-2025-10-29T10-36-9c9a14e1.json
gemini_cli    1   1   4   1   1   0  -                    gemini-cli/session-2025-10-29T10-36-f96c76b0.json
gemini_cli    1   1   3   1   1   0  -                    gemini-cli/session-2025-10-29T10-39-a63242d9.json
gemini_cli    1   1   4   1   1   0  -                    gemini-cli/session-2025-10-29T10-40-359abdd0.json
claude_code   1   1  10   1   1   0  -                    other-agents/claude/large.jsonl
claude_code   1   1   4   0   0   0  -                    other-agents/claude/schema_drift.jsonl
claude_code   2   3  14   2   3   3  43-45,47,49,50,52,54,55,59-65,71-73,77-79,84,87-89 other-agents/claude/small.jsonl
claude_code   1   1   3   1   1   0  -                    other-agents/claude/subagent/*/subagents/agent-*.jsonl
claude_code   1   1   2   1   0   0  -                    other-agents/claude/subagent/0a1b*.jsonl
codex         1   1  15   1   1   0  -                    other-agents/codex/large.jsonl
codex         1   1   4   1   1   0  -                    other-agents/codex/schema_drift.jsonl
codex         1   1  21   8   8   6  -                    other-agents/codex/small.jsonl
gemini_cli    1   1   4   1   1   0  -                    other-agents/gemini/jsonl_v040.jsonl
gemini_cli    1   1   8   2   2   0  -                    other-agents/gemini/large.json
gemini_cli    1   1   2   0   0   0  -                    other-agents/gemini/schema_drift.json
gemini_cli    1   1   2   0   0   0  -                    other-agents/gemini/small.json
hermes        1   1   4   1   1   0  -                    other-agents/hermes/large.json
hermes        1   1   3   1   1   0  -                    other-agents/hermes/schema_drift.json
hermes        1   1   2   0   0   0  -                    other-agents/hermes/small.json
openclaw      1   1   7   2   2   0  -                    other-agents/openclaw/large.jsonl
openclaw      1   1   4   1   1   0  7                    other-agents/openclaw/schema_drift.jsonl
openclaw      1   1   3   1   1   0  -                    other-agents/openclaw/small.jsonl
opencode      1   1   2   1   1   0  1                    other-agents/opencode/storage_legacy/session/*/*_drift.json
opencode      1   1   5   1   1   1  -                    other-agents/opencode/storage_v2/session/*/*_large.json
opencode      1   1   3   1   1   0  -                    other-agents/opencode/storage_v2/session/*/*_small.json
pi            1   1   4   0   0   2  -                    other-agents/pi/small.jsonl
pi            1   1 977 454 448   2  -                    pi/before-compaction.jsonl
pi            1   1 900 391 373   0  -                    pi/large-session.jsonl
antigravity     1   1   4   1   1   0  -                    other-agents/antigravity/cli_schema_drift.jsonl
antigravity     1   1  24   9   9   1  -                    other-agents/antigravity/cli_small.jsonl
copilot_cli     1   1   8   2   1   0  -                    other-agents/copilot/large.jsonl
copilot_cli     1   1   4   1   2   0  -                    other-agents/copilot/schema_drift.jsonl
copilot_cli     2   2  12   3   4   0  -                    other-agents/copilot/small.jsonl
copilot_cli     1   1   4   1   1   0  -                    other-agents/copilot/subdir_v1/*/events.jsonl
cursor          1   1  10   2   2   0  -                    other-agents/cursor/large.jsonl
cursor          1   1   4   1   1   0  -                    other-agents/cursor/schema_drift.jsonl
cursor          1   1   4   1   0   0  -                    other-agents/cursor/small.jsonl
cursor          1   1   2   1   0   0  -                    other-agents/cursor/subagent/parent.jsonl
cursor          1   1   2   0   0   0  -                    other-agents/cursor/subagent/subagents/child.jsonl
droid           1   1   7   1   1   0  -                    other-agents/droid/session_store_large.jsonl
droid           1   1   2   0   0   0  -                    other-agents/droid/session_store_schema_drift.jsonl
droid           1   1   3   1   1   0  -                    other-agents/droid/session_store_small.jsonl
droid           1   1   5   1   1   0  -                    other-agents/droid/stream_json_large.jsonl
droid           1   1   4   1   1   0  -                    other-agents/droid/stream_json_schema_drift.jsonl
droid           1   1   4   1   1   0  -                    other-agents/droid/stream_json_small.jsonl
grok            1   1   8   2   2   0  -                    other-agents/grok/chat_history.jsonl
grok            1   1   4   1   1   0  -                    other-agents/grok/subagent/chat_history.jsonl
kimi            1   1  54  19  19   1  -                    other-agents/kimi/assistant_tools.jsonl
kimi            1   1   3   0   0   0  -                    other-agents/kimi/small.jsonl
kimi            1   1   6   2   2   0  -                    other-agents/kimi/subagent_agent-0.jsonl
qwen_code       1   1   5   1   1   0  -                    other-agents/qwen/*-000000000001.jsonl
qwen_code       1   1   1   0   0   0  -                    other-agents/qwen/*-000000000002.jsonl
qwen_code       1   2   3   1   0   0  -                    other-agents/qwen/*-000000000004.jsonl
qwen_code       1   1   2   0   0   0  -                    other-agents/qwen/*-000000000005.jsonl
qwen_code       1   1   1   0   0   0  -                    other-agents/qwen/019f0000000070008000000000000003.jsonl
qwen_code       1   1   2   1   1   0  -                    other-agents/qwen/system_telemetry.jsonl
"""

OTHERS = ("kimi/state.json", "grok/summary.json", "kimi/assistant_tools.state.json")

OTHER_KINDS = (
    "tau-bench/gpt-4o-airline.json openhands/sdk_fncall-llm-message.json openhands/resolver_output.jsonl "
    "swe-agent/github_issue.traj.json bfcl-memory/questions.json memorybank/memory_bank_en.json"
).split()


def row(line: str) -> tuple[str, str, list[int], list[int]]:
    """One line of the table: file, format, counts, skipped lines."""
    name, *counts, skipped, path = line.split()
    ends = [piece.split("-") for piece in skipped.split(",") if piece != "-"]
    lines = [number for piece in ends for number in range(int(piece[0]), int(piece[-1]) + 1)]
    return path, name, [int(count) for count in counts], lines


ROWS = [row(line) for line in TABLE.strip().splitlines()]


def current(reading: Reading) -> list[Message]:
    """The messages of every conversation's current history."""
    return [message for transcript in reading.transcripts for message in transcript.paths[-1]]


def counts_of(reading: Reading) -> list[int]:
    """The counts of the table."""
    messages = current(reading)
    return [
        len(reading.transcripts),
        sum(len(transcript.paths) for transcript in reading.transcripts),
        len(messages),
        sum(len(message.calls) for message in messages),
        sum(len(message.results) for message in messages),
        sum(transcript.summaries for transcript in reading.transcripts),
    ]


@needs_data
@pytest.mark.parametrize("path,name,counts,skipped", ROWS, ids=[found[0] for found in ROWS])
def test_a_real_transcript_has_its_counts(
    path: str, name: str, counts: list[int], skipped: list[int]
) -> None:
    source = source_at(data_path(path))
    reading = read(source)
    assert detect(source) == name
    assert counts_of(reading) == counts
    assert [found.line for found in reading.skipped] == skipped


@needs_data
@pytest.mark.parametrize("path,name", [found[:2] for found in ROWS], ids=[found[0] for found in ROWS])
def test_what_a_cut_transcript_says_stays_true_of_the_whole(path: str, name: str) -> None:
    source = source_at(data_path(path))
    cuts = sorted(random.Random(path).sample(range(len(source.data)), 20))
    assert cut_breaches(source, name, cuts) == []


@needs_data
def test_every_file_of_the_known_kinds_is_in_the_table() -> None:
    folder = data_dir()
    assert folder is not None
    kinds = ("claude-code", "codex", "pi", "gemini-cli", *(f"other-agents/{kind}" for kind in AGENTS))
    files = [path for kind in kinds for path in sorted((folder / kind).rglob("*")) if path.is_file()]
    found = [path for path in files if detect(source_at(path)) is not None]
    assert found
    assert sorted(found) == sorted(data_path(path) for path, *_ in ROWS)


AGENTS = (
    "antigravity claude codex copilot cursor droid gemini grok hermes kimi openclaw opencode pi qwen"
).split()


@needs_data
@pytest.mark.parametrize("path", [*(f"other-agents/{name}" for name in OTHERS), *OTHER_KINDS])
def test_files_of_other_kinds_are_refused_with_a_sentence(path: str) -> None:
    source = source_at(data_path(path))
    assert detect(source) is None
    with pytest.raises(FormatError, match="not a transcript"):
        read(source)


@needs_data
@pytest.mark.parametrize("kind", ["message", "part"])
def test_a_piece_of_an_opencode_session_is_named_as_one(kind: str) -> None:
    folder = data_path("other-agents/opencode") / "storage_v2" / kind
    for path in sorted(folder.rglob("*.json")):
        with pytest.raises(FormatError, match=f"a {kind} file of an opencode session"):
            read(source_at(path))


@needs_data
def test_real_sessions_carry_time_model_origin_and_usage() -> None:
    reading = read(source_at(data_path("claude-code/long-conversation.jsonl")))
    messages = reading.transcripts[0].paths[-1]
    spoken = [message for message in messages if message.role == "assistant"]
    assert all(message.time_s and message.origin for message in messages)
    assert all(message.model and message.usage and message.usage.input_tokens for message in spoken)
    origins = Counter(message.origin for message in messages)
    assert max(origins.values()) == 1


@needs_data
def test_real_usage_of_codex_stands_with_the_response_it_counts() -> None:
    path = "codex/rollout-2025-09-25T09-49*"
    spoken = [message for message in current(read(source_at(data_path(path)))) if message.role == "assistant"]
    prompts = [message.usage.input_tokens for message in spoken if message.usage]
    assert len(prompts) == len(spoken) == 85
    assert prompts == sorted(prompts)
