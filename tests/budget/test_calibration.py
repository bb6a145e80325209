"""What reports teach: ratios by kind of content, bounded, robust, slowly forgotten; and which outputs are believed."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from palimpsest.budget.calibration import (
    KINDS,
    MAX_CONSTANT_TOKENS,
    MAX_RATIO,
    MEMORY_TOKENS,
    MIN_RATIO,
    SLACK_TOKENS,
    Calibration,
    Profile,
    believed_output,
    believed_outputs,
    expected,
    learn,
    learn_constant,
    profile,
)
from palimpsest.budget.token_counts import count_message
from palimpsest.record.message import Media, Message, Reasoning, Text, ToolCall, ToolResult, Usage
from tests.strategies import messages

WORDS, SCRIPT, CALL, RESULT, THINKING, FRAME, MEDIA = range(len(KINDS))
PROSE = "The parser reads one line at a time and keeps what it cannot read. "


def _profile(**tokens: float) -> Profile:
    return tuple(tokens.get(kind, 0.0) for kind in KINDS)


def _of(message: Message) -> Profile:
    return profile(message, count_message(message))


profiles = st.tuples(*(st.floats(0, 50_000),) * (len(KINDS) - 1), st.sampled_from((0.0, 0.0, 1_100.0)))


@given(messages(), st.integers(0, 10_000))
def test_a_profile_adds_up_to_the_estimate_it_divides(message: Message, tokens: int) -> None:
    found = profile(message, tokens)
    assert sum(found) == pytest.approx(tokens)
    assert min(found) >= 0


@given(st.lists(st.tuples(profiles, st.floats(-1e6, 1e7)), max_size=30))
def test_whatever_is_reported_ratios_stay_within_their_bounds(lessons: list[tuple[Profile, float]]) -> None:
    calibration = Calibration()
    for added, grown in lessons:
        calibration = learn(calibration, added, grown)
    assert all(MIN_RATIO <= ratio <= MAX_RATIO for ratio in calibration.ratios)
    assert max(calibration.estimated) <= MEMORY_TOKENS + 50_000


@given(
    st.lists(st.floats(0.6, 2.4), min_size=5, max_size=5),
    st.lists(st.lists(st.integers(0, 3_000), min_size=5, max_size=5), min_size=1, max_size=4),
)
def test_a_tokenizer_that_counts_each_kind_its_own_way_is_learnt(
    truth: list[float], mixed: list[list[int]]
) -> None:
    single = [[2_000 if kind == one else 0 for kind in range(5)] for one in range(5)]
    steps = [(*map(float, tokens), 0.0, 0.0) for tokens in (*single, *mixed)]
    counted = [sum(tokens * ratio for tokens, ratio in zip(step, truth, strict=False)) for step in steps]
    calibration = Calibration()
    for _ in range(40):
        for step, grown in zip(steps, counted, strict=True):
            calibration = learn(calibration, step, grown)
    for step, grown in zip(steps, counted, strict=True):
        assert expected(calibration, step) == pytest.approx(grown, rel=0.1, abs=20)


def test_a_kind_not_seen_yet_is_taken_to_be_like_the_others_but_for_no_less_than_its_estimate() -> None:
    dear = cheap = Calibration()
    for _ in range(50):
        dear = learn(dear, _profile(words=1_000), 1_800)
        cheap = learn(cheap, _profile(words=1_000), 600)
    assert dear.ratios[RESULT] == pytest.approx(1.8, abs=0.1)
    assert cheap.ratios[WORDS] == pytest.approx(0.6, abs=0.05)
    assert cheap.ratios[RESULT] == 1.0


@pytest.mark.parametrize("grown", [-500.0, 0.0, 1_000 / 3, 4_000.0, 250_000.0])
def test_growth_far_from_what_was_expected_teaches_nothing(grown: float) -> None:
    calibration = learn(Calibration(), _profile(result=1_000), 1_200)
    assert learn(calibration, _profile(result=1_000), grown) is calibration


def test_an_image_teaches_nothing_and_is_not_corrected() -> None:
    calibration = learn(Calibration(), _profile(words=50_000), 100_000)
    picture = _of(Message("user", (Media("image/png", data="AAAA", size_bytes=3),)))
    assert learn(calibration, picture, 1_500) is calibration
    assert expected(calibration, picture) - picture[MEDIA] == pytest.approx(8, abs=2)


def test_another_tokenizer_under_the_same_name_is_learnt_anew() -> None:
    calibration = Calibration()
    for _ in range(400):
        calibration = learn(calibration, _profile(words=2_000), 2_000)
    for _ in range(400):
        calibration = learn(calibration, _profile(words=2_000), 3_000)
    assert calibration.ratios[WORDS] == pytest.approx(1.5, abs=0.03)


def test_each_part_counts_as_its_kind() -> None:
    call = Message("assistant", (Text(PROSE), ToolCall("c", "read", '{"path": "src/reader.py"}')))
    result = Message("tool", (ToolResult("c", (Text(PROSE * 9),)),))
    thought = Message("assistant", (Reasoning(PROSE * 5, "sig"), Text(PROSE)))
    han = Message("user", (Text("请检查日志文件并修复第四行的错误，然后重新运行测试。"),))
    assert _of(call)[WORDS] > 0 < _of(call)[CALL]
    assert _of(result)[RESULT] > sum(_of(result)) * 0.9
    assert _of(thought)[THINKING] > _of(thought)[WORDS] > 0
    assert _of(han)[SCRIPT] > 0 == _of(han)[WORDS]


def test_a_message_without_content_is_its_frame() -> None:
    assert profile(Message("user"), 4)[FRAME] == 4


def test_sealed_thinking_counts_by_the_length_of_what_seals_it() -> None:
    sealed = count_message(Message("assistant", (Reasoning("", "x" * 6_300),)))
    redacted = count_message(Message("assistant", (Reasoning("x" * 6_300, redacted=True),)))
    assert sealed == redacted
    assert 900 < sealed < 1_100
    legible = (Reasoning(PROSE * 100, "x" * 400),)
    assert count_message(Message("assistant", legible)) > 1_000


def test_a_reported_output_is_the_cost_of_a_reply_where_it_can_be() -> None:
    said = Message("assistant", (Text(PROSE * 20),))
    tokens = count_message(said)

    def believed(output: int, message: Message = said) -> int | None:
        return believed_output(Calibration(), message, tokens, output)

    assert (believed(tokens + 40), believed(tokens - 40)) == (tokens + 40, tokens - 40)
    assert (believed(0), believed(1), believed(tokens // 2)) == (None, None, None)
    assert believed(tokens * 10) is None
    thought = Message("assistant", (Reasoning("", "sealed"), *said.parts))
    assert believed(tokens * 10, thought) == tokens * 10


def test_the_reported_output_belongs_to_the_first_reply_unless_replies_carry_their_own() -> None:
    ask, first, second = (Message(role, (Text(PROSE),)) for role in ("user", "assistant", "assistant"))
    own = Message("assistant", (Text(PROSE),), usage=Usage(900, 21))
    added = [(one, 18) for one in (ask, first, second, own)]
    assert believed_outputs(Calibration(), added, 19) == [None, 19, None, 21]
    assert believed_outputs(Calibration(), [(own, 18), (second, 18)], 19) == [21, None]


@given(
    ratio=st.floats(0.7, 2.5),
    constant=st.integers(0, MAX_CONSTANT_TOKENS),
    steps=st.lists(st.floats(300, 3_000), min_size=12, max_size=30),
)
def test_a_constant_beside_a_ratio_is_learnt_as_both(ratio: float, constant: int, steps: list[float]) -> None:
    known, so_far = Calibration(), 0.0
    for tokens in steps:
        known = learn(known, _profile(words=tokens), tokens * ratio)
        so_far += tokens
        known = learn_constant(known, _profile(words=so_far), so_far * ratio + constant)
    request = _profile(words=2_000.0)
    true = 2_000 * ratio + constant
    assert abs(expected(known, request) + known.constant - true) <= 0.1 * true + 0.2 * constant + SLACK_TOKENS


@given(
    samples=st.lists(st.tuples(st.floats(0, 1e6), st.floats(-1e6, 1e9)), max_size=20),
    learnt=st.floats(0, 100_000),
)
def test_a_constant_stays_within_its_bounds(samples: list[tuple[float, float]], learnt: float) -> None:
    known = learn(Calibration(), _profile(words=learnt), learnt)
    for tokens, counted in samples:
        known = learn_constant(known, _profile(words=tokens), counted)
        assert 0 <= known.constant <= MAX_CONSTANT_TOKENS


def test_a_constant_is_not_told_from_ratios_that_rest_on_little() -> None:
    known = learn(Calibration(), _profile(words=500.0), 500.0)
    assert learn_constant(known, _profile(words=800.0), 3_000).constant == 0
    assert learn_constant(Calibration(), _profile(words=8_000.0), 30_000).constant == 0
