"""What a text holds of a question: its words in any form, and how much of them stands together."""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from palimpsest.search import cjk as wide
from palimpsest.search.question import MAX_CONCEPTS, read_question
from palimpsest.search.rank_fusion import fuse
from palimpsest.search.ranking import Ranked
from palimpsest.search.retrieval_candidates import Candidate, CandidatePool
from palimpsest.search.snippet import snippet
from palimpsest.search.text_scan import (
    MAX_SCANNED_CHARS,
    PASSAGE_CHARS,
    TextMatch,
    best_window,
    closeness,
    closest_weight,
    make_finder,
    scan,
)
from palimpsest.search.word_folding import plain
from tests.patience import LIMIT_S


def held(question: str, text: str) -> list[str]:
    """The words of the question that a text holds."""
    asked = read_question(question)
    seen = scan(text, make_finder(asked))
    return [asked.concepts[number].word for number in sorted(seen.counts)]


def covered(question: str, text: str) -> float:
    """The share of the question that stands together in a text, each word weighing the same."""
    asked = read_question(question)
    size = sum(not concept.joined for concept in asked.concepts)
    shares = [0.0 if concept.joined else 1 / size for concept in asked.concepts]
    return closest_weight(weighing(scan(text, make_finder(asked)), shares))


def weighing(seen: TextMatch, shares: Sequence[float]) -> TextMatch:
    """What a text holds, with its shares of the question."""
    seen.held = {concept: shares[concept] * strength for concept, strength in seen.strength.items()}
    return seen


@pytest.mark.parametrize(
    "question, text",
    [
        ("ferries?", "the FERRY left"),
        ("went", "we go there"),
        ("days", "one fine day"),
        ("photo", "a nice picture"),
        ("Größe", "die grosse, GRÖSSE"),
        ("café", "the Cafe"),
        ("पासवर्ड?", "मेरा पासवर्ड सेब है"),
        ("العربية", "العَرَبِيَّة جميلة"),
        ("ပန်း", "လျှို့ဝှက် ပန်းသီး"),
        ("渡轮", "今天渡轮晚了"),
        ("Python", "我用Python写代码"),
        ("333", "价格是333元"),
        ("Python은?", "서버에 Python을 설치했다"),
        ("hello", "Ｈｅｌｌｏ"),
        ("ığdır", "IĞDIR yolu"),
        ("Lodz", "z Łodzi do Łódź"),
        ("retry backoff", "see retry_backoff(2)"),
        ("retry with backoff", "see retryWithBackoff(2)"),
        ("head set", "the headsets"),
    ],
)
def test_a_word_is_found_in_any_form(question: str, text: str) -> None:
    assert held(question, text)


def test_a_part_of_a_word_is_no_word() -> None:
    assert held("ant", "the elephant") == []


