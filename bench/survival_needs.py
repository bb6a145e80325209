"""What an agent needed after a cut, and whether a text still holds it.

A string is needed if it stands in the messages that were replaced and in an argument of one of the next 40 tool calls,
and in no message between the cut and that call. Arguments are decoded from their JSON first, keys left out. Strings
are matched as whole tokens. The extraction is the benchmark's own, not the package's: what the package overlooks is
counted all the same.

Kinds: path args (arguments under a path's key), files (their base names, and those of patches and commands),
identifiers (camelCase, PascalCase, snake_case), shell paths (paths within commands), commands (whole command lines run
again), segments (parts of command lines between `&&`, `;`, `|`, other than looking around), references (hashes, issue
numbers, branches, numbers of four or more digits), and for function calls of a service desk, values (scalar arguments).
"""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass

from survival_data import Cut, calls_ahead

from palimpsest.ledger.file_tree import parse_files, split_path
from palimpsest.record.message import Media, Message, Text, ToolCall, ToolResult
from palimpsest.text.identifiers import has_extension

KINDS = ("path args", "files", "identifiers", "shell paths", "commands", "segments", "references")
VALUES = "values"
AMOUNTS = "amounts"

_PATH_KEYS = re.compile(r"(?:^|_)(?:path|file|filepath|filename)$|^(?:path|file|dir|directory|folder)", re.I)
_COMMAND_KEYS = frozenset(("command", "cmd", "script", "bash_command"))
_IDENTIFIER = re.compile(
    r"(?<![\w$])(?:_*[a-z][a-z0-9]*(?:[A-Z][a-z0-9]*)+|(?:[A-Z][a-z0-9]+){2,}|_*[A-Za-z0-9]+(?:_[A-Za-z0-9]+)+)(?!\w)"
)
_SHELL_PATH = re.compile(
    r"(?<![\w:@/.~$*)\]-])(?:~|\.{1,2})?/?(?:[\w@.+()\[\]-]+/)+[\w@.+\[\]-]*|(?<![\w:/.)\]-])/[\w@.+-]+"
)
_FILE = re.compile(r"(?<![\w./-])[\w@.+-]{1,80}(?![\w/])")
_QUOTES = re.compile(r"'[^']*'|\"(?:[^\"\\]|\\.)*\"", re.DOTALL)
_PATCHED = re.compile(r"^\*\*\* (?:Add|Update|Delete) File: (.+)$|^\*\*\* Move to: (.+)$", re.MULTILINE)
_SPLIT = re.compile(r"&&|\|\||;|\||\n")
_DULL_SEGMENT = re.compile(
    r"(?:cd|echo|ls|cat|head|tail|wc|sort|uniq|true|false|sleep|pwd|exit|fi|done|do|then|else|if|for|while|EOF|"
    r"printf|export|sed -n|nl)\b"
)
_REFERENCE = re.compile(
    r"(?<![\w.#/-])(?:(?=[a-f]*\d)(?=\d*[a-f])[0-9a-f]{7,40}|\#\d{1,6}|\d{4,})(?![\w.-]*\w)"
)
_BRANCH = re.compile(
    r"\bgit (?:checkout|switch|merge|rebase|push|branch|worktree add)\b[^;|&\n]*?\s((?!-)[\w.-]*[/_-][\w./-]*)(?=\s|$)"
)
_NOISE = re.compile(r"/dev/|/?\d[\d./-]*$|[a-z]/[a-z]$|\.{1,2}/?$|/$")
_QUOTED = re.compile(r"\s+2>&1|\s*\d?>\s*/dev/null")
_AMOUNT_KEYS = re.compile(r"amount|price|cost|total|baggage|payment$", re.I)
MAX_COMMAND_CHARS = 1_000


@dataclass(frozen=True, slots=True)
class Need:
    """A string of a kind. `older` says that it stood only in messages replaced by earlier cuts."""

    kind: str
    text: str
    older: bool = False


def text_of(message: Message) -> str:
    """All a message says: words, decoded arguments, results."""
    lines: list[str] = []
    for part in message.parts:
        match part:
            case Text():
                lines.append(part.text)
            case ToolCall():
                lines.append(part.name)
                lines.extend(value for _, value in decoded(part))
            case ToolResult():
                lines.append(part.text)
            case Media():
                lines.append(part.uri)
            case _:
                pass
    return "\n".join(lines)


def decoded(call: ToolCall) -> list[tuple[str, str]]:
    """(key, scalar as text) of each scalar in a call's arguments; one with the key "" where they are no JSON."""
    try:
        value = json.loads(call.arguments)
    except (ValueError, RecursionError):
        return [("", call.arguments)]
    return list(_scalars("", value, 8))


def _scalars(key: str, value: object, depth: int) -> Iterator[tuple[str, str]]:
    if isinstance(value, dict) and depth:
        for inner_key, inner in value.items():
            yield from _scalars(str(inner_key), inner, depth - 1)
    elif isinstance(value, list) and depth:
        if value and all(isinstance(item, str) for item in value) and key in _COMMAND_KEYS:
            shell = len(value) >= 3 and value[1] in ("-c", "-lc")
            yield key, str(value[2]) if shell else " ".join(value)
            return
        for item in value:
            yield from _scalars(key, item, depth - 1)
    elif isinstance(value, str):
        yield key, value
    elif isinstance(value, (int, float)) and not isinstance(value, bool):
        yield f"{key}#", str(value)


