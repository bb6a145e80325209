"""`palimpsest compact`: making a window smaller, and the record of what was made so."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated

import typer

from palimpsest.cli.compact_report import (
    decision_fields,
    decision_lines,
    record_blocks,
    record_fields,
    report_blocks,
    report_fields,
)
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
from palimpsest.cli.session import Session, perform
from palimpsest.errors import ModelError, UsageError


def compact(
    conversation: Conversation,
    window_tokens: WindowTokens = None,
    until_under: Annotated[
        int | None,
        typer.Option("--until-under", metavar="N", min=1, help="Go on until a request is under N tokens."),
    ] = None,
    focus: Annotated[str, typer.Option("--focus", metavar="TEXT", help="What to keep above all.")] = "",
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Only say what would be done first.")] = False,
    record: Annotated[
        bool, typer.Option("--record", help="Only list what was compacted before, the newest last.")
    ] = False,
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
    palimpsest compact last --record
    """

    async def body(session: Session) -> None:
        talk = await session.conversation(conversation)
        if record:
            made = await talk.compactions()
            session.output.result(record_fields(talk.id, made), *record_blocks(made, session.output.width))
            return
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
