"""The engine and the replay of `price`, two programs that follow the same rules, held against one another; and every
prompt between two compactions is the one before with something added.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from typing import cast

import pytest

from bench.cost_replay import replay
from palimpsest.budget.assemble import Request
from palimpsest.costs.replay import ECONOMIC
from palimpsest.costs.session import Session, read_session
from palimpsest.plan.economic import terms_of
from palimpsest.record.message import Message
from palimpsest.settings import make_settings
from tests.effort import sampled
from tests.engine.replaying import RATES, Lived, drawn, live

WINDOW_TOKENS = 200_000
CAPACITY_TOKENS = 192_000
TERMS = terms_of(make_settings("economic", window_tokens=WINDOW_TOKENS, max_tokens=8_000))
SESSION_SHARE = 0.05
"""By which one session may differ: where a tail ends at a whole group, a few tokens of a stub move it by a thousand."""
Render = Callable[[Request], Mapping[str, object]]
RENDERERS: dict[str, tuple[Render, str]] = {
    "openai": (Request.openai, "messages"),
    "anthropic": (Request.anthropic, "messages"),
    "gemini": (Request.gemini, "contents"),
}


def session_of(history: tuple[Message, ...]) -> Session:
    """The session with nothing to fetch again, because an engine's transcript is what it is."""
    found = read_session(history, "drawn", "claude-code")
    assert found is not None
    return replace(found, calls=tuple(replace(call, quotes=()) for call in found.calls))


def with_prefix(lived: Lived, session: Session) -> Session:
    first = sum(piece.tokens for piece in session.pieces[: session.calls[0].end])
    return replace(session, prefix_tokens=lived.uses[0].prompt - first)


def _bodies(lived: Lived, provider: str) -> Iterator[list[str]]:
    """Each body as a row of parts in the order they are sent: what is said of a message, then each block of it. Blocks
    that a provider's form joins into one message stand as they would alone.
    """
    render, key = RENDERERS[provider]
    for request in lived.requests:
        body = render(request)
        messages = cast("list[dict[str, object]]", body[key])
        rest = {name: value for name, value in body.items() if name != key}
        yield [_bare(rest), *(part for one in messages for part in _blocks(one))]


def _blocks(message: dict[str, object]) -> Iterator[str]:
    content = message.get("content", message.get("parts"))
    yield _bare({name: value for name, value in message.items() if name not in {"content", "parts"}})
    if isinstance(content, list):
        yield from (_bare(block) for block in cast("list[object]", content))
    elif content is not None:
        yield _bare({"type": "text", "text": content})


def _bare(value: object) -> str:
    """As sent, without cache marks, which move with the end of a prompt."""
    return json.dumps(value).replace(', "cache_control": {"type": "ephemeral"}', "")


def assert_only_grows(lived: Lived) -> int:
    """Every prompt begins with all of the one before, unless a compaction was made in between; returns how often one
    was.
    """
    planned = 0
    for provider in RENDERERS:
        before: list[str] = []
        known = 0
        for made, now in zip(lived.made, _bodies(lived, provider), strict=True):
            grown = now[: len(before)] == before
            assert grown or made > known, f"{provider}: a prompt broke off before {now[-1][:200]}"
            planned += not grown
            before, known = now, made
    return planned


@sampled("gaps", [False, True], [True])
async def test_the_engine_compacts_and_pays_as_the_replay_of_the_same_session_does(gaps: bool) -> None:
    history = drawn(3, gaps=gaps)
    session = session_of(history)
    lived = await live(history, session)
    session = with_prefix(lived, session)
    told = replay(session, replace(ECONOMIC, terms=TERMS), RATES, CAPACITY_TOKENS)
    assert told.compactions >= 3
    assert abs(len(lived.decisions) - told.compactions) <= 1
    assert lived.bill == pytest.approx(told.bill, rel=SESSION_SHARE)
    assert lived.account.meter.bill == pytest.approx(lived.bill)
    assert lived.account.meter.never_bill == pytest.approx(told.never, rel=0.002)
    assert assert_only_grows(lived) > 0


def test_the_settings_of_the_preset_are_those_that_were_measured() -> None:
    about = ("summary_tokens", "folded_tokens", "ledger_tokens")
    of_notes = {
        "prune_result_tokens": ECONOMIC.terms.prune_result_tokens,
        "prune_stub_tokens": ECONOMIC.terms.prune_stub_tokens,
    }
    fences = {name: getattr(ECONOMIC.terms, name) for name in about}
    assert replace(TERMS, **of_notes, **fences, model_share=ECONOMIC.terms.model_share) == ECONOMIC.terms
    for name in about:
        assert getattr(TERMS, name) == pytest.approx(getattr(ECONOMIC.terms, name), rel=0.05)
