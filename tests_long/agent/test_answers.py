"""Questions about facts of long coding sessions that left the window, answered in two calls."""

from __future__ import annotations

import re
from collections.abc import Iterator

import palimpsest
from palimpsest.record.log import Stored
from palimpsest.record.message import searchable_text
from palimpsest.text.identifiers import find_names, find_paths
from tests.agent.test_answers import answer, compacted, seen_by_model
from tests.engine.transcripts import DATA, needs_data, transcripts

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
