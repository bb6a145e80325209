"""The current branch as requests ask for it: what is remembered of it never outlasts a change, whoever made that."""

from __future__ import annotations

from pathlib import Path

from palimpsest.stores.sqlite import SqliteStore
from palimpsest.stores.sqlite.branch_cache import BranchCache
from tests.contract.kit import ANN, TALK, append, branch_of, dialogue, sync


async def test_what_another_process_changes_is_seen(tmp_path: Path) -> None:
    """It appends, rewinds to another branch, forgets a message, and then the conversation, which begins anew."""
    mine, other = [await SqliteStore.open(tmp_path / "talks.db") for _ in range(2)]
    await append(mine, dialogue("one", "two"))
    for change in (dialogue("one", "two", "three"), dialogue("one", "2"), dialogue("one", "2", "3")):
        before = await branch_of(mine)
        await sync(other, change)
        assert await branch_of(mine) == await branch_of(other) != before
    before = await branch_of(mine)
    await other.forgetting.forget(ANN, TALK, ["m1"], {})
    assert await branch_of(mine) == await branch_of(other) != before
    await other.forgetting.forget_conversation(ANN, TALK)
    assert await mine.branch(ANN, TALK) is None
    await append(other, dialogue("anew"))
    assert await branch_of(mine) == await branch_of(other)
    await mine.close()
    await other.close()


async def test_after_an_append_of_one_s_own_the_branch_is_what_the_file_says(tmp_path: Path) -> None:
    store = await SqliteStore.open(tmp_path / "talks.db")
    for place in range(4):
        await append(store, dialogue(f"message {place}"))
        remembered = await branch_of(store)
        fresh = BranchCache(str(tmp_path / "talks.db"))
        assert remembered == fresh.branch(ANN, TALK)
        fresh.close()
    await store.close()


async def test_another_owner_s_conversation_of_the_same_name_is_another(tmp_path: Path) -> None:
    store = await SqliteStore.open(tmp_path / "talks.db")
    await append(store, dialogue("mine"))
    await append(store, dialogue("yours", "indeed"), owner="bob")
    assert [(await store.branch(owner, TALK)).head.seq for owner in (ANN, "bob")] == [1, 2]  # pyright: ignore[reportOptionalMemberAccess]
    assert await store.branch("eve", TALK) is None
    await store.close()


async def test_a_bounded_number_of_branches_is_remembered(tmp_path: Path) -> None:
    store = await SqliteStore.open(tmp_path / "talks.db")
    branch_cache = BranchCache(str(tmp_path / "talks.db"), most=3)
    for place in range(5):
        await append(store, dialogue("hello"), talk=f"talk {place}")
    found = [branch_cache.branch(ANN, f"talk {place}") for place in range(5)]
    assert [one.conversation for one in found if one is not None] == [f"talk {place}" for place in range(5)]
    assert len(branch_cache._known) == 2
    branch_cache.close()
    await store.close()
