"""The chat's input: what a line means, and the chat's own commands.

A line that begins with "/" and a word is a command; "//..." sends a text that begins with a slash, and a path such as
/etc/hosts is an ordinary text. An empty line asks the model again if its last answer did not arrive.
"""

from __future__ import annotations

import re
from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from difflib import get_close_matches

from rich.text import Text

from palimpsest.budget.ledger_and_pins import pin_limit
from palimpsest.budget.model_limits import find_limits
from palimpsest.cli.chat.display import compaction_line, context_lines, recalled_lines, two_columns
from palimpsest.cli.chat.model_choice import full_name
from palimpsest.cli.chat.state import Chat, new_name
from palimpsest.cli.chat.turn import take_turn, update_files
from palimpsest.cli.commands.expand import entry_text
from palimpsest.cli.commands.grep import hit_source, no_hit
from palimpsest.cli.commands.pin import pin_blocks, pinned_ids, pinned_text
from palimpsest.cli.drawing import Listing, clean, clip, columns, count, joined, when, wrap
from palimpsest.engine.conversation import state_of
from palimpsest.engine.reports import ConversationInfo, Hits, Report, find_conversation
from palimpsest.errors import NotFound, UsageError

MAX_LISTED = 20
MAX_HITS = 20
LEAST_SHARE = 0.25
"""Of the capacity. A smaller window is only compacted on demand if the rules call for it."""
_RECALLED = 2
_SNIPPET_CELLS = 240
_TITLE_CELLS = 60
_COMMAND = re.compile(r"/([a-zA-Z?][\w?-]*)(?:\s+(.*))?", re.DOTALL)
_MESSAGE_ID = re.compile(r"m\d+(?:-m?\d+)?")


@dataclass(frozen=True, slots=True)
class Say:
    """A message to the model."""

    text: str


@dataclass(frozen=True, slots=True)
class Command:
    """One of `COMMANDS`, with its argument."""

    name: str
    argument: str = ""


@dataclass(frozen=True, slots=True)
class Wrong:
    """A command that cannot be carried out, and what to do."""

    message: str
    hint: str


@dataclass(frozen=True, slots=True)
class Nothing:
    """An empty line."""


def parse(line: str) -> Say | Command | Wrong | Nothing:
    """What a line means."""
    text = line.strip()
    if not text:
        return Nothing()
    if text.startswith("//"):
        return Say(text[1:])
    found = _COMMAND.fullmatch(text)
    if found is None:
        return Say(text)
    given, argument = found[1].lower(), (found[2] or "").strip()
    name = OTHER_NAMES.get(given, given)
    if name not in COMMANDS:
        near = get_close_matches(name, COMMANDS, 1)
        hint = f"did you mean /{near[0]}? " if near else ""
        return Wrong(
            f"there is no command /{given}", f'{hint}/help lists them; "//" sends a text with a slash'
        )
    if name in NEEDS_ARGUMENT and not argument:
        return Wrong(f"/{name} needs more", f"write /{name} {COMMANDS[name].argument}")
    return Command(name, argument)


def help_rows() -> list[tuple[str, str]]:
    """(syntax, meaning) of every command and of the keys."""
    return [
        *((f"/{name} {known.argument}".rstrip(), known.what) for name, known in COMMANDS.items()),
        ("", ""),
        ("Alt-Enter, \\ Enter", "a new line in the message"),
        ("Ctrl-C", "stop the answer; at the prompt: clear the line, twice: leave"),
        ("Ctrl-D", "leave"),
        ("Enter alone", "go on after an answer that was stopped or failed"),
    ]


def completions(
    text: str, conversations: Sequence[tuple[str, str]] = (), models: Iterable[str] = ()
) -> list[tuple[str, str, int]]:
    """(completion, meaning, how many characters of `text` it replaces) for a line up to the cursor."""
    name, blank, argument = text.partition(" ")
    if not text.startswith("/") or "\n" in text:
        return []
    if not blank:
        return [(f"/{one}", COMMANDS[one].what, len(text)) for one in COMMANDS if f"/{one}".startswith(name)]
    offered = {"/resume": conversations, "/model": [(one, "") for one in models]}.get(name, ())
    return [(one, meaning, len(argument)) for one, meaning in offered if one.startswith(argument)]


