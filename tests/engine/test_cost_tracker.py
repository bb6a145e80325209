"""What calls cost: as reported or estimated, beside never compacting; the rent survives a restart and ends with a
compaction; no prefix breaks but in one.
"""

from __future__ import annotations

import asyncio
import json
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

import palimpsest
from palimpsest.engine.conversation import Conversation, state_of
from palimpsest.engine.engine import Engine
from palimpsest.errors import StoreError
from palimpsest.formats.transcripts import Transcript
from palimpsest.price.request import Use, cost, matched_tokens
from palimpsest.price.table import find_price
from palimpsest.record.message import Message, Text, Usage
from palimpsest.record.spending import Account
from tests.engine.drawing import bulk

MODEL = "claude-sonnet-4-5"
SETTINGS: dict[str, Any] = {"preset": "economic", "window_tokens": 200_000, "max_tokens": 8_000}


class Clock:
    """A clock that is set by hand."""

    def __init__(self) -> None:
        self.now_s = 1_790_000_000.0

    def __call__(self) -> float:
        return self.now_s


async def _step(
    talk: Conversation, clock: Clock, number: int, *, gap_s: float = 20.0, chars: int = 3_000
) -> Usage:
    """A call of the model as its provider would report it, the reply's tool call and its result."""
    clock.now_s += gap_s
    before: Account = state_of(talk).costs.account
    request = await talk.request(system="Be brief.", model=MODEL)
    warm = gap_s <= 300 and before.calls > 0
    rates = find_price(MODEL, time_s=clock.now_s).rates
    shared = before.prompt_tokens if warm and request.tokens > before.prompt_tokens else 0
    cached = matched_tokens(shared, rates)
    written = request.tokens - cached if request.tokens >= rates.minimum_tokens else 0
    usage = Usage(request.tokens, 200, cached, written)
    await talk.record_usage(usage, request)
    function = {"name": "terminal", "arguments": json.dumps({"command": f"make part{number}"})}
    call = {"id": f"c{number}", "type": "function", "function": function}
    await talk.append({"role": "assistant", "content": f"I make part {number}.", "tool_calls": [call]})
    await talk.append({"role": "tool", "tool_call_id": f"c{number}", "content": bulk(chars, number)})
    return usage


def _use(usage: Usage) -> Use:
    fresh = usage.input_tokens - usage.cached_tokens - usage.cache_write_tokens
    return Use(usage.cached_tokens, usage.cache_write_tokens, fresh, usage.output_tokens)


async def _begin(engine: Engine) -> Conversation:
    talk = engine.conversation("a")
    await talk.append({"role": "user", "content": "make all the parts"})
    return talk


async def _unreported(talk: Conversation, number: int = 1) -> None:
    """A call whose usage nobody reports."""
    await talk.request(system="Be brief.", model=MODEL)
    await talk.append({"role": "assistant", "content": f"part {number} is made"})


async def test_the_last_call_is_paid_for_when_the_engine_closes_and_nobody_reported_it(
    tmp_path: Path,
) -> None:
    async with palimpsest.open(tmp_path / "a.db", **SETTINGS) as engine:
        talk = await _begin(engine)
        await _unreported(talk)
        await talk.end_turn()
    async with palimpsest.open(tmp_path / "a.db", **SETTINGS) as engine:
        (spent,) = await engine.store.spent("me", "a")
        assert not spent.reported


async def test_a_request_that_nobody_answered_is_not_paid_for_when_the_engine_closes(tmp_path: Path) -> None:
    async with palimpsest.open(tmp_path / "a.db", **SETTINGS) as engine:
        await (await _begin(engine)).request(model=MODEL)
    async with palimpsest.open(tmp_path / "a.db", **SETTINGS) as engine:
        assert await engine.store.spent("me", "a") == []


async def test_counting_goes_on_while_conversations_are_opened() -> None:
    async with palimpsest.open(":memory:", **SETTINGS) as engine:
        for name in ("a", "b", "c"):
            talk = engine.conversation(name)
            await talk.append({"role": "user", "content": "make all the parts"})
            await _unreported(talk)
            await talk.request(model=MODEL)

        async def open_more() -> None:
            for number in range(200):
                engine.conversation(f"more-{number}")
                await asyncio.sleep(0)

        stats, _ = await asyncio.gather(engine.stats(), open_more())
        assert stats.replies.calls == 3


