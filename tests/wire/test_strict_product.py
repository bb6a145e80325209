"""The product against the strict servers: long sessions of the agent loop, and the official clients on its requests.

Nothing is refused, nothing is lost, and between two compactions every request is the one before plus additions.
"""

from __future__ import annotations

import asyncio
from functools import cache
from typing import Any

import pytest

from tests.effort import size
from tests.wire.strict.scripts import READ_TOOL
from tests.wire.strict.sessions import SYSTEM, Outcome, Plan, agent_session, client_session, tool_named

CALLS = 10
BINDING, OTHER, GPT, GEMINI = "claude-opus-5-5", "claude-fable-5-1", "gpt-6.2-astra", "gemini-3.8-flash"
TURNS = {
    f"anthropic:{BINDING}": 20,
    "openai:gpt-5": size(6, 20),
    f"gemini:{GEMINI}": size(6, 20),
}


@cache
def agent_outcome(name: str) -> Outcome:
    """What comes of a session of the agent loop."""
    return asyncio.run(agent_session(name, Plan(TURNS[name], CALLS)))


@pytest.mark.slow
@pytest.mark.parametrize("name", TURNS)
def test_a_long_session_of_the_agent_loop_is_never_refused_and_loses_nothing(name: str) -> None:
    found, turns = agent_outcome(name), TURNS[name]
    print(f"{name}: {found}")
    assert found.errors == ()
    assert (found.results, found.answers) == (turns * CALLS, turns)
    assert found.stored == turns * (2 * CALLS + 2)
    assert found.compactions > 0


@pytest.mark.slow
@pytest.mark.parametrize("name", TURNS)
def test_a_request_of_the_agent_loop_breaks_the_law_only_where_it_was_compacted(name: str) -> None:
    found = agent_outcome(name)
    assert len(found.breaks) <= found.compactions


def halfway(number: int, before: Any, after: Any) -> Any:
    """What holds from the middle of a session."""
    return after if number > TURNS_EACH * CALLS // 2 else before


TURNS_EACH = size(3, 20)
ONE, TWO = [tool_named(READ_TOOL)], [tool_named(READ_TOOL), tool_named("read_chart")]
VARIANTS: dict[str, Any] = {
    "plain": lambda number: {},
    "injections": lambda number: {"inject": (f"Reminder of step {number}.",)},
    "a changed memory": lambda number: {"memory": f"Memory {number // 12}."},
    "a changed system prompt": lambda number: {"system": halfway(number, SYSTEM, f"{SYSTEM} Be brief.")},
    "a new tool": lambda number: {"tools": halfway(number, ONE, TWO)},
    "a switch of models": lambda number: {},
}
WIRES = {"anthropic": BINDING, "responses": GPT, "gemini": GEMINI}
WINDOW_TOKENS = 4_000


CASES = [
    *(("anthropic", variant) for variant in VARIANTS),
    *((wire, variant) for wire in ("responses", "gemini") for variant in ("plain", "injections")),
]


@cache
def client_outcome(wire: str, variant: str) -> Outcome:
    """What comes of a session of an official client, with everything kept where it was sent."""
    model = WIRES[wire]

    def switched(number: int) -> str:
        return (
            halfway(number % (TURNS_EACH * CALLS), model, OTHER) if variant == "a switch of models" else model
        )

    settings: dict[str, Any] = {"provider_betas": "on"}
    settings |= {} if wire == "anthropic" else {"injections": "stay"}
    plan = Plan(TURNS_EACH, CALLS, VARIANTS[variant], switched, WINDOW_TOKENS, settings)
    return asyncio.run(client_session(wire, plan))


@pytest.mark.slow
@pytest.mark.parametrize("wire,variant", CASES)
def test_the_official_client_is_not_refused_with_the_requests_of_a_conversation(
    wire: str, variant: str
) -> None:
    found = client_outcome(wire, variant)
    print(f"{wire}, {variant}: {found}")
    assert found.errors == ()
    assert (found.results, found.answers) == (TURNS_EACH * CALLS, TURNS_EACH)
    assert found.compactions > 0


@pytest.mark.slow
@pytest.mark.parametrize("wire,variant", CASES)
def test_requests_between_two_compactions_only_grow(wire: str, variant: str) -> None:
    assert client_outcome(wire, variant).unexplained == ()


@pytest.mark.slow
@pytest.mark.parametrize("wire,variant", CASES)
def test_the_model_sees_its_thinking_again(wire: str, variant: str) -> None:
    assert client_outcome(wire, variant).shown_mean > 2
