"""Windows and logs for tests: small values made by hand or drawn."""

from __future__ import annotations

from dataclasses import dataclass

from hypothesis import strategies as st

from palimpsest.record.log import Compaction, Stored
from palimpsest.record.message import Message, Text
from palimpsest.record.summary import Summary
from palimpsest.record.window import Window, extend, replace
from palimpsest.record.window_items import Item, OmittedItem, SummaryItem, kind_of


def stored(
    seq: int, tokens: int = 100, message: Message | None = None, *, gate: str = "", gate_tokens: int = 0
) -> Stored:
    said = message or Message("assistant", (Text(f"message {seq}"),))
    return Stored(f"m{seq}", seq, said, tokens, gate=gate, gate_tokens=gate_tokens)


def summary(
    number: int, first: int, last: int, *, tokens: int = 10, depth: int = 0, sources: tuple[str, ...] = ()
) -> Summary:
    return Summary(f"s{number}", depth, f"summary {number}", tokens, first, last, sources, "normal")


@dataclass(frozen=True, slots=True)
class Log:
    """Messages, the compactions over them, the items those made, and the window that came of it."""

    messages: tuple[Stored, ...]
    compactions: tuple[Compaction, ...]
    made: dict[str, Item]
    window: Window


@st.composite
def logs(draw: st.DrawFn, max_messages: int = 14) -> Log:
    """A log whose compactions replace random adjacent items by a summary or by a dropped range."""
    messages = tuple(
        stored(seq, draw(st.integers(20, 200))) for seq in range(1, draw(st.integers(1, max_messages)) + 1)
    )
    window = extend(Window(), messages)
    made: dict[str, Item] = {}
    records: list[Compaction] = []
    for number in range(draw(st.integers(0, 6))):
        start = draw(st.integers(0, len(window.items) - 1))
        end = draw(st.integers(start + 1, min(len(window.items), start + 5)))
        gone = window.items[start:end]
        room = sum(item.tokens for item in gone) - 1
        first, last = gone[0].first, gone[-1].last
        if draw(st.booleans()) or room < 1:
            item: Item = SummaryItem(
                summary(
                    number,
                    first,
                    last,
                    tokens=max(0, room),
                    depth=number,
                    sources=tuple(one.id for one in gone),
                )
            )
        else:
            item = OmittedItem(f"o{number}", first, last, "left out", room)
        record = Compaction(
            "drawn", (), tuple(one.id for one in gone), item.id, kind_of(item), room + 1, item.tokens, 0.0,
            draw(st.integers(1, last)),
        )  # fmt: skip
        made[item.id] = item
        records.append(record)
        window = replace(window, record.replaced, item, record.thinking_from)
    return Log(messages, tuple(records), made, window)
