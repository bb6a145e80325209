"""What `palimpsest compact` says: what was decided and on what numbers, what was done, and what the window holds of the
exact strings that gave way.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import groupby

from palimpsest.cli.output import Block, fields_of
from palimpsest.cli.text_drawing import Listing, bar, changes, clean, count, flow, trouble, when, wrap
from palimpsest.engine.reports import MadeSummary, Report, WindowView
from palimpsest.record.decision import Budget, Decision, Step, StepKind
from palimpsest.record.log import Compaction, Number
from palimpsest.record.summary import SummaryCall
from palimpsest.record.times import iso_time
from palimpsest.summarize.retained_strings import Evidence, evidence_lines

_BAR_CELLS = 24
_SHOWN_STEPS = 12
_SHOWN_RECORDS = 50
_SHOWN_CALLS = 20
_LABEL_CELLS = 10
_COMPARED = ("saved", "cost")
_UNIT = "(1 unit: 1 uncached input token)"
_RECORD_NOTE = (
    "Each step counts all that its compaction had replaced by then; the last one is what was reported."
)
_STEP_FIELDS = "kind first last source_tokens target_tokens depth"


def decision_fields(decision: Decision, view: WindowView) -> dict[str, object]:
    """A decision in the settled shape of a compaction that has done nothing yet, with the steps it would take first."""
    used = view.budget.used_tokens
    return {
        "conversation": view.conversation,
        "reason": decision.reason,
        "before_tokens": used,
        "after_tokens": used,
        "summaries": [],
        "evidence": {"kept": 0, "left": 0},
        "evidence_by_kind": {},
        "calls": 0,
        "numbers": dict(decision.numbers),
        "steps": [fields_of(step, _STEP_FIELDS) for step in decision.steps],
        "then": [fields_of(step, _STEP_FIELDS) for step in decision.then],
    }


def report_fields(report: Report) -> dict[str, object]:
    """A compaction as settled, with the numbers that were compared, and the first of the strings that left."""
    return {
        **fields_of(report, "conversation reason before_tokens after_tokens"),
        "summaries": [
            fields_of(made, "id depth tokens method first_id last_id covers") for made in report.summaries
        ],
        "evidence": {"kept": report.evidence_kept, "left": report.evidence_left},
        "evidence_by_kind": {one.kind: {"kept": one.kept, "left": one.left} for one in report.evidence},
        "gone_by_kind": {one.kind: list(one.gone) for one in report.evidence if one.gone},
        **fields_of(report, "replaced_messages replaced_summaries omitted_summarized"),
        **fields_of(report, "calls failure refused stubs omitted net_cost net_units"),
        "asked": [call_fields(call) for call in report.asked],
        "numbers": dict(report.numbers),
    }


def call_fields(call: SummaryCall) -> dict[str, object]:
    """A call of a summarizer; `refused` is "" where its reply was taken."""
    fields = fields_of(call, "level model input_tokens output_tokens cached_tokens took_s refused")
    return {**fields, "repairs": list(call.repairs)}


def call_lines(calls: Sequence[SummaryCall], width: int) -> list[str]:
    """The calls of a summarizer for a person: what was asked, how long it took, and what became of the reply."""
    lines: list[str] = []
    for call in calls[:_SHOWN_CALLS]:
        became = f"refused: {call.refused}" if call.refused else "taken"
        if call.repairs:
            became += f", with {count(len(call.repairs), 'repair')}: {'; '.join(call.repairs)}"
        facts = f"{call.level} call of {call.model or 'the model'}", f"{call.took_s:,.1f} s"
        tokens = f"{call.input_tokens:,} -> {call.output_tokens:,} tokens"
        head, *more = wrap(clean(f"{', '.join((*facts, tokens))}; {became}"), width - 4) or [""]
        lines.extend([f"  {head}", *(f"    {line}" for line in more)])
    if len(calls) > _SHOWN_CALLS:
        lines.append(f"  ... and {count(len(calls) - _SHOWN_CALLS, 'more call')}; --json lists all")
    return lines


def decision_lines(decision: Decision, view: WindowView, width: int) -> list[str]:
    """What was decided and on what numbers."""
    budget, items = view.budget, len(view.window.items)
    lines = [
        f"window    {budget.used_tokens:,} of {budget.capacity_tokens:,} tokens, {count(items, 'item')}",
        f"decision  {decision.reason}",
    ]
    numbers = flow(_facts(decision.numbers), width - _LABEL_CELLS)
    labels = ["numbers", *[""] * len(numbers)]
    lines.extend(f"{label:<{_LABEL_CELLS}}{line}" for label, line in zip(labels, numbers, strict=False))
    steps = sorted(decision.steps, key=lambda step: step.first)
    lines.extend(f"step      {_step(step)}" for step in steps[:_SHOWN_STEPS])
    if len(decision.steps) > _SHOWN_STEPS:
        lines.append(f"          ... and {count(len(decision.steps) - _SHOWN_STEPS, 'more step')}")
    lines.extend(f"then      {_step(step)}" for step in decision.then[:_SHOWN_STEPS])
    return lines


def _facts(numbers: Sequence[tuple[str, Number]]) -> list[str]:
    """The numbers of a decision in words, each before its unit; what a summary costs only where it costs anything."""
    evidence_lines: list[str] = []
    for name, value in numbers:
        words, _, unit = name.rpartition("_")
        shown = f"{value:,}" if isinstance(value, int) else f"{value:,.1f}"
        if unit == "units" and words not in _COMPARED:
            evidence_lines.extend([f"{words} summary {shown} units"] if value else [])
        elif unit in ("units", "tokens", "messages", "items"):
            evidence_lines.append(f"{words} {shown} {unit}".strip().replace("_", " "))
        else:
            evidence_lines.append(f"{name} {shown}".replace("_", " "))
    return (
        [*evidence_lines, _UNIT] if any(one.endswith(" units") for one in evidence_lines) else evidence_lines
    )


def _step(step: Step) -> str:
    words: Mapping[StepKind, str] = {
        "leaf": "summarize",
        "condense": f"condense into depth {step.depth}",
        "roll": "make one summary of",
        "stub": "shorten the result of",
        "omit": "leave out",
    }
    what = f"messages {step.first}-{step.last}" if step.first != step.last else f"message {step.first}"
    goal = f", to about {step.target_tokens:,}" if step.target_tokens else ""
    return f"{words[step.kind]} {what}: {step.source_tokens:,} tokens{goal}"


def report_blocks(report: Report | None, before: Budget, after: Budget, width: int) -> list[Block]:
    """What a compaction did: tokens before and after, each summary, evidence, calls."""
    if report is None:
        return ["nothing was done: the window needs no compaction"]
    used, now = before.used_tokens, after.used_tokens
    top = max(used, after.capacity_tokens, 1)
    blocks: list[Block] = [
        [
            f"before    {used:>9,} tokens  ▕{bar(used / top, _BAR_CELLS)}▏",
            f"after     {now:>9,} tokens  ▕{bar(now / top, _BAR_CELLS)}▏ {100 * now / max(1, used):.0f} % of before",
        ]
    ]
    if report.summaries:
        rows = tuple(_made_row(made) for made in report.summaries)
        headings = ("summary", "depth", "tokens", "made", "covers", "from", "to")
        blocks.extend(("", Listing(headings, rows, frozenset({"depth", "tokens", "covers"}))))
    changed = [*changes(report), f"model calls: {report.calls:,}", report.net]
    blocks.extend(("", "; ".join(part for part in changed if part)))
    if report.asked:
        blocks.append(call_lines(report.asked, width))
    if report.failure or report.refused:
        blocks.append(wrap(trouble(report), width))
    if report.evidence:
        blocks.extend(evidence_blocks(report, width))
    return blocks


def evidence_blocks(report: Report, width: int) -> list[Block]:
    """What gave way, and what of its exact strings the window holds, a line for each kind."""
    messages, summaries = report.replaced_messages, report.replaced_summaries
    parts = [count(messages, "message")] * (messages > 0) + [count(summaries, "earlier summary")] * (
        summaries > 0
    )
    heading = f"exact strings in {' and '.join(parts)} that gave way:"
    lines = [f"  {line}" for line in evidence_lines(report.evidence)]
    if summaries:
        note = "(an earlier summary counts by its own words: the rest had left before)"
        lines.extend(f"  {line}" for line in wrap(note, width - 2))
    return ["", [*wrap(heading, width), *lines]]


def record_fields(conversation: str, records: Sequence[Compaction]) -> dict[str, object]:
    """The record of a conversation's compactions, step by step, the newest last."""
    return {
        "conversation": conversation,
        "compactions": [
            {
                "id": one.item_id,
                "kind": one.item_kind,
                "time": iso_time(one.time_s),
                "replaced": list(one.replaced),
                **fields_of(one, "reason before_tokens after_tokens"),
                "evidence": {"kept": one.evidence_kept, "left": one.evidence_left},
                "evidence_by_kind": {kind: {"kept": kept, "left": left} for kind, kept, left in one.evidence},
                "calls": [call_fields(call) for call in one.calls],
            }
            for one in records
        ],
    }


