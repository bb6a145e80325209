"""The chat's own commands, carried out."""

from __future__ import annotations

import re
from collections.abc import Sequence

from rich.text import Text

from palimpsest.budget.ledger_and_pins import pin_limit
from palimpsest.budget.model_limits import find_limits
from palimpsest.cli.chat.chat_state import Chat, new_name
from palimpsest.cli.chat.context_map import context_lines
from palimpsest.cli.chat.event_lines import compaction_line, recalled_lines
from palimpsest.cli.chat.input_parsing import Command, help_rows
from palimpsest.cli.chat.model_choice import named
from palimpsest.cli.chat.screen import two_columns
from palimpsest.cli.chat.turn import keep_files, take_turn
from palimpsest.cli.commands.expand import entry_text
from palimpsest.cli.commands.grep import no_hit, what_it_is
from palimpsest.cli.commands.pin import chosen, pin_blocks
from palimpsest.cli.commands.pin import named as named_pin
from palimpsest.cli.session import choose
from palimpsest.cli.text_drawing import Listing, clean, clip, columns, count, when, wrap
from palimpsest.engine.conversation import state_of
from palimpsest.engine.reports import ConversationInfo, Hits, Report
from palimpsest.errors import NotFound, UsageError

MAX_LISTED = 20
MAX_HITS = 20
_RECALLED = 2
_MESSAGE_ID = re.compile(r"m\d+(?:-m?\d+)?")
LEAST_SHARE = 0.25
"""Of the capacity: a window that holds less is not compacted on demand beyond what the rules call for."""
_SNIPPET_CELLS = 240
_TITLE_CELLS = 60


async def act(chat: Chat, command: Command) -> bool:
    """Carry out a command; False leaves the chat. Raises PalimpsestError, with nothing changed."""
    match command.name:
        case "exit":
            return False
        case "help":
            chat.screen.show(two_columns(help_rows(), chat.screen.width))
        case "retry":
            await again(chat)
        case "compact":
            await compact(chat, command.argument)
        case "context":
            view = await chat.talk.window()
            chat.screen.show(context_lines(view, chat.screen.width, chat.model_name))
        case "grep":
            found = await chat.talk.grep(command.argument, limit=MAX_HITS)
            chat.screen.show(hit_lines(found, chat.screen.width))
        case "expand":
            await read_back(chat, command.argument)
        case "pin":
            await pin(chat, command.argument)
        case "unpin":
            await chat.talk.unpin(command.argument)
            chat.screen.note(f"unpinned {clean(command.argument)}")
        case "resume":
            await resume(chat, command.argument)
        case "new":
            await begin(chat, command.argument)
        case "model":
            await change_model(chat, command.argument)
        case name:
            raise AssertionError(name)
    return True


async def read_back(chat: Chat, ids: str) -> None:
    """Show messages in full, and summaries as what they were made from."""
    opened = await chat.talk.expand(re.split(r"[\s,]+", ids))
    for entry in opened:
        chat.screen.show(entry_text(entry).split("\n"))
    if opened.note:
        chat.screen.note(clean(opened.note))


async def again(chat: Chat) -> None:
    """Have the last turn answered, where it was not."""
    if chat.unfinished:
        await take_turn(chat, None)
    else:
        chat.screen.note("there is nothing to go on with: the last message was answered")


async def compact(chat: Chat, focus: str) -> None:
    """Compact on demand, and show what the window now begins with."""

    async def work() -> None:
        chat.screen.wait("compacting; Ctrl-C stops")
        report = await chat.agent.compact(chat.talk, focus) or await _halved(chat, focus)
        if report is None:
            chat.screen.note("nothing to compact yet: there is little but the newest words")
            return
        chat.reports.append(report)
        chat.screen.event(compaction_line(report))
        if report.summary:
            chat.screen.show(clean(report.summary).split("\n"))

    try:
        if not await chat.interrupts.finished(work()):
            chat.screen.note("stopped; what was done until then stays")
    finally:
        chat.screen.end()
        await chat.refresh()
    await keep_files(chat)


async def _halved(chat: Chat, focus: str) -> Report | None:
    """Make the history half as large, where a person asks for what no rule calls for. None where it is small."""
    budget = (await chat.talk.window()).budget
    spare = (budget.regions.history + budget.regions.summaries) // 2
    if budget.used_tokens < LEAST_SHARE * budget.capacity_tokens:
        return None
    return await chat.talk.compact(budget.used_tokens - spare, focus)


async def pin(chat: Chat, argument: str) -> None:
    """Pin a message, a range or a text; list the pins where nothing is said."""
    if argument:
        words = argument.split()
        ids = len(words) <= 2 and all(_MESSAGE_ID.fullmatch(word) for word in words)
        made = await (chat.talk.pin(chosen(words)) if ids else chat.talk.pin(text=argument))
        chat.screen.note(f"pinned {made.id}: {named_pin(made)}, {count(made.tokens, 'token')}")
        return
    shown = (await chat.talk.window()).budget.regions.pins
    known, limit = await chat.talk.pins(), pin_limit(state_of(chat.talk).effective_settings())
    for block in pin_blocks(known, limit, shown):
        lines = columns(block, chat.screen.width) if isinstance(block, Listing) else [block]
        chat.screen.show([line for line in lines if isinstance(line, str)])


