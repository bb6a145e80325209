"""How far the default estimate of an un-anchored sum may lie under the truth.

A request that is too large is refused by the provider, one that is too small costs little. So the margin is the 99th
percentile of how much an exact count exceeds the estimate, by script and number of messages, as `bench/tokens.py
--write-margins` measured it on texts the estimator was not trained on: one message is uncertain, many even out, a
bias stays. It is never under 3 %. The row "other" is not measured but set by hand, and wide: the scripts in it differ
too much, and with fewer than 400 texts the command leaves a row as it stands.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from palimpsest.budget.token_counts import frame_tokens, media_tokens, thinking_chars
from palimpsest.budget.token_estimator import CJK, UNCASED
from palimpsest.record.message import Media, Message, Reasoning, Text, ToolCall, ToolResult

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


KINDS = ("words", "script", "call", "result", "thinking", "frame", "media")
"""Text in Latin letters, in other scripts, tool calls, tool results, reasoning; what a wire adds around them; media."""

MIN_RATIO, MAX_RATIO = 0.5, 3.0
PRIOR_TOKENS = (200, 200, 200, 200, 200, 100)
"""How many estimated tokens of each kind the prior weighs."""

MEMORY_TOKENS = 200_000
"""How many estimated tokens of a kind a ratio remembers: older ones fade as newer ones come."""

SLACK_TOKENS = 24
"""What is forgiven where growth or output is compared with a bound: small ones are mostly frame."""

LEAST_OUTPUT, MOST_OUTPUT = 0.7, 1.5
"""Between which shares of what is expected of a reply its reported output is believed."""

_WORDS, _SCRIPT, _CALL, _RESULT, _THINKING = range(5)
_SCRIPT_WEIGHT = 3

Profile = tuple[float, ...]
"""Estimated tokens of each of `KINDS`."""

NOTHING: Profile = (0.0,) * len(KINDS)


@dataclass(frozen=True, slots=True)
class Calibration:
    """What is known of one model: `estimated` tokens of each kind that were seen, and those `reported` for them."""

    estimated: tuple[float, ...] = (0.0,) * (len(KINDS) - 1)
    reported: tuple[float, ...] = (0.0,) * (len(KINDS) - 1)

    @property
    def ratios(self) -> tuple[float, ...]:
        """Reported over estimated tokens, for each of `KINDS`."""
        base = max(1.0, _ratio(sum(self.reported), sum(self.estimated), PRIOR_TOKENS[0], 1.0))
        known = zip(self.reported, self.estimated, PRIOR_TOKENS, strict=True)
        return (*(_ratio(reported, estimated, prior, base) for reported, estimated, prior in known), 1.0)


def _ratio(reported: float, estimated: float, prior: float, usual: float) -> float:
    return min(MAX_RATIO, max(MIN_RATIO, (prior * usual + reported) / (prior + estimated)))


def profile(message: Message, tokens: int) -> Profile:
    """The estimate of a message by kind: what surrounds its parts by rule, the rest by the parts' lengths."""
    weights = [0.0] * 5
    for part in message.parts:
        match part:
            case Text(text=text):
                _weigh(text, _WORDS, weights)
            case Reasoning():
                weights[_THINKING] += thinking_chars(part)
            case ToolCall(name=name, arguments=arguments):
                weights[_CALL] += len(name) + len(arguments)
            case ToolResult(content=content):
                for inner in content:
                    if isinstance(inner, Text):
                        _weigh(inner.text, _RESULT, weights)
            case Media():
                pass
    media = min(tokens, media_tokens(message))
    total = sum(weights)
    frame = min(tokens - media, frame_tokens(message)) if total else tokens - media
    share = (tokens - media - frame) / total if total else 0.0
    return (*(weight * share for weight in weights), float(frame), float(media))


def _weigh(text: str, kind: int, weights: list[float]) -> None:
    if text.isascii() or dominant_script(text) == "latin":
        weights[kind] += len(text)
    else:
        weights[_SCRIPT] += len(text) * _SCRIPT_WEIGHT


def plain(tokens: int) -> Profile:
    """The profile of so many tokens of words."""
    return (float(tokens), *NOTHING[1:])


def total(profiles: Iterable[Profile]) -> Profile:
    """Profiles added up."""
    return tuple(map(sum, zip(NOTHING, *profiles, strict=True)))


def expected(calibration: Calibration, added: Profile) -> float:
    """How many tokens the model's provider is expected to count for a profile."""
    return sum(tokens * ratio for tokens, ratio in zip(added, calibration.ratios, strict=True))


def learn(calibration: Calibration, added: Profile, grown_tokens: float) -> Calibration:
    """What is known after the provider counted `grown_tokens` for what had this profile."""
    given = sum(added)
    least, most = given * MIN_RATIO - SLACK_TOKENS, given * MAX_RATIO + SLACK_TOKENS
    if added[-1] or not given or grown_tokens <= 0 or not least <= grown_tokens <= most:
        return calibration
    factor = grown_tokens / expected(calibration, added)
    estimated, reported = list(calibration.estimated), list(calibration.reported)
    for kind, (tokens, ratio) in enumerate(zip(added[:-1], calibration.ratios, strict=False)):
        if tokens:
            kept = max(0.0, min(1.0, 1 - tokens / MEMORY_TOKENS))
            estimated[kind] = estimated[kind] * kept + tokens
            reported[kind] = reported[kind] * kept + tokens * ratio * factor
    return Calibration(tuple(estimated), tuple(reported))


def believed_output(calibration: Calibration, reply: Message, tokens: int, output_tokens: int) -> int | None:
    """The reported output tokens of a reply if they can be its cost in the next prompt, None where they cannot.

    Thinking that is sent back counts in full, though only a summary of it may be legible.
    """
    if output_tokens <= 0:
        return None
    hoped = expected(calibration, profile(reply, tokens))
    signed = any(isinstance(part, Reasoning) and (part.signature or part.redacted) for part in reply.parts)
    enough = output_tokens + SLACK_TOKENS >= hoped * LEAST_OUTPUT
    sent = signed or output_tokens <= hoped * MOST_OUTPUT + 2 * SLACK_TOKENS
    return output_tokens if enough and sent else None


def believed_outputs(
    calibration: Calibration, added: Sequence[tuple[Message, int]], output_tokens: int
) -> list[int | None]:
    """For each of the messages added after a request, with their estimates: its reported output, where believed.

    `output_tokens` belong to the first that the assistant said; a message may carry its own.
    """
    found: list[int | None] = []
    for message, tokens in added:
        if message.role != "assistant":
            found.append(None)
            continue
        own = message.usage.output_tokens if message.usage is not None else 0
        found.append(believed_output(calibration, message, tokens, own or output_tokens))
        output_tokens = 0
    return found
