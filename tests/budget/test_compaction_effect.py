"""When automatic compaction rests: after two that the next real prompt shows to be of no use."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from palimpsest.budget.compaction_effect import MAX_STRIKES, REGROWTH, Effect, compacted, reported

TRIGGER = 1_000


def _judged(effect: Effect, prompt_tokens: int, mark: str) -> Effect:
    return reported(compacted(effect), prompt_tokens, TRIGGER, mark)


def test_two_compactions_that_do_not_help_bring_a_rest_until_a_tenth_more_is_used() -> None:
    start = reported(Effect(), 5_000, TRIGGER, "a")
    once = _judged(start, 5_000, "b")
    assert not once.rests(5_000)
    twice = _judged(once, 5_100, "c")
    assert twice.rest_until_tokens == 5_610
    assert twice.rests(5_609)
    assert not twice.rests(5_610)


def test_a_third_that_does_not_help_moves_the_rest_on() -> None:
    effect = reported(Effect(), 5_000, TRIGGER, "a")
    for number, prompt_tokens in enumerate((5_000, 5_000, 6_000)):
        effect = _judged(effect, prompt_tokens, f"c{number}")
    assert effect.rest_until_tokens == 6_600


def test_one_that_helped_between_two_that_did_not_starts_the_count_again() -> None:
    effect = reported(Effect(), 5_000, TRIGGER, "a")
    for number, prompt_tokens in enumerate((5_000, 4_000, 4_000)):
        effect = _judged(effect, prompt_tokens, f"c{number}")
    assert effect.strikes == 1
    assert not effect.rests(4_000)


def test_a_prompt_under_the_trigger_ends_a_rest() -> None:
    tired = Effect(5_000, "a", strikes=MAX_STRIKES, rest_until_tokens=5_500)
    assert reported(tired, 1_000, TRIGGER, "b") == Effect(1_000, "b")
    assert reported(tired, 1_001, TRIGGER, "b").rest_until_tokens == 5_500


def test_a_prompt_made_before_the_compaction_judges_nothing() -> None:
    start = reported(Effect(), 5_000, TRIGGER, "a")
    late = _judged(start, 5_200, "a")
    assert (late.strikes, late.awaiting, late.reported_tokens) == (0, True, 5_200)
    assert reported(late, 5_100, TRIGGER, "b").strikes == 0
    assert reported(late, 5_300, TRIGGER, "b").strikes == 1
    early = _judged(start, 900, "a")
    assert early.awaiting


@given(
    st.lists(st.tuples(st.booleans(), st.integers(1, 20_000), st.sampled_from("abc")), max_size=30),
    st.integers(1, 20_000),
)
def test_whatever_is_reported_a_rest_needs_two_failures_and_ends_with_growth(
    events: list[tuple[bool, int, str]], used_tokens: int
) -> None:
    effect = Effect()
    failures = 0
    for made, prompt_tokens, mark in events:
        before = compacted(effect) if made else effect
        effect = reported(before, prompt_tokens, TRIGGER, mark)
        failures = failures + 1 if effect.strikes > before.strikes else failures
        assert effect.strikes <= failures
        assert effect.reported_tokens == prompt_tokens
        assert effect.rest_until_tokens <= int(20_000 * REGROWTH)
        assert (effect.strikes >= MAX_STRIKES) == (effect.rest_until_tokens > 0)
    assert not effect.rests(max(used_tokens, effect.rest_until_tokens))
