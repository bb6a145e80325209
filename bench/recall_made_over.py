"""Dialogues between friends made over into other forms, with the questions that people asked of them.

- "told an assistant": one of the two tells an assistant, who answers by a page of sentences on what was said; nobody
  is named, the sessions of two other dialogues lie between, and the question says "I".
- "a group": all dialogues as one, session by session, so that ten people speak of the same things.
- "long turns": the same, hundreds of words a message, with who said what inside the text.

The sentences of the pages are those of other talks that hold the most of the turn's words: a page holds more of a
question's words than the turn that answers it.
"""

from __future__ import annotations

import random
import re
import sqlite3
from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby

from recall_data import Asked, Talk

from palimpsest.record.message import Message, Text
from palimpsest.search.english_words import STOP_WORDS
from palimpsest.search.question import words_of

PAGE_SENTENCES = (7, 16)
ABOUT = 30
"""So many sentences that hold the most of a turn are what a page about it is drawn from."""

ASKS = 0.7
"""The share of the turns told to an assistant that ask for something, too."""

OTHERS = 2
LONG_WORDS = 400
EVERY_TOLD = 2
EVERY = 4
"""Each so-manieth question is asked."""

_SENTENCE = re.compile(r"[^.!?\n]{25,220}[.!?]")
_SPOKEN = frozenset(("bfcl", "memorybank en"))


class Sentences:
    """Sentences that are found by what a turn says."""

    def __init__(self, said: Iterable[str]) -> None:
        self._said = list(dict.fromkeys(said))
        self._index = sqlite3.connect(":memory:")
        self._index.execute("CREATE VIRTUAL TABLE words USING fts5 (body, tokenize = 'porter unicode61')")
        self._index.executemany("INSERT INTO words (rowid, body) VALUES (?, ?)", enumerate(self._said, 1))

    def about(self, text: str, count: int = ABOUT) -> list[str]:
        """Those that hold the most of a text's words, the best first."""
        words = [word for word in dict.fromkeys(words_of(text)) if word not in STOP_WORDS]
        matching = " OR ".join(f'"{word}"' for word in words[:24])
        statement = "SELECT rowid FROM words WHERE words MATCH ? ORDER BY rank LIMIT ?"
        found = self._index.execute(statement, (matching, count)) if words else ()
        return [self._said[int(row[0]) - 1] for row in found]


def woven(given: Sequence[Talk]) -> Iterator[Talk]:
    """The dialogues among these talks as one, in their own turns and in long ones; nothing where there is none."""
    dialogues = _dialogues(given)
    if dialogues:
        yield _group(dialogues)
        yield _long(dialogues)


def told(given: Sequence[Talk]) -> Iterator[Talk]:
    """What each of two told an assistant, for all dialogues among these talks; nothing where there is none."""
    dialogues = _dialogues(given)
    if not dialogues:
        return
    spoken = [talk for talk in given if talk.source in _SPOKEN]
    said = [message.text for talk in spoken for message in talk.messages]
    answered = [one.text for talk in dialogues for one in talk.messages if one.role == "assistant"]
    every = [one.text for talk in (*spoken, *dialogues) for one in talk.messages]
    pages = Sentences(_sentences([*said, *answered]))
    asking = Sentences(one for one in _sentences(every) if one.endswith("?"))
    for talk in dialogues:
        for name in sorted({message.name for message in talk.messages}):
            yield _told(talk, name, dialogues, pages, asking)


def _dialogues(given: Sequence[Talk]) -> list[Talk]:
    return [talk for talk in given if talk.source == "locomo"]


def _sentences(texts: Iterable[str]) -> Iterator[str]:
    return (one.strip() for text in texts for one in _SENTENCE.findall(text))


def _woven(given: Sequence[Talk]) -> list[tuple[int, list[int]]]:
    """(talk, places) of all sessions, by when they began."""
    found: list[tuple[float, int, list[int]]] = []
    for number, talk in enumerate(given):
        for _, some in groupby(range(len(talk.messages)), key=lambda place, of=talk: of.sessions[place]):
            places = list(some)
            found.append((talk.messages[places[0]].time_s or 0.0, number, places))
    return [(number, places) for _, number, places in sorted(found)]


