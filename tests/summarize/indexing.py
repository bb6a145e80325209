"""Texts in one index, for what is looked for in all of them."""

from __future__ import annotations

from collections.abc import Generator, Iterable

from palimpsest.summarize.retained_strings import Index


def index_of(texts: Iterable[str]) -> Generator[None, None, Index]:
    """An index of these texts, in order. Yields between small pieces of work."""
    index = Index()
    for text in texts:
        yield from index.adding(text)
    return index
