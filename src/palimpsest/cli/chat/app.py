"""The chat's loop: read a line, do what it means, until the person leaves."""

from __future__ import annotations

import asyncio
import contextlib
import shlex
import sys

from rich.text import Text

from palimpsest.cli.chat.chat_state import Chat
from palimpsest.cli.chat.event_lines import DIM, error_lines
from palimpsest.cli.chat.input_parsing import Command, Nothing, Say, Wrong, is_always, is_yes, parse
from palimpsest.cli.chat.input_reader import LineReader, Reader, Shown
from palimpsest.cli.chat.interrupts import quiet_keys
from palimpsest.cli.chat.model_choice import is_scripted
from palimpsest.cli.chat.screen import Screen
from palimpsest.cli.chat.shell_tool import Ask
from palimpsest.cli.chat.slash_commands import act, show_place
from palimpsest.cli.chat.turn import RUNNING, show_background, take_turn
from palimpsest.cli.text_drawing import clean, wrap
from palimpsest.errors import PalimpsestError, UsageError

QUESTION = "run it? [y]es, [n]o, [a]lways this one: "
_SCRIPTED_HINT = (
    "no key is set, so a scripted model answers: it repeats what you say. "
    "--model provider:model asks a real one; say help for what this one can do."
)


def make_ask(screen: Screen, held: list[Chat]) -> Ask:
    """Asks the person, at the prompt of the chat in `held`, whether a command may run. Ctrl-C stops the turn."""

    async def ask(command: str) -> str:
        chat = held[0]
        if chat.reader is None:
            return "no"
        screen.event(*question_lines(command, screen.width))
        if not screen.live:
            screen.err.print(Text(QUESTION), end="")
        screen.asking = True
        try:
            answer = await chat.reader.ask(QUESTION)
        except KeyboardInterrupt:
            chat.interrupts.stop()
            return "no"
        finally:
            screen.asking = False
        if not screen.live:
            screen.err.print()
        screen.wait(RUNNING)
        return "always" if is_always(answer) else "yes" if is_yes(answer) else "no"

    return ask


def question_lines(command: str, width: int) -> list[Text]:
    """A command that waits for a yes, whole, with its control characters made visible."""
    lines = [part for line in clean(command).split("\n") for part in wrap(line, max(10, width - 4)) or [""]]
    marks = ["  $ ", *["    "] * (len(lines) - 1)]
    return [Text.assemble((mark, DIM), (line, "bold")) for mark, line in zip(marks, lines, strict=True)]


def make_reader(chat: Chat, *, live: bool) -> Reader:
    """The terminal's prompt, or the lines of standard input."""
    if not live:
        return LineReader()
    from palimpsest.cli.chat.prompt_editor import make_reader as at_terminal

    return at_terminal(Shown(chat.status_line, chat.names))


async def run_chat(chat: Chat) -> None:
    """Chat until the person leaves. What fails is told, and the chat goes on."""
    listening = asyncio.create_task(_listen(chat))
    live = chat.screen.live
    try:
        with contextlib.ExitStack() as stack:
            stack.enter_context(chat.interrupts.caught(keep_running=live))
            if live and sys.stdin.isatty():
                stack.enter_context(quiet_keys())
            await _greet(chat)
            await _loop(chat)
    finally:
        listening.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await listening
        chat.screen.end()
        with contextlib.suppress(PalimpsestError):
            await chat.model.close()
        await _farewell(chat)


async def _greet(chat: Chat) -> None:
    screen = chat.screen
    if is_scripted(chat.model_name):
        screen.note(_SCRIPTED_HINT)
    elif screen.live:
        screen.note(f"model {chat.model_name}")
    if screen.live or not chat.is_new:
        await show_place(chat)
    if screen.live:
        screen.note(f"in {clean(str(chat.choices.folder))}; /help lists the commands")


async def _loop(chat: Chat) -> None:
    interrupted = False
    while True:
        chat.screen.gap()
        try:
            line = await _read(chat)
        except KeyboardInterrupt:
            if interrupted:
                return
            interrupted = True
            chat.screen.note("Ctrl-C again or Ctrl-D leaves")
            continue
        interrupted = False
        if line is None:
            return
        try:
            if not await _do(chat, line):
                return
        except PalimpsestError as error:
            chat.failure = error
            chat.screen.event(*error_lines(error))


async def _read(chat: Chat) -> str | None:
    if chat.reader is None:
        raise UsageError("the chat has nothing to read from", hint="give it a reader")
    return await chat.reader.read()


async def _do(chat: Chat, line: str) -> bool:
    """Do what a line means; False leaves the chat."""
    match parse(line):
        case Say(text=text):
            await take_turn(chat, text)
        case Command() as command:
            chat.failure = None
            return await act(chat, command)
        case Wrong(message=message, hint=hint):
            raise UsageError(message, hint=hint)
        case Nothing():
            if chat.unfinished and chat.screen.live:
                await take_turn(chat, None)
    return True


async def _listen(chat: Chat) -> None:
    """Tell what the background does: at once at the prompt, after the answer otherwise."""
    async for event in chat.engine.events():
        if chat.interrupts.task is not None:
            chat.held.append(event)
            continue
        show_background(chat, event)
        with contextlib.suppress(PalimpsestError):
            await chat.refresh()


async def _farewell(chat: Chat) -> None:
    """One line that says how to go on."""
    if chat.is_new:
        return
    words = ["palimpsest", "chat", chat.talk.id, *chat.choices.again]
    chat.screen.note(f"go on with it: {' '.join(shlex.quote(word) for word in words)}")
