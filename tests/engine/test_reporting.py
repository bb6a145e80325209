"""What an engine tells of its work: to an observer, to the log, to OpenTelemetry; and never a word of what was said."""

from __future__ import annotations

import dataclasses
import json
import logging
import subprocess
import sys
from collections.abc import Awaitable, Callable, Mapping
from typing import cast

import pytest

import palimpsest
from palimpsest.engine.telemetry.reporting import Telemetry, fields_of, level_of, name_of, sentence
from palimpsest.errors import FormatError, ModelError
from palimpsest.record.completion import Completion, CompletionRequest
from palimpsest.record.events import (
    Asked,
    Assembled,
    Compacted,
    Decided,
    Escalated,
    Failed,
    Paid,
    Seen,
    Taken,
)
from palimpsest.record.message import Usage
from palimpsest.record.spending import Spent

SAID = "the heron nests behind pier nine"
SPENT = Spent("reply", "m", 1.0, 10, 5, 0, 2, 0.5, 0.6, 9.0)
ALL: tuple[Seen, ...] = (
    Taken("c", 2, 0.01, 30),
    Assembled("c", "m", 10, 20, 2, "warm", 0.01),
    Decided("c", "hierarchical", ("leaf",), "leaf: because", (("used_tokens", 3),)),
    Compacted("c", "s1", "summary", "leaf: because", 4, 100, 10, 0.1),
    Asked("c", "openai", "m", 10, 2, "", 0.1),
    Escalated("c", "truncated", 3, ("normal: empty",), 1),
    Paid("c", SPENT),
    Failed("c", "append", "format"),
)


Summarize = Callable[[CompletionRequest], Awaitable[Completion]]


async def summarize(request: CompletionRequest) -> Completion:
    return Completion("## Goal\nHerons at the weir.", Usage(50, 5), model="summer-1")


async def talked(observer: list[Seen], complete: Summarize = summarize) -> palimpsest.Engine:
    engine = await palimpsest.open(
        ":memory:", preset="hierarchical", window_tokens=4_000, max_tokens=500, complete=complete, fresh_tail_count=2,
        observer=observer.append,
    )  # fmt: skip
    talk = engine.conversation("herons")
    for part in range(12):
        await talk.append({"role": "user", "content": f"{SAID} {part} " + "word " * 90}, key=f"k{part}")
        await talk.append({"role": "assistant", "content": "noted " * 40})
    request = await talk.request(model="openai:gpt-5")
    await talk.record_usage({"prompt_tokens": 1_900, "completion_tokens": 7}, request)
    await talk.compact()
    return engine


async def test_an_observer_is_told_of_each_kind_of_work() -> None:
    seen: list[Seen] = []
    engine = await talked(seen)
    await engine.conversation("herons").append({"role": "user", "content": "x"}, key="k1")
    with pytest.raises(FormatError):
        await engine.conversation("herons").append({"role": 3})
    await engine.close()
    taken = [one for one in seen if isinstance(one, Taken)]
    assert [one.repeated for one in taken] == [False] * 24 + [True]
    assert sum(one.messages for one in taken) == 25
    (assembled,) = (one for one in seen if isinstance(one, Assembled))
    assert (assembled.model, assembled.messages, assembled.cache) == ("openai:gpt-5", 24, "cold")
    assert [one.steps for one in seen if isinstance(one, Decided)] == [("leaf",), ()]
    (compacted,) = (one for one in seen if isinstance(one, Compacted))
    assert (compacted.compaction, compacted.replaced) == ("s1", 22)
    assert compacted.after_tokens < compacted.before_tokens
    (asked,) = (one for one in seen if isinstance(one, Asked))
    assert (asked.model, asked.input_tokens, asked.output_tokens, asked.failure) == ("summer-1", 50, 5, "")
    assert [one.spent.kind for one in seen if isinstance(one, Paid)] == ["reply", "summary"]
    assert seen[-1] == Failed("herons", "append", "format")
    assert SAID not in repr(seen)


