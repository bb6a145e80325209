"""Questions over chats and coding sessions whose data give no evidence of their own.

MemoryBank comes with questions and without answers. Which message answers which was read off by hand;
`memorybank_evidence.json` says so by the question's hash and the place (day.exchange, u or a), and questions that are
not in it are left out.

Coding sessions come without questions. Two kinds are made from them, the same way for every session: "named" asks in
plain words for an identifier of several words that few messages hold (evidence: those messages); "mentioned" asks for a
sentence of the user or the assistant by some of its words, their endings changed (evidence: messages that hold it).
"""

from __future__ import annotations

import hashlib
import json
import random
import re
from collections import defaultdict
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from itertools import islice
from pathlib import Path

from recall_data import Asked, Talk

from palimpsest.errors import PalimpsestError
from palimpsest.formats.transcripts import Source, read
from palimpsest.record.message import Message, Text, readable_text
from palimpsest.search.english_words import STOP_WORDS
from palimpsest.search.question import words_of

EVIDENCE = Path(__file__).parent / "memorybank_evidence.json"
LEAST_MESSAGES = 60
MOST_QUESTIONS = 15
"""Of each kind and session."""

FEW = 3
"""An identifier that more messages hold is no question; nor is a sentence of fewer words with content than SENTENCE."""

SENTENCE = 6
_NAME = re.compile(r"\b[a-z]+(?:_[a-z]+){1,3}\b|\b[a-z]+(?:[A-Z][a-z]+){1,3}\b")
_SENTENCE = re.compile(r"[^.!?\n]{30,240}[.!?\n]")


def memorybank(folder: Path) -> Iterator[Talk]:
    """Each person's chats as one conversation, in every language that the folder has."""
    evidence: dict[str, list[str]] = json.loads(EVIDENCE.read_text(encoding="utf-8"))
    for path in sorted(folder.glob("memory_bank_*.json")):
        language = path.stem.removeprefix("memory_bank_")
        asked_in = folder / f"probing_questions_{language}.jsonl"
        if not asked_in.is_file():
            continue
        listed: dict[str, list[str]] = {}
        for line in asked_in.read_text(encoding="utf-8").splitlines():
            listed |= json.loads(line) if line.strip() else {}
        for name, person in json.loads(path.read_text(encoding="utf-8")).items():
            yield _person(f"memorybank {language}", name, person["history"], listed.get(name, []), evidence)


def _person(
    source: str,
    name: str,
    history: dict[str, list[dict[str, str]]],
    listed: list[str],
    evidence: dict[str, list[str]],
) -> Talk:
    messages: list[Message] = []
    sessions: list[int] = []
    places: dict[str, int] = {}
    for day, (date, exchanges) in enumerate(history.items()):
        began_s = datetime.fromisoformat(date).replace(tzinfo=UTC).timestamp()
        for turn, exchange in enumerate(exchanges):
            for role, key in (("user", "query"), ("assistant", "response")):
                places[f"{day}.{turn}{role[0]}"] = len(messages)
                made = Text(exchange[key])
                time_s = began_s + len(messages)
                messages.append(Message("user" if role == "user" else "assistant", (made,), time_s=time_s))
                sessions.append(day)
    questions: list[Asked] = []
    for text in listed:
        known = evidence.get(question_key(text), [])
        found = frozenset(places[one] for one in known if one in places)
        if found:
            questions.append(Asked(text, found, source))
    return Talk(source, name.strip(), tuple(messages), tuple(sessions), tuple(questions))


def question_key(text: str) -> str:
    """What a question is called in the file of evidence."""
    return hashlib.sha256(text.encode()).hexdigest()[:12]


def coding(path: Path) -> Iterator[Talk]:
    """A coding agent's transcript as a conversation with questions made from it; nothing where it is short or none."""
    try:
        reading = read(Source(str(path), path.read_bytes()))
    except (PalimpsestError, OSError):
        return
    for transcript in reading.transcripts:
        messages = transcript.paths[-1] if transcript.paths else ()
        texts = [readable_text(message) for message in messages]
        if len(messages) < LEAST_MESSAGES:
            continue
        chance = random.Random(path.name)
        questions = (*_named(texts, chance), *_mentioned(messages, texts, chance))
        if questions:
            yield Talk("coding", path.stem, messages, (0,) * len(messages), questions)


def _named(texts: Sequence[str], chance: random.Random) -> list[Asked]:
    holding: dict[str, set[int]] = defaultdict(set)
    for place, text in enumerate(texts):
        for name in set(_NAME.findall(text[:20_000])):
            holding[name].add(place)
    rare = sorted(name for name, places in holding.items() if len(places) <= FEW and 8 <= len(name) <= 40)
    return [
        Asked(f"Where did we work on the {_plain(name)}?", frozenset(holding[name]), "named")
        for name in chance.sample(rare, min(MOST_QUESTIONS, len(rare)))
    ]


def _plain(name: str) -> str:
    """An identifier as somebody would say it."""
    return re.sub(r"([a-z])([A-Z])", r"\1 \2", name).replace("_", " ").lower()


def _mentioned(messages: Sequence[Message], texts: Sequence[str], chance: random.Random) -> list[Asked]:
    found: list[Asked] = []
    seen: set[str] = set()
    for place in chance.sample(range(len(messages)), len(messages)):
        said = messages[place].text if messages[place].role in {"user", "assistant"} else ""
        for sentence in islice(_SENTENCE.findall(said[:4_000]), 1):
            telling = [word for word in words_of(sentence) if word.isalpha() and word not in STOP_WORDS]
            if len(set(telling)) < SENTENCE or sentence in seen:
                continue
            seen.add(sentence)
            words = [_bent(word) for word in chance.sample(sorted(set(telling)), SENTENCE - 2)]
            evidence = frozenset(at for at, text in enumerate(texts) if sentence in text)
            if evidence:
                found.append(Asked(f"What was it about {' '.join(words)}?", evidence, "mentioned"))
        if len(found) == MOST_QUESTIONS:
            break
    return found


def _bent(word: str) -> str:
    """A word with another ending, as one remembers it."""
    if not word.isascii() or len(word) < 4:
        return word
    return word.removesuffix("s") if word.endswith("s") else f"{word}s"
