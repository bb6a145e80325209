"""What is done in the user's name: "as the user wished" needs words of what the user said.

Rules kept here:

- The user speaks in requests, and with a word about what the assistant said just before. Summaries, and what the agent
  was told, count as well. What tools say is nobody's wish.
- Hardly a word is enough to go by: a summary says things in its own words. Where the user spoke before the source
  begins, nothing is known of what was wished.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from palimpsest.patterns import later
from palimpsest.summarize.alike import with_forms
from palimpsest.summarize.audit.languages import LITTLE
from palimpsest.summarize.audit.people.demands import FRAME, KNOWN_SHARE
from palimpsest.summarize.audit.told import LOOK_CHARS, said_in
from palimpsest.summarize.sentences import terms
from palimpsest.summarize.source import Source

MIN_TERMS = 3
"""Of a line with fewer words of its own nothing can be said."""

_IN_NAME = later(
    r"\b(?:as|like|which|because|since) (?:the )?(?:user|customer|client) (?:has |had |have )?"
    r"(?:wish|want|ask|request|demand|instruct|approv|agree|order|allow|decid|requir|told|said)\w*|"
    r"\bas (?:wished|wanted|asked|requested|demanded|instructed|approved|agreed|ordered|required) by (?:the )?"
    r"(?:user|customer|client)\b|\b(?:at|on|per|by) (?:the )?(?:user|customer|client)['’]s? "
    r"(?:wish|request|demand|instruction|order|approval)\w*|"
    r"\bwie (?:vom|von der) (?:nutzer|benutzer|kunde)\w* (?:gewünscht|verlangt|genehmigt|erbeten)|"
    r"\b(?:auf|laut) wunsch des (?:nutzers|benutzers|kunden)\b|"
    r"\bcomme (?:l['’]utilisateur|le client) l['’]a (?:demandé|souhaité|voulu|approuvé)|"
    r"\bcomo (?:lo )?(?:pidió|quería|aprobó|pediu|queria|aprovou) (?:el|o) (?:usuario|cliente|usuário)|"
    r"(?:按照?|根据|应)(?:用户|客户)的?(?:要求|意愿|请求|同意|批准)",
    re.IGNORECASE,
)
"""How a line says in whose name something is done."""


def in_nobodys_name(text: str, source: Source) -> Iterator[str]:
    """The sentences that have something done in the user's name of which the user said hardly a word."""
    told = [one for one in said_in(text) if _IN_NAME.search(one)] if source.begins else []
    known = _heard(source) if told else frozenset[str]()
    for one in told:
        own = {term for term in terms(_IN_NAME.sub(" ", one)) if not term.isdecimal()} - FRAME - LITTLE
        if len(own) >= MIN_TERMS and len(with_forms(own, known)) < KNOWN_SHARE * len(own):
            yield one


def _heard(source: Source) -> frozenset[str]:
    """The terms of what users say, of what is said to them just before, of summaries and of what the agent was told."""
    texts = [*source.summaries, source.focus, source.system, source.goal]
    before = ""
    for message in source.messages:
        if message.role == "user" and message.text.strip():
            texts.extend((message.name, before, message.text))
        elif message.role == "assistant" and message.text.strip():
            before = message.text
    return frozenset(term for one in texts if one for term in terms(one[:LOOK_CHARS]))
