"""What stands under a heading that it does not belong under.

Rules kept here:

- A rule of the user's is no goal beside others, and where it stands word for word no decision: it is a constraint.
- What the assistant said it does next, before a call, is no goal of the user's, where the user did not speak of it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from palimpsest.patterns import later
from palimpsest.summarize.alike import with_forms
from palimpsest.summarize.audit.audit import merged
from palimpsest.summarize.facts import Facts
from palimpsest.summarize.forms import Form, written
from palimpsest.summarize.ledger.entries import normal
from palimpsest.summarize.sentences import sentences, terms
from palimpsest.summarize.source import Source
from palimpsest.summarize.spoken.cues import FORBIDS

SAME_SHARE = 0.75
"""A line is a rule where they have so many of the words of each."""
ASKED_SHARE = 0.6
"""A line of which so many words are the user's tells of what the user wants."""
NOTHING_KNOWN = "- (nothing known)"
SAID_BEFORE = "- (said before this part)"
"""Under a goal that the model left out, where the user has stated it before the source."""
_MARK = later(r"\s{0,12}(?:[-*•]|\d{1,3}[.)])?\s{0,4}(?:(?:the )?user:\s{0,4})?", re.IGNORECASE)


def rehomed(text: str, facts: Facts, source: Source, form: Form) -> tuple[str, tuple[str, ...]]:
    """The text with the user's rules under their heading, and what the assistant did next under no goal; and what was
    done.
    """
    home, goal, decided = (form.homes.get(one, "") for one in ("Constraints", "Goal", "Decisions"))
    parsed = form.parse(text)
    if home == goal or not any(heading in (goal, decided) for heading, _ in parsed if heading):
        return text, ()
    rules, next_steps = facts.get("Constraints", ()), set(_announced(source))
    asked = set(terms(" ".join((source.goal, *source.requests))))
    moved: list[str] = []
    done: list[str] = []
    for heading, lines in parsed:
        kept: list[str] = []
        exactly = heading != goal or sum(map(bool, map(str.strip, lines))) == 1
        for line in lines if heading and heading in (goal, decided) else ():
            said = _MARK.sub("", line, count=1).strip()
            if any(_is_rule(said, rule, exactly=exactly) for rule in rules):
                moved.append(line)
                done.append(f"a rule of the user's: {line.strip()}")
            elif heading == goal and normal(said) in next_steps and not _is_of(said, asked):
                done.append(f"no goal: {line.strip()}")
            else:
                kept.append(line)
        if heading in (goal, decided) and heading:
            lines[:] = kept
    held = {normal(line) for heading, lines in parsed if heading == home for line in lines}
    new = [line for line in dict.fromkeys(moved) if normal(line) not in held]
    if new:
        form.insert(parsed, home, new)
    parsed = [one for one in parsed if one[0] not in (goal, decided) or any(map(str.strip, one[1]))]
    return (written(parsed), tuple(done)) if done else (text, ())


def _is_rule(line: str, rule: str, *, exactly: bool) -> bool:
    if normal(line) == normal(rule) or exactly:
        return bool(line) and normal(line) == normal(rule)
    own, known = set(terms(line)), set(terms(rule))
    shared = min(
        len(with_forms(own, known)) / max(1, len(own)), len(with_forms(known, own)) / max(1, len(known))
    )
    return shared >= SAME_SHARE and bool(FORBIDS.search(line)) == bool(FORBIDS.search(rule))


def _announced(source: Source) -> Iterator[str]:
    """The sentences with which the assistant goes over to a call."""
    messages = source.messages
    for message, following in zip(messages, (*messages[1:], None), strict=False):
        calls = message.calls or (following is not None and following.role == "assistant" and following.calls)
        if message.role == "assistant" and calls:
            yield from map(normal, sentences(message.text))


def _is_of(line: str, asked: set[str]) -> bool:
    own = set(terms(line))
    return len(with_forms(own, asked)) >= ASKED_SHARE * len(own)


def whole_page(text: str, form: Form, *, begins: bool) -> str:
    """A text in sections with all of the page's, in its order."""
    found = {"": list[str](), **dict(merged(form.parse(text)))}
    if not any(found):
        return text
    if not begins:
        found.setdefault("Goal", [SAID_BEFORE])
    whole = (one for one in ("", *form.headings) if one in found or one not in form.ours)
    return written((one, found.get(one, [NOTHING_KNOWN])) for one in whole)
