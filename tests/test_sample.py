"""The sample session that the package ships: well formed, reproducible, and free of anything real."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from palimpsest import samples

Line = dict[str, object]

SCRIPT = Path(__file__).parent.parent / "bench/make_sample.py"
HOST = re.compile(r"(?:https?:)?//(?:[^/\s@\"']*@)?([A-Za-z0-9-]+(?:\.[A-Za-z0-9-]+)*)")
SUFFIX = re.compile(
    r"\b[a-z0-9][a-z0-9-]*(?:\.[a-z0-9-]+)*\.(?:com|net|org|io|dev|app|se|no|de|uk|eu|co|ai)\b"
)
ADDRESS = re.compile(r"\b[\w.+-]+@[\w-]+\.[\w.-]+")
MAX_BYTES = 900_000


@pytest.fixture(scope="module")
def lines() -> list[Line]:
    return [json.loads(line) for line in samples.path().read_text(encoding="utf-8").splitlines()]


def messages(lines: list[Line], *, sidechain: bool = False) -> Iterator[tuple[Line, Line]]:
    """Each line that carries a message, with the message."""
    for line in lines:
        if line["type"] in ("user", "assistant") and line["isSidechain"] is sidechain:
            message = line["message"]
            assert isinstance(message, dict)
            yield line, message


def blocks(lines: list[Line]) -> Iterator[Line]:
    """Every content block, of the main conversation and of the subagent."""
    for sidechain in (False, True):
        for _, message in messages(lines, sidechain=sidechain):
            content = message["content"]
            if isinstance(content, list):
                yield from content


def of_type(lines: list[Line], kind: str) -> list[Line]:
    return [block for block in blocks(lines) if block["type"] == kind]


def test_the_script_writes_the_shipped_bytes_again(tmp_path: Path) -> None:
    out = tmp_path / "again.jsonl"
    subprocess.run([sys.executable, SCRIPT, "--out", out], check=True, capture_output=True, timeout=60)
    assert out.read_bytes() == samples.path().read_bytes()


def test_the_file_stays_small_enough_to_ship() -> None:
    assert samples.path().stat().st_size <= MAX_BYTES


def test_there_are_hundreds_of_messages(lines: list[Line]) -> None:
    ids = [message.get("id") or line["uuid"] for line, message in messages(lines)]
    assert 320 <= len(set(ids)) <= 420


def test_some_assistant_messages_are_spread_over_several_lines(lines: list[Line]) -> None:
    ids = [message["id"] for _, message in messages(lines) if message["role"] == "assistant"]
    assert len(ids) - len(set(ids)) > 50


def test_every_call_is_answered_once_but_the_interrupted_one(lines: list[Line]) -> None:
    called = [call["id"] for call in of_type(lines, "tool_use")]
    answered = [result["tool_use_id"] for result in of_type(lines, "tool_result")]
    assert len(called) == len(set(called))
    assert len(answered) == len(set(answered))
    assert set(answered) < set(called)
    (interrupted,) = set(called) - set(answered)
    (call,) = [call for call in of_type(lines, "tool_use") if call["id"] == interrupted]
    assert call["name"] == "Write"
    assert "pickle" in json.dumps(call["input"])


def test_some_calls_are_parallel_and_some_fail(lines: list[Line]) -> None:
    owners = [
        message["id"]
        for _, message in messages(lines)
        for block in (message["content"] if isinstance(message["content"], list) else [])
        if block["type"] == "tool_use"
    ]
    assert len(owners) - len(set(owners)) > 20
    assert sum(result.get("is_error") is True for result in of_type(lines, "tool_result")) >= 5


def test_every_parent_stands_earlier_in_the_file(lines: list[Line]) -> None:
    tree = [line for line in lines if "uuid" in line]
    ids = [line["uuid"] for line in tree]
    place = {uuid: number for number, uuid in enumerate(ids)}
    assert len(place) == len(ids)
    late = [line for number, line in enumerate(tree) if place.get(line["parentUuid"], -1) >= number]
    missing = [line for line in tree if line["parentUuid"] not in {None, *ids}]
    assert (late, missing) == ([], [])
    assert [line["isSidechain"] for line in tree if line["parentUuid"] is None] == [False, True]


def test_time_only_moves_forward_and_covers_three_days(lines: list[Line]) -> None:
    stamps = [str(line["timestamp"]) for line in lines if "timestamp" in line]
    assert stamps == sorted(stamps)
    assert {stamp[:10] for stamp in stamps} == {"2025-10-28", "2025-10-29", "2025-10-31"}


def test_the_lines_of_a_client_that_are_no_messages_occur(lines: list[Line]) -> None:
    kinds = {str(line["type"]) for line in lines}
    assert kinds == {"user", "assistant", "system", "summary", "file-history-snapshot"}
    assert any(line.get("isMeta") for line in lines)
    assert any(block["type"] == "thinking" and block["signature"] for block in blocks(lines))


def test_the_subagent_has_a_conversation_of_its_own(lines: list[Line]) -> None:
    assert 8 <= len(list(messages(lines, sidechain=True))) <= 20


def test_nothing_in_it_points_to_a_real_host_or_person() -> None:
    text = samples.path().read_text(encoding="utf-8")
    hosts = {host for host in HOST.findall(text) if "." in host}
    assert hosts
    assert {host for host in hosts if not host.endswith(".example") and host != "127.0.0.1"} == set()
    assert SUFFIX.findall(text) == []
    assert ADDRESS.findall(text) == []


@pytest.mark.parametrize("fact", samples.FACTS)
def test_a_fact_occurs_early_and_nowhere_later(lines: list[Line], fact: str) -> None:
    texts = [json.dumps(message, ensure_ascii=False) for _, message in messages(lines)]
    places = [place for place, text in enumerate(texts) if fact in text]
    assert 1 <= len(places) <= 8
    assert places[-1] < 0.6 * len(texts)
