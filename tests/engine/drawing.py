"""Histories as sessions make them, and what can happen to a conversation, for the laws of the engine.

`tests.strategies` gives messages in every odd form; here they are mixed with bulk, because only a large
history is compacted.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cache
from itertools import dropwhile
from typing import Literal

from hypothesis import strategies as st

from palimpsest.record.message import DEVELOPER, Message, Text
from tests.engine.observed import bulk, said, tool_group
from tests.strategies import exchanges

EDGE_WINDOW_TOKENS = 3_000


@st.composite
def bulky_groups(draw: st.DrawFn) -> list[Message]:
    """A tool group whose results may be large; the calls are answered in any order, and nearly always all of them."""
    names = [f"c{number}" for number in range(draw(st.integers(1, 3)))]
    sizes = [draw(st.sampled_from((10, 200, 900, 3_000, 9_000))) for _ in names]
    order = draw(st.permutations(range(len(names))))
    answered = len(names) - draw(st.sampled_from((0, 0, 0, 0, 1)))
    return tool_group(names, sizes, list(order), answered, draw(st.sampled_from(("", "I read them."))))


@cache
def spoken() -> st.SearchStrategy[list[Message]]:
    """One message of words, from one to some thousand characters, now and then in Han."""
    text = st.builds(
        lambda size, salt, han: bulk(size, salt, han=han),
        st.sampled_from((1, 60, 400, 1_500, 4_000)),
        st.integers(0, 9),
        st.sampled_from((False, False, False, True)),
    )
    return st.builds(said, st.sampled_from(("user", "assistant", "assistant")), text).map(lambda one: [one])


@cache
def told() -> st.SearchStrategy[list[Message]]:
    """One message of the system or the developer, from a few characters to some hundred."""
    text = st.builds(bulk, st.sampled_from((20, 60, 400, 900)), st.integers(0, 99))
    return st.builds(
        lambda text, extra: [Message("system", (Text(text),), wire="openai", extra=extra)],
        text,
        st.sampled_from(("", DEVELOPER)),
    )


@cache
def stretches(max_size: int = 6) -> st.SearchStrategy[list[Message]]:
    """Some messages in a row: words, tool groups, oddities."""
    step = st.one_of(spoken(), bulky_groups(), bulky_groups(), exchanges(), told())
    return st.lists(step, min_size=1, max_size=max_size).map(
        lambda steps: [one for step in steps for one in step]
    )


@cache
def beginnings(max_size: int = 8) -> st.SearchStrategy[list[Message]]:
    """The first messages of a conversation, without system messages at the start, which are its prompt."""
    return (
        stretches(max_size)
        .map(lambda found: list(dropwhile(lambda one: one.role == "system", found)))
        .filter(bool)
    )


@st.composite
def plain_sessions(draw: st.DrawFn, max_turns: int = 6) -> list[list[Message]]:
    """Turns that begin with the user and leave no call open, each call id used once."""
    turns: list[list[Message]] = []
    number = 0
    for turn in range(draw(st.integers(1, max_turns))):
        found = [said("user", bulk(draw(st.sampled_from((20, 300, 1_200))), turn))]
        for _ in range(draw(st.integers(0, 3))):
            width = draw(st.integers(1, 3))
            names = [f"n{number + place}" for place in range(width)]
            number += width
            sizes = [draw(st.sampled_from((30, 600, 2_500))) for _ in names]
            found.extend(tool_group(names, sizes, list(draw(st.permutations(range(width)))), width))
        found.append(said("assistant", bulk(draw(st.sampled_from((20, 400))), turn)))
        turns.append(found)
    return turns


Kind = Literal[
    "append", "step", "turn", "request", "recover", "compact", "under", "resend", "edit", "rewind", "truncate"
]


@dataclass(frozen=True, slots=True)
class Deed:
    """One thing that happens: what, at which share of the history, and the messages that come with it."""

    kind: Kind
    place: float = 0.0
    messages: tuple[Message, ...] = ()


def deeds() -> st.SearchStrategy[Deed]:
    """Anything that can happen to a conversation; growing it most of the time."""
    kinds: tuple[Kind, ...] = (
        "append", "step", "step", "turn", "turn", "turn", "request", "recover", "compact", "under", "resend", "edit",
        "rewind", "truncate",
    )  # fmt: skip
    return st.builds(Deed, st.sampled_from(kinds), st.floats(0, 1), stretches(4).map(tuple))


def changed(message: Message, mark: str) -> Message:
    """The message as an edit leaves it."""
    return replace(message, parts=(*message.parts, Text(mark)))


def marked(deed: Deed, mark: str) -> Deed:
    """The deed with words of its own in its first message, so that no other deed says the same."""
    if not deed.messages:
        return deed
    return replace(deed, messages=(changed(deed.messages[0], mark), *deed.messages[1:]))
