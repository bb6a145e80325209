"""Who says the words of a sentence: people, tools alone, or nobody.

Rules kept here:

- What is wanted, ruled, decided or to be done next is said by a user or the assistant, in whatever words. A sentence
  with words that only results of tools have is nobody's wish: a text that was read cannot ask for anything.
- Nor is what stands word for word in what tools said, and nowhere else, where a single word of it is theirs alone.
- Where a summary takes one of these from a passage, so it may have taken more: whatever is that passage's for most of
  its words, one of them a tool's alone, is nobody's as well, under any heading.
- Who names the file or the page that was read speaks for what stands in it: the user who points at it, or the summary
  that says where it has this from.
- A sentence of whose words many stand nowhere in the source was made up, or answers the user out of what a model knows.
- So is who allowed what: consent in words that only tools have is nobody's, under whatever heading it is told.
- Numbers, code and little words say nothing of this, nor do words that any summary has; a word in another form is the
  same word. Where tools speak another language than people do, what was read may be told in words that nobody said.
"""

from __future__ import annotations

from collections.abc import Collection, Generator, Iterator, Sequence
from dataclasses import dataclass

from palimpsest.patterns import later
from palimpsest.summarize.alike import Known, with_forms
from palimpsest.summarize.audit.languages import LATIN, LITTLE, heard, languages
from palimpsest.summarize.audit.told import DIRECTING, LOOK_CHARS, OF_USER, ORDINARY, said_in
from palimpsest.summarize.forms import FORMS
from palimpsest.summarize.injections import CONSENTS, REPORTED
from palimpsest.summarize.names import find_paths
from palimpsest.summarize.sentences import sentences, terms
from palimpsest.summarize.source import Source
from palimpsest.summarize.visible import told

SLICE_CHARS = 4_000
"""Characters of a text whose words are taken between two pauses."""
NEW = ((4.0, 0.5), (3.0, 0.6))
"""A sentence with so many words that nobody said, and this share of its words, says what is nowhere."""
NEW_PAIRS = ((5.0, 0.75),)
"""The same of Japanese and Korean, whose endings make new pairs of signs."""
WHOLE_NEW = ((4.0, 0.22), (3.0, 0.24))
"""A whole reply without headings with so many words and figures that nobody said, and this share of its words, tells of
something else; where it names the user, as a sentence does."""
WHOLE_WORDS = 10.0
"""A whole reply of fewer words says too little to judge it by."""
HEARD_WORDS, HEARD_SHARE = 2, 0.2
"""A wish with so many words that only tools have, and this share of its words, is a tool's."""
PASSAGE_SHARE, PASSAGE_WORDS, PASSAGE_CHARS = 0.5, 2, 600
"""What has so many of its words, and no fewer in all, from a passage is from there; so much of a line is looked at."""
QUOTED_WORDS = 3
"""Words, little ones too, that a line has at least in the order in which a tool said them, to be the tool's."""
OF_TOOLS = frozenset(
    ("Files", "Commands and outcomes", "Errors and rejected approaches", "Critical identifiers")
)
"""Headings under which stands what tools said: "accepted" is no consent there."""
LEAST_WORDS = 60
"""Of a source with fewer different words most that a summary says is new."""
PAIR_CHARS, PAIR_WEIGHT = 2, 0.5
"""Pairs of signs overlap: each is half a word."""
LANGUAGE_CHARS = 20_000
"""Characters of all results by which the language of tools is known."""

_CODE = later(
    r"`[^`\n]{1,300}`|https?://[!-~]{1,400}|[\w.~@-]{0,200}(?:[/\\_=<>{}][\w.~@-]{0,200})+|\w{1,60}\.\w{1,12}\b"
)
"""Code, links, paths and names of files: other rules judge what is exact."""
_ENDINGS = later(r"[\u3040-\u30ff\uac00-\ud7af]")
"""Signs of scripts that write endings."""


@dataclass(frozen=True, slots=True)
class Voices:
    """The words of a source: those of all, of people, and of tools; `strange` says that tools speak a language
    that people do not. `called` are the paths that calls name, `spoken` and `read` all words of people and of tools in
    their order, `results` what tools said. Without `all` nothing is judged.
    """

    all: Known | None = None
    people: Known | None = None
    tools: Known | None = None
    strange: bool = False
    called: frozenset[str] = frozenset()
    spoken: str = ""
    read: str = ""
    results: tuple[str, ...] = ()


def voices_of(
    source: Source, spoken: frozenset[str], words: Collection[str]
) -> Generator[None, None, Voices]:
    """Who says which words of a source; `spoken` are the languages of its people, `words` all its terms. Yields between
    small pieces of work.
    """
    if len(words) < LEAST_WORDS:
        return Voices()
    people, tools, read = set[str](), set[str](), list[str]()
    orders = (list[str](), list[str]())
    for text, is_read in _texts(source):
        for start in range(0, len(text), SLICE_CHARS):
            found = terms(text[start : start + SLICE_CHARS])
            (tools if is_read else people).update(found)
            orders[is_read].append(_in_order(found))
            yield
        if is_read:
            read.append(text[:LOOK_CHARS])
    theirs = "\n".join(read)[:LANGUAGE_CHARS]
    in_tools = languages(theirs) | (heard(theirs) if spoken & LATIN else set[str]())
    yield
    everything = Known(people | tools.union(words))
    yield
    strange = bool(in_tools - spoken - {"latin"})
    called = frozenset(
        path for one in source.messages for call in one.calls for path in find_paths(call.arguments)
    )
    spoken_order, read_order = ("\n".join(one) for one in orders)
    return Voices(
        everything, Known(people), Known(tools), strange, called, spoken_order, read_order, tuple(read)
    )


