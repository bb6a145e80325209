"""Word search: every word must occur, nothing typed is an operator, and nothing outside the asked place is found."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from palimpsest.errors import UsageError
from palimpsest.ports import Store
from palimpsest.record.message import Media, Message, Reasoning, Text, ToolCall, ToolResult
from palimpsest.search.query import parse
from palimpsest.search.where import SearchScope, Where
from palimpsest.stores.memory import MemoryStore
from palimpsest.stores.sqlite import SqliteStore
from tests.contract.kit import (
    ANN,
    TALK,
    append,
    compact,
    dialogue,
    found,
    hits,
    numbered,
    say,
    sync,
)


async def search(
    store: Store, pattern: str, scope: SearchScope = "both", limit: int = 20
) -> tuple[int, list[str]]:
    """(total, ids in order) of what a pattern finds in the tests' conversation."""
    answer = await store.search(ANN, TALK, parse(pattern), where=Where(scope), limit=limit)
    return answer.total, [hit.id for hit in answer.hits]


@pytest.mark.parametrize(
    "pattern, expected",
    [
        ("timeout", {"m1", "m2"}),
        ("TIMEOUT", {"m1", "m2"}),
        ("timeout retry", {"m2"}),
        ("retry timeout", {"m2"}),
        ("timeouts", {"m1", "m2"}),
        ("connection", set()),
        ('"timeout while reading"', {"m1"}),
        ('"reading timeout"', set()),
        ("src/app/main.py", {"m3"}),
        ("app/main.py", {"m3"}),
        ("main.app", set()),
        ("a1b2c3d", {"m4"}),
        ("#4711", {"m4"}),
        ("café", {"m5"}),
        ("CAFE", {"m5"}),
    ],
)
async def test_words_phrases_and_paths_are_found(store: Store, pattern: str, expected: set[str]) -> None:
    await append(
        store,
        dialogue(
            "a timeout while reading the socket",
            "retry after every timeout",
            "I edited src/app/main.py and app/other.py",
            "commit a1b2c3d closes #4711",
            "the Café is open",
        ),
    )
    assert await found(store, pattern) == expected


@pytest.mark.parametrize(
    "pattern, expected",
    [
        ("缓存", {"m1"}),
        ("存失", {"m1"}),
        ("存缓", set()),
        ("失效 检查", {"m1"}),
        ("テスト", {"m2"}),
        ("スト", {"m2"}),
        ("파일", {"m3"}),
        ("파일 열어", {"m3"}),
    ],
)
async def test_parts_of_texts_without_spaces_are_found(
    store: Store, pattern: str, expected: set[str]
) -> None:
    await append(store, dialogue("请检查缓存失效的原因", "テストを直してください", "파일을열어 주세요"))
    assert await found(store, pattern) == expected


async def test_a_character_that_came_in_two_halves_is_found_whole(store: Store) -> None:
    await append(store, dialogue("before \ud840\udc0b after"))
    assert await found(store, "\U0002000b") == {"m1"}
    assert (await search(store, "before \U0002000b"))[0] == 1


async def test_everything_that_was_said_or_done_is_searched_but_reasoning_is_not(store: Store) -> None:
    call = ToolCall("call_1", "read_file", '{"path": "src/caf\\u00e9.py", "lines": [17, {"deep": "nested"}]}')
    await append(
        store,
        [
            Message("assistant", (Text("looking"), Reasoning("hidden musings"), call)),
            Message("tool", (ToolResult("call_1", (Text("def unusual_name(): pass"),)),)),
            Message("user", (Media("image", uri="https://example.org/diagram.png"), Text("see"))),
        ],
    )
    for pattern, expected in (
        ("looking", {"m1"}),
        ("read_file", {"m1"}),
        ("café.py", {"m1"}),
        ("nested", {"m1"}),
        ("17", {"m1"}),
        ("unusual_name", {"m2"}),
        ("diagram.png", {"m3"}),
        ("musings", set()),
    ):
        assert await found(store, pattern) == expected


