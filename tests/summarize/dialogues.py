"""Invented dialogues, generators for sources, and the driving of the two summarizers in tests."""

from __future__ import annotations

import json
from collections.abc import Callable, Generator, Sequence
from dataclasses import dataclass

from hypothesis import strategies as st

from palimpsest.record.completion import Completion, CompletionFailure, CompletionRequest
from palimpsest.record.message import Media, Message, Reasoning, Text, ToolCall, ToolResult
from palimpsest.record.summary import Draft, Summary
from palimpsest.summarize.abstractive.ladder import summarize
from palimpsest.summarize.extractive.extract import extract
from palimpsest.summarize.ledger.entries import Ledger
from palimpsest.summarize.ledger.reading import update
from palimpsest.summarize.source import MessageEntry, Source, SummaryEntry

Reply = Completion | CompletionFailure
Count = Callable[[str], int]


def quarter(text: str) -> int:
    """A token counter that is easily reckoned: one for every four characters begun."""
    return -(-len(text) // 4)


def user(text: str) -> Message:
    return Message("user", (Text(text),))


def heard(*texts: str) -> Ledger:
    """What is noted of a user's messages."""
    ledger = Ledger()
    for seq, text in enumerate(texts, 1):
        update(ledger, user(text), seq)
    return ledger


def lasting(ledger: Ledger) -> tuple[list[str], list[str]]:
    """The user's rules, and what else of his holds on, in the order in which it was said."""
    told = [one.text for one in ledger.of("remark").values() if one.weight]
    return [one.text for one in ledger.of("rule").values()], told


def held(*texts: str) -> list[str]:
    """What of a user's messages holds on, as a rule or as something told."""
    rules, told = lasting(heard(*texts))
    return [*rules, *told]


def holds(text: str) -> bool:
    """Whether a user's message holds on as it was typed."""
    return text in held(text)


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


@dataclass(frozen=True, slots=True)
class Extracted:
    draft: Draft
    pauses: int

    @property
    def text(self) -> str:
        return self.draft.text


def extracted(
    source: Source,
    *,
    target_tokens: int = 1_200,
    limit_tokens: int = 4_000,
    count: Count = quarter,
    alone: bool = True,
) -> Extracted:
    """Run the extraction to its end."""
    work = extract(source, target_tokens=target_tokens, limit_tokens=limit_tokens, count=count, alone=alone)
    pauses = 0
    while True:
        try:
            next(work)
        except StopIteration as end:
            return Extracted(end.value, pauses)
        pauses += 1


def laddered(
    source: Source, replies: Sequence[Reply], *, target_tokens: int = 100, limit_tokens: int = 1_000
) -> tuple[Draft, list[CompletionRequest]]:
    """Run the ladder against scripted replies; the requests it made come with the draft."""
    work: Generator[CompletionRequest, Reply, Draft] = summarize(
        source, target_tokens=target_tokens, limit_tokens=limit_tokens, count=quarter, model="small"
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
