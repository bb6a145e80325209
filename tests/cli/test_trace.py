"""`palimpsest trace`: where what a summary says comes from."""

from __future__ import annotations

import pytest

from palimpsest.cli.commands.trace import trace_lines
from palimpsest.engine.reports import Trace, Traced
from tests.cli.run import Shell


@pytest.fixture
def top(sample: Shell) -> str:
    """The oldest summary in the window."""
    return next(one["id"] for one in sample.json("window", "last")["items"] if one["kind"] == "summary")


def test_each_line_of_a_summary_has_messages_beneath_it(sample: Shell, top: str) -> None:
    found = sample.json("trace", top)
    beneath = {one["id"] for one in sample.json("expand", top, "--messages")["entries"]}
    sources = [set(line["messages"]) for line in found["lines"]]
    assert found["id"] == top
    assert all(one <= beneath for one in sources)
    assert all(sources)


def test_a_statement_leads_to_the_message_that_makes_it(sample: Shell, top: str) -> None:
    first = sample.json("expand", top, "--messages")["entries"][0]
    found = sample.json("trace", top, first["text"])
    assert first["id"] in found["lines"][0]["messages"]
    assert "no message says this" in sample("trace", top, "zyxgarden quuxharbour").out


def test_a_message_has_no_lines_to_trace(sample: Shell) -> None:
    ran = sample("trace", "m1")
    assert (ran.code != 0, "s3" in ran.err) == (True, True)


def test_at_a_terminal_no_line_is_wider_than_it_and_no_word_is_broken() -> None:
    said = "the boards of the quay are an hour off " * 5
    found = Trace("s1", "a", (Traced(said.strip(), ("m1",)),))
    *lines, ids = trace_lines(found, 40)
    assert (" ".join(lines), ids) == (said.strip(), "    m1")
    assert max(map(len, lines)) <= 40
    assert trace_lines(found) == [said.strip(), ids]