@pytest.mark.parametrize(
    "pattern",
    [
        'say "hello', "a AND b", "NOT hello", "NEAR(hello world)", "hello*", "^hello", "body : hello", "{hello}",
        "(hello", "hello -world", "he\0llo", "hello \ud800", "\ud83d hello", "hello'; DROP TABLE message; --", "+hello",
        "scope:hello",
        'hello""world', "hello\\", "%hello_", "\ufffdhello", "hello\n\tworld",
    ],
)  # fmt: skip
async def test_nothing_that_is_typed_is_an_operator(store: Store, pattern: str) -> None:
    await append(store, [say(f"before {pattern} after"), say("something else entirely", "assistant")])
    assert await found(store, pattern) == {"m1"}
    assert await found(store, "else") == {"m2"}


async def test_a_quote_inside_a_word_is_a_space(store: Store) -> None:
    await append(store, dialogue('he said"yes"loudly'))
    assert await found(store, 'said"yes"') == {"m1"}
    assert await found(store, "loudly") == {"m1"}


async def test_the_inside_of_a_word_is_found_where_no_whole_word_is(store: Store) -> None:
    odd = 'a "quo\\ted" \n thing'
    await append(
        store, dialogue("commit 9f8e7d6c5b4a", "getUserAccountBalance()", "ÜBERGRÖSSE is Größe", odd)
    )
    assert await found(store, "8e7d6c") == {"m1"}
    assert await found(store, "useraccount") == {"m2"}
    assert await found(store, "UserAccount getUser") == {"m2"}
    assert await found(store, "bergrö") == {"m3"}
    assert await found(store, "useraccount 8e7d6c") == set()
    assert await found(store, '"ted hing"') == set()
    assert await found(store, "hin uo") == {"m4"}


async def test_the_inside_of_a_word_is_looked_for_in_one_conversation_only(store: Store) -> None:
    await append(store, dialogue("getUserAccountBalance()"))
    assert await found(store, "useraccount", talk=None) == set()
    answer = await search(store, "useraccount", scope="summary")
    assert answer == (0, [])


async def test_inner_words_are_found_newest_first_and_counted(store: Store) -> None:
    await append(store, dialogue("xabcdefx one", "none", "xabcdefx two", "xabcdefx three"))
    assert await search(store, "abcdef", limit=2) == (3, ["m4", "m3"])


async def test_the_inside_of_an_argument_is_found(store: Store) -> None:
    call = ToolCall("c", "run", '{"command": "echo \\"LongIdentifierHere\\" C:\\\\\\\\Temp"}')
    await append(store, [Message("assistant", (call,))])
    assert await found(store, "identifierh") == {"m1"}
    assert await found(store, 'o "LongIdent') == {"m1"}


async def test_hits_are_limited_and_all_of_them_counted(store: Store) -> None:
    await append(store, [say(f"needle {place}") for place in range(30)])
    total, few = await search(store, "needle", limit=7)
    assert (total, len(few), len(set(few))) == (30, 7, 7)
    assert len((await search(store, "needle", limit=100))[1]) == 30


async def test_messages_and_summaries_are_found_by_scope(store: Store) -> None:
    await append(store, [*dialogue("crimson tide", "blue"), *numbered(3, 6)])
    summary = await compact(store, 1, 4, text="about a crimson thing", tokens=11)
    assert await search(store, "crimson", "message") == (1, ["m1"])
    assert await search(store, "crimson", "summary") == (1, [summary.id])
    total, both = await search(store, "crimson", "both")
    assert (total, set(both)) == (2, {"m1", summary.id})


