"""What a user says that is no order and no known form of a rule, and may matter all the same: "We have a dog with us."

Rules kept here:

- Short sentences of whoever types, not of what is pasted. Questions, work to be done, courtesies, and how something
  went are none: what is asked for is in requests, and how things stood is soon otherwise.
"""

from __future__ import annotations

import re

from palimpsest.patterns import later
from palimpsest.summarize.cues import FORBIDS, is_code, is_filler, is_heading, is_trivial
from palimpsest.summarize.errands import bids_once, plans
from palimpsest.summarize.moment import is_of_moment, tells_past
from palimpsest.summarize.orders import GOING_ON, LASTING, QUESTIONS, REASONS
from palimpsest.summarize.wishes import LEADING

LEAST_CHARS, MOST_CHARS = 10, 110
LEAST_WIDE_CHARS = 5
TYPED_SPACES = 3
"""A line of more words that begins with a small letter is no heading: many type no stops."""

_WORK = later(
    r"(?:(?:ok(?:ay)?|so|and|also|then|now|next|great|good|yes|yeah|no|hm+|well|first|please|pls|just|let'?s|let me|"
    r"can you|could you|would you|will you|try to|go ahead and|help me(?: to)?|bitte|jetzt|dann|nun|und|"
    r"maintenant|ahora|adesso)[,.:! ]+){0,3}"
    r"(?:fix|add|make|run|write|check|look|go|show|give|put|move|change|update|create|remove|delete|try|test|use|"
    r"cancel|"
    r"view|implement|start|continue|summari[sz]e|explain|find|search|read|open|close|commit|push|merge|deploy|install|"
    r"review|refactor|rename|replace|set|get|send|print|list|compare|describe|translate|convert|generate|plan|think|"
    r"tell|"
    r"do|build|clean|investigate|analy[sz]e|debug|extract|finish|complete|compute|calculate|draft|prepare|propose|"
    r"suggest|verify|confirm|restart|retry|revert|roll|split|extend|improve|optimi[sz]e|document|walk|figure|see|wire|"
    r"hook|bump|upgrade|migrate|sort|filter|count|plot|draw|design|export|import|save|load|download|upload|book|"
    r"order|buy|call|email|remind|schedule|work|proceed|resume|wait|come|take|pick|choose|turn|switch|ship|release|"
    r"step|"
    r"look at)\b|(?:mach|erstell|schreib|bau|prüf|zeig|such|schau|führ|öffne|korrigier|behebe|lies|lösch|füge|ändere|"
    r"teste|"
    r"fais|crée|écris|ajoute|montre|vérifie|corrige|lance|regarde|haz|crea|escribe|añade|muestra|revisa|arregla|"
    r"ejecuta)"
    r"\w{0,3}\b|[请帮]|修|加|改|写|做|看|查|运行|实现|创建|删|继续|测试",
    re.IGNORECASE,
)
"""How a sentence begins that gives work."""
_SCOPE = later(r"\b(?:all|any|in|except|but|without|at (?:least|most))\b", re.IGNORECASE)
"""What says of some work how far it goes, and not that it comes again."""
_SAYS = later(r"\W*\w\S*(?:\s+\S+){2,}|[^\n]{0,80}?[^\x00-\x7f]{5,}")


def is_remark(text: str) -> bool:
    """Whether a user's sentence, no rule by itself, says something that may matter later."""
    if not LEAST_CHARS <= len(text) <= MOST_CHARS and not (
        not text.isascii() and LEAST_WIDE_CHARS <= len(text) <= MOST_CHARS
    ):
        return False
    if (
        text.endswith(("?", "？", ":", "："))
        or not _SAYS.match(text)
        or LEADING.match(f"{text.rstrip('.!。！')}, ")
    ):
        return False
    if (
        any(form.match(text) for form in (GOING_ON, QUESTIONS, REASONS))
        or bids_once(text)
        or is_of_moment(text)
    ):
        return False
    if _WORK.match(text) and not LASTING.search(_SCOPE.sub(" ", text)):
        return False
    if plans(text) and not any(sign.isdigit() for sign in text):
        return False
    typed = text[:1].islower() and text.count(" ") >= TYPED_SPACES
    return not (is_trivial(text) or is_filler(text) or is_code(text) or (is_heading(text) and not typed))


def remark_weight(text: str) -> float:
    """How likely a remark holds on, 0 to 3: what tells the past least, most what says no, how often, or how much."""
    lasting = FORBIDS.search(text) or LASTING.search(text) or any(sign.isdigit() for sign in text)
    return 2.0 * (not tells_past(text)) + bool(lasting)
