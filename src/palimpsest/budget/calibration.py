"""The margin for estimation errors, and what a provider's reported counts teach about the estimate.

A provider refuses a request that is too large; one that is too small costs little. So the margin is the 99th percentile
of how much an exact count exceeds the estimate, by script and number of messages. `bench/tokens.py --write-margins`
measured it on texts the estimator was not trained on. Errors of many messages even out, but a bias remains. The margin
is never under 3 %. The row "other" is set by hand and wide, since its scripts differ too much: with fewer than 400
texts the command leaves a row unchanged."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from palimpsest.budget.token_counts import frame_tokens, media_tokens, thinking_chars
from palimpsest.budget.token_estimator import CJK, UNCASED
from palimpsest.record.message import Media, Message, Opaque, Reasoning, Text, ToolCall, ToolResult

FLOOR_PER_MILLE = 30
MESSAGES = (1, 4, 16, 64, 256)
PER_MILLE: dict[str, tuple[int, ...]] = {
    "latin": (132, 70, 52, 43, 41),
    "cjk": (91, 40, 22, 16, 14),
    "other": (400, 350, 300, 250, 250),
}
"""Per mille of the estimate, for at least as many messages as `MESSAGES` says at the same index."""

_SAMPLE_CHARS = 4_096


def margin_tokens(tokens: int, messages: int, script: str = "latin") -> int:
    """Tokens to hold back for `tokens` estimated tokens in `messages` messages, rounded up; 0 for none.

    `script` is a result of `dominant_script`; any other value counts as "other", the largest margin.
    """
    row = PER_MILLE.get(script, PER_MILLE["other"])
    place = sum(messages >= least for least in MESSAGES[1:])
    return -(-max(tokens, 0) * max(row[place], FLOOR_PER_MILLE) // 1_000)


def dominant_script(text: str) -> str:
    """`cjk` or `other` if at least a fifth of the characters at a text's two ends are such; else `latin`."""
    sample = text if len(text) <= 2 * _SAMPLE_CHARS else text[:_SAMPLE_CHARS] + text[-_SAMPLE_CHARS:]
    if sample.isascii():
        return "latin"
    least = len("".join(sample.split())) / 5
    cjk, uncased = len(CJK.findall(sample)), len(UNCASED.findall(sample))
    if max(cjk, uncased) < least or not least:
        return "latin"
    return "cjk" if cjk >= uncased else "other"


KINDS = ("words", "script", "call", "result", "thinking", "frame", "media")
"""Text in Latin letters, in other scripts, tool calls, tool results, reasoning, the wire format's overhead, media."""

MIN_RATIO, MAX_RATIO = 0.5, 3.0
PRIOR_TOKENS = (200, 200, 200, 200, 200, 100)
"""The weight of the prior in estimated tokens, for each kind."""
MEMORY_TOKENS = 200_000
"""How many estimated tokens of a kind a ratio remembers: older ones fade as newer ones arrive."""
SLACK_TOKENS = 24
"""The tolerance where growth or output is compared with a bound: small ones are mostly overhead."""
LEAST_OUTPUT, MOST_OUTPUT = 0.7, 1.5
"""The reported output of a reply is believed between these shares of the expected output."""

MAX_CONSTANT_TOKENS = 4_000
"""Tokens that a provider may add to each request, such as its own instructions on tools."""
MEMORY_REQUESTS = 8.0
"""How many requests the learnt constant remembers."""
LEAST_EVIDENCE_TOKENS = 2_000
"""Estimated tokens after which the ratios are known well enough to tell a constant from them."""

_WORDS, _SCRIPT, _CALL, _RESULT, _THINKING = range(5)
_SCRIPT_WEIGHT = 3

Profile = tuple[float, ...]
"""Estimated tokens of each of `KINDS`."""

NOTHING: Profile = (0.0,) * len(KINDS)


