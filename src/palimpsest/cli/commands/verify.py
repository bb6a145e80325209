"""`palimpsest verify`: check everything that is stored."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated

from palimpsest.cli.drawing import clean, count
from palimpsest.cli.options import Shared, command, complete_conversation
from palimpsest.cli.output import Block, fields_of
from palimpsest.cli.parameters import argument, option
from palimpsest.cli.session import Session, existing, perform
from palimpsest.errors import IntegrityError
from palimpsest.record.health_report import Fault, Health

_SHOWN_FAULTS = 40


@command("verify")
def verify(
    shared: Shared,
    conversation: Annotated[
        str | None,
        argument("[CONV]", "One conversation; default: the whole database.", complete=complete_conversation),
    ] = None,
    quick: Annotated[
        bool, option("--quick", "Skip the search indexes, which take most of the time.")
    ] = False,
) -> int | None:
    """Check everything that is stored.

    Pages, hash chains, windows, summaries, search indexes; nothing is changed. The exit code is 0 if everything is
    intact, and 6 if anything is damaged.

    \b
    palimpsest verify
    palimpsest verify last
    """

    async def body(session: Session) -> int:
        name = (await session.conversation(conversation)).id if conversation is not None else None
        with session.watched() as step:
            health = await session.engine.verify(name, everyone=True, indexes=not quick, step=step)
        session.output.result(health_fields(health), *health_blocks(health))
        return 0 if health.sound else IntegrityError.exit_code

    return perform(existing(shared), body)


def health_fields(health: Health) -> dict[str, object]:
    """The result of a check as JSON fields."""
    return {
        "sound": health.sound,
        "found": health.found + health.elsewhere,
        **fields_of(health, "repairable conversations branches messages summaries compactions"),
        "indexes_examined": health.indexed,
        "to_index": health.to_index,
        "faults": [fault_fields(fault) for fault in health.faults],
    }


def fault_fields(fault: Fault) -> dict[str, object]:
    """A fault as JSON fields."""
    return fields_of(fault, "kind conversation id text repairable")


def health_blocks(health: Health) -> list[Block]:
    """The result of a check as text; the last block of a damaged database is the hint."""
    counts = (
        (health.conversations, "conversation"),
        (health.messages, "message"),
        (health.compactions, "compaction"),
    )
    checked = ", ".join(count(number, noun) for number, noun in counts)
    if not health.sound:
        return [
            f"{count(health.found, 'fault')} in {checked}",
            fault_lines(health.faults, health.found),
            "   do: palimpsest doctor shows what can be repaired",
        ]
    notes = [] if health.indexed else ["search indexes were skipped"]
    if health.to_index:
        notes.append(f"search indexes are being rebuilt: up to {health.to_index:,} texts to go")
    return ["; ".join([f"intact: {checked}", *notes])]


def fault_lines(faults: Sequence[Fault], found: int) -> list[str]:
    """The first faults, a line each, and how many more there are."""
    lines = [
        " ".join(part for part in (fault.kind, clean(fault.conversation), fault.id) if part)
        + f": {clean(fault.text)}"
        for fault in faults[:_SHOWN_FAULTS]
    ]
    if found > len(lines):
        lines.append(f"... and {count(found - len(lines), 'more fault')}")
    return lines
