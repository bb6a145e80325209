"""The laws on real sessions, in windows of every size, and what can be found again of what left a window."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator

import pytest

import palimpsest
from palimpsest.engine.conversation import Conversation
from palimpsest.formats.transcripts import Transcript
from palimpsest.plan.turns import units
from palimpsest.record.message import Message, searchable_text
from palimpsest.record.window_items import MessageItem
from tests.engine.laws import assert_lawful, assert_request_lawful, exact_tokens, tried
from tests.engine.transcripts import DATA, needs_data, paths, transcripts

pytestmark = [needs_data, pytest.mark.slow]

WINDOWS = (8_000, 32_000, 128_000)
LARGE = DATA / "claude-code" / "large-conversation.jsonl"
FACTS = re.compile(
    r"(?<![\w./-])(?:/?[\w.-]+/[\w./-]+\.\w{1,5}|[0-9a-f]{8}-[0-9a-f-]{20,}|[0-9a-f]{10,40}|\d{5,})(?![\w/-])"
)


def _histories() -> list[tuple[str, Transcript]]:
    found = [(path.name, one) for path in paths() for one in transcripts(path) if one.paths and one.paths[-1]]
    return sorted(found, key=lambda pair: (pair[0], pair[1].id))


def _untouchable_tokens(transcript: Transcript) -> int:
    """What no compaction may change: the system prompt, the newest request, calls still open, what may still grow."""
    history = transcript.paths[-1]
    newest = max((place for place, message in enumerate(history) if message.role == "user"), default=-1)
    last = units(history)[-1]
    kept = {newest, *(range(last.start, last.end) if last.open else ())}
    kept |= {place for place, message in enumerate(history) if message.provisional}
    return exact_tokens(transcript.system) + sum(
        exact_tokens(searchable_text(history[place])) for place in kept if place >= 0
    )


async def _judge(transcript: Transcript, window_tokens: int) -> None:
    history = transcript.paths[-1]
    async with palimpsest.open(":memory:", window_tokens=window_tokens) as engine:
        done = await engine.import_transcript(transcript)
        assert done.messages == len(history)
        talk = engine.conversation(transcript.id)
        room = engine.settings.window_tokens - engine.settings.max_tokens
        _, refusal = await tried(talk.compact())
        assert refusal is None or (refusal.parts and _untouchable_tokens(transcript) > 0.7 * room)
        if refusal is None:
            assert_request_lawful(await talk.request(), room)
        await assert_lawful(talk, list(history))
        again = await engine.import_transcript(transcript)
        assert again.added == 0


@pytest.mark.parametrize("window_tokens", WINDOWS)
async def test_every_real_session_is_lawful_in_a_window_of(window_tokens: int) -> None:
    histories = _histories()
    assert len(histories) >= 20
    for _, transcript in histories:
        await _judge(transcript, window_tokens)


@pytest.mark.parametrize("window_tokens", [16_000, 64_000])
async def test_a_real_session_lived_turn_by_turn_stays_lawful(window_tokens: int) -> None:
    (transcript,) = [one for one in transcripts(LARGE) if not one.parent]
    history = list(transcript.paths[-1])
    async with palimpsest.open(":memory:", window_tokens=window_tokens) as engine:
        talk = engine.conversation("lived")
        room = engine.settings.window_tokens - engine.settings.max_tokens
        for start in range(0, len(history), 12):
            await talk.append(*history[start : start + 12])
            await talk.end_turn()
            await engine.idle()
            assert_request_lawful(await talk.request(), room)
        await assert_lawful(talk, history)


def _gone(history: tuple[Message, ...], kept: set[int]) -> Iterator[tuple[str, int]]:
    """Exact strings that stand in messages no longer verbatim, each once, with the position they are first in."""
    seen: set[str] = set()
    for position, message in enumerate(history, 1):
        for match in FACTS.finditer(searchable_text(message)):
            if position not in kept and match[0] not in seen:
                yield match[0], position
            seen.add(match[0])


async def _ten_facts(talk: Conversation, history: tuple[Message, ...], shown: str) -> list[tuple[str, int]]:
    view = await talk.window()
    kept = {item.first for item in view.window.items if isinstance(item, MessageItem)}
    facts = [(fact, position) for fact, position in _gone(history, kept) if fact not in shown]
    return facts[:: max(1, len(facts) // 10)][:10]


async def test_the_large_conversation_fits_thirty_two_thousand_tokens_and_ten_facts_are_found_again() -> None:
    (transcript,) = [one for one in transcripts(LARGE) if not one.parent]
    history = transcript.paths[-1]
    async with palimpsest.open(":memory:", window_tokens=32_000) as engine:
        await engine.import_transcript(transcript)
        talk = engine.conversation(transcript.id)
        report = await talk.compact()
        assert report is not None
        assert report.after_tokens < report.before_tokens
        request = await talk.request()
        body = json.dumps(request.openai(), ensure_ascii=False)
        assert exact_tokens(body) <= 32_000
        facts = await _ten_facts(talk, history, body)
        assert len(facts) == 10
        ids = {stored.seq: stored.id for stored in await talk.messages(1, len(history))}
        for fact, position in facts:
            hits = await talk.grep(f'"{fact}"', scope="message", limit=200)
            assert ids[position] in {hit.id for hit in hits}
            (entry,) = await talk.expand([ids[position]])
            back = searchable_text(Message("user", entry.parts))
            assert fact in back
