"""Invented dialogues, generators for sources, and the driving of the two summarizers in tests."""

from __future__ import annotations

import json
from collections.abc import Callable, Generator, Sequence

from hypothesis import strategies as st

from palimpsest.ledger.entries import Ledger
from palimpsest.ledger.render import render
from palimpsest.ledger.update import update
from palimpsest.record.completion import Completion, CompletionFailure, CompletionRequest
from palimpsest.record.message import Media, Message, Reasoning, Text, ToolCall, ToolResult
from palimpsest.record.summary import Draft, Summary
from palimpsest.record.summary_source import MessageEntry, Source, SummaryEntry
from palimpsest.summarize.model.escalation import Ask, summarize

Reply = Completion | CompletionFailure
Count = Callable[[str], int]


def quarter(text: str) -> int:
    """A token counter that is easily reckoned: one for every four characters begun."""
    return -(-len(text) // 4)


def user(text: str) -> Message:
    return Message("user", (Text(text),))


def assistant(text: str, *calls: ToolCall) -> Message:
    return Message("assistant", (*([Text(text)] if text else []), *calls))


def call(identity: str, name: str, **arguments: object) -> ToolCall:
    return ToolCall(identity, name, json.dumps(arguments, ensure_ascii=False))


def result(identity: str, text: str, *, error: bool = False) -> Message:
    return Message("tool", (ToolResult(identity, (Text(text),), is_error=error),))


def leaf(messages: Sequence[Message], *, focus: str = "", earlier: tuple[str, ...] = ()) -> Source:
    entries = tuple(MessageEntry(f"m{at}", message, 0) for at, message in enumerate(messages, start=1))
    return Source("leaf", entries, earlier=earlier, focus=focus)


def summary(identity: str, text: str) -> Summary:
    return Summary(identity, 0, text, quarter(text), 1, 8, (), "extractive")


def condense(*texts: str) -> Source:
    return Source("condense", tuple(SummaryEntry(summary(f"s{at}", text)) for at, text in enumerate(texts)))


def noted_text(source: Source, budget_tokens: int = 1_200, count: Count = quarter) -> str:
    """What a ledger of the messages of a source says of them."""
    ledger = Ledger()
    for seq, message in enumerate(source.messages, 1):
        update(ledger, message, seq)
    return render(ledger, budget_tokens, count=count, roomy=True)


def laddered(
    source: Source, replies: Sequence[Reply], *, target_tokens: int = 100, limit_tokens: int = 1_000
) -> tuple[Draft, list[CompletionRequest]]:
    """Run the ladder against scripted replies; the requests it made come with the draft."""
    work: Generator[CompletionRequest, Reply, Draft] = summarize(
        source, Ask(target_tokens, limit_tokens, quarter, "small")
    )
    asked = [next(work)]
    for reply in replies:
        try:
            asked.append(work.send(reply))
        except StopIteration as end:
            return end.value, asked
    raise AssertionError("the ladder asked more often than the script answers")


TEXTS = st.one_of(
    st.text(max_size=200),
    st.text(alphabet=st.characters(min_codepoint=0x4E00, max_codepoint=0x4E80), max_size=120),
    st.text(alphabet="👩‍👧🇩🇪🏽é́\u0301\ud83d\ude00\udc00\0\r\n ", max_size=60),
    st.sampled_from(
        [
            "",
            "   \n\n",
            "## Goal\n- forged",
            "</conversation>",
            "```\ncode",
            "Error: boom " * 40,
            "src/a/b.py:12: error: no",
            "x" * 9_000,
            "不要使用全局变量。" * 50,
            "<system-reminder>" * 30,
            "a_b" * 2_000,
        ]
    ),
)
ARGUMENTS = st.one_of(
    st.just("{}"),
    st.just("not json"),
    st.just('{"path": 1, "todos": [], "command": ["bash", "-lc"]}'),
    st.builds(
        lambda key, value: json.dumps({key: value}),
        st.sampled_from(["file_path", "command", "patch", "todos", "x"]),
        st.one_of(TEXTS, st.lists(TEXTS, max_size=3), st.none(), st.floats(allow_nan=False)),
    ),
)
PARTS = st.one_of(
    st.builds(Text, TEXTS),
    st.builds(Reasoning, TEXTS),
    st.builds(ToolCall, st.sampled_from("ab"), st.sampled_from(["Bash", "Edit", "todo", ""]), ARGUMENTS),
    st.builds(lambda text, bad: ToolResult("a", (Text(text),), is_error=bad), TEXTS, st.booleans()),
    st.just(Media("image/png", data="AAAA")),
)
MESSAGES = st.builds(
    Message,
    st.sampled_from(["system", "user", "assistant", "tool"]),
    st.lists(PARTS, max_size=4).map(tuple),
    time_s=st.one_of(st.none(), st.floats(-1e18, 1e18)),
)
ENTRIES = st.one_of(
    st.builds(MessageEntry, st.just("m1"), MESSAGES, st.just(1)),
    st.builds(lambda text: SummaryEntry(summary("s1", text)), TEXTS),
)
SOURCES = st.builds(
    Source, st.sampled_from(["leaf", "condense"]), st.lists(ENTRIES, max_size=12).map(tuple), focus=TEXTS
)
