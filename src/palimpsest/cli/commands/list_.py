"""`palimpsest list`: the stored conversations."""

from __future__ import annotations

import time
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from palimpsest.cli.drawing import Listing, clean, clip
from palimpsest.cli.options import Shared, Since, command
from palimpsest.cli.output import Block, Output, fields_of
from palimpsest.cli.parameters import option
from palimpsest.cli.session import Session, answer_from_database, perform
from palimpsest.config.paths import expand_home
from palimpsest.engine.reports import ConversationInfo, as_listed
from palimpsest.stores.sqlite.ledger_pins import memos
from palimpsest.stores.sqlite.statistics import conversations

if TYPE_CHECKING:
    from palimpsest.stores.sqlite.statements import Db as Database

_TITLE_CELLS = 80
_FOLDER_CELLS = 40

Project = Annotated[
    str | None,
    option("--project FOLDER", "Only in this folder or below it; a name without a slash is any folder's."),
]
Agent = Annotated[str | None, option("--agent NAME", "Only of this agent, such as claude_code or codex.")]
Limit = Annotated[int | None, option("--limit N", "At most so many, the newest.", min=1)]


@command("list")
def list_(
    shared: Shared, project: Project = None, agent: Agent = None, since: Since = None, limit: Limit = None
) -> None:
    """List the conversations, newest first.

    \b
    palimpsest list
    palimpsest list --project . --since 7d
    palimpsest list --agent codex --limit 5 --json
    """
    since_s = _since_s(since)

    def show(stored: list[ConversationInfo], output: Output) -> None:
        known = chosen(stored, project, agent, since_s)[:limit]
        names = "id title messages tokens window_tokens updated_at parent agent folder"
        fields: dict[str, object] = {"conversations": [fields_of(one, names) for one in known]}
        nothing = "no conversation matches" if stored else shared.nothing_stored
        output.result(fields, _listing(known, output) if known else nothing)

    async def body(session: Session) -> None:
        show(await session.engine.conversations(), session.output)

    if not answer_from_database(shared, lambda database: listed(database, shared.owner), show):
        perform(shared, body)


def _since_s(since: str | None) -> float | None:
    """The time in seconds. Raises UsageError."""
    if since is None:
        return None
    from palimpsest.search.filters import read_where

    return read_where(since=since, now_s=time.time()).since_s


def listed(database: Database, owner: str) -> list[ConversationInfo]:
    """The owner's conversations, newest first, read without an engine."""
    known = memos(database, owner)
    return [as_listed(row, known.get(row.name, "")) for row in conversations(database, owner)]


def chosen(
    known: list[ConversationInfo], project: str | None, agent: str | None, since_s: float | None
) -> list[ConversationInfo]:
    """The conversations of a folder or of those below it, of an agent, and changed from a time on."""
    from datetime import datetime

    return [
        one
        for one in known
        if (project is None or _is_in(one.folder, project))
        and (agent is None or one.agent.replace("-", "_").startswith(agent.lower().replace("-", "_")))
        and (since_s is None or datetime.fromisoformat(one.updated_at).timestamp() >= since_s)
    ]


def _is_in(folder: str, project: str) -> bool:
    if not folder:
        return False
    if "/" not in project and "\\" not in project and project not in (".", "..", "~"):
        return project in Path(folder).parts
    place = expand_home(project).absolute()
    return Path(folder).is_relative_to(place) or Path(folder).is_relative_to(place.resolve())


def _listing(known: list[ConversationInfo], output: Output) -> Block:
    short = output.ids([one.id for one in known])
    headings = ("conversation", "updated", "agent", "folder", "messages", "tokens", "window", "title")
    rows = tuple(
        (
            clean(short[one.id]),
            one.updated_at[:16].replace("T", " "),
            clean(one.agent),
            _short_folder(one.folder),
            f"{one.messages:,}",
            f"{one.tokens:,}",
            f"{one.window_tokens:,}",
            ("> " if one.parent else "") + clip(one.title, _TITLE_CELLS),
        )
        for one in known
    )
    return Listing(headings, rows, frozenset({"messages", "tokens", "window"}))


def _short_folder(folder: str) -> str:
    """A folder with `~` for the home folder, and an ellipsis for the beginning of a long one."""
    home = str(Path("~").expanduser())
    if folder == home or folder.startswith(f"{home}/"):
        folder = f"~{folder[len(home) :]}"
    folder = clean(folder)
    return folder if len(folder) <= _FOLDER_CELLS else f"…{folder[-_FOLDER_CELLS + 1 :]}"
