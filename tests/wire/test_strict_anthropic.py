"""The strict emulation of Anthropic's API: what it accepts, and each rule on a request that breaks it."""

from __future__ import annotations

import copy
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.wire.strict.anthropic_rules import (
    BINDING_CONTROLS,
    CLEAR_AT,
    COMPACT,
    CONTEXT_MANAGEMENT,
    OUTPUT_CONFIG,
)
from tests.wire.strict.anthropic_rules import TOOL_CHANGES as TOOL_CHANGE_BETAS
from tests.wire.strict.claude_models import claude_model
from tests.wire.strict.probe import (
    BINDING_MODEL,
    DEFERRED,
    PLAIN_MODEL,
    TOOL,
    Probe,
    call,
    reader,
    result,
    system,
    thinking,
    user,
    without_thinking,
)
from tests.wire.strict.refusal import Fields

HI = user("hi")
ASKED = [HI, {"role": "assistant", "content": [call("c1")]}]
ANSWERED = [*ASKED, result("c1")]
MARK = {"type": "ephemeral"}
SUMMARIZE = {"type": "summarize"}
EFFORT: Fields = {"role": "system", "content": [], "output_config": {"effort": "low"}}
TOOL_CHANGES = frozenset({TOOL_CHANGE_BETAS[0]})
COMPACTS = frozenset({COMPACT})
DROPS: dict[str, Any] = {
    "thinking": {"type": "adaptive", "block_binding": {"prefix_mismatch_behavior": "drop_block"}}
}
ADDITION = {"type": "tool_addition", "tool": {"type": "tool_reference", "name": "read_chart"}}


def text(words: str, **more: object) -> Fields:
    """A text block."""
    return {"type": "text", "text": words, **more}


def says(*blocks: object) -> list[Fields]:
    """Messages with one of the user's."""
    return [{"role": "user", "content": list(blocks)}]


