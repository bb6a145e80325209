"""The user's own words behind a ledger: rules that the share of the ledger for them left out, then remarks.

Rules kept here:

- What a user demanded is few and replaced by nothing, so it has room of its own where a ledger's share is full: a user
  who said thirty things wants them all. Where nothing was left out, it takes none.
- What the ledger, a summary or a verbatim message says is not said again. Lines stand under the ledger's heading for
  them, rules in the order in which they were said, what is no rule behind them.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence

from palimpsest.budget.pieces import count_text
from palimpsest.summarize.cut import Count
from palimpsest.summarize.ledger.choose import LINE_TOKENS
from palimpsest.summarize.ledger.entries import Entry, Ledger
from palimpsest.summarize.ledger.lines import fitting, flat, stands
from palimpsest.summarize.ledger.rank import is_shown, ranked_lines
from palimpsest.summarize.remarks import remark_weight

HEADING = "## Constraints"
BEFORE = ("## Goal", "## Last request of this part")
"""Headings that stand before it."""
ROOM_REMARKS_SHARE = 0.6
"""Of the room, for what is no rule by itself."""
HEADING_TOKENS = 4


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
    left -= _cost(rules, count)
    heard = [entry for entry in ledger.of("remark").values() if entry.weight]
    lasting = sorted(heard, key=lambda entry: remark_weight(entry.text))[::-1]
    remarks = fitting(lacking(lasting), min(left, int(ROOM_REMARKS_SHARE * room_tokens)), count)
    if not rules and not remarks:
        return text
    return _placed(text, ledger, rules, [entry.text for entry in heard if entry.text in remarks])


def _cost(lines: Iterable[str], count: Count) -> int:
    return sum(count(line) + LINE_TOKENS for line in lines)


def _placed(text: str, ledger: Ledger, rules: Sequence[str], remarks: Sequence[str]) -> str:
    """The text with these lines under the heading of the user's rules, which is made where there is none."""
    lines = text.split("\n") if text else []
    start = _start(lines)
    end = start
    while end < len(lines) and lines[end].startswith("- "):
        end += 1
    order = {entry.text: place for place, entry in enumerate(ledger.of("rule").values())}
    there = [line.removeprefix("- ") for line in lines[start:end]]
    known = sorted((*(one for one in there if one in order), *rules), key=order.__getitem__)
    others = [one for one in there if one not in order]
    heading = [] if start and lines[start - 1] == HEADING else [HEADING]
    return "\n".join(
        [*lines[:start], *heading, *(f"- {one}" for one in (*known, *others, *remarks)), *lines[end:]]
    )


def _start(lines: Sequence[str]) -> int:
    """Where the lines under the heading begin, or where it would stand."""
    if HEADING in lines:
        return lines.index(HEADING) + 1
    at = 0
    while at < len(lines) and (lines[at] in BEFORE or not lines[at].startswith("## ")):
        at += 1
    return at
