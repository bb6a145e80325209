"""What `window` and `compact` say, in words that a person can add up."""

from __future__ import annotations

from pathlib import Path
from typing import cast, get_args

import pytest

from palimpsest.cli import main
from palimpsest.cli.commands.compact import (
    call_lines,
    decision_fields,
    decision_lines,
    record_blocks,
    record_fields,
    report_blocks,
    report_fields,
)
from palimpsest.cli.drawing import changes
from palimpsest.cli.output import Block
from palimpsest.engine.reports import MadeSummary, Report, WindowView
from palimpsest.errors import ModelError
from palimpsest.record.decision import Budget, Decision, Regions, Step, StepKind
from palimpsest.record.log import Compaction, ItemKind
from palimpsest.record.summary import SummaryCall
from palimpsest.record.window import Window
from palimpsest.summarize.retained_strings import Evidence
from tests.cli.run import Shell, claude_lines
from tests.cli.surroundings import variables
from tests.wire.vectors import serving_json

VIEW = WindowView("a", Window(), Budget(Regions(history=900), 2_000, 500, 100), "")


def told(*numbers: tuple[str, float], width: int = 80) -> str:
    """The numbers of a decision as a terminal of this width shows them."""
    return "\n".join(decision_lines(Decision((), "it pays", numbers), VIEW, width)[2:])


def block_lines(block: Block) -> list[str]:
    """The lines of a block that is no listing."""
    assert isinstance(block, str | list)
    return block.split("\n") if isinstance(block, str) else block


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
    assert "no reply of the model could be used, so rules wrote the summary: raised: no such key" in shown
    assert report_fields(report)["refused"] == "raised: no such key"


CALLS = (
    SummaryCall("normal", 3_508, 241, "timed out: no reply within 60 s", "tiny", took_s=60.0),
    SummaryCall("aggressive", 2_651, 8, "", "tiny", ("added: all the piers",), took_s=9.04),
)
CALL_LINES = [
    "  normal call of tiny, 60.0 s, 3,508 -> 241 tokens; refused: timed out: no reply",
    "    within 60 s",
    "  aggressive call of tiny, 9.0 s, 2,651 -> 8 tokens; used, with 1 repair: added:",
    "    all the piers",
]


def test_each_call_of_a_model_is_told_with_what_became_of_its_reply() -> None:
    report = Report("a", "it pays", 9, 8, calls=2, asked=CALLS)
    shown = [
        line for block in report_blocks(report, VIEW.budget, VIEW.budget, 82) for line in block_lines(block)
    ]
    assert shown[-4:] == CALL_LINES
    assert [fields["refused"] for fields in cast("list[dict[str, object]]", report_fields(report)["asked"])] == [
        "timed out: no reply within 60 s", "",
    ]  # fmt: skip
    many = call_lines(CALLS * 20, 80)
    assert many[-1] == "  ... and 20 more calls; --json lists all"


def test_the_record_of_a_compaction_has_its_calls() -> None:
    made = Compaction("it pays", (), ("m1", "m2"), "s1", "summary", 900, 90, 0.0, calls=CALLS)
    shown = [line for block in record_blocks([made], 84) for line in block_lines(block)]
    assert shown[1:5] == [f"  {line}" for line in CALL_LINES]
    (fields,) = cast("list[dict[str, object]]", record_fields("a", [made])["compactions"])
    assert fields["calls"] == [
        {
            "level": call.level, "model": "tiny", "input_tokens": call.input_tokens,
            "output_tokens": call.output_tokens, "cached_tokens": 0, "took_s": call.took_s,
            "refused": call.refused, "repairs": list(call.repairs),
        }
        for call in CALLS
    ]  # fmt: skip


