"""The ledger as JSON text, and back.

- An entry is a list of its key and its fields, not an object: the names of fields would double the size.
- The format has a version. Another version, or a text that is no ledger, raises ValueError; the ledger is then made
  again from the messages. Unknown fields of earlier versions are ignored."""

from __future__ import annotations

from dataclasses import fields

import msgspec

from palimpsest.ledger.entries import KINDS, Awaited, Entry, Ledger

VERSION = 2


class _Row(msgspec.Struct, array_like=True, frozen=True):
    key: str
    text: str
    label: str
    at: int
    used: int
    planned: int
    uses: int
    spoken: int
    results: int
    runs: int
    by_user: int
    failed: bool
    error: str
    weight: float
    seqs: list[int]
    failures: int = 0
    folder: str = ""
    elsewhere: dict[str, str] = {}


_FIELDS = tuple(field.name for field in fields(Entry) if field.name != "kind")


class _Saved(msgspec.Struct, frozen=True):
    version: int
    position: int
    seq: int
    newest: int
    tasks: tuple[str, ...]
    waiting: dict[str, Awaited]
    tables: dict[str, list[_Row]]
    changing: dict[str, tuple[tuple[str, str, str], ...]] = {}
    keeps_tasks: bool = False
    folder: str = ""
    typed: str = ""


def to_json(ledger: Ledger) -> str:
    """The ledger as JSON text for `from_json`, without waiting calls whose ids are no UTF-8."""
    tables = {
        kind: [
            _Row(key, *(getattr(entry, name) for name in _FIELDS)) for key, entry in ledger.of(kind).items()
        ]
        for kind in KINDS
    }
    saved = _Saved(
        VERSION,
        ledger.position,
        ledger.seq,
        ledger.newest,
        ledger.tasks,
        {call: awaited for call, awaited in ledger.waiting.items() if _is_sound(call)},
        dict(tables),
        {call: files for call, files in ledger.changing.items() if _is_sound(call)},
        ledger.keeps_tasks,
        ledger.folder,
        ledger.typed,
    )
    return msgspec.json.encode(saved).decode("utf-8")


def _is_sound(text: str) -> bool:
    """Whether a text can be written as UTF-8."""
    return text.isascii() or not any("\ud800" <= sign <= "\udfff" for sign in text)


def from_json(text: str) -> Ledger:
    """The ledger that `to_json` wrote. Raises ValueError for anything else, and for other versions."""
    try:
        saved = msgspec.json.decode(text.encode("utf-8"), type=_Saved)
    except (msgspec.MsgspecError, UnicodeEncodeError) as error:
        raise ValueError(f"not a ledger: {error}") from None
    if saved.version != VERSION:
        raise ValueError(f"a ledger of version {saved.version}; this is version {VERSION}")
    ledger = Ledger(saved.position, saved.seq, saved.newest, saved.tasks)
    ledger.waiting = dict(saved.waiting)
    ledger.changing, ledger.keeps_tasks, ledger.folder = dict(saved.changing), saved.keeps_tasks, saved.folder
    ledger.typed = saved.typed
    for kind in KINDS:
        ledger.tables[kind] = {
            row.key: Entry(kind, **{name: getattr(row, name) for name in _FIELDS})
            for row in saved.tables.get(kind, [])
        }
    return ledger
