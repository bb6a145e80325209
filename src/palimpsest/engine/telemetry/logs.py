"""The log of an engine: what it tells, as records of the standard library's logging under the name "palimpsest".

A record's message is short and for people; what it says stands also in `extra` as `palimpsest`, a dict of plain values
that any JSON formatter writes as it is, with the conversation's id and, for compactions, theirs. Nothing is logged that
`record.seen` does not hold, and no handler is ever installed.
"""

from __future__ import annotations

import dataclasses
import logging

from palimpsest.record.events import Asked, Compacted, Decided, Escalated, Failed, Paid, Seen

LOGGER = logging.getLogger("palimpsest")
LOGGER.addHandler(logging.NullHandler())


def log(seen: Seen) -> None:
    """Write one thing that was told, at the level it is worth."""
    level = level_of(seen)
    if LOGGER.isEnabledFor(level):
        fields = fields_of(seen)
        LOGGER.log(level, "%s", sentence(fields), extra={"palimpsest": fields})


def level_of(seen: Seen) -> int:
    """Warnings for what failed, information for what changed a window, the rest for whoever debugs."""
    match seen:
        case Failed():
            return logging.WARNING
        case Asked(failure=failure) if failure:
            return logging.WARNING
        case Compacted():
            return logging.INFO
        case _:
            return logging.DEBUG


def fields_of(seen: Seen) -> dict[str, object]:
    """What was told as plain values, `event` first."""
    fields: dict[str, object] = {"event": type(seen).__name__.lower()}
    match seen:
        case Paid(conversation=conversation, spent=spent):
            return {**fields, "conversation": conversation, **dataclasses.asdict(spent)}
        case Decided(numbers=numbers):
            shown = dataclasses.asdict(seen)
            return {**fields, **shown, "steps": list(seen.steps), "numbers": dict(numbers)}
        case Escalated(refused=refused):
            return {**fields, **dataclasses.asdict(seen), "refused": list(refused)}
        case _:
            return {**fields, **dataclasses.asdict(seen)}


def sentence(fields: dict[str, object]) -> str:
    """The fields on one line, which no name can break or forge: what cannot be printed is escaped."""
    return " ".join(f"{name}={_shown(value)}" for name, value in fields.items() if value not in ("", []))


def _shown(value: object) -> object:
    if isinstance(value, str) and not value.isprintable():
        return repr(value)
    return f"{value:.6g}" if isinstance(value, float) else value
