"""Long chats of a person with an assistant, made up: a few facts said once, among pages of advice on the same subjects.

Dialogues between friends, on which weights are learnt, are short turns by two names. Most talks with an assistant are
not: its answers are pages, nobody is named, one history holds many sessions, and what is asked for later is a clause in
the middle of a request for something else, while the pages around it hold the question's words many times over. Weights
that are fitted to the one fail on the other, so both are measured. In half of the chats ("made named") the pages also
tell names, numbers and places, as an assistant's do, so that what tells some is no answer for that alone.
"""

from __future__ import annotations

import random
from collections.abc import Iterator

from recall_data import Asked, Talk

from palimpsest.record.message import Message, Text

TALKS = 4
SESSIONS = 120
FIRST_S = 1_767_225_600.0
PAGE_SENTENCES = (9, 18)

SUBJECTS = """
coffee: grinder beans espresso kettle filter roast crema machine water scale portafilter milk
garden: tomatoes soil compost seedlings raised beds mulch watering pests trellis pruning shade basil
cycling: saddle tyres chain helmet gears commute brakes lights pump route puncture pannier
budget: rent savings groceries spreadsheet subscriptions insurance emergency fund debt expenses income account
travel: itinerary hotel flight luggage passport museum train tickets visa airport tram guidebook
cooking: sourdough oven skillet marinade onions spices knife stock recipe dough leftovers freezer
fitness: squats running shoes stretching gym protein treadmill marathon rest knee intervals yoga
photos: camera lens tripod exposure portrait aperture prints album lighting editing sensor backup
pets: puppy leash vet kennel training treats grooming vaccination crate litter aquarium kitten
music: guitar chords piano metronome lesson scales recital tuner strings practice amplifier choir
home: paint shelves drill curtains sofa boiler insulation tiles plumber lamp carpet leak
career: interview resume manager promotion certificate salary portfolio networking deadline mentor offer meeting
books: novel library biography chapter author shelf mystery audiobook club poetry reading essay
sleep: mattress pillow alarm caffeine curtains bedtime nap routine melatonin snoring screens noise
language: Spanish vocabulary flashcards grammar accent podcast tutor verbs exam conversation dictionary listening
gaming: console controller headset puzzle strategy level save co-op monitor keyboard update server
wedding: venue invitations caterer florist dress guests seating photographer vows cake band rehearsal
parenting: toddler school lunchbox bedtime homework daycare tantrum playground reading stroller teacher nap
"""

