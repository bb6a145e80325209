"""One turn on the screen: the answer as it comes, a line for each thing that happens, and what to do when it fails."""

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
from palimpsest.cli.chat.chat_state import Chat
from palimpsest.cli.chat.event_lines import (
    call_line,
    compaction_line,
    error_lines,
    outcome_line,
    plain_status,
    result_line,
    retry_line,
    warning_line,
)
from palimpsest.cli.text_drawing import clip
from palimpsest.engine.conversation import state_of, watching
from palimpsest.engine.reports import Event, Report, Watcher
from palimpsest.errors import PalimpsestError
from palimpsest.record.completion import ReasoningDelta, Retrying, TextDelta
from palimpsest.record.decision import Decision

WAITING = "waiting for the model; Ctrl-C stops"
RUNNING = "running; Ctrl-C stops"
_TITLE_CELLS = 60


async def take_turn(chat: Chat, message: str | None) -> None:
    """Say something, or with None have the last turn answered, and show what comes of it. Nothing is raised for what a
    model or the store does: the person is told, and what was stored stays.
    """
    begins = chat.is_new
    chat.failure = None
    chat.noticed.clear()
    try:
        done = await chat.interrupts.finished(_play(chat, message))
    except PalimpsestError as error:
        chat.failure = error
        await _refreshed(chat)
        chat.screen.event(*error_lines(error, unfinished=chat.unfinished))
    else:
        await _refreshed(chat)
        if not done:
            chat.screen.note("stopped; Enter goes on" if chat.unfinished else "stopped")
    chat.screen.end()
    await keep_files(chat, title=message or "" if begins else "")
    show_held(chat)
    if not chat.screen.live and chat.status is not None:
        chat.screen.note(plain_status(chat.status))


async def _play(chat: Chat, message: str | None) -> None:
    """Run the turn and show its events, and while it waits for a compaction, that it does."""
    play = Play(chat)
    chat.screen.wait(WAITING)

    async def before(decision: Decision) -> None:
        chat.screen.still()
        chat.screen.wait(compacting_words(decision, chat.summarizer))

    async def after(report: Report) -> None:
        chat.screen.still()
        chat.screen.wait(WAITING)

    watched = watching(chat.talk, Watcher(before, after))
    async with aclosing(chat.agent.run(chat.talk, message)) as events:
        with watched:
            async for event in events:
                play.show(event)


def compacting_words(decision: Decision, summarizer: str) -> str:
    """What is being waited for while a compaction is made."""
    tokens = sum(step.source_tokens for step in decision.steps)
    asks = summarizer and any(step.kind in ("leaf", "condense", "roll") for step in decision.steps)
    what = f"{summarizer} writes a summary" if asks else "no model is asked"
    return f"compacting {tokens:,} tokens: {what}; Ctrl-C stops the turn, and nothing is lost"


@dataclass(slots=True)
class Play:
    """A turn that is being shown: the calls that have not ended, and whether words of the present reply were shown."""

    chat: Chat
    running: set[str] = field(default_factory=set[str])
    said: bool = False

    def show(self, event: AgentEvent) -> None:
        """Show one event."""
        chat, screen = self.chat, self.chat.screen
        match event:
            case TextDelta(text=text):
                if text != COMPACTED_TEXT:
                    self.said = True
                    screen.say(text)
            case ReasoningDelta(text=text):
                screen.think(text)
            case Retrying():
                screen.event(retry_line(event, screen.width, said=self.said))
                self.said = False
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
            case Recovered(message=told) | Notice(message=told):
                chat.noticed.add(told)
                screen.note(told)
            case Replaced():
                pass
            case Done():
                outcome = outcome_line(event)
                screen.end()
                if outcome is not None:
                    screen.event(outcome)

    def _show_call(self, event: ToolStart | ToolEnd) -> None:
        screen = self.chat.screen
        self.said = False
        if isinstance(event, ToolStart):
            self.running.add(event.call_id)
            screen.event(call_line(event, screen.width))
        else:
            screen.event(result_line(event, screen.width, named=len(self.running) > 1))
            self.running.discard(event.call_id)
        screen.wait(RUNNING if self.running else WAITING)


async def _refreshed(chat: Chat) -> None:
    try:
        await chat.refresh()
    except PalimpsestError as error:
        chat.screen.event(*error_lines(error))


async def keep_files(chat: Chat, *, title: str = "") -> None:
    """Bring the session's file up to date, and give a conversation that has just begun its title."""
    try:
        if title and not chat.is_new:
            talk = chat.talk
            await state_of(talk).store.describe_conversation(
                state_of(talk).owner, talk.id, title=clip(title, _TITLE_CELLS), now_s=state_of(talk).clock()
            )
        if chat.choices.log is not None:
            await chat.choices.log.follow(chat.talk)
    except PalimpsestError as error:
        chat.screen.event(*error_lines(error))


def show_held(chat: Chat) -> None:
    """Show what the background told while an answer was on the screen."""
    while chat.held:
        show_background(chat, chat.held.popleft())


def show_background(chat: Chat, event: Event) -> None:
    """Show what the background did, but for what the turn itself has shown already."""
    where = "" if event.conversation == chat.talk.id else f" ({event.conversation})"
    if event.report is not None:
        if event.report not in chat.reports:
            chat.reports.append(event.report)
            chat.screen.event(compaction_line(event.report).append(where))
    elif event.message and event.message not in chat.noticed:
        chat.screen.note(f"{event.message}{where}")
