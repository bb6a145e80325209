"""Examining windows and summaries: what is kept of a window is the fold of the log, and covers every message once; a
summary's sources exist and cover its range.
"""

from __future__ import annotations

import sqlite3

from palimpsest.errors import IntegrityError
from palimpsest.stores.checksums import is_sound
from palimpsest.stores.sqlite.branch_ranges import segments
from palimpsest.stores.sqlite.maintenance.findings import Findings
from palimpsest.stores.sqlite.maintenance.window_rebuild import Row, fold_rows
from palimpsest.stores.sqlite.message_log import row_number
from palimpsest.stores.sqlite.statements import Db
from palimpsest.stores.sqlite.window_rows import summary_id


def check_windows(db: Db, findings: Findings, conversation: sqlite3.Row) -> None:
    """Examine the summaries, compactions and windows of a conversation."""
    branches = {int(row["id"]): row for row in db.run("branches_of", conversation["id"])}
    for row in db.run("summaries_of", conversation["id"]).fetchall():
        findings.count("summaries")
        _check_summary(db, findings, row, branches.get(row["branch_id"]))
    for branch in branches.values():
        _check_compactions(db, findings, branch)
        _check_window(db, findings, branch)


def _check_summary(db: Db, findings: Findings, row: sqlite3.Row, branch: sqlite3.Row | None) -> None:
    name = summary_id(row["id"])
    if not is_sound(row, "summary"):
        findings.add("row", "the summary is not what was stored", name)
        return
    if branch is None or not 1 <= row["first_seq"] <= row["last_seq"] <= branch["head_seq"]:
        findings.add("summary", "it covers messages that its branch does not have", name)
        return
    if row["quotes"] and not row["first_seq"] <= row["quotes"] <= row["last_seq"]:
        findings.add("summary", "it quotes a message that it does not cover", name)
    position = row["first_seq"]
    path = segments(db, row["branch_id"], 1, branch["head_seq"])
    for source in (str(one[0]) for one in db.run("sources", row["id"]).fetchall()):
        span = _span(db, path, row, source)
        if span is None:
            findings.add("summary", f"its source {source} is not there", name)
            return
        if span[0] != position:
            break
        position = span[1] + 1
    if position != row["last_seq"] + 1:
        findings.add("summary", "its sources do not cover the messages it stands for", name)
    elif row["message_tokens"] != db.number("reckoned_beneath", row["id"]):
        findings.add("summary", "the tokens of the messages beneath it are miscounted", name, repairable=True)


def _span(
    db: Db, path: list[tuple[int, int, int]], summary: sqlite3.Row, source: str
) -> tuple[int, int] | None:
    """The range of a source, None where it is not there."""
    if source.startswith("s"):
        child = db.row("summary", row_number(source, "s") or 0)
        if child is None or child["conversation_id"] != summary["conversation_id"]:
            return None
        return (int(child["first_seq"]), int(child["last_seq"])) if child["id"] < summary["id"] else None
    found = db.row("place_of_number", row_number(source, "m") or 0)
    there = found is not None and any(
        branch == found["branch_id"] and first <= found["seq"] <= last for branch, first, last in path
    )
    return (int(found["seq"]), int(found["seq"])) if found is not None and there else None


def _check_compactions(db: Db, findings: Findings, branch: sqlite3.Row) -> None:
    for row in db.run("compactions", branch["id"]):
        findings.count("compactions")
        name = f"compaction {row['id']}"
        if not is_sound(row, "compaction"):
            findings.add("row", f"{name} is not what was stored")


def _check_window(db: Db, findings: Findings, branch: sqlite3.Row) -> None:
    """Hold what is kept of a window against the laws, and against the fold of the log."""
    name = f"the window of branch {branch['id']}"
    kept: list[Row] = []
    position = 0
    for row in db.run("items_of", branch["id"]):
        if not is_sound(row, "item"):
            findings.add("row", "the window item is not what was stored", row["id"], repairable=True)
        if row["standing"]:
            if row["first_seq"] <= position or row["last_seq"] < row["first_seq"]:
                findings.add("window", f"{name} covers messages twice", row["id"], repairable=True)
            position = max(position, row["last_seq"])
            kept.append(
                Row(row["id"], row["kind"], row["first_seq"], row["last_seq"], row["note"], row["tokens"])
            )
    if position > branch["head_seq"]:
        findings.add("window", f"{name} reaches behind its last message", repairable=True)
    try:
        folded = fold_rows(db, branch)
    except IntegrityError as error:
        findings.add("window", f"{name} cannot be folded from the log: {error.message}")
        return
    if folded.rows != kept:
        findings.add("window", f"{name} is not what its log gives", repairable=True)
    if folded.thinking_from != branch["thinking_from"]:
        findings.add(
            "branch", f"branch {branch['id']} may send reasoning from another message on", repairable=True
        )
