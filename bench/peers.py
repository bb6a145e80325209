"""What a turn costs beside what other libraries do for the same job, all in one run and beside one floor.

    pip install openai-agents langchain-core langgraph langgraph-checkpoint-sqlite
    python bench/peers.py [--known 1000 10000] [--sent 6000] [--turns 300] [--only NAME...] [--json]

The first line is for the peers alone, in an environment of your own that has Palimpsest too; a peer that is
not installed is left out, and a line says so. `--known` is how many messages a conversation holds before
anything is measured, `--sent` how many a history that is sent again. Messages are made up, the same for
all: those stored before of about 226 characters, the new ones of the built-in sizes of `latency_turns.py`.
Every peer that writes does so to a file, with the durability it comes with (a journal that is synced at
each commit, as the floor's is). Each is called once before the clock runs, so that no import and no first
reading is counted.

The floor is SQLite alone: one row and its entry in a word index, committed. It is measured again before
each part, and all of it together is what the others are divided by. `cpu` is the processor's time of the
whole process, threads included, as a mean of all calls; "background included" waits for all the work that a
message has caused. A part ends after some seconds: a row whose calls are slow has fewer of them, and its
p99 is then the slowest.
"""

# pyright: basic, reportMissingImports=false, reportAttributeAccessIssue=false

from __future__ import annotations

import argparse
import asyncio
import gc
import json
import platform
import sqlite3
import statistics
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from importlib.metadata import PackageNotFoundError, version
from itertools import islice
from pathlib import Path
from typing import Annotated, Any, TypedDict

from latency_fill import LONG, OWNER, WINDOW_TOKENS, fill, messages_of, open_for
from latency_report import Times, percentile_ms, row
from latency_texts import Writer
from latency_turns import Rows, measure_floor, measure_turns, sizes_of, texts_of
from resending import Said, short

import palimpsest

LONG_SHARE = 0.6
"""What `latency_fill.fill` gives the long conversation of all that it stores."""

LIMIT_S = 12.0
"""A part ends after so long, however many turns were asked for."""

LEAST_CALLS = 10
LAST_ITEMS = 64
PACKAGES = ("openai-agents", "langchain-core", "langgraph", "langgraph-checkpoint-sqlite")
NOT_DONE = {
    "Palimpsest": "stores in a file, indexes every word, counts tokens, makes a request that fits the "
    "window, summarizes old messages and finds them again. Its counts of tokens are "
    "estimates.",
    "Agents SDK": "`SQLiteSession` stores and reads back. No search index, no count of tokens, no fitting "
    "window: the whole history is read and parsed in each call, or the newest N items, "
    "whatever their size.",
    "LangChain": "`trim_messages` works on a list in memory. It stores nothing and finds nothing. It looks "
    "at the whole list in every call and drops what does not fit. Here four characters count "
    "as one token.",
    "LangGraph": "`add_messages` merges lists in memory by their ids and does not look for an edited "
    "history. A checkpoint holds the whole state, so each one writes all messages again; a "
    "delta channel (beta) writes what is new, and the whole state every 100th time. No search "
    "index, no fitting window.",
}
"""What each does, and what it does not."""


@dataclass(frozen=True, slots=True)
class Setup:
    """What every part is given."""

    folder: Path
    known: int
    turns: int
    sizes: Sequence[int]

    def new(self) -> Iterator[Said]:
        """The messages that are appended while the clock runs, until there are enough or the time is over."""
        gc.collect()
        end_s = time.monotonic() + LIMIT_S
        for place, text in enumerate(texts_of(self.sizes, self.turns, seed=2)):
            if place >= LEAST_CALLS and time.monotonic() > end_s:
                return
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


def ours_turns(setup: Setup) -> Rows:
    """Append and request in a conversation of so many messages, in a database that holds others as well."""
    path = setup.folder / "ours.db"

    async def measured() -> Rows:
        await fill(path, round(setup.known / LONG_SHARE), Writer(1), lambda _: None)
        async with open_for(path, OWNER) as engine:
            talk = engine.conversation(LONG)
            await talk.append({"role": "user", "content": "Go on."})
            await talk.request()
            await talk.end_turn()
            await engine.idle()
        gc.collect()
        return await measure_turns(path, setup.sizes, setup.turns, Times(), hammer=False)

    found = asyncio.run(measured())
    return [{**one, "who": "Palimpsest", "what": f"{setup.known:,}: {one['what']}"} for one in found]


