"""The chat's data: the conversation, the agent that answers in it, and what can be shown of both."""

from __future__ import annotations

import secrets
from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from importlib.resources import files
from pathlib import Path

from rich.text import Text

from palimpsest.agent.agent import Agent, make_agent
from palimpsest.agent.session_log import SessionLog
from palimpsest.agent.tools import Tool, make_tool
from palimpsest.cli.chat.display import RUNNING, Status, is_cut_short, question_lines, status_line
from palimpsest.cli.chat.file_tools import Folder
from palimpsest.cli.chat.interrupts import Interrupts
from palimpsest.cli.chat.model_choice import MakeModel, make_summarizer
from palimpsest.cli.chat.reader import Fragments, Reader
from palimpsest.cli.chat.screen import Screen
from palimpsest.cli.chat.shell_tool import ASK_S, Ask, Shell
from palimpsest.complete.registry import make_model
from palimpsest.engine.conversation import Conversation, runtime_of, state_of
from palimpsest.engine.conversation_state import make_prefix
from palimpsest.engine.engine import Engine
from palimpsest.engine.reports import ConversationInfo, Event, Report
from palimpsest.errors import PalimpsestError
from palimpsest.ports import Model
from palimpsest.record.message import Usage

MAX_REMEMBERED_REPORTS = 64
MAX_HELD_EVENTS = 256
QUESTION = "run it? [y]es, [n]o, [a]lways this one: "


NEWEST_MESSAGES = 8
"""How many of the newest messages are looked at for the last one that was not the system's."""


@dataclass(frozen=True, slots=True)
class Choices:
    """The options of the command line. `system` None means the conversation's own prompt, else the chat's; `again` are
    the options that select the same store.
    """

    folder: Path
    system: str | None = None
    summary_model: str = ""
    log: SessionLog | None = None
    again: tuple[str, ...] = ()
    make: MakeModel = make_model


@dataclass(slots=True)
class Chat:
    """One running chat. Create it with `open_chat`."""

    engine: Engine
    screen: Screen
    choices: Choices
    model_name: str
    model: Model
    talk: Conversation = field(init=False)
    agent: Agent = field(init=False)
    tools: tuple[Tool, ...] = ()
    interrupts: Interrupts = field(default_factory=Interrupts)
    reader: Reader | None = None
    status: Status | None = None
    usage: Usage | None = None
    unfinished: bool = False
    is_new: bool = True
    failure: PalimpsestError | None = None
    known: Sequence[ConversationInfo] = ()
    reports: deque[Report] = field(default_factory=lambda: deque[Report](maxlen=MAX_REMEMBERED_REPORTS))
    noticed: set[str] = field(default_factory=set[str])
    held: deque[Event] = field(default_factory=lambda: deque[Event](maxlen=MAX_HELD_EVENTS))

    @property
    def summarizer(self) -> str:
        """The model that writes the summaries, "" for none."""
        from palimpsest.engine.compacting.summarizer_choice import name_of

        return self.choices.summary_model or name_of(runtime_of(self.talk).compactor.given)

    async def use(self, name: str, model_name: str = "") -> None:
        """Continue in the conversation `name` (a new one starts with its first message), with this model.

        Raises SettingsError for a model that cannot be used; then nothing has changed.
        """
        if model_name and model_name != self.model_name:
            model = self.choices.make(model_name)
            await self.model.close()
            self.model, self.model_name = model, model_name
        talk = self.engine.conversation(name)
        await state_of(talk).load(self.model_name)
        writer = make_summarizer(self.model_name, self.choices.summary_model, self.model, self.choices.make)
        runtime = runtime_of(talk)
        compactor = replace(runtime.compactor, given=writer, agent_models=[self.model] if writer else [])
        self.talk = Conversation(talk.id, replace(runtime, compactor=compactor))
        system = self.choices.system
        if system is None and not state_of(self.talk).system:
            system = default_system()
        agent = make_agent(self.engine, self.model, system=system, tools=self.tools)
        self.agent = replace(agent, setup=replace(agent.setup, model=self.model_name))
        self.usage = None
        await self.refresh()

    async def refresh(self) -> None:
        """Measure the window again, and check whether the conversation waits for an answer."""
        setup, state = self.agent.setup, state_of(self.talk)
        state.calibration.model = setup.model
        tools = tuple(tool.definition for tool in self.agent.tools_for(self.talk).values())
        system = state.system if setup.system is None else setup.system
        state.prefix = make_prefix(state.prefix, system, "", tools)
        view = await self.talk.window()
        start = max(1, view.window.last - NEWEST_MESSAGES + 1)
        newest = await self.talk.messages(start, NEWEST_MESSAGES) if view.window.items else []
        said = (one.message for one in reversed(newest) if one.message.role != "system")
        self.unfinished = is_cut_short(next(said, None))
        self.is_new = not newest
        self.status = Status(self.talk.id, self.model_name, view.budget, self.usage)
        self.known = await self.engine.conversations()
        if self.reader is not None:
            self.reader.changed()

    async def ask(self, command: str) -> str:
        """Ask the user whether a command may run: "yes", "always" or "no". Ctrl-C stops the turn."""
        screen = self.screen
        if self.reader is None:
            return "no"
        screen.event(*question_lines(command, screen.width))
        if not screen.live:
            screen.err.print(Text(QUESTION), end="")
        screen.asking = True
        try:
            answer = (await self.reader.ask(QUESTION)).strip().lower()
        except KeyboardInterrupt:
            self.interrupts.stop()
            return "no"
        finally:
            screen.asking = False
        if not screen.live:
            screen.err.print()
        screen.wait(RUNNING)
        return {"a": "always", "always": "always", "y": "yes", "yes": "yes"}.get(answer, "no")

    def status_line(self, width: int) -> Fragments:
        """The current status line."""
        return status_line(self.status, width) if self.status is not None else []

    def names(self) -> list[tuple[str, str]]:
        """(id, title) of the conversations, for completion."""
        return [(one.id, one.title) for one in self.known]


async def open_chat(engine: Engine, screen: Screen, choices: Choices, *, name: str, model_name: str) -> Chat:
    """A chat in the conversation `name`. Raises SettingsError for a model that cannot be used."""
    chat = Chat(engine, screen, choices, model_name, choices.make(model_name))
    chat.tools = chat_tools(choices.folder, chat.ask)
    await chat.use(name)
    return chat


def chat_tools(folder: Path, ask: Ask) -> tuple[Tool, ...]:
    """The model's tools: read files of the folder, and run commands that the user allows."""
    place, shell = Folder(folder.resolve()), Shell(folder.resolve(), ask)
    readers = [make_tool(function) for function in (place.read_file, place.list_files, place.search_files)]
    return (*readers, make_tool(shell.run_command, timeout_s=ASK_S))


def default_system() -> str:
    """The system prompt of a conversation without one."""
    return (files("palimpsest.cli.chat") / "system.txt").read_text(encoding="utf-8").strip()


def new_name() -> str:
    """An id for a new conversation, short enough to type."""
    return f"chat-{secrets.token_hex(3)}"
