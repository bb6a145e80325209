"""Histories built line by line: prompts, answers with the results of their calls, and forks.

- An assistant message and the results of its calls are one node, whatever parents the source names for parallel
  results: a result belongs to its call and is never a branch.
- A branch is a second prompt, or a second assistant message, after the same node. Where a source names parents
  loosely, a prompt and an assistant message after the same node are one history in their order; in a strict tree they
  are branches too.
- A node grows only while nothing follows it. A later result is added at the end of the history, and a later
  continuation of an assistant message is a message of its own. So each history of a file's first half is a prefix of
  one of the whole.
- The last assistant message of a history and its results are provisional while the source may grow.

Nothing recurses, and every step is bounded or amortized: a session of 100,000 lines takes linear time.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import chain, islice
from typing import Literal

from palimpsest.record.message import Message, Part, Role, ToolCall, ToolResult, Usage

MAX_STEPS = 100
"""How far a new node looks for its place among those after its parent."""

MAX_PATH_ENTRIES = 20_000_000
"""The most messages that all histories of one tree list together. Beyond it the oldest branches are left out."""

Kind = Literal["user", "assistant"]


@dataclass(slots=True)
class Draft:
    """A message being built: the fields of `Message`, with growing parts."""

    role: Role
    parts: list[Part]
    time_s: float | None = None
    origin: str = ""
    model: str = ""
    usage: Usage | None = None
    wire: str = ""
    extra: str = ""

    def message(self, *, provisional: bool) -> Message:
        """Return the message as built so far."""
        return Message(
            role=self.role,
            parts=tuple(self.parts),
            time_s=self.time_s,
            model=self.model,
            usage=self.usage,
            wire=self.wire,
            extra=self.extra,
            origin=self.origin,
            provisional=provisional,
        )


@dataclass(slots=True, eq=False)
class Node:
    """A prompt, or an assistant message with its results. `open` means that it may grow."""

    parent: Node | None
    kind: Kind | Literal["root"]
    drafts: list[Draft]
    open: bool = False
    touched: int = 0
    user: Node | None = None
    assistant: Node | None = None
    newest: Node | None = None
    below: Node | None = None
    calls: list[str] = field(default_factory=list[str])
    answered: set[str] = field(default_factory=set[str])
    settled: int = 0
    built: tuple[Message, ...] | None = None

    @property
    def head(self) -> Draft:
        """The message that created the node."""
        return self.drafts[0]

    def unanswered(self) -> Iterator[str]:
        """The ids of the node's calls without a result, in order."""
        while self.settled < len(self.calls) and self.calls[self.settled] in self.answered:
            self.settled += 1
        return (call for call in islice(self.calls, self.settled, None) if call not in self.answered)

    def messages(self, *, provisional: bool) -> tuple[Message, ...]:
        """The node's messages."""
        if provisional:
            return tuple(draft.message(provisional=True) for draft in self.drafts)
        if self.built is None:
            self.built = tuple(draft.message(provisional=False) for draft in self.drafts)
        return self.built


