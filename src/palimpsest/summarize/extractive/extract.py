"""The embedded default: a summary made of the source's own words, without a model.

Rules kept here:

- The result is strictly below the caller's limit and aims at the target; it never fails and never asks anyone.
- It holds what is needed to go on: the goal, the newest request, rules of the user, decisions, files, commands with
  outcomes, errors, identifiers and open tasks, then the most central sentences, in the order they occurred.
- The same source gives the same text, byte for byte.
- It is a generator that pauses after every small piece of work. The pieces are bounded in characters, lines and
  sentences, not by a clock, so that it stays pure: a driver that shares its thread gives way at each pause.
"""

from __future__ import annotations

from collections.abc import Generator

from palimpsest.record.summary import Draft
from palimpsest.summarize.abstractive.ladder import aim_tokens
from palimpsest.summarize.cut import Count, fit_prefix
from palimpsest.summarize.extractive.choose import choose
from palimpsest.summarize.extractive.gather import gather
from palimpsest.summarize.sections import render
from palimpsest.summarize.sentences import terms
from palimpsest.summarize.source import Source

NO_TEXT = "(no text)"
FOCUS_CHARS = 2_000


def extract(
    source: Source, *, target_tokens: int, limit_tokens: int, count: Count, alone: bool = True
) -> Generator[None, None, Draft]:
    """Yield None between small pieces of work and return the summary, of fewer than `limit_tokens` tokens by `count`.

    It is empty only where no text is that small. `alone` says that no ledger stands beside it; one that does knows
    which tasks are open still, where a summary knows which were, and has the commands that looked around.
    """
    size_tokens = aim_tokens(target_tokens, limit_tokens)
    gathered = yield from gather(source)
    focus = frozenset(terms(source.focus[:FOCUS_CHARS]))
    lines = yield from choose(
        gathered, size_tokens=size_tokens, focus=focus, count=count, alone=alone, limit_tokens=limit_tokens
    )
    text = fit_prefix(render(lines), limit_tokens, count)
    yield
    return Draft(text or fit_prefix(NO_TEXT, limit_tokens, count), "extractive")
