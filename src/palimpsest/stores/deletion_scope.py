"""What forgetting some messages reaches, as a pure function over the histories of a conversation.

- A tool group goes whole: a call without its result, or a result without its call, is no valid request, and each tells
  what the other held. Whatever else was said between them stays.
- The same message on another branch goes too: an edited history holds what followed the edit a second time.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence

from palimpsest.plan.turns import units
from palimpsest.record.chain import identity
from palimpsest.record.forgetting import is_blank
from palimpsest.record.log import Stored
from palimpsest.record.message import Message

MAX_PASSES = 8
"""A copy may stand in a group whose other messages have copies; more often than this it is not looked again."""


def reached(
    histories: Mapping[int, Sequence[Stored]], owners: Mapping[str, int], chosen: Collection[str]
) -> set[str]:
    """The ids of all messages that go where those of `chosen` do.

    `histories` are the whole histories of the branches by number, `owners` the branch that each message was stored on.
    """
    found = set(chosen)
    for _ in range(MAX_PASSES):
        before = len(found)
        for history in histories.values():
            found |= _groups(history, found)
        found |= _copies(histories, owners, found)
        if len(found) == before:
            break
    return found


def in_kept_group(history: Sequence[Message]) -> set[int]:
    """The places (from 0) of messages that stand inside a tool group, between a call and its results."""
    return {
        place for unit in units(history) if not is_blank(history[unit.start])
        for place in range(unit.start + 1, unit.end)
    }  # fmt: skip


def _groups(history: Sequence[Stored], chosen: Collection[str]) -> set[str]:
    """The calls and results of every group that holds a chosen call or result."""
    found: set[str] = set()
    if not any(one.id in chosen for one in history):
        return found
    for unit in units([one.message for one in history]):
        first = history[unit.start]
        members = {first.id, *(one.id for one in history[unit.start : unit.end] if one.message.results)}
        if len(members) > 1 and not members.isdisjoint(chosen):
            found |= members
    return found


def _copies(
    histories: Mapping[int, Sequence[Stored]], owners: Mapping[str, int], chosen: Collection[str]
) -> set[str]:
    """Messages on other branches that say the same as a chosen one."""
    if len(histories) < 2:
        return set()
    said: dict[bytes, set[int]] = {}
    own = {one.id: one for history in histories.values() for one in history}
    for name in chosen:
        if name in own and not is_blank(own[name].message):
            said.setdefault(identity(own[name].message), set()).add(owners[name])
    return {
        one.id for one in own.values()
        if one.id not in chosen and not is_blank(one.message)
        and any(branch != owners[one.id] for branch in said.get(identity(one.message), ()))
    }  # fmt: skip
