"""Texts as words: folding, scripts without spaces, and stems that are SQLite's own."""

from __future__ import annotations

import sqlite3

import pytest
from hypothesis import given
from hypothesis import strategies as st

from palimpsest.search.word_folding import MAX_WORD_CHARS, RESERVED, index_stem, segment, spaced, stemmed


@pytest.mark.parametrize(
    "text, words",
    [
        ("Hello, WORLD!", "hello world"),
        ("src/app/main.py", "src app main py"),
        ("snake_case-and.dots", "snake case and dots"),
        ("Größe GROSSE Café cafe\u0301", "grosse grosse cafe cafe"),
        ("Iğdır IĞDIR Łódź København Æsir œuvre", "igdir igdir lodz kobenhavn aesir oeuvre"),
        ("请检查a1", "请 检 查 a1"),
        ("がぎテスト", "が ぎ テ ス ト"),
        ("か\u3099 ｶﾞｲﾄﾞ ßｶﾞ ㍿", "が ガ イ ド ss ガ 株 式 会 社"),
        ("\u1112\u1161\u11ab\u1100\u116e\u11a8", "한 국"),
        ("ｆｕｌｌ ﬁne x²", "full fine x2"),
        ("हिन्दी भाषा", "हिन्दी भाषा"),
        ("العَرَبِيَّة أهلاً عـربي עִבְרִית", "العربية اهلا عربي עברית"),
        ("می\u200cخواهم soft\u00adhyphen \ufeffශ්\u200dරී", "میخواهم softhyphen ශ්රී"),
        ("รหัส ๑๒ น้ำ", "ร ห ั ส ๑ ๒ น ้ ํ า"),
        ("ລະຫັດ ပန်း ខ្មែរ", "ລ ະ ຫ ั ດ ပ န ် း ខ ្ ម ែ រ".replace("ั", "ັ")),
        ("done ✅⚠️ 👍🏽👩\u200d🚀 1️⃣ │ ∑ ❯x", "done ✅ ⚠ 👍 👩 🚀 1 x"),
        ("a\0b\ud800c\ufffd", "a b c"),
        (f"a{RESERVED}b", "a b"),
        ("", ""),
        (" \n\t", ""),
    ],
)
def test_a_text_is_its_words(text: str, words: str) -> None:
    assert spaced(text) == words


def test_a_run_without_end_is_cut_into_words() -> None:
    assert [len(word) for word in spaced("x" * 600).split()] == [MAX_WORD_CHARS, MAX_WORD_CHARS, 88]


@given(st.text(max_size=80), st.text(max_size=20))
def test_folding_again_changes_nothing_and_texts_are_divided_alike(first: str, second: str) -> None:
    words = spaced(first)
    assert spaced(words) == words
    assert spaced(words.upper()) == spaced(spaced(words.upper()))
    assert spaced(f"{first}\n{second}") == " ".join(one for one in (words, spaced(second)) if one)
    assert words.encode("utf-8").decode("utf-8") == words
    assert len(stemmed(words).split(" ")) == len(words.split(" "))


ENDINGS = st.sampled_from(
    ["s", "es", "ies", "sses", "ed", "eed", "ing", "ational", "ization", "logy", "bly", "ability", "ness", "ful", "y",
     "e", "ll", "ement", "ion", "ative", "ically", "1", "é", "日"]
)  # fmt: skip
WORDS = st.builds("{}{}{}".format, st.text("abeiouylstnrgé1", max_size=6), ENDINGS, ENDINGS | st.just(""))


@given(st.lists(WORDS.map(spaced).filter(lambda word: word and " " not in word), min_size=1, max_size=30))
def test_stems_are_those_of_the_index(words: list[str]) -> None:
    index = sqlite3.connect(":memory:")
    index.execute("CREATE VIRTUAL TABLE words USING fts5 (body, content = '', tokenize = 'porter ascii')")
    index.execute("CREATE VIRTUAL TABLE kept USING fts5vocab (words, instance)")
    index.executemany("INSERT INTO words (rowid, body) VALUES (?, ?)", enumerate(words))
    kept = dict(index.execute("SELECT doc, term FROM kept").fetchall())
    index.close()
    assert kept == {place: index_stem(word) for place, word in enumerate(words)}


@given(st.text(max_size=200))
def test_segmenting_changes_no_word_and_gives_text_that_can_be_stored(text: str) -> None:
    found = segment(text)
    assert found.encode("utf-8").decode("utf-8") == found
    assert "\0" not in found
    assert segment(found).split() == found.split()
