"""How people say that they want something else now: "New goal: ...", "Forget the move. Instead we are doing ...".

Rules kept here:

- Who names the goal, and says that it is new or holds now, says what is wanted: in a sentence that begins so.
- Who drops what was wanted ("forget ...", "... is off", "change of plan") has said half; the other half is what all of
  us do instead, from now on, or want now. An order ("run the tests instead") is no plan.
- A question sets no goal, and others' goal ("their new goal") is not the user's.
"""

from __future__ import annotations

import re

from palimpsest.patterns import later

_LEAD = (
    r"(?:(?!their|his|her)[^\s,.:;!]{1,16}(?: [^\s,.:;!]{1,12}){0,2} ?[,.:;!] |"
    r"(?:so|ok(?:ay)?|and|but|well|also|und|et|y|e|и|а|no|nein) )?"
)
_GOAL = (
    r"(?:(?:main |overall |real |whole )?(?:goals?|aims?|objectives?|mission|target)|(?:haupt|gesamt)?ziel|aufgabe|"
    r"objectif|but|objetivo|meta|obiettivo|scopo|цель|задача|doel|hedef|amaç|cel|mål(?:et)?)"
)
_PLAN = r"(?:plan|plano|piano|план)"
_NEW = r"(?:new|neue[srn]?|nouve(?:l|au|lle)|nuev[oa]|nov[oa]|nuov[oa]|нов(?:ый|ая)|nieuwe?|yeni|now[ya]|nytt?|nya)"
_NOW = (
    r"(?:now|from now on|instead|jetzt|nun|ab jetzt|ab sofort|stattdessen|maintenant|désormais|dorénavant|ahora|"
    r"a partir de ahora|agora|a partir de agora|ora|adesso|d['’]ora in poi|теперь|отныне|nu|vanaf nu|şimdi|artık|teraz)"
)
_IS = r"(?:is|are|will be|ist|wird|lautet|est|sera|es|será|é|è|sarà|—|–|-|это|är|to|jest)"
_OUR = (
    r"(?:(?:the|our|my|das|unser|mein|le|notre|mon|el|nuestro|mi|o|nosso|meu|il|lo|nostro|наша|моя|het|ons|vårt|nasz) |"
    r"l['’])"
)
_NAMES = later(
    rf"{_LEAD}(?:{_OUR}?{_NEW} {_GOAL}(?: ?[:：]| (?:{_NOW} )?{_IS} )|"
    rf"{_OUR}?{_NEW} {_PLAN}(?: ?[:：]| (?:{_NOW} )?{_IS} (?:to|that we|de|que)\b)|"
    rf"{_OUR}?{_GOAL} (?:{_NOW} {_IS}|{_IS} {_NOW}),? |{_NOW},? (?:{_IS} )?{_OUR}?{_GOAL} {_IS} |"
    rf"{_NOW},? {_OUR}{_GOAL} |{_NOW},? {_GOAL} [—–-] |"
    rf"{_OUR}{_GOAL} (?:has|hat sich|a|ha) (?:\w+ )?(?:changed|geändert|changé|cambiado|mudado|cambiato) ?[:：,]|"
    r"(?:what|all) (?:we|i) (?:really |actually )?want now is |was (?:wir|ich) jetzt (?:wollen|will),? ist |"
    r"ce que (?:nous voulons|je veux|on veut) maintenant,? c['’]est |lo que (?:queremos|quiero) ahora es |"
    rf"{_NOW},? (?:this|it) is (?:all )?about |{_NOW},? geht es um |{_NOW},? il s['’]agit d|{_NOW},? se trata de )|"
    r"[^。？?]{0,12}?(?:新(?:的)?(?:目标|任务|计划)(?:是|为|[:：])|(?:现在|今后|接下来)的?(?:目标|任务)(?:是|为|[:：])|"
    r"(?:目标|任务)(?:现在|改)(?:是|为|成))|"
    r"[^。？?]{0,24}?(?:新しい(?:目標|目的|計画)(?:は|[:：])|(?:今後|これから|今)の(?:目標|目的)(?:は|[:：]))|"
    r"[^.？?]{0,12}?(?:새(?:로운)? (?:목표|계획)(?:는|은|[:：])|(?:이제|지금|앞으로의?) 목표(?:는|[:：]))",
    re.IGNORECASE,
)
_DROPS = later(
    r"\b(?:forget (?!to\b)(?:about )?|scrap |scratch |drop |ditch |(?:have|['’]ve) (?:dropped|scrapped|cancelled|"
    r"abandoned|given up)|"
    r"(?:is|are|was|were|['’]s) (?:off(?! by| the| to)|cancell?ed|called off|dropped|dead|history)\b|"
    r"(?:plans? (?:has |have )?changed?|change of plans?)|vergiss (?!nicht)|vergesst (?!nicht)|(?:fällt|"
    r"fallen) [^.?]{0,20}?(?:aus|weg|flach)\b|"
    r"(?:abgesagt|gestrichen|geplatzt)|planänderung|(?:oublie[sz]?|oubliez) |laiss\w+ tomber|annulée?s?\b|"
    r"changement de (?:plan|programme)|olvid(?:a|ad|e|en|emos)\b|se (?:cancela|suspende)|cancelad[oa]|"
    r"cambio de planes?|"
    r"esque(?:ce|ça|çam)\b|mudança de planos?|dimentica|lascia(?:mo)? perdere|annullat[oa]|cambio di programma|забудь|"
    r"отмен(?:яется|ён|ена|или)|план\w* (?:из|по)менил|vergeet (?!niet)|gaat niet door|glöm (?!inte)|zapomnij|unut)|"
    r"计划(?:有变|变了|改变)|忘(?:掉|了)|不(?:做|搞|办|弄)[^，。]{0,12}了|取消|放弃|計画(?:が)?変更|(?:は|を)(?:やめ|中止|忘れ)|"
    r"계획이 (?:바뀌|변경)|취소|잊어",
    re.IGNORECASE,
)
"""What says that something is not done any more."""
_TURNS = later(
    r"\b(?:what (?:we|i) want now is |let['’]?s [^.?]{2,80} instead\b|instead,? (?:we|i|the (?:team|board|club|"
    r"town)) |(?:we|i)(?:['’]re|['’]ll|['’]d)? [^.?]{2,120} instead\b|"
    r"(?:now|from now on),? (?:we|i)(?:['’]\w+)? (?!have\b|had\b|see\b|get\b|know\b)|"
    r"(?:we|i) now (?:want|need|plan|build|make|do|go for)|(?:we|i)(?:['’]re| are) now \w+ing\b|"
    r"(?:stattdessen|ab jetzt|nun|jetzt) (?:\w+en wir|wollen|machen|bauen|planen|geht es um)|"
    r"wir (?:\w+en) (?:jetzt|nun|stattdessen)|à la place,? (?:on|nous)|(?:on|nous) [^.?]{2,80} à la place|"
    r"(?:désormais|maintenant),? (?:on|nous|je) (?:veu|voul|fai|fais|va|all|constru|organis)|"
    r"en (?:su|vez de eso|cambio)(?: lugar)?,? (?:vamos|har?emos|\w+(?:emos|amos))\b|ahora (?:queremos|vamos|"
    r"haremos|hacemos)|"
    r"(?:em vez disso|agora),? (?:vamos|queremos|faremos|fazemos)|(?:invece|ora|adesso),? (?:facciamo|faremo|vogliamo)|"
    r"(?:вместо (?:этого|него|неё)|теперь)(?: мы)? (?:\w+ем|\w+им|хотим)|in plaats daarvan|i stället|zamiast tego)|"
    r"(?:我们)?(?:改(?:办|做|搞|成|为)|转而|现在要|而是)|(?:代わりに|その代わり)|대신",
    re.IGNORECASE,
)
"""What says what all of us do, or want, in its place."""


