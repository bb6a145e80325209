"""A JSON result says of its own call that it failed; a state that was looked up fails nothing."""

from __future__ import annotations

import pytest

from palimpsest.record.message import Text, ToolResult
from palimpsest.toolcalls.outcomes import outcome


@pytest.mark.parametrize(
    "text, why",
    [
        ('{"Status": "Failed", "Reason": "no berth"}', "no berth"),
        ('{"success": false, "message": "no berth"}', "no berth"),
    ],
)
def test_a_result_that_says_that_its_call_failed_is_an_error(text: str, why: str) -> None:
    went = outcome(ToolResult("1", (Text(text),)))
    assert went.failed
    assert went.error == why


@pytest.mark.parametrize(
    "text",
    [
        '{"job_id": 7, "status": "failed", "started": "10:02"}',
        '{"esito": "ok", "codice": "BRT-12"}',
        '{"status": "ok", "errors": []}',
        '{"errors": 0, "error": null, "result": "done"}',
        '{"boats": [{"status": "error"}]}',
        '{"status": "failed"',
    ],
)
def test_a_state_that_was_looked_up_or_went_well_is_no_error(text: str) -> None:
    assert not outcome(ToolResult("1", (Text(text),))).failed