async def act(chat: Chat, command: Command) -> bool:
    """Carry out a command; False leaves the chat. Raises PalimpsestError, with nothing changed."""
    if command.name == "exit":
        return False
    await COMMANDS[command.name].run(chat, command.argument)
    return True


async def _show_help(chat: Chat, _: str) -> None:
    chat.screen.show(two_columns(help_rows(), chat.screen.width))


async def _show_context(chat: Chat, _: str) -> None:
    chat.screen.show(context_lines(await chat.talk.window(), chat.screen.width, chat.model_name))


async def _grep(chat: Chat, pattern: str) -> None:
    chat.screen.show(_hit_lines(await chat.talk.grep(pattern, limit=MAX_HITS), chat.screen.width))


async def _expand(chat: Chat, ids: str) -> None:
    opened = await chat.talk.expand(re.split(r"[\s,]+", ids))
    for entry in opened:
        chat.screen.show(entry_text(entry).split("\n"))
    if opened.note:
        chat.screen.note(clean(opened.note))


async def _retry(chat: Chat, _: str) -> None:
    if chat.unfinished:
        await take_turn(chat, None)
    else:
        chat.screen.note("there is nothing to go on with: the last message was answered")


async def _compact(chat: Chat, focus: str) -> None:
    """Compact on demand, and show the new summary."""

    async def work() -> None:
        chat.screen.wait("compacting; Ctrl-C stops")
        report = await chat.agent.compact(chat.talk, focus) or await _halve(chat, focus)
        if report is None:
            chat.screen.note("nothing to compact yet: there are few messages besides the newest")
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
    await update_files(chat)


async def _halve(chat: Chat, focus: str) -> Report | None:
    """Halve the history, although no rule calls for it. None if it is small."""
    budget = (await chat.talk.window()).budget
    spare = (budget.regions.history + budget.regions.summaries) // 2
    if budget.used_tokens < LEAST_SHARE * budget.capacity_tokens:
        return None
    return await chat.talk.compact(budget.used_tokens - spare, focus)


async def _pin(chat: Chat, argument: str) -> None:
    """Pin a message, a range or a text; without an argument list the pins."""
    if argument:
        words = argument.split()
        ids = len(words) <= 2 and all(_MESSAGE_ID.fullmatch(word) for word in words)
        made = await (chat.talk.pin(pinned_ids(words)) if ids else chat.talk.pin(text=argument))
        chat.screen.note(pinned_text(made))
        return
    shown = (await chat.talk.window()).budget.regions.pins
    known, limit = await chat.talk.pins(), pin_limit(state_of(chat.talk).effective_settings())
    for block in pin_blocks(known, limit, shown):
        lines = columns(block, chat.screen.width) if isinstance(block, Listing) else [block]
        chat.screen.show([line for line in lines if isinstance(line, str)])


async def _unpin(chat: Chat, pin_id: str) -> None:
    await chat.talk.unpin(pin_id)
    chat.screen.note(f"unpinned {clean(pin_id)}")


async def _resume(chat: Chat, argument: str) -> None:
    """List the conversations, or continue one of them."""
    await chat.refresh()
    if not argument:
        chat.screen.show(listing_lines(chat.known, chat.talk.id, chat.screen.width))
        return
    await chat.use(pick(argument, chat.known).id)
    await show_place(chat)


async def _new(chat: Chat, name: str) -> None:
    """Start another conversation."""
    if any(one.id == name for one in chat.known):
        raise UsageError(f"there is a conversation {name!r}", hint=f"/resume {name} goes on with it")
    await chat.use(name or new_name())
    await show_place(chat)


async def _model(chat: Chat, argument: str) -> None:
    """Show which model answers, or change it."""
    if argument:
        await chat.use(chat.talk.id, full_name(argument))
    limits = find_limits(state_of(chat.talk).settings, chat.model_name)
    text = f"{chat.model_name}: window {limits.window_tokens:,} ({limits.window_source}), reply {limits.max_tokens:,}"
    chat.screen.note(text if argument else f"{text}; /model provider:model changes it")


@dataclass(frozen=True, slots=True)
class Known:
    """A command: its argument and meaning, for the help, and what it does."""

    argument: str
    what: str
    run: Callable[[Chat, str], Awaitable[None]]


