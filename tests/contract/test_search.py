"""Word search: every word must occur, nothing typed is an operator, and nothing outside the asked place is found."""

from __future__ import annotations

import json

import pytest

from palimpsest.budget.token_counts import count_message
from palimpsest.engine.reading.expand import describe
from palimpsest.errors import UsageError
from palimpsest.ports import Counted, Store
from palimpsest.record.message import Media, Message, Reasoning, Text, ToolCall, ToolResult
from palimpsest.search.filters import SearchScope, Where
from palimpsest.search.query_grammar import parse
from tests.contract.kit import (
    ANN,
    NOW_S,
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
        'say "hello', "a AND b", "NEAR(hello world)", "hello*", "^hello", "body : hello", "{hello}", "scope:hello",
        "(hello", "hello)", "hello -world", "he\0llo", "hello \ud800", "\ud83d hello",
        "hello'; DROP TABLE message; --",
        'hello""world', "hello\\", "%hello_", "\ufffdhello", "hello\n\tworld", "+hello", "hello.*", "[h]ello",
        "$hello^",
    ],
)  # fmt: skip
async def test_nothing_that_is_typed_reaches_the_index_but_words(store: Store, pattern: str) -> None:
    await append(store, [say(f"before {pattern} after"), say("something else entirely", "assistant")])
    assert await found(store, pattern) == {"m1"}
    assert await found(store, "else") == {"m2"}


@pytest.mark.parametrize(
    "pattern, expected",
    [
        ("red AND blue", {"m3"}),
        ("red blue", {"m3"}),
        ("red OR blue", {"m1", "m2", "m3"}),
        ("red NOT blue", {"m1"}),
        ("NOT red", {"m2", "m4"}),
        ("NOT red NOT blue", {"m4"}),
        ("green OR red blue", {"m3", "m4"}),
        ("(green OR red) blue", {"m3"}),
        ("red OR NOT blue", {"m1", "m3", "m4"}),
        ("NOT (red OR blue)", {"m4"}),
        ("NOT(red OR blue)", {"m4"}),
        ("blue AND(green OR red)", {"m3"}),
        ("(NOT(red) blue)", {"m2"}),
        ("NOT NOT red", {"m1", "m3"}),
        ("red and blue", set()),
        ('"red and" OR green', {"m4"}),
        ("%ree% OR %lue", {"m2", "m3", "m4"}),
        ("gre%", {"m4"}),
        ("%ed", {"m1", "m3"}),
        ("NOT %ree%", {"m1", "m2", "m3"}),
    ],
)
async def test_and_or_not_and_parentheses(store: Store, pattern: str, expected: set[str]) -> None:
    await append(store, dialogue("a red one", "a blue one", "blue with red", "green"))
    await append(store, dialogue("red green blue"), talk="another")
    assert await found(store, pattern) == expected


async def test_a_quote_inside_a_word_is_a_space(store: Store) -> None:
    await append(store, dialogue('he said"yes"loudly'))
    assert await found(store, 'said"yes"') == {"m1"}
    assert await found(store, "loudly") == {"m1"}


@pytest.mark.parametrize(
    "pattern, expected",
    [
        ("8e7d6c", {"m1"}),
        ("useraccount", {"m2"}),
        ("UserAccount getUser", {"m2"}),
        ("bergrö", {"m3"}),
        ("useraccount 8e7d6c", set()),
        ("useraccount OR 8e7d6c", {"m1", "m2"}),
        ('"ted hing"', set()),
        ("%hin% %uo", {"m4"}),
        ("rc/app/mai", {"m5"}),
        ("c/app/", {"m5"}),
        ("p/main.p", {"m5"}),
        ("app/other", set()),
        ("pp/ma%", set()),
        ("%pp/main", {"m5"}),
        ("%pp/mai", set()),
        ("%pp/ma%", {"m5"}),
        ("%p/m%", {"m5"}),
        ("nsacti", {"m6"}),
        ("action", {"m6"}),
        ("actions", {"m6"}),
        ("actio", set()),
        ("NOT transact NOT %7d6% NOT %count% NOT in NOT %thi%", {"m3"}),
    ],
)
async def test_the_inside_of_words_and_paths_is_found(store: Store, pattern: str, expected: set[str]) -> None:
    odd = 'a "quo\\ted" \n thing'
    texts = [
        "commit 9f8e7d6c5b4a",
        "getUserAccountBalance()",
        "ÜBERGRÖSSE is Größe",
        odd,
        "in src/app/main.py",
    ]
    await append(store, dialogue(*texts, "two transactions", "it was transacted"))
    assert await found(store, pattern) == expected
    assert await found(store, pattern, talk=None) == expected


