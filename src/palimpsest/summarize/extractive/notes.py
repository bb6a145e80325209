"""Notes: what people said, word for word, and the sentences that say most of what the others say.

Rules kept here:

- Where something is to be kept above all (a focus), what is said of it comes before everything else and may take most
  of the room. A rare word of the focus says more of it than one that stands everywhere.
- Short messages of the user come first, the newest before the others: nothing says better what was wanted.
- A short answer says nothing without what it answers ("yes, keep that"): the message before it is told with it, whole
  where it is short, else the sentence that shares most words with the answer, else its last.
- A question is settled once the user has spoken again.
- Of two sentences that say nearly the same the later one stays: where they differ, it knows more.
- Announcements are told only where there is nothing else to say. Lines of results are told only where little was said,
  and only those that are sentences: listings and logs are what a later call shows again.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Generator, Sequence
from dataclasses import dataclass

from palimpsest.summarize.cut import Count
from palimpsest.summarize.extractive.choice import HEADING_TOKENS, LINE_TOKENS, STEP, Choice
from palimpsest.summarize.extractive.gather import Gathered
from palimpsest.summarize.ledger.entries import Entry, normal, normal_all
from palimpsest.summarize.ledger.said import DULL_PRIOR, RESULT_PRIOR, TOOL, USER_PRIOR
from palimpsest.summarize.sentences import Sentence, central, sentences, terms
from palimpsest.summarize.spoken.cues import is_code, is_trivial

FOCUS_SHARE = 0.8
"""Of the notes, this part may go to what concerns the focus."""
WORDS_SHARE = 0.5
"""Of the notes, this part may go to short messages of the user and what they answer."""
MAX_NOTES, MAX_CONCERNING = 120, 400
SHORT_CHARS = 240
"""A message up to here can be kept verbatim among the notes."""
LEANING_TERMS, NODDING_TERMS = 8, 2
"""A message of so few terms, or one whose first sentence has so few ("much better."), leans on what it answers."""
SAME_SHARE = 0.6
"""A sentence of which so many terms stand in another says nearly the same."""
FRESH_SHARE = 0.25
"""One that is not short, and of which fewer terms are new, puts together what several others say."""
LOOK_REQUEST_CHARS = 2_000
MIN_SAID = 12
"""Fewer sentences of people and models than this, and lines of results compete with them."""
TELLING_TERMS = 4
"""A line of a result of fewer terms says nothing by itself."""
_STOPS = (".", "!", "?", "。", "！", "？")


@dataclass(slots=True)
class Note:
    """A note that was chosen: where it stands, and of a sentence that another may stand for its terms and its words."""

    place: tuple[int, int]
    line: str
    cost_tokens: int
    terms: frozenset[str] = frozenset()
    text: str = ""


def choose_notes(
    gathered: Gathered, choice: Choice, focus: frozenset[str], count: Count, *, bare: bool
) -> Generator[None, None, None]:
    """Take notes into a choice, for what it has left. `bare` says that it holds nothing else so far."""
    budget = choice.left_tokens - HEADING_TOKENS
    picked: list[Note] = []
    if focus:
        candidates = yield from _candidates(gathered, choice, bare=bare)
        best = yield from _concerning(candidates, focus)
        picked, spent = yield from _told(best, candidates, int(budget * FOCUS_SHARE), count)
        choice.said.update(normal(note.text) for note in picked)
        budget -= spent
    for note in _words(gathered, choice, int(budget * WORDS_SHARE), count):
        picked.append(note)
        budget -= note.cost_tokens
        yield
    candidates = yield from _candidates(gathered, choice, bare=bare)
    best = yield from central(candidates, MAX_NOTES)
    told, spent = yield from _told([sentence for _, sentence in best], candidates, budget, count)
    if picked or told:
        choice.lines["Notes"] = [note.line for note in sorted((*picked, *told), key=lambda note: note.place)]
        choice.left_tokens = budget - spent


def _concerning(
    candidates: Sequence[Sentence], focus: frozenset[str]
) -> Generator[None, None, list[Sentence]]:
    """The sentences with terms of the focus, those with most of it first, each term by how rare it is; of as much the
    most central.
    """
    held = [focus.intersection(terms(sentence.text)) for sentence in candidates]
    yield
    occurs = Counter(term for one in held for term in one)
    weight = {term: math.log(1 + len(candidates) / often) for term, often in occurs.items()}
    about = {
        id(sentence): sum(weight[term] for term in sorted(one))
        for sentence, one in zip(candidates, held, strict=True)
        if one
    }
    most = sorted((one for one in candidates if id(one) in about), key=lambda one: -about[id(one)])
    kept = {id(one) for one in most[:MAX_CONCERNING]}
    best = yield from central([one for one in candidates if id(one) in kept], MAX_NOTES)
    return sorted((sentence for _, sentence in best), key=lambda one: -about[id(one)])


def _told(
    best: Sequence[Sentence], candidates: Sequence[Sentence], budget: int, count: Count
) -> Generator[None, None, tuple[list[Note], int]]:
    """Of sentences from the best down those that a budget takes, each said once, and what they cost."""
    order = {id(sentence): at for at, sentence in enumerate(candidates)}
    told: list[Note] = []
    heard = set[str]()
    left = budget
    for at, sentence in enumerate(best):
        if at % STEP == STEP - 1:
            yield
        line = f"{sentence.speaker}: {sentence.text}" if sentence.speaker else sentence.text
        place = (sentence.position, order[id(sentence)])
        cost = count(line) + LINE_TOKENS
        note = Note(place, line, cost, frozenset(terms(sentence.text)), sentence.text)
        same = _alike(note, told)
        fresh = len(note.terms - heard) >= FRESH_SHARE * len(note.terms)
        if same is None and not fresh and len(note.terms) >= LEANING_TERMS:
            continue
        if same and (note.place < same.place or note.cost_tokens - same.cost_tokens > left):
            continue
        if same:
            told.remove(same)
            left += same.cost_tokens
        if note.cost_tokens <= left:
            told.append(note)
            heard |= note.terms
            left -= note.cost_tokens
    return told, budget - left


def _alike(note: Note, told: Sequence[Note]) -> Note | None:
    """The note chosen already that says nearly the same."""
    for other in told:
        shared = len(note.terms & other.terms)
        if shared and shared >= SAME_SHARE * min(len(note.terms), len(other.terms)):
            return other
    return None


def _words(gathered: Gathered, choice: Choice, budget: int, count: Count) -> Generator[Note, None, None]:
    """The user's short messages, from the newest back, each with what it answers, a question with its answer."""
    requests = list(gathered.ledger.of("request").values())
    after: Entry | None = requests[-1] if requests else None
    for request in reversed(requests[int(gathered.begins) : -1]):
        until, after = after, request
        if len(request.text) > SHORT_CHARS or is_trivial(request.text) or normal(request.text) in choice.said:
            continue
        spoken = [one.text for one in gathered.said if one.position == request.at and one.speaker == "user"]
        own = [
            text
            for text in spoken or sentences(request.text)
            if normal(text) not in choice.said and not is_trivial(text) and not _is_pasted(text)
        ]
        if not own:
            continue
        line = f"user: {_joined(own)}"
        cost = count(line) + LINE_TOKENS
        if cost > budget:
            break
        asks = own[-1].endswith(("?", "？"))
        beside = ""
        if asks and until is not None:
            beside = spoken_between(gathered.said, request, after_at=request.at, until_at=until.at)
        elif leans(request.text):
            beside = spoken_between(gathered.said, request, after_at=-1, until_at=request.at)
        if is_trivial(beside.partition(": ")[2]) or normal(beside) in choice.said:
            beside = ""
        if not beside and len(terms(line)) <= NODDING_TERMS and line.isascii():
            continue
        spent = count(beside) + LINE_TOKENS if beside else 0
        if spent and cost + spent <= budget:
            yield Note((request.at, 0 if asks else -2), beside, spent)
            choice.said.update(normal(text) for text in (beside, *sentences(beside.partition(": ")[2])))
            budget -= spent
        elif asks and len(own) == 1:
            continue
        yield Note((request.at, -1), line, cost)
        choice.said.update(normal(text) for text in (request.text, *sentences(request.text)))
        budget -= cost


