"""Summarizers in the engine: secrets, repairs on record, a main model behind the auxiliary one, parts, refusals."""

from __future__ import annotations

import re
from collections.abc import Sequence

import pytest

import palimpsest
from palimpsest.budget.token_estimator import count_text
from palimpsest.complete.scripted import Reply, ScriptedModel
from palimpsest.engine.compacting.summary_drafts import MAX_LOST, MAX_PARALLEL
from palimpsest.engine.conversation import Conversation
from palimpsest.engine.engine import Engine
from palimpsest.engine.opening import Opening
from palimpsest.errors import ModelError
from palimpsest.record.completion import Completion, CompletionRequest
from palimpsest.record.log import Compaction
from palimpsest.record.message import Message, Text, ToolCall, ToolResult, searchable_text

KEY = "ghp_" + "aZ4kQ9xT2mB7" * 3
PASSWORD = "vX9kd02Lqz"
HASH = "9fceb02d0ae598e95dc970b74767f19372d61af8"
SAID = "The reader was changed and the tests were run again on the staging host of the team. "
REPLY = f"## Progress\n- {SAID.strip()}"


def opened(replies: Sequence[Reply], **more: object) -> tuple[Opening, ScriptedModel]:
    model = ScriptedModel(replies)
    given: dict[str, object] = {"window_tokens": 16_000, "max_tokens": 1_000, **more}
    return palimpsest.open(":memory:", complete=model, preset="hierarchical", **given), model  # type: ignore[arg-type]


async def filled(engine: Engine, rounds: int = 24) -> Conversation:
    """A conversation with something to summarize, and secrets in it."""
    talk = engine.conversation("a")
    for place in range(rounds):
        await talk.append(
            Message("user", (Text(f"Round {place}: go on. DB_PASSWORD={PASSWORD}. " + SAID * 4),)),
            Message("assistant", (Text("looking"), ToolCall(f"c{place}", "Bash", '{"command": "git log"}'))),
            Message("tool", (ToolResult(f"c{place}", (Text(f"commit {HASH}\ntoken {KEY}\n" + SAID * 8),)),)),
        )
    return talk


async def compactions(engine: Engine, talk: Conversation) -> list[Compaction]:
    branch = await engine.store.branch(engine.owner, talk.id)
    assert branch is not None
    return list(await engine.store.compactions(engine.owner, talk.id))


def shown(request: CompletionRequest) -> str:
    return request.system + "".join(message.text for message in request.messages)


async def test_no_secret_reaches_a_summarizer_or_a_summary_and_reading_back_gives_it() -> None:
    leaking = ScriptedModel(
        [lambda request: f"## Progress\n- The reader was changed with {KEY} and {PASSWORD} at {HASH}."]
    )
    for model in (leaking, None):
        async with palimpsest.open(
            ":memory:", window_tokens=16_000, max_tokens=1_000, complete=model, preset="hierarchical"
        ) as engine:
            talk = await filled(engine)
            report = await talk.compact()
            assert report is not None
            assert report.summaries
            kept = repr(report) + repr(await compactions(engine, talk))
            assert KEY not in kept
            assert PASSWORD not in kept
            back = await talk.expand([report.summaries[0].id], to_messages=True)
            assert any(KEY in entry.text for entry in back)
    assert leaking.requests
    assert not [one for one in leaking.requests if KEY in shown(one) or PASSWORD in shown(one)]


async def test_no_secret_of_a_system_prompt_loses_its_name_where_the_prompt_is_cut() -> None:
    secret = "Nq7tz4WkB2"
    for words in range(18, 40, 2):
        system = f"{'Work hard. ' * 400}\nADMIN_PASSWORD: {secret} is for staging {'more of it ' * words}"
        opening, model = opened([REPLY], summary_window_tokens=2_400)
        async with opening as engine:
            await engine.conversation("a").append(Message("system", (Text(system),)))
            talk = await filled(engine)
            await talk.compact()
            assert any("agent_prompt" in request.system for request in model.requests)
            assert all(secret not in shown(request) for request in model.requests)


