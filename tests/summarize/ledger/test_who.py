"""Who the assistant is, and who the user: blocks that say it outlive their messages."""

from __future__ import annotations

import pytest

import palimpsest
from palimpsest.record.message import Message, Text
from palimpsest.summarize.ledger.entries import Ledger
from palimpsest.summarize.ledger.reading import update
from palimpsest.summarize.ledger.said import WHO_CHARS
from tests.summarize.dialogues import assistant, call, result, user

SELF = "<self>I am Skerry, dry and exact.</self>"
PROFILE = "<profile>The user is called Kim and likes short answers.</profile>"


def rules(*messages: Message) -> list[str]:
    ledger = Ledger()
    for at, message in enumerate(messages, start=1):
        update(ledger, message, at)
    return [entry.text for entry in ledger.of("rule").values()]


def test_blocks_of_who_somebody_is_hold_on_like_rules() -> None:
    ledger = update(Ledger(), user(f"{SELF}\n{PROFILE}\nMeasure the berths."), 1)
    assert [entry.text for entry in ledger.of("rule").values()] == [SELF, PROFILE]
    assert [entry.text for entry in ledger.of("request").values()] == ["Measure the berths."]


def test_the_newest_block_of_a_name_takes_the_place_of_the_one_before() -> None:
    later = Message("assistant", (Text("Noted.\n<Self>\nI am Skerry,\nand cheerful.\n</Self>"),))
    assert rules(user(f"{SELF} {PROFILE} Hello."), later) == [
        PROFILE,
        "<self>I am Skerry, and cheerful.</self>",
    ]


def test_a_long_block_is_cut_and_an_empty_one_takes_the_old_one_away() -> None:
    (long,) = rules(user(f"<identity>{'word ' * 600}</identity>"))
    assert len(long) <= WHO_CHARS + len("<identity></identity>")
    assert rules(user(SELF), user("<self> </self>")) == []


@pytest.mark.parametrize(
    "message",
    [
        result("c1", SELF),
        assistant("", call("c1", "write", text=SELF)),
        user("<profile>\n  <id>dev</id>\n</profile>"),
        user("<self>I never end"),
        user("<selfish>me</selfish>"),
    ],
)
def test_neither_tools_nor_elements_of_a_build_say_who_somebody_is(message: Message) -> None:
    assert not any("</" in rule for rule in rules(message))


@pytest.mark.parametrize("preset", ["picoclaw", "hermes", "default"])
async def test_blocks_stand_in_the_window_after_many_compactions_without_a_model(preset: str) -> None:
    async with palimpsest.open(":memory:", preset=preset, window_tokens=8_000, max_tokens=500) as engine:
        talk = engine.conversation("c")
        await talk.append({"role": "user", "content": "Hello."}, {"role": "assistant", "content": "Hello."})
        await talk.append({"role": "user", "content": f"{SELF}\n{PROFILE}\nMeasure the berths."})
        for berth in range(40):
            measured = f"Berth {berth} is {berth * 7} cm deep at the mole, where the lamp burns. " * 20
            await talk.append({"role": "assistant", "content": measured})
            await talk.append({"role": "user", "content": f"Then berth {berth + 1}, please."})
            request = await talk.request(system="You measure.")
            await talk.end_turn()
        shown = str(request.openai())
        assert len(await engine.store.compactions(talk.owner, talk.id)) > 2
        assert SELF in shown
        assert PROFILE in shown
