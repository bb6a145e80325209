"""The chat's loop in this process, with a scripted model: turns, tools, commands, failures, compaction, files."""

from __future__ import annotations

import asyncio
import signal
from dataclasses import replace
from pathlib import Path

import pytest

from palimpsest.agent.session_log import SessionLog, load_context
from palimpsest.cli.chat.state import Choices
from palimpsest.complete.scripted import ScriptedModel, call_tools
from palimpsest.engine.conversation import runtime_of
from palimpsest.errors import ModelError, SettingsError
from palimpsest.ports import Model
from palimpsest.record.completion import ReasoningDelta, Retrying, TextDelta
from tests.cli.chatting import chatting


async def test_answers_go_to_one_stream_and_everything_else_to_the_other(tmp_path: Path) -> None:
    async with chatting(tmp_path, ["From pier 3.", "At 07:40."]) as talked:
        assert await talked.say("Which pier?", "And when?") == "From pier 3.\nAt 07:40.\n"
        assert [request.messages[-1].text for request in talked.model.requests] == [
            "Which pier?",
            "And when?",
        ]
        assert "go on with it: palimpsest chat pier-7" in talked.err.getvalue()
        assert talked.model.closed


async def test_several_lines_are_one_message_where_they_end_in_a_backslash(tmp_path: Path) -> None:
    async with chatting(tmp_path, ["yes"]) as talked:
        await talked.say("one\\", "two")
        assert talked.model.requests[0].messages[-1].text == "one\ntwo"


