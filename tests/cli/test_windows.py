"""What `window` and `compact` say, in words that a person can add up."""

from __future__ import annotations

from pathlib import Path
from typing import get_args

import pytest

from palimpsest.cli import main
from palimpsest.cli.compacted import decision_lines, report_blocks, report_fields
from palimpsest.engine.reports import MadeSummary, Report, WindowView
from palimpsest.errors import ModelError
from palimpsest.record.decision import Budget, Decision, Regions, Step, StepKind
from palimpsest.record.window import Window
from tests.cli.run import Shell, claude_lines
from tests.cli.surroundings import variables
from tests.wire.vectors import serving_json

VIEW = WindowView("a", Window(), Budget(Regions(history=900), 2_000, 500, 100), "")


def told(*numbers: tuple[str, float], width: int = 80) -> str:
    """The numbers of a decision as a terminal of this width shows them."""
    return "\n".join(decision_lines(Decision((), "it pays", numbers), VIEW, width)[2:])


@pytest.mark.parametrize("kind", get_args(StepKind))
def test_every_kind_of_step_is_told_in_words(kind: StepKind) -> None:
    steps = (Step(kind, ("m3", "m4"), 3, 4, 2_000, 400),)
    assert "messages 3-4: 2,000 tokens, to about 400" in "\n".join(
        decision_lines(Decision(steps, "it pays"), VIEW, 80)
    )


def test_the_numbers_of_a_decision_stand_before_their_units_and_a_unit_is_explained() -> None:
    shown = told(
        ("used_tokens", 1_234), ("saved_units", 77.25), ("cost_units", 0.0), ("own_units", 51.5), width=200
    )
    assert "used 1,234 tokens   saved 77.2 units   cost 0.0 units   own summary 51.5 units" in shown
    assert shown.count("uncached input token") == 1
    assert (
        told(("messages", 7), ("head_items", 2), ("capped", 1))
        == "numbers   7 messages   head 2 items   capped 1"
    )


def test_a_summary_that_costs_nothing_is_no_number_of_a_decision() -> None:
    assert told(("used_tokens", 5), ("extractive_units", 0.0)) == "numbers   used 5 tokens"


def test_a_decision_fits_a_narrow_terminal() -> None:
    shown = told(*((f"part{number}_tokens", 10_000) for number in range(9)), width=40)
    assert max(map(len, shown.splitlines())) <= 40


def test_what_was_done_is_counted_and_a_model_that_failed_is_told_with_its_reason() -> None:
    made = (MadeSummary("s1", 0, 100, "extractive", "m1", "m2", 2),)
    report = Report("a", "it pays", 9, 8, made, stubs=1, omitted=2, calls=2, refused="raised: no such key")
    shown = "\n".join(map(str, report_blocks(report, VIEW.budget, VIEW.budget, 200)))
    assert "1 result shortened; 2 messages left out; model calls: 2" in shown
    assert "no reply of the model could be used, so rules wrote it: raised: no such key" in shown
    assert report_fields(report)["refused"] == "raised: no such key"


def test_compact_ends_as_a_failure_where_the_model_refuses_every_call(tmp_path: Path, shell: Shell) -> None:
    def refused(_body: bytes, _key: str) -> tuple[int, object]:
        return 401, {"error": {"message": "no such key"}}

    log = tmp_path / "log.jsonl"
    log.write_text(claude_lines("log", *(f"Pier {n} is open until six. " * 200 for n in range(12))))
    assert shell("import", log).code == 0
    with serving_json("/v1/chat/completions", refused) as url, variables(VLLM_BASE_URL=url):
        ran = shell("compact", "last", "--window", 64_000, "--set", "summary_model=vllm:tide")
    assert ran.code == ModelError.exit_code
    assert "the model cannot be asked, so what it should sum up stays as it is" in " ".join(ran.out.split())
    assert "no such key" in ran.out


def test_compact_tells_no_costs_where_none_are_compared(sample: Shell) -> None:
    assert " units" not in sample("compact", "last", "--dry-run", "--window", 32_000).out


def test_every_command_is_told_in_one_line_of_the_help(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--help"]) == 0
    commands = capsys.readouterr().out.partition("Commands:")[2]
    assert "  verify " in commands
    assert "..." not in commands


def test_counts_of_a_database_that_is_not_there_are_none(shell: Shell) -> None:
    assert shell("stats").out.startswith("nothing is stored in ")
    assert shell.json("stats")["size_bytes"] == 0
