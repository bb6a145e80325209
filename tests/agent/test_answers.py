"""A model that knows only what its window and its tools tell answers questions about what left the window.

The model is scripted: it searches for the question as it was asked, reads the first hits in full where that did not
tell, and knows the answer when it reads it. It never has more than two calls.
"""

from __future__ import annotations

import re

import palimpsest
from palimpsest.agent.agent import make_agent
from palimpsest.agent.events import Done, ToolStart
from palimpsest.complete.scripted import ScriptedModel, call_tools
from palimpsest.engine.conversation import Conversation
from palimpsest.engine.engine import Engine
from palimpsest.formats.transcripts import Source, Transcript, read
from palimpsest.record.completion import Completion, CompletionRequest
from palimpsest.record.message import searchable_text
from palimpsest.samples import path as sample
from tests.agent.kit import told

HEADS = re.compile(r"^\[(m\d+|s\d+)\b", re.MULTILINE)
READ_HITS = 3

QUESTIONS = (
    ("When did staging-2 boot according to its boot log?", "2025-10-19T04:02:11Z"),
    ("How long did the import of the winter feed take before it was made fast?", "48.3 s"),
    ("Which commit imports a feed in one transaction?", "7a615cc"),
    ("What sha256 did the unchanged winter feed have?", "9f2b6c01d4e7"),
    ("How many rows of the winter feed are rejected because of hours beyond 23?", "18 of 536 rows"),
    ("Where were the INSERT statements dumped from staging-1 written to?", "var/seed.sql"),
    ("How many primitive calls did the profile of the import count?", "60911"),
    ("How many usec per loop did timeit measure?", "1.38 usec"),
    ("Which error id did the failed import on staging-1 have?", "ERR-7F3A-2291"),
    ("How many minutes does a change at Lomsund need?", "10 at Lomsund, 5 elsewhere"),
    ("What counts as tonight, and when does tomorrow start on the quay?", "before four in the morning"),
)
"""Of the sample: times, durations, commits, hashes, counts, paths, error ids, and what the person decided."""


def reader(question: str, fact: str) -> ScriptedModel:
    """A model that looks a question up, and knows the answer when it is told."""

    def after_search(request: CompletionRequest) -> str | Completion:
        found = _told(request)
        if fact in found:
            return fact
        ids = HEADS.findall(found)[:READ_HITS]
        return call_tools(("short_expand", {"message_ids": ids, "include_results": True}), prefix="second")

    def after_reading(request: CompletionRequest) -> str:
        return fact if fact in _told(request) else "I do not know."

    first = call_tools(("short_search", {"question": question, "limit": 5}))
    return ScriptedModel([first, after_search, after_reading])


def _told(request: CompletionRequest) -> str:
    """What the newest result says."""
    return request.messages[-1].results[-1].text


async def answer(engine: Engine, talk: Conversation, question: str, fact: str) -> str:
    """What the agent answers, after two calls of its tools at most."""
    events = await told(make_agent(engine, reader(question, fact)), talk.id, "I ask you something.")
    assert sum(isinstance(event, ToolStart) for event in events) <= 2
    done = events[-1]
    assert isinstance(done, Done)
    return done.text


async def compacted(engine: Engine, transcript: Transcript) -> Conversation:
    """The transcript as a conversation of which only the end is left in the window."""
    await engine.import_transcript(transcript)
    talk = engine.conversation(transcript.id)
    await talk.compact()
    return talk


async def seen_by_model(talk: Conversation) -> str:
    """All the words of the next request."""
    request = await talk.request()
    return "\n".join((*request.system_texts, *(searchable_text(one) for one in request.messages)))


async def test_facts_of_the_sample_that_left_the_window_are_found_in_two_calls() -> None:
    whole = next(iter(read(Source(str(sample()), sample().read_bytes())).transcripts))
    async with palimpsest.open(":memory:", window_tokens=24_000, ledger_tokens=0) as engine:
        talk = await compacted(engine, whole)
        seen = await seen_by_model(talk)
        left = {question: fact for question, fact in QUESTIONS if fact not in seen}
        answers = {question: await answer(engine, talk, question, fact) for question, fact in left.items()}
    assert len(left) >= 8
    assert answers == left