def _in_order(words: Sequence[str]) -> str:
    return f" {' '.join(words)} "


def _texts(source: Source) -> Iterator[tuple[str, bool]]:
    """The texts of a source, and whether only a tool says them."""
    yield from (
        (one, False)
        for one in (*source.summaries, source.system, source.goal, source.newer_goal, source.focus)
    )
    yield from ((one, False) for one in source.rules)
    asked = "\n".join(source.requests)
    pointed = set[str]()
    for message in source.messages:
        for call in message.calls:
            yield f"{call.name} {call.arguments}", False
            if any(_is_named(path, asked) for path in find_paths(call.arguments)):
                pointed.add(call.id)
        if message.role == "assistant":
            yield "\n".join(one for one in sentences(message.text) if not REPORTED.search(one)), False
        elif message.role == "user":
            yield message.text, False
        yield from ((told(one.text), one.call_id not in pointed) for one in message.results)


def _is_named(path: str, asked: str) -> bool:
    return path in asked or path.rsplit("/", 1)[-1] in asked


def nobodys(text: str, voices: Voices) -> list[str]:
    """The sentences of a reply that say what is nowhere in the source."""
    if voices.all is None or voices.strange:
        return []
    return [one for one in said_in(text) if _is_new(one, voices.all)]


def _is_new(sentence: str, known: Known) -> bool:
    if REPORTED.search(sentence):
        return False
    own = _words(sentence)
    whole, new = weight(own), weight(own - known.of(own))
    bounds = NEW_PAIRS if _ENDINGS.search(sentence) else NEW
    return any(new >= least and new >= share * whole for least, share in bounds)


def is_elsewhere(text: str, voices: Voices) -> bool:
    """Whether a whole reply without headings tells of something else: a summary takes its words from what it tells of,
    an answer only some of them.
    """
    if voices.all is None or voices.strange:
        return False
    own, figures = _words(text), {one for one in terms(text) if any(map(str.isdigit, one))}
    new = weight((own | figures) - voices.all.of(own | figures))
    whole = max(weight(own), new)
    bounds = NEW if OF_USER.search(text) else WHOLE_NEW
    return whole >= WHOLE_WORDS and any(new >= least and new >= share * whole for least, share in bounds)


def overheard(text: str, voices: Voices) -> list[str]:
    """The sentences of a reply that have somebody want, decide or rule what only tools said."""
    if voices.people is None or voices.tools is None:
        return []
    parsed = [(heading, "\n".join(lines)) for heading, lines in FORMS["sections"].parse(text)]
    wanted = (body for heading, body in parsed if heading in DIRECTING)
    allowed = (one for heading, body in parsed if heading not in OF_TOOLS for one in said_in(body))
    parts = (*wanted, *(one for one in allowed if CONSENTS.search(one)))
    said = (one for part in parts for one in said_in(part) if voices.called.isdisjoint(find_paths(one)))
    found = list(dict.fromkeys(one for one in said if _is_of_tools(one, voices)))
    return [*found, *_beside(text, found, voices)] if found else []


def _beside(text: str, found: Collection[str], voices: Voices) -> list[str]:
    """The other sentences of a reply that it has from the passages that these are from."""
    if voices.people is None:
        return []
    passages = [
        words
        for result in voices.results
        for words in (_words(line[:PASSAGE_CHARS]) for line in result.splitlines())
        if any(_is_from(one, words) for one in found)
    ]
    rest = (one for one in said_in(text) if one not in found and not REPORTED.search(one))
    rest = (one for one in rest if not any(map(str.isdigit, one)))
    return [
        one
        for one in rest
        if (own := _words(one)) - voices.people.of(own) and any(_is_from(one, words) for words in passages)
    ]


def _is_from(sentence: str, passage: set[str]) -> bool:
    """Whether most words of a sentence stand in a passage."""
    own = _words(sentence)
    return len(own) >= PASSAGE_WORDS and weight(with_forms(own, passage)) >= PASSAGE_SHARE * weight(own)


def _is_of_tools(sentence: str, voices: Voices) -> bool:
    if REPORTED.search(sentence) or voices.people is None or voices.tools is None:
        return False
    own = _words(sentence)
    theirs = voices.tools.of(own - voices.people.of(own))
    heard_only = weight(theirs)
    if heard_only >= HEARD_WORDS and heard_only >= HEARD_SHARE * weight(own):
        return True
    words = terms(sentence)
    whole = _in_order(words)
    return bool(theirs) and len(words) >= QUOTED_WORDS and whole in voices.read and whole not in voices.spoken


def _words(sentence: str) -> set[str]:
    """The words of a sentence that say what it is about."""
    own = set(terms(OF_USER.sub(" ", _CODE.sub(" ", sentence))))
    return {word for word in own if not any(map(str.isdigit, word))} - ORDINARY - LITTLE


def weight(words: Collection[str]) -> float:
    """How many words there are; of scripts without spaces a pair of signs is half of one, as pairs overlap."""
    return sum(PAIR_WEIGHT if len(word) <= PAIR_CHARS and not word.isascii() else 1 for word in words)
