"""The user's messages in an outline: whole where they are short, else head and tail with the id of the whole.

Nobody's words are worth more than the user's, so they have a share of the budget of their own. Where it does not hold
them all, the longest are shortened first, of these the oldest most.
"""

from __future__ import annotations

from collections.abc import Generator, Mapping, Sequence

from palimpsest.text.cut import Count, fit_prefix, word_start

WHOLE_TOKENS, HEAD_TOKENS, TAIL_TOKENS = 300, 210, 90
"""A message of no more tokens stands whole; of a longer one so much of its head and its tail."""
LEAST_TOKENS = 40
"""A message is not shortened to fewer tokens, the mark included: it stands so far or not at all."""
MARK_TOKENS, SPARE_TOKENS = 20, 12
MOST_CHARS_A_TOKEN = 8
NEWEST_PART = 3
"""The newest message has one part of so many of what there is for all, where that is more."""


def shortened(text: str, most_tokens: int, message_id: str, count: Count) -> str:
    """The text, or its head and tail around a mark that names the message, in at most so many tokens; "" where that is
    too little to be worth reading.
    """
    text = text.strip()
    size = count(text)
    if size <= most_tokens:
        return text
    room = most_tokens - MARK_TOKENS
    if most_tokens < LEAST_TOKENS:
        return ""
    share = HEAD_TOKENS / (HEAD_TOKENS + TAIL_TOKENS)
    head = fit_prefix(text, max(2, int(room * share)) + 1, count)
    tail = _end(text, int(room * (1 - share)), count)
    left = size - count(head) - count(tail)
    return f"{head}\n[{left:,} tokens left out, stored as {message_id}]\n{tail.lstrip()}".rstrip()


def _end(text: str, most_tokens: int, count: Count) -> str:
    """The end of a text in at most so many tokens, beginning with a whole word."""
    low, high = 0, min(len(text) - 1, max(0, most_tokens) * MOST_CHARS_A_TOKEN)
    while low < high:
        chars = (low + high + 1) // 2
        fits = count(text[word_start(text, len(text) - chars) :]) <= most_tokens
        low, high = (chars, high) if fits else (low, chars - 1)
    return text[word_start(text, len(text) - low) :] if low else ""


def allowances(sizes: Sequence[int], budget_tokens: int, header_tokens: int = 0) -> list[int]:
    """How many tokens each of several messages may take, oldest first, from their sizes and what there is for all.
    Both hold a header of at most so many tokens for each.

    All have what they need up to `WHOLE_TOKENS` if that fits, the newest up to a third of all. Else the longest are
    shortened to one length, the newest of them the least. Where even `LEAST_TOKENS` each are too many, the newest have
    what they need, and the oldest nothing.
    """
    most, least = WHOLE_TOKENS + MARK_TOKENS + SPARE_TOKENS + header_tokens, LEAST_TOKENS + header_tokens
    newest = [min(size, budget_tokens, max(most, budget_tokens // NEWEST_PART)) for size in sizes[-1:]]
    newest = [one if one >= min(size, least) else 0 for one, size in zip(newest, sizes[-1:], strict=True)]
    wanted = [min(size, most) for size in sizes[:-1]]
    left = budget_tokens - sum(newest)
    length = _length(wanted, left)
    length = length if length >= least else 0
    left -= sum(min(one, length) for one in wanted)
    given: list[int] = []
    for one in reversed(wanted):
        had = min(one, length)
        allowed = min(one, had + left)
        allowed = allowed if allowed >= min(one, least) else 0
        given.append(allowed)
        left -= allowed - had
    return [*given[::-1], *newest]


def _length(wanted: Sequence[int], budget_tokens: int) -> int:
    """The length to which the longest have to be shortened so that all fit; 0 where none does."""
    low, high = 0, max(wanted, default=0)
    while low < high:
        middle = (low + high + 1) // 2
        if sum(min(one, middle) for one in wanted) <= budget_tokens:
            low = middle
        else:
            high = middle - 1
    return low


def user_texts(
    said: Sequence[tuple[int, str, str]], budget_tokens: int, headers: Mapping[int, int], count: Count
) -> Generator[None, None, Mapping[int, str]]:
    """Yield None between small pieces of work and return what is shown of each (place, id, text), by its place, in at
    most so many tokens with the header of each place, of which the tokens are given.
    """
    header_tokens = max((headers[place] for place, _, _ in said), default=0)
    sizes: list[int] = []
    for place, _, text in said:
        sizes.append(count(text) + headers[place])
        yield
    given = allowances(sizes, budget_tokens, header_tokens)
    found: dict[int, str] = {}
    for (place, name, text), most in zip(said, given, strict=True):
        if most and (shown := shortened(text, most - headers[place], name, count)):
            found[place] = shown
            yield
    return found
