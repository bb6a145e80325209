"""A JSON result says of its own call that it failed, in many languages; a state that was looked up fails nothing."""

from __future__ import annotations

import pytest

from palimpsest.record.message import Text, ToolResult
from palimpsest.summarize.outcomes import outcome


@pytest.mark.parametrize(
    "text, why",
    [
        ('{"esito": "errore", "codice": "BRT-12", "messaggio": "manca la boa"}', "BRT-12: manca la boa"),
        ('{"status": "fehler", "meldung": "Liegeplatz ist belegt"}', "Liegeplatz ist belegt"),
        ('{"resultado": "fallido", "motivo": "sin amarre", "amarre": 4}', "sin amarre"),
        ('{"état": "échec", "message": "quai fermé"}', "quai fermé"),
        ('{"结果": "失败", "原因": "泊位已满"}', "泊位已满"),
        ('{"結果": "エラー", "メッセージ": "空きがありません"}', "空きがありません"),
        ('{"결과": "실패", "이유": "자리가 없음"}', "자리가 없음"),
        ('{"Status": "Failed", "Reason": "no berth"}', "no berth"),
        ('{"\\u7d50\\u679c": "\\u5931\\u6557", "code": "Q4"}', "Q4"),
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
