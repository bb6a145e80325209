"""Options that several commands share, and the defaults that come from the machine."""

from __future__ import annotations

import contextlib
from dataclasses import dataclass
from enum import StrEnum
from functools import cached_property
from pathlib import Path
from shlex import quote
from typing import Annotated

from palimpsest.cli.declarations import argument, option
from palimpsest.config.files import read_config
from palimpsest.config.paths import at_home, person_folder
from palimpsest.config.precedence import Config, Value, from_flags, resolve
from palimpsest.errors import PalimpsestError

DB_VARIABLE = "PALIMPSEST_DB"
OWNER = "me"


def complete_conversation(incomplete: str) -> list[tuple[str, str]]:
    """Conversation ids for the shell, each with its title; nothing where there is no database to ask."""
    from palimpsest.cli.session import known_conversations

    found = [("last", "the newest conversation")]
    with contextlib.suppress(PalimpsestError):
        found += known_conversations(Shared("list", None, OWNER, as_json=False).path, OWNER)
    return [(name, title) for name, title in found if name.startswith(incomplete)]


def complete_format(incomplete: str) -> list[str]:
    """Names of transcript formats for the shell."""
    from palimpsest.formats.transcripts import FORMATS

    return [name for name in FORMATS if name.startswith(incomplete)]


class Role(StrEnum):
    """Whose messages are looked at."""

    user = "user"
    assistant = "assistant"
    tool = "tool"


Db = Annotated[
    Path | None,
    option(
        "--db",
        metavar="FILE",
        readable=False,
        help=f"The database. [env: {DB_VARIABLE}; default: in the data folder]",
    ),
]
Owner = Annotated[str, option("--owner", metavar="NAME", help="Whose conversations.")]
Json = Annotated[bool, option("--json", help="Print one JSON object.")]
Whose = Annotated[Role | None, option("--role", help="Only messages of the user, the assistant or tools.")]
Last = Annotated[
    str | None, option("--last", metavar="TIME", help="Only the last 6h, 7d, 2w or 1m (months).")
]
Since = Annotated[
    str | None,
    option("--since", metavar="TIME", help="Only from this time on: ISO 8601 (else UTC), yesterday, 7d."),
]
Before = Annotated[
    str | None,
    option("--before", metavar="TIME", help="Only before this time: ISO 8601 (else UTC), yesterday, 7d."),
]
WindowTokens = Annotated[
    int | None, option("--window", metavar="N", min=1, help="The model's context window in tokens.")
]
ConfigFile = Annotated[
    Path | None,
    option(
        "--config",
        metavar="FILE",
        help="Read this in place of the project's file: TOML, JSON, or the file of another agent. "
        "[env: PALIMPSEST_CONFIG]",
    ),
]
Set = Annotated[
    list[str] | None,
    option("--set", metavar="NAME=VALUE", help="Any setting, for this run. May be repeated."),
]
Conversation = Annotated[
    str,
    argument(
        metavar="CONV",
        help='A conversation: its id, the beginning of its id, or "last".',
        autocompletion=complete_conversation,
    ),
]


@dataclass(frozen=True, slots=True)
class Given:
    """Settings given on the command line."""

    window_tokens: int | None = None
    settings: tuple[str, ...] = ()
    file: Path | None = None


def given(window_tokens: int | None, settings: list[str] | None, file: Path | None) -> Given:
    """The options of a command as one value."""
    return Given(window_tokens, tuple(settings or ()), file)


@dataclass(frozen=True)
class Shared:
    """What every command is told: its own name, the database, whose data, how to print, and settings.

    Without `configured` neither the environment nor a file has a say.
    """

    command: str
    db: Path | None
    owner: str
    as_json: bool
    given: Given = Given()
    configured: bool = True

    @cached_property
    def config(self) -> Config:
        """The configuration that counts for this run. Raises SettingsError, NotFound."""
        flags = from_flags(
            self.given.settings,
            window_tokens=("--window", self.given.window_tokens),
            db=("--db", str(at_home(self.db)) if self.db else None),
        )
        if not self.configured:
            return resolve([flags])
        return read_config(flags=flags, agent=self.owner, file=self.given.file)

    @property
    def located(self) -> Value:
        """The database's path and who says so."""
        return self.config.db or Value(str(default_db()), "default", "default")

    @property
    def path(self) -> Path:
        """The database's path."""
        return at_home(str(self.located.value))

    @property
    def nothing_stored(self) -> str:
        """What to say where the owner has no conversation."""
        whose, option = (
            ("", "") if self.owner == OWNER else (f" for {self.owner}", f" --owner {quote(self.owner)}")
        )
        return f"nothing is stored in {self.path}{whose} yet; begin with: palimpsest import PATH{option}"


def default_db() -> Path:
    """Where the database lies unless a person says otherwise: in the platform's data folder."""
    return person_folder("data") / "palimpsest.db"
