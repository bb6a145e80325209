"""How far the default estimate of an un-anchored sum may lie under the truth.

A request that is too large is refused by the provider, one that is too small costs little. So the margin is the 99th
percentile of how much an exact count exceeds the estimate, by script and number of messages, as `bench/tokens.py
--write-margins` measured it on texts the estimator was not trained on: one message is uncertain, many even out, a
bias stays. It is never under 3 %. The row "other" is not measured but set by hand, and wide: the scripts in it differ
too much, and with fewer than 400 texts the command leaves a row as it stands.
"""

from __future__ import annotations

from palimpsest.budget.pieces import CJK, UNCASED

FLOOR_PER_MILLE = 30
MESSAGES = (1, 4, 16, 64, 256)
PER_MILLE: dict[str, tuple[int, ...]] = {
    "latin": (132, 70, 52, 43, 41),
    "cjk": (91, 40, 22, 16, 14),
    "other": (400, 350, 300, 250, 250),
}
"""Per mille of the estimate, for at least as many messages as `MESSAGES` says at the same place."""

_SAMPLE_CHARS = 4_096


def margin_tokens(tokens: int, messages: int, script: str = "latin") -> int:
    """Tokens to hold back for `tokens` estimated tokens in `messages` messages, rounded up; 0 for none.

    `script` is what `dominant_script` answers; any other word counts as "other", the largest margin.
    """
    row = PER_MILLE.get(script, PER_MILLE["other"])
    place = sum(messages >= least for least in MESSAGES[1:])
    return -(-max(tokens, 0) * max(row[place], FLOOR_PER_MILLE) // 1_000)


def dominant_script(text: str) -> str:
    """`cjk` or `other` where such characters are at least a fifth of a text's, judged by its two ends; else `latin`."""
    sample = text if len(text) <= 2 * _SAMPLE_CHARS else text[:_SAMPLE_CHARS] + text[-_SAMPLE_CHARS:]
    if sample.isascii():
        return "latin"
    least = len("".join(sample.split())) / 5
    cjk, uncased = len(CJK.findall(sample)), len(UNCASED.findall(sample))
    if max(cjk, uncased) < least or not least:
        return "latin"
    return "cjk" if cjk >= uncased else "other"