async def test_two_engines_on_one_conversation_have_one_account(tmp_path: Path) -> None:
    path = tmp_path / "a.db"
    async with palimpsest.open(path, **SETTINGS) as one, palimpsest.open(path, **SETTINGS) as two:
        talks = (await _begin(one), two.conversation("a"))
        for number, talk in enumerate((*talks, *talks)):
            await _step(talk, Clock(), number)
        spent = await one.store.spent("me", "a")
        branch = await one.store.branch("me", "a")
        assert branch is not None
        account = await one.store.account("me", "a", branch.id)
        assert account is not None
        assert (account.calls, len(spent)) == (4, 4)
        assert account.cost == pytest.approx(sum(call.cost for call in spent))
        for talk in talks:
            await talk.window()
            assert state_of(talk).costs.account == account


async def test_what_was_paid_for_in_a_conversation_that_another_process_forgot_is_let_go(
    tmp_path: Path,
) -> None:
    path = tmp_path / "a.db"
    async with palimpsest.open(path, **SETTINGS) as one, palimpsest.open(path, **SETTINGS) as two:
        talk = await _begin(one)
        await _unreported(talk)
        await talk.request(model=MODEL)
        await two.forget("a")
        await talk.end_turn()
        assert await one.store.spending("me") == []
        await _begin(one)
        await _unreported(talk)
        await talk.request(model=MODEL)
        await talk.end_turn()
        (paid,) = await one.store.spending("me")
        assert paid.calls == 1


async def test_an_engine_whose_last_write_fails_is_closed_all_the_same(tmp_path: Path) -> None:
    engine = await palimpsest.open(tmp_path / "a.db", **SETTINGS)
    talk = await _begin(engine)
    await _unreported(talk)
    with closing(sqlite3.connect(tmp_path / "a.db", isolation_level=None)) as other:
        other.execute("DROP TABLE account")
    with pytest.raises(palimpsest.PalimpsestError):
        await engine.close()
    with pytest.raises(StoreError, match="was closed"):
        await engine.conversations()


async def test_an_edit_leaves_the_calls_it_left_behind_in_the_bill_of_an_import(tmp_path: Path) -> None:
    def call(number: int) -> tuple[Message, ...]:
        time_s = 1_790_000_000.0 + 60 * number
        usage = Usage(1_000 + number, 10)
        return (
            Message("user", (Text(f"part {number}"),), time_s=time_s),
            Message("assistant", (Text(f"{number} is made"),), time_s=time_s + 9, model=MODEL, usage=usage),
        )

    before, left, now = call(1), call(2), call(3)
    transcript = Transcript("a", "claude_code", paths=((*before, *left), (*before, *now)))
    async with palimpsest.open(tmp_path / "a.db", **SETTINGS) as engine:
        await engine.import_transcript(transcript)
        bill = await engine.cost("a")
        assert bill is not None
        assert [one.input_tokens for one in bill.calls] == [1_001, 1_002, 1_003]


async def test_the_sums_are_those_of_every_reported_call_at_the_models_prices() -> None:
    clock = Clock()
    async with palimpsest.open(":memory:", clock=clock, **SETTINGS) as engine:
        talk = await _begin(engine)
        reported = [await _step(talk, clock, number) for number in range(12)]
        rates = find_price(MODEL, time_s=clock.now_s).rates
        wanted = [cost(_use(one), rates) for one in reported]
        spent = await engine.store.spent("me", "a")
        assert [one.cost for one in spent] == pytest.approx(wanted)
        account = state_of(talk).costs.account
        assert account.cost == pytest.approx(sum(wanted))
        assert account.meter.bill == pytest.approx(sum(wanted) / rates.input)
        (total,) = await engine.store.spending("me")
        assert (total.calls, total.model, total.unreported) == (12, MODEL, 0)
        assert total.cost == pytest.approx(sum(wanted))
        assert total.input_tokens == sum(one.input_tokens for one in reported)


async def test_a_long_session_costs_less_than_never_compacting_and_breaks_no_prefix_unplanned() -> None:
    clock = Clock()
    async with palimpsest.open(":memory:", clock=clock, **SETTINGS) as engine:
        talk = await _begin(engine)
        before: list[str] = []
        known = 0
        breaks: list[bool] = []
        for number in range(60):
            request = await talk.request(system="Be brief.", model=MODEL)
            sent = request.anthropic()["messages"]
            assert isinstance(sent, list)
            made = len(await engine.store.compactions("me", "a"))
            grown = [json.dumps(one) for one in sent]
            breaks += [made > known] if grown[: len(before) - 1] != before[:-1] else []
            before, known = grown, made
            await _step(talk, clock, number)
        account = state_of(talk).costs.account
        assert len(breaks) >= 2
        assert all(breaks)
        assert account.cost < 0.7 * account.never_cost
        assert state_of(talk).costs.net_cost == pytest.approx(account.cost - account.never_cost)


