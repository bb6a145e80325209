"""The chat's pure parts: what a line means, how text is set, what the lines and the map of the window say."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len

from palimpsest.agent.events import BudgetWarning, Done, ToolEnd, ToolStart
from palimpsest.cli.chat.commands import (
    COMMANDS,
    Command,
    Nothing,
    Say,
    Wrong,
    completions,
    help_rows,
    listing_lines,
    parse,
    pick,
)
from palimpsest.cli.chat.display import (
    Status,
    call_line,
    compacting_text,
    compaction_line,
    context_lines,
    error_lines,
    is_cut_short,
    level_style,
    map_lines,
    outcome_line,
    question_lines,
    region_bar,
    result_line,
    retry_line,
    status_line,
    two_columns,
    warning_line,
)
from palimpsest.cli.chat.model_choice import DEFAULT_MODELS, SCRIPTED, default_model, full_name
from palimpsest.cli.chat.reader import continues
from palimpsest.cli.chat.screen import Flow
from palimpsest.cli.drawing import budget_parts, clean
from palimpsest.engine.reports import ConversationInfo, MadeSummary, Report, WindowView
from palimpsest.errors import ModelError, NotFound, UsageError
from palimpsest.record.completion import Retrying
from palimpsest.record.decision import Budget, Decision, Regions, Step
from palimpsest.record.message import Message, Text, ToolCall, Usage
from palimpsest.record.window import Window

TOKENS = st.integers(0, 50_000)
BUDGETS = st.builds(
    Budget,
    regions=st.builds(Regions, TOKENS, TOKENS, TOKENS, TOKENS, TOKENS, TOKENS),
    window_tokens=st.integers(1, 300_000),
    output_reserve_tokens=TOKENS,
    margin_tokens=TOKENS,
    correction_tokens=st.integers(-20_000, 20_000),
)
SMALL = Budget(Regions(system=100, tools=500, summaries=900, history=1_500), 8_000, 2_000, 100)


def test_a_line_is_a_message_unless_it_begins_with_a_command() -> None:
    assert parse("  hello\nthere ") == Say("hello\nthere")
    assert parse("/etc/hosts is missing") == Say("/etc/hosts is missing")
    assert parse("//compact is a word") == Say("/compact is a word")
    assert parse("/ alone") == Say("/ alone")
    assert parse(" \n") == Nothing()
    assert parse("/compact") == Command("compact")
    assert parse("/COMPACT  the login\nbug ") == Command("compact", "the login\nbug")
    assert parse("/q") == Command("exit")


def test_an_unknown_command_names_the_nearest_and_one_that_needs_more_says_what() -> None:
    unknown = parse("/contxt")
    missing = parse("/grep ")
    assert isinstance(unknown, Wrong)
    assert "/context" in unknown.hint
    assert isinstance(missing, Wrong)
    assert "/grep PATTERN" in missing.hint


@given(st.text())
def test_every_line_means_something_and_every_command_can_be_written(text: str) -> None:
    assert isinstance(parse(text), Say | Command | Wrong | Nothing)
    assert {parse(f"/{name} x") for name in COMMANDS} == {Command(name, "x") for name in COMMANDS}


def test_a_line_goes_on_behind_an_odd_number_of_backslashes() -> None:
    assert [continues(line) for line in ("a", "a\\", "a\\\\", "\\", "")] == [False, True, False, True, False]


def test_commands_are_completed_and_so_is_what_follows_them() -> None:
    known = [("pier-7", "Piers"), ("buoys", "")]
    assert [word for word, _, _ in completions("/co")] == ["/compact", "/context"]
    assert completions("/resume pi", known) == [("pier-7", "Piers", 2)]
    assert completions("/model scr", (), [SCRIPTED]) == [(SCRIPTED, "", 3)]
    assert completions("say /co") == []
    assert completions("/co\nmore") == []


def test_the_help_fits_a_narrow_terminal_and_names_every_command() -> None:
    lines = two_columns(help_rows(), 40)
    assert max(map(cell_len, lines)) <= 40
    assert all(any(f"/{name}" in line for line in lines) for name in COMMANDS)


@given(
    st.text(alphabet=st.sampled_from("ab `*~#\n\r\t界é\x1b")), st.lists(st.integers(0, 30)), st.integers(0, 9)
)
def test_text_set_in_lines_keeps_every_character_whatever_pieces_it_came_in(
    text: str, cuts: list[int], width: int
) -> None:
    flow = Flow(width)
    places = sorted({0, len(text), *(cut for cut in cuts if cut < len(text))})
    pieces = [text[start:end] for start, end in pairwise(places)]
    said = "".join(flow.feed(piece) for piece in pieces) + flow.finish()
    assert said.split() == clean(text).split() or width
    assert "".join(said.split()) == "".join(clean(text).split())
    assert not flow.open


@given(st.text(alphabet=st.sampled_from("ab界 \n")), st.integers(2, 12))
def test_no_line_of_plain_text_is_wider_than_the_terminal(text: str, width: int) -> None:
    flow = Flow(width)
    said = flow.feed(text) + flow.finish()
    assert max(map(cell_len, said.split("\n")), default=0) <= width


def test_without_a_width_text_comes_out_as_it_was() -> None:
    flow = Flow()
    said = flow.feed("a  b\tc\n\n  `d` e") + flow.feed("f\n")
    assert said == "a  b\tc\n\n  `d` ef\n"
    assert not flow.open


def test_words_are_kept_whole_and_shown_as_soon_as_they_are() -> None:
    flow = Flow(10)
    assert flow.feed("one tw") == "one "
    assert flow.feed("o three") == "two "
    assert flow.finish() == "\nthree\n"


def test_a_fence_shows_its_lines_as_they_come_and_does_not_wrap_them() -> None:
    flow = Flow(10)
    flow.feed("```\n")
    assert flow.feed("a long line of code, ") == "a long line of code, "
    flow.feed("\n```\n")
    assert flow.feed("a long line of words\n") == "a long \nline of \nwords\n"


@given(BUDGETS, st.integers(20, 220))
def test_the_status_line_never_leaves_its_line(budget: Budget, width: int) -> None:
    status = Status("chat-1a2b3c", "anthropic:claude-sonnet-4-5", budget, Usage(1_000, 10, 900))
    said = "".join(text for _, text in status_line(status, width))
    assert cell_len(said) <= max(width, 20)
    assert "\n" not in said


def test_the_status_line_tells_more_where_there_is_more_room() -> None:
    status = Status("chat-1a2b3c", "scripted", SMALL, Usage(1_000, 10, 900))
    wide = "".join(text for _, text in status_line(status, 120))
    assert all(word in wide for word in ("51 %", "of 5,900", "scripted", "chat-1a2b3c", "90 % cached"))
    assert "51 %" in "".join(text for _, text in status_line(status, 24))


def test_the_bar_changes_colour_at_fifty_seventy_five_and_ninety_percent() -> None:
    shares = (0.0, 0.49, 0.5, 0.75, 0.9, 3.0)
    assert [level_style(share) for share in shares] == ["green", "green", "cyan", "yellow", "red", "red"]


@given(BUDGETS, st.integers(1, 60))
def test_the_bar_has_its_length_and_is_empty_only_where_nothing_is_used(budget: Budget, cells: int) -> None:
    bar = region_bar(budget, cells)
    assert len(bar) == cells
    assert (set(bar) == {"·"}) == (budget.used_tokens == 0)


@given(BUDGETS)
def test_the_map_has_two_hundred_squares_and_shows_every_region(budget: Budget) -> None:
    parts = budget_parts(budget)
    drawn = "".join(line.plain.replace(" ", "") for line in map_lines(budget))
    assert len(drawn) == 200 or sum(max(0, tokens) for _, _, tokens in parts) == 0
    assert all(mark in drawn for _, mark, tokens in parts if tokens > 0)


def test_the_parts_of_the_map_are_the_whole_window() -> None:
    assert sum(tokens for _, _, tokens in budget_parts(SMALL)) == SMALL.window_tokens


@pytest.mark.parametrize("width", [40, 76, 77, 80, 200])
def test_the_context_fits_the_terminal_with_its_table_beside_the_map_or_below(width: int) -> None:
    view = WindowView("chat-1a2b3c", Window(), SMALL, "")
    lines = [line.plain for line in context_lines(view, width, "scripted")]
    assert max(map(cell_len, lines)) <= width
    assert all(
        any(word in line for line in lines) for word in ("system", "reserve", "margin", "free", "25.0 %")
    )
    assert any("▒▒▒▒" in line.replace(" ", "") for line in lines)
    assert ("█ system" in lines[4]) == (width >= 77)


def test_a_compaction_is_told_with_its_tokens_and_ids() -> None:
    made = tuple(MadeSummary(f"s{n}", 0, 100, "normal", "m1", "m2", 2) for n in range(1, 7))
    assert compaction_line(Report("c", "r", 12_300, 4_100, made[2:3])).plain == (
        "[context compacted] 12,300 -> 4,100 tokens, s3"
    )
    assert compaction_line(Report("c", "r", 9, 8, made, stubs=1, omitted=2)).plain.endswith(
        "s1, s2, s3, s4, 2 more, 1 result shortened, 2 messages left out"
    )


def test_a_compaction_whose_model_failed_says_so_and_is_none_where_nothing_was_done() -> None:
    made = MadeSummary("s3", 0, 100, "extractive", "m1", "m2", 2)
    assert compaction_line(Report("c", "r", 9, 8, (made,), refused="timed out")).plain == (
        "[context compacted] 9 -> 8 tokens, s3; "
        "no reply of the model could be used, so rules wrote the summary: timed out"
    )
    assert compaction_line(Report("c", "r", 9, 9, failure="no credit")).plain == (
        "[context unchanged] 9 -> 9 tokens; "
        "the model cannot be reached, so the messages it should summarize stay as they are: no credit"
    )


def test_calls_and_results_are_one_line_each_without_control_characters() -> None:
    call = call_line(ToolStart("c1", "read_file", '{"path": "a\\u001b[2J.txt", "lines": 5}'), 60)
    one = call_line(ToolStart("c1", "run_command", '{"command": "ls\\n-la"}'), 60)
    broken = call_line(ToolStart("c1", "x", "{"), 60)
    assert call.plain == "● read_file path=a␛[2J.txt lines=5"
    assert one.plain == "● run_command ls -la"
    assert broken.plain == "● x {"
    assert result_line(ToolEnd("c1", "x", "a\nb\nc", False, 2.0), 60).plain == "  └ a (+2 lines) 2.0 s"
    assert result_line(ToolEnd("c1", "x", "", True, 0.1), 60, named=True).plain == "  └ x: nothing"


def test_warnings_retries_outcomes_and_errors_say_what_is_to_be_known() -> None:
    assert "75 % full: 1,000 of 1,300" in warning_line(BudgetWarning(0.75, 1_000, 1_300)).plain
    retry = retry_line(Retrying(2, 0.5, "busy " * 50), 80, shown=True)
    assert "ignore the words above" in retry.plain
    assert cell_len(retry.plain) <= 80
    assert outcome_line(Done("yes", "stop", 1)) is None
    assert "nothing" in str(outcome_line(Done(" ", "stop", 1)))
    assert "output limit" in str(outcome_line(Done("cut", "length", 1)))
    told = [line.plain for line in error_lines(ModelError("busy", hint="wait"), unfinished=True)]
    assert told == ["error: busy", "   do: wait; Enter or /retry asks again"]


def test_a_turn_is_cut_short_until_its_answer() -> None:
    called = Message("assistant", (ToolCall("c1", "x"),))
    newest = (
        None,
        Message("user", (Text("a"),)),
        called,
        Message("tool"),
        Message("assistant", (Text("b"),)),
    )
    assert [is_cut_short(one) for one in newest] == [False, True, True, True, False]


def test_a_command_that_waits_for_a_yes_is_shown_whole() -> None:
    lines = [line.plain for line in question_lines("echo one\nrm -r \x1b[8mhidden " + "word " * 30, 40)]
    assert max(map(cell_len, lines)) <= 40
    assert "".join(lines).count("word") == 30
    assert "␛[8mhidden" in "".join(lines)


def conversation(name: str, title: str = "") -> ConversationInfo:
    return ConversationInfo(name, title, 3, 100, 100, "2026-02-03T04:05:06Z")


def test_a_conversation_is_picked_by_number_id_or_title() -> None:
    known = [
        conversation("pier-7", "The piers of the harbour"),
        conversation("buoys", "Buoys of the harbour"),
    ]
    assert [pick(given, known).id for given in ("2", "pier", "last", "THE PIERS")] == [
        "buoys", "pier-7", "pier-7", "pier-7",
    ]  # fmt: skip
    with pytest.raises(UsageError, match="2 titles"):
        pick("harbour", known)
    with pytest.raises(NotFound, match="/resume"):
        pick("ferry", known)


def test_the_list_of_conversations_fits_and_marks_the_present_one() -> None:
    known = [conversation(f"chat-{n}", "A long title " * 8) for n in range(30)]
    assert max(map(cell_len, listing_lines(known, "chat-1", 40))) <= 40
    wide = listing_lines(known, "chat-1", 100)
    assert "2*" in wide[3]
    assert wide[-1] == "10 more: palimpsest list"


def test_a_model_is_chosen_by_the_key_there_is_and_the_scripted_one_without() -> None:
    assert default_model({}) == SCRIPTED
    assert default_model({"OPENAI_API_KEY": "k"}).startswith("openai:")
    assert default_model({"GOOGLE_API_KEY": "k", "ANTHROPIC_API_KEY": "k"}).startswith("anthropic:")
    assert full_name("Claude") == full_name("anthropic") == default_model({"ANTHROPIC_API_KEY": "k"})
    assert full_name("ollama:qwen3:8b") == "ollama:qwen3:8b"


def ask_anthropic(model: str) -> None:
    """Ask the official client for a model where nobody listens: it warns before it sends."""
    from anthropic import Anthropic, APIConnectionError  # takes seconds, which only this test needs

    client = Anthropic(api_key="none", base_url="http://127.0.0.1:9", max_retries=0)
    with client, pytest.raises(APIConnectionError):
        client.messages.create(model=model, max_tokens=1, messages=[{"role": "user", "content": "Hello"}])


def test_no_model_is_asked_for_that_its_provider_is_about_to_take_away() -> None:
    models = [name.partition(":")[2] for name in DEFAULT_MODELS.values() if name.startswith("anthropic:")]
    assert models
    for model in models:
        ask_anthropic(model)  # a warning is an error here


def test_a_compaction_that_is_waited_for_says_what_is_compacted_and_who_writes() -> None:
    steps = (Step("leaf", ("m1", "m2"), 1, 2, 1_200, 400), Step("stub", ("m3",), 3, 3, 500, 45))
    assert compacting_text(Decision(steps, "full"), "llamacpp:tiny") == (
        "compacting 1,700 tokens: llamacpp:tiny writes a summary; Ctrl-C stops the turn, and nothing is lost"
    )
    for summarizer, some in (("", steps), ("llamacpp:tiny", steps[1:])):
        assert ": no model is asked; " in compacting_text(Decision(some, "full"), summarizer)
