"""Examining a database: sound whatever was done to it, and every damage is found and named."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import settings
from hypothesis.stateful import invariant, run_state_machine_as_test

from palimpsest.errors import IntegrityError
from palimpsest.record.health_report import Fault
from palimpsest.stores.sqlite import SqliteStore
from palimpsest.stores.sqlite.maintenance.check_rows import MESSAGES_PER_STEP
from tests.contract.kit import ANN, TALK, append, history, say
from tests.contract.test_model import Stores
from tests.effort import examples
from tests.stores.damage import examined, fill, filled, flip, raw


class Examined(Stores):
    """The stores' state machine, with an examination after every step."""

    @invariant()
    def nothing_is_found(self) -> None:
        """Whatever the store did itself is sound."""
        assert isinstance(self.store, SqliteStore)
        assert self.runner.run(self.store.keeper.check(None)).faults == ()


@pytest.mark.sampled
def test_whatever_a_store_does_leaves_nothing_to_complain_of() -> None:
    run_state_machine_as_test(Examined, settings=settings(parent=examples(12), stateful_step_count=20))


async def test_a_database_with_something_of_everything_is_sound(tmp_path: Path) -> None:
    health = await examined(await filled(tmp_path / "talks.db"))
    assert health.sound
    assert (health.conversations, health.branches, health.messages, health.summaries) == (3, 4, 19, 3)
    assert health.compactions == 5


DAMAGES = {
    "UPDATE message SET chain = X'00' WHERE id = 3": ("chain", "m3", False),
    "UPDATE message SET seq = 99 WHERE id = 12": ("chain", "m12", False),
    "DELETE FROM message WHERE id = 2": ("chain", "m3", False),
    "UPDATE message SET body = replace(body, 'number2', 'number9') WHERE id = 2": ("chain", "m2", False),
    "UPDATE message SET owner_id = 2 WHERE id = 4": ("reference", "m4", False),
    "UPDATE branch SET head_seq = 3 WHERE id = 1": ("branch", "", False),
    "UPDATE branch SET head_chain = X'01' WHERE id = 1": ("branch", "", True),
    "UPDATE branch SET tokens = 1 WHERE id = 1": ("branch", "", True),
    "UPDATE branch SET closed_seq = 900 WHERE id = 1": ("branch", "", False),
    "UPDATE branch SET fork_seq = 900 WHERE id = 2": ("branch", "", False),
    "UPDATE branch SET thinking_from = 7 WHERE id = 1": ("branch", "", True),
    "UPDATE conversation SET branch_id = 77 WHERE id = 1": ("branch", "", False),
    "DELETE FROM summary WHERE id = 1": ("summary", "s3", False),
    "DELETE FROM summary_source WHERE summary_id = 1 AND place = 1": ("summary", "s1", False),
    "UPDATE summary SET first_seq = 2 WHERE id = 1": ("summary", "s1", False),
    "UPDATE summary SET last_seq = 900 WHERE id = 3": ("summary", "s3", False),
    "UPDATE summary SET message_tokens = 1 WHERE id = 1": ("summary", "s1", True),
    "DELETE FROM item WHERE standing = 1": ("window", "", True),
    "UPDATE item SET last_seq = 7 WHERE id = 's3'": ("window", "", True),
    "UPDATE item SET note = 'another' WHERE kind = 'stub'": ("window", "", True),
    "DELETE FROM compaction WHERE id = 1": ("window", "", False),
    "UPDATE compaction SET replaced = '[\"m1\"]' WHERE id = 1": ("window", "", False),
    "INSERT INTO message_index (message_index) VALUES ('delete-all')": ("index", "m1", True),
    "INSERT INTO summary_index (summary_index) VALUES ('delete-all')": ("index", "s1", True),
    "INSERT INTO word_index (word_index) VALUES ('delete-all')": ("index", "", True),
    "INSERT INTO message_index (rowid, scope, body) VALUES (3, 'o1', 'planted')": ("index", "m3", True),
    "DELETE FROM word WHERE word = 'number3'": ("index", "", True),
    "UPDATE word SET stem = 'other' WHERE word = 'edited'": ("index", "", True),
    "UPDATE vector SET body = X'0000'": ("index", "m1", True),
    "DELETE FROM owner WHERE name = 'bob'": ("reference", "", False),
}