FACTS = """
coffee|I picked up my burr grinder at {shop} for {number} euros|Where did I buy the grinder for my coffee?
coffee|my doctor has me down to {number} cups a day now|How many cups of coffee am I allowed to drink each day?
garden|I finally planted the {thing} tomatoes along the south wall|Which variety of tomatoes did I plant?
garden|the neighbour's goat ate {number} of my seedlings last night|How many seedlings did I lose to the goat?
cycling|my commute takes {number} minutes each way since the bridge closed|How long is my daily commute to work?
cycling|I named my new bike {name}, it was a present from my aunt|What is the name of my bike?
budget|I was pre-approved for {number} thousand by {shop} on Tuesday|What amount was I pre-approved for?
budget|my landlord raises the rent to {number} from October|What will my rent be after the increase?
travel|my flight to {city} lands at dawn|Which city am I flying to?
travel|last spring I stayed {number} nights with my cousin in {city}|Where does my cousin live whom I visited?
cooking|grandmother's skillet came from a flea market in {city}|Where does my grandmother's skillet come from?
cooking|my sourdough starter is called {name} and is older than my car|What did I call my sourdough starter?
fitness|my best time over five kilometres was {number} minutes|What is my personal best for the 5K run?
fitness|I go to yoga with {name} every Thursday now|Who joins me at yoga?
photos|I traded my old lens for a {thing} tripod|What did I get in exchange for my old lens?
photos|I left my camera on the tram to {city}, of all places|Where did I lose my camera?
pets|our puppy {name} was born on a lighthouse island|What's the puppy called?
pets|the vet wants {number} for the vaccination, can you believe it|How much does the vaccination of my dog cost?
music|I've had lessons with {name} since the summer|Who is my guitar teacher?
music|my piano is a {thing} one that my uncle restored|What sort of piano do I own?
home|we painted the hallway in {thing} last weekend|What colour is our hallway?
home|the plumber from {shop} fixed the leak for free|Which company repaired the leak?
career|I graduated in {thing} engineering, which nobody here needs|What degree do I have?
career|my interview with {shop} is on the {number}th|Which company is going to interview me?
books|I am {number} pages into the novel that {name} lent me|Who lent me the novel I'm reading?
books|our club meets in the {thing} library|Where does my book club meet?
sleep|I set my alarm to {number} past five since the baby came|When do I get up these days?
sleep|the mattress from {shop} has a ten year warranty|Where is our mattress from?
language|I passed the exam in {city} with {number} points|How many points did I get in the Spanish exam?
language|my tutor {name} is moving to another school|What is the name of my Spanish tutor?
gaming|I beat the {thing} level after {number} attempts|How often did I have to try until I finished the level?
gaming|my brother {name} broke the headset|Who damaged my headset?
wedding|we booked the {thing} barn as our venue|What venue are we getting married at?
wedding|{name} is going to bake the cake|Who makes our wedding cake?
parenting|our daughter lost her lunchbox at {city} station|Where was the lunchbox lost?
parenting|my son's teacher is called {name}|What's the name of the teacher of my son?
"""

ADVICE = (
    "Start with the {a}: many people overlook it, and the {b} suffers.",
    "A good rule is to check the {a} once a week and to write down what changes about the {b}.",
    "If you bought the {a} recently, compare it with the {b} you had before.",
    "Where did your {a} come from? That often decides how well the {b} works.",
    "**{a}**: keep it simple, give it time, and do not change the {b} on the same day.",
    "Many people name their {a} or keep a diary of the {b}, which makes it more fun.",
    "How much it costs depends on the {a}; expect to spend more on the {b} than you think.",
    "Remember that your {a} needs rest as much as your {b}.",
    "Ask a teacher, a friend or a company that you trust about the {a} before you touch the {b}.",
    "It usually takes a few weeks until the {a} feels natural, so be patient with the {b}.",
    "For the {a}, {c} and {b}, plan at least one afternoon and tell your family.",
    "When you visit a shop, look at the {a} first, then decide which {b} you want.",
    "Consider the {a} in the morning and the {b} in the evening; the {c} can wait.",
)
NAMED_ADVICE = (
    "In {city}, {name} once wrote down {number} rules for the {a}, and the {b} was among them.",
    "Brands such as {shop} sell the {a} because so many people ask for it, from {number} euros on.",
    "The {thing} ones by {shop} last about {number} months, since the {b} wears out first.",
    "{name} of {shop} says that the {a} matters more than the {b}.",
)
ASKING = (
    "Could you help me with the {a}? I am not sure about the {b} either.",
    "What would you recommend for the {a}?",
    "I need some ideas for the {a} and the {b}, ideally step by step.",
    "Can you compare the {a} with the {b} for a beginner?",
    "Please write me a short checklist for the {a}.",
    "How do I get better with the {a}?",
)
OPENERS = ("Of course! Here is what I would do.", "Great question.", "Certainly, here are some thoughts:", "")
CLOSERS = ("Let me know how it goes!", "Would you like more detail on any of these?", "", "Good luck!")
TIPS = (
    ("I would go to {shop} for that, ask for the {thing} one", "Which shop did you recommend for the {a}?"),
    ("the {thing} method by {name} is the one to try", "Which method did you suggest for the {a}?"),
)
FILLERS = {
    "shop": "Harlow Marrin Tesbury Oakvane Pellam Quillow Brandeck Sunmere Valdry Norbeck".split(),
    "city": "Trondvik Palmera Lissan Karrow Odela Vintra Sorrento-Alto Mirzen Callow Esterhaven".split(),
    "name": "Juniper Basti Ottoline Farouk Wilma Ignace Soraya Teodor Maeve Lubos".split(),
    "thing": "copper marine scarlet folding walnut emerald granite lavender northern amber".split(),
    "number": "7 12 19 23 31 45 68 90 140 350".split(),
}


