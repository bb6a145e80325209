"""Options that several commands share, and the database and configuration that they select."""

from __future__ import annotations

import inspect
import stat
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from enum import StrEnum
from functools import cached_property, wraps
from pathlib import Path
from shlex import quote
from typing import Annotated, Any

from palimpsest.cli.parameters import Command, argument, option
from palimpsest.config.files import read_config
from palimpsest.config.paths import expand_home, user_folder
from palimpsest.config.precedence import Config, Value, from_flags, resolve
from palimpsest.engine.reports import LAST
from palimpsest.errors import PalimpsestError, StoreError, reason_of

DB_VARIABLE = "PALIMPSEST_DB"
OWNER = "me"
_COMPLETION_TIMEOUT_S = 1.0


def complete_conversation(incomplete: str) -> list[tuple[str, str]]:
    """Conversation ids for shell completion, each with its title. Never an error, and nothing is created."""
    import asyncio

    import palimpsest

    async def ask(path: Path) -> list[tuple[str, str]]:
        async with palimpsest.open(
            path, owner=OWNER, busy_timeout_s=_COMPLETION_TIMEOUT_S, resume=False
        ) as engine:
            return [(info.id, info.title) for info in await engine.conversations()]

    found = [(LAST, "the newest conversation")]
    with suppress(PalimpsestError):
        path = Shared("list").path
        found += asyncio.run(ask(path)) if database_exists(path) else []
    return [(name, title) for name, title in found if name.startswith(incomplete)]


class Role(StrEnum):
    """Whose messages are searched."""

    user = "user"
    assistant = "assistant"
    tool = "tool"
    system = "system"


Db = Annotated[
    Path | None,
    option("--db FILE", f"The database. [env: {DB_VARIABLE}; default: in the data folder]", readable=False),
]
Owner = Annotated[str, option("--owner NAME", "Whose conversations.")]
Json = Annotated[bool, option("--json", "Print one JSON object.")]
RoleOption = Annotated[
    Role | None, option("--role", "Only messages of the user, the assistant, tools or the system.")
]
Last = Annotated[str | None, option("--last TIME", "Only the last 6h, 7d, 2w or 1m (months).")]
Since = Annotated[
    str | None, option("--since TIME", "Only from this time on: ISO 8601 (else UTC), yesterday, 7d.")
]
Before = Annotated[
    str | None, option("--before TIME", "Only before this time: ISO 8601 (else UTC), yesterday, 7d.")
]
WindowTokens = Annotated[int | None, option("--window N", "The model's context window in tokens.", min=1)]
ConfigFile = Annotated[
    Path | None,
    option(
        "--config FILE",
        "Replaces the project's file: TOML, JSON, or the file of another agent. [env: PALIMPSEST_CONFIG]",
    ),
]
Set = Annotated[list[str] | None, option("--set NAME=VALUE", "Any setting, for this run. May be repeated.")]
Conversation = Annotated[
    str,
    argument(
        "CONV", 'A conversation: its id, the beginning of its id, or "last".', complete=complete_conversation
    ),
]
OnlyConversation = Annotated[
    str | None, argument("CONV", "Only this conversation.", complete=complete_conversation)
]


@dataclass(frozen=True)
class Shared:
    """The common options of a command: its name, the database, the owner, the output format and settings.

    Without `configured`, environment and files are ignored.
    """

    command: str
    db: Path | None = None
    owner: str = OWNER
    as_json: bool = False
    window_tokens: int | None = None
    settings: list[str] | None = None
    config_file: Path | None = None
    configured: bool = True

    @cached_property
    def config(self) -> Config:
        """The configuration of this run. Raises SettingsError, NotFound."""
        flags = from_flags(
            self.settings or (),
            window_tokens=("--window", self.window_tokens),
            db=("--db", str(expand_home(self.db)) if self.db else None),
        )
        if not self.configured:
            return resolve([flags])
        return read_config(flags=flags, agent=self.owner, file=self.config_file)

    @property
    def located(self) -> Value:
        """The database's path and its origin; by default in the platform's data folder."""
        return self.config.db or Value(str(user_folder("data") / "palimpsest.db"), "default", "default")

    @property
    def path(self) -> Path:
        """The database's path."""
        return expand_home(str(self.located.value))

    @property
    def nothing_stored(self) -> str:
        """The message for an owner without conversations."""
        whose, option = (
            ("", "") if self.owner == OWNER else (f" for {self.owner}", f" --owner {quote(self.owner)}")
        )
        return f"nothing is stored in {self.path}{whose} yet; begin with: palimpsest import PATH{option}"


def command(
    name: str, *, window: bool = False, settings: bool = False, json: bool = True
) -> Callable[[Command], Command]:
    """Give a command the common options after its own ones. It receives them as its first argument, a `Shared`."""
    options: dict[str, tuple[object, object]] = {}
    if window:
        options["window_tokens"] = (WindowTokens, None)
    if settings:
        options |= {"settings": (Set, None), "config_file": (ConfigFile, None)}
    options |= {"owner": (Owner, OWNER), "db": (Db, None)}
    if json:
        options["as_json"] = (Json, False)
    common = [
        inspect.Parameter(key, inspect.Parameter.POSITIONAL_OR_KEYWORD, default=default, annotation=kind)
        for key, (kind, default) in options.items()
    ]

    def decorate(function: Command) -> Command:
        own = list(inspect.signature(function, eval_str=True).parameters.values())[1:]

        @wraps(function)
        def run(**values: Any) -> int | None:
            return function(Shared(name, **{key: values.pop(key) for key in options}), **values)

        run.__signature__ = inspect.Signature([*own, *common])  # pyright: ignore[reportAttributeAccessIssue]
        return run

    return decorate


def database_exists(path: Path) -> bool:
    """Whether there is a file at a database's path. Raises StoreError for a folder or an inaccessible path."""
    try:
        kind = path.stat().st_mode
    except (FileNotFoundError, NotADirectoryError):
        return False
    except OSError as error:
        raise StoreError(f"cannot look at {path}: {reason_of(error)}", hint="choose another --db") from error
    if stat.S_ISDIR(kind):
        raise StoreError(f"{path} is a folder", hint="name a file inside it")
    return True
