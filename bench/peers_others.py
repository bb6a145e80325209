"""What other libraries do around a turn, for `bench/peers.py`.

A part imports its library when it is called, and calls it once before the clock runs, so that no import is
counted.
"""

# pyright: basic, reportMissingImports=false, reportAttributeAccessIssue=false

from __future__ import annotations

import asyncio
import gc
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Annotated, Any, TypedDict

from latency_fill import WINDOW_TOKENS, messages_of
from latency_report import Times, row
from latency_texts import Writer
from latency_turns import Rows, texts_of
from resending import Said, short

import palimpsest

LIMIT_S = 12.0
"""A part ends after so long, however many turns were asked for."""

LEAST_CALLS = 10
LAST_ITEMS = 64


@dataclass(frozen=True, slots=True)
class Setup:
    """What every part is given, with the floor that is measured beside it."""

    folder: Path
    known: int
    turns: int
    sizes: Sequence[int]
    commit: Callable[[str], None]
    floor: Times

    def texts(self) -> Iterator[str]:
        """The new texts, until there are enough or the time is over. The floor is measured before each.

        Its processor time is that of its thread, because others may still free what the call before left.
        """
        gc.collect()
        end_s = time.monotonic() + LIMIT_S
        for place, text in enumerate(texts_of(self.sizes, self.turns, seed=2)):
            if place >= LEAST_CALLS and time.monotonic() > end_s:
                return
            begin_s, begin_own_s = time.perf_counter(), time.thread_time()
            self.commit(text)
            self.floor.processor.append(time.thread_time() - begin_own_s)
            self.floor.wall.append(time.perf_counter() - begin_s)
            yield text

    def new(self) -> Iterator[Said]:
        """The same as messages."""
        for place, text in enumerate(self.texts()):
            yield {"role": "assistant" if place % 2 else "user", "content": text}

    def history(self) -> list[Said]:
        """The messages that are known before."""
        known = islice(messages_of(Writer(1), 1), self.known)
        return [{"role": one.role, "content": "".join(text_of(one))} for one in known]


def text_of(message: palimpsest.Message) -> Iterator[str]:
    """The texts of a message."""
    return (part.text for part in message.parts if isinstance(part, palimpsest.Text))


def rows_of(who: str, where: str, times: dict[str, Times]) -> Rows:
    """A row for each kind of call that was timed."""
    return [{"who": who, **row(f"{where}: {what}", one, None)} for what, one in times.items() if one.wall]


def agents_sdk(setup: Setup) -> Rows:
    """What a runner does around a call: an item is added, and the session is read."""
    from agents import SQLiteSession

    add, read, both, last = Times(), Times(), Times(), Times()

    async def measured() -> None:
        session = SQLiteSession("long", setup.folder / "agents.db")
        history: list[Any] = setup.history()
        await session.add_items(history)
        await session.get_items()
        await session.get_items(limit=LAST_ITEMS)
        for item in setup.new():
            with both.one():
                with add.one():
                    await session.add_items([item])  # type: ignore[list-item]
                with read.one():
                    await session.get_items()
            with last.one():
                await session.get_items(limit=LAST_ITEMS)
        session.close()

    asyncio.run(measured())
    times = {
        "add_items of 1": add,
        "get_items": read,
        "add_items + get_items": both,
        f"get_items, limit={LAST_ITEMS}": last,
    }
    return rows_of("Agents SDK", f"{setup.known:,}", times)


def as_messages(said: Sequence[Said], first: int = 0) -> list[Any]:
    """LangChain's messages with ids of their own."""
    from langchain_core.messages import AIMessage, HumanMessage

    kinds = {"user": HumanMessage, "assistant": AIMessage}
    return [
        kinds[one["role"]](content=one["content"], id=f"m{number}") for number, one in enumerate(said, first)
    ]


def langchain_trim(setup: Setup) -> Rows:
    """What goes into the next call, of a list that grows by one message before each."""
    from langchain_core.messages import trim_messages
    from langchain_core.messages.utils import count_tokens_approximately

    def trimmed() -> object:
        return trim_messages(
            messages, max_tokens=WINDOW_TOKENS, token_counter=count_tokens_approximately, strategy="last"
        )

    trim, messages = Times(), as_messages(setup.history())
    trimmed()
    for one in setup.new():
        messages += as_messages([one], len(messages))
        with trim.one():
            trimmed()
    return rows_of("LangChain", f"{setup.known:,}", {"trim_messages to the window": trim})


def langgraph_merge(setup: Setup) -> Rows:
    """Two messages more for a state, given alone, or behind all that is known already."""
    from langgraph.graph.message import add_messages

    alone, again = Times(), Times()
    state: list[Any] = as_messages([short(place) for place in range(setup.known)])
    add_messages(state, [{"role": "user", "content": "Go on."}])
    for _ in setup.new():
        added = [{**short(place), "id": f"m{place}"} for place in (len(state), len(state) + 1)]
        sent = [{"role": one_role(one), "content": one.content, "id": one.id} for one in state] + added
        with alone.one():
            add_messages(state, added)
        with again.one():
            state = list(add_messages(state, sent))
    where = f"{setup.known:,}"
    return rows_of("LangGraph", where, {"add_messages of 2": alone, "add_messages of all and 2 more": again})


def one_role(message: Any) -> str:
    """The role of LangChain's message on the wire."""
    return "assistant" if message.type == "ai" else "user"


def merged(state: list[Any], writes: Sequence[Any]) -> list[Any]:
    """What a delta channel makes of a state and what was written to it since."""
    from langgraph.graph.message import add_messages

    for one in writes:
        state = list(add_messages(state, one))
    return state


def langgraph_checkpoint(setup: Setup) -> Rows:
    """One message more in a graph whose state is kept in a file, and the state read back."""
    from langgraph.channels import DeltaChannel
    from langgraph.graph import MessagesState

    delta = TypedDict("delta", {"messages": Annotated[list[Any], DeltaChannel(merged)]})  # noqa: UP013
    return [*checkpointed(setup, MessagesState, ""), *checkpointed(setup, delta, ", delta channel")]


def checkpointed(setup: Setup, state: type, name: str) -> Rows:
    """The same for one way to keep the state."""
    from langgraph.checkpoint.sqlite import SqliteSaver
    from langgraph.graph import START, StateGraph

    update, read = Times(), Times()
    graph: Any = StateGraph(state)
    graph.add_node("reply", lambda _: {})
    graph.add_edge(START, "reply")
    config = {"configurable": {"thread_id": "long"}}
    with SqliteSaver.from_conn_string(str(setup.folder / f"checkpoints{name}.db")) as saver:
        compiled = graph.compile(checkpointer=saver)
        compiled.update_state(config, {"messages": as_messages(setup.history())}, as_node="reply")
        compiled.get_state(config)
        for number, one in enumerate(setup.new(), setup.known):
            with update.one():
                compiled.update_state(config, {"messages": as_messages([one], number)}, as_node="reply")
            with read.one():
                held = compiled.get_state(config)
        if len(held.values["messages"]) != setup.known + len(update.wall):
            raise RuntimeError(f"{len(held.values['messages'])} messages were read back")
    times = {f"update_state by 1{name}": update, f"get_state{name}": read}
    return rows_of("LangGraph", f"{setup.known:,}", times)