async def test_an_error_that_names_a_secret_is_kept_without_it() -> None:
    for reason in ("server", "auth"):
        opening, _ = opened([ModelError(f"cannot log in with {PASSWORD} at the gate", reason=reason)])
        async with opening as engine:
            talk = await filled(engine)
            report = await talk.compact()
            kept = f"{report!r}{await compactions(engine, talk)!r}"
            assert "at the gate" in kept
            assert PASSWORD not in kept


async def test_what_was_put_right_is_on_record() -> None:
    opening, _ = opened([f"## Progress\n- The reader was changed at {HASH[:-1]}0."])
    async with opening as engine:
        talk = await filled(engine)
        report = await talk.compact()
        assert report is not None
        assert HASH in report.summaries[0].text
        repairs = [
            repair
            for record in await compactions(engine, talk)
            for call in record.calls
            for repair in call.repairs
        ]
        assert f"{HASH[:-1]}0 -> {HASH}" in repairs


async def test_an_auxiliary_model_that_fails_is_asked_of_the_main_one() -> None:
    main = ScriptedModel([REPLY])
    opening, auxiliary = opened([RuntimeError("down")], fallback=main, summary_model="small")
    async with opening as engine:
        report = await (await filled(engine)).compact()
        assert report is not None
        assert ({one.method for one in report.summaries}, report.refused) == ({"normal"}, "")
        assert SAID.strip() in report.summaries[0].text
    assert {one.model for one in auxiliary.requests} == {"small"}
    assert {one.model for one in main.requests} == {""}


@pytest.mark.parametrize("reply", ["", "<think>I cannot help with that.", Completion("", None, "refused")])
async def test_an_auxiliary_model_that_declines_is_followed_by_the_main_one(reply: Reply) -> None:
    main = ScriptedModel([REPLY])
    opening, auxiliary = opened([reply], fallback=main, summary_model="small")
    async with opening as engine:
        report = await (await filled(engine)).compact()
        assert report is not None
        assert {one.method for one in report.summaries} & {"normal", "aggressive"}
        assert SAID.strip() in report.summaries[0].text
    assert len(main.requests) == len(auxiliary.requests)
    assert {one.model for one in main.requests} == {""}


async def test_without_credit_nothing_changes_while_it_fits_and_the_report_says_so() -> None:
    opening, model = opened([ModelError("no credit left", reason="quota")], context_threshold_share=0.2)
    async with opening as engine:
        events = engine.events()
        talk = await filled(engine, rounds=14)
        before = (await talk.window()).window
        report = await talk.compact()
        assert report is not None
        assert "no credit left" in report.failure
        assert (report.summaries, report.before_tokens) == ((), report.after_tokens)
        assert (await talk.window()).window == before
        assert len(model.requests) == 1
        await talk.end_turn()
        event = await anext(events)
        assert (event.kind, "no credit left" in event.message) == ("failed", True)


async def test_without_credit_a_request_that_would_not_fit_is_summarized_without_a_model_at_once() -> None:
    opening, model = opened([ModelError("no credit left", reason="quota")])
    async with opening as engine:
        talk = await filled(engine, rounds=60)
        view = await talk.window()
        assert view.budget.used_tokens > view.budget.capacity_tokens
        request = await talk.request()
        assert request.budget.used_tokens <= request.budget.capacity_tokens
        summaries = [record for record in await compactions(engine, talk) if record.calls]
        assert summaries
    assert len(model.requests) == 1


async def test_replies_that_are_no_summaries_give_way_to_the_sources_own_words() -> None:
    opening, _ = opened(["The reader was changed.\n" * 40])
    async with opening as engine:
        report = await (await filled(engine)).compact()
        assert report is not None
        assert {one.method for one in report.summaries} == {"truncated"}
        assert "changed.\nThe reader" not in report.summaries[0].text
        assert report.refused == "it says the same over and over"


