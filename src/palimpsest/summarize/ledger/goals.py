"""What the user wants in the end, where that is no longer what was asked for first.

Rules kept here:

- A goal that is named as the new one stands behind what was asked for first, and takes nothing away: neither that nor
  a rule. Who reads both knows which one counts, and a sentence that only sounds like a goal costs one line.
- What is done instead of something is one where that was what stood as the goal, by several of its words.
- What is only called the goal stands there as well, as long as none is named as the new one.
- It is told in the user's words, with the sentence that drops the old one. Of several the newest counts.
"""

from __future__ import annotations

from itertools import islice

from palimpsest.summarize.alike import with_forms
from palimpsest.summarize.cut import clip_words
from palimpsest.summarize.ledger.entries import Ledger
from palimpsest.summarize.sentences import blocks, sentences, terms
from palimpsest.summarize.spoken.goals import dropped_in, drops_all, names_goal, states_goal, turns, wants

GOAL_CHARS = 240
NEAR = 2
"""So many sentences behind the one that drops the old goal, at most, stands what is done instead."""
LEAST_TERMS = 2
NAMED_SHARE, LEAST_NAMED, LEAST_CHARS = 0.6, 2, 3
"""So much of what is dropped was said of the goal, and so many words, or half of it; in words of so many letters."""
MAX_SENTENCES = 80
"""Of a message."""


def note_goal(ledger: Ledger, text: str) -> None:
    """Note what the user wants from now on, or first calls the goal. What was asked for first stays beside it."""
    goal = new_goal(text, ledger.goal or first_goal(ledger)) or ("" if ledger.goal else stated_goal(text))
    if goal and goal != ledger.goal:
        ledger.goal, ledger.goal_seq = goal, ledger.seq


def first_goal(ledger: Ledger) -> str:
    """What was asked for first."""
    first = next(iter(ledger.of("request").values()), None)
    return clip_words(first.text, GOAL_CHARS) if first else ""


def new_goal(text: str, before: str = "") -> str:
    """What a message says is wanted instead of the goal `before`, in its words; "" where it says nothing of that."""
    said = [one for block in blocks(text) for one in sentences(block)][:MAX_SENTENCES]
    found = ""
    for at, sentence in enumerate(said):
        back = range(at, max(-1, at - NEAR - 1), -1)
        dropped = next((one for one in back if _drops_goal(said[one], before)), -1)
        if dropped < 0 and wants(sentence):
            dropped = next(
                (one for one in back if drops_all(said[one]) or _drops_goal(said[one], before, 1)), -1
            )
        if not names_goal(sentence) and (dropped < 0 or not (turns(sentence) or wants(sentence))):
            continue
        rest = said[at : at + 2] if sentence.endswith((":", "：")) else [sentence]
        whole = " ".join((*(said[dropped:at] if dropped >= 0 else ()), *rest))
        goal = whole if len(whole) <= GOAL_CHARS else " ".join(rest)
        if len(set(terms(goal))) >= LEAST_TERMS:
            found = goal
    return found


def stated_goal(text: str) -> str:
    """What a message calls the goal, in its words; "" where it calls nothing so."""
    said = (one for block in blocks(text) for one in sentences(block))
    stated = next((one for one in islice(said, MAX_SENTENCES) if states_goal(one)), "")
    return stated if len(set(terms(stated))) > LEAST_TERMS and len(stated) <= GOAL_CHARS else ""


def _drops_goal(sentence: str, before: str, least: int = LEAST_NAMED) -> bool:
    """Whether a sentence says that the goal is dropped, by so many of its words, or half of them."""
    named = {
        term
        for clause in dropped_in(sentence)
        for term in terms(clause)
        if len(term) >= LEAST_CHARS or not term.isascii()
    }
    if not named or not before:
        return bool(named)
    goal = set(terms(before))
    shared = with_forms(named, goal)
    return len(shared) >= NAMED_SHARE * len(named) and len(shared) >= min(least, len(goal) / 2)
