"""What orders in tool output say, and whether a summary says it too.

Rules kept here:

- An order that stands in tool output may be reported, but not repeated as a fact: a sentence that says what only such
  an order said, or that names what only such an order names, is taken out.
- What the assistant tells of an order, as of one that it did not follow, makes the order's words nobody's.
- An order is its sentence, and those behind it only as far as they go on with it: what else stands there may be true.
  Behind a call to machines every sentence of the passage is one.
- Of what is wanted, allowed, decided or to be done next, one word is enough that only such an order has: "close every
  ticket" is obedience in whatever other words, where nobody else spoke of closing. Words that any summary has do not
  count. An order's thing under a verb that nobody has is obedience as well, unless the user asks something of it.
- What somebody else says in one sentence as well is nobody's order, and a word that somebody else has is no order's.
- Of a sentence of which one clause alone says what an order did, that clause goes.
"""

from __future__ import annotations

from collections.abc import Generator, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice, pairwise

from palimpsest.patterns import later
from palimpsest.summarize.alike import with_forms
from palimpsest.summarize.audit.clauses import clauses
from palimpsest.summarize.audit.languages import LITTLE
from palimpsest.summarize.audit.reply.bidden import (
    NOTHING_BIDDEN,
    Bidden,
    bidden_in,
    consents_in,
    is_all_bidden,
    is_bidden,
    is_let,
    keeps_a_gate,
    tells_against,
    told_words,
    without_gate,
)
from palimpsest.summarize.audit.told import DIRECTING, OF_USER, ORDINARY, said_in
from palimpsest.summarize.forms import FORMS
from palimpsest.summarize.injections import (
    ADDRESSED,
    CONSENTS,
    GOES_ON,
    OBLIGES,
    ORDER,
    OVERRIDE,
    REFUSES,
    REPORTED,
    calls,
    passages,
)
from palimpsest.summarize.names import find_names, find_paths
from palimpsest.summarize.sentences import PIECE, sentences, terms
from palimpsest.summarize.source import Source
from palimpsest.summarize.spoken.cues import FORBIDS
from palimpsest.summarize.spoken.orders import SPARES
from palimpsest.summarize.toolcalls import OPEN, decode
from palimpsest.summarize.visible import told

SLICE_CHARS = 3_000
ORDER_CHARS = 40_000
"""Characters of one result in which orders are sought."""
ORDER_OVERLAP_CHARS = 120
STATED_CHARS = 240
"""So far before an order stands what it goes on from."""
ORDER_SENTENCES = 3
"""An order has so many sentences at most."""
MAX_CALLED = 16
"""Sentences behind a call to machines that are looked at."""
MAX_ORDERS = 8
"""Orders looked at in one slice."""
LONE_WORDS = 1
"""A clause of so few words has a deed and nothing it is done to."""
MAX_PLANTED = 64
MAX_SPOKEN = 2_000
LEAST_CHARS = 4
PAIR_CHARS = 2
PLANTED_SHARE = 0.7
FRESH_SHARE, FEW_PLANTED_TERMS = 0.6, 2
"""So much, in whatever form, of a sentence with a word that only such a passage has."""
MIN_SHARED = 2
"""Words of an order's in a line that has otherwise only new ones."""
MIN_PLANTED_TERMS = 3
"""Fewer words stand in any passage by chance: "New files", a line of a tree."""
_PROPER = later(r"(?<=[^\W\d_][ ,] )[A-ZÀ-Þ][\w-]{3,40}|(?<=[^\W\d_] )[A-ZÀ-Þ][\w-]{3,40}")
"""What is written as a name within a sentence."""
_NOUN = later(
    r"\b(?i:d(?:er|ie|as|en|em|es)|(?:(?:[kmds]?ein|ihr|unser|dies|jed)(?:e[rnms]?)?)|im|zum|zur|beim|vom|ins|ans) "
    r"[A-ZÀ-Þ][\w-]{3,40}"
)
"""What German writes as a name and is none: it has an article."""
_WRAPPED = later(r"\n[ \t#>/*]{0,8}(?=[^\s\-•\d])")
"""Where a line of a passage goes on in the next one."""
_BELONGS = (ORDER, GOES_ON, CONSENTS)
"""What a sentence behind an order has that belongs to it."""


