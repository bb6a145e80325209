"""`palimpsest compact`: compact a window now, or list past compactions."""

from __future__ import annotations

from typing import Annotated

from palimpsest.cli.compact_report import (
    decision_fields,
    decision_lines,
    record_blocks,
    record_fields,
    report_blocks,
    report_fields,
)
from palimpsest.cli.options import Conversation, Shared, command
from palimpsest.cli.parameters import option
from palimpsest.cli.session import Session, perform
from palimpsest.errors import ModelError, UsageError


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