SHAPES: dict[str, tuple[list[Fields] | None, dict[str, Any], frozenset[str], str]] = {
    "an unknown field": ([HI], {"bogus": 1}, frozenset(), "bogus: Extra inputs are not permitted"),
    "no limit": ([HI], {"max_tokens": None}, frozenset(), "max_tokens: Field required"),
    "no messages": ([], {}, frozenset(), "at least one message"),
    "an unknown role": ([{"role": "tool", "content": "x"}], {}, frozenset(), "messages.0.role"),
    "an assistant first": ([{"role": "assistant", "content": "x"}, HI], {}, frozenset(), "first message must use"),
    "a field of a reply": ([{**HI, "id": "msg_1"}], {}, frozenset(), "messages.0.id: Extra inputs"),
    "an empty message": ([{"role": "user", "content": ""}], {}, frozenset(), "non-empty content"),
    "an empty text": (says(text("")), {}, frozenset(), "text content blocks must be non-empty"),
    "a blank text": (says(text(" \n")), {}, frozenset(), "must contain non-whitespace text"),
    "a field of a block": (says(text("x", index=0)), {}, frozenset(), "text.index: Extra inputs"),
    "a call of the user's": (says(call("c1")), {}, frozenset(), "can only be in `assistant` messages"),
    "a call without a result": ([*ASKED, HI], {}, frozenset(), "without `tool_result` blocks immediately after: c1"),
    "an open call at the end": (ASKED, {}, frozenset(), "without `tool_result` blocks immediately after: c1"),
    "a result without a call": ([result("c1")], {}, frozenset(), "unexpected `tool_use_id`"),
    "two results of a call": ([*ANSWERED, result("c1")], {}, frozenset(), "a single result"),
    "text before a result": (
        [*ASKED, {"role": "user", "content": [text("x"), *result("c1")["content"]]}],  # type: ignore[misc]
        {}, frozenset(), "immediately after",
    ),
    "a repeated id": ([*ANSWERED, ASKED[1], result("c1")], {}, frozenset(), "ids must be unique"),
    "an id with a space": (
        [HI, {"role": "assistant", "content": [call("c 1")]}, result("c 1")], {}, frozenset(), "tool_use.id",
    ),
    "prefill": ([HI, {"role": "assistant", "content": "I"}], {}, frozenset(), "does not support assistant message"),
    "five cache marks": (says(*[text(str(n), cache_control=MARK) for n in range(5)]), {}, frozenset(), "Found 5"),
    "a longer mark behind a shorter": (
        says(text("a", cache_control=MARK), text("b", cache_control={"type": "ephemeral", "ttl": "1h"})),
        {}, frozenset(), "must not come after",
    ),
    "a mark on thinking": (
        [HI, {"role": "assistant", "content": [{**thinking("x"), "cache_control": MARK}, text("y")]}, HI],
        {}, frozenset(), "cache_control: Extra inputs",
    ),
    "tools of one name": ([HI], {"tools": [TOOL, TOOL]}, frozenset(), "Tool names must be unique"),
    "nothing but deferred tools": ([HI], {"tools": [DEFERRED]}, frozenset(), "must have defer_loading=false"),
    "a tool without a schema": ([HI], {"tools": [{"name": "x"}]}, frozenset(), "input_schema.type"),
    "a thinking budget": (
        [HI], {"thinking": {"type": "enabled", "budget_tokens": 2000}}, frozenset(), "is not supported for this model",
    ),
    "a temperature": ([HI], {"temperature": 0.2}, frozenset(), "`temperature` is deprecated"),
    "block_binding without its beta": ([HI], DROPS, frozenset(), "block_binding: Extra inputs"),
    "a beta that is none": ([HI], {}, frozenset({"bogus"}), "Unexpected value(s) `bogus`"),
    "system first": ([system("x"), HI], {}, frozenset(), "use the top-level 'system' parameter"),
    "system behind the assistant": (
        [*ANSWERED, {"role": "assistant", "content": "x"}, system("y")], {}, frozenset(), "role 'system' must follow",
    ),
    "system between call and result": ([*ASKED, system("y"), result("c1")], {}, frozenset(), "must follow a 'user'"),
    "system before the user": ([HI, system("y"), HI], {}, frozenset(), "role 'system' must precede"),
    "an empty system message": ([HI, {"role": "system", "content": []}], {}, frozenset(), "at least one block"),
    "a picture in a system message": (
        [HI, {"role": "system", "content": [{"type": "image", "source": {}}]}], {}, frozenset(), "supports text",
    ),
    "a tool change without its beta": (
        [HI, {"role": "system", "content": [ADDITION]}], {"tools": [TOOL, DEFERRED]}, frozenset(), "tool_addition",
    ),
    "a change of an unknown tool": (
        [HI, {"role": "system", "content": [ADDITION]}], {}, TOOL_CHANGES, "`read_chart` is not declared",
    ),
    "clear_at without its beta": ([HI, {**system("x"), "clear_at": "never"}], {}, frozenset(), "clear_at: Extra"),
    "an effort without its beta": (
        [HI, {**system("x"), "output_config": {"effort": "low"}}], {}, frozenset(), "output_config: Extra inputs",
    ),
    "compaction without its beta": ([HI], {"compaction": SUMMARIZE}, frozenset(), "requires anthropic-beta"),
    "context management without its beta": ([HI], {"context_management": {"edits": []}}, frozenset(), "Extra inputs"),
    "compaction with context management": (
        [HI], {"compaction": SUMMARIZE, "context_management": {"edits": [{}]}},
        frozenset({COMPACT, CONTEXT_MANAGEMENT[0]}), "cannot be combined with `context_management`",
    ),
    "compaction with stop sequences": (
        [HI], {"compaction": SUMMARIZE, "stop_sequences": ["x"]}, COMPACTS, "cannot be combined",
    ),
    "compaction with an open call": (ASKED, {"compaction": SUMMARIZE}, COMPACTS, "compaction_incomplete_turn"),
    "compaction of another kind": ([HI], {"compaction": {"type": "drop"}}, COMPACTS, "Input should be 'summarize'"),
    "thinking that nobody signed": (
        [HI, {"role": "assistant", "content": [thinking("x"), text("y")]}, HI], {}, frozenset(), "Invalid `signature`",
    ),
}  # fmt: skip


@pytest.mark.parametrize("case", SHAPES)
def test_a_request_that_breaks_a_rule_is_refused_in_the_apis_words(case: str) -> None:
    messages, changes, betas, words = SHAPES[case]
    probe = Probe()
    assert words in probe.refusal(probe.body(messages, **changes), betas)


