"""The transcript formats by name, and detection of a file's format. Content decides; a file's name only helps."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from types import MappingProxyType, ModuleType

from palimpsest.errors import FormatError
from palimpsest.formats.transcripts import (
    amp,
    antigravity,
    chatgpt,
    claude_ai,
    claude_code,
    cline,
    codex,
    copilot_cli,
    crabtalk,
    cursor,
    droid,
    gemini_cli,
    goose,
    grok,
    hermes,
    kimi,
    openclaw,
    opencode,
    pi,
    picoclaw,
    qwen_code,
    sqlite_file,
)
from palimpsest.formats.transcripts.lookalikes import lookalike
from palimpsest.formats.transcripts.reader_base import (
    META,
    Head,
    LineReader,
    Reading,
    Source,
    as_object,
    decode,
    head_of,
    normalized,
)
from palimpsest.lazy_regex import later


def _alone(source: Source) -> tuple[str, ...]:
    return ()


@dataclass(frozen=True, slots=True)
class Format:
    """One transcript format.

    `related(source)` names the other files of its conversation, as glob patterns relative to the file's folder. It is
    asked again with what was found until it names nothing new, because later patterns depend on earlier files.
    `begin(path)` returns a line reader, for formats of lines. `databases` are the tables of its databases, with their
    columns.
    """

    name: str
    label: str
    detect: Callable[[Head], bool]
    read: Callable[[Source], Reading]
    related: Callable[[Source], tuple[str, ...]] = _alone
    begin: Callable[[str], LineReader] | None = None
    databases: tuple[Mapping[str, str], ...] = ()


def _entry(reader: ModuleType, label: str) -> Format:
    """Return the format that a module reads, by the names that every reader has and those that it may have."""
    return Format(
        reader.NAME,
        label,
        reader.detect,
        reader.read,
        getattr(reader, "related", _alone),
        getattr(reader, "begin", None),
        tuple(getattr(reader, name) for name in ("TABLES", "STORE", "EDITOR") if hasattr(reader, name)),
    )


_READERS: tuple[tuple[ModuleType, str], ...] = (
    (claude_code, "Claude Code"),
    (codex, "Codex"),
    (openclaw, "OpenClaw"),
    (pi, "pi"),
    (gemini_cli, "Gemini CLI"),
    (hermes, "Hermes"),
    (opencode, "opencode"),
    (crabtalk, "Crabtalk"),
    (picoclaw, "PicoClaw"),
    (qwen_code, "Qwen Code"),
    (copilot_cli, "GitHub Copilot CLI"),
    (cursor, "Cursor"),
    (cline, "Cline and Roo Code"),
    (goose, "Goose"),
    (kimi, "Kimi"),
    (droid, "Droid"),
    (amp, "Amp"),
    (claude_ai, "claude.ai"),
    (chatgpt, "ChatGPT"),
    (grok, "Grok"),
    (antigravity, "Antigravity"),
)
FORMATS: Mapping[str, Format] = MappingProxyType(
    {reader.NAME: _entry(reader, label) for reader, label in _READERS}
)
"""All formats, in the order in which they are tried."""


def detect(source: Source) -> str | None:
    """Return the name of `source`'s format, or None, also for a similar file of another program."""
    head = _head(source)
    if lookalike(head):
        return None
    return next((entry.name for entry in FORMATS.values() if entry.detect(head)), None)


def _head(source: Source) -> Head:
    if not sqlite_file.is_database(source.data):
        meta = next((data for name, data in source.related.items() if name.endswith(META)), b"{}")
        with suppress(ValueError):
            return replace(
                head_of(source.path, source.data), meta=as_object(decode(normalized(meta).strip()))
            )
        return head_of(source.path, source.data)
    try:
        database = sqlite_file.opened(source)
    except FormatError:
        return Head(source.path)
    database.close()
    return Head(source.path, tables=database.tables)


def may_be_known(beginning: bytes) -> bool:
    """Return whether the beginning of a database makes the tables of a known program. The rest of it is then read."""
    made = {name.lower() for name in _MADE.findall(beginning)}
    return any(
        {name.lower().encode() for name in tables} <= made
        for entry in FORMATS.values()
        for tables in entry.databases
    )


_MADE = later(rb"""(?i)CREATE TABLE\s+(?:IF NOT EXISTS\s+)?["'`\[]?(\w+)""")


def read(source: Source, format: str | None = None) -> Reading:  # noqa: A002 - the name callers type
    """Return the content of `source`, read as `format` or as the detected format.

    Raises FormatError if it is not a transcript, only a part of one, or if `format` is unknown.
    """
    if format is not None and format not in FORMATS:
        raise FormatError(f'no transcript format is named "{format}"', hint=_KNOWN)
    name = format or detect(source)
    if name is None:
        head = _head(source)
        raise FormatError(lookalike(head) or _refusal(source, head), hint=_KNOWN)
    return FORMATS[name].read(source)


def _refusal(source: Source, head: Head) -> str:
    """Return why a file is not a transcript, in one sentence."""
    data = normalized(source.data)
    if not data.strip(b"\0 \t\r\n"):
        return "not a transcript: the file is empty"
    if sqlite_file.is_database(data):
        return _refused_database(source, head)
    if data.startswith(b"PK\3\4"):
        return "not a transcript but a zip archive: unpack it, and import the folder"
    if b"\0" in data[:1000]:
        return "not a transcript: the file is binary, or text in an encoding other than UTF-8"
    part = opencode.part_of_session(source.path, data)
    if part:
        return part
    if not data.lstrip().startswith((b"{", b"[")):
        return "not a transcript: the file holds no JSON"
    if picoclaw.are_chat(head):
        return f"messages of a chat, but not known whose: {picoclaw.NAME} has a {META} beside them; --format reads it"
    return "not a transcript of a known kind"


def _refused_database(source: Source, head: Head) -> str:
    """Return why a database is not one of a known program, and what it lacks if it looks like one."""
    sqlite_file.opened(source).close()
    for entry in FORMATS.values():
        for tables in entry.databases:
            lacking = sqlite_file.missing(head.tables, tables)
            if tables.keys() <= head.tables.keys():
                return f"looks like a database of {entry.label}, but has {lacking}; export the session from its program"
    programs = ", ".join(entry.label for entry in FORMATS.values() if entry.databases)
    return f"a SQLite database, but of none of the known programs ({programs})"


_KNOWN = f"known formats: {', '.join(FORMATS)}"
