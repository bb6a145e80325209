"""Session files follow what is forgotten: nothing of it is left in them, and they go on."""

from __future__ import annotations

from pathlib import Path

import palimpsest
from palimpsest.agent.session_log import SessionLog, load_context
from palimpsest.agent.stale_files import renew
from palimpsest.engine.conversation import state_of
from palimpsest.engine.deletion import register_file

WORD = "quixotryvellum"


async def test_a_session_file_is_written_again_when_the_agent_goes_on(tmp_path: Path) -> None:
    async with palimpsest.open(tmp_path / "talks.db") as engine:
        talk, log = engine.conversation("talk"), SessionLog(tmp_path)
        await talk.append(
            {"role": "user", "content": f"It is {WORD}."}, {"role": "assistant", "content": "Noted."}
        )
        path = (await log.follow(talk)).path
        assert WORD in path.read_text()
        done = await engine.forget("talk", "m1")
        assert [one.path for one in done.stale] == [str(path)]
        talk = engine.conversation("talk")
        await talk.append({"role": "user", "content": "Go on."})
        await log.follow(talk)
        assert WORD not in path.read_text()
        _, messages = load_context(path)
        assert [one.text for one in messages][1:] == ["Noted.", "Go on."]
        await talk.append({"role": "assistant", "content": "Gladly."})
        assert (await log.follow(talk)).messages == 1


async def test_known_files_are_written_again_at_once_and_those_that_are_gone_are_dropped(
    tmp_path: Path,
) -> None:
    async with palimpsest.open(tmp_path / "talks.db") as engine:
        talk, log = engine.conversation("talk"), SessionLog(tmp_path)
        await talk.append(
            {"role": "user", "content": f"It is {WORD}."}, {"role": "assistant", "content": "Noted."}
        )
        path = (await log.follow(talk)).path
        await register_file(state_of(engine.conversation("talk")), "export", tmp_path / "gone.jsonl")
        await engine.forget("talk", "m1")
        assert await renew(engine) == ((str(path),), ())
        assert WORD not in path.read_text()
        assert [(one.path, one.stale) for one in await engine.store.forgetting.copies(engine.owner)] == [
            (str(path), False)
        ]
        assert await renew(engine) == ((), ())
