"""Replays: every token is charged, and whatever was hidden and is quoted later is paid for."""

from __future__ import annotations

import tracemalloc
from dataclasses import replace
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bench.cost_replay import replay, standings
from palimpsest.costs.replay import ECONOMIC, NEVER, POLICIES, Policy, calls, never_bill
from palimpsest.costs.session import Call, Holder, Piece, Session
from palimpsest.price import compaction_rules
from palimpsest.price.compaction_rules import ASK_TOKENS, FORCED, Moment, Terms, Verdict
from palimpsest.price.rates import TABLES
from palimpsest.record.spending import Meter, Rates
from tests.effort import examples

RATES = Rates(1.0, 0.1, 1.25, 5.0, ttl_s=300)
WINDOW = 200_000
BARE = Terms(gate_tokens=0, gate_read_tokens=0, prune_least_tokens=0, cap_share=0, reserve_share=0)


def session(*steps: tuple[int, ...], gap_s: float = 10) -> Session:
    """Each step is one call: the tokens of the results that came before it; 100 tokens of a reply stand before them."""
    pieces = [Piece("user", 50)]
    made: list[Call] = []
    for number, step in enumerate(steps):
        if number:
            pieces.append(Piece("assistant", 100))
        pieces.extend(Piece("result", tokens) for tokens in step)
        made.append(Call(len(pieces), 100, gap_s if number else 0))
    return Session("made up", "test", "", 10_000, tuple(pieces), tuple(made))


def at(number: int, terms: Terms = BARE) -> Policy:
    """A policy that compacts before this call and never else."""
    asked = iter(range(1, 1_000))

    def decide(moment: Moment, meter: Meter, rates: Rates, terms: Terms) -> tuple[Verdict, Meter]:
        due = next(asked) == number
        made = compaction_rules.shape(moment, terms)
        return Verdict("compact" if due else "nothing", "scripted", shape=made if due else None), meter

    return Policy("scripted", terms, decide)


def quoting(found: Session, number: int, *pieces: int, offset_tokens: int = 500) -> Session:
    """The session, whose call of this number quotes something that these pieces hold."""
    holders = tuple(Holder(piece, offset_tokens, 500) for piece in pieces)
    made = list(found.calls)
    made[number] = replace(made[number], quotes=(holders,))
    return replace(found, calls=tuple(made))


def test_never_compacting_reads_what_was_there_and_writes_what_is_new() -> None:
    found = session((), (900,), (900,))
    writes = 1.25 * 10_050 + 2 * 1.25 * 1_000
    reads = 0.1 * 10_050 + 0.1 * 11_050
    assert never_bill(found, RATES) == pytest.approx(writes + reads + 3 * 500)
    assert replay(found, NEVER, RATES, WINDOW).bill == pytest.approx(never_bill(found, RATES))


def test_after_an_idle_gap_all_is_written_again() -> None:
    warm, cold = session((), (900,)), session((), (900,), gap_s=301)
    assert never_bill(cold, RATES) - never_bill(warm, RATES) == pytest.approx((1.25 - 0.1) * 10_050)


def test_a_compaction_keeps_the_prefix_cached_and_writes_summary_ledger_and_tail() -> None:
    found = session((), *[(4_900,)] * 6)
    made = [one for one in calls(found, at(5), RATES, WINDOW) if one.number == 5]
    kept = 50 + 5_000
    assert len(made) == 1
    assert made[0].use.cached == 10_000
    assert made[0].use.written == BARE.summary_tokens + BARE.ledger_tokens + kept


def test_the_tail_holds_whole_groups_and_the_newest_request_stays() -> None:
    found = session((), (200, 300), (400,), (100, 100, 100))
    points = standings(found, replace(BARE, tail_tokens=900))
    assert [point.kept for point in points] == [50, 50 + 600, 50 + 500, 50 + 900]


def test_a_large_result_enters_as_a_stub_and_a_file_only_over_its_own_limit() -> None:
    terms = replace(BARE, gate_tokens=1_500, gate_read_tokens=8_000)
    found = session((), (5_000,))
    file = replace(found, pieces=(*found.pieces[:-1], Piece("file", 5_000)))
    assert standings(found, terms)[-1].new == 100 + terms.gate_shown_tokens
    assert standings(file, terms)[-1].new == 5_100


