"""`palimpsest window`: what the model sees next."""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated

from palimpsest.budget.assemble import Request
from palimpsest.budget.stubs import PART_END, RESULT_END
from palimpsest.cli.drawing import Listing, budget_lines, clean, clip
from palimpsest.cli.options import Conversation, Shared, command
from palimpsest.cli.output import fields_of, parts_text
from palimpsest.cli.parameters import option
from palimpsest.cli.session import Session, perform
from palimpsest.engine.reports import WindowView
from palimpsest.record.message import readable_text
from palimpsest.record.window_items import Item, MessageItem, OmittedItem, StubItem, SummaryItem, kind_of

_TEXT_CELLS = 100


class Form(StrEnum):
    """The format of a request."""

    openai = "openai"
    anthropic = "anthropic"
    gemini = "gemini"
    text = "text"


@command("window", window=True, settings=True)
def window(
    shared: Shared,
    conversation: Conversation,
    form: Annotated[
        Form | None, option("--as", "The whole request: as text, or as a provider's client takes it.")
    ] = None,
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

        output = session.output
        talk = dry_run_of(await session.conversation(conversation))
        before = (await talk.window()).budget.used_tokens
        with output.working("compacting, for this output only"):
            request = await talk.request()
        if request.tokens < before:
            output.note(
                f"compacted to fit: {before:,} -> {request.tokens:,} tokens; only shown, nothing is changed"
            )
        bodies = {Form.openai: request.openai, Form.anthropic: request.anthropic, Form.gemini: request.gemini}
        if form is not None and form in bodies:
            output.json(bodies[form]())
            return
        view = await talk.window()
        bars = budget_lines(view.budget, output.width)
        if form is Form.text:
            text = _request_text(request)
            output.result(window_fields(view) | {"text": text}, clean(text) + "\n", bars)
        else:
            output.result(window_fields(view), bars, "", _item_listing(view))

    perform(shared, body)


def _request_text(request: Request) -> str:
    """A request as text: each message under its role."""
    system = [f"--- system ---\n{text}" for text in request.system_texts]
    messages = [f"--- {message.role} ---\n{parts_text(message.parts)}" for message in request.all_messages]
    tools = [f"--- tool {tool.name} ---\n{tool.description}\n{tool.schema}" for tool in request.tools]
    return "\n\n".join([*system, *tools, *messages])


def window_fields(view: WindowView) -> dict[str, object]:
    """A window as JSON fields: the budget and the items in order."""
    budget = view.budget
    regions = "system memory tools summaries ledger pins history injections"
    return {
        "conversation": view.conversation,
        "tokens": budget.used_tokens,
        **fields_of(budget, "capacity_tokens window_tokens"),
        "regions": fields_of(budget.regions, regions),
        "items": [
            {"id": item.id, "kind": kind_of(item), **fields_of(item, "first last tokens")}
            for item in view.window.items
        ],
    }


def _item_listing(view: WindowView) -> Listing:
    """A line for each item of a window."""
    rows = [("", "system", "", f"{view.budget.regions.system:,}", view.system)] if view.system else []
    for item in view.window.items:
        messages = f"{item.first}-{item.last}" if item.first != item.last else f"{item.first}"
        rows.append((item.id, _kind(item), messages, f"{item.tokens:,}", _text(item)))
    headings = ("id", "kind", "messages", "tokens", "begins")
    clipped = tuple((*row[:-1], clip(row[-1], _TEXT_CELLS)) for row in rows)
    return Listing(headings, clipped, frozenset({"messages", "tokens"}))


def _kind(item: Item) -> str:
    match item:
        case MessageItem(stored=stored):
            return stored.message.role
        case SummaryItem(summary=summary):
            return f"summary {summary.depth}"
        case StubItem() | OmittedItem():
            return kind_of(item)


def _text(item: Item) -> str:
    match item:
        case MessageItem(stored=stored):
            return readable_text(stored.message) or parts_text(stored.message.parts)
        case SummaryItem(summary=summary):
            return summary.text
        case StubItem(note=note) | OmittedItem(note=note):
            return note.replace(RESULT_END, "\n").replace(PART_END, "\n").strip()
