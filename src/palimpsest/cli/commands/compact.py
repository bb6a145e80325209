"""`palimpsest compact`: compact a window now, or list past compactions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import groupby
from typing import Annotated

from palimpsest.cli.drawing import (
    Listing,
    bar,
    changes,
    clean,
    count,
    flow,
    joined,
    trouble,
    when,
    wrap,
)
from palimpsest.cli.options import Conversation, Shared, command
from palimpsest.cli.output import Block, fields_of
from palimpsest.cli.parameters import option
from palimpsest.cli.session import Session, perform
from palimpsest.engine.reports import Report, WindowView
from palimpsest.errors import ModelError, UsageError
from palimpsest.record.decision import Budget, Decision, Step, StepKind
from palimpsest.record.log import Compaction, Number
from palimpsest.record.summary import SummaryCall
from palimpsest.record.times import iso_time
from palimpsest.summarize.retained_strings import Evidence, evidence_lines


@command("compact", window=True, settings=True)
def compact(
    shared: Shared,
    conversation: Conversation,
    until_under: Annotated[
        int | None, option("--until-under N", "Repeat until a request is under N tokens.", min=1)
    ] = None,
    focus: Annotated[str, option("--focus TEXT", "What the summary should keep first.")] = "",
    dry_run: Annotated[bool, option("--dry-run", "Only show what would be done first.")] = False,
    record: Annotated[bool, option("--record", "Only list past compactions, newest last.")] = False,
) -> int | None:
    """Compact a window, and report the decision and the result.

    Nothing is lost: grep finds what leaves the window, and expand reads it back. A model writes the summaries only if
    --set names one, because it costs money.

    \b
    palimpsest compact last --dry-run
    palimpsest compact last --window 32000
    palimpsest compact last --until-under 20000 --focus "the login bug"
    palimpsest compact last --set summary_model=ollama:qwen3
    palimpsest compact last --record
    """

    async def body(session: Session) -> int | None:
        talk, output = await session.conversation(conversation), session.output
        if record:
            made = await talk.compactions()
            output.result(record_fields(talk.id, made), *record_blocks(made, output.width))
            return None
        view = await talk.window()
        decision = await talk.plan_compact(until_under)
        decided = decision_lines(decision, view, output.width)
        if dry_run:
            output.result(decision_fields(decision, view) | {"dry_run": True}, decided)
            return None
        if not output.as_json:
            output.show([*decided, ""])
        with output.working("compacting"):
            report = await talk.compact(until_under, focus)
        after = (await talk.window()).budget
        fields = decision_fields(decision, view) if report is None else report_fields(report)
        output.result(fields, *report_blocks(report, view.budget, after, output.width))
        return ModelError.exit_code if report is not None and report.failure else None

    return perform(shared, body, writer=_writer(shared))


def _writer(shared: Shared) -> str:
    """The model that --set names for summaries, "" for none. Raises UsageError if one is needed but not named."""
    named = {one.partition("=")[0].strip() for one in shared.settings or ()}
    chosen = shared.config.settings
    if named.isdisjoint(("model", "summary_model")):
        if "summarizer" in named and chosen.summarizer == "model":
            raise UsageError("no summary model is named", hint="add --set summary_model=PROVIDER:MODEL")
        return ""
    return chosen.summary_model if ":" in chosen.summary_model else chosen.model or chosen.summary_model


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
_STEPS: Mapping[StepKind, str] = {
    "leaf": "summarize",
    "condense": "condense into depth {depth}",
    "roll": "make one summary of",
    "stub": "shorten the result of",
    "omit": "leave out",
}


def decision_fields(decision: Decision, view: WindowView) -> dict[str, object]:
    """A decision as JSON fields, in the form of a compaction that has done nothing yet, with its first steps."""
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
    """A compaction as JSON fields, with the numbers that were compared and the first exact strings that left."""
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
    """A summarizer's call as JSON fields; `refused` is "" if its reply was used."""
    fields = fields_of(call, "level model input_tokens output_tokens cached_tokens took_s refused")
    return {**fields, "repairs": list(call.repairs)}


def call_lines(calls: Sequence[SummaryCall], width: int) -> list[str]:
    """A summarizer's calls as text: the request, the time, and whether the reply was used."""
    lines: list[str] = []
    for call in calls[:_SHOWN_CALLS]:
        result = f"refused: {call.refused}" if call.refused else "used"
        if call.repairs:
            result += f", with {count(len(call.repairs), 'repair')}: {'; '.join(call.repairs)}"
        facts = f"{call.level} call of {call.model or 'the model'}, {call.took_s:,.1f} s"
        tokens = f"{call.input_tokens:,} -> {call.output_tokens:,} tokens"
        head, *more = wrap(clean(f"{facts}, {tokens}; {result}"), width - 4) or [""]
        lines.extend([f"  {head}", *(f"    {line}" for line in more)])
    if len(calls) > _SHOWN_CALLS:
        lines.append(f"  ... and {count(len(calls) - _SHOWN_CALLS, 'more call')}; --json lists all")
    return lines


