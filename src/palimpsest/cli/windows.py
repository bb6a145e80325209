"""`palimpsest window` and `compact`: what the model sees, and making it smaller."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from enum import StrEnum
from typing import Annotated

import typer

from palimpsest.budget.assemble import Request
from palimpsest.budget.stubs import RESULT_END
from palimpsest.cli.draw import Listing, bar, budget_lines, changes, clean, clip, count, flow, trouble, wrap
from palimpsest.cli.options import (
    OWNER,
    ConfigFile,
    Conversation,
    Db,
    Json,
    Owner,
    Set,
    Shared,
    WindowTokens,
    given,
)
from palimpsest.cli.output import Block, fields_of
from palimpsest.cli.session import Session, perform
from palimpsest.cli.transcribe import message_text
from palimpsest.engine.reports import MadeSummary, Report, WindowView
from palimpsest.errors import ModelError, UsageError
from palimpsest.record.decision import Budget, Decision, Regions, Step, StepKind
from palimpsest.record.item import Item, MessageItem, OmittedItem, StubItem, SummaryItem, kind_of
from palimpsest.record.log import Number
from palimpsest.record.message import readable_text
from palimpsest.summarize.survival import told

_BAR_CELLS = 24
_SHOWN_STEPS = 12
_SAID_CELLS = 100
_LABEL_CELLS = 10
_COMPARED = ("saved", "cost")
_UNIT = "(1 unit: 1 uncached input token)"


class Form(StrEnum):
    """What `window` prints."""

    openai = "openai"
    anthropic = "anthropic"
    gemini = "gemini"
    text = "text"


def window(
    conversation: Conversation,
    form: Annotated[
        Form | None,
        typer.Option("--as", help="The whole request: as text, or as a provider's client takes it."),
    ] = None,
    window_tokens: WindowTokens = None,
    settings: Set = None,
    config: ConfigFile = None,
    owner: Owner = OWNER,
    db: Db = None,
    as_json: Json = False,
) -> None:
    """Show exactly what the model would see next.

    Without --as: the budget, and a line for each item. A request that would not fit is shown compacted, as it would be
    before it is sent. Nothing is changed.

    \b
    palimpsest window last
    palimpsest window last --as text
    palimpsest window last --as anthropic > request.json
    """

    async def body(session: Session) -> None:
        from palimpsest.engine.rehearsal import rehearsed

        talk = rehearsed(await session.conversation(conversation))
        before = (await talk.window()).budget.used_tokens
        with session.output.working("compacting, only to show it"):
            request = await talk.request()
        if request.tokens < before:
            session.output.note(
                f"compacted to fit: {before:,} -> {request.tokens:,} tokens; only shown, nothing is changed"
            )
        bodies = {Form.openai: request.openai, Form.anthropic: request.anthropic, Form.gemini: request.gemini}
        if form is not None and form in bodies:
            session.output.json(bodies[form]())
            return
        view = await talk.window()
        text = _request_text(request) if form is Form.text else None
        fields = window_fields(view) | ({"text": text} if text is not None else {})
        told: Block = clean(text) + "\n" if text is not None else item_listing(view)
        bars = budget_lines(view.budget, session.output.width)
        session.output.result(fields, *((told, bars) if text is not None else (bars, "", told)))

    shared = Shared("window", db, owner, as_json, given(window_tokens, settings, config))
    perform(shared, body)


def _request_text(request: Request) -> str:
    """A request as text: each message under its role."""
    system = [f"--- system ---\n{text}" for text in request.system_texts]
    said = [f"--- {message.role} ---\n{message_text(message)}" for message in request.whole]
    tools = [f"--- tool {tool.name} ---\n{tool.description}\n{tool.schema}" for tool in request.tools]
    return "\n\n".join([*system, *tools, *said])


def region_fields(regions: Regions) -> dict[str, object]:
    """Tokens of each part, in the order they are sent."""
    return fields_of(regions, "system memory tools summaries ledger pins history injections")


def window_fields(view: WindowView) -> dict[str, object]:
    """A window as a JSON object: the budget and the items in order."""
    budget = view.budget
    return {
        "conversation": view.conversation,
        "tokens": budget.used_tokens,
        **fields_of(budget, "capacity_tokens window_tokens"),
        "regions": region_fields(budget.regions),
        "items": [
            {"id": item.id, "kind": kind_of(item), **fields_of(item, "first last tokens")}
            for item in view.window.items
        ],
    }


def item_listing(view: WindowView) -> Listing:
    """A line for each item of a window."""
    rows = [
        (
            item.id,
            _item_kind(item),
            _range(item.first, item.last),
            f"{item.tokens:,}",
            clip(_said(item), _SAID_CELLS),
        )
        for item in view.window.items
    ]
    if view.system:
        rows.insert(0, ("", "system", "", f"{view.budget.regions.system:,}", clip(view.system, _SAID_CELLS)))
    headings = ("id", "kind", "messages", "tokens", "begins")
    return Listing(headings, tuple(rows), frozenset({"messages", "tokens"}))


def _item_kind(item: Item) -> str:
    match item:
        case MessageItem(stored=stored):
            return stored.message.role
        case SummaryItem(summary=summary):
            return f"summary {summary.depth}"
        case StubItem() | OmittedItem():
            return kind_of(item)


def _said(item: Item) -> str:
    match item:
        case MessageItem(stored=stored):
            return readable_text(stored.message) or message_text(stored.message)
        case SummaryItem(summary=summary):
            return summary.text
        case StubItem(note=note) | OmittedItem(note=note):
            return note.replace(RESULT_END, "\n").strip()


def _range(first: int, last: int) -> str:
    return str(first) if first == last else f"{first}-{last}"


def compact(
    conversation: Conversation,
    window_tokens: WindowTokens = None,
    until_under: Annotated[
        int | None,
        typer.Option("--until-under", metavar="N", min=1, help="Go on until a request is under N tokens."),
    ] = None,
    focus: Annotated[str, typer.Option("--focus", metavar="TEXT", help="What to keep above all.")] = "",
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Only say what would be done first.")] = False,
    settings: Set = None,
    config: ConfigFile = None,
    owner: Owner = OWNER,
    db: Db = None,
    as_json: Json = False,
) -> None:
    """Compact a window: what was decided and why, what was done.

    Nothing is lost: what leaves the window is found by grep and read back by expand. A model writes the summaries only
    where --set names one, since it costs.

    \b
    palimpsest compact last --dry-run
    palimpsest compact last --window 32000
    palimpsest compact last --until-under 20000 --focus "the login bug"
    palimpsest compact last --set summary_model=ollama:qwen3
    """

    async def body(session: Session) -> None:
        talk = await session.conversation(conversation)
        view = await talk.window()
        decision = await talk.plan_compact(until_under)
        output = session.output
        decided = decision_lines(decision, view, output.width)
        if dry_run:
            output.result(decision_fields(decision, view) | {"dry_run": True}, decided)
            return
        if not output.as_json:
            output.show([*decided, ""])
        with output.working("compacting"):
            report = await talk.compact(until_under, focus)
        after = (await talk.window()).budget
        fields = decision_fields(decision, view) if report is None else report_fields(report)
        output.result(fields, *report_blocks(report, view.budget, after, output.width))
        if report is not None and report.failure:
            raise typer.Exit(ModelError.exit_code)

    shared = Shared("compact", db, owner, as_json, given(window_tokens, settings, config))
    perform(shared, body, writer=_writer(shared, settings or ()))


def _writer(shared: Shared, settings: Sequence[str]) -> str:
    """The model that --set names for summaries, "" for none. Raises UsageError where it asks for one without a name."""
    named = {one.partition("=")[0].strip() for one in settings}
    chosen = shared.config.settings
    if named.isdisjoint(("model", "summary_model")):
        if "summarizer" in named and chosen.summarizer == "model":
            raise UsageError(
                "no model is named to write the summary", hint="add --set summary_model=PROVIDER:MODEL"
            )
        return ""
    return chosen.summary_model if ":" in chosen.summary_model else chosen.model or chosen.summary_model


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
        "steps": [
            fields_of(step, "kind first last source_tokens target_tokens depth") for step in decision.steps
        ],
    }


def report_fields(report: Report) -> dict[str, object]:
    """A compaction as settled, with the numbers that were compared."""
    return {
        **fields_of(report, "conversation reason before_tokens after_tokens"),
        "summaries": [
            fields_of(made, "id depth tokens method first_id last_id covers") for made in report.summaries
        ],
        "evidence": {"kept": report.evidence_kept, "left": report.evidence_left},
        "evidence_by_kind": {one.kind: {"kept": one.kept, "left": one.left} for one in report.evidence},
        **fields_of(report, "calls failure refused stubs omitted net_cost net_units"),
        "numbers": dict(report.numbers),
    }


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
    lines.extend(f"step      {_step(step)}" for step in decision.steps[:_SHOWN_STEPS])
    if len(decision.steps) > _SHOWN_STEPS:
        lines.append(f"          ... and {count(len(decision.steps) - _SHOWN_STEPS, 'more step')}")
    return lines


def _facts(numbers: Sequence[tuple[str, Number]]) -> list[str]:
    """The numbers of a decision in words, each before its unit; what a summary costs only where it costs anything."""
    told: list[str] = []
    for name, value in numbers:
        words, _, unit = name.rpartition("_")
        shown = f"{value:,}" if isinstance(value, int) else f"{value:,.1f}"
        if unit == "units" and words not in _COMPARED:
            told.extend([f"{words} summary {shown} units"] if value else [])
        elif unit in ("units", "tokens", "messages", "items"):
            told.append(f"{words} {shown} {unit}".strip().replace("_", " "))
        else:
            told.append(f"{name} {shown}".replace("_", " "))
    return [*told, _UNIT] if any(one.endswith(" units") for one in told) else told


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
    if report.failure or report.refused:
        blocks.append(wrap(trouble(report), width))
    if report.evidence:
        blocks.append(wrap(told(report.evidence), width))
    return blocks


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