ACCEPTED: dict[str, tuple[list[Fields], dict[str, Any], frozenset[str]]] = {
    "one message": ([HI], {}, frozenset()),
    "neighbours of one role": ([HI, HI, {"role": "assistant", "content": "x"}, HI], {}, frozenset()),
    "results in two messages": (
        [HI, {"role": "assistant", "content": [call("a"), call("b")]}, result("a"), result("b")], {}, frozenset(),
    ),
    "text behind results": (
        [*ASKED, {"role": "user", "content": [*result("c1")["content"], text("x")]}], {}, frozenset(),  # type: ignore[misc]
    ),
    "system behind a result": ([*ANSWERED, system("x"), system("y")], {}, frozenset()),
    "system before the assistant": ([HI, system("x"), {"role": "assistant", "content": "y"}, HI], {}, frozenset()),
    "a tool change": (
        [HI, {"role": "system", "content": [ADDITION]}], {"tools": [TOOL, DEFERRED]}, TOOL_CHANGES,
    ),
    "a system message for one turn": (
        [HI, {**system("x"), "clear_at": "next_user_message"}], {}, frozenset({CLEAR_AT}),
    ),
    "an effort alone, anywhere": (
        [HI, {"role": "assistant", "content": "x"}, EFFORT, HI],
        {}, frozenset({OUTPUT_CONFIG[0]}),
    ),
    "context editing": ([HI], {"context_management": {"edits": []}}, frozenset({CONTEXT_MANAGEMENT[0]})),
    "compaction behind the assistant": (
        [HI, {"role": "assistant", "content": "x"}], {"compaction": SUMMARIZE}, COMPACTS,
    ),
    "four cache marks": (says(*[text(str(n), cache_control=MARK) for n in range(4)]), {}, frozenset()),
}  # fmt: skip


@pytest.mark.parametrize("case", ACCEPTED)
def test_a_request_that_the_documentation_allows_is_accepted(case: str) -> None:
    messages, changes, betas = ACCEPTED[case]
    probe = Probe()
    assert probe.refusal(probe.body(messages, **changes), betas) == ""


@pytest.mark.parametrize(
    "model,binds,speaks,compacts",
    [
        ("claude-opus-5-5", True, True, True),
        ("claude-sonnet-5-5-20261001", True, True, True),
        ("claude-haiku-5-5", True, True, True),
        ("claude-fable-5-1[1m]", True, True, True),
        ("claude-mythos-5-2", True, True, True),
        ("claude-fable-5", False, True, True),
        ("claude-opus-5", False, True, True),
        ("claude-opus-4-8", False, True, True),
        ("claude-sonnet-5", False, False, True),
        ("claude-haiku-4-5-20251001", False, False, False),
        ("claude-opus-4-20250514", False, False, False),
        ("some-model", False, False, False),
    ],
)
def test_what_a_model_can_do_follows_from_its_name(
    model: str, binds: bool, speaks: bool, compacts: bool
) -> None:
    found = claude_model(model)
    assert (found.binds, found.takes_system_messages, found.compacts) == (binds, speaks, compacts)


@pytest.mark.parametrize(
    "reader_name,writer,reads",
    [
        ("claude-fable-5-1", "claude-opus-5", True),
        ("claude-fable-5-1", "claude-opus-5-5", True),
        ("claude-fable-5-1", "claude-fable-5-2", False),
        ("claude-opus-5-5", "claude-opus-5", True),
        ("claude-opus-5-5", "claude-fable-5-1", False),
        ("claude-sonnet-5-5", "claude-sonnet-5", True),
        ("claude-sonnet-5-5", "claude-opus-5", False),
        ("claude-opus-5", "claude-opus-4-8", False),
        ("claude-opus-5", "claude-haiku-5-5", True),
        ("claude-haiku-5-5", "claude-opus-5-5", False),
    ],
)
def test_a_model_reads_the_thinking_of_some_others(reader_name: str, writer: str, reads: bool) -> None:
    assert claude_model(reader_name).reads(claude_model(writer)) == reads


def edited(messages: list[Fields], index: int, content: object) -> list[Fields]:
    """Messages with one of them changed."""
    made = copy.deepcopy(messages)
    made[index]["content"] = content
    return made


def test_a_conversation_that_only_grows_is_accepted() -> None:
    probe = reader(3)
    assert probe.check(probe.body()).shown == 3


@pytest.mark.parametrize(
    "kept", [{"cache_control": MARK}, {"max_tokens": 500}, {"output_config": {"effort": "low"}}]
)
def test_what_is_no_part_of_the_prefix_may_change(kept: dict[str, Any]) -> None:
    probe = reader(3)
    assert probe.check(probe.body(**kept)).shown == 3


