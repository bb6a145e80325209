"""The bench of compactions says what each costs, beside the shortest history."""

from __future__ import annotations

import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]
sys.path.insert(0, str(ROOT / "bench"))

from compacting import Costs, measured, table  # noqa: E402


async def test_every_round_has_a_compaction_and_every_message_a_cost(tmp_path: Path) -> None:
    costs = await measured(tmp_path / "one.db", messages=120, rounds=2, each=6)
    assert (len(costs.message_ms), len(costs.compaction_ms)) == (2, 2)
    assert min(costs.imported_ms, costs.first_ms, *costs.message_ms, *costs.compaction_ms) > 0


def test_the_shortest_history_is_the_floor_of_the_others() -> None:
    short, long = Costs(10, 10.0, 20.0, [1.0], [5.0]), Costs(40, 40.0, 160.0, [3.0], [5.0])
    rows = {(one["messages"], one["what"]): one["to_floor"] for one in table([short, long])}
    assert rows[40, "an imported message"] == 1
    assert rows[40, "the 1st compaction, a message read"] == 2
    assert rows[40, "a message appended"] == 3
    assert rows[40, "compaction 2"] == 1
