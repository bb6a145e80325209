"""Which branch of a conversation is the current one, answered at once. Part of the SQLite store.

Every request asks this. It is answered on a connection of its own, on the caller's thread: two rows are read by their
keys, and in a write-ahead log a reader waits for no writer. A branch that is known is read again only where its version
has changed.
"""

from __future__ import annotations

from palimpsest.record.log import Branch
from palimpsest.stores.sqlite.connection import connect
from palimpsest.stores.sqlite.message_log import to_branch
from palimpsest.stores.sqlite.statements import Db

MOST_KNOWN = 1_000
"""Conversations whose branch is remembered; then it begins anew."""


class Glance:
    """A look at one file's branches. `sqlite3.Error` is for the caller: a file that is locked, or closed."""

    def __init__(self, path: str, most: int = MOST_KNOWN) -> None:
        self._most = most
        self._db = Db(connect(path, 0.0))
        self._known: dict[tuple[str, str], tuple[int, Branch]] = {}

    def branch(self, owner: str, conversation: str) -> Branch | None:
        """The current branch of a conversation of this owner, None where there is none."""
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
        """Take note of what a branch is after a write of one's own, so that it is not read again."""
        known = self._known.get((owner, branch.conversation))
        if known is not None:
            self._known[owner, branch.conversation] = (known[0], branch)

    def close(self) -> None:
        """Let go of the file."""
        self._db.connection.close()