async def resume(chat: Chat, argument: str) -> None:
    """List the conversations, or go on with one of them."""
    await chat.refresh()
    if not argument:
        chat.screen.show(listing_lines(chat.known, chat.talk.id, chat.screen.width))
        return
    await chat.use(pick(argument, chat.known).id)
    await show_place(chat)


async def begin(chat: Chat, name: str) -> None:
    """Begin another conversation."""
    if any(one.id == name for one in chat.known):
        raise UsageError(f"there is a conversation {name!r}", hint=f"/resume {name} goes on with it")
    await chat.use(name or new_name())
    await show_place(chat)


async def change_model(chat: Chat, argument: str) -> None:
    """Say which model answers, or have another answer from now on."""
    if argument:
        await chat.use(chat.talk.id, named(argument))
    limits = find_limits(state_of(chat.talk).settings, chat.model_name)
    told = f"{chat.model_name}: window {limits.window_tokens:,} ({limits.window_source}), reply {limits.max_tokens:,}"
    chat.screen.note(told if argument else f"{told}; /model provider:model changes it")


async def show_place(chat: Chat) -> None:
    """Say which conversation this is, what was said in it last, and whether it waits for an answer."""
    view = await chat.talk.window()
    if not view.window.items:
        chat.screen.note(f"new conversation {clean(chat.talk.id)}")
        return
    title = next((one.title for one in chat.known if one.id == chat.talk.id), "")
    told = f"conversation {clean(chat.talk.id)}, {count(view.window.last, 'message')}"
    chat.screen.note(f"{told}: {clip(title, _TITLE_CELLS)}" if title else told)
    newest = await chat.talk.messages(max(1, view.window.last - _RECALLED + 1), _RECALLED)
    chat.screen.event(*recalled_lines([one.message for one in newest], chat.screen.width))
    if chat.unfinished:
        chat.screen.event(
            Text("the last turn was cut short: Enter goes on with it, or say something else", "yellow")
        )


def pick(argument: str, known: Sequence[ConversationInfo]) -> ConversationInfo:
    """The conversation that is meant: its number in the list, its id or the beginning of one, or words of its title.

    Raises NotFound, and UsageError where several are meant.
    """
    if argument.isdecimal() and 1 <= int(argument) <= min(len(known), MAX_LISTED):
        return known[int(argument) - 1]
    try:
        return choose(argument, known)
    except NotFound:
        titled = [one for one in known if argument.lower() in one.title.lower()]
        if len(titled) == 1:
            return titled[0]
        if titled:
            names = ", ".join(one.id for one in titled[:4])
            raise UsageError(
                f"{len(titled)} titles hold {argument!r}: {names}", hint="give the id of one"
            ) from None
        raise NotFound(f"no conversation {argument!r}", hint="/resume lists them") from None


def listing_lines(known: Sequence[ConversationInfo], current: str, width: int) -> list[str]:
    """The newest conversations with a number each, the present one marked; cut to the width."""
    if not known:
        return ["nothing is stored yet"]
    rows = tuple(
        (
            f"{number}{'*' if one.id == current else ''}",
            when(one.updated_at),
            f"{one.messages:,}",
            clip(one.id, 24) + (f"  {clip(one.title, _TITLE_CELLS)}" if one.title else ""),
        )
        for number, one in enumerate(known[:MAX_LISTED], 1)
    )
    if width < 60:
        rows = tuple((row[0], row[3]) for row in rows)
        return columns(Listing(("", "conversation"), rows, frozenset()), width)
    lines = columns(
        Listing(("", "changed", "messages", "conversation"), rows, frozenset(("messages",))), width
    )
    rest = len(known) - MAX_LISTED
    return [*lines, f"{rest:,} more: palimpsest list"] if rest > 0 else lines


def hit_lines(found: Hits, width: int) -> list[str]:
    """Hits with where and what, each under its id."""
    if not found.hits:
        return [no_hit(found)]
    lines: list[str] = []
    for hit in found.hits:
        what = what_it_is(hit)
        lines.append(
            "  ".join(one for one in (hit.id, what, when(hit.time), count(hit.tokens, "token")) if one)
        )
        lines.extend(f"    {part}" for part in wrap(clip(hit.snippet, _SNIPPET_CELLS), max(10, width - 4)))
    rest = found.total - len(found.hits)
    more = f" ({rest:,} more)" if rest > 0 else ""
    return [*lines, f"{count(found.total, 'hit')}{more}; /expand {found.hits[0].id} reads one back"]
