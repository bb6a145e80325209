"""The ledger in the window: frozen between compactions, small in small windows, and of nothing that is shown anyway."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import palimpsest
from palimpsest.budget.token_estimator import count_text
from palimpsest.engine.conversation import Conversation, state_of
from palimpsest.engine.engine_state import EngineState
from palimpsest.engine.ledger_state import LedgerState, verbatim_positions
from palimpsest.ledger.codec import to_json
from palimpsest.ledger.entries import Ledger
from palimpsest.ledger.render import render
from palimpsest.ledger.update import update
from palimpsest.limits import READ_MESSAGES
from palimpsest.record.log import Compaction
from palimpsest.record.message import Message, Text, ToolCall, ToolResult
from palimpsest.record.window_items import SummaryItem
from tests.engine.drawing import bulk, said, tool_group
from tests.engine.laws import assert_lawful
from tests.engine.test_fifty import shown

OPTIONS: dict[str, Any] = {"window_tokens": 32_000, "max_tokens": 2_000}


def history(turns: int, first: int = 0) -> list[Message]:
    """A session in which each turn reads a file of its own, and names more than a summary says."""
    return [
        one
        for number in range(first, first + turns)
        for one in (
            said("user", f"question {number}"),
            *tool_group([f"dock{number}"], [1_500], [0], 1),
            said("assistant", " ".join([*ropes(number), bulk(700, number)])),
        )
    ]


def ropes(number: int) -> list[str]:
    """The names that one turn says."""
    return [f"mooring{number}Rope{rope}" for rope in range(12)]


async def talk_of(engine: palimpsest.Engine, messages: list[Message]) -> Conversation:
    """A conversation with these messages."""
    talk = engine.conversation("a")
    await talk.append(*messages)
    return talk


async def records(talk: Conversation) -> list[Compaction]:
    """What was compacted so far, the oldest first."""
    return list(await talk.compactions())


async def newest_ledger(talk: Conversation) -> str:
    """The ledger that the last compaction froze."""
    return (await records(talk))[-1].ledger


async def test_what_left_the_window_stands_in_the_ledger_and_what_is_shown_does_not() -> None:
    async with palimpsest.open(":memory:", preset="hierarchical", **OPTIONS) as engine:
        talk = await talk_of(engine, history(30))
        await talk.compact()
        ledger = await newest_ledger(talk)
        request = await talk.request()
        assert "<evidence>" in shown(request)
        assert ledger in shown(request)
        assert "dock0.py" in shown(request)
        assert any(rope in ledger for number in range(20) for rope in ropes(number))
        assert not any(rope in ledger for rope in ("dock29.py", *ropes(29)))
        assert 0 < request.regions.ledger <= 1_000
        await assert_lawful(talk, history(30))


async def test_between_two_compactions_the_ledger_and_all_before_it_stay_as_they_are() -> None:
    async with palimpsest.open(":memory:", preset="hierarchical", **OPTIONS) as engine:
        talk = await talk_of(engine, history(30))
        await talk.compact()
        before = await talk.request()
        await talk.append(*history(3, 90))
        after = await talk.request()
        assert after.mark == before.mark
        assert after.messages[: len(before.messages)] == before.messages
        assert after.regions.ledger == before.regions.ledger


@pytest.mark.parametrize(
    "changes", [{"ledger_tokens": 0}, {"window_tokens": 1_900, "max_tokens": 300}, {"preset": "picoclaw"}]
)
async def test_there_is_no_ledger_where_it_is_off_or_the_window_is_tiny(changes: dict[str, Any]) -> None:
    options: dict[str, Any] = {"preset": "hierarchical", **OPTIONS, **changes}
    async with palimpsest.open(":memory:", **options) as engine:
        talk = await talk_of(engine, [said("user", "go"), said("assistant", "yes"), *history(12)])
        await talk.request()
        await talk.compact()
        request = await talk.request()
        assert (await engine.stats()).compactions
        assert request.regions.ledger == 0
        assert "<evidence>" not in shown(request)


async def test_a_small_window_gets_a_small_ledger() -> None:
    async with palimpsest.open(
        ":memory:", window_tokens=8_000, max_tokens=1_000, preset="hierarchical"
    ) as engine:
        talk = await talk_of(engine, history(30))
        await talk.compact()
        assert 0 < (await talk.request()).regions.ledger <= 400


async def test_a_request_that_only_the_ledger_makes_too_large_goes_without_it() -> None:
    async with palimpsest.open(":memory:", preset="hierarchical", **OPTIONS) as engine:
        talk = await talk_of(engine, history(30))
        await talk.compact()
        view = await talk.window()
        goal = view.budget.used_tokens - view.budget.regions.ledger // 2
        await talk.compact(goal)
        assert (await talk.request()).tokens <= goal


async def test_a_fork_shows_no_ledger_that_knows_what_came_after_it() -> None:
    async with palimpsest.open(":memory:", preset="hierarchical", **OPTIONS) as engine:
        messages = history(30)
        talk = await talk_of(engine, messages)
        await talk.compact()
        assert (await talk.sync([*messages[:60], said("user", "another way")])).forked
        assert (await talk.request()).regions.ledger == 0
        await talk.append(*history(20, 200))
        await talk.compact()
        ledger = await newest_ledger(talk)
        assert any(rope in ledger for number in range(15) for rope in ropes(number))
        assert not any(rope in ledger for rope in ("dock25.py", *ropes(25)))


async def test_the_ledger_goes_on_after_reopening_and_is_made_again_where_it_is_unreadable(
    tmp_path: Path,
) -> None:
    path = tmp_path / "ledger.db"
    texts: list[str] = []
    for place in range(2):
        async with palimpsest.open(path, preset="hierarchical", **OPTIONS) as engine:
            talk = engine.conversation("a")
            if place == 0:
                await talk.append(*history(130))
                await talk.end_turn()
                await engine.idle()
            branch, window = await state_of(talk).load()
            assert branch is not None
            assert await engine.store.ledger("me", "a", branch.id)
            notes = LedgerState(engine.store, "me", "a", EngineState(engine.store, "me", "a"))
            texts.append((await notes.render(branch, window, 900))[0])
            await engine.store.save_ledger("me", "a", branch.id, "no ledger")
            again = LedgerState(engine.store, "me", "a", EngineState(engine.store, "me", "a"))
            texts.append((await again.render(branch, window, 900))[0])
            await engine.store.save_ledger("me", "a", branch.id, to_json(notes.ledger))
    assert texts[0]
    assert len(set(texts)) == 1


async def test_many_messages_are_read_in_the_background_after_a_turn_and_few_are_not() -> None:
    async with palimpsest.open(
        ":memory:", preset="hierarchical", **OPTIONS, compact_threshold=None
    ) as engine:
        talk = await talk_of(engine, history(5))
        await talk.end_turn()
        await engine.idle()
        branch, _ = await state_of(talk).load()
        assert branch is not None
        assert state_of(talk).ledger_state.unread_messages(branch) == branch.head.seq
        await talk.append(*history(READ_MESSAGES // 4, 50))
        await talk.end_turn()
        await engine.idle()
        branch, _ = await state_of(talk).load()
        assert branch is not None
        assert state_of(talk).ledger_state.unread_messages(branch) == 0


async def test_of_a_long_backlog_the_beginning_and_the_newest_are_read_and_then_every_message() -> None:
    async with palimpsest.open(
        ":memory:", preset="hierarchical", **OPTIONS, compact_threshold=None
    ) as engine:
        named = [said("user", f"Look at quay/berth{place}.csv, please.") for place in range(400)]
        talk = await talk_of(engine, named)
        notes = LedgerState(
            engine.store, "me", "a", EngineState(engine.store, "me", "a"), max_backlog=150, opening=30
        )
        branch, _ = await state_of(talk).load()
        assert branch is not None
        await notes.read_new(branch)
        read = {int(path.removeprefix("quay/berth").removesuffix(".csv")) for path in notes.ledger.of("file")}
        assert {*range(30), *range(250, 400)} <= read
        assert not read & {*range(100, 250)}
        await talk.append(*(said("user", f"Then at quay/dock{place}.csv.") for place in range(140)))
        branch, _ = await state_of(talk).load()
        assert branch is not None
        await notes.read_new(branch)
        assert {f"quay/dock{place}.csv" for place in range(140)} <= set(notes.ledger.of("file"))


@pytest.mark.parametrize("preset, tokens", [("hierarchical", 1_000), ("hermes", 1_000), ("default", 1_500)])
async def test_the_window_holds_what_is_rendered_of_the_messages_alone(preset: str, tokens: int) -> None:
    messages = history(40)
    async with palimpsest.open(":memory:", preset=preset, window_tokens=200_000) as engine:
        talk = await talk_of(engine, messages)
        await talk.compact(20_000)
        record = (await talk.compactions())[-1]
        read = Ledger()
        for seq in range(1, record.ledger_through + 1):
            update(read, messages[seq - 1], seq)
        window = (await talk.window()).window
        summaries = [item.summary.text for item in window.items if isinstance(item, SummaryItem)]
        there = verbatim_positions(window)
        assert record.ledger == render(read, tokens, said="\n".join(summaries), shown=there)
        assert record.ledger in shown(await talk.request())


async def test_what_a_verbatim_message_names_is_not_written() -> None:
    ledger = Ledger()
    for seq, message in enumerate(history(4), 1):
        update(ledger, message, seq)
    assert "dock0.py" in render(ledger, 900)
    assert "dock3.py" in render(ledger, 900)
    rest = render(ledger, 900, shown=range(9, 17))
    assert "dock0.py" in rest
    assert "dock3.py" not in rest
    async with palimpsest.open(":memory:", preset="hierarchical") as engine:
        talk = await talk_of(engine, history(2))
        assert verbatim_positions((await talk.window()).window) == frozenset(range(1, 9))


async def test_the_report_says_by_kind_what_is_kept_and_what_is_one_search_away() -> None:
    async with palimpsest.open(":memory:", preset="hierarchical", **OPTIONS) as engine:
        talk = await talk_of(engine, history(40))
        report = await talk.compact()
        assert report is not None
        counts = {one.kind: (one.kept, one.left) for one in report.evidence}
        assert counts["paths"][0] > 0
        assert sum(kept for kept, _ in counts.values()) == report.evidence_kept
        assert sum(left for _, left in counts.values()) == report.evidence_left
        records = await talk.compactions()
        assert [sum(kept for _, kept, _ in one.evidence) for one in records] == [
            one.evidence_kept for one in records
        ]
        assert all(one.evidence for one in records)
        request = shown(await talk.request())
        assert "dock0.py" in request


async def test_a_pruning_says_what_its_lines_left_out_and_counts_nothing_that_still_stands() -> None:
    async with palimpsest.open(":memory:", preset="hermes", window_tokens=40_000, max_tokens=1_000) as engine:
        talk = engine.conversation("a")
        await talk.append(said("user", "Look at the docks."), said("assistant", "I begin with dock 1."))
        for number in range(16):
            call = ToolCall(f"c{number}", "Bash", f'{{"command": "cat docks/dock{number}.toml"}}')
            found = f"port 84{number:02}\n" + bulk(6_000, number)
            await talk.append(
                Message("assistant", (call,)), Message("tool", (ToolResult(call.id, (Text(found),)),))
            )
        report = await talk.end_step()
        assert report is not None
        assert (report.stubs > 8, report.summaries) == (True, ())
        counts = {one.kind: (one.kept, one.left) for one in report.evidence}
        request = shown(await talk.request())
        ports = [f"port 84{number:02}" for number in range(report.stubs)]
        gone = [port for port in ports if port not in request]
        assert len(gone) > 8
        assert counts["identifiers"][1] == len(gone)
        assert "9f3c21ab" in request
        assert counts["identifiers"][0] >= 1  # every result says it, the newest too
        records = await talk.compactions()
        assert sum(one.evidence_left for one in records) >= report.evidence_left > 0


async def test_no_secret_is_noted_not_even_where_nothing_near_it_says_what_it_is() -> None:
    secrets = ("Zx81qLmP0vRt", "ghp_abcdEFGH1234abcdEFGH1234abcdEFGH1234", "tr0ub4dor_Pier_7")
    async with palimpsest.open(":memory:", preset="hierarchical", **OPTIONS) as engine:
        talk = await talk_of(
            engine,
            [
                said("user", f"the password is {secrets[0]}. Always use token {secrets[1]} for pushes."),
                Message(
                    "assistant", (ToolCall("c1", "login", f'{{"user": "ann", "password": "{secrets[2]}"}}'),)
                ),
                Message("tool", (ToolResult("c1", (Text(f"hello {secrets[2]}"),)),)),
                said("assistant", f"I run `curl -u ann:{secrets[0]} https://pier.example/a`."),
            ],
        )
        await talk.append(*history(30))
        await talk.compact()
        ledger = await newest_ledger(talk)
        kept = to_json(state_of(talk).ledger_state.ledger)
        assert "[secret:" in kept
        assert [one for one in secrets if one in ledger or one in kept] == []


async def test_what_all_steps_of_a_compaction_save_pays_for_its_ledger() -> None:
    """The newest request parts this history in two, and what stands behind it is small."""
    async with palimpsest.open(":memory:", preset="economic", window_tokens=200_000) as engine:
        asked = [said("assistant", bulk(1_500, 77)), said("assistant", bulk(8_000, 78))]
        talk = await talk_of(engine, [*history(40)[:-1], said("user", "and now the pier"), *asked])
        await talk.compact()
        sizes = [record.before_tokens - record.after_tokens for record in await records(talk)]
        assert len(sizes) == 2
        assert 0 < sizes[1] < 400
        request = shown(await talk.request())
        assert [number for number in range(40) if f"dock{number}.py" not in request] == []
        assert (await talk.request()).regions.ledger > sizes[1] // 2


async def test_marks_in_place_of_secrets_neither_cost_a_ledger_its_place_nor_make_it_larger() -> None:
    """What is a name from code at first turns out to be a secret later; its mark is longer than it was."""
    names = [f"quayZq{number}" for number in range(30)]
    calls = [
        Message("assistant", (ToolCall(f"c{number}", "Bash", f'{{"command": "moor --at {name} --now"}}'),))
        for number, name in enumerate(names)
    ]
    async with palimpsest.open(":memory:", preset="hierarchical", **OPTIONS) as engine:
        talk = await talk_of(engine, [said("user", "go on"), *calls, *history(20)])
        await talk.compact(8_000)
        request = shown(await talk.request())
        assert [name for name in names[-5:] if name not in request] == []
        await talk.append(*(said("user", f"PIER_PASSWORD={name}") for name in names), *history(1, 50))
        branch, window = await state_of(talk).load()
        assert branch is not None
        notes = state_of(talk).ledger_state
        rooms = range(200, 1_000, 100)
        texts = [(await notes.render(branch, window, room_tokens))[0] for room_tokens in rooms]
        assert all("[secret:" in text for text in texts)
        assert [name for name in names for text in texts if name in text] == []
        assert [
            count_text(text) for text, room in zip(texts, rooms, strict=True) if count_text(text) > room
        ] == []
