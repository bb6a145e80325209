"""What is forgotten is gone from everything a store gives, stays gone, and leaves all else as it was."""

from __future__ import annotations

import json

import pytest

from palimpsest.errors import NotFound, StaleCommit
from palimpsest.ports import Store
from palimpsest.record.forgetting import FORGOTTEN_TEXT, Rewritten, is_blank
from palimpsest.record.message import Message, Text, ToolCall, ToolResult
from palimpsest.record.pin import Pin, Quote
from palimpsest.record.window_items import OmittedItem, SummaryItem
from tests.contract.kit import (
    ANN,
    NOW_S,
    TALK,
    append,
    branch_of,
    chained,
    commit,
    compact,
    counted,
    dialogue,
    found,
    history,
    ids,
    say,
    stubbed,
    summarized,
    sync,
    texts,
    window_of,
)

BOB = "bob"
SECRET = "zebra4711"


def with_tools(place: int) -> list[Message]:
    """A request, a call with its result and the answer."""
    call = ToolCall(f"call{place}", "read", json.dumps({"path": f"/src/file{place}.py"}))
    result = ToolResult(f"call{place}", (Text(f"content{place} of the file"),))
    return [
        say(f"request{place}"),
        Message("assistant", (Text(f"looking{place}"), call)),
        Message("tool", (result,)),
        say(f"answer{place}", "assistant"),
    ]


async def test_a_forgotten_message_is_gone_and_its_place_stays(store: Store) -> None:
    await append(store, dialogue("first", SECRET, "third"))
    erased = await store.forgetting.forget(ANN, TALK, ["m2"], {})
    assert erased.messages == 1
    assert await texts(store) == ["first", FORGOTTEN_TEXT, "third"]
    assert await ids(store) == ["m1", "m2", "m3"]
    assert chained(await history(store))
    assert await found(store, SECRET) == set()
    assert await found(store, "NOT third") == {"m1"}
    assert await found(store, "%ebra47%") == set()
    assert await found(store, "third") == {"m3"}


async def test_what_comes_after_something_forgotten_goes_on_from_it(store: Store) -> None:
    await append(store, dialogue("first", SECRET))
    await store.forgetting.forget(ANN, TALK, ["m2"], {})
    await append(store, [say("more")])
    assert await texts(store) == ["first", FORGOTTEN_TEXT, "more"]
    assert chained(await history(store))


async def test_a_history_sent_again_brings_nothing_back(store: Store) -> None:
    said = dialogue("first", SECRET, "third", "fourth")
    await sync(store, said)
    await store.forgetting.forget(ANN, TALK, ["m2"], {})
    done = await sync(store, [*said, say("fifth")])
    assert (done.added, done.forked) == (1, False)
    assert await texts(store) == ["first", FORGOTTEN_TEXT, "third", "fourth", "fifth"]
    assert await store.match(ANN, TALK, said) == 4
    resolved = await store.resolve(ANN, said)
    assert resolved is not None
    assert (resolved[0], resolved[2]) == (TALK, 4)


async def test_something_else_said_at_a_forgotten_place_is_kept(store: Store) -> None:
    said = dialogue("first", "well", SECRET)
    await sync(store, said)
    await store.forgetting.forget(ANN, TALK, ["m3"], {})
    done = await sync(store, [*said[:2], say("the same without a secret")])
    assert (done.added, done.forked) == (1, True)
    assert await texts(store) == ["first", "well", "the same without a secret"]


async def test_a_message_is_known_again_by_its_source_s_id_when_it_has_grown(store: Store) -> None:
    await sync(store, [say("first"), say(SECRET, "assistant", growing=True, origin="line-2")])
    await store.forgetting.forget(ANN, TALK, ["m2"], {})
    done = await sync(
        store, [say("first"), say(f"{SECRET} and more", "assistant", origin="line-2"), say("go")]
    )
    assert (done.added, done.forked) == (1, False)
    assert await texts(store) == ["first", FORGOTTEN_TEXT, "go"]