async def test_a_tool_call_is_shown_and_its_result_goes_to_the_model(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("07:40")
    replies = [call_tools(("read_file", {"path": "a.txt"}), ("list_files", {})), "At 07:40."]
    async with chatting(tmp_path, replies) as talked:
        assert await talked.say("When?") == "At 07:40.\n"
        assert {message.results[0].text.split("\n")[0] for message in talked.model.requests[1].messages[-2:]} == {
            "07:40", "a.txt (5 B)",
        }  # fmt: skip
        told = talked.err.getvalue()
        assert "● read_file a.txt\n● list_files \n" in told
        assert "└ read_file: 07:40" in told or "└ list_files: a.txt (5 B)" in told


@pytest.mark.parametrize(
    "answer, ran", [("y", True), ("always", True), ("n", False), ("", False), ("what?", False)]
)
async def test_a_command_runs_only_after_a_yes_in_the_next_line(
    tmp_path: Path, answer: str, ran: bool
) -> None:
    replies = [call_tools(("run_command", {"command": "touch made"})), "done"]
    async with chatting(tmp_path, replies) as talked:
        assert await talked.say("Touch it.", answer, "/exit") == "done\n"
        assert (tmp_path / "made").exists() is ran
        assert "$ touch made\nrun it? [y]es, [n]o, [a]lways" in talked.err.getvalue()


async def test_a_command_without_anybody_to_ask_does_not_run(tmp_path: Path) -> None:
    replies = [call_tools(("run_command", {"command": "touch made"})), "done"]
    async with chatting(tmp_path, replies) as talked:
        await talked.say("Touch it.")
        assert not (tmp_path / "made").exists()


async def test_a_failed_call_leaves_the_message_stored_and_retry_asks_again(tmp_path: Path) -> None:
    failing = ModelError("the model is busy", hint="wait", reason="bad_request")
    async with chatting(tmp_path, [failing, "There."]) as talked:
        assert await talked.say("Are you there?", "/retry", "/retry") == "There.\n"
        told = talked.err.getvalue()
        assert "error: the model is busy\n   do: wait; Enter or /retry asks again\n" in told
        assert "the last message was answered" in told
        assert [one.message.text for one in await talked.chat.talk.messages()] == ["Are you there?", "There."]


async def test_the_last_failure_is_kept_for_the_exit_code_and_forgotten_after_a_success(
    tmp_path: Path,
) -> None:
    async with chatting(tmp_path, [ModelError("no"), "yes"]) as talked:
        await talked.say("a")
        assert isinstance(talked.chat.failure, ModelError)
        await talked.say("/retry")
        assert talked.chat.failure is None


async def test_a_conversation_cut_short_says_so_when_it_is_taken_up_and_goes_on(tmp_path: Path) -> None:
    async with chatting(tmp_path, [ModelError("no")]) as talked:
        await talked.say("Which pier?")
    async with chatting(tmp_path, ["Pier 3."]) as talked:
        assert await talked.say("/retry") == "Pier 3.\n"
        told = talked.err.getvalue()
        assert (
            "conversation pier-7, 1 message: Which pier?\n> Which pier?\nthe last turn was cut short" in told
        )


async def test_an_empty_line_goes_on_at_a_terminal_and_means_nothing_on_a_pipe(tmp_path: Path) -> None:
    async with chatting(tmp_path, [ModelError("no"), "a", "b"]) as talked:
        assert await talked.say("Which pier?", "", "/exit") == ""
    async with chatting(tmp_path, ["Pier 3."], live=True) as talked:
        assert "Pier 3." in await talked.say("", "", "/exit")
        assert len(talked.model.requests) == 1


async def test_ctrl_c_ends_the_answer_and_not_the_chat(tmp_path: Path) -> None:
    async with chatting(tmp_path, ["one two three four " * 50, "Still here."], pause_s=0.02) as talked:

        async def interrupt() -> None:
            while "three" not in talked.out.getvalue():  # noqa: ASYNC110
                await asyncio.sleep(0.005)
            signal.raise_signal(signal.SIGINT)

        interrupting = asyncio.create_task(interrupt())
        answered = await talked.say("Count.", "Are you there?")
        await interrupting
        assert answered.startswith("one two three")
        assert answered.endswith("Still here.\n")
        assert len(answered) < 500
        assert "stopped; Enter goes on" in talked.err.getvalue()


async def test_ctrl_c_during_a_command_ends_its_processes(tmp_path: Path) -> None:
    replies = [call_tools(("run_command", {"command": "echo $$ > pid; exec sleep 60"})), "Still here."]
    async with chatting(tmp_path, replies) as talked:

        async def interrupt() -> None:
            while not (tmp_path / "pid").exists():  # noqa: ASYNC110
                await asyncio.sleep(0.005)
            signal.raise_signal(signal.SIGINT)

        interrupting = asyncio.create_task(interrupt())
        assert await talked.say("Wait.", "y", "/retry") == "Still here.\n"
        await interrupting
        newest = talked.model.requests[-1].messages[-1]
        assert newest.results[0].is_error


async def test_commands_show_the_window_and_search_and_read_back(tmp_path: Path) -> None:
    async with chatting(tmp_path, ["It leaves from berth NB-204."]) as talked:
        told = await talked.say("Which berth?", "/context", "/grep NB-204", "/expand m2", "/help", "/model")
        assert "2 messages stored; in the window: 2 messages word for word" in told
        assert "m2  assistant" in told
        assert "[NB-204]" in told
        assert "\nIt leaves from berth NB-204.\n" in told
        assert "/compact [FOCUS]" in told
        assert "scripted: window 32,768 (4 x max_tokens)" in talked.err.getvalue()


async def test_what_cannot_be_done_is_told_in_two_lines_and_the_chat_goes_on(tmp_path: Path) -> None:
    async with chatting(tmp_path, ["yes"]) as talked:
        assert await talked.say("/nope", "/expand m99", "/resume nobody", "/grep", "hello") == "yes\n"
        told = talked.err.getvalue()
        assert told.count("error: ") == told.count("   do: ") == 4


async def test_compaction_on_demand_shows_one_line_and_the_summary(tmp_path: Path) -> None:
    replies = [f"Buoy B-{number} is fine. " * 40 for number in range(12)]
    async with chatting(tmp_path, replies, window_tokens=12_000) as talked:
        told = await talked.say(
            *(f"How is buoy B-{number}?" for number in range(12)), "/compact B-7", "/context"
        )
        assert "[context compacted] " in talked.err.getvalue()
        assert "messages stored; in the window: 1 summary" in told
        assert "B-7" in told.split("2,4")[0]
        assert len(await talked.chat.talk.messages()) == 24


async def test_a_small_window_is_compacted_by_itself_and_told_once(tmp_path: Path) -> None:
    replies = ["The schedule stays as it is. " * 60]
    async with chatting(tmp_path, replies, window_tokens=6_000, compact_when="end_turn") as talked:
        await talked.say(*(f"Question {number}" for number in range(14)))
        lines = [
            line for line in talked.err.getvalue().splitlines() if line.startswith("[context compacted]")
        ]
        assert lines
        assert len(lines) == len(set(lines))


async def test_nothing_to_compact_is_said_and_so_is_an_empty_conversation(tmp_path: Path) -> None:
    async with chatting(tmp_path, ["yes"]) as talked:
        assert "no messages yet" in await talked.say("/compact", "/context", "/resume")
        assert talked.err.getvalue().count("nothing to compact yet") == 1
        assert "go on with it" not in talked.err.getvalue()


async def test_conversations_are_begun_listed_and_taken_up_again(tmp_path: Path) -> None:
    async with chatting(tmp_path, ["yes"]) as talked:
        told = await talked.say(
            "About piers", "/new buoys", "About buoys", "/resume", "/resume piers", "And more"
        )
        assert "1*" in told
        assert "About piers" in told
        assert [one.message.text for one in await talked.chat.talk.messages()][::2] == [
            "About piers",
            "And more",
        ]
        assert "new conversation buoys" in talked.err.getvalue()
        assert await talked.say("/new buoys") == ""
        assert "there is a conversation 'buoys'" in talked.err.getvalue()


async def test_another_model_answers_after_it_was_named_and_a_wrong_name_changes_nothing(
    tmp_path: Path,
) -> None:
    made: list[str] = []

    def make(name: str) -> Model:
        if name == "nobody:x":
            raise SettingsError("model 'nobody:x' names no known provider", hint="name another")
        made.append(name)
        return ScriptedModel([f"I am {name}."])

    choices = Choices(folder=tmp_path, make=make)
    async with chatting(tmp_path, [], choices=choices) as talked:
        told = await talked.say("Who?", "/model openai:gpt-5", "Who?", "/model nobody:x", "Who?")
        assert told == "I am scripted.\nI am openai:gpt-5.\nI am openai:gpt-5.\n"
        assert made == ["scripted", "openai:gpt-5"]
        assert talked.chat.status is not None
        assert talked.chat.status.budget.window_tokens > 100_000
        assert runtime_of(talked.chat.talk).compactor.given is talked.chat.model


async def test_the_summary_model_writes_the_summaries_where_one_is_named(tmp_path: Path) -> None:
    writer = ScriptedModel(["Questions were asked, and each was answered in words."])
    models: dict[str, Model] = {"scripted": ScriptedModel(["word " * 400]), "openai:small": writer}
    choices = Choices(folder=tmp_path, make=models.__getitem__, summary_model="openai:small")
    async with chatting(tmp_path, [], choices=choices, window_tokens=8_000) as talked:
        told = await talked.say(*(f"Question {number}" for number in range(8)), "/compact")
        assert "Questions were asked, and each was answered in words." in told
        assert writer.requests[0].purpose == "summary"


async def test_thinking_retries_and_a_cut_answer_are_told(tmp_path: Path) -> None:
    reply = [TextDelta("Half "), Retrying(1, 0.0, "broken"), ReasoningDelta("hm"), TextDelta("Whole.")]
    async with chatting(tmp_path, [reply]) as talked:
        assert await talked.say("Well?") == "Half \nWhole.\n"
        assert "try 1 failed, again in 0.0 s; ignore the words above: broken" in talked.err.getvalue()
        assert "hm" not in talked.err.getvalue()


async def test_a_session_file_follows_every_turn(tmp_path: Path) -> None:
    async with chatting(tmp_path, ["Pier 3."]) as talked:
        talked.chat.choices = replace(talked.chat.choices, log=SessionLog(tmp_path))
        await talked.say("Which pier?")
        meta, messages = load_context(tmp_path / "sessions" / "pier-7.jsonl")
        assert (meta.id, meta.title) == ("pier-7", "Which pier?")
        assert [message.text for message in messages] == ["Which pier?", "Pier 3."]


async def test_a_system_prompt_of_ones_own_is_sent_and_else_the_chats(tmp_path: Path) -> None:
    async with chatting(tmp_path, ["yes"]) as talked:
        await talked.say("a")
        assert "terminal chat" in talked.model.requests[0].system
        prompt = {"role": "system", "content": "Speak of boats."}
        said = [{"role": "user", "content": "a"}, {"role": "assistant", "content": "yes"}]
        assert (await talked.chat.talk.sync([prompt, *said])).added == 0
        await talked.chat.use("pier-7")
        await talked.say("b")
        assert talked.model.requests[-1].system == "Speak of boats."
        talked.chat.choices = replace(talked.chat.choices, system="Be brief.")
        await talked.chat.use("pier-7")
        await talked.say("c")
        assert talked.model.requests[-1].system == "Be brief."