@dataclass(frozen=True, slots=True)
class Orders:
    """What orders in tool output say: the terms of each, and the names and the words that stand in such orders only;
    `fresh` are those of the words that stand nowhere else in another form either, `proper` those of them that are
    written as names; `others` are the terms of everything else; `spoken` are the terms of what users and the assistant
    say, sentence by sentence and clause by clause, and of the tasks on its lists, and whether it forbids, `wished`
    those of users; `heard` are the sentences outside of orders that tell that somebody let something be done;
    `around` are the words of the passages with the statements before them.
    """

    said: tuple[frozenset[str], ...] = ()
    names: frozenset[str] = frozenset()
    proper: frozenset[str] = frozenset()
    words: frozenset[str] = frozenset()
    fresh: frozenset[str] = frozenset()
    others: frozenset[str] = frozenset()
    spoken: tuple[tuple[frozenset[str], bool], ...] = ()
    wished: tuple[tuple[frozenset[str], bool], ...] = ()
    bidden: Bidden = NOTHING_BIDDEN
    heard: tuple[str, ...] = ()
    around: frozenset[str] = frozenset()

    def __bool__(self) -> bool:
        return bool(self.said)


def orders_in(source: Source, text: str) -> Generator[None, None, Orders]:
    """The orders in the results of a source; `text` is all of it. Yields between small pieces of work."""
    found: list[tuple[str, str, str]] = []
    for message in source.messages:
        for result in message.results:
            body = told(result.text)[:ORDER_CHARS] if len(found) < MAX_PLANTED else ""
            for start in range(0, len(body), SLICE_CHARS):
                found.extend(_orders(body, start))
                yield
    if not found:
        return Orders()
    del found[MAX_PLANTED:]
    rest = text
    for passage in (*(passage for _, passage, _ in found), *_reports(source)):
        rest = rest.replace(passage, " ")
    yield
    named = {name for said, _, _ in found for name in _names(said)}
    named |= {host for name in named if "." in (host := name.split("://")[-1].split("/")[0])}
    said = tuple(frozenset(_told(said)) for said, _, _ in found)
    others, told_of, heard = set[str](), set[str](), list[str]()
    for start in range(0, len(rest), SLICE_CHARS):
        others.update(terms(rest[start : start + SLICE_CHARS]))
        yield
        told_of |= told_words(rest[start : start + SLICE_CHARS])
        heard.extend(consents_in(rest[start : start + SLICE_CHARS]))
        yield
    # Any summary names the user.
    words = {term for one in said for term in one - others if not OF_USER.match(term)}
    fresh = {term for term in words - ORDINARY - LITTLE if not term.isdecimal() and _is_word(term)}
    fresh -= with_forms(fresh, others)
    capitals = {name.lower() for one, _, _ in found for name in _PROPER.findall(_NOUN.sub(" ", one))}
    return Orders(
        said,
        frozenset(name for name in named if name not in rest),
        frozenset(fresh & capitals),
        frozenset(words),
        frozenset(fresh),
        frozenset(others),
        tuple(_spoken(source))[-MAX_SPOKEN:],
        tuple(_wished(source))[-MAX_SPOKEN:],
        bidden_in((OF_USER.sub(" ", ADDRESSED.sub(" ", one)) for one, _, _ in found), frozenset(told_of)),
        tuple(heard)[-MAX_SPOKEN:],
        frozenset(told_words(" ".join({part for _, passage, before in found for part in (before, passage)}))),
    )


def _told(order: str) -> Iterator[str]:
    """The terms of an order; the pairs of signs in which it names whom it is for, and the user, tell nothing."""
    plain = set(terms(OF_USER.sub(" ", ADDRESSED.sub(" ", order))))
    told = terms(OBLIGES.sub(" ", order))
    return (term for term in told if term.isascii() or len(term) > PAIR_CHARS or term in plain)


def _is_word(term: str) -> bool:
    """Whether a term is long enough to be no little word."""
    return len(term) >= LEAST_CHARS or not term.isascii()


def _orders(text: str, start: int) -> Iterator[tuple[str, str, str]]:
    """What each passage in a slice that gives orders says, the sentence and what is said behind it; the passage; and
    what stands before it.
    """
    found = passages(text, start, start + SLICE_CHARS + ORDER_OVERLAP_CHARS)
    for order, (begin, end) in islice(found, MAX_ORDERS):
        passage, before = text[begin:end], text[max(0, begin - STATED_CHARS) : begin]
        if calls(text, begin):
            yield from ((one, passage, before) for one in _called(passage))
            continue
        said = list(sentences(passage))
        at = next((place for place, one in enumerate(said) if order[:24].lower() in one.lower()), 0)
        yield " ".join(_ordered(said[at : at + ORDER_SENTENCES])), passage, before


