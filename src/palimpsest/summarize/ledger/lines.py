"""Lines that somebody said: whether one stands in a text already, however it is written, and how many have room."""

from __future__ import annotations

from collections.abc import Iterable

from palimpsest.summarize.ledger.choose import LINE_TOKENS
from palimpsest.text.cut import ELLIPSIS, Count


def fitting(texts: Iterable[str], room_tokens: int, count: Count) -> list[str]:
    """Those of the texts, the first before others, that fit as lines into so many tokens."""
    taken: list[str] = []
    for text in texts:
        cost = count(text) + LINE_TOKENS
        if cost <= room_tokens:
            taken.append(text)
            room_tokens -= cost
        if room_tokens <= LINE_TOKENS:
            break
    return taken


def flat(text: str) -> str:
    """A text as lines are compared: without case, breaks, and what ends a sentence."""
    return " ".join(text.lower().split()).rstrip(f".!。！ {ELLIPSIS}")


def stands(line: str, text: str) -> bool:
    """Whether a flat line stands in a flat text, and not as a part of a longer word."""
    at = text.find(line)
    while at >= 0:
        end = at + len(line)
        if not any(_goes_on(sign) for sign in (text[max(0, at - 1) : at], text[end : end + 1])):
            return True
        at = text.find(line, at + 1)
    return False


def _goes_on(sign: str) -> bool:
    """Whether a word goes on with a sign; in scripts without spaces every sign may begin one."""
    return sign.isascii() and (sign.isalnum() or sign == "_")
