"""A year of chats with an assistant, made up, and questions that come back to what was said in passing.

Different from `recall_made.py` in what it is written from and asked about: every fact and its question stand as a
person would put them (`recall_made_year_facts.txt`), each is told once, pages are lists with headings that take up what
the person said, and in other sessions the person says other things about themselves in the same words. Besides single
facts there are those that the assistant told, preferences that share no word with what is asked, facts in several
sessions, facts that changed, and the order of two. No weight is learnt on these.
"""

from __future__ import annotations

import random
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from recall_data import Asked, Talk

from palimpsest.record.message import Message, Role, Text

TALKS = 3
SESSIONS = 110
FIRST_S = 1_767_225_600.0
DAY_S = 86_400.0
TURNS = (2, 5)
SECTIONS = (4, 8)
POINTS = (1, 3)
ASIDES = 0.4
"""The share of requests that come with something about the person."""

HERE = Path(__file__).parent
OPENERS = (
    "Great question! Here are some ideas:",
    "I'd be happy to help! Let's go through it step by step.",
    "That sounds wonderful. Here's what I would suggest:",
    "Congratulations! Here are a few things to keep in mind:",
    "",
)
CLOSERS = (
    "Would you like me to go into detail on any of these?",
    "Do you have a particular budget or time frame in mind?",
    "Let me know how it goes!",
    "Remember, these are only suggestions. What have you tried so far?",
    "",
)
TAKEN_UP = ("It's great to hear that {}.", "Thanks for telling me that {}!", "Since {}, I'd start small.")
THANKS = ("Thanks, that helps.", "Good points.", "I'll try the second one.", "Hm, interesting.")
JOINS = (
    "{aside}. {ask}",
    "{ask} By the way, {aside}.",
    "{ask} {aside}.",
    "{thanks} {aside}, actually. {ask}",
)
_OF_ME = {
    "i": "you",
    "my": "your",
    "me": "you",
    "i'm": "you're",
    "i've": "you've",
    "mine": "yours",
    "i'd": "you'd",
}


@dataclass(frozen=True, slots=True)
class Subject:
    """What is asked and said about a subject; a page's points are made of what to do and why."""

    asks: list[str] = field(default_factory=list)
    asides: list[str] = field(default_factory=list)
    dos: list[str] = field(default_factory=list)
    whys: list[str] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class Fact:
    """A question of a kind, and what answers it, each part in a session of its own."""

    kind: str
    subject: str
    parts: tuple[str, ...]
    question: str


def subjects() -> dict[str, Subject]:
    """The subjects by name."""
    found: dict[str, Subject] = defaultdict(Subject)
    for name, line in _rows("recall_made_year_pages.txt"):
        what, _, text = line.partition(": ")
        getattr(found[name], what).extend(text.split("; ") if what in {"dos", "whys"} else [text])
    return dict(found)


def facts() -> list[Fact]:
    """All facts with their questions."""
    rows = ((kind, *line.split("|")) for kind, line in _rows("recall_made_year_facts.txt"))
    return [Fact(kind, subject, tuple(told.split(" / ")), asked) for kind, subject, told, asked in rows]


def _rows(name: str) -> Iterator[tuple[str, str]]:
    """(heading, line) of each line of a file that is no heading."""
    heading = ""
    for line in (HERE / name).read_text(encoding="utf-8").splitlines():
        if line.startswith("# "):
            heading = line[2:]
        elif line:
            yield heading, line


def year_talks(talks: int = TALKS, sessions: int = SESSIONS, seed: int = 7) -> Iterator[Talk]:
    """So many years of chats; each fact is told in one of them, and the same seed gives the same ones."""
    chance = random.Random(seed)
    dealt = facts()
    chance.shuffle(dealt)
    for number in range(talks):
        yield _talk(number, dealt[number::talks], sessions, random.Random(f"{seed} {number}"))


def _talk(number: int, told: Sequence[Fact], sessions: int, chance: random.Random) -> Talk:
    known = subjects()
    parts = _placed(told, sessions, chance)
    said: list[Message] = []
    of: list[int] = []
    places: dict[str, set[int]] = defaultdict(set)

    def say(role: Role, text: str, session: int) -> int:
        began_s = FIRST_S + 3 * DAY_S * session
        said.append(Message(role, (Text(text),), time_s=began_s + 60.0 * len(said) % DAY_S))
        of.append(session)
        return len(said) - 1

    for session in range(sessions):
        due = parts[session]
        name = due[0][0].subject if due else chance.choice(list(known))
        subject = known[name]
        turns = max(chance.randint(*TURNS), len(due))
        when = dict(zip(chance.sample(range(turns), len(due)), due, strict=True))
        for turn in range(turns):
            fact, part = when.get(turn, (None, ""))
            by_assistant = fact is not None and fact.kind == "said by the assistant"
            aside = part if part and not by_assistant else ""
            if not aside and chance.random() < ASIDES:
                aside = chance.choice(subject.asides)
            ask = fact.parts[0] if by_assistant and fact else chance.choice(subject.asks)
            place = say("user", _request(ask, aside, chance) if aside else ask, session)
            answer = say("assistant", _page(subject, aside, part if by_assistant else "", chance), session)
            if fact:
                places[fact.question].add(answer if by_assistant else place)
    questions = tuple(Asked(one.question, frozenset(places[one.question]), one.kind) for one in told)
    return Talk("a year of chats", f"year {number}", tuple(said), tuple(of), questions)


def _placed(told: Sequence[Fact], sessions: int, chance: random.Random) -> dict[int, list[tuple[Fact, str]]]:
    """Which parts are told in which session: those of a fact in their order, a session of one subject."""
    found: dict[int, list[tuple[Fact, str]]] = defaultdict(list)
    for fact in told:
        parts = fact.parts[1:] if fact.kind == "said by the assistant" else fact.parts
        free = [
            one
            for one in range(sessions)
            if not found[one] or (len(found[one]) < 2 and found[one][0][0].subject == fact.subject)
        ]
        for session, part in zip(sorted(chance.sample(free, len(parts))), parts, strict=True):
            found[session].append((fact, part))
    return found


def _request(ask: str, aside: str, chance: random.Random) -> str:
    form = chance.choice(JOINS)
    own = aside if form.startswith("{ask} By") else aside[0].upper() + aside[1:]
    return form.format(aside=own, ask=ask, thanks=chance.choice(THANKS))


def _page(subject: Subject, aside: str, told: str, chance: random.Random) -> str:
    """A page of points under headings; `told` is one of them."""
    lines = [chance.choice(OPENERS)]
    if aside and chance.random() < 0.6:
        lines.append(chance.choice(TAKEN_UP).format(_of_you(aside)))
    sections = chance.randint(*SECTIONS)
    at = chance.randrange(sections)
    for number in range(sections):
        head = chance.choice(subject.dos)
        points = [
            f"{chance.choice(subject.dos)}, {chance.choice(subject.whys)}."
            for _ in range(chance.randint(*POINTS))
        ]
        if told and number == at:
            lines.append(f"{number + 1}. {told}.")
        elif chance.random() < 0.6:
            lines.append(f"{number + 1}. **{head}**: " + " ".join(points))
        else:
            lines.append(f"{number + 1}. **{head}**\n" + "\n".join(f"   * {one}" for one in points))
    return "\n\n".join(line for line in (*lines, chance.choice(CLOSERS)) if line)


def _of_you(text: str) -> str:
    """What somebody says of themselves, said to them."""
    return " ".join(_OF_ME.get(word.lower(), word) for word in text.split())