async def test_where_every_call_fails_an_outline_with_the_users_words_is_kept() -> None:
    model = ScriptedModel([RuntimeError("down")])
    async with palimpsest.open(
        ":memory:", complete=model, preset="hermes", window_tokens=16_000, max_tokens=1_000
    ) as engine:
        talk = engine.conversation("a")
        await talk.append(
            Message("user", (Text("Mend the reader."),)), Message("assistant", (Text("I begin."),))
        )
        for place in range(60):
            text = "Never touch ports.csv." if place == 3 else f"Round {place}: go on."
            await talk.append(Message("user", (Text(text),)), Message("assistant", (Text(SAID * 8),)))
        report = await talk.compact()
        assert report is not None
        made = report.summaries[0]
        assert made.method == "extractive"
        assert "[m9 user]\nNever touch ports.csv.\n" in made.text
        assert "Mend the reader." in str((await talk.request()).openai())


async def test_what_exceeds_the_summarizers_window_is_summarized_in_parts_and_merged() -> None:
    def reply(request: CompletionRequest) -> Completion:
        merging = "<summary id=" in request.messages[0].text
        return Completion("The reader was changed, all told." if merging else "A part about the reader.")

    opening, model = opened([reply], summary_window_tokens=6_000)
    async with opening as engine:
        report = await (await filled(engine)).compact()
        assert report is not None
        assert "all told" in report.summaries[0].text
    assert len(model.requests) > 2


async def test_parts_that_cannot_be_summarized_leave_a_note_of_how_much_there_was() -> None:
    opening, _ = opened([RuntimeError("down")], summary_window_tokens=6_000)
    async with opening as engine:
        report = await (await filled(engine)).compact()
        assert report is not None
        made = report.summaries[0]
        assert made.text.startswith("Context contained ")
        assert re.search(r"^\[m\d+ user\]\nRound \d+: go on\.", made.text, re.MULTILINE)
        assert made.method == "truncated"


async def test_a_summarizer_that_is_down_is_not_asked_about_every_part() -> None:
    opening, model = opened([RuntimeError("down")], summary_window_tokens=2_400)
    async with opening as engine:
        report = await (await filled(engine)).compact()
        assert report is not None
        assert report.summaries[0].text.startswith("Context contained ")
        assert report.calls == len(model.requests)
        assert 2 * MAX_LOST <= report.calls <= 2 * (MAX_LOST + MAX_PARALLEL - 1)


PROMPT = (
    "Be brief and kind to every skipper who asks. " * 300
    + "<identity>You are Skerry.</identity>"
    + "Go on. " * 900
)


def small_window(request: CompletionRequest) -> int:
    """What a request asks of a model's window: the prompt, and the room that it wants for the reply."""
    prompt = count_text(request.system) + sum(
        count_text(searchable_text(message)) for message in request.messages
    )
    return prompt + (request.max_output_tokens or 0)


@pytest.mark.parametrize("preset", ["hierarchical", "crabtalk", "picoclaw"])
@pytest.mark.parametrize("window_tokens", [4_000, 16_000])
async def test_no_request_is_larger_than_the_summarizers_window(preset: str, window_tokens: int) -> None:
    model = ScriptedModel([REPLY])
    async with palimpsest.open(
        ":memory:",
        complete=model,
        preset=preset,
        window_tokens=60_000,
        max_tokens=1_000,
        summary_window_tokens=window_tokens,
        summary_check="model",
    ) as engine:
        talk = engine.conversation("a")
        await talk.append(Message("system", (Text(PROMPT),)))
        await talk.append(Message("user", (Text("Fix the reader in src/app/reader.py."),)))
        await filled(engine, rounds=40)
        report = await talk.compact()
        assert report is not None
        assert len(model.requests) > 2
        assert [size for size in map(small_window, model.requests) if size > window_tokens] == []
        assert all("You are Skerry." in one.system for one in model.requests if "agent_prompt" in one.system)


class Small(ScriptedModel):
    """A model that refuses what is larger than its window, and may tell its name."""

    def __init__(self, window_tokens: int, model: str = "") -> None:
        super().__init__([self.reply])
        self.window_tokens = window_tokens
        self.model = model
        self.refused = 0

    def reply(self, request: CompletionRequest) -> str:
        if small_window(request) - (request.max_output_tokens or 0) > self.window_tokens:
            self.refused += 1
            raise ModelError("prompt is too long", reason="context_overflow", status=400)
        return REPLY


