"""The cost benchmark: its optimum is one, its sessions are drawn alike every time, and it runs."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import replace
from itertools import product
from pathlib import Path

import pytest

from palimpsest import samples
from palimpsest.costs.replay import ECONOMIC, POLICIES, Policy, never_bill
from palimpsest.costs.session import Call, Holder, Piece, Session
from palimpsest.price import compaction_rules
from palimpsest.price.compaction_rules import Moment, Terms, Verdict
from palimpsest.price.rates import TABLES
from palimpsest.record.message import Message, Text, Usage
from palimpsest.record.spending import Meter, Rates
from palimpsest.settings import Summarizer

BENCH = Path(__file__).parents[2] / "bench"
sys.path.insert(0, str(BENCH))

import cost_curve  # noqa: E402
import cost_synthetic  # noqa: E402
from cost import policy  # noqa: E402
from cost_data import LEAST_CALLS, LONGEST_CUT, Group, between, cut_out  # noqa: E402
from cost_optimum import floor, optimum  # noqa: E402
from cost_replay import replay  # noqa: E402
from cost_usage import agreement  # noqa: E402

TERMS = Terms(
    compact_least_tokens=0,
    compact_cold_least_tokens=0,
    prune_least_tokens=0,
    cap_share=0,
    reserve_share=0,
    fold_at_tokens=1_000,
)
CODING = cost_synthetic.SHAPES[0]


def scripted(terms: Terms, choices: tuple[bool, ...]) -> Policy:
    """Compacts before the calls after the first that are chosen, where that makes the prompt smaller."""
    chosen: Iterator[bool] = iter(choices)

    def decide(moment: Moment, meter: Meter, rates: Rates, terms: Terms) -> tuple[Verdict, Meter]:
        made = compaction_rules.shape(moment, terms)
        due = next(chosen) and made.removed > 0
        who = compaction_rules.offers(moment, made, rates, terms)
        return Verdict("compact" if due else "nothing", "scripted", 0, 0, who, made), meter

    return Policy("scripted", terms, decide)


def small(sizes: tuple[int, ...], gaps_s: tuple[float, ...]) -> Session:
    pieces = [Piece("user", 40)]
    made: list[Call] = []
    for number, (tokens, gap_s) in enumerate(zip(sizes, gaps_s, strict=True)):
        if number:
            pieces.extend((Piece("assistant", 150), Piece("result", tokens)))
        made.append(Call(len(pieces), 150, gap_s))
    return Session("small", "test", "", 3_000, tuple(pieces), tuple(made))


@pytest.mark.parametrize("summarizer", ["extractive", "fork", "model", "cheapest"])
@pytest.mark.parametrize("table", ["anthropic-5m", "deepseek"])
def test_the_optimum_is_what_the_best_of_all_choices_costs(table: str, summarizer: Summarizer) -> None:
    terms = replace(TERMS, summarizer=summarizer)
    session = small((0, 900, 5_000, 200, 7_000, 40, 3_000, 9_000), (0, 10, 10, 900, 10, 10, 20_000, 10))
    every = product((False, True), repeat=len(session.calls) - 1)
    bills = [replay(session, scripted(terms, choices), TABLES[table], 200_000).bill for choices in every]
    assert optimum(session, terms, TABLES[table], 200_000) == pytest.approx(min(bills))


@pytest.mark.parametrize("table", ["anthropic-5m", "openai-5.5", "deepseek"])
def test_with_quotes_the_charged_optimum_is_what_the_best_of_all_choices_costs(table: str) -> None:
    terms = replace(TERMS, gate_tokens=0, gate_read_tokens=0)
    session = small((0, 400, 9_000, 300, 8_000, 40, 7_000, 9_000), (0, 10, 10, 10, 10, 10, 10, 10))
    quotes = {3: 2, 5: 2, 6: 6, 7: 2}
    made = [
        replace(call, quotes=((Holder(quotes[number], 100, 100),),) if number in quotes else ())
        for number, call in enumerate(session.calls)
    ]
    session = replace(session, calls=tuple(made))
    every = product((False, True), repeat=len(session.calls) - 1)
    best = min(replay(session, scripted(terms, choices), TABLES[table], 200_000).bill for choices in every)
    assert optimum(session, terms, TABLES[table], 200_000) == pytest.approx(best, rel=0.01)


def test_the_optimum_keeps_to_the_floor() -> None:
    terms = replace(TERMS, gate_tokens=0, gate_read_tokens=0, floor_tokens=20_000, floor_share=1.0)
    session = small((0, 900, 5_000, 200, 7_000, 40, 3_000, 9_000), (0, 10, 10, 900, 10, 10, 20_000, 10))
    rates = TABLES["anthropic-5m"]
    free = optimum(session, replace(terms, floor_tokens=0), rates, 200_000)
    never = optimum(session, replace(terms, floor_tokens=10**6), rates, 200_000)
    assert free < optimum(session, terms, rates, 200_000) < never
    assert never == pytest.approx(never_bill(session, rates))


def test_what_the_optimum_hides_is_charged_to_it() -> None:
    session = next(cost_synthetic.sessions(CODING, "steady", 1))
    rates = TABLES["anthropic-5m"]
    bare = optimum(session, ECONOMIC.terms, rates, 200_000, charged=False)
    assert floor(session, ECONOMIC.terms, rates) < bare < optimum(session, ECONOMIC.terms, rates, 200_000)


@pytest.mark.parametrize("pattern", cost_synthetic.PATTERNS)
def test_no_way_with_the_same_mechanism_beats_the_uncharged_optimum(pattern: str) -> None:
    terms = replace(ECONOMIC.terms, prune_least_tokens=0)
    for session in cost_synthetic.sessions(CODING, pattern, 3):
        for table in ("anthropic-5m", "deepseek"):
            bill = replay(session, replace(ECONOMIC, terms=terms), TABLES[table], 200_000).bill
            assert optimum(session, terms, TABLES[table], 200_000, charged=False) <= bill + 1e-6


def test_drawn_sessions_are_the_same_every_time() -> None:
    once, again = (list(cost_synthetic.sessions(CODING, "gaps", 2)) for _ in range(2))
    assert once == again
    assert once[0] != once[1]


def test_a_run_of_calls_that_is_cut_out_costs_what_the_same_calls_cost_behind_their_own_prefix() -> None:
    session = next(cost_synthetic.sessions(CODING, "steady", 1))
    assert between(session, 0, len(session.calls)).calls == session.calls
    run_of = between(session, 20, 50)
    assert run_of.pieces == session.pieces[session.calls[19].end : session.calls[49].end]
    for mine, whole in zip(run_of.calls, session.calls[20:50], strict=True):
        assert mine.end - run_of.calls[0].end == whole.end - session.calls[20].end
        held = {run_of.pieces[one.piece] for holders in mine.quotes for one in holders}
        assert held <= {session.pieces[one.piece] for holders in whole.quotes for one in holders}
    found = list(cut_out([session], 40))
    assert found == list(cut_out([session], 40))
    assert {LEAST_CALLS <= len(one.calls) <= LONGEST_CUT for one in found} == {True}
    assert len({len(one.calls) for one in found}) > 10


@pytest.mark.slow
@pytest.mark.parametrize("pattern", cost_synthetic.PATTERNS)
def test_the_rules_cost_less_than_every_other_way_and_no_session_much_more_than_none(pattern: str) -> None:
    drawn = list(cost_synthetic.sessions(CODING, pattern, 3))
    for table in ("anthropic-5m", "openai-5.6", "deepseek"):
        rates = TABLES[table]
        shares = {name: [replay(one, way, rates, 200_000) for one in drawn] for name, way in POLICIES.items()}
        means = {name: sum(one.bill / one.never for one in found) for name, found in shares.items()}
        assert min(means, key=lambda name: means[name]) == ECONOMIC.name, table
        assert max(one.bill / one.never for one in shares[ECONOMIC.name]) <= 1.05, table


@pytest.mark.parametrize("table", ["anthropic-1h", "deepseek"])
def test_what_is_fetched_again_carries_no_drawn_session_over_the_cap(table: str) -> None:
    drawn = [
        one for pattern in cost_synthetic.PATTERNS for one in cost_synthetic.sessions(CODING, pattern, 6)
    ]
    results = [replay(one, ECONOMIC, TABLES[table], 200_000) for one in drawn]
    assert sum(one.fetched for one in results) > len(drawn)
    assert max(one.bill / one.never for one in results) <= 1.03


def test_what_is_told_of_a_cache_is_what_a_plain_session_reports() -> None:
    def reply(prompt: int, cached: int, at_s: float) -> Message:
        usage = Usage(prompt, 50, cached, prompt - cached)
        return Message("assistant", (Text("ok"),), time_s=at_s, model="claude-sonnet-4-5", usage=usage)

    history = (
        reply(10_000, 0, 0),
        reply(11_000, 10_000, 60),
        reply(12_000, 0, 900),
        reply(13_000, 12_000, 950),
    )
    found = agreement(history, "plain", "test")
    assert found is not None
    assert (found.calls, found.agree, found.reasons) == (3, 3, {})
    assert found.told_usd == pytest.approx(found.reported_usd)
    missed = agreement((*history, reply(14_000, 0, 960)), "missed", "test")
    assert missed is not None
    assert missed.reasons == {"cold though alive": 1}


def test_a_larger_target_costs_more_and_a_higher_floor_compacts_less() -> None:
    drawn = Group("drawn", "gaps", tuple(cost_synthetic.sessions(cost_synthetic.AGENT, "gaps", 3)))
    points = cost_curve.curve(
        [drawn], ["anthropic-5m"], [200_000], most_share=1.05, targets=(4_000, 16_000), floors=(0, 150_000)
    )
    small, small_late, large, large_late = points
    assert (large.tail_tokens, large.outline_tokens, large.ledger_tokens) == (6_400, 8_600, 1_000)
    assert 0 < small.of_sums < large.of_sums < 1
    assert small_late.compactions < small.compactions
    assert large_late.compactions < large.compactions
    assert [one.above for one in points] == [0] * 4


def test_a_target_without_room_for_an_outline_is_refused() -> None:
    with pytest.raises(ValueError, match="no room"):
        cost_curve.terms_for(1_500, 0)


def test_a_policy_is_a_preset_in_its_window_or_a_way() -> None:
    assert policy("economic", 200_000).terms.ledger_tokens > policy("economic", 16_000).terms.ledger_tokens
    assert policy("default", 200_000).terms.gate_tokens == ECONOMIC.terms.gate_tokens
    assert policy("75 %, 20k tail", 200_000) is POLICIES["75 %, 20k tail"]
    with pytest.raises(SystemExit, match="hermes"):
        policy("hermes", 200_000)


def run(*arguments: str) -> dict[str, object]:
    command = [sys.executable, str(BENCH / "cost.py"), *arguments, "--json"]
    return json.loads(subprocess.run(command, capture_output=True, check=True, text=True).stdout)


@pytest.mark.slow
def test_the_command_reports_ways_and_bounds_for_a_transcript() -> None:
    record = run(str(samples.path()), "--tables", "anthropic-5m", "--drawn", "0")
    rows, bounds = record["rows"], record["bounds"]
    assert isinstance(rows, list)
    assert isinstance(bounds, list)
    assert {row["way"] for row in rows} >= set(POLICIES)
    assert all(0 < bound["floor"] < bound["uncharged"] <= bound["charged"] for bound in bounds)


@pytest.mark.slow
def test_the_caches_of_the_development_transcripts_are_told_as_they_were_reported() -> None:
    data = os.environ.get("PALIMPSEST_DATA", "")
    if not data:
        pytest.skip("PALIMPSEST_DATA names no folder of transcripts")
    record = run(str(Path(data) / "claude-code"), "--usage")
    usage = record["usage"]
    assert isinstance(usage, list)
    agree, all_calls = sum(one["agree"] for one in usage), sum(one["calls"] for one in usage)
    assert agree >= 0.95 * all_calls
    told, reported = (sum(one[key] for one in usage) for key in ("plain_told_usd", "plain_reported_usd"))
    assert told == pytest.approx(reported, rel=0.005)
