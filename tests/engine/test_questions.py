"""Questions asked of a conversation and of an owner."""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

import palimpsest
from palimpsest.errors import UsageError


async def test_a_question_finds_what_left_the_window(tmp_path: Path) -> None:
    async with palimpsest.open(tmp_path / "a.db", window_tokens=16_000) as engine:
        talk = engine.conversation("harbour")
        await talk.append({"role": "user", "content": "Which pier is the 07:40 ferry at?"})
        await talk.append({"role": "assistant", "content": "Pier 3, berth NB-204."})
        for place in range(60):
            await talk.append({"role": "user", "content": f"Entry {place}: the buoys were counted. " * 12})
        await talk.compact()
        found = await talk.search("where does the morning ferry leave from, which pier?", limit=3)
        assert "berth NB-204" in found.text
        assert found.tokens <= 2_000
        assert [one.score for one in found.passages] == sorted(
            (one.score for one in found.passages), reverse=True
        )
        assert len(await talk.search("ferry pier", budget_tokens=40)) <= 1


@pytest.mark.parametrize("question", ["🚢", "🚢🏽?", "which one was with 🚢?"])
async def test_an_emoji_is_a_question(tmp_path: Path, question: str) -> None:
    async with palimpsest.open(tmp_path / "a.db") as engine:
        talk = engine.conversation("harbour")
        for place in range(20):
            sign = "🚢" if place == 7 else "🚗"
            await talk.append({"role": "user", "content": f"Number {place}{sign}: {'so it came. ' * 9}"})
        found = await talk.search(question)
        assert found[0].id == "m8"
        assert "7🚢" in found[0].text


async def test_a_question_asks_for_what_one_speaker_said_at_a_time_and_no_others(tmp_path: Path) -> None:
    async with palimpsest.open(tmp_path / "a.db") as engine:
        talk = engine.conversation("harbour")
        for day, (role, pier) in enumerate((("user", 3), ("assistant", 5), ("user", 7)), 1):
            said = f"The night ferry leaves from pier {pier}."
            await talk.append({"role": role, "content": said, "timestamp": f"2026-03-{day:02}T12:00:00Z"})
        asked = "which pier does the night ferry leave from?"

        async def found(role: str = "", last: str = "", since: str = "", before: str = "") -> set[str]:
            here = await talk.search(asked, role=role, last=last, since=since, before=before)
            everywhere = await engine.search(asked, role=role, last=last, since=since, before=before)
            assert here.text == everywhere.text
            return {one.id for one in here}

        assert await found() == {"m1", "m2", "m3"}
        assert await found(role="user") == {"m1", "m3"}
        assert await found(since="2026-03-02", before="2026-03-03T00:00+00:00") == {"m2"}
        assert await found(last="1h") == set()
        assert "m2 assistant: The night ferry" in (await talk.search(asked, role="user")).text
        with pytest.raises(UsageError, match="role cannot be"):
            await talk.search(asked, role="captain")
        told = await talk.tools().call(
            "short_search", {"query": asked, "speaker": "human", "after": "2026-03-02"}
        )
        assert told.startswith("[recalled: 1 passages")
        nothing = await talk.tools().call("short_search", {"query": asked, "last": "6h"})
        assert "or leave role and times out" in nothing


async def test_a_question_for_nothing_but_a_time_finds_what_was_said_then(tmp_path: Path) -> None:
    now = datetime(2026, 11, 23, 12, tzinfo=UTC)
    async with palimpsest.open(tmp_path / "a.db", clock=now.timestamp) as engine:
        talk = engine.conversation("diary")
        for day in range(360, 0, -1):
            said = f"The {'heron' if day % 2 else 'ferry'} came by at noon, number {day}."
            at = now - timedelta(days=day)
            await talk.append({"role": "user", "content": said, "timestamp": at.isoformat()})

        async def days(question: str) -> list[str]:
            return sorted({(one.time or "")[:10] for one in await talk.search(question)})

        assert await days("What did I say on 10 February 2026?") == ["2026-02-10"]
        assert await days("What happened yesterday?") == ["2026-11-22"]
        last_march = await days("What did we talk about last March?")
        assert len(last_march) == 10
        assert all(one.startswith("2026-03") for one in last_march)
        assert await days("我三月份说了什么？") == last_march
        assert await days("What did I say last March about the heron?") != last_march
        assert await days("What happened in 2019?") == []


