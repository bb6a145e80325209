"""Questions are answered better than by plain word search, on data that are read only where they lie."""

from __future__ import annotations

import json
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]
BENCH = ROOT / "bench"
sys.path.insert(0, str(BENCH))

from recall_data import Asked, Talk, locomo  # noqa: E402
from recall_made import made_talks  # noqa: E402
from recall_made_other import other_talks  # noqa: E402
from recall_made_over import told, woven  # noqa: E402
from recall_made_year import year_talks  # noqa: E402
from recall_sources import talks  # noqa: E402
from recall_ways import judged  # noqa: E402

from palimpsest.record.message import Message, Text  # noqa: E402


def write_dialogue(path: Path) -> None:
    """A file with one dialogue of two turns."""
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
    path.write_text(json.dumps([{"sample_id": "x", "conversation": spoken, "qa": asked}]))


def test_a_dialogue_is_read_with_its_evidence(tmp_path: Path) -> None:
    path = tmp_path / "dialogues.json"
    write_dialogue(path)
    (talk,) = locomo(path)
    assert [(one.evidence, one.kind) for one in talk.questions] == [(frozenset({1}), "single-hop")]
    assert talk.messages[1].text == "Look.\n[photo: a boat]"
    assert (talk.messages[0].name, talk.messages[0].time_s) == ("Ada", 1_778_248_560.0)


def test_chats_with_an_assistant_are_made_up_the_same_way_each_time() -> None:
    one, named = made_talks(talks=1, sessions=40)
    assert [one, named] == list(made_talks(talks=1, sessions=40))
    assert (one.source, named.source) == ("made", "made named")
    assert len(one.questions) > 30
    assert all(len(asked.evidence) == 1 for asked in one.questions)
    sizes = [len(message.text) for message in one.messages if message.role == "assistant"]
    assert sum(sizes) / len(sizes) > 800


def test_talks_of_other_kinds_are_made_up_the_same_way_each_time() -> None:
    made = [*other_talks(), *year_talks()]
    assert made == [*other_talks(), *year_talks()]
    assert len({talk.source for talk in made}) == 7
    for talk in made:
        assert len(talk.messages) == len(talk.sessions)
        assert all(max(asked.evidence) < len(talk.messages) for asked in talk.questions)


def test_a_dialogue_made_over_keeps_what_answers(tmp_path: Path) -> None:
    write_dialogue(tmp_path / "one.json")
    given = list(locomo(tmp_path / "one.json"))
    ada, bo = told(given)
    group, long = woven(given)
    assert [(one.text, one.evidence) for one in bo.questions] == [("What did I show?", frozenset({0}))]
    assert bo.messages[0].text.endswith("Look. (a boat)")
    assert not ada.questions
    assert (bo.messages[0].role, bo.messages[0].name) == ("user", "")
    assert group.questions[0].evidence == {1}
    assert long.messages[0].text == "Ada: Hi!\nBo: Look.\n[photo: a boat]"
    assert bo.of == f"{given[0].source} {given[0].name}"
    assert [*told([]), *woven([])] == []


def test_what_a_path_holds_is_told_by_what_is_in_it(tmp_path: Path) -> None:
    (tmp_path / "deep").mkdir()
    (tmp_path / "deep" / "notes.json").write_text('{"a": 1}')
    (tmp_path / "deep" / "broken.jsonl").write_text("{")
    (tmp_path / "deep" / "other.txt").write_text("text")
    assert talks([tmp_path]) == []
    write_dialogue(tmp_path / "deep" / "any-name.json")
    assert [talk.source for talk in talks([tmp_path, tmp_path / "deep"])] == ["locomo"]


def test_sessions_are_judged_by_the_first_five() -> None:
    messages = tuple(Message("user", (Text(str(place)),)) for place in range(8))
    asked = Asked("which?", frozenset({6}), "any")
    talk = Talk("made", "one", messages, tuple(range(8)), (asked,))
    assert judged(talk, asked, [0, 1, 2, 3, 6]) == (1.0, 1.0, 1.0)
    assert judged(talk, asked, [0, 1, 2, 3, 4, 6]) == (1.0, 1.0, 0.0)
    assert judged(talk, asked, [*range(6), 7]) == (0.0, 0.0, 0.0)
