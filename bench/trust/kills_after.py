"""What has to hold in a file after the processes that used it were killed."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

import palimpsest
from bench.trust.kills_worker import (
    LABEL,
    SMALL,
    TASK,
    Batch,
    Fetcher,
    Log,
    Tell,
    fetch,
    keep,
    messages_of,
)
from palimpsest.agent.agent import make_agent
from palimpsest.complete.scripted import ScriptedModel
from palimpsest.engine.compacting.automatic_compaction import background_work
from palimpsest.engine.conversation import Conversation, runtime_of, state_of
from palimpsest.engine.engine import Engine
from palimpsest.errors import DoesNotFit
from palimpsest.formats.rules import anthropic_breaches, bedrock_breaches, gemini_breaches, openai_breaches
from palimpsest.record.message import Message
from palimpsest.stores.sqlite import SqliteStore
from tests.engine.laws import assert_covered, assert_groups_whole, essence

IDLE_S = 20.0
MESSAGES = 1_000_000


async def examined(path: Path, log: Log, tell: Tell, *, agent: bool, last: bool) -> None:
    """Tell every fault, then "done". At the last, background work that was left is taken up and ended."""
    store = await SqliteStore.open(path)
    health = await store.keeper.check(None)
    for fault in health.faults:
        tell(f"fault check: {fault.kind} {fault.conversation} {fault.id} {fault.text}")
    await store.close()
    async with palimpsest.open(path, resume=last, **SMALL) as engine:
        if last:
            await _resumed(engine, tell)
        for row in await engine.store.conversations(engine.owner):
            await lawful(engine.conversation(row.name), tell)
        if agent:
            await _agent_goes_on(engine, log, tell, last=last)
        else:
            await _compare(engine, log, tell)
    tell("done")


async def _resumed(engine: Engine, tell: Tell) -> None:
    """What a killed process had begun in the background is done by the next, without waiting for a lease to expire; but
    not what only another preset would do.
    """
    try:
        await asyncio.wait_for(engine.idle(), IDLE_S)
    except TimeoutError:
        tell(f"fault background work did not end in {IDLE_S:.0f} s")
    noted = await engine.store.pending(engine.owner)
    if left := [
        (name, kind)
        for name, kind in noted
        if background_work(runtime_of(engine.conversation(name)), kind) is not None
    ]:
        tell(f"fault background work is still noted: {left}")


async def lawful(talk: Conversation, tell: Tell) -> None:
    """The window covers every message once and cuts no group; the providers would take the request."""
    history = [
        one.message for one in await state_of(talk).store.messages(state_of(talk).owner, talk.id, 1, MESSAGES)
    ]
    if not history:
        return
    loaded = await state_of(talk).store.load_window(state_of(talk).owner, talk.id)
    assert loaded is not None
    assert_covered(loaded.window, len(history))
    assert_groups_whole(loaded.window, history, loaded.branch.fork_seq)
    try:
        request = await talk.request(system="Be brief.")
    except DoesNotFit:
        return
    for body, breaches in (
        (request.openai(), openai_breaches), (request.anthropic(), anthropic_breaches),
        (request.gemini(), gemini_breaches), (request.converse(), bedrock_breaches),
    ):  # fmt: skip
        for breach in breaches(body):
            tell(f"fault request of {talk.id}: {breach}")


async def _compare(engine: Engine, log: Log, tell: Tell) -> None:
    """Hold what is stored against the outside log."""
    stored: dict[str, list[Message]] = {}
    for row in await engine.store.conversations(engine.owner):
        found = await engine.store.messages(engine.owner, row.name, 1, MESSAGES)
        stored[row.name] = [one.message for one in found]
    there = Counter(
        label for messages in stored.values() for one in messages for label in LABEL.findall(essence(one))
    )
    for label, times in there.items():
        if times > 1:
            tell(f"fault {label} is there {times} times")
    unsure = {label for one in (*log.given_up, *log.open.values()) for label in one.labels}
    sent = {label for batches in log.acknowledged.values() for one in batches for label in one.labels}
    if lost := sorted(sent - there.keys()):
        tell(f"fault lost: {len(lost)}, such as {lost[:5]}")
    if strange := sorted(there.keys() - sent - unsure):
        tell(f"fault never sent: {strange[:5]}")
    for one in (*log.given_up, *log.open.values()):
        if (present := sum(label in there for label in one.labels)) not in (0, len(one.labels)):
            tell(f"fault {present} of {len(one.labels)} messages of {one.key} are there")
    for writer, batches in log.acknowledged.items():
        _ordered(writer, batches, stored, unsure, tell)


def _ordered(
    writer: str, batches: Sequence[Batch], stored: dict[str, list[Message]], unsure: set[str], tell: Tell
) -> None:
    """Each writer's messages stand in the order in which it sent them, word for word."""
    for talk, messages in stored.items():
        kept = [
            essence(one)
            for one in messages
            if any(
                label.startswith(f"{writer}.") and label not in unsure
                for label in LABEL.findall(essence(one))
            )
        ]
        sent = [essence(one) for batch in batches if batch.talk == talk for one in messages_of(batch)]
        if kept != sent:
            tell(
                f"fault the messages of {writer} in {talk} are not those that were sent: {len(kept)}, {len(sent)} sent"
            )


async def _agent_goes_on(engine: Engine, log: Log, tell: Tell, *, last: bool) -> None:
    """What was told is stored, each task was given once, and at the last the turn that was cut is taken up."""
    talk = engine.conversation("work")
    before = [one.message for one in await engine.store.messages(engine.owner, "work", 1, MESSAGES)]
    if len(before) < log.position:
        tell(f"fault {log.position} messages were stored, {len(before)} are")
    done = sum(message.role == "user" for message in before)
    if [one.text for one in before if one.role == "user"] != [
        TASK.format(number=n) for n in range(1, done + 1)
    ]:
        tell("fault the tasks are not those that were given, once each")
    if not last or not done:
        return
    agent = make_agent(engine, ScriptedModel([Fetcher(done)]), system="You fetch.", tools=[fetch, keep])
    said = await agent.answer(talk, TASK.format(number=done), key=f"turn {done}")
    after = [one.message for one in await engine.store.messages(engine.owner, "work", 1, MESSAGES)]
    calls = Counter(call.id for message in after for call in message.calls)
    results = Counter(result.call_id for message in after for result in message.results)
    if said != f"Task {done} is done." or after[: len(before)] != before:
        tell(f"fault the turn that was cut was not taken up: {said!r}")
    if calls != results:
        odd = sorted((calls - results) + (results - calls))
        tell(f"fault calls without a result, or results without a call: {odd[:5]}")
