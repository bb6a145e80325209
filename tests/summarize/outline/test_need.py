"""Laws of the estimate of what will be needed again, and of the words and phrases in which it is made."""

from __future__ import annotations

import json
import operator
from importlib import resources
from math import exp, log

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bench.need_features import phrase_features, word_features, word_lengths, words_of
from palimpsest.record.message import Message
from palimpsest.summarize.outline.need_estimator import (
    COMMON_SHARE,
    MAX_LOGIT,
    MESSAGES,
    PHRASE_FEATURES,
    WORD_FEATURES,
    Vocabulary,
    focused,
    phrases,
    texts_of,
    weights,
    words,
)
from tests.strategies import histories, texts
from tests.summarize.dialogues import assistant, call, result, user
from tests.summarize.outline.outlining import need_of, read


@given(histories())
def test_the_gains_of_words_and_of_phrases_each_add_up_to_one(messages: list[Message]) -> None:
    need = need_of(messages)
    for gains in (need.words, need.phrases):
        assert not gains or sum(gains.values()) == pytest.approx(1)
        assert all(gain > 0 for gain in gains.values())


def test_a_conversation_of_several_messages_has_gains_of_both_kinds() -> None:
    need = need_of([user(f"The tide table of pier {at} is wrong.") for at in range(8)])
    assert need.words
    assert need.phrases


@given(histories())
def test_reading_the_same_messages_twice_gives_the_same_need(messages: list[Message]) -> None:
    assert need_of(messages) == need_of(messages)
    assert read(messages) == read(messages)


@given(histories())
def test_every_word_and_phrase_that_has_a_gain_was_met(messages: list[Message]) -> None:
    need, reader = need_of(messages), read(messages)
    assert need.words.keys() <= reader.words.keys()
    assert need.phrases.keys() == reader.phrases.keys()
    assert reader.messages == len(messages)


def test_the_weights_are_those_of_the_features_that_the_code_names() -> None:
    text = (resources.files("palimpsest.summarize.outline") / "weights.json").read_text("utf-8")
    held = json.loads(text)
    assert {kind: list(held[kind]) for kind in held} == {"words": WORD_FEATURES, "phrases": PHRASE_FEATURES}
    assert weights() == (tuple(held["words"].values()), tuple(held["phrases"].values()))


@given(histories())
def test_need_is_what_the_features_and_their_weights_make_of_it(messages: list[Message]) -> None:
    need, reader = need_of(messages), read(messages)
    by_word, by_phrase = weights()

    def logit(trained: tuple[float, ...], found: list[float]) -> float:
        return max(-MAX_LOGIT, min(MAX_LOGIT, sum(map(operator.mul, trained, found))))

    vocabulary = reader.vocabulary.numbers
    logits = {
        vocabulary[word]: logit(by_word, word_features(reader, word, reader.words[vocabulary[word]]))
        for word in vocabulary
    }
    gains = {
        number: log(len(messages) / record[MESSAGES]) / (1 + exp(-logits[number]))
        for number, record in reader.words.items()
        if record[MESSAGES] * COMMON_SHARE < len(messages)
    }
    lengths = word_lengths(reader.vocabulary)
    whole = {
        phrase: 1 / (1 + exp(-logit(by_phrase, phrase_features(reader, phrase, record, logits, lengths))))
        for phrase, record in reader.phrases.items()
    }
    assert need.words == pytest.approx({one: gain / sum(gains.values()) for one, gain in gains.items()})
    assert need.phrases == pytest.approx({one: gain / sum(whole.values()) for one, gain in whole.items()})


def gain(messages: list[Message], word: str) -> float:
    need = need_of(messages)
    return need.words.get(need.vocabulary.numbers[word], 0.0)


FILLING = [assistant(f"Step {at} of the plan is done, and nothing else.") for at in range(20)]


def test_a_word_that_went_into_a_call_counts_more_than_one_that_only_a_result_has() -> None:
    messages = [
        *FILLING,
        assistant("", call("c1", "read", path="tidetable")),
        result("c1", "rampheight"),
    ]
    assert gain(messages, "tidetable") > 2 * gain(messages, "rampheight") > 0


def test_a_word_of_now_counts_more_than_one_of_long_ago() -> None:
    old, new = user("berthplan"), user("tideplan")
    messages = [*FILLING, old, *FILLING * 60, new]
    assert gain(messages, "tideplan") > 2 * gain(messages, "berthplan") > 0


def test_a_word_that_most_messages_have_counts_for_nothing() -> None:
    assert gain([*FILLING, user("Look at the plan.")], "plan") == 0
    assert gain([*FILLING, user("Look at the berth.")], "berth") > 0


@given(histories(), st.text(max_size=20))
def test_a_focus_keeps_the_sum_and_one_that_nobody_spoke_of_changes_nothing(
    messages: list[Message], focus: str
) -> None:
    need = need_of(messages)
    changed = focused(need, focus)
    assert not changed.words or sum(changed.words.values()) == pytest.approx(1)
    assert focused(need, "").words == pytest.approx(need.words)


def test_the_words_of_a_focus_are_needed_as_much_as_all_others_and_common_ones_are_none() -> None:
    need = need_of([*FILLING, user("Look at the berth plan."), user("Look at the ramp.")])
    numbers = need.vocabulary.numbers
    changed = focused(need, "the berth").words
    assert changed[numbers["berth"]] > 0.5 > changed[numbers["ramp"]] > 0
    assert numbers["the"] not in changed
    assert focused(need, "the").words[numbers["the"]] == pytest.approx(0.5)


def test_what_was_read_back_from_the_store_counts_for_nothing() -> None:
    said = texts_of(result("c1", "[recalled: m3] The tide table."))
    assert said.results == ""
    assert texts_of(result("c1", "The tide table.")).results == "The tide table."


@given(texts())
def test_phrases_are_three_words_in_a_row(text: str) -> None:
    vocabulary = Vocabulary()
    numbers = vocabulary.of(text)
    found = {words_of(phrase) for phrase in phrases(numbers)}
    assert found == set(zip(numbers, numbers[1:], numbers[2:], strict=False))
    assert [list(vocabulary.numbers)[number] for number in numbers] == words(text)


@given(st.text(max_size=60))
def test_case_does_not_count(text: str) -> None:
    assert words(text) == words(text.lower())


@pytest.mark.parametrize(
    "text, found",
    [
        ("src/Tide_table.py:12", ["src", "tide_table", "py", "12"]),
        ("潮汐表 v2", ["潮", "汐", "表", "v2"]),
        ("über Größe", ["über", "größe"]),
        ("", []),
    ],
)
def test_words_are_runs_of_letters_runs_of_digits_and_single_characters(text: str, found: list[str]) -> None:
    assert words(text) == found
