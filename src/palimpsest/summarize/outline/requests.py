"""The user's messages in an outline: whole where they are short, else head and tail with the id of the whole.

Nobody's words are worth more than the user's, so they have a share of the budget of their own. Where it does not hold
them all, the oldest and longest are shortened first.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from palimpsest.summarize.cut import Count, fit_prefix, safe_start, word_start

WHOLE_TOKENS, HEAD_TOKENS, TAIL_TOKENS = 300, 210, 90
"""A message of no more tokens stands whole; of a longer one so much of its head and its tail."""
LEAST_TOKENS = 24
"""What is left of a message is worth reading from so many tokens on."""
MARK_TOKENS = 16
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
    if room < LEAST_TOKENS - MARK_TOKENS:
        return ""
    share = HEAD_TOKENS / (HEAD_TOKENS + TAIL_TOKENS)
    head = fit_prefix(text, max(2, int(room * share)) + 1, count)
    tail = _end(text, int(room * (1 - share)), count)
    left = size - count(head) - count(tail)
    return f"{head}\n[{left:,} tokens left out, whole as {message_id}]\n{tail}".rstrip()


def _end(text: str, most_tokens: int, count: Count) -> str:
    """The end of a text in at most so many tokens, beginning with a whole word."""
    if most_tokens <= 0:
        return ""
    chars = min(len(text), most_tokens * 6)
    while chars > 0:
        end = text[word_start(text, len(text) - chars) :]
        tokens = count(end)
        if tokens <= most_tokens:
            return end if len(end) < len(text) else text[safe_start(text, 1) :]
        chars = min(chars - 1, chars * most_tokens // tokens)
    return ""


def allowances(sizes: Sequence[int], budget_tokens: int, header_tokens: int = 0) -> list[int]:
    """How many tokens each of several messages may take, oldest first, from their sizes and what there is for all, with
    a header for each.

    All have what they need up to `WHOLE_TOKENS` if that fits, the newest up to a third of all. Else the newest have it,
    and each older one at least `LEAST_TOKENS`, as far as that goes.
    """
    most, least_tokens = WHOLE_TOKENS + MARK_TOKENS, LEAST_TOKENS + header_tokens
    wanted = [min(size, most) for size in sizes[:-1]]
    wanted += [min(size, max(most, budget_tokens // NEWEST_PART)) for size in sizes[-1:]]
    left = budget_tokens
    reserve = sum(min(one, least_tokens) for one in wanted)
    given: list[int] = []
    for one in reversed(wanted):
        least = min(one, least_tokens)
        reserve -= least
        allowed = min(one, max(left - reserve, least if left >= least else 0))
        allowed = allowed if allowed >= least else 0
        given.append(allowed)
        left -= allowed
    return given[::-1]


def user_texts(
    said: Sequence[tuple[int, str, str]], budget_tokens: int, header_tokens: int, count: Count
) -> Mapping[int, str]:
    """What is shown of each (place, id, text), by its place, in at most so many tokens with a header for each."""
    given = allowances([count(text) + header_tokens for _, _, text in said], budget_tokens, header_tokens)
    found: dict[int, str] = {}
    for (place, name, text), most in zip(said, given, strict=True):
        if most and (shown := shortened(text, most - header_tokens, name, count)):
            found[place] = shown
    return found
