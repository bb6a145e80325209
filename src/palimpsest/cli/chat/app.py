"""The chat's loop: read a line and act on it, until the user leaves."""

from __future__ import annotations

import asyncio
import contextlib
import shlex
import sys

from palimpsest.cli.chat.commands import Command, Nothing, Say, Wrong, act, parse, show_place
from palimpsest.cli.chat.display import error_lines
from palimpsest.cli.chat.interrupts import no_echo
from palimpsest.cli.chat.model_choice import is_scripted
from palimpsest.cli.chat.reader import LineReader, Shown
from palimpsest.cli.chat.screen import make_screen
from palimpsest.cli.chat.state import Chat, Choices, open_chat
from palimpsest.cli.chat.turn import show_background, take_turn
from palimpsest.cli.drawing import clean
from palimpsest.engine.engine import Engine
from palimpsest.errors import PalimpsestError, UsageError

_SCRIPTED_HINT = (
    "no key is set, so a scripted model answers: it repeats what you say. "
    "--model provider:model asks a real one; say help for what this one can do."
)


async def open_and_run(
    engine: Engine, choices: Choices, *, name: str, model_name: str
) -> PalimpsestError | None:
    """Chat on this process's streams. Without a terminal, returns the error of the last step."""
    live = sys.stdin is not None and sys.stdin.isatty() and sys.stdout.isatty()
    chat = await open_chat(engine, make_screen(live=live), choices, name=name, model_name=model_name)
    if live:
        from palimpsest.cli.chat.prompt_editor import make_reader

        chat.reader = make_reader(Shown(chat.status_line, chat.names))
    else:
        chat.reader = LineReader()
    await run_chat(chat)
    return None if live else chat.failure


async def run_chat(chat: Chat) -> None:
    """Chat until the user leaves. Failures are shown, and the chat continues."""
    listening = asyncio.create_task(_listen(chat))
    live = chat.screen.live
    try:
        with contextlib.ExitStack() as stack:
            stack.enter_context(chat.interrupts.caught(keep_running=live))
            if live and sys.stdin.isatty():
                stack.enter_context(no_echo())
            await _greet(chat)
            await _loop(chat)
    finally:
        listening.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await listening
        chat.screen.end()
        with contextlib.suppress(PalimpsestError):
            await chat.model.close()
        if not chat.is_new:
            words = ["palimpsest", "chat", chat.talk.id, *chat.choices.again]
            chat.screen.note(f"go on with it: {' '.join(shlex.quote(word) for word in words)}")


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
    if chat.reader is None:
        raise UsageError("the chat has nothing to read from", hint="give it a reader")
    interrupted = False
    while True:
        chat.screen.gap()
        try:
            line = await chat.reader.read()
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
            if not await _act_on(chat, line):
                return
        except PalimpsestError as error:
            chat.failure = error
            chat.screen.event(*error_lines(error))


async def _act_on(chat: Chat, line: str) -> bool:
    """Act on a line; False leaves the chat."""
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
    """Show what the background does: immediately at the prompt, otherwise after the answer."""
    async for event in chat.engine.events():
        if chat.interrupts.task is not None:
            chat.held.append(event)
            continue
        show_background(chat, event)
        with contextlib.suppress(PalimpsestError):
            await chat.refresh()
