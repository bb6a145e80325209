"""The passage shown of a hit."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from palimpsest.search.query_grammar import parse
from palimpsest.search.snippet import SNIPPET_CHARS, snippet
from palimpsest.search.word_folding import spaced
from tests.patience import LIMIT_S


def test_matches_are_marked_whatever_their_case_and_stands_between() -> None:
    text = "Then Src/App/Main.py failed, and src app main PY again."
    assert (
        snippet(text, parse("src/app/main.py").phrases)
        == "Then [Src/App/Main.py] failed, and [src app main PY] again."
    )


def test_a_passage_lies_around_the_densest_matches() -> None:
    text = "retry " + "x " * 500 + "timeout then retry and timeout " + "y " * 500
    found = snippet(text, parse("timeout retry").phrases)
    assert "[timeout] then [retry] and [timeout]" in found
    assert found.startswith("…")
    assert found.endswith("…")


def test_a_passage_with_more_of_the_words_comes_before_one_with_more_of_the_same() -> None:
    text = f"buoy, buoy, buoy and buoy. {'Nothing of note. ' * 30}A buoy {'x ' * 55}at the pier. {'And so on. ' * 30}"
    found = snippet(text, parse("buoy pier").phrases)
    assert "[buoy] x" in found
    assert "[pier]" in found


def test_a_passage_lies_around_the_word_and_not_around_others_that_hold_it() -> None:
    text = "location category " * 30 + "the cat sat " + "education " * 60
    assert "the [cat] sat" in snippet(text, parse("cat").phrases)


def test_a_match_far_into_a_very_long_text_is_shown() -> None:
    text = "before " * 60_000 + "the Needle is here " + "after " * 60_000
    assert "before the [Needle] is here after" in snippet(text, parse("needle").phrases)
    assert snippet(text, parse("unheard of").phrases).startswith("before before")


@pytest.mark.parametrize(
    "pattern, there",
    [
        ("error needle", "error: the needle"),
        ("%edle-QX7%", "needle-qx7"),
        ("ошибка маяк", "ошибка: маяк"),
        ("错误 灯塔", "错误: 灯塔"),
    ],
)
def test_of_a_very_long_text_the_place_with_most_of_the_words_is_shown(pattern: str, there: str) -> None:
    first = pattern.replace("-", " ").split(" ")[0]
    text = f"one {first} here. {'before the need ' * 30_000}{there} {'after ' * 60_000}"
    found = snippet(text, parse(pattern).phrases, mark=("", ""))
    assert there in found
    assert found[0] == found[-1] == "…"


def test_text_without_a_literal_match_gives_its_beginning() -> None:
    assert snippet("word " * 100, parse("unknown").phrases).startswith("word word")
    assert snippet("short", parse("unknown").phrases) == "short"


def test_scripts_without_spaces_are_marked_too() -> None:
    assert snippet("请检查日志文件", parse("日志").phrases) == "请检查[日志]文件"


@pytest.mark.parametrize(
    "text, pattern, shown",
    [
        ("港のﾄｳﾀﾞｲは", "トウダイ", "港の[ﾄｳﾀﾞｲ]は"),
        ("ﾊﾟｲﾌﾟ", "ﾊﾟｲﾌﾟ", "[ﾊﾟｲﾌﾟ]"),
        ("the cafe\u0301 is open", "café", "the [cafe\u0301] is open"),
    ],
)
def test_marks_that_stand_apart_are_within_the_match(text: str, pattern: str, shown: str) -> None:
    assert snippet(text, parse(pattern).phrases) == shown


@pytest.mark.parametrize("drawn", ["दी", "é", "👩\u200d👧", "น้ำ", "🇩🇪"])
def test_a_snippet_begins_and_ends_with_whole_characters(drawn: str) -> None:
    for before in range(200, 206):
        text = f"{'x' * before}{drawn * 40} ferry {drawn * 90}"
        shown = snippet(text, ("ferry",)).strip("…")
        around = shown.split(" [ferry] ")
        assert [one.replace(drawn, "").strip("x") for one in around] == ["", ""]
    assert snippet(drawn * 200, ("ferry",)).replace(drawn, "") == "…"


def test_line_breaks_become_spaces() -> None:
    assert snippet("one\n\n  two\tthree", parse("two").phrases) == "one [two] three"


@pytest.mark.parametrize(
    "text, asked, expected",
    [
        ("a café, a CAFE", "cafe", "a [café], a [CAFE]"),
        ("the Größe is right", "größe", "the [Größe] is right"),
        ("timeouts and a timeout", "timeout", "[timeout]s and a [timeout]"),
        ("he was running", "run", "he was [run]ning"),
        ("connected at last", "connection", "[connected] at last"),
        ("words, or for more", "or", "words, [or] for more"),
        ("reconnected, then connections", "connected", "reconnected, then [connections]"),
        ("location, cat and category", "cat", "location, [cat] and category"),
        ("location and category", "%cat%", "lo[cat]ion and [cat]egory"),
        ("日志 and 检查日志文件", "日志", "[日志] and 检查[日志]文件"),
        ("two connections refused it", '"connection refused"', "two [connections refused] it"),
        ("getUserAccount()", "useraccount", "get[UserAccount]()"),
        ("src/app/main.py", "pp/mai", "src/a[pp/mai]n.py"),
        ("a (parser's) rule", '"parser s rule"', "a ([parser's) rule]"),
        ("red and blue", "red NOT blue", "[red] and blue"),
        ("an e\u0301tude", "étude", "an [e\u0301tude]"),
        ("هي عـربيّة", "عربية", "هي [عـربيّة]"),
        ("من می\u200cخواهم", "میخواهم", "من [می\u200cخواهم]"),
        ("done ❤️ so", "❤️", "done [❤️] so"),
        ("\u1112\u1161\u11ab\u1100\u116e\u11a8.txt", "한국", "[한국].txt"),
    ],
)
def test_what_was_looked_for_is_marked(text: str, asked: str, expected: str) -> None:
    assert snippet(text, parse(asked).phrases) == expected


@given(st.text("ab -_./\n日志é", max_size=400), st.text("ab é-_./日志", min_size=1, max_size=20))
def test_a_snippet_is_one_short_line_of_the_texts_own_characters(text: str, asked: str) -> None:
    found = snippet(text, [phrase for phrase in [spaced(asked)] if phrase])
    assert "\n" not in found
    plain = found.replace("[", "").replace("]", "").strip("…").split()
    assert "".join(plain) in "".join(text.split())
    marks = found.count("[") + found.count("]") + found.count("…")
    assert len(found) - marks <= SNIPPET_CHARS


@pytest.mark.timeout(LIMIT_S)  # what it would take beyond its length is far more
def test_a_hostile_text_takes_no_long_time() -> None:
    assert "[" not in snippet("a" + "_" * 600_000 + "b", parse("a_a_a_b").phrases)
    assert "[" not in snippet("a_" * 300_000, parse('"a a a a a a c"').phrases)