async def test_a_tool_group_goes_whole(store: Store) -> None:
    await append(store, [*with_tools(1), *with_tools(2)])
    reach = await store.forgetting.reach(ANN, TALK, ["m3"])
    assert (reach.messages, reach.asked) == (("m2", "m3"), 1)
    await store.forgetting.forget(ANN, TALK, ["m3"], {})
    stored = await history(store)
    assert [one.seq for one in stored if is_blank(one.message)] == [2, 3]
    assert [one.message.calls[0].name for one in stored if one.message.calls] == ["read"]
    assert await found(store, "content1") == await found(store, "file1") == set()
    assert await found(store, "content2") == {"m7"}


async def test_the_same_message_on_another_branch_goes_too(store: Store) -> None:
    await sync(store, dialogue("first", "second", SECRET, "fourth"))
    await sync(store, dialogue("first changed", "second", SECRET, "other"))
    assert len(await found(store, SECRET)) == 2
    erased = await store.forgetting.forget(ANN, TALK, ["m3"], {})
    assert (erased.messages, erased.branches) == (2, 2)
    assert await found(store, SECRET) == set()
    await sync(store, dialogue("first", "second", SECRET, "fourth"))
    assert await texts(store) == ["first", "second", FORGOTTEN_TEXT, "fourth"]
    assert await found(store, SECRET) == set()


async def test_forgotten_messages_side_by_side_stand_as_one_line(store: Store) -> None:
    await append(store, dialogue("first", SECRET, SECRET + "x", "fourth"))
    await store.forgetting.forget(ANN, TALK, ["m2", "m3"], {})
    items = (await window_of(store)).items
    assert [(item.first, item.last) for item in items] == [(1, 1), (2, 3), (4, 4)]
    assert isinstance(items[1], OmittedItem)
    assert items[1].note == "[2 messages forgotten here.]"


async def test_a_stub_of_a_forgotten_message_says_nothing_of_it(store: Store) -> None:
    await append(store, with_tools(1))
    await commit(store, stubbed(await window_of(store), 3))
    await store.forgetting.forget(ANN, TALK, ["m2"], {})
    window = await window_of(store)
    assert "see m3" not in str(window)
    assert [(item.first, item.last) for item in window.items] == [(1, 1), (2, 3), (4, 4)]


async def test_summaries_over_it_are_rewritten_or_emptied(store: Store) -> None:
    await append(store, dialogue("a", "b", "c", "d", "e", "f"))
    first = await compact(store, 1, 2, text=f"about {SECRET}", tokens=90)
    await compact(store, 3, 4, text="about c and d", tokens=90)
    whole = await compact(store, 1, 4, text=f"all about {SECRET}", tokens=80)
    given = {whole.id: Rewritten(whole.id, "all but one", 70)}
    erased = await store.forgetting.forget(ANN, TALK, ["m2"], given)
    assert (erased.rebuilt, erased.emptied) == ((whole.id,), (first.id,))
    (item, *_) = (await window_of(store)).items
    assert isinstance(item, SummaryItem)
    assert (item.summary.text, item.tokens, item.summary.sources) == ("all but one", 70, whole.sources)
    assert await found(store, SECRET) == set()
    assert await found(store, "but") == {whole.id}


async def test_a_later_summary_that_repeats_what_only_a_forgotten_message_said_goes_with_it(
    store: Store,
) -> None:
    await append(
        store, dialogue(f"meet at {SECRET}", "good", "third harbour", "fourth", "fifth harbour", "good")
    )
    early = await compact(store, 1, 2, text=f"meeting at {SECRET}", tokens=90)
    echo = await compact(store, 3, 4, text=f"after {SECRET} the third harbour", tokens=90)
    other = await compact(store, 5, 6, text="meet at the fifth harbour, good", tokens=90)
    await append(store, [say("Shall we meet at noon?")])
    assert (await store.forgetting.reach(ANN, TALK, ["m1"])).summaries == (early, echo)
    given = {echo.id: Rewritten(echo.id, "the third harbour", 70)}
    erased = await store.forgetting.forget(ANN, TALK, ["m1"], given)
    assert (erased.rebuilt, erased.emptied) == ((echo.id,), (early.id,))
    assert await found(store, SECRET) == set()
    assert await found(store, '"fifth harbour"') == {"m5", other.id}


