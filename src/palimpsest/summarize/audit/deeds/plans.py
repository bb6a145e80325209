"""Whether a line under a heading of plans tells a deed after all.

Rules kept here:

- Under such a heading a line is a plan, unless its own clause has a verb in the past, says what is so now, or has its
  state beside it. A participle that stands before its noun is no such verb ("write the rejected rows"), and what a
  relative clause tells is not what the line tells.
- A participle that the newest request has as well is a word of the plan.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from palimpsest.patterns import later
from palimpsest.summarize.audit.clauses import clauses
from palimpsest.summarize.audit.deeds.still_open import has_state

_RELATIVE = later(
    r"(?<=\w)(?:,? (?:that|which|who|whose|qui|que|dont|che|quien(?:es)?|cui)|,? котор\w{2,3}|"
    r",? (?:was|what)(?= \w+ (?:was|were|wurde))|, (?:die|der|das|den|dem|deren|dessen|welche\w{0,2}))\b[^,;.:\n]*|"
    r"[^，。；：、\s]{1,24}的",
    re.IGNORECASE,
)
"""A clause that only says which thing is meant."""
_PAST = later(
    r"(?<=\w )(?:was|were|been)\b|(?<=\w )(?:has|have|had) (?:\w+ly |now |already |also )?"
    r"(?:been|\w{2,20}(?:ed|en|wn|lt|ade))\b|"
    r"\b(?:is|are) (?:now |already )?(?:done|finished|complete|completed|ready)\b|"
    r"\b(?:i|we|assistant) (?:\w+ly |now |already |also )?(?:\w{2,20}ed|wrote|made|built|set|put|ran|sent)\b|"
    r"\bwurden?\b|\bworden\b|\b(?:ist|sind|habe|hat|haben)\b[^.;]{0,80}\b\w{0,8}ge\w{2,20}(?:t|en)(?=\s?[,;.:)]|\s*$)|"
    r"\b(?:a|ont|ai|avons) (?:été )?\w{2,20}(?:[éi]e?s?|rit|mis|pris)\b|\bété\b|"
    r"\bse \w{2,20}(?:ó|aron|ieron)\b|\bfue(?:ron)?\b|\bsido\b|"
    r"\b(?:ha|han|he|hemos) \w{2,20}[aei]do\b|\b\w{3,20}ó(?=\s)|"
    r"\bfo(?:i|ram)\b|\bstat[oaie]\b|\b(?:ho|ha|hanno) \w{2,20}[aiu]to\b|"
    r"\bбыл[аои]?\b|\bуже (?!\w{2,20}(?:[ыо]е|[ыо]й|[ыи]х|[ую]ю|ого)\b)|\b(?:готово|готова|готов)\b|"
    r"已经?|[完好了过][。！]?\s*$|了(?=[，；])|"
    r"(?:ました|(?<![をに])完了|した|済み?)(?=[。、）)\s]|$)|"
    r"(?:했습니다|하였습니다|되었습니다|됐습니다|했다|됐다|했음|(?<![을를] )완료)(?=[.,)\s]|$)",
    re.IGNORECASE,
)
"""A verb of the line's own that tells what somebody did."""
_NOW_SO = later(
    r"\b(?:is|are|has|ist|sind|hat|est|sont|está|están|é|è|são)\b[^.;]{0,60}\b"
    r"(?:now|jetzt|nun|désormais|maintenant|ahora|ya|agora|já|ora|adesso|теперь)\b|"
    r"(?<=\w )(?:now|jetzt|nun|désormais|maintenant|ahora|ya|agora|já|ora|adesso|теперь)\b[^.;]{0,60}"
    r"\b(?:is|are|has|ist|sind|hat|est|sont|está|están|é|è|são)\b|"
    r"(?<=\w )now \w{2,20}(?<![su])s\b|\b\w{2,20}(?<!s)s(?: \w+){1,4} now\b|(?<=\w )\w{2,20}t (?:jetzt|nun)\b",
    re.IGNORECASE,
)
"""How it is told that something is so now; "now" at the beginning of an order says when it is to be done."""
_DID = later(
    r"\W{0,4}(?!(?:emb|proc|sp|exc|succ|bl|br|shr)e+d\b)(?P<did>[a-z]{3,20}ed)\b"
    r"(?! (?:\w+ ){1,2}(?:go|goes|gets?|stays?|"
    r"belongs?|lands?)\b)",
    re.IGNORECASE,
)
"""A participle with which a line begins: work is told so in short."""


def told_apart(sentence: str) -> Iterator[str]:
    """The clauses of a longer sentence that tell a deed by a verb of their own, whatever the others tell."""
    own = clauses(_RELATIVE.sub(" ", sentence))
    every = clauses(sentence) if len(own) > 1 else []
    yield from (one for one in every if one in own and any(form.search(one) for form in (_PAST, _NOW_SO)))


def tells_deed(sentence: str, request: str) -> bool:
    """Whether a line of plans tells something as done; `request` is what the user asked for last."""
    own = _RELATIVE.sub(" ", sentence)
    did = _DID.match(own)
    begun = did is not None and re.search(rf"\b{did['did']}\b", request, re.IGNORECASE) is None
    return begun or any(form.search(own) for form in (_PAST, _NOW_SO)) or has_state(sentence, request)
