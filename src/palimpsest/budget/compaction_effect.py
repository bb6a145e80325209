"""Whether compactions help: two in a row that did not, by the next reported usage, pause automatic compaction.

A compaction helped if the prompt that the provider reports next is under the trigger, or smaller than the one it
reported before. A prompt whose prefix (`window_mark`) has not changed was made before the compaction, and is ignored.
Automatic compaction pauses until the context has grown by a tenth, or is under the trigger. A request that would not
fit is compacted in any case."""

from __future__ import annotations

from dataclasses import dataclass, replace

MAX_STRIKES = 2
REGROWTH = 1.1


@dataclass(frozen=True, slots=True)
class Effect:
    """What is known of recent compactions.

    `reported_tokens` is the last reported prompt and `mark` its prefix. `awaiting`: a compaction has been made since.
    `rest_until_tokens` is the use from which automatic compaction is tried again, 0 where it is not paused.
    """

    reported_tokens: int = 0
    mark: str = ""
    awaiting: bool = False
    strikes: int = 0
    rest_until_tokens: int = 0

    def rests(self, used_tokens: int) -> bool:
        """Whether automatic compaction is paused at this use."""
        return used_tokens < self.rest_until_tokens


def compacted(effect: Effect) -> Effect:
    """The effect after an automatic compaction."""
    return replace(effect, awaiting=True)


def reported(effect: Effect, prompt_tokens: int, trigger_tokens: int, mark: str) -> Effect:
    """The effect after the provider reported a prompt whose prefix has this mark."""
    unchanged = effect.mark == mark
    if prompt_tokens <= trigger_tokens and not (effect.awaiting and unchanged):
        return Effect(prompt_tokens, mark)
    if not effect.awaiting or unchanged:
        return replace(effect, reported_tokens=prompt_tokens, mark=mark)
    strikes = 0 if prompt_tokens < effect.reported_tokens else effect.strikes + 1
    rest = int(prompt_tokens * REGROWTH) if strikes >= MAX_STRIKES else 0
    return Effect(prompt_tokens, mark, strikes=strikes, rest_until_tokens=rest)