def ours_sync(setup: Setup) -> Rows:
    """A history that is sent again, parsed from JSON each time, with two messages more."""
    sync, whole = Times(), Times()

    async def measured() -> None:
        async with palimpsest.open(setup.folder / "sync.db", window_tokens=WINDOW_TOKENS) as engine:
            talk = engine.conversation("resent")
            history = [short(place) for place in range(setup.known)]
            for _ in range(2):
                await talk.sync(history)
                await engine.idle()
            for _ in setup.new():
                added = [short(len(history)), short(len(history) + 1)]
                history = json.loads(json.dumps([*history, *added]))
                with whole.one():
                    with sync.one():
                        await talk.sync(history)
                    await engine.idle()

    asyncio.run(measured())
    times = {"sync of all and 2 more": sync, "the same, background included": whole}
    return rows_of("Palimpsest", f"{setup.known:,}", times)


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


PARTS: dict[str, tuple[Callable[[Setup], Rows], bool]] = {
    "turns": (ours_turns, False),
    "sync": (ours_sync, True),
    "agents": (agents_sdk, False),
    "trim": (langchain_trim, False),
    "merge": (langgraph_merge, True),
    "checkpoint": (langgraph_checkpoint, False),
}
"""What is measured, by name, and whether it is of a history that is sent again."""


@dataclass(frozen=True, slots=True)
class Found:
    """What a run came to."""

    floor: Times = field(default_factory=Times)
    rows: Rows = field(default_factory=list)
    left_out: list[str] = field(default_factory=list)

    def measure(self, options: argparse.Namespace) -> None:
        """Every part that was asked for, each behind a floor of its own."""
        sizes = sizes_of(())
        for name in options.only:
            part, resent = PARTS[name]
            for known in [options.sent] if resent else options.known:
                print(f"{name}, {known:,} messages", file=sys.stderr)
                with tempfile.TemporaryDirectory() as folder:
                    one = measure_floor(Path(folder), sizes, options.turns)
                    self.floor.wall.extend(one.wall)
                    self.floor.processor.extend(one.processor)
                    try:
                        self.rows.extend(part(Setup(Path(folder), known, options.turns, sizes)))
                    except ModuleNotFoundError as error:
                        self.left_out.append(f"{name}: left out, there is no module {error.name!r} here")
                        break

    def beside(self) -> Rows:
        """The rows, each with its ratios to the floor."""
        floor = {"who": "SQLite", **row("the floor", self.floor, None)}
        p50_ms, p99_ms = percentile_ms(self.floor.wall, 0.5), percentile_ms(self.floor.wall, 0.99)
        cpu_ms = statistics.fmean(self.floor.processor) * 1_000
        return [
            {
                **one,
                "p50_to_floor": round(float(str(one["p50_ms"])) / p50_ms, 2),
                "p99_to_floor": round(float(str(one["p99_ms"])) / p99_ms, 2),
                "cpu_to_floor": round(float(str(one["processor_mean_ms"])) / cpu_ms, 2),
            }
            for one in (floor, *self.rows)
        ]


COLUMNS = {
    "calls": "calls",
    "p50_ms": "p50 ms",
    "p99_ms": "p99 ms",
    "processor_mean_ms": "cpu ms",
    "p50_to_floor": "p50 x flr",
    "p99_to_floor": "p99 x flr",
    "cpu_to_floor": "cpu x flr",
}


def table(rows: Rows) -> Iterator[str]:
    """The lines of the table."""
    width = max(len(str(one["what"])) for one in rows)
    yield f"{'':11}{'':{width}} " + " ".join(f"{head:>9}" for head in COLUMNS.values())
    for one in rows:
        figures = " ".join(f"{one[column]!s:>9}" for column in COLUMNS)
        yield f"{one['who']!s:11}{one['what']!s:{width}} {figures}"


def versions() -> dict[str, str]:
    """What was measured on: the peers that are here, Python and SQLite."""
    found = {"python": platform.python_version(), "sqlite": sqlite3.sqlite_version}
    for name in ("palimpsest", *PACKAGES):
        try:
            found[name] = version(name)
        except PackageNotFoundError:
            continue
    return found


def parsed() -> argparse.Namespace:
    """What was asked for."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--known", nargs="+", type=int, default=[1_000, 10_000])
    parser.add_argument("--sent", type=int, default=6_000)
    parser.add_argument("--turns", type=int, default=300)
    parser.add_argument("--only", nargs="+", choices=PARTS, default=list(PARTS))
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    if min(*options.known, options.sent, options.turns) < 1:
        parser.error("give numbers from 1 on")
    return options


def main() -> None:
    """Measure and print."""
    options, found = parsed(), Found()
    found.measure(options)
    rows = found.beside()
    if options.json:
        record = {"rows": rows, "left_out": found.left_out, "versions": versions(), "not_done": NOT_DONE}
        print(json.dumps(record))
        return
    print("\n".join(table(rows)))
    print()
    for who, said in NOT_DONE.items():
        print(f"{who}: {said}")
    for line in found.left_out:
        print(line)
    print(", ".join(f"{name} {number}" for name, number in versions().items()))


if __name__ == "__main__":
    main()
