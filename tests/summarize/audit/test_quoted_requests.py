"""The user's requests in a summary: the newest as it was written, and none that nobody made."""

from __future__ import annotations

from dataclasses import replace

import pytest

from palimpsest.record.message import Message
from palimpsest.settings import SummaryForm
from palimpsest.summarize.audit.audit import audit
from palimpsest.summarize.audit.repair import repair
from tests.summarize.audit.stories import grounds
from tests.summarize.dialogues import assistant, call, leaf, quarter, result, user

ASKED = "Paint the station, and tell me only the colour."
STORY = (user("Build the tram layout."), assistant("Built."), user(ASKED))


def repaired(text: str, *messages: Message, form: SummaryForm = "sections") -> str:
    """What is committed of a summary of these messages."""
    held = grounds(leaf(messages), form=form)
    found = audit(text, held, whole=False)
    return repair(text, found, held, target_tokens=600, limit_tokens=3_000, count=quarter)[0]


@pytest.mark.parametrize("quoted", ["Paint the station red.", ASKED])
def test_a_request_that_is_answered_behind_its_part_is_not_pending(quoted: str) -> None:
    said = f"## Progress\nThe tram layout was built.\n## Pending user request\n{quoted}"
    source = leaf((user("Build the tram layout. Never use servo 4."), *STORY[1:]))
    held = replace(grounds(source), source=replace(source, answered=True))
    found = audit(said, held, whole=False)
    made, done = repair(said, found, held, target_tokens=600, limit_tokens=3_000, count=quarter)
    assert any(one.startswith("added") for one in done)
    assert f"## Last request of this part\n{ASKED}" in made
    assert "Pending" not in made


def test_the_newest_request_is_quoted_as_pending_while_it_has_no_answer() -> None:
    said = "## Goal\nBuild the tram layout.\n## Pending user request\nPaint the station red."
    busy = (*STORY, assistant("", call("a", "Bash", command="paint")), result("a", "ok"))
    assert f"## Pending user request\n{ASKED}" in repaired(said, *busy)
    assert f"## Last request of this part\n{ASKED}" in repaired(said, *busy, assistant("It is green now."))


@pytest.mark.parametrize("form", ["page", "prose"])
def test_a_pending_request_that_nobody_made_goes(form: SummaryForm) -> None:
    said = "## Goal\nBuild the tram layout.\n## Pending user request\n"
    invented = repaired(said + "Delete the timer of signal 9.", *STORY, form=form)
    assert "signal 9" not in invented
    assert "Pending" not in invented
    assert ASKED in repaired(f"{said}- The user asks: {ASKED}", *STORY, form=form)


@pytest.mark.parametrize("line", ["Do Y instead.", "请改成绿色。"])
def test_a_request_that_nobody_made_goes_where_the_source_has_none(line: str) -> None:
    working = (assistant("", call("a", "Bash", command="make tram")), result("a", "ok"))
    made = repaired(f"## Progress\nThe tram was made.\n## Pending user request\n{line}", *working)
    assert line not in made
    assert "The tram was made." in made


@pytest.mark.parametrize("line", ["None.", "(nothing pending)", "Keine offenen Anfragen.", "无"])
def test_that_nothing_is_pending_is_no_invented_request(line: str) -> None:
    source = leaf((assistant("", call("a", "Bash", command="make tram")), result("a", "ok")))
    assert not audit(
        f"## Progress\nmake tram ran.\n## Pending user request\n{line}", grounds(source), whole=False
    )