async def test_the_rent_survives_a_restart_and_starts_anew_with_a_compaction(tmp_path: Path) -> None:
    clock = Clock()
    path = tmp_path / "a.db"
    async with palimpsest.open(path, clock=clock, prune_least_tokens=0, **SETTINGS) as engine:
        talk = await _begin(engine)
        for number in range(21):
            await _step(talk, clock, number)
        kept = state_of(talk).costs.account
        assert kept.meter.rent > 0
    async with palimpsest.open(path, clock=clock, prune_least_tokens=0, **SETTINGS) as engine:
        talk = engine.conversation("a")
        await talk.window()
        assert state_of(talk).costs.account == kept
        report = await talk.compact()
        assert report is not None
        assert report.net_cost == pytest.approx(kept.cost - kept.never_cost)
        assert state_of(talk).costs.account.meter.rent == 0


async def test_after_a_pause_longer_than_the_cache_lives_it_compacts_at_once() -> None:
    clock = Clock()
    given = {**SETTINGS, "tail_tokens": 3_000, "ledger_tokens": 1_000}
    async with palimpsest.open(":memory:", clock=clock, **given) as engine:
        talk = await _begin(engine)
        for number in range(16):
            await _step(talk, clock, number)
        before = await engine.store.compactions("me", "a")
        await _step(talk, clock, 99, gap_s=4_000)
        made = (await engine.store.compactions("me", "a"))[len(before) :]
        assert [one.reason for one in made] == ["economic: the cache has expired"]
        numbers = dict(made[0].numbers)
        assert numbers["saved_units"] >= numbers["cost_units"]


async def test_by_default_a_warm_call_waits_for_no_compaction_and_the_rent_starts_anew_behind_it() -> None:
    clock = Clock()
    async with palimpsest.open(":memory:", clock=clock, **{**SETTINGS, "preset": "default"}) as engine:
        talk = await _begin(engine)
        rents: list[float] = []
        for number in range(160):
            clock.now_s += 20
            known = await engine.store.compactions("me", "a")
            request = await talk.request(system="Be brief.", model=MODEL)
            assert await engine.store.compactions("me", "a") == known
            await engine.idle()
            made = await engine.store.compactions("me", "a")
            read = state_of(talk).costs.account.prompt_tokens
            await talk.record_usage(Usage(request.tokens, 200, min(read, request.tokens)), request)
            rents += [state_of(talk).costs.account.meter.rent] if len(made) > len(known) else []
            function = {"name": "terminal", "arguments": json.dumps({"command": f"make part{number}"})}
            call = {"id": f"c{number}", "type": "function", "function": function}
            await talk.append({"role": "assistant", "content": "I make one.", "tool_calls": [call]})
            await talk.append({"role": "tool", "tool_call_id": f"c{number}", "content": bulk(3_000, number)})
        account = state_of(talk).costs.account
    assert len(rents) >= 2
    assert set(rents) == {0}
    assert account.cost < 0.75 * account.never_cost


async def test_where_nobody_reports_usage_calls_are_estimated_and_said_to_be() -> None:
    clock = Clock()
    async with palimpsest.open(":memory:", clock=clock, **SETTINGS) as engine:
        talk = await _begin(engine)
        first = await talk.request(model=MODEL)
        await talk.append({"role": "assistant", "content": bulk(400)}, {"role": "user", "content": "go on"})
        clock.now_s += 10
        second = await talk.request(model=MODEL)
        await talk.append({"role": "assistant", "content": "done"}, {"role": "user", "content": "thanks"})
        await talk.request(model=MODEL)
        assert len(await engine.store.spent("me", "a")) == 1, "the second is kept with the next write"
        await talk.end_turn()
        spent = await engine.store.spent("me", "a")
        assert [one.input_tokens for one in spent] == [first.tokens, second.tokens]
        assert not any(one.reported for one in spent)
        assert spent[0].cached_tokens == 0
        assert all(one.cost > 0 for one in spent)


async def test_a_request_that_was_never_sent_costs_nothing() -> None:
    async with palimpsest.open(":memory:", clock=Clock(), **SETTINGS) as engine:
        talk = await _begin(engine)
        for _ in range(5):
            await talk.request(model=MODEL)
        assert await engine.store.spent("me", "a") == []
        assert state_of(talk).costs.account.meter.rent == 0