def decision_lines(decision: Decision, view: WindowView, width: int) -> list[str]:
    """A decision with its numbers as text."""
    budget, items = view.budget, count(len(view.window.items), "item")
    steps = sorted(decision.steps, key=lambda step: step.first)
    lines = [
        ("window", f"{budget.used_tokens:,} of {budget.capacity_tokens:,} tokens, {items}"),
        ("decision", decision.reason),
    ]
    for index, fact in enumerate(flow(_number_facts(decision.numbers), width - _LABEL_CELLS)):
        lines.append(("numbers" if not index else "", fact))
    lines += [("step", _step_text(step)) for step in steps[:_SHOWN_STEPS]]
    if len(steps) > _SHOWN_STEPS:
        lines.append(("", f"... and {count(len(steps) - _SHOWN_STEPS, 'more step')}"))
    lines += [("then", _step_text(step)) for step in decision.then[:_SHOWN_STEPS]]
    return [f"{label:<{_LABEL_CELLS}}{text}" for label, text in lines]


def _number_facts(numbers: Sequence[tuple[str, Number]]) -> list[str]:
    """The numbers of a decision, each before its unit. A summary's price is left out if it is 0."""
    facts: list[str] = []
    for name, value in numbers:
        words, _, unit = name.rpartition("_")
        shown = f"{value:,}" if isinstance(value, int) else f"{value:,.1f}"
        if unit == "units" and words not in _COMPARED:
            facts.extend([f"{words} summary {shown} units"] if value else [])
        elif unit in ("units", "tokens", "messages", "items"):
            facts.append(f"{words} {shown} {unit}".strip().replace("_", " "))
        else:
            facts.append(f"{name} {shown}".replace("_", " "))
    return [*facts, _UNIT] if any(one.endswith(" units") for one in facts) else facts


def _step_text(step: Step) -> str:
    what = f"messages {step.first}-{step.last}" if step.first != step.last else f"message {step.first}"
    goal = f", to about {step.target_tokens:,}" if step.target_tokens else ""
    return f"{_STEPS[step.kind].format(depth=step.depth)} {what}: {step.source_tokens:,} tokens{goal}"


def report_blocks(report: Report | None, before: Budget, after: Budget, width: int) -> list[Block]:
    """A compaction as text: tokens before and after, each summary, exact strings, calls."""
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
        rows = tuple(
            (one.id, f"{one.depth}", f"{one.tokens:,}", one.method, f"{one.covers:,}", one.first_id, one.last_id)
            for one in report.summaries
        )  # fmt: skip
        headings = ("summary", "depth", "tokens", "made", "covers", "from", "to")
        blocks.extend(("", Listing(headings, rows, frozenset({"depth", "tokens", "covers"}))))
    changed = [*changes(report), f"model calls: {report.calls:,}", report.net]
    blocks.extend(("", "; ".join(part for part in changed if part)))
    if report.asked:
        blocks.append(call_lines(report.asked, width))
    if problem := trouble(report):
        blocks.append(wrap(problem, width))
    if report.evidence:
        blocks.extend(evidence_blocks(report, width))
    return blocks


def evidence_blocks(report: Report, width: int) -> list[Block]:
    """How many exact strings of the replaced messages the window still has, a line for each kind."""
    messages, summaries = report.replaced_messages, report.replaced_summaries
    parts = [count(messages, "message")] * (messages > 0)
    parts += [count(summaries, "earlier summary")] * (summaries > 0)
    lines = [f"  {line}" for line in evidence_lines(report.evidence)]
    if summaries:
        note = "(of an earlier summary only its own text counts: the rest had left before)"
        lines.extend(f"  {line}" for line in wrap(note, width - 2))
    return ["", [*wrap(f"exact strings of the {' and '.join(parts)} that were replaced:", width), *lines]]


def record_fields(conversation: str, records: Sequence[Compaction]) -> dict[str, object]:
    """The steps of a conversation's past compactions as JSON fields, newest last."""
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
    """The same as text. Stubs made in a row for the same reason are one step."""
    if not records:
        return ["nothing was compacted yet"]
    steps = [[one for _, one in group] for _, group in groupby(enumerate(records), _step_key)]
    rest = len(steps) - _SHOWN_RECORDS
    blocks: list[Block] = [f"... {count(rest, 'earlier step')}; --json lists all"] if rest > 0 else []
    for step in steps[-_SHOWN_RECORDS:]:
        last = step[-1]
        before, after = (
            sum(getattr(one, name) for one in step) for name in ("before_tokens", "after_tokens")
        )
        replaced = [name for one in step for name in one.replaced]
        if last.item_kind == "stub":
            made = f"{count(len(step), 'result')} shortened"
            replaced.sort(key=_message_number)
        else:
            made = last.item_id
        source = replaced[0] if len(replaced) == 1 else f"{replaced[0]}..{replaced[-1]}"
        tokens = f"{source}: {before:,} -> {after:,} tokens"
        head, *more = wrap(clean(joined(made, when(iso_time(last.time_s)), tokens, last.reason)), width)
        lines = [head, *(f"    {line}" for line in wrap(" ".join(more), width - 4))] if more else [head]
        lines += [f"  {line}" for line in call_lines([call for one in step for call in one.calls], width - 2)]
        lines += [f"    {line}" for line in evidence_lines(Evidence(*kind) for kind in last.evidence)]
        blocks.append(lines)
    return [*blocks, wrap(_RECORD_NOTE, width)]


def _step_key(placed: tuple[int, Compaction]) -> tuple[str, int]:
    """Equal for stubs with the same reason; distinct for everything else."""
    index, one = placed
    return one.reason, -1 if one.item_kind == "stub" else index


def _message_number(message_id: str) -> int:
    """The number in a message's id, because results are shortened in any order."""
    return int(message_id[1:]) if message_id[1:].isdigit() else 0
