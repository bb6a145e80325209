"""Notes: what people said, word for word, and the sentences that say most of what the others say.

Rules kept here:

- Where something is to be kept above all (a focus), what is said of it comes before everything else and may take most
  of the room. A rare word of the focus says more of it than one that stands everywhere.
- What the newest request points at in a result is told before all that was said: it cannot be worked on without.
- Short messages of the user come first, the newest before the others: nothing says better what was wanted.
- A short answer says nothing without what it answers ("yes, keep that"): the message before it is told with it, whole
  where it is short, else the sentence that shares most words with the answer, else its last.
- A question is settled once the user has spoken again.
- Of two sentences that say nearly the same the later one stays: where they differ, it knows more.
- What stands in a list is told under the line that leads it: an item says nothing of whether it was found, done, or
  only thought of.
- Announcements are told only where there is nothing else to say. Lines of results are told only where little was said,
  and only those that are sentences: listings and logs are what a later call shows again.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Generator, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from palimpsest.summarize.cut import ELLIPSIS, Count
from palimpsest.summarize.extractive.choice import HEADING_TOKENS, LINE_TOKENS, STEP, Choice
from palimpsest.summarize.extractive.gather import Gathered
from palimpsest.summarize.ledger.entries import Entry, normal, normal_all
from palimpsest.summarize.ledger.said import DULL_PRIOR, RESULT_PRIOR, TOOL, USER_PRIOR
from palimpsest.summarize.pointed import pointed_at
from palimpsest.summarize.sentences import SENTENCE_CHARS, Sentence, central, sentences, terms
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
_ASKING = ("?", "？")
_STOPS = (".", "!", "。", "！", *_ASKING)


@dataclass(slots=True)
class Note:
    """A note that was chosen: where it stands, who says it, under which line; what it costs without that line."""

    place: tuple[int, int]
    text: str
    cost_tokens: int
    speaker: str = ""
    terms: frozenset[str] = frozenset()
    lead: str = ""
    lead_tokens: int = 0

    @property
    def head(self) -> tuple[int, str, str]:
        """What it shares with the others of its list: where they stand, who says them, and under which line."""
        return self.place[0], self.speaker, self.lead

    def price(self, others: Sequence[Note]) -> int:
        """What it costs beside others."""
        led = any(other.head == self.head for other in others)
        return self.cost_tokens + (0 if led else self.lead_tokens)


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
    for note in _pointed(gathered, choice, int(budget * WORDS_SHARE), count):
        picked.append(note)
        budget -= note.cost_tokens
        yield
    for note in _words(gathered, choice, int(budget * WORDS_SHARE), count):
        picked.append(note)
        budget -= note.cost_tokens
        yield
    candidates = yield from _candidates(gathered, choice, bare=bare)
    best = yield from central(candidates, MAX_NOTES)
    told, spent = yield from _told([sentence for _, sentence in best], candidates, budget, count)
    if picked or told:
        listed = Counter((one.position, one.speaker, one.lead) for one in gathered.said)
        choice.lines["Notes"] = [*_written(sorted((*picked, *told), key=lambda note: note.place), listed)]
        choice.left_tokens = budget - spent


def _written(notes: Sequence[Note], listed: Mapping[tuple[int, str, str], int]) -> Iterator[str]:
    """The lines of notes in order; those of one list as one, no longer than a sentence that is read back may be. Of
    how many each list has is `listed`, and what is left out of one shown.
    """
    line, head, more = "", (0, "", ""), 0
    for note in notes:
        if note.lead and note.head == head and len(line) + len(note.text) < SENTENCE_CHARS:
            line, more = _joined(line, note.text, "", listed=True), more - 1
            continue
        if line:
            yield _joined(line, ELLIPSIS, listed=True) if head[2] and more else line
        head, more = note.head, listed[note.head] - 1
        line = _joined(f"{note.speaker}:" if note.speaker else "", note.text, note.lead)
    if line:
        yield _joined(line, ELLIPSIS, listed=True) if head[2] and more else line


def _joined(text: str, more: str, lead: str = "", *, listed: bool = False) -> str:
    """A text with one more sentence behind it, under a line that leads it, or as the next one `listed` under the same.
    No space follows a full-width stop.
    """
    between = "" if not text or text.endswith(("。", "！", "？", "；")) else " "
    return f"{text.rstrip('.。')}; {more}" if listed else f"{text}{between}{lead}{' ' if lead else ''}{more}"


def together(said: Sequence[Sentence]) -> str:
    """Sentences as one text, each list under its line."""
    text, lead = "", ""
    for one in said:
        listed = bool(lead) and one.lead == lead
        text, lead = _joined(text, one.text, one.lead, listed=listed), one.lead
    return text


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
        place = (sentence.position, order[id(sentence)])
        own = frozenset(terms(sentence.text))
        cost = count(f"{sentence.speaker}: {sentence.text}") + LINE_TOKENS
        lead_tokens = count(sentence.lead) if sentence.lead else 0
        note = Note(place, sentence.text, cost, sentence.speaker, own, sentence.lead, lead_tokens)
        same = _alike(note, told)
        fresh = len(own - heard) >= FRESH_SHARE * len(own)
        if same is None and not fresh and len(own) >= LEANING_TERMS:
            continue
        if same and note.place < same.place:
            continue
        rest = [one for one in told if one is not same]
        spare = left + (same.price(rest) if same else 0) - note.price(rest)
        if spare >= 0:
            told, left = [*rest, note], spare
            heard |= own
    return told, budget - left


def _alike(note: Note, told: Sequence[Note]) -> Note | None:
    """The note chosen already that says nearly the same."""
    for other in told:
        shared = len(note.terms & other.terms)
        if shared and shared >= SAME_SHARE * min(len(note.terms), len(other.terms)):
            return other
    return None


def _words(gathered: Gathered, choice: Choice, budget: int, count: Count) -> Generator[Note, None, None]:
    """What was said last, which is where the work stands; then the user's short messages, from the newest back, each
    with what it answers, a question with its answer.
    """
    requests = list(gathered.ledger.of("request").values())
    until_at = requests[-1].at if requests else -1
    last = spoken_between(
        gathered.said, requests[-1].text if requests else "", until_at, math.inf, answers=True
    )
    told = [one for one in last if normal(one.text) not in choice.said]
    text = f"{told[0].speaker}: {together(told)}" if told else ""
    if text and count(text) + LINE_TOKENS <= budget:
        yield Note((told[0].position, -1), text, count(text) + LINE_TOKENS)
        budget -= count(text) + LINE_TOKENS
        choice.said.update(normal(one.text) for one in told)
    for request in reversed(requests[int(gathered.begins) : -1]):
        after_at, until_at = until_at, request.at
        own = _own(gathered, choice, request)
        if not own or is_trivial(request.text) or normal(request.text) in choice.said:
            continue
        line = f"user: {together(own)}"
        cost = count(line) + LINE_TOKENS
        if cost > budget:
            break
        asks = own[-1].text.endswith(_ASKING)
        beside: Sequence[Sentence] = ()
        if asks:
            beside = spoken_between(gathered.said, request.text, request.at, after_at, answers=True)
        elif leans(request.text):
            beside = spoken_between(gathered.said, request.text, -1, request.at, answers=False)
        text = together(beside)
        if is_trivial(text) or all(normal(one.text) in choice.said for one in beside):
            beside = ()
        if not beside and len(terms(line)) <= NODDING_TERMS and line.isascii():
            continue
        text = f"{beside[0].speaker}: {text}" if beside else ""
        spent = count(text) + LINE_TOKENS
        if beside and cost + spent <= budget:
            yield Note((request.at, 0 if asks else -2), text, spent)
            choice.said.update(normal(one.text) for one in beside)
            budget -= spent
        elif asks and len(own) == 1:
            continue
        yield Note((request.at, -1), line, cost)
        choice.said.update(normal(text) for text in (request.text, *sentences(request.text)))
        budget -= cost


def _pointed(gathered: Gathered, choice: Choice, budget: int, count: Count) -> Generator[Note, None, None]:
    """What the newest request points at in results: a name of which it has a word, with its value."""
    requests = list(gathered.ledger.of("request").values())
    read = [one for one in gathered.said if one.speaker == TOOL]
    asked = requests[-1].text[:LOOK_REQUEST_CHARS] if requests else ""
    for part in pointed_at(asked, [one.text for one in read]) if asked else ():
        line = f"{TOOL}: {part}"
        cost = count(line) + LINE_TOKENS
        place = next((one.position for one in reversed(read) if part in one.text), 0)
        if cost <= budget and normal(part) not in choice.said:
            budget -= cost
            choice.said.add(normal(part))
            yield Note((place, -3), line, cost)


def _own(gathered: Gathered, choice: Choice, request: Entry) -> list[Sentence]:
    """What a short message says that is not said already; of a longer one nothing."""
    if len(request.text) > SHORT_CHARS:
        return []
    spoken = [one for one in gathered.said if one.position == request.at and one.speaker == "user"]
    return [
        one
        for one in spoken or (Sentence(text, "user", request.at) for text in sentences(request.text))
        if normal(one.text) not in choice.said and not is_trivial(one.text) and not _is_pasted(one.text)
    ]


def _is_pasted(text: str) -> bool:
    """Whether a sentence of the user's is rather a line of a terminal, or of data."""
    return is_code(text) or text.startswith(('{"', "~/"))


