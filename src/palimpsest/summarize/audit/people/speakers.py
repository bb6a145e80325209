"""Who wanted and said what, held against who said it.

Where several people speak under names, a line that has one of them want what another alone spoke of names the wrong
one; the right name takes its place. Who says yes has said what it answers, and so has who is said to have said it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence

from palimpsest.patterns import later
from palimpsest.summarize.alike import with_forms
from palimpsest.summarize.audit.people.demands import FRAME
from palimpsest.summarize.audit.told import LOOK_CHARS
from palimpsest.summarize.sentences import sentences, terms
from palimpsest.summarize.source import Source

MAX_SPEAKERS = 40
OWN_SHARE, OTHERS_SHARE = 0.34, 0.6
"""A line of which at most so much is the named speaker's, and so much somebody else's, names the wrong one."""
_CLAUSES = later(r"(?<=[;.])\s+|(?<=\)),\s+")
_SAYS = (
    r"(?:wants?|wanted|asks?|asked|said|says|prefers?|preferred|demands?|demanded|needs?|needed|decided|insists?|insisted|"
    r"requested|requires?|likes?|will|would like|möchte|will|sagte|wünscht|veut|quiere|要求|想要|说)"
)
_SECONDS = later(
    r"[^\w+👍]{0,3}(?:(?:y|yes|yep|yeah|yup|ok|okay|sure|agreed|exactly|right|absolutely|definitely|same|me too|sounds|"
    r"seconded|go ahead|do (?:it|that)|let's|lgtm|works for me|fine|ja|genau|gern\w*|einverstanden|passt|oui|d'accord|"
    r"sí|si|vale|claro|sim|да|tak|evet)\b|\+1|👍|是|好|对|可以|行|同意|嗯|はい|네)",
    re.I,
)
"""How a message begins that says yes to the one before it."""


def misattributed(lines: Sequence[str], source: Source) -> Iterator[tuple[str, str]]:
    """(line, what is right in its place) of lines that name the wrong speaker."""
    said = said_by(source)
    if len(said) <= 1:
        return
    names = sorted(said, key=len, reverse=True)
    head = re.compile(rf"^\W{{0,4}}({'|'.join(map(re.escape, names))})(?::|'s\b| {_SAYS}\b)")
    tail = re.compile(rf"\(({'|'.join(map(re.escape, names))})\)\W{{0,2}}$")
    for one in lines:
        right = one.strip()
        for clause in _CLAUSES.split(right):
            found = head.match(clause) or tail.search(clause)
            other = _whose(clause, found[1], said) if found else ""
            if found and other:
                at = found.start(1)
                right = right.replace(clause, f"{clause[:at]}{other}{clause[at + len(found[1]) :]}")
        if right != one.strip():
            yield one.strip(), right


def said_by(source: Source) -> dict[str, set[str]]:
    """The terms of what each person with a name said, said yes to, or is said to have said."""
    said: dict[str, set[str]] = {}
    before: dict[str, set[str]] = {}
    told = list(source.summaries)
    for message in source.messages:
        text = message.text[:LOOK_CHARS]
        if not text.strip() or message.role not in ("user", "assistant"):
            continue
        told.append(text)
        own = set(terms(text))
        name = (message.name or "").strip() if message.role == "user" else ""
        name = name[:1].upper() + name[1:]
        if name and (len(said) < MAX_SPEAKERS or name in said):
            if _SECONDS.match(text):
                own |= {term for one, words in before.items() if one != name for term in words}
            said.setdefault(name, set()).update(own)
        before = {**before, name: own} if message.role == "assistant" else {name: own}
    for name in said if len(said) > 1 else ():
        named = re.compile(rf"(?<![A-Za-z0-9_]){re.escape(name)}(?![A-Za-z0-9_])", re.I)
        said[name].update(term for text in told for one in _naming(named, text) for term in terms(one))
    return said


def _naming(name: re.Pattern[str], text: str) -> Iterator[str]:
    """The sentences of a text that name somebody."""
    if name.search(text):
        yield from (one for one in sentences(text[:LOOK_CHARS]) if name.search(one))


def _whose(clause: str, name: str, said: Mapping[str, set[str]]) -> str:
    """Who spoke of what a clause says, where that was one other than `name`; "" where that is not clear."""
    own = {term for term in terms(clause) if term not in FRAME} - {one.lower() for one in said}
    own -= {"here", "now", *terms(re.sub(rf"\b(?!{_SAYS}\b)\w+", " ", clause))}
    if len(own) < 1 or len(with_forms(own, said[name])) > OWN_SHARE * len(own):
        return ""
    fitting = [
        one
        for one, words in said.items()
        if one != name and len(with_forms(own, words)) >= OTHERS_SHARE * len(own)
    ]
    return fitting[0] if len(fitting) == 1 else ""
