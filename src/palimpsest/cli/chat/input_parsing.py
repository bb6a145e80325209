"""What a person's line means: something to say, or one of the chat's own commands. Pure.

A line that begins with "/" and a word is a command; "//..." says a text that begins with a slash, and a path such as
/etc/hosts is a text like any other. An empty line asks the model again where its last answer did not come.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from difflib import get_close_matches

_COMMAND = re.compile(r"/([a-zA-Z?][\w?-]*)(?:\s+(.*))?", re.DOTALL)
_HELP_CELLS = 22


@dataclass(frozen=True, slots=True)
class Known:
    """A command as the help tells it: what follows it, and what it does."""

    argument: str
    what: str


COMMANDS: Mapping[str, Known] = {
    "compact": Known("[FOCUS]", "make the window smaller now; FOCUS names what to keep above all"),
    "context": Known("", "show what fills the window"),
    "grep": Known("PATTERN", 'find messages and summaries by words, "phrases" and %parts%'),
    "expand": Known("ID...", "read messages back in full, summaries as what they were made from"),
    "pin": Known("[ID [LAST]|TEXT]", "keep a message or a text word for word; alone: list the pins"),
    "unpin": Known("PIN", "let pinned words go again"),
    "resume": Known("[CONV]", "list the conversations, or go on with one: its number, id or title's words"),
    "new": Known("[NAME]", "begin another conversation"),
    "model": Known("[NAME]", 'say which model answers, or change it: "provider:model"'),
    "retry": Known("", "ask the model again where its last answer did not come"),
    "help": Known("", "this list"),
    "exit": Known("", "leave; everything said is stored"),
}
OTHER_NAMES: Mapping[str, str] = {"quit": "exit", "q": "exit", "h": "help", "?": "help", "search": "grep"}
NEEDS_ARGUMENT = frozenset(("grep", "expand", "unpin"))


@dataclass(frozen=True, slots=True)
class Say:
    """A message to the model."""

    text: str


@dataclass(frozen=True, slots=True)
class Command:
    """One of `COMMANDS`, with what follows it."""

    name: str
    argument: str = ""


@dataclass(frozen=True, slots=True)
class Wrong:
    """A command that cannot be carried out, and the way out."""

    message: str
    hint: str


@dataclass(frozen=True, slots=True)
class Nothing:
    """An empty line."""


Line = Say | Command | Wrong | Nothing


def parse(line: str) -> Line:
    """What a line means."""
    text = line.strip()
    if not text:
        return Nothing()
    if text.startswith("//"):
        return Say(text[1:])
    found = _COMMAND.fullmatch(text)
    if found is None:
        return Say(text)
    given, argument = found[1].lower(), (found[2] or "").strip()
    name = OTHER_NAMES.get(given, given)
    if name not in COMMANDS:
        near = get_close_matches(name, COMMANDS, 1)
        hint = f"did you mean /{near[0]}? " if near else ""
        return Wrong(
            f"there is no command /{given}", f'{hint}/help lists them; "//" says a text with a slash'
        )
    if name in NEEDS_ARGUMENT and not argument:
        return Wrong(f"/{name} needs more", f"write /{name} {COMMANDS[name].argument}")
    return Command(name, argument)


def help_rows() -> list[tuple[str, str]]:
    """(how it is written, what it does) of every command, and of the keys."""
    rows = [(f"/{name} {known.argument}".rstrip(), known.what) for name, known in COMMANDS.items()]
    keys = [
        ("Alt-Enter, \\ Enter", "a new line in the message"),
        ("Ctrl-C", "stop the answer; at the prompt: clear the line, twice: leave"),
        ("Ctrl-D", "leave"),
        ("Enter alone", "go on after an answer that was stopped or failed"),
    ]
    return [*rows, ("", ""), *keys]


def continues(line: str) -> bool:
    """Whether a line goes on in the next one: it ends in an odd number of backslashes."""
    return (len(line) - len(line.rstrip("\\"))) % 2 == 1


def completions(
    text: str, conversations: Sequence[tuple[str, str]] = (), models: Iterable[str] = ()
) -> list[tuple[str, str, int]]:
    """(completion, what it is, how many characters of `text` it replaces) for a line up to the cursor."""
    name, blank, argument = text.partition(" ")
    if not text.startswith("/") or "\n" in text:
        return []
    if not blank:
        return [(f"/{one}", COMMANDS[one].what, len(text)) for one in COMMANDS if f"/{one}".startswith(name)]
    if name == "/resume":
        return [(one, title, len(argument)) for one, title in conversations if one.startswith(argument)]
    if name == "/model":
        return [(one, "", len(argument)) for one in models if one.startswith(argument)]
    return []


def is_yes(answer: str) -> bool:
    """Whether an answer to a question of yes or no is a yes."""
    return answer.strip().lower() in {"y", "yes"}


def is_always(answer: str) -> bool:
    """Whether an answer allows the same again."""
    return answer.strip().lower() in {"a", "always"}
