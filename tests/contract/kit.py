"""Short ways to say things to a store, shared by its tests."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from palimpsest.ports import Commit, Counted, Found, Store, Synced
from palimpsest.record.chain import heads
from palimpsest.record.log import Branch, Compaction, Stored
from palimpsest.record.message import Message, Role, Text
from palimpsest.record.summary import Summary
from palimpsest.record.window import Window, check_coverage
from palimpsest.record.window_items import Item, MessageItem, OmittedItem, StubItem, SummaryItem, kind_of
from palimpsest.search.query_grammar import parse

ANN = "ann"
TALK = "talk"
NOW_S = 1_800_000_000.0
TOKENS = 100


def say(text: str, role: Role = "user", *, growing: bool = False, origin: str = "") -> Message:
    """One message of plain text."""
    return Message(role, (Text(text),), provisional=growing, origin=origin)


def dialogue(*texts: str) -> list[Message]:
    """Messages of a person and of a model, by turns."""
    return [say(text, "assistant" if place % 2 else "user") for place, text in enumerate(texts)]


def numbered(first: int, last: int) -> list[Message]:
    """A dialogue whose messages say where they stand."""
    return [
        say(f"message number{place}", "user" if place % 2 else "assistant")
        for place in range(first, last + 1)
    ]


def counted(messages: Sequence[Message], tokens: int = TOKENS) -> list[Counted]:
    """The messages, each with the same token estimate."""
    return [Counted(message, tokens) for message in messages]


async def append(
    store: Store, messages: Sequence[Message], *, owner: str = ANN, talk: str = TALK
) -> list[Stored]:
    """Store messages at the end of a conversation."""
    return list((await store.append(owner, talk, counted(messages), now_s=NOW_S)).stored)


async def sync(
    store: Store, messages: Sequence[Message], *, owner: str = ANN, talk: str = TALK, rewind: bool = True
) -> Synced:
    """Take in a whole history."""
    return await store.sync(owner, talk, counted(messages), rewind=rewind, now_s=NOW_S)


async def history(store: Store, *, owner: str = ANN, talk: str = TALK) -> list[Stored]:
    """The messages of the current branch."""
    return await store.messages(owner, talk, 1, 1_000_000)


async def ids(store: Store, *, owner: str = ANN, talk: str = TALK) -> list[str]:
    """The ids of the current branch's messages."""
    return [one.id for one in await history(store, owner=owner, talk=talk)]


async def texts(store: Store, *, owner: str = ANN, talk: str = TALK) -> list[str]:
    """What the current branch's messages say."""
    return [one.message.text for one in await history(store, owner=owner, talk=talk)]


async def branch_of(store: Store, *, owner: str = ANN, talk: str = TALK) -> Branch:
    """The current branch of a conversation that is there."""
    branch = await store.branch(owner, talk)
    assert branch is not None
    return branch


async def window_of(store: Store, *, owner: str = ANN, talk: str = TALK) -> Window:
    """The current window, after its laws were checked."""
    loaded = await store.load_window(owner, talk)
    assert loaded is not None
    check_coverage(loaded.window, loaded.branch.head.seq)
    assert loaded.branch == await store.branch(owner, talk)
    assert loaded.window.thinking_from == loaded.branch.thinking_from
    return loaded.window


def shape(window: Window) -> list[tuple[str, int, int, int]]:
    """(kind, first, last, tokens) of each item."""
    return [(kind_of(item), item.first, item.last, item.tokens) for item in window.items]


def between(window: Window, first: int, last: int) -> tuple[Item, ...]:
    """The items that lie between two positions."""
    return tuple(item for item in window.items if first <= item.first and item.last <= last)


def change(replaced: Sequence[Item], item: Item, *, thinking_from: int = 1) -> Commit:
    """The replacement of these items by one."""
    before = sum(one.tokens for one in replaced)
    record = Compaction(
        reason="a test asked for it",
        numbers=(("used_tokens", before), ("share", 0.5)),
        replaced=tuple(one.id for one in replaced),
        item_id="",
        item_kind="message",
        before_tokens=before,
        after_tokens=item.tokens,
        time_s=NOW_S,
        thinking_from=thinking_from,
    )
    return Commit(item, record)


def summarized(window: Window, first: int, last: int, *, text: str = "short", tokens: int = 10) -> Commit:
    """The replacement of what lies between two positions by a summary of it."""
    items = between(window, first, last)
    depths = [item.summary.depth for item in items if isinstance(item, SummaryItem)]
    summary = Summary(
        id="",
        depth=max(depths) + 1 if depths else 0,
        text=text,
        tokens=tokens,
        first=first,
        last=last,
        sources=tuple(
            item.stored.id if isinstance(item, MessageItem | StubItem) else item.id for item in items
        ),
        method="extractive",
        earliest_s=NOW_S,
        latest_s=NOW_S + 1,
    )
    return change(items, SummaryItem(summary))


def stubbed(window: Window, seq: int, *, tokens: int = 5) -> Commit:
    """The replacement of a message by a stub."""
    (item,) = between(window, seq, seq)
    assert isinstance(item, MessageItem)
    return change([item], StubItem("", item.stored, f"see {item.id}", tokens))


def omitted(window: Window, first: int, last: int, *, tokens: int = 3) -> Commit:
    """The replacement of what lies between two positions by a note that it was dropped."""
    return change(between(window, first, last), OmittedItem("", first, last, "dropped", tokens))


async def commit(store: Store, made: Commit, *, owner: str = ANN, talk: str = TALK) -> tuple[Branch, Item]:
    """Commit a change to the current branch."""
    branch = await branch_of(store, owner=owner, talk=talk)
    return await store.commit(owner, talk, branch.id, made)


async def compact(store: Store, first: int, last: int, *, text: str = "short", tokens: int = 10) -> Summary:
    """Put a summary in place of what lies between two positions of the current window."""
    made = summarized(await window_of(store), first, last, text=text, tokens=tokens)
    _, item = await commit(store, made)
    assert isinstance(item, SummaryItem)
    return item.summary


async def found(store: Store, pattern: str, *, owner: str = ANN, talk: str | None = TALK) -> set[str]:
    """The ids of everything a pattern finds."""
    return {hit.id for hit in await hits(store, pattern, owner=owner, talk=talk)}


async def hits(
    store: Store, pattern: str, *, owner: str = ANN, talk: str | None = TALK, limit: int = 100
) -> list[Found]:
    """What a pattern finds."""
    return list((await store.search(owner, talk, parse(pattern), limit=limit)).hits)


def chained(stored: Sequence[Stored]) -> bool:
    """Whether positions count from 1 and every chain hash follows from what is said."""
    right = heads(one.message for one in stored)
    return [(one.seq, one.chain) for one in stored] == [(head.seq, head.chain) for head in right]


def settled(message: Message) -> Message:
    """The message as it is read once its source can no longer grow."""
    return replace(message, provisional=False)
