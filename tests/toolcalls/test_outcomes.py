"""Results in JSON that say of themselves how the call went."""

from __future__ import annotations

import pytest

from palimpsest.record.message import Text, ToolResult
from palimpsest.toolcalls.outcomes import Outcome, outcome


def _ended(text: str) -> Outcome:
    return outcome(ToolResult("c1", (Text(text),)))


@pytest.mark.parametrize(
    "text, why",
    [
        ('{"ok": false, "error": "SLOT_TAKEN", "message": "9:00 is gone."}', "SLOT_TAKEN: 9:00 is gone."),
        ('{"ok": false, "error": "HTTP 503"}', "HTTP 503"),
        ('{"success": false, "reason": "no such berth", "berth": 14}', "no such berth"),
        ('{"error": {"code": "not_found", "message": "no such berth"}}', "not_found: no such berth"),
        (' {"errors": [{"path": "a"}], "status": 422}', '{"errors": [{"path": "a"}], "status": 422}'),
        ('{"success": false}', '{"success": false}'),
    ],
)
def test_a_result_that_says_that_it_failed_has_failed(text: str, why: str) -> None:
    assert _ended(text) == Outcome("error", failed=True, error=why)


@pytest.mark.parametrize(
    "text",
    [
        '{"ok": true, "error": null}',
        '{"id": "run-5", "status": "failed", "error": "timeout"}',
        '{"error": "", "rows": 4}',
        '{"found": false}',
        '{"esito": "ok", "codice": "Q7"}',
        '{"id": "J-5", "esito": "errore", "righe": 12}',
        '{"errors": []}',
        '[{"ok": false}]',
        '{"ok": false',
        "errors: 0",
        "Error: (none)",
        "error.log 3 kB",
        "Failed jobs: 3",
        "error handling in parser.py was changed",
        "Failed berths are listed below:\n1\n2",
    ],
)
def test_what_tells_of_other_things_has_not(text: str) -> None:
    assert not _ended(text).failed


@pytest.mark.parametrize(
    "text, label",
    [
        (
            "test result: ok. 63 passed; 0 failed; 2 skipped\n\ntest result: ok. 1 passed; 0 failed",
            "64 passed, 0 failed, 2 skipped",
        ),
        ("Test Files  2 passed (2)\n     Tests  14 passed (14)", "14 passed"),
        ("3 passed in the first try\n== 12 passed, 1 skipped in 3.4s ==", "12 passed, 1 skipped"),
    ],
)
def test_what_several_parts_counted_is_summed(text: str, label: str) -> None:
    assert outcome(ToolResult("c1", (Text(text),)), "make test").label == label


@pytest.mark.parametrize(
    "text",
    [
        "run 6f1 val_loss=nan epochs=11 failed",
        "port: 22 failed",
        '"code": 42 failed',
        "step 3 failed",
        "Test 3 failed",
        "[12/40] job 7 failed: no berth",
        "phase 1 passed, phase 2 failed",
        "Zeile 17 failed",
        "étape 2 failed",
        "ステップ 3 failed",
        "batch #9 failed",
        "disk 2 errors out",
    ],
)
def test_the_value_of_a_key_and_the_number_of_a_thing_count_nothing(text: str) -> None:
    assert _ended(text) == Outcome("ok", failed=False)


@pytest.mark.parametrize(
    "text, label",
    [
        ("Tests:       3 failed, 8 total", "3 failed"),
        ("     Tests  3 failed (3)", "3 failed"),
        ("Total: 3 failed", "3 failed"),
        ("port=5432 epochs=11, 2 failed", "2 failed"),
        ("and 3 failed", "3 failed"),
    ],
)
def test_what_begins_a_part_of_its_line_or_stands_behind_a_word_for_several_counts(
    text: str, label: str
) -> None:
    assert _ended(text).label == label
