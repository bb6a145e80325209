"""What a user says that is no order, and may matter all the same: "We have a dog with us."

Rules kept here:

- Short sentences of whoever types, not of what is pasted. Questions, work to be done, courtesies, and how something
  went are none: what is asked for is in requests, and how things stood is soon otherwise.
"""

from __future__ import annotations

import re

from palimpsest.patterns import later
from palimpsest.summarize.spoken.cues import (
    CHANGING,
    FORBIDS,
    LEADING,
    OBLIGES,
    is_code,
    is_filler,
    is_heading,
    is_trivial,
    rule_weight,
)
from palimpsest.summarize.spoken.errands import bids_once, plans
from palimpsest.summarize.spoken.moment import (
    answers,
    depends,
    is_of_moment,
    is_opinion,
    speaks_of_all,
    tells_past,
)
from palimpsest.summarize.spoken.orders import GOING_ON, LASTING, QUESTIONS, REASONS, SPARES

LEAST_CHARS, MOST_CHARS = 10, 110
LEAST_WIDE_CHARS = 5
REASON_CHARS = 90
"""So many more may a sentence have that says why."""
OF_ALL_WEIGHT = 0.5
"""How much a remark reads like a rule that says what holds of every one."""
TYPED_SPACES = 3
"""A line of more words that begins with a small letter is no heading: many type no stops ..."""
SPOKEN_SPACES = 2
"""... nor one in which somebody speaks of himself."""
LASTING_WEIGHT, FIGURE_WEIGHT = 3.0, 0.5
"""What a remark weighs that says no, when or how often; and how much more one of many figures."""

_WORK = later(
    r"(?:(?:ok(?:ay)?|so|and|also|then|now|next|great|good|yes|yeah|no|hm+|well|first|please|pls|just|let'?s|let me|"
    r"can you|could you|would you|will you|try to|go ahead and|help me(?: to)?|bitte|jetzt|dann|nun|und|"
    r"maintenant|ahora|adesso)[,.:! ]+){0,3}"
    r"(?:fix|add|make|run|write|check|look|go|show|give|put|move|change|update|create|remove|delete|try|"
    r"test(?! files?\b| names?\b)|use|"
    r"cancel|"
    r"view|implement|start|continue|summari[sz]e|explain|find|search|read|open|close|commit|push|merge|deploy|"
    r"install|"
    r"review|refactor|rename|replace|set|get|send|print|list|compare|describe|translate|convert|generate|plan|think|"
    r"tell|"
    r"do|build|clean|investigate|analy[sz]e|debug|extract|finish|complete|compute|calculate|draft|prepare|propose|"
    r"suggest|verify|confirm|restart|retry|revert|roll|split|extend|improve|optimi[sz]e|document|walk|figure|see|"
    r"wire|"
    r"hook|bump|upgrade|migrate|sort|filter|count|plot|draw|design|export|import|save|load|download|upload|book|"
    r"order|buy|call|email|remind|schedule|work|proceed|resume|wait|come|take|pick|choose|turn|switch|ship|release|"
    r"step|"
    r"look at)\b|(?:mach|erstell|schreib|bau|prüf|zeig|such|schau|führ|öffne|korrigier|behebe|lies|lösch|füge|ändere|"
    r"teste|"
    r"fais|crée|écris|ajoute|montre|vérifie|corrige|lance|regarde|haz|crea|escribe|añade|muestra|revisa|arregla|"
    r"ejecuta)"
    r"\w{0,3}\b|[请帮]|修|加|改(?!动)|写|做|看|查|运行|实现|创建|删|继续|测试(?!用)",
    re.IGNORECASE,
)
"""How a sentence begins that gives work."""
_SCOPE = later(r"\b(?:all|any|in|except|but|without|at (?:least|most))\b", re.IGNORECASE)
"""What says of some work how far it goes, and not that it comes again."""
_CLAUSE = later(
    r"[^,，、;；]{8,}?(?=[,;] (?!(?:so|but|and|aber|also|und|mais|donc|et|pero|así|y|но|и|так)\b)\S+ \S+ \S)|"
    r"[^,，、;；]{6,}?(?=[，、；](?![但而所可])[^，。]{4})",
    re.IGNORECASE,
)
"""What stands before a comma with a reason behind it: no few words, no consequence."""
_AIM = later(
    r",? (?:so(?: that)? (?:i|we|you)|damit|pour que|afin que|para que|perché|чтобы)\b|[，,]?(?:以便|好让|为了让)",
    re.IGNORECASE,
)
"""How it is said what something is wanted for."""
_BRIEF = later(
    r"(?:no|kein\w{0,2}|nur|only|geen|inga|sin|sans|senza|sem|без|никаких) \w[\w.+-]*(?: \w[\w.+-]*)?[.!]?|"
    r"[^，。？]*(?:[不最别勿]|최대 ?)\S+",
    re.IGNORECASE,
)
"""How two or three words ban something, or are a limit ..."""
_SHRUGS = later(
    r"\b(?:luck|idea|problem|clue|news|change|error|warning|difference|doubt|worr|need|wonder|reply|answer|more|"
    r"longer|internet|probleem|idee|ding\b|succès|blague|gana|comenta|comentá|chance|parole|nieuws|nyhet|"
    r"ahnung|fehler|zeit|lust|antwort|sorge|thema|tid|fara|проблем|вопрос|duda|embargo|doute|dubbi|dúvida)|[了吗]|"
    r"不(?:用|客|错|好|行|是|对|知|要)[^\w]?$",
    re.IGNORECASE,
)
"""... unless they say that something is not there."""
_SAYS = later(r"\W*\w\S*(?:\s+\S+){2,}|[^\n]{0,80}?[^\x00-\x7f]{4,}")
_I = later(r"(?:and |but |so )?i\b", re.IGNORECASE)
"""Who says that he needs or must not do something gives no order."""
_SPEAKS = later(r"(?:I|We|My|Our|Ich|Wir|Je|Nous|Yo|Я|Мы)\b")
"""How somebody speaks of himself, which no heading does."""