def _told(
    talk: Talk, name: str, dialogues: Sequence[Talk], pages: Sentences, asking: Sentences
) -> Talk:  # fmt: skip
    """What one of a dialogue told an assistant, among what somebody of two others did."""
    chance = random.Random(f"{talk.name} {name}")
    others = [one for one in dialogues if one is not talk]
    chosen = [talk, *chance.sample(others, min(OTHERS, len(others)))]
    tellers = [name, *(chance.choice(sorted(_names(one))) for one in chosen[1:])]
    hidden = re.compile(rf"\b(?:{'|'.join(sorted(set.union(*map(_names, chosen))))})\b")
    messages: list[Message] = []
    sessions: list[int] = []
    places: dict[int, int] = {}
    for session, (number, some) in enumerate(_woven(chosen)):
        told = ""
        for place in some:
            one = chosen[number].messages[place]
            plain = hidden.sub("", one.text.replace("\n[photo: ", " (").replace("]", ")"))
            if one.name == tellers[number]:
                if not number:
                    places[place] = len(messages)
                told = _asking(plain, asking, chance)
                messages.append(Message("user", (Text(told),), time_s=one.time_s))
            elif told:
                page = _page(plain, pages.about(told), chance)
                messages.append(Message("assistant", (Text(page),), time_s=one.time_s))
                told = ""
        sessions += [session] * (len(messages) - len(sessions))
    asked = [one for one in talk.questions if name in one.text and one.evidence <= places.keys()]
    questions = [
        Asked(_of_me(one.text, name), frozenset(places[place] for place in one.evidence), one.kind)
        for one in asked[::EVERY_TOLD]
    ]
    called, of = f"{talk.name} {name}", f"{talk.source} {talk.name}"
    return Talk("told an assistant", called, tuple(messages), tuple(sessions), tuple(questions), of)


def _names(talk: Talk) -> set[str]:
    return {message.name for message in talk.messages}


def _asking(text: str, asking: Sentences, chance: random.Random) -> str:
    """A turn, mostly with a request for something near."""
    requests = asking.about(text, 12)
    if not requests or chance.random() >= ASKS:
        return text
    request = chance.choice(requests)
    return f"{request} {text}" if chance.random() < 0.5 else f"{text} {request}"


def _page(answer: str, about: list[str], chance: random.Random) -> str:
    lines = [answer, *chance.sample(about, min(len(about), chance.randint(*PAGE_SENTENCES)))]
    if chance.random() < 0.5:
        return " ".join(lines)
    return "\n".join(f"{place}. {line}" for place, line in enumerate(lines, 1))


def _of_me(question: str, name: str) -> str:
    """A question about somebody as they would ask it, but for the verb."""
    return re.sub(rf"\b{name}\b", "I", re.sub(rf"\b{name}['’]s\b", "my", question))


def _group(dialogues: Sequence[Talk]) -> Talk:
    messages: list[Message] = []
    sessions: list[int] = []
    places: dict[tuple[int, int], int] = {}
    for session, (number, some) in enumerate(_woven(dialogues)):
        places |= {(number, place): len(messages) + at for at, place in enumerate(some)}
        messages += [dialogues[number].messages[place] for place in some]
        sessions += [session] * len(some)
    return Talk("a group", "all", tuple(messages), tuple(sessions), _questions(dialogues, places))


def _long(dialogues: Sequence[Talk]) -> Talk:
    messages: list[Message] = []
    sessions: list[int] = []
    places: dict[tuple[int, int], int] = {}
    for session, (number, some) in enumerate(_woven(dialogues)):
        lines: list[str] = []
        for place in some:
            one = dialogues[number].messages[place]
            lines.append(f"{one.name}: {one.text}")
            places[number, place] = len(messages)
            if place == some[-1] or sum(len(line.split()) for line in lines) > LONG_WORDS:
                role = "user" if len(messages) % 2 else "assistant"
                messages.append(Message(role, (Text("\n".join(lines)),), time_s=one.time_s))
                sessions.append(session)
                lines = []
    return Talk("long turns", "all", tuple(messages), tuple(sessions), _questions(dialogues, places))


def _questions(dialogues: Sequence[Talk], places: dict[tuple[int, int], int]) -> tuple[Asked, ...]:
    return tuple(
        Asked(one.text, frozenset(places[number, place] for place in one.evidence), one.kind)
        for number, talk in enumerate(dialogues)
        for one in talk.questions[::EVERY]
    )