def wanted(call: ToolCall) -> Iterator[tuple[str, str]]:
    """(kind, string) of everything in a call's arguments that could be needed."""
    for key, value in decoded(call):
        if key.endswith("#") or key == "status":
            continue
        if (
            _PATH_KEYS.search(key)
            and len(value) < 400
            and "\n" not in value
            and ("/" in value or "." in value)
        ):
            if value.strip("./~"):
                yield "path args", value
                yield "files", value.rstrip("/").rpartition("/")[2]
            continue
        if key in _COMMAND_KEYS or (not key and call.name in ("shell", "bash", "exec")):
            yield from _from_command(value)
        for found in _PATCHED.finditer(value):
            path = (found[1] or found[2]).strip()
            yield "path args", path
            yield "files", path.rpartition("/")[2]
        for name in identifiers_in(value):
            yield "identifiers", name
        for name in references_in(value):
            yield "references", name


def identifiers_in(text: str) -> Iterator[str]:
    """The names from code in a text."""
    return (name for name in _IDENTIFIER.findall(text) if len(name) >= 4)


def references_in(text: str) -> Iterator[str]:
    """The hashes, issue numbers and long numbers in a text."""
    yield from _REFERENCE.findall(text)


def paths_in(text: str) -> Iterator[str]:
    """The paths in a text that is no argument for one."""
    for path in _SHELL_PATH.findall(text):
        if len(path) >= 4 and not _NOISE.match(path):
            yield path.rstrip("/.") or path


def _from_command(command: str) -> Iterator[tuple[str, str]]:
    command = command.strip()
    if 8 <= len(command) <= MAX_COMMAND_CHARS:
        yield "commands", command
    head = re.split(r"<<-?\s*['\"]?\w+", command, maxsplit=1)[0]
    for piece in _split(head):
        segment = _QUOTED.sub("", piece).strip()
        if len(segment) >= 8 and " " in segment and not _DULL_SEGMENT.match(segment):
            yield "segments", segment
    named = _QUOTES.sub(lambda quoted: quoted[0].strip("\"'") if " " not in quoted[0] else " ", head)
    for path in paths_in(named):
        yield "shell paths", path
    for name in (name.lstrip("@") for name in _FILE.findall(named)):
        if has_extension(name) and not name.startswith("."):
            yield "files", name
    for branch in _BRANCH.findall(head):
        yield "references", branch


def _split(line: str) -> list[str]:
    """The parts of a command line; what stands in quotes is not divided."""
    masked = _QUOTES.sub(lambda quoted: "x" * len(quoted[0]), line)
    borders = [(found.start(), found.end()) for found in _SPLIT.finditer(masked)]
    starts, ends = [0, *(end for _, end in borders)], [*(start for start, _ in borders), len(line)]
    return [line[start:end] for start, end in zip(starts, ends, strict=True)]


def holds(text: str, needed: str) -> bool:
    """Whether `text` holds the string as a whole token."""
    at = text.find(needed)
    word_first, word_last = _is_word(needed[0]), _is_word(needed[-1])
    while at >= 0:
        end = at + len(needed)
        free = not (word_first and at and _is_word(text[at - 1]))
        if free and not (word_last and end < len(text) and _is_word(text[end])):
            return True
        at = text.find(needed, at + 1)
    return False


def _is_word(sign: str) -> bool:
    return sign.isalnum() or sign == "_"


def needs(cut: Cut, texts: list[str]) -> list[Need]:
    """What was needed after a cut; `texts` holds what each message of the session says."""
    replaced, older = "\n".join(texts[cut.first : cut.end]), "\n".join(texts[: cut.first])
    found: dict[tuple[str, str], Need] = {}
    between, reached = "\n".join(texts[cut.end : cut.resume]), cut.resume
    asked: set[tuple[str, str]] = set()
    for at, call in calls_ahead(cut):
        if at > reached:
            between, reached = "\n".join((between, *texts[reached:at])), at
        for kind, text in _values(call) if cut.session.kind == "tau-bench" else wanted(call):
            if (kind, text) in asked:
                continue
            asked.add((kind, text))
            if not text or holds(between, text):
                continue
            if holds(replaced, text):
                found[kind, text] = Need(kind, text)
            elif older and holds(older, text):
                found[kind, text] = Need(kind, text, older=True)
    return list(found.values())


def _values(call: ToolCall) -> Iterator[tuple[str, str]]:
    for key, value in decoded(call):
        if 0 < len(value) <= 80 and "\n" not in value and key != "thought":
            yield VALUES, value
            if _AMOUNT_KEYS.search(key.rstrip("#")):
                yield AMOUNTS, value


def kept(need: Need, text: str, rebuilt: Collection[str]) -> bool:
    """Whether a window's text holds what is needed, or a path in it put together from folder lines does."""
    if holds(text, need.text):
        return True
    if need.kind not in ("path args", "shell paths", "files"):
        return False
    path = need.text.removeprefix("./").rstrip("/")
    return path in rebuilt or any(one.endswith("/" + path) for one in rebuilt)


def rebuild(text: str) -> frozenset[str]:
    """Every path and folder that a reader can put together from the lines of a tree of files in a text."""
    listed = [line for line in text.splitlines() if line.lstrip().startswith("- ")]
    lines = [" " * line.index("-") + line.lstrip().removeprefix("- ") for line in listed]
    found: set[str] = set()
    for path, _ in parse_files(lines):
        found.add(path)
        folder = split_path(path)[0]
        for _ in range(24):
            if folder in (".", "/", "") or folder in found:
                break
            found.add(folder)
            folder = split_path(folder)[0]
    return frozenset(found)


def shares_kept(needed: Iterable[Need], text: str) -> dict[str, float]:
    """The share of what was needed that a text holds, by kind."""
    rebuilt = rebuild(text)
    found: dict[str, list[bool]] = {}
    for need in needed:
        found.setdefault(need.kind, []).append(kept(need, text, rebuilt))
    return {kind: sum(one) / len(one) for kind, one in found.items()}