def test_steps_are_told_in_their_order_in_the_window_and_then_what_follows() -> None:
    stubs = tuple(Step("stub", (f"m{at}",), at, at, 900, 45) for at in (9, 7, 4))
    then = (Step("roll", ("+m4", "+m9"), 4, 9, 3_000, 600),)
    lines = decision_lines(Decision(stubs, "prune", then=then), VIEW, 80)
    assert [line.partition(":")[0] for line in lines[2:]] == [
        "step      shorten the result of message 4",
        "step      shorten the result of message 7",
        "step      shorten the result of message 9",
        "then      make one summary of messages 4-9",
    ]
    fields = decision_fields(Decision(stubs, "prune", then=then), VIEW)
    assert [fields[name] for name in ("steps", "then")] == [
        [
            {"kind": "stub", "first": at, "last": at, "source_tokens": 900, "target_tokens": 45, "depth": 0}
            for at in (9, 7, 4)
        ],
        [{"kind": "roll", "first": 4, "last": 9, "source_tokens": 3_000, "target_tokens": 600, "depth": 0}],
    ]


def test_what_gave_way_is_told_by_kind_a_line_each_and_what_left_is_named_for_programs() -> None:
    evidence = (Evidence("paths", 67, 12, ("src/tide.ts",)), Evidence("symbols", 40, 0))
    report = Report("a", "it pays", 9, 8, evidence=evidence, replaced_messages=1_112, replaced_summaries=2)
    lines = [
        line for block in report_blocks(report, VIEW.budget, VIEW.budget, 80) for line in block_lines(block)
    ]
    assert lines[-4:] == [
        "exact strings of the 1,112 messages and 2 earlier summaries that were replaced:",
        "  paths 67/79 kept, 12 one search away",
        "  symbols 40/40 kept",
        "  (of an earlier summary only its own text counts: the rest had left before)",
    ]
    assert max(map(len, lines)) <= 80
    assert report_fields(report)["gone_by_kind"] == {"paths": ["src/tide.ts"]}


def test_a_summary_that_is_left_out_is_no_number_of_messages() -> None:
    report = Report("a", "over", 9, 8, omitted=109, omitted_summarized=106)
    assert changes(report) == ["3 messages left out", "the summary of 106 messages left out"]


def test_the_record_tells_each_step_and_stubs_in_a_row_as_one() -> None:
    def step(kind: ItemKind, made: str, gone: tuple[str, ...], left: int) -> Compaction:
        counted: tuple[tuple[str, int, int], ...] = (("paths", 3, left),) if left else ()
        return Compaction("prune", (), gone, made, kind, 900, 45, 0.0, evidence_left=left, evidence=counted)

    made = [
        step("stub", "x1", ("m9",), 1),
        step("stub", "x2", ("m4",), 2),
        step("summary", "s1", ("m3", "x2", "m5"), 4),
        step("omitted", "o1", ("s1",), 0),
    ]
    assert [line for block in record_blocks(made, 80) for line in block_lines(block)][:-2] == [
        "2 results shortened  1970-01-01 00:00  m4..m9: 1,800 -> 90 tokens  prune",
        "    paths 3/5 kept, 2 one search away",
        "s1  1970-01-01 00:00  m3..m5: 900 -> 45 tokens  prune",
        "    paths 3/7 kept, 4 one search away",
        "o1  1970-01-01 00:00  s1: 900 -> 45 tokens  prune",
    ]
    assert record_blocks([], 80) == ["nothing was compacted yet"]
    many = [step("summary", f"s{number}", ("m1",), 0) for number in range(60)]
    assert record_blocks(many, 80)[0] == "... 10 earlier steps; --json lists all"


def test_compact_ends_as_a_failure_where_the_model_refuses_every_call(tmp_path: Path, shell: Shell) -> None:
    def refused(_body: bytes, _key: str) -> tuple[int, object]:
        return 401, {"error": {"message": "no such key"}}

    log = tmp_path / "log.jsonl"
    log.write_text(claude_lines("log", *(f"Pier {n} is open until six. " * 200 for n in range(12))))
    assert shell("import", log).code == 0
    with serving_json("/v1/chat/completions", refused) as url, variables(VLLM_BASE_URL=url):
        ran = shell("compact", "last", "--window", 64_000, "--set", "summary_model=vllm:tide")
    assert ran.code == ModelError.exit_code
    assert "the model cannot be reached, so the messages it should summarize stay as they are" in " ".join(
        ran.out.split()
    )
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
