"""What of a reply answers the newest request of a source that nothing follows: none of it has happened.

Rules kept here:

- What is told as done, decided or found has no words that only the newest request asks with: nobody has said or done
  anything since. It asks with its questions and with what gives work: what the user tells or rules beside that is so.
- A figure that nobody said, beside several words of what is asked, is its answer, however well it is reckoned.
- A reply without headings of which most sentences answer is an answer.
- A plan may say what is asked for, but not with a figure or a code that nobody said; nor tell somebody called "you" in
  new words what to do.
- Beside the request itself, under its heading, stands what names the user or the assistant, or what somebody said: all
  else is what was asked for.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import takewhile

from palimpsest.patterns import later
from palimpsest.summarize.alike import Known
from palimpsest.summarize.audit.languages import LITTLE
from palimpsest.summarize.audit.people.requests import PENDING
from palimpsest.summarize.audit.reply.addressed import QUESTION, QUOTED, TO_SOMEBODY
from palimpsest.summarize.audit.told import OF_ASSISTANT, OF_USER, ORDINARY, REMAINS, STATES, said_in
from palimpsest.summarize.audit.voices import weight
from palimpsest.summarize.forms import FORMS, PLANS
from palimpsest.summarize.injections import REPORTED
from palimpsest.summarize.sentences import sentences, terms
from palimpsest.summarize.spoken.cues import FORBIDS
from palimpsest.summarize.spoken.orders import LASTING
from palimpsest.summarize.spoken.remarks import gives_work

TELLING = frozenset(
    "Progress|Decisions|Files|Commands and outcomes|Errors and rejected approaches|Critical identifiers".split(
        "|"
    )
)
"""Headings under which stands what has happened."""
ONLY_WORDS = 2
"""So many words that only the newest request asks with tell what comes after it ..."""
NEW_WORDS = 2
"""... and one of them does, with a figure or so many words that nobody said."""
ASKED_WORDS, ASKED_SHARE = 2, 0.4
"""So many words of what is asked, and this share of them, stand beside a figure that answers it."""
PLANNED_SHARE = 0.6
"""So much of what is asked stands in a plan that gives the answer in a figure or a code that nobody said."""
ASIDE_WORDS = 4
"""A remark of fewer words beside the request answers nothing."""
LEAST_CHARS = 3
"""A shorter word in letters is too often another one."""

_FIGURE = later(r"(?<![\w.,])\d(?:[\d.,:]{0,14}\d)?(?!\d)")
_CODE = later(r"`[^`\n]{4,300}`|[!-~]{0,80}[(\[{^$|\\][!-~]{2,200}")
_LEAD, _ITEM = (":", "："), later(r"\s{0,12}(?:[-*•]|\d{1,3}[.)])\s")


@dataclass(frozen=True, slots=True)
class Asked:
    """The newest request, which nothing follows. `before` are the words that stand elsewhere in the source, `known` all
    of them, `source` is its text.
    """

    request: str
    before: Known
    known: Known
    source: str


def ahead(text: str, asked: Asked) -> Iterator[str]:
    """The sentences of a reply that answer the newest request."""
    words = _content(_asking(asked.request))
    only, request = words - asked.before.of(words), asked.request
    for heading, lines in FORMS["sections"].parse(text):
        body = "\n".join(lines)
        if heading == PENDING and request in body:
            yield from _beside(body.replace(request, "\n", 1), asked.source)
        judged = _answers if heading in TELLING else _plans if heading in PLANS else None
        told = [] if judged is None else [one for one in said_in(body) if not _is_said(one, asked.source)]
        found = [one for one in told if judged is not None and judged(one, words, only, asked)]
        yield from found
        for one in found:
            yield from _below(one, lines)


def _asking(request: str) -> str:
    """What of a request asks for something: its questions, and the sentences that give work and no rule; its last one
    where there are none.
    """
    said = [one for one in sentences(request) if not STATES.match(one)] or [request]
    rules = (FORBIDS.search, LASTING.search)
    works = [one for one in said if gives_work(one) and not any(rule(one) for rule in rules)]
    return "\n".join(one for one in said if one.endswith(QUESTION) or one in works) or said[-1]


def is_answer(text: str, asked: Asked) -> bool:
    """Whether more than half of the sentences of a reply without headings answer the newest request."""
    words = _content(_asking(asked.request))
    only, told = words - asked.before.of(words), list(said_in(text))
    plain = [one for one in told if not (_is_said(one, asked.source) or REMAINS.search(one))]
    return 2 * sum(_answers(one, words, only, asked) for one in plain) > len(told)


def _is_said(sentence: str, source: str) -> bool:
    """Whether a sentence names the user, reports an order, or stands in the source."""
    return bool(OF_USER.search(sentence) or REPORTED.search(sentence)) or sentence in source


def _answers(sentence: str, words: set[str], only: set[str], asked: Asked) -> bool:
    """Whether a sentence tells of what nothing has come of yet."""
    own = _content(sentence)
    figures = any(one not in asked.source for one in _FIGURE.findall(sentence))
    hit, new = Known(only).of(own), own - asked.known.of(own)
    of_it = weight(Known(words).of(own)) >= max(ASKED_WORDS, ASKED_SHARE * weight(words))
    return (
        weight(hit) >= ONLY_WORDS
        or bool(hit and (figures or weight(new) >= NEW_WORDS))
        or bool(figures and of_it)
    )


def _plans(sentence: str, words: set[str], _only: set[str], asked: Asked) -> bool:
    """Whether a plan gives the answer, or tells somebody what to do."""
    own = _content(sentence)
    exact = (*_FIGURE.findall(sentence), *(one.strip("`.,") for one in _CODE.findall(sentence)))
    of_it = weight(Known(own).of(words)) >= max(ASKED_WORDS, PLANNED_SHARE * weight(words))
    to_you = TO_SOMEBODY.search(QUOTED.sub(" ", sentence)) and weight(own - asked.known.of(own)) >= NEW_WORDS
    return bool(to_you) or (of_it and any(one not in asked.source for one in exact))


def _below(lead: str, lines: Sequence[str]) -> Iterator[str]:
    """The items of the list that a line leads."""
    at = next((at for at, line in enumerate(lines) if line.strip() == lead), len(lines))
    if lead.endswith(_LEAD):
        yield from (line.strip() for line in takewhile(_ITEM.match, lines[at + 1 :]))


def _beside(rest: str, source: str) -> Iterator[str]:
    """What stands beside the request, names nobody, and was said by nobody."""
    for one in said_in(rest):
        named = OF_USER.search(one) or OF_ASSISTANT.search(one)
        if weight(_content(one)) >= ASIDE_WORDS and not named and one not in source:
            yield one


def _content(text: str) -> set[str]:
    """The words of a text that say what it is about."""
    own = set(terms(OF_USER.sub(" ", text))) - LITTLE - ORDINARY
    return {
        word
        for word in own
        if not any(map(str.isdigit, word)) and (len(word) >= LEAST_CHARS or not word.isascii())
    }
