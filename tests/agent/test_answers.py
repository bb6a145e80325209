"""A model that knows only what its window and its tools tell answers questions about what left the window.

The model is scripted: it searches for the question as it was asked, reads the first hits in full where that did not
tell, and knows the answer when it reads it. It never has more than two calls.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

import pytest

import palimpsest
from palimpsest.agent.agent import make_agent
from palimpsest.agent.events import Done, ToolStart
from palimpsest.complete.scripted import ScriptedModel, call_tools
from palimpsest.engine.conversation import Conversation
from palimpsest.engine.engine import Engine
from palimpsest.formats.transcripts import Source, Transcript, read
from palimpsest.record.completion import Completion, CompletionRequest
from palimpsest.record.log import Stored
from palimpsest.record.message import searchable_text
from palimpsest.samples import path as sample
from palimpsest.text.names import find_names, find_paths
from tests.agent.kit import told
from tests.engine.transcripts import DATA, needs_data, transcripts

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

LONG_SESSIONS = (
    "claude-code/large-conversation.jsonl",
    "codex/rollout-2025-09-24T19-22-20-01997e76-d124-7592-9cac-2ec05abbca08.jsonl",
    "pi/before-compaction.jsonl",
    "pi/large-session.jsonl",
)
LEAST_SHARE = 0.95
A_KIND = 4
NEAR_CHARS = 160
LEAST_WORDS = 6
_WORD = re.compile(r"[A-Za-z][A-Za-z_'-]{2,24}")


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


def facts(stored: list[Stored], seen: str) -> Iterator[tuple[str, str, str]]:
    """(kind, question, fact) for names that stand in one message only, and not in the window.

    The question is made of the words around the name, as a person would remember them; names with few words around
    them make none, nor do those in coloured output, which are lists of files.
    """
    texts = [searchable_text(one.message) for one in stored]
    everything = "\n".join(texts)
    taken: dict[str, int] = {}
    for one, text in zip(stored, texts, strict=True):
        written = repr(one.message.parts)
        for kind, name in (*find_names(text), *(("path", path) for path in find_paths(text))):
            if taken.get(kind, 0) >= A_KIND or len(name) < 5 or name in seen or everything.count(name) > 1:
                continue
            at = text.index(name)
            around = f"{text[max(0, at - NEAR_CHARS) : at]} {text[at + len(name) :][: NEAR_CHARS // 2]}"
            words = [word.strip(".,:;()\"'`") for word in around.split()[1:-1]]
            plain = [word for word in words if _WORD.fullmatch(word)]
            place = written.find(name)
            plainly = "\\x1b" not in written[max(0, place - NEAR_CHARS) : place + len(name) + NEAR_CHARS // 2]
            if place >= 0 and plainly and len(set(plain)) >= LEAST_WORDS:
                taken[kind] = taken.get(kind, 0) + 1
                yield kind, " ".join(plain), name


@needs_data
@pytest.mark.slow
async def test_facts_of_long_coding_sessions_are_found_in_two_calls() -> None:
    asked: list[tuple[str, str, bool]] = []
    for name in LONG_SESSIONS:
        whole = max(transcripts(DATA / name), key=lambda one: len(one.paths[-1]))
        async with palimpsest.open(":memory:", window_tokens=48_000, max_tokens=4_000) as engine:
            talk = await compacted(engine, whole)
            stored = await talk.messages(1, len(whole.paths[-1]))
            for kind, question, fact in facts(stored, await seen_by_model(talk)):
                asked.append((kind, question, await answer(engine, talk, question, fact) == fact))
    missed = [one for one in asked if not one[2]]
    assert len({kind for kind, _, _ in asked}) >= 4
    assert len(asked) >= 40
    assert len(missed) <= len(asked) * (1 - LEAST_SHARE), missed