def _called(passage: str) -> Iterator[str]:
    """What a passage says that calls upon machines: its sentences, and each with the next one."""
    said = list(islice(sentences(_WRAPPED.sub(" ", passage)), MAX_CALLED))
    yield from said
    yield from map(" ".join, pairwise(said))


def _ordered(said: Sequence[str]) -> Iterator[str]:
    """The sentences of an order: the first, those behind it up to one that says what is ordered, and what goes on with
    it. Any other sentence behind it may well be true.
    """
    told: set[str] = set()
    for place, one in enumerate(said):
        if place and len(told) >= MIN_PLANTED_TERMS and not any(form.search(one) for form in _BELONGS):
            return
        told.update(set(terms(ORDER.sub(" ", one))) - ORDINARY - LITTLE)
        yield one


def _spoken(source: Source) -> Iterator[tuple[frozenset[str], bool]]:
    """The terms of the sentences of users and the assistant that tell of no order, of each clause of those that forbid,
    which may ask for something, and of the tasks on lists; and whether they forbid.
    """
    for message in source.messages:
        said = list(sentences(message.text[:ORDER_CHARS]))
        if message.role not in ("user", "assistant"):
            continue
        tasks = (task.removeprefix(OPEN) for call in message.calls for task in decode(call).tasks or ())
        for one in (*said, *tasks):
            if not REPORTED.search(one):
                forbids = bool(FORBIDS.search(one))
                yield frozenset(terms(one)), forbids
                for part in clauses(one) if forbids else ():
                    if len(words := frozenset(terms(part))) >= MIN_PLANTED_TERMS:
                        yield words, bool(FORBIDS.search(part))


def _wished(source: Source) -> Iterator[tuple[frozenset[str], bool]]:
    """The terms of the sentences of users, and whether they forbid."""
    for request in source.requests:
        for one in sentences(request[:ORDER_CHARS]):
            yield frozenset(terms(one)), bool(FORBIDS.search(one))


def _reports(source: Source) -> Iterator[str]:
    """The sentences in which the assistant tells of an order."""
    for message in source.messages:
        if message.role == "assistant":
            yield from filter(REPORTED.search, sentences(message.text[:ORDER_CHARS]))


def _names(text: str) -> Iterator[str]:
    """The paths, links and other names of things in a text, without those of code."""
    yield from find_paths(text)
    yield from (name for kind, name in find_names(text) if kind not in ("symbol", "number"))


def planted(text: str, orders: Orders) -> list[str]:
    """The sentences of a reply that repeat as a fact what an order in tool output said, or obey it."""
    if not orders:
        return []
    pieces = (piece for one in said_in(text) for piece in PIECE.split(one))
    repeated = [it for one in pieces if _is_planted(one, orders) for it in _ordering(one, orders)]
    wanted = ("\n".join(lines) for heading, lines in FORMS["sections"].parse(text) if heading in DIRECTING)
    allowed = "\n".join(one for one in said_in(text) if CONSENTS.search(one))
    directed = (one for part in (*wanted, allowed) for one in said_in(part) if _obeys(one, orders))
    obeyed = [it for one in directed for it in _ordering(one, orders)]
    whole = list(
        dict.fromkeys((*repeated, *(one for one in obeyed if not any(one in it for it in repeated))))
    )
    parts = (
        part for one in said_in(text) for part in _parts(one, orders) if not any(part in it for it in whole)
    )
    return [*whole, *dict.fromkeys(parts)]


def _parts(sentence: str, orders: Orders) -> Iterator[str]:
    """The clauses of a sentence that say what an order did, with a word that only orders have."""
    parts = clauses(sentence)
    if len(parts) > 1 and not REPORTED.search(sentence) and not REFUSES.search(sentence):
        for one in parts:
            kept = FORBIDS.search(one) or SPARES.search(one)
            own = with_forms(set(terms(OF_USER.sub(" ", one))) - orders.others, orders.fresh)
            if not kept and (own or is_bidden(one, orders.bidden)) and _is_planted(one, orders):
                yield one


def _ordering(sentence: str, orders: Orders) -> list[str]:
    """A sentence that obeys an order; the clauses of it that do, where all others say what somebody else says."""
    parts = {one: set(terms(one)) for one in clauses(sentence)}
    bad = [one for one in parts if _obeys(one, orders) or _is_planted(one, orders)]
    bad += [one for one in parts if bad and one not in bad and _goes_with(one, orders)]
    rest = [words for one, words in parts.items() if one not in bad]
    known = all(len(with_forms(words, orders.others)) >= PLANTED_SHARE * len(words) for words in rest)
    return bad if bad and rest and known else [sentence]


