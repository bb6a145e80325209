"""Whether a deed is told that the user forbade and nobody did, in whatever coordination or with whatever aside.

Rules kept here:

- A clause tells such a deed where its verb, as a deed, is the verb of the prohibition, and what it was done to is named
  as there: by a name with a figure or a sign in it, where the prohibition has any, else by one of its other words.
- What was forbidden until something happens, or was asked for later, is not judged; nor is what a call did, or the
  assistant tells that it did.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from palimpsest.patterns import later
from palimpsest.summarize.alike import with_forms
from palimpsest.summarize.audit.deeds.settled import is_asked
from palimpsest.summarize.audit.languages import LITTLE
from palimpsest.summarize.audit.told import DONE, FAILED, LOOK_CHARS, OF_USER, words_in
from palimpsest.summarize.injections import REPORTED
from palimpsest.summarize.outcomes import only_looks
from palimpsest.summarize.sentences import sentences
from palimpsest.summarize.source import Source
from palimpsest.summarize.spoken.cues import FORBIDS
from palimpsest.summarize.spoken.orders import SPARES
from palimpsest.summarize.toolcalls import decode, looks

MAX_BANS = 60
"""Prohibitions that are looked at, the newest."""

_PART = later(
    r"[,;:]\s|[，；：]|[.!?]\s|\s[–—-]{1,2}\s|\s(?:and|then|und|et|puis|y|e|but|aber|mais|pero|ma)\s", re.I
)
_NAME = later(r"(?<![\w./-])(?=[\w./-]{0,80}(?:\d|[_/]|\.\w))[\w/][\w./-]{1,80}(?<![./-])")
"""A name with a figure or a sign in it."""
_PAST = later(
    r"(?<![\w./-])(?:\w{2,20}(?:ed|é|ée|és|ées|ad[oa]s?|id[oa]s?|ó|at[oaie]|ut[oaie]|it[oaie])|"
    r"\w{0,8}ge\w{2,20}(?:t|en)|(?:ver|be|er|ent|zer|über|unter)\w{2,20}(?:t|en))(?![\w/-]|\.\w)",
    re.IGNORECASE,
)
"""A verb as one tells a deed."""
_OPEN = later(
    r"\b(?:is|are|be|being|if|when|unless|would|could|should|may|might|must|shall|will|to be|want\w*|plan\w*|"
    r"forb\w+|ban\w*|rul\w+|prohibit\w*|wird|werden|darf|dürfen|soll\w*|muss|wenn|falls|untersagt\w*|verboten\w*|"
    r"doit|doivent|sera|serait|si|interdi\w*|debe\w*|será|sería|prohib\w*)\b",
    re.IGNORECASE,
)
"""How it is told what may be, or must not."""
_WAITS = later(
    r"\b(?:before|until|unless|without|only|yet|bevor|bis|ohne|erst|avant|sans|antes|sin|hasta|jusqu\w*|prima|senza)\b|"
    r"除非|之前|[后後]才",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class _Ban:
    """What the user forbade: the words that the no stands beside, all words of it, its names, and where it was said."""

    beside: frozenset[str]
    words: frozenset[str]
    names: frozenset[str]
    place: int


def against_the_user(lines: Sequence[str], said: Sequence[str], source: Source) -> Iterator[str]:
    """The sentences of lines that have done what the user forbade; `said` by the user, in order."""
    claims = [
        (one, clause, verbs)
        for line in lines
        for one in sentences(line)
        for clause in _PART.split(one)
        if (verbs := _verbs(clause))
    ]
    bans = [ban for place, one in enumerate(said) for ban in _bans(one, place)][-MAX_BANS:] if claims else []
    found = dict.fromkeys(
        one
        for one, clause, verbs in claims
        for ban in bans
        if (verb := _breaks(clause, verbs, ban)) and not _is_known(verb, ban, said, source)
    )
    yield from found


def _verbs(clause: str) -> frozenset[str]:
    """The verbs of what a clause has done; none where it tells of nothing done."""
    if any(sign.search(clause) for sign in (FORBIDS, SPARES, FAILED, REPORTED, OF_USER, _OPEN)):
        return frozenset()
    return frozenset(found[0].lower() for found in _PAST.finditer(clause)) - LITTLE


def _bans(sentence: str, place: int) -> Iterator[_Ban]:
    if not FORBIDS.search(sentence) or is_asked(sentence) or DONE.search(sentence) or _WAITS.search(sentence):
        return
    for part in _PART.split(sentence):
        if FORBIDS.search(part):
            own = _words(part)
            whole = sentence if len(own) < 2 else part
            yield _Ban(own, _words(whole), frozenset(_NAME.findall(whole)), place)


def _words(text: str) -> frozenset[str]:
    return frozenset(words_in(FORBIDS.sub(" ", text)) - {"don", "please", "bitte"})


def _breaks(clause: str, verbs: frozenset[str], ban: _Ban) -> str:
    """The verb of a clause that tells as done what was forbidden; "" for none."""
    named = {part for name in ban.names for part in words_in(name)}
    acts = with_forms(verbs, ban.beside - named)
    if not acts:
        return ""
    names = set(_NAME.findall(clause))
    others = ban.names and any(not name.isdecimal() for name in names)
    rest = ban.words - with_forms(ban.words, acts)
    same = ban.names & names or (not others and with_forms(rest, words_in(clause)))
    return min(acts) if same else ""


def _is_known(verb: str, ban: _Ban, said: Sequence[str], source: Source) -> bool:
    """Whether a deed was asked for after all, or done, or told by the assistant."""
    if any(with_forms({verb}, words_in(one)) and not FORBIDS.search(one) for one in said[ban.place + 1 :]):
        return True
    for message in source.messages:
        for call in message.calls:
            text = f"{call.name} {call.arguments[:LOOK_CHARS]}"
            acts = not looks(call.name) and not only_looks(decode(call).command)
            if acts and (with_forms({verb}, words_in(text)) or any(name in text for name in ban.names)):
                return True
        if message.role == "assistant":
            for one in sentences(message.text[:LOOK_CHARS]):
                if any(
                    verb in with_forms({verb}, words_in(part)) and _verbs(part) for part in _PART.split(one)
                ):
                    return True
    return any(with_forms({verb}, words_in(text[:LOOK_CHARS])) for text in source.summaries)