async def test_a_hit_says_what_it_is(store: Store) -> None:
    await append(
        store, [Message("tool", (ToolResult("c", (Text("crimson"),)),), time_s=123.5), *numbered(2, 4)]
    )
    (message,) = await hits(store, "crimson")
    assert (message.kind, message.conversation, message.role, message.time_s) == (
        "message",
        TALK,
        "tool",
        123.5,
    )
    assert (message.depth, message.text, message.tokens, message.covers) == (0, "crimson", 100, 1)
    summary = await compact(store, 1, 3, text="vermilion")
    await compact(store, 1, 4, text="scarlet", tokens=9)
    (leaf,), (deep,) = await hits(store, "vermilion"), await hits(store, "scarlet")
    assert (leaf.id, leaf.kind, leaf.role, leaf.depth, leaf.covers) == (summary.id, "summary", "", 0, 3)
    assert (leaf.time_s, leaf.tokens, leaf.text) == (summary.latest_s, 10, "vermilion")
    assert (deep.depth, deep.covers, deep.tokens) == (1, 4, 9)


async def test_better_matches_come_first(store: Store) -> None:
    filler = " ".join(f"word{place}" for place in range(200))
    await append(store, dialogue(f"needle {filler}", "needle needle", "nothing"))
    total, order = await search(store, "needle")
    assert (total, order) == (2, ["m2", "m1"])


async def test_messages_and_summaries_stand_in_one_order(store: Store) -> None:
    await append(store, [say(f"crimson {place}") for place in range(8)])
    for first, text in ((1, "about nothing"), (3, "about crimson"), (5, "about something else")):
        await compact(store, first, first + 1, text=text)
    found_all = await hits(store, "crimson")
    assert len(found_all) == 9
    assert found_all[0].id == "s2"
    assert [hit.rank for hit in found_all] == sorted(hit.rank for hit in found_all)


async def test_a_search_keeps_to_its_conversation_or_goes_over_all(store: Store) -> None:
    await append(store, dialogue("needle here"))
    await append(store, dialogue("needle there"), talk="other")
    assert await found(store, "needle") == {"m1"}
    assert await found(store, "needle", talk="other") == {"m2"}
    assert await found(store, "needle", talk=None) == {"m1", "m2"}
    assert await found(store, "needle", talk="unknown") == set()
    assert [hit.conversation for hit in await hits(store, "there", talk=None)] == ["other"]


async def test_every_branch_of_a_conversation_is_searched(store: Store) -> None:
    await sync(store, dialogue("a", "needle left"))
    await sync(store, dialogue("a", "needle right"))
    assert await found(store, "needle") == {"m2", "m3"}


async def test_what_was_compacted_away_is_still_found(store: Store) -> None:
    await append(store, dialogue("the needle", "b", "c"))
    await compact(store, 1, 3)
    assert await found(store, "needle") == {"m1"}


@pytest.mark.parametrize("pattern", ["", "  ", "...", '"" ""', "\0", "x" * 3000])
def test_a_pattern_with_nothing_to_look_for_is_refused_before_any_store(pattern: str) -> None:
    with pytest.raises(UsageError):
        parse(pattern)


WORDS = st.text("abAB12 .-_/\"'*()\\\n\0é好テ파\ud800:^{}", max_size=12)


@given(said=st.lists(WORDS, min_size=1, max_size=6), data=st.data())
async def test_both_stores_find_the_same(said: list[str], data: st.DataObject) -> None:
    pieces = st.sampled_from(said).flatmap(
        lambda text: st.tuples(st.integers(0, 12), st.integers(0, 12)).map(
            lambda cut: text[min(cut) : max(cut)]
        )
    )
    pattern = data.draw((pieces | WORDS).filter(searchable))
    sqlite = await SqliteStore.open(":memory:")
    memory = MemoryStore()
    for one in (sqlite, memory):
        await append(one, [say(text) for text in said])
    assert await found(sqlite, pattern) == await found(memory, pattern)
    assert await found(sqlite, pattern, talk=None) == await found(memory, pattern, talk=None)
    await sqlite.close()
    await memory.close()


def searchable(pattern: str) -> bool:
    """Whether a pattern holds anything to look for."""
    try:
        parse(pattern)
    except UsageError:
        return False
    return True
