"""Texts as blocks, sentences and terms, and which sentences say most of what the others say.

Rules kept here:

- Work comes in blocks of at most 2,000 characters, and of lines of at most 1,000: one huge line costs no more than its
  first 8,000, and is never handed whole to a pattern.
- Sentences end at line ends, at full stops before a space, and at the full-width stops, which no space follows.
- Lines that a user's editor broke in the middle of a sentence are put together first, or half a rule would be kept.
- Central is what lies near the centroid of all sentences (TF-IDF); each choice is discounted by its likeness to what
  was chosen before (MMR), so that one thought is not kept twice.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Generator, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise
from statistics import median_low
from unicodedata import category

from palimpsest.patterns import later
from palimpsest.summarize.cut import clip_words, word_end, word_start
from palimpsest.summarize.remembered import MAX_SENTENCES
from palimpsest.summarize.remembered import SENTENCE_CHARS as SHORT_CHARS
from palimpsest.summarize.spoken.texts import NO_END, NO_NUMBER, NO_ORDINAL, VERDICT
from palimpsest.summarize.terms import UNSPACED, terms_of

BLOCK_CHARS = 2_000
BREAK_CHARS = 240
"""Characters in which the end of a sentence is sought where a long text is cut."""
LINE_CHARS = 1_000
LINE_PIECES = 8
WORDY_SPACES = 40
"""A long line with fewer spaces at its beginning is minified or encoded."""
SENTENCE_CHARS = 320
LEAD_CHARS = 100
"""A longer line leads no list: it would say more than the list does."""
WRAP_CHARS = 36
"""No text is broken into narrower lines; shorter ones are a list."""
WRAP_SHARE = 0.85
"""Of the widest line, so much is filled by a line that was broken and the next word: editors leave a margin."""
MIN_TERMS = 3
MAX_TERMS = 60
"""Terms of one sentence that are looked at."""
FULL_TERMS = 20
"""A sentence of fewer terms counts less: a short one is easily near to everything and says little."""
MAX_COMPARED = 160
"""Sentences that compete in the discount for likeness: the best by centrality."""
LIKENESS_SHARE = 0.8
"""How much of its score a sentence loses that is the same as one already chosen."""
STEP = 24
"""Sentences worked on between two pauses."""

_STOPPED = rf"|(?<=[。！？；])|(?<=[{UNSPACED}][!?])(?=[{UNSPACED}])"
"""Where scripts without spaces end a sentence: many type the marks of others there."""
PIECE = later(r"(?<=[.!?;])" + NO_END + r"\s+" + NO_ORDINAL + NO_NUMBER + _STOPPED)
"""Where a sentence, or a part of it behind a semicolon, ends."""
_END = re.compile(r"(?<=[.!?])" + NO_END + r"[\"')\]]{0,2}\s+" + NO_ORDINAL + NO_NUMBER + _STOPPED)
_ENDING = re.compile(rf"[.!?][\"')\]]{{0,2}}\s|[。！？；]|[!?][{UNSPACED}]")
"""What each of these has a part of."""
_BREAK = re.compile(r"\n+|[.!?][\"')\]]{0,2}\s+|[。！？；]")
_STOP_SIGN = re.compile(r"[.!?](?=\s)|[。！？；]")
_MARKUP = re.compile(r"^\s{0,20}(?:[-*•+>]\s|#{1,6}\s|\d{1,3}[.)]\s|\[[ xX>]\]\s){0,4}\s{0,4}")
_SENTENCE_ENDS = re.compile(r"[.!?][\"')\]]{0,2}(?:\s|$)")
_BOLD = re.compile(r"(?<![^\s(])\*\*(?=[^\s/])|(?<=\S)\*\*(?![^\s.,:;)])")
_RULE = re.compile(r"^[\s|:=*_+-]*$")
_SCAFFOLD = re.compile(r"\s{0,20}<([a-z]{1,30}(?:[-_][a-z]{1,30}){1,5})(?:\s[^>]{0,200})?>", re.IGNORECASE)
_EDITOR_REQUEST = re.compile(r"^#{1,3} My request for [A-Z][a-z]{2,20}:?\s", re.MULTILINE)
_REQUEST_TAG = re.compile(r"query|request|user_message|user_input|issue|task_description", re.IGNORECASE)
_PREAMBLE = re.compile(
    r"\s{0,20}(?:Caveat: The messages below|\[Request interrupted|# AGENTS\.md instructions)"
)
_PROMPT = re.compile(
    r"^[ \t]{0,4}(?:[❯➜] |\$ (?=[a-z./~])|[\w.-]{1,40}@[\w.-]{1,60}[: ][^\n$#%❯]{0,80}[$#%❯] |"
    r"\[[\w.-]{1,40}@[\w.-]{1,60} [^\]\n]{1,80}\][$#] |(?:PS )?[A-Z]:\\[^>\n]{0,120}> ?)\s{0,3}\S",
    re.MULTILINE,
)
AFTER_CHARS = 400
"""What follows pasted output in one line up to here is said by the user."""
MAX_SCAFFOLDS = 16
_FENCE = re.compile(
    r"```(?=[\w+#.-]{0,20}[ \t]*$)|^[ \t]{0,8}(?:```|~~~)(?=[^`\n]{0,200}$)|(?<=\S)```", re.MULTILINE
)
"""Where code begins or ends; three signs in the middle of a sentence are only spoken of."""
_QUOTED = re.compile(
    r"^[ \t]{0,8}(?:>|[|+] ?\S|(?:\[?[\d:., TZ/-]{8,40}\]? )?(?:ERROR|WARN(?:ING)?|INFO|DEBUG|FATAL)\b|"
    r"(?P<raised>(?:\w{1,60}\.){0,8}\w{0,60}(?:Error|Exception): ))"
)
"""A line that somebody or something else said: a quotation, a table, a difference, a log, an error that was raised."""
_ADDED, _TAKEN_OUT = re.compile(r"^[ \t]{0,8}\+ ?\S", re.MULTILINE), re.compile(r"[ \t]{0,8}- ?\S")
"""Lines of a difference; those taken out look like a list where none was added."""


@dataclass(frozen=True, slots=True)
class Sentence:
    """A sentence somebody said. `position` is its place in the source in characters; `prior` is 1 for plain prose;
    `lead` is the line under which it stands in a list.
    """

    text: str
    speaker: str
    position: int
    prior: float = 1.0
    lead: str = ""


def thinned(said: Sequence[Sentence]) -> list[Sentence]:
    """Fewer of very many: of those that count no more than most do, every other one. What is older has been thinned
    more often when the last are added, so that it grows sparser with age.
    """
    usual = median_low(one.prior for one in said)
    kept: list[Sentence] = []
    spared = True
    for one in said:
        if one.prior <= usual:
            spared = not spared
        if one.prior > usual or spared:
            kept.append(one)
    return kept


def without_scaffold(text: str) -> str:
    """A user's message without the blocks that agents put around it (`<environment_context>`, reminders, ...).

    "" when nothing else is in it.
    """
    rest = _without_reminders(text)
    for _ in range(MAX_SCAFFOLDS):
        opening = _SCAFFOLD.match(rest)
        if not opening:
            break
        closing = f"</{opening[1]}>"
        end = rest.find(closing)
        if _REQUEST_TAG.search(opening[1]):
            rest = rest[opening.end() :].replace(closing, "\n", 1)
        else:
            rest = rest[end + len(closing) :] if end >= 0 else ""
    asked = _EDITOR_REQUEST.search(rest)
    if asked:
        rest = rest[asked.end() :]
    return "" if _PREAMBLE.match(rest) else rest.strip()


def _without_reminders(text: str) -> str:
    opening, closing = "<system-reminder>", "</system-reminder>"
    for _ in range(MAX_SCAFFOLDS):
        start = text.find(opening)
        if start < 0:
            break
        end = text.find(closing, start)
        text = text[:start] + (text[end + len(closing) :] if end >= 0 else "")
    return text


def without_fences(text: str) -> str:
    """`text` without fenced code; what follows a fence that never closes is code."""
    return "\n".join(_FENCE.split(text)[::2]) if "```" in text or "~~~" in text else text


def without_output(text: str) -> str:
    """A user's words without what was pasted from a terminal: from a line that begins with a shell's prompt on, but for
    a last short paragraph.
    """
    text = _without_quoted(text)
    prompt = _PROMPT.search(text)
    if not prompt:
        return text
    pasted, last = text[prompt.start() :].rstrip().rpartition("\n\n")[::2]
    said = bool(pasted) and len(last) <= AFTER_CHARS and "\n" not in last and not _PROMPT.match(last)
    return f"{text[: prompt.start()]}\n{last if said else ''}".strip()


def _without_quoted(text: str) -> str:
    """`text` without lines that are quoted; behind an error that was raised, without the rest of its paragraph."""
    kept: list[str] = []
    raised, changes = False, _ADDED.search(text) is not None
    for line in text.split("\n"):
        quoted = _QUOTED.match(line)
        raised = bool(line.strip()) and (raised or bool(quoted and quoted["raised"]))
        if not (quoted or raised or (changes and _TAKEN_OUT.match(line))):
            kept.append(line)
    return "\n".join(kept)


def unwrapped(text: str) -> str:
    """`text` with those lines put together that were broken because the next word did not fit.

    A paragraph was broken so where the first word of the next line would have filled every line, and where sentences
    end in it: a list, whose lines are of any length and often have no stops, stays as it is.
    """
    kept: list[str] = []
    paragraph: list[str] = []
    for line in (*text.split("\n"), ""):
        marked = _MARKUP.match(line)
        if not line.strip() or (marked and marked[0].strip()):
            kept.extend(_together(paragraph))
            paragraph = []
        paragraph.append(line)
    return "\n".join((*kept, *paragraph[:-1]))


def _together(lines: Sequence[str]) -> Iterator[str]:
    """The lines of a paragraph, as one where they were broken to fit; no longer than what a block takes of a line."""
    parts = [line.strip() for line in lines]
    width = max(map(len, parts), default=0)
    full = all(
        len(part) + 1 + len(after.split(" ", 1)[0]) > WRAP_SHARE * width for part, after in pairwise(parts)
    )
    if width < WRAP_CHARS or not full or not any(_SENTENCE_ENDS.search(part) for part in parts):
        yield from lines
        return
    whole = lines[0].rstrip()
    for part in parts[1:]:
        if part[:1].isupper() or whole.startswith("#") or len(whole) + len(part) >= LINE_CHARS:
            yield whole
            whole = part
        else:
            whole = f"{whole} {part}"
    yield whole


def ends(text: str, look_chars: int) -> str:
    """The first two thirds and the last third of `look_chars` characters of a longer text, parted by a line end.

    Neither ends or begins within a word, and within a sentence only where that one is long.
    """
    if len(text) <= look_chars:
        return text
    tail = look_chars // 3
    end, start = word_end(text, look_chars - tail), word_start(text, len(text) - tail)
    before = [match.end() for match in _BREAK.finditer(text, max(0, end - BREAK_CHARS), end)]
    after = _BREAK.search(text, start, start + BREAK_CHARS)
    return f"{text[: before[-1] if before else end].rstrip()}\n{text[after.end() if after else start :]}"


def blocks(text: str) -> Iterator[str]:
    """`text` in blocks of whole lines, of at most 2,000 characters.

    A line of more than 1,000 comes in pieces that end with a sentence, else with a word, up to 8,000 characters of it;
    of one without spaces the first piece alone.
    """
    block: list[str] = []
    size = 0
    for line in text.splitlines():
        for piece in (line,) if len(line) <= LINE_CHARS else _pieces(line):
            size += len(piece) + 1
            if size > BLOCK_CHARS and block:
                yield "\n".join(block)
                block, size = [], len(piece) + 1
            block.append(piece)
    if block:
        yield "\n".join(block)


def _pieces(line: str) -> Iterator[str]:
    start = 0
    for _ in range(LINE_PIECES if line.count(" ", 0, LINE_CHARS) >= WORDY_SPACES else 1):
        if len(line) - start <= LINE_CHARS:
            break
        stop = word_end(line, start + LINE_CHARS)
        ending = max(
            (match.end() for match in _STOP_SIGN.finditer(line, start + LINE_CHARS // 2, stop)), default=stop
        )
        yield line[start:ending]
        start = ending
    else:
        return
    yield line[start:]


def sentences(block: str) -> Iterator[str]:
    """The sentences of a block, without list and heading marks, each at most 320 characters."""
    return (text for text, _ in led(block))


def led(block: str) -> Iterator[tuple[str, str]]:
    """As `sentences`, each with the line under which it stands in a list: a heading, or what ends in a colon."""
    return iter(_led_of(block)) if len(block) <= SHORT_CHARS else _led(block)


@lru_cache(MAX_SENTENCES)
def _led_of(block: str) -> tuple[tuple[str, str], ...]:
    return tuple(_led(block))


def _led(block: str) -> Iterator[tuple[str, str]]:
    leads: list[tuple[int, str]] = []
    for line in block.splitlines():
        if _RULE.match(line):
            continue
        said = _MARKUP.sub("", line, count=1).rstrip()
        titled = line.startswith("#") or (said.startswith("**") and said.endswith("**"))
        listed = not titled and (said != line.strip() or category(said[0]) == "So")
        depth = len(line) - len(line.lstrip()) if listed or line[0].isspace() else -1
        while leads and leads[-1][0] >= depth:
            leads.pop()
        lead, text = leads[-1][1] if leads and listed else "", ""
        for piece in _whole(_END.split(said)) if _ENDING.search(said) else (said,):
            text = " ".join((_BOLD.sub("", piece) if "**" in piece else piece).split())
            if len(text) > 1:
                yield clip_words(text, SENTENCE_CHARS), lead
        opens = text.endswith((":", "：", "?", "？"))
        if (titled or text.endswith((":", "："))) and 1 < len(text) <= LEAD_CHARS:
            leads.append((depth, text if opens else f"{text}:"))


def lists(block: str) -> Iterator[tuple[str, list[str]]]:
    """The lists of a block, each with the line above it, "" for none, and its items; a block of one line is an item."""
    lines = [line for line in block.splitlines() if line.strip()]
    lead, listed = "", list[str]()
    for line in lines:
        text = _MARKUP.sub("", line, count=1).strip()
        if text != line.strip() or len(lines) == 1:
            listed.append(text)
            continue
        if listed:
            yield lead, listed
        lead, listed = text, []
    if listed:
        yield lead, listed


def _whole(pieces: Sequence[str]) -> Iterator[str]:
    """The sentences of a line; one that says but what became of something ("Rejected: too slow.") with the last."""
    last = pieces[0]
    for piece in pieces[1:]:
        if VERDICT.match(piece):
            last = f"{last} {piece}"
        else:
            yield last
            last = piece
    yield last


def terms(text: str) -> list[str]:
    """The terms of a text, lower-case, stop words left out; pairs of characters in scripts without spaces."""
    return [*terms_of(text)]


def central(said: Sequence[Sentence], most: int) -> Generator[None, None, list[tuple[float, Sentence]]]:
    """The `most` most central sentences that are least alike, best first, with their scores. Yields between steps."""
    bags: list[Counter[str]] = []
    for start in range(0, len(said), STEP):
        bags.extend(Counter(terms(sentence.text)[:MAX_TERMS]) for sentence in said[start : start + STEP])
        yield
    occurs: Counter[str] = Counter()
    for start in range(0, len(bags), STEP):
        for bag in bags[start : start + STEP]:
            occurs.update(bag.keys())
        yield
    vectors: list[dict[str, float]] = []
    centroid: dict[str, float] = {}
    for start in range(0, len(bags), STEP):
        for bag in bags[start : start + STEP]:
            vector = _vector(bag, occurs, len(bags))
            vectors.append(vector)
            for term, weight in vector.items():
                centroid[term] = centroid.get(term, 0.0) + weight
        yield
    scored: list[tuple[float, int]] = []
    for start in range(0, len(bags), STEP):
        for index in range(start, min(start + STEP, len(bags))):
            if len(bags[index]) >= MIN_TERMS:
                near = sum(weight * centroid[term] for term, weight in vectors[index].items())
                near *= math.sqrt(min(1.0, len(bags[index]) / FULL_TERMS))
                scored.append((near * said[index].prior, index))
        yield
    scored.sort(key=lambda pair: (-pair[0], pair[1]))
    chosen = yield from _discounted(scored[:MAX_COMPARED], vectors, most)
    return [(score, said[index]) for score, index in chosen]


def _vector(bag: Mapping[str, int], occurs: Mapping[str, int], size: int) -> dict[str, float]:
    weights = {term: (1 + math.log(n)) * math.log(1 + size / occurs[term]) for term, n in bag.items()}
    length = math.sqrt(sum(weight * weight for weight in weights.values())) or 1.0
    return {term: weight / length for term, weight in weights.items()}


def _discounted(
    scored: Sequence[tuple[float, int]], vectors: Sequence[Mapping[str, float]], most: int
) -> Generator[None, None, list[tuple[float, int]]]:
    likeness = [0.0] * len(scored)
    left = set(range(len(scored)))
    chosen: list[tuple[float, int]] = []
    while left and len(chosen) < most:
        pick = max(left, key=lambda at: (scored[at][0] * (1 - LIKENESS_SHARE * likeness[at]), -at))
        left.discard(pick)
        chosen.append(scored[pick])
        picked = vectors[scored[pick][1]]
        for at in left:
            vector = vectors[scored[at][1]]
            alike = sum(weight * picked[term] for term, weight in vector.items() if term in picked)
            likeness[at] = max(likeness[at], alike)
        yield
    return chosen