async def test_what_has_no_spaces_between_words_is_known_in_pins_and_later_summaries_too(
    store: Store,
) -> None:
    secret = "朝阳区建国路八十八号"
    await append(store, dialogue(f"我住在{secret}，请记住", "好的，记住了", "今天下雨吗？", "今天不下雨"))
    await compact(store, 1, 2, text=f"用户住在{secret}", tokens=90)
    echo = await compact(store, 3, 4, text=f"住{secret}的用户问今天下雨吗", tokens=90)
    pins = [Pin("", (Quote(text),), "", 9, NOW_S) for text in (f"地址：{secret}", "用中文回答今天的问题")]
    kept = [await store.pin(ANN, TALK, pin) for pin in pins]
    erased = await store.forgetting.forget(ANN, TALK, ["m1"], {})
    assert echo.id in erased.emptied
    assert erased.pins == (kept[0].id,)
    assert await found(store, "建国路") == set()
    assert await found(store, "下雨") == {"m3", "m4"}


async def test_a_rewritten_summary_that_is_longer_is_not_taken(store: Store) -> None:
    await append(store, dialogue("a", "b", "c"))
    made = await compact(store, 1, 2, text=f"about {SECRET}", tokens=90)
    longer = {made.id: Rewritten(made.id, "longer", 91)}
    assert (await store.forgetting.forget(ANN, TALK, ["m2"], longer)).emptied == (made.id,)
    assert "longer" not in str(await window_of(store))


async def test_what_was_read_before_a_forgetting_is_not_committed_after_it(store: Store) -> None:
    await append(store, dialogue("a", SECRET, "c", "d"))
    window, branch = await window_of(store), await store.branch(ANN, TALK)
    assert branch is not None
    made = summarized(window, 3, 4)
    stale = type(made)(made.item, made.compaction, branch.version)
    await store.forgetting.forget(ANN, TALK, ["m2"], {})
    with pytest.raises(StaleCommit, match="deleted"):
        await store.commit(ANN, TALK, branch.id, stale)
    await store.save_ledger(ANN, TALK, branch.id, f'"{SECRET}"', branch.version)
    assert await store.ledger(ANN, TALK, branch.id) == ""


async def test_the_title_that_takes_the_place_of_a_forgotten_one_holds_no_secret(store: Store) -> None:
    await append(store, [say("hello"), say("Hi.", "assistant"), say("DB_PASSWORD=hunter2-Tern-88 opens it")])
    await store.forgetting.forget(ANN, TALK, ["m1"], {})
    await append(store, [say("go on")])
    (row,) = await store.conversations(ANN)
    assert row.title.startswith("DB_PASSWORD=[secret:")
    assert "hunter2" not in row.title


async def test_pins_keys_ledger_usage_and_title_go_with_it(store: Store) -> None:
    await store.append(ANN, TALK, counted(dialogue(f"{SECRET} is the word", "yes")), key="k1", now_s=NOW_S)
    await append(store, dialogue("go on", "well"))
    branch = await branch_of(store)
    await store.save_ledger(ANN, TALK, branch.id, f'"{SECRET}"')
    quoting = await store.pin(ANN, TALK, Pin("", (Quote(SECRET, "m1", "user"),), "", 5, NOW_S))
    copied = await store.pin(ANN, TALK, Pin("", (Quote(f"{SECRET} is"),), "", 5, NOW_S))
    other = await store.pin(ANN, TALK, Pin("", (Quote("well"),), "", 5, NOW_S))
    erased = await store.forgetting.forget(ANN, TALK, ["m1"], {})
    assert set(erased.pins) == {quoting.id, copied.id}
    assert [pin.id for pin in await store.pins(ANN, TALK)] == [other.id]
    assert await store.ledger(ANN, TALK, branch.id) == ""
    assert (await store.conversations(ANN))[0].title == "go on"
    again = await store.append(ANN, TALK, counted(dialogue("new words")), key="k1", now_s=NOW_S)
    assert not again.repeated