_CLAUSES = later(r"[,;:.!，；：。、！]\s*")
_ALL = later(r"\b(?:plan\w*|program\w*|all the rest|everything)\b|планы?|计划|計画|계획", re.IGNORECASE)
"""What speaks of a plan as a whole."""
_POINTS = later(
    r"\b(?:forget|scrap|drop|vergiss|oublie[sz]?|olvid\w{1,4}|esque\w{1,3}|dimentica|забудь|vergeet|zapomnij) "
    r"(?:about )?(?:all )?(?:that|it|this|das|es|alles|ça|tout|eso|esto|todo|isso|ciò|это|всё|dat|to)\b",
    re.IGNORECASE,
)
_PLACE = later(
    r"\b(?:instead|stattdessen|à la place|en su lugar|em vez disso|invece|вместо|in plaats|i stället|zamiast)\b|代わり|"
    r"대신|改|而是",
    re.IGNORECASE,
)


def names_goal(sentence: str) -> bool:
    """Whether a sentence says what the goal is now, by that name."""
    return not sentence.endswith(("?", "？")) and _NAMES.match(sentence) is not None


def drops(sentence: str) -> bool:
    """Whether a sentence says that something is not wanted any more."""
    return not sentence.endswith(("?", "？")) and _DROPS.search(sentence) is not None


def dropped_in(sentence: str) -> list[str]:
    """What a sentence says is not wanted any more: the rest of the clauses that say so."""
    return [_DROPS.sub(" ", clause) for clause in _CLAUSES.split(sentence) if _DROPS.search(clause)]


def of_plans(sentence: str) -> bool:
    """Whether a sentence that drops something speaks of a plan as a whole, or points to what was said and says what is
    to come in its place.
    """
    points = _POINTS.search(sentence) is not None and _PLACE.search(sentence) is not None
    return points or _ALL.search(sentence) is not None


def turns(sentence: str) -> bool:
    """Whether a sentence says what is done, or wanted, in the place of something."""
    return not sentence.endswith(("?", "？")) and _TURNS.search(sentence) is not None
