"""Talks laid end to end keep their questions' evidence, and what comes later holds none of it."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

BENCH = Path(__file__).parents[2] / "bench"
sys.path.insert(0, str(BENCH))

from recall_data import Asked, Talk  # noqa: E402
from recall_scale import joined, percents  # noqa: E402

from palimpsest.record.message import Message, Text  # noqa: E402


def talk(*texts: str, evidence: int) -> Talk:
    messages = tuple(Message("user", (Text(text),), name="Ada", time_s=1.0) for text in texts)
    asked = tuple(Asked(f"question {place}?", frozenset({evidence}), "any") for place in range(2))
    return Talk("made", "one", messages, tuple(range(len(texts))), asked)


def test_evidence_moves_with_its_talk_and_later_turns_are_made_of_two() -> None:
    given = [talk("one two", "three four", evidence=1), talk("five six", "seven eight", evidence=0)]
    one = joined(given, 50, every=2)
    assert [asked.evidence for asked in one.questions] == [{1}, {2}]
    assert len(one.messages) == len(one.sessions) == 50
    assert one.messages[:4] == (*given[0].messages, *given[1].messages)
    firsts, seconds = {"one", "three", "five", "seven"}, {"two", "four", "six", "eight"}
    for later in one.messages[4:]:
        first, second = later.text.split()
        assert first in firsts
        assert second in seconds
    assert joined(given, 50, every=2) == one
    assert percents(one, [[1], [9, 3]]) == (50.0, 50.0)


def test_it_prints_a_line_for_each_size(tmp_path: Path) -> None:
    spoken = {
        "speaker_a": "Ada",
        "speaker_b": "Bo",
        "session_1_date_time": "1:56 pm on 8 May, 2026",
        "session_1": [{"speaker": "Bo", "dia_id": "D1:1", "text": "The ferry has berth nine."}],
    }
    asked = [{"question": "Which berth has the ferry?", "evidence": ["D1:1"], "category": 4}]
    data = tmp_path / "dialogues.json"
    data.write_text(json.dumps([{"sample_id": "x", "conversation": spoken, "qa": asked}]))
    command = [sys.executable, BENCH / "recall_scale.py", data, "--messages", "1", "5"]
    printed = subprocess.run(command, capture_output=True, text=True, timeout=60, check=True).stdout
    first, second = printed.splitlines()
    assert first.startswith("1 messages, 1 questions: search (100.0, 100.0)")
    assert second.startswith("5 messages, 1 questions: search (100.0, 100.0)")