@pytest.mark.parametrize(
    "said, pinned",
    [
        ("The wifi password is tuinhekje.", "wifi: Tuinhekje"),
        ("my mother's maiden name is Grabowski", "maiden name GRABOWSKI"),
        ("my diagnosis is leukaemia", "Diagnosis: leukaemia"),
        ("my diagnosis is HIV", "status: hiv"),
        ("call me at 030-1234567", "phone 0301234567"),
        ("mail bob@ex.org", "BOB@EX.ORG is the address"),
    ],
)
async def test_a_pin_that_says_what_only_a_forgotten_message_said_goes_with_it(
    store: Store, said: str, pinned: str
) -> None:
    await append(store, dialogue("Answer in short sentences.", "I will.", said, "Noted."))
    repeating = await store.pin(ANN, TALK, Pin("", (Quote(pinned),), "", 9, NOW_S))
    other = await store.pin(ANN, TALK, Pin("", (Quote("short sentences, noted"),), "", 9, NOW_S))
    assert (await store.forgetting.reach(ANN, TALK, ["m2"])).pins == ()
    assert (await store.forgetting.reach(ANN, TALK, ["m3"])).pins == (repeating.id,)
    assert (await store.forgetting.forget(ANN, TALK, ["m3"], {})).pins == (repeating.id,)
    assert [pin.id for pin in await store.pins(ANN, TALK)] == [other.id]


async def test_a_pin_stays_where_a_message_that_stays_says_the_same_and_no_other_conversation_counts(
    store: Store,
) -> None:
    await append(store, dialogue("Dial 030-1234567.", "Dialled.", "Again: (030) 1234567!", "Done."))
    await append(store, dialogue("Dial 030-1234567."), talk="other")
    pin = await store.pin(ANN, TALK, Pin("", (Quote("030 1234567"),), "", 9, NOW_S))
    assert (await store.forgetting.forget(ANN, TALK, ["m1"], {})).pins == ()
    assert (await store.forgetting.forget(ANN, TALK, ["m3"], {})).pins == (pin.id,)


async def test_forgetting_twice_or_what_is_unknown_changes_nothing(store: Store) -> None:
    await append(store, dialogue("first", SECRET))
    await store.forgetting.forget(ANN, TALK, ["m2"], {})
    before = await store.branch(ANN, TALK)
    assert (await store.forgetting.forget(ANN, TALK, ["m2", "m99", "s1", "x"], {})).messages == 0
    assert await store.branch(ANN, TALK) == before
    with pytest.raises(NotFound):
        await store.forgetting.forget(ANN, "nowhere", ["m2"], {})


async def test_a_forgotten_conversation_leaves_nothing_but_that_its_name_is_known_again(store: Store) -> None:
    await append(store, dialogue(SECRET, "well"))
    await append(store, dialogue("kept", "as well"), talk="other")
    await compact(store, 1, 2, text=f"about {SECRET}", tokens=20)
    await store.enqueue(ANN, TALK, "leaf", now_s=NOW_S)
    assert (await store.forgetting.forget_conversation(ANN, TALK)).messages == 2
    assert [row.name for row in await store.conversations(ANN)] == ["other"]
    assert await store.branch(ANN, TALK) is None
    assert await store.pending(ANN) == []
    assert await found(store, SECRET, talk=None) == set()
    assert await found(store, "well", talk=None) == {"m4"}
    assert await store.forgetting.was_forgotten(ANN, TALK)
    assert not await store.forgetting.was_forgotten(ANN, "other")
    assert not await store.forgetting.was_forgotten(BOB, TALK)
    await store.forgetting.take_back(ANN, TALK)
    assert not await store.forgetting.was_forgotten(ANN, TALK)


async def test_a_conversation_of_the_same_name_begins_anew(store: Store) -> None:
    await append(store, dialogue(SECRET, "well"))
    assert await store.branch(ANN, TALK) is not None
    assert await found(store, SECRET) == {"m1"}
    await store.forgetting.forget_conversation(ANN, TALK)
    await append(store, dialogue("new", "words"), talk="another")
    await append(store, dialogue("hello"))
    assert await texts(store) == ["hello"]
    assert await store.branch(ANN, TALK) is not None
    assert await found(store, "hello") == {"m5"}
    assert await texts(store, talk="another") == ["new", "words"]
    assert await ids(store) == ["m5"]


