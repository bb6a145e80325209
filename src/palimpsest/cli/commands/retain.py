"""`palimpsest retain`: forget conversations that are too old or take too much space."""

from __future__ import annotations

import asyncio
import re
from typing import TYPE_CHECKING, Annotated

from palimpsest.cli.commands.forget import SHOWN, forget_typed, holding_lines, left_lines, typed_texts
from palimpsest.cli.drawing import Listing, clean, count, size, when
from palimpsest.cli.options import Shared, command
from palimpsest.cli.output import Block
from palimpsest.cli.parameters import option
from palimpsest.cli.session import Session, perform
from palimpsest.errors import UsageError
from palimpsest.record.times import iso_time

if TYPE_CHECKING:
    from palimpsest.engine.deletion import Retained

_SECONDS = {"h": 3_600, "d": 86_400, "w": 604_800, "y": 31_557_600}
_BYTES = {"": 1, "K": 10**3, "M": 10**6, "G": 10**9, "T": 10**12}
_AGE = re.compile(r"(\d{1,6})\s{0,2}([hdwy])")
_SIZE = re.compile(r"(\d{1,12}(?:\.\d{1,3})?)\s{0,2}([KMGT]?)B?", re.IGNORECASE)


@command("retain")
def retain(
    shared: Shared,
    older_than: Annotated[str | None, option("--older-than AGE", "Such as 36h, 180d, 26w or 2y.")] = None,
    larger_than: Annotated[
        str | None, option("--larger-than SIZE", "Such as 500MB or 1GB; deletes the oldest first.")
    ] = None,
    apply: Annotated[bool, option("--apply", "Delete them; default: only show them.")] = False,
) -> None:
    """Forget old conversations.

    Those that are too old, and the oldest ones if all together are too large. Without --apply nothing is deleted.

    \b
    palimpsest retain --older-than 180d
    palimpsest retain --older-than 2y --larger-than 1GB --apply
    """
    age_s, most_bytes = read_age(older_than), read_size(larger_than)

    async def body(session: Session) -> None:
        with session.output.working("looking what would be deleted"):
            found = await session.engine.retain(age_s, most_bytes)
        if apply and found.going:
            names = [one.conversation for one in found.going]
            typed = await typed_texts(session.engine, names, None)
            with session.output.working("deleting"):
                found = await session.engine.retain(age_s, most_bytes, apply=True)
            await asyncio.to_thread(forget_typed, typed)
        session.output.result(_fields(found), *_blocks(found))

    perform(shared, body)


def read_age(text: str | None) -> float | None:
    """An age in seconds from "180d"; None for None. Raises UsageError."""
    if text is None:
        return None
    found = _AGE.fullmatch(text.strip())
    if found is None:
        raise UsageError(f"no age {text!r}", hint="a number with h, d, w or y: 36h, 180d, 26w, 2y")
    return float(int(found[1]) * _SECONDS[found[2]])


def read_size(text: str | None) -> int | None:
    """A size in bytes from "1GB"; None for None. Raises UsageError."""
    if text is None:
        return None
    found = _SIZE.fullmatch(text.strip())
    if found is None:
        raise UsageError(f"no size {text!r}", hint="a number with kB, MB, GB or TB: 500MB, 1.5GB")
    return int(float(found[1]) * _BYTES[found[2].upper()])


def _fields(found: Retained) -> dict[str, object]:
    done = found.forgotten
    return {
        "applied": done.applied,
        "conversations": [
            {"id": one.conversation, "size_bytes": one.size_bytes, "updated_at": iso_time(one.updated_s)}
            for one in found.going
        ],
        "freed_bytes": found.freed_bytes,
        "kept": found.kept,
        "kept_bytes": found.kept_bytes,
        "files": {
            "deleted": list(done.deleted),
            "holding": [{"kind": one.kind, "path": one.path} for one in done.holding],
        },
        "left": list(done.left),
    }


def _blocks(found: Retained) -> list[Block]:
    stay = "stays" if found.kept == 1 else "stay"
    kept = f"{count(found.kept, 'conversation')} of {size(found.kept_bytes)} {stay}"
    if not found.going:
        return [f"nothing to delete; {kept}"]
    rows = tuple(
        (clean(one.conversation), when(iso_time(one.updated_s)), size(one.size_bytes))
        for one in found.going[:SHOWN]
    )
    blocks: list[Block] = [Listing(("conversation", "last change", "size"), rows, frozenset({"size"}))]
    if len(found.going) > SHOWN:
        blocks.append(f"and {len(found.going) - SHOWN:,} more")
    done = found.forgotten
    would, hint = ("", "") if done.applied else ("would be ", "; add --apply to delete them")
    freed = f"{count(len(found.going), 'conversation')} of {size(found.freed_bytes)} {would}forgotten"
    blocks.append(f"{freed}, {kept}{hint}")
    blocks += [f"{would}deleted: {clean(path)}" for path in done.deleted[:SHOWN]]
    return [*blocks, *holding_lines(done), *left_lines(done.left)]
