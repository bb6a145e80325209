"""Options that several commands share, and the defaults that come from the machine."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import typer

DB_VARIABLE = "PALIMPSEST_DB"
OWNER = "me"


def default_db() -> Path:
    """Where the database lies unless a person says otherwise: PALIMPSEST_DB, or the platform's data folder."""
    named = os.environ.get(DB_VARIABLE)
    if named:
        return Path(named).expanduser()
    from platformdirs import user_data_path

    return user_data_path("palimpsest", appauthor=False) / "palimpsest.db"


def complete_conversation(incomplete: str) -> list[tuple[str, str]]:
    """Conversation ids for the shell, each with its title; nothing where there is no database to ask."""
    from palimpsest.cli.session import known_conversations

    found = [("last", "the newest conversation"), *known_conversations(default_db(), OWNER)]
    return [(name, title) for name, title in found if name.startswith(incomplete)]


def complete_format(incomplete: str) -> list[str]:
    """Names of transcript formats for the shell."""
    from palimpsest.formats.transcripts import FORMATS

    return [name for name in FORMATS if name.startswith(incomplete)]


Db = Annotated[
    Path | None,
    typer.Option(
        "--db", metavar="FILE", help=f"The database. [env: {DB_VARIABLE}; default: in the data folder]"
    ),
]
Owner = Annotated[str, typer.Option("--owner", metavar="NAME", help="Whose conversations.")]
Json = Annotated[bool, typer.Option("--json", help="Print one JSON object.")]
WindowTokens = Annotated[
    int | None, typer.Option("--window", metavar="N", min=1, help="The model's context window in tokens.")
]
Conversation = Annotated[
    str,
    typer.Argument(
        metavar="CONV",
        help='A conversation: its id, the beginning of its id, or "last".',
        autocompletion=complete_conversation,
    ),
]


@dataclass(frozen=True, slots=True)
class Shared:
    """What every command is told: its own name, the database, whose data, and how to print."""

    command: str
    db: Path | None
    owner: str
    as_json: bool

    @property
    def path(self) -> Path:
        """The database's path."""
        return self.db.expanduser() if self.db else default_db()
