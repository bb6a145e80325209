"""The economic policy: what it takes, what it leaves alone, and that it decides as the rules say."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, Literal, TypeGuard

import pytest
from hypothesis import given
from hypothesis import strategies as st

from palimpsest.plan.blocks import newest_request
from palimpsest.plan.economic import compact_all, economic, judge, last_seen, tail_start, terms_of
from palimpsest.plan.pruning import NOTE_TOKENS
from palimpsest.price.rates import TABLES
from palimpsest.record.decision import State
from palimpsest.record.log import Stored
from palimpsest.record.message import Message, Text, ToolResult, is_developer
from palimpsest.record.spending import Economy, Meter
from palimpsest.record.window import Facts, Window, extend
from palimpsest.record.window_items import Item, MessageItem, OmittedItem, SummaryItem, is_bulk
from palimpsest.settings import make_settings
from tests.plan.states import assistant, carry_out, result, state_of, user, window_of, worn_windows
from tests.record.windows import summary

RATES = TABLES["anthropic-5m"]
FAR = Meter(never_bill=1e9)
TAIL_TOKENS = make_settings("economic").tail_tokens


def _state(window: Window, *, warm: bool = True, meter: Meter = FAR, **changes: Any) -> State:
    settings = make_settings("economic", window_tokens=200_000, max_tokens=8_000, **changes)
    economy = Economy(RATES, meter, warm=warm, output_tokens=300)
    return replace(state_of(window, settings), economy=economy)


def _session(steps: int) -> list[Message]:
    """A request, and so many calls of a tool with their results, the last of them not seen yet."""
    history = [user("do it")]
    for step in range(steps):
        history += [assistant(f"c{step}"), result(f"c{step}")]
    return history


def test_nothing_is_done_before_anybody_knows_what_calls_cost() -> None:
    window = window_of(_session(40), 2_000)
    decision = economic(replace(_state(window), economy=None))
    assert decision.steps == ()


def test_it_waits_until_the_rent_has_reached_the_cost() -> None:
    window = window_of(_session(20), 700)
    early = economic(_state(window, meter=replace(FAR, rent=100.0)))
    late = economic(_state(window, meter=replace(FAR, rent=20_000.0)))
    assert early.steps == ()
    assert [step.kind for step in late.steps] == ["leaf"]
    assert late.reason == "economic: the rent has reached the cost"
    numbers = dict(late.numbers)
    assert numbers["saved_units"] >= numbers["cost_units"] > 0


def test_an_expired_cache_is_the_moment_to_compact() -> None:
    window = window_of(_session(20), 700)
    assert economic(_state(window, warm=True)).steps == ()
    decision = economic(_state(window, warm=False))
    assert decision.reason == "economic: the cache has expired"
    assert decision.steps


def test_the_bill_never_passes_the_cap_for_it() -> None:
    window = window_of(_session(20), 700)
    broke = Meter(rent=20_000.0, bill=10_000.0, never_bill=10_000.0)
    assert economic(_state(window, meter=broke)).steps == ()
    assert economic(_state(window, meter=broke, cap_share=0.0)).steps


def test_a_full_window_is_compacted_whatever_the_bill() -> None:
    window = window_of(_session(60), 3_000)
    broke = Meter(bill=10_000.0, never_bill=1.0)
    decision = economic(_state(window, meter=broke))
    assert decision.reason == "economic: the window is full"
    assert decision.steps


def test_a_limit_of_ones_own_is_one_it_never_goes_beyond() -> None:
    window = window_of(_session(60), 500)
    broke = Meter(bill=10_000.0, never_bill=1.0)
    assert economic(_state(window, meter=broke)).steps == ()
    limits: tuple[dict[str, Any], ...] = ({"compact_threshold": 40_000}, {"context_threshold_share": 0.2})
    for limit in limits:
        assert economic(_state(window, meter=broke, **limit)).reason == "economic: the window is full"


def test_a_quality_weight_makes_it_wait_longer() -> None:
    window = window_of(_session(20), 700)
    verdict, _ = judge(_state(window))
    rent = 1.5 * verdict.cost - verdict.saved
    assert economic(_state(window, meter=replace(FAR, rent=rent))).steps
    assert economic(_state(window, meter=replace(FAR, rent=rent), quality_weight=2.0)).steps == ()


def test_older_summaries_stay_and_the_newest_request_stands_between_two() -> None:
    history = [*_session(10), user("and this"), *_session(12)[1:]]
    window = window_of(history, 700)
    older = SummaryItem(summary(1, 1, 5, tokens=500))
    window = Window((older, *window.items[5:]))
    decision = economic(_state(window, meter=replace(FAR, rent=1e6)))
    request = newest_request(window)
    assert request is not None
    assert [step.kind for step in decision.steps] == ["leaf", "leaf"]
    taken = [step.item_ids for step in decision.steps]
    assert all(request.id not in ids and "s1" not in ids for ids in taken)
    assert decision.steps[0].last == request.first - 1
    assert decision.steps[1].first == request.first + 1


def test_an_older_request_between_two_summaries_stays_unless_it_is_larger_than_what_stands_behind() -> None:
    for request_tokens, runs in ((500, 2), (900, 3)):
        history = [user("first"), *_session(10)[1:], user("second"), *_session(20)[1:]]
        window = window_of(history, [request_tokens, *[700] * (len(history) - 1)])
        items = (window.items[0], SummaryItem(summary(1, 2, 11, tokens=700)), *window.items[11:])
        decision = economic(_state(Window(items), meter=replace(FAR, rent=1e6)))
        assert [step.kind for step in decision.steps] == ["leaf"] * runs
        assert (decision.steps[0].first == 1) == (runs == 3)


@given(
    worn_windows(),
    st.lists(st.tuples(st.sampled_from(("user", "tool", "assistant", "system")), st.integers(1, 400))),
)
def test_what_is_known_of_a_window_goes_on_as_messages_are_added(
    window: Window, added: list[tuple[Literal["user", "tool", "assistant", "system"], int]]
) -> None:
    assert window.facts.covered == window.last
    for role, tokens in added:
        seq = window.last + 1
        parts = (ToolResult("c", (Text("made"),)),) if role == "tool" else (Text("said"),)
        window = extend(window, [Stored(f"m{seq}", seq, Message(role, parts), tokens)])
    bulk = [place for place, item in enumerate(window.items) if is_bulk(item)]
    before = window.items[: bulk[0]] if bulk else window.items
    requests = [item for item in window.items if _is_request(item)]
    told = {is_developer(item.stored.message): item for item in window.items if _is_told(item)}
    newest = sorted(told.values(), key=lambda item: item.first)
    assert window.facts == Facts(
        request=requests[-1] if requests else None,
        told=tuple(newest),
        covered=window.last,
        bulk=len(bulk),
        bulk_tokens=sum(window.items[place].tokens for place in bulk),
        first_bulk=len(before),
        before_bulk_tokens=sum(item.tokens for item in before),
    )
    assert Window(window.items).facts == window.facts


def _is_told(item: Item) -> TypeGuard[MessageItem]:
    return isinstance(item, MessageItem) and item.stored.message.role == "system"


def _is_request(item: Item) -> bool:
    if isinstance(item, SummaryItem):
        return item.quoted is not None
    return isinstance(item, MessageItem) and item.stored.message.role == "user"


@given(st.floats(0.5, 3.0), st.booleans())
def test_where_a_provider_counts_more_every_part_takes_its_share(factor: float, warm: bool) -> None:
    state = _state(window_of(_session(20), 700), warm=warm)
    total = state.budget.regions.total
    budget = replace(state.budget, correction_tokens=round(total * (factor - 1)))
    plain, _ = judge(state)
    scaled, meter = judge(replace(state, budget=budget))
    assert meter.rent == pytest.approx(_rent_of(state, factor), rel=0.01)
    assert scaled.shape is None or plain.shape is None or scaled.shape.removed < budget.used_tokens


def _rent_of(state: State, factor: float) -> float:
    """What one call pays for what a compaction would remove, where everything counts so many times its estimate."""
    window, terms = state.window, terms_of(state.settings)
    start = tail_start(window, terms.tail_tokens)
    kept = window.items[0].tokens + sum(item.tokens for item in window.items[start:])
    movable = state.budget.regions.total - state.budget.regions.fixed - kept
    removed = factor * movable - terms.summary_tokens - terms.ledger_tokens
    return RATES.cached * removed if removed > terms.compact_least_tokens else 0.0


def test_once_they_are_too_many_all_summaries_become_one() -> None:
    window = window_of(_session(30), 700)
    older = [SummaryItem(summary(number, number * 2 - 1, number * 2, tokens=900)) for number in (1, 2, 3)]
    window = Window((*older, *window.items[6:]))
    (step,) = economic(_state(window, meter=replace(FAR, rent=1e6))).steps
    assert (step.kind, step.depth, step.first) == ("roll", 1, 1)
    assert step.item_ids[:3] == ("s1", "s2", "s3")


def test_old_results_become_lines_where_that_pays_and_a_summary_does_not() -> None:
    rows = (Text("a row of the table\n" * 120),)
    history = [
        replace(one, parts=(ToolResult(one.results[0].call_id, rows),)) if one.results else one
        for one in _session(14)
    ]
    sizes = [60 if message.role != "tool" else 600 for message in history]
    window = window_of(history, sizes)
    decision = economic(_state(window, meter=replace(FAR, prune_rent=1e6)))
    assert {step.kind for step in decision.steps} == {"stub"}
    assert decision.reason == "economic: the rent on old results has reached the cost"
    start = tail_start(window, TAIL_TOKENS)
    assert all(step.last < window.items[start].first for step in decision.steps)


@pytest.mark.parametrize("steps", [14, 30])
def test_the_rent_on_old_results_is_that_of_what_lines_in_their_place_would_free(steps: int) -> None:
    window = window_of(_session(steps), [2_000 if place % 2 == 0 else 20 for place in range(2 * steps + 1)])
    state = _state(window)
    _, meter = judge(state)
    old = [item for item in window.items[: tail_start(window, TAIL_TOKENS)] if is_bulk(item)]
    assert len(old) == steps - 1
    assert meter.prune_rent == pytest.approx(RATES.cached * len(old) * (2_000 - NOTE_TOKENS))


def test_asked_for_it_takes_everything_but_the_tail() -> None:
    window = window_of(_session(20), 700)
    decision = compact_all(_state(window))
    start = tail_start(window, TAIL_TOKENS)
    assert decision.steps[-1].last == window.items[start].first - 1


def test_what_is_asked_for_grows_with_what_it_stands_for() -> None:
    for tokens, target in ((200, 400), (1_000, 740), (50_000, 6_250)):
        (step,) = compact_all(_state(window_of(_session(38), [tokens] * 77))).steps[-1:]
        assert abs(step.target_tokens - target) <= target // 20


def test_the_tail_holds_whatever_the_model_has_not_seen() -> None:
    history = [*_session(3), assistant("a", "b"), result("a"), result("b")]
    window = window_of(history, [100] * 7 + [200, 9_000, 9_000])
    assert last_seen(window) == 7
    assert tail_start(window, TAIL_TOKENS) == 7


@given(worn_windows(), st.booleans(), st.floats(0, 1e6), st.floats(0, 1e6))
def test_no_step_touches_a_tail_a_request_or_what_may_still_grow(
    window: Window, warm: bool, rent: float, prune_rent: float
) -> None:
    state = _state(window, warm=warm, meter=Meter(rent, prune_rent, 0.0, 1e9))
    request = newest_request(window)
    kept = {item.id for item in window.items[tail_start(window, TAIL_TOKENS) :]}
    for decision in (economic(state), compact_all(state)):
        for step in decision.steps:
            assert not kept & set(step.item_ids)
            assert request is None or request.id not in step.item_ids
            items = [item for item in window.items if item.id in step.item_ids]
            assert [item.id for item in items] == list(step.item_ids)
            assert not any(isinstance(item, MessageItem) and item.stored.open for item in items)


@given(worn_windows(), st.integers(0, 20_000))
def test_a_tail_is_a_slice_that_begins_with_no_result(window: Window, tail_tokens: int) -> None:
    start = tail_start(window, tail_tokens)
    tail = window.items[start:]
    assert not any(isinstance(item, SummaryItem | OmittedItem) for item in tail)
    first = tail[0] if tail else None
    assert not isinstance(first, MessageItem) or first.stored.message.role != "tool"


@given(worn_windows())
def test_after_it_has_compacted_it_has_nothing_left_to_do(window: Window) -> None:
    state = _state(window, meter=replace(FAR, rent=1e6))
    decision = compact_all(state)
    after = window
    for step in decision.steps:
        after = carry_out(replace(state, window=after), step, min(step.target_tokens, 300))
    again = compact_all(replace(_state(after), refused=frozenset(step.item_ids for step in decision.steps)))
    assert all(step.kind == "roll" for step in again.steps)