COMMANDS: Mapping[str, Known] = {
    "compact": Known("[FOCUS]", "make the window smaller now; FOCUS names what to keep first", _compact),
    "context": Known("", "show what fills the window", _show_context),
    "grep": Known("PATTERN", 'find messages and summaries by words, "phrases" and %parts%', _grep),
    "expand": Known("ID...", "read messages back in full, summaries as what they were made from", _expand),
    "pin": Known("[ID [LAST]|TEXT]", "keep a message or a text word for word; alone: list the pins", _pin),
    "unpin": Known("PIN", "remove a pin", _unpin),
    "resume": Known("[CONV]", "list the conversations, or go on with one: its number, id or title", _resume),
    "new": Known("[NAME]", "start another conversation", _new),
    "model": Known("[NAME]", 'show which model answers, or change it: "provider:model"', _model),
    "retry": Known("", "ask the model again if its last answer did not arrive", _retry),
    "help": Known("", "this list", _show_help),
    "exit": Known("", "leave; every message is stored", _show_help),
}
OTHER_NAMES: Mapping[str, str] = {"quit": "exit", "q": "exit", "h": "help", "?": "help", "search": "grep"}
NEEDS_ARGUMENT = frozenset(("grep", "expand", "unpin"))


async def show_place(chat: Chat) -> None:
    """Show the current conversation, its newest messages, and whether it waits for an answer."""
    view = await chat.talk.window()
    if not view.window.items:
        chat.screen.note(f"new conversation {clean(chat.talk.id)}")
        return
    title = next((one.title for one in chat.known if one.id == chat.talk.id), "")
    text = f"conversation {clean(chat.talk.id)}, {count(view.window.last, 'message')}"
    chat.screen.note(f"{text}: {clip(title, _TITLE_CELLS)}" if title else text)
    newest = await chat.talk.messages(max(1, view.window.last - _RECALLED + 1), _RECALLED)
    chat.screen.event(*recalled_lines([one.message for one in newest], chat.screen.width))
    if chat.unfinished:
        chat.screen.event(
            Text("the last turn was cut short: Enter goes on with it, or type something else", "yellow")
        )


def pick(argument: str, known: Sequence[ConversationInfo]) -> ConversationInfo:
    """The conversation with this number in the list, this id or beginning of an id, or these words in its title.

    Raises NotFound, and UsageError if there are several.
    """
    if argument.isdecimal() and 1 <= int(argument) <= min(len(known), MAX_LISTED):
        return known[int(argument) - 1]
    try:
        return find_conversation(argument, known)
    except NotFound:
        titled = [one for one in known if argument.lower() in one.title.lower()]
    if len(titled) == 1:
        return titled[0]
    if titled:
        names = ", ".join(one.id for one in titled[:4])
        raise UsageError(f"{len(titled)} titles have {argument!r}: {names}", hint="give the id of one")
    raise NotFound(f"no conversation {argument!r}", hint="/resume lists them")


def listing_lines(known: Sequence[ConversationInfo], current: str, width: int) -> list[str]:
    """The newest conversations with their numbers, the current one marked; cut to the width."""
    if not known:
        return ["nothing is stored yet"]
    rows = tuple(
        (
            f"{number}{'*' if one.id == current else ''}",
            when(one.updated_at),
            f"{one.messages:,}",
            joined(clip(one.id, 24), clip(one.title, _TITLE_CELLS)),
        )
        for number, one in enumerate(known[:MAX_LISTED], 1)
    )
    if width < 60:
        return columns(Listing(("", "conversation"), tuple((row[0], row[3]) for row in rows)), width)
    headings = ("", "changed", "messages", "conversation")
    lines = columns(Listing(headings, rows, frozenset(("messages",))), width)
    rest = len(known) - MAX_LISTED
    return [*lines, f"{rest:,} more: palimpsest list"] if rest > 0 else lines


def _hit_lines(found: Hits, width: int) -> list[str]:
    """Each hit with its source, and its text below."""
    if not found.hits:
        return [no_hit(found)]
    lines: list[str] = []
    for hit in found.hits:
        lines.append(joined(hit.id, hit_source(hit), when(hit.time), count(hit.tokens, "token")))
        lines.extend(f"    {part}" for part in wrap(clip(hit.snippet, _SNIPPET_CELLS), max(10, width - 4)))
    rest = found.total - len(found.hits)
    more = f" ({rest:,} more)" if rest > 0 else ""
    return [*lines, f"{count(found.total, 'hit')}{more}; /expand {found.hits[0].id} reads one back"]
