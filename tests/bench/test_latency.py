"""The latency bench: its databases hold what it says of them, and every kind of pattern is answered."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]
BENCH = ROOT / "bench"
sys.path.insert(0, str(BENCH))

from latency_fill import LONG, OTHER_OWNER, OWNER, fill, filled, open_for, schedule  # noqa: E402
from latency_queries import kinds, questions  # noqa: E402
from latency_texts import PLANTED, Writer  # noqa: E402


def test_a_seed_writes_the_same_messages_with_words_in_their_shares() -> None:
    first, second = Writer(3), Writer(3)
    written = [first.write() for _ in range(4_000)]
    assert written[:50] == [second.write() for _ in range(50)]
    for word, share in PLANTED.items():
        held = sum(f" {word} " in f" {text} ".replace(".", " ") for text in written) / len(written)
        assert abs(held - share) < 0.2 * share + 0.002
    assert 180 < sum(map(len, written)) / len(written) < 270


def test_most_messages_are_one_conversation_and_a_tenth_another_owners() -> None:
    order = schedule(100_000)
    assert order == schedule(100_000)
    assert order.count(LONG) / len(order) == 0.6
    assert order.count("") / len(order) == 0.1
    assert len(set(order)) == 32


async def test_a_filled_database_is_known_again_and_its_patterns_are_found(tmp_path: Path) -> None:
    path = tmp_path / "filled.db"
    assert not filled(path, 2_000)
    await fill(path, 2_000, Writer(1), lambda done: None)
    assert filled(path, 2_000)
    assert not filled(path, 3_000)
    async with open_for(path, OWNER) as engine, open_for(path, OTHER_OWNER) as other:
        counts = ((await engine.stats()).messages, (await other.stats()).messages)
        totals = {
            kind.name: max([(await engine.grep(pattern)).total for pattern, _ in kind.patterns[:5]])
            for kind in kinds(path)
        }
        assert (await engine.search(questions(path)[1])).passages
    assert counts == (1_800, 200)
    assert totals.pop("what nobody said") == 0
    assert min(totals.values()) > 0
    assert totals["a word in every third message"] > 400


def test_the_bench_prints_a_record(tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, BENCH / "latency.py", "--messages", "400", "--turns", "6", "--json", "--only", "turns"],
        capture_output=True, text=True, check=True, cwd=tmp_path,
    )  # fmt: skip
    record = json.loads(done.stdout)
    rows = {row["what"]: row for row in record["rows"]}
    assert rows["floor: SQLite alone"]["p50_to_floor"] == 1.0
    assert rows["400: append"]["calls"] == 6
    assert rows["400: append"]["max_ms"] >= rows["400: append"]["p50_ms"] > 0
