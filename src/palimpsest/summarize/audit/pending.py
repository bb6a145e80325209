"""Whether a summary has a value set that only the newest request names, where nothing follows it in the source.

Rules kept here:

- What nobody answered yet is not done: a clause that has a value or a name which only the request has ("the cap is
  8192") tells no progress. What is told in the request's words alone is asked elsewhere (`closest`).
- A long message, or one of many values, tells something. One value that no words say was set is set only where the
  source has another one for the same words.
- Under progress it is taken for done unless it says that it is wanted, planned or not so. Anywhere else it must say
  that it was done: decisions and next steps are told in the request's words as well.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from palimpsest.patterns import later
from palimpsest.summarize.alike import with_forms
from palimpsest.summarize.audit.exact import stands
from palimpsest.summarize.audit.languages import LITTLE
from palimpsest.summarize.audit.told import LOOK_CHARS, OF_USER
from palimpsest.summarize.sentences import sentences, terms
from palimpsest.summarize.source import MessageEntry, Source
from palimpsest.summarize.spoken.cues import FORBIDS

CLAUSE_SHARE = 0.5
"""So much of what a clause with a new value says stands in the request."""
MAX_SAID, MAX_VALUES = 8, 5
"""Sentences of a request, and values that are new with it; a message of more tells something."""

_TELLING = ("Progress", "Commands and outcomes")
"""Headings under which stands what was done."""
_ELSEWHERE = ("", "Decisions", "Next steps", "Open tasks")
_SIGN = later(r"[\u3400-\u9fff\uac00-\ud7af]")
_VALUE = later(r"(?<![\w.])(?=[\w./:-]*[\d_/]|[a-z]+[A-Z])(?a:[\w./:-]){2,80}(?<![.:])")
_CLAUSE = later(r"[,;]\s|[，；、]")
STATES = later(
    r"\W{0,3}(?:the|my|our|your|his|her|their|it|there|der|die|das|mein\w*|unser\w*|es|le|la|les|"
    r"mon|ma|el|los|mi|il|o|a)\b"
    r"(?! \w+ing\b)(?![^\n]{0,80}\b(?:should|must|needs?|shall|have to|has to|soll\w*|muss|müssen|doit|"
    r"doivent|debe\w*)\b)"
    r"(?: [\w-]+){0,4} "
    r"(?:is|are|was|were|has|have|had|came|got|did|ist|sind|war|waren|hat|haben|hatte|kam|kamen|est|sont|"
    r"était|es|son|era|fue|è|sono|foi|são)\b",
    re.IGNORECASE,
)
"""A sentence of the user's that tells something and asks for nothing."""
PLANNED = later(
    r"\b(?:let(?:['’]s| me| us)|ask\w*|want\w*|request\w*|wish\w*|will|shall|should|must|next|pending|todo|"
    r"to (?:do|be|go)|not|yet|still|plan\w*|started?|begin\w*|begun|"
    r"in progress|needs?|once|when|before|after|if|until|then|check|whether|"
    r"soll\w*|möchte|will|noch|muss|wird|werden|bitte|wenn|sobald|bevor|danach|offen|nächst\w*|"
    r"doi(?:t|vent)|veut|demand\w*|à (?:faire|\w+er)|encore|reste|faut|avant|quand|puis|ensuite|prochain\w*|"
    r"deb(?:e|en)|quier[eo]n?|pid(?:e|ió)|falta\w*|pendiente|aún|todavía|antes|cuando|luego|por \w+[aei]r|siguientes?|"
    r"próxim[oa]s?|"
    r"dev(?:e|em)|quer|ped(?:e|iu)|ainda|pendente|quando|depois|a seguir|"
    r"vuole|chie\w*|ancora|prima|poi|da \w+re|prossim[oaie]|"
    r"долж\w*|нужно|надо|прос\w*|хоч\w*|ещё|предстоит|потом|дал(?:ее|ьше)|следующ\w*)\b"
    r"|下一步|接下来|要求|需要|待|尚未|开始|将|再|准备|请|依頼|予定|まだ|たい|必要|ください|次|この後|요청|예정|아직|해야|필요|다음",
    re.IGNORECASE,
)
"""How it is told that something is wanted, planned, or not so yet."""
DONE = later(
    r"\b(?:was|were|been|done|already|finished|wurden?|worden|bereits|erledigt|été|déjà|fue(?:ron)?|sido|foi|foram|"
    r"stat[oaie]|già|был[аои]?|уже|готово)\b|^\W{0,4}\w{3,20}ed\b|"
    r"\bse \w{2,20}(?:ó|aron|ieron)\b|\b(?:ist|sind|hat|haben)\b[^.;]{0,80}\b\w{0,8}ge\w{2,20}(?:t|en)\b|"
    r"\b(?:is|are|ist|sind|est|sont|está|están|é|è|é|são)\b[^.;]{0,60}\b(?:now|jetzt|nun|désormais|maintenant|ahora|ya|"
    r"agora|já|ora)\b|\b(?:now|jetzt|nun|désormais|maintenant|ahora|ya|agora|já|ora|теперь)\b[^.;]{0,60}"
    r"\b(?:is|are|ist|sind|est|sont|está|están|é|è|são)\b|"
    r"已经?|完成|しました|した(?=[。\s]|$)|済|完了|했습니다|되었|됐|완료(?! ?[전후시하되])",
    re.IGNORECASE,
)
"""How it is told that something was done, or is so now."""


