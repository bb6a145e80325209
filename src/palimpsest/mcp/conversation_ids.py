"""Finds the conversation that a client names."""

from __future__ import annotations

from collections.abc import Sequence

from palimpsest.engine.reports import ConversationInfo
from palimpsest.errors import NotFound, UsageError

LAST = "last"
_NAMED = 4


def choose(given: str, known: Sequence[ConversationInfo]) -> ConversationInfo:
    """The conversation with this id, the only one whose id begins so, or "last": the newest that no other one spawned.

    `known` is newest first. Raises NotFound, and UsageError if several ids begin so.
    """
    for one in known:
        if one.id == given:
            return one
    if given == LAST and known:
        return next((one for one in known if not one.parent), known[0])
    begun = [one for one in known if given and one.id.startswith(given)]
    if len(begun) == 1:
        return begun[0]
    if not begun:
        raise NotFound(
            f"no conversation {given[:80]!r}",
            hint='status lists the newest, resources list all; "last" is the newest',
        )
    names = ", ".join(one.id for one in begun[:_NAMED])
    raise UsageError(
        f"{len(begun):,} conversations begin with {given!r}: {names}", hint="give more of the id"
    )
