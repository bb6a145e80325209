"""The user's own words behind a ledger: rules that the share of the ledger for them left out, then remarks.

Rules kept here:

- What a user demanded is few and replaced by nothing, so it has room of its own where a ledger's share is full: a user
  who said thirty things wants them all. Where nothing was left out, it takes none.
- What the ledger, a summary or a verbatim message says is not said again. Rules stand under the ledger's heading for
  them, in the order in which they were said; what is no rule, under one of its own, which claims no more than it is.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from typing import Literal

from palimpsest.budget.pieces import count_text
from palimpsest.summarize.cut import Count
from palimpsest.summarize.ledger.choose import LINE_TOKENS
from palimpsest.summarize.ledger.entries import Entry, Ledger
from palimpsest.summarize.ledger.lines import fitting, flat, stands
from palimpsest.summarize.ledger.rank import is_shown, ranked_lines
from palimpsest.summarize.sections import parse, render

REMARKS_SHARE = 0.6
"""Of the room, for what is no rule by itself."""
HEADING_TOKENS = 12
"""What two headings cost, with their breaks."""


def with_words(
    text: str,
    ledger: Ledger,
    room_tokens: int,
    *,
    said: str,
    shown: Collection[int] = (),
    count: Count = count_text,
) -> str:
    """A ledger's text with the rules and remarks that it lacks, as many as fit in so many tokens more.

    `said` is what the summaries of the window say, `shown` are the positions of its verbatim messages.
    """
    plain = flat(f"{said}\n{text}")

    def lacking(entries: Iterable[Entry]) -> Iterator[str]:
        rest = (entry for entry in entries if not is_shown(entry, ledger, shown))
        return (entry.text for entry in rest if not stands(flat(entry.text), plain))

    left = room_tokens - HEADING_TOKENS
    rules = fitting(lacking(ranked_lines(ledger, "rule", shown=shown)), left, count)
    left -= sum(count(rule) + LINE_TOKENS for rule in rules)
    told = fitting(lacking(remarks_in(ledger)), min(left, int(REMARKS_SHARE * room_tokens)), count)
    most = count(text) + room_tokens
    while rules or told:
        sections = parse(text)
        sections["Constraints"] = _as_said(ledger, "rule", [*sections.get("Constraints", ()), *rules])
        sections["Also said by the user"] = _as_said(ledger, "remark", told)
        written = render(sections)
        if count(written) <= most:
            return written
        (told or rules).pop()
    return text


def remarks_in(ledger: Ledger) -> list[Entry]:
    """What the user told that holds on: the likeliest first, of these the newest."""
    told = [entry for entry in ledger.of("remark").values() if entry.weight]
    return sorted(told, key=lambda entry: entry.weight)[::-1]


def _as_said(ledger: Ledger, kind: Literal["rule", "remark"], lines: Iterable[str]) -> list[str]:
    """The lines in the order in which they were said."""
    order = {entry.text: place for place, entry in enumerate(ledger.of(kind).values())}
    return sorted(lines, key=lambda line: order.get(line, len(order)))