async def test_words_themselves_come_before_the_inside_of_others(store: Store) -> None:
    await append(
        store, dialogue("transactions", "an action of ours", "nothing", "x", "reactionary", "y", "z")
    )
    answer = await hits(store, "action")
    assert answer[0].id == "m2"
    assert {hit.id for hit in answer} == {"m1", "m2", "m5"}
    assert [hit.rank for hit in answer] == sorted(hit.rank for hit in answer)


async def test_a_place_inside_words_is_counted(store: Store) -> None:
    await append(store, dialogue("xabcdefx one", "none", "xabcdefx two", "xabcdefx three"))
    total, two = await search(store, "abcdef", limit=2)
    assert (total, len(two)) == (3, 2)


async def test_roles_and_times_limit_a_search(store: Store) -> None:
    await append(
        store,
        [
            Message("user", (Text("needle"),), time_s=1_000.0),
            Message("assistant", (Text("needle"),), time_s=5_000.0),
            Message("tool", (ToolResult("c", (Text("needle"),)),), time_s=9_000_000.0),
            Message("user", (Text("needle"),)),
            Message("user", (Text("needle"),), time_s=-5.0),
        ],
    )

    async def within(where: Where, pattern: str = "needle") -> set[str]:
        answer = await store.search(ANN, TALK, parse(pattern), where=where)
        assert answer.total == len(answer.hits)
        return {hit.id for hit in answer.hits}

    assert await within(Where(role="user")) == {"m1", "m4", "m5"}
    assert await within(Where(role="assistant")) == {"m2"}
    assert await within(Where(since_s=1_000.0)) == {"m1", "m2", "m3"}
    assert await within(Where(since_s=1_000.5)) == {"m2", "m3"}
    assert await within(Where(before_s=5_000.0)) == {"m1", "m5"}
    assert await within(Where(before_s=5_000.5)) == {"m1", "m2", "m5"}
    assert await within(Where(since_s=0.0, before_s=10_000_000.0)) == {"m1", "m2", "m3"}
    assert await within(Where(role="user", since_s=0.0)) == {"m1"}
    assert await within(Where(since_s=4_000.0), "NOT thread") == {"m2", "m3"}
    assert await within(Where(since_s=1e12)) == set()


async def test_a_summary_is_found_by_the_time_of_what_it_covers(store: Store) -> None:
    await append(store, numbered(1, 6))
    summary = await compact(store, 1, 4, text="crimson")
    made = (await hits(store, "crimson"))[0].time_s or 0.0
    for where, expected in (
        (Where(since_s=made), [summary.id]),
        (Where(since_s=made + 1), []),
        (Where(before_s=made - 1), []),
        (Where(before_s=made), [summary.id]),
        (Where("message", since_s=made), []),
        (Where(role="user"), []),
    ):
        answer = await store.search(ANN, TALK, parse("crimson"), where=where)
        assert (answer.total, [hit.id for hit in answer.hits]) == (len(expected), expected)


