"""What an engine learnt of a conversation is known to the next engine on the same store."""

from __future__ import annotations

from pathlib import Path

import pytest

import palimpsest
from palimpsest.budget.compaction_effect import Effect
from palimpsest.complete.scripted import ScriptedModel
from palimpsest.engine.conversation import state_of
from palimpsest.engine.engine_state import EngineState
from palimpsest.redaction.redactor import placeholder
from tests.engine.drawing import bulk, said
from tests.engine.middles import ROOM, Clock, session

SECRET = "vX9kd02Lqz"


async def test_a_model_that_failed_is_not_asked_within_the_cooldown_by_the_next_process(
    tmp_path: Path,
) -> None:
    clock = Clock()
    asked: list[int] = []
    for words, passed_s in ((34, 0), (14, 599), (14, 2)):
        clock.now_s += passed_s
        model = ScriptedModel([RuntimeError("down")])
        async with palimpsest.open(
            tmp_path / "a.db", preset="hermes", complete=model, clock=clock, **ROOM
        ) as engine:
            talk = engine.conversation("a")
            await talk.append(*session(0, 0, words=words))
            await talk.end_step()
        asked.append(len(model.requests))
    assert asked[0] > 0
    assert asked[1] == 0
    assert asked[2] > 0


async def test_rest_after_useless_compactions_outlasts_the_engine(tmp_path: Path) -> None:
    resting = Effect(20_000, "mark", strikes=2, rest_until_tokens=22_000)
    async with palimpsest.open(tmp_path / "a.db", **ROOM) as engine:
        talk = engine.conversation("a")
        await talk.append(said("user", "hello"))
        await talk.window()
        state_of(talk).engine_state.effect = resting
        await state_of(talk).engine_state.save()
    async with palimpsest.open(tmp_path / "a.db", **ROOM) as engine:
        talk = engine.conversation("a")
        await talk.window()
        assert state_of(talk).engine_state.effect == resting


async def test_a_secret_that_an_earlier_message_named_is_known_bare_after_a_restart(tmp_path: Path) -> None:
    async with palimpsest.open(tmp_path / "a.db", preset="crabtalk", **ROOM) as engine:
        talk = engine.conversation("a")
        await talk.append(said("user", f"DB_PASSWORD={SECRET}"), said("assistant", bulk(4_000, 1)))
        await talk.append(said("user", "go on"), said("assistant", bulk(2_000, 2)))
        await talk.compact()
        assert SECRET not in await engine.store.memo(engine.owner, "a")
    model = ScriptedModel([f"The password {SECRET} was used by the deploy, the user said."])
    async with palimpsest.open(tmp_path / "a.db", preset="crabtalk", complete=model, **ROOM) as engine:
        talk = engine.conversation("a")
        await talk.append(
            said("user", f"deploy with {SECRET} as before"),
            said("assistant", bulk(3_000, 3)),
            said("user", "and?"),
        )
        report = await talk.compact()
        asked = "".join(one.system + one.messages[0].text for one in model.requests)
        assert model.requests
        assert report is not None
        assert SECRET not in asked + "".join(one.text for one in report.summaries)
        assert placeholder(SECRET) in asked


async def test_a_secret_that_a_message_named_which_stays_in_the_window_is_known_in_the_middle(
    tmp_path: Path,
) -> None:
    model = ScriptedModel([f"The deploy went on with {SECRET}, the user said."])
    async with palimpsest.open(tmp_path / "a.db", preset="hermes", complete=model, **ROOM) as engine:
        talk = engine.conversation("a")
        middle = [said("assistant", f"I deploy with {SECRET}: {bulk(900, number)}") for number in range(40)]
        await talk.append(said("user", f"DB_PASSWORD={SECRET}"), *middle, said("user", "and?"))
        report = await talk.compact()
        asked = "".join(one.system + one.messages[0].text for one in model.requests)
        window = (await talk.window()).window
        assert SECRET in str(window.items[0])
        assert placeholder(SECRET) in asked
        assert report is not None
        assert SECRET not in asked + "".join(one.text for one in report.summaries)


@pytest.mark.parametrize("body", ["no json", "[]", '{"failed_s": "x", "effect": [], "secrets": [1, "m999"]}'])
async def test_a_memo_that_cannot_be_read_is_as_none(body: str, tmp_path: Path) -> None:
    async with palimpsest.open(tmp_path / "a.db", **ROOM) as engine:
        await engine.conversation("a").append(said("user", "hello"))
        await engine.store.save_memo(engine.owner, "a", body)
        memo = EngineState(engine.store, engine.owner, "a")
        await memo.load()
        assert (memo.failed_s, memo.effect, len(await memo.redactor())) == (None, Effect(), 0)


async def test_what_two_engines_learn_of_secrets_at_the_same_time_is_known_to_a_third(tmp_path: Path) -> None:
    path = tmp_path / "a.db"
    room = {"preset": "crabtalk", **ROOM}
    async with palimpsest.open(path, **room) as one, palimpsest.open(path, **room) as two:
        talk, other = one.conversation("a"), two.conversation("a")
        await talk.append(said("user", f"DB_PASSWORD={SECRET}"), said("assistant", bulk(4_000, 1)))
        await talk.append(said("user", "go on"), said("assistant", bulk(2_000, 2)))
        await other.window()
        await talk.compact()
        assert (await state_of(talk).engine_state.redactor()).places
        state_of(other).engine_state.failed_s = 5.0
        await state_of(other).engine_state.save()
        assert (await state_of(other).engine_state.redactor()).places
    async with palimpsest.open(path, **ROOM) as engine:
        talk = engine.conversation("a")
        await talk.window()
        assert state_of(talk).engine_state.failed_s == 5.0
        assert (await state_of(talk).engine_state.redactor()).places