def test_a_quote_of_what_was_compacted_costs_one_call_and_the_whole_result() -> None:
    found = session((), *[(4_900,)] * 6)
    silent = replay(found, at(4), RATES, WINDOW)
    needy = [one for one in calls(quoting(found, 5, 2), at(4), RATES, WINDOW) if one.number == 5]
    assert [one.asked for one in needy] == [True, False]
    assert needy[0].use.output == ASK_TOKENS
    assert needy[1].use.written == 4_900 + ASK_TOKENS
    charged = replay(quoting(found, 5, 2), at(4), RATES, WINDOW)
    assert charged.fetched == 1
    extra_call = 0.1 * needy[0].use.prompt + 5 * ASK_TOKENS
    whole_result = (1.25 + 0.1) * (4_900 + ASK_TOKENS)
    assert charged.bill - silent.bill == pytest.approx(extra_call + whole_result)


def test_what_still_stands_in_the_window_elsewhere_is_not_fetched() -> None:
    found = session((), *[(4_900,)] * 6)
    assert replay(quoting(found, 5, 10, 2), at(4), RATES, WINDOW).fetched == 0
    assert replay(quoting(found, 3, 2), at(4), RATES, WINDOW).fetched == 0


def test_what_was_fetched_stays_until_it_is_compacted_again() -> None:
    found = quoting(quoting(session((), *[(900,)] * 8), 5, 2), 6, 2)
    assert replay(found, at(4), RATES, WINDOW).fetched == 1


@pytest.mark.parametrize("offset_tokens,fetched", [(10, 0), (2_000, 1)])
def test_a_gated_result_is_fetched_unless_its_stub_shows_the_place(offset_tokens: int, fetched: int) -> None:
    found = quoting(session((), (5_000,), ()), 2, 2, offset_tokens=offset_tokens)
    terms = replace(BARE, gate_tokens=1_500)
    assert replay(found, Policy("gated", terms, NEVER.decide), RATES, WINDOW).fetched == fetched


def test_only_a_full_window_forces_and_it_then_fits() -> None:
    found = session((), *[(9_000,)] * 30)
    result = replay(
        found, replace(ECONOMIC, terms=replace(ECONOMIC.terms, cap_share=1e-9, gate_tokens=0)), RATES, 100_000
    )
    assert result.forced == result.compactions > 0
    assert result.peak_tokens <= 100_000
    verdicts = {one.verdict.reason for one in calls(found, ECONOMIC, RATES, WINDOW)}
    assert FORCED not in verdicts


drawn = st.lists(
    st.tuples(
        st.lists(st.integers(1, 12_000), max_size=3),
        st.sampled_from([5.0, 400.0, 5_000.0]),
        st.integers(0, 60),
    ),
    min_size=1,
    max_size=30,
)


def build(steps: list[tuple[list[int], float, int]]) -> Session:
    pieces = [Piece("user", 40)]
    made: list[Call] = []
    for number, (results, gap_s, back) in enumerate(steps):
        if number:
            pieces.append(Piece("assistant", 120))
        pieces.extend(Piece("file" if tokens % 2 else "result", tokens) for tokens in results)
        if not results and number:
            pieces.append(Piece("user", 30))
        quoted = len(pieces) - 1 - back
        quotes = ((Holder(quoted, 600, 600),),) if back and quoted >= 0 else ()
        made.append(Call(len(pieces), 150, gap_s if number else 0.0, quotes))
    return Session("drawn", "test", "", 8_000, tuple(pieces), tuple(made))


def test_what_a_replay_keeps_grows_with_its_calls_and_not_with_their_prompts() -> None:
    found = session(*((40,) for _ in range(3_000)))
    tracemalloc.start()
    made = list(calls(found, NEVER, RATES, WINDOW))
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert made[-1].use.prompt == 10_050 + 3_000 * 140 - 100
    assert peak < 2_000 * len(made)


@examples(60)
@given(drawn, st.sampled_from(sorted(TABLES)), st.sampled_from([*POLICIES.values(), NEVER]))
def test_no_policy_reads_more_than_the_last_prompt_or_forgets_a_call(
    steps: list[tuple[list[int], float, int]], table: str, policy: Policy
) -> None:
    found = build(steps)
    made = list(calls(found, policy, TABLES[table], 60_000))
    assert [one.number for one in made if not one.asked] == list(range(len(found.calls)))
    assert all(now.use.cached <= before.use.prompt for before, now in pairwise(made))
    result = replay(found, policy, TABLES[table], 60_000)
    assert result.bill == pytest.approx(sum(one.price + one.fee for one in made))
    assert result.never == pytest.approx(never_bill(found, TABLES[table]))


@examples(40)
@given(drawn, st.sampled_from(sorted(TABLES)))
def test_with_nothing_quoted_no_session_costs_more_than_the_cap_allows(
    steps: list[tuple[list[int], float, int]], table: str
) -> None:
    found = build([(results, gap_s, 0) for results, gap_s, _ in steps])
    result = replay(found, ECONOMIC, TABLES[table], 1_000_000)
    assert result.forced == 0
    assert result.bill <= ECONOMIC.terms.cap_share * result.never + 1e-6