async def test_a_source_that_its_summarizer_finds_too_large_is_given_in_smaller_parts() -> None:
    model = Small(5_000)
    async with palimpsest.open(
        ":memory:", complete=model, preset="crabtalk", window_tokens=60_000, max_tokens=1_000
    ) as engine:
        report = await (await filled(engine, rounds=40)).compact()
        assert report is not None
        assert {one.method for one in report.summaries} == {"normal"}
    assert 1 <= model.refused <= 6


async def test_a_fork_that_is_too_large_for_its_model_gives_way_to_parts() -> None:
    model = Small(9_000)
    async with palimpsest.open(
        ":memory:", complete=model, window_tokens=60_000, max_tokens=1_000, summarizer="fork"
    ) as engine:
        report = await (await filled(engine, rounds=40)).compact()
        assert report is not None
        assert (report.failure, {one.method for one in report.summaries}) == ("", {"normal"})
    assert model.refused >= 2


async def test_the_window_of_a_known_summarizer_need_not_be_set() -> None:
    model = Small(8_192, "gpt-4")
    async with palimpsest.open(
        ":memory:", complete=model, preset="crabtalk", window_tokens=60_000, max_tokens=1_000
    ) as engine:
        report = await (await filled(engine, rounds=60)).compact()
        assert report is not None
        assert {one.method for one in report.summaries} == {"normal"}
    assert model.refused == 0


async def test_a_summarizer_that_finds_everything_too_large_leaves_a_note_after_a_bounded_number_of_calls() -> (
    None
):
    model = Small(0)
    async with palimpsest.open(
        ":memory:", complete=model, preset="crabtalk", window_tokens=60_000, max_tokens=1_000
    ) as engine:
        report = await (await filled(engine, rounds=40)).compact()
        assert report is not None
        assert report.summaries[0].text.startswith("Context contained ")
    assert model.refused <= 60


@pytest.mark.parametrize("choking", [1, 2])
async def test_a_message_that_is_always_too_large_takes_nothing_from_the_others_and_costs_few_calls(
    choking: int,
) -> None:
    def reply(request: CompletionRequest) -> str:
        if any("CHOKE" in message.text for message in request.messages):
            raise ModelError("prompt is too long", reason="context_overflow", status=400)
        return "The reader was changed and the tests were run again on the staging host."

    model = ScriptedModel([reply])
    async with palimpsest.open(
        ":memory:", complete=model, preset="crabtalk", window_tokens=90_000, summary_window_tokens=6_000
    ) as engine:
        talk = await filled(engine, rounds=30)
        for _ in range(choking):
            await talk.append(Message("assistant", (Text("CHOKE"),)))
            await filled(engine, rounds=30)
        report = await talk.compact()
        assert report is not None
        assert {one.method for one in report.summaries} == {"normal"}
        assert report.calls <= 64


@pytest.mark.parametrize("preset", ["hermes", "crabtalk"])
@pytest.mark.parametrize("window_tokens", [2_000, 5_000])
async def test_one_large_result_takes_no_more_than_a_small_window_has(
    preset: str, window_tokens: int
) -> None:
    model = Small(window_tokens)
    log = "\n".join(f"{place * 2654435761 % 2**61:032x}" for place in range(900))
    async with palimpsest.open(
        ":memory:", complete=model, preset=preset, window_tokens=32_000, max_tokens=1_000,
        summary_window_tokens=window_tokens,
    ) as engine:  # fmt: skip
        talk = engine.conversation("a")
        await talk.append(
            Message("user", (Text("Read the log."),)),
            Message("assistant", (Text("looking"), ToolCall("c", "Bash", '{"command": "cat log"}'))),
            Message("tool", (ToolResult("c", (Text(log),)),)),
        )
        await filled(engine, rounds=40)
        report = await talk.compact()
        assert report is not None
        assert {one.method for one in report.summaries} == {"normal"}
    assert model.refused == 0
