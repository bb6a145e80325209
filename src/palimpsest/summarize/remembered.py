"""Answers about a text that are remembered: a message is read for the ledger, for its summaries and for what a reply is
held against, and says the same each time.

Rules kept here:

- Only functions of the text alone are remembered. So many of the answers are kept, the newest used ones, and none about
  a longer text than is said, so that what is kept has a bound.
- They are kept in memory, and shown nowhere.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache, wraps
from typing import TypeVar

MAX_SENTENCES, SENTENCE_CHARS = 4_096, 400
"""Sentences of which answers are remembered, and how long one may be."""

Answer = TypeVar("Answer")


def remembered(
    most: int = MAX_SENTENCES, chars: int = SENTENCE_CHARS
) -> Callable[[Callable[[str], Answer]], Callable[[str], Answer]]:
    """What makes a function of a text alone remember `most` of its answers about texts of up to `chars` characters."""

    def remembering(answer: Callable[[str], Answer]) -> Callable[[str], Answer]:
        kept = lru_cache(most)(answer)

        @wraps(answer)
        def asked(text: str) -> Answer:
            return kept(text) if len(text) <= chars else answer(text)

        return asked

    return remembering