def made_talks(talks: int = TALKS, sessions: int = SESSIONS, seed: int = 5) -> Iterator[Talk]:
    """Made-up chats with their questions, so many of both kinds; every second one tells no times, and the same seed
    gives the same ones.
    """
    for source, advice in (("made", ADVICE), ("made named", ADVICE + NAMED_ADVICE)):
        for number in range(talks):
            yield _talk(source, number, sessions, advice, random.Random(f"{seed} {number}"))


def _talk(source: str, number: int, sessions: int, advice: tuple[str, ...], chance: random.Random) -> Talk:
    words = _subjects()
    facts = [line.split("|") for line in FACTS.strip().splitlines()]
    told = dict(
        zip(chance.sample(range(sessions), len(facts)), chance.sample(facts, len(facts)), strict=True)
    )
    said: list[tuple[str, str, int]] = []
    asked: list[Asked] = []
    for session in range(sessions):
        fact = told.get(session)
        subject = fact[0] if fact else chance.choice(list(words))
        turns = chance.randint(3, 6)
        telling, tip = chance.randrange(turns), chance.randrange(turns * 3)
        for turn in range(turns):
            text = _filled(chance.choice(ASKING), words[subject], chance)
            if fact and turn == telling:
                asked.append(Asked(fact[2], frozenset({len(said)}), "said by the user"))
                text = _embedded(text, _filled(fact[1], words[subject], chance), chance)
            said.append(("user", text, session))
            page = _page(words[subject], advice, chance)
            if turn == tip:
                subject_word = chance.choice(words[subject])
                clause, question = chance.choice(TIPS)
                asked.append(
                    Asked(question.format(a=subject_word), frozenset({len(said)}), "said by the assistant")
                )
                page += f" For the {subject_word}, {_filled(clause, words[subject], chance)}."
            said.append(("assistant", page, session))
    messages = tuple(
        Message(
            "user" if role == "user" else "assistant",
            (Text(text),),
            time_s=None if number % 2 else FIRST_S + 86_400.0 * 3 * session + place,
        )
        for place, (role, text, session) in enumerate(said)
    )
    return Talk(source, f"chat {number}", messages, tuple(session for *_, session in said), tuple(asked))


def _subjects() -> dict[str, list[str]]:
    rows = (line.split(": ") for line in SUBJECTS.strip().splitlines())
    return {name: [name, *things.split()] for name, things in rows}


def _filled(form: str, words: list[str], chance: random.Random) -> str:
    a, b, c = chance.sample(words, 3)
    others = {name: chance.choice(values) for name, values in FILLERS.items()}
    return form.format(a=a, b=b, c=c, **others)


def _embedded(request: str, clause: str, chance: random.Random) -> str:
    """A clause somewhere in a request, as people mention things."""
    sentence = clause[0].upper() + clause[1:] + "."
    return chance.choice(
        (f"{sentence} {request}", f"{request} By the way, {clause}.", f"{request} {sentence} Thanks!")
    )


def _page(words: list[str], advice: tuple[str, ...], chance: random.Random) -> str:
    lines = [_filled(chance.choice(advice), words, chance) for _ in range(chance.randint(*PAGE_SENTENCES))]
    numbered = chance.random() < 0.5
    body = (
        "\n".join(f"{place}. {line}" for place, line in enumerate(lines, 1)) if numbered else " ".join(lines)
    )
    return "\n\n".join(part for part in (chance.choice(OPENERS), body, chance.choice(CLOSERS)) if part)
