"""Histories as sessions make them, and what can happen to a conversation, for the laws of the engine.

`tests.strategies` gives messages in every odd form; here they are mixed with bulk, because only a large
history is compacted.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cache
from typing import Literal

from hypothesis import strategies as st

from palimpsest.record.message import Message, Text, ToolCall, ToolResult
from tests.strategies import exchanges

WORDS = (
    "the parser of module alpha reads src/app/reader.py and fails at line 4711 because build 9f3c21ab has no index; "
    "we decided to keep the cache in var/cache/index.bin, and `make check` printed 3 errors in 0.25 s. "
)
HAN = "请检查日志文件并修复第四行的错误，然后重新运行测试。我们决定保留缓存，不要删除旧的数据库。"
EDGE_WINDOW_TOKENS = 3_000


def bulk(size_chars: int, salt: int = 0, *, han: bool = False) -> str:
    """Text of about this size that is not the same for two salts."""
    base = HAN if han else WORDS
    return (f"[{salt}] " + base * (size_chars // len(base) + 1))[: max(1, size_chars)]


def said(role: Literal["user", "assistant"], text: str) -> Message:
    """A message of words alone."""
    return Message(role, (Text(text),))


def tool_group(
    names: list[str], sizes: list[int], order: list[int], answered: int, words: str = ""
) -> list[Message]:
    """An assistant message with a call for each name, and the first `answered` results in this order."""
    made = [ToolCall(name, "read_file", f'{{"path": "src/{name}.py"}}') for name in names]
    opening = (Text(words),) if words else ()
    results = [
        Message("tool", (ToolResult(names[place], (Text(bulk(sizes[place], place)),)),))
        for place in order[:answered]
    ]
    return [Message("assistant", (*opening, *made)), *results]


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
def odd() -> st.SearchStrategy[list[Message]]:
    """Anything a program could hand in, but for system messages, which are no history."""
    return exchanges().map(lambda found: [one for one in found if one.role != "system"])


@cache
def stretches(max_size: int = 6) -> st.SearchStrategy[list[Message]]:
    """Some messages in a row: words, tool groups, oddities."""
    step = st.one_of(spoken(), bulky_groups(), bulky_groups(), odd())
    return st.lists(step, min_size=1, max_size=max_size).map(
        lambda steps: [one for step in steps for one in step]
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
