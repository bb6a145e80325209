"""What the user wants in the end, where that is no longer what was asked for first.

Rules kept here:

- A goal that is named as the new one takes the place of the old one at once. What is done instead of something does so
  where that was what stood as the goal, by most of its words, or where the plan as a whole was dropped.
- It is told in the user's words, with the sentence that drops the old one: who reads it knows that one is gone.
- What was wanted before is kept among what was taken back: summaries that were written before it say it still.
"""

from __future__ import annotations

from collections.abc import Collection

from palimpsest.summarize.alike import with_forms
from palimpsest.summarize.cut import clip_words
from palimpsest.summarize.ledger.entries import Ledger, normal, note_dropped, template
from palimpsest.summarize.ledger.lines import flat, stands
from palimpsest.summarize.sections import parse
from palimpsest.summarize.sentences import blocks, sentences, terms
from palimpsest.summarize.spoken.goals import dropped_in, drops, names_goal, of_plans, turns

GOAL_CHARS = 240
NEAR = 2
"""So many sentences behind the one that drops the old goal, at most, stands what is done instead."""
LEAST_TERMS = 2
NAMED_SHARE, LEAST_CHARS = 0.6, 3
"""So much of what is dropped was said of the goal; in words of so many letters."""
MAX_SENTENCES = 80
"""Of a message."""
TELLING_CHARS = 100
"""A goal whose first words stand in a summary is said there, though a shorter summary has less of it."""


def note_goal(ledger: Ledger, text: str) -> None:
    """Note what the user says is wanted from now on, if that is another thing than before."""
    before = goal_of(ledger)
    goal = new_goal(text, before)
    if not goal or goal == ledger.goal:
        return
    first = next(iter(ledger.of("request").values()), None)
    note_dropped(ledger, first_said(before), ledger.goal_seq or (first.seqs[0] if first else 0))
    let_go(ledger, before)
    ledger.goal, ledger.goal_seq = goal, ledger.seq


def goal_of(ledger: Ledger) -> str:
    """What the user wants: what was said of it last, else what was asked for first."""
    first = next(iter(ledger.of("request").values()), None)
    return ledger.goal or (clip_words(first.text, GOAL_CHARS) if first else "")


def untold_goal(ledger: Ledger, said: str, shown: Collection[int]) -> str:
    """The goal as the ledger tells it; "" where a message at one of the positions `shown` does, or the summaries "
    "`said`:
    what was asked for first anywhere in them, a new goal as their goal.
    """
    first = next(iter(ledger.of("request").values()), None)
    places = [ledger.goal_seq] if ledger.goal else first.seqs if first else []
    goal = goal_of(ledger)
    if not goal or any(seq in shown for seq in places):
        return ""
    told = parse(said).get("Goal", ()) if ledger.goal else (said,)
    return "" if any(stands(_beginning(flat(goal)), flat(one)) for one in told) else goal


def taken_back(ledger: Ledger, said: str, shown: Collection[int]) -> list[str]:
    """What was taken back and stands in the summaries `said` all the same, or in a message at one of the positions
    `shown`, the newest first.
    """
    plain, rules = flat(said), ledger.of("rule")
    return [
        text
        for text, seq in reversed(ledger.dropped.items())
        if normal(text) not in rules and (seq in shown or stands(flat(text), plain))
    ]


def new_goal(text: str, before: str = "") -> str:
    """What a message says is wanted instead of the goal `before`, in its words; "" where it says nothing of that."""
    said = [one for block in blocks(text) for one in sentences(block)][:MAX_SENTENCES]
    found = ""
    for at, sentence in enumerate(said):
        dropped = next(
            (back for back in range(at, max(-1, at - NEAR - 1), -1) if _drops_goal(said[back], before)), -1
        )
        if names_goal(sentence):
            rest = said[at : at + 2] if sentence.endswith((":", "：")) else [sentence]
        elif dropped >= 0 and turns(sentence):
            rest = [sentence]
        else:
            continue
        whole = " ".join((*(said[dropped:at] if dropped >= 0 else ()), *rest))
        goal = whole if len(whole) <= GOAL_CHARS else " ".join(rest)
        if len(set(terms(goal))) >= LEAST_TERMS:
            found = goal
    return found


def let_go(ledger: Ledger, goal: str) -> None:
    """Let go of a goal that no longer stands, where it reads like a rule ("we need to ...")."""
    form = normal(first_said(goal))
    ledger.tables["rule"].pop(form, None)
    ledger.tables["remark"].pop(template(first_said(goal)), None)


def first_said(goal: str) -> str:
    """What is said first of a goal: behind it may stand rules, which hold on."""
    said = list(sentences(goal))
    return next((one for one in said if len(terms(one)) > LEAST_TERMS), said[0] if said else "")


def _beginning(line: str) -> str:
    """As much of a line as says which one it is, to the end of a word."""
    cut = line[:TELLING_CHARS]
    return line if len(line) <= TELLING_CHARS else cut.rpartition(" ")[0] or cut


def _drops_goal(sentence: str, before: str) -> bool:
    if not drops(sentence):
        return False
    if not before or of_plans(sentence):
        return True
    named = {
        term
        for clause in dropped_in(sentence)
        for term in terms(clause)
        if len(term) >= LEAST_CHARS or not term.isascii()
    }
    return bool(named) and len(with_forms(named, set(terms(before)))) >= NAMED_SHARE * len(named)