def _joined(texts: Sequence[str]) -> str:
    """Sentences as one text; no space follows a full-width stop."""
    return "".join(text if text.endswith(("。", "！", "？", "；")) else f"{text} " for text in texts).rstrip()


def _is_pasted(text: str) -> bool:
    """Whether a sentence of the user's is rather a line of a terminal, or of data."""
    return is_code(text) or text.startswith(('{"', "~/"))


def leans(text: str) -> bool:
    """Whether a message says little without what it answers."""
    first = next(sentences(text), "")
    return len(terms(first)) <= NODDING_TERMS or len(terms(text)) <= LEANING_TERMS


def spoken_between(said: Sequence[Sentence], request: Entry, *, after_at: int, until_at: int) -> str:
    """What was said last between two places of the text by others than the user, with who said it: whole where it is
    short, else the sentence of it that shares most words with a message; "" where nothing was.
    """
    between = [
        one for one in said if after_at < one.position < until_at and one.speaker not in ("user", TOOL)
    ]
    last = [one for one in between if one.position == between[-1].position]
    if not last:
        return ""
    whole = _joined([one.text for one in last])
    if len(whole) <= SHORT_CHARS:
        return f"{last[0].speaker}: {whole}"
    asked = set(terms(request.text))
    best = max(enumerate(last), key=lambda pair: (len(asked.intersection(terms(pair[1].text))), pair[0]))[1]
    return f"{best.speaker}: {best.text}"


