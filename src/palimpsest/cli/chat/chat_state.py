"""The chat as it stands: the conversation, the agent that answers in it, and what there is to show of both."""

from __future__ import annotations

import secrets
from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from importlib.resources import files
from pathlib import Path

from palimpsest.agent.agent import Agent, make_agent
from palimpsest.agent.session_log import SessionLog
from palimpsest.agent.tools import Tool, make_tool
from palimpsest.cli.chat.event_lines import Fragments, Status, is_cut_short, status_line
from palimpsest.cli.chat.file_tools import Folder
from palimpsest.cli.chat.input_reader import Reader
from palimpsest.cli.chat.interrupts import Interrupts
from palimpsest.cli.chat.model_choice import MakeModel, make_summarizer
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


@dataclass(frozen=True, slots=True)
class Choices:
    """What was chosen on the command line. `system` None is the conversation's own, else the chat's; `again` are the
    options with which the same conversation is found again.
    """

    folder: Path
    system: str | None = None
    summary_model: str = ""
    log: SessionLog | None = None
    again: tuple[str, ...] = ()
    make: MakeModel = make_model


@dataclass(slots=True)
class Chat:
    """One running chat. Make it with `open_chat`."""

    engine: Engine
    screen: Screen
    choices: Choices
    talk: Conversation
    agent: Agent
    tools: tuple[Tool, ...]
    model_name: str
    model: Model
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

        return self.choices.summary_model or name_of(runtime_of(self.talk).compactor.complete)

    async def use(self, name: str, model_name: str = "") -> None:
        """Go on in the conversation `name` (one that is not there yet begins with its first message), with that model.

        Raises SettingsError for a model that cannot be asked, and then nothing has changed.
        """
        if model_name and model_name != self.model_name:
            model = self.choices.make(model_name)
            await self.model.close()
            self.model, self.model_name = model, model_name
        talk = self.engine.conversation(name)
        await state_of(talk).load(self.model_name)
        writes = make_summarizer(self.model_name, self.choices.summary_model, self.model, self.choices.make)
        runtime = runtime_of(talk)
        compactor = replace(runtime.compactor, complete=writes)
        self.talk = Conversation(talk.id, replace(runtime, compactor=compactor))
        self.agent = _agent(self.engine, self.talk, self.model, self.model_name, self.choices, self.tools)
        self.usage = None
        await self.refresh()

    async def refresh(self) -> None:
        """Measure the window anew, and look whether the conversation waits for an answer."""
        setup, desk = self.agent.setup, state_of(self.talk)
        desk.calibration.model = setup.model
        tools = tuple(tool.definition for tool in self.agent.tools_for(self.talk).values())
        desk.prefix = make_prefix(
            desk.prefix, desk.system if setup.system is None else setup.system, "", tools
        )
        view = await self.talk.window()
        newest = await self.talk.messages(view.window.last, 1) if view.window.items else []
        self.unfinished = is_cut_short(newest[0].message if newest else None)
        self.is_new = not newest
        self.status = Status(self.talk.id, self.model_name, view.budget, self.usage)
        self.known = await self.engine.conversations()
        if self.reader is not None:
            self.reader.changed()

    def status_line(self, width: int) -> Fragments:
        """The status line as it is now."""
        return status_line(self.status, width) if self.status is not None else []

    def names(self) -> list[tuple[str, str]]:
        """(id, title) of the conversations, for completion."""
        return [(one.id, one.title) for one in self.known]


async def open_chat(
    engine: Engine, screen: Screen, choices: Choices, ask: Ask, *, name: str, model_name: str
) -> Chat:
    """A chat in the conversation `name`. Raises SettingsError for a model that cannot be asked."""
    model = choices.make(model_name)
    talk = engine.conversation(name)
    tools = chat_tools(choices.folder, ask)
    agent = _agent(engine, talk, model, model_name, choices, tools)
    chat = Chat(engine, screen, choices, talk, agent, tools, model_name, model)
    await chat.use(name)
    return chat


def chat_tools(folder: Path, ask: Ask) -> tuple[Tool, ...]:
    """What the model can do: look at files of the folder, and run commands that the person allows."""
    place, shell = Folder(folder.resolve()), Shell(folder.resolve(), ask)
    looks = [make_tool(function) for function in (place.read_file, place.list_files, place.search_files)]
    return (*looks, make_tool(shell.run_command, timeout_s=ASK_S))


def _agent(
    engine: Engine,
    talk: Conversation,
    model: Model,
    model_name: str,
    choices: Choices,
    tools: Sequence[Tool],
) -> Agent:
    own = state_of(talk).system
    system = choices.system if choices.system is not None else None if own else default_system()
    agent = make_agent(engine, model, system=system, tools=tools)
    return replace(agent, setup=replace(agent.setup, model=model_name))


def default_system() -> str:
    """The system prompt of a conversation that has none."""
    return (files("palimpsest.cli.chat") / "system.txt").read_text(encoding="utf-8").strip()


def new_name() -> str:
    """An id for a new conversation, short enough to type."""
    return f"chat-{secrets.token_hex(3)}"
