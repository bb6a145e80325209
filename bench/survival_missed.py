"""Why the ledger misses what it misses, for `bench/survival.py --missed TOKENS`.

For each needed string that the text of that size does not hold, one line says which of these it is:

- never noted: no entry says it, so no ranking can help
- another form: an entry has it with other spaces, quotes or folders, or as a part of a longer line
- rank n of m: it is noted as one of m of its kind, of which k were said, and n - 1 were worth more
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from pathlib import Path

from survival_data import cuts, sessions
from survival_needs import Need, holds, kept, needs, rebuild, text_of

from palimpsest.ledger.entries import Ledger
from palimpsest.ledger.render import render
from palimpsest.ledger.scoring import Group, ranked
from palimpsest.ledger.update import update

_GROUPS: Mapping[str, Group] = {
    "identifiers": "symbol",
    "references": "reference",
    "commands": "command",
    "segments": "segment",
}
_APART = re.compile(r"[\s'\"`]+")
TEXT_CHARS = 120


def missed(paths: Sequence[Path], size_tokens: int, every_tokens: int) -> Iterator[str]:
    """A line for each cut at which anything is missed, and below it one for each string."""
    for session in sessions(paths):
        texts = [text_of(message) for message in session.messages]
        ledger, read = Ledger(), 0
        for cut in cuts(session, every_tokens):
            for at in range(read, cut.end):
                update(ledger, session.messages[at], at + 1)
            read = max(read, cut.end)
            lines = list(_of_cut(ledger, [one for one in needs(cut, texts) if not one.older], size_tokens))
            if lines:
                yield f"{session.kind}: {session.project}, {session.name}, messages {cut.first} to {cut.end}"
                yield from lines


def _of_cut(ledger: Ledger, needed: Sequence[Need], size_tokens: int) -> Iterator[str]:
    text = render(ledger, size_tokens)
    rebuilt = rebuild(text)
    by_group: dict[Group, list[str]] = {}
    for one in ranked(ledger):
        by_group.setdefault(one.group, []).append(one.entry.text)
    for need in needed:
        if not kept(need, text, rebuilt):
            of_kind = sum(one.kind == need.kind for one in needed)
            ranks = by_group.get(_GROUPS.get(need.kind, "file"), [])
            reason = why(need.text, ranks, text, rebuilt)
            yield f"  {need.kind:12} 1 of {of_kind:<3} {reason:30} {need.text[:TEXT_CHARS]!r}"


def why(needed: str, ranks: Sequence[str], text: str, rebuilt: Collection[str]) -> str:
    """Why a text does not hold the string; `ranks` are the entries of its kind from the best down, `rebuilt` the paths
    that the text's tree gives.
    """
    at = next((place for place, one in enumerate(ranks) if one == needed or one.endswith("/" + needed)), None)
    if at is not None:
        said = sum(one in rebuilt or holds(text, one) for one in ranks)
        return f"rank {at + 1} of {len(ranks)}, {said} said"
    plain = _APART.sub("", needed)
    return "another form" if any(plain in _APART.sub("", one) for one in ranks) else "never noted"
