"""`palimpsest window`: what the model sees."""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated

import typer

from palimpsest.budget.assemble import Request
from palimpsest.budget.stubs import PART_END, RESULT_END
from palimpsest.cli.message_text import message_text
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
from palimpsest.cli.text_drawing import Listing, budget_lines, clean, clip
from palimpsest.engine.reports import WindowView
from palimpsest.record.decision import Regions
from palimpsest.record.message import readable_text
from palimpsest.record.window_items import Item, MessageItem, OmittedItem, StubItem, SummaryItem, kind_of

_SAID_CELLS = 100


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
        from palimpsest.engine.dry_run import dry_run_of

        talk = dry_run_of(await session.conversation(conversation))
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
    said = [f"--- {message.role} ---\n{message_text(message)}" for message in request.all_messages]
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
            return note.replace(RESULT_END, "\n").replace(PART_END, "\n").strip()


def _range(first: int, last: int) -> str:
    return str(first) if first == last else f"{first}-{last}"
