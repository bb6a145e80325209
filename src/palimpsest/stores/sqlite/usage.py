"""Reported usage, and the ratios learned from it. Each function runs inside a transaction of its caller."""

from __future__ import annotations

from palimpsest.budget.calibration import KINDS, Calibration
from palimpsest.ports import ReportedUsage
from palimpsest.record.message import Usage
from palimpsest.stores.checksums import intact_row
from palimpsest.stores.codec import storable
from palimpsest.stores.sqlite import message_log
from palimpsest.stores.sqlite.statements import Db

_LEARNT = KINDS[:-1]
_CONSTANT = "request"
"""The kind of the row with the constant tokens of requests: their number, and the sum."""
_USAGE_COLUMNS = ("input_tokens", "output_tokens", "cached_tokens", "cache_write_tokens")


def save(
    db: Db,
    owner: str,
    conversation: str,
    branch_id: int,
    reported: ReportedUsage,
    learnt: Calibration | None,
) -> None:
    """See `Store.record_usage`."""
    number = message_log.must_have(db, owner, conversation)
    if db.row("branch", branch_id, number) is None:
        return
    used, model = reported.usage, storable(reported.model)
    db.run(
        "save_usage", branch_id, used.input_tokens, used.output_tokens, used.cached_tokens,
        used.cache_write_tokens, reported.estimated_tokens, reported.window_mark, reported.last, model,
    )  # fmt: skip
    if learnt is not None:
        owner_id = message_log.owner_number(db, owner)
        for kind, estimated, counted in zip(_LEARNT, learnt.estimated, learnt.reported, strict=True):
            db.run("save_calibration", owner_id, model, kind, estimated, counted)
        if learnt.requests:
            db.run("save_calibration", owner_id, model, _CONSTANT, learnt.requests, learnt.constant_tokens)


def last(db: Db, owner: str, conversation: str, branch_id: int) -> ReportedUsage | None:
    """See `Store.last_usage`."""
    if not message_log.has_branch(db, owner, conversation, branch_id):
        return None
    row = db.row("last_usage", branch_id)
    if row is None:
        return None
    intact_row(row, "usage", "what was reported of a branch")
    usage = Usage(*(row[name] for name in _USAGE_COLUMNS))
    return ReportedUsage(
        usage, row["estimated_tokens"], row["window_mark"], row["last_seq"], str(row["model"])
    )


def calibration(db: Db, owner: str, model: str) -> Calibration | None:
    """See `Store.calibration`. Unknown kinds are ignored, new ones start empty."""
    rows = db.run("calibration", message_log.owner_number(db, owner), storable(model)).fetchall()
    for row in rows:
        intact_row(row, "calibration", f"what was learnt of {model}")
    known = {str(row["kind"]): (float(row["estimated"]), float(row["reported"])) for row in rows}
    if not known:
        return None
    pairs = [known.get(kind, (0.0, 0.0)) for kind in _LEARNT]
    constant = known.get(_CONSTANT, (0.0, 0.0))
    return Calibration(tuple(pair[0] for pair in pairs), tuple(pair[1] for pair in pairs), *constant)
