"""Ways to answer questions with messages, each giving the places of its hits, best first."""

from __future__ import annotations

import sqlite3
import time
from collections.abc import Sequence

from recall_data import Asked, Talk

from palimpsest.engine.conversation import state_of
from palimpsest.engine.opening import open_engine
from palimpsest.engine.retrieval.search import candidates
from palimpsest.record.message import searchable_text
from palimpsest.search.english_words import STOP_WORDS
from palimpsest.search.question import words_of
from palimpsest.search.word_folding import segment

AT = 10
SESSIONS_AT = 5
DEPTH = 60
"""So many hits are looked at for the first five sessions."""

WAYS = {
    "FTS5, every word": ("unicode61", " AND ", frozenset[str]()),
    "FTS5, any word, no stop words": ("unicode61", " OR ", STOP_WORDS),
    "FTS5, any word, no stop words, porter": ("porter unicode61", " OR ", STOP_WORDS),
}


def baseline(talk: Talk, tokenizer: str, joint: str, stop: frozenset[str]) -> list[list[int]]:
    """The hits of each question in a plain index. Scripts without spaces are divided into characters for it, too."""
    index = sqlite3.connect(":memory:")
    index.execute(f"CREATE VIRTUAL TABLE words USING fts5 (body, tokenize = '{tokenizer}')")
    texts = (segment(f"{one.name} {searchable_text(one)}") for one in talk.messages)
    index.executemany("INSERT INTO words (rowid, body) VALUES (?, ?)", enumerate(texts, 1))
    found: list[list[int]] = []
    for asked in talk.questions:
        words = [word for word in words_of(asked.text) if word not in stop] or words_of(asked.text)
        matching = joint.join(f'"{word}"' for word in words)
        statement = "SELECT rowid FROM words WHERE words MATCH ? ORDER BY rank LIMIT ?"
        found.append([int(row[0]) - 1 for row in index.execute(statement, (matching, DEPTH))])
    index.close()
    return found


async def searched(
    given: Sequence[Talk], *, apart: bool = False, embed: str | None = None
) -> tuple[list[list[list[int]]], list[float]]:
    """The same for `search`, with the seconds of each question. "Now" is when the conversation ended. `apart`: each
    session is a conversation of its own, and all of them are asked. `embed` names a model of embeddings to search with.
    """
    found: list[list[list[int]]] = []
    times: list[float] = []
    for talk in given:
        async with open_engine(":memory:", owner="bench", embed=embed) as engine:
            places: dict[str, int] = {}
            for place, name in _conversations(talk, apart=apart):
                first, last = place
                stored = await engine.conversation(name).append(*talk.messages[first:last])
                places |= {one.id: first + number for number, one in enumerate(stored)}
            now_s = max((one.time_s or 0.0 for one in talk.messages), default=0.0)
            within = None if apart else "talk"
            vectors = state_of(engine.conversation("talk")).embedding
            if vectors is not None:
                await engine.embed()
            answers: list[list[int]] = []
            for asked in talk.questions:
                begin = time.perf_counter()
                got = await candidates(
                    engine.store, "bench", within, asked.text, now_s=now_s, embedding=vectors
                )
                times.append(time.perf_counter() - begin)
                answers.append([places[one.candidate.id] for one in got.ranked if one.candidate.id in places])
            found.append(answers)
    return found, times


def _conversations(talk: Talk, *, apart: bool) -> list[tuple[tuple[int, int], str]]:
    """((first, end), name) of the messages of each conversation."""
    if not apart:
        return [((0, len(talk.messages)), "talk")]
    starts = [
        place
        for place, session in enumerate(talk.sessions)
        if not place or session != talk.sessions[place - 1]
    ]
    ends = [*starts[1:], len(talk.messages)]
    return [
        ((first, end), f"session {number}")
        for number, (first, end) in enumerate(zip(starts, ends, strict=True))
    ]


def judged(talk: Talk, asked: Asked, hits: Sequence[int]) -> tuple[float, float, float | None]:
    """(recall, any) at ten, and the recall of sessions at five; None where there are no more sessions than that."""
    held = len(asked.evidence.intersection(hits[:AT]))
    apart = set(talk.sessions)
    sessions = list(dict.fromkeys(talk.sessions[place] for place in hits))[:SESSIONS_AT]
    right = {talk.sessions[place] for place in asked.evidence}
    of_sessions = len(right.intersection(sessions)) / len(right) if len(apart) > SESSIONS_AT else None
    return held / len(asked.evidence), float(held > 0), of_sessions