def leans(text: str) -> bool:
    """Whether a message says little without what it answers."""
    first = next(sentences(text), "")
    return len(terms(first)) <= NODDING_TERMS or len(terms(text)) <= LEANING_TERMS


def spoken_between(
    said: Sequence[Sentence], message: str, after_at: int, until_at: float, *, answers: bool
) -> Sequence[Sentence]:
    """What was said last between two places of the text by others than the user: whole where it is short, else the
    sentence of it that shares most words with a message. Of what `answers` the message as much as is short, from there
    or else from its beginning, without announcements.
    """
    between = [
        one
        for one in said
        if after_at < one.position < until_at
        and one.speaker not in ("user", TOOL)
        and not (answers and one.prior <= DULL_PRIOR and not one.lead)
    ]
    last = [one for one in between if one.position == between[-1].position]
    if len(together(last)) <= SHORT_CHARS:
        return last
    asked = set(terms(message))
    shared = [len(asked.intersection(terms(one.text))) for one in last]
    best = max(range(len(last)), key=lambda at: (shared[at], -at if answers else at))
    ends = range(best + 1, len(last) + 1 if answers else best + 1)
    fits = (end for end in ends if len(together(last[best:end])) <= SHORT_CHARS)
    end = max(fits, default=best + 1)
    left_out = end < len(last) and last[end].lead and last[end].lead == last[end - 1].lead
    return [*last[best:end], *([replace(last[end], text=ELLIPSIS)] if left_out else [])]


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
        settled = sentence.speaker != TOOL and sentence.position < heard and sentence.text.endswith(_ASKING)
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