async def test_a_passage_says_that_an_edit_left_it_behind(tmp_path: Path) -> None:
    async with palimpsest.open(tmp_path / "a.db") as engine:
        talk = engine.conversation("harbour")
        opening = {"role": "user", "content": "Say when the ferry leaves."}
        await talk.sync([opening, {"role": "assistant", "content": "The night ferry leaves from pier 3."}])
        await talk.sync([opening, {"role": "assistant", "content": "The night ferry leaves from pier 5."}])
        found = {one.id: one for one in await talk.search("which pier does the night ferry leave from?")}
        assert [found["m2"].current, found["m3"].current] == [False, True]
        assert ", left behind by an edit]" in found["m2"].text
        assert "pier 3" not in found["m3"].text + found["m1"].text
        told = await talk.tools().call("short_grep", {"pattern": '"pier 3"'})
        assert "m2, assistant" in told
        read = await talk.expand(["m1", "m2", "m3"])
        assert [one.current for one in read] == [True, False, True]
        told_again = await talk.tools().call("short_expand", {"ids": "m1 m2", "include_results": True})
        assert re.findall(r"^(m\d).*left behind by an edit$", told_again, re.MULTILINE) == ["m2"]
        assert "left behind by an edit" in told


async def test_what_is_read_back_says_that_an_edit_left_it_behind_however_it_was_asked_for(
    tmp_path: Path,
) -> None:
    async with palimpsest.open(tmp_path / "a.db", preset="seahorse", window_tokens=16_000) as engine:
        talk = engine.conversation("harbour")
        said = [
            {"role": "user", "content": f"Entry {place}: " + "a buoy was painted. " * 60}
            for place in range(120)
        ]
        for end in range(20, 121, 20):
            await talk.sync(said[:end])
            await talk.compact(until_under_tokens=4_000)
        whole = max((await talk.grep("NOT narwhal", scope="summary")).hits, key=lambda hit: hit.depth)
        before = [one.current for one in await talk.expand([whole.id])]
        await talk.sync([*said[:2], {"role": "user", "content": "Another third entry."}])
        inside = await talk.expand([whole.id], to_messages=True)
        children = await talk.expand([whole.id])
        ranged = await talk.expand(["m1-m4"])
        told = await talk.tools().call("short_expand", {"ids": whole.id, "to_messages": True})
    assert whole.depth > 0
    assert set(before) == {True}
    assert [one.current for one in inside][:5] == [True, True, False, False, False]
    assert {one.current for one in children} == {False}
    assert [one.current for one in ranged] == [True, True, False, False]
    assert "m2, user" in told
    assert re.search(r"^m3, user.*left behind by an edit", told, re.MULTILINE)


async def test_what_took_the_place_of_an_edited_message_comes_before_it(tmp_path: Path) -> None:
    async with palimpsest.open(tmp_path / "a.db") as engine:
        talk = engine.conversation("harbour")
        rest = [{"role": "user", "content": f"Go on with buoy {place}, please."} for place in range(6)]
        await talk.sync([{"role": "user", "content": "The code word is narwhalapple."}, *rest])
        await talk.sync([{"role": "user", "content": "The code word is pelican."}, *rest])
        first, second, *_ = await talk.search("what is the code word?")
        assert ("pelican" in first.text, first.current) == (True, True)
        assert ("narwhal" in second.text, second.current) == (True, False)


async def test_a_question_goes_beyond_its_conversation_only_where_that_is_said(tmp_path: Path) -> None:
    async with palimpsest.open(tmp_path / "a.db") as engine:
        await engine.conversation("one").append({"role": "user", "content": "the ferry is at pier 3"})
        other = engine.conversation("other")
        await other.append({"role": "user", "content": "Good morning."})
        assert len(await other.search("which pier?")) == 0
        assert [one.conversation for one in await other.search("which pier?", all_conversations=True)] == [
            "one"
        ]


async def test_nothing_of_another_owner_is_found(tmp_path: Path) -> None:
    async with palimpsest.open(tmp_path / "a.db", owner="ann") as hers:
        await hers.conversation("one").append({"role": "user", "content": "the ferry is at pier 3"})
        assert [one.conversation for one in (await hers.search("which pier?")).passages] == ["one"]
    async with palimpsest.open(tmp_path / "a.db", owner="bob") as his:
        assert len(await his.search("which pier is the ferry at?")) == 0
        assert len(await his.conversation("one").search("which pier?")) == 0


