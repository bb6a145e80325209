"""What other projects are charged: what all pay for the same prompts, and for what they hid and a reply quotes."""

from __future__ import annotations

import sys
from dataclasses import replace
from pathlib import Path

import pytest

from palimpsest.costs.replay import never_bill
from palimpsest.costs.session import Holder, Session
from palimpsest.price.compaction_rules import ASK_TOKENS
from palimpsest.price.rates import TABLES
from palimpsest.price.request import Use, cost

sys.path.insert(0, str(Path(__file__).parents[2] / "bench"))

import cost_peers
import cost_peers_run
import cost_synthetic
from cost_peers_run import Peer, Said


def session() -> Session:
    drawn = next(cost_synthetic.sessions(cost_synthetic.SHAPES[0], "gaps", 1))
    pieces = tuple(replace(piece, tokens=max(8, piece.tokens)) for piece in drawn.pieces)
    return replace(drawn, pieces=pieces, calls=tuple(replace(call, quotes=()) for call in drawn.calls))


def whole() -> Peer:
    """Sends everything, always."""
    state: list[str] = []

    def send(new: list[Said]) -> list[str]:
        state.extend(said.text for said in new)
        return list(state)

    return Peer("whole", send)


def forgetful(kept: int) -> Peer:
    """Sends the newest messages only."""
    everything = whole()
    return Peer("forgetful", lambda new: everything.send(new)[-kept:])


def records_of(peer: Peer, one: Session) -> list[list[int]]:
    described = cost_peers.described(one)
    return list(cost_peers_run.play(peer, described))


@pytest.mark.parametrize("table", ["anthropic-5m", "openai-5.5", "deepseek"])
def test_who_sends_everything_pays_what_never_compacting_costs(table: str) -> None:
    one = session()
    found = cost_peers.paid(one, records_of(whole(), one), TABLES[table])
    assert found.bill == pytest.approx(never_bill(one, TABLES[table]))
    assert (found.fees, found.fetched, found.compactions) == (0, 0, 0)


def test_who_drops_the_oldest_message_each_time_writes_everything_anew() -> None:
    one = session()
    rates = TABLES["anthropic-5m"]
    records = records_of(forgetful(4), one)
    assert {shared for _, _, shared, *_ in records[4:]} == {one.prefix_tokens}
    found = cost_peers.paid(one, records, rates)
    assert found.peak_tokens < sum(piece.tokens for piece in one.pieces)


def test_what_was_hidden_and_is_quoted_costs_a_call_and_comes_back() -> None:
    one = session()
    last = len(one.calls) - 1
    quoting = replace(one.calls[last], quotes=((Holder(0, 0, 0),),))
    one = replace(one, calls=(*one.calls[:last], quoting))
    records = records_of(forgetful(40), one)
    assert [asked for _, _, _, asked, *_ in records[-2:]] == [True, False]
    assert records[-1][1] - records[-2][1] <= one.pieces[0].tokens + ASK_TOKENS + 8
    assert not any(asked for _, _, _, asked, *_ in records_of(whole(), one))
    assert cost_peers.paid(one, records, TABLES["deepseek"]).fetched == 1


def test_a_peers_summarizer_is_paid_for() -> None:
    one = session()
    rates = TABLES["anthropic-5m"]
    plain = records_of(whole(), one)
    with_fee = [[*plain[0][:4], 9_000, 3_000], *plain[1:]]
    dearer = cost_peers.paid(one, with_fee, rates).bill - cost_peers.paid(one, plain, rates).bill
    assert dearer == pytest.approx(cost(Use(0, 0, 9_000, 3_000), rates))


def test_their_environment_is_made_once_for_the_versions_that_are_named(tmp_path: Path) -> None:
    (tmp_path / "peers.txt").write_text("\n".join(cost_peers.PEERS))
    assert cost_peers.python(tmp_path).parent.parent == tmp_path
    with pytest.raises(cost_peers.Unavailable, match="No such file"):
        cost_peers.run([session()], 200_000, tmp_path)


@pytest.mark.slow
def test_where_their_environment_cannot_be_made_it_is_said_and_nothing_is_noted(tmp_path: Path) -> None:
    options = ("--index-url", "http://127.0.0.1:9/simple", "--retries", "0")
    with pytest.raises(cost_peers.Unavailable, match="cannot be made"):
        cost_peers.python(tmp_path, *options)
    assert not (tmp_path / "peers.txt").exists()


def test_results_answer_the_message_before_them_and_no_other() -> None:
    pieces: list[list[object]] = [
        ["user", 9],
        ["assistant", 9],
        ["result", 9],
        ["file", 9],
        ["user", 9],
        ["result", 9],
    ]
    said = cost_peers_run.messages_of(pieces)
    assert [one.role for one in said] == ["user", "assistant", "tool", "tool", "user", "user"]
    assert said[1].calls == (said[2].answers, said[3].answers)
    assert [len(one.text) // cost_peers_run.CHARS for one in said] == [9] * 6