def test_forms_that_say_the_same_are_the_same_prefix() -> None:
    probe = reader(3)
    messages = edited(probe.history, 0, [text("Read all parts.", cache_control=MARK)])
    messages[2]["content"][0]["content"] = [text("part 1")]  # type: ignore[index]
    system_blocks = [text("Read the parts.")]
    assert probe.check(probe.body(messages, system=system_blocks, tools=[TOOL, DEFERRED])).shown == 3


CHANGES: dict[str, tuple[dict[str, Any], str]] = {
    "the system prompt": ({"system": "Read them."}, "The `system` prompt differs"),
    "the tools": ({"tools": [{**TOOL, "description": "Read."}]}, "The `tools` list differs"),
    "no tools": ({"tools": None}, "The `tools` list differs"),
    "one more tool": ({"tools": [TOOL, {**TOOL, "name": "other"}]}, "The `tools` list differs"),
}


@pytest.mark.parametrize("case", CHANGES)
def test_a_changed_head_is_refused_with_what_changed(case: str) -> None:
    changes, words = CHANGES[case]
    probe = reader(3)
    refusal = probe.refusal(probe.body(**changes))
    assert refusal.startswith(
        "messages.1.content.0: Invalid `signature` in `thinking` block. The block is bound"
    )
    assert "thinking-binding-controls-2026-08-01" in refusal
    assert words in refusal


def test_a_changed_message_is_refused_at_the_first_thinking_behind_it() -> None:
    probe = reader(3)
    assert probe.refusal(probe.body(edited(probe.history, 2, result("c1", "x")["content"]))).startswith(
        "messages.3.content.0: Invalid"
    )
    assert "messages.1.content.0" in probe.refusal(probe.body(edited(probe.history, 0, "Read some parts.")))
    assert "messages.2.content.0" in probe.refusal(probe.body([HI, *probe.history]))
    assert probe.refusal(probe.body(edited(probe.history, 6, result("c3", "x")["content"]))) == ""


@pytest.mark.parametrize(
    "leave_out,shown", [((0,), 3), ((0, 1), 2), ((3,), 3), ((2, 3), 2), ((0, 3), 2), ((0, 1, 2, 3), 0)]
)
def test_thinking_may_be_left_out_at_both_ends(leave_out: tuple[int, ...], shown: int) -> None:
    probe = reader(4)
    assert probe.check(probe.body(without_thinking(probe.history, leave_out))).shown == shown


@pytest.mark.parametrize("leave_out", [(1,), (1, 2), (0, 2)])
def test_thinking_left_out_of_the_middle_is_refused(leave_out: tuple[int, ...]) -> None:
    probe = reader(4)
    refusal = probe.refusal(probe.body(without_thinking(probe.history, leave_out)))
    assert "that preceded this one when it was created is missing" in refusal


def test_thinking_that_was_left_out_may_not_come_back() -> None:
    probe = reader(2)
    whole = copy.deepcopy(probe.history)
    probe.history = without_thinking(whole, (0, 1))
    probe.step(3)
    assert probe.check(probe.body()).shown == 1
    assert "is missing" in probe.refusal(probe.body([*whole, *probe.history[-2:]]))


def test_changed_thinking_is_refused_even_where_blocks_may_be_dropped() -> None:
    probe = reader(2)
    messages = copy.deepcopy(probe.history)
    messages[1]["content"][0]["thinking"] = "Something else."  # type: ignore[index]
    refusal = probe.refusal(probe.body(messages, **DROPS), frozenset({BINDING_CONTROLS}))
    assert refusal == "messages.1.content.0: Invalid `signature` in `thinking` block"


def test_dropping_takes_the_failing_block_and_all_behind_it_and_lists_them() -> None:
    probe = reader(4)
    messages = edited(probe.history, 2, result("c1", "x")["content"])
    checked = probe.check(probe.body(messages, **DROPS), frozenset({BINDING_CONTROLS}))
    assert (checked.sent, checked.shown) == (4, 1)
    assert [(one.path, one.reason) for one in checked.dropped] == [
        (f"messages.{index}.content.0", "prefix_binding_mismatch") for index in (3, 5, 7)
    ]


def test_a_model_that_does_not_bind_takes_a_changed_prefix() -> None:
    probe = reader(3, model=PLAIN_MODEL)
    assert probe.check(probe.body(system="Other.")).shown == 3


