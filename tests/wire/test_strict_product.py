"""The product against the strict servers: long sessions of the agent loop, and the official clients on its requests.

Nothing is refused, nothing is lost, and between two compactions every request is the one before plus additions.
"""

from __future__ import annotations

from typing import Any

import pytest

from tests.effort import size
from tests.wire.strict.scripts import READ_TOOL
from tests.wire.strict.sessions import SYSTEM, Plan, agent_session, client_session, tool_named

CALLS = 10
BINDING, OTHER, GPT, GEMINI = "claude-opus-5-5", "claude-fable-5-1", "gpt-6.2-astra", "gemini-3.8-flash"
TURNS = {
    f"anthropic:{BINDING}": 20,
    "openai:gpt-5": size(6, 20),
    f"openai-responses:{GPT}": size(6, 20),
    f"gemini:{GEMINI}": size(6, 20),
}
PROVIDER: dict[str, Any] = {"summarizer": "provider"}


@pytest.mark.slow
@pytest.mark.sampled
@pytest.mark.parametrize("name", TURNS)
async def test_a_long_session_of_the_agent_loop_is_never_refused_and_loses_nothing(name: str) -> None:
    turns = TURNS[name]
    found = await agent_session(name, Plan(turns, CALLS))
    print(f"{name}: {found}")
    assert found.errors == ()
    assert (found.results, found.answers) == (turns * CALLS, turns)
    assert found.stored == turns * (2 * CALLS + 2)
    assert found.compactions > 0
    assert len(found.breaks) <= found.compactions


@pytest.mark.slow
@pytest.mark.sampled
@pytest.mark.parametrize(
    "name,injections",
    [
        (f"anthropic:{BINDING}", "auto"),
        (f"openai-responses:{GPT}", "auto"),
        (f"openai-responses:{GPT}", "stay"),
    ],
)
async def test_a_session_that_the_provider_compacts_is_never_refused_and_loses_nothing(
    name: str, injections: str
) -> None:
    turns = size(8, 20)
    found = await agent_session(name, Plan(turns, CALLS, settings=PROVIDER | {"injections": injections}))
    print(f"{name}, {injections}: {found}")
    assert found.errors == ()
    assert (found.results, found.answers) == (turns * CALLS, turns)
    assert found.stored == turns * (2 * CALLS + 2)
    assert found.blocks > 0
    assert len(found.breaks) <= found.compactions
    assert found.shown_mean > 10


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
WIRES = {"anthropic": BINDING, "responses": GPT, "gemini": GEMINI, "chat": GPT}
TEMPLATE_MODELS = ("qwen3.5-35b", "kimi-k2.6")
WINDOW_TOKENS = 4_000


ALL = ["plain", "injections", "a changed memory", "a changed system prompt"]
ELSEWHERE = {"responses": size(ALL[:2], ALL), "gemini": size(ALL[:1], ALL), "chat": size(ALL[:1], ALL)}
CASES = [
    *(("anthropic", variant) for variant in VARIANTS),
    *((wire, variant) for wire, variants in ELSEWHERE.items() for variant in variants),
]


@pytest.mark.slow
@pytest.mark.sampled
@pytest.mark.parametrize("wire,variant", CASES)
async def test_requests_to_the_official_client_are_accepted_and_only_grow(wire: str, variant: str) -> None:
    model = WIRES[wire]

    def switched(number: int) -> str:
        return (
            halfway(number % (TURNS_EACH * CALLS), model, OTHER) if variant == "a switch of models" else model
        )

    settings: dict[str, Any] = {"provider_betas": "on"}
    settings |= {} if wire == "anthropic" else {"injections": "stay"}
    plan = Plan(TURNS_EACH, CALLS, VARIANTS[variant], switched, WINDOW_TOKENS, settings)
    found = await client_session(wire, plan)
    print(f"{wire}, {variant}: {found}")
    assert found.errors == ()
    assert (found.results, found.answers) == (TURNS_EACH * CALLS, TURNS_EACH)
    assert found.compactions > 0
    assert found.unexplained == ()
    assert found.shown_mean > 2 or wire == "chat"


@pytest.mark.slow
@pytest.mark.sampled
@pytest.mark.parametrize("model", TEMPLATE_MODELS)
async def test_requests_to_a_model_with_a_chat_template_are_accepted(model: str) -> None:
    settings: dict[str, Any] = {"injections": "stay"}
    options = VARIANTS["a changed memory"]
    plan = Plan(TURNS_EACH, CALLS, options, lambda _: model, WINDOW_TOKENS, settings)
    found = await client_session("chat", plan)
    assert found.errors == ()
    assert (found.results, found.answers) == (TURNS_EACH * CALLS, TURNS_EACH)
    assert found.compactions > 0
