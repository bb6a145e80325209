"""How people say that they want something else now: "New goal: ...", "The regatta is off. Instead we are doing ...".

Rules kept here:

- Who names the goal, and says that it is new or holds now, says what is wanted: in a sentence that begins so, and goes
  on with what is to be done. "The goal is now clear" names none, nor do words that are names of other things as well:
  a target, a mission, a task.
- Who says that something is off has said half; the other half is what all of us do instead, or want now. An order ("run
  the tests instead") is no plan, nor is what only comes next.
- Who says what the goal is, and not that it is new, says it for the first time, or again.
- A question and a condition set no goal, nor does what is quoted; others' goal ("their new goal") is not the user's.
"""

from __future__ import annotations

import re

from palimpsest.patterns import later
from palimpsest.summarize.remembered import remembered
from palimpsest.summarize.spoken.clauses import unconditional

_LEAD = (
    r"(?:(?:change of plans?|heads up|(?:forget|vergiss|vergesst|oublie[sz]?|olvida|esquece|dimentica|забудь) "
    r"[^,.:;!?]{2,60}|[^\W\d]{1,16}) ?[,.:;!—] |"
    r"(?:so|ok(?:ay)?|and|but|well|also|und|et|y|e|и|а|no|nein) )?"
)
_OUR = (
    r"(?:(?:the|our|my|das|unser|mein|le|notre|mon|el|nuestro|mi|o|nosso|meu|il|nostro|наша|моя|het|ons|vårt|nasz) |"
    r"l['’])"
)
_WHOLE = r"(?:main |overall |real |whole |only |next )?"
_NAMED = (
    rf"(?:{_WHOLE}(?:goals?|aims?)|(?:haupt|gesamt|projekt)?ziel|objectif|but|objetivo|obiettivo|цель|doel|hedef|mål|"
    r"cel)"
)
_NEW = r"(?:new|neue[ns]?|nouve(?:l|au)|nuevo|novo|nuovo|новая|nieuw|yeni|nytt|now[ya])"
_LABEL = (
    rf"{_OUR}?(?:new {_WHOLE}(?:goals?|aim)|{_NEW} (?:(?:haupt|gesamt|projekt)?ziel|objectif|objetivo|obiettivo|цель|"
    r"doel|hedef|mål|cel)) ?[:：]"
)
_NOW = (
    r"(?:now|from now on|instead|jetzt|nun|ab jetzt|ab sofort|stattdessen|maintenant|désormais|dorénavant|ahora|"
    r"a partir de ahora|agora|a partir de agora|ora|adesso|теперь|отныне|nu|vanaf nu)"
)
_IS = r"(?:is|are|ist|lautet|est|es|é|è|—|–|-|это|är)"
_DOING = (
    r"(?:[,:]? ?to \w|that we |(?:es ?)?, |d(?:e |['’])\w|[:：] |"
    r"(?:(?<=\bes )|(?<=\bé )|(?<=\bè )|(?<=\bè )di )\w{2,}(?:ar|er|ir|re)(?:l[aoe]s?|se|ci)?\b|"
    r"(?:[—–-] )?\w{2,}(?:ть|ться|ти)\b)"
)
"""How what is to be done begins, behind "the goal is now"."""
_NAMES = later(
    rf"{_LEAD}(?:{_LABEL}|{_OUR}?(?:{_NEW}(?: {_NOW})?|now) (?:{_NAMED}|objective|mission) (?:{_NOW} )?{_IS} {_DOING}|"
    rf"{_OUR}?(?:new )(?:goal|aim) is an? (?!bit|little|lot)\w|"
    rf"{_OUR}{_NAMED} (?:{_NOW} {_IS}|{_IS} {_NOW}),? ?{_DOING}|{_NOW},? (?:{_IS} )?{_OUR}?{_NAMED} {_IS} ?{_DOING}|"
    rf"{_NOW} ist {_OUR}{_NAMED}, |"
    rf"{_OUR}{_NAMED} (?:has|hat sich|a|ha) (?:\w+ )?(?:changed|geändert|changé|cambiado|mudado|cambiato) ?[:：] )|"
    r"(?:[^。？?，、：:\"“”「」]{0,12}[。，、：:])?(?:我们的?|私たちの)?(?:"
    r"新(?:的)?目标(?:是|为|[:：])|(?:现在|今后|接下来)的?目标(?:是|为|[:：])|目标(?:现在|改)(?:是|为|成)|"
    r"新しい目標は|(?:新しい目標|新目標)[:：]|(?:今後|これから)の目標(?:は(?=[^。]{2,80}(?:ことです|こと|書き直し|"
    r"作成|"
    r"移行|する)[^。]{0,6}。?$)|[:：]))|"
    r"(?:[^.？?,\"“”]{0,12}, )?(?:새(?:로운)? 목표(?:는|은|[:：])|(?:이제|앞으로의?) 목표(?:는|[:：]))",
    re.IGNORECASE,
)
_ALL = r"(?:whole(?: thing)?|project|migration|work|session|rewrite|move|task|day)"
_OF_ALL = (
    rf"(?: (?:here|overall|in the end|(?:of|for|with|behind) (?:all (?:of )?this|(?:this|the) (?:whole )?{_ALL})|"
    r"for today|dabei|hier|am ende|des ganzen|(?:de ce|du|de este|del|do|deste|di questo) "
    r"(?:projet|proyecto|projeto|progetto|tout|todo)))?"
)
_STATES = later(
    rf"(?:цель|{_OUR}{_NAMED}) ?(?:—|–) ?\w|{_LEAD}(?!(?:but|cel)\b)"
    rf"{_OUR}?{_WHOLE}(?:(?:end|final) )?(?:{_NAMED}|objective){_OF_ALL} ?(?:[:：] ?\w|"
    r"is (?:simple|clear|simply|this)? ?[:：]? ?(?:to \w|that (?:we|the|all|every|each|no|it)\b|"
    r"(?:an?|one|zero|less|fewer|under|at most|no) (?!bit\b|little\b|lot\b|joke\b|mess\b)\w)|"
    r"(?:ist|lautet)(?: es)?(?:,? (?:dass|die|den|das|ein\w*|weniger|unter|höchstens) \w|, )|"
    r"est (?:de |d['’]|qu|une? |moins)|(?:es|é) (?:que |una? |uma? |menos |\w+(?:ar|er|ir)\b)|"
    r"è (?:che |di |una? |meno )|это \w|is om )|"
    r"(?:[^。？?，：:\"“”「」]{0,8}的)?(?:我们的?)?(?:最终|总体|整体|总)?(?:目标|目的)(?:是|为|就是|[:：])|"
    r"(?:[^。？?、「」]{0,12}の|最終的な|全体の)?(?:目標|目的|ゴール)(?:[:：]|は(?=[^。]{2,120}(?:こと|する|作る|"
    r"作成|移行|"
    r"移す|減らす|なくす)[^。]{0,6}。?$))|"
    r"(?:[^.?\"“”]{0,12} )?(?:최종 )?(?:목표|목적)(?:[:：]|[는은](?=[^.]{2,120}(?:것|기)[^.]{0,6}\.?$))",
    re.IGNORECASE,
)
"""What says what the goal is, be it new or not."""
_DEADLINE = later(
    r"(?:(?:(?:to )?(?:finish|be done|ship|deploy|deliver)|terminar|acabar|entregar|finir|livrer|finire|consegnare|"
    r"fertig\w*|закончить|уложиться)\b.{0,20}?\b)?(?:by|before|until|on|antes|para|bis|vor|avant|prima|entro|до|к)\b",
    re.IGNORECASE,
)
"""When the same is to be done: no other goal."""
_DROPS = later(
    r"\b(?:(?<!don't )(?<!not )(?<!never )(?:forget (?!to\b)(?:about )?|scrap |scratch |drop |ditch )|"
    r"(?:is|are|['’]s) (?:off(?! (?:by|the|to|again)\b)|cancell?ed|called off|dropped|history)\b(?! (?:by|when|in)\b)|"
    r"vergiss (?!nicht)|vergesst (?!nicht)|(?:fällt|fallen) [^.?]{0,20}?(?:aus|weg|flach)\b(?!, wenn)|"
    r"(?:abgesagt|gestrichen|geplatzt)|(?:oublie[sz]?) |laiss\w+ tomber|annulée?s?\b|olvid(?:a|ad|e|en|emos)\b|"
    r"se (?:cancela|suspende)|cancelad[oa]|esque(?:ce|ça|çam)\b|dimentica|lascia(?:mo)? perdere|annullat[oa]|"
    r"забудь|отмен(?:яется|ён|ена|или)|vergeet (?!niet)|gaat niet door|glöm (?!inte)|zapomnij)|"
    r"(?<!别)(?<!不要)忘(?:掉|了)|不(?:做|搞|办|弄)[^，。]{0,12}了|取消|放弃|(?:は|を)(?:やめ|中止|忘れ)|취소|잊어",
    re.IGNORECASE,
)
"""What says that something is not done any more."""
_POINTS = later(
    rf"(?:{_LEAD}(?:forget|scrap|vergiss|vergesst|oubliez?|olvida|esquece|dimentica|забудь) (?:about )?(?:all )?"
    r"(?:that|it|this|das(?: alles)?|alles|tout|eso|todo|isso|ciò|это|всё)(?=[,.;!—]|$)|change of plans?[.!]?$)",
    re.IGNORECASE,
)
"""What drops all that was said, or the plan."""
_CHANGE = later(
    rf"{_LEAD}(?:change of plans?|planänderung|changement de programme|cambio de planes?|mudança de planos?|"
    r"cambio di programma) ?[:：—–-] (?:(?=we\b[^.]* instead[.!]?$)|(?!(?:we|i|the|our|my|it|he|she|they|you|there|"
    r"that|this|\w+day|tomorrow|on|at|in|no|not|wir|ich|der|die|das|es|on|nous|le|la|les|il|lo|el|non|мы)\b|(?:we|i|"
    r"they)['’])(?![^.]*\b(?:"
    r"first|then|later|zuerst|erst|dann|d['’]abord|primero|prima)\b))\w+ \S+ \S",
    re.IGNORECASE,
)
"""A change of plan, and what is to be done: not who does what when, and not in which order."""
_INSTEAD = later(
    r"(?:\b(?:instead,? (?:we(?! (?:see|get|got|have|had|saw)\b)|let['’]?s|"
    r"the (?:team|board|club|town))\b|let['’]?s [^.?]{2,80} instead\b(?! of)|"
    r"we(?:['’]re|['’]ll|['’]d)? [^.?]{2,120} instead\b(?! of)|stattdessen \w+ (?:wir|ich)\b|wir \w+ stattdessen|"
    r"à la place,? (?:on|nous)\b|(?:on|nous) [^.?]{2,80} à la place|en su lugar,? (?:vamos|\w+(?:emos|amos))\b|"
    r"em vez disso,? (?:vamos|\w+emos)\b|invece,? (?:facciamo|faremo)|вместо (?:этого|него|неё)(?: мы)? \w+(?:ем|"
    r"им)\b|"
    r"in plaats daarvan|i stället|zamiast tego)|改(?:办|做|搞)|转而|代わりに|대신)",
    re.IGNORECASE,
)
"""What says what all of us do in the place of something."""
_WANTS = later(
    r"\b(?:what (?:we|i) (?:really )?want now is|(?:we|i) now want|now (?:we|i) want|was (?:wir|ich) jetzt (?:wollen|"
    r"will)|(?:jetzt|nun) wollen wir|ce que (?:nous voulons|je veux|on veut) maintenant|lo que (?:queremos|"
    r"quiero) ahora|ahora queremos|теперь мы хотим)\b|我们现在(?:想要|要)",
    re.IGNORECASE,
)
"""What says what is wanted now."""
_CLAUSES = later(r"[,;:.!，；：。、！]\s*")
_ASKS = later(r"(?:[?？؟]|か[。.]?|吗[。.]?)[\"”’」)]?$")