def record_blocks(records: Sequence[Compaction], width: int) -> list[Block]:
    """The same for a person: of each step what was made of what, why, and what was kept by then. Stubs made in a row
    are told as one.
    """
    if not records:
        return ["nothing was compacted yet"]
    steps = [list(steps) for _, steps in groupby(enumerate(records), _row)]
    rest = len(steps) - _SHOWN_RECORDS
    blocks: list[Block] = [f"... {count(rest, 'earlier step')}; --json lists all"] if rest > 0 else []
    for step in steps[-_SHOWN_RECORDS:]:
        (_, first), (_, last) = step[0], step[-1]
        before, after = (
            sum(getattr(one, name) for _, one in step) for name in ("before_tokens", "after_tokens")
        )
        stubs = first.item_kind == "stub"
        made = f"{count(len(step), 'result')} shortened" if stubs else first.item_id
        replaced = [name for _, one in step for name in one.replaced]
        gone = _ids(sorted(replaced, key=_numbered) if stubs else replaced)
        facts = (made, when(iso_time(last.time_s)), f"{gone}: {before:,} -> {after:,} tokens", last.reason)
        head, *more = wrap(clean("  ".join(facts)), width)
        lines = [head, *(f"    {line}" for line in wrap(" ".join(more), width - 4))] if more else [head]
        lines.extend(
            f"  {line}" for line in call_lines([call for _, one in step for call in one.calls], width - 2)
        )
        lines.extend(f"    {line}" for line in evidence_lines(Evidence(*kind) for kind in last.evidence))
        blocks.append(lines)
    return [*blocks, wrap(_RECORD_NOTE, width)]


def _row(placed: tuple[int, Compaction]) -> tuple[str, int]:
    """What steps that are told as one have in common: stubs their reason, all others nothing."""
    place, one = placed
    return (one.reason, -1) if one.item_kind == "stub" else (one.reason, place)


def _ids(replaced: Sequence[str]) -> str:
    """What was replaced: "m1..m106", "s1"."""
    return replaced[0] if len(replaced) == 1 else f"{replaced[0]}..{replaced[-1]}"


def _numbered(message_id: str) -> int:
    """The number of a message by its id: results are shortened in any order."""
    return int(message_id[1:]) if message_id[1:].isdigit() else 0


def _made_row(made: MadeSummary) -> tuple[str, ...]:
    return (
        made.id,
        str(made.depth),
        f"{made.tokens:,}",
        made.method,
        f"{made.covers:,}",
        made.first_id,
        made.last_id,
    )
