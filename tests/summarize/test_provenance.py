"""Which messages are named for a line of a summary: laws over any source."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from palimpsest.record.message import Message, Text
from palimpsest.record.summary_source import MessageEntry, Source
from palimpsest.summarize.provenance import MAX_SOURCES, sources_of
from tests.summarize.dialogues import assistant, call, result, user

NAMES = [f"{n:08x}-0000-4000-8000-{n * 7919:012x}" for n in range(1, 31)]


def source_of(texts: list[str]) -> Source:
    return Source(
        "leaf",
        tuple(MessageEntry(f"m{at}", Message("user", (Text(text),)), 9) for at, text in enumerate(texts, 1)),
    )


def trace(text: str, source: Source) -> list[tuple[str, tuple[str, ...]]]:
    found = sources_of(text.splitlines(), source)
    return [(line, tuple(name for name, _ in sources)) for line, sources in found]


@given(st.lists(st.sets(st.sampled_from(NAMES), max_size=4), min_size=1, max_size=40))
def test_each_identifier_of_a_line_is_held_by_a_message_that_is_named_for_it(held: list[set[str]]) -> None:
    texts = [f"run {' '.join(sorted(names))} was seen" for names in held]
    ((_, named),) = trace(f"- uuids: {' '.join(NAMES)}", source_of(texts))
    said = {name for at in named for name in held[int(at[1:]) - 1]}
    assert said == set().union(*held)
    assert list(named) == sorted(named, key=lambda one: int(one[1:]))


def test_who_holds_all_of_a_line_needs_nobody_beside() -> None:
    one, two = NAMES[:2]
    texts = [f"run {one}", f"run {two}", f"runs {one} and {two} are compared"]
    assert trace(f"- runs {one} and {two}", source_of(texts)) == [(f"- runs {one} and {two}", ("m3",))]


def test_of_many_that_share_the_words_of_a_line_eight_are_named() -> None:
    ((_, named),) = trace(
        "- the ferry leaves the harbour", source_of(["the ferry leaves the harbour soon"] * 20)
    )
    assert len(named) == MAX_SOURCES


def test_a_line_of_plain_words_comes_from_who_says_it() -> None:
    texts = [
        "it is new",
        "we need to see it; a new one is made",
        "It leaked. We need a new one",
        "one is new",
    ]
    assert trace("- we need a new one", source_of(texts)) == [("- we need a new one", ("m3",))]


def test_behind_a_call_that_is_told_with_its_outcome_stands_its_result() -> None:
    messages = [
        user("Run the tests of pier and quay."),
        assistant("", call("1", "Bash", command="pytest pier"), call("2", "Bash", command="pytest quay")),
        result("1", "3 passed"),
        result("2", "1 failed"),
    ]
    source = Source("leaf", tuple(MessageEntry(f"m{at}", one, 9) for at, one in enumerate(messages, 1)))
    lines = ["- `pytest quay` -> 1 failed", "- `pytest quay`"]
    assert trace("\n".join(lines), source) == [(lines[0], ("m2", "m4")), (lines[1], ("m2",))]


def test_a_line_whose_figures_nobody_said_comes_from_nobody_however_like_it_others_are() -> None:
    texts = [f"Step {k}: module m{k} is read." for k in range(247, 270)]
    ((_, heard),) = trace("- Step 0: module m0 is read.", source_of(texts))
    ((_, said),) = trace("- Step 250: module m250 is read.", source_of(texts))
    assert heard == ()
    assert said == ("m4",)
