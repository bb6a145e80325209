"""Plays one turn on the screen: the answer as it arrives, a line for each event, and what to do after a failure."""

from __future__ import annotations

from contextlib import aclosing
from dataclasses import dataclass, field

from palimpsest.agent.events import (
    COMPACTED_TEXT,
    AgentEvent,
    BudgetWarning,
    Compact,
    Done,
    Notice,
    Recovered,
    Replaced,
    ToolEnd,
    ToolStart,
    UsageReported,
)
from palimpsest.cli.chat.display import (
    RUNNING,
    WAITING,
    call_line,
    compacting_text,
    compaction_line,
    error_lines,
    outcome_line,
    plain_status,
    result_line,
    retry_line,
    warning_line,
)
from palimpsest.cli.chat.state import Chat
from palimpsest.cli.drawing import clip
from palimpsest.engine.conversation import state_of, watching
from palimpsest.engine.reports import Event, Report, Watcher
from palimpsest.errors import PalimpsestError
from palimpsest.record.completion import ReasoningDelta, Retrying, TextDelta
from palimpsest.record.decision import Decision

_TITLE_CELLS = 60


async def take_turn(chat: Chat, message: str | None) -> None:
    """Send a message, or with None have the last turn answered, and show what happens. Failures of the model or the
    store are shown, not raised.
    """
    begins = chat.is_new
    chat.failure = None
    chat.noticed.clear()
    done = True
    try:
        done = await chat.interrupts.finished(_play(chat, message))
    except PalimpsestError as error:
        chat.failure = error
    await _refresh(chat)
    if chat.failure is not None:
        chat.screen.event(*error_lines(chat.failure, unfinished=chat.unfinished))
    elif not done:
        chat.screen.note("stopped; Enter goes on" if chat.unfinished else "stopped")
    chat.screen.end()
    await update_files(chat, title=message or "" if begins else "")
    while chat.held:
        show_background(chat, chat.held.popleft())
    if not chat.screen.live and chat.status is not None:
        chat.screen.note(plain_status(chat.status))


async def _play(chat: Chat, message: str | None) -> None:
    """Run the turn and show its events, and that it waits for a compaction."""
    play = Play(chat)
    chat.screen.wait(WAITING)

    async def before(decision: Decision) -> None:
        chat.screen.still()
        chat.screen.wait(compacting_text(decision, chat.summarizer))

    async def after(report: Report) -> None:
        chat.screen.still()
        chat.screen.wait(WAITING)

    async with aclosing(chat.agent.run(chat.talk, message)) as events:
        with watching(chat.talk, Watcher(before, after)):
            async for event in events:
                play.show(event)


@dataclass(slots=True)
class Play:
    """A turn that is being shown: the running calls, and whether words of the current reply are on the screen."""

    chat: Chat
    running: set[str] = field(default_factory=set[str])
    shown: bool = False

    def show(self, event: AgentEvent) -> None:
        """Show one event."""
        chat, screen = self.chat, self.chat.screen
        match event:
            case TextDelta(text=text):
                if text != COMPACTED_TEXT:
                    self.shown = True
                    screen.say(text)
            case ReasoningDelta(text=text):
                screen.think(text)
            case Retrying():
                screen.event(retry_line(event, screen.width, shown=self.shown))
                self.shown = False
                screen.wait("waiting to try again; Ctrl-C stops")
            case ToolStart() | ToolEnd():
                self._show_call(event)
            case UsageReported(usage=usage):
                chat.usage = usage
            case Compact(report=report):
                chat.reports.append(report)
                screen.event(compaction_line(report))
                screen.wait(WAITING)
            case BudgetWarning():
                screen.event(warning_line(event))
                screen.wait(WAITING)
            case Recovered(message=message) | Notice(message=message):
                chat.noticed.add(message)
                screen.note(message)
            case Replaced():
                pass
            case Done():
                outcome = outcome_line(event)
                screen.end()
                if outcome is not None:
                    screen.event(outcome)

    def _show_call(self, event: ToolStart | ToolEnd) -> None:
        screen = self.chat.screen
        self.shown = False
        if isinstance(event, ToolStart):
            self.running.add(event.call_id)
            screen.event(call_line(event, screen.width))
        else:
            screen.event(result_line(event, screen.width, named=len(self.running) > 1))
            self.running.discard(event.call_id)
        screen.wait(RUNNING if self.running else WAITING)


async def _refresh(chat: Chat) -> None:
    try:
        await chat.refresh()
    except PalimpsestError as error:
        chat.screen.event(*error_lines(error))


async def update_files(chat: Chat, *, title: str = "") -> None:
    """Update the session's file, and set the title of a new conversation."""
    try:
        if title and not chat.is_new:
            talk = chat.talk
            state = state_of(talk)
            await state.store.describe_conversation(
                state.owner, talk.id, title=clip(title, _TITLE_CELLS), now_s=state.clock()
            )
            await state.engine_state.note_source("palimpsest", str(chat.choices.folder))
        if chat.choices.log is not None:
            await chat.choices.log.follow(chat.talk)
    except PalimpsestError as error:
        chat.screen.event(*error_lines(error))


def show_background(chat: Chat, event: Event) -> None:
    """Show what the background did, unless the turn has shown it already."""
    where = "" if event.conversation == chat.talk.id else f" ({event.conversation})"
    if event.report is not None:
        if event.report not in chat.reports:
            chat.reports.append(event.report)
            chat.screen.event(compaction_line(event.report).append(where))
    elif event.message and event.message not in chat.noticed:
        chat.screen.note(f"{event.message}{where}")
