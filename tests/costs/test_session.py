"""A history as its bill sees it."""

from __future__ import annotations

from dataclasses import replace

from palimpsest.budget.token_counts import count_message
from palimpsest.costs.session import (
    ASSUMED_PREFIX_TOKENS,
    LONGEST_PREFIX_TOKENS,
    MOST_SCALE,
    Session,
    read_session,
)
from palimpsest.record.message import Message, Text, ToolCall, ToolResult, Usage

LINE = "tide = harbour.table_for(station, day=today)"


def user(text: str) -> Message:
    return Message("user", (Text(text),))


def reply(prompt_tokens: int, text: str = "Reading.", at_s: float = 0, **call: str) -> Message:
    calls = tuple(ToolCall(one, name, f'{{"file_path": "{one}.py"}}') for one, name in call.items())
    usage = Usage(prompt_tokens, 5) if prompt_tokens else None
    return Message("assistant", (Text(text), *calls), time_s=at_s, usage=usage, model="claude-sonnet-4-5")


def result(call_id: str, text: str) -> Message:
    return Message("tool", (ToolResult(call_id, (Text(text),)),))


def session(*history: Message) -> Session:
    found = read_session(history)
    assert found is not None
    return found


HISTORY = (
    user("Why is the tide table late?"),
    reply(20_000, at_s=100, r1="Read"),
    result("r1", f"def show():\n    {LINE}\n" * 40),
    reply(20_900, at_s=130, r2="Bash"),
    result("r2", "exit 0"),
    user("Go on."),
    reply(21_000, f"This is it:\n{LINE}", at_s=700),
)


def test_the_prompt_of_every_call_is_the_one_that_was_reported() -> None:
    found = session(*HISTORY)
    prompts = [
        found.prefix_tokens + sum(one.tokens for one in found.pieces[: call.end]) for call in found.calls
    ]
    assert all(abs(told - real) <= 3 for told, real in zip(prompts, (20_000, 20_900, 21_000), strict=True))


def test_pieces_know_what_they_are() -> None:
    kinds = [piece.kind for piece in session(*HISTORY).pieces]
    assert kinds == ["user", "assistant", "file", "assistant", "result", "user"]


def test_calls_know_the_time_between_them_and_what_they_quote() -> None:
    calls = session(*HISTORY).calls
    assert [call.gap_s for call in calls] == [0, 30, 570]
    assert [[one.piece for one in found] for found in calls[2].quotes] == [[2]]


def test_a_reply_is_as_long_as_its_text_where_the_log_says_less() -> None:
    calls = session(*HISTORY).calls
    assert calls[2].output_tokens == count_message(HISTORY[-1]) > 5


def test_what_a_prompt_grew_by_beyond_its_history_is_a_piece_of_its_own() -> None:
    grown = (*HISTORY[:3], replace(HISTORY[3], usage=Usage(60_000, 5)))
    found = session(*grown)
    assert found.pieces[-1].kind == "other"
    estimate = sum(count_message(message) for message in grown[1:3])
    assert found.pieces[-1].tokens == 40_000 - round(MOST_SCALE * estimate)


def test_where_a_prompt_shrank_the_estimates_stand() -> None:
    shrunk = (*HISTORY[:3], replace(HISTORY[3], usage=Usage(9_000, 5)))
    found = session(*shrunk)
    assert found.pieces[2].tokens == count_message(HISTORY[2])


def test_a_history_that_continues_another_has_a_bounded_prefix() -> None:
    assert session(user("go on"), reply(300_000)).prefix_tokens == LONGEST_PREFIX_TOKENS


def test_without_usage_every_reply_is_a_call_and_the_prefix_is_assumed() -> None:
    found = session(user("hello"), reply(0), user("and now?"), reply(0))
    assert len(found.calls) == 2
    assert found.prefix_tokens == ASSUMED_PREFIX_TOKENS
    system = Message("system", (Text("Be brief. " * 50),))
    assert session(system, user("hello"), reply(0)).prefix_tokens == count_message(system)


def test_a_history_without_a_call_has_no_session() -> None:
    assert read_session(()) is None
    assert read_session((user("hello"),)) is None


def test_words_and_several_results_of_one_message_are_pieces_of_their_own() -> None:
    both = Message(
        "user",
        (ToolResult("a", (Text("x " * 300),)), ToolResult("b", (Text("y " * 100),)), Text("Now stop.")),
    )
    found = session(user("hello"), reply(0, a="Read", b="Bash"), both, reply(0))
    kinds = [piece.kind for piece in found.pieces[2:]]
    assert kinds == ["file", "result", "user"]
    assert found.pieces[2].tokens > found.pieces[3].tokens > found.pieces[4].tokens


def test_a_chinese_conversation_is_counted_and_quoted_like_any_other() -> None:
    line = "潮汐表在每天清晨五点由港口服务器重新计算,计算完成之后会写入缓存并且通知所有已经连接的客户端"
    found = session(user(f"请记住:\n{line}"), reply(0), user("它说什么?"), reply(0, line))
    assert [[one.piece for one in quote] for quote in found.calls[1].quotes] == [[0]]
