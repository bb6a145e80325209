"""A program that has set up OpenTelemetry, in a process of its own because providers are set once."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Mapping
from typing import cast

import pytest

from tests.house.tree import ROOT


@pytest.fixture(scope="module")
def told() -> Mapping[str, object]:
    pytest.importorskip("opentelemetry.sdk")
    command = [sys.executable, "-m", "tests.engine.traced"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True, timeout=120)
    return cast("Mapping[str, object]", json.loads(done.stdout))


@pytest.fixture(scope="module")
def spans(told: Mapping[str, object]) -> list[dict[str, object]]:
    return cast("list[dict[str, object]]", told["spans"])


def test_each_call_is_a_span_beneath_the_program_s_own(spans: list[dict[str, object]]) -> None:
    (turn,) = (span for span in spans if span["name"] == "turn")
    within = [span["name"] for span in spans if span["parent_id"] == _id(turn)]
    assert within.count("palimpsest.append") == 24
    assert within[-2:] == ["palimpsest.request", "palimpsest.compact"]


def test_the_calls_of_a_summarizer_are_beneath_their_compaction(spans: list[dict[str, object]]) -> None:
    first, second = (span for span in spans if span["name"] == "palimpsest.compact")
    assert _attributes(first)["palimpsest.compaction.id"] == "s1"
    assert _attributes(first)["palimpsest.reason"] == "leaf: enough messages outside the fresh tail"
    calls = [span for span in spans if span["parent_id"] == _id(first)]
    assert [span["name"] for span in calls] == ["chat summer-1", "chat summer-1"]
    assert [span["kind"] for span in calls] == ["SpanKind.CLIENT"] * 2
    assert _attributes(calls[1]) == {
        "gen_ai.operation.name": "chat",
        "gen_ai.provider.name": "gcp.gemini",
        "gen_ai.request.model": "summer-1",
        "gen_ai.conversation.id": "herons",
        "gen_ai.usage.input_tokens": 100,
        "gen_ai.usage.output_tokens": 10,
        "palimpsest.purpose": "summary",
    }
    failed = [span for span in spans if span["parent_id"] == _id(second)]
    assert {_attributes(span)["error.type"] for span in failed} == {"ValueError"}


def test_each_reply_that_an_agent_asks_for_is_a_span_and_its_tokens_count_once(
    told: Mapping[str, object],
) -> None:
    spans = cast("list[dict[str, object]]", told["spans"])
    (turn,) = (span for span in spans if span["name"] == "agent turn")
    calls = [
        span for span in spans if span["parent_id"] == _id(turn) and str(span["name"]).startswith("chat")
    ]
    assert [span["name"] for span in calls] == ["chat heron-2", "chat"]
    assert {span["kind"] for span in calls} == {"SpanKind.CLIENT"}
    replied, refused = (_attributes(span) for span in calls)
    assert (replied["gen_ai.usage.input_tokens"], replied["gen_ai.usage.output_tokens"]) == (70, 3)
    assert (replied["palimpsest.purpose"], replied["gen_ai.conversation.id"]) == ("reply", "agent herons")
    assert refused["error.type"] == "server"
    sums = [cast("float", point["sum"]) for point in _points(told, "gen_ai.client.token.usage")]
    assert [sums.count(70), sums.count(3)] == [1, 1]


def test_sums_are_measured_under_the_names_of_the_conventions(told: Mapping[str, object]) -> None:
    names = json.dumps(told["metrics"])
    for name in (
        "gen_ai.client.token.usage", "gen_ai.client.operation.duration", "palimpsest.messages",
        "palimpsest.decisions", "palimpsest.compactions", "palimpsest.escalations", "palimpsest.cache_tokens",
        "palimpsest.cost", "palimpsest.failures", "palimpsest.request.tokens",
    ):  # fmt: skip
        assert f'"{name}"' in names


def test_nothing_that_was_said_or_raised_is_exported(told: Mapping[str, object]) -> None:
    text = json.dumps(told)
    assert "herons" in text
    assert "the heron nests" not in text
    assert "planted-key-777" not in text


def _points(value: object, name: str) -> list[dict[str, object]]:
    """The points of a metric, wherever it stands."""
    if isinstance(value, list):
        return [point for inner in cast("list[object]", value) for point in _points(inner, name)]
    if not isinstance(value, dict):
        return []
    fields = cast("dict[str, object]", value)
    if fields.get("name") == name:
        return cast("dict[str, list[dict[str, object]]]", fields["data"])["data_points"]
    return _points(list(fields.values()), name)


def _attributes(span: Mapping[str, object]) -> Mapping[str, object]:
    return cast("Mapping[str, object]", span["attributes"])


def _id(span: Mapping[str, object]) -> object:
    return cast("Mapping[str, object]", span["context"])["span_id"]
