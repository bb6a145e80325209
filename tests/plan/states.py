"""States for policies: windows made of messages with given sizes, without a store."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from hypothesis import strategies as st

from palimpsest.budget.model_limits import resolve_limits
from palimpsest.budget.regions import measure
from palimpsest.record.decision import State, Step
from palimpsest.record.log import Stored
from palimpsest.record.message import Message, Text, ToolCall, ToolResult
from palimpsest.record.window import Window
from palimpsest.record.window_items import Item, MessageItem, OmittedItem, StubItem, SummaryItem
from palimpsest.settings import Settings, make_settings
from tests.record.windows import summary
from tests.strategies import exchanges


def user(text: str = "hello") -> Message:
    return Message("user", (Text(text),))


def assistant(*ids: str) -> Message:
    return Message("assistant", (Text("so"), *(ToolCall(name, "run") for name in ids)))


def result(name: str) -> Message:
    return Message("tool", (ToolResult(name, (Text("done"),)),))


def window_of(history: Sequence[Message], sizes: Sequence[int] | int = 100) -> Window:
    """A verbatim window; `sizes` are the messages' tokens, or what each has."""
    tokens = [sizes] * len(history) if isinstance(sizes, int) else sizes
    return Window(
        tuple(
            MessageItem(Stored(f"m{seq}", seq, message, size))
            for seq, (message, size) in enumerate(zip(history, tokens, strict=True), 1)
        )
    )


def state_of(
    window: Window,
    settings: Settings | None = None,
    refused: frozenset[tuple[str, ...]] = frozenset(),
    **changes: Any,
) -> State:
    made = resolve_limits(settings or make_settings("hierarchical", **{"window_tokens": 128_000, **changes}))
    return State(window, measure(window, made), made, refused)


def turn_of(size: int) -> list[Message]:
    """A turn of `size` messages (at least 2): the user, then the assistant."""
    return [user(), *(assistant() for _ in range(size - 1))]


def quoted_in(items: Sequence[Item], position: int) -> Stored | None:
    """The message at a position that stands verbatim in one of the items, or behind one."""
    for item in items:
        stored = item.stored if isinstance(item, MessageItem) else None
        stored = item.quoted if isinstance(item, SummaryItem) else stored
        if stored is not None and stored.seq == position:
            return stored
    return None


def carry_out(state: State, step: Step, tokens: int) -> Window:
    """The window after a step whose result has this many tokens."""
    items = state.window.items
    start = [item.id for item in items].index(step.item_ids[0])
    gone = items[start : start + len(step.item_ids)]
    number = (
        1 + sum(isinstance(item, SummaryItem) for item in items) + step.last * 1_000 + step.depth * 1_000_000
    )
    match step.kind:
        case "stub":
            assert isinstance(gone[0], MessageItem | StubItem)
            made: Item = StubItem(f"x{step.first}_{tokens}", gone[0].stored, step.note, tokens)
        case "omit":
            made = OmittedItem(f"o{step.first}_{step.last}", step.first, step.last, "left out", tokens)
        case _:
            plain = summary(
                number, step.first, step.last, tokens=tokens, depth=step.depth, sources=step.item_ids
            )
            made = SummaryItem(replace(plain, quotes=step.quotes), quoted_in(gone, step.quotes))
    return Window((*items[:start], made, *items[start + len(gone) :]))


@st.composite
def windows(draw: st.DrawFn, max_size: int = 12) -> Window:
    """Verbatim windows of odd histories: groups in any order, open ones, orphans, some growing messages at the end."""
    steps = draw(st.lists(exchanges(), min_size=1, max_size=max_size))
    history = [message for step in steps for message in step]
    growing = draw(st.integers(0, 2))
    history = [
        replace(message, provisional=place >= len(history) - growing) for place, message in enumerate(history)
    ]
    return window_of(history, [draw(st.sampled_from((5, 100, 900, 25_000))) for _ in history])


@st.composite
def worn_windows(draw: st.DrawFn) -> Window:
    """Windows as a long life leaves them: summaries, some of which quote a request, dropped ranges and stubs, and then
    verbatim messages.
    """
    window = draw(windows())
    items: list[Item] = []
    seq = 0
    for number in range(1, draw(st.integers(0, 4)) + 1):
        last = seq + draw(st.integers(1, 9))
        kind = draw(st.sampled_from(("summary", "summary", "quoting", "omitted", "stub", "message")))
        tokens = draw(st.sampled_from((60, 400, 3_000)))
        if kind == "omitted":
            items.append(OmittedItem(f"o{number}", seq + 1, last, "left out", 60))
        elif kind in {"summary", "quoting"}:
            made = summary(number, seq + 1, last, tokens=tokens, depth=draw(st.integers(0, 2)))
            quoted = Stored(f"m{last}", last, user(f"request {number}"), 40) if kind == "quoting" else None
            items.append(SummaryItem(replace(made, quotes=last if quoted else 0), quoted))
        else:
            last = seq + 1
            stored = Stored(f"m{last}", last, user(f"message {number}"), tokens)
            items.append(
                StubItem(f"x{number}", replace(stored, message=result("gone")), "left out", 50)
                if kind == "stub"
                else MessageItem(stored)
            )
        seq = last
    for item in window.items:
        assert isinstance(item, MessageItem)
        items.append(MessageItem(replace(item.stored, id=f"m{seq + item.first}", seq=seq + item.first)))
    return Window(tuple(items))
