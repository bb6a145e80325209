"""A model that leaves everything out: what the user wants and demanded is there after each compaction all the same."""

from __future__ import annotations

import pytest

import palimpsest
from palimpsest.complete.scripted import ScriptedModel
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
        (GOAL, *RULES),
        " ",
        "The assistant looked at several docks and noted their state; work goes on as before with the next dock.",
        "Step {n}: look at dock {n} and tell me its state.",
        bulk(900, 1),
    ),
    "chinese": (
        CHINESE,
        "。",
        "助手检查了几个模块，工作照常进行。",
        "第{n}步：检查模块{n}的状态。",
        "已经修正并记录。" * 60,
    ),
}
COMPACTIONS = 6
MAX_TURNS = 120


@pytest.mark.parametrize("language", TALKS)
@pytest.mark.parametrize("preset", ["hierarchical", "crabtalk", "hermes", "picoclaw"])
async def test_what_a_model_leaves_out_of_the_users_wishes_is_added_each_time(
    preset: str, language: str
) -> None:
    wishes, joint, reply, step, answer = TALKS[language]
    model = ScriptedModel([reply])
    async with palimpsest.open(
        ":memory:", preset=preset, complete=model, window_tokens=6_000, max_tokens=800
    ) as engine:
        talk = engine.conversation("a")
        await talk.append(said("user", joint.join(wishes)), said("assistant", "ok"))
        number = 0
        while await count_compactions(talk) < COMPACTIONS and number < MAX_TURNS:
            number += 1
            await talk.append(said("user", step.format(n=number)), said("assistant", f"{number} {answer}"))
            await talk.end_step()
            await talk.end_turn()
            await engine.idle()
            text = shown(await talk.request())
            assert [one for one in wishes if one not in text] == []
        assert await count_compactions(talk) >= COMPACTIONS
        assert model.requests


ON_THE_WAY = (
    "Never touch data/ports.csv.",
    "Always run make check before a commit.",
    "Use UTC for every time stamp.",
    "Answer in at most five sentences.",
    "All public functions must have docstrings.",
    "I want tabs, not spaces, in Makefiles.",
    "No force pushes on main, please.",
    "Keep the p99 under 250 ms.",
    "Only quay-07.harbour.internal may be restarted.",
    "Never delete src/berths/legacy.py.",
    "绝对不要删除 backups 目录。",
)
TURNS = 26


@pytest.mark.parametrize(
    "preset,lazy",
    [
        ("default", False),
        ("default", True),
        ("hermes", True),
        ("crabtalk", True),
        ("picoclaw", True),
        ("sliding-window", False),
        ("drop-middle", False),
    ],
)
async def test_the_goal_and_rules_said_on_the_way_outlast_every_summary(preset: str, lazy: bool) -> None:
    model = ScriptedModel(["## Goal\n- the work on the docks\n## Progress\n- Docks were looked at."])
    async with palimpsest.open(
        ":memory:", preset=preset, complete=model if lazy else None, window_tokens=16_000, max_tokens=1_000
    ) as engine:
        talk = engine.conversation("a")
        await talk.append(said("user", GOAL), said("assistant", "I begin."))
        for number in range(TURNS):
            rule = ON_THE_WAY[number // 2] if number % 2 and number // 2 < len(ON_THE_WAY) else ""
            await talk.append(said("user", f"Look at dock {number * 37}, and go on. {rule}".strip()))
            await talk.append(
                *(said("assistant", f"Dock {number}: {bulk(900, number + at)}") for at in range(6))
            )
            await talk.compact()
            text = shown(await talk.request())
            assert GOAL in text
            assert [one for one in ON_THE_WAY[: (number + 1) // 2] if one not in text] == []
        assert await count_compactions(talk) >= COMPACTIONS
