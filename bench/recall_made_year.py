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

from palimpsest.record.message import Message, Text

TALKS = 3
SESSIONS = 110
FIRST_S = 1_767_225_600.0
DAY_S = 86_400.0
EVERY_DAYS = 3
TURNS = (2, 5)
SECTIONS = (4, 8)
POINTS = (1, 3)
MOST_TOLD = 2
"""Facts in one session."""

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

    @property
    def by_assistant(self) -> bool:
        """Whether the assistant tells it: the parts are a request and what answers it."""
        return self.kind == "said by the assistant"


Told = tuple[Fact, str]
"""A fact, and the part of it that is told."""


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
    said: list[Message] = []
    of: list[int] = []
    places: dict[str, set[int]] = defaultdict(set)
    for session, due in enumerate(_placed(told, sessions, chance)):
        subject = known[due[0][0].subject if due else chance.choice(list(known))]
        turns = max(chance.randint(*TURNS), len(due))
        when = dict(zip(chance.sample(range(turns), len(due)), due, strict=True))
        for turn in range(turns):
            if turn in when:
                fact, _ = when[turn]
                places[fact.question].add(len(said) + fact.by_assistant)
            time_s = FIRST_S + EVERY_DAYS * DAY_S * session + 60.0 * turn
            request, page = _exchange(subject, when.get(turn), chance)
            said.append(Message("user", (Text(request),), time_s=time_s))
            said.append(Message("assistant", (Text(page),), time_s=time_s + 20.0))
            of += [session, session]
    questions = tuple(Asked(one.question, frozenset(places[one.question]), one.kind) for one in told)
    return Talk("a year of chats", f"year {number}", tuple(said), tuple(of), questions)


def _placed(told: Sequence[Fact], sessions: int, chance: random.Random) -> list[list[Told]]:
    """What is told in each session: the parts of a fact in their order, and one session of one subject."""
    found: list[list[Told]] = [[] for _ in range(sessions)]
    for fact in told:
        parts = fact.parts[1:] if fact.by_assistant else fact.parts
        free = [
            one
            for one in range(sessions)
            if not found[one] or (len(found[one]) < MOST_TOLD and found[one][0][0].subject == fact.subject)
        ]
        for session, part in zip(sorted(chance.sample(free, len(parts))), parts, strict=True):
            found[session].append((fact, part))
    return found


def _exchange(subject: Subject, due: Told | None, chance: random.Random) -> tuple[str, str]:
    """A request and the page that answers it; one of them tells what is due."""
    fact, part = due or (None, "")
    by_assistant = fact is not None and fact.by_assistant
    ask = fact.parts[0] if fact is not None and by_assistant else chance.choice(subject.asks)
    aside = "" if by_assistant else part
    if not aside and chance.random() < ASIDES:
        aside = chance.choice(subject.asides)
    page = _page(subject, aside, part if by_assistant else "", chance)
    return (_request(ask, aside, chance) if aside else ask), page


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