@pytest.mark.parametrize(
    "call, asked",
    [
        ("search", {"question": "?"}),
        ("search", {"question": "a b", "limit": 0}),
        ("search", {"question": "ab", "budget_tokens": 3}),
        ("search", {"question": "ab", "budget_tokens": "many"}),
        ("search", {"question": b"ab"}),
        ("grep", {"pattern": "ab", "limit": "5"}),
        ("grep", {"pattern": "ab", "limit": 1_001}),
        ("grep", {"pattern": None}),
        ("grep", {"pattern": "ab", "last": 5}),
        ("grep", {"pattern": "ab", "since": 5.5}),
        ("grep", {"pattern": "ab", "before": ["2026-01-01"]}),
        ("grep", {"pattern": "ab", "role": 1}),
        ("grep", {"pattern": "ab", "scope": None}),
        ("expand", {"ids": ["m1"], "budget_tokens": 5}),
        ("expand", {"ids": ["m1"], "budget_tokens": "5"}),
        ("expand", {"ids": [1]}),
        ("expand", {"ids": None}),
    ],
)
async def test_what_cannot_be_asked_is_refused(call: str, asked: dict[str, object]) -> None:
    async with palimpsest.open(":memory:") as engine:
        await engine.conversation("harbour").append({"role": "user", "content": "ab"})
        with pytest.raises(UsageError) as caught:
            await getattr(engine, call)(**asked)
        assert caught.value.hint


@pytest.mark.parametrize(
    "question",
    [
        '"; DROP TABLE ferry; --',
        "AND OR NOT NEAR( *",
        "ferry\0pier",
        "the of and",
        "42 07:40 2026",
        "docs/harbour/berths.md",
        "渡轮在哪个码头？",
        "페리는 어디에서 떠나나요",
        "Größe der Fähre",
        "ferry " * 20_000,
        "\U0001f6a2 ferry \U0001f6a2",
        "%ferry% {pier} [a-z]+ \\",
    ],
)
async def test_any_question_is_answered_within_its_budget(question: str) -> None:
    async with palimpsest.open(":memory:") as engine:
        talk = engine.conversation("harbour")
        await talk.append(
            {
                "role": "user",
                "content": "The ferry (docs/harbour/berths.md) leaves the pier at 07:40 in 2026, the 42nd.",
            },
            {
                "role": "assistant",
                "content": "渡轮在三号码头。페리는 부두에서 떠나요. GROSSE Faehre, Größe 42. \U0001f6a2" * 60,
            },
            {"role": "user", "content": "and the of it"},
        )
        for budget_tokens in (24, 40, 200):
            found = await talk.search(question, budget_tokens=budget_tokens)
            assert found.tokens <= budget_tokens
        assert all(one.text.encode("utf-8") for one in found.passages)


@pytest.mark.parametrize(
    "said, question",
    [
        ("पियर का पासवर्ड NB-204 है", "पासवर्ड क्या है?"),
        ("துறைமுக கடவுச்சொல் NB-204", "கடவுச்சொல் என்ன?"),
        ("ঘাটের পাসওয়ার্ড NB-204", "পাসওয়ার্ড কী?"),
        ("كَلِمَةُ السِّرِّ هي NB-204", "ما هي كلمة السر؟"),
        ("รหัสผ่านของท่าเรือคือ NB-204", "รหัสผ่านคืออะไร"),
        ("ລະຫັດຜ່ານແມ່ນ NB-204", "ລະຫັດຜ່ານແມ່ນຫຍັງ"),
        ("လျှို့ဝှက်နံပါတ် NB-204", "လျှို့ဝှက်နံပါတ် ဘာလဲ"),
        ("ពាក្យសម្ងាត់គឺ NB-204", "ពាក្យសម្ងាត់គឺជាអ្វី"),
        ("埠頭のパスワードはNB-204です", "パスワードは何ですか"),
        ("부두 비밀번호는 NB-204", "비밀번호가 뭐예요?"),
        ("пароль причала NB-204", "какой пароль у причала?"),
    ],
)
async def test_a_question_is_answered_in_its_language(said: str, question: str) -> None:
    async with palimpsest.open(":memory:") as engine:
        talk = engine.conversation("harbour")
        filling = ({"role": "user", "content": f"Buoy {number} is fine."} for number in range(6))
        await talk.append(*filling, {"role": "user", "content": said})
        assert "NB-204" in (await talk.search(question, limit=1)).text


async def test_one_history_is_answered_alike_as_one_conversation_or_as_many(tmp_path: Path) -> None:
    sessions = [
        [f"We spoke of the {place} for a while. " * 30, f"Then about the {place} again. " * 60]
        for place in ("harbour", "market", "library", "orchard", "station", "museum")
    ]
    sessions[2][0] += "By the way, my library card is number 7714."
    async with palimpsest.open(tmp_path / "a.db") as engine:
        for number, texts in enumerate(sessions):
            roles = ("user", "assistant")
            said = [{"role": role, "content": text} for role, text in zip(roles, texts, strict=True)]
            await engine.conversation("all").append(*said)
            await engine.conversation(f"session {number}").append(*said)
        within = await engine.conversation("all").search("What is the number of my library card?", limit=1)
        assert "7714" in within.text
        apart = await engine.search("What is the number of my library card?", limit=2)
        assert "7714" in apart.text