def _candidates(gathered: Gathered, choice: Choice, *, bare: bool) -> Generator[None, None, list[Sentence]]:
    """Sentences not chosen already, each once; dull ones and lines of results only where little else was said."""
    seen = set(choice.said)
    requests = list(gathered.ledger.of("request").values())
    asked = [normal_all(request.text[:LOOK_REQUEST_CHARS]) for request in (*requests[:1], *requests[1:][-1:])]
    heard = requests[-1].at if requests else -1
    kept: list[Sentence] = []
    for at, sentence in enumerate(gathered.said):
        if at % (STEP * 4) == 0:
            yield
        form = normal(sentence.text)
        quoted = sentence.speaker == "user" and any(form in request for request in asked)
        settled = (
            sentence.speaker != TOOL and sentence.position < heard and sentence.text.endswith(("?", "？"))
        )
        if form and form not in seen and not quoted and not settled:
            seen.add(form)
            kept.append(sentence)
    plain = [sentence for sentence in kept if sentence.prior > DULL_PRIOR * USER_PRIOR]
    said = [sentence for sentence in plain if sentence.speaker != TOOL]
    if len(said) >= MIN_SAID:
        return said
    telling = [sentence for sentence in kept if sentence.speaker != TOOL or _is_telling(sentence.text)]
    return (
        [sentence for sentence in telling if sentence.prior > DULL_PRIOR * USER_PRIOR]
        or [sentence for sentence in telling if sentence.speaker == TOOL and sentence.prior >= RESULT_PRIOR]
        or (
            [sentence for sentence in telling if not is_code(sentence.text)] or kept[:MIN_SAID]
            if bare
            else []
        )
    )


def _is_telling(line: str) -> bool:
    """Whether a line of a result says something by itself: a sentence from its beginning to its end."""
    begins = line[:1].isupper() or not line[:1].isascii()
    return begins and line.endswith(_STOPS) and len(terms(line)) >= TELLING_TERMS and not is_code(line)
