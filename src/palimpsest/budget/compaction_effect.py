"""Whether compactions help: two in a row that did not, on the next real usage, stop the automatic ones.

A compaction helped if the prompt that the provider next reports is under the trigger, or smaller than the one it
reported before. A prompt whose prefix (`window_mark`) is still that of the one before was made before the compaction,
and judges nothing. After two that did not help, automatic compaction rests until the context has grown by a tenth, or
is found under the trigger; a request that would not fit is compacted all the same.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

MAX_STRIKES = 2
REGROWTH = 1.1


@dataclass(frozen=True, slots=True)
class Effect:
    """`reported_tokens` is the last real prompt and `mark` its prefix, `awaiting` that a compaction has been made
    since; `rest_until_tokens` is 0, or the use from which automatic compaction is tried again.
    """

    reported_tokens: int = 0
    mark: str = ""
    awaiting: bool = False
    strikes: int = 0
    rest_until_tokens: int = 0

    def rests(self, used_tokens: int) -> bool:
        """Whether automatic compaction is to be left alone at this use."""
        return used_tokens < self.rest_until_tokens


def compacted(effect: Effect) -> Effect:
    """After an automatic compaction."""
    return replace(effect, awaiting=True)


def reported(effect: Effect, prompt_tokens: int, trigger_tokens: int, mark: str) -> Effect:
    """After the provider reported a prompt whose prefix has this mark."""
    before = effect.mark == mark
    if prompt_tokens <= trigger_tokens and not (effect.awaiting and before):
        return Effect(prompt_tokens, mark)
    if not effect.awaiting or before:
        return replace(effect, reported_tokens=prompt_tokens, mark=mark)
    strikes = 0 if prompt_tokens < effect.reported_tokens else effect.strikes + 1
    rest = int(prompt_tokens * REGROWTH) if strikes >= MAX_STRIKES else 0
    return Effect(prompt_tokens, mark, strikes=strikes, rest_until_tokens=rest)
