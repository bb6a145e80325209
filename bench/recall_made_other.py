"""Made-up talks of kinds that no weight is learnt on: a support desk, coaching in three languages, notes, news.

Each differs from what weights are learnt on in what a question can hold on to. At the desk several cases run through
one another, and a turn tells an amount or a day and seldom of whom. In coaching a page explains and a line tells, in
German, Spanish and Chinese. Notes are a few words each, none of them rare. In news of people everybody's town, work and
pet are told again and again, and the newest is asked for, or the day.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

from recall_data import Asked, Talk
from recall_made_coaching import LANGUAGES, Language

from palimpsest.record.message import Message, Role, Text

FIRST_S = 1_767_225_600.0
DAY_S = 86_400.0
TALKS = 3
CASES = 150
LESSONS = 60
NOTES = 2_000
VISITS = 90

FIRMS = "Meridian Halvorsen Tarrant Bluepeak Ostler Quenby Fairwick Lumo Sablecroft Northgate Pinder Wexcombe".split()
AGENTS = "Ilse Radu Fenella Kwame Birgit Tomasz Adaeze Hollis".split()
THINGS = "scanner printer till router badge-reader label-maker conveyor freezer turnstile projector".split()
FAULTS = """
freezes after the update|froze|freezing
prints blank pages|blank pages|printing blanks
drops the network every hour|network drops|losing the network
shows error 0x41 at startup|startup error|failing at startup
makes a grinding noise|grinding noise|grinding
rejects every second card|rejected cards|rejecting cards
overheats by noon|overheating|running hot
loses its settings overnight|lost settings|forgetting its settings
""".strip().splitlines()
CAUSES = """
a loose cable behind the rack; a worn belt; an old driver; dust in the fan; a full disk; the wrong power supply
""".strip().split("; ")
DESK_LINES = (
    "Any news on this?",
    "Still waiting for the customer.",
    "Ok.",
    "I'll call them back.",
    "Done, please confirm.",
    "Please send the serial number.",
    "Photo attached.",
    "Escalated to second level.",
    "Thanks!",
    "They are closed today.",
    "Can somebody look at the invoice?",
    "Same thing as last month, I guess.",
    "Will ship a replacement if it happens again.",
    "The customer is not happy about the amount.",
    "Which cable did you use?",
    "No credit without a receipt, please.",
)

HABITS = (
    "gym run swim yoga laundry groceries dentist bus garden piano bread soup coffee nap library post".split()
)
WITH = "Otto Priya Len Mo Ana Gus Ivy Kit Bea Raj".split()
PLACES = "park office market station harbour cellar roof corner".split()
MOODS = "tired fine good late cold wet busy slow quick quiet".split()

PEOPLE = "Tamsin Orrin Bettina Caspar Nadia Wilhelm Yuki Paloma Desmond Freya Ravi Saskia".split()
SPEAKERS = "Marit Jonah".split()
TOWNS = "Aldbury Brenmoor Calder Dunmere Eastry Farley Gossamer Holt Inverby Jarrow Keswell Lindale".split()
WORKS = (
    "baker surveyor nurse welder librarian pilot beekeeper translator plumber lifeguard tailor clerk".split()
)
PETS = "parrot terrier tortoise ferret goldfish pony hamster goat spaniel rabbit".split()
PET_NAMES = "Biscuit Pepper Domino Truffle Waffle Comet Nutmeg Pickle Orrery Tango".split()
NEWS = (
    (
        "{who} has moved to {town}",
        "has got the keys for a flat in {town}",
        "lives in {town} these days",
        "Where does {who} live now?",
    ),
    (
        "{who} works as a {work} now",
        "started as a {work} on Monday",
        "got hired as a {work}",
        "What is {who}'s current job?",
    ),
    (
        "{who} has a {pet} called {petname}",
        "adopted a {pet}, {petname}",
        "brought home a {pet} and named it {petname}",
        "What is the name of {who}'s latest pet?",
    ),
    (
        "{who} sold the old car",
        "traded the car for a van",
        "bought a tiny electric car",
        "What does {who} drive at the moment?",
    ),
    (
        "{who} is learning the cello",
        "gave up the cello for the drums",
        "plays the accordion in a band",
        "Which instrument does {who} play these days?",
    ),
    (
        "{who} phones every {day}",
        "can only talk on {day}s",
        "keeps {day}s free for us",
        "On which day can {who} be reached?",
    ),
)
TALK_LINES = (
    "I saw {who} at the fair in {town}, we hardly talked.",
    "Do you remember when {who} fell off the pier?",
    "{who} sends regards, by the way.",
    "My {pet} would never do that.",
    "Nobody in {town} sells decent bread.",
    "A {work} told me that once.",
    "Is {who} coming to the party?",
    "I should write to {who} again.",
    "How was {town}?",
    "Too hot for me.",
    "Ha, typical {who}!",
    "I don't think so.",
    "We drove through {town} last {day}.",
    "That reminds me of {who}'s {pet}.",
    "Really? Tell me more.",
    "And what did {who} say?",
)
DAYS = "Monday Tuesday Wednesday Thursday Friday Saturday Sunday".split()


@dataclass(slots=True)
class _Making:
    """A talk as it is made."""

    chance: random.Random
    said: list[Message] = field(default_factory=list)
    sessions: list[int] = field(default_factory=list)
    asked: list[Asked] = field(default_factory=list)

    def say(self, text: str, role: Role, session: int, name: str = "") -> int:
        """Add a message on the day of its session; its place."""
        time_s = FIRST_S + DAY_S * session + 20.0 * len(self.said)
        self.said.append(Message(role, (Text(text),), name=name, time_s=time_s))
        self.sessions.append(session)
        return len(self.said) - 1

    def ask(self, text: str, place: int, kind: str) -> None:
        """Add a question that one message answers."""
        self.asked.append(Asked(text, frozenset({place}), kind))

    def talk(self, source: str, name: str) -> Talk:
        return Talk(source, name, tuple(self.said), tuple(self.sessions), tuple(self.asked))


def other_talks(seed: int = 11) -> Iterator[Talk]:
    """All of them; the same seed gives the same ones."""
    for number in range(TALKS):
        yield _desk(random.Random(f"{seed} desk {number}"), number)
        yield _notes(random.Random(f"{seed} notes {number}"), number)
        yield _news(random.Random(f"{seed} news {number}"), number)
        for language in LANGUAGES:
            yield _coaching(random.Random(f"{seed} {language.name} {number}"), language, number)


def _desk(chance: random.Random, number: int) -> Talk:
    """Cases of two or three customers at a time, each of a few turns that run through one another."""
    making = _Making(chance)
    cases = [_case(chance, at) for at in range(CASES)]
    session = 0
    while cases:
        running = [cases.pop() for _ in range(min(len(cases), chance.randint(2, 3)))]
        while any(running):
            steps = chance.choice([one for one in running if one])
            steps.pop(0)(making, session)
            if chance.random() < 0.35:
                making.say(chance.choice(DESK_LINES), "user", session, chance.choice(AGENTS))
        session += 1
    return making.talk("support desk", f"desk {number}")


def _case(chance: random.Random, at: int) -> list[Callable[[_Making, int], None]]:
    """The turns of a case in order, each asked for by one of several ways to name the case."""
    ticket, firm, thing = (
        str(48_000 + 37 * at + chance.randint(0, 30)),
        chance.choice(FIRMS),
        chance.choice(THINGS),
    )
    fault, short, ing = chance.choice(FAULTS).split("|")
    taker, amount, day = chance.choice(AGENTS), str(5 * chance.randint(4, 180)), str(chance.randint(1, 28))
    month, cause = chance.choice(("March", "April", "May")), chance.choice(CAUSES)
    called = chance.choice(
        (f"ticket {ticket}", f"the {short} {thing} of {firm}", f"{firm}'s {thing} that kept {ing}")
    )
    head = chance.choice((f"#{ticket}: ", f"{firm}: ", "", ""))

    def opening(making: _Making, session: int) -> None:
        making.say(
            f"#{ticket} {firm}: the {thing} {fault}. Who takes it?", "user", session, chance.choice(AGENTS)
        )

    def telling(text: str, question: str, kind: str, name: str) -> Callable[[_Making, int], None]:
        def turn(making: _Making, session: int) -> None:
            place = making.say(head + text, "user", session, name)
            if chance.random() < 0.5:
                making.ask(question, place, kind)

        return turn

    money = chance.choice(
        (
            f"We credited {amount} euros.",
            f"{amount} euros back to them, booked.",
            f"Refund of {amount} is out.",
        )
    )
    ships = chance.choice((f"The new one ships on {day} {month}.", f"Replacement goes out {month} {day}."))
    return [
        opening,
        telling("Mine.", f"Who took care of {called}?", "who", taker),
        telling(f"It was {cause}.", f"What was wrong with {called}?", "cause", taker),
        telling(money, f"How much did we refund for {called}?", "amount", chance.choice(AGENTS)),
        telling(ships, f"When does the replacement ship for {called}?", "day", taker),
    ]


def _notes(chance: random.Random, number: int) -> Talk:
    """A few common words a note; two of them together are what tells one from the others."""
    making = _Making(chance)
    pairs = [(habit, who) for habit in HABITS for who in WITH]
    for at in range(NOTES):
        session = at // 8
        habit, who, place, mood = (chance.choice(one) for one in (HABITS, WITH, PLACES, MOODS))
        minutes = 5 * chance.randint(1, 24)
        if pairs and chance.random() < 0.08:
            habit, who = pairs.pop(chance.randrange(len(pairs)))
            text, question = chance.choice(
                (
                    (f"{habit} w/ {who}, {minutes} min", f"How long was the {habit} with {who}?"),
                    (f"paid {who} {minutes} for {habit}", f"How much did I pay {who} for the {habit}?"),
                    (f"{habit} moved to the {place} by {who}", f"Where did {who} move the {habit} to?"),
                )
            )
            making.ask(question, making.say(text, "user", session), "note")
            continue
        form = chance.choice(
            ("{habit} {minutes} min, {mood}", "{who} {mood}", "{habit} at the {place}", "{place}: {mood}", "{habit}?",
             "{who} on {habit}: too {mood}", "{habit}, {who} too", "{who}: no {habit} at the {place}")
        )  # fmt: skip
        making.say(
            form.format(habit=habit, who=who, place=place, mood=mood, minutes=minutes), "user", session
        )
        if chance.random() < 0.3:
            making.say("Noted.", "assistant", session)
    return making.talk("notes", f"notes {number}")


def _news(chance: random.Random, number: int) -> Talk:
    """Two friends on others they know: each fact three times over, the last one asked for, and some of the days."""
    making = _Making(chance)
    due = [(news, who) for news in NEWS for who in PEOPLE]
    plan: list[tuple[int, str, str, str]] = []
    for (first, second, third, question), who in due:
        sessions = sorted(chance.sample(range(VISITS), 3))
        texts = [first, f"{{who}} {second}", f"{{who}} {third}"]
        chance.shuffle(texts)
        plan += [
            (session, text.replace("{who}", who), question.replace("{who}", who) if last else "", who)
            for session, text, last in zip(sessions, texts, (False, False, True), strict=True)
        ]
    for session in range(VISITS):
        told = [one for one in plan if one[0] == session]
        for turn in range(10 + 2 * len(told)):
            name = SPEAKERS[turn % 2]
            role: Role = "user" if turn % 2 else "assistant"
            making.say(_spoken(chance.choice(TALK_LINES), chance.choice(PEOPLE), chance), role, session, name)
            if turn % 2 and told:
                _, text, question, who = told.pop()
                news = _spoken(text, who, chance)
                place = making.say(
                    news + ". " + chance.choice(("Just so you know.", "Imagine!", "")), role, session, name
                )
                if question:
                    making.ask(question, place, "now")
                elif chance.random() < 0.2:
                    words = news.removeprefix(f"{who} ").replace("has ", "").replace("lives", "live")
                    making.ask(f"When did {name} say that {who} {words}?", place, "when")
    return making.talk("news of people", f"friends {number}")


def _spoken(form: str, who: str, chance: random.Random) -> str:
    return form.format(
        who=who,
        town=chance.choice(TOWNS),
        work=chance.choice(WORKS),
        pet=chance.choice(PETS),
        petname=chance.choice(PET_NAMES),
        day=chance.choice(DAYS),
    )


def _coaching(chance: random.Random, language: Language, number: int) -> Talk:
    """Lessons by a coach who explains at length; the pupil tells something in every second one."""
    making = _Making(chance)
    facts = chance.sample(list(language.facts), len(language.facts))
    for session in range(LESSONS):
        for turn in range(chance.randint(3, 5)):
            line = _lesson(chance.choice(language.pupil), language, chance)
            fact = facts.pop() if facts and turn == 1 and session % 2 else None
            if fact:
                told, question = fact
                line = chance.choice((f"{told} {line}", f"{line} {told}"))
            place = making.say(line, "user", session)
            if fact:
                making.ask(question, place, "told by the pupil")
            page = " ".join(
                _lesson(one, language, chance)
                for one in chance.choices(language.coach, k=chance.randint(5, 14))
            )
            making.say(page, "assistant", session)
    return making.talk(f"coaching {language.name}", f"lessons {number}")


def _lesson(form: str, language: Language, chance: random.Random) -> str:
    a, b = chance.sample(list(language.subjects), 2)
    return form.format(a=a, b=b)
