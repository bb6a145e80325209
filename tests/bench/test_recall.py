"""Questions are answered better than by plain word search, on data that are read only where they lie."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
DATA = Path(os.environ.get("PALIMPSEST_DATA", ROOT.parent / "shared" / "data"))
BENCH = ROOT / "bench"
sys.path.insert(0, str(BENCH))

from recall_data import bfcl, locomo  # noqa: E402


def test_a_dialogue_is_read_with_its_evidence(tmp_path: Path) -> None:
    turns = [
        {"speaker": "Ada", "dia_id": "D1:1", "text": "Hi!"},
        {"speaker": "Bo", "dia_id": "D1:2", "text": "Look.", "blip_caption": "a boat"},
    ]
    spoken = {
        "speaker_a": "Ada",
        "speaker_b": "Bo",
        "session_1_date_time": "1:56 pm on 8 May, 2026",
        "session_1": turns,
    }
    asked = [
        {"question": "What did Bo show?", "answer": "a boat", "evidence": ["D1:2; D9:9"], "category": 4},
        {"question": "Nothing?", "evidence": [], "category": 5},
    ]
    path = tmp_path / "dialogues.json"
    path.write_text(json.dumps([{"sample_id": "x", "conversation": spoken, "qa": asked}]))
    (talk,) = locomo(path)
    assert [(one.evidence, one.kind) for one in talk.questions] == [(frozenset({1}), "single-hop")]
    assert talk.messages[1].text == "Look.\n[photo: a boat]"
    assert (talk.messages[0].name, talk.messages[0].time_s) == ("Ada", 1_778_248_560.0)


@pytest.mark.slow
@pytest.mark.skipif(not (DATA / "bfcl-memory").is_dir(), reason="no BFCL memory data: set PALIMPSEST_DATA")
def test_search_is_no_worse_than_the_best_plain_word_search() -> None:
    folder = DATA / "bfcl-memory"
    assert sum(len(talk.questions) for talk in bfcl(folder)) > 100
    command = [sys.executable, str(BENCH / "recall.py"), str(folder), "--json"]
    done = subprocess.run(command, capture_output=True, text=True, check=True, timeout=120)
    recall = {row["way"]: row["recall"] for row in json.loads(done.stdout)["rows"] if row["kind"] == "all"}
    assert recall["search"] == max(recall.values())
    assert recall["search"] > 95
