"""Long sessions with tools under each preset: the size of every request, and whether anything is lost.

    python bench/sawtooth.py docs/images/sawtooth.svg --turns 300

A scripted model keeps a lighthouse log: in each turn it calls a tool, reads the result and answers. It also writes the
summaries where a preset asks the agent's model. The plot shows how many tokens each request uses, by our estimate, in
windows of 16,000 and 128,000.
"""

from __future__ import annotations

import argparse
import asyncio
import sys
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

import palimpsest
from palimpsest import Completion, ToolCall, make_agent
from palimpsest.agent.events import Compact
from palimpsest.formats.rules.anthropic import anthropic_breaches
from palimpsest.formats.rules.openai import openai_breaches
from palimpsest.record.completion import CompletionRequest
from palimpsest.record.events import Assembled
from palimpsest.settings import PRESETS

WINDOWS = (16_000, 128_000)
MAX_TOKENS = 1_000
REQUESTS_A_TURN = 3
WORDS_A_RESULT = {16_000: 20, 128_000: 160}
"""Lines of a tool's result: a window is filled several times by 300 turns of these."""
SUMMARY = (
    "## Goal\nKeep the lights.\n## Progress\n"
    + "- The log of a day was read, and the lamps were in order.\n" * 12
)


@dataclass
class Session:
    """A session under one preset: the tokens of each request, where compactions came, and what was found wrong."""

    preset: str
    window_tokens: int
    used: list[int] = field(default_factory=list[int])
    capacity: list[int] = field(default_factory=list[int])
    compactions: list[int] = field(default_factory=list[int])
    breaches: list[str] = field(default_factory=list[str])
    answers: int = 0
    missing: list[str] = field(default_factory=list[str])


def log_of(day: int, lines: int) -> str:
    """The result of the tool for a day."""
    return f"day {day}: " + " ".join(
        f"at {hour}:00 lamp {day * hour % 97} burned, oil {hour * day % 31} litres;" for hour in range(lines)
    )


async def run(preset: str, window_tokens: int, turns: int) -> Session:
    """One session of so many turns with a tool call each, and everything checked that must hold."""
    session, lines = Session(preset, window_tokens), WORDS_A_RESULT[window_tokens]
    calls = 0

    async def model(request: CompletionRequest) -> Completion:
        nonlocal calls
        if request.purpose != "agent":
            return Completion(SUMMARY)
        calls += 1
        if calls % 2:
            arguments = f'{{"day": {calls // 2}}}'
            return Completion(
                "", calls=(ToolCall(f"c{calls}", "log", arguments),), finish_reason="tool_calls"
            )
        return Completion(f"Day {calls // 2 - 1} is in order.")

    def log(day: int) -> str:
        """The log of a day."""
        return log_of(day, lines)

    def observe(event: object) -> None:
        if isinstance(event, Assembled):
            session.used.append(event.prompt_tokens)
            session.capacity.append(event.capacity_tokens)

    async with palimpsest.open(
        ":memory:", preset=preset, window_tokens=window_tokens, max_tokens=MAX_TOKENS, observer=observe
    ) as engine:
        agent, talk = (
            make_agent(engine, model, system="You keep the lights.", tools=[log]),
            engine.conversation("a"),
        )
        for turn in range(turns):
            async for event in agent.run("a", f"How was day {turn}?"):
                if isinstance(event, Compact):
                    session.compactions.append(len(session.used))
            request = await talk.request()
            session.breaches += openai_breaches(request.openai()) + anthropic_breaches(request.anthropic())
        await engine.idle()
        stored = [one for start in range(1, 5 * turns, 100) for one in await talk.messages(start)]
        session.answers = sum(one.message.text.endswith("in order.") for one in stored)
        said = [result.text for one in stored for result in one.message.results]
        session.missing = [f"day {day}" for day in range(turns) if log_of(day, lines) not in said]
    return session


def draw(sessions: Sequence[Session], path: Path) -> None:
    """The plot: one small chart for each preset and window."""
    import matplotlib as mpl
    from matplotlib.figure import Figure

    mpl.rcParams.update({"svg.hashsalt": "sawtooth", "svg.fonttype": "none"})
    presets = list(dict.fromkeys(one.preset for one in sessions))
    figure = Figure(figsize=(9, 1.5 * len(presets)), layout="constrained")
    axes = figure.subplots(len(presets), len(WINDOWS), squeeze=False)
    for one in sessions:
        chart = axes[presets.index(one.preset)][WINDOWS.index(one.window_tokens)]
        points = one.used[::REQUESTS_A_TURN]
        chart.plot(range(len(points)), points, color="#08519c", linewidth=0.8)
        chart.axhline(one.window_tokens, color="#bdbdbd", linewidth=0.8, linestyle="--")
        chart.set_ylim(0, one.window_tokens * 1.05)
        chart.set_title(f"{one.preset}, window {one.window_tokens:,}", fontsize=8)
        chart.tick_params(labelsize=6)
    figure.savefig(path, format="svg", metadata={"Date": None})


async def measured(presets: Sequence[str], turns: int) -> list[Session]:
    """All sessions, one after the other."""
    found: list[Session] = []
    for preset in presets:
        for window_tokens in WINDOWS:
            one = await run(preset, window_tokens, turns)
            found.append(one)
            wrong = len(one.breaches) + len(one.missing) + turns - one.answers
            print(
                f"{preset:16} {window_tokens:8,}  requests {len(one.used):5,}  largest {max(one.used):8,}  "
                f"compactions {len(one.compactions):4,}  wrong {wrong}"
            )
    return found


def main(arguments: Sequence[str]) -> None:
    """Run the sessions, and draw them."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("plot", type=Path)
    parser.add_argument("--turns", type=int, default=300)
    parser.add_argument("--preset", action="append", choices=list(PRESETS), default=None)
    given = parser.parse_args(arguments)
    draw(asyncio.run(measured(given.preset or list(PRESETS), given.turns)), given.plot)


if __name__ == "__main__":
    main(sys.argv[1:])