def is_remark(text: str) -> bool:
    """Whether a user's sentence, no rule by itself, says something that may matter later."""
    return bool(_told(text))


def _told(text: str) -> str:
    """What of a sentence tells something: all of it, what stands behind the few words that lead to it, or before its
    reason, where that says how often, what not, or that something changes. "" where none does.
    """
    if text.endswith(("?", "？", ":", "：")) or len(text) > MOST_CHARS + REASON_CHARS:
        return ""
    leading = LEADING.match(text)
    said = text[leading.end() :] if leading else text
    if leading and (bids_once(text) or is_opinion(leading[0]) or (answers(text) and not is_lasting(said))):
        said = text
    clause = _CLAUSE.match(said)
    pieces = [text, said]
    if clause and not depends(said) and _marks(clause[0]):
        pieces.append(f"{clause[0]}.")
    aim = _AIM.search(said)
    if aim and _marks(said[: aim.start()]):
        pieces.append(f"{said[: aim.start()]}.")
    return next((piece for piece in pieces if _tells(piece)), "")


def _marks(text: str) -> bool:
    return any(form.search(text) for form in (FORBIDS, LASTING, OBLIGES)) or CHANGING.match(text) is not None


def _tells(text: str) -> bool:
    if not (LEAST_CHARS if text.isascii() else LEAST_WIDE_CHARS) <= len(text) <= MOST_CHARS:
        return False
    if not _SAYS.match(text) and not (_BRIEF.fullmatch(text) and not _SHRUGS.search(text)):
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
    least = TYPED_SPACES if text[:1].islower() else SPOKEN_SPACES
    said = text[:1].islower() or _SPEAKS.match(text)
    typed = (said and text.count(" ") >= least) or is_lasting(text)
    return not (is_trivial(text) or is_filler(text) or is_code(text) or (is_heading(text) and not typed))


def gives_work(text: str) -> bool:
    """Whether a sentence begins by giving work."""
    return bids_once(text) or (_WORK.match(text) is not None and not tells_past(text))


def is_lasting(text: str) -> bool:
    """Whether a sentence says no, when, how often, or how much."""
    return _says_lasting(text) or any(sign.isdigit() for sign in text)


def _says_lasting(text: str) -> bool:
    return any(form.search(text) for form in (FORBIDS, LASTING, SPARES))


def as_rule(text: str) -> float:
    """How much a user's sentence reads like a rule, by its form or because it says of every one what holds on."""
    weight = rule_weight(text)
    of_all = speaks_of_all(text) and not FORBIDS.match(text) and not is_heading(text)
    bans = OBLIGES.search(text) and FORBIDS.search(text) and not _I.match(text)
    return max(weight, OF_ALL_WEIGHT) if (of_all or bans) and is_remark(text) else weight


def remark_weight(text: str) -> float:
    """How likely a remark holds on, 0 to 3: what tells the past least, most what says no, when, or how often; a figure
    says a little of how much.
    """
    said = _told(text) or text
    lasting = 1.0 if _says_lasting(said) else FIGURE_WEIGHT * any(sign.isdigit() for sign in said)
    return 2.0 * (not tells_past(said)) + lasting