class Tree:
    """The histories of one conversation, in the order of the source. `tip` is the node touched last."""

    def __init__(self, *, grows: bool, strict: bool) -> None:
        """`grows`: an assistant message may come in several pieces. `strict`: a second child is always a branch."""
        self.strict = strict
        self.root = Node(None, "root", [])
        self.tip = self.root
        self.nodes: list[Node] = []
        self.asked: dict[str, Node] = {}
        self.grows = grows
        self.clock = 0

    def prompt(self, at: Node, draft: Draft) -> Node:
        """Add a message that the model answers, or one of the system, after `at`."""
        return self._attach(at, "user", draft)

    def answer(self, at: Node, draft: Draft) -> Node:
        """Add the first piece of an assistant message, after `at`."""
        node = self._attach(at, "assistant", draft)
        node.open = self.grows
        self._register(node, draft.parts)
        return node

    def extend(self, node: Node, draft: Draft) -> None:
        """Add a piece to the assistant message that created `node`; its usage replaces the previous one."""
        node.head.parts.extend(draft.parts)
        node.head.usage = draft.usage or node.head.usage
        node.head.model = node.head.model or draft.model
        self._register(node, draft.parts)
        self._touch(node)

    def replace(self, node: Node, draft: Draft) -> None:
        """The assistant message that made `node`, written again; its results are to be given again too."""
        node.drafts[:] = [draft]
        node.calls.clear()
        node.answered.clear()
        node.settled = 0
        self._register(node, draft.parts)
        self._touch(node)

    def result(self, at: Node, draft: Draft) -> Node:
        """Results of calls: with the call where nothing followed it yet, otherwise at the end of that history."""
        ids = [part.call_id for part in draft.parts if isinstance(part, ToolResult)]
        asked = next((self.asked[call_id] for call_id in ids if call_id in self.asked), at)
        asked.answered.update(ids)
        return self.add(asked, draft)

    def add(self, at: Node, draft: Draft) -> Node:
        """Add a message that neither asks nor answers, at the end of the history through `at`."""
        node = self._leaf(at)
        if node is self.root:
            return self._attach(node, "user", draft)
        node.drafts.append(draft)
        self._touch(node)
        return node

    def _attach(self, at: Node, kind: Kind, draft: Draft) -> Node:
        parent = at if self.strict else _place(at, kind)
        node = Node(parent, kind, [draft])
        parent.open = False
        parent.newest = node
        if kind == "user":
            parent.user = node
        else:
            parent.assistant = node
        self.nodes.append(node)
        self._touch(node)
        return node

    def _register(self, node: Node, parts: list[Part]) -> None:
        for part in parts:
            if isinstance(part, ToolCall):
                node.calls.append(part.id)
                self.asked[part.id] = node

    def _touch(self, node: Node) -> None:
        self.clock += 1
        node.touched = self.clock
        node.built = None
        self.tip = node

    def _leaf(self, node: Node) -> Node:
        passed: list[Node] = []
        while (step := node.below or node.newest) is not None:
            passed.append(node)
            node = step
        for earlier in passed:
            earlier.below = node
        return node


def _place(at: Node, kind: Kind) -> Node:
    """Return the parent of a `kind` node after `at`: behind nodes of the other kind that came there first."""
    node = at
    for _ in range(MAX_STEPS):
        other = node.assistant if kind == "user" else node.user
        if other is None:
            break
        node = other
    return node


def paths(tree: Tree) -> tuple[tuple[tuple[Message, ...], ...], int]:
    """Return the tree's histories, the one touched last at the end, and how many old ones were left out."""
    leaves = sorted((node for node in tree.nodes if node.newest is None), key=lambda node: -node.touched)
    found: list[tuple[Message, ...]] = []
    known: dict[Node, tuple[tuple[Message, ...], int]] = {}
    room = MAX_PATH_ENTRIES
    for leaf in leaves:
        history = _history(leaf, known)
        room -= len(history)
        if room < 0 and found:
            break
        found.append(history)
    return tuple(reversed(found)), len(leaves) - len(found)


def _history(leaf: Node, known: dict[Node, tuple[tuple[Message, ...], int]]) -> tuple[Message, ...]:
    """Return the history through a leaf. `known` gives, for each node seen before, a history through it and where it
    ends there, so every node is visited once.
    """
    own: list[Node] = []
    node: Node | None = leaf
    while node is not None and node not in known:
        own.append(node)
        node = node.parent
    before, shared = known[node] if node is not None else ((), 0)
    groups = [one.messages(provisional=one is leaf and one.open) for one in reversed(own)]
    history = (*before[:shared], *chain.from_iterable(groups))
    for one, group in zip(reversed(own), groups, strict=True):
        shared += len(group)
        known[one] = history, shared
    return history
