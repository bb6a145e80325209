"""Safety margin of the default estimator (first cut: replaced by the measured table, same surface)."""

from __future__ import annotations


def margin_tokens(tokens: int, messages: int, script: str = "latin") -> int:
    """Tokens to hold back for `tokens` estimated tokens in `messages` messages."""
    return -(-tokens * (10 if script == "cjk" else 5) // 100)


def dominant_script(text: str) -> str:
    """`latin`, `cjk` or `other`."""
    cjk = sum(1 for c in text[:2000] if "\u2e80" <= c <= "\ud7ff")
    return "cjk" if cjk * 4 > len(text[:2000]) else "latin"