def test_a_switch_of_models_drops_without_an_error_and_switching_back_restores() -> None:
    probe = reader(2, model="claude-fable-5-1")
    probe.model = BINDING_MODEL
    checked = probe.check(probe.body())
    assert [one.reason for one in checked.dropped] == ["model_binding_mismatch"] * 2
    probe.step(3)
    probe.model = "claude-fable-5-1"
    assert probe.check(probe.body()).shown == 3
    probe.step(4)
    assert probe.check(probe.body()).shown == 4


def test_a_line_for_the_accounts_is_no_part_of_the_prompt() -> None:
    def prompt(number: int) -> list[Fields]:
        return [text(f"x-anthropic-billing-header: cch={number};"), text("Read the parts.")]

    probe = reader(0)
    probe.fixed["system"] = prompt(1)
    probe.step(1)
    probe.fixed["system"] = prompt(2)
    assert probe.check(probe.body()).shown == 1


KEEPING = frozenset({COMPACT})


def kept(cut: int, steps: int = 4, **options: Any) -> tuple[Probe, list[Fields]]:
    """A probe, and its history with a summary in place of the messages before the cut."""
    probe = reader(steps, **options)
    probe.betas = KEEPING
    return probe, [probe.compact(probe.history[:cut]), *probe.history[cut:]]


def test_kept_thinking_stays_valid_behind_a_summary_and_so_does_what_follows() -> None:
    probe, messages = kept(3)
    assert probe.check(probe.body(messages)).shown == 3
    probe.history = messages
    probe.step(5)
    again = [probe.compact(probe.history[:3]), *probe.history[3:]]
    assert probe.check(probe.body(again)).shown == 3
    probe.history = again
    probe.step(6)
    assert probe.check(probe.body()).shown == 4


def test_a_summary_of_a_request_that_was_sent_keeps_the_reply_to_it() -> None:
    probe = reader(2)
    probe.betas = KEEPING
    summary = probe.compact(probe.history)
    probe.step(3)
    assert probe.check(probe.body([summary, *probe.history[-2:]])).shown == 1


def summarized_by(probe: Probe, model: str) -> Fields:
    """A request with a summary of the first call that a model wrote, and the other calls."""
    return probe.body([probe.compact(probe.history[:4], model=model), *probe.history[4:]])


def summarized(probe: Probe, *between: Fields, cut: int = 4, skip: int = 0, **changes: Any) -> Fields:
    """A request with a summary up to a cut, what stands between, and the rest without some messages."""
    summary = {**probe.compact(probe.history[:cut]), "role": "user"}
    return probe.body([summary, *between, *probe.history[cut + skip :]], **changes)


CONDITIONS: dict[str, Any] = {
    "a model that does not bind wrote it": lambda probe: summarized_by(probe, PLAIN_MODEL),
    "the system prompt is another one": lambda probe: summarized(probe, system="Other."),
    "the tools are others": lambda probe: summarized(probe, tools=[{**TOOL, "name": "other"}]),
    "a message stands between": lambda probe: summarized(probe, user("So far.")),
    "a system message stands between": lambda probe: summarized(probe, system("Be brief.")),
    "messages are left out": lambda probe: summarized(probe, skip=3),
    "the first kept message has the role of the last summarized one": lambda probe: summarized(probe, cut=3),
}


@pytest.mark.parametrize("case", CONDITIONS)
def test_kept_thinking_fails_where_a_condition_of_the_compaction_does_not_hold(case: str) -> None:
    probe = Probe(betas=KEEPING, history=[user("Read all parts.")])
    for number in range(1, 5):
        probe.step(number, more=[user(f"That was {number}.")])
    assert "bound to a different conversation" in probe.refusal(CONDITIONS[case](probe))


def test_a_summary_is_accepted_where_the_kept_thinking_is_left_out() -> None:
    probe = reader(4)
    probe.betas = KEEPING
    messages = [
        probe.compact(probe.history[:3], model=PLAIN_MODEL),
        *without_thinking(probe.history[3:], (0, 1, 2)),
    ]
    assert probe.check(probe.body(messages)).sent == 0
    probe.history = messages
    probe.step(5)
    assert probe.check(probe.body()).shown == 1


SUMMARIES: dict[str, tuple[Any, str]] = {
    "changed words": (lambda block: {**block, "content": "Other."}, "compaction_content_mismatch"),
    "another signature": (lambda block: {**block, "signature": "x"}, "compaction_signature_invalid"),
    "a field of the client's": (
        lambda block: {**block, "citations": None},
        "compaction.citations: Extra inputs",
    ),
}