async def test_a_hit_costs_what_is_read_back_of_it_and_no_images_or_thinking(store: Store) -> None:
    pages = tuple(Media("image/png", uri=f"https://example.org/{page}.png") for page in range(9))
    said = Message("assistant", (Reasoning("so many crimson words " * 400), Text("crimson"), *pages))
    await store.append(ANN, TALK, [Counted(said, count_message(said))], now_s=NOW_S)
    (hit,) = await hits(store, "crimson")
    assert (hit.tokens > 3_000, hit.expand_tokens < 40) == (True, True)
    assert (await describe(store, ANN, TALK, hit.id)).tokens_by_level == {0: hit.expand_tokens}


async def test_a_hit_says_which_messages_it_covers(store: Store) -> None:
    await append(store, numbered(1, 6))
    await compact(store, 2, 4, text="crimson")
    (leaf,) = await hits(store, "crimson")
    assert (leaf.first_id, leaf.last_id, leaf.covers, leaf.current) == ("m2", "m4", 3, True)
    (message,) = await hits(store, "number5")
    assert (message.first_id, message.last_id, message.covers) == ("m5", "m5", 1)
    assert (leaf.expand_tokens, message.expand_tokens) == (300, 100)
    await compact(store, 1, 4, text="scarlet", tokens=9)
    (deep,) = await hits(store, "scarlet")
    assert (deep.expand_tokens, deep.first_id) == (110, "m1")


async def test_what_an_edit_left_behind_is_found_and_says_so(store: Store) -> None:
    await sync(store, dialogue("needle first", "needle left", "c"))
    await compact(store, 2, 3, text="needle in short")
    await sync(store, dialogue("needle first", "needle right"))
    current = {hit.id: hit.current for hit in await hits(store, "needle")}
    assert current == {"m1": True, "m2": False, "s1": False, "m4": True}


async def test_the_inside_of_an_argument_is_found(store: Store) -> None:
    call = ToolCall("c", "run", '{"command": "echo \\"LongIdentifierHere\\" C:\\\\\\\\Temp"}')
    await append(store, [Message("assistant", (call,))])
    assert await found(store, "identifierh") == {"m1"}
    assert await found(store, 'echo "LongIdent') == {"m1"}


async def test_codes_that_colour_a_terminal_part_no_words_and_a_name_is_found_as_it_was_written_too(
    store: Store,
) -> None:
    log = "\x1b[34mCold\x1b[0m\x1b[2m run\x1b[39m of get\x1b[1;31m\x1b[KUser\x1b[m\x1b[KName: 31m\x1b[1G\x1b[0Kdone"
    await append(store, [Message("tool", (ToolResult("c", (Text(log),)),)), say(f"{log} again")])
    for pattern in ('"cold run of"', "getUserName", "31m", "done"):
        assert await found(store, pattern) == {"m1", "m2"}
    for written in ("34mCold", "KUser", "4mCold"):
        assert await found(store, written) == {"m1", "m2"}
    (hit,) = await hits(store, "cold NOT again")
    assert hit.text.splitlines()[0] == "Cold run of getUserName: 31m done"
    assert "\x1b" not in hit.text


async def test_a_result_that_is_json_text_is_found_by_its_words_and_as_it_is_written(store: Store) -> None:
    page = 'one\nimport os\n\tgetUserName = "C:\\new"\nfür 🚢'
    for text in (
        json.dumps({"output": page, "metadata": {"exit_code": 0}}),
        json.dumps([json.dumps([page])]),
    ):
        await append(store, [Message("tool", (ToolResult("c", (Text(text),)),))])
    for pattern in ("import", '"one import os"', "getUserName", "tgetUserName", '"C new"', "für", "🚢"):
        assert await found(store, pattern) == {"m1", "m2"}
    for written in ("nimport", '"one nimport"', "nf", "u00fcr"):
        assert await found(store, written) == {"m1", "m2"}
    assert await found(store, "import NOT exit_code") == {"m2"}
    pool = await store.recall(ANN, TALK, [["import"]], limit=10)
    for one in [*await hits(store, "import"), *pool.found]:
        assert page in one.text
    assert all("nimport" not in one.text for one in pool.found)


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
