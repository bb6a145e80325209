"""Fills a database with as many messages as asked for, through the same calls as a program makes.

Six tenths of the messages are one conversation, three tenths are conversations of at most 1,000, all of one owner and
mixed, as they would come; the last tenth is another owner's. What leaves the long conversation's window is kept under
summaries of made-up words, because summarizing so much would take longer than everything that is measured here.
"""

from __future__ import annotations

import random
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path

from latency_texts import MEAN_WORDS, Writer

import palimpsest
from palimpsest.engine.conversation import state_of
from palimpsest.engine.opening import Opening
from palimpsest.ports import Commit
from palimpsest.record.log import Compaction, Stored
from palimpsest.record.summary import Summary
from palimpsest.record.window_items import Item, OmittedItem, SummaryItem, item_of

OWNER, OTHER_OWNER = "ada", "bo"
LONG, SHORT = "long", "short0"
SHORT_SHARE, OTHER_SHARE = 0.3, 0.1
SHORT_MESSAGES = 1_000
BATCH = 500
SUMMARIZED = 2_000
KEPT_MESSAGES = 60
KEPT_SUMMARIES = 8
SUMMARY_TEXTS = 8
SECONDS_BETWEEN = 40.0
STARTED_S = 1_700_000_000.0
WINDOW_TOKENS = 128_000

Conversation = palimpsest.Conversation


@dataclass(slots=True)
class Shrinking:
    """What stands in the long conversation's window while it is filled."""

    talk: Conversation
    items: list[Item] = field(default_factory=list[Item])

    async def take(self, stored: Sequence[Stored], writer: Writer) -> None:
        """Messages that were appended: once enough of them stand verbatim, the older ones go under a summary."""
        self.items.extend(item_of(one) for one in stored)
        summaries = sum(isinstance(one, SummaryItem) for one in self.items)
        start = summaries + (bool(self.items) and isinstance(self.items[0], OmittedItem))
        if len(self.items) - start < SUMMARIZED + KEPT_MESSAGES:
            return
        gone = self.items[start : start + SUMMARIZED]
        text = " ".join(writer.write() for _ in range(SUMMARY_TEXTS))
        summary = Summary(
            "", 0, text, SUMMARY_TEXTS * MEAN_WORDS * 2, gone[0].first, gone[-1].last,
            tuple(one.id for one in gone), "extractive",
        )  # fmt: skip
        await self._replace(start, start + SUMMARIZED, SummaryItem(summary))
        if summaries >= KEPT_SUMMARIES:
            end = start - summaries + 1
            note = OmittedItem("", 1, self.items[end - 1].last, "Earlier messages can be searched.", 16)
            await self._replace(0, end, note)

    async def _replace(self, start: int, end: int, item: Item) -> None:
        branch = await state_of(self.talk).store.branch(state_of(self.talk).owner, self.talk.id)
        if branch is None:
            raise RuntimeError(f"{self.talk.id} is not in the database")
        gone = self.items[start:end]
        record = Compaction(
            "filling", (), tuple(one.id for one in gone), "", "summary", sum(one.tokens for one in gone),
            item.tokens, STARTED_S,
        )  # fmt: skip
        _, made = await state_of(self.talk).store.commit(
            state_of(self.talk).owner, self.talk.id, branch.id, Commit(item, record)
        )
        self.items[start:end] = [made]


def schedule(messages: int) -> list[str]:
    """The conversation of each batch, in an order that is the same for the same number."""
    size = min(BATCH, max(1, messages // 20))
    shorts = max(1, round(messages * SHORT_SHARE) // SHORT_MESSAGES)
    each = round(messages * SHORT_SHARE / shorts / size)
    names = [f"short{number}" for number in range(shorts) for _ in range(each)]
    others = [""] * round(messages * OTHER_SHARE / size)
    longs = [LONG] * (messages // size - len(names) - len(others))
    order = names + others + longs
    random.Random(messages).shuffle(order)
    return order


def messages_of(writer: Writer, first: int) -> Iterator[palimpsest.Message]:
    """Messages of user and assistant in turn, without end."""
    number = first
    while True:
        role = "user" if number % 2 else "assistant"
        time_s = STARTED_S + number * SECONDS_BETWEEN
        yield palimpsest.Message(role, (palimpsest.Text(writer.write()),), time_s=time_s)
        number += 1


def open_for(path: Path, owner: str) -> Opening:
    """The engine that fills and is measured."""
    return palimpsest.open(path, owner=owner, window_tokens=WINDOW_TOKENS)


def filled(path: Path, messages: int) -> bool:
    """Whether a database was filled with so many messages, to the end."""
    beside = path.with_suffix(".filled")
    return path.exists() and beside.exists() and beside.read_text() == str(messages)


async def fill(path: Path, messages: int, writer: Writer, tell: Callable[[int], None]) -> float:
    """Fill the database at `path`; how many seconds that took. `tell` is called with how many are stored so far."""
    begin = time.perf_counter()
    size = min(BATCH, max(1, messages // 20))
    endless = messages_of(writer, 1)
    async with (
        open_for(path, OWNER) as engine,
        open_for(path, OTHER_OWNER) as other,
    ):
        long = Shrinking(engine.conversation(LONG))
        for number, name in enumerate(schedule(messages), 1):
            talk = engine.conversation(name) if name else other.conversation("theirs")
            stored = await talk.append(*islice(endless, size))
            if name == LONG:
                await long.take(stored, writer)
            if number % 20 == 0:
                tell(number * size)
    path.with_suffix(".filled").write_text(str(messages))
    return time.perf_counter() - begin