@pytest.mark.parametrize("case", SUMMARIES)
def test_a_summary_is_accepted_only_unchanged(case: str) -> None:
    change, words = SUMMARIES[case]
    probe, messages = kept(3)
    block = messages[0]["content"][0]  # type: ignore[index]
    messages[0] = {"role": "assistant", "content": [change(block)]}
    assert words in probe.refusal(probe.body(messages))


def test_a_summary_is_accepted_only_first_only_once_and_only_with_its_beta() -> None:
    probe, messages = kept(3)
    assert "compaction_block_misplaced" in probe.refusal(probe.body([probe.history[0], *messages]))
    assert "compaction_block_ambiguous" in probe.refusal(probe.body([messages[0], *messages]))
    assert "Input tag 'compaction'" in probe.refusal(probe.body(messages), frozenset())
    first: Any = [*messages[0]["content"], text("Read on.")]  # type: ignore[misc]
    assert probe.refusal(probe.body([{"role": "user", "content": first}])) == ""


def test_tool_changes_of_summarized_messages_come_with_the_summary_and_go_back_with_it() -> None:
    probe = Probe(betas=KEEPING | TOOL_CHANGES, history=[user("Read all parts.")])
    probe.fixed["tools"] = [TOOL, DEFERRED]
    probe.history.append({"role": "system", "content": [ADDITION]})
    probe.step(1)
    probe.step(2)
    summary = probe.compact(probe.history[:4])
    block: Any = summary["content"][0]  # type: ignore[index]
    assert block["tool_changes"] == [ADDITION]
    assert probe.check(probe.body([summary, *probe.history[4:]])).shown == 1
    without = {name: value for name, value in block.items() if name != "tool_changes"}
    messages = [{"role": "assistant", "content": [without]}, *probe.history[4:]]
    assert "compaction_tool_changes_mismatch" in probe.refusal(probe.body(messages))


STEPS = st.lists(st.sampled_from(["step", "system", "user", "tool", "compact"]), min_size=3, max_size=12)


def grown(steps: list[str]) -> Probe:
    """A probe after random steps, each of which only adds or compacts."""
    probe = Probe(betas=KEEPING, history=[user("Read all parts.")])
    for number, kind in enumerate(steps, 1):
        if kind == "step":
            probe.step(number)
        elif kind == "system":
            probe.step(number, more=[system(f"Note {number}.")])
        elif kind == "user":
            probe.say([thinking(f"Answer {number}."), text(f"That was {number}.")])
            probe.history.append(user(f"Question {number}?"))
        elif kind == "tool":
            tools: Any = probe.fixed["tools"]
            probe.fixed["tools"] = [*tools, {**DEFERRED, "name": f"chart_{number}"}]
            probe.step(number)
        elif len(probe.history) > 3:
            cut = next(
                (
                    index
                    for index in range(3, len(probe.history))
                    if probe.history[index]["role"] == "assistant"
                ),
                len(probe.history),
            )
            probe.history = [probe.compact(probe.history[:cut]), *probe.history[cut:]]
            if len(probe.history) == 1 or probe.history[-1]["role"] == "assistant":
                probe.history.append(user(f"Go on from {number}."))
    return probe


@given(STEPS)
def test_no_history_that_only_grows_and_compacts_is_refused(steps: list[str]) -> None:
    probe = grown(steps)
    checked = probe.check(probe.body())
    assert checked.dropped == ()
    assert checked.shown == checked.sent


@given(STEPS, st.data())
def test_every_change_before_a_thinking_block_is_refused(steps: list[str], data: st.DataObject) -> None:
    probe = grown([*steps, "step", "step"])
    last = max(index for index, message in enumerate(probe.history) if "signature" in str(message["content"]))
    places = [
        index
        for index, message in enumerate(probe.history[:last])
        if message["role"] == "user" and isinstance(message["content"], str)
    ]
    places = places or [next(i for i, one in enumerate(probe.history[:last]) if one["role"] == "user")]
    index = data.draw(st.sampled_from(places))
    messages = copy.deepcopy(probe.history)
    content: Any = messages[index]["content"]
    if isinstance(content, str):
        messages[index]["content"] = content + " Please."
    else:
        content[0]["content"] = "changed"
    assert "bound to a different conversation" in probe.refusal(probe.body(messages))