@remembered()
def names_goal(sentence: str) -> bool:
    """Whether a sentence says what the goal is now, by that name, or as a change of plan."""
    named = None if _is_aside(sentence) else _NAMES.match(sentence) or _CHANGE.match(sentence)
    return named is not None and _DEADLINE.match(sentence[named.end() :].lstrip()) is None


@remembered()
def states_goal(sentence: str) -> bool:
    """Whether a sentence says what the goal is, by that name, new or not."""
    stated = None if _is_aside(sentence) else _STATES.match(sentence)
    return stated is not None and _DEADLINE.match(sentence[stated.end() - 1 :]) is None


def dropped_in(sentence: str) -> list[str]:
    """What a sentence says is not wanted any more: the rest of the clauses that say so."""
    if _is_aside(sentence):
        return []
    return [_DROPS.sub(" ", clause) for clause in _CLAUSES.split(sentence) if _DROPS.search(clause)]


def drops_all(sentence: str) -> bool:
    """Whether a sentence drops the plan as a whole: "change of plan", "forget that"."""
    return not _is_aside(sentence) and _POINTS.match(sentence) is not None


def turns(sentence: str) -> bool:
    """Whether a sentence says what all do in the place of something."""
    return not _is_aside(sentence) and _INSTEAD.search(sentence) is not None


def wants(sentence: str) -> bool:
    """Whether a sentence says what is wanted now."""
    return not _is_aside(sentence) and _WANTS.search(sentence) is not None


@remembered()
def _is_aside(sentence: str) -> bool:
    """Whether a sentence asks, begins with a condition, or is somebody's who is quoted: in quotes, or their end."""
    if _ASKS.search(sentence) or unconditional(sentence) != sentence:
        return True
    opened, closed = (sum(map(sentence.count, signs)) for signs in ("“„«「", "”»」"))
    return sentence[:1] in "\"“„«「'>" or sentence.count('"') % 2 == 1 or closed > opened
