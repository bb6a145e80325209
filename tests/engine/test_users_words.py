"""What the user said stands verbatim in a window as long as there is room for it, whatever a model leaves out."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

import palimpsest
from palimpsest.complete.scripted import ScriptedModel
from palimpsest.engine.conversation import Conversation
from palimpsest.engine.engine import Engine
from tests.engine.drawing import bulk, said
from tests.engine.test_fifty import GOAL, RULES, count_compactions, shown

CHINESE = (
    "请把港口服务从旧队列迁移到新队列",
    "不要修改 config/prod.toml",
    "永远不要联网",
    "所有金额必须保留两位小数",
)
TALKS = {
    "english": (
        " ".join((GOAL, *RULES)),
        "The assistant looked at several docks and noted their state; work goes on as before with the next dock.",
        "Step {n}: look at dock {n} and tell me its state.",
        bulk(1_800, 1),
    ),
    "chinese": (
        "。".join(CHINESE),
        "助手检查了几个模块，工作照常进行。",
        "第{n}步：检查模块{n}的状态。",
        "已经修正并记录。" * 60,
    ),
}
COMPACTIONS = 4
MAX_TURNS = 120


async def lived(engine: Engine, talk: Conversation, language: str) -> Sequence[str]:
    """What the user said until the window was compacted several times, each turn with everything that keeps it small;
    all of it was there after each turn.
    """
    wishes, _, step, answer = TALKS[language]
    asked = [wishes]
    await talk.append(said("user", wishes), said("assistant", "ok"))
    while await count_compactions(talk) < COMPACTIONS and len(asked) < MAX_TURNS:
        number = len(asked)
        asked.append(step.format(n=number))
        await talk.append(said("user", asked[-1]))
        for at in range(4):
            await talk.append(said("assistant", f"{number}.{at} {answer}"))
            await talk.end_step()
        await talk.end_turn()
        await engine.idle()
        text = shown(await talk.request())
        assert [one for one in asked if one not in text] == []
    return asked


@pytest.mark.parametrize("language", TALKS)
@pytest.mark.parametrize("preset", ["default", "hierarchical", "economic", "crabtalk", "hermes", "picoclaw"])
async def test_without_a_model_the_users_messages_outlast_every_summary(preset: str, language: str) -> None:
    async with palimpsest.open(":memory:", preset=preset, window_tokens=16_000, max_tokens=1_000) as engine:
        talk = engine.conversation("a")
        await lived(engine, talk, language)
        assert await count_compactions(talk) >= COMPACTIONS


@pytest.mark.parametrize("language", TALKS)
async def test_with_a_model_that_leaves_them_out_the_default_shows_the_users_messages_behind_its_summary(
    language: str,
) -> None:
    model = ScriptedModel([TALKS[language][1]])
    async with palimpsest.open(
        ":memory:", complete=model, summarizer="model", window_tokens=16_000, max_tokens=1_000
    ) as engine:
        talk = engine.conversation("a")
        await lived(engine, talk, language)
        assert await count_compactions(talk) >= COMPACTIONS
    assert model.requests
