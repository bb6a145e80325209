"""The bench of exact strings: it draws what a text holds, and every string is found."""

from __future__ import annotations

import random
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[2] / "bench"))

from exact import measure, part_of, strings_of

from palimpsest.record.message import Message, Text


def test_names_and_paths_are_drawn_and_plain_words_are_not() -> None:
    text = "Please rename getUserAccount in src/app/main.py, and snake_case too; nothing else matters"
    assert strings_of(text) == [
        ("identifier", "getUserAccount"),
        ("identifier", "snake_case"),
        ("path", "src/app/main.py"),
    ]


def test_a_part_is_of_six_characters_or_more_and_inside_the_string() -> None:
    chance = random.Random(1)
    parts = {part_of("src/app/getUserAccount.py", chance) for _ in range(200)}
    assert all(len(part) >= 6 and part in "src/app/getUserAccount.py" for part in parts)
    assert len(parts) > 50


async def test_every_string_of_a_few_messages_is_found() -> None:
    messages = [
        Message("tool", (Text(f"edited src/mod{place}/file_{place}.py by run{place}Task"),))
        for place in range(30)
    ]
    rows, sizes = await measure(messages, 10, 1)
    assert {row["what"] for row in rows} == {"identifier", "part of identifier", "part of path", "path"}
    assert all(row["found_percent"] == 100 for row in rows)
    assert sizes["index_bytes"] > 0 < sizes["plain_index_bytes"]