async def test_a_summarizer_that_fails_is_told_by_its_reason_alone() -> None:
    async def refuse(request: CompletionRequest) -> Completion:
        raise ModelError(f"the key planted-key-777 is wrong: {SAID}", reason="server")

    seen: list[Seen] = []
    engine = await talked(seen, refuse)
    await engine.close()
    assert {one.failure for one in seen if isinstance(one, Asked)} == {"server"}
    told = [(one.refused, one.repairs) for one in seen if isinstance(one, Escalated)]
    assert told == [(("normal: raised", "aggressive: raised"), 0)]
    assert "planted-key-777" not in repr(seen)


async def test_the_same_numbers_are_in_the_stats() -> None:
    seen: list[Seen] = []
    engine = await talked(seen)
    stats = await engine.stats()
    await engine.close()
    spent = [one.spent for one in seen if isinstance(one, Paid)]
    assert stats.compactions == len([one for one in seen if isinstance(one, Compacted)]) == 1
    assert stats.messages == sum(one.messages for one in seen if isinstance(one, Taken))
    assert stats.summaries_by_method == {"normal": 1}
    assert (stats.replies.calls, stats.replies.input_tokens, stats.replies.output_tokens) == (1, 1_900, 7)
    assert (stats.summarizing.calls, stats.summarizing.input_tokens) == (1, 50)
    assert stats.replies.cost + stats.summarizing.cost == pytest.approx(sum(one.cost for one in spent))
    assert stats.done["taken"] == 24
    assert stats.done["declined"] == 1


async def test_an_observer_that_raises_is_asked_no_more_and_changes_nothing(
    caplog: pytest.LogCaptureFixture,
) -> None:
    def fail(seen: Seen) -> None:
        raise RuntimeError(SAID)

    with caplog.at_level(logging.WARNING, "palimpsest"):
        async with palimpsest.open(":memory:", observer=fail, preset="hierarchical") as engine:
            talk = engine.conversation("herons")
            assert (
                len(await talk.append({"role": "user", "content": "a"}, {"role": "user", "content": "b"}))
                == 2
            )
            await talk.append({"role": "user", "content": "c"})
    assert [record.getMessage() for record in caplog.records] == [
        "the observer raised RuntimeError and is asked no more"
    ]


@pytest.mark.parametrize("seen", ALL, ids=name_of)
def test_every_thing_told_is_plain_json_with_its_conversation(seen: Seen) -> None:
    fields = fields_of(seen)
    assert next(iter(fields)) == "event"
    assert fields["conversation"] == "c"
    assert json.loads(json.dumps(fields)) == fields
    assert "\n" not in sentence(fields)


def test_a_record_carries_the_ids_for_a_json_formatter(caplog: pytest.LogCaptureFixture) -> None:
    observing = Telemetry()
    with caplog.at_level(logging.DEBUG, "palimpsest"):
        for seen in ALL:
            observing.emit(seen)
    carried = [cast("Mapping[str, object]", vars(record)["palimpsest"]) for record in caplog.records]
    assert [fields["event"] for fields in carried] == [type(seen).__name__.lower() for seen in ALL]
    assert carried[3]["compaction"] == "s1"
    assert [record.levelno for record in caplog.records] == [level_of(seen) for seen in ALL]
    assert [level_of(seen) for seen in ALL if level_of(seen) > logging.INFO] == [logging.WARNING]


def test_a_name_cannot_forge_a_line_of_the_log() -> None:
    forged = dataclasses.replace(ALL[0], conversation="c\u2028WARNING event=failed")
    assert "\u2028" not in sentence(fields_of(forged))
    assert sentence(fields_of(forged)).count("\\u2028") == 1


def test_nothing_is_imported_for_telemetry_that_nobody_uses() -> None:
    script = (
        "import asyncio, sys, palimpsest\n"
        "async def main():\n"
        "    async with palimpsest.open(':memory:') as engine:\n"
        "        await engine.conversation('c').append({'role': 'user', 'content': 'a'})\n"
        "asyncio.run(main())\n"
        "print([name for name in sys.modules if name.startswith('opentelemetry')])\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=True, timeout=60
    )
    assert done.stdout == "[]\n"