async def test_everything_of_an_owner_goes_and_nothing_of_others(store: Store) -> None:
    for owner in (ANN, BOB):
        await append(store, dialogue(f"{owner} said", SECRET), owner=owner)
    assert (await store.forgetting.forget_owner(ANN)).messages == 2
    assert await store.conversations(ANN) == []
    assert not await store.forgetting.was_forgotten(ANN, TALK)
    assert await texts(store, owner=BOB) == ["bob said", SECRET]
    assert await found(store, SECRET, owner=BOB) == {"m4"}
    await append(store, dialogue("again"))
    assert await texts(store) == ["again"]
    assert await found(store, "again", talk=None) == {"m5"}


async def test_nobody_forgets_what_is_another_s(store: Store) -> None:
    await append(store, dialogue("first", SECRET))
    await append(store, dialogue("mine"), owner=BOB)
    assert (await store.forgetting.reach(BOB, TALK, ["m1", "m2"])).messages == ()
    assert (await store.forgetting.forget(BOB, TALK, ["m2"], {})).messages == 0
    await store.forgetting.forget_conversation(BOB, TALK)
    with pytest.raises(NotFound):
        await store.forgetting.forget_conversation(BOB, TALK)
    await store.forgetting.forget_owner(BOB)
    assert await texts(store) == ["first", SECRET]
    assert await store.forgetting.weights(BOB) == []


async def test_copies_are_known_until_they_are_dropped_and_grow_stale(store: Store) -> None:
    await append(store, dialogue("first", SECRET))
    note = store.forgetting.note_copy
    await note(ANN, TALK, "session", "/files/talk.jsonl", now_s=NOW_S)
    await note("", "", "backup", "/files/backup.db", now_s=NOW_S)
    await append(store, dialogue("mine"), owner=BOB)
    await note(BOB, TALK, "export", "/files/bob.jsonl", now_s=NOW_S)
    await store.forgetting.forget(ANN, TALK, ["m2"], {})
    known = await store.forgetting.copies(ANN)
    assert [(one.kind, one.path, one.conversation, one.stale) for one in known] == [
        ("session", "/files/talk.jsonl", TALK, True),
        ("backup", "/files/backup.db", "", False),
    ]
    await note(ANN, TALK, "session", "/files/talk.jsonl", now_s=NOW_S)
    assert not any(one.stale for one in await store.forgetting.copies(ANN))
    await store.forgetting.drop_copy("/files/talk.jsonl")
    assert [one.kind for one in await store.forgetting.copies(ANN)] == ["backup"]


async def test_weights_begin_with_what_changed_longest_ago(store: Store) -> None:
    for age, name in enumerate(("new", "old")):
        await store.append(ANN, name, counted(dialogue(f"{name} words" * 50)), now_s=NOW_S - age * 1_000)
    weights = await store.forgetting.weights(ANN)
    assert [(one.conversation, one.updated_s) for one in weights] == [("old", NOW_S - 1_000), ("new", NOW_S)]
    assert all(400 < one.size_bytes < 1_000 for one in weights)


async def test_reasoning_that_is_bound_to_the_old_prefix_is_no_longer_sent(store: Store) -> None:
    await append(store, dialogue("a", SECRET, "c", "d", "e", "f"))
    await store.forgetting.forget(ANN, TALK, ["m2"], {})
    assert (await window_of(store)).thinking_from == 5


async def test_a_summary_made_again_changes_the_prefix_as_well(store: Store) -> None:
    await append(store, dialogue("a", SECRET, "c", "d"))
    made = await compact(store, 1, 2, text="first", tokens=90)
    await store.forgetting.forget(ANN, TALK, ["m2"], {made.id: Rewritten(made.id, "second", 80)})
    window = await window_of(store)
    assert (window.thinking_from, window.items[0].id, window.items[0].tokens) == (3, made.id, 80)
    records = await store.compactions(ANN, TALK)
    assert [(one.replaced, one.item_id, one.after_tokens) for one in records] == [
        (("m1", "m2"), made.id, 80),
        ((made.id,), made.id, 80),
    ]