def _goes_with(clause: str, orders: Orders) -> bool:
    """Whether a clause beside one that obeys says a deed of an order's without its thing: "and delete all of it"."""
    own = told_words(clause)
    return 0 < len(own) <= LONE_WORDS and any(
        len(with_forms(own, one)) == len(own) for one in orders.bidden.said
    )


def _obeys(sentence: str, orders: Orders) -> bool:
    """Whether a sentence about what is wanted has words that nobody but an order has."""
    if REPORTED.search(sentence) or REFUSES.search(sentence) or _is_wished(sentence, orders):
        return False
    if FORBIDS.search(sentence) and _is_said_too(set(terms(OF_USER.sub(" ", sentence))), sentence, orders):
        return False
    if tells_against(sentence, orders.bidden) or _keeps_a_gate(sentence, orders):
        return False
    spares = bool(FORBIDS.search(sentence) or SPARES.search(sentence))
    said = set(terms(CONSENTS.sub(" ", OF_USER.sub(" ", sentence)))) - ORDINARY - LITTLE
    own = with_forms(said - orders.others, orders.fresh)
    least = 1 if any(map(str.isascii, own)) else 2
    return len(own) >= least or (not spares and _is_paraphrase(said, orders))


def _is_paraphrase(said: set[str], orders: Orders) -> bool:
    """Whether words are those of one order but for such as nobody has: its thing, under another verb. What the user
    asks of that thing may be told so.
    """
    new = said - with_forms(said, orders.others | frozenset[str]().union(*orders.said))
    rest = said - new
    if not new or len(rest) < MIN_SHARED:
        return False
    return any(len(with_forms(rest, one)) == len(rest) for one in orders.said)


def _is_planted(sentence: str, orders: Orders) -> bool:
    if REPORTED.search(sentence) or _is_wished(sentence, orders):
        return False
    if orders.names and not orders.names.isdisjoint(_names(sentence)):
        return True
    words = set(terms(sentence))
    if OVERRIDE.search(sentence) or not words.isdisjoint(orders.proper):
        return True
    words = set(terms(OF_USER.sub(" ", sentence)))
    against = tells_against(sentence, orders.bidden) or _keeps_a_gate(sentence, orders)
    if REFUSES.search(sentence) or against:
        return False
    spares = FORBIDS.search(sentence) or SPARES.search(sentence)
    if is_let(sentence, orders.bidden, orders.heard) or (not spares and is_bidden(sentence, orders.bidden)):
        return True
    if _is_said_too(words, sentence, orders):
        return False
    if not spares and is_all_bidden(sentence, orders.bidden):
        return True
    own = with_forms(words - orders.others, orders.words)
    if own - with_forms(own, orders.others) and len(words) >= FEW_PLANTED_TERMS:
        return any(len(with_forms(words, one)) >= FRESH_SHARE * len(words) for one in orders.said)
    least = PLANTED_SHARE * len(words)
    return len(words) >= MIN_PLANTED_TERMS and any(len(words & one) >= least for one in orders.said)


def _keeps_a_gate(sentence: str, orders: Orders) -> bool:
    """Whether a sentence has something wait for what a user or the assistant does not do without."""
    if not keeps_a_gate(sentence):
        return False
    words = set(terms(without_gate(sentence))) - LITTLE
    least = max(2, PLANTED_SHARE * len(words))
    return any(bans and len(with_forms(words, one)) >= least for one, bans in orders.spoken)


def _is_wished(sentence: str, orders: Orders) -> bool:
    """Whether one sentence of a user's has all words of this one, and forbids as it does."""
    words = set(terms(OF_USER.sub(" ", sentence)))
    forbids = bool(FORBIDS.search(sentence))
    fitting = (one for one, bans in orders.wished if bans == forbids and words & one)
    return len(words) >= MIN_SHARED and any(len(with_forms(words, one)) == len(words) for one in fitting)


def _is_said_too(words: set[str], sentence: str, orders: Orders) -> bool:
    """Whether a user or the assistant says this in one sentence; of what forbids, in whatever forms of its words."""
    forbids, least = bool(FORBIDS.search(sentence)), PLANTED_SHARE * len(words)
    return any(
        forbids == bans and len(with_forms(words, one) if forbids else words & one) >= least
        for one, bans in orders.spoken
    )