@pytest.mark.parametrize(
    "model, assumed", [("nobody-knows-9", True), (MODEL, False), ("ollama:qwen3", False)]
)
async def test_an_unknown_model_is_charged_by_a_stated_assumption_and_ones_own_not_at_all(
    model: str, assumed: bool
) -> None:
    async with palimpsest.open(":memory:", clock=Clock(), **SETTINGS) as engine:
        talk = await _begin(engine)
        request = await talk.request(model=model)
        await talk.record_usage(Usage(5_000, 100), request)
        (one,) = await engine.store.spent("me", "a")
        assert one.assumed is assumed
        assert (one.cost > 0) is not model.startswith("ollama")
        assert one.units > 0


async def test_other_policies_keep_the_ledger_of_money_as_well() -> None:
    clock = Clock()
    async with palimpsest.open(":memory:", clock=clock, window_tokens=200_000) as engine:
        talk = await _begin(engine)
        for number in range(3):
            await _step(talk, clock, number)
        (total,) = await engine.store.spending("me")
        assert total.calls == 3
        assert total.cost == pytest.approx(total.never_cost)


async def test_where_nobody_caches_what_a_prompt_carries_is_charged_in_full() -> None:
    clock = Clock()
    async with palimpsest.open(":memory:", clock=clock, **SETTINGS) as engine:
        talk = await _begin(engine)
        await talk.append({"role": "user", "content": bulk(12_000)})
        for number in range(6):
            clock.now_s += 20
            request = await talk.request(model=MODEL)
            await talk.record_usage(Usage(request.tokens, 100), request)
            await talk.append(
                {"role": "assistant", "content": f"part {number}"}, {"role": "user", "content": "on"}
            )
        account = state_of(talk).costs.account
        assert account.unread == 5
        economy = state_of(talk).costs.economy(MODEL, 9_000, clock.now_s)
        assert (economy.rates.cached, economy.rates.write) == (1.0, 1.0)


async def test_after_a_compaction_an_estimate_takes_only_what_stayed_for_cached() -> None:
    clock = Clock()
    async with palimpsest.open(":memory:", clock=clock, **SETTINGS) as engine:
        talk = await _begin(engine)
        for number in range(6):
            clock.now_s += 10
            await talk.request(system="Be brief.", model=MODEL)
            await talk.append(
                {"role": "assistant", "content": bulk(4_000, number)}, {"role": "user", "content": "on"}
            )
        await talk.request(system="Be brief.", model=MODEL)
        await talk.append({"role": "assistant", "content": "done"}, {"role": "user", "content": "again"})
        assert await talk.compact() is not None
        request = await talk.request(system="Be brief.", model=MODEL)
        await talk.append({"role": "assistant", "content": "done"})
        await talk.request(system="Be brief.", model=MODEL)
        await talk.end_turn()
        spent = await engine.store.spent("me", "a")
        assert spent[-2].cached_tokens > 0
        assert spent[-1].input_tokens == request.tokens
        assert spent[-1].cached_tokens == 0


async def test_a_fork_starts_with_an_empty_bill_and_a_cache_that_is_still_warm() -> None:
    clock = Clock()
    async with palimpsest.open(":memory:", clock=clock, **SETTINGS) as engine:
        talk = await _begin(engine)
        for number in range(4):
            await _step(talk, clock, number)
        history = [one.message for one in await talk.messages()]
        await talk.sync([*history[:-2], {"role": "user", "content": "another way, please"}])
        await talk.window()
        account = state_of(talk).costs.account
        assert (account.cost, account.meter.bill) == (0.0, 0.0)
        assert state_of(talk).costs.economy(MODEL, 10_000, clock.now_s + 10).warm
        assert not state_of(talk).costs.economy(MODEL, 10_000, clock.now_s + 4_000).warm


async def test_a_request_without_a_model_keeps_the_cache_of_the_model_that_the_settings_name_warm() -> None:
    async with palimpsest.open(":memory:", preset="economic", window_tokens=200_000, model=MODEL) as engine:
        talk = engine.conversation("a")
        await talk.append({"role": "user", "content": bulk(8_000, 0)})
        await talk.request(system="Be brief.")
        await talk.append({"role": "assistant", "content": "Done."}, {"role": "user", "content": "Go on."})
        await talk.request(system="Be brief.")
        branch, window = await state_of(talk).load()
        economy = state_of(talk).policy_state(window, branch).economy
        assert economy is not None
        assert economy.warm
