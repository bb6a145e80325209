"""What calls cost is kept for each branch and summed up for each conversation, model and kind, in every store."""

from __future__ import annotations

from dataclasses import replace

from palimpsest.ports import Counted, ReportedUsage, Store
from palimpsest.record.message import Usage
from palimpsest.record.spending import Account, Meter, Payment, Spending, Spent
from tests.contract.kit import ANN, TALK, append, branch_of, say

ACCOUNT = Account(
    Meter(1.5, 0.25, 900.0, 1_200.0), "mödel", 1_800_000_000.0, 5_000, 9_000, 3, 1_200, 0.5, 0.75
)
CALL = Spent("reply", "mödel", 1_800_000_000.0, 5_000, 4_000, 900, 200, 0.0125, 0.02, 1_700.0)


async def test_an_account_is_given_back_as_it_was_kept(store: Store) -> None:
    await append(store, [say("a")])
    branch = await branch_of(store)
    assert await store.account(ANN, TALK, branch.id) is None
    await store.save_account(ANN, TALK, Payment(branch.id, ACCOUNT))
    assert await store.account(ANN, TALK, branch.id) == ACCOUNT
    later = replace(ACCOUNT, calls=4)
    await store.save_account(ANN, TALK, Payment(branch.id, later, (CALL,)))
    assert await store.account(ANN, TALK, branch.id) == later
    assert await store.spent(ANN, TALK) == [CALL]


async def test_sums_are_by_conversation_model_and_kind(store: Store) -> None:
    for talk in ("talk", "other"):
        await append(store, [say("a")], talk=talk)
        branch = await store.branch(ANN, talk)
        assert branch is not None
        summary = replace(CALL, kind="summary", reported=False, assumed=True)
        await store.save_account(
            ANN, talk, Payment(branch.id, ACCOUNT, (CALL, summary, replace(CALL, cost=0.5)))
        )
    found = await store.spending(ANN)
    assert [(one.conversation, one.kind) for one in found] == [
        ("talk", "reply"), ("talk", "summary"), ("other", "reply"), ("other", "summary"),
    ]  # fmt: skip
    assert found[0] == Spending(
        "talk", "mödel", "reply", 2, 10_000, 8_000, 1_800, 400, 0.5125, 0.04, 3_400.0, 0, assumed=False
    )
    assert (found[1].calls, found[1].unreported, found[1].assumed) == (1, 1, True)


async def test_only_the_newest_calls_are_given_where_so_many_were_asked_for(store: Store) -> None:
    await append(store, [say("a")])
    branch = await branch_of(store)
    calls = [replace(CALL, input_tokens=size) for size in (1, 2, 3)]
    await store.save_account(ANN, TALK, Payment(branch.id, ACCOUNT, tuple(calls)))
    assert await store.spent(ANN, TALK, 2) == calls[1:]


async def test_nobody_else_learns_what_was_spent(store: Store) -> None:
    await append(store, [say("a")])
    await append(store, [say("a")], owner="ben")
    branch = await branch_of(store)
    await store.save_account(ANN, TALK, Payment(branch.id, ACCOUNT, (CALL,)))
    assert await store.account("ben", TALK, branch.id) is None
    assert await store.spent("ben", TALK) == []
    assert await store.spending("ben") == []
    await store.save_account("ben", TALK, Payment(branch.id, replace(ACCOUNT, calls=99)))
    assert await store.account(ANN, TALK, branch.id) == ACCOUNT


async def test_what_was_paid_for_is_kept_with_messages_and_with_reports(store: Store) -> None:
    await append(store, [say("a")])
    branch = await branch_of(store)
    first = Payment(branch.id, ACCOUNT, (CALL,))
    await store.append(ANN, TALK, [Counted(say("b"), 3)], payment=first, now_s=2.0)
    assert (await store.account(ANN, TALK, branch.id), await store.spent(ANN, TALK)) == (ACCOUNT, [CALL])
    later = replace(ACCOUNT, calls=4)
    reported = ReportedUsage(Usage(9, 1), 9, "mark", 2, "m")
    await store.record_usage(ANN, TALK, branch.id, reported, payment=Payment(branch.id, later, (CALL,)))
    assert (await store.account(ANN, TALK, branch.id), await store.spent(ANN, TALK)) == (later, [CALL, CALL])


async def test_an_append_told_twice_keeps_what_was_paid_for_before_the_second(store: Store) -> None:
    await store.append(ANN, TALK, [Counted(say("a"), 3)], key="one", now_s=1.0)
    branch = await branch_of(store)
    payment = Payment(branch.id, ACCOUNT, (CALL,))
    done = await store.append(ANN, TALK, [Counted(say("a"), 3)], key="one", payment=payment, now_s=2.0)
    assert done.repeated
    assert await store.spent(ANN, TALK) == [CALL]


async def test_what_two_who_write_at_once_have_paid_is_added_up(store: Store) -> None:
    await append(store, [say("a")])
    branch = await branch_of(store)
    await store.save_account(ANN, TALK, Payment(branch.id, ACCOUNT))
    mine = replace(
        ACCOUNT,
        meter=Meter(2.0, 0.5, 1_000.0, 1_500.0),
        calls=4,
        output_tokens=1_300,
        cost=0.75,
        never_cost=1.5,
    )
    later = replace(ACCOUNT, time_s=ACCOUNT.time_s + 5, prompt_tokens=6_000)
    theirs = replace(
        later,
        meter=Meter(3.0, 0.0, 950.0, 1_250.0),
        calls=5,
        output_tokens=1_250,
        cost=1.0,
        never_cost=1.0,
    )
    for account in (mine, theirs):
        await store.save_account(ANN, TALK, Payment(branch.id, account, (CALL,), since=ACCOUNT))
    assert await store.account(ANN, TALK, branch.id) == replace(
        theirs,
        meter=Meter(3.0, 0.0, 1_050.0, 1_550.0),
        calls=6,
        output_tokens=1_350,
        cost=1.25,
        never_cost=1.75,
    )
    assert len(await store.spent(ANN, TALK)) == 2


async def test_of_an_edited_history_what_the_edit_left_behind_is_given_once(store: Store) -> None:
    await append(store, [say("a"), say("b"), say("c")])
    first = [one.id for one in await store.messages(ANN, TALK, 1, 3)]
    assert await store.left_behind(ANN, TALK) == []
    for history in (["a", "x"], ["a", "x", "y"], ["a", "b", "z"]):
        counted = [Counted(say(text), 1) for text in history]
        await store.sync(ANN, TALK, counted, now_s=0.0)
    said = [one.message.text for one in await store.messages(ANN, TALK, 1, 9)]
    assert said == ["a", "b", "z"]
    behind = await store.left_behind(ANN, TALK)
    assert sorted(one.message.text for one in behind) == ["c", "x", "y"]
    assert first[2] in {one.id for one in behind}
    assert await store.left_behind("ben", TALK) == await store.left_behind(ANN, "none") == []