def test_words_far_apart_do_not_stand_together() -> None:
    near = "ferry and pier"
    far = "ferry" + " filling" * (PASSAGE_CHARS // 4) + " pier"
    assert covered("ferry pier", near) == pytest.approx(1.0)
    assert covered("ferry pier", far) == pytest.approx(0.5)
    assert covered("ferry pier", far + " ferry") == pytest.approx(1.0)


def test_a_page_counts_by_its_best_passage_however_often_a_word_stands_elsewhere() -> None:
    page = "ferry. " * 500 + "the ferry at the pier"
    assert covered("ferry pier", page[-2_000:]) == pytest.approx(1.0)


@pytest.mark.parametrize(
    "question",
    ["ferry pier error", "渡轮 码头 错误", "größe zöllner fähre", "nhà đường rồng", "データ ガス エラー"],
)
def test_a_very_long_page_counts_by_its_best_stretch_wherever_it_is(question: str) -> None:
    *_, common = question.split(" ")
    page = f"{common} {'and so on. ' * 2_000}" * 4
    assert len(page) > 3 * MAX_SCANNED_CHARS
    assert covered(question, f"{page}, {question.replace(' ', ', ')}, {page}") == pytest.approx(1.0)


@given(st.text(max_size=400), st.lists(st.text(max_size=4), max_size=4), st.integers(1, 50))
def test_a_stretch_lies_in_its_text_and_holds_something_wherever_anything_is(
    text: str, wanted: list[str], size_chars: int
) -> None:
    start = best_window(text, [[one] for one in wanted], size_chars)
    assert 0 <= start <= max(0, len(text) - 1)
    there = f"{'x' * 300}needle{'x' * 300}"
    wide = max(size_chars, 2 * len("needle"))
    begin = best_window(there, [["needle"]], wide)
    assert "needle" in there[begin : begin + wide]


@pytest.mark.parametrize("word", ["größe", "ΛΙΜΈΝΑΣ", "é́cluse", "ﾃﾞｰﾀ", "ｄａｔａ", "IĞDIR"])
def test_a_word_of_a_very_long_page_is_found_however_it_is_written(word: str) -> None:
    assert held(word, "and so on. " * 4_000 + word)


def test_characters_that_return_between_others_are_all_looked_at() -> None:
    text = "渡轮" + "。" * 500 + "渡轮在码头" + "。" * 500 + "渡轮"
    assert covered("渡轮码头", text) > covered("渡轮码头", "渡轮" + "。" * 500 + "码头")


@given(st.lists(st.sampled_from(["ferry ", "pier ", "boat ", "x" * 90 + " "]), max_size=40))
def test_what_stands_together_is_no_more_than_what_is_there(words: list[str]) -> None:
    asked = read_question("ferry pier storm")
    seen = weighing(scan("".join(words), make_finder(asked)), [0.5, 0.3, 0.2])
    there = sum(seen.held.values())
    assert 0 <= closest_weight(seen) <= there + 1e-9
    assert closest_weight(seen, 10**9) == pytest.approx(there)
    assert 0 <= closeness(seen.places) <= 1


@given(st.text(max_size=60))
def test_runs_without_spaces_give_short_pieces(text: str) -> None:
    for piece, weight in wide.pieces(wide.runs(text)):
        letters = [one for one in piece if not unicodedata.category(one).startswith("M")]
        assert len(letters) <= 3  # Thai and its neighbours; two of all others
        assert piece in text
        assert 0 < weight <= 1


@given(st.text(max_size=200))
def test_plain_text_stays_plain(text: str) -> None:
    assert plain(plain(text)) == plain(text)


@given(st.text(alphabet="渡轮码头在吗我 ferry42.?", min_size=1, max_size=80))
def test_a_question_has_a_bounded_number_of_words_each_once(text: str) -> None:
    words = [one.word for one in read_question("ferry " + text).concepts]
    assert 1 <= len(words) <= MAX_CONCEPTS
    assert len(set(words)) == len(words)


def candidate(number: int) -> Candidate:
    """A message that may answer."""
    return Candidate(f"m{number}", "message", "talk", 1, number, "user", "", None, "text", 1)


def test_two_rankings_become_one_and_what_both_find_comes_first() -> None:
    found = tuple(candidate(number) for number in range(1, 6))
    ranked = [Ranked(one, 0.5) for one in found[:3]]
    fused = fuse(ranked, ("m3", "m5", "m99"), CandidatePool(5, (1,), found))
    assert [one.candidate.id for one in fused] == ["m3", "m1", "m2", "m5"]
    assert all(0 < one.score <= 1 for one in fused)
    assert fuse(ranked, (), CandidatePool(5, (1,), found)) == ranked


@pytest.mark.parametrize("filler", ["lorem ipsum ", "données à lire ", "潮汐表"])
@pytest.mark.parametrize("share", [0.0, 0.1, 0.5, 0.8, 0.99])
def test_of_a_huge_text_a_passage_with_what_is_asked_for_is_shown_wherever_it_is(
    filler: str, share: float
) -> None:
    text = (filler * 300_000)[:2_000_000]
    place = int(len(text) * share)
    text = f"{text[:place]} the needle is here {text[place:]}"
    assert "[needle]" in snippet(text, ["needle"])


@pytest.mark.parametrize("place", [1_000, 2_999_000])
def test_of_a_huge_text_the_ends_are_folded(place: int) -> None:
    text = ("é" * 50 + " ") * 60_000
    text = f"{text[:place]} une aiguille cachée {text[place:]}"
    assert "[cachée]" in snippet(text, ["cachee"])


@pytest.mark.timeout(LIMIT_S)  # what it would take beyond its length is far more
def test_a_run_of_figures_takes_time_in_proportion_to_its_length() -> None:
    assert wide.runs("1" * 600_000 + "潮汐") == ["潮汐"]