def done_before_answered(
    body: Sequence[tuple[str, str]], source: Source, text: str
) -> Iterator[tuple[str, str]]:
    """The clauses, each with "", that have the newest request's values set; `body` are (heading, line), `text` all of
    the source.
    """
    newest = list(_unanswered(source))
    said = [
        one for text in newest for one in sentences(text[:LOOK_CHARS]) if terms(one) and not STATES.match(one)
    ]
    if not 0 < len(said) <= MAX_SAID:
        return
    rest = text
    for one in newest:
        rest = rest.replace(one, "\n") if terms(one) else rest
    asked = {term for one in said for term in (*terms(one), *words_in(one))}
    values = list(_values(said, rest))
    for heading, line in body:
        for one in sentences(line) if heading in (*_TELLING, *_ELSEWHERE) else ():
            plain = not (PLANNED.search(one) or FORBIDS.search(one) or OF_USER.search(one))
            if plain and (heading in _TELLING or DONE.search(one)):
                before = "" if DONE.search(one) else rest
                clause = next((it for it in _CLAUSE.split(one) if _sets(it, asked, values, before)), "")
                if clause:
                    yield clause.strip(), ""


def _unanswered(source: Source) -> Iterator[str]:
    """What the user said last, with nothing of anybody's behind it, newest first."""
    for entry in reversed(source.entries):
        if not isinstance(entry, MessageEntry) or entry.message.role != "user" or entry.message.results:
            return
        yield entry.message.text


def _sets(clause: str, asked: set[str], values: Sequence[str], before: str) -> bool:
    """Whether a clause has a value that is new with the request, for what the request speaks of; one of its words has
    another value in `before`, if that is given.
    """
    held = [value for value in values if stands(value, clause, "symbol")]
    if not held:
        return False
    own = {word for word in words_in(clause) if not any(word in value.lower() for value in held)}
    shared = with_forms(own, asked)
    if not shared or len(shared) < CLAUSE_SHARE * len(own):
        return False
    beside = rf"(?:{'|'.join(map(re.escape, shared))})\W{{1,4}}(?:\w{{1,12}}\W{{1,3}}){{0,2}}\d"
    return not before or bool(re.search(beside, before, re.IGNORECASE))


def _values(said: Sequence[str], rest: str) -> Iterator[str]:
    """The values and names of a request that stand nowhere else."""
    found = dict.fromkeys(match[0] for one in said for match in _VALUE.finditer(one))
    fresh = [value for value in found if not stands(value, rest, "symbol")]
    return iter(fresh if len(fresh) <= MAX_VALUES else ())


def words_in(text: str) -> set[str]:
    """The words of a text that say something; of scripts without spaces its single signs."""
    words = {term for term in terms(text) if len(term) > 1 and not _SIGN.match(term)} - LITTLE
    return words | set(_SIGN.findall(text))