@dataclass(frozen=True, slots=True)
class Calibration:
    """What is known of one model: the `estimated` tokens of each kind so far, and those `reported` for them.

    The provider's constant tokens of a request are the mean of `constant_tokens` over `requests`.
    """

    estimated: tuple[float, ...] = (0.0,) * (len(KINDS) - 1)
    reported: tuple[float, ...] = (0.0,) * (len(KINDS) - 1)
    requests: float = 0.0
    constant_tokens: float = 0.0

    @property
    def constant(self) -> float:
        """The tokens that the provider adds to each request, 0 if nothing is known."""
        mean = self.constant_tokens / self.requests if self.requests > 0 else 0.0
        return min(MAX_CONSTANT_TOKENS, max(0.0, mean))

    @property
    def ratios(self) -> tuple[float, ...]:
        """Reported over estimated tokens, for each of `KINDS`."""
        base = max(1.0, _ratio(sum(self.reported), sum(self.estimated), PRIOR_TOKENS[0], 1.0))
        known = zip(self.reported, self.estimated, PRIOR_TOKENS, strict=True)
        return (*(_ratio(reported, estimated, prior, base) for reported, estimated, prior in known), 1.0)


def _ratio(reported: float, estimated: float, prior: float, usual: float) -> float:
    return min(MAX_RATIO, max(MIN_RATIO, (prior * usual + reported) / (prior + estimated)))


def profile(message: Message, tokens: int) -> Profile:
    """The estimate of a message by kind: the overhead by rule, the rest by the lengths of the parts."""
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
            case Opaque():
                weights[_RESULT] += len(part.data)
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
    """How many tokens the provider is expected to count for a profile."""
    return sum(tokens * ratio for tokens, ratio in zip(added, calibration.ratios, strict=True))


def learn(calibration: Calibration, added: Profile, grown_tokens: float) -> Calibration:
    """The calibration after the provider counted `grown_tokens` for messages with this profile."""
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
    return replace(calibration, estimated=tuple(estimated), reported=tuple(reported))


def tells_constant(calibration: Calibration, request_tokens: float) -> bool:
    """Whether the ratios are known well enough to tell the constant from a request of this size."""
    evidence = sum(calibration.estimated)
    return evidence >= LEAST_EVIDENCE_TOKENS and request_tokens <= 2 * evidence


def learn_constant(calibration: Calibration, request: Profile, input_tokens: float) -> Calibration:
    """The calibration after the provider counted `input_tokens` for a whole request with this profile.

    What exceeds the expected tokens is the constant. The growth between two requests teaches the ratios without it, so
    it is learnt only once they rest on enough text, at least half as much as the request has.
    """
    if request[-1] or input_tokens <= 0 or not tells_constant(calibration, sum(request)):
        return calibration
    beyond = min(MAX_CONSTANT_TOKENS, max(0.0, input_tokens - expected(calibration, request)))
    kept = 1 - 1 / MEMORY_REQUESTS
    return replace(
        calibration,
        requests=calibration.requests * kept + 1,
        constant_tokens=calibration.constant_tokens * kept + beyond,
    )


def believed_output(calibration: Calibration, reply: Message, tokens: int, output_tokens: int) -> int | None:
    """The reported output tokens of a reply if they can be its cost in the next prompt, else None.

    Thinking that is sent back counts in full, though only a summary of it may be readable.
    """
    if output_tokens <= 0:
        return None
    likely = expected(calibration, profile(reply, tokens))
    signed = any(isinstance(part, Reasoning) and (part.signature or part.redacted) for part in reply.parts)
    enough = output_tokens + SLACK_TOKENS >= likely * LEAST_OUTPUT
    sent = signed or output_tokens <= likely * MOST_OUTPUT + 2 * SLACK_TOKENS
    return output_tokens if enough and sent else None


def believed_outputs(
    calibration: Calibration, added: Sequence[tuple[Message, int]], output_tokens: int
) -> list[int | None]:
    """The believed output of each message added after a request, given with their estimates.

    `output_tokens` belong to the first assistant message; a message may have its own usage.
    """
    found: list[int | None] = []
    for message, tokens in added:
        believed = None
        if message.role == "assistant":
            own = message.usage.output_tokens if message.usage is not None else 0
            believed = believed_output(calibration, message, tokens, own or output_tokens)
            output_tokens = 0
        found.append(believed)
    return found
