"""Questions with known answers, from data given by path: LoCoMo dialogues and BFCL memory conversations."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from palimpsest.record.message import Message, Role, Text

FIRST_S = 1_767_225_600.0
_EVIDENCE = re.compile(r"D(\d+):(\d+)")
KINDS = {1: "multi-hop", 2: "temporal", 3: "open-domain", 4: "single-hop", 5: "adversarial"}


@dataclass(frozen=True, slots=True)
class Asked:
    """A question, the places of the messages that answer it, and its kind."""

    text: str
    evidence: frozenset[int]
    kind: str


@dataclass(frozen=True, slots=True)
class Talk:
    """A conversation with its questions. `sessions` gives the session of each message, `of` the source and the name of
    the talk that it was made over from.
    """

    source: str
    name: str
    messages: tuple[Message, ...]
    sessions: tuple[int, ...]
    questions: tuple[Asked, ...]
    of: str = ""


def locomo(path: Path) -> Iterator[Talk]:
    """Each dialogue of a LoCoMo file; a turn is a message, and what a shared photo shows is part of its text."""
    for sample in json.loads(path.read_text(encoding="utf-8")):
        spoken = sample["conversation"]
        messages: list[Message] = []
        sessions: list[int] = []
        places: dict[tuple[int, int], int] = {}
        for number in range(1, 100):
            began_s = _session_time(spoken.get(f"session_{number}_date_time", ""))
            for turn in spoken.get(f"session_{number}") or ():
                role: Role = "user" if turn["speaker"] == spoken["speaker_a"] else "assistant"
                caption = f"\n[photo: {turn['blip_caption']}]" if turn.get("blip_caption") else ""
                time_s = began_s + len(messages) if began_s is not None else None
                match = _EVIDENCE.fullmatch(turn["dia_id"])
                if match:
                    places[int(match[1]), int(match[2])] = len(messages)
                messages.append(
                    Message(role, (Text(turn["text"] + caption),), name=turn["speaker"], time_s=time_s)
                )
                sessions.append(number)
        questions: list[Asked] = []
        for asked in sample["qa"]:
            named = {
                (int(a), int(b)) for one in asked.get("evidence") or () for a, b in _EVIDENCE.findall(one)
            }
            evidence = frozenset(places[one] for one in named if one in places)
            if evidence:
                questions.append(Asked(asked["question"], evidence, KINDS[asked["category"]]))
        yield Talk("locomo", sample["sample_id"], tuple(messages), tuple(sessions), tuple(questions))


def _session_time(text: str) -> float | None:
    """Seconds of "1:56 pm on 8 May, 2023"."""
    try:
        return datetime.strptime(text, "%I:%M %p on %d %B, %Y").replace(tzinfo=UTC).timestamp()
    except ValueError:
        return None


def bfcl(folder: Path) -> Iterator[Talk]:
    """Each scenario of BFCL's memory data as one conversation; a question is answered by a message that holds the
    quote it was made from. The data tell no times: sessions are taken to be a day apart.
    """
    answers = {one["id"]: one for one in _lines(folder / "answers.json")}
    asked = list(_lines(folder / "questions.json"))
    for path in sorted((folder / "memory_prereq_conversation").glob("*.json")):
        scenario = path.stem.removeprefix("memory_")
        messages: list[Message] = []
        sessions: list[int] = []
        for number, session in enumerate(_lines(path)):
            for turn in session["question"]:
                for said in turn:
                    time_s = FIRST_S + 86_400.0 * number + len(messages)
                    messages.append(Message(said["role"], (Text(said["content"]),), time_s=time_s))
                    sessions.append(number)
        texts = [_plain(message.text) for message in messages]
        questions: list[Asked] = []
        for one in asked:
            if one["scenario"] == scenario:
                quote = _plain(answers[one["id"]]["source"]).rstrip(". ")
                evidence = frozenset(place for place, text in enumerate(texts) if quote and quote in text)
                if evidence:
                    questions.append(Asked(one["question"][0][0]["content"], evidence, scenario))
        yield Talk("bfcl", scenario, tuple(messages), tuple(sessions), tuple(questions))


def _plain(text: str) -> str:
    """Text without what copies of it differ in: case, quotes, spaces."""
    return " ".join(
        re.sub("[\"'\u2018\u2019\u201c\u201d]", "", text).replace("\u2026", "...").lower().split()
    )


def _lines(path: Path) -> Iterator[Any]:
    return (json.loads(line) for line in path.read_text(encoding="utf-8").splitlines() if line.strip())
