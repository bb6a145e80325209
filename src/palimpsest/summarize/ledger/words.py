"""The ledger of a window, the user's own words first: rules, then remarks that hold on, then what else is noted.

Rules kept here:

- What a user demanded is few and replaced by nothing, so it has room of its own where a ledger's share is full: a user
  who said thirty things wants them all. Where nothing was left out, it takes none.
- Where that room is too small, or there is none, it takes what the names would have had: no line of what tools printed
  stands where a rule would fit, or a remark that says no, when or how often. Other remarks take half of it at most.
- What the ledger, a summary or a verbatim message says is not said again. Rules stand under the ledger's heading for
  them, in the order in which they were said; what is no rule, under one of its own, which claims no more than it is.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from typing import Literal

from palimpsest.budget.pieces import count_text
from palimpsest.summarize.cut import Count
from palimpsest.summarize.ledger.choose import LINE_TOKENS
from palimpsest.summarize.ledger.entries import Entry, Kind, Ledger
from palimpsest.summarize.ledger.lines import fitting, flat, stands
from palimpsest.summarize.ledger.rank import is_shown, ranked_lines
from palimpsest.summarize.ledger.render import render as render_ledger
from palimpsest.summarize.ledger.weights import LEARNT, Weights
from palimpsest.summarize.sections import parse, render
from palimpsest.summarize.spoken.remarks import LASTING_WEIGHT

REMARKS_SHARE = 0.6
"""Of the room for the user's words, for remarks that say no more than how things are."""
HEADING_TOKENS = 12
"""What two headings cost, with their breaks."""
TOLD_WEIGHT, TOLD_SHARE = 2.0, 0.5
"""A remark that tells no past, and what such ones may take of the room of names, where they say no more."""
MAX_TRIES = 4


def worded(
    ledger: Ledger,
    budget_tokens: int,
    words_tokens: int,
    *,
    said: str,
    shown: Collection[int] = (),
    count: Count = count_text,
    weights: Mapping[Kind, Weights] = LEARNT,
) -> str:
    """A ledger's text of at most `budget_tokens` tokens and `words_tokens` more for the user's own words.

    `said` is what the summaries of the window say, `shown` are the positions of its verbatim messages.
    """
    text, moved = "", 0
    for left in reversed(range(MAX_TRIES)):
        room = budget_tokens - moved
        names = (
            render_ledger(ledger, room, said=said, shown=shown, count=count, weights=weights) if room else ""
        )
        words = words_tokens + moved
        text = with_words(names, ledger, words, said=said, shown=shown, count=count) if words else names
        owed, told = _owed(ledger, f"{said}\n{text}", shown, budget_tokens + words_tokens, count)
        most = max(moved, int(TOLD_SHARE * budget_tokens)) - moved
        more = owed or min(told, most)
        if not more or not room:
            break
        moved = min(budget_tokens, moved + more + HEADING_TOKENS) if left > 1 or not owed else budget_tokens
    return text


def _owed(
    ledger: Ledger, said: str, shown: Collection[int], most_tokens: int, count: Count
) -> tuple[int, int]:
    """What the user's rules and lasting remarks cost that a window does not say, without those that fit nowhere; and
    what his other remarks cost.
    """
    plain = flat(said)
    owed, told = 0, 0
    remarks = (one for one in remarks_in(ledger) if one.weight >= TOLD_WEIGHT)
    for entry in (*ranked_lines(ledger, "rule", shown=shown), *remarks):
        if is_shown(entry, ledger, shown) or stands(flat(entry.text), plain):
            continue
        cost = count(entry.text) + LINE_TOKENS
        if cost + HEADING_TOKENS > most_tokens:
            continue
        if entry.kind == "rule" or entry.weight >= LASTING_WEIGHT:
            owed += cost
        else:
            told += cost
    return owed, told


def with_words(
    text: str,
    ledger: Ledger,
    room_tokens: int,
    *,
    said: str,
    shown: Collection[int] = (),
    count: Count = count_text,
) -> str:
    """A ledger's text with the rules and remarks that it lacks, as many as fit in so many tokens more."""
    plain = flat(f"{said}\n{text}")

    def lacking(entries: Iterable[Entry]) -> Iterator[str]:
        rest = (entry for entry in entries if not is_shown(entry, ledger, shown))
        return (entry.text for entry in rest if not stands(flat(entry.text), plain))

    left = room_tokens - HEADING_TOKENS
    rules = fitting(lacking(ranked_lines(ledger, "rule", shown=shown)), left, count)
    left -= sum(count(rule) + LINE_TOKENS for rule in rules)
    remarks = remarks_in(ledger)
    told = fitting(lacking(one for one in remarks if one.weight >= LASTING_WEIGHT), left, count)
    left -= sum(count(one) + LINE_TOKENS for one in told)
    others = (one for one in remarks if one.weight < LASTING_WEIGHT)
    told += fitting(lacking(others), min(left, int(REMARKS_SHARE * room_tokens)), count)
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
