"""The current branch of a conversation, read without waiting.

Every request asks for it. The caller's thread reads two rows by key on a connection of its own; with a write-ahead
log a reader waits for no writer. A known branch is read again only if its version changed.
"""

from __future__ import annotations

from palimpsest.record.log import Branch
from palimpsest.stores.sqlite.connection import connect
from palimpsest.stores.sqlite.message_log import to_branch
from palimpsest.stores.sqlite.statements import Db

MOST_KNOWN = 1_000
"""Conversations whose branch is remembered; beyond it the cache is cleared."""


class BranchCache:
    """The branches of one file. The caller handles `sqlite3.Error`: a locked or closed file."""

    def __init__(self, path: str, most: int = MOST_KNOWN) -> None:
        self._most = most
        self._db = Db(connect(path, 0.0))
        self._known: dict[tuple[str, str], tuple[int, Branch]] = {}

    def branch(self, owner: str, conversation: str) -> Branch | None:
        """Return the current branch of this owner's conversation, None if there is none."""
        known = self._known.get((owner, conversation))
        if known is not None:
            number, branch = known
            row = self._db.row("branch_seen", number)
            if row is not None and tuple(row) == (branch.id, branch.version, branch.head.seq, branch.purged):
                return branch
        row = self._db.row("branch_now", owner, conversation)
        if row is None:
            self._known.pop((owner, conversation), None)
            return None
        found = to_branch(row)
        if len(self._known) >= self._most:
            self._known.clear()
        self._known[owner, conversation] = (row["conversation_id"], found)
        return found

    def wrote(self, owner: str, branch: Branch) -> None:
        """Remember a branch after this process wrote it."""
        known = self._known.get((owner, branch.conversation))
        if known is not None:
            self._known[owner, branch.conversation] = (known[0], branch)

    def close(self) -> None:
        """Close the connection."""
        self._db.connection.close()