@pytest.mark.parametrize("script", DAMAGES)
async def test_every_damage_is_found_and_named(tmp_path: Path, script: str) -> None:
    path = await filled(tmp_path / "talks.db")
    with raw(path) as connection:
        connection.executescript(script)
    health = await examined(path)
    assert not health.sound
    assert DAMAGES[script] in {(one.kind, one.id, one.repairable) for one in health.faults}
    assert all(one.text for one in health.faults)


FLIPS = {
    b"message number2": ("row", "m2"),
    b"Be brief.": ("row", ""),
    b"short 1": ("row", "s1"),
    b"a test asked for it": ("row", ""),
    b"see m8": ("row", "x1"),
    b'message number3","m3': ("row", "p1"),
    b"somehow": ("kept", ""),
    b'"secrets"': ("kept", ""),
    b'"calls":1': ("kept", ""),
    b"spent_by_conversation": ("file", ""),
    b"mark-of-usage": ("kept", ""),
}


@pytest.mark.parametrize("text", FLIPS)
async def test_a_byte_that_changed_on_disk_is_found_wherever_it_stands(tmp_path: Path, text: bytes) -> None:
    path = await filled(tmp_path / "talks.db")
    flip(path, text, to=text[:-1] + bytes((text[-1] ^ 1,)))
    faults = {(one.kind, one.id) for one in (await examined(path)).faults}
    assert FLIPS[text] in faults


async def test_a_changed_byte_is_never_read_as_what_was_said(tmp_path: Path) -> None:
    path = await filled(tmp_path / "talks.db")
    flip(path, b"message number2", to=b"message number4")
    store = await SqliteStore.open(path)
    with pytest.raises(IntegrityError, match="m2 is damaged") as caught:
        await history(store)
    assert "verify" in caught.value.hint
    assert [one.id for one in await store.messages(ANN, TALK, 3, 5)] == ["m3", "m4", "m5"]
    await store.close()


async def test_one_conversation_can_be_examined_by_itself(tmp_path: Path) -> None:
    path = await filled(tmp_path / "talks.db")
    with raw(path) as connection:
        connection.execute("UPDATE message SET chain = X'00' WHERE id = 3")
    store = await SqliteStore.open(path)
    one = await store.keeper.check(ANN, TALK)
    other = await store.keeper.check(ANN, "other")
    await store.close()
    assert {fault.conversation for fault in one.faults} == {TALK}
    assert (other.sound, other.conversations, other.indexed) == (True, 1, False)


async def test_what_is_wrong_with_others_data_is_counted_and_not_told(tmp_path: Path) -> None:
    path = await filled(tmp_path / "talks.db")
    with raw(path) as connection:
        connection.execute("UPDATE message SET chain = X'00' WHERE id = 3")
    of_bob = await examined(path, owner="bob")
    assert (of_bob.faults, of_bob.sound) == ((), False)
    assert of_bob.elsewhere == 1
    assert of_bob.messages == 3
    of_all = await examined(path)
    assert of_all.faults[0] == Fault(
        "chain", "its hash does not follow from what it says and the message before", TALK, "m3"
    )  # fmt: skip


async def test_how_far_it_is_is_told_within_a_conversation(tmp_path: Path) -> None:
    store = await SqliteStore.open(tmp_path / "talks.db")
    await append(store, [say(f"tide {number}") for number in range(2 * MESSAGES_PER_STEP + 5)])
    told: list[tuple[str, int, int]] = []
    whole = 2 * MESSAGES_PER_STEP + 5
    await store.keeper.check(None, indexes=False, step=lambda *step: told.append(step))
    await store.keeper.export(
        ANN, tmp_path / "all.jsonl", made_at="", now_s=0.0, step=lambda *step: told.append(step)
    )
    steps = [("messages", done, whole) for done in (0, MESSAGES_PER_STEP, 2 * MESSAGES_PER_STEP)]
    assert [one for one in told if one[0] == "messages"] == [*steps, *steps]
    await store.close()


async def test_examining_reads_one_moment_and_holds_nobody_up(tmp_path: Path) -> None:
    store = await SqliteStore.open(tmp_path / "talks.db")
    await fill(store)
    steps: list[str] = []
    health = await store.keeper.check(None, step=lambda what, _done, _of: steps.append(what))
    assert health.sound
    assert {"pages", "messages", "messages to index"} <= set(steps)
    await store.close()
