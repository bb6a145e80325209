"""Rules that somebody be asked first, and what frees from them: of both the newest word counts.

Rules kept here:

- Who may do something without asking needs not ask before that any more, where nothing else is freed ("you can push to
  staging without asking" leaves "ask me before you push" standing) and all of the rule ("before you push or merge",
  "before you push to main" stand beside "you can push without asking").
- Who wants to be asked again takes back what freed from it, where the new demand is about no less.
"""

from __future__ import annotations

from functools import lru_cache

from palimpsest.summarize.alike import with_forms
from palimpsest.summarize.ledger.retract import done
from palimpsest.summarize.spoken.consent import VERB_PREFIX, consent_in

MAX_READ = 1_024


def asks_anew(text: str, rule: str) -> bool:
    """Whether a sentence frees from asking as a rule demands it, or demands it where a rule frees from that."""
    new = consent_in(text)
    old = consent_in(rule) if new else None
    if new is None or old is None or new.frees == old.frees:
        return False
    mine, theirs = _words(new.about), _words(old.about)
    return _is_in(mine, theirs) and (not new.frees or _is_in(theirs, mine))


def _is_in(words: frozenset[str], others: frozenset[str]) -> bool:
    """Whether there are words, and all of them are among others: in whatever form, or without what stands before a
    German verb.
    """
    return bool(words) and any(
        len(with_forms(one, other)) == len(one)
        for one, other in ((words, others), (_bare(words), _bare(others)))
    )


def _bare(words: frozenset[str]) -> frozenset[str]:
    return frozenset(VERB_PREFIX.sub("", word) for word in words)


@lru_cache(MAX_READ)
def _words(about: str) -> frozenset[str]:
    return done(about)
